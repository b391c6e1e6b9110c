//! `vault migrate`: moves the credentials in the files of teams to their vaults.

use std::path::Path;

use serde_json::{Value, json};

use super::team_named;
use super::vault::failed;
use crate::app;
use crate::cli::args::vault_args::MigrateArgs;
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::team_store::{open, open_or_make};
use crate::domain::teams::org::Org;
use crate::domain::text::Localized;
use crate::domain::{Clock as _, TeamName, counted};
use crate::hive::{
    EntryFate, MigrationPlan, PlannedTeam, Store, VaultFault, VaultKeys, VaultOwner, plans_from,
    plans_of,
};
use crate::platform::{SystemClock, env};
use crate::store::Access;

/// What is said about a team.
#[derive(Default)]
struct Row {
    /// The keys with what becomes of each.
    entries: Vec<(String, EntryFate)>,
    files: usize,
    places: usize,
    /// Why it is held back.
    held: Option<Localized>,
}

pub async fn migrate(
    workspace: &Path,
    org: &Org,
    wanted: MigrateArgs,
) -> Result<Status, CommandError> {
    let plans = plans(workspace, org, &wanted)?;
    // The files are not changed while a driver reads them.
    let held = (!wanted.dry_run).then(|| app::open(workspace, Access::ReadWrite)).transpose()?;
    let mut store = match (plans.is_empty(), wanted.dry_run) {
        (true, _) => None,
        (false, true) => open(workspace).await?,
        (false, false) => Some(open_or_make(workspace).await?),
    };
    let keys = app::vault_keys(workspace);
    let (mut rows, mut ended) = (Vec::new(), None);
    for (team, plan) in plans {
        let done = one(workspace, (store.as_mut(), &keys), plan, wanted.dry_run).await;
        match told(done, &team, store.as_mut().filter(|_| !wanted.dry_run), &keys).await {
            Ok(row) => rows.push((team, row)),
            Err(fault) => {
                ended = Some(failed(&fault));
                break;
            }
        }
    }
    if let Some(store) = store {
        store.close().await;
    }
    drop(held);
    if let Some(error) = ended {
        return Err(error);
    }
    print(&rows, &wanted);
    let is_held = rows.iter().any(|(_, row)| row.held.is_some());
    Ok(if is_held && !wanted.dry_run { Status::Invalid } else { Status::Done })
}

fn plans(
    workspace: &Path,
    org: &Org,
    wanted: &MigrateArgs,
) -> Result<Vec<PlannedTeam>, CommandError> {
    let mut plans = match &wanted.from {
        Some(folder) if !folder.is_dir() => {
            return Err(CommandError::usage(format!("{} is no folder", folder.display())));
        }
        Some(folder) => plans_from(folder),
        None => {
            for name in &wanted.team {
                team_named(org, name)?;
            }
            plans_of(workspace, org)
        }
    };
    if !wanted.team.is_empty() {
        plans.retain(|(team, _)| wanted.team.iter().any(|name| name == team.as_str()));
    }
    Ok(plans)
}

/// Migrates one team, or says what would be done. One that fails is held back, and the others go on.
///
/// # Errors
/// What keeps every team from being migrated.
async fn one(
    workspace: &Path,
    (store, keys): (Option<&mut Store>, &VaultKeys),
    plan: Result<MigrationPlan, Localized>,
    dry_run: bool,
) -> Result<Row, VaultFault> {
    let plan = match plan {
        Ok(plan) => plan,
        Err(why) => return Ok(Row { held: Some(why), ..Row::default() }),
    };
    let mut row = Row {
        entries: plan.keys().map(|key| (key.to_owned(), EntryFate::New)).collect(),
        files: plan.files.len(),
        places: plan.files.iter().map(|(_, places)| places).sum(),
        held: None,
    };
    let Some(store) = store else { return Ok(row) };
    let mut owner = VaultOwner { store, keys };
    for ((_, known), fate) in row.entries.iter_mut().zip(owner.fates(&plan).await?) {
        *known = fate;
    }
    if dry_run {
        return Ok(row);
    }
    let (now, stamp) = (SystemClock.moment(), SystemClock.now());
    match owner.migrate(workspace, &plan, (now, &stamp)).await {
        Ok(()) => {}
        Err(fault @ (VaultFault::Store(_) | VaultFault::Key(_))) => return Err(fault),
        Err(fault) => row.held = Some(fault.text()),
    }
    Ok(row)
}

/// Tells a person in the inbox and in the log what became of a team, where something was done.
async fn told(
    done: Result<Row, VaultFault>,
    team: &TeamName,
    store: Option<&mut Store>,
    keys: &VaultKeys,
) -> Result<Row, VaultFault> {
    let row = done?;
    let Some(store) = store else { return Ok(row) };
    if let Some(why) = &row.held {
        tracing::error!(%team, %why, "a team cannot be migrated");
    }
    let when = (SystemClock.moment(), env::work_language());
    VaultOwner { store, keys }.tell(team, row.held.as_ref(), when).await?;
    Ok(row)
}

fn print(rows: &[(TeamName, Row)], wanted: &MigrateArgs) {
    if wanted.json {
        let entry = |(key, fate): &(String, EntryFate)| json!({ "key": key, "fate": fate.name() });
        let team = |(team, row): &(TeamName, Row)| {
            json!({
                "team": team,
                "entries": row.entries.iter().map(entry).collect::<Value>(),
                "files": row.files,
                "places": row.places,
                "error": row.held.as_ref().map(ToString::to_string),
            })
        };
        let teams: Value = rows.iter().map(team).collect();
        return output::json(&json!({ "dryRun": wanted.dry_run, "teams": teams }));
    }
    let (mut teams, mut entries, mut files) = (0, 0, 0);
    for (team, row) in rows {
        if let Some(why) = &row.held {
            output::print(&format!("{team}  cannot be migrated: {why}"));
            continue;
        }
        (teams, entries, files) = (teams + 1, entries + row.entries.len(), files + row.files);
        let fates = row.entries.iter().map(|(key, fate)| format!("{key} ({})", fate.name()));
        let (count, fates) =
            (counted(row.entries.len(), "credential", "credentials"), fates.collect::<Vec<_>>());
        let in_files = format!(
            "   {}, {}",
            counted(row.files, "file", "files"),
            counted(row.places, "place", "places")
        );
        let in_files = if row.files == 0 { "" } else { &in_files };
        output::print(&format!("{team}  {count}: {}{in_files}", fates.join(", ")));
    }
    let entries = counted(entries, "entry", "entries");
    let all = format!(
        "{}, {entries}, {}",
        counted(teams, "team", "teams"),
        counted(files, "file", "files")
    );
    output::print(&if rows.is_empty() {
        "there are no credentials to migrate".to_owned()
    } else if wanted.dry_run {
        format!("nothing was changed; without --dry-run: {all}")
    } else {
        format!("migrated: {all}")
    });
}
