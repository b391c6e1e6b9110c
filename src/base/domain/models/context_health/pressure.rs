//! How full the context of the current course is, and what its model was told about it. Folded from
//! the records, so that a restart goes on counting where it was.

use serde::{Deserialize, Serialize};

use super::{ContextHealth, ContextRefusals, HealthLevel};

/// Number of times a model is told that its context is nearly used up; then a new course begins.
const LAST_CALLS: u32 = 5;
/// Generations by which a new course is put off after that, for replies that are to be read.
const GRACE: u32 = 3;

/// What the newest measure said, and how often the model was warned since that level was reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPressure {
    /// `None` while nothing was measured in this course, or it could not be.
    pub level: Option<HealthLevel>,
    /// Used share of the context in whole percent.
    pub percent: Option<u8>,
    warnings: u32,
    /// Generations that ended since the last warning.
    since: u32,
    /// Every measure of this course was tight, and the end of the course before it too: then clearing
    /// the mind again would change nothing.
    from_the_start: bool,
}

/// The action that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextAction {
    /// The model is told to tidy up.
    Caution,
    /// The model is told to save what matters and to begin a new course; it will be told `more` times again.
    LastCall { more: u32, then: AfterLastCall },
    /// A new course begins without the model's help.
    NewCourse,
    /// A new course was of no help: a person has to make room.
    Stop,
}

/// What follows the last call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterLastCall {
    NewCourse,
    Stop,
}

impl ContextPressure {
    /// A generation ended with this measure.
    pub fn measure(&mut self, health: &ContextHealth) {
        let level = health.level();
        if level == self.level && self.is_tight() {
            self.since = self.since.saturating_add(1);
        } else {
            (self.warnings, self.since) = (0, 0);
        }
        self.from_the_start &= !matches!(level, Some(HealthLevel::Healthy));
        self.level = level;
        self.percent = health.percent();
    }

    /// The pressure at the start of the next course.
    #[must_use]
    pub fn next_course(&self) -> Self {
        Self { from_the_start: self.is_tight(), ..Self::default() }
    }

    /// The model was warned.
    pub fn tell(&mut self) {
        self.warnings = self.warnings.saturating_add(1);
        self.since = 0;
    }

    /// True where there is something to tell at all.
    #[must_use]
    pub fn is_tight(&self) -> bool {
        matches!(self.level, Some(HealthLevel::Caution | HealthLevel::Critical))
    }

    /// What is due now. `cadence`: generations between two warnings.
    #[must_use]
    pub fn due(&self, cramped: &ContextRefusals, cadence: u32) -> Option<ContextAction> {
        match self.level? {
            HealthLevel::Healthy => None,
            HealthLevel::Caution => {
                let at_once = self.warnings == 0 && !self.from_the_start;
                (at_once || self.since >= cadence).then_some(ContextAction::Caution)
            }
            HealthLevel::Critical => Some(self.at_critical(cramped)),
        }
    }

    fn at_critical(&self, cramped: &ContextRefusals) -> ContextAction {
        let may = cramped.may_begin_anew();
        match LAST_CALLS.checked_sub(self.warnings.saturating_add(1)) {
            Some(more) if !cramped.is_hopeless() => {
                let then = if may { AfterLastCall::NewCourse } else { AfterLastCall::Stop };
                ContextAction::LastCall { more, then }
            }
            None if may => ContextAction::NewCourse,
            Some(_) | None => ContextAction::Stop,
        }
    }

    /// True if several generations were allowed beyond the last call already.
    #[must_use]
    pub fn is_overdue(&self) -> bool {
        self.warnings >= LAST_CALLS && self.since > GRACE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::models::context_health::ContextLimits;

    const CADENCE: u32 = 3;

    fn health(prompt: Option<u64>) -> ContextHealth {
        let limits = ContextLimits::new(Some(1000), Some(500), None);
        ContextHealth::measure(limits, prompt.map(|prompt| (prompt, 1, prompt + 1)))
    }

    /// Ends a generation for each measure; before each, the model is told what is due.
    fn actions_for(measures: &[Option<u64>]) -> Vec<Option<ContextAction>> {
        actions_in(&mut ContextPressure::default(), &mut ContextRefusals::default(), measures)
    }

    fn actions_in(
        pressure: &mut ContextPressure,
        cramped: &mut ContextRefusals,
        measures: &[Option<u64>],
    ) -> Vec<Option<ContextAction>> {
        let mut actions = Vec::new();
        for prompt in measures {
            let action = pressure.due(cramped, CADENCE);
            if action.is_some() {
                pressure.tell();
            }
            actions.push(action);
            pressure.measure(&health(*prompt));
            cramped.ended(pressure.level);
        }
        actions
    }

    fn last_call(more: u32, then: AfterLastCall) -> ContextAction {
        ContextAction::LastCall { more, then }
    }

    #[test]
    fn i02_a_warning_comes_at_once_and_then_after_as_many_generations_as_configured() {
        let (full, fine) = (Some(501), Some(500));
        let warned = Some(ContextAction::Caution);
        let seven = [full; 8];
        assert_eq!(actions_for(&seven), [None, warned, None, None, warned, None, None, warned]);
        assert_eq!(actions_for(&[full, fine, full, full]), [None, warned, None, warned]);
        assert_eq!(actions_for(&[full, None, full, full]), [None, warned, None, warned]);
    }

    #[test]
    fn i03_five_last_calls_are_counted_down_before_a_new_course() {
        let call = |more| Some(last_call(more, AfterLastCall::NewCourse));
        let course = Some(ContextAction::NewCourse);
        let actions = actions_for(&[Some(901); 7]);
        assert_eq!(actions, [None, call(4), call(3), call(2), call(1), call(0), course]);
    }

    #[test]
    fn a_course_that_began_by_itself_and_is_critical_at_once_ends_with_a_stop() {
        let (mut pressure, mut cramped) = (ContextPressure::default(), ContextRefusals::default());
        actions_in(&mut pressure, &mut cramped, &[Some(901); 6]);
        pressure = pressure.next_course();
        cramped.begin(false);
        let actions = actions_in(&mut pressure, &mut cramped, &[Some(901); 7]);
        let call = |more| Some(last_call(more, AfterLastCall::Stop));
        assert_eq!(
            actions,
            [None, call(4), call(3), call(2), call(1), call(0), Some(ContextAction::Stop)]
        );
        cramped.hear();
        assert_eq!(
            pressure.due(&cramped, CADENCE),
            Some(ContextAction::NewCourse),
            "a person spoke"
        );
    }

    #[test]
    fn a_model_that_clears_its_mind_in_vain_is_not_told_to_do_so_again_and_again() {
        let (mut pressure, mut cramped) = (ContextPressure::default(), ContextRefusals::default());
        actions_in(&mut pressure, &mut cramped, &[Some(501); 2]);
        pressure = pressure.next_course();
        let actions = actions_in(&mut pressure, &mut cramped, &[Some(501); 6]);
        assert_eq!(actions, [None, None, None, None, Some(ContextAction::Caution), None]);
        let mut courses = Vec::new();
        for _ in 0..3 {
            pressure = pressure.next_course();
            courses.push(actions_in(&mut pressure, &mut cramped, &[Some(901), Some(901)])[1]);
            cramped.begin(false);
        }
        let expected = [
            Some(last_call(4, AfterLastCall::NewCourse)),
            Some(last_call(4, AfterLastCall::Stop)),
            Some(ContextAction::Stop),
        ];
        assert_eq!(courses, expected);
    }

    #[test]
    fn another_level_begins_its_count_anew() {
        let (tight, critical) = (Some(600), Some(950));
        let expected = [
            None,
            Some(ContextAction::Caution),
            Some(last_call(4, AfterLastCall::NewCourse)),
            Some(ContextAction::Caution),
            Some(last_call(4, AfterLastCall::NewCourse)),
        ];
        assert_eq!(actions_for(&[tight, critical, tight, critical, tight]), expected);
    }
}
