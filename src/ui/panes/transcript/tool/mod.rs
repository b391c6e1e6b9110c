//! A tool call: one row, and unfolded its effect: differences, a command with its output, the lines read.

use std::ops::Range;

use super::block::{BlockLayout, BlockMeta, LayoutContext, rows_of};
use super::keys::SCOPE;
use super::prose::plain_rows;
use super::transcript_words;
use crate::action::Action;
use crate::domain::reading::file_change::FileChangeKind;
use crate::domain::reading::transcript::{ToolAction, ToolCall, exit_line, first_line};
use crate::domain::{FileChange, Stamp};
use crate::model::age;
use crate::panes::diff::{DiffRows, change_counts, change_heading};
use crate::panes::limited_rows::LimitedRows;
use crate::panes::strip::Strip;
use crate::text::ansi::{OutputSpan, output_lines};
use crate::text::width::width;
use crate::text::wrap;
use crate::theme::Role;

/// Rows shown of an opened call; the record has all.
const MAX_ROWS: usize = 400;
/// Cells before the rows of an opened call.
const INDENT: usize = 4;

pub(super) fn tool_call(tool: &ToolCall, at: &Stamp, context: &LayoutContext<'_>) -> BlockLayout {
    let dim = context.style(Role::TextDim);
    let symbol =
        if tool.has_details() { context.fold_symbol() } else { context.ui.glyphs.middle_dot };
    let mut head =
        Strip::new().put(&format!("  {symbol} "), dim).put(&tool.name, context.style(Role::Tool));
    if !tool.arguments.is_empty() {
        head.push(" ", dim);
        head.push(first_line(&tool.arguments), dim);
    }
    let (mut rows, mut hidden) = (Vec::new(), 0);
    if context.unfolded {
        let shown = opened(tool, context);
        hidden = shown.hidden();
        rows = shown.into_rows();
    }
    if hidden > 0 {
        rows.extend(more_rows(hidden, INDENT, context));
    }
    let meta = if let Some(lines) = context.printed {
        rows.extend(lines.iter().map(|line| printed_row(line, context)));
        BlockMeta::Running(at.clone())
    } else {
        meta(tool, context)
    };
    BlockLayout { meta, is_cut: hidden > 0, ..rows_of(head, rows) }
}

/// A line of a command that runs, in one row.
fn printed_row(line: &str, context: &LayoutContext<'_>) -> Strip {
    let dim = context.style(Role::TextDim);
    let cells = context.available(INDENT) + INDENT;
    Strip::new().pad_to(INDENT).put(line, dim).shortened(cells, context.ui.glyphs.cut, dim)
}

/// Returns the number of hidden lines and the key that shows them; in two rows if they do not fit in one.
pub(super) fn more_rows(hidden: usize, indent: usize, context: &LayoutContext<'_>) -> Vec<Strip> {
    let ui = context.ui;
    let mut parts =
        vec![format!("{} {}", ui.glyphs.cut, ui.counted(hidden, transcript_words::MORE_LINES))];
    let key = ui.key(SCOPE, Action::ReadAll);
    if !key.is_empty() {
        parts.push(format!("{key} {}", ui.text(transcript_words::ALL_IN_PAGER)));
    }
    let whole = parts.join(&context.dot());
    if width(&whole) <= context.available(indent) {
        parts = vec![whole];
    }
    let dim = context.style(Role::TextDim);
    parts.iter().map(|part| Strip::new().pad_to(indent).put(part, dim)).collect()
}

/// Returns the text at the right edge: how it ended, how much it changed or said, how long it took.
fn meta(tool: &ToolCall, context: &LayoutContext<'_>) -> BlockMeta {
    let Some(result) = &tool.result else { return BlockMeta::Nothing };
    let (dim, bad) = (context.style(Role::TextDim), context.style(Role::ToolBad));
    let mut parts = Vec::new();
    match exit_line(&result.text).filter(|_| matches!(tool.action, ToolAction::Command(_))) {
        Some(exit) if has_failed(exit) => parts.push(Strip::new().put(exit, bad)),
        None if result.ok == Some(false) => {
            parts.push(Strip::new().put(context.text(transcript_words::FAILED), bad));
        }
        Some(_) | None => {}
    }
    if result.changes.is_empty() {
        let lines = context.ui.counted(result.lines, transcript_words::LINES);
        parts.push(Strip::new().put(&lines, dim));
    } else {
        let added = result.changes.iter().map(|change| change.added).sum();
        let removed = result.changes.iter().map(|change| change.removed).sum();
        parts.push(change_counts(added, removed, context.ui));
    }
    if let Some(seconds) = result.seconds.filter(|seconds| *seconds > 0) {
        parts.push(Strip::new().put(&age::long(seconds), dim));
    }
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or_default();
    BlockMeta::Fixed(parts.fold(first, |all, part| all.put(&context.dot(), dim).join(part)))
}

fn has_failed(exit: &str) -> bool {
    !exit.ends_with(" 0")
}

/// The rows of an opened call.
fn opened(tool: &ToolCall, context: &LayoutContext<'_>) -> LimitedRows<Strip> {
    let diff = DiffRows::new(context.ui, INDENT, context.width);
    let mut rows = LimitedRows::new(MAX_ROWS);
    for change in tool.changes() {
        add_change(&mut rows, change, diff, context);
    }
    if !tool.changes().is_empty() {
        return rows;
    }
    let result = tool.result.as_ref().map(|result| result.text.as_str());
    match &tool.action {
        ToolAction::Command(command) => add_command(&mut rows, command, tool.said(), context),
        ToolAction::Patch(patch) => {
            rows.append(diff.patch(patch, rows.room()));
            add_text(&mut rows, result, context);
        }
        ToolAction::NewText(text) => {
            let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
            rows.append(diff.numbered(lines, rows.room()));
            add_text(&mut rows, result, context);
        }
        ToolAction::Read { path, .. } => {
            let diff = diff.of_file(path.as_deref().unwrap_or_default());
            add_lines_read(&mut rows, result, diff, context);
        }
        ToolAction::Other => add_text(&mut rows, result, context),
    }
    rows
}

/// Adds a text unchanged.
fn add_text(rows: &mut LimitedRows<Strip>, text: Option<&str>, context: &LayoutContext<'_>) {
    let style = context.style(Role::Code);
    for line in text.map(str::trim_end).into_iter().flat_map(|text| text.split('\n')) {
        rows.add_line(|| plain_rows(line, INDENT, context.available(INDENT), style));
    }
}

fn add_change(
    rows: &mut LimitedRows<Strip>,
    change: &FileChange,
    diff: DiffRows<'_>,
    context: &LayoutContext<'_>,
) {
    rows.add_line(|| {
        let heading = change_heading(change.kind, &change.path, change.from.as_deref(), context.ui);
        let row = Strip::new().pad_to(INDENT).join(heading);
        let has_counts =
            change.kind != FileChangeKind::Removed && change.added + change.removed > 0;
        let counts = || change_counts(change.added, change.removed, context.ui);
        vec![if has_counts { row.pad_to_gap(2).join(counts()) } else { row }]
    });
    let hunks = diff.of_file(&change.path).hunks(&change.hunks(), rows.room());
    rows.append(hunks.map(|row| row.strip));
    if change.omitted_lines > 0 {
        rows.add_line(|| {
            let omitted = context.ui.counted(change.omitted_lines, transcript_words::OMITTED_LINES);
            let omitted = format!("{} {omitted}", context.ui.glyphs.cut);
            vec![Strip::new().pad_to(INDENT).put(&omitted, context.style(Role::TextDim))]
        });
    }
}

/// A command after its prompt, and its output with the colours it has.
fn add_command(
    rows: &mut LimitedRows<Strip>,
    command: &str,
    said: &str,
    context: &LayoutContext<'_>,
) {
    let (dim, strong) = (context.style(Role::TextDim), context.style(Role::TextStrong));
    for (at, line) in command.trim_end().split('\n').enumerate() {
        rows.add_line(|| {
            let signs = std::iter::once(if at == 0 { "$ " } else { "  " });
            let signs = signs.chain(std::iter::repeat("  "));
            let lines = plain_rows(line, 0, context.available(INDENT + 2), strong);
            let prompt =
                |(sign, row): (&str, Strip)| Strip::new().pad_to(INDENT).put(sign, dim).join(row);
            signs.zip(lines).map(prompt).collect()
        });
    }
    for line in output_lines(said) {
        rows.add_line(|| output_rows(&line, context));
    }
}

fn output_rows(line: &[OutputSpan], context: &LayoutContext<'_>) -> Vec<Strip> {
    let text: String = line.iter().map(|span| span.text.as_str()).collect();
    let rows = wrap(&text, context.width.saturating_sub(INDENT).max(1)).into_iter();
    let strip = |row: Range<usize>| {
        let mut strip = Strip::new().pad_to(INDENT);
        let mut start = 0;
        for span in line {
            let end = start + span.text.as_str().len();
            let part = row.start.clamp(start, end)..row.end.clamp(start, end);
            let part = text.get(part).unwrap_or_default();
            if !part.is_empty() {
                strip.push(part, span.style(&context.ui.theme));
            }
            start = end;
        }
        strip
    };
    rows.map(strip).collect()
}

/// Adds the lines that were read with their numbers, or the whole result if it has none.
fn add_lines_read(
    rows: &mut LimitedRows<Strip>,
    text: Option<&str>,
    diff: DiffRows<'_>,
    context: &LayoutContext<'_>,
) {
    let lines = text.unwrap_or_default().lines().filter_map(|line| {
        let (number, line) =
            line.split_once("| ").or_else(|| Some((line.strip_suffix('|')?, "")))?;
        Some((number.trim().parse().ok()?, line))
    });
    if lines.clone().next().is_some() {
        rows.append(diff.numbered(lines, rows.room()));
    } else {
        add_text(rows, text, context);
    }
}

#[cfg(test)]
mod tests;
