//! The layout of the screen: the areas of all parts for every size, and what depends on them, such as
//! how far lists are scrolled.

use std::time::Instant;

use ratatui::layout::{Rect, Size};

use super::about::{DialogNames, speaker, tail_lines};
use super::live::LiveRows;
use super::{MEDIUM, MIN_INBOX_ROWS, MIN_SIZE, Screen, WIDE, status_values};
use crate::action::{Action, Scope};
use crate::app::calling::attention::InView;
use crate::app::composing::writing::Writing;
use crate::app::dialogs::queue_strip;
use crate::app::dialogs::reading::Reading;
use crate::app::drawing::areas::Areas;
use crate::app::drawing::focus::FocusState;
use crate::app::flow::facts::Facts;
use crate::app::keys::first_hints::{FirstHint, FirstHints};
use crate::app::{App, Focus, LookChange};
use crate::cx::{UiSettings, View};
use crate::follow_up::FollowUps;
use crate::lists::{overview, problems, themes};
use crate::model::tree::StateCounts;
use crate::model::{Inbox, Model, attached};
use crate::panes::composer::Composer;
use crate::panes::inquiry::{AnswerForm, FormRows};
use crate::panes::queued::QueuedRow;
use crate::panes::strip::Strip;
use crate::panes::transcript::{Answering, TranscriptContext};
use crate::panes::{help, inbox, queued, status};
use crate::protocol::InboxRow;

/// Rows of the dialog, with its title, above the parts of a question.
const MIN_DIALOG_ROWS: u16 = 3;
/// Cells before the parts of a question.
const FORM_INDENT: u16 = 1;
/// The least and the greatest width of the left column, which is a third of the screen.
const LEFT_COLUMN_CELLS: (u16, u16) = (28, 60);

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

/// What is on the screen.
#[derive(Debug, Default)]
struct Content {
    areas: Areas,
    ending: Vec<Strip>,
    queue: Vec<QueuedRow>,
    form: Vec<Strip>,
    texts: Option<TranscriptTexts>,
    preview: Option<TranscriptTexts>,
    live: Option<LiveRows>,
    /// The width of the status line, if it has room for a hint.
    hint_cells: Option<u16>,
}

impl App {
    /// Lays the screen out for a size; the result draws it. If older records are needed, they are
    /// requested with a command.
    pub fn layout(&mut self, size: Size) -> Screen<'_> {
        self.redraw.laid_out();
        let tried = (!self.overlays.is_empty())
            .then(|| self.in_overlays(|overlays, facts| overlays.tried_theme(facts)));
        self.change_look(LookChange::Tried(tried.flatten()));
        self.ui.colours.begin_frame();
        self.size = Some(size);
        let (area, now) = (Rect::from((ratatui::layout::Position::ORIGIN, size)), self.clock.now());
        self.model.tree.refresh();
        let counts = self.model.tree.counts();
        let ui = self.ui.clone();
        let view = View { ui: &ui, now: &now };
        let mut content = Content::default();
        if self.shows_live_rows() {
            if self.inline.as_ref().is_some_and(|inline| is_large_enough(inline.terminal)) {
                content.queue = self.queue_in_view();
                content.live = Some(self.layout_live(area, view, content.queue.len()));
                content.hint_cells = Some(area.width);
            }
        } else if is_large_enough(size) {
            content = self.layout_panes(area, view);
        } else {
            self.overlays.hide();
        }
        let may_hint = self.overlays.is_empty() && self.startup.is_listed();
        let hint = content.hint_cells.filter(|_| may_hint).and_then(|cells| {
            let (open, focus) = (self.reading.open(), self.focus.now());
            let facts = Facts { model: &self.model, open, focus, ui: &ui };
            self.hints.lay_out(facts, (&self.writing, self.focus.scope()), counts, cells)
        });
        self.attention.in_view = match &content.live {
            Some(live) => InView { inbox: Rect::default(), composer: live.composer() },
            None if self.overlays.is_empty() => in_view(&content.areas),
            None => beside_overlays(&content.areas),
        };
        self.pointer.laid_out(content.areas);
        let Content { areas, ending, queue, form, texts, preview, live, hint_cells: _ } = content;
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

    /// Lays the panes and the overlays out.
    fn layout_panes(&mut self, area: Rect, view: View<'_>) -> Content {
        let (ui, now) = (view.ui, self.redraw.now());
        let is_busy = self.focus.is(Focus::Composer) || !self.overlays.is_empty();
        let ending = self.ending.rows(area, ui, is_busy);
        let taken = u16::try_from(ending.len()).unwrap_or(u16::MAX).min(area.height - 1);
        let has_two_columns = area.width >= help::TWO_COLUMNS && self.overlays.cover();
        let is_covered = self.overlays.shows(overview::SCOPE) || has_two_columns;
        let area_of_panes = Rect { height: area.height - taken, ..area };
        let mut areas = columns(area_of_panes, &self.focus, is_covered);
        areas.status = Rect { y: area.bottom() - 1, ..areas.status };
        let queue = self.queue_in_view();
        let listed = (self.focus.now(), self.startup.is_listed());
        layout_left(&mut areas, area.width, listed, &mut self.model, ui);
        self.writing.lay_out(areas.right.width);
        let answered = (&self.writing, &self.model.inbox);
        let FormRows { rows: form, is_whole } = form_rows(answered, areas.right, area.width, ui);
        layout_right(&mut areas, self.writing.composer(), area.width, (queue.len(), form.len()));
        let fits = usize::from(areas.form.height) == form.len();
        let is_whole = is_whole && fits && self.overlays.is_empty();
        mark_form_read(&self.writing, &mut self.model.inbox, is_whole);
        let mut texts = None;
        if !areas.right.is_empty() {
            let moment = (self.focus.is(Focus::Dialog) && self.overlays.is_empty(), now);
            let known = (&self.model, &self.writing);
            let laid_out = self.reading.lay_out(known, moment, areas.transcript, view);
            if let Some((shown, follow_ups)) = laid_out {
                self.follow(follow_ups);
                texts = Some(shown);
            }
        }
        let (open, focus) = (self.reading.open(), self.focus.now());
        let facts = Facts { model: &self.model, open, focus, ui };
        // It is as it was once nothing covers it.
        let preview =
            if is_covered { None } else { self.preview.lay_out(facts, now, &areas, view) };
        let (over, searched) = (areas.overlays(), self.overlays.awaits_layout());
        let read = self.in_overlays(|overlays, facts| overlays.layout(facts, over, view));
        // In a list of themes the search may have gone to another one.
        self.redraw.mark_if(searched && self.overlays.shows(themes::SCOPE));
        if let Some(row) = read {
            self.model.inbox.mark_read(&row);
        }
        let hint_cells = ending.is_empty().then_some(areas.status.width);
        Content { areas, ending, queue, form, texts, preview, live: None, hint_cells }
    }

    /// The queued messages that are shown above the composer.
    pub(in crate::app) fn queue_in_view(&self) -> Vec<QueuedRow> {
        let shown = self.reading.is_generating() || self.queue.is_shown(self.redraw.now());
        if self.writing.question().is_none() && shown {
            queue_strip::of_open(self.facts(), &self.requests)
        } else {
            Vec::new()
        }
    }
}

impl FirstHints {
    /// Chooses a hint for a new person about an action that is possible now, if it fits into the status line.
    fn lay_out(
        &mut self,
        facts: Facts<'_>,
        (writing, scope): (&Writing, Scope),
        counts: StateCounts,
        cells: u16,
    ) -> Option<FirstHint> {
        let is_history = facts.open_row().is_some_and(|row| row.history);
        let is_hidden = is_history || facts.model.notices.shown().is_some();
        if is_hidden || !self.may_show() {
            return None;
        }
        let problems_key = facts.ui.key(Scope::PANES, Action::Show(problems::SCOPE));
        let values = status_values(facts, counts, &problems_key);
        let fitting: Vec<FirstHint> = FirstHint::ALL
            .into_iter()
            .filter(|hint| {
                let shown = (hint.action(facts.focus), hint.word());
                can_do(*hint, facts, writing, self)
                    && status::fits(shown, scope, facts.ui, values, cells)
            })
            .collect();
        self.choose(|hint| fitting.contains(&hint))
    }
}

/// True if the subject of a hint can be done now.
fn can_do(hint: FirstHint, facts: Facts<'_>, writing: &Writing, hints: &FirstHints) -> bool {
    let (focus, tree, open) = (facts.focus, &facts.model.tree, facts.open);
    match hint {
        FirstHint::New => tree.is_empty() && focus != Focus::Composer,
        FirstHint::Answer => facts.model.inbox.has_questions() && writing.question().is_none(),
        FirstHint::Open => {
            let chosen = tree.shown_selection();
            focus == Focus::Tree && chosen.is_some() && chosen != facts.open_dialog()
        }
        FirstHint::Write => focus == Focus::Dialog && writing.can_write(),
        FirstHint::Changes => {
            focus == Focus::Dialog && open.is_some_and(|open| hints.has_changes(&open.dialog))
        }
        FirstHint::Find => focus == Focus::Dialog && open.is_some_and(|open| open.loaded),
        FirstHint::Palette | FirstHint::Help => !tree.is_empty(),
    }
}

/// The parts of the question that is answered, in at most half of this pane; some of the dialog stays in view.
fn form_rows(
    (writing, inbox): (&Writing, &Inbox),
    pane: Rect,
    screen_width: u16,
    ui: &UiSettings,
) -> FormRows {
    let cells = usize::from(pane.width.saturating_sub(1 + FORM_INDENT));
    let composer = composer_height(writing.composer(), pane, screen_width);
    let above = pane.height.saturating_sub(composer + MIN_DIALOG_ROWS);
    form((writing, inbox), cells, usize::from(above.min(pane.height / 2)), ui)
}

/// Lays the form out for this width and height.
pub(super) fn form(
    (writing, inbox): (&Writing, &Inbox),
    cells: usize,
    height: usize,
    ui: &UiSettings,
) -> FormRows {
    let row = writing.question().and_then(|id| inbox.get(id));
    let Some((row, part)) = row.zip(writing.part(inbox)) else {
        return FormRows::default();
    };
    let typed = attached::content(&writing.composer().field.text());
    let drafts = writing.drafts();
    AnswerForm { row, part, typed: &typed, drafts }.rows(cells, height, ui)
}

/// Takes note that the question that is answered was shown in its form, if all of that can be seen.
pub(super) fn mark_form_read(writing: &Writing, inbox: &mut Inbox, is_whole: bool) {
    let is_free = writing.composer().completion.shown().is_none();
    let row = writing.question().and_then(|id| inbox.get(id));
    let row = row.filter(|row| is_whole && is_free && !inbox.can_be_approved(row));
    if let Some(row) = row.cloned() {
        inbox.mark_read(&row);
    }
}

/// Lays out the tree and the inbox; their rows once both are listed.
fn layout_left(
    areas: &mut Areas,
    width: u16,
    (focus, is_listed): (Focus, bool),
    model: &mut Model,
    ui: &UiSettings,
) {
    let area = areas.left;
    if area.is_empty() {
        return;
    }
    let narrow = width < MEDIUM;
    let inbox_rows = match (narrow, focus) {
        (true, Focus::Inbox) => area.height,
        (true, _) => 0,
        (false, _) => inbox_height(&model.inbox, area.height),
    };
    areas.tree = Rect { height: area.height - inbox_rows, ..area };
    areas.inbox = Rect { y: area.y + areas.tree.height, height: inbox_rows, ..area };
    if areas.tree.height > 0 && is_listed {
        model.tree.top(usize::from(areas.tree_rows(narrow).height));
    }
    if areas.inbox.height > 0 && is_listed && !model.inbox.is_empty() {
        inbox::layout(&mut model.inbox, ui, areas.inbox_rows());
    }
}

impl Reading {
    /// Arranges the rows of the open dialog. Records that the view needs and that are not loaded are requested.
    fn lay_out(
        &mut self,
        (model, writing): (&Model, &Writing),
        (focused, now): (bool, Instant),
        area: Rect,
        view: View<'_>,
    ) -> Option<(TranscriptTexts, FollowUps)> {
        let Model { tree, inbox, retries, .. } = model;
        let open = self.open().filter(|open| open.loaded)?;
        let question = writing.question().and_then(|id| inbox.get(id));
        let row = tree.get(&open.dialog);
        let cells = usize::from(area.width);
        let texts = TranscriptTexts {
            speaker: speaker(open, row),
            tail: tail_lines(retries.get(&open.dialog), now, row, view.ui, cells),
            typed: attached::content(&writing.composer().field.text()),
        };
        let dialog = open.dialog.clone();
        let names = DialogNames { tree, inbox, dialog: &dialog };
        let headline = super::headline_of(question);
        let asked = question.zip(headline.as_deref());
        let context = texts.context(view, &names, asked, focused);
        let follow_ups = self.arrange(&context, area);
        Some((texts, follow_ups))
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

/// The columns. `is_covered`: what is on top takes the whole width.
fn columns(area: Rect, focus: &FocusState, is_covered: bool) -> Areas {
    let status = Rect { y: area.bottom() - 1, height: 1, ..area };
    let body = Rect { height: area.height - 1, ..area };
    if is_covered {
        return Areas { left: body, status, ..Areas::default() };
    }
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
    let cells = (area.width / 3).clamp(LEFT_COLUMN_CELLS.0, LEFT_COLUMN_CELLS.1);
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
