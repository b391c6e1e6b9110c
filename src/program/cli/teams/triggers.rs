//! `triggers`, `trigger` and `send`.

use std::path::Path;

use serde_json::{Value, json};

use crate::domain::teams::org_change::{OrgRefusal, one_line};
use crate::domain::teams::task::checked_text;
use crate::domain::teams::trigger::change::{
    TriggerAnswer, TriggerRefusal, TriggerRequest, TriggerWish, config_of as config_of_json,
};
use crate::domain::teams::trigger::row::{TriggerRow, WindowNow, handler, rows};
use crate::domain::teams::trigger::{
    MAX_MESSAGE_BYTES, Message, Trigger, TriggerConfig, TriggerKind, TriggerState,
};
use crate::domain::text::Text;
use crate::domain::{Clock as _, Lang, TeamName};
use crate::minds::Minds;
use crate::platform::{SystemClock, env};
use crate::ui::model::age;

use super::tasks::tell as tell_queued;
use super::{org_of, team_named, view};
use crate::cli::args::trigger_args::{SendArgs, TriggerCommand, TriggerName, TriggersArgs};
use crate::cli::commands::drive::text_or_stdin;
use crate::cli::exit::{CommandError, Status};
use crate::cli::forms::item_json::age_seconds;
use crate::cli::output;
use crate::cli::running::team_store::{open_or_make, refused, setup};

/// The name of a message, for errors.
const A_MESSAGE: Text = Text::new("message", "消息");
/// Most characters of the id or the channel of a message.
const MAX_NAME_CHARS: usize = 200;

/// The rows of all triggers.
async fn all_rows(workspace: &Path) -> Result<Vec<TriggerRow>, CommandError> {
    org_of(workspace)?;
    let minds = Minds::load(workspace, Lang::En);
    let view = view(workspace).await?;
    Ok(rows(minds.hive().triggers(), &view.triggers, &SystemClock))
}

pub async fn list(workspace: &Path, wanted: TriggersArgs) -> Result<Status, CommandError> {
    let org = org_of(workspace)?;
    let team = wanted.team.as_deref().map(|name| team_named(&org, name)).transpose()?;
    let mut rows = all_rows(workspace).await?;
    rows.retain(|row| team.is_none_or(|team| row.team == team.name));
    if wanted.json {
        output::json(&json!({ "triggers": rows.iter().map(trigger_json).collect::<Value>() }));
        return Ok(Status::Done);
    }
    for row in &rows {
        output::print(&line(row));
    }
    if rows.is_empty() {
        output::print("there is no trigger: one is a file .minds/hive/triggers/TEAM/NAME.yaml");
    }
    Ok(Status::Done)
}

/// A trigger as JSON, with how long ago it last fired.
fn trigger_json(row: &TriggerRow) -> Value {
    let mut trigger = row.summary(Lang::En);
    if let Value::Object(fields) = &mut trigger {
        let age = row.last_fired_at.as_ref().and_then(age_seconds);
        fields.insert("ageSeconds".to_owned(), json!(age));
    }
    trigger
}

/// A trigger in one line.
fn line(row: &TriggerRow) -> String {
    let kind = row.kind().map_or("?", TriggerKind::name);
    let next = row.next_at.as_ref().map(|at| format!("  next {at}")).unwrap_or_default();
    let fault = match (&row.fault, &row.definition) {
        (Some(fault), _) => format!("  (cannot run: {})", fault.in_lang(Lang::En)),
        (None, None) => "  (its file cannot be used; see doctor)".to_owned(),
        (None, Some(_)) => String::new(),
    };
    let fired = row.last_fired_at.as_ref().map(|at| age::short(at, &SystemClock.now()));
    let fired = fired.unwrap_or_default();
    let last = row.last_status.map(|status| format!("  last {} {fired}", status.name()));
    let last = last.unwrap_or_default();
    let reason = row.reason.as_ref().map(|reason| format!("  ({reason})")).unwrap_or_default();
    let (id, state, when) = (row.id(), row.state.name(), row.when());
    format!("{id}  {state}  {kind} {when}{next}{last}{reason}{fault}")
}

pub async fn trigger(workspace: &Path, wanted: TriggerCommand) -> Result<Status, CommandError> {
    match wanted {
        TriggerCommand::Show { of, json } => show(workspace, &of, json).await,
        TriggerCommand::Create { of, kind, config, task, values, json } => {
            let config = config_of(kind, &config)?;
            let trigger = Trigger::new(config, text_or_stdin(&task)?);
            let trigger = values.patch(None, None).applied_to(trigger);
            change(workspace, of, TriggerWish::Create(Box::new(trigger)), json).await
        }
        TriggerCommand::Update { of, config, task, values, json } => {
            let kind =
                all_rows(workspace).await?.iter().find(|row| is_of(row, &of)).map(TriggerRow::kind);
            let not_found = || CommandError::usage(format!("Trigger '{}' not found", of.name));
            let kind = kind.ok_or_else(not_found)?;
            let config =
                config.map(|config| config_of(kind.unwrap_or(TriggerKind::Schedule), &config));
            let task = task.as_deref().map(text_or_stdin).transpose()?;
            let patch = values.patch(config.transpose()?, task);
            change(workspace, of, TriggerWish::Update(Box::new(patch)), json).await
        }
        TriggerCommand::Enable { of, json } => {
            change(workspace, of, TriggerWish::Enable, json).await
        }
        TriggerCommand::Disable { of, reason, json } => {
            change(workspace, of, TriggerWish::Disable { reason }, json).await
        }
        TriggerCommand::Test { of, max_steps, overlap, json } => {
            let lang = env::work_language();
            let wish = TriggerWish::Test { max_steps, overlap, cause: None, lang };
            change(workspace, of, wish, json).await
        }
    }
}

fn config_of(kind: TriggerKind, text: &str) -> Result<TriggerConfig, CommandError> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| CommandError::usage(format!("`--config` is no JSON: {error}")))?;
    config_of_json(kind, &value).map_err(|why| CommandError::usage(why.in_lang(Lang::En)))
}

fn is_of(row: &TriggerRow, of: &TriggerName) -> bool {
    row.team.as_str() == of.team && row.name == of.name
}

async fn change(
    workspace: &Path,
    of: TriggerName,
    wish: TriggerWish,
    json: bool,
) -> Result<Status, CommandError> {
    org_of(workspace)?;
    let team = TeamName::new(&of.team);
    let id = format!("{}/{}", of.team, of.name);
    let request = TriggerRequest { team: team.clone(), name: of.name, by: None, basis: None, wish };
    let mut store = open_or_make(workspace).await?;
    let asked = request.clone();
    let answer = setup(workspace).change_trigger(&mut store, request).await;
    store.close().await;
    match answer.map_err(|fault| refused(&fault))? {
        Ok(TriggerAnswer::Is { state, fault }) if json => {
            let fault = fault.as_ref().map(|fault| fault.in_lang(Lang::En));
            let TriggerRequest { team, name, .. } = &asked;
            output::json(&json!({ "team": team, "name": name, "state": state, "fault": fault }));
            Ok(Status::Done)
        }
        Ok(TriggerAnswer::Is { state, fault }) => {
            output::print(&format!("{id} is {}", said(state)));
            if let Some(fault) = fault {
                output::note(&format!("it cannot run: {}", fault.in_lang(Lang::En)));
            }
            Ok(Status::Done)
        }
        Ok(TriggerAnswer::Tested(queued)) => tell_queued(queued, &team, json),
        Err(refusal) => Err(error_of(&refusal)),
    }
}

fn said(state: TriggerState) -> &'static str {
    match state {
        TriggerState::Pending => "pending: `trigger enable` lets it fire",
        TriggerState::Active => "active",
        TriggerState::Disabled => "disabled",
    }
}

fn error_of(refusal: &TriggerRefusal) -> CommandError {
    let text = refusal.text().to_string();
    match refusal {
        TriggerRefusal::BadName(_)
        | TriggerRefusal::Reserved(_)
        | TriggerRefusal::NotFound(_)
        | TriggerRefusal::NotInTeam { .. }
        | TriggerRefusal::Value(_)
        | TriggerRefusal::Nothing
        | TriggerRefusal::Team(OrgRefusal::NotFound(_)) => CommandError::usage(text),
        TriggerRefusal::FileIsUnusable(_) => CommandError::invalid(text),
        TriggerRefusal::Team(_)
        | TriggerRefusal::Exists(_)
        | TriggerRefusal::OtherType
        | TriggerRefusal::Changed
        | TriggerRefusal::CannotRun(_)
        | TriggerRefusal::CannotBeEnabled(_)
        | TriggerRefusal::Failed(_) => CommandError::refused(text),
    }
}

async fn show(workspace: &Path, of: &TriggerName, json: bool) -> Result<Status, CommandError> {
    let rows = all_rows(workspace).await?;
    let Some(row) = rows.iter().find(|row| is_of(row, of)) else {
        return Err(CommandError::usage(format!("Trigger '{}' not found", of.name)));
    };
    if json {
        output::json(&trigger_json(row));
        return Ok(Status::Done);
    }
    output::print(&line(row));
    if let Some(reason) = &row.reason {
        output::print(&format!("disabled: {reason}"));
    }
    if let Some(window) = &row.window {
        let open = if window.open { "open" } else { "closed" };
        let WindowNow { ticks, tokens, .. } = window;
        let used_up = if window.used_up { "; it ticks no more until it opens anew" } else { "" };
        let used = format!("{ticks} ticks and {tokens} tokens since it opened{used_up}");
        output::print(&format!("window {open}, {used}"));
    }
    if let Some(at) = &row.last_fired_at {
        let task = row.last_task.as_ref().map(ToString::to_string).unwrap_or_default();
        output::print(&format!("last fired at {at}: {task}"));
    }
    if let Some(trigger) = &row.definition {
        let who = trigger.member.as_ref().map_or("the lead".to_owned(), |id| format!("@{id}"));
        output::print(&format!(
            "{who}, {}, disabled after {} failures in a row ({} so far)",
            trigger.overlap.name(),
            trigger.failure_threshold,
            row.failures
        ));
        output::print(&format!("\n{}", trigger.task));
    }
    Ok(Status::Done)
}

/// True if a message fires this trigger in its present state.
fn hears(row: &TriggerRow, message: &Message) -> bool {
    let definition = row.definition.as_ref().filter(|_| row.state == TriggerState::Active);
    let handler = definition.and_then(|trigger| handler(trigger, &SystemClock).ok());
    handler.is_some_and(|handler| handler.is_meant(message))
}

/// Stores a message for triggers; the driver reads it.
pub async fn send(workspace: &Path, wanted: SendArgs) -> Result<Status, CommandError> {
    let text = checked_text(&text_or_stdin(&wanted.text)?, A_MESSAGE)
        .map_err(|error| CommandError::usage(error.in_lang(Lang::En)))?;
    let bytes = text.len();
    if bytes > MAX_MESSAGE_BYTES {
        return Err(CommandError::usage(format!(
            "the message has {bytes} bytes, at most {MAX_MESSAGE_BYTES} are allowed"
        )));
    }
    let setup = setup(workspace);
    let id = wanted.id.unwrap_or_else(|| (setup.random_name)());
    let (id, channel) = (one_line(&id, MAX_NAME_CHARS), one_line(&wanted.channel, MAX_NAME_CHARS));
    if id.is_empty() || channel.is_empty() {
        return Err(CommandError::usage("`--id` and `--channel` cannot be empty"));
    }
    let at = SystemClock.moment();
    let message = Message { number: 0, id, channel, text, at };
    // A store that is away is not looked at twice.
    let rows = all_rows(workspace).await?;
    let listeners: Vec<String> =
        rows.iter().filter(|row| hears(row, &message)).map(|row| row.id().to_string()).collect();
    let Message { id, channel, text, .. } = &message;
    let mut store = open_or_make(workspace).await?;
    let sent = store.send((id, channel, text), at).await;
    store.close().await;
    if !sent.map_err(|fault| refused(&fault))? {
        return Err(CommandError::refused(
            "too many messages wait to be looked at: start the program, or `serve`",
        ));
    }
    if wanted.json {
        output::json(&json!({ "id": id, "channel": channel, "triggers": listeners }));
    } else {
        output::print(id);
    }
    if listeners.is_empty() {
        let waits = rows.iter().filter(|row| row.state != TriggerState::Active).count();
        let enable = if waits > 0 { "; those that are not enabled hear nothing" } else { "" };
        output::note(&format!("no trigger listens for this message{enable}"));
    }
    Ok(Status::Done)
}
