//! Whether a new course helps against a full context. Folded from the records, so that a restart does
//! not begin courses for ever.

use serde::{Deserialize, Serialize};

use super::HealthLevel;

/// Courses in a row that may begin because the one before was full; the next one waits for new words of a person.
const MAX: u32 = 1;
/// A course with this many generations that had room was worth beginning.
const WORTH: u32 = 5;

/// The current course, and the short ones before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextRefusals {
    /// Generations of this course that came to their end.
    whole: u32,
    /// Those of them whose context was not critical.
    roomy: u32,
    /// The newest measure of this course was critical.
    critical: bool,
    /// Number of courses in a row that began because the one before was full at once, with this one.
    in_a_row: u32,
    /// Number of courses in a row that began because the one before ended with its first generation, likewise.
    #[serde(default)]
    at_once: u32,
}

impl ContextRefusals {
    /// A generation came to its end. `level`: its measure, where there is one.
    pub fn ended(&mut self, level: Option<HealthLevel>) {
        self.whole = self.whole.saturating_add(1);
        match level {
            Some(HealthLevel::Critical) => self.critical = true,
            Some(HealthLevel::Healthy | HealthLevel::Caution) => self.critical = false,
            None => {}
        }
        if level != Some(HealthLevel::Critical) {
            self.roomy = self.roomy.saturating_add(1);
        }
    }

    /// A person said something new.
    pub fn hear(&mut self) {
        (self.in_a_row, self.at_once) = (0, 0);
    }

    /// A course began, whoever wanted it; `refused`: because the last request of the old one failed.
    pub fn begin(&mut self, refused: bool) {
        let in_a_row = match (refused || self.critical, self.was_worth_it()) {
            (true, false) => self.in_a_row.saturating_add(1),
            (true, true) => 1,
            (false, _) => 0,
        };
        let at_once = if refused || self.whole > 1 { 0 } else { self.at_once.saturating_add(1) };
        *self = Self { in_a_row, at_once, ..Self::default() };
    }

    /// True if a new course may begin by itself: this one has something to leave behind, and it did not
    /// begin so itself and fill up at once.
    #[must_use]
    pub fn may_begin_anew(&self) -> bool {
        self.whole > 0 && (self.in_a_row < MAX || self.was_worth_it())
    }

    /// True if the model began yet another course itself, to no avail.
    #[must_use]
    pub fn is_hopeless(&self) -> bool {
        self.in_a_row > MAX && !self.was_worth_it()
    }

    /// True if the model begins yet another course with the first generation of one, as it did before.
    #[must_use]
    pub fn goes_in_circles(&self) -> bool {
        self.at_once > MAX && self.whole <= 1
    }

    fn was_worth_it(&self) -> bool {
        self.roomy >= WORTH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Option<HealthLevel> = Some(HealthLevel::Critical);
    const FINE: Option<HealthLevel> = Some(HealthLevel::Healthy);

    /// How a course ends.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum End {
        Refused,
        Cleared,
        /// A person speaks before it ends.
        Heard,
    }

    /// Courses as measures and ends; whether the next may begin by itself at the end of each.
    fn allowed(courses: &[(&[Option<HealthLevel>], End)]) -> Vec<bool> {
        let mut cramped = ContextRefusals::default();
        let mut allowed = Vec::new();
        for (levels, end) in courses {
            for level in *levels {
                cramped.ended(*level);
            }
            if *end == End::Heard {
                cramped.hear();
            }
            allowed.push(cramped.may_begin_anew());
            cramped.begin(*end == End::Refused);
        }
        allowed
    }

    #[test]
    fn one_course_in_a_row_begins_by_itself_until_a_person_speaks() {
        use End::{Cleared, Heard, Refused};
        let one: &[Option<HealthLevel>] = &[None];
        let (long, critical): (&[_], &[_]) = (&[FINE; 5], &[FULL; 6]);
        let late: &[_] = &[FINE, FINE, FINE, FINE, None, FULL];
        for (what, courses, expected) in [
            ("nothing to leave behind", vec![(&[][..], Refused)], vec![false]),
            ("one long course", vec![(long, Refused)], vec![true]),
            ("refused at once, twice", vec![(one, Refused), (one, Refused)], vec![true, false]),
            ("critical at once, twice", vec![(critical, Cleared); 2], vec![true, false]),
            (
                "refused, then critical",
                vec![(one, Refused), (critical, Cleared)],
                vec![true, false],
            ),
            (
                "a person speaks",
                vec![(critical, Cleared), (critical, Heard), (critical, Cleared)],
                vec![true, true, false],
            ),
            ("room for a while", vec![(critical, Cleared), (late, Cleared)], vec![true, true]),
            (
                "after work that was worth it",
                vec![(critical, Cleared), (late, Cleared), (critical, Cleared)],
                vec![true, true, false],
            ),
            (
                "a healthy course that the model ended itself",
                vec![(critical, Cleared), (&[FINE][..], Cleared), (critical, Cleared)],
                vec![true, false, true],
            ),
        ] {
            assert_eq!(allowed(&courses), expected, "{what}");
        }
    }

    #[test]
    fn courses_that_the_model_begins_itself_while_critical_are_counted_too() {
        let mut cramped = ContextRefusals::default();
        for hopeless in [false, false, true] {
            cramped.ended(FULL);
            cramped.ended(None);
            assert_eq!(cramped.is_hopeless(), hopeless);
            cramped.begin(false);
        }
        cramped.hear();
        assert!(!cramped.is_hopeless());
    }
}
