//! Changing a part of a file in two steps: an edit is prepared and shown as a diff, then applied in
//! a later round, once the model has seen the diff. Preparing writes nothing. The names of Dominds 1.29 do both at
//! once.

mod anchor;
mod append;
mod apply;
mod at_once;
mod block;
mod change;
mod diff;
mod file_queue;
mod hunk_lease;
mod hunks;
mod insert;
mod lines;
mod locate;
mod plan;
mod prepare;
mod range;
mod shared;

use std::sync::Arc;

use self::append::AppendArgs;
use self::at_once::EditState;
use self::hunks::Hunks;
use self::plan::Planner;
use super::tool::{OtherName, Tool};
use crate::domain::text::Text;

pub(super) use change::LineChange;
pub(super) use lines::{bare, lines, places};
pub(super) use shared::APPLY;

/// The tools, in the order in which models see them.
pub(super) const NAMES: [&str; 6] = [
    "prepare_file_append",
    "prepare_file_insert_after",
    "prepare_file_insert_before",
    "prepare_file_block_replace",
    "prepare_file_range_edit",
    APPLY,
];

/// A text in both languages, beside this file.
macro_rules! text {
    ($file:literal) => {
        |lang| Text::of_document(include_str!($file)).in_lang(lang)
    };
}

/// The tools and their other names, which share the edits that are prepared.
pub(super) fn tools() -> (Vec<Arc<dyn Tool>>, Vec<OtherName>) {
    let hunks = Arc::new(Hunks::default());
    let state = EditState::new(&hunks);
    let [append, after, before, block, range, apply] = NAMES;
    let at_end: Planner<AppendArgs> = |_, lines, _| Ok(append::plan(lines));
    let tools = vec![
        prepare::tool(append, text!("prepare_file_append.md"), &hunks, at_end),
        prepare::tool(after, text!("prepare_file_insert_after.md"), &hunks, insert::plan_after),
        prepare::tool(before, text!("prepare_file_insert_before.md"), &hunks, insert::plan_before),
        prepare::tool(block, text!("prepare_file_block_replace.md"), &hunks, block::plan),
        prepare::tool(range, text!("prepare_file_range_edit.md"), &hunks, range::plan),
        apply::tool(apply, text!("apply_file_modification.md"), &hunks, &state.turns),
    ];
    let others = [
        (append, at_once::tool("file_append", text!("file_append.md"), &state, at_end)),
        (
            after,
            at_once::tool(
                "file_insert_after",
                text!("file_insert_after.md"),
                &state,
                insert::plan_after,
            ),
        ),
        (
            before,
            at_once::tool(
                "file_insert_before",
                text!("file_insert_before.md"),
                &state,
                insert::plan_before,
            ),
        ),
        (
            block,
            at_once::tool(
                "file_block_replace",
                text!("file_block_replace.md"),
                &state,
                block::plan,
            ),
        ),
        (range, at_once::tool("file_range_edit", text!("file_range_edit.md"), &state, range::plan)),
    ];
    (tools, others.into_iter().map(|(of, tool)| OtherName { tool, of: of.into() }).collect())
}

#[cfg(test)]
mod tests;
