//! Text that is typed at the lower edge, over what is on the screen, or above the rows that it finds: its keys, and
//! how it is drawn.

use std::fmt;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use super::composer::{Heading, SCOPE, draw_heading};
use super::field::Field;
use super::strip::Strip;
use crate::action::{Action, Binding, Scope};
use crate::cx::{Cx, UiSettings, View};
use crate::domain::text::Text;
use crate::overlay::{Handled, Handler, Overlay, has_handler, run_handler};
use crate::theme::Role;

/// Cells before the text.
pub(super) const INDENT: u16 = 3;

/// The keys that change the text.
const EDITS: [Action; 3] = [Action::ClearDraft, Action::Undo, Action::Redo];

/// An overlay in which a text is typed.
pub trait Prompt: fmt::Debug + Sized + 'static {
    /// Its keys. Those that change the text are named only where they do more than that.
    const KEYS: &'static [Handler<Self>];
    /// Of a paste, only the first line is taken.
    const IS_ONE_LINE: bool = true;
    /// The number of rows at its lower edge that it covers.
    const ROWS_TAKEN: u16 = 0;

    fn field(&mut self) -> &mut Field;
    /// The text was changed.
    fn edited(&mut self, cx: &mut Cx<'_>) -> Handled;
    /// Handles a click on this row of its area.
    fn clicked(&mut self, _row: usize, _cx: &mut Cx<'_>) -> Handled {
        Handled::Ignored
    }
    /// Fits what is scrolled to its area.
    fn lay_out(&mut self, _area: Rect, _view: View<'_>, _cx: &Cx<'_>) {}
    fn show(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>);
}

impl<P: Prompt> Overlay for P {
    fn scope(&self) -> Scope {
        SCOPE
    }

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled {
        if has_handler(P::KEYS, action) || !EDITS.contains(&action) {
            return run_handler(P::KEYS, self, action, cx);
        }
        let field = self.field();
        if action == Action::Undo {
            field.undo();
        } else if action == Action::Redo {
            field.redo();
        } else if field.is_empty() {
            return Handled::Close;
        } else {
            field.clear();
        }
        self.edited(cx)
    }

    fn handles(&self, binding: &Binding) -> bool {
        let is_void = P::IS_ONE_LINE && binding.action == Action::NewLine;
        !is_void && (has_handler(P::KEYS, binding.action) || EDITS.contains(&binding.action))
    }

    fn keeps(&self, action: Action) -> bool {
        has_handler(P::KEYS, action)
    }

    fn rows_taken(&self) -> u16 {
        P::ROWS_TAKEN
    }

    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Handled {
        if !Field::takes(key) {
            return Handled::Ignored;
        }
        if self.field().typed(key) { self.edited(cx) } else { Handled::Done }
    }

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>) {
        let first = text.lines().next().unwrap_or_default();
        self.field().paste(if P::IS_ONE_LINE { first } else { text });
        self.edited(cx);
    }

    fn click(&mut self, row: usize, cx: &mut Cx<'_>) -> Handled {
        self.clicked(row, cx)
    }

    fn layout(&mut self, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        self.lay_out(area, view, cx);
    }

    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>) {
        self.show(frame, area, view, cx);
    }
}

/// Draws the heading of a prompt of `rows` rows at the lower edge; returns its area.
pub(super) fn draw_head(
    frame: &mut Frame<'_>,
    area: Rect,
    rows: u16,
    ui: &UiSettings,
    (left, hints): (String, &[(Action, Text)]),
) -> Rect {
    let height = area.height.min(rows);
    let area = Rect { y: area.bottom() - height, height, ..area };
    frame.render_widget(Clear, area);
    let heading = Heading::of(left, ui, SCOPE, hints);
    draw_heading(frame, Rect { height: area.height.min(1), ..area }, ui, &heading, true);
    area
}

/// Draws the field of a text to write, with the sign before it.
pub(super) fn draw_text(frame: &mut Frame<'_>, rows: Rect, ui: &UiSettings, field: &Field) {
    let sign = Strip::new().put(" ", ui.style(Role::Text));
    let sign = sign.put(ui.glyphs.prompt, ui.style(Role::Accent));
    draw_after(&sign, frame, rows, ui, field);
}

/// Draws the field of a text to search for, with the sign before it.
pub(super) fn draw_search(frame: &mut Frame<'_>, line: Rect, ui: &UiSettings, field: &Field) {
    draw_after(&Strip::new().put(" / ", ui.style(Role::Accent)), frame, line, ui, field);
}

/// Draws a field after this sign.
pub(super) fn draw_after(
    sign: &Strip,
    frame: &mut Frame<'_>,
    rows: Rect,
    ui: &UiSettings,
    field: &Field,
) {
    sign.draw(frame.buffer_mut(), rows, rows.y);
    let width = rows.width.saturating_sub(INDENT + 1);
    let inner = Rect { x: rows.x + INDENT, width, ..rows };
    field.draw(frame, inner, ui.style(Role::Text), true);
}
