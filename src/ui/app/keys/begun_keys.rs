//! Keys that begin a longer sequence, such as `ctrl+x` before `ctrl+s`, or a command of vi, and the time at
//! which the possible next keys are listed.

use std::time::{Duration, Instant};

use crate::action::{Action, Scope};
use crate::keymap::KeySequence;

/// A person who knows the sequence types it faster than the list appears.
const LIST_DELAY: Duration = Duration::from_millis(400);

/// The keys pressed until now.
#[derive(Debug)]
pub(in crate::app) struct BegunKeys {
    pub keys: KeySequence,
    pub place: KeyPlace,
    pub since: Instant,
}

/// The scope in which keys are pressed, and the number of overlays.
pub(in crate::app) type KeyPlace = (Scope, usize);

/// Returns the time at which the list appears for keys begun at `since`, if that is after the last frame.
pub(in crate::app) fn appears_at(since: Instant, drawn: Instant) -> Option<Instant> {
    Some(since + LIST_DELAY).filter(|at| *at > drawn)
}

/// True if the possible next keys are listed by now.
pub(in crate::app) fn is_listed(since: Instant, now: Instant) -> bool {
    now >= since + LIST_DELAY
}

/// The meaning of a key after those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum Pressed {
    Action(Action),
    /// It has no action.
    Unbound,
    /// It belongs to a sequence and needs no action.
    Done,
}
