//! The layout of the screen: the areas of all parts for every size, and what depends on them, such as
//! how far lists are scrolled.

use ratatui::layout::{Rect, Size};

use super::about::{DialogNames, speaker, tail_lines};
use super::{MEDIUM, MIN_INBOX_ROWS, MIN_SIZE, Screen, WIDE};
use crate::action::{Action, Scope};
use crate::app::calling::attention::InView;
use crate::app::drawing::areas::Areas;
use crate::app::drawing::focus::FocusState;
use crate::app::keys::first_hints::FirstHint;
use crate::app::{App, Focus};
use crate::cx::{UiSettings, View};
use crate::lists::problems;
use crate::model::tree::StateCounts;
use crate::model::{Inbox, Model, attached};
use crate::panes::composer::Composer;
use crate::panes::inquiry::{AnswerForm, FormRows};
use crate::panes::queued::QueuedRow;
use crate::panes::strip::Strip;
use crate::panes::transcript::{Answering, TranscriptContext};
use crate::panes::{inbox, queued, status};
use crate::protocol::InboxRow;

/// Rows of the dialog, with its title, above the parts of a question.
const MIN_DIALOG_ROWS: u16 = 3;
/// Cells before the parts of a question.
const FORM_INDENT: u16 = 1;
const LEFT_COLUMN_CELLS: (u16, u16) = (28, 40);

/// Texts of the open dialog that are drawn with its transcript.
#[derive(Debug, Default)]
pub(super) struct TranscriptTexts {
    pub speaker: String,
    pub tail: Vec<Strip>,
    /// The text in the composer.
    pub typed: String,
}

impl TranscriptTexts {
    /// `question` is the one in the composer, with its headline.
    pub fn context<'a>(
        &'a self,
        view: View<'a>,
        names: &'a DialogNames<'a>,
        question: Option<(&'a InboxRow, &'a str)>,
        focused: bool,
    ) -> TranscriptContext<'a> {
        let here = question.map(|(row, _)| row).filter(|row| row.dialog == *names.dialog);
        TranscriptContext {
            view,
            speaker: &self.speaker,
            names,
            answering: here
                .map(|row| Answering { call: &row.question.call_id, typed: &self.typed }),
            headline: question.map(|(_, headline)| headline),
            tail: &self.tail,
            focused,
        }
    }
}

impl App {
    /// Lays the screen out for a size; the result draws it. If older records are needed, they are
    /// requested with a command.
    pub fn layout(&mut self, size: Size) -> Screen<'_> {
        self.redraw.laid_out();
        self.ui.colours.begin_frame();
        self.size = Some(size);
        let (area, now) = (Rect::from((ratatui::layout::Position::ORIGIN, size)), self.clock.now());
        self.model.tree.refresh();
        let counts = self.model.tree.counts();
        let mut areas = Areas::default();
        let (mut ending, mut queue, mut form) = (Vec::new(), Vec::new(), Vec::new());
        let (mut texts, mut preview, mut hint, mut live) = (None, None, None, None);
        let ui = self.ui.clone();
        let view = View { ui: &ui, now: &now };
        if self.shows_live_rows() {
            if self.inline_terminal().is_some_and(is_large_enough) {
                queue = self.queue_in_view();
                live = Some(self.layout_live(area, view, queue.len()));
                hint = self.layout_hint(area.width, counts);
            }
        } else if is_large_enough(size) {
            let is_busy = self.focus.is(Focus::Composer) || !self.overlays.is_empty();
            ending = self.ending.rows(area, &ui, is_busy);
            let taken = u16::try_from(ending.len()).unwrap_or(u16::MAX).min(area.height - 1);
            areas = columns(Rect { height: area.height - taken, ..area }, &self.focus);
            areas.status = Rect { y: area.bottom() - 1, ..areas.status };
            queue = self.queue_in_view();
            self.layout_left(&mut areas, area.width);
            self.writing.lay_out(areas.right.width);
            let FormRows { rows, is_whole } = self.form_rows(areas.right, area.width, &ui);
            form = rows;
            let above = (queue.len(), form.len());
            layout_right(&mut areas, self.writing.composer(), area.width, above);
            self.form_shown(is_whole && usize::from(areas.form.height) == form.len());
            if !areas.right.is_empty() {
                texts = self.layout_transcript(areas.transcript, view);
            }
            preview = self.layout_preview(&areas, view);
            let area = areas.overlays();
            let read = self.in_overlays(|overlays, facts| overlays.layout(facts, area, view));
            if let Some(row) = read {
                self.model.inbox.mark_read(&row);
            }
            if ending.is_empty() {
                hint = self.layout_hint(areas.status.width, counts);
            }
        } else {
            self.overlays.hide();
        }
        self.in_view = match &live {
            Some(live) => InView { inbox: Rect::default(), composer: live.composer() },
            None if self.overlays.is_empty() => in_view(&areas),
            None => beside_overlays(&areas),
        };
        self.pointer.laid_out(areas);
        Screen {
            app: self,
            area,
            now,
            areas,
            ending,
            queue,
            form,
            counts,
            texts,
            preview,
            hint,
            live,
        }
    }

    /// Chooses a hint for a new person about an action that is possible now, if it fits into the status line.
    fn layout_hint(&mut self, cells: u16, counts: StateCounts) -> Option<FirstHint> {
        let is_history = self.facts().open_row().is_some_and(|row| row.history);
        let is_hidden = is_history || self.model.notices.shown().is_some();
        if is_hidden
            || !self.hints.may_show()
            || !self.overlays.is_empty()
            || !self.startup.is_listed()
        {
            return None;
        }
        let problems_key = self.ui.key(Scope::PANES, Action::Show(problems::SCOPE));
        let values = self.status_values(counts, &problems_key);
        let fitting: Vec<FirstHint> = FirstHint::ALL
            .into_iter()
            .filter(|hint| {
                let shown = (hint.action(self.focus.now()), hint.word());
                self.can_do(*hint) && status::fits(shown, self.scope(), &self.ui, values, cells)
            })
            .collect();
        self.hints.choose(|hint| fitting.contains(&hint))
    }

    /// True if the subject of a hint can be done now.
    fn can_do(&self, hint: FirstHint) -> bool {
        let (focus, tree) = (self.focus.now(), &self.model.tree);
        let open = self.reading.open();
        match hint {
            FirstHint::New => tree.is_empty() && focus != Focus::Composer,
            FirstHint::Answer => {
                self.model.inbox.has_questions() && self.writing.question().is_none()
            }
            FirstHint::Open => {
                let chosen = tree.shown_selection();
                focus == Focus::Tree && chosen.is_some() && chosen != self.reading.dialog()
            }
            FirstHint::Write => focus == Focus::Dialog && self.writing.can_write(),
            FirstHint::Changes => {
                focus == Focus::Dialog
                    && open.is_some_and(|open| self.hints.has_changes(&open.dialog))
            }
            FirstHint::Find => focus == Focus::Dialog && open.is_some_and(|open| open.loaded),
            FirstHint::Palette | FirstHint::Help => !tree.is_empty(),
        }
    }

    /// The queued messages that are shown above the composer.
    pub(super) fn queue_in_view(&self) -> Vec<QueuedRow> {
        let shown = self.reading.is_generating() || self.queue.is_shown(self.redraw.now());
        if self.writing.question().is_none() && shown { self.queue_messages() } else { Vec::new() }
    }

    /// The parts of the question that is answered, in at most half of this pane; some of the dialog stays in view.
    fn form_rows(&self, pane: Rect, screen_width: u16, ui: &UiSettings) -> FormRows {
        let cells = usize::from(pane.width.saturating_sub(1 + FORM_INDENT));
        let composer = composer_height(self.writing.composer(), pane, screen_width);
        let above = pane.height.saturating_sub(composer + MIN_DIALOG_ROWS);
        self.form(cells, usize::from(above.min(pane.height / 2)), ui)
    }

    /// Lays the form out for this width and height.
    pub(super) fn form(&self, cells: usize, height: usize, ui: &UiSettings) -> FormRows {
        let inbox = &self.model.inbox;
        let row = self.writing.question().and_then(|id| inbox.get(id));
        let Some((row, part)) = row.zip(self.writing.part(inbox)) else {
            return FormRows::default();
        };
        let typed = attached::content(&self.writing.composer().field.text());
        let drafts = self.writing.drafts();
        AnswerForm { row, part, typed: &typed, drafts }.rows(cells, height, ui)
    }

    /// The question that is answered was shown in its form, if that is whole and nothing is over it.
    pub(super) fn form_shown(&mut self, is_whole: bool) {
        let is_free =
            self.overlays.is_empty() && self.writing.composer().completion.shown().is_none();
        let row = self.writing.question().and_then(|id| self.model.inbox.get(id));
        let row = row.filter(|row| is_whole && is_free && !self.model.inbox.can_be_approved(row));
        if let Some(row) = row.cloned() {
            self.model.inbox.mark_read(&row);
        }
    }

    fn layout_left(&mut self, areas: &mut Areas, width: u16) {
        let area = areas.left;
        if area.is_empty() {
            return;
        }
        let narrow = width < MEDIUM;
        let inbox_rows = match (narrow, self.focus.now()) {
            (true, Focus::Inbox) => area.height,
            (true, _) => 0,
            (false, _) => inbox_height(&self.model.inbox, area.height),
        };
        areas.tree = Rect { height: area.height - inbox_rows, ..area };
        areas.inbox = Rect { y: area.y + areas.tree.height, height: inbox_rows, ..area };
        if areas.tree.height > 0 && self.startup.is_listed() {
            self.model.tree.top(usize::from(areas.tree_rows(narrow).height));
        }
        if areas.inbox.height > 0 && self.startup.is_listed() && !self.model.inbox.is_empty() {
            inbox::layout(&mut self.model.inbox, &self.ui, areas.inbox_rows());
        }
    }

    /// Arranges the rows of the open dialog. Records that the view needs and that are not loaded are requested.
    fn layout_transcript(&mut self, area: Rect, view: View<'_>) -> Option<TranscriptTexts> {
        let focused = self.focus.now() == Focus::Dialog && self.overlays.is_empty();
        let Model { tree, inbox, retries, .. } = &self.model;
        let open = self.reading.open().filter(|open| open.loaded)?;
        let question = self.writing.question().and_then(|id| inbox.get(id));
        let row = tree.get(&open.dialog);
        let texts = TranscriptTexts {
            speaker: speaker(open, row),
            tail: tail_lines(
                retries.get(&open.dialog),
                self.redraw.now(),
                row,
                view.ui,
                usize::from(area.width),
            ),
            typed: attached::content(&self.writing.composer().field.text()),
        };
        let dialog = open.dialog.clone();
        let names = DialogNames { tree, inbox, dialog: &dialog };
        let headline = super::headline_of(question);
        let asked = question.zip(headline.as_deref());
        let context = texts.context(view, &names, asked, focused);
        let follow_ups = self.reading.arrange(&context, area);
        self.follow(follow_ups);
        Some(texts)
    }
}

/// True if a screen of this size is drawn.
fn is_large_enough(size: Size) -> bool {
    size.width >= MIN_SIZE.0 && size.height >= MIN_SIZE.1
}

/// Returns the areas where questions are in view.
fn in_view(areas: &Areas) -> InView {
    InView { inbox: areas.inbox_rows(), composer: areas.composer }
}

/// Returns these areas with an overlay on top.
fn beside_overlays(areas: &Areas) -> InView {
    let inbox = if areas.right.is_empty() { Rect::default() } else { areas.inbox_rows() };
    InView { inbox, composer: Rect::default() }
}

/// The columns.
fn columns(area: Rect, focus: &FocusState) -> Areas {
    let status = Rect { y: area.bottom() - 1, height: 1, ..area };
    let body = Rect { height: area.height - 1, ..area };
    let on_left = matches!(focus.now(), Focus::Tree | Focus::Inbox);
    if area.width < MEDIUM {
        let tabs = Rect { height: 2, ..body };
        let pane = Rect { y: body.y + 2, height: body.height - 2, ..body };
        return if on_left {
            Areas { left: pane, tabs, status, ..Areas::default() }
        } else {
            Areas { right: pane, tabs, status, ..Areas::default() }
        };
    }
    if focus.is_zoomed() {
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
        status,
        ..Areas::default()
    }
}

/// Most rows that the screen gives to the news; the others are scrolled to.
const MOST_NEWS_ROWS: u16 = 4;

/// The rows its questions need, at most two fifths of the height.
fn inbox_height(inbox: &Inbox, height: u16) -> u16 {
    if inbox.is_empty() {
        return 1;
    }
    let shown = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX);
    let questions = shown(inbox.len()).saturating_mul(inbox::ROWS_EACH);
    let news = shown(inbox.news_rows().len()).min(MOST_NEWS_ROWS) * inbox::NEWS_ROWS;
    let details = if inbox.is_unfolded() { inbox::MAX_DETAIL_ROWS } else { 0 };
    let wanted = questions.saturating_add(1 + details + news);
    wanted.min(height * 2 / 5).max(MIN_INBOX_ROWS)
}

/// The rows of the composer in this pane, with its title.
fn composer_height(composer: &Composer, pane: Rect, screen_width: u16) -> u16 {
    let min_rows = if screen_width >= WIDE { 2 } else { 1 };
    composer.height(pane.width, min_rows, pane.height)
}

/// The parts of the right column.
fn layout_right(
    areas: &mut Areas,
    composer: &Composer,
    width: u16,
    (queued, form): (usize, usize),
) {
    let area = areas.right;
    if area.is_empty() {
        return;
    }
    let narrow = width < MEDIUM;
    let wanted = composer_height(composer, area, width);
    areas.composer = Rect { y: area.bottom() - wanted, height: wanted, ..area };
    let strip = queued::height(queued, area.height);
    areas.queue = Rect { y: areas.composer.y - strip, height: strip, ..area };
    let room = area.height - wanted - strip;
    let form = u16::try_from(form).unwrap_or(u16::MAX).min(room);
    let indented =
        Rect { x: area.x + FORM_INDENT, width: area.width.saturating_sub(FORM_INDENT), ..area };
    areas.form = Rect { y: areas.queue.y - form, height: form, ..indented };
    let above = Rect { height: room - form, ..area };
    // The cursor is before the text.
    let (before, behind) = (1, u16::from(!narrow));
    let inner =
        Rect { x: above.x + before, width: above.width.saturating_sub(before + behind), ..above };
    if narrow {
        areas.transcript = inner;
    } else {
        areas.title = inner;
        areas.transcript = Rect { y: inner.y + 2, height: inner.height.saturating_sub(2), ..inner };
    }
}
