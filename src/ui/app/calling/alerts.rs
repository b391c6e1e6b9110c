//! When questions draw attention outside of the screen, and the count in the window title.
//!
//! Questions that come soon after each other ring once, and once more as a reminder if nothing changes
//! meanwhile. There is no timer while no question is open and none came.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::quiet_hours::QuietHours;
use crate::effect::Effect;

/// How long the alert waits for further questions after the first one.
const BURST: Duration = Duration::from_millis(500);
/// The shortest time between two rings.
const RING_INTERVAL: Duration = Duration::from_secs(3);
/// The longest time after which it is asked again whether the hours are still quiet.
const QUIET_STEP: Duration = Duration::from_mins(1);

/// Whether somebody looks at the terminal, as it reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Looking {
    /// The terminal has not reported it; counts as away.
    #[default]
    Unknown,
    Here,
    Away,
}

/// The person's settings for calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttentionSettings {
    pub quiet: Option<QuietHours>,
    /// After this time without an answer there is one reminder.
    pub remind_after: Option<Duration>,
}

/// The alert that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Due {
    /// Ring for these new questions.
    New(BTreeSet<String>),
    /// Remind of all open questions.
    Reminder,
}

#[derive(Debug, Default)]
pub(crate) struct Alerts {
    settings: AttentionSettings,
    /// Questions that came and did not ring. The list of open questions may arrive after them; then those
    /// that are not in it are dropped.
    came: BTreeSet<String>,
    /// The time at which they ring; `None` while they are not listed yet.
    ring_at: Option<Instant>,
    rang_at: Option<Instant>,
    /// When to remind of the questions that are open.
    remind_at: Option<Instant>,
    looking: Looking,
    /// The count in the title; `None` before the first question.
    titled: Option<usize>,
}

impl Alerts {
    /// Adds a question that came, or came back: it rings soon, together with others until then.
    pub fn came(&mut self, question: String, now: Instant) {
        self.came.insert(question);
        let at = self.next_ring(now);
        // No later than that: the quiet hours that the others wait for may be over.
        self.ring_at = Some(self.ring_at.map_or(at, |ring| ring.min(at)));
    }

    fn next_ring(&self, now: Instant) -> Instant {
        let earliest = self.rang_at.map_or(now, |rang| rang + RING_INTERVAL);
        earliest.max(now + BURST)
    }

    /// Adds questions that came but are not listed yet: they ring once they are.
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

    /// Removes a question, so that it does not ring.
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

    /// Changes the settings.
    pub fn change(&mut self, change: impl FnOnce(&mut AttentionSettings)) {
        change(&mut self.settings);
    }

    pub fn quiet_hours(&self) -> Option<QuietHours> {
        self.settings.quiet
    }

    /// Returns the time of the next alert.
    pub fn wake_at(&self) -> Option<Instant> {
        [self.ring_at, self.remind_at].into_iter().flatten().min()
    }

    /// True if there is something to do now.
    pub fn is_due(&self, now: Instant) -> bool {
        self.wake_at().is_some_and(|at| now >= at)
    }

    /// Postpones alerts by the rest of the quiet hours, but a minute at most: timers stop while a machine
    /// sleeps, the time of day does not, so it is checked again.
    pub fn postpone(&mut self, left: Duration, now: Instant) {
        let until = now + left.min(QUIET_STEP);
        for at in [&mut self.ring_at, &mut self.remind_at].into_iter().flatten() {
            *at = (*at).max(until);
        }
    }

    /// Returns the alert that is due now; new questions come before a reminder.
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

    /// Records that the bell rang for failures; there is no reminder of them.
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
