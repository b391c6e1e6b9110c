//! Changing a part of a file in two steps: an edit is prepared and shown as a diff, then applied in
//! a later round, once the model has seen the diff. Preparing writes nothing.

mod anchor;
mod append;
mod apply;
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

use std::sync::Arc;

use self::append::AppendArgs;
use self::hunks::{HunkMissing, Hunks};
use super::outcome::ToolOutcome;
use super::report::ToolReport;
use super::tool::Tool;
use crate::domain::Lang;
use crate::domain::text::Text;

pub(super) use change::LineChange;
pub(super) use lines::{bare, lines, places};

const APPLY: &str = "apply_file_modification";

/// The tools, in the order in which models see them.
pub(super) const NAMES: [&str; 6] = [
    "prepare_file_append",
    "prepare_file_insert_after",
    "prepare_file_insert_before",
    "prepare_file_block_replace",
    "prepare_file_range_edit",
    APPLY,
];

/// The tools, which share the edits that are prepared.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let hunks = Arc::new(Hunks::default());
    let ([append, after, before, block, range, apply], hunks) = (NAMES, &hunks);
    let append_text =
        |lang| Text::of_document(include_str!("prepare_file_append.md")).in_lang(lang);
    let after_text =
        |lang| Text::of_document(include_str!("prepare_file_insert_after.md")).in_lang(lang);
    let before_text =
        |lang| Text::of_document(include_str!("prepare_file_insert_before.md")).in_lang(lang);
    let block_text =
        |lang| Text::of_document(include_str!("prepare_file_block_replace.md")).in_lang(lang);
    let range_text =
        |lang| Text::of_document(include_str!("prepare_file_range_edit.md")).in_lang(lang);
    let apply_text =
        |lang| Text::of_document(include_str!("apply_file_modification.md")).in_lang(lang);
    vec![
        prepare::tool(append, append_text, hunks, |_: &AppendArgs, lines, _| {
            Ok(append::plan(lines))
        }),
        prepare::tool(after, after_text, hunks, insert::plan_after),
        prepare::tool(before, before_text, hunks, insert::plan_before),
        prepare::tool(block, block_text, hunks, block::plan),
        prepare::tool(range, range_text, hunks, range::plan),
        apply::tool(apply, apply_text, hunks),
    ]
}

/// Works where blocking is allowed; `None` if that broke down.
async fn in_background<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

fn no_hunk(mode: &str, path: &str, reason: HunkMissing, lang: Lang) -> ToolOutcome {
    let (code, summary) = match reason {
        HunkMissing::NotFound => (
            "HUNK_NOT_FOUND",
            Text::new(
                "There is no such prepared edit: unknown, used, replaced, or older than an hour. \
                 An edit can be applied only in a round after the one that prepared it. \
                 Prepare it (again), read the diff, then apply it.",
                "没有这个已准备的修改:未知、已用过、已被替换,或超过一小时。\
                 修改只能在准备它的那一轮之后应用。请(重新)准备,核对 diff,再应用。",
            )
            .in_lang(lang),
        ),
        HunkMissing::WrongOwner => (
            "WRONG_OWNER",
            Text::new(
                "Another member prepared this edit. Prepare your own.",
                "该修改由其他成员准备。请自行准备。",
            )
            .in_lang(lang),
        ),
    };
    ToolReport::error(mode, path, code).summary(summary).outcome()
}

#[cfg(test)]
mod tests;
