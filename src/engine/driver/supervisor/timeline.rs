//! What the dialogs of a tree did over time, read from their courses.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::timeline::{Driven, LifeEnd, Timeline, TimelineFold};
use crate::domain::text::Localized;
use crate::domain::{DialogId, SelfId};
use crate::driver::shared::blocking::BlockingThread;
use crate::driver::shared::engine::Engine;
use crate::protocol::Refusal;
use crate::protocol::sheet::Sheet;
use crate::protocol::timeline::{TimelineRow, TimelineView};
use crate::store::{DialogListing, StoreError};

use super::changes::dialog_of;

/// Most dialogs of a tree that are shown.
pub(super) const MAX_ROWS: usize = 500;
/// Deeper side dialogs are shown as if they were this deep.
const MAX_DEPTH: usize = 20;
/// Longer lines (in bytes) are only parsed if they contain one of `MARKS`: most are results of tools.
const SHORT_LINE_BYTES: usize = 4_096;
/// Marks of the longer lines that matter.
const MARKS: [&str; 7] = [
    "\"tellask_call_record\"",
    "\"tellask_result_record\"",
    "\"tellask_carryover_record\"",
    "\"sideDialog_created_record\"",
    "\"pending_sideDialogs_reconciled_record\"",
    "\"questions4human_reconciled_record\"",
    "\"human_text_record\"",
];

/// `driven`: whether the tree is loaded, so that a generation without an end is at work.
pub(super) fn read_timeline(
    engine: &Engine,
    dialog: &DialogId,
    driven: Driven,
    _on: &BlockingThread,
) -> Result<Sheet, Localized> {
    let bucket = engine.store.find(&dialog.root).ok_or(Refusal::NoSuchDialog)?;
    let listed = engine.store.list(bucket, &dialog.root).trees;
    let dialogs: Vec<DialogListing> = listed.into_iter().flat_map(|tree| tree.dialogs).collect();
    let ordered = in_tree_order(&dialogs, MAX_ROWS);
    let left_out = dialogs.len() - ordered.len();
    let mut rows = Vec::new();
    for (depth, found) in ordered {
        let this = dialog_of(dialog, &found.meta.id);
        let end = match bucket {
            Bucket::Run if !found.latest.is_dead() => LifeEnd::Now { driven },
            Bucket::Run | Bucket::Done | Bucket::Archive => LifeEnd::LastRecord,
        };
        let timeline = timeline_of(engine, bucket, &this, found, end).map_err(|e| e.message())?;
        let (agent, slug) = (found.meta.agent_id.clone(), found.meta.session_slug.clone());
        rows.push(TimelineRow { dialog: this, agent, slug, depth, timeline });
    }
    Ok(Sheet::Timeline(TimelineView { rows, left_out }))
}

fn timeline_of(
    engine: &Engine,
    bucket: Bucket,
    dialog: &DialogId,
    found: &DialogListing,
    end: LifeEnd,
) -> Result<Timeline, StoreError> {
    let now = engine.clock.now().seconds().unwrap_or(i64::MAX);
    let mut fold = TimelineFold::new(&found.meta.created_at, now);
    for course in engine.store.courses(bucket, dialog) {
        let add = |entry| fold.push(course, &entry);
        engine.store.visit_records(bucket, dialog, course, (&matters, 0), add)?;
    }
    Ok(fold.finish(end))
}

fn matters(line: &str) -> bool {
    line.len() <= SHORT_LINE_BYTES || MARKS.iter().any(|mark| line.contains(mark))
}

/// The main dialog, then each side dialog below the one that asked it, in the order they were made; each with its
/// depth. The last ones beyond `most` are left out.
pub(super) fn in_tree_order(
    dialogs: &[DialogListing],
    most: usize,
) -> Vec<(usize, &DialogListing)> {
    let known: BTreeSet<&SelfId> = dialogs.iter().map(|one| &one.id).collect();
    let mut by_age: Vec<&DialogListing> = dialogs.iter().collect();
    by_age.sort_unstable_by_key(|one| (one.asker.is_some(), &one.meta.created_at, &one.id));
    let mut asked_by: BTreeMap<Option<&SelfId>, Vec<&DialogListing>> = BTreeMap::new();
    for one in by_age.into_iter().rev() {
        let asker = one.asker.as_ref().filter(|asker| known.contains(asker));
        asked_by.entry(asker).or_default().push(one);
    }
    let at_top = asked_by.remove(&None).unwrap_or_default().into_iter();
    // The next one last.
    let mut next: Vec<_> = at_top.map(|one| (usize::from(one.asker.is_some()), one)).collect();
    let mut ordered = Vec::new();
    while let Some((depth, dialog)) = next.pop() {
        ordered.push((depth.min(MAX_DEPTH), dialog));
        let below = asked_by.remove(&Some(&dialog.id)).unwrap_or_default();
        next.extend(below.into_iter().map(|one| (depth + 1, one)));
    }
    // Dialogs that ask each other in a ring, which only a damaged tree has.
    ordered.extend(asked_by.into_values().flatten().map(|one| (1, one)));
    ordered.truncate(most);
    ordered
}
