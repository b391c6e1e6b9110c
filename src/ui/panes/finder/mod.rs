//! The search in the records of dialogs: an input line, and a list of results. Each key starts a search;
//! the driver reads, and its results are added below. Enter goes to the chosen record.

mod finder_words;
mod rows;
#[cfg(test)]
pub(crate) mod tests;

use ratatui::Frame;
use ratatui::layout::Rect;

use self::rows::{found_rows, preview_rows};
use super::composer::{Heading, draw_heading};
use super::field::Field;
use super::prompt::{INDENT, Prompt, draw_head, draw_search};
use super::strip::{Strip, draw_between};
use super::transcript::prose::plain_rows;
use crate::action::Action;
use crate::cx::{Cx, UiSettings, View};
use crate::domain::reading::transcript::RecordPosition;
use crate::domain::text::Text;
use crate::domain::text::search_pattern::SearchPattern;
use crate::follow_up::{FollowUp, ToReading};
use crate::model::FoundPlace;
use crate::overlay::{Handled, Handler};
use crate::panes::scroll_sign::{ShownRows, draw_scroll_sign};
use crate::protocol::{FindEnd, FindRequest};
use crate::request::Request;
use crate::theme::Role;
use crate::words::{CLOSE, OPEN};

/// A heading and the line that is typed into.
const HEAD_ROWS: u16 = 2;
/// Rows of one result.
const ROWS_EACH: usize = 2;
/// With at least this many rows, the text around the chosen match is shown.
const PREVIEW_FROM: u16 = 16;
/// Most rows of that text, without its rule.
const MAX_PREVIEW: u16 = 9;

#[derive(Debug)]
pub struct Finder {
    /// What is searched for; its text is that of the field.
    wanted: FindRequest,
    field: Field,
    chosen: usize,
    top: usize,
    /// Results that fit.
    fits: usize,
}

/// The parts of its area.
struct FinderAreas {
    list: Rect,
    preview: Rect,
}

impl Finder {
    pub fn new(wanted: FindRequest) -> Self {
        let field = Field::new(&wanted.text);
        Self { wanted, field, chosen: 0, top: 0, fits: 1 }
    }

    /// True while nothing is searched for.
    fn is_idle(&self) -> bool {
        self.field.is_empty() && !self.wanted.said
    }

    /// Searches again after the text or the scope has changed.
    fn search(&mut self, cx: &mut Cx<'_>) -> Handled {
        self.chosen = 0;
        self.top = 0;
        cx.follow_ups.push(if self.is_idle() {
            FollowUp::EndFind
        } else {
            let text = self.field.text();
            FollowUp::Request(Request::Find(FindRequest { text, ..self.wanted.clone() }))
        });
        Handled::Done
    }

    fn close(cx: &mut Cx<'_>) -> Handled {
        cx.follow_ups.push(FollowUp::EndFind);
        Handled::Close
    }

    fn clear(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.field.is_empty() {
            return Self::close(cx);
        }
        self.field.clear();
        self.search(cx)
    }

    /// Searches the next scope. Without a dialog there is only one.
    fn other_scope(&mut self, cx: &mut Cx<'_>) -> Handled {
        if self.wanted.dialog.is_none() {
            return Handled::Done;
        }
        self.wanted.scope = self.wanted.scope.next();
        self.search(cx)
    }

    fn step(&mut self, rows: isize, count: usize) -> Handled {
        self.chosen = self.chosen.saturating_add_signed(rows).min(count.saturating_sub(1));
        Handled::Done
    }

    fn page(&mut self, pages: isize, cx: &Cx<'_>) -> Handled {
        let page = isize::try_from(self.fits).unwrap_or(1).max(1);
        self.step(pages * page, cx.finds.records().len())
    }

    /// Goes to the chosen record.
    fn open(&self, cx: &mut Cx<'_>) -> Handled {
        let Some(found) = cx.finds.record(self.chosen) else { return Handled::Done };
        let place = FoundPlace {
            place: RecordPosition { course: found.at.course, line: found.at.line },
            completes: found.completes.clone(),
            text: self.field.text(),
        };
        let dialog = found.dialog.clone();
        cx.follow_ups.push(FollowUp::EndFind);
        cx.follow_ups.push(FollowUp::Reading(ToReading::ShowFound(dialog, place)));
        Handled::Close
    }

    fn title(&self, ui: &UiSettings, cx: &Cx<'_>) -> String {
        let mut left = vec![ui.text(finder_words::title(&self.wanted)).to_owned()];
        left.extend(self.wanted.member.as_ref().map(|member| format!("@{member}")));
        let count = cx.finds.records().len();
        match cx.finds.end() {
            Some(FindEnd::TooMany) => {
                left.push(
                    ui.sentence(finder_words::FIRST, &ui.counted(count, finder_words::FOUND)),
                );
            }
            Some(FindEnd::Complete) if count == 0 => {
                left.push(ui.text(finder_words::NOTHING).to_owned());
            }
            Some(FindEnd::Complete) => left.push(ui.counted(count, finder_words::FOUND)),
            None if self.is_idle() => {}
            None => left.push(ui.text(finder_words::SEARCHING).to_owned()),
        }
        if cx.finds.unread() > 0 {
            left.push(ui.counted(cx.finds.unread(), finder_words::UNREAD));
        }
        left.join(&format!(" {} ", ui.glyphs.middle_dot))
    }

    fn draw_result(
        &self,
        frame: &mut Frame<'_>,
        area: Rect,
        view: View<'_>,
        cx: &Cx<'_>,
        at: usize,
    ) {
        let Some(found) = cx.finds.records().get(at) else { return };
        let (ui, buffer) = (view.ui, frame.buffer_mut());
        if at == self.chosen {
            buffer.set_style(area, ui.style(Role::RowSelected));
            let bar = Strip::new().put(ui.glyphs.selected, ui.style(Role::Accent));
            (area.y..area.bottom()).for_each(|y| bar.draw(buffer, Rect { width: 1, ..area }, y));
        }
        let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
        let pattern = SearchPattern::new(&self.field.text());
        for (y, (left, right)) in (area.y..area.bottom()).zip(found_rows(found, &pattern, view)) {
            draw_between(buffer, inner, y, (&left, &right), ui.glyphs.cut);
        }
    }

    fn draw_preview(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let Some(found) = cx.finds.records().get(self.chosen) else { return };
        if area.is_empty() {
            return;
        }
        let ui = view.ui;
        let heading = Heading { left: found.title.clone(), right: String::new() };
        draw_heading(frame, Rect { height: 1, ..area }, ui, &heading, false);
        let pattern = SearchPattern::new(&self.field.text());
        let rows = preview_rows(found, &pattern, usize::from(area.height - 1), area.width, ui);
        for (y, row) in (area.y + 1..area.bottom()).zip(rows) {
            row.draw(frame.buffer_mut(), area, y);
        }
    }

    fn draw_note(frame: &mut Frame<'_>, area: Rect, ui: &UiSettings, note: Text) {
        let width = usize::from(area.width.saturating_sub(INDENT + 1)).max(1);
        let rows = plain_rows(ui.text(note), usize::from(INDENT), width, ui.style(Role::TextDim));
        for (y, row) in (area.y..area.bottom()).zip(rows) {
            row.draw(frame.buffer_mut(), area, y);
        }
    }
}

/// The list, and below it, where there is room, the text around the chosen match.
fn areas(area: Rect) -> FinderAreas {
    let taken = HEAD_ROWS.min(area.height);
    let below = Rect { y: area.y + taken, height: area.height - taken, ..area };
    let preview =
        if below.height < PREVIEW_FROM { 0 } else { (below.height / 3).min(MAX_PREVIEW + 1) };
    let list = Rect { height: below.height - preview, ..below };
    FinderAreas { list, preview: Rect { y: list.bottom(), height: preview, ..below } }
}

const KEYS: [Handler<Finder>; 10] = [
    (Action::Send, |finder, cx| finder.open(cx)),
    (Action::Leave, |_, cx| Finder::close(cx)),
    (Action::FindEverywhere, |_, cx| Finder::close(cx)),
    (Action::ClearDraft, |finder, cx| finder.clear(cx)),
    (Action::FocusNext, |finder, cx| finder.other_scope(cx)),
    (Action::HistoryUp, |finder, cx| finder.step(-1, cx.finds.records().len())),
    (Action::HistoryDown, |finder, cx| finder.step(1, cx.finds.records().len())),
    (Action::PageUp, |finder, cx| finder.page(-1, cx)),
    (Action::PageDown, |finder, cx| finder.page(1, cx)),
    (Action::NewLine, |_, _| Handled::Done),
];

impl Prompt for Finder {
    const KEYS: &'static [Handler<Self>] = &KEYS;

    fn field(&mut self) -> &mut Field {
        &mut self.field
    }

    fn edited(&mut self, cx: &mut Cx<'_>) -> Handled {
        self.search(cx)
    }

    fn lay_out(&mut self, area: Rect, _: View<'_>, cx: &Cx<'_>) {
        self.fits = (usize::from(areas(area).list.height) / ROWS_EACH).max(1);
        self.step(0, cx.finds.records().len());
        self.top = self.top.clamp((self.chosen + 1).saturating_sub(self.fits), self.chosen);
    }

    fn show(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        let ui = view.ui;
        let mut hints = vec![(Action::Send, OPEN)];
        if self.wanted.dialog.is_some() {
            hints.push((Action::FocusNext, finder_words::OTHER));
        }
        hints.push((Action::Leave, CLOSE));
        draw_head(frame, area, area.height, ui, (self.title(ui, cx), &hints[..]));
        if area.height < HEAD_ROWS {
            return;
        }
        draw_search(frame, Rect { y: area.y + 1, height: 1, ..area }, ui, &self.field);
        let FinderAreas { list, preview } = areas(area);
        if self.is_idle() {
            Self::draw_note(frame, list, ui, finder_words::TYPE);
            return;
        }
        let rows = cx.finds.records().len();
        let in_view = ShownRows { top: self.top, height: self.fits, rows };
        draw_scroll_sign(frame.buffer_mut(), area, ui, in_view);
        let each = u16::try_from(ROWS_EACH).unwrap_or(1);
        for (row, at) in (0..list.height / each).zip(self.top..) {
            let y = list.y + row * each;
            self.draw_result(frame, Rect { y, height: each, ..list }, view, cx, at);
        }
        self.draw_preview(frame, preview, view, cx);
    }
}
