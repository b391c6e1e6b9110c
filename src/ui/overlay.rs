//! What can be laid over the screen: help, a form, a question of the program itself.

use std::fmt;

use ratatui::Frame;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

use super::action::{Action, Scope};
use super::cx::{Cx, View};

/// What became of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handled {
    /// Nothing here uses it.
    Ignored,
    Done,
    /// The overlay is to go.
    Close,
}

/// By how many rows an action scrolls a list that shows `height` of them.
pub fn scroll_distance(action: Action, height: usize) -> Option<isize> {
    let page = isize::try_from(height).unwrap_or(1).max(1);
    let half = (page / 2).max(1);
    let steps = [
        (Action::LineUp, -1),
        (Action::LineDown, 1),
        (Action::HalfPageUp, -half),
        (Action::HalfPageDown, half),
        (Action::PageUp, -page),
        (Action::PageDown, page),
        (Action::ToStart, isize::MIN),
        (Action::ToEnd, isize::MAX),
    ];
    steps.iter().find(|(known, _)| *known == action).map(|(_, rows)| *rows)
}

/// An overlay. The topmost one gets every key.
pub trait Overlay: fmt::Debug {
    /// Where its keys are looked up.
    fn scope(&self) -> Scope;

    fn act(&mut self, action: Action, cx: &mut Cx<'_>) -> Handled;

    /// A key that no action is bound to.
    fn typed(&mut self, key: KeyEvent, cx: &mut Cx<'_>) -> Handled;

    fn paste(&mut self, text: &str, cx: &mut Cx<'_>);

    /// Draws itself into `area`; places the cursor if it has a text field.
    fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, view: View<'_>, cx: &mut Cx<'_>);
}
