//! When questions draw attention outside of the screen, and the count in the window title.
//!
//! Questions that come soon after each other ring once. Nobody is called who looks at the question.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::effect::Effect;

/// How long further questions are waited for after the first one.
const BURST: Duration = Duration::from_millis(500);
/// The shortest time between two rings.
const RING_INTERVAL: Duration = Duration::from_secs(3);

/// Whether somebody looks at the terminal, as it reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Looking {
    /// It has not reported it; then nobody does.
    #[default]
    Unknown,
    Here,
    Away,
}

#[derive(Debug, Default)]
pub(super) struct Alerts {
    /// Questions that came and did not ring; each of them was open then, so they are as few as these.
    came: BTreeSet<String>,
    /// When they ring.
    ring_at: Option<Instant>,
    rang_at: Option<Instant>,
    looking: Looking,
    /// The count in the title; `None` before the first question.
    titled: Option<usize>,
}

impl Alerts {
    /// A question came, or came back: it rings soon, together with those that come until then.
    pub fn came(&mut self, question: String, now: Instant) {
        self.came.insert(question);
        let earliest = self.rang_at.map_or(now, |rang| rang + RING_INTERVAL);
        self.ring_at.get_or_insert_with(|| earliest.max(now + BURST));
    }

    pub fn look(&mut self, looking: Looking) {
        self.looking = looking;
    }

    /// True if the terminal says that somebody looks.
    pub fn is_looked_at(&self) -> bool {
        match self.looking {
            Looking::Here => true,
            Looking::Unknown | Looking::Away => false,
        }
    }

    /// When there is something to do.
    pub fn wake_at(&self) -> Option<Instant> {
        self.ring_at
    }

    /// The questions to ring for now.
    pub fn take_due(&mut self, now: Instant) -> BTreeSet<String> {
        if self.ring_at.is_none_or(|at| now < at) {
            return BTreeSet::new();
        }
        self.ring_at = None;
        std::mem::take(&mut self.came)
    }

    /// The bell was rung.
    pub fn rang(&mut self, now: Instant) {
        self.rang_at = Some(now);
    }

    /// Counts the open questions in the title: from the first one on, and only if the count changed.
    pub fn title(&mut self, questions: usize) -> Option<Effect> {
        let counts = questions > 0 || self.titled.is_some();
        let changed = counts && self.titled.replace(questions) != Some(questions);
        changed.then_some(Effect::Title(questions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(questions: &[&str]) -> BTreeSet<String> {
        questions.iter().map(|question| (*question).to_owned()).collect()
    }

    #[test]
    fn questions_of_a_burst_ring_together_and_the_next_ones_not_too_soon_after() {
        let (mut alerts, now) = (Alerts::default(), Instant::now());
        assert_eq!(alerts.wake_at(), None);
        alerts.came("a".to_owned(), now);
        alerts.came("b".to_owned(), now + BURST / 2);
        assert_eq!(alerts.take_due(now + BURST / 2), set(&[]));
        assert_eq!(alerts.wake_at(), Some(now + BURST));
        assert_eq!(alerts.take_due(now + BURST), set(&["a", "b"]));
        alerts.rang(now + BURST);
        assert_eq!(alerts.wake_at(), None);
        alerts.came("c".to_owned(), now + BURST * 2);
        assert_eq!(alerts.wake_at(), Some(now + BURST + RING_INTERVAL));
        assert_eq!(alerts.take_due(now + BURST + RING_INTERVAL), set(&["c"]));
    }

    #[test]
    fn only_a_terminal_that_says_so_is_looked_at() {
        let mut alerts = Alerts::default();
        assert!(!alerts.is_looked_at());
        alerts.look(Looking::Here);
        assert!(alerts.is_looked_at());
        for looking in [Looking::Away, Looking::Unknown] {
            alerts.look(looking);
            assert!(!alerts.is_looked_at());
        }
    }

    #[test]
    fn the_title_counts_from_the_first_question_on_and_again_when_the_count_changes() {
        let mut alerts = Alerts::default();
        assert_eq!(alerts.title(0), None);
        assert_eq!(alerts.title(2), Some(Effect::Title(2)));
        assert_eq!(alerts.title(2), None);
        assert_eq!(alerts.title(0), Some(Effect::Title(0)));
    }
}
