//! When an answer is overdue. The only place that sets deadlines: each read moves them.

use std::time::Duration;

use tokio::time::Instant;

use super::errors::{idle_error, no_content_error, too_slow_error};
use crate::llm::AnswerLimits;
use crate::llm::error::LlmError;

/// For token counts and the end mark after the model reported that it is done.
const FINISH_TIMEOUT: Duration = Duration::from_secs(5);

/// The deadlines of a response.
#[derive(Debug)]
pub(super) struct Deadlines {
    limits: AnswerLimits,
    /// For the whole answer.
    answer: Instant,
    /// When the request was sent.
    sent: Instant,
    /// When the last bytes arrived, and the last content; `None` before the first byte.
    last: Option<LastRead>,
    /// When the model reported that it is done, or its last content after that arrived.
    finished: Option<Instant>,
}

/// What is known about bytes that arrived.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadFacts {
    pub(super) has_content: bool,
    /// True if the model is done.
    pub(super) is_finished: bool,
}

#[derive(Debug, Clone, Copy)]
struct LastRead {
    bytes: Instant,
    content: Instant,
}

/// What did not come in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overdue {
    /// Any bytes.
    Bytes(Duration),
    /// Bytes of content.
    Content(Duration),
    Answer(Duration),
}

impl Overdue {
    pub(super) fn error(self) -> LlmError {
        match self {
            Self::Bytes(limit) => idle_error(limit),
            Self::Content(limit) => no_content_error(limit),
            Self::Answer(limit) => too_slow_error(limit),
        }
    }
}

impl Deadlines {
    /// Those of a request sent at `sent`, whose answer has to end at `answer`.
    pub(super) fn new(limits: AnswerLimits, sent: Instant, answer: Instant) -> Self {
        Self { limits, answer, sent, last: None, finished: None }
    }

    /// Notes that bytes arrived.
    pub(super) fn read(&mut self, now: Instant, facts: ReadFacts) {
        let ReadFacts { has_content, is_finished } = facts;
        // The first bytes begin the wait for content, whatever they are.
        let content = self.last.filter(|_| !has_content).map_or(now, |last| last.content);
        self.last = Some(LastRead { bytes: now, content });
        // Some servers say that they are done with every piece.
        if is_finished && (has_content || self.finished.is_none()) {
            self.finished = Some(now);
        }
    }

    /// The next deadline, and what is overdue when it passes.
    pub(super) fn end(&self) -> (Instant, Overdue) {
        let AnswerLimits { first_byte, idle, answer, .. } = self.limits;
        let content = self.limits.content.max(idle);
        let (end, overdue) = match (self.last, self.finished) {
            (None, _) => (self.sent + first_byte, Overdue::Bytes(first_byte)),
            (Some(_), Some(finished)) => {
                let limit = idle.min(FINISH_TIMEOUT);
                (finished + limit, Overdue::Bytes(limit))
            }
            (Some(last), None) if last.bytes + idle <= last.content + content => {
                (last.bytes + idle, Overdue::Bytes(idle))
            }
            (Some(last), None) => (last.content + content, Overdue::Content(content)),
        };
        if end < self.answer { (end, overdue) } else { (self.answer, Overdue::Answer(answer)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    #[derive(Debug, Clone, Copy)]
    enum Read {
        Alive,
        Content,
        Done,
        ContentAndDone,
    }

    /// The deadline after these reads, in seconds from the request.
    fn end_after(reads: &[(u64, Read)]) -> (u64, Overdue) {
        let limits = AnswerLimits {
            first_byte: seconds(100),
            idle: seconds(10),
            content: seconds(25),
            answer: seconds(1000),
            ..AnswerLimits::default()
        };
        let sent = Instant::now();
        let mut deadlines = Deadlines::new(limits, sent, sent + seconds(1000));
        for (at, read) in reads {
            let (has_content, is_finished) = match read {
                Read::Alive => (false, false),
                Read::Content => (true, false),
                Read::Done => (false, true),
                Read::ContentAndDone => (true, true),
            };
            deadlines.read(sent + seconds(*at), ReadFacts { has_content, is_finished });
        }
        let (end, overdue) = deadlines.end();
        ((end - sent).as_secs(), overdue)
    }

    #[test]
    fn the_deadline_follows_from_the_order_of_reads() {
        use Read::{Alive, Content, ContentAndDone, Done};
        let bytes = |limit| Overdue::Bytes(seconds(limit));
        for (reads, expected) in [
            (vec![], (100, bytes(100))),
            (vec![(1, Alive)], (11, bytes(10))),
            (vec![(1, Content)], (11, bytes(10))),
            (vec![(99, Content)], (109, bytes(10))),
            (vec![(1, Content), (5, Content), (9, Content)], (19, bytes(10))),
            (vec![(1, Alive), (5, Content), (9, Alive)], (19, bytes(10))),
            (vec![(90, Content), (99, Alive), (105, Content)], (115, bytes(10))),
            (vec![(1, Alive), (9, Alive), (18, Alive)], (26, Overdue::Content(seconds(25)))),
            (vec![(1, Content), (9, Alive), (18, Alive)], (26, Overdue::Content(seconds(25)))),
            (vec![(1, Content), (9, Alive), (18, Content)], (28, bytes(10))),
            (vec![(1, ContentAndDone)], (6, bytes(5))),
            (vec![(1, Done)], (6, bytes(5))),
            (vec![(1, Content), (3, Done)], (8, bytes(5))),
            (vec![(1, Content), (3, Done), (7, Alive)], (8, bytes(5))),
            (vec![(1, ContentAndDone), (4, ContentAndDone)], (9, bytes(5))),
            (vec![(1, ContentAndDone), (4, Done)], (6, bytes(5))),
            (vec![(995, Content)], (1000, Overdue::Answer(seconds(1000)))),
            (vec![(998, Done)], (1000, Overdue::Answer(seconds(1000)))),
        ] {
            assert_eq!(end_after(&reads), expected, "{reads:?}");
        }
    }
}
