//! How full the context of the current course is, and what its model was told about it. Folded from
//! the records, so that a restart goes on counting where it was.

use super::health::{ContextHealth, HealthLevel};

/// So often a model is told that its context is nearly used up; then a new course begins.
const LAST_CALLS: u32 = 5;

/// What the newest measure said, and how often the model was told since that level was reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fullness {
    /// `None` while nothing was measured in this course, or it could not be.
    pub level: Option<HealthLevel>,
    /// Used share of the context in whole percent.
    pub percent: Option<u8>,
    told: u32,
    /// Generations that ended since it was told last.
    since: u32,
}

/// What is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// The model is told to tidy up.
    Caution,
    /// The model is told to save what matters and to begin a new course; so often it will be told
    /// again.
    LastCall { more: u32 },
    /// A new course begins without the model's help.
    NewCourse,
}

impl Fullness {
    /// A generation ended with this measure.
    pub fn measure(&mut self, health: &ContextHealth) {
        let level = health.level();
        if level == self.level && self.is_tight() {
            self.since = self.since.saturating_add(1);
        } else {
            (self.told, self.since) = (0, 0);
        }
        self.level = level;
        self.percent = health.percent();
    }

    /// The model was told.
    pub fn tell(&mut self) {
        self.told = self.told.saturating_add(1);
        self.since = 0;
    }

    /// True where there is something to tell at all.
    #[must_use]
    pub fn is_tight(&self) -> bool {
        matches!(self.level, Some(HealthLevel::Caution | HealthLevel::Critical))
    }

    /// What is due now. `cadence`: generations between two warnings.
    #[must_use]
    pub fn remedy(&self, cadence: u32) -> Option<Remedy> {
        match self.level? {
            HealthLevel::Healthy => None,
            HealthLevel::Caution => {
                (self.told == 0 || self.since >= cadence).then_some(Remedy::Caution)
            }
            HealthLevel::Critical => match LAST_CALLS.checked_sub(self.told + 1) {
                Some(more) => Some(Remedy::LastCall { more }),
                None => Some(Remedy::NewCourse),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::health::Limits;

    const CADENCE: u32 = 3;

    fn health(prompt: Option<u64>) -> ContextHealth {
        let limits = Limits::new(Some(1000), Some(500), None);
        ContextHealth::measure(limits, prompt.map(|prompt| (prompt, 1, prompt + 1)))
    }

    /// Ends a generation for each measure; before each, the model is told what is due.
    fn told(measures: &[Option<u64>]) -> Vec<Option<Remedy>> {
        let mut fullness = Fullness::default();
        let mut told = Vec::new();
        for prompt in measures {
            let remedy = fullness.remedy(CADENCE);
            if remedy.is_some() {
                fullness.tell();
            }
            told.push(remedy);
            fullness.measure(&health(*prompt));
        }
        told
    }

    #[test]
    fn i02_a_warning_comes_at_once_and_then_after_as_many_generations_as_configured() {
        let (full, fine) = (Some(501), Some(500));
        let warned = Some(Remedy::Caution);
        let seven = [full; 8];
        assert_eq!(told(&seven), [None, warned, None, None, warned, None, None, warned]);
        assert_eq!(told(&[full, fine, full, full]), [None, warned, None, warned]);
        assert_eq!(told(&[full, None, full, full]), [None, warned, None, warned]);
    }

    #[test]
    fn i03_five_last_calls_are_counted_down_before_a_new_course() {
        let call = |more| Some(Remedy::LastCall { more });
        let course = Some(Remedy::NewCourse);
        let told = told(&[Some(901); 7]);
        assert_eq!(told, [None, call(4), call(3), call(2), call(1), call(0), course]);
    }

    #[test]
    fn another_level_begins_its_count_anew() {
        let (tight, critical) = (Some(600), Some(950));
        let expected = [
            None,
            Some(Remedy::Caution),
            Some(Remedy::LastCall { more: 4 }),
            Some(Remedy::Caution),
            Some(Remedy::LastCall { more: 4 }),
        ];
        assert_eq!(told(&[tight, critical, tight, critical, tight]), expected);
    }
}
