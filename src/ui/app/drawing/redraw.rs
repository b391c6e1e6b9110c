//! When the screen has to be redrawn, and the current time.

use std::time::{Duration, Instant};

/// The interval at which ages on the screen are updated while nothing else happens.
const AGE_REFRESH_INTERVAL: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(in crate::app) struct Redraw {
    now: Instant,
    /// When the screen was laid out last.
    drawn_at: Instant,
    changed: bool,
}

impl Redraw {
    /// Begins before the first frame.
    pub fn new(now: Instant) -> Self {
        Self { now, drawn_at: now, changed: true }
    }

    pub fn now(&self) -> Instant {
        self.now
    }

    pub fn drawn_at(&self) -> Instant {
        self.drawn_at
    }

    /// When the ages on the screen are out of date.
    pub fn ages_at(&self) -> Instant {
        self.drawn_at + AGE_REFRESH_INTERVAL
    }

    pub fn tick(&mut self, now: Instant) {
        self.now = now;
    }

    /// Something on the screen has changed.
    pub fn mark(&mut self) {
        self.changed = true;
    }

    /// Marks it changed if `changed`.
    pub fn mark_if(&mut self, changed: bool) {
        self.changed |= changed;
    }

    /// True if something has changed since the last call.
    pub fn take(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }

    /// The screen is laid out now.
    pub fn laid_out(&mut self) {
        self.drawn_at = self.now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_out_of_date_a_while_after_the_screen_was_laid_out() {
        let start = Instant::now();
        let mut redraw = Redraw::new(start);
        redraw.tick(start + AGE_REFRESH_INTERVAL);
        assert!(redraw.ages_at() <= redraw.now());
        redraw.laid_out();
        assert!(redraw.ages_at() > redraw.now());
    }

    #[test]
    fn a_change_is_taken_once() {
        let mut redraw = Redraw::new(Instant::now());
        assert!(redraw.take() && !redraw.take());
        redraw.mark_if(false);
        assert!(!redraw.take());
        redraw.mark();
        assert!(redraw.take());
    }
}
