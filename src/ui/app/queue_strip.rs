//! When the strip of queued messages is shown.

use std::time::{Duration, Instant};

/// A message that is taken within this time is never shown in the strip.
const STRIP_DELAY: Duration = Duration::from_millis(250);

/// Since when the strip of queued messages has something to show.
#[derive(Debug, Default)]
pub(super) struct QueueStrip {
    since: Option<Instant>,
}

impl QueueStrip {
    /// Called after every event and key.
    pub fn track(&mut self, is_empty: bool, now: Instant) {
        if is_empty {
            self.since = None;
        } else {
            self.since.get_or_insert(now);
        }
    }

    /// When the strip is shown while no generation is running.
    pub fn shown_at(&self) -> Option<Instant> {
        self.since.map(|since| since + STRIP_DELAY)
    }

    pub fn is_shown(&self, now: Instant) -> bool {
        self.shown_at().is_some_and(|at| now >= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strip_appears_a_moment_after_the_first_message_was_queued() {
        let (mut strip, now) = (QueueStrip::default(), Instant::now());
        strip.track(false, now);
        strip.track(false, now + STRIP_DELAY);
        assert!(!strip.is_shown(now) && strip.is_shown(now + STRIP_DELAY));
        strip.track(true, now + STRIP_DELAY);
        assert!(!strip.is_shown(now + STRIP_DELAY));
    }
}
