//! A call of a tool: one row, and unfolded what it did: differences, a command with its output, the lines read.

use super::block::{BlockLayout, BlockMeta, LayoutContext, rows_of};
use super::prose::plain_rows;
use super::words;
use crate::domain::FileChange;
use crate::domain::file_change::FileChangeKind;
use crate::domain::transcript::{ToolAction, ToolCall, ToolResult, exit_line, first_line};
use crate::ui::model::age;
use crate::ui::panes::diff::{DiffRows, change_counts, change_heading};
use crate::ui::panes::strip::Strip;
use crate::ui::text::ansi::output_lines;
use crate::ui::text::wrap;
use crate::ui::theme::Role;

/// Rows shown of an opened call; the record has all.
const MAX_ROWS: usize = 400;
/// Cells before the rows of an opened call.
const INDENT: usize = 4;

pub(super) fn tool_call(tool: &ToolCall, context: &LayoutContext<'_>) -> BlockLayout {
    let dim = context.style(Role::TextDim);
    let mut head = Strip::new()
        .put(&format!("  {} ", context.fold_symbol()), dim)
        .put(&tool.name, context.style(Role::Tool));
    if !tool.arguments.is_empty() {
        head.push(" ", dim);
        head.push(first_line(&tool.arguments), dim);
    }
    let mut rows = if context.unfolded { opened(tool, context) } else { Vec::new() };
    if rows.len() > MAX_ROWS {
        let more = format!("    {} +{}", context.ui.glyphs.cut, rows.len() - MAX_ROWS);
        rows.truncate(MAX_ROWS);
        rows.push(Strip::new().put(&more, dim));
    }
    let mut layout = rows_of(head, rows);
    layout.meta = meta(tool, context);
    layout
}

/// What stands at the right edge: how it ended, how much it changed or said, how long it took.
fn meta(tool: &ToolCall, context: &LayoutContext<'_>) -> BlockMeta {
    let Some(result) = &tool.result else { return BlockMeta::Nothing };
    let (dim, bad) = (context.style(Role::TextDim), context.style(Role::ToolBad));
    let mut parts = Vec::new();
    match exit_line(&result.text).filter(|_| matches!(tool.action, ToolAction::Command(_))) {
        Some(exit) if has_failed(exit) => parts.push(Strip::new().put(exit, bad)),
        None if result.ok == Some(false) => {
            parts.push(Strip::new().put(context.text(words::FAILED), bad));
        }
        Some(_) | None => {}
    }
    if result.changes.is_empty() {
        let lines = context.ui.counted(result.lines, words::LINES);
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
fn opened(tool: &ToolCall, context: &LayoutContext<'_>) -> Vec<Strip> {
    let diff = DiffRows::new(context.ui, INDENT, context.width);
    let changes = tool.result.as_ref().map(|result| result.changes.as_slice()).unwrap_or_default();
    if !changes.is_empty() {
        return changes.iter().flat_map(|change| file_change(change, diff, context)).collect();
    }
    let result =
        |text: &str| plain_rows(text, INDENT, context.available(INDENT), context.style(Role::Code));
    let said = tool.result.as_ref();
    match &tool.action {
        ToolAction::Command(command) => command_rows(command, said, context),
        ToolAction::Patch(patch) => {
            let said = said.map(|said| result(&said.text)).unwrap_or_default();
            diff.patch(patch, MAX_ROWS + 1).into_iter().chain(said).collect()
        }
        ToolAction::NewText(text) => {
            let said = said.map(|said| result(&said.text)).unwrap_or_default();
            let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
            diff.numbered(lines, MAX_ROWS + 1).into_iter().chain(said).collect()
        }
        ToolAction::Read { path, .. } => {
            let diff = diff.of_file(path.as_deref().unwrap_or_default());
            said.map(|said| lines_read(&said.text, diff, context)).unwrap_or_default()
        }
        ToolAction::Other => said.map(|said| result(&said.text)).unwrap_or_default(),
    }
}

fn file_change(change: &FileChange, diff: DiffRows<'_>, context: &LayoutContext<'_>) -> Vec<Strip> {
    let counts = change_counts(change.added, change.removed, context.ui);
    let heading = change_heading(change.kind, &change.path, change.from.as_deref(), context.ui);
    let mut rows = vec![Strip::new().pad_to(INDENT).join(heading)];
    if change.kind != FileChangeKind::Removed && change.added + change.removed > 0 {
        rows = rows.into_iter().map(|row| row.pad_to_gap(2).join(counts.clone())).collect();
    }
    let diff = diff.of_file(&change.path);
    rows.extend(diff.hunks(&change.hunks(), MAX_ROWS + 1).into_iter().map(|row| row.strip));
    if change.omitted_lines > 0 {
        let omitted = context.ui.counted(change.omitted_lines, words::OMITTED_LINES);
        let omitted = format!("{} {omitted}", context.ui.glyphs.cut);
        rows.push(Strip::new().pad_to(INDENT).put(&omitted, context.style(Role::TextDim)));
    }
    rows
}

/// A command after its prompt, and its output with the colours it has.
fn command_rows(
    command: &str,
    said: Option<&ToolResult>,
    context: &LayoutContext<'_>,
) -> Vec<Strip> {
    let (dim, strong) = (context.style(Role::TextDim), context.style(Role::TextStrong));
    let lines = plain_rows(command, 0, context.available(INDENT + 2), strong);
    let signs = std::iter::once("$ ").chain(std::iter::repeat("  "));
    let prompt = |(sign, row): (&str, Strip)| Strip::new().pad_to(INDENT).put(sign, dim).join(row);
    let mut rows: Vec<Strip> = signs.zip(lines).map(prompt).collect();
    let Some(said) = said else { return rows };
    for line in output_lines(&said.text) {
        let text: String = line.iter().map(|span| span.text.as_str()).collect();
        let width = context.width.saturating_sub(INDENT).max(1);
        for row in wrap(&text, width) {
            let mut strip = Strip::new().pad_to(INDENT);
            let mut start = 0;
            for span in &line {
                let end = start + span.text.as_str().len();
                let part = row.start.clamp(start, end)..row.end.clamp(start, end);
                let part = text.get(part).unwrap_or_default();
                if !part.is_empty() {
                    strip.push(part, span.style(&context.ui.theme));
                }
                start = end;
            }
            rows.push(strip);
        }
        if rows.len() > MAX_ROWS {
            break;
        }
    }
    rows
}

/// The lines that were read with their numbers, or the result as it is where it has none.
fn lines_read(text: &str, diff: DiffRows<'_>, context: &LayoutContext<'_>) -> Vec<Strip> {
    let lines = text.lines().filter_map(|line| {
        let (number, line) =
            line.split_once("| ").or_else(|| Some((line.strip_suffix('|')?, "")))?;
        Some((number.trim().parse().ok()?, line))
    });
    if lines.clone().next().is_some() {
        return diff.numbered(lines, MAX_ROWS + 1);
    }
    plain_rows(text, INDENT, context.available(INDENT), context.style(Role::Code))
}

#[cfg(test)]
mod tests;
