//! Keys that begin a longer sequence, such as `ctrl+x` before `ctrl+s`, and when what can follow is listed.

use std::time::{Duration, Instant};

use crate::ui::action::{Action, Scope};
use crate::ui::keymap::KeySequence;

/// Who knows the sequence never sees the list.
const LIST_DELAY: Duration = Duration::from_millis(400);

/// The keys pressed until now.
#[derive(Debug)]
pub(super) struct BegunKeys {
    pub keys: KeySequence,
    pub place: KeyPlace,
    pub since: Instant,
}

/// Where keys are pressed: the scope, and the number of overlays.
pub(super) type KeyPlace = (Scope, usize);

impl BegunKeys {
    /// When the list appears by itself, after what was drawn last.
    pub fn appears_at(&self, drawn: Instant) -> Option<Instant> {
        Some(self.since + LIST_DELAY).filter(|at| *at > drawn)
    }

    pub fn is_listed(&self, now: Instant) -> bool {
        now >= self.since + LIST_DELAY
    }
}

/// What a key means after those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pressed {
    Action(Action),
    /// It has no action.
    Unbound,
    /// It belongs to a sequence, and there is nothing to do.
    Done,
}
