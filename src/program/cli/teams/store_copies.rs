//! `hive` and `health`: copies of the store of notices and tasks, and how it is.

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::app;
use crate::domain::teams::org_change::OpenChange;
use crate::domain::teams::stall::{Stall, StallLevel, StallRule};
use crate::domain::teams::task::TaskStatus;
use crate::domain::{Clock as _, Lang, Problem, TeamName};
use crate::hive::{EngineRow, Folder, KeyState, StoreFault};
use crate::minds::{Minds, has_memory};
use crate::platform::SystemClock;
use crate::remote::all_notes;
use crate::store::Access;

use crate::cli::args::team_args::HiveCommand;
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::team_store::{open, refused, setup, vault_key, vault_problems};

pub async fn hive(workspace: &Path, wanted: HiveCommand) -> Result<Status, CommandError> {
    match wanted {
        HiveCommand::Backup { file } => backup(workspace, &file).await?,
        HiveCommand::Restore { file } => {
            // The workspace must not be driven meanwhile.
            let held = app::open(workspace, Access::ReadWrite)?;
            let aside = setup(workspace).restore(&file).await.map_err(|fault| refused(&fault))?;
            drop(held);
            output::print(&format!("{} is the store now", file.display()));
            tell_aside(aside.as_deref());
        }
        HiveCommand::Reset { yes: false } => {
            return Err(CommandError::usage(
                "this begins with an empty store: no notices, no tasks; the store that is there is kept. `--yes` does it",
            ));
        }
        HiveCommand::Reset { yes: true } => {
            let held = app::open(workspace, Access::ReadWrite)?;
            let aside = setup(workspace).reset().await.map_err(|fault| refused(&fault))?;
            drop(held);
            match aside {
                None => output::print("there is no store"),
                Some(_) => output::print("the store is empty now"),
            }
            tell_aside(aside.as_deref());
        }
    }
    Ok(Status::Done)
}

async fn backup(workspace: &Path, file: &Path) -> Result<(), CommandError> {
    let Some(mut store) = open(workspace).await? else {
        return Err(CommandError::refused("there is no store to copy"));
    };
    let copied = store.copy_to(file).await;
    store.close().await;
    copied.map_err(|fault| refused(&fault))?;
    output::print(&format!("the store is copied to {}", file.display()));
    Ok(())
}

fn tell_aside(aside: Option<&Path>) {
    if let Some(folder) = aside {
        output::print(&format!("the one before it is in {}", folder.display()));
    }
}

/// The result of examining the store.
#[derive(Debug, Default)]
struct Found {
    is_opened: bool,
    fault: Option<StoreFault>,
    /// Problems of its work here, and of teams that it does not work for.
    problems: Vec<Problem>,
    counts: Vec<(TaskStatus, u64)>,
    oldest_pending: Option<String>,
    stalls: Vec<Stall>,
    /// Changes of teams that are not over.
    changes: Vec<OpenChange>,
    /// The engines of a shared store.
    engines: Vec<EngineRow>,
    /// What is here of the key of the vaults, and how many secrets they have; `None` where they are off.
    vault: Option<(KeyState, usize)>,
}

impl Found {
    fn has_long_stall(&self) -> bool {
        self.stalls.iter().any(|stall| stall.level == StallLevel::Error)
    }
}

pub async fn health(workspace: &Path, as_json: bool) -> Result<Status, CommandError> {
    let folder = Folder::of(workspace);
    let minds = Minds::load(workspace, Lang::En);
    let teams = minds.hive().org().teams().map(|team| team.name.clone()).collect();
    let found = examine(workspace, minds.hive().stall, teams).await;
    let is_hive = |path: &str| path.starts_with(".minds/hive");
    let problems: Vec<String> = minds
        .problems()
        .iter()
        .filter(|problem| is_hive(&problem.path))
        .chain(&found.problems)
        .map(ToString::to_string)
        .collect();
    let is_driven = is_driven(workspace);
    let status = match &found.fault {
        // It may come back: nothing is out of order here.
        Some(fault) if refused(fault).is_held() => Status::InUse,
        None if problems.is_empty() && !found.has_long_stall() => Status::Done,
        Some(_) | None => Status::Invalid,
    };
    let state = match (&found.fault, found.is_opened) {
        (Some(fault), _) => fault.text().to_string(),
        (None, true) => "ok".to_owned(),
        (None, false) => "none".to_owned(),
    };
    let copy = folder.newest_copy();
    if as_json {
        let counts = found.counts.iter().map(|(status, count)| (status.name(), *count)).collect();
        let changes = found.changes.iter();
        let changes = changes.map(|change| json!({ "team": change.team, "by": change.by }));
        // An unknown list is not an empty one.
        let known = |value: Value| if found.fault.is_some() { Value::Null } else { value };
        output::json(&json!({
            "ok": status == Status::Done,
            "store": {
                "state": state, "tasks": known(counts), "oldestPendingAt": found.oldest_pending, "newestCopy": copy,
            },
            "driver": { "running": is_driven },
            "vault": found.vault.map(|(key, secrets)| json!({ "key": key.name(), "secrets": secrets })),
            "problems": problems,
            "stalls": known(found.stalls.iter().map(stall_json).collect()),
            "engines": known(found.engines.iter().map(engine_json).collect()),
            "changes": known(changes.collect()),
        }));
        return Ok(status);
    }
    output::print(&format!("store     {state}"));
    if found.fault.is_some() {
        output::print("tasks     not known, nor what stalls and who works on them");
    }
    for (status, count) in &found.counts {
        output::print(&format!("tasks     {count} {}", status.name()));
    }
    if let Some(since) = &found.oldest_pending {
        output::print(&format!("oldest    waits since {since}"));
    }
    output::print(&format!("copy      {}", copy.as_deref().unwrap_or("none")));
    output::print(&format!("driver    {}", if is_driven { "running" } else { "none" }));
    if let Some((key, secrets)) = found.vault {
        output::print(&format!("vault     key {}, secrets {secrets}", key.name()));
    }
    for problem in &problems {
        output::print(&format!("problem   {problem}"));
    }
    for Stall { task, age, .. } in &found.stalls {
        let (id, team, status, hours) =
            (&task.id, &task.team, task.status.name(), age.as_secs() / 3_600);
        output::print(&format!("stalls    {id} of {team}: {status} for {hours} h"));
    }
    for engine in &found.engines {
        output::print(&engine_line(engine));
    }
    for change in &found.changes {
        output::print(&format!("changes   {}: made or shut down, not over", change.team));
    }
    Ok(status)
}

/// True if a driver works here.
pub(super) fn is_driven(workspace: &Path) -> bool {
    let notes = all_notes(&app::socket_folders());
    notes.iter().any(|note| Path::new(&note.workspace) == workspace)
}

fn stall_json(stall: &Stall) -> Value {
    let Stall { task, level, age } = stall;
    let level = if *level == StallLevel::Error { "error" } else { "warning" };
    json!({
        "task": task.id, "team": task.team, "status": task.status, "ageMs": millis(*age), "level": level,
    })
}

/// A program that works in a store that is shared.
fn engine_line(engine: &EngineRow) -> String {
    let EngineRow { box_name, workspace, lease_until, is_alive, teams, .. } = engine;
    let teams: Vec<&str> = teams.iter().map(TeamName::as_str).collect();
    let state = if *is_alive {
        let teams = if teams.is_empty() { "no team".to_owned() } else { teams.join(", ") };
        format!("works for {teams}")
    } else {
        format!("not heard of since its lease ended at {}", SystemClock.stamp(*lease_until))
    };
    format!("engine    {box_name} {workspace}: {state}")
}

fn engine_json(engine: &EngineRow) -> Value {
    let EngineRow { box_name, workspace, lease_until, is_alive, teams, .. } = engine;
    json!({
        "box": box_name, "workspace": workspace, "leaseUntil": SystemClock.stamp(*lease_until), "alive": is_alive,
        "teams": teams,
    })
}

fn millis(age: Duration) -> u64 {
    u64::try_from(age.as_millis()).unwrap_or(u64::MAX)
}

async fn examine(workspace: &Path, rule: StallRule, teams: Vec<TeamName>) -> Found {
    let look = async {
        let setup = setup(workspace);
        let Some(mut store) = setup.open().await? else { return Ok(Found::default()) };
        let looked = async {
            store.check().await?;
            let oldest = store.oldest_pending().await?;
            let oldest_pending = oldest.map(|at| SystemClock.stamp(at).to_string());
            let counts = store.task_counts().await?;
            let before = SystemClock.moment().checked_sub(rule.youngest());
            let before = before.unwrap_or(SystemTime::UNIX_EPOCH);
            let old = store.long_open(before, &SystemClock).await?;
            let stalls = old.into_iter().filter_map(|one| rule.of(one)).collect();
            let (_, changes) = store.team_states().await?;
            let engines = store.engines().await?;
            if has_memory(workspace) {
                store.check_memories().await?;
            }
            let mut problems = setup.differing(&mut store, teams).await?;
            problems.extend(store.problem());
            problems.extend(vault_problems(workspace, &mut store).await?);
            let vault = vault_key(workspace, &mut store).await?;
            let (is_opened, fault) = (true, None);
            Ok(Found {
                is_opened,
                fault,
                problems,
                counts,
                oldest_pending,
                stalls,
                changes,
                engines,
                vault,
            })
        };
        let looked = looked.await;
        store.close().await;
        looked
    };
    look.await.unwrap_or_else(|fault| Found { fault: Some(fault), ..Found::default() })
}
