//! Overlays on the screen: help, forms, lists, confirmations.

use std::fmt;
use std::time::Instant;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::action::{Action, Binding, Scope};
use super::cx::{Cx, View};
use super::panes::row_search::RowSearch;
use crate::domain::text::Text;
use crate::protocol::{InboxRow, MindView};
use crate::user_settings::ThemeOption;

/// The result of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handled {
    /// The overlay does not use it.
    Ignored,
    Done,
    /// The overlay is to be closed.
    Close,
}

/// The number of rows by which an action scrolls a list of `height` rows.
pub fn scroll_distance(action: Action, height: usize) -> Option<isize> {
    let page = isize::try_from(height).unwrap_or(1).max(1);
    let half = (page / 2).max(1);
    let steps = [
        (Action::Up, -1),
        (Action::Down, 1),
        (Action::HalfPageUp, -half),
        (Action::HalfPageDown, half),
        (Action::PageUp, -page),
        (Action::PageDown, page),
        (Action::Top, isize::MIN),
        (Action::Bottom, isize::MAX),
    ];
    steps.iter().find(|(known, _)| *known == action).map(|(_, rows)| *rows)
}

/// An action, and what an overlay does for it.
pub type Handler<T> = (Action, fn(&mut T, &mut Cx<'_>) -> Handled);

/// Runs the handler of an action in the table; an action without one is ignored.
pub fn run_handler<T>(
    handlers: &[Handler<T>],
    overlay: &mut T,
    action: Action,
    cx: &mut Cx<'_>,
) -> Handled {
    let handler = handlers.iter().find(|(known, _)| *known == action);
    handler.map_or(Handled::Ignored, |(_, handler)| handler(overlay, cx))
}

/// True if the table names the action.
pub fn has_handler<T>(handlers: &[Handler<T>], action: Action) -> bool {
    handlers.iter().any(|(known, _)| *known == action)
}

/// Something on top of the screen. The topmost overlay receives every key.
pub trait Overlay: fmt::Debug {
    /// The scope in which its keys are resolved.
    fn scope(&self) -> Scope;

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled;

    /// True if the action of this binding does something here: help and the palette list it. Most overlays have a
    /// scope of their own and handle all that is bound there.
    fn handles(&self, binding: &Binding) -> bool {
        binding.scope == self.scope()
    }

    /// True if this action, which does the same on top of every other overlay, is its own.
    fn keeps(&self, _action: Action) -> bool {
        false
    }

    /// The keys that the last line of the screen names while it is the topmost one.
    fn hints(&self) -> &[(Action, Text)] {
        &[]
    }

    /// True if the counts of the last line make room for its hints.
    fn hints_come_first(&self) -> bool {
        false
    }

    /// True if nothing below it can be seen.
    fn covers(&self) -> bool {
        false
    }

    /// Returns the number of rows at its lower edge that it covers.
    fn rows_taken(&self) -> u16 {
        0
    }

    /// A key without an action.
    fn typed(&mut self, _key: KeyEvent, _cx: &mut Cx<'_>) -> Handled {
        Handled::Ignored
    }

    /// Pasted text, where one can type.
    fn paste(&mut self, _text: &str, _cx: &mut Cx<'_>) {}

    /// Handles a click on this row of its area. A second one on the selection opens it.
    fn click(&mut self, _row: usize, _cx: &mut Cx<'_>) -> Handled {
        Handled::Ignored
    }

    /// Fits what depends on the size and on the facts to `area`, such as how far it is scrolled. Called
    /// before each [`Overlay::draw`].
    fn layout(&mut self, _area: Rect, _view: View<'_>, _cx: &Cx<'_>) {}

    /// Called when it is covered, or the screen is too small for it.
    fn hide(&mut self) {}

    /// Returns when its content changes by itself.
    fn changes_at(&self) -> Option<Instant> {
        None
    }

    /// The question of which everything that is to be approved was on the screen.
    fn read_question(&self) -> Option<&InboxRow> {
        None
    }

    /// Returns the theme in which the screen is drawn as long as the person looks at it here.
    fn tried_theme<'a>(&self, _: &Cx<'a>) -> Option<&'a ThemeOption> {
        None
    }

    /// The theme has changed: rows that were made before are to be made again.
    fn forget_rows(&mut self) {}

    /// Takes over what a member is told, after it was read again, if this sheet shows it.
    fn update_mind(&mut self, _: &MindView) {}

    /// The search in its rows, if they can be searched now.
    fn row_search(&self) -> Option<&RowSearch> {
        None
    }

    /// Returns its search, to change it.
    fn row_search_mut(&mut self) -> Option<&mut RowSearch> {
        None
    }

    /// Draws itself into `area`; places the cursor if it has a text field.
    fn draw(&self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &Cx<'_>);
}
