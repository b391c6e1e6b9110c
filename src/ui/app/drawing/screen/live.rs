//! The live rows of an inline screen: the composer on top, so that the terminal's cursor is as far up as possible
//! and a new width of the terminal moves nothing between it and the printed text; below it the status line, and then
//! the streamed text, the question being answered, or the completions for the typed word.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Rect, Size};

use super::Screen;
use super::about::{DialogNames, speaker, tail_lines};
use super::layout::{form, mark_form_read};
use crate::app::composing::writing::Writing;
use crate::app::drawing::app_words;
use crate::app::{App, Focus};
use crate::cx::{UiSettings, View};
use crate::domain::asking::question::picking;
use crate::domain::reading::title::{headline, without_marks};
use crate::domain::reading::transcript::{AskedBlock, Block, BlockBody, RecordPosition};
use crate::domain::{CallId, Course};
use crate::inline::{InlineLog, block_rows};
use crate::model::{Model, attached};
use crate::panes::composer::draw_heading;
use crate::panes::inquiry::FormRows;
use crate::panes::queued;
use crate::panes::strip::Strip;
use crate::panes::transcript::prose::Prose;
use crate::panes::transcript::{Answering, LayoutContext, OpenDialog};
use crate::protocol::InboxRow;
use crate::protocol::event::Segment;
use crate::theme::Role;

/// Rows of streamed text. They stay when nothing streams, so that the text above does not move.
const STREAM_ROWS: u16 = 3;
/// Rows below the status line while a question is answered, or something is offered.
const MOST_ROWS: u16 = 9;
/// Cells before streamed text.
const INDENT: usize = 2;

/// The areas of the live rows, and their content.
#[derive(Debug, Clone, Default)]
pub(super) struct LiveRows {
    field: Rect,
    heading: Rect,
    queue: Rect,
    status: Rect,
    tail: Rect,
    rows: Vec<Strip>,
}

impl LiveRows {
    /// Returns the area of the composer.
    pub fn composer(&self) -> Rect {
        self.field
    }

    /// Returns the area for lists about the text in the composer.
    pub fn beside_composer(&self) -> Rect {
        self.tail
    }
}

/// The height of the live rows on a terminal that is large enough for a screen.
pub(in crate::app) fn live_height(writing: &Writing, queued: usize, terminal: Size) -> u16 {
    let composer = writing.composer();
    let written = composer.height(terminal.width, 1, terminal.height);
    let queue = queued::height(queued, terminal.height);
    let offers = composer.completion.shown().is_some();
    let tail = if offers || writing.question().is_some() { MOST_ROWS } else { STREAM_ROWS };
    // A blank row, the status line.
    (written + queue + 2 + tail).min(terminal.height)
}

impl App {
    /// Lays the live rows out.
    pub(super) fn layout_live(&mut self, area: Rect, view: View<'_>, queued: usize) -> LiveRows {
        self.writing.lay_out(area.width);
        self.reading.lay_out_live(usize::from(area.width), view.ui);
        let inline = self.inline.as_ref();
        let terminal = inline.map_or(area.as_size(), |inline| inline.terminal);
        // If not everything fits, the composer comes first.
        let below = area.height.saturating_sub(2);
        let written = self.writing.composer().height(area.width, 1, terminal.height).min(below);
        let queue = queued::height(queued, terminal.height).min(below - written);
        let tail = below - written - queue;
        let row = |y: u16, height: u16| Rect { y: area.y + y, height, ..area };
        let mut live = LiveRows {
            field: row(1, written.saturating_sub(1)),
            heading: row(written, 1),
            queue: row(1 + written, queue),
            status: row(1 + written + queue, 1),
            tail: row(2 + written + queue, tail),
            rows: Vec::new(),
        };
        let tail = LiveTail {
            model: &self.model,
            open: self.reading.open(),
            writing: &self.writing,
            log: inline.map(|inline| &inline.log),
            now: self.redraw.now(),
        };
        let FormRows { rows, is_whole } = tail.rows(live.tail, view);
        let is_whole = is_whole && rows.len() <= usize::from(live.tail.height);
        let is_free = self.overlays.is_empty();
        mark_form_read(&self.writing, &mut self.model.inbox, is_whole && is_free);
        live.rows = rows;
        live
    }
}

/// What the rows below the status line are made from.
struct LiveTail<'a> {
    model: &'a Model,
    open: Option<&'a OpenDialog>,
    writing: &'a Writing,
    log: Option<&'a InlineLog>,
    now: Instant,
}

impl LiveTail<'_> {
    fn rows(&self, area: Rect, view: View<'_>) -> FormRows {
        let (width, height) = (usize::from(area.width), usize::from(area.height));
        if let Some(form) = self.answered_rows(width, height, view) {
            return form;
        }
        FormRows { rows: self.streaming_rows(width, height, view), is_whole: false }
    }

    /// Returns the rows about the current activity of the open dialog.
    fn streaming_rows(&self, width: usize, height: usize, view: View<'_>) -> Vec<Strip> {
        let Some((open, log)) = self.open.zip(self.log).filter(|(open, _)| open.loaded) else {
            return Vec::new();
        };
        let row = self.model.tree.get(&open.dialog);
        let retry = self.model.retries.get(&open.dialog);
        let mut rows = tail_lines(retry, self.now, row, view.ui, width);
        if rows.is_empty() {
            rows = streamed_rows(open, &speaker(open, row), height, view);
        }
        if rows.is_empty() {
            let names = DialogNames {
                tree: &self.model.tree,
                inbox: &self.model.inbox,
                dialog: &open.dialog,
            };
            let speaker = speaker(open, row);
            let context = LayoutContext {
                ui: view.ui,
                width,
                unfolded: false,
                speaker: &speaker,
                names: &names,
                answering: None,
                printed: None,
            };
            let is_call = |block: &&Block| block.body.is_call();
            let waiting = log.waiting(&open.dialog, open.transcript.blocks()).filter(is_call);
            rows = waiting
                .filter_map(|block| block_rows(block, &context).into_iter().next())
                .collect();
            rows = rows.split_off(rows.len().saturating_sub(height));
        }
        rows.truncate(height);
        rows
    }

    /// The question in the composer with its options, the picked ones marked; `None` if none is answered.
    fn answered_rows(&self, width: usize, height: usize, view: View<'_>) -> Option<FormRows> {
        let row = self.model.inbox.get(self.writing.question()?)?;
        if row.several_parts().is_some() || row.is_approval() {
            return Some(form((self.writing, &self.model.inbox), width, height, view.ui));
        }
        let (tree, inbox) = (&self.model.tree, &self.model.inbox);
        let names = DialogNames { tree, inbox, dialog: &row.dialog };
        let (call, ui) = (&row.question.call_id, view.ui);
        let typed = attached::content(&self.writing.composer().field.text());
        let speaker = format!("@{}", row.agent);
        let context = LayoutContext {
            ui,
            width,
            unfolded: false,
            speaker: &speaker,
            names: &names,
            answering: Some(Answering { call, typed: &typed }),
            printed: None,
        };
        let mut rows = block_rows(&asked(call, row), &context);
        if rows.len() > height {
            rows.truncate(1);
            rows.extend(short_question(row, &typed, width, ui));
        }
        if rows.len() > height {
            rows.truncate(height.saturating_sub(1));
            let more = format!("  {}", ui.glyphs.cut);
            rows.push(Strip::new().put(&more, ui.style(Role::TextDim)));
        }
        Some(FormRows { rows, is_whole: false })
    }
}

/// Returns the first line of a question and its options, each in one row: the options are in view even if the
/// question has more rows than fit.
fn short_question(row: &InboxRow, typed: &str, width: usize, ui: &UiSettings) -> Vec<Strip> {
    let (text, dim) = (ui.style(Role::Text), ui.style(Role::TextDim));
    let choices = row.choices();
    let picked = picking::answer(&choices, typed).picked;
    let first = headline(&row.question.tellask_content);
    let first = Strip::new().put(&format!("  {first}"), text);
    let options = choices.iter().enumerate().map(|(at, choice)| {
        let is_picked = picked.contains(&at);
        let (mark, role) =
            if is_picked { (ui.glyphs.done, Role::Accent) } else { (" ", Role::Text) };
        let option = format!("  {mark} {}  {}", choice.key, without_marks(&choice.text));
        Strip::new().put(&option, ui.style(role))
    });
    let rows = std::iter::once(first).chain(options);
    rows.map(|row| row.shortened(width, ui.glyphs.cut, dim)).collect()
}

/// The question as a block of a dialog, which need not be open.
fn asked(call: &CallId, row: &InboxRow) -> Block {
    let (content, parts) = (row.question.tellask_content.clone(), row.inquiry.clone());
    Block {
        place: RecordPosition { course: Course::FIRST, line: 0 },
        at: row.question.asked_at.clone(),
        genseq: None,
        revision: 0,
        part: None,
        body: BlockBody::Question(AskedBlock { call: call.clone(), content, parts, answer: None }),
    }
}

/// Returns the end of the streamed text: its author, and the last rows.
fn streamed_rows(open: &OpenDialog, who: &str, height: usize, view: View<'_>) -> Vec<Strip> {
    let ui = view.ui;
    let Some(live) = open.live.segments().last() else { return Vec::new() };
    let dim = ui.style(Role::TextDim);
    let (kind, role) = match live.segment {
        Segment::Thinking => {
            (format!(" {} {}", ui.glyphs.middle_dot, ui.text(app_words::THINKING)), Role::Thinking)
        }
        Segment::Saying => (String::new(), Role::Text),
    };
    let head = Strip::new().put(who, ui.style(Role::Agent)).put(&kind, dim);
    let prose = Prose::new(ui).in_role(role);
    let first = live.height().saturating_sub(height.saturating_sub(1));
    let rows = (first..live.height())
        .map(|at| live.row(at).map(|line| prose.strip(line, INDENT)).unwrap_or_default());
    std::iter::once(head).chain(rows).collect()
}

impl Screen<'_> {
    /// Draws the live rows.
    pub(super) fn draw_live(&self, frame: &mut Frame<'_>, live: &LiveRows, view: View<'_>) {
        let heading = self.heading(view.ui);
        let focused = self.app.focus.is(Focus::Composer) && self.app.overlays.is_empty();
        let picked = self.app.writing.picked_options(&self.app.model.inbox);
        let composer = self.app.writing.composer();
        composer.draw_text(frame, live.field, view, &picked, focused);
        draw_heading(frame, live.heading, view.ui, &heading, focused);
        queued::draw(frame, live.queue, view, &self.queue, &self.queue_keys(view.ui));
        self.draw_status(frame, live.status, view);
        for (y, row) in (live.tail.y..live.tail.bottom()).zip(&live.rows) {
            row.draw(frame.buffer_mut(), live.tail, y);
        }
        if focused {
            composer.completion.draw(frame, live.tail, view, composer.files.is_cut());
        }
    }
}
