//! The changes of files that calls recorded: read from the courses, put into one order, and reduced to a
//! difference per file.

use std::collections::VecDeque;

use crate::domain::dialogs::record::Record;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::net_changes::{ChangeByCall, net_changes};
use crate::domain::text::Localized;
use crate::domain::{Course, DialogId, Entry, FileChange, SelfId};
use crate::driver::shared::blocking::BlockingThread;
use crate::driver::shared::engine::Engine;
use crate::protocol::Refusal;
use crate::protocol::changes::{ChangesScope, ChangesView, ReadEnd};
use crate::store::{Reviewed, StoreError};

/// Most changes that are shown; older ones are left out.
const MAX_CHANGES: usize = 5_000;
/// A text in every record with changes, and in few others.
const MARK: &str = "\"fileChanges\"";

pub(super) fn read_changes(
    engine: &Engine,
    dialog: &DialogId,
    scope: ChangesScope,
    _on: &BlockingThread,
) -> Result<ChangesView, Localized> {
    let failed = |error: StoreError| error.message();
    let bucket = engine.store.find(&dialog.root).ok_or(Refusal::NoSuchDialog)?;
    let reviewed = match scope {
        ChangesScope::Unreviewed => engine.store.reviewed(&dialog.root).map_err(failed)?,
        ChangesScope::Dialog | ChangesScope::MainDialog => Reviewed::new(),
    };
    let dialogs = match scope {
        ChangesScope::Dialog => vec![dialog.clone()],
        ChangesScope::MainDialog | ChangesScope::Unreviewed => tree_of(engine, bucket, dialog),
    };
    let (mut lists, mut ends) = (Vec::new(), Vec::new());
    for dialog in dialogs {
        let from = reviewed.get(&dialog.this).copied().unwrap_or((Course::FIRST, 0));
        let (changes, end) = changes_of(engine, bucket, &dialog, from).map_err(failed)?;
        lists.push(changes);
        ends.extend(end);
    }
    let (changes, left_out) = in_order(lists);
    let mut changes = net_changes(changes);
    changes.reverse();
    Ok(ChangesView { scope, changes, left_out, ends, git: None })
}

/// Remembers what is reviewed.
pub(super) fn mark_reviewed(
    engine: &Engine,
    dialog: &DialogId,
    ends: Vec<ReadEnd>,
    _on: &BlockingThread,
) -> Result<(), Localized> {
    let ends = ends.into_iter().map(|end| (end.dialog, (end.course, end.lines))).collect();
    engine.store.own_files().mark_reviewed(&dialog.root, ends).map_err(|error| error.message())
}

/// The dialogs of a tree.
fn tree_of(engine: &Engine, bucket: Bucket, dialog: &DialogId) -> Vec<DialogId> {
    let listed = engine.store.list(bucket, &dialog.root).trees;
    let dialogs = listed.iter().flat_map(|tree| &tree.dialogs);
    dialogs.map(|found| dialog_of(dialog, &found.meta.id)).collect()
}

pub(super) fn dialog_of(tree: &DialogId, this: &SelfId) -> DialogId {
    if this.as_str() == tree.root.as_str() {
        DialogId::main(tree.root.clone())
    } else {
        DialogId::side(&tree.root, this)
    }
}

/// The changes that a dialog recorded since then, the newest ones if there are too many, and where its records
/// end.
fn changes_of(
    engine: &Engine,
    bucket: Bucket,
    dialog: &DialogId,
    (first, lines): (Course, usize),
) -> Result<(VecDeque<ChangeByCall>, Option<ReadEnd>), StoreError> {
    let (mut changes, mut end) = (VecDeque::new(), None);
    for course in engine.store.courses(bucket, dialog) {
        if course < first {
            continue;
        }
        let from = if course == first { lines } else { 0 };
        let add = |entry| {
            changes.extend(recorded(dialog, entry));
            while changes.len() > MAX_CHANGES {
                changes.pop_front();
            }
        };
        let lines =
            engine.store.visit_records(bucket, dialog, course, (&is_of_changes, from), add)?;
        end = Some(ReadEnd { dialog: dialog.this.clone(), course, lines });
    }
    Ok((changes, end))
}

pub(super) fn is_of_changes(line: &str) -> bool {
    line.contains(MARK)
}

fn recorded(dialog: &DialogId, entry: Entry) -> Vec<ChangeByCall> {
    let Record::FuncResult(result) = entry.record else { return Vec::new() };
    let changes = FileChange::all(result.file_changes.as_ref()).into_iter();
    let made = changes.map(|change| ChangeByCall {
        dialog: dialog.clone(),
        call: result.id.clone(),
        at: entry.ts.clone(),
        change,
    });
    made.collect()
}

/// The changes of several dialogs by their time; those of one dialog stay in their order. Also how many older
/// ones are left out.
fn in_order(mut lists: Vec<VecDeque<ChangeByCall>>) -> (Vec<ChangeByCall>, usize) {
    let mut all = Vec::new();
    loop {
        let heads = lists.iter().enumerate();
        let times = heads.filter_map(|(at, list)| Some((list.front()?.at.as_str(), at)));
        let Some((_, earliest)) = times.min() else { break };
        all.extend(lists.get_mut(earliest).and_then(VecDeque::pop_front));
    }
    let left_out = all.len().saturating_sub(MAX_CHANGES);
    (all.split_off(left_out), left_out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{CallId, RootId, Stamp};

    fn change(path: &str, at: &str) -> ChangeByCall {
        ChangeByCall {
            dialog: DialogId::main(RootId::new("aa/bb/1")),
            call: CallId::new("c"),
            at: Stamp::new(at),
            change: FileChange::created(path, ""),
        }
    }

    #[test]
    fn changes_are_ordered_by_time_and_those_of_one_dialog_stay_in_their_order() {
        let one = [change("a", "10:00"), change("b", "09:00"), change("c", "12:00")];
        let two = [change("x", "09:30"), change("y", "11:00")];
        let (all, left_out) = in_order(vec![one.into(), two.into()]);
        let paths: Vec<_> = all.iter().map(|made| made.change.path.as_str()).collect();
        assert_eq!((paths, left_out), (vec!["x", "a", "b", "y", "c"], 0));
    }

    #[test]
    fn of_too_many_changes_the_oldest_are_left_out() {
        let many = (0..MAX_CHANGES + 7).map(|n| change(&n.to_string(), "10:00")).collect();
        let (all, left_out) = in_order(vec![many]);
        assert_eq!((all.len(), left_out), (MAX_CHANGES, 7));
        assert_eq!(all.first().map(|made| made.change.path.as_str()), Some("7"));
    }
}
