//! The cursor: the block that keys act on. It moves by blocks, and by lines within a block that is longer
//! than the pane. While the view follows the end, it is on the last block.
//!
//! Invariant: after each layout the cursor is on a block or a streamed segment with a row in view, if there
//! is one.

#[cfg(test)]
mod tests;

use super::anchor::{Anchor, Stop, Towards};
use super::scroll::{end_of_text, first};
use super::{OpenDialog, TranscriptContext, TranscriptPane, has_gap};
use crate::domain::reading::transcript::BlockBody;
use crate::domain::{Course, Genseq};
use crate::model::{BlockPosition, ViewPosition};

impl Stop {
    fn is_at(self, body: &BlockBody) -> bool {
        match self {
            Self::Block => true,
            Self::Call => matches!(body, BlockBody::Tool(_) | BlockBody::Tellask(_)),
            Self::Question => matches!(body, BlockBody::Question(_)),
            Self::Change => body.changes().is_some_and(|changes| !changes.is_empty()),
        }
    }
}

/// A step back that waits for older records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepBack {
    Waits(Stop),
    /// There is no such block in this course.
    NotFound(Stop),
}

impl TranscriptPane {
    /// The item with the cursor.
    pub fn cursor(&self) -> isize {
        self.cursor
    }

    /// The item with the cursor, if it is a block.
    pub fn at_cursor(&self, open: &OpenDialog) -> Option<isize> {
        open.block(self.cursor).map(|_| self.cursor)
    }

    /// The generation of the block with the cursor, or the last one before it, with its course: an earlier one
    /// may be in view, too.
    pub fn generation_at_cursor(&self, open: &OpenDialog) -> Option<(Course, Genseq)> {
        let blocks = (open.origin..=self.cursor).rev().filter_map(|item| open.block(item));
        let mut known = blocks.filter_map(|block| Some((block.place.course, block.genseq?)));
        known.next()
    }

    /// The view, to be restored later; `None` while following.
    pub fn position(&self, open: &OpenDialog) -> Option<ViewPosition> {
        let top = BlockPosition::of(open.block(self.top.item).filter(|_| !self.follow)?);
        let cursor = open.block(self.cursor).map_or(top, BlockPosition::of);
        Some(ViewPosition { top, row: self.top_place.1, cursor })
    }

    /// Keeps the block with the cursor in its place on the screen at the next layout.
    pub fn keep_in_place(&mut self, open: &OpenDialog) {
        self.ignore_growth();
        let gap = usize::from(has_gap(open, self.cursor));
        let head = Anchor { item: self.cursor, row: gap };
        // Rows at the top may have made way for the headline of a question.
        let hidden =
            if self.rows.first() == Some(&self.top) { 0 } else { usize::from(self.pinned) };
        let at = self.rows.iter().position(|row| *row == head);
        self.kept_row = Some(at.map_or(0, |row| row + hidden));
    }

    /// The kind of block that a step back did not find in this course.
    pub fn take_not_stepped(&mut self) -> Option<Stop> {
        match self.step_back {
            Some(StepBack::NotFound(stop)) => {
                self.step_back = None;
                Some(stop)
            }
            Some(StepBack::Waits(_)) | None => None,
        }
    }

    /// Applies [`Self::keep_in_place`]. A block that opened at the lower edge moves up until half a page of
    /// it is in view. If it still reaches below the view, following ends. A dialog that fits ends at the lower
    /// edge again.
    pub(super) fn apply_kept_row(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        let Some(row) = self.kept_row.take() else { return };
        self.above = Some(self.height);
        let gap = usize::from(has_gap(open, self.cursor));
        let rows = self.item_height(open, context, self.cursor).saturating_sub(gap);
        let row = row.min(self.height.saturating_sub(rows.min(self.height / 2)));
        self.top = Anchor { item: self.cursor, row: gap };
        self.step_up(open, context, row);
        if self.follow && self.lowest_top(open, context) > self.top {
            self.leave_end(open, context);
        }
    }

    /// Moves the cursor up or down to the next block of a kind.
    pub(super) fn step_cursor(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        stop: Stop,
        towards: Towards,
    ) {
        self.target = None;
        if std::mem::take(&mut self.to_end) {
            self.top = self.back_from_end(open, context, self.height);
            self.cursor_to_end(open, context);
        }
        if towards == Towards::Start {
            self.leave_end(open, context);
        }
        if stop == Stop::Block && self.scrolls_within(open, context, towards) {
            if towards == Towards::End {
                self.step_down(open, context, 1);
            } else {
                self.step_up(open, context, 1);
            }
        } else if let Some(item) = self.next_stop(open, context, stop, towards) {
            self.cursor = item;
            if stop == Stop::Block {
                self.reveal(open, context, towards);
            } else {
                self.reveal_with_context(open, context);
            }
        } else if towards == Towards::End {
            if stop == Stop::Block && self.lowest_top(open, context) > self.top {
                self.step_down(open, context, 1);
            }
        } else if !open.is_complete() {
            self.step_back = Some(StepBack::Waits(stop));
        } else {
            self.step_back = (stop != Stop::Block).then_some(StepBack::NotFound(stop));
            self.top = if stop == Stop::Block { first(open) } else { self.top };
        }
        if towards == Towards::End && self.is_at_end(open, context) {
            self.follow_again();
        }
    }

    /// Repeats a step back after older records arrived.
    pub(super) fn retry_step_back(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        if let Some(StepBack::Waits(stop)) = self.step_back {
            self.step_back = None;
            self.step_cursor(open, context, stop, Towards::Start);
        }
    }

    /// Moves the cursor to the nearest block of these rows.
    pub(super) fn cursor_into(&mut self, open: &OpenDialog, rows: &[Anchor]) {
        let last = end_of_text(open) - 1;
        self.cursor = self.cursor.min(last).max(open.origin);
        let is_text =
            |at: &&Anchor| at.item <= last && at.row >= usize::from(has_gap(open, at.item));
        let mut texts = rows.iter().filter(is_text);
        let Some(top) = texts.next() else { return };
        let bottom = texts.next_back().unwrap_or(top);
        self.cursor = self.cursor.clamp(top.item, bottom.item);
    }

    /// Returns the rows in view, without those covered by the headline and the count of new blocks.
    pub(super) fn visible_rows(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
    ) -> Vec<Anchor> {
        let mut rows = self.rows_from(open, context, self.top);
        if rows.len() == self.height && self.new_below > 0 {
            rows.pop();
        }
        let pinned = usize::from(self.pinned).min(rows.len());
        if self.top > first(open) {
            rows.drain(..pinned);
        } else {
            rows.truncate(self.height.saturating_sub(pinned));
        }
        rows
    }

    /// The item with text in this row of the pane.
    pub fn item_in_row(&self, open: &OpenDialog, row: usize) -> Option<isize> {
        let at = self.rows.get(row.checked_sub(self.lead())?)?;
        let has_text = at.row >= usize::from(has_gap(open, at.item));
        (has_text && at.item < end_of_text(open)).then_some(at.item)
    }

    /// Puts the cursor on an item that is in view. The last one is still followed.
    pub(super) fn cursor_to(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        item: isize,
    ) {
        if item + 1 < end_of_text(open) {
            if std::mem::take(&mut self.to_end) {
                self.top = self.back_from_end(open, context, self.height);
            }
            self.leave_end(open, context);
        }
        self.cursor = item;
    }

    /// Puts the cursor on the last block.
    pub(super) fn cursor_to_end(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        let last = end_of_text(open) - 1;
        let has_rows = |pane: &mut Self, item| pane.item_height(open, context, item) > 0;
        let found = (open.origin..=last).rev().find(|item| has_rows(self, *item));
        self.cursor = found.unwrap_or(open.origin);
    }

    /// True if the block reaches beyond the edge of the view in this direction.
    fn scrolls_within(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        towards: Towards,
    ) -> bool {
        let height = self.item_height(open, context, self.cursor);
        let gap = usize::from(has_gap(open, self.cursor));
        if towards == Towards::End {
            let end = Anchor { item: self.cursor, row: height.saturating_sub(1) };
            self.visible_rows(open, context).last().is_some_and(|bottom| *bottom < end)
        } else {
            let head = Anchor { item: self.cursor, row: gap };
            self.visible_rows(open, context).first().is_some_and(|top| *top > head)
        }
    }

    fn next_stop(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        stop: Stop,
        towards: Towards,
    ) -> Option<isize> {
        let mut item = self.cursor;
        loop {
            item += match towards {
                Towards::Start => -1,
                Towards::End => 1,
            };
            if item < open.origin || item >= end_of_text(open) {
                return None;
            }
            let stops = open.block(item).map_or(stop == Stop::Block, |b| stop.is_at(&b.body));
            if stops && self.item_height(open, context, item) > 0 {
                return Some(item);
            }
        }
    }

    /// Scrolls as little as needed to show the block with the cursor, or the nearer end of one that is
    /// longer than the view.
    fn reveal(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>, towards: Towards) {
        let height = self.item_height(open, context, self.cursor);
        let gap = usize::from(has_gap(open, self.cursor));
        let head = Anchor { item: self.cursor, row: gap };
        let end = Anchor { item: self.cursor, row: height.saturating_sub(1) };
        let (pinned, counted) = (usize::from(self.pinned), usize::from(self.new_below > 0));
        let available = self.height.saturating_sub(pinned + counted);
        let is_whole = height - gap <= available;
        let top = self.top;
        if towards == Towards::End {
            let wanted = if is_whole { end } else { head };
            self.top = Anchor { row: wanted.row + 1, ..wanted };
            self.step_up(open, context, self.height.saturating_sub(counted));
            self.top = self.top.max(top);
        } else {
            self.top = if is_whole { head } else { end };
            self.step_up(open, context, pinned);
            self.top = self.top.min(top);
        }
    }

    /// Scrolls a block that is out of view to the upper third of it.
    fn reveal_with_context(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        let height = self.item_height(open, context, self.cursor);
        let head = Anchor { item: self.cursor, row: usize::from(has_gap(open, self.cursor)) };
        let end = Anchor { item: self.cursor, row: height.saturating_sub(1) };
        let shown = self.visible_rows(open, context);
        if shown.contains(&head) && shown.contains(&end) {
            return;
        }
        self.leave_end(open, context);
        self.top = head;
        self.step_up(open, context, self.height / 3);
        self.top = self.top.min(self.lowest_top(open, context));
    }

    /// The cursor is on the last block, and the end is in view.
    fn is_at_end(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) -> bool {
        let cursor = self.cursor;
        self.cursor_to_end(open, context);
        let is_last = std::mem::replace(&mut self.cursor, cursor) == cursor;
        is_last && self.lowest_top(open, context) <= self.top
    }

    /// The lowest top of a full view.
    fn lowest_top(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) -> Anchor {
        self.back_from_end(open, context, self.height)
    }
}
