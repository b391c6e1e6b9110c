//! Markdown that grows at its end, as a model writes it: closed blocks are rendered once, only the open one
//! is rendered again.
//!
//! A top-level block is closed when a complete line after it begins another one. Rows of closed blocks never
//! change while the text grows, and they are the first rows of [`super::render`] for the complete text. The
//! exception are link references: a reference is a link if its definition is above it; one with a later
//! definition is text here and a link in the complete text. Such answers are rare, and holding every answer
//! back for them would cost more than moving some rows when one is complete.
//!
//! The open block is Markdown too while it is small; a long one is shown as it arrives, so that no text costs
//! more than its own length: code as code, everything else as plain lines.

use pulldown_cmark::Event;

use super::super::clean::SafeText;
use super::super::wide_chars::WideChars;
use super::super::wrap::TailWrap;
use super::definitions::Definitions;
use super::{RenderMeans, Renderer, StyledLine, base_of_code, code_cells, code_mark, parser};
use crate::highlight::{CodeColours, Language};
use crate::theme::{Glyphs, Role};

/// Bytes kept of a text: of a longer one the end.
const MAX_BYTES: usize = 512 * 1024;
/// An open block of more bytes is not rendered as Markdown.
const MAX_OPEN: usize = 16 * 1024;
/// A longer open block is searched for its end after it has grown by 1/`SEARCHED_AFTER`.
const SEARCHED_AFTER: usize = 32;

/// A text that grows, and its rows.
#[derive(Debug, Default)]
pub struct GrowingMarkdown {
    text: SafeText,
    /// The end of the last complete line.
    lines_end: usize,
    /// The end of the text that was searched for ends of blocks.
    searched: usize,
    /// Blocks that are closed, in the groups in which they were closed.
    closed: Vec<ClosedBlocks>,
    definitions: Definitions,
    /// The rows of closed blocks, then those of the open one.
    rows: Vec<StyledLine>,
    long: Option<LongBlock>,
    width: usize,
    wide: WideChars,
    /// The text has grown since the rows were made.
    grown: bool,
    /// The start was dropped inside a block: the rest is plain.
    cut: bool,
    /// Rows dropped at the front since the last call of [`Self::take_dropped`].
    dropped: usize,
}

/// Blocks that were closed together.
#[derive(Debug)]
struct ClosedBlocks {
    /// The ends of their text and of their rows.
    text: usize,
    rows: usize,
}

impl GrowingMarkdown {
    /// Appends text; the rows follow with [`Self::lay_out`].
    pub fn push(&mut self, delta: &SafeText) {
        if let Some(at) = delta.as_str().rfind('\n') {
            self.lines_end = self.text.as_str().len() + at + 1;
        }
        self.text.append(delta);
        self.grown = true;
        if self.text.as_str().len() > MAX_BYTES {
            self.drop_front();
        }
    }

    /// Updates the rows. The cost is that of the appended text and the open block; at another width, of the whole text.
    pub fn lay_out(&mut self, width: usize, means: RenderMeans<'_>) {
        let wide = WideChars::now();
        if (width, wide) != (self.width, self.wide) {
            (self.width, self.wide) = (width, wide);
            self.forget_rows();
        }
        if std::mem::take(&mut self.grown) {
            self.close_blocks(means);
            self.render_open(means);
        }
    }

    /// Drops all rows; they are made again at the next layout.
    fn forget_rows(&mut self) {
        self.searched = 0;
        self.closed.clear();
        self.definitions = Definitions::default();
        self.rows.clear();
        self.long = None;
        self.grown = true;
    }

    #[must_use]
    pub fn text(&self) -> &str {
        self.text.as_str()
    }

    /// Returns the rows of the last layout.
    #[must_use]
    pub fn rows(&self) -> &[StyledLine] {
        &self.rows
    }

    /// Returns the number of rows that belong to closed blocks.
    #[must_use]
    pub fn closed_rows(&self) -> usize {
        self.closed.last().map_or(0, |last| last.rows)
    }

    /// Rows dropped at the front since the last call.
    pub fn take_dropped(&mut self) -> usize {
        std::mem::take(&mut self.dropped)
    }

    fn closed_text(&self) -> usize {
        self.closed.last().map_or(0, |last| last.text)
    }

    /// The text from `start` up to `end`.
    fn part(&self, start: usize, end: usize) -> &str {
        self.text.as_str().get(start..end).unwrap_or_default()
    }

    /// Renders the blocks that complete lines have closed.
    fn close_blocks(&mut self, means: RenderMeans<'_>) {
        let start = self.closed_text();
        let new = self.lines_end.saturating_sub(self.searched.max(start));
        let open = self.lines_end.saturating_sub(start);
        let ends = |long: &LongBlock| long.is_ended_by(self.part(self.searched, self.lines_end));
        let is_due = open <= MAX_OPEN
            || new.saturating_mul(SEARCHED_AFTER) >= open
            || self.long.as_ref().is_some_and(ends);
        if self.cut || new == 0 || !is_due {
            return;
        }
        self.searched = self.lines_end;
        let text = self.part(start, self.lines_end);
        let end = last_block(text, &self.definitions);
        if end == 0 {
            return;
        }
        let follows = self.closed_rows() > 0;
        let definitions = &self.definitions;
        let rows = render_until(text, end, self.width, means, follows, definitions);
        let defined = Definitions::before(text, end);
        self.rows.truncate(self.closed_rows());
        self.rows.extend(rows);
        let rows = self.rows.len();
        self.closed.push(ClosedBlocks { text: start + end, rows });
        self.definitions.add(defined);
        self.long = None;
    }

    /// Renders the block that may still change. Its code gets its colours when it is closed.
    fn render_open(&mut self, means: RenderMeans<'_>) {
        let closed_rows = self.closed_rows();
        let start = self.closed_text();
        let end = self.text.as_str().len();
        if self.cut || end - start > MAX_OPEN {
            let follows = closed_rows > 0 && !self.cut;
            let text = self.text.as_str().get(start..).unwrap_or_default();
            let long =
                self.long.get_or_insert_with(|| LongBlock::new(text, self.width, follows, means));
            long.grow(text, &mut self.rows, closed_rows, means.glyphs);
            return;
        }
        self.long = None;
        let shown = if holds_only_marks(self.part(self.lines_end.max(start), end)) {
            self.lines_end
        } else {
            end
        };
        let text = self.part(start, shown.max(start)).trim_end();
        let plain = CodeColours::off();
        let means = RenderMeans { colours: &plain, ..means };
        let follows = closed_rows > 0;
        let rows = render_until(text, text.len(), self.width, means, follows, &self.definitions);
        self.rows.truncate(closed_rows);
        self.rows.extend(rows);
    }

    /// Drops the first half: closed blocks, or the start of an endless one.
    fn drop_front(&mut self) {
        let half = self.text.as_str().len() / 2;
        let group = self.closed.iter().position(|blocks| blocks.text >= half);
        let group = group.unwrap_or(self.closed.len().saturating_sub(1));
        let is_enough = |blocks: &&ClosedBlocks| blocks.text >= half / 2;
        if let Some(&ClosedBlocks { text, rows }) = self.closed.get(group).filter(is_enough) {
            self.closed.drain(..=group);
            for blocks in &mut self.closed {
                blocks.text -= text;
                blocks.rows -= rows;
            }
            self.rows.drain(..rows.min(self.rows.len()));
            self.dropped += rows;
            self.drop_text(text);
            return;
        }
        let (cut, rows) = self.long.as_ref().map_or((half, 0), LongBlock::middle);
        let cut = self.closed_text() + cut;
        let line_end = self.text.as_str().get(cut..).and_then(|rest| rest.find('\n'));
        let cut = if rows > 0 { cut } else { cut + line_end.map_or(0, |at| at + 1) };
        let cut =
            (cut..=self.text.as_str().len()).find(|at| self.text.as_str().is_char_boundary(*at));
        self.dropped += self.closed_rows() + rows;
        self.drop_text(cut.unwrap_or_default());
        self.forget_rows();
        self.cut = true;
    }

    fn drop_text(&mut self, end: usize) {
        self.text = self.text.part(end..self.text.as_str().len());
        self.lines_end = self.lines_end.saturating_sub(end);
        self.searched = self.searched.saturating_sub(end);
    }
}

/// Returns the start of the last top-level block of a text: everything before it is closed. All lines must be complete.
fn last_block(text: &str, definitions: &Definitions) -> usize {
    let mut last = 0;
    let mut depth = 0_usize;
    for (event, range) in parser(text, definitions).into_offset_iter() {
        if depth == 0 {
            last = range.start;
        }
        depth = depth_after(&event, depth);
    }
    text.get(..last).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1)
}

/// Returns how many blocks and spans are open after an event.
fn depth_after(event: &Event<'_>, depth: usize) -> usize {
    if matches!(event, Event::Start(_)) {
        depth + 1
    } else {
        depth.saturating_sub(usize::from(matches!(event, Event::End(_))))
    }
}

/// Renders the blocks of a text that begin before `end`; what follows them is read too, since it may decide how they
/// end.
fn render_until(
    text: &str,
    end: usize,
    width: usize,
    means: RenderMeans<'_>,
    follows: bool,
    definitions: &Definitions,
) -> Vec<StyledLine> {
    let mut renderer = Renderer::new(width, means);
    renderer.follows = follows;
    renderer.gap = follows;
    let mut depth = 0_usize;
    for (event, range) in parser(text, definitions).into_offset_iter() {
        if depth == 0 && range.start >= end {
            break;
        }
        depth = depth_after(&event, depth);
        renderer.event(event);
    }
    renderer.flush();
    renderer.lines
}

/// True for a line that may be Markdown syntax whose text is still to come: `-` would make a heading of the
/// paragraph above until the first word of the item arrives.
fn holds_only_marks(line: &str) -> bool {
    let is_mark = |c: char| c.is_ascii_digit() || " \t-=#*_~`+>|:.)".contains(c);
    !line.is_empty() && line.chars().all(is_mark)
}

/// An open block that is too long for Markdown: rows as the text comes.
#[derive(Debug)]
struct LongBlock {
    wrap: TailWrap,
    /// Bytes of the block before the wrapped text, and bytes that were given to it.
    skipped: usize,
    fed: usize,
    /// The opening fence, if it is code.
    fence: Option<OpenFence>,
    /// Rows before those of the text, and rows that can no longer change.
    head: Vec<StyledLine>,
    settled: usize,
}

impl LongBlock {
    fn new(text: &str, width: usize, follows: bool, means: RenderMeans<'_>) -> Self {
        let mut head = Vec::new();
        let first = text.split_inclusive('\n').next().unwrap_or_default();
        let fence = opened_fence(first);
        let mut wrap = TailWrap::new(width);
        let mut skipped = 0;
        if fence.is_some() {
            wrap = TailWrap::of_code(code_cells(width, means.glyphs));
            skipped = first.len();
            head = render_until(first, skipped, width, means, follows, &Definitions::default());
        } else if follows {
            head.push(StyledLine::default());
        }
        // Without a label, the blank code row of an empty fence is no head.
        head.retain(|line| line.spans.first().is_none_or(|span| span.role != Role::Rule));
        Self { wrap, skipped, fed: 0, fence, head, settled: 0 }
    }

    /// Adds the new text, and replaces the rows from `at` on that have changed.
    fn grow(&mut self, text: &str, rows: &mut Vec<StyledLine>, at: usize, glyphs: &Glyphs) {
        let new = text.get(self.skipped + self.fed..).unwrap_or_default();
        self.fed += new.len();
        self.wrap.push(&SafeText::clean(new));
        if self.settled == 0 {
            rows.truncate(at);
            rows.extend(self.head.iter().cloned());
        } else {
            rows.truncate(at + self.head.len() + self.settled);
        }
        let made = self.wrap.rows().len();
        let language = self.fence.as_ref().and_then(|fence| fence.language);
        let role = if self.fence.is_some() { base_of_code(language) } else { Role::Text };
        for row in self.settled..made {
            let mut line = StyledLine::plain(role, self.wrap.row(row));
            if self.fence.is_some() {
                line.spans.insert(0, code_mark(self.wrap.rows(), row, glyphs));
            }
            rows.push(line);
        }
        self.settled = made.saturating_sub(2);
    }

    /// True if one of these complete lines closes its fence.
    fn is_ended_by(&self, lines: &str) -> bool {
        let Some(fence) = &self.fence else { return false };
        lines.lines().any(|line| {
            let marks = line.trim_start_matches(' ');
            let rest = marks.strip_prefix(fence.marks.as_str());
            let mark = fence.marks.chars().next().unwrap_or('`');
            line.len() - marks.len() < 4
                && rest.is_some_and(|rest| rest.trim_start_matches(mark).trim().is_empty())
        })
    }

    /// A row in the middle: where its text begins, and the number of rows before it.
    fn middle(&self) -> (usize, usize) {
        let row = self.wrap.rows().len() / 2;
        let start = self.wrap.rows().get(row).map_or(0, |row| row.start);
        (self.skipped + start, self.head.len() + row)
    }
}

/// A code block that is open.
#[derive(Debug)]
struct OpenFence {
    /// The marks that open and close it.
    marks: String,
    language: Option<Language>,
}

/// The fence that a line opens.
fn opened_fence(line: &str) -> Option<OpenFence> {
    let line = line.trim_start_matches(' ');
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let marks = line.chars().take_while(|c| *c == mark).count();
    let info = line.get(marks..).unwrap_or_default();
    let opens = marks >= 3 && !(mark == '`' && info.contains('`'));
    opens.then(|| OpenFence {
        marks: mark.to_string().repeat(marks),
        language: Language::of_fence(SafeText::line(info.trim()).as_str()),
    })
}

#[cfg(test)]
mod tests;
