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
use super::screen::{DialogNames, MIN_SIZE, speaker};
use crate::app::App;
use crate::cx::UiSettings;
use crate::domain::DialogId;
use crate::focus::Focus;
use crate::follow_up::{FollowUp, FollowUps};
use crate::inline::{InlineLog, LogEntry, Spacing, block_rows, heading, is_late, note};
use crate::panes::strip::Strip;
use crate::panes::transcript::{LayoutContext, OpenDialog};
use crate::theme::Role;

/// Rows printed with one frame; more follow with the next ones.
const MAX_ROWS_AT_ONCE: usize = 400;
/// More rows than the text at the end of a demo has.
const ENDING_ROWS: u16 = 200;

/// How much is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amount {
    OneFrame,
    /// Everything, also entries that wait: it is the end.
    All,
}

impl App {
    /// Makes it an inline screen.
    pub fn be_inline(&mut self) {
        self.inline = Some(Inline::default());
    }

    /// True if the screen is inline.
    pub(in crate::app) fn is_inline(&self) -> bool {
        self.inline.is_some()
    }

    /// True on an inline screen without other panes and overlays.
    pub(in crate::app) fn shows_live_rows(&self) -> bool {
        let writes = self.focus.is(Focus::Composer) || self.model.tree.is_empty();
        let alone = self.overlays.is_empty() && (writes || !self.startup.is_listed());
        self.is_inline() && (alone || self.quitting.has_begun())
    }

    /// Returns the focus after answering: the live rows always have the composer.
    pub(in crate::app) fn return_focus(&self) -> Focus {
        if self.shows_live_rows() { Focus::Composer } else { self.focus.pane() }
    }

    /// The size of the whole terminal on an inline screen.
    pub(in crate::app) fn inline_terminal(&self) -> Option<Size> {
        self.inline.as_ref().map(|inline| inline.terminal)
    }

    /// The rows of the next frame on an inline screen in a terminal of this size; `None` on a full one.
    pub fn inline_rows(&mut self, terminal: Size) -> Option<u16> {
        self.inline.as_mut()?.terminal = terminal;
        let Size { width, height } = terminal;
        Some(if width < MIN_SIZE.0 || height < MIN_SIZE.1 {
            1
        } else if self.shows_live_rows() {
            self.live_height(terminal)
        } else {
            (height / 3 * 2).clamp(MIN_SIZE.1, height)
        })
    }

    /// The rows that are to be printed now, for a terminal of this width.
    pub fn take_printed(&mut self, width: u16) -> Vec<Line<'static>> {
        if !self.shows_live_rows() {
            return Vec::new();
        }
        self.print(width, Amount::OneFrame)
    }

    /// Returns everything that remains to be printed, at the end.
    pub fn take_rest(&mut self) -> Vec<Line<'static>> {
        let width = self.inline_terminal().map_or(0, |terminal| terminal.width);
        self.print(width, Amount::All)
    }

    fn print(&mut self, width: u16, amount: Amount) -> Vec<Line<'static>> {
        let Some(mut inline) = self.inline.take() else { return Vec::new() };
        let now = self.redraw.now();
        let mut rows: Vec<Strip> = Vec::new();
        if inline.terminal.width >= MIN_SIZE.0 {
            self.collect(&mut inline, width);
            while self.print_next(&mut inline.log, (width, now), amount, &mut rows) {
                if rows.len() > MAX_ROWS_AT_ONCE && amount == Amount::OneFrame {
                    self.redraw.mark();
                    break;
                }
                self.collect(&mut inline, width);
            }
        }
        self.inline = Some(inline);
        rows.into_iter().map(|row| self.on_paper(row, usize::from(width))).collect()
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
        let Some(open) = self.reading.open().filter(newest) else { return };
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
        (width, now): (u16, Instant),
        amount: Amount,
        rows: &mut Vec<Strip>,
    ) -> bool {
        let since = log.waits_since();
        let Some(entry) = log.next(&self.ui) else { return false };
        let lay_out = || self.entry_rows(&entry, usize::from(width));
        let ((printed, spacing), incomplete) = self.ui.colours.watch(lay_out);
        let is_late = is_late(since, now) || amount == Amount::All;
        if incomplete.is_some() && !is_late {
            log.put_back(entry, since.unwrap_or(now));
            return false;
        }
        if log.space_before(spacing) {
            rows.push(Strip::new());
        }
        rows.extend(printed);
        true
    }

    fn entry_rows(&self, entry: &LogEntry, width: usize) -> (Vec<Strip>, Spacing) {
        let ui = &*self.ui;
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
                };
                let spacing = if block.body.is_call() { Spacing::Close } else { Spacing::Apart };
                (block_rows(block, &context), spacing)
            }
        }
    }

    /// The text at the end of a demo, each time it is shown.
    fn collect_ending(&self, inline: &mut Inline, width: u16) {
        let area = Rect::new(0, 0, width, ENDING_ROWS);
        let mut rows = self.ending.rows(area, &self.ui, false);
        // The keys, which do not act in the composer.
        rows.pop();
        let before = inline.ending;
        inline.ending = if rows.is_empty() { EndingPrinted::No } else { EndingPrinted::Yes };
        if (before, inline.ending) == (EndingPrinted::No, EndingPrinted::Yes) {
            inline.log.say(rows);
        }
    }

    /// Returns the time at which a waiting entry is printed, if that is still to come.
    pub(in crate::app) fn prints_at(&self) -> Option<Instant> {
        let at = self.inline.as_ref()?.log.wake_at()?;
        (at > self.redraw.now() && self.shows_live_rows()).then_some(at)
    }

    /// True if it is to be printed between these times.
    pub(in crate::app) fn prints_between(&self, before: Instant, now: Instant) -> bool {
        let at = self.inline.as_ref().and_then(|inline| inline.log.wake_at());
        at.is_some_and(|at| before < at && at <= now)
    }

    /// The size of the next frame, if one was laid out already.
    pub(in crate::app) fn next_size(&mut self) -> Option<Size> {
        let laid_out = self.size?;
        let Some(terminal) = self.inline_terminal() else { return Some(laid_out) };
        self.inline_rows(terminal).map(|height| Size { height, ..terminal })
    }

    /// Returns the time at which blank rows of the open dialog are filled; never while it is not on the screen.
    pub(in crate::app) fn fills_at(&self) -> Option<Instant> {
        let drawn = self.redraw.drawn_at();
        self.reading.fills_at(drawn).filter(|_| !self.shows_live_rows())
    }

    /// Opens the first dialog: on an inline screen one writes to it.
    pub(in crate::app) fn open_first(&mut self, first: FollowUps) {
        if !self.is_inline() || first.is_empty() || self.model.views_only {
            return self.follow(first);
        }
        self.focus.set(Focus::Composer);
        self.writing.entered();
        self.follow(first);
        if !self.writing.can_write() {
            self.follow([FollowUp::Focus(Focus::Tree)]);
        }
    }

    /// Passes on an event that is news while only one dialog is shown.
    pub(in crate::app) fn tell(
        &mut self,
        tell: impl FnOnce(&mut InlineLog, Option<&DialogId>, &UiSettings),
    ) {
        if let Some(inline) = &mut self.inline {
            tell(&mut inline.log, self.reading.dialog(), &self.ui);
        }
    }

    /// Returns the open dialog and the log, for the live rows.
    pub(in crate::app) fn open_with_log(&self) -> Option<(&OpenDialog, &InlineLog)> {
        Some((self.reading.open()?, &self.inline.as_ref()?.log))
    }
}
