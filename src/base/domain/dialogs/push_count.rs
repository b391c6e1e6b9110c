//! The number of a push and the maximum of pushes. Both stand in the first line of the push itself, so that later
//! readers of the course know them, too.

use crate::domain::lang::Lang;
use crate::domain::text::Text;

/// Before, between and after the two numbers.
const MARKS: [Text; 3] =
    [Text::new("(push ", "（第 "), Text::new(" of ", " 次推动，共 "), Text::new(")", " 次）")];

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct PushCount {
    /// The first is 1.
    pub number: u32,
    pub most: u32,
}

impl PushCount {
    /// The next push of a dialog that has `left` of `most`.
    #[must_use]
    pub fn next(left: i64, most: i64) -> Option<Self> {
        let most = u32::try_from(most).ok()?;
        let used = most.checked_sub(u32::try_from(left).ok()?)?;
        (used < most).then_some(Self { number: used + 1, most })
    }

    /// Number of pushes left after it.
    #[must_use]
    pub fn remaining(self) -> u32 {
        self.most.saturating_sub(self.number)
    }

    #[must_use]
    pub fn mark(self, lang: Lang) -> String {
        let [before, between, after] = MARKS.map(|mark| mark.in_lang(lang));
        format!("{before}{}{between}{}{after}", self.number, self.most)
    }

    /// Reads the first line of a push; `None` for a push of another program.
    #[must_use]
    pub fn read(push: &str) -> Option<Self> {
        let first = push.lines().next()?;
        let found = [Lang::En, Lang::Zh].into_iter().find_map(|lang| {
            let [before, between, after] = MARKS.map(|mark| mark.in_lang(lang));
            let (_, rest) = first.split_once(before)?;
            let (number, rest) = rest.split_once(between)?;
            let (most, _) = rest.split_once(after)?;
            Some(Self { number: number.parse().ok()?, most: most.parse().ok()? })
        })?;
        (1..=found.most).contains(&found.number).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_read_as_it_was_written_in_either_language() {
        let count = PushCount::next(2, 3).expect("a push is left");
        assert_eq!((count.number, count.most, count.remaining()), (2, 3, 1));
        for lang in [Lang::En, Lang::Zh] {
            let text = format!("You stopped {}; go on.\nmore", count.mark(lang));
            assert_eq!(PushCount::read(&text), Some(count), "{text}");
        }
    }

    #[test]
    fn what_is_no_count_is_none() {
        for text in [
            "",
            "Go on.",
            "Go on.\n(push 1 of 3)",
            "(push x of 3)",
            "(push 0 of 3)",
            "(push 4 of 3)",
            "(push 1 of 99999999999)",
        ] {
            assert_eq!(PushCount::read(text), None, "{text}");
        }
        assert_eq!(PushCount::next(0, 3), None);
        assert_eq!(PushCount::next(-1, 3), None);
        assert_eq!(PushCount::next(4, 3), None);
    }
}
