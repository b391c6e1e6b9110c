//! `dead`, `done`, `archive`, `revive`, `delete`, `fork`: lifecycle changes of dialogs. Only a fork is
//! driven.

use std::path::Path;

use crate::app;
use crate::domain::dialogs::record::{Entry, Record};
use crate::domain::dialogs::tree::Bucket;
use crate::domain::{Course, DialogId, Genseq, RootId};
use crate::protocol::command::Command;
use crate::protocol::lifecycle::{ForkMode, Lifecycle};
use crate::store::Access;

use super::drive;
use super::{find, queries};
use crate::cli::args::{ForkArgs, RootArg};
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::job::run_command;
use crate::cli::running::other_driver::{DriverPlace, TICKET};

pub async fn declare_dead(
    workspace: &Path,
    wanted: &str,
    note: Option<String>,
) -> Result<Status, CommandError> {
    let (survey, dialog) = drive::running_dialog(workspace, wanted)?;
    if dialog.is_main() {
        let text = format!("{dialog} is a main dialog, which cannot be dead; use `done`");
        return Err(CommandError::usage(text));
    }
    let named = find::named(&survey, &dialog);
    let tree = survey.trees.iter().find(|tree| tree.root == dialog.root);
    let dialogs = || tree.into_iter().flat_map(|tree| &tree.dialogs);
    let before = dialogs().any(|one| one.id == dialog.this && one.latest.is_dead());
    let waits = dialogs().flat_map(|one| &one.pending).any(|on| on.side_dialog_id == dialog.this);
    let place = change(workspace, Lifecycle::DeclareDead { dialog, note }).await?;
    output::print(&match (before, waits && place == DriverPlace::Here) {
        (true, _) => format!("{named} is dead already"),
        (false, true) => {
            format!(
                "{named} is dead; the next `dominds-tui drive` notifies the dialog that waits for it"
            )
        }
        (false, false) if waits => {
            format!("{named} is dead; the dialog that waits for it is notified")
        }
        (false, false) => format!("{named} is dead; no dialog waits for it"),
    });
    Ok(Status::Done)
}

pub async fn move_tree(
    workspace: &Path,
    wanted: &RootArg,
    to: Bucket,
) -> Result<Status, CommandError> {
    let (root, named) = find_root(workspace, wanted)?;
    change(workspace, Lifecycle::Move { root: root.clone(), to }).await?;
    let back = format!("`dominds-tui revive {root}` restores it");
    output::print(&match to {
        Bucket::Run => format!("{named} is active again"),
        Bucket::Done => format!("{named} is done; {back}"),
        Bucket::Archive => format!("{named} is archived; {back}"),
    });
    Ok(Status::Done)
}

pub async fn delete(workspace: &Path, wanted: &RootArg, yes: bool) -> Result<Status, CommandError> {
    let (root, named) = find_root(workspace, wanted)?;
    if !yes {
        let text = format!("this deletes {named} permanently; confirm with --yes");
        return Err(CommandError::usage(text));
    }
    change(workspace, Lifecycle::Delete { root }).await?;
    output::print(&format!("{named} is deleted"));
    Ok(Status::Done)
}

/// Creates a fork, and drives it unless `--no-drive` is given.
pub async fn fork(workspace: &Path, fork: &ForkArgs) -> Result<Status, CommandError> {
    let (root, _) = find_root(workspace, &fork.root)?;
    let (course, genseq) = (Course(fork.course), Genseq(fork.genseq));
    check_generation_exists(workspace, &root, course, genseq)?;
    let then = if fork.no_drive { ForkMode::Stay } else { ForkMode::Continue };
    let change = Lifecycle::Fork { root, course, genseq, then };
    drive::fork(workspace, change, fork).await
}

/// A missing course or generation is a usage error.
fn check_generation_exists(
    workspace: &Path,
    root: &RootId,
    course: Course,
    genseq: Genseq,
) -> Result<(), CommandError> {
    let store = app::open(workspace, Access::ReadOnly)?;
    let bucket = store.find(root).unwrap_or(Bucket::Run);
    let main = DialogId::main(root.clone());
    let newest = queries::existing_course(&store, bucket, &main, Some(course))?;
    let entries = queries::read_course(&store, bucket, &main, newest)?;
    let begins = |entry: &Entry| entry.record == Record::GenStart && entry.genseq == Some(genseq);
    if entries.iter().any(begins) {
        return Ok(());
    }
    Err(CommandError::usage(format!("there is no generation {genseq} in course {course}")))
}

pub async fn change(workspace: &Path, change: Lifecycle) -> Result<DriverPlace, CommandError> {
    run_command(workspace, Command::Lifecycle { ticket: TICKET, change }).await
}

/// The main dialog, and its description for messages.
fn find_root(workspace: &Path, wanted: &RootArg) -> Result<(RootId, String), CommandError> {
    let survey = app::open(workspace, Access::ReadOnly)?.survey(&Bucket::ALL);
    let root = find::root(&survey, &wanted.root)?;
    find::refuse_foreign(&survey, &root)?;
    let named = find::named(&survey, &DialogId::main(root.clone()));
    let tree = survey.trees.iter().find(|tree| tree.root == root);
    let named = match tree.map_or(0, |tree| tree.dialogs.len().saturating_sub(1)) {
        0 => named,
        1 => format!("{named} with its side dialog"),
        sides => format!("{named} with its {sides} side dialogs"),
    };
    Ok((root, named))
}
