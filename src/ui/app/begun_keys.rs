//! Keys that begin a longer sequence, such as `ctrl+x` before `ctrl+s`, or a command of vi, and when what can follow
//! is listed.

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

/// When the list appears by itself, for what was begun then, after what was drawn last.
pub(super) fn appears_at(since: Instant, drawn: Instant) -> Option<Instant> {
    Some(since + LIST_DELAY).filter(|at| *at > drawn)
}

/// True if what can follow is listed by now.
pub(super) fn is_listed(since: Instant, now: Instant) -> bool {
    now >= since + LIST_DELAY
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
