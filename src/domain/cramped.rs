//! How often a context was refused as too long. Each refusal begins a new course; folded from the
//! records, so that a restart does not begin courses for ever.

/// So many courses in a row may end that way before a person is needed.
const MOST: u32 = 3;
/// A course with so many whole generations was worth beginning.
const WORTH: u32 = 5;

/// The current course, and the short ones before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cramped {
    /// Generations of this course that came to their end.
    whole: u32,
    /// Short courses right before this one that were refused.
    in_a_row: u32,
}

impl Cramped {
    /// A generation came to its end.
    pub fn ended(&mut self) {
        self.whole = self.whole.saturating_add(1);
    }

    /// A course began; `refused`: because the last request of the old one failed.
    pub fn begin(&mut self, refused: bool) {
        let short = self.whole < WORTH;
        self.in_a_row = match (refused, short) {
            (true, true) => self.in_a_row.saturating_add(1),
            (true, false) => 1,
            (false, _) => 0,
        };
        self.whole = 0;
    }

    /// True if a new course may help: this one has something to leave behind, and the ones before it
    /// did not fill up at once.
    #[must_use]
    pub fn may_begin_anew(&self) -> bool {
        self.whole > 0 && (self.in_a_row < MOST || self.whole >= WORTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Courses as (whole generations, refused in the end); whether the next may begin after each.
    fn allowed(courses: &[(u32, bool)]) -> Vec<bool> {
        let mut cramped = Cramped::default();
        let mut allowed = Vec::new();
        for (whole, refused) in courses {
            for _ in 0..*whole {
                cramped.ended();
            }
            allowed.push(cramped.may_begin_anew());
            cramped.begin(*refused);
        }
        allowed
    }

    #[test]
    fn courses_that_fill_up_at_once_come_to_an_end() {
        for (what, courses, expected) in [
            ("nothing to leave behind", vec![(0, true)], vec![false]),
            ("one long course", vec![(90, true)], vec![true]),
            (
                "short ones in a row",
                vec![(9, true), (1, true), (1, true), (1, true)],
                vec![true, true, true, false],
            ),
            (
                "a long one between",
                vec![(1, true), (1, true), (1, true), (5, true), (1, true)],
                vec![true, true, true, true, true],
            ),
            (
                "one the model began itself between",
                vec![(1, true), (1, true), (1, false), (1, true)],
                vec![true, true, true, true],
            ),
        ] {
            assert_eq!(allowed(&courses), expected, "{what}");
        }
    }
}
