//! When the next frame may be drawn.
//!
//! Pure: it is given the time and never reads a clock. A key is drawn at once, driver events are
//! batched, and a slow terminal lowers the frame rate.

use std::time::{Duration, Instant};

/// Why the screen has to be drawn again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The driver sent an event.
    Event,
    /// The user pressed a key, pasted, or resized the terminal.
    Key,
}

/// How the terminal is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Local,
    /// Over SSH: fewer frames, since each costs a packet.
    Remote,
}

/// Between two frames caused by keys: 60 per second.
const KEY_INTERVAL: Duration = Duration::from_micros(16_667);
const LOCAL_INTERVAL: Duration = Duration::from_millis(40);
const REMOTE_INTERVAL: Duration = Duration::from_millis(100);
/// A frame is followed by a pause of this many times its cost, counted from its start, so drawing
/// never takes more than a quarter of the time.
const COST_FACTOR: u32 = 4;
/// For a key the pause is shorter, so that typing is drawn while text streams.
const KEY_COST_FACTOR: u32 = 2;
/// A key waits at most this long after an expensive frame.
const MAX_KEY_WAIT: Duration = Duration::from_millis(50);

/// Decides when to draw. One per screen.
#[derive(Debug, Clone)]
pub struct Pacer {
    link: Link,
    dirty: Option<Cause>,
    last: Option<Frame>,
    /// When the last frame caused by a key was started.
    last_key: Option<Instant>,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    started: Instant,
    cost: Duration,
}

impl Pacer {
    #[must_use]
    pub fn new(link: Link) -> Self {
        Self { link, dirty: None, last: None, last_key: None }
    }

    /// Something changed. A key takes precedence over events.
    pub fn mark(&mut self, cause: Cause) {
        self.dirty = self.dirty.max(Some(cause));
    }

    /// When to draw; `None` while nothing changed. A time in the past means now.
    #[must_use]
    pub fn due(&self, now: Instant) -> Option<Instant> {
        let cause = self.dirty?;
        let pause = self.last.map(|frame| frame.started + self.pause(cause, frame.cost));
        let key = self.last_key.filter(|_| cause == Cause::Key).map(|last| last + KEY_INTERVAL);
        Some(pause.max(key).unwrap_or(now))
    }

    /// True if a frame should be drawn now.
    #[must_use]
    pub fn is_due(&self, now: Instant) -> bool {
        self.due(now).is_some_and(|due| due <= now)
    }

    /// A frame was drawn; `cost` is the time for drawing and for writing it out, as far as known.
    pub fn drawn(&mut self, started: Instant, cost: Duration) {
        if self.dirty.take() == Some(Cause::Key) {
            self.last_key = Some(started);
        }
        self.last = Some(Frame { started, cost });
    }

    /// The write of the last frame ended later than its drawing: its full cost is known now.
    pub fn wrote(&mut self, cost: Duration) {
        if let Some(frame) = &mut self.last {
            frame.cost = frame.cost.max(cost);
        }
    }

    /// From the start of a frame of this cost to the next one.
    fn pause(&self, cause: Cause, cost: Duration) -> Duration {
        let pause = cost.saturating_mul(COST_FACTOR);
        match (cause, self.link) {
            (Cause::Key, _) => cost.saturating_mul(KEY_COST_FACTOR).min(MAX_KEY_WAIT),
            (Cause::Event, Link::Local) => pause.max(LOCAL_INTERVAL),
            (Cause::Event, Link::Remote) => pause.max(REMOTE_INTERVAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn without_a_change_there_is_no_frame() {
        let now = Instant::now();
        let mut pacer = Pacer::new(Link::Local);
        assert_eq!(pacer.due(now), None);
        pacer.mark(Cause::Event);
        pacer.drawn(now, ms(1));
        assert_eq!(pacer.due(now + ms(5_000)), None);
    }

    #[test]
    fn the_first_frame_is_drawn_at_once() {
        let now = Instant::now();
        let mut pacer = Pacer::new(Link::Remote);
        pacer.mark(Cause::Event);
        assert!(pacer.is_due(now));
    }

    #[test]
    fn the_wait_depends_on_the_cause_the_link_and_the_cost_of_the_last_frame() {
        for (link, cause, cost, wait) in [
            (Link::Local, Cause::Key, ms(0), ms(0)),
            (Link::Remote, Cause::Key, ms(1), ms(2)),
            (Link::Local, Cause::Key, ms(10), ms(20)),
            (Link::Local, Cause::Key, ms(900), ms(50)),
            (Link::Local, Cause::Event, ms(1), ms(40)),
            (Link::Local, Cause::Event, ms(20), ms(80)),
            (Link::Remote, Cause::Event, ms(1), ms(100)),
            (Link::Remote, Cause::Event, ms(500), ms(2_000)),
        ] {
            let start = Instant::now();
            let mut pacer = Pacer::new(link);
            pacer.drawn(start, cost);
            pacer.mark(cause);
            assert_eq!(pacer.due(start), Some(start + wait), "{link:?} {cause:?} {cost:?}");
            let too_early = wait.checked_sub(ms(1)).map(|early| start + early);
            assert!(too_early.is_none_or(|early| !pacer.is_due(early)));
            assert!(pacer.is_due(start + wait));
        }
    }

    #[test]
    fn keys_cause_no_more_than_sixty_frames_a_second() {
        let start = Instant::now();
        let mut pacer = Pacer::new(Link::Local);
        pacer.mark(Cause::Key);
        pacer.drawn(start, ms(1));
        pacer.mark(Cause::Key);
        assert_eq!(pacer.due(start), Some(start + KEY_INTERVAL));
    }

    #[test]
    fn a_waiting_event_does_not_delay_a_key() {
        let start = Instant::now();
        let mut pacer = Pacer::new(Link::Remote);
        pacer.drawn(start, ms(1));
        pacer.mark(Cause::Key);
        pacer.mark(Cause::Event);
        assert!(pacer.is_due(start + ms(20)));
    }

    #[test]
    fn a_slow_write_counts_even_when_it_ends_after_the_drawing() {
        let start = Instant::now();
        let mut pacer = Pacer::new(Link::Local);
        pacer.drawn(start, ms(1));
        pacer.wrote(ms(50));
        pacer.mark(Cause::Event);
        assert_eq!(pacer.due(start), Some(start + ms(200)));
    }
}
