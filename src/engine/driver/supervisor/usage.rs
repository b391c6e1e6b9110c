//! The tokens that the dialogs of a tree used, read from the ends of their generations.

use std::collections::VecDeque;

use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::usage::{GenerationUsage, Tokens, UsageSum};
use crate::domain::text::Localized;
use crate::domain::{DialogId, RootId};
use crate::driver::shared::blocking::BlockingThread;
use crate::driver::shared::engine::Engine;
use crate::protocol::Refusal;
use crate::protocol::sheet::Sheet;
use crate::protocol::usage::{DialogUsage, UsageView};
use crate::store::{DialogListing, StoreError};

use super::changes::dialog_of;
use super::timeline::{MAX_ROWS, in_tree_order};

/// Most generations of a dialog that are sent one by one.
const MAX_GENERATIONS: usize = 1_000;
/// A text in every record that counts tokens, and in few others.
const MARK: &str = "\"gen_finish_record\"";

pub(super) fn read_usage(
    engine: &Engine,
    dialog: &DialogId,
    _on: &BlockingThread,
) -> Result<Sheet, Localized> {
    let bucket = engine.store.find(&dialog.root).ok_or(Refusal::NoSuchDialog)?;
    let listed = engine.store.list(bucket, &dialog.root).trees;
    let dialogs: Vec<DialogListing> = listed.into_iter().flat_map(|tree| tree.dialogs).collect();
    let ordered = in_tree_order(&dialogs, MAX_ROWS);
    let left_out = dialogs.len() - ordered.len();
    let mut used = Vec::new();
    for (depth, found) in ordered {
        let this = dialog_of(dialog, &found.meta.id);
        let (sum, generations) = usage_of(engine, bucket, &this).map_err(|e| e.message())?;
        let (agent, slug) = (found.meta.agent_id.clone(), found.meta.session_slug.clone());
        used.push(DialogUsage { dialog: this, agent, slug, depth, sum, generations });
    }
    Ok(Sheet::Usage(UsageView { dialogs: used, left_out }))
}

/// All tokens that the dialogs of a tree used; what cannot be read is not counted.
pub fn tokens_of_tree(engine: &Engine, root: &RootId, _on: &BlockingThread) -> u64 {
    let Some(bucket) = engine.store.find(root) else { return 0 };
    let listed = engine.store.list(bucket, root).trees;
    let dialogs = listed.iter().flat_map(|tree| &tree.dialogs);
    let used = dialogs.filter_map(|found| {
        let this = DialogId::side(root, &found.meta.id);
        let (sum, _) = usage_of(engine, bucket, &this).ok()?;
        let Tokens { input, output, .. } = sum.tokens();
        Some(input.saturating_add(output))
    });
    used.fold(0, u64::saturating_add)
}

fn usage_of(
    engine: &Engine,
    bucket: Bucket,
    dialog: &DialogId,
) -> Result<(UsageSum, Vec<GenerationUsage>), StoreError> {
    let (mut sum, mut newest) = (UsageSum::default(), VecDeque::new());
    for course in engine.store.courses(bucket, dialog) {
        let add = |entry| {
            let Some(usage) = GenerationUsage::of_record(course, &entry) else { return };
            sum.add(&usage);
            newest.push_back(usage);
            if newest.len() > MAX_GENERATIONS {
                newest.pop_front();
            }
        };
        let is_end = |line: &str| line.contains(MARK);
        engine.store.visit_records(bucket, dialog, course, (&is_end, 0), add)?;
    }
    Ok((sum, newest.into()))
}
