//! Counts, at the start, the files that dialogs changed and nobody has reviewed. It reads the courses in the
//! background, those of the trees that changed last first, and only up to a limit.

use std::cmp::Reverse;
use std::sync::Arc;

use super::changes::is_of_changes;
use super::trees::Supervisor;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::{Course, DialogId};
use crate::driver::reporting::changed_files::{FilePlaces, files_of};
use crate::driver::reporting::reports::DriverReport;
use crate::driver::shared::engine::Engine;
use crate::store::{Look, Reviewed, TreeListing};

/// The most that is read at a start.
const MAX_BYTES: usize = 64 * 1024 * 1024;

impl Supervisor {
    /// Does it on a blocking thread, until this supervisor is dropped.
    pub(super) fn begin_to_count_changes(&self, mut trees: Vec<TreeListing>) {
        if !self.audience.sees_one_dialog() {
            return;
        }
        trees.sort_by_cached_key(|tree| {
            let changed =
                |dialog: &crate::store::DialogListing| dialog.latest.last_modified.clone();
            Reverse(tree.dialogs.iter().map(changed).max())
        });
        let (engine, reports) = (self.engine.clone(), self.reports.clone());
        let alive = self.alive.subscribe();
        let counting = move || {
            let mut left = MAX_BYTES;
            for tree in trees {
                if left == 0 || alive.has_changed().is_err() {
                    return;
                }
                let files = changed_in(&engine, &tree, &mut left);
                if !files.is_empty() {
                    let _ = reports.blocking_send(DriverReport::ChangedFiles(files));
                }
            }
        };
        drop(tokio::task::spawn_blocking(counting));
    }
}

/// The files that the dialogs of a tree changed since they were reviewed.
fn changed_in(
    engine: &Arc<Engine>,
    tree: &TreeListing,
    left: &mut usize,
) -> Vec<(DialogId, FilePlaces)> {
    let reviewed = engine.store.reviewed(&tree.root).unwrap_or_default();
    let dialogs = tree.dialogs.iter().map(|dialog| DialogId::side(&tree.root, &dialog.id));
    let found = dialogs.map(|dialog| {
        let files = changed_by(engine, &dialog, &reviewed, left);
        (dialog, files)
    });
    found.filter(|(_, files)| !files.is_empty()).collect()
}

fn changed_by(
    engine: &Arc<Engine>,
    dialog: &DialogId,
    reviewed: &Reviewed,
    left: &mut usize,
) -> FilePlaces {
    let (first, lines) = reviewed.get(&dialog.this).copied().unwrap_or((Course::FIRST, 0));
    let mut found = FilePlaces::new();
    for course in engine.store.courses(Bucket::Run, dialog).into_iter().filter(|it| *it >= first) {
        let from = if course == first { lines } else { 0 };
        let look = |line: &[u8]| {
            *left = left.saturating_sub(line.len());
            match *left {
                0 => Look::Stop,
                _ if is_of_changes(&String::from_utf8_lossy(line)) => Look::Read,
                _ => Look::Skip,
            }
        };
        let visit = |line, entry| {
            if line >= from {
                found.extend(files_of(&entry, (course, line)));
            }
        };
        // A course that cannot be read is a problem of its own.
        let _ = engine.store.look_through(Bucket::Run, dialog, course, look, visit);
    }
    found
}
