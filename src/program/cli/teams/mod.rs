//! `overview`, `teams`, `team`, `tasks`, `task`, `delegate`, `memory`, `triggers`, `trigger`, `send`, `vault`: the teams of a
//! workspace and their tasks. They use the store beside a driver that may run, which sees what changes.

mod memory;
mod named;
pub(super) mod overview;
mod retried;
pub(super) mod store_copies;
mod tasks;
mod triggers;
mod vault;
mod vault_migration;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::domain::reading::title::short_headline;
use crate::domain::teams::org::{Org, OrgTeam};
use crate::domain::teams::org_change::TeamStatus;
use crate::domain::teams::task::{TaskFilter, TaskKind, TaskStatus};
use crate::domain::{Clock as _, Lang, TeamName};
use crate::hive::{Store, StoreFault, TasksView};
use crate::minds::Minds;
use crate::platform::SystemClock;
use crate::protocol::{Command, TeamsRequest};

use super::commands::drive::text_or_stdin;
use super::exit::{CommandError, Status};
use super::output;
use super::running::job::run_command;
use super::running::other_driver::TICKET;
use super::running::team_store::{open, refused};

use super::args::team_args::TeamCommand;
use named::team_named;
use retried::{Retried, running_words};
use store_copies::is_driven;
use vault::Credentials;

pub use memory::memory;
pub use tasks::{delegate, list as list_tasks, task};
pub use triggers::{list as list_triggers, send, trigger};
pub use vault::{migrate_credentials, vault};

/// Most characters of why a team could not be set up, in a line.
const MAX_REASON: usize = 100;

/// The status of a team that is held back.
const QUARANTINED: &str = "quarantined";

/// What the tasks of a team wait for whose limits of the day are used up, in JSON.
const MIDNIGHT: &str = "midnight";

/// The teams of a workspace that has some.
fn org_of(workspace: &Path) -> Result<Arc<Org>, CommandError> {
    let minds = Minds::load(workspace, Lang::En);
    let org = minds.hive().org().clone();
    if org.teams().next().is_none() {
        return Err(CommandError::refused(
            "there are no teams here: a team is a file .minds/hive/teams/NAME.yaml",
        ));
    }
    if !org.is_on() {
        return Err(CommandError::refused("teams are off here: `teams` in .minds/hive/hive.yaml"));
    }
    Ok(org)
}

/// Returns the work in progress; empty without a store.
async fn view(workspace: &Path) -> Result<TasksView, CommandError> {
    let Some(mut store) = open(workspace).await? else { return Ok(TasksView::default()) };
    let view = store.tasks_view(&SystemClock).await.map_err(|fault| refused(&fault));
    store.close().await;
    view
}

/// The teams whose tasks wait until midnight: the limits of the day are used up.
async fn until_midnight(store: &mut Store, org: &Org) -> Result<Vec<TeamName>, StoreFault> {
    let limits: Vec<_> = org.teams().map(|team| (team.name.clone(), team.limits)).collect();
    store.used_up(&limits, SystemClock.day_began()).await
}

/// The work of the teams.
struct Work {
    view: TasksView,
    /// Why the first task of a team failed.
    failed: BTreeMap<TeamName, String>,
}

impl Work {
    /// Reads the work; empty without a store.
    async fn of(workspace: &Path, org: &Org) -> Result<Self, CommandError> {
        let none = || Self { view: TasksView::default(), failed: BTreeMap::new() };
        let Some(mut store) = open(workspace).await? else { return Ok(none()) };
        let work = Self::read(&mut store, org).await.map_err(|fault| refused(&fault));
        store.close().await;
        work
    }

    async fn read(store: &mut Store, org: &Org) -> Result<Self, StoreFault> {
        let mut view = store.tasks_view(&SystemClock).await?;
        view.used_up = until_midnight(store, org).await?.into();
        let filter = TaskFilter {
            team: None,
            statuses: vec![TaskStatus::Failed],
            kind: Some(TaskKind::Bootstrap),
            since: None,
            limit: u32::MAX,
        };
        let failed = store.tasks(&filter, &SystemClock).await?.into_iter();
        // The newest is first, and counts.
        let failed = failed.rev().filter_map(|task| Some((task.team, task.error?))).collect();
        Ok(Self { view, failed })
    }

    /// Asks which tasks retry, if one runs.
    async fn retried(&self, workspace: &Path) -> Retried {
        let runs = self.view.active.iter().any(|active| active.task.status == TaskStatus::Running);
        Retried::of(workspace, runs && is_driven(workspace)).await
    }

    /// Why this team could not be set up.
    fn failure(&self, team: &TeamName) -> Option<&String> {
        let is_failed = self.view.status_of(team) == TeamStatus::BootstrapFailed;
        self.failed.get(team).filter(|_| is_failed)
    }
}

/// Lists all teams, each below its parent.
pub async fn list(workspace: &Path, json: bool) -> Result<Status, CommandError> {
    let org = org_of(workspace)?;
    let work = Work::of(workspace, &org).await?;
    let retried = work.retried(workspace).await;
    let work = (&work, &retried);
    if json {
        let teams = org.teams().map(|team| team_json(team, work));
        output::json(&json!({ "teams": teams.collect::<Value>() }));
        return Ok(Status::Done);
    }
    let roots = org.teams().filter(|team| team.parent.is_none());
    for team in roots {
        print_below(&org, team, work, 0);
    }
    Ok(Status::Done)
}

fn print_below(org: &Org, team: &OrgTeam, work: (&Work, &Retried), depth: usize) {
    output::print(&format!("{}{}", "  ".repeat(depth), team_line(team, work)));
    for child in org.children(&team.name) {
        print_below(org, child, work, depth + 1);
    }
}

fn counts(team: &OrgTeam, view: &TasksView) -> (u64, u32, usize) {
    let blocked = view.active_of(&team.name).filter(|task| task.status == TaskStatus::Blocked);
    (view.pending_of(&team.name), view.running_of(&team.name), blocked.count())
}

fn is_saturated(team: &OrgTeam, running: u32) -> bool {
    running >= team.limits.max_running
}

fn team_line(team: &OrgTeam, (work, retried): (&Work, &Retried)) -> String {
    let view = &work.view;
    let (pending, running, blocked) = counts(team, view);
    let lead = team.lead.as_ref().map(|lead| format!("  @{lead}")).unwrap_or_default();
    let blocked = if blocked > 0 { format!(" · {blocked} blocked") } else { String::new() };
    let full = if is_saturated(team, running) { "  (all slots taken)" } else { "" };
    let status = match view.status_of(&team.name) {
        TeamStatus::Active => String::new(),
        other @ (TeamStatus::Initializing
        | TeamStatus::BootstrapFailed
        | TeamStatus::ShuttingDown) => {
            let why = work.failure(&team.name).map(|why| short_headline(why, MAX_REASON));
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            format!("  {}{why}", other.name())
        }
    };
    let held = team.held_back.as_ref().map(|why| format!("  {QUARANTINED}: {why}"));
    let status = held.unwrap_or(status);
    let used_up = view.used_up.contains(&team.name);
    let used_up = if used_up { " · until midnight: the limit of the day is used up" } else { "" };
    let boxes: Vec<&str> = view.boxes_of(&team.name).collect();
    let place = match boxes.as_slice() {
        _ if view.sharing.is_none() => String::new(),
        [] => "  (no box works for it)".to_owned(),
        boxes => format!("  (on {})", boxes.join(", ")),
    };
    let name = &team.name;
    let running = running_words(running.into(), retried.of_team(team, view));
    format!("{name}{lead}{status}  {running} · {pending} queued{blocked}{used_up}{full}{place}")
}

fn team_json(team: &OrgTeam, (work, retried): (&Work, &Retried)) -> Value {
    let view = &work.view;
    let (pending, running, blocked) = counts(team, view);
    let (status, error) = match &team.held_back {
        Some(why) => (json!(QUARANTINED), json!(why.to_string())),
        None => (json!(view.status_of(&team.name)), json!(work.failure(&team.name))),
    };
    json!({
        "name": team.name,
        "parent": team.parent,
        "lead": team.lead,
        "members": team.members,
        "description": team.description,
        "scope": team.scope,
        "status": status,
        "error": error,
        "usedUp": view.used_up.contains(&team.name),
        "waits": view.used_up.contains(&team.name).then_some(MIDNIGHT),
        "orgOpPending": view.changes_for(&team.name),
        "activeDailyOps": running,
        "saturated": is_saturated(team, running),
        "pending": pending,
        "running": running,
        "retrying": retried.of_team(team, view),
        "blocked": blocked,
        "hostedHere": view.hosts(&team.name),
        "boxes": view.boxes_of(&team.name).collect::<Vec<_>>(),
        "limits": team.limits,
    })
}

pub async fn team(workspace: &Path, wanted: TeamCommand) -> Result<Status, CommandError> {
    let mut credentials = Credentials::default();
    let (request, team, said, json) = match wanted {
        TeamCommand::Show { team, json } => return show(workspace, &team, json).await,
        TeamCommand::Spawn {
            name,
            scope,
            description,
            context,
            parent,
            credential,
            rights,
            json,
        } => {
            if context.as_deref() == Some("-") && !credential.is_empty() {
                return Err(CommandError::usage(
                    "standard input has the context or a credential, not both",
                ));
            }
            credentials = Credentials::read(workspace, credential, rights)?;
            let context = context.as_deref().map(text_or_stdin).transpose()?;
            let context = context.unwrap_or_default();
            let (parent, team) = (TeamName::new(parent), name.clone());
            let request = TeamsRequest::Spawn { name, parent, description, scope, context };
            (request, team, "made; its lead gets it ready", json)
        }
        TeamCommand::Update { team, add, remove, json } => {
            let name = TeamName::new(&team);
            (TeamsRequest::Update { team: name, add, remove }, team, "changed", json)
        }
        TeamCommand::Shutdown { team, cascade, yes, json } => {
            if !yes {
                return Err(CommandError::usage(would_end(workspace, &team, cascade)?));
            }
            let name = TeamName::new(&team);
            (TeamsRequest::ShutDown { team: name, cascade }, team, "shut down", json)
        }
    };
    run_command(workspace, Command::Tasks { ticket: TICKET, request }).await?;
    credentials.set(workspace, &team).await?;
    if json {
        output::json(&json!({ "team": team }));
    } else {
        output::print(&format!("team {team} is {said}"));
    }
    Ok(Status::Done)
}

/// Returns what a shutdown of a team would end, and how to confirm it.
fn would_end(workspace: &Path, team: &str, cascade: bool) -> Result<String, CommandError> {
    let org = org_of(workspace)?;
    let team = team_named(&org, team)?;
    let all = if cascade { org.leaves_first(&team.name) } else { vec![team.name.clone()] };
    let all: Vec<&str> = all.iter().map(TeamName::as_str).collect();
    Ok(format!(
        "this ends for good: {}, with all their tasks and dialogs; confirm with --yes",
        all.join(", ")
    ))
}

fn bound(most: u64, of_what: &str) -> String {
    if most == 0 { format!("any number of {of_what}") } else { format!("{most} {of_what}") }
}

async fn show(workspace: &Path, name: &str, json: bool) -> Result<Status, CommandError> {
    let org = org_of(workspace)?;
    let team = team_named(&org, name)?;
    let work = Work::of(workspace, &org).await?;
    let retried = work.retried(workspace).await;
    if json {
        output::json(&team_json(team, (&work, &retried)));
        return Ok(Status::Done);
    }
    output::print(&team_line(team, (&work, &retried)));
    if !team.description.is_empty() {
        output::print(&team.description);
    }
    let members: Vec<String> = team.members.iter().map(|id| format!("@{id}")).collect();
    output::print(&format!("parent   {}", team.parent.as_ref().map_or("-", TeamName::as_str)));
    output::print(&format!("members  {}", members.join(" ")));
    output::print(&format!("scope    {}", team.scope.join(", ")));
    let limits = &team.limits;
    output::print(&format!(
        "limits   {} at a time, {} steps each, {} queued, {} and {} a day",
        limits.max_running,
        limits.max_steps,
        bound(limits.max_queue.into(), "tasks"),
        bound(limits.max_tasks_per_day.into(), "tasks"),
        bound(limits.max_tokens_per_day, "tokens"),
    ));
    let now = SystemClock.now();
    for task in work.view.active_of(&team.name) {
        output::print(&tasks::task_line(task, (&work.view.used_up, &retried), &now));
    }
    Ok(Status::Done)
}
