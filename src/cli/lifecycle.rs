//! `dead`, `done`, `archive`, `revive`, `delete`, `fork`: what becomes of dialogs, for scripts. Nothing
//! is driven but a fork.

use std::path::Path;

use crate::app;
use crate::domain::tree::Bucket;
use crate::domain::{Course, Genseq, RootId};
use crate::protocol::command::Command;
use crate::protocol::lifecycle::{Lifecycle, Onward};
use crate::store::Access;

use super::args::{Fork, Root};
use super::drive::{self, TICKET, only};
use super::exit::{Refusal, Status};
use super::find;

pub async fn declare_dead(
    workspace: &Path,
    wanted: &str,
    note: Option<String>,
) -> Result<Status, Refusal> {
    let survey = app::open(workspace, Access::ReadOnly)?.survey(&[Bucket::Run]);
    let dialog = find::dialog(&survey, wanted)?;
    if dialog.is_main() {
        let text = format!("{dialog} is a main dialog, which cannot be dead; use `done`");
        return Err(Refusal::usage(text));
    }
    change(workspace, Lifecycle::DeclareDead { dialog, note }).await
}

pub async fn relocate(workspace: &Path, wanted: &Root, to: Bucket) -> Result<Status, Refusal> {
    let root = find_root(workspace, wanted)?;
    change(workspace, Lifecycle::Move { root, to }).await
}

pub async fn delete(workspace: &Path, wanted: &Root, yes: bool) -> Result<Status, Refusal> {
    let root = find_root(workspace, wanted)?;
    if !yes {
        let text = format!("this deletes {root} with all its side dialogs for ever; say --yes");
        return Err(Refusal::usage(text));
    }
    change(workspace, Lifecycle::Delete { root }).await
}

/// Drives the fork too, if it waits for nobody and that is wanted.
pub async fn fork(workspace: &Path, fork: &Fork) -> Result<Status, Refusal> {
    let root = find_root(workspace, &fork.root)?;
    let (course, genseq) = (Course(fork.course), Genseq(fork.genseq));
    let then = if fork.no_drive { Onward::Rest } else { Onward::GoOn };
    let change = Lifecycle::Fork { root, course, genseq, then };
    drive::fork(workspace, change, fork).await
}

async fn change(workspace: &Path, change: Lifecycle) -> Result<Status, Refusal> {
    only(workspace, Command::Lifecycle { ticket: TICKET, change }).await
}

fn find_root(workspace: &Path, wanted: &Root) -> Result<RootId, Refusal> {
    let survey = app::open(workspace, Access::ReadOnly)?.survey(&Bucket::ALL);
    find::root(&survey, &wanted.root)
}
