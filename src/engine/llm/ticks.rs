//! When the streams of models are read: all at the same ticks, so that their thread can sleep between them.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two ticks: a frame of the screen, which is drawn once the text of the tick is there. Shorter ticks
/// would be more work for the same frames.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// When the streams of a thread are read.
#[derive(Debug)]
pub(super) struct Ticks {
    origin: Instant,
    streams: Mutex<Streams>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Streams {
    /// Requests that are being sent: connecting and the handshake go to and fro.
    sending: usize,
    /// The ticks that streams wait for.
    pauses: Vec<Instant>,
    /// Something came from outside of the thread.
    woken: bool,
}

impl Default for Ticks {
    fn default() -> Self {
        Self { origin: Instant::now(), streams: Mutex::default(), changed: Condvar::new() }
    }
}

impl Ticks {
    /// The first tick after `now`.
    fn after(&self, now: Instant) -> Instant {
        let since = now.saturating_duration_since(self.origin);
        let passed = since.as_millis() / TICK.as_millis() + 1;
        let tick =
            u32::try_from(passed).ok().and_then(|passed| self.origin.checked_add(TICK * passed));
        tick.unwrap_or(now + TICK)
    }

    /// For as long as a request is being sent.
    pub fn sending(self: &Arc<Self>) -> Sending {
        self.streams().sending += 1;
        Sending(Arc::clone(self))
    }

    /// Until the next tick after `now`.
    pub fn pause(self: &Arc<Self>, now: Instant) -> Pause {
        let until = self.after(now);
        self.streams().pauses.push(until);
        Pause { ticks: Arc::clone(self), until }
    }

    /// Lets the thread look at once at what came from outside.
    pub fn wake(&self) {
        self.streams().woken = true;
        self.changed.notify_all();
    }

    /// Called by the thread when it has nothing to do, before it waits for its sockets.
    pub fn rest(&self) {
        let mut streams = self.streams();
        while streams.sending == 0 && !streams.woken {
            let Some(next) = streams.pauses.iter().min() else { break };
            let left = next.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(streams, left);
            streams = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        streams.woken = false;
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request is being sent.
#[derive(Debug)]
pub(super) struct Sending(Arc<Ticks>);

impl Drop for Sending {
    fn drop(&mut self) {
        self.0.streams().sending -= 1;
    }
}

/// A stream waits for a tick.
#[derive(Debug)]
pub(super) struct Pause {
    ticks: Arc<Ticks>,
    until: Instant,
}

impl Pause {
    /// Waits for the tick.
    pub async fn wait(self) {
        tokio::time::sleep_until(self.until.into()).await;
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        let mut streams = self.ticks.streams();
        if let Some(at) = streams.pauses.iter().position(|until| *until == self.until) {
            streams.pauses.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn streams_are_read_at_the_same_ticks() {
        let ticks = Arc::<Ticks>::default();
        let at = |millis| ticks.after(ticks.origin + Duration::from_millis(millis)) - ticks.origin;
        for (now, tick) in [(0, 100), (1, 100), (99, 100), (100, 200), (199, 200), (223, 300)] {
            assert_eq!(at(now), Duration::from_millis(tick), "{now}");
        }
        // A program that ran for months.
        assert_eq!(at(10_000_000_000), Duration::from_millis(10_000_000_100));
    }

    #[test]
    fn the_thread_rests_only_while_streams_wait_for_a_tick_and_nothing_else_is_to_do() {
        let ticks = Arc::<Ticks>::default();
        // No stream: it returns at once.
        ticks.rest();
        let far = Instant::now() + Duration::from_hours(1);
        let pause = ticks.pause(far);
        let sending = ticks.sending();
        ticks.rest();
        drop(sending);
        ticks.wake();
        ticks.rest();
        drop(pause);
        ticks.rest();

        let pause = ticks.pause(Instant::now());
        ticks.rest();
        assert!(Instant::now() >= pause.until);
    }

    #[test]
    fn what_comes_from_outside_ends_the_rest() {
        let ticks = Arc::<Ticks>::default();
        let _pause = ticks.pause(Instant::now() + Duration::from_hours(1));
        thread::scope(|scope| {
            let (done, is_done) = std::sync::mpsc::channel();
            let ticks = &ticks;
            scope.spawn(move || {
                ticks.rest();
                done.send(()).unwrap();
            });
            ticks.wake();
            is_done.recv_timeout(Duration::from_mins(1)).unwrap();
        });
    }
}
