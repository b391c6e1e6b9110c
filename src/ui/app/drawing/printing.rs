//! The app on an inline screen: when it only shows the live rows, and which entries it prints above them.
//!
//! The live rows are the composer, the status line and the streamed text. Other panes and overlays take more
//! rows as long as they are open; nothing is printed meanwhile, so that the text does not move, and dialogs
//! that are only browsed are not printed.

use std::time::Instant;

use ratatui::layout::{Rect, Size};
use ratatui::style::Style;
use ratatui::text::Line;

use super::inline::{EndingPrinted, Inline};
use super::screen::{DialogNames, MIN_SIZE, live_height, speaker};
use crate::app::App;
use crate::app::flow::ending::DemoEnding;
use crate::cx::UiSettings;
use crate::focus::Focus;
use crate::inline::{InlineLog, LogEntry, Spacing, block_rows, heading, is_late, note};
use crate::model::Model;
use crate::panes::strip::Strip;
use crate::panes::transcript::{LayoutContext, OpenDialog};
use crate::theme::Role;

/// Rows printed with one frame; more follow with the next ones.
const MAX_ROWS_AT_ONCE: usize = 400;
/// More rows than the text at the end of a demo has.
const ENDING_ROWS: u16 = 200;

/// How much is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintAmount {
    /// As much as with one frame, while only the live rows are shown.
    OneFrame,
    /// Everything, also entries that wait: it is the end.
    All,
}

impl App {
    /// True on an inline screen without other panes and overlays.
    pub(in crate::app) fn shows_live_rows(&self) -> bool {
        let writes = self.focus.is(Focus::Composer) || self.model.tree.is_empty();
        let alone = self.overlays.is_empty() && (writes || !self.startup.is_listed());
        self.inline.is_some() && (alone || self.quitting.has_begun())
    }

    /// The rows of the next frame on an inline screen in a terminal of this size; `None` on a full one.
    pub fn inline_rows(&mut self, terminal: Size) -> Option<u16> {
        self.inline.as_mut()?.terminal = terminal;
        let Size { width, height } = terminal;
        Some(if width < MIN_SIZE.0 || height < MIN_SIZE.1 {
            1
        } else if self.shows_live_rows() {
            live_height(&self.writing, self.queue_in_view().len(), terminal)
        } else {
            (height / 3 * 2).clamp(MIN_SIZE.1, height)
        })
    }

    /// The rows that are to be printed now; none on a full screen.
    pub fn take_printed(&mut self, amount: PrintAmount) -> Vec<Line<'static>> {
        let waits = amount == PrintAmount::OneFrame && !self.shows_live_rows();
        let Some(inline) = self.inline.as_mut().filter(|_| !waits) else { return Vec::new() };
        let source = PrintSource {
            model: &self.model,
            open: self.reading.open(),
            ending: &self.ending,
            ui: &self.ui,
            now: self.redraw.now(),
        };
        let (rows, is_more) = source.print(inline, amount);
        self.redraw.mark_if(is_more);
        rows
    }

    /// Lays the next frame out if something waits for that, and one was laid out already.
    pub(in crate::app) fn settle(&mut self, waits: bool) {
        let Some(laid_out) = self.size.filter(|_| waits) else { return };
        let size = match self.inline.as_ref().map(|inline| inline.terminal) {
            None => Some(laid_out),
            Some(terminal) => self.inline_rows(terminal).map(|height| Size { height, ..terminal }),
        };
        if let Some(size) = size {
            self.layout(size);
        }
    }
}

/// What is printed above the live rows.
struct PrintSource<'a> {
    model: &'a Model,
    open: Option<&'a OpenDialog>,
    ending: &'a DemoEnding,
    ui: &'a UiSettings,
    now: Instant,
}

impl PrintSource<'_> {
    /// Returns the rows; true if more follow with the next frame.
    fn print(&self, inline: &mut Inline, amount: PrintAmount) -> (Vec<Line<'static>>, bool) {
        let (width, mut is_more) = (inline.terminal.width, false);
        let mut rows: Vec<Strip> = Vec::new();
        if width >= MIN_SIZE.0 {
            self.collect(inline, width);
            while self.print_next(&mut inline.log, width, amount, &mut rows) {
                if rows.len() > MAX_ROWS_AT_ONCE && amount == PrintAmount::OneFrame {
                    is_more = true;
                    break;
                }
                self.collect(inline, width);
            }
        }
        let rows = rows.into_iter().map(|row| self.on_paper(row, usize::from(width)));
        (rows.collect(), is_more)
    }

    /// The row with the colours that the theme has for text without any.
    fn on_paper(&self, row: Strip, cells: usize) -> Line<'static> {
        let theme = &self.ui.theme;
        let (ink, paper) = (theme.style(Role::Text).fg, theme.paper());
        let row = if paper.is_some() { row.pad_to(cells) } else { row };
        row.into_line().style(Style { fg: ink, bg: paper, ..Style::default() })
    }

    /// Collects entries to print, once the earlier ones are printed.
    fn collect(&self, inline: &mut Inline, width: u16) {
        if inline.log.is_printed() {
            self.collect_blocks(&mut inline.log);
        }
        if inline.log.is_printed() {
            self.collect_ending(inline, width);
        }
    }

    /// Collects the blocks of the open dialog, unless an old course of it is open.
    fn collect_blocks(&self, log: &mut InlineLog) {
        let newest = |open: &&OpenDialog| open.loaded && open.course == open.courses;
        let Some(open) = self.open.filter(newest) else { return };
        let row = self.model.tree.get(&open.dialog);
        let title = row.map(|row| row.title.as_str()).unwrap_or_default();
        let slug = row.and_then(|row| row.slug.as_ref()).map(|slug| format!(" !{slug}"));
        let speaker = speaker(open, row);
        let name = format!("{speaker}{}", slug.unwrap_or_default());
        let is_from_start = open.older_before().is_none();
        log.collect(
            &open.dialog,
            (&speaker, &name, title),
            open.transcript.blocks(),
            is_from_start,
        );
    }

    /// Prints the next entry; false if there is none, or it has to wait.
    fn print_next(
        &self,
        log: &mut InlineLog,
        width: u16,
        amount: PrintAmount,
        rows: &mut Vec<Strip>,
    ) -> bool {
        let since = log.waits_since();
        let Some(entry) = log.next(self.ui) else { return false };
        let (printed, spacing) = self.entry_rows(&entry, usize::from(width));
        let is_late = is_late(since, self.now) || amount == PrintAmount::All;
        // Each row asks for its colours.
        let waits = printed.iter().filter(|row| row.awaits_colours()).count() > 0;
        if waits && !is_late {
            log.put_back(entry, since.unwrap_or(self.now));
            return false;
        }
        if log.space_before(spacing) {
            rows.push(Strip::new());
        }
        rows.extend(printed);
        true
    }

    fn entry_rows(&self, entry: &LogEntry, width: usize) -> (Vec<Strip>, Spacing) {
        let ui = self.ui;
        match entry {
            LogEntry::Heading { name, title } => {
                (vec![heading(name, title, width, ui)], Spacing::Apart)
            }
            LogEntry::LeftOut => (vec![note(ui)], Spacing::Apart),
            LogEntry::News(row) => {
                let cut = ui.style(Role::TextDim);
                (vec![row.clone().shortened(width, ui.glyphs.cut, cut)], Spacing::Close)
            }
            LogEntry::Block { dialog, speaker, block } => {
                let (tree, inbox) = (&self.model.tree, &self.model.inbox);
                let names = DialogNames { tree, inbox, dialog };
                let context = LayoutContext {
                    ui,
                    width,
                    unfolded: false,
                    speaker,
                    names: &names,
                    answering: None,
                    printed: None,
                };
                let spacing = if block.body.is_call() { Spacing::Close } else { Spacing::Apart };
                (block_rows(block, &context), spacing)
            }
        }
    }

    /// The text at the end of a demo, each time it is shown.
    fn collect_ending(&self, inline: &mut Inline, width: u16) {
        let area = Rect::new(0, 0, width, ENDING_ROWS);
        let mut rows = self.ending.rows(area, self.ui, false);
        // The keys, which do not act in the composer.
        rows.pop();
        let before = inline.ending;
        inline.ending = if rows.is_empty() { EndingPrinted::No } else { EndingPrinted::Yes };
        if (before, inline.ending) == (EndingPrinted::No, EndingPrinted::Yes) {
            inline.log.say(rows);
        }
    }
}
