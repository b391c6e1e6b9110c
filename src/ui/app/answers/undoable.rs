//! Answers that were sent and can still be undone. They are held here for a few seconds before the driver gets
//! them; until then each is a stored draft, so that no end of the program loses one.

use std::time::{Duration, Instant};

use crate::model::Inbox;
use crate::request::HeldAnswer;

#[derive(Debug)]
pub(in crate::app) struct HeldAnswers {
    /// The time for which an answer is held.
    hold: Duration,
    /// The held answers, in the order in which they were sent.
    held: Vec<(Instant, HeldAnswer)>,
}

impl HeldAnswers {
    pub fn new(hold: Duration) -> Self {
        Self { hold, held: Vec::new() }
    }

    /// Holds an answer, or returns it if answers are not held.
    pub fn hold(&mut self, answer: HeldAnswer, now: Instant) -> Option<HeldAnswer> {
        if self.hold.is_zero() {
            return Some(answer);
        }
        self.held.push((now + self.hold, answer));
        None
    }

    /// The answers whose time is over.
    pub fn due(&mut self, now: Instant) -> Vec<HeldAnswer> {
        let at = self.held.partition_point(|(until, _)| *until <= now);
        self.held.drain(..at).map(|(_, answer)| answer).collect()
    }

    /// Returns the time at which the first held answer is due.
    pub fn due_at(&self) -> Option<Instant> {
        self.held.first().map(|(until, _)| *until)
    }

    /// Takes all of them, at the end.
    pub fn all(&mut self) -> Vec<HeldAnswer> {
        self.held.drain(..).map(|(_, answer)| answer).collect()
    }

    /// Takes back the answer that was sent last.
    pub fn undo(&mut self) -> Option<HeldAnswer> {
        self.held.pop().map(|(_, answer)| answer)
    }

    /// Takes the answer to this question.
    pub fn take(&mut self, question: &str) -> Option<HeldAnswer> {
        let at = self.held.iter().position(|(_, answer)| answer.question == question)?;
        Some(self.held.remove(at).1)
    }

    /// Takes the answers whose questions were closed.
    pub fn without_question(&mut self, inbox: &Inbox) -> Vec<HeldAnswer> {
        let gone = |(_, held): &mut (Instant, HeldAnswer)| inbox.get(&held.question).is_none();
        self.held.extract_if(.., gone).map(|(_, answer)| answer).collect()
    }

    /// The seconds in which the last answer can be undone.
    pub fn seconds_left(&self, now: Instant) -> Option<u64> {
        let (until, _) = self.held.last()?;
        Some(
            until.saturating_duration_since(now).as_millis().div_ceil(1000).try_into().unwrap_or(0),
        )
    }

    /// Returns the time at which an answer is due or the shown seconds change.
    pub fn changes_at(&self, now: Instant) -> Option<Instant> {
        let first = self.held.first().map(|(until, _)| *until)?;
        let last = self.held.last().map(|(until, _)| *until)?;
        let left = last.saturating_duration_since(now);
        let next = Duration::from_secs(
            left.as_millis().div_ceil(1000).saturating_sub(1).try_into().unwrap_or(0),
        );
        Some(first.min(last.checked_sub(next).unwrap_or(last)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::fixture::{main_dialog, questions};

    fn answer(question: &str) -> HeldAnswer {
        let (question, text) = (question.to_owned(), "yes".to_owned());
        HeldAnswer { dialog: main_dialog(), question, part: None, text, typed: "y".to_owned() }
    }

    #[test]
    fn an_answer_is_held_for_its_time_and_the_last_one_is_undone_first() {
        let (mut held, now) = (HeldAnswers::new(Duration::from_secs(5)), Instant::now());
        let later = now + Duration::from_secs(2);
        assert_eq!(held.hold(answer("q1"), now), None);
        assert_eq!(held.hold(answer("q2"), later), None);
        assert_eq!(held.seconds_left(later), Some(5));
        assert_eq!(held.changes_at(later), Some(later + Duration::from_secs(1)));
        assert_eq!(held.due(now + Duration::from_secs(5)), [answer("q1")]);
        assert_eq!(held.undo(), Some(answer("q2")));
        assert_eq!((held.undo(), held.changes_at(now)), (None, None));
        let mut none = HeldAnswers::new(Duration::ZERO);
        assert_eq!(none.hold(answer("q1"), now), Some(answer("q1")));
    }

    #[test]
    fn an_answer_to_a_question_that_is_gone_is_given_back() {
        let (mut held, now) = (HeldAnswers::new(Duration::from_secs(5)), Instant::now());
        let mut inbox = Inbox::default();
        inbox.set(questions());
        held.hold(answer("q1"), now);
        held.hold(answer("gone"), now);
        assert_eq!(held.without_question(&inbox), [answer("gone")]);
        assert_eq!(held.all(), [answer("q1")]);
    }
}
