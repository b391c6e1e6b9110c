//! When the next frame may be drawn.
//!
//! Pure: it is given the time and never reads a clock. A key is drawn at once, driver events are batched, and a slow
//! terminal lowers the frame rate; on a slow connection a frame is small (`connection.rs`). After a pause a few
//! frames may follow each other faster than the rate: typed letters, and the events right after a first one.

mod connection;

use std::time::{Duration, Instant};

use super::backend::{Drawn, FrameBounds};
use connection::Connection;

/// Why the screen has to be drawn again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The driver sent an event.
    Event,
    /// The connection did not take all of the last frame.
    Rest,
    /// The user pressed a key, pasted, or resized the terminal.
    Key,
}

/// The average interval between frames caused by keys: 60 per second.
const KEY_INTERVAL: Duration = Duration::from_micros(16_667);
/// Frames that may be ahead of their rate: the first letters, and the events right after a first one.
const BURST: u32 = 3;
/// The average interval between frames caused by events: faster ones could not be read, and each frame costs
/// bytes.
const EVENT_INTERVAL: Duration = Duration::from_millis(100);
/// A frame is followed by a pause of this many times its cost, counted from its start, so drawing
/// never takes more than a quarter of the time.
const COST_FACTOR: u32 = 4;
/// The pause before a frame for a key is shorter, so that typing is drawn while text streams.
const KEY_COST_FACTOR: u32 = 2;
/// A key waits at most this long after an expensive frame.
const MAX_KEY_WAIT: Duration = Duration::from_millis(50);

/// Decides when to draw. One per screen.
#[derive(Debug, Clone)]
pub struct Pacer {
    dirty: Option<Cause>,
    last: Option<Frame>,
    frames: Rate,
    /// The rate of frames caused by keys alone.
    key_frames: Rate,
    connection: Connection,
}

/// How early frames may come at a given rate.
#[derive(Debug, Clone, Copy)]
struct Rate {
    interval: Duration,
    /// The number of intervals that a frame may come early.
    burst: u32,
    /// The time of the next frame at an even rate.
    even: Option<Instant>,
}

impl Rate {
    fn new(interval: Duration, burst: u32) -> Self {
        Self { interval, burst, even: None }
    }

    fn drawn(&mut self, started: Instant) {
        let even = self.even.map_or(started, |even| even.max(started)) + self.interval;
        // Frames that others caused do not add up: the next one is at most an interval away.
        self.even = Some(even.min(started + self.interval.saturating_mul(self.burst + 1)));
    }

    fn due(&self) -> Option<Instant> {
        self.even?.checked_sub(self.interval.saturating_mul(self.burst))
    }
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    started: Instant,
    cost: Duration,
}

impl Default for Pacer {
    fn default() -> Self {
        let (frames, key_frames) =
            (Rate::new(EVENT_INTERVAL, BURST), Rate::new(KEY_INTERVAL, BURST));
        Self { dirty: None, last: None, frames, key_frames, connection: Connection::default() }
    }
}

impl Pacer {
    /// Something changed. A key takes precedence over events.
    pub fn mark(&mut self, cause: Cause) {
        self.dirty = self.dirty.max(Some(cause));
    }

    /// Returns when to draw; `None` while nothing changed. A time in the past means now.
    #[must_use]
    pub fn due(&self, now: Instant) -> Option<Instant> {
        let cause = self.dirty?;
        let pause = self.last.map(|frame| frame.started + pause(cause, frame.cost));
        let rate = match cause {
            Cause::Key => self.key_frames.due(),
            Cause::Rest => self.connection.ready_at(now),
            Cause::Event => self.frames.due().max(self.connection.ready_at(now)),
        };
        Some(pause.max(rate).unwrap_or(now))
    }

    /// True if a frame should be drawn now.
    #[must_use]
    pub fn is_due(&self, now: Instant) -> bool {
        self.due(now).is_some_and(|due| due <= now)
    }

    /// Records a frame; `cost` is the known time for drawing and writing it.
    pub fn drawn(&mut self, started: Instant, cost: Duration) {
        self.frames.drawn(started);
        if self.dirty.take() == Some(Cause::Key) {
            self.key_frames.drawn(started);
        }
        // The first frame draws everything: its cost says nothing about the next.
        let cost = if self.last.is_none() { Duration::ZERO } else { cost };
        self.last = Some(Frame { started, cost });
    }

    /// Returns the bounds of a frame drawn now.
    pub fn bounds(&mut self, now: Instant) -> FrameBounds {
        self.connection.bounds(now)
    }

    /// Records how much of a frame was written.
    pub fn sent(&mut self, now: Instant, drawn: Drawn) {
        self.connection.sent(now, drawn);
        if !drawn.complete {
            self.mark(Cause::Rest);
        }
    }

    /// The terminal replied to the question at the end of a frame.
    pub fn replied(&mut self, now: Instant) {
        self.connection.replied(now);
    }

    /// True while status replies are pending.
    #[must_use]
    pub fn awaits_replies(&self, now: Instant) -> bool {
        self.connection.awaits_replies(now)
    }

    /// Somebody else had the terminal.
    pub fn interrupted(&mut self) {
        self.connection.interrupted();
    }

    /// Notes the full cost of the last frame, whose write ended later than its drawing.
    pub fn wrote(&mut self, cost: Duration) {
        if let Some(frame) = &mut self.last {
            frame.cost = frame.cost.max(cost);
        }
    }
}

/// Returns the least time from the start of a frame of this cost to the next one.
fn pause(cause: Cause, cost: Duration) -> Duration {
    match cause {
        Cause::Key => cost.saturating_mul(KEY_COST_FACTOR).min(MAX_KEY_WAIT),
        Cause::Event | Cause::Rest => cost.saturating_mul(COST_FACTOR),
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
        let mut pacer = Pacer::default();
        assert_eq!(pacer.due(now), None);
        pacer.mark(Cause::Event);
        pacer.drawn(now, ms(1));
        assert_eq!(pacer.due(now + ms(5_000)), None);
    }

    #[test]
    fn the_first_frame_is_drawn_at_once() {
        let now = Instant::now();
        let mut pacer = Pacer::default();
        pacer.mark(Cause::Event);
        assert!(pacer.is_due(now));
    }

    /// Returns the waits before consecutive frames of this cause.
    fn waits(cause: Cause, cost: Duration, frames: usize) -> Vec<Duration> {
        let start = Instant::now();
        let (mut pacer, mut last) = (Pacer::default(), start);
        pacer.mark(cause);
        pacer.drawn(start, cost);
        let next = |_| {
            pacer.mark(cause);
            let due = pacer.due(last).unwrap().max(last);
            let early = due.checked_sub(ms(1)).filter(|early| *early > last);
            assert!(early.is_none_or(|early| !pacer.is_due(early)) && pacer.is_due(due));
            pacer.drawn(due, cost);
            due - std::mem::replace(&mut last, due)
        };
        (0..frames).map(next).collect()
    }

    #[test]
    fn the_wait_depends_on_the_cause_and_the_cost_of_the_last_frame_but_the_first() {
        for (cause, cost, expected) in [
            (Cause::Event, ms(1), [0, 4, 4, 92, 100]),
            (Cause::Event, ms(30), [0, 120, 120, 120, 120]),
            (Cause::Event, ms(500), [0, 2_000, 2_000, 2_000, 2_000]),
            (Cause::Key, ms(10), [0, 20, 20, 20, 20]),
            (Cause::Key, ms(900), [0, 50, 50, 50, 50]),
        ] {
            let expected: Vec<Duration> = expected.into_iter().map(ms).collect();
            assert_eq!(waits(cause, cost, 5), expected, "{cause:?} {cost:?}");
        }
    }

    #[test]
    fn a_few_letters_are_drawn_at_once_and_many_sixty_times_a_second() {
        let waits = waits(Cause::Key, ms(0), 60);
        assert_eq!(waits.get(..3), Some([ms(0); 3].as_slice()));
        assert!(waits.iter().skip(3).all(|wait| *wait == KEY_INTERVAL), "{waits:?}");
    }

    #[test]
    fn a_waiting_event_does_not_delay_a_key() {
        let start = Instant::now();
        let mut pacer = Pacer::default();
        pacer.drawn(start, ms(1));
        pacer.mark(Cause::Key);
        pacer.mark(Cause::Event);
        assert!(pacer.is_due(start + ms(20)));
    }

    #[test]
    fn frames_of_keys_do_not_delay_those_of_events_further() {
        let start = Instant::now();
        let mut pacer = Pacer::default();
        let mut keys = (0..100).map(|key| start + ms(30) * key);
        for at in keys.clone() {
            pacer.mark(Cause::Key);
            pacer.drawn(at, ms(1));
        }
        pacer.mark(Cause::Event);
        let last = keys.next_back().unwrap();
        assert_eq!(pacer.due(last), Some(last + EVENT_INTERVAL));
    }

    #[test]
    fn a_slow_write_counts_even_when_it_ends_after_the_drawing() {
        let start = Instant::now();
        let mut pacer = Pacer::default();
        pacer.drawn(start, ms(1));
        pacer.wrote(ms(50));
        pacer.mark(Cause::Event);
        assert_eq!(pacer.due(start), Some(start + ms(200)));
    }
}
