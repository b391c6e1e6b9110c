//! The timeline: a row for each dialog of a tree, time from left to right, and a description of the span
//! with the cursor.
//!
//! The cursor is on a span, by dialog and time, and stays there while spans are added. When it moves to
//! another dialog, it keeps its time. Drawing only reads the rows in view.

mod chart;
mod scale;
mod sentence;
#[cfg(test)]
pub(crate) mod tests;
mod timeline_words;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use self::chart::{CellKind, Stretch, Window, stretches, whole};
use self::scale::Scale;
use self::sentence::{name, sentence};
use super::read_sheet::{ReadSheet, SheetView, draw_note};
use super::row_search::RowJump;
use super::strip::Strip;
use super::transcript::prose::plain_rows;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::DialogId;
use crate::domain::reading::timeline::SpanPlace;
use crate::domain::text::Text;
use crate::follow_up::{FollowUp, ToReading};
use crate::model::{Mark, Tree, age};
use crate::overlay::{Handled, Handler};
use crate::protocol::{TimelineRow, TimelineView};
use crate::text::width::width;
use crate::theme::Role;
use crate::words::{CLOSE, LOADING, RETRYING};

pub const SCOPE: Scope = Scope::new("timeline", "时间线", &[Scope::PANES, Scope::ANYWHERE]);

pub const BINDINGS: &[Binding] = &[
    SCOPE.bind(Action::EarlierSpan, &["h", "left"]),
    SCOPE.bind(Action::LaterSpan, &["l", "right"]),
    SCOPE.bind(Action::Up, &["k", "up"]).does("Move to the dialog above", "到上面的对话"),
    SCOPE.bind(Action::Down, &["j", "down"]).does("Move to the dialog below", "到下面的对话"),
    SCOPE.bind(Action::PageUp, &["pageup", "ctrl+u"]),
    SCOPE.bind(Action::PageDown, &["pagedown", "ctrl+d", "space"]),
    SCOPE.bind(Action::Top, &["g", "home"]).does("Go to the first dialog", "到第一个对话"),
    SCOPE.bind(Action::Bottom, &["G", "end"]).does("Go to the last dialog", "到最后一个对话"),
    SCOPE.bind(Action::ZoomIn, &["+", "="]),
    SCOPE.bind(Action::ZoomOut, &["-"]),
    SCOPE.bind(Action::WholeTime, &["0"]),
    SCOPE.bind(Action::EarlierTime, &["<", ","]),
    SCOPE.bind(Action::LaterTime, &[">", "."]),
    SCOPE
        .bind(Action::OtherEnd, &["enter"])
        .does("Go to this place in the dialog", "到对话中的此处"),
    SCOPE.bind(Action::Find, &["/"]).does("Find a dialog by its name", "按名称查找对话"),
    SCOPE.bind(Action::NextMatch, &["n"]),
    SCOPE.bind(Action::PreviousMatch, &["N"]),
];

/// The shortest time that fills the chart, in seconds.
const MIN_SECONDS: i64 = 10;
/// Cells for the names of dialogs.
const NAME_CELLS: std::ops::RangeInclusive<usize> = 10..=28;

const KEYS: [Handler<TimelineSheet>; 8] = [
    (Action::EarlierSpan, |sheet, cx| sheet.step_span(false, cx)),
    (Action::LaterSpan, |sheet, cx| sheet.step_span(true, cx)),
    (Action::ZoomIn, |sheet, cx| sheet.zoom(true, cx)),
    (Action::ZoomOut, |sheet, cx| sheet.zoom(false, cx)),
    (Action::WholeTime, |sheet, _| sheet.whole_time()),
    (Action::EarlierTime, |sheet, cx| sheet.scroll(false, cx)),
    (Action::LaterTime, |sheet, cx| sheet.scroll(true, cx)),
    (Action::OtherEnd, |sheet, cx| sheet.go(cx)),
];

/// The span with the cursor. It is found again by its start when others came before it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SpanCursor {
    dialog: DialogId,
    span: usize,
    from: i64,
}

#[derive(Debug)]
pub struct TimelineSheet {
    cursor: SpanCursor,
    /// The time at which a span is looked for in another dialog; `None` until the cursor is on a span.
    time: Option<i64>,
    /// Seconds in view; `None`: all of them.
    seconds: Option<i64>,
    /// The start of the view; `None`: as it has to be to end with the last span.
    from: Option<i64>,
    now: i64,
    /// The row of the cursor.
    row: usize,
    view: SheetView,
    /// The cursor before the search.
    before_search: SpanCursor,
}

/// The parts of the sheet.
struct Areas {
    axis: Rect,
    rows: Rect,
    words: Rect,
    legend: Rect,
}

impl TimelineSheet {
    /// Makes it with the cursor on the last span of this dialog.
    pub fn new(dialog: DialogId) -> Self {
        let cursor = SpanCursor { dialog, span: usize::MAX, from: i64::MAX };
        Self {
            before_search: cursor.clone(),
            cursor,
            time: None,
            seconds: None,
            from: None,
            now: 0,
            row: 0,
            view: SheetView::default(),
        }
    }

    fn row<'a>(&self, view: &'a TimelineView) -> Option<&'a TimelineRow> {
        view.rows.get(self.row)
    }

    /// The span with the cursor.
    fn stretch<'a>(&self, view: &'a TimelineView) -> Option<Stretch<'a>> {
        stretches(&self.row(view)?.timeline, self.now).nth(self.cursor.span)
    }

    /// The part of the shown time that is in view.
    fn window(&self, view: &TimelineView) -> (Window, Scale) {
        let (whole, scale) = whole(view, self.now);
        let seconds = self.seconds.unwrap_or(whole.seconds).min(whole.seconds);
        let from = self.from.unwrap_or(whole.to() - seconds);
        (Window { from, seconds }.within(whole), scale)
    }

    /// Finds the row and the span of the cursor in new content.
    fn settle(&mut self, view: &TimelineView) {
        let found = view.rows.iter().position(|row| row.dialog == self.cursor.dialog);
        self.row = found.unwrap_or(self.row).min(view.rows.len().saturating_sub(1));
        let Some(row) = self.row(view) else { return };
        let spans = &row.timeline.spans;
        let same = spans.get(self.cursor.span).is_some_and(|span| span.from == self.cursor.from);
        let span = if same {
            self.cursor.span
        } else {
            spans.iter().rposition(|span| span.from <= self.cursor.from).unwrap_or_default()
        };
        self.point_at(self.row, span, view);
        self.time.get_or_insert(self.cursor.from);
    }

    fn point_at(&mut self, row: usize, span: usize, view: &TimelineView) {
        self.row = row;
        let Some(found) = view.rows.get(row) else { return };
        let from = found.timeline.spans.get(span).map_or(self.cursor.from, |span| span.from);
        self.cursor = SpanCursor { dialog: found.dialog.clone(), span, from };
    }

    fn step_to(&mut self, row: usize, view: &TimelineView) {
        let row = row.min(view.rows.len().saturating_sub(1));
        if let Some(found) = view.rows.get(row).filter(|_| row != self.row) {
            let (spans, time) = (&found.timeline.spans, self.time.unwrap_or(self.cursor.from));
            let span = spans.iter().rposition(|span| span.from <= time);
            self.point_at(row, span.unwrap_or_default(), view);
        }
    }

    /// Moves to the dialog that a search found, or back to the start of the search.
    fn follow_search(&mut self, view: &TimelineView) {
        self.view.search.rows_changed();
        match self.view.search.follow(view.rows.iter().map(label)) {
            Some(RowJump::To(row)) => self.step_to(row, view),
            Some(RowJump::Back { top, .. }) => {
                self.cursor = self.before_search.clone();
                self.view.top = top.row();
                self.settle(view);
            }
            None => {}
        }
        self.view.search.stands_at(self.row, self.view.top);
        if !self.view.search.is_active() {
            self.before_search = self.cursor.clone();
        }
    }

    /// Moves to the next or the previous span, which comes into view.
    fn step_span(&mut self, later: bool, cx: &Cx<'_>) -> Handled {
        let Some(view) = cx.sheets.timeline() else { return Handled::Done };
        let count = self.row(view).map_or(0, |row| row.timeline.spans.len());
        let span = self.cursor.span.saturating_add_signed(if later { 1 } else { -1 });
        self.point_at(self.row, span.min(count.saturating_sub(1)), view);
        self.time = Some(self.cursor.from);
        self.reveal(view);
        Handled::Done
    }

    /// Moves the view so that the span with the cursor is in it.
    fn reveal(&mut self, view: &TimelineView) {
        let Some(stretch) = self.stretch(view) else { return };
        let (window, scale) = self.window(view);
        if window.cells_of(stretch, &scale, 1).is_none() {
            let from = scale.shown(stretch.span.from) - window.seconds / 4;
            self.look_at(Window { from, ..window }, view);
        }
    }

    /// Shows this part of the time.
    fn look_at(&mut self, wanted: Window, view: &TimelineView) {
        let (whole, _) = whole(view, self.now);
        let window = wanted.within(whole);
        self.seconds = (window.seconds < whole.seconds).then_some(window.seconds);
        self.from = (window.to() < whole.to()).then_some(window.from);
    }

    /// Shows half or twice the time; the span with the cursor stays in the middle.
    fn zoom(&mut self, larger: bool, cx: &Cx<'_>) -> Handled {
        let Some(view) = cx.sheets.timeline() else { return Handled::Done };
        let (window, scale) = self.window(view);
        let seconds =
            if larger { (window.seconds / 2).max(MIN_SECONDS) } else { window.seconds * 2 };
        let middle = self.stretch(view).map_or(window.from, |stretch| {
            let (from, to) = (scale.shown(stretch.span.from), scale.shown(stretch.to));
            let (from, to) = (from.max(window.from), to.min(window.to()));
            from + (to - from) / 2
        });
        self.look_at(Window { from: middle - seconds / 2, seconds }, view);
        Handled::Done
    }

    fn whole_time(&mut self) -> Handled {
        (self.seconds, self.from) = (None, None);
        Handled::Done
    }

    /// Scrolls by half of the visible time.
    fn scroll(&mut self, later: bool, cx: &Cx<'_>) -> Handled {
        let Some(view) = cx.sheets.timeline() else { return Handled::Done };
        let (window, _) = self.window(view);
        let half = (window.seconds / 2).max(1);
        let from = if later { window.from + half } else { window.from - half };
        self.look_at(Window { from, ..window }, view);
        Handled::Done
    }

    /// Goes to the place of the span in its dialog.
    fn go(&self, cx: &mut Cx<'_>) -> Handled {
        let place = cx.sheets.timeline().and_then(|view| self.stretch(view)?.span.place.clone());
        let dialog = self.cursor.dialog.clone();
        let there = match place {
            Some(SpanPlace::Call(call)) => FollowUp::Reading(ToReading::ShowCall(dialog, call)),
            Some(SpanPlace::Generation(course, genseq)) => {
                FollowUp::Reading(ToReading::ShowGeneration(dialog, course, genseq))
            }
            None => {
                cx.notify(timeline_words::NOT_IN_RECORDS);
                return Handled::Done;
            }
        };
        cx.follow_ups.push(there);
        Handled::Close
    }

    /// The axis with a line for the cursor, the rows, the span in words, the legend.
    fn areas(area: Rect, rows: usize) -> Areas {
        let axis = Rect { height: area.height.min(2), ..area };
        let words = if area.height >= 10 { 4 } else { 3 };
        let legend = if area.height >= 16 { 3 } else { 0 };
        let free = area.height.saturating_sub(axis.height);
        let most = free.saturating_sub(words + legend).max(free.min(1));
        let height = u16::try_from(rows).unwrap_or(u16::MAX).min(most);
        let rows = Rect { y: axis.bottom(), height, ..area };
        let top = (rows.bottom() + 1).min(area.bottom());
        let words = Rect { y: top, height: (words - 1).min(area.bottom() - top), ..area };
        let top = (area.bottom() - legend.min(area.height)).max(words.bottom());
        let legend = Rect { y: top, height: area.bottom() - top, ..area };
        Areas { axis, rows, words, legend }
    }

    /// The cells of the names, and of the chart.
    fn columns(view: &TimelineView, available: u16) -> (usize, usize) {
        let widest = view.rows.iter().map(|row| width(&label(row))).max().unwrap_or(0);
        let most = (usize::from(available) * 2 / 5).min(*NAME_CELLS.end());
        let names = (widest + 2).max(*NAME_CELLS.start()).min(most);
        (names, usize::from(available).saturating_sub(names + 1))
    }

    fn draw_axis(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        ((window, scale), cells): (&(Window, Scale), usize),
        (view, ui): (&TimelineView, &UiSettings),
    ) {
        let dim = ui.style(Role::TextDim);
        let left = area.width.saturating_sub(u16::try_from(cells + 1).unwrap_or(u16::MAX));
        let area = Rect { x: area.x + left, width: area.width - left, ..area };
        let mut labels = Strip::new();
        for (cell, label) in window.labels(scale, cells) {
            labels = labels.pad_to(cell).put(&label, dim);
        }
        labels.draw(buffer, area, area.y);
        draw_gaps(buffer, area, (*window, scale, cells), ui);
        let stretch = self.stretch(view);
        let cell = stretch.and_then(|stretch| window.cells_of(stretch, scale, cells));
        if let Some(cell) = cell {
            let mark = Strip::new().put(ui.glyphs.open, ui.style(Role::Accent));
            mark.draw(buffer, from_cell(area, cell.start), area.y + 1);
        }
    }

    fn draw_rows(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        (window, names): (&(Window, Scale), usize),
        (view, tree, ui): (&TimelineView, &Tree, &UiSettings),
    ) {
        let cells = usize::from(area.width).saturating_sub(names + 1);
        for (y, (at, row)) in
            (area.y..area.bottom()).zip(view.rows.iter().enumerate().skip(self.view.top))
        {
            let chosen = at == self.row;
            let role = if chosen { Role::Title } else { Role::Agent };
            let bar = if chosen { ui.glyphs.selected } else { " " };
            let name = Strip::new().put(&label(row), ui.style(role));
            let strip = Strip::new()
                .put(bar, ui.style(Role::Accent))
                .join(self.view.search.marked(at, name, ui))
                .shortened(names.saturating_sub(1), ui.glyphs.cut, Style::default())
                .pad_to(names);
            let stretch = self.stretch(view).filter(|_| chosen);
            let row = (row, retries(row, tree));
            let strip = strip.join(self.chart(row, stretch, (window, cells), ui));
            strip.draw(buffer, Rect { y, height: 1, ..area }, y);
        }
    }

    /// Draws the cells of a dialog; the span with the cursor covers its cells alone.
    fn chart(
        &self,
        (row, retries): (&TimelineRow, bool),
        chosen: Option<Stretch<'_>>,
        ((window, scale), cells): (&(Window, Scale), usize),
        ui: &UiSettings,
    ) -> Strip {
        let marked = chosen.and_then(|stretch| {
            let kind = CellKind::of(&stretch.span.activity);
            Some((kind, window.cells_of(stretch, scale, cells)?))
        });
        let mut strip = Strip::new();
        let kinds = window.kinds((&row.timeline, retries), (self.now, scale), cells);
        for (cell, kind) in kinds.into_iter().enumerate() {
            let selected = marked.as_ref().filter(|(_, range)| range.contains(&cell));
            let covering = selected.filter(|_| kind != Some(CellKind::Retrying));
            let kind = covering.map(|(kind, _)| *kind).or(kind);
            let mut style = kind.map_or(Style::default(), |kind| ui.style(kind.role()));
            if selected.is_some() {
                style = style.patch(ui.style(Role::RowSelected));
            }
            strip.push(kind.map_or(" ", |kind| kind.glyph(&ui.glyphs)), style);
        }
        strip
    }

    /// Describes the span with the cursor.
    fn draw_words(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        (view, tree, ui): (&TimelineView, &Tree, &UiSettings),
    ) {
        let text = match (self.row(view), self.stretch(view)) {
            (Some(row), Some(stretch)) => sentence((row, retries(row, tree)), stretch, view, ui),
            (Some(_) | None, _) => ui.text(timeline_words::NOTHING).to_owned(),
        };
        let width = usize::from(area.width.saturating_sub(2)).max(1);
        let rows = plain_rows(&text, 1, width, ui.style(Role::Text));
        for (y, row) in (area.y..area.bottom()).zip(&rows) {
            row.draw(buffer, area, y);
        }
    }
}

/// True if its dialog retries now.
fn retries(row: &TimelineRow, tree: &Tree) -> bool {
    tree.get(&row.dialog).map(Mark::of) == Some(Mark::Retrying)
}

/// Returns the name of a dialog, indented below its asker.
fn label(row: &TimelineRow) -> String {
    format!("{}{}", " ".repeat(row.depth.min(4)), name(row))
}

/// The part of an area from this cell on.
fn from_cell(area: Rect, cell: usize) -> Rect {
    let cell = u16::try_from(cell).unwrap_or(u16::MAX).min(area.width);
    Rect { x: area.x + cell, width: area.width - cell, ..area }
}

/// Marks in the second row of the axis where the time is shortened, and by its length where there is room.
fn draw_gaps(
    buffer: &mut Buffer,
    area: Rect,
    (window, scale, cells): (Window, &Scale, usize),
    ui: &UiSettings,
) {
    let dim = ui.style(Role::TextDim);
    for gap in scale.gaps() {
        let (from, to) = (scale.shown(gap.time.start), scale.shown(gap.time.end));
        let Some(range) = window.cells_between(from, to, cells) else { continue };
        let length = age::exact(u64::try_from(gap.length()).unwrap_or_default());
        let named = format!(" {length} ");
        let mut sign = Strip::new();
        let room = range.len().saturating_sub(width(&named));
        if room >= 2 {
            sign = sign.fill_to(room / 2, ui.glyphs.cut, dim).put(&named, dim);
        }
        let sign = sign.fill_to(range.len(), ui.glyphs.cut, dim);
        sign.draw(buffer, from_cell(area, range.start), area.y + 1);
    }
}

/// Symbols whose meaning is shown only if they are in the chart.
#[derive(Debug, Clone, Copy)]
struct RareSymbols {
    gaps: bool,
    retries: bool,
}

/// Draws the meanings of the symbols that fit.
fn draw_legend(buffer: &mut Buffer, area: Rect, rare: RareSymbols, ui: &UiSettings) {
    let dim = ui.style(Role::TextDim);
    let mut line = Strip::new();
    let mut y = area.y;
    let shown = CellKind::ALL.into_iter();
    let shown = shown.filter(|kind| rare.retries || *kind != CellKind::Retrying);
    let kinds = shown.map(|kind| {
        let word = match kind {
            CellKind::Ran => timeline_words::RAN,
            CellKind::Retrying => RETRYING,
            CellKind::ForDialogs => timeline_words::FOR_DIALOGS,
            CellKind::ForPerson => timeline_words::FOR_PERSON,
            CellKind::Ready => timeline_words::READY,
            CellKind::Stopped => timeline_words::STOPPED,
            CellKind::NothingToDo => timeline_words::NOTHING_TO_DO,
        };
        (kind.glyph(&ui.glyphs), ui.style(kind.role()), word)
    });
    let shortened = rare.gaps.then_some((ui.glyphs.cut, dim, timeline_words::SHORTENED));
    for (sign, style, word) in kinds.chain(shortened) {
        let part =
            Strip::new().put(" ", dim).put(sign, style).put(&format!(" {} ", ui.text(word)), dim);
        if line.width() + part.width() > usize::from(area.width) {
            line.draw(buffer, area, y);
            (line, y) = (Strip::new(), y + 1);
        }
        line = line.join(part);
    }
    line.draw(buffer, area, y);
}

impl ReadSheet for TimelineSheet {
    const SCOPE: Scope = SCOPE;
    const KEYS: &'static [Handler<Self>] = &KEYS;
    const CLOSED_BY: &'static [Action] = &[Action::Cancel, Action::Quit, Action::Timeline];
    const HINTS: &'static [(Action, Text)] = &[
        (Action::OtherEnd, timeline_words::GO),
        (Action::Cancel, CLOSE),
        (Action::ZoomIn, timeline_words::LARGER),
        (Action::ZoomOut, timeline_words::SMALLER),
    ];

    fn view(&self) -> &SheetView {
        &self.view
    }

    fn view_mut(&mut self) -> &mut SheetView {
        &mut self.view
    }

    /// Moves to another dialog, at the same time.
    fn step(&mut self, rows: isize, cx: &Cx<'_>) -> Handled {
        let Some(view) = cx.sheets.timeline() else { return Handled::Done };
        self.step_to(self.row.saturating_add_signed(rows), view);
        Handled::Done
    }

    fn title(&self, ui: &UiSettings, cx: &Cx<'_>) -> Vec<String> {
        let mut left = vec![ui.text(timeline_words::TITLE).to_owned()];
        if let Some(view) = cx.sheets.timeline() {
            left.push(ui.counted(view.rows.len(), timeline_words::DIALOGS));
            if view.left_out > 0 {
                left.push(ui.counted(view.left_out, timeline_words::LEFT_OUT));
            }
        }
        left
    }

    fn lay_out(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let Some(content) = cx.sheets.timeline() else { return };
        self.now = view.now.seconds().unwrap_or(self.now);
        self.settle(content);
        self.follow_search(content);
        self.view.rows = content.rows.len();
        self.view.height = usize::from(Self::areas(area, content.rows.len()).rows.height);
        self.view.reveal(self.row);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let ui = view.ui;
        let Some(content) = cx.sheets.timeline() else {
            return draw_note(frame, area, ui, LOADING);
        };
        let (buffer, tree) = (frame.buffer_mut(), &cx.model.tree);
        let areas = Self::areas(area, content.rows.len());
        let (names, cells) = Self::columns(content, area.width);
        let window = self.window(content);
        self.draw_axis(buffer, areas.axis, (&window, cells), (content, ui));
        self.draw_rows(buffer, areas.rows, (&window, names), (content, tree, ui));
        self.draw_words(buffer, areas.words, (content, tree, ui));
        if areas.legend.height > 0 {
            let gaps = !window.1.gaps().is_empty();
            let retries = content.rows.iter().any(|row| retries(row, tree));
            draw_legend(buffer, areas.legend, RareSymbols { gaps, retries }, ui);
        }
    }
}
