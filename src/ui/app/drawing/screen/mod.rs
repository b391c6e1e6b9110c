//! Draws all parts of the screen as laid out.

mod about;
mod hints;
mod layout;
mod live;
mod preview;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::Style;

use self::about::elapsed;
pub(in crate::app) use self::about::{DialogNames, speaker};
use self::layout::TranscriptTexts;
use self::live::LiveRows;
pub(in crate::app) use self::live::live_height;
use super::app_words;
use super::areas::Areas;
use super::tabs::tabs;
use crate::action::{Action, Scope};
use crate::app::flow::ending;
use crate::app::flow::facts::Facts;
use crate::app::keys::first_hints::FirstHint;
use crate::app::keys::pressing::KeyFacts;
use crate::app::overlays::stack::OverlayFacts;
use crate::app::{App, Focus};
use crate::cx::{UiSettings, View};
use crate::domain::Stamp;
use crate::domain::reading::title::headline;
use crate::lists::problems;
use crate::model::Mark;
use crate::model::tree::StateCounts;
use crate::panes::composer::{Heading, PART, draw_heading};
use crate::panes::queued::QueuedRow;
use crate::panes::scroll_sign::draw_scroll_sign;
use crate::panes::status::{self, Hints, StatusValues};
use crate::panes::strip::{Strip, draw_between};
use crate::panes::{inbox, member, queued, transcript, tree};
use crate::protocol::{InboxRow, TreeRow};
use crate::text::width::{shorten, width};
use crate::theme::Role;
use crate::words::NEWS;

/// The least width, in columns, at which two columns fit well.
const WIDE: u16 = 110;
/// The least width at which two columns fit.
const MEDIUM: u16 = 80;
/// The smallest screen that is drawn: columns and rows.
pub(in crate::app) const MIN_SIZE: (u16, u16) = (40, 12);
/// The most cells of the name of a model in the head of a dialog.
const MODEL_CELLS: usize = 24;
/// Rows of the inbox with its title, once there is a question.
const MIN_INBOX_ROWS: u16 = 3;

/// The screen, laid out. Drawing it changes nothing.
#[derive(Debug)]
pub struct Screen<'a> {
    app: &'a App,
    area: Rect,
    now: Stamp,
    areas: Areas,
    /// The text at the end of a demo.
    ending: Vec<Strip>,
    /// The queued messages above the composer.
    queue: Vec<QueuedRow>,
    /// The parts of the question that is answered.
    form: Vec<Strip>,
    counts: StateCounts,
    /// `None` until the open dialog is loaded.
    texts: Option<TranscriptTexts>,
    /// The texts of the preview, if it is shown in place of the open dialog.
    preview: Option<TranscriptTexts>,
    /// The hint for a person who is new here.
    hint: Option<FirstHint>,
    /// The live rows, where an inline screen shows them alone.
    live: Option<LiveRows>,
}

/// The numbers of the status line.
fn status_values<'a>(
    facts: Facts<'_>,
    counts: StateCounts,
    problems_key: &'a str,
) -> StatusValues<'a> {
    let (row, model) = (facts.open_row(), facts.model);
    StatusValues {
        counts,
        questions: model.inbox.len(),
        context_percent: row.and_then(|row| row.context_percent),
        context_level: row.and_then(|row| row.context_level),
        keep_going: row.and_then(|row| row.keep_going),
        problems: model.problems.len(),
        problems_key,
        processes: model.processes_running(),
        unagreed: model.consent.waiting.len(),
        look_only: model.consent.read_only,
        level: model.level,
        autonomy: model.consent.autonomy,
    }
}

impl Screen<'_> {
    /// Draws the screen into a frame of the size it was laid out for; into another, nothing.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        if frame.area() == self.area {
            self.draw_parts(frame);
            self.app.ui.theme.fill(frame.buffer_mut());
        }
    }

    fn draw_parts(&self, frame: &mut Frame<'_>) {
        let (area, areas, ui) = (self.area, &self.areas, &*self.app.ui);
        let view = View { ui, now: &self.now };
        if let Some(live) = &self.live {
            self.draw_live(frame, live, view);
            let above = Rect { height: area.height.saturating_sub(1), ..area };
            return self.draw_next_keys(frame, (above, live.beside_composer()));
        }
        if area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1 {
            self.draw_too_small(frame, area);
            return;
        }
        let body = Rect { height: area.height - 1, ..area };
        ending::draw(&self.ending, frame.buffer_mut(), body, view);
        self.draw_tabs(frame, areas.tabs, view);
        let narrow = area.width < MEDIUM;
        self.draw_tree(frame, areas.tree, view, narrow);
        self.draw_inbox(frame, areas.inbox, view);
        draw_divider(frame.buffer_mut(), areas.divider, ui);
        if !areas.right.is_empty() {
            self.draw_right(frame, view, narrow);
        }
        self.draw_status(frame, areas.status, view);
        self.draw_overlays(frame, areas.overlays(), view);
        let height = areas.composer.y.min(body.bottom()).saturating_sub(body.y);
        self.draw_next_keys(frame, (body, Rect { height, ..body }));
    }

    fn draw_next_keys(&self, frame: &mut Frame<'_>, areas: (Rect, Rect)) {
        let app = self.app;
        let here = KeyFacts::new(&app.overlays, &app.focus, &app.ui, app.redraw.now());
        app.pressing.draw_next_keys(frame, areas, &app.writing, here);
    }

    fn draw_too_small(&self, frame: &mut Frame<'_>, area: Rect) {
        let inline = self.app.inline.as_ref();
        let terminal = inline.map_or(area.as_size(), |inline| inline.terminal);
        let Size { width, height } = terminal;
        let text = format!("{} {width}x{height})", self.app.ui.text(app_words::TOO_SMALL));
        let strip = Strip::new().put(&text, self.app.ui.style(Role::Text));
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
        let questions = self.app.model.inbox.len();
        let row = self.open_row();
        let here = self.app.focus.now();
        let tabs = tabs(self.app.facts()).map(|(name, focus)| {
            let is_here = here == focus || (here, focus) == (Focus::Composer, Focus::Dialog);
            (name, is_here)
        });
        let mut strip = Strip::new();
        let mut gap = "";
        for (number, (name, here)) in (1..).zip(tabs) {
            let role = if here { Role::TitleFocus } else { Role::Title };
            // In the inbox, digits pick questions.
            let digits = self.app.focus.now() != Focus::Inbox || questions == 0;
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

    fn draw_tree(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, narrow: bool) {
        if area.height == 0 {
            return;
        }
        let ui = view.ui;
        let focused = self.app.focus.now() == Focus::Tree && self.app.overlays.is_empty();
        if !narrow {
            let folder = Strip::new()
                .put(&self.app.model.workspace.folder, ui.style(Role::TextDim))
                .shortened(usize::from(area.width), ui.glyphs.cut, Style::default());
            folder.draw(frame.buffer_mut(), area, area.y);
            let role = if focused { Role::TitleFocus } else { Role::Title };
            let title = Strip::new().put(ui.text(app_words::DIALOGS), ui.style(role));
            let right = self.tree_facts(view);
            let line = Rect { width: area.width.saturating_sub(1), ..area };
            let parts = (&title, &right);
            draw_between(frame.buffer_mut(), line, area.y + 2, parts, ui.glyphs.cut);
        }
        let rows = self.areas.tree_rows(narrow);
        if narrow {
            let rule = Rect { y: area.y.saturating_sub(1), height: 1, ..area };
            let shown = tree::shown_rows(&self.app.model.tree, rows);
            draw_scroll_sign(frame.buffer_mut(), rule, ui, shown);
        }
        if !self.app.startup.is_listed() {
            let reading = Strip::new().put(ui.text(app_words::LOADING), ui.style(Role::TextDim));
            reading.draw(frame.buffer_mut(), Rect { x: rows.x + 1, ..rows }, rows.y);
            return;
        }
        let known = (&self.app.model.tree, &self.app.model.workspace);
        tree::draw(known, view, focused, frame.buffer_mut(), rows);
    }

    /// The filter of the tree, how many dialogs are marked, and how many rows are out of view.
    fn tree_facts(&self, view: View<'_>) -> Strip {
        let (tree, ui) = (&self.app.model.tree, view.ui);
        let mut facts = Strip::new();
        if !tree.marked().is_empty() {
            let marked = format!("{}{} ", ui.glyphs.marked, tree.marked().len());
            facts.push(&marked, ui.style(Role::Attention));
        }
        if let Some(filter) = tree.filter() {
            let text = format!("/{} {} {}", filter.text(), ui.glyphs.middle_dot, tree.fitting());
            facts.push(&text, ui.style(Role::Accent));
        }
        let shown = tree::shown_rows(tree, self.areas.tree_rows(false));
        let below = shown.rows.saturating_sub(shown.top.saturating_add(shown.height));
        for (sign, count) in [(ui.glyphs.up, shown.top), (ui.glyphs.below, below)] {
            if count > 0 {
                let gap = if facts.is_empty() { "" } else { " " };
                facts.push(&format!("{gap}{sign}{count}"), ui.style(Role::Accent));
            }
        }
        facts
    }

    fn draw_inbox(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        if area.height == 0 {
            return;
        }
        let ui = view.ui;
        let focused = self.app.focus.now() == Focus::Inbox;
        if !self.app.startup.is_listed() {
            return;
        }
        if self.app.model.inbox.is_empty() {
            let role = if focused { Role::TitleFocus } else { Role::TextDim };
            let line = Strip::new()
                .put(ui.text(app_words::NOTHING_WAITS), ui.style(role))
                .shortened(usize::from(area.width), ui.glyphs.cut, Style::default());
            line.draw(frame.buffer_mut(), area, area.y);
            return;
        }
        let title = self.inbox_title(ui);
        let later = self.app.model.inbox.put_off();
        let later = format!(" {} {later} {}", ui.glyphs.middle_dot, ui.text(app_words::LATER));
        let any_later = self.app.model.inbox.put_off() > 0;
        let title = if any_later { format!("{title}{later}") } else { title };
        let filter = self.app.model.inbox.filter();
        let fitting = filter.map(|_| self.app.model.inbox.rows().len().to_string());
        let filter = filter.map(|filter| format!("/{}", filter.text()));
        let left = self.app.held_answers.seconds_left(self.app.redraw.now());
        let sent = left.map(|left| format!("{} {left} s", ui.text(app_words::SENT)));
        let right: Vec<String> = sent.into_iter().chain(filter).chain(fitting).collect();
        let right = right.join(PART);
        let heading = Heading { left: title, right };
        let head = Rect { height: 1, ..area };
        draw_heading(frame, head, ui, &heading, focused && self.app.overlays.is_empty());
        let rows = self.areas.inbox_rows();
        draw_scroll_sign(
            frame.buffer_mut(),
            head,
            ui,
            inbox::shown_rows(&self.app.model.inbox, rows),
        );
        let answering = self.app.writing.question().is_some();
        let lit = focused || (answering && self.app.focus.now() == Focus::Composer);
        inbox::draw(
            &self.app.model.inbox,
            (&self.app.model.tree, self.app.writing.drafts()),
            view,
            lit,
            frame.buffer_mut(),
            rows,
        );
    }

    /// Returns the title: the number of open questions, and the number of news.
    fn inbox_title(&self, ui: &UiSettings) -> String {
        let (inbox, dot) = (&self.app.model.inbox, ui.glyphs.middle_dot);
        let news = inbox.news().len();
        let mut title = ui.text(app_words::FOR_YOU).to_owned();
        if news == 0 || !inbox.all().is_empty() {
            title.push_str(&format!(" {dot} {}", inbox.len()));
        }
        if news > 0 {
            title.push_str(&format!(" {dot} {}", NEWS.text(news, ui.lang)));
        }
        title
    }

    fn draw_right(&self, frame: &mut Frame<'_>, view: View<'_>, narrow: bool) {
        let areas = &self.areas;
        for (y, row) in (areas.form.y..areas.form.bottom()).zip(&self.form) {
            row.draw(frame.buffer_mut(), areas.form, y);
        }
        queued::draw(frame, areas.queue, view, &self.queue, &self.queue_keys(view.ui));
        let heading = self.heading(view.ui);
        let focused = self.app.focus.now() == Focus::Composer && self.app.overlays.is_empty();
        let picked = self.app.writing.picked_options(&self.app.model.inbox);
        self.app.writing.composer().draw(frame, areas.composer, view, (&heading, &picked), focused);
        if let Some(texts) = &self.preview {
            self.draw_preview_title(frame.buffer_mut(), areas.title, view);
            self.draw_preview(texts, frame.buffer_mut(), areas.transcript, view);
        } else {
            if !narrow {
                self.draw_title(frame, areas.title, view);
            }
            self.draw_transcript(frame, areas.transcript, view);
        }
        if focused {
            let above = Rect { height: areas.composer.y - areas.right.y, ..areas.right };
            let composer = self.app.writing.composer();
            composer.completion.draw(frame, above, view, composer.files.is_cut());
        }
    }

    fn draw_title(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        let ui = view.ui;
        let focused = self.app.focus.now() == Focus::Dialog && self.app.overlays.is_empty();
        let role = if focused { Role::TitleFocus } else { Role::Title };
        let Some(open) = self.app.reading.open() else {
            let text =
                if self.app.startup.is_listed() { ui.text(app_words::NOTHING_OPEN) } else { "" };
            Strip::new().put(text, ui.style(role)).draw(frame.buffer_mut(), area, area.y);
            return;
        };
        let row = self.app.model.tree.get(&open.dialog);
        let right = elapsed(open, row, view);
        let about = row.map(|row| ui.about(&row.title, row.foreign()));
        let about = about.as_deref().unwrap_or_default();
        let genseq = row.map_or(0, |row| row.genseq.0);
        let (about, tail) = transcript::title(open, about, genseq, ui);
        let tail = tail + &row.map(|row| own_choices(row, ui)).unwrap_or_default();
        let slug = row.and_then(|row| row.slug.as_ref());
        let slug = slug.map(|slug| format!(" !{slug}")).unwrap_or_default();
        let rounds = row.and_then(|row| row.reasoning);
        let rounds = rounds.map(|rounds| transcript::rounds(rounds, ui)).unwrap_or_default();
        let symbol = row.map(|row| member::symbol(&self.app.model.workspace, &row.agent, ui));
        let symbol = symbol.unwrap_or_default();
        let who = format!("{symbol}{}{slug}{rounds}", speaker(open, row));
        let available = usize::from(area.width).saturating_sub(right.width() + 2);
        let text = fitted_title(&who, &about, &tail, available, ui.glyphs.cut);
        let left = Strip::new().put(&text, ui.style(role));
        draw_between(frame.buffer_mut(), area, area.y, (&left, &right), ui.glyphs.cut);
    }

    fn draw_transcript(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        let app = self.app;
        let Some(open) = app.reading.open() else {
            return;
        };
        let question = app.writing.question().and_then(|id| app.model.inbox.get(id));
        let headline = headline_of(question);
        let question = question.zip(headline.as_deref());
        let Some(texts) = self.texts.as_ref().filter(|_| open.loaded) else {
            let taken = question.map_or(0, |(_, headline)| {
                transcript::draw_headline(headline, view, frame.buffer_mut(), area)
            });
            let strip =
                Strip::new().put(view.ui.text(app_words::LOADING), view.ui.style(Role::TextDim));
            strip.draw(frame.buffer_mut(), area, area.y + taken);
            return;
        };
        let (tree, inbox) = (&app.model.tree, &app.model.inbox);
        let names = DialogNames { tree, inbox, dialog: &open.dialog };
        let focused = app.focus.now() == Focus::Dialog && app.overlays.is_empty();
        let context = texts.context(view, &names, question, focused);
        app.reading.transcript().draw(open, &context, frame.buffer_mut(), area);
    }

    fn draw_status(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        if self.app.quitting.has_begun() {
            let goes_on = self.app.model.driver_goes_on || self.app.quitting.has_detached();
            let word = if goes_on { app_words::DRIVER_GOES_ON } else { app_words::LEAVING };
            let text = format!(" {}", view.ui.text(word));
            let strip = Strip::new().put(&text, view.ui.style(Role::TextStrong));
            strip.draw(frame.buffer_mut(), area, area.y);
            return;
        }
        let problems_key = view.ui.key(Scope::PANES, Action::Show(problems::SCOPE));
        let values = status_values(self.app.facts(), self.counts, &problems_key);
        let first = self.hint.map(|hint| (hint.action(self.app.focus.now()), hint.word()));
        let pane = self.app.focus.scope();
        let (top, of_top) = (self.app.overlays.scope(), self.app.overlays.hints());
        let come_first = self.app.overlays.hints_come_first();
        let (focus, first, actions) = match top {
            None => (pane, first, self.hints()),
            Some(_) if of_top.is_empty() => (pane, first, Vec::new()),
            Some(scope) => (scope, None, of_top.to_vec()),
        };
        let hints = Hints { focus, first, actions, come_first };
        status::draw(frame.buffer_mut(), area, view, &self.app.model.notices, &hints, values);
    }

    fn draw_overlays(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>) {
        let queued = self.app.requests.still_queued(self.open_row());
        let facts = OverlayFacts {
            model: &self.app.model,
            open: self.app.reading.dialog(),
            found: self.app.reading.search_count(),
            queued: &queued,
            places: self.app.reading.places(),
            drafts: self.app.writing.drafts(),
            sent: self.app.writing.composer().sent(),
            ui: view.ui,
            moment: self.app.redraw.now(),
            now: view.now,
        };
        self.app.overlays.draw(facts, frame, area, view);
    }

    fn open_row(&self) -> Option<&TreeRow> {
        self.app.model.tree.get(self.app.reading.dialog()?)
    }
}

/// A title with its subject shortened, or left out where it has no room; if that is still too long, its end is
/// cut.
fn fitted_title(who: &str, about: &str, tail: &str, available: usize, cut: &str) -> String {
    let fixed = width(who) + width(tail);
    if fixed + width(about) <= available {
        format!("{who}{about}{tail}")
    } else if fixed + 8 > available {
        format!("{who}{tail}")
    } else {
        format!("{who}{}{tail}", shorten(about, available - fixed, cut))
    }
}

/// The model and the autonomy that a person chose for a dialog, each with a sign before it; empty where nobody did.
fn own_choices(row: &TreeRow, ui: &UiSettings) -> String {
    let model = row.model.as_ref();
    let model = model.map(|of| shorten(&of.model, MODEL_CELLS, ui.glyphs.cut).into_owned());
    let autonomy = row.autonomy.map(|level| status::autonomy_text(Some(level), ui));
    let choices = model.into_iter().chain(autonomy);
    let parts: Vec<String> =
        choices.map(|choice| format!(" {} {choice}", ui.glyphs.middle_dot)).collect();
    parts.concat()
}

/// Returns the first line of the question in the composer.
fn headline_of(question: Option<&InboxRow>) -> Option<String> {
    question.map(|row| headline(&row.question.tellask_content))
}

fn draw_divider(buffer: &mut Buffer, area: Rect, ui: &UiSettings) {
    let strip = Strip::new().put(ui.glyphs.divider, ui.style(Role::Rule));
    for y in area.y..area.bottom() {
        strip.draw(buffer, area, y);
    }
}
