//! What can be copied of a block: its Markdown source, the effect of a call, and the selected rows as they are drawn.

use super::anchor::{Anchor, Selection, Towards};
use super::scroll::{end_of_text, first};
use super::{OpenDialog, TranscriptContext, TranscriptPane, has_gap, tail};
use crate::copies::CopyTo;
use crate::domain::reading::transcript::{AskedBlock, BlockBody, BlockClass};
use crate::text::CopyText;
use crate::text::call_text::call_text;
use crate::text::excerpts::last_code;

/// Rows that can be selected; more are cut at the end that moves.
const MAX_SELECTED_ROWS: usize = 5_000;
/// Columns of indentation that are not copied.
const INDENT: usize = 2;

/// The source of the block with the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopySource {
    pub text: String,
    /// True if it is Markdown, with code blocks and links.
    pub is_markdown: bool,
}

impl TranscriptPane {
    /// The source of the block or the streamed text with the cursor.
    pub fn source_at_cursor(&self, open: &OpenDialog) -> Option<CopySource> {
        if let Some(block) = open.block(self.cursor) {
            let is_markdown = is_markdown(&block.body);
            return Some(CopySource { text: whole_source(open, self.cursor), is_markdown });
        }
        let at = usize::try_from(self.cursor.checked_sub(open.end())?).ok()?;
        let live = open.live.segments().get(at)?;
        Some(CopySource { text: live.text().to_owned(), is_markdown: true })
    }

    /// The last code block of the block with the cursor, or the nearest above.
    pub fn code_at_cursor(&self, open: &OpenDialog) -> Option<String> {
        let here = self.source_at_cursor(open).filter(|source| source.is_markdown);
        let is_begin = |item: &isize| {
            let block = open.block(*item);
            block.is_some_and(|block| is_markdown(&block.body) && !block.goes_on())
        };
        let mut above = (open.origin..open.first_part(self.cursor)).rev().filter(is_begin);
        let found = here.and_then(|source| last_code(&source.text));
        found.or_else(|| above.find_map(|item| last_code(&whole_text(open, item))))
    }

    /// True while rows are being selected.
    pub fn is_selecting(&self) -> bool {
        self.selection.is_some()
    }

    /// Begins to select rows at the block with the cursor.
    pub fn begin_selection(&mut self) {
        self.selection = Some(Selection::Begins);
    }

    /// Ends the selection; false if there was none.
    pub fn end_selection(&mut self) -> bool {
        self.taking = None;
        self.selection.take().is_some()
    }

    /// Copies the selected rows at the next layout, and ends the selection.
    pub fn take_selection(&mut self, to: CopyTo) {
        self.taking = Some(to);
    }

    /// The selected rows, once they were laid out.
    pub fn taken(&mut self) -> Option<(CopyTo, CopyText)> {
        self.taken.take()
    }

    /// Begins a selection at the first row in view of the block with the cursor. The view then stays.
    pub(super) fn apply_selection(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        if self.selection != Some(Selection::Begins) {
            return;
        }
        if std::mem::take(&mut self.to_end) {
            self.top = self.back_from_end(open, context, self.height);
        }
        self.leave_end(open, context);
        let head = Anchor { item: self.cursor, row: usize::from(has_gap(open, self.cursor)) };
        let shown = self.visible_rows(open, context);
        let first = shown.iter().find(|row| row.item == self.cursor && row.row >= head.row);
        let at = first.copied().unwrap_or(head);
        self.selection = Some(Selection::Rows { fixed: at, moving: at });
    }

    /// Moves the end of the selection by one row; false if nothing is selected.
    pub(super) fn extend_selection(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        towards: Towards,
    ) -> bool {
        self.apply_selection(open, context);
        let Some(Selection::Rows { fixed, moving }) = self.selection else { return false };
        let next = self.neighbour_row(open, context, moving, towards).unwrap_or(moving);
        self.selection = Some(Selection::Rows { fixed, moving: next });
        self.cursor = next.item;
        let shown = self.visible_rows(open, context);
        match (shown.first(), shown.last()) {
            (Some(top), _) if next < *top => self.step_up(open, context, 1),
            (_, Some(bottom)) if next > *bottom => {
                self.step_down(open, context, 1);
                0
            }
            _ => 0,
        };
        true
    }

    /// After a move of the view, extends the selection to the edge of the view in that direction.
    pub(super) fn selection_into_view(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        towards: Towards,
    ) {
        let Some(Selection::Rows { fixed, .. }) = self.selection else { return };
        if std::mem::take(&mut self.to_end) {
            self.top = self.back_from_end(open, context, self.height);
        }
        self.leave_end(open, context);
        let last = end_of_text(open) - 1;
        let shown = self.rows_from(open, context, self.top);
        let mut rows = shown.iter().filter(|row| row.item <= last);
        let Some(top) = rows.next() else { return };
        let bottom = rows.next_back().unwrap_or(top);
        let moving = match towards {
            Towards::Start => *top,
            Towards::End => *bottom,
        };
        self.selection = Some(Selection::Rows { fixed, moving });
    }

    /// Takes the text of the selection, if requested.
    pub(super) fn take_text(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        let Some(to) = self.taking.take() else { return };
        let Some(Selection::Rows { fixed, moving }) = self.selection.take() else { return };
        let (from, until) = (fixed.min(moving), fixed.max(moving));
        let mut lines = Vec::new();
        'items: for item in from.item..=until.item {
            let height = self.item_height(open, context, item);
            let start = if item == from.item { from.row } else { 0 };
            let end = if item == until.item { (until.row + 1).min(height) } else { height };
            for row in start..end {
                if lines.len() == MAX_SELECTED_ROWS {
                    break 'items;
                }
                lines.push(self.row_text(open, context, Anchor { item, row }));
            }
        }
        self.taken = Some((to, CopyText::clean(lines.join("\n").trim_start_matches('\n'))));
    }

    /// Returns a row as drawn, without its indentation, the mark of code and the text at its right edge.
    fn row_text(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        at: Anchor,
    ) -> String {
        let gap = usize::from(has_gap(open, at.item));
        let Some(row) = at.row.checked_sub(gap) else { return String::new() };
        let strip = if open.block(at.item).is_some() {
            let layout = self.layout_of(open, context, at.item);
            layout.and_then(|layout| layout.rows.get(row)).cloned().unwrap_or_default()
        } else {
            tail::rows(open, context, at.item, row).0
        };
        let text = strip.plain();
        let glyphs = &context.view.ui.glyphs;
        let code = [glyphs.code, glyphs.broken]
            .into_iter()
            .find_map(|mark| text.trim_start().strip_prefix(mark)?.strip_prefix(' '));
        if let Some(code) = code {
            return code.trim_end().to_owned();
        }
        let blanks = text.bytes().take(INDENT).take_while(|byte| *byte == b' ').count();
        text.get(blanks..).unwrap_or_default().trim_end().to_owned()
    }

    fn neighbour_row(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        at: Anchor,
        towards: Towards,
    ) -> Option<Anchor> {
        let mut to = at;
        if towards == Towards::End {
            if to.row + 1 < self.item_height(open, context, to.item) {
                return Some(Anchor { row: to.row + 1, ..to });
            }
            while to.item + 1 < end_of_text(open) {
                to = Anchor { item: to.item + 1, row: 0 };
                if self.item_height(open, context, to.item) > 0 {
                    return Some(to);
                }
            }
            return None;
        }
        if to.row > 0 {
            return Some(Anchor { row: to.row - 1, ..to });
        }
        while to > first(open) {
            to.item -= 1;
            let height = self.item_height(open, context, to.item);
            if height > 0 {
                return Some(Anchor { row: height - 1, ..to });
            }
        }
        None
    }
}

/// Returns the words of a block; of a part, those of its whole text.
fn whole_text(open: &OpenDialog, item: isize) -> String {
    open.parts_of(item).map(|block| block.body.text()).collect()
}

/// The same as it is copied.
fn whole_source(open: &OpenDialog, item: isize) -> String {
    open.parts_of(item).map(|block| source(&block.body)).collect()
}

/// Returns the text of a block: with a question's answer, and with the effect of a call.
fn source(body: &BlockBody) -> String {
    if let BlockBody::Question(AskedBlock { content, answer: Some((answer, _)), .. }) = body {
        format!("{}\n\n{answer}", content.trim_end())
    } else if let BlockBody::Tool(tool) = body {
        call_text(tool)
    } else {
        body.text().to_owned()
    }
}

/// Words of people and models; the output of tools is no Markdown.
fn is_markdown(body: &BlockBody) -> bool {
    match body.class() {
        BlockClass::Words => true,
        BlockClass::Call => !matches!(body, BlockBody::Tool(_)),
        BlockClass::Runtime | BlockClass::Mark => false,
    }
}
