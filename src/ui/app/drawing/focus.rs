//! Which part of the screen gets the keys.

use crate::action::{EditingKeys, KeysOf, Scope};
use crate::focus::Focus;
use crate::panes::{composer, inbox, transcript, tree};

/// Returns the part with this scope; `None` for a scope of several parts.
pub(in crate::app) fn part_of(scope: Scope) -> Option<Focus> {
    let parts = [
        (tree::SCOPE, Focus::Tree),
        (inbox::SCOPE, Focus::Inbox),
        (transcript::SCOPE, Focus::Dialog),
        (composer::SCOPE, Focus::Composer),
    ];
    parts.into_iter().find(|(known, _)| *known == scope).map(|(_, focus)| focus)
}

/// Which way the focus goes round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Direction {
    Next,
    Previous,
}

#[derive(Debug)]
pub(in crate::app) struct FocusState {
    now: Focus,
    /// The pane the composer was entered from.
    pane: Focus,
    zoomed: bool,
}

impl Default for FocusState {
    fn default() -> Self {
        Self { now: Focus::Tree, pane: Focus::Tree, zoomed: false }
    }
}

impl FocusState {
    pub fn now(&self) -> Focus {
        self.now
    }

    pub fn is(&self, focus: Focus) -> bool {
        self.now == focus
    }

    /// The scope in which keys are resolved while no overlay is open.
    pub fn scope(&self) -> Scope {
        match self.now {
            Focus::Tree => tree::SCOPE,
            Focus::Inbox => inbox::SCOPE,
            Focus::Dialog => transcript::SCOPE,
            Focus::Composer => composer::SCOPE,
        }
    }

    /// Returns whose keys help and the palette show while no overlay is open.
    pub fn keys(&self, has_vi: bool) -> KeysOf {
        let editing = if has_vi { EditingKeys::Vi } else { EditingKeys::Plain };
        KeysOf::pane(self.scope(), self.is(Focus::Composer).then_some(editing))
    }

    /// True if this part has the focus, or had it before the composer.
    pub fn is_or_was(&self, focus: Focus) -> bool {
        [self.now, self.pane].contains(&focus)
    }

    /// The pane that has the focus, or had it before the composer.
    pub fn pane(&self) -> Focus {
        self.pane
    }

    /// True if one pane takes the whole screen.
    pub fn is_zoomed(&self) -> bool {
        self.zoomed
    }

    pub fn set(&mut self, focus: Focus) {
        self.now = focus;
        if focus != Focus::Composer {
            self.pane = focus;
        }
    }

    pub fn toggle_zoom(&mut self) {
        self.zoomed = !self.zoomed;
    }

    /// The next or the previous part: tree, inbox, dialog, and the composer if one can write.
    pub fn neighbour(&self, direction: Direction, can_write: bool) -> Focus {
        let ring = [Focus::Tree, Focus::Inbox, Focus::Dialog, Focus::Composer];
        let count = if can_write { ring.len() } else { ring.len() - 1 };
        let at = ring.iter().position(|focus| *focus == self.now).unwrap_or(0);
        let step = match direction {
            Direction::Next => 1,
            Direction::Previous => count - 1,
        };
        ring.get((at + step) % count).copied().unwrap_or(Focus::Tree)
    }

    /// Esc in a pane: ends the zoom; without one, the part to go to.
    pub fn cancel(&mut self) -> Option<Focus> {
        if std::mem::take(&mut self.zoomed) {
            return None;
        }
        (self.now != Focus::Tree).then_some(Focus::Tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_composer_is_part_of_the_ring_if_one_can_write() {
        for (can_write, after_dialog) in [(true, Focus::Composer), (false, Focus::Tree)] {
            let mut focus = FocusState::default();
            focus.set(Focus::Dialog);
            assert_eq!(focus.neighbour(Direction::Next, can_write), after_dialog);
            focus.set(Focus::Tree);
            assert_ne!(focus.neighbour(Direction::Previous, can_write), Focus::Tree);
        }
    }

    #[test]
    fn the_composer_remembers_the_pane_it_was_entered_from() {
        let mut focus = FocusState::default();
        focus.set(Focus::Inbox);
        focus.set(Focus::Composer);
        assert_eq!((focus.now(), focus.pane()), (Focus::Composer, Focus::Inbox));
    }

    #[test]
    fn escape_ends_the_zoom_before_it_goes_to_the_tree() {
        let mut focus = FocusState::default();
        focus.set(Focus::Inbox);
        focus.toggle_zoom();
        assert_eq!((focus.cancel(), focus.cancel()), (None, Some(Focus::Tree)));
        focus.set(Focus::Tree);
        assert_eq!(focus.cancel(), None);
    }
}
