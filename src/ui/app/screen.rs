//! The layout for every size, and the drawing of all parts.

mod about;
mod hints;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use self::about::{DialogNames, elapsed, speaker, tail_lines};
use super::{App, Focus, ending};
use crate::domain::question::headline;
use crate::domain::transcript::first_line;
use crate::protocol::TreeRow;
use crate::ui::cx::{UiSettings, View};
use crate::ui::lang::Word;
use crate::ui::model::Mark;
use crate::ui::panes::composer::{Heading, Target, draw_heading};
use crate::ui::panes::status::{self, Hints, StatusValues};
use crate::ui::panes::strip::{Strip, draw_between};
use crate::ui::panes::transcript::{Answering, TranscriptContext};
use crate::ui::panes::{inbox, queued, transcript, tree};
use crate::ui::text::width::{shorten_middle, width};
use crate::ui::theme::Role;

/// From this width on two columns fit well.
const WIDE: u16 = 110;
/// From this width on two columns fit.
const MEDIUM: u16 = 80;
/// The smallest screen that is drawn: columns and rows.
const MIN_SIZE: (u16, u16) = (40, 12);
const LEFT_COLUMN_CELLS: (u16, u16) = (28, 40);
/// Rows of the inbox with its title, once there is a question.
const MIN_INBOX_ROWS: u16 = 3;

/// The areas of the parts. An empty area is not drawn.
#[derive(Debug, Clone, Copy, Default)]
struct Areas {
    left: Rect,
    divider: Rect,
    right: Rect,
    tabs: Rect,
    status: Rect,
}

impl App {
    /// Draws the screen. If drawing needs older records, they are requested with a command.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        self.drawn_at = self.moment;
        let area = frame.area();
        if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
            self.draw_too_small(frame, area);
            return;
        }
        let ui = self.ui.clone();
        let now = self.clock.now();
        let view = View { ui: &ui, now: &now };
        let ending = self.ending_rows(area, &ui);
        let taken = u16::try_from(ending.len()).unwrap_or(u16::MAX).min(area.height - 1);
        let areas = self.areas(Rect { height: area.height - taken, ..area });
        let status = Rect { y: area.bottom() - 1, ..areas.status };
        let body = Rect { height: area.height - 1, ..area };
        ending::draw(&ending, frame.buffer_mut(), body, view);
        self.draw_tabs(frame, areas.tabs, view);
        self.draw_left(frame, areas.left, view);
        draw_divider(frame.buffer_mut(), areas.divider, &ui);
        self.draw_right(frame, areas.right, view);
        self.draw_status(frame, status, view);
        let over = if areas.right.is_empty() { areas.left } else { areas.right };
        self.draw_overlays(frame, over, view);
    }

    fn areas(&self, area: Rect) -> Areas {
        let status = Rect { y: area.bottom() - 1, height: 1, ..area };
        let body = Rect { height: area.height - 1, ..area };
        let on_left = matches!(self.focus, Focus::Tree | Focus::Inbox);
        if area.width < MEDIUM {
            let tabs = Rect { height: 2, ..body };
            let pane = Rect { y: body.y + 2, height: body.height - 2, ..body };
            return if on_left {
                Areas { left: pane, tabs, status, ..Areas::default() }
            } else {
                Areas { right: pane, tabs, status, ..Areas::default() }
            };
        }
        if self.zoomed {
            return if on_left {
                Areas { left: body, status, ..Areas::default() }
            } else {
                Areas { right: body, status, ..Areas::default() }
            };
        }
        let cells = if area.width < WIDE {
            LEFT_COLUMN_CELLS.0
        } else {
            (area.width * 3 / 10).clamp(LEFT_COLUMN_CELLS.0, LEFT_COLUMN_CELLS.1)
        };
        Areas {
            left: Rect { width: cells, ..body },
            divider: Rect { x: body.x + cells, width: 1, ..body },
            right: Rect { x: body.x + cells + 1, width: body.width - cells - 1, ..body },
            tabs: Rect::default(),
            status,
        }
    }

    fn draw_too_small(&self, frame: &mut Frame<'_>, area: Rect) {
        let text = format!("{} {}x{})", self.ui.word(Word::TooSmall), area.width, area.height);
        let strip = Strip::new().put(&text, self.ui.style(Role::Text));
        let indent = usize::from(area.width).saturating_sub(strip.width()) / 2;
        let strip = Strip::new().pad_to(indent).join(strip);
        strip.draw(frame.buffer_mut(), area, area.y + area.height / 2);
    }

    /// On narrow screens: one pane at a time, and a line with all panes.
    fn draw_tabs(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        if area.is_empty() {
            return;
        }
        let ui = view.ui;
        let questions = self.model.inbox.len();
        let for_you = if questions == 0 {
            ui.word(Word::TabForYou).to_owned()
        } else {
            format!("{}{}{questions}", ui.word(Word::TabForYou), ui.glyphs.middle_dot)
        };
        let row = self.open_row();
        let open =
            row.map_or_else(|| ui.word(Word::TabOpen).to_owned(), |row| format!("@{}", row.agent));
        let tabs = [
            (ui.word(Word::TabDialogs).to_owned(), self.focus == Focus::Tree),
            (for_you, self.focus == Focus::Inbox),
            (open, matches!(self.focus, Focus::Dialog | Focus::Composer)),
        ];
        let mut strip = Strip::new();
        let mut gap = "";
        for (number, (name, here)) in (1..).zip(tabs) {
            let role = if here { Role::TitleFocus } else { Role::Title };
            // In the inbox, digits pick questions.
            let digits = self.focus != Focus::Inbox || questions == 0;
            let number = if digits { number.to_string() } else { " ".to_owned() };
            strip.push(&format!("{gap} {number} "), ui.style(Role::TextDim));
            strip.push(&name, ui.style(role));
            gap = "  ";
        }
        if let Some(mark) = row.map(Mark::of) {
            // The state is more important than the end of a name.
            let (cells, symbol) = (usize::from(area.width), mark.glyph(&ui.glyphs));
            let gap = if strip.width() + 3 > cells { " " } else { gap };
            strip = strip
                .shortened(cells.saturating_sub(2), ui.glyphs.cut, ui.style(Role::Title))
                .put(gap, Style::default())
                .put(symbol, ui.style(mark.role()));
        }
        strip.draw(frame.buffer_mut(), area, area.y);
        let rule = ui.glyphs.rule.repeat(usize::from(area.width));
        let strip = Strip::new().put(&rule, ui.style(Role::Rule));
        strip.draw(frame.buffer_mut(), area, area.y + 1);
    }

    fn draw_left(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        if area.is_empty() {
            return;
        }
        let narrow = frame.area().width < MEDIUM;
        let inbox_rows = match (narrow, self.focus) {
            (true, Focus::Inbox) => area.height,
            (true, _) => 0,
            (false, _) => self.inbox_height(area.height),
        };
        let tree_area = Rect { height: area.height - inbox_rows, ..area };
        let inbox_area = Rect { y: area.y + tree_area.height, height: inbox_rows, ..area };
        self.draw_tree(frame, tree_area, view, narrow);
        self.draw_inbox(frame, inbox_area, view);
    }

    /// The rows its questions need, at most two fifths of the height.
    fn inbox_height(&self, height: u16) -> u16 {
        if self.model.inbox.is_empty() {
            return 1;
        }
        let questions = u16::try_from(self.model.inbox.len()).unwrap_or(u16::MAX);
        let wanted = questions.saturating_mul(inbox::ROWS_EACH).saturating_add(1);
        wanted.min(height * 2 / 5).max(MIN_INBOX_ROWS)
    }

    fn draw_tree(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, narrow: bool) {
        if area.height == 0 {
            return;
        }
        let ui = view.ui;
        let focused = self.focus == Focus::Tree && self.overlays.is_empty();
        let mut rows = area;
        if !narrow {
            let folder = Strip::new()
                .put(&self.model.workspace.folder, ui.style(Role::TextDim))
                .shortened(usize::from(area.width), ui.glyphs.cut, Style::default());
            folder.draw(frame.buffer_mut(), area, area.y);
            let role = if focused { Role::TitleFocus } else { Role::Title };
            let title = Strip::new().put(ui.word(Word::Dialogs), ui.style(role));
            title.draw(frame.buffer_mut(), area, area.y + 2);
            rows = Rect { y: area.y + 3, height: area.height.saturating_sub(3), ..area };
        }
        if !self.is_listed() {
            let reading = Strip::new().put(ui.word(Word::Loading), ui.style(Role::TextDim));
            reading.draw(frame.buffer_mut(), Rect { x: rows.x + 1, ..rows }, rows.y);
            return;
        }
        tree::draw(&mut self.model.tree, view, focused, frame.buffer_mut(), rows);
    }

    fn draw_inbox(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        if area.height == 0 {
            return;
        }
        let ui = view.ui;
        let focused = self.focus == Focus::Inbox;
        if !self.is_listed() {
            return;
        }
        if self.model.inbox.is_empty() {
            let role = if focused { Role::TitleFocus } else { Role::TextDim };
            let line = Strip::new().put(ui.word(Word::NothingWaits), ui.style(role)).shortened(
                usize::from(area.width),
                ui.glyphs.cut,
                Style::default(),
            );
            line.draw(frame.buffer_mut(), area, area.y);
            return;
        }
        let title = format!(
            "{} {} {}",
            ui.word(Word::ForYou),
            ui.glyphs.middle_dot,
            self.model.inbox.len()
        );
        let heading = Heading { left: title, right: String::new() };
        let head = Rect { height: 1, ..area };
        draw_heading(frame, head, ui, &heading, focused && self.overlays.is_empty());
        let rows = Rect { y: area.y + 1, height: area.height - 1, ..area };
        let answering = matches!(self.composer.target, Target::Question { .. });
        let lit = focused || (answering && self.focus == Focus::Composer);
        inbox::draw(&mut self.model.inbox, &self.drafts, view, lit, frame.buffer_mut(), rows);
    }

    fn draw_right(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        if area.is_empty() {
            return;
        }
        let narrow = frame.area().width < MEDIUM;
        let wide = frame.area().width >= WIDE;
        let min_rows = if wide { 2 } else { 1 };
        let wanted = self.composer.height(area.width, min_rows).min(area.height / 2);
        let composer = Rect { y: area.bottom() - wanted, height: wanted, ..area };
        let queue = self.queue_strip();
        let strip = queued::height(queue.len(), area.height);
        let place = Rect { y: composer.y - strip, height: strip, ..area };
        queued::draw(frame, place, view, &queue, &self.queue_keys());
        let above = Rect { height: area.height - wanted - strip, ..area };
        let heading = self.heading(view.ui);
        let focused = self.focus == Focus::Composer && self.overlays.is_empty();
        let picked = self.picked_options();
        self.composer.draw(frame, composer, view, (&heading, &picked), focused);
        let margin = u16::from(!narrow);
        let inner =
            Rect { x: above.x + margin, width: above.width.saturating_sub(2 * margin), ..above };
        let text = if narrow {
            inner
        } else {
            self.draw_title(frame, inner, view);
            Rect { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner }
        };
        self.draw_transcript(frame, text, view);
    }

    fn draw_title(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        let ui = view.ui;
        let focused = self.focus == Focus::Dialog && self.overlays.is_empty();
        let role = if focused { Role::TitleFocus } else { Role::Title };
        let Some(open) = &self.model.open else {
            let text = if self.is_listed() { ui.word(Word::NothingOpen) } else { "" };
            Strip::new().put(text, ui.style(role)).draw(frame.buffer_mut(), area, area.y);
            return;
        };
        let row = self.model.tree.get(&open.dialog);
        let right = elapsed(open, row, view);
        let about = row.map(|row| ui.about(first_line(&row.about), row.history));
        let about = about.as_deref().unwrap_or_default();
        let genseq = row.map_or(0, |row| row.genseq.0);
        let (about, tail) = transcript::title(open, about, genseq, ui);
        let slug = row.and_then(|row| row.slug.as_ref());
        let slug = slug.map(|slug| format!(" !{slug}")).unwrap_or_default();
        let rounds = row.and_then(|row| row.reasoning);
        let rounds = rounds.map(|rounds| transcript::rounds(rounds, ui)).unwrap_or_default();
        let who = format!("{}{slug}{rounds}", speaker(open, row));
        let available = usize::from(area.width).saturating_sub(right.width() + 2);
        let whole = format!("{who}{about}{tail}");
        let fixed = width(&who) + width(&tail);
        let text = if width(&whole) <= available {
            whole
        } else if fixed + 8 > available {
            // Without the subject; if still too long, the end is cut.
            format!("{who}{tail}")
        } else {
            let about = shorten_middle(&about, available - fixed, ui.glyphs.cut);
            format!("{who}{about}{tail}")
        };
        let left = Strip::new().put(&text, ui.style(role));
        draw_between(frame.buffer_mut(), area, area.y, (&left, &right), ui.glyphs.cut);
    }

    fn draw_transcript(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        let model = &mut self.model;
        let Some(open) = &mut model.open else {
            return;
        };
        let question = self.composer.target.question().and_then(|id| model.inbox.get(id));
        let about = question.map(|row| headline(&row.question.tellask_content));
        if !open.loaded {
            let taken = about.map_or(0, |about| {
                transcript::draw_headline(about, view, frame.buffer_mut(), area)
            });
            let strip = Strip::new().put(view.ui.word(Word::Loading), view.ui.style(Role::TextDim));
            strip.draw(frame.buffer_mut(), area, area.y + taken);
            return;
        }
        let row = model.tree.get(&open.dialog);
        let dialog = open.dialog.clone();
        let names = DialogNames { tree: &model.tree, inbox: &model.inbox, dialog: &dialog };
        let speaker = speaker(open, row);
        let cells = usize::from(area.width);
        let tail = tail_lines(model.retries.get(&dialog), self.moment, row, view.ui, cells);
        let typed = self.composer.field.text();
        let answering = question
            .filter(|row| row.dialog == dialog)
            .map(|row| Answering { call: &row.question.call_id, typed: &typed });
        let context = TranscriptContext {
            view,
            speaker: &speaker,
            names: &names,
            answering,
            headline: about,
            tail: &tail,
            focused: self.focus == Focus::Dialog && self.overlays.is_empty(),
        };
        let older = self.transcript.arrange(open, &context, area);
        self.transcript.draw(open, &context, frame.buffer_mut(), area);
        let not_found = self.transcript.take_not_found(open);
        if let Some(before) = older {
            self.request_older(before);
        } else if let Some(call_end) = not_found {
            self.search_previous_course(call_end);
        }
    }

    fn draw_status(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        if self.is_shutting_down {
            let text = format!(" {}", view.ui.word(Word::Leaving));
            let strip = Strip::new().put(&text, view.ui.style(Role::TextStrong));
            strip.draw(frame.buffer_mut(), area, area.y);
            return;
        }
        let counts = self.model.tree.counts();
        let row = self.open_row();
        let values = StatusValues {
            counts,
            questions: self.model.inbox.len(),
            context_percent: row.and_then(|row| row.context_percent),
            context_level: row.and_then(|row| row.context_level),
            keep_going: row.and_then(|row| row.keep_going),
            problems: self.model.problems.len(),
            processes: self.processes_running(),
            unagreed: self.model.consent.waiting.len(),
            look_only: self.model.consent.read_only,
            level: self.level,
        };
        let actions = if self.overlays.is_empty() { self.hints() } else { Vec::new() };
        let hints = Hints { focus: self.scope(), actions };
        status::draw(frame.buffer_mut(), area, view, &self.model.notices, &hints, values);
    }

    fn draw_overlays(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        let mut overlays = std::mem::take(&mut self.overlays);
        let mut intents = Vec::new();
        let queued = self.queued();
        let mut cx = self.cx(&queued, &mut intents);
        for pane in &mut overlays {
            pane.draw(frame, area, view, &mut cx);
        }
        self.overlays = overlays;
    }

    fn open_row(&self) -> Option<&TreeRow> {
        self.model.tree.get(&self.model.open.as_ref()?.dialog)
    }
}

fn draw_divider(buffer: &mut Buffer, area: Rect, ui: &UiSettings) {
    let strip = Strip::new().put(ui.glyphs.divider, ui.style(Role::Rule));
    for y in area.y..area.bottom() {
        strip.draw(buffer, area, y);
    }
}
