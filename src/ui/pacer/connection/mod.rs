//! The throughput of the connection to the terminal, measured by the terminal's replies.
//!
//! Over SSH a write is done long before its bytes are at the terminal, so writing does not show a slow
//! connection. Some frames therefore end with a question that every terminal answers. The delay of its reply,
//! compared with the fastest one, is the time of the bytes before it. On a slow connection a frame is small
//! and the next one waits for it, so that at most one frame is queued before a key.
//!
//! Pure: it is given the time and never reads a clock.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::backend::{Drawn, FrameBounds, StatusQuestion};

/// The time that a frame may take on a slow connection.
const FRAME_TIME: Duration = Duration::from_millis(8);
/// The delay of a reply that is normal on an idle connection: terminals read once for each picture.
const JITTER: Duration = Duration::from_millis(25);
/// A reply this late shows a slow connection.
const NOTICED: Duration = Duration::from_millis(40);
/// The delay that is normal on a connection known to be slow; a longer one means it is overloaded.
const TOLERATED: Duration = Duration::from_millis(6);
/// A time that can be told from chance.
const NOTICEABLE: Duration = Duration::from_millis(4);
/// Number of replies of which the least late one counts: each may be late for other reasons.
const REPLIES_COUNTED: u32 = 4;
/// Between two questions on a connection that is not known to be slow: this time,
const QUESTION_INTERVAL: Duration = Duration::from_secs(1);
/// or this many bytes.
const QUESTION_BYTES: usize = 2_000;
/// A connection that never is idle is measured anew after this.
const BUSY_PERIOD: Duration = Duration::from_secs(1);
/// Most pending questions.
const MAX_QUESTIONS: usize = 64;
/// A reply that is later than the fastest one by this much means an interrupted connection: nothing is added
/// to its queue.
const STALLED: Duration = Duration::from_millis(300);
/// The wait for the first reply ever: maybe none will come.
const FIRST_REPLY_WAIT: Duration = Duration::from_secs(1);
/// After this time a reply counts as lost. No question is sent until it has come nevertheless: replies have
/// no number, and it would be taken for the reply to a later question.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);
/// The period of the fastest reply: that of this period and the one before counts, since delays may grow.
const FASTEST_PERIOD: Duration = Duration::from_mins(1);
/// Time for each byte: 1 kB/s, and nothing slower counts.
const SLOWEST: Duration = Duration::from_millis(1);
/// 250 kB/s: no frame is limited from here on.
const FAST: Duration = Duration::from_micros(4);

/// The connection to one terminal.
#[derive(Debug, Clone, Default)]
pub(super) struct Connection {
    questions: VecDeque<Question>,
    /// Bytes sent since the last question.
    unasked: usize,
    last_question: Option<Instant>,
    last_reply: Option<Instant>,
    /// Replies that are no longer waited for and may still come.
    overdue: usize,
    fastest: Fastest,
    /// The time for each byte; `None` while nothing says that it is slow.
    per_byte: Option<Duration>,
    /// The time until which a slow connection is busy with sent bytes.
    busy_until: Option<Instant>,
    /// The time of the last change of `per_byte`: replies to earlier frames say nothing about it.
    changed: Option<Instant>,
    /// The replies since then: their number, and the least delay beyond the time of the frame.
    replies: (u32, Duration),
    /// Since the connection was idle last.
    busy: Busy,
}

/// A period without idle time: the time of its bytes is measured, whatever was assumed.
#[derive(Debug, Clone, Copy, Default)]
struct Busy {
    took: Duration,
    bytes: usize,
}

#[derive(Debug, Clone, Copy)]
struct Question {
    sent: Instant,
    /// The time at which it is expected to be through the connection.
    through: Instant,
    /// Bytes between the question before and this one. The first of them may be long through.
    bytes: usize,
    /// Bytes of the frame that it ends.
    frame: usize,
    /// The frame was all that the connection was thought to take.
    full: bool,
}

/// The shortest time to a reply, which is that of an idle connection.
#[derive(Debug, Clone, Copy, Default)]
struct Fastest {
    since: Option<Instant>,
    current: Option<Duration>,
    previous: Option<Duration>,
}

impl Fastest {
    fn get(&self) -> Option<Duration> {
        [self.current, self.previous].into_iter().flatten().min()
    }

    fn add(&mut self, now: Instant, delay: Duration) -> Duration {
        if self.since.is_none_or(|since| now.duration_since(since) > FASTEST_PERIOD) {
            *self = Self { since: Some(now), current: None, previous: self.current };
        }
        self.current = Some(self.current.map_or(delay, |current| current.min(delay)));
        self.get().unwrap_or(delay)
    }
}

impl Connection {
    /// The bounds of a frame that is drawn now.
    pub fn bounds(&mut self, now: Instant) -> FrameBounds {
        self.drop_overdue(now);
        FrameBounds { bytes: self.limit(now), question: self.question(now) }
    }

    /// Returns the most bytes for now; at least a row is drawn.
    fn limit(&self, now: Instant) -> Option<usize> {
        let per_byte = self.per_byte?;
        if self.busy_until.is_some_and(|until| now < until) {
            return Some(1);
        }
        let bytes = FRAME_TIME.as_nanos() / per_byte.as_nanos().max(1);
        Some(usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    fn question(&self, now: Instant) -> StatusQuestion {
        let answers = self.overdue == 0 && self.questions.len() < MAX_QUESTIONS;
        let due = self.unasked >= QUESTION_BYTES
            || self.last_question.is_none_or(|last| now - last >= QUESTION_INTERVAL);
        if !answers || !(due || self.per_byte.is_some()) {
            return StatusQuestion::None;
        }
        match self.fastest.get() {
            None if self.questions.is_empty() => StatusQuestion::BeforeAndAfter,
            None | Some(_) => StatusQuestion::After,
        }
    }

    /// Returns when the next frame that was not caused by a key may be sent.
    pub fn ready_at(&self, now: Instant) -> Option<Instant> {
        let stalled = self.questions.front().and_then(|question| {
            let (late, limit) = match self.fastest.get() {
                Some(fastest) => (fastest + STALLED, REPLY_TIMEOUT),
                None => (STALLED, FIRST_REPLY_WAIT),
            };
            (now >= question.through + late).then_some(question.through + limit)
        });
        self.busy_until.max(stalled)
    }

    /// A frame was handed over.
    pub fn sent(&mut self, now: Instant, drawn: Drawn) {
        self.unasked += drawn.bytes;
        if let Some(per_byte) = self.per_byte {
            let from = self.busy_until.map_or(now, |until| until.max(now));
            self.busy_until = Some(from + times(per_byte, drawn.bytes));
        }
        let before = match drawn.asked {
            StatusQuestion::None => return,
            StatusQuestion::After => None,
            StatusQuestion::BeforeAndAfter => {
                Some(Question { sent: now, through: now, bytes: 0, frame: 0, full: false })
            }
        };
        let (full, bytes) = (!drawn.complete, std::mem::take(&mut self.unasked));
        let through = self.busy_until.map_or(now, |until| until.max(now));
        let after = Question { sent: now, through, bytes, frame: drawn.bytes, full };
        self.questions.extend(before.into_iter().chain([after]));
        self.last_question = Some(now);
    }

    /// The terminal replied to the oldest question.
    pub fn replied(&mut self, now: Instant) {
        if self.overdue > 0 {
            self.overdue -= 1;
            return;
        }
        let Some(question) = self.questions.pop_front() else { return };
        let fastest = self.fastest.add(now, now.duration_since(question.sent));
        self.learn(question, fastest, now);
        self.busy_until = self.per_byte.map(|per_byte| {
            // Only bytes sent after it can still be in the connection.
            let mut free = now.checked_sub(fastest).unwrap_or(now);
            for later in &mut self.questions {
                free = free.max(later.sent) + times(per_byte, later.bytes);
                later.through = free;
            }
            free + times(per_byte, self.unasked)
        });
    }

    /// Updates the measured throughput.
    fn learn(&mut self, question: Question, fastest: Duration, now: Instant) {
        let Question { sent, bytes, frame, full, .. } = question;
        let delay = now.duration_since(sent);
        let alone = sent + fastest;
        let begun = self.last_reply.map_or(alone, |last| last.max(alone));
        let was_busy = begun - alone > JITTER;
        self.last_reply = Some(now);
        // Bytes before these are not counted.
        let took = now.saturating_duration_since(begun);
        let measured = (took >= NOTICED && bytes > 0).then(|| divided(took, bytes));
        let Some(per_byte) = self.per_byte else {
            self.per_byte = measured.filter(|per_byte| *per_byte > FAST);
            return;
        };
        if !was_busy {
            self.busy = Busy::default();
        } else if let Some(slower) = self.slower(took, bytes) {
            return self.change(slower, now);
        }
        if self.changed.is_some_and(|changed| sent < changed) {
            return;
        }
        let (queued, expected) = (delay.saturating_sub(fastest), times(per_byte, frame));
        if queued < expected / 2 && expected >= NOTICEABLE {
            return self.change(per_byte * 7 / 8, now);
        }
        let late = queued.saturating_sub(times(per_byte, bytes));
        let (count, least) = self.replies;
        let least = if count == 0 { late } else { least.min(late) };
        self.replies = (count + 1, least);
        if count + 1 < REPLIES_COUNTED {
            return;
        }
        if least > TOLERATED {
            let slower = measured.unwrap_or(per_byte * 9 / 8);
            self.change(slower.clamp(per_byte, SLOWEST), now);
        } else if full {
            self.change(per_byte * 31 / 32, now);
        } else {
            self.replies = (0, Duration::ZERO);
        }
    }

    /// Returns the time per byte if it is longer than assumed. These bytes came through `gap` after the last
    /// reply, and the connection was busy all the time.
    fn slower(&mut self, gap: Duration, bytes: usize) -> Option<Duration> {
        let thought = self.per_byte?;
        // More is no rate: for a moment a connection may take nothing.
        self.busy.took += gap.min(times(thought, bytes) * 4);
        self.busy.bytes += bytes;
        let Busy { took, bytes } = self.busy;
        let late = took.saturating_sub(times(thought, bytes)) > JITTER;
        if late || took > BUSY_PERIOD {
            self.busy = Busy::default();
        }
        late.then(|| divided(took, bytes)).filter(|measured| *measured > thought)
    }

    fn change(&mut self, per_byte: Duration, now: Instant) {
        self.changed = Some(now);
        self.replies = (0, Duration::ZERO);
        self.per_byte = Some(per_byte).filter(|per_byte| *per_byte > FAST);
        if self.per_byte.is_none() {
            self.busy = Busy::default();
        }
    }

    /// True while replies are pending.
    pub fn awaits_replies(&self, now: Instant) -> bool {
        self.questions.back().is_some_and(|last| now < last.through + REPLY_TIMEOUT)
    }

    /// Notes that another program had the terminal: replies may be lost.
    pub fn interrupted(&mut self) {
        self.stop_waiting();
        self.overdue = 0;
    }

    fn stop_waiting(&mut self) {
        (self.unasked, self.last_reply, self.busy_until) = (0, None, None);
        self.busy = Busy::default();
        self.questions.clear();
    }

    fn drop_overdue(&mut self, now: Instant) {
        if self.questions.front().is_some_and(|oldest| now >= oldest.through + REPLY_TIMEOUT) {
            self.overdue = self.questions.len();
            self.stop_waiting();
        }
    }
}

/// The time that bytes take.
fn times(per_byte: Duration, bytes: usize) -> Duration {
    per_byte.saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX))
}

/// The time for each byte, at most the slowest that counts.
fn divided(took: Duration, bytes: usize) -> Duration {
    (took / u32::try_from(bytes).unwrap_or(u32::MAX).max(1)).min(SLOWEST)
}

#[cfg(test)]
mod tests;
