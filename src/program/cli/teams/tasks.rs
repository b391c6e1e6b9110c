//! `tasks`, `task` and `delegate`.

use std::path::Path;

use serde_json::{Value, json};

use crate::domain::reading::title::short_headline;
use crate::domain::teams::org::Org;
use crate::domain::teams::task::{
    A_TASK, CANCELLED_BY_PERSON, Enqueued, NewTask, RetryRefusal, Task, TaskFilter, TaskKind,
    TaskStatus, checked_text,
};
use crate::domain::{AgentId, Clock as _, Lang, Stamp, TaskId, TeamName};
use crate::hive::{Store, StoreFault, task_refused};
use crate::platform::SystemClock;
use crate::ui::model::age;

use super::retried::Retried;
use super::store_copies::is_driven;
use super::{MIDNIGHT, org_of, team_named, until_midnight};
use crate::cli::args::team_args::{DelegateArgs, TaskCommand, TasksArgs};
use crate::cli::commands::drive::text_or_stdin;
use crate::cli::exit::{CommandError, Status};
use crate::cli::forms::item_json::age_seconds;
use crate::cli::output;
use crate::cli::running::team_store::{open, open_or_make, refused, setup};

/// Most characters of a task's text in a line.
const MAX_HEADLINE: usize = 100;
/// The prefix of every id; it may be left out.
const PREFIX: &str = "task-";

pub async fn list(workspace: &Path, wanted: TasksArgs) -> Result<Status, CommandError> {
    let org = org_of(workspace)?;
    let team = wanted.team.as_deref().map(|name| team_named(&org, name)).transpose()?;
    let filter = TaskFilter {
        team: team.map(|team| team.name.clone()),
        statuses: wanted.status,
        kind: wanted.kind,
        since: None,
        // One more shows whether there are further ones.
        limit: wanted.limit.saturating_add(1),
    };
    let (mut tasks, used_up) = match open(workspace).await? {
        Some(mut store) => {
            let found = read(&mut store, &filter, &org).await;
            store.close().await;
            found.map_err(|fault| refused(&fault))?
        }
        None => (Vec::new(), Vec::new()),
    };
    if tasks.len() > usize::try_from(wanted.limit).unwrap_or(usize::MAX) {
        tasks.pop();
        output::note("older tasks are not listed: --limit lists more");
    }
    let runs = tasks.iter().any(|task| task.status == TaskStatus::Running);
    let retried = Retried::of(workspace, runs && is_driven(workspace)).await;
    let about = (used_up.as_slice(), &retried);
    if wanted.json {
        let tasks = tasks.iter().map(|task| task_json(task, about));
        output::json(&json!({ "tasks": tasks.collect::<Value>() }));
        return Ok(Status::Done);
    }
    let now = SystemClock.now();
    for task in &tasks {
        output::print(&task_line(task, about, &now));
    }
    if tasks.is_empty() {
        output::print("there is no task");
    }
    Ok(Status::Done)
}

/// Returns the tasks that are wanted, and the teams whose tasks wait until midnight.
async fn read(
    store: &mut Store,
    filter: &TaskFilter,
    org: &Org,
) -> Result<(Vec<Task>, Vec<TeamName>), StoreFault> {
    let tasks = store.tasks(filter, &SystemClock).await?;
    Ok((tasks, until_midnight(store, org).await?))
}

/// What the rows of tasks do not say: the teams whose tasks wait until midnight, and what retries.
type Beside<'a> = (&'a [TeamName], &'a Retried);

/// Returns a task as one line: with the time in its state, what it waits for, and why it failed.
pub fn task_line(task: &Task, about: Beside<'_>, now: &Stamp) -> String {
    let Task { id, team, priority, text, error, .. } = task;
    let status = status_words(task, about);
    let age = age::short(since(task), now);
    let what = short_headline(text, MAX_HEADLINE);
    let error = error.as_ref().filter(|_| task.status == TaskStatus::Failed);
    let error = error.map(|error| format!("  -> {}", short_headline(error, MAX_HEADLINE)));
    let error = error.unwrap_or_default();
    format!("{id}  {status} {age}  {}  {team}  {what}{error}", priority.name())
}

/// Returns the time at which it was queued, started or ended: the last of these.
fn since(task: &Task) -> &Stamp {
    let Task { created_at, started_at, ended_at, status, .. } = task;
    let started = started_at.as_ref().filter(|_| *status != TaskStatus::Pending);
    ended_at.as_ref().or(started).unwrap_or(created_at)
}

/// Returns until when it waits in the queue, if its team starts nothing before.
fn waits(task: &Task, used_up: &[TeamName]) -> Option<&'static str> {
    let is_kept = task.status == TaskStatus::Pending && used_up.contains(&task.team);
    is_kept.then_some(MIDNIGHT)
}

fn status_words(task: &Task, (used_up, retried): Beside<'_>) -> String {
    let fails = retried.task(task) == Some(true);
    let status = if fails { "retrying" } else { task.status.name() };
    match (task.block_reason, waits(task, used_up)) {
        (Some(reason), _) => format!("{status} ({})", reason.name()),
        (None, Some(until)) => format!("{status} (until {until})"),
        (None, None) => status.to_owned(),
    }
}

fn task_json(task: &Task, (used_up, retried): Beside<'_>) -> Value {
    json!({
        "id": task.id,
        "team": task.team,
        "type": task.kind,
        "priority": task.priority,
        "status": task.status,
        "retrying": retried.task(task),
        "blockReason": task.block_reason,
        "waits": waits(task, used_up),
        "text": task.text,
        "member": task.member,
        "from": task.from,
        "correlationId": task.correlation,
        "cause": task.cause,
        "trigger": task.trigger.as_ref().map(|trigger| &trigger.name),
        "attempt": task.attempt,
        "box": task.box_name,
        "dialog": task.dialog,
        "createdAt": task.created_at,
        "since": since(task),
        "ageSeconds": age_seconds(since(task)),
        "startedAt": task.started_at,
        "endedAt": task.ended_at,
        "durationMs": task.duration_ms,
        "result": task.result,
        "error": task.error,
        "tokens": task.tokens,
    })
}

pub async fn task(workspace: &Path, wanted: TaskCommand) -> Result<Status, CommandError> {
    let org = org_of(workspace)?;
    let Some(mut store) = open(workspace).await? else {
        return Err(CommandError::usage("there is no task yet"));
    };
    let done = match wanted {
        TaskCommand::Show { task, json } => show(workspace, &mut store, &org, (&task, json)).await,
        TaskCommand::Cancel { task, json } => cancel(&mut store, &task, json).await,
        TaskCommand::Retry { task, json } => retry(&mut store, &task, json).await,
    };
    store.close().await;
    done.map(|()| Status::Done)
}

/// The task whose id starts so.
async fn find(store: &mut Store, wanted: &str) -> Result<Task, CommandError> {
    let start = format!("{PREFIX}{}", wanted.strip_prefix(PREFIX).unwrap_or(wanted));
    let found = store.find_task(&start, &SystemClock).await.map_err(|fault| refused(&fault))?;
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(task), None) => Ok(task),
        (None, _) => {
            Err(CommandError::usage(format!("Task '{wanted}' not found; `tasks` lists them")))
        }
        (Some(_), Some(_)) => Err(CommandError::usage(format!(
            "several tasks begin with {wanted}; write more of the id"
        ))),
    }
}

async fn show(
    workspace: &Path,
    store: &mut Store,
    org: &Org,
    (wanted, json): (&str, bool),
) -> Result<(), CommandError> {
    let task = find(store, wanted).await?;
    let used_up = until_midnight(store, org).await.map_err(|fault| refused(&fault))?;
    let runs = task.status == TaskStatus::Running;
    let retried = Retried::of(workspace, runs && is_driven(workspace)).await;
    let about = (used_up.as_slice(), &retried);
    if json {
        output::json(&task_json(&task, about));
        return Ok(());
    }
    output::print(&task_line(&task, about, &SystemClock.now()));
    let from = task.from.as_ref().map_or("a person", TeamName::as_str);
    let cause = task.cause.as_ref().map(|id| format!(", for {id}")).unwrap_or_default();
    output::print(&format!("from {from}{cause} at {}", task.created_at));
    if let Some(dialog) = &task.dialog {
        let started = task.started_at.as_ref().map_or("", |at| at.as_str());
        let place = task.box_name.as_ref().map(|name| format!(" on {name}")).unwrap_or_default();
        let attempt = task.attempt;
        output::print(&format!(
            "attempt {attempt} in dialog {dialog}{place}, started at {started}"
        ));
    }
    output::print(&format!("\n{}", task.text));
    if let Some(said) = task.result.as_ref().or(task.error.as_ref()) {
        let ended = task.ended_at.as_ref().map_or("", |at| at.as_str());
        output::print(&format!("\n{} at {ended}:\n{said}", task.status.name()));
    }
    Ok(())
}

async fn cancel(store: &mut Store, wanted: &str, json: bool) -> Result<(), CommandError> {
    let task = find(store, wanted).await?;
    let now = SystemClock.moment();
    let was = store.cancel_task(&task.id, CANCELLED_BY_PERSON, now).await;
    match was.map_err(|fault| refused(&fault))? {
        Some(status) if status.is_open() => {
            tell_status(&task.id, TaskStatus::Cancelled, "cancelled", json);
            Ok(())
        }
        Some(status) => {
            let (id, status) = (&task.id, status.name());
            Err(CommandError::refused(format!("{id} has ended: it is {status}")))
        }
        None => Err(CommandError::usage(format!("Task '{wanted}' not found"))),
    }
}

/// Prints the present status of a task.
fn tell_status(id: &TaskId, status: TaskStatus, said: &str, json: bool) {
    if json {
        output::json(&json!({ "id": id, "status": status }));
    } else {
        output::print(&format!("{id} is {said}"));
    }
}

async fn retry(store: &mut Store, wanted: &str, json: bool) -> Result<(), CommandError> {
    let Task { id, .. } = find(store, wanted).await?;
    let queued = store.retry_task(&id, SystemClock.moment()).await;
    match queued.map_err(|fault| refused(&fault))? {
        Some(Ok(())) => {
            tell_status(&id, TaskStatus::Pending, "queued again", json);
            Ok(())
        }
        Some(Err(RetryRefusal::Open(status))) => {
            Err(CommandError::refused(format!("{id} is {}", status.name())))
        }
        Some(Err(RetryRefusal::ShuttingDown)) => {
            Err(CommandError::refused(format!("the team of {id} is being shut down")))
        }
        Some(Err(RetryRefusal::Done)) => Err(CommandError::refused(format!(
            "{id} is done; delegate a new task to have it done again"
        ))),
        None => Err(CommandError::usage(format!("Task '{wanted}' not found"))),
    }
}

pub async fn delegate(workspace: &Path, wanted: DelegateArgs) -> Result<Status, CommandError> {
    let org = org_of(workspace)?;
    let team = team_named(&org, &wanted.team)?;
    let member = wanted.member.as_deref().map(|id| AgentId::new(id.trim_start_matches('@')));
    if let Some(id) = member.as_ref().filter(|id| !team.members.contains(id)) {
        return Err(CommandError::usage(format!("member '{id}' is not in team '{}'", team.name)));
    }
    let text = checked_text(&text_or_stdin(&wanted.text)?, A_TASK)
        .map_err(|error| CommandError::usage(error.in_lang(Lang::En)))?;
    let task = NewTask {
        priority: wanted.priority,
        member,
        overlap: wanted.overlap.unwrap_or(team.default_overlap),
        ..team.new_task(TaskKind::Delegate, text)
    };
    let id = setup(workspace).new_task_id();
    let mut store = open_or_make(workspace).await?;
    let outcome = store.enqueue(&task, &id, SystemClock.moment()).await;
    store.close().await;
    tell(outcome.map_err(|fault| refused(&fault))?, &team.name, wanted.json)
}

pub fn tell(outcome: Enqueued, team: &TeamName, json: bool) -> Result<Status, CommandError> {
    match outcome {
        Enqueued::Queued(id) => {
            if json {
                output::json(&json!({ "enqueued": true, "id": id }));
            } else {
                output::print(id.as_str());
            }
            Ok(Status::Done)
        }
        Enqueued::Skipped => {
            if json {
                output::json(&json!({ "enqueued": false }));
            }
            Err(CommandError::refused(format!("not queued: team '{team}' has open tasks")))
        }
        Enqueued::NeedsConfirmation { in_flight, would_cancel_running } => {
            if json {
                output::json(&json!({ "enqueued": false, "inFlight": in_flight }));
            }
            let open: Vec<String> = in_flight
                .iter()
                .map(|one| format!("{} ({})", one.task_id, one.status.name()))
                .collect();
            let (open, why) =
                (open.join(", "), if would_cancel_running { " that run" } else { "" });
            let hint = if would_cancel_running {
                "cancel them first"
            } else {
                "`--overlap allow` queues it, `--overlap replace` cancels them"
            };
            Err(CommandError::refused(format!(
                "not queued: team '{team}' has open tasks{why}: {open}; {hint}"
            )))
        }
        Enqueued::Refused(refusal) => {
            Err(CommandError::refused(task_refused(team.as_str(), refusal).to_string()))
        }
    }
}
