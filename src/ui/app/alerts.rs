//! When questions draw attention outside of the screen, and the count in the window title.
//!
//! Questions that come soon after each other ring once, and if nothing changes, once more after the time
//! for a reminder. There is no timer while no question is open and none came.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::effect::Effect;
use super::quiet_hours::QuietHours;

/// How long further questions are waited for after the first one.
const BURST: Duration = Duration::from_millis(500);
/// The shortest time between two rings.
const RING_INTERVAL: Duration = Duration::from_secs(3);
/// The longest time after which it is asked again whether the hours are still quiet.
const QUIET_STEP: Duration = Duration::from_mins(1);

/// Whether somebody looks at the terminal, as it reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Looking {
    /// It has not reported it; then nobody does.
    #[default]
    Unknown,
    Here,
    Away,
}

/// What the person has set about being called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttentionSettings {
    pub quiet: Option<QuietHours>,
    /// After this time without an answer there is one reminder.
    pub remind_after: Option<Duration>,
}

/// What it is time for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ui) enum Due {
    /// To ring for these questions, which came.
    New(BTreeSet<String>),
    /// To remind of all open questions.
    Reminder,
}

#[derive(Debug, Default)]
pub(in crate::ui) struct Alerts {
    settings: AttentionSettings,
    /// Questions that came and did not ring. The list of open questions may arrive after them; what it does not
    /// name is dropped then.
    came: BTreeSet<String>,
    /// When they ring; `None` while that list is waited for.
    ring_at: Option<Instant>,
    rang_at: Option<Instant>,
    /// When to remind of the questions that are open.
    remind_at: Option<Instant>,
    looking: Looking,
    /// The count in the title; `None` before the first question.
    titled: Option<usize>,
}

impl Alerts {
    /// A question came, or came back: it rings soon, together with those that come until then.
    pub fn came(&mut self, question: String, now: Instant) {
        self.came.insert(question);
        let at = self.next_ring(now);
        // Not later than that: the quiet hours for which the others wait may be over.
        self.ring_at = Some(self.ring_at.map_or(at, |ring| ring.min(at)));
    }

    fn next_ring(&self, now: Instant) -> Instant {
        let earliest = self.rang_at.map_or(now, |rang| rang + RING_INTERVAL);
        earliest.max(now + BURST)
    }

    /// These came, but are not listed yet: they ring when they are.
    pub fn await_list(&mut self, questions: BTreeSet<String>) {
        self.came.extend(questions);
    }

    /// The open questions are listed: others do not ring.
    pub fn listed(&mut self, is_open: impl Fn(&str) -> bool, now: Instant) {
        self.came.retain(|question| is_open(question));
        self.ring_at = match self.ring_at {
            _ if self.came.is_empty() => None,
            None => Some(self.next_ring(now)),
            Some(at) => Some(at),
        };
    }

    /// This question does not ring.
    pub fn drop_question(&mut self, question: &str) {
        self.came.remove(question);
        self.ring_at = self.ring_at.filter(|_| !self.came.is_empty());
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

    pub fn set(&mut self, settings: AttentionSettings) {
        self.settings = settings;
    }

    pub fn quiet_hours(&self) -> Option<QuietHours> {
        self.settings.quiet
    }

    /// When there is something to do.
    pub fn wake_at(&self) -> Option<Instant> {
        [self.ring_at, self.remind_at].into_iter().flatten().min()
    }

    /// True if there is something to do now.
    pub fn is_due(&self, now: Instant) -> bool {
        self.wake_at().is_some_and(|at| now >= at)
    }

    /// It stays quiet for so long. That is asked again after a minute at most: a machine that sleeps stops the
    /// clock of timers, and not the time of day.
    pub fn postpone(&mut self, left: Duration, now: Instant) {
        let until = now + left.min(QUIET_STEP);
        for at in [&mut self.ring_at, &mut self.remind_at].into_iter().flatten() {
            *at = (*at).max(until);
        }
    }

    /// What it is time for now; new questions come before a reminder.
    pub fn take_due(&mut self, now: Instant) -> Option<Due> {
        if self.ring_at.take_if(|at| now >= *at).is_some() {
            return Some(Due::New(std::mem::take(&mut self.came)));
        }
        self.remind_at.take_if(|at| now >= *at).map(|_| Due::Reminder)
    }

    /// The bell was rung for new questions.
    pub fn rang(&mut self, now: Instant) {
        self.rang_at = Some(now);
        self.remind_later(now);
    }

    /// The bell was rung for failures; nobody is reminded of them.
    pub fn rang_for_failures(&mut self, now: Instant) {
        self.rang_at = Some(now);
    }

    /// The bell was rung as a reminder; there is no second one.
    pub fn reminded(&mut self, now: Instant) {
        self.rang_at = Some(now);
    }

    /// The time for a reminder begins now.
    pub fn remind_later(&mut self, now: Instant) {
        self.remind_at = self.settings.remind_after.map(|time| now + time);
    }

    /// Counts the open questions in the title: from the first one on, and only if the count changed.
    pub fn title(&mut self, questions: usize, now: Instant) -> Option<Effect> {
        let counts = questions > 0 || self.titled.is_some();
        let changed = counts && self.titled.replace(questions) != Some(questions);
        if questions == 0 {
            self.remind_at = None;
        } else if changed {
            self.remind_later(now);
        }
        changed.then_some(Effect::Title(questions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(questions: &[&str]) -> Due {
        Due::New(questions.iter().map(|question| (*question).to_owned()).collect())
    }

    #[test]
    fn questions_of_a_burst_ring_together_and_the_next_ones_not_too_soon_after() {
        let (mut alerts, now) = (Alerts::default(), Instant::now());
        assert_eq!(alerts.wake_at(), None);
        alerts.came("a".to_owned(), now);
        alerts.came("b".to_owned(), now + BURST / 2);
        assert_eq!(alerts.take_due(now + BURST / 2), None);
        assert_eq!(alerts.wake_at(), Some(now + BURST));
        assert_eq!(alerts.take_due(now + BURST), Some(new(&["a", "b"])));
        alerts.rang(now + BURST);
        assert_eq!(alerts.wake_at(), None);
        alerts.came("c".to_owned(), now + BURST * 2);
        assert_eq!(alerts.wake_at(), Some(now + BURST + RING_INTERVAL));
        assert_eq!(alerts.take_due(now + BURST + RING_INTERVAL), Some(new(&["c"])));
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
        let (mut alerts, now) = (Alerts::default(), Instant::now());
        assert_eq!(alerts.title(0, now), None);
        assert_eq!(alerts.title(2, now), Some(Effect::Title(2)));
        assert_eq!(alerts.title(2, now), None);
        assert_eq!(alerts.title(0, now), Some(Effect::Title(0)));
    }

    #[test]
    fn a_reminder_comes_once_after_the_last_change_and_only_while_questions_are_open() {
        let (mut alerts, now) = (Alerts::default(), Instant::now());
        let time = Duration::from_mins(10);
        alerts.title(1, now);
        assert_eq!(alerts.wake_at(), None, "it is not set");
        let settings = AttentionSettings { remind_after: Some(time), quiet: None };
        let mut alerts = Alerts::default();
        alerts.set(settings);
        alerts.title(2, now);
        alerts.title(2, now + time / 2);
        assert_eq!(alerts.wake_at(), Some(now + time));
        alerts.title(1, now + time / 2);
        assert_eq!(alerts.wake_at(), Some(now + time / 2 + time));
        assert_eq!(alerts.take_due(now + time * 2), Some(Due::Reminder));
        alerts.reminded(now + time * 2);
        assert_eq!(alerts.wake_at(), None);
        alerts.came("a".to_owned(), now + time * 3);
        alerts.title(2, now + time * 3);
        alerts.listed(|_| false, now + time * 3);
        alerts.title(0, now + time * 3);
        assert_eq!(alerts.wake_at(), None);
    }

    #[test]
    fn what_is_postponed_is_not_lost() {
        let (mut alerts, now) = (Alerts::default(), Instant::now());
        alerts.postpone(BURST * 9, now);
        assert_eq!(alerts.wake_at(), None);
        alerts.came("a".to_owned(), now);
        alerts.postpone(BURST * 9, now);
        assert_eq!(alerts.take_due(now + BURST * 8), None);
        alerts.came("b".to_owned(), now + BURST * 8);
        assert_eq!(alerts.take_due(now + BURST * 9), Some(new(&["a", "b"])));
    }

    #[test]
    fn quiet_hours_are_asked_for_every_minute_and_when_a_question_comes() {
        let (mut alerts, now) = (Alerts::default(), Instant::now());
        alerts.came("a".to_owned(), now);
        alerts.postpone(Duration::from_hours(9), now);
        assert_eq!(alerts.wake_at(), Some(now + Duration::from_mins(1)));
        alerts.came("b".to_owned(), now + BURST);
        assert_eq!(alerts.wake_at(), Some(now + BURST * 2));
    }
}
