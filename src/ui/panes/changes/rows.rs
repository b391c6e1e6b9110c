//! The rows of the sheet of changes: a heading for each file, and below it the difference.

use super::changes_words;
use crate::cx::View;
use crate::domain::reading::net_changes::NetChange;
use crate::domain::text::diff::{LineTag, first_changed_line};
use crate::model::Model;
use crate::panes::diff::{DiffRows, change_counts, change_heading};
use crate::panes::strip::Strip;
use crate::protocol::ChangesView;
use crate::theme::Role;
use crate::words::MORE_LINES;

/// Most rows of one file.
const MAX_FILE_ROWS: usize = 5_000;
/// Cells before the difference of a file.
const INDENT: usize = 3;

/// A row, and its subject.
#[derive(Debug, Clone)]
pub(super) struct ReviewRow {
    pub strip: Strip,
    /// Shown at the right edge.
    pub meta: Strip,
    /// The index of the file.
    pub file: usize,
    /// The heading of a file.
    pub is_head: bool,
    /// The line of the file that it shows, or the first that was changed.
    pub line: Option<usize>,
}

/// All rows of the sheet.
pub(super) fn review_rows(
    content: &ChangesView,
    is_folded: &dyn Fn(&NetChange) -> bool,
    view: View<'_>,
    model: &Model,
    width: usize,
) -> Vec<ReviewRow> {
    let diff = DiffRows::new(view.ui, INDENT, width);
    let mut rows = Vec::new();
    for (file, change) in content.changes.iter().enumerate() {
        let folded = is_folded(change);
        let strip = head(change, folded, view);
        let meta = about_calls(change, view, model, width.saturating_sub(strip.width() + 2));
        let line = first_changed_line(&change.hunks);
        rows.push(ReviewRow { strip, meta, file, is_head: true, line });
        if !folded {
            let body = difference(change, diff, view);
            rows.extend(body.into_iter().map(|(strip, at)| {
                let meta = Strip::new();
                ReviewRow { strip, meta, file, is_head: false, line: at.or(line) }
            }));
        }
    }
    rows
}

fn head(change: &NetChange, folded: bool, view: View<'_>) -> Strip {
    let ui = view.ui;
    let symbol = if folded { ui.glyphs.closed } else { ui.glyphs.open };
    let heading = change_heading(change.kind, &change.path, change.from.as_deref(), ui);
    let row = Strip::new().put(&format!(" {symbol} "), ui.style(Role::TextDim)).join(heading);
    let (added, removed) = (change.count(LineTag::Added), change.count(LineTag::Removed));
    if added + removed == 0 {
        return row;
    }
    row.pad_to_gap(2).join(change_counts(added, removed, ui))
}

/// Returns who changed it last, and when, shortened to the room beside the change.
fn about_calls(change: &NetChange, view: View<'_>, model: &Model, cells: usize) -> Strip {
    let Some((dialog, _, at)) = change.calls.last() else { return Strip::new() };
    let ui = view.ui;
    let who = model.tree.get(dialog).map(|row| format!("@{} ", row.agent)).unwrap_or_default();
    let time = Strip::new().put(at.hour_minute(), ui.style(Role::TextDim));
    let whole = Strip::new().put(&who, ui.style(Role::Agent)).join(time.clone());
    [whole, time].into_iter().find(|meta| meta.width() <= cells).unwrap_or_default()
}

fn difference(
    change: &NetChange,
    diff: DiffRows<'_>,
    view: View<'_>,
) -> Vec<(Strip, Option<usize>)> {
    let dim = view.ui.style(Role::TextDim);
    let note = |text: &str| (Strip::new().pad_to(INDENT).put(text, dim), None);
    let mut rows = Vec::new();
    if change.after_others {
        rows.push(note(view.ui.text(changes_words::AFTER_OTHERS)));
    }
    let diff = diff.of_file(&change.path);
    let shown = diff.hunks(&change.hunks, MAX_FILE_ROWS);
    let hidden = shown.hidden();
    rows.extend(shown.into_rows().into_iter().map(|row| (row.strip, Some(row.line))));
    if hidden > 0 {
        let more = view.ui.counted(hidden, MORE_LINES);
        rows.push(note(&format!("{} {more}", view.ui.glyphs.cut)));
    }
    if change.omitted_lines > 0 {
        rows.push(note(&view.ui.counted(change.omitted_lines, changes_words::OMITTED_LINES)));
    }
    rows
}
