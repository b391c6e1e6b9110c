//! Draws attention to questions outside of the screen: bell, notification and window title.

use std::time::{Duration, Instant};

use super::effect::Effect;
use crate::ui::text::SafeText;

/// Questions that arrive within this time ring the bell once.
const RING_INTERVAL: Duration = Duration::from_secs(3);

#[derive(Debug, Default)]
pub(super) struct Alerts {
    rang_at: Option<Instant>,
    /// The count in the title; `None` before the first question.
    titled: Option<usize>,
}

impl Alerts {
    /// A question arrived in the dialog with this title: rings, once per burst.
    pub fn ring(&mut self, title: Option<&str>, headline: &str, now: Instant) -> Option<Effect> {
        if self.rang_at.is_some_and(|rang| now < rang + RING_INTERVAL) {
            return None;
        }
        self.rang_at = Some(now);
        let title = title.filter(|title| !title.is_empty());
        let text =
            title.map_or_else(|| headline.to_owned(), |title| format!("{title}: {headline}"));
        Some(Effect::Ring(SafeText::line(&text)))
    }

    /// Counts the open questions in the title: from the first one on, and only if the count changed.
    pub fn title(&mut self, questions: usize) -> Option<Effect> {
        let counts = questions > 0 || self.titled.is_some() || self.rang_at.is_some();
        let changed = counts && self.titled.replace(questions) != Some(questions);
        changed.then_some(Effect::Title(questions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_of_questions_rings_once() {
        let (mut alerts, now) = (Alerts::default(), Instant::now());
        let ring = |text| Some(Effect::Ring(SafeText::line(text)));
        assert_eq!(alerts.ring(Some("add 2FA"), "Which?", now), ring("add 2FA: Which?"));
        assert_eq!(alerts.ring(None, "Which?", now + RING_INTERVAL / 2), None);
        assert_eq!(alerts.ring(None, "Which?", now + RING_INTERVAL), ring("Which?"));
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
