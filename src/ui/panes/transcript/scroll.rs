//! The position of the view and its moves.

use super::anchor::{Anchor, Landmark, ScrollMove, Stop, Towards};
use super::open::OpenDialog;
use super::{TranscriptContext, TranscriptPane, has_gap, tail};
use crate::domain::reading::transcript::{Block, BlockBody};
use crate::model::{BlockPosition, ReadingPlace, ViewPosition};

impl ScrollMove {
    fn towards(&self) -> Towards {
        match self {
            Self::Up(_) | Self::Start | Self::Position(_) => Towards::Start,
            Self::HalfPages(count)
            | Self::Pages(count)
            | Self::Lines(count)
            | Self::Generations(count)
                if *count < 0 =>
            {
                Towards::Start
            }
            Self::HalfPages(_)
            | Self::Pages(_)
            | Self::Lines(_)
            | Self::Generations(_)
            | Self::Down(_)
            | Self::End
            | Self::Target(_)
            | Self::Cursor(_) => Towards::End,
        }
    }
}

impl Landmark {
    fn matches(&self, block: &Block) -> bool {
        match self {
            Self::Call(call) => block.body.makes_call(call),
            Self::Assignment(wanted) => {
                matches!(&block.body, BlockBody::Assignment { call, .. } if call == wanted)
            }
            Self::Found(found) => {
                let completed = found.completes.as_ref();
                block.place == found.place
                    || completed.is_some_and(|call| block.body.makes_call(call))
            }
            Self::Generation(genseq) => block.genseq == Some(*genseq),
        }
    }
}

/// When following jumps, 1/`KEPT_SHARE` of the pane's rows stays in view.
const KEPT_SHARE: usize = 4;

impl TranscriptPane {
    /// Applies pending moves, keeps the view within the items, and lists the rows in view.
    pub(super) fn settle_view(&mut self, open: &mut OpenDialog, context: &TranscriptContext<'_>) {
        self.keep_inside(open, context);
        if self.above.is_some() && self.top > first(open) {
            // Older records came: they take the blank rows above.
            self.top = self.back_from_end(open, context, self.height);
        }
        self.apply_selection(open, context);
        for to in std::mem::take(&mut self.moves) {
            let by_rows = matches!(to, ScrollMove::Up(Stop::Block) | ScrollMove::Down(Stop::Block));
            let towards = to.towards();
            self.apply_move(open, context, to);
            if !by_rows {
                self.selection_into_view(open, context, towards);
            }
        }
        self.apply_search(open, context);
        self.take_text(open, context);
        if let Some(landmark) = self.target.clone() {
            self.show_sought(open, context, &landmark);
        }
        self.retry_step_back(open, context);
        self.apply_kept_row(open, context);
        if std::mem::take(&mut self.to_end) {
            self.top = self.back_from_end(open, context, self.height);
            self.above = Some(self.height);
        }
        if self.follow {
            self.follow_end(open, context);
            self.cursor_to_end(open, context);
        }
        let mut rows = self.rows_from(open, context, self.top);
        let is_settled = !self.follow || self.above == Some(self.height);
        if is_settled && rows.len() < self.height && self.fits(open, context) {
            self.top = first(open);
            rows = self.rows_from(open, context, self.top);
        }
        self.keep_top_place(open, context);
        self.rows = rows;
        self.settle_above(open, context);
    }

    /// Takes another height; the distance from the lower edge stays.
    pub(super) fn set_height(&mut self, height: usize, is_new_width: bool) {
        let kept = |above: usize| (above + height).saturating_sub(self.height);
        self.above = self.above.map(|above| if is_new_width { height } else { kept(above) });
        self.height = height;
    }

    /// Decides how many rows stay blank above a dialog that fits. What grows takes the free rows below it, and then
    /// jumps up as far as a full pane does.
    fn settle_above(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        if self.top > first(open) || !self.fits(open, context) {
            self.above = None;
            return;
        }
        let free = self.height.saturating_sub(self.rows.len());
        let before = self.above.unwrap_or(if self.follow { 0 } else { self.height });
        let grows = self.follow && (open.began.is_some() || open.is_streaming());
        self.above = Some(if before <= free {
            before
        } else if grows && before < self.height {
            free.saturating_sub(self.height - self.height.div_ceil(KEPT_SHARE))
        } else {
            free
        });
    }

    /// True if all of the dialog fits into the pane.
    fn fits(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) -> bool {
        self.rows_below(open, context, first(open), self.height + 1) <= self.height
    }

    /// Rows above the first one in view: blank ones, with the headline of a question in the first of them.
    pub(super) fn lead(&self) -> usize {
        self.above.unwrap_or(0).max(self.pinned.into())
    }

    /// After a new width, finds the row with the place that was at the top.
    pub(super) fn find_top(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        let (Anchor { item, row }, (_, mut place)) = (self.top, self.top_place);
        self.top.row = place.row_at(self.width, row, || self.letters_of(open, context, item));
        self.top_place.1 = place;
        self.keep_inside_item(open, context);
        self.keep_top_place(open, context);
    }

    /// Keeps the place in the text at the top, to which a new width and a way back lead.
    pub(super) fn keep_top_place(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        let Anchor { item, row } = self.top;
        let (before, place) = self.top_place;
        let is_kept = before == item && !self.follow;
        let mut place = if is_kept { place } else { ReadingPlace::default() };
        if !self.follow {
            // Streamed text grows at its end alone.
            let rows = open.block(item).map_or(0, |_| self.item_height(open, context, item));
            place.stands_at(self.width, (row, rows), || self.letters_of(open, context, item));
        }
        self.top_place = (item, place);
    }

    fn apply_move(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>, to: ScrollMove) {
        let half = isize::try_from(self.height / 2).unwrap_or(1).max(1);
        // A further move ends the wait for older records.
        self.step_back = None;
        self.stop_seeking();
        match to {
            ScrollMove::Up(Stop::Block) if self.extend_selection(open, context, Towards::Start) => {
            }
            ScrollMove::Down(Stop::Block) if self.extend_selection(open, context, Towards::End) => {
            }
            ScrollMove::Up(stop) => self.step_cursor(open, context, stop, Towards::Start),
            ScrollMove::Down(stop) => self.step_cursor(open, context, stop, Towards::End),
            ScrollMove::HalfPages(count) => self.lines(open, context, count * half),
            ScrollMove::Pages(count) => {
                let page = isize::try_from(self.height).unwrap_or(1).saturating_sub(2).max(1);
                self.lines(open, context, count * page);
            }
            ScrollMove::Lines(count) => self.lines(open, context, count),
            ScrollMove::Cursor(item) => self.cursor_to(open, context, item),
            ScrollMove::Start => {
                self.leave_end(open, context);
                self.top = first(open);
                self.cursor = open.origin;
            }
            ScrollMove::End => self.follow_again(),
            ScrollMove::Generations(step) => self.generation(open, context, step),
            ScrollMove::Target(landmark) => self.target = Some(landmark),
            ScrollMove::Position(ViewPosition { top, row: place, cursor }) => {
                if let Some(item) = open.find(|block| BlockPosition::of(block) == top) {
                    self.leave_end(open, context);
                    let row = place.row_in(self.letters_of(open, context, item));
                    self.top = Anchor { item, row };
                    self.top_place = (item, place);
                    self.keep_inside_item(open, context);
                    self.keep_top_place(open, context);
                    let is_there = |block: &Block| BlockPosition::of(block) == cursor;
                    self.cursor = open.find(is_there).unwrap_or(item);
                }
            }
        }
    }

    pub(super) fn follow_again(&mut self) {
        self.follow = true;
        self.to_end = true;
        self.target = None;
    }

    pub(super) fn leave_end(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        if self.follow {
            self.follow = false;
            self.seen = self.last_row(open, context);
        }
        self.to_end = false;
    }

    /// The last row of text, without the lines about the dialog's state.
    fn last_row(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) -> Anchor {
        let item = end_of_text(open) - 1;
        let height = self.item_height(open, context, item);
        Anchor { item, row: height.saturating_sub(1) }
    }

    /// Counts new blocks below the view. If there are any, the lowest row is reserved for the count, so
    /// that it covers no text.
    pub(super) fn count_new(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        let last = self.last_row(open, context);
        let in_view = |rows: &[Anchor]| rows.last().copied().unwrap_or_default().min(last);
        let seen = self.seen.max(in_view(&self.rows));
        if self.follow || seen >= last {
            self.seen = last;
            self.new_below = 0;
            return;
        }
        if self.rows.len() == self.height {
            self.rows.pop();
        }
        self.seen = self.seen.max(in_view(&self.rows));
        let grew = self.seen.row + 1 < self.item_height(open, context, self.seen.item);
        let came = usize::try_from(last.item - self.seen.item).unwrap_or(0);
        self.new_below = came + usize::from(grew);
    }

    /// Scrolls by lines; the cursor stays in view.
    fn lines(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>, lines: isize) {
        self.target = None;
        if std::mem::take(&mut self.to_end) {
            self.top = self.back_from_end(open, context, self.height);
        }
        if lines < 0 {
            self.leave_end(open, context);
            if self.step_up(open, context, lines.unsigned_abs()) > 0 {
                self.cursor = open.origin;
            }
        } else {
            self.step_down(open, context, lines.unsigned_abs());
            if self.back_from_end(open, context, self.height) <= self.top {
                self.follow_again();
                return;
            }
        }
        let rows = self.visible_rows(open, context);
        self.cursor_into(open, &rows);
    }

    /// Moves the view up; returns the number of rows missing at the start.
    pub(super) fn step_up(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        count: usize,
    ) -> usize {
        let mut left = count;
        loop {
            if self.top.row >= left {
                self.top.row -= left;
                return 0;
            }
            left -= self.top.row;
            self.top.row = 0;
            if self.top.item <= open.origin {
                return left;
            }
            self.top.item -= 1;
            self.top.row = self.item_height(open, context, self.top.item);
        }
    }

    pub(super) fn step_down(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        count: usize,
    ) {
        let last = end_of_items(open, context) - 1;
        self.top.row += count;
        while self.top.item < last {
            let height = self.item_height(open, context, self.top.item);
            if self.top.row < height {
                return;
            }
            self.top.row -= height;
            self.top.item += 1;
        }
        self.keep_inside_item(open, context);
    }

    fn generation(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>, step: isize) {
        let begins = |item: isize| {
            let this = open.block(item).and_then(|block| block.genseq);
            let before = open.block(item - 1).and_then(|block| block.genseq);
            this.is_some() && this != before
        };
        let found = if step < 0 {
            (open.origin..self.cursor).rev().find(|item| begins(*item))
        } else {
            (self.cursor + 1..open.end()).find(|item| begins(*item))
        };
        let Some(item) = found else {
            if step < 0 {
                self.apply_move(open, context, ScrollMove::Start);
            } else {
                self.follow_again();
            }
            return;
        };
        self.leave_end(open, context);
        self.top = Anchor { item, row: usize::from(has_gap(open, item)) };
        self.cursor = item;
    }

    /// Scrolls a block into view; if it is the last one, follows the end.
    fn show_sought(
        &mut self,
        open: &mut OpenDialog,
        context: &TranscriptContext<'_>,
        landmark: &Landmark,
    ) {
        let Some(mut item) = open.find(|block| landmark.matches(block)) else {
            return;
        };
        self.target = None;
        let at_top = match landmark {
            Landmark::Found(found) => return self.show_found(open, context, item, found),
            Landmark::Call(_) => false,
            Landmark::Assignment(_) => true,
            Landmark::Generation(_) => {
                while open.block(item - 1).is_some_and(|block| landmark.matches(block)) {
                    item -= 1;
                }
                true
            }
        };
        self.cursor = item;
        if at_top {
            self.leave_end(open, context);
            self.top = Anchor { item, row: usize::from(has_gap(open, item)) };
            return;
        }
        if item + 1 >= end_of_items(open, context) {
            self.follow_again();
            return;
        }
        self.leave_end(open, context);
        self.top = Anchor { item, row: self.item_height(open, context, item) };
        self.step_up(open, context, self.height);
    }

    /// Follows the end: text fills the pane; when it is full, the view jumps so that its last quarter stays
    /// in view, or more if the dialog's state needs more rows. No text comes below an open question: it is at
    /// the end of a full pane, after the text that leads to it. Each kept row is drawn again if the terminal
    /// cannot move it, and a reader needs a few to find the place.
    fn follow_end(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        let shown = self.rows_below(open, context, self.top, self.height + 1);
        let kept = self.height.div_ceil(KEPT_SHARE).max(1);
        let has_more_above = self.top > first(open);
        if shown > self.height || (shown < kept && has_more_above) {
            let asks = ends_with_question(open);
            let whole = if asks { self.height } else { self.rows_of_tail(open, context) };
            self.top = self.back_from_end(open, context, kept.max(whole.min(self.height)));
        }
    }

    /// True while a jump has left rows blank that older text could fill, or a dialog that fits.
    pub fn has_blank_rows(&self) -> bool {
        self.follow && !self.to_end && self.lead() + self.rows.len() < self.height
    }

    /// Leaves no row blank below the text at the next layout.
    pub fn fill(&mut self) {
        self.to_end = self.follow;
    }

    /// The rows at the end that say why the dialog stopped, which must be fully visible.
    fn rows_of_tail(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) -> usize {
        let item = end_of_text(open);
        if item >= end_of_items(open, context) {
            return 0;
        }
        let row = usize::from(has_gap(open, item));
        self.rows_below(open, context, Anchor { item, row }, self.height + 1)
    }

    fn keep_inside(&mut self, open: &mut OpenDialog, context: &TranscriptContext<'_>) {
        let live_at = usize::try_from(self.top.item - open.end()).ok();
        if let Some(dropped) = live_at.map(|at| open.live.take_dropped(at)) {
            self.top.row = self.top.row.saturating_sub(dropped);
        }
        if self.top.item < open.origin {
            self.top = first(open);
        }
        if self.top.item >= end_of_items(open, context) {
            self.top = self.back_from_end(open, context, self.height);
        }
        self.keep_inside_item(open, context);
    }

    fn keep_inside_item(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) {
        let height = self.item_height(open, context, self.top.item);
        self.top.row = self.top.row.min(height.saturating_sub(1));
    }

    /// The anchor from which `rows` rows reach to the end.
    pub(super) fn back_from_end(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        rows: usize,
    ) -> Anchor {
        let before = self.top;
        self.top = Anchor { item: end_of_items(open, context), row: 0 };
        self.step_up(open, context, rows);
        std::mem::replace(&mut self.top, before)
    }

    /// Rows from an anchor to the end, counted up to `most`.
    fn rows_below(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        from: Anchor,
        limit: usize,
    ) -> usize {
        let mut count = 0;
        let mut skip = from.row;
        for item in from.item..end_of_items(open, context) {
            count += self.item_height(open, context, item).saturating_sub(skip);
            skip = 0;
            if count >= limit {
                return limit;
            }
        }
        count
    }

    pub(super) fn rows_from(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        from: Anchor,
    ) -> Vec<Anchor> {
        let mut rows = Vec::with_capacity(self.height);
        let mut first_row = from.row;
        for item in from.item..end_of_items(open, context) {
            let height = self.item_height(open, context, item);
            for row in first_row..height {
                if rows.len() == self.height {
                    return rows;
                }
                rows.push(Anchor { item, row });
            }
            first_row = 0;
        }
        rows
    }

    /// Rows of an item, with the blank row before it.
    pub(super) fn item_height(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        item: isize,
    ) -> usize {
        let gap = usize::from(has_gap(open, item));
        let rows = if open.block(item).is_some() {
            self.layout_of(open, context, item).map_or(0, |layout| layout.rows.len())
        } else {
            tail::height(open, context, item)
        };
        if rows == 0 { 0 } else { rows + gap }
    }
}

/// True if the last text is a question without an answer.
fn ends_with_question(open: &OpenDialog) -> bool {
    open.block(end_of_text(open) - 1).is_some_and(
        |block| matches!(&block.body, BlockBody::Question(asked) if asked.answer.is_none()),
    )
}

pub(super) fn first(open: &OpenDialog) -> Anchor {
    Anchor { item: open.origin, row: 0 }
}

/// Returns one past the number of the last item.
fn end_of_items(open: &OpenDialog, context: &TranscriptContext<'_>) -> isize {
    end_of_text(open).saturating_add_unsigned(usize::from(!context.tail.is_empty()))
}

/// Returns one past the number of the last block or live segment.
pub(super) fn end_of_text(open: &OpenDialog) -> isize {
    open.end().saturating_add_unsigned(open.live.segments().len())
}
