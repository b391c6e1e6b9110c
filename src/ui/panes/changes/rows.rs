//! The rows of the sheet of changes: a heading for each file, and below it the difference.

use std::collections::BTreeMap;

use super::changes_words;
use crate::cx::{UiSettings, View};
use crate::domain::reading::net_changes::NetChange;
use crate::domain::text::diff::{LineTag, first_changed_line};
use crate::model::Model;
use crate::model::drafts::comments_in;
use crate::panes::diff::{DiffRows, change_counts, change_heading, line_place};
use crate::panes::inquiry::comment_rows;
use crate::panes::strip::Strip;
use crate::protocol::ChangesView;
use crate::text::SafeText;
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
    /// The number of the line that it shows, and that of a removed line in the old text.
    pub numbers: LineNumbers,
}

type LineNumbers = Option<(usize, Option<usize>)>;

impl ReviewRow {
    /// The place of a comment on it, in the file with this path: the line that it shows, else the file.
    pub fn place(&self, path: &SafeText) -> String {
        match self.numbers {
            Some((line, removed)) => line_place(path.as_str(), line, removed),
            None => path.as_str().to_owned(),
        }
    }
}

/// All rows of the sheet; comments in the message to the dialog stand below the rows that they are on.
pub(super) fn review_rows(
    (content, message): (&ChangesView, &str),
    is_folded: &dyn Fn(&NetChange) -> bool,
    view: View<'_>,
    model: &Model,
    width: usize,
) -> Vec<ReviewRow> {
    let diff = DiffRows::new(view.ui, INDENT, width);
    let (mut rows, comments) = (Vec::new(), comments_in(message));
    for (file, change) in content.changes.iter().enumerate() {
        let begin = rows.len();
        let folded = is_folded(change);
        let strip = head(change, folded, view);
        let meta = about_calls(change, view, model, width.saturating_sub(strip.width() + 2));
        let line = first_changed_line(&change.hunks);
        rows.push(ReviewRow { strip, meta, file, is_head: true, line, numbers: None });
        if !folded {
            let body = difference(change, diff, view);
            rows.extend(body.into_iter().map(|(strip, numbers)| {
                let (meta, line) = (Strip::new(), numbers.map(|(at, _)| at).or(line));
                ReviewRow { strip, meta, file, is_head: false, line, numbers }
            }));
        }
        let path = SafeText::line(&change.path);
        if comments.keys().any(|place| place.starts_with(path.as_str())) {
            let of_file = rows.split_off(begin);
            rows.extend(with_comments(of_file, &path, comments.clone(), (view.ui, width)));
        }
    }
    rows
}

/// Adds each comment below the last row of its place.
fn with_comments(
    rows: Vec<ReviewRow>,
    path: &SafeText,
    mut comments: BTreeMap<&str, &str>,
    (ui, width): (&UiSettings, usize),
) -> Vec<ReviewRow> {
    let mut all = Vec::new();
    let mut rows = rows.into_iter().peekable();
    while let Some(row) = rows.next() {
        let place = row.place(path);
        let goes_on = rows.peek().is_some_and(|next| next.place(path) == place);
        let comment = if goes_on { None } else { comments.remove(place.as_str()) };
        let strips = comment.map(|words| comment_rows(words, width, ui)).unwrap_or_default();
        let below: Vec<ReviewRow> = strips
            .into_iter()
            .map(|strip| ReviewRow { strip, meta: Strip::new(), is_head: false, ..row })
            .collect();
        all.push(row);
        all.extend(below);
    }
    all
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

fn difference(change: &NetChange, diff: DiffRows<'_>, view: View<'_>) -> Vec<(Strip, LineNumbers)> {
    let dim = view.ui.style(Role::TextDim);
    let note = |text: &str| (Strip::new().pad_to(INDENT).put(text, dim), None);
    let mut rows = Vec::new();
    if change.after_others {
        rows.push(note(view.ui.text(changes_words::AFTER_OTHERS)));
    }
    let diff = diff.of_file(&change.path);
    let shown = diff.hunks(&change.hunks, MAX_FILE_ROWS);
    let hidden = shown.hidden();
    let shown = shown.into_rows().into_iter();
    rows.extend(shown.map(|row| (row.strip, Some((row.line, row.removed)))));
    if hidden > 0 {
        let more = view.ui.counted(hidden, MORE_LINES);
        rows.push(note(&format!("{} {more}", view.ui.glyphs.cut)));
    }
    if change.omitted_lines > 0 {
        rows.push(note(&view.ui.counted(change.omitted_lines, changes_words::OMITTED_LINES)));
    }
    rows
}
