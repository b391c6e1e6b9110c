//! Moving from match to match of a search. A match in a folded block opens it; records that are not
//! loaded are requested as long as the search needs them.

use super::anchor::{Anchor, Towards};
use super::open::OpenDialog;
use super::prose::Prose;
use super::search::{Lead, Match, Search, SearchCount, Wanted};
use super::{ScrollMove, TranscriptContext, TranscriptPane, has_gap, tail};
use crate::domain::reading::transcript::{Block, BlockBody, BlockClass};
use crate::domain::text::search_pattern::SearchPattern;
use crate::model::FoundPlace;
use crate::panes::strip::Strip;

impl TranscriptPane {
    /// Searches for this text from where the view was when the search began.
    pub fn search(&mut self, open: &OpenDialog, text: &str) {
        let start = (self.cursor, self.position(open));
        let search = self.search.get_or_insert_with(|| Search::new(start));
        search.set(text);
    }

    /// Goes to the next or the previous match; false if nothing is searched for.
    pub fn step_search(&mut self, towards: Towards) -> bool {
        let Some(search) = &mut self.search else { return false };
        search.wanted = Some(match towards {
            Towards::End => Wanted::Next,
            Towards::Start => Wanted::Previous,
        });
        true
    }

    /// Goes back to where the search began, and ends it.
    pub fn leave_search(&mut self) {
        if let Some(search) = self.search.take() {
            self.go(search.start.1.map_or(ScrollMove::End, ScrollMove::Position));
        }
    }

    /// Ends the search; the view stays. False if there is none.
    pub fn end_search(&mut self) -> bool {
        self.search.take().is_some()
    }

    pub fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    pub fn search_count(&self, open: &OpenDialog) -> Option<SearchCount> {
        let search = self.search.as_ref().filter(|search| !search.pattern.is_empty())?;
        Some(search.count(open.is_complete()))
    }

    /// The search no longer waits for older records.
    pub(super) fn stop_seeking(&mut self) {
        if let Some(search) = &mut self.search {
            search.wanted = None;
        }
    }

    /// The search needs older records.
    pub(super) fn seeks_match(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.wanted.is_some())
    }

    /// Counts matches and moves to the wanted one.
    pub(super) fn apply_search(&mut self, open: &mut OpenDialog, context: &TranscriptContext<'_>) {
        let Some(mut search) = self.search.take() else { return };
        if search.pattern.is_empty() {
            search.wanted = None;
            self.search = Some(search);
            return;
        }
        search.scan(open);
        if let Some(wanted) = search.wanted.take() {
            match search.lead(wanted, open.is_complete()) {
                Lead::To(to) => {
                    search.current = Some(to);
                    self.show_match(open, context, &search, to);
                }
                Lead::Older => {
                    self.leave_end(open, context);
                    search.wanted = Some(wanted);
                }
                Lead::Nowhere => {}
            }
        }
        self.search = Some(search);
    }

    /// Goes to the match in a block that a search of dialogs found; from here on this dialog is searched for it.
    pub(super) fn show_found(
        &mut self,
        open: &mut OpenDialog,
        context: &TranscriptContext<'_>,
        item: isize,
        found: &FoundPlace,
    ) {
        self.keep_top_place(open, context);
        let mut search = Search::new((item, self.position(open)));
        search.set(&found.text);
        search.wanted = None;
        search.scan(open);
        // The text of the record may have several blocks.
        let begin = open.first_part(item);
        let has_match = |item: &isize| search.has(Match { item: *item, nth: 0 });
        let item = (begin..=item).find(has_match).unwrap_or(begin);
        let nth = search.first_of(open, item, found);
        let to = Match { item, nth };
        search.current = search.has(to).then_some(to);
        self.show_match(open, context, &search, to);
        self.search = Some(search).filter(|search| !search.pattern.is_empty());
    }

    /// Puts the cursor on the block with the match and scrolls its row into view.
    fn show_match(
        &mut self,
        open: &mut OpenDialog,
        context: &TranscriptContext<'_>,
        search: &Search,
        to: Match,
    ) {
        self.step_back = None;
        self.target = None;
        if std::mem::take(&mut self.to_end) {
            self.top = self.back_from_end(open, context, self.height);
        }
        self.leave_end(open, context);
        self.cursor = to.item;
        let mut place = self.place_of_match(open, context, search, to);
        if place.is_none() && !open.is_open(to.item) && open.toggle(to.item) {
            open.lay_out_live(open.live_width, Prose::means(context.view.ui), false);
            self.ignore_growth();
            place = self.place_of_match(open, context, search, to);
        }
        let gap = usize::from(has_gap(open, to.item));
        let at = Anchor { item: to.item, row: gap + place.map_or(0, |place| place.row) };
        if !self.visible_rows(open, context).contains(&at) {
            self.top = at;
            self.step_up(open, context, self.height / 3);
            let lowest = self.back_from_end(open, context, self.height);
            self.top = self.top.min(lowest);
        }
    }

    /// Returns the place where the current match is drawn, if its item is in view.
    pub(super) fn place_of_current(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
    ) -> Option<(Anchor, usize)> {
        let search = self.search.take()?;
        let is_in_view = |to: &Match| self.rows.iter().any(|row| row.item == to.item);
        let current = search.current.filter(is_in_view);
        let place = current.and_then(|to| {
            let MatchPlace { row, nth } = self.place_of_match(open, context, &search, to)?;
            let gap = usize::from(has_gap(open, to.item));
            Some((Anchor { item: to.item, row: gap + row }, nth))
        });
        self.search = Some(search);
        place
    }

    /// Returns the place of this match among the rows the item shows now. Markdown may hide a match, or a row may
    /// break it: then it is the last visible one before it. A match in the cut-off part is in the last row.
    fn place_of_match(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        search: &Search,
        to: Match,
    ) -> Option<MatchPlace> {
        let is_open = open.is_open(to.item);
        let pattern = &search.pattern;
        let Some(block) = open.block(to.item) else {
            let rows = (0..tail::height(open, context, to.item))
                .map(|row| tail::rows(open, context, to.item, row).0.plain());
            // The first row is the speaker, or folded text.
            let found = find_match(rows, pattern, usize::from(is_open), to.nth);
            return found.map_or_else(|last| last.filter(|_| is_open), Some);
        };
        let (mut first, mut nth) = (head_rows(block), to.nth);
        if let (BlockBody::Tool(tool), true) = (&block.body, is_open) {
            let texts = tool.head_texts();
            let head: usize = texts.iter().map(|text| pattern.count(text, nth + 1)).sum();
            if let Some(below) = nth.checked_sub(head) {
                (first, nth) = (1, below);
            }
        }
        let layout = self.layout_of(open, context, to.item)?;
        let found = find_match(layout.rows.iter().map(Strip::plain), pattern, first, nth);
        let cut = layout.rows.len().checked_sub(1).filter(|_| layout.is_cut);
        let cut = cut.map(|row| MatchPlace { row, nth: 0 });
        found.map_or_else(|last| cut.or(last).filter(|_| is_open), Some)
    }
}

/// A row of an item, and which of the matches in that row.
#[derive(Debug, Clone, Copy)]
struct MatchPlace {
    row: usize,
    nth: usize,
}

/// Finds a match in the rows from `first` on; the error is the last match there.
fn find_match(
    rows: impl Iterator<Item = String>,
    pattern: &SearchPattern,
    first: usize,
    nth: usize,
) -> Result<MatchPlace, Option<MatchPlace>> {
    let (mut before, mut last) = (0, None);
    for (row, text) in rows.enumerate().skip(first) {
        let count = pattern.count(&text, nth + 1);
        if before + count > nth {
            return Ok(MatchPlace { row, nth: nth - before });
        }
        before += count;
        last = count.checked_sub(1).map(|nth| MatchPlace { row, nth }).or(last);
    }
    Err(last)
}

/// Returns the number of rows at the start of a block that show none of its texts.
fn head_rows(block: &Block) -> usize {
    let body = &block.body;
    let has_head = match body.class() {
        BlockClass::Words => !block.goes_on(),
        BlockClass::Call => !matches!(body, BlockBody::Tool(_)),
        // Folded, a guide shows its first line.
        BlockClass::Runtime => matches!(body, BlockBody::Push { .. }),
        BlockClass::Mark => false,
    };
    usize::from(has_head)
}
