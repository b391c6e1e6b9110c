//! The open dialog: its blocks, the streamed text, and the view on them.
//!
//! Only the visible part is laid out. The view is anchored to a row of a block, so that additions above or
//! below do not move it. While it follows the end, new text fills the pane and then the view jumps: most
//! rows are drawn once, not once per line of text. Rows that a jump left blank are filled with older text
//! once nothing changes any more. A dialog shorter than the pane ends at its lower edge, with blank rows above
//! it; while it grows, it jumps up in the same way.

mod anchor;
pub mod block;
mod context;
mod copying;
mod cursor;
mod file_of_call;
mod finding;
mod folding;
mod keys;
mod live;
mod open;
pub mod prose;
mod scroll;
mod search;
mod tail;
#[cfg(test)]
mod tests;
mod tool;
mod transcript_words;

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use anchor::{Anchor, Selection, number_without};
pub use anchor::{Landmark, ScrollMove, Stop, Towards};
pub use block::{Answering, LayoutContext, NameLookup};
pub use context::TranscriptContext;
use cursor::StepBack;
pub use file_of_call::FileOfCall;
pub use keys::{BINDINGS, SCOPE};
pub use open::{OpenDialog, ThinkingView, Unfolded};
use search::Search;
pub use search::SearchCount;

use crate::action::Action;
use crate::copies::CopyTo;
use crate::cx::{UiSettings, View};
use crate::domain::dialogs::fresh_boots::{FbrPhase, Reasoning};
use crate::domain::reading::transcript::BlockBody;
use crate::domain::text::Text;
use crate::domain::{CallId, Stamp};
use crate::model::{ReadingPlace, age};
use crate::panes::row_search::marked_matches;
use crate::panes::strip::{Strip, draw_between};
use crate::text::CopyText;
use crate::theme::Role;
use block::{BlockLayout, BlockMeta, lay_out};
use prose::{Prose, plain_rows};

/// When more rows than this are cached, those out of view are dropped.
const MAX_CACHED_ROWS: usize = 4_000;
/// The least height at which the headline of a question may take two rows.
const TWO_ROW_HEADLINE_HEIGHT: u16 = 6;
/// Cells before a headline: a symbol and a blank.
const HEADLINE_INDENT: usize = 2;

/// Returns the width of a row of streamed text if a row of the dialog has `cells` cells.
pub fn live_width(cells: usize) -> usize {
    cells.saturating_sub(2).clamp(1, block::MAX_TEXT_WIDTH)
}

/// The view on one dialog.
#[derive(Debug)]
pub struct TranscriptPane {
    top: Anchor,
    /// The item at the top, and the place of the top row in its text.
    top_place: (isize, ReadingPlace),
    follow: bool,
    /// Show the end at the next layout, with a full page.
    to_end: bool,
    moves: Vec<ScrollMove>,
    /// The block or streamed segment that keys act on.
    cursor: isize,
    /// A step of the cursor that waits for older records.
    step_back: Option<StepBack>,
    /// The row of the screen where the block with the cursor is to stay.
    kept_row: Option<usize>,
    /// The last row that was in view, or existed when following stopped: later rows are new.
    seen: Anchor,
    cache: BTreeMap<isize, CachedBlock>,
    cached_rows: usize,
    /// Cells of a row, and rows of the pane.
    width: usize,
    height: usize,
    /// The rows in view, from the top.
    rows: Vec<Anchor>,
    /// Blank rows above them, if all of the dialog is in view; as many as the pane has stand for all that are free.
    above: Option<usize>,
    /// Rows at the top of the pane taken by the question's headline.
    pinned: u16,
    /// Items below the view that were added or grew since following stopped.
    new_below: usize,
    /// The block to scroll to once it is loaded.
    target: Option<Landmark>,
    selection: Option<Selection>,
    search: Option<Search>,
    /// The row with the current match, if it is in view, and which of the matches in that row it is.
    current_match: Option<(Anchor, usize)>,
    /// Where the selected rows are copied at the next layout, and their text once it is laid out.
    taking: Option<CopyTo>,
    taken: Option<(CopyTo, CopyText)>,
    /// Blocks that were laid out so far.
    #[cfg(test)]
    laid_out: usize,
}

#[derive(Debug)]
struct CachedBlock {
    revision: u32,
    unfolded: bool,
    /// The lines of its command while that runs.
    printed: Option<Arc<[String]>>,
    layout: BlockLayout,
}

impl Default for TranscriptPane {
    fn default() -> Self {
        Self {
            top: Anchor::default(),
            top_place: (0, ReadingPlace::default()),
            follow: true,
            to_end: true,
            moves: Vec::new(),
            cursor: 0,
            step_back: None,
            kept_row: None,
            seen: Anchor::default(),
            cache: BTreeMap::new(),
            cached_rows: 0,
            width: 0,
            height: 0,
            rows: Vec::new(),
            above: Some(0),
            pinned: 0,
            new_below: 0,
            target: None,
            selection: None,
            search: None,
            current_match: None,
            taking: None,
            taken: None,
            #[cfg(test)]
            laid_out: 0,
        }
    }
}

impl TranscriptPane {
    /// Moves the view when it is drawn next.
    pub fn go(&mut self, to: ScrollMove) {
        self.moves.push(to);
    }

    /// As [`TranscriptPane::go`], but before all pending moves.
    pub fn go_first(&mut self, to: ScrollMove) {
        self.moves.insert(0, to);
    }

    /// True if the next layout moves something.
    pub fn has_pending_moves(&self) -> bool {
        let begins = self.selection == Some(Selection::Begins);
        !self.moves.is_empty() || self.taking.is_some() || begins || self.seeks_match()
    }

    /// True if something is sought that may be in older records.
    pub fn seeks_older(&self) -> bool {
        self.target.is_some()
            || self.seeks_match()
            || matches!(self.step_back, Some(StepBack::Waits(_)))
    }

    pub fn is_following(&self) -> bool {
        self.follow
    }

    /// After a new layout, row numbers differ: a partly seen block counts as seen.
    pub fn ignore_growth(&mut self) {
        self.seen.row = usize::MAX - 1;
    }

    /// Blocks that were laid out since the last call.
    #[cfg(test)]
    pub fn take_laid_out(&mut self) -> usize {
        std::mem::take(&mut self.laid_out)
    }

    /// Drops all layouts; for a new theme or a new dialog.
    pub fn forget_layout(&mut self) {
        self.cache.clear();
        self.cached_rows = 0;
    }

    /// Renumbers after these items were removed; later ones have smaller numbers.
    pub fn renumber(&mut self, gone: &[isize]) {
        if gone.is_empty() {
            return;
        }
        self.forget_layout();
        for anchor in [&mut self.top, &mut self.seen].into_iter().chain(&mut self.rows) {
            *anchor = anchor.without(gone);
        }
        self.top_place.0 = number_without(self.top_place.0, gone);
        self.cursor = number_without(self.cursor, gone);
        if let Some(Selection::Rows { fixed, moving }) = &mut self.selection {
            (*fixed, *moving) = (fixed.without(gone), moving.without(gone));
        }
        if let Some(search) = &mut self.search {
            search.renumber(gone);
        }
    }

    /// The jump target, if it is in none of the records of this course.
    pub fn take_not_found(&mut self, open: &OpenDialog) -> Option<Landmark> {
        self.target.take_if(|_| open.is_complete())
    }

    /// Arranges the view for `area`. Returns the line before which older records are wanted.
    pub fn arrange(
        &mut self,
        open: &mut OpenDialog,
        context: &TranscriptContext<'_>,
        area: Rect,
    ) -> Option<usize> {
        let width = usize::from(area.width);
        let is_new_width = width != self.width;
        if is_new_width {
            self.width = width;
            self.forget_layout();
            self.ignore_growth();
            self.end_selection();
        }
        self.set_height(area.height.into(), is_new_width);
        let means = Prose::means(context.view.ui);
        open.lay_out_live(live_width(width), means, false);
        if is_new_width && !self.follow {
            self.find_top(open, context);
        }
        if self.follow && self.target.is_none() && !self.seeks_match() {
            open.trim();
        }
        self.limit_cache();
        self.settle_view(open, context);
        self.current_match = self.place_of_current(open, context);
        self.count_new(open, context);
        let pinned = context.headline.filter(|_| !self.shows_question(open, context));
        self.pinned = pinned.map_or(0, |headline| headline_rows(headline, context.view, area).1);
        for _ in 0..self.pinned {
            self.free_row(open);
        }
        let rows = std::mem::take(&mut self.rows);
        self.cursor_into(open, &rows);
        self.rows = rows;
        let near_start = self.top.item - open.origin < 2;
        let wants = self.seeks_older() || (near_start && !open.transcript.blocks().is_empty());
        open.older_before().filter(|_| wants)
    }

    /// Draws the rows found by [`TranscriptPane::arrange`].
    pub fn draw(
        &self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        buffer: &mut Buffer,
        area: Rect,
    ) {
        if let Some(headline) = context.headline.filter(|_| self.pinned > 0) {
            draw_headline(headline, context.view, buffer, area);
        }
        let is_drawn = |at: &Anchor| {
            at.item == self.cursor
                && at.item < scroll::end_of_text(open)
                && at.row >= usize::from(has_gap(open, at.item))
        };
        let cursor = self.rows.iter().position(is_drawn);
        let lead = u16::try_from(self.lead()).unwrap_or(area.height).min(area.height);
        for (row, (y, at)) in (area.y + lead..area.bottom()).zip(&self.rows).enumerate() {
            let line = Rect { y, height: 1, ..area };
            self.draw_row(open, context, buffer, line, *at);
            if self.selection.is_some_and(|selection| selection.contains(*at)) {
                buffer.set_style(line, context.view.ui.style(Role::RowSelected));
            }
            if context.focused && cursor == Some(row) && area.x > 0 {
                let bar = Strip::new()
                    .put(context.view.ui.glyphs.selected, context.view.ui.style(Role::Accent));
                bar.draw(buffer, Rect { x: area.x - 1, y, width: 1, height: 1 }, y);
            }
        }
        self.draw_new_below(context, buffer, area);
    }

    /// Returns the number of letters of each row of an item, with the blank row before it.
    fn letters_of(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        item: isize,
    ) -> Vec<usize> {
        let mut all = vec![0; usize::from(has_gap(open, item))];
        if open.block(item).is_some() {
            let rows = self.layout_of(open, context, item).map(|layout| &layout.rows);
            all.extend(rows.into_iter().flatten().map(Strip::letters));
        } else {
            let rows = 0..tail::height(open, context, item);
            all.extend(rows.map(|row| tail::rows(open, context, item, row).0.letters()));
        }
        all
    }

    /// True if the headline of the question in the composer is in view.
    fn shows_question(&mut self, open: &OpenDialog, context: &TranscriptContext<'_>) -> bool {
        let asked = |call: &CallId| open.find(|block| block.body.makes_call(call));
        let Some(item) = context.answering.and_then(|answering| asked(answering.call)) else {
            return false;
        };
        let gap = usize::from(has_gap(open, item));
        let headline = self.layout_of(open, context, item).map(|layout| layout.headline + gap);
        headline.is_some_and(|row| self.rows.contains(&Anchor { item, row }))
    }

    /// Drops one row for a row of the headline: the first, which can be reached by scrolling; at the start
    /// of the dialog, the last.
    fn free_row(&mut self, open: &OpenDialog) {
        let taken = usize::from(self.pinned) + usize::from(self.new_below > 0);
        if self.height.saturating_sub(self.rows.len()) >= taken {
            return;
        }
        if self.top.item <= open.origin && self.top.row == 0 {
            self.rows.pop();
        } else {
            self.rows.remove(0);
        }
    }

    /// Draws the count in the row that [`Self::count_new`] keeps free.
    fn draw_new_below(&self, context: &TranscriptContext<'_>, buffer: &mut Buffer, area: Rect) {
        if self.new_below == 0 || area.height == 0 {
            return;
        }
        let (count, ui) = (self.new_below, context.view.ui);
        let text =
            format!(" {} {count} {} ", ui.glyphs.below, ui.text(transcript_words::NEW_BELOW));
        let strip = Strip::new().put(&text, ui.style(Role::TextDim));
        strip.draw_right(buffer, area, area.bottom() - 1);
    }

    fn draw_row(
        &self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        buffer: &mut Buffer,
        area: Rect,
        at: Anchor,
    ) {
        let gap = usize::from(has_gap(open, at.item));
        let Some(row) = at.row.checked_sub(gap) else {
            return;
        };
        if open.block(at.item).is_none() {
            let mut strips = tail::rows(open, context, at.item, row);
            if open.live_at(at.item).is_some() {
                strips.0 = self.marked(at, strips.0, context.view.ui);
            }
            draw_between(buffer, area, area.y, (&strips.0, &strips.1), context.view.ui.glyphs.cut);
            return;
        }
        let Some(layout) = self.cache.get(&at.item).map(|cached| &cached.layout) else {
            return;
        };
        let Some(strip) = layout.rows.get(row) else {
            return;
        };
        let strip = self.marked(at, strip.clone(), context.view.ui);
        let meta = if row == 0 { meta_strip(&layout.meta, context) } else { Strip::new() };
        draw_between(buffer, area, area.y, (&strip, &meta), context.view.ui.glyphs.cut);
    }

    /// The row with its matches marked.
    fn marked(&self, at: Anchor, row: Strip, ui: &UiSettings) -> Strip {
        let Some(search) = &self.search else { return row };
        let current = self.current_match.filter(|(place, _)| *place == at);
        marked_matches(row, &search.pattern, current.map(|(_, nth)| nth), ui)
    }

    /// The layout of a block, cached until the block changes.
    fn layout_of(
        &mut self,
        open: &OpenDialog,
        context: &TranscriptContext<'_>,
        item: isize,
    ) -> Option<&BlockLayout> {
        let block = open.block(item)?;
        let unfolded = open.unfolded.has(block);
        let printed = open.printed(block).cloned();
        let waits = matches!(&block.body, BlockBody::Question(asked) if asked.answer.is_none());
        let fresh = self.cache.get(&item).is_some_and(|cached| {
            let is_same = cached.revision == block.revision && cached.unfolded == unfolded;
            is_same && cached.printed == printed && !waits
        });
        if !fresh {
            let layout_context = LayoutContext {
                ui: context.view.ui,
                width: self.width,
                unfolded,
                speaker: context.speaker,
                names: context.names,
                answering: context.answering,
                printed: printed.as_deref(),
            };
            let layout = lay_out(block, &layout_context);
            #[cfg(test)]
            {
                self.laid_out += 1;
            }
            self.cached_rows += layout.rows.len();
            let revision = block.revision;
            let cached = CachedBlock { revision, unfolded, printed, layout };
            if let Some(old) = self.cache.insert(item, cached) {
                self.cached_rows = self.cached_rows.saturating_sub(old.layout.rows.len());
            }
        }
        self.cache.get(&item).map(|cached| &cached.layout)
    }

    fn limit_cache(&mut self) {
        if self.cached_rows > MAX_CACHED_ROWS {
            let in_view = |item: &isize| self.rows.iter().any(|row| row.item == *item);
            self.cache.retain(|item, _| in_view(item));
            self.cached_rows = self.cache.values().map(|cached| cached.layout.rows.len()).sum();
        }
    }
}

/// True if a blank row precedes an item: everywhere except at the start, between calls and within a text.
fn has_gap(open: &OpenDialog, item: isize) -> bool {
    if item <= open.origin {
        return false;
    }
    let this = open.block(item);
    if let Some(part) = this.filter(|block| block.goes_on()).and_then(|block| block.part.as_ref()) {
        return part.after_blank;
    }
    match (open.block(item - 1), this) {
        (Some(before), Some(this)) => !(before.body.is_call() && this.body.is_call()),
        _ => true,
    }
}

/// Draws the headline of a question that is out of view, in at most two rows. Returns the number of
/// rows.
pub fn draw_headline(headline: &str, view: View<'_>, buffer: &mut Buffer, area: Rect) -> u16 {
    let (rows, taken) = headline_rows(headline, view, area);
    for (y, row) in (area.y..area.bottom()).zip(rows) {
        row.draw(buffer, area, y);
    }
    taken
}

fn headline_rows(headline: &str, view: View<'_>, area: Rect) -> (Vec<Strip>, u16) {
    let ui = view.ui;
    let style = ui.style(Role::TextStrong);
    let limit = if area.height < TWO_ROW_HEADLINE_HEIGHT { 1 } else { 2 };
    let cells = usize::from(area.width).saturating_sub(HEADLINE_INDENT).max(1);
    let mut rows = plain_rows(headline, HEADLINE_INDENT, cells, style);
    let is_cut = rows.len() > limit;
    rows.truncate(limit);
    if let Some(last) = rows.pop() {
        let last = if is_cut { last.put(ui.glyphs.cut, style) } else { last };
        rows.push(last.shortened(usize::from(area.width), ui.glyphs.cut, style));
    }
    if let Some(first) = rows.first_mut() {
        *first = first.clone().led_by(ui.glyphs.needs_you, ui.style(Role::Attention));
    }
    let taken = u16::try_from(rows.len()).unwrap_or(u16::MAX);
    (rows, taken)
}

fn meta_strip(meta: &BlockMeta, context: &TranscriptContext<'_>) -> Strip {
    let view = context.view;
    match meta {
        BlockMeta::Nothing => Strip::new(),
        BlockMeta::Fixed(strip) => strip.clone(),
        BlockMeta::Working(_, Some(by)) if context.names.asks_person(by) => {
            let ui = view.ui;
            let keys = [Action::OtherEnd, Action::Answer].map(|action| ui.key(SCOPE, action));
            let text = format!("  {}", keys.join(" "));
            Strip::new()
                .put(ui.text(transcript_words::ASKS_YOU), ui.style(Role::Attention))
                .put(&text, ui.style(Role::TextDim))
        }
        BlockMeta::Working(since, _) => {
            let text = elapsed(transcript_words::WORKING, since, view);
            let text = format!("{text}  {}", view.ui.glyphs.enter);
            Strip::new().put(&text, view.ui.style(Role::TextDim))
        }
        BlockMeta::Running(since) => {
            let text = elapsed(transcript_words::RUNNING, since, view);
            Strip::new().put(&text, view.ui.style(Role::TextDim))
        }
    }
}

/// What goes on, and for how long.
fn elapsed(what: Text, since: &Stamp, view: View<'_>) -> String {
    let seconds = age::seconds_since(since, view.now).unwrap_or(0);
    format!("{} {} {}", view.ui.text(what), view.ui.glyphs.middle_dot, age::long(seconds))
}

/// The parts of the title after the speaker: the subject, and course and generation.
pub fn title(open: &OpenDialog, about: &str, gen_number: u32, ui: &UiSettings) -> (String, String) {
    let dot = format!(" {} ", ui.glyphs.middle_dot);
    let mut tail = format!("{dot}{} {}", ui.text(transcript_words::COURSE_BEGINS), open.course);
    if open.course != open.courses {
        tail.push_str(&format!(" {} {}", ui.text(transcript_words::OF), open.courses));
    }
    if gen_number > 0 {
        tail.push_str(&format!("{dot}{} {gen_number}", ui.text(transcript_words::GENERATION)));
    }
    let about = if about.is_empty() { String::new() } else { format!("{dot}{about}") };
    (about, tail)
}

/// Shows that a dialog does fresh-boots reasoning, and its round.
pub fn rounds(reasoning: Reasoning, ui: &UiSettings) -> String {
    let what = ui.text(transcript_words::FRESH_BOOTS);
    let Reasoning::In(round) = reasoning else { return format!(" {what}") };
    let phase = match round.phase {
        FbrPhase::Divergence => transcript_words::DIVERGENCE,
        FbrPhase::Convergence => transcript_words::CONVERGENCE,
        FbrPhase::Finalization => transcript_words::FINALIZATION,
    };
    let (dot, phase) = (ui.glyphs.middle_dot, ui.text(phase));
    format!(" {what} {dot} {phase} {}/{}", round.iteration, round.effort)
}
