//! Questions that a person has put off. Screens keep until when with the drafts. Whoever counts what waits for a person,
//! or calls one for it, asks here.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::domain::time::Stamp;

/// The longest time that a question is put off, in minutes: a week.
pub const MAX_MINUTES: u64 = 7 * 24 * 60;
/// The beginning of the names of these texts among the drafts.
const PREFIX: &str = "later/";

/// The questions that are put off, with the time that is left.
pub type PutOffs = BTreeMap<String, Duration>;

/// The name of the text that says until when a question is put off.
#[must_use]
pub fn name_of(question: &str) -> String {
    format!("{PREFIX}{question}")
}

/// The time until a question comes back. `stored`: when it does, in seconds of the local clock. `None` if it waits: the
/// time has passed, or the text is no such time.
#[must_use]
pub fn time_left(stored: &str, now: &Stamp) -> Option<Duration> {
    let end: i64 = stored.trim().parse().ok()?;
    let left = u64::try_from(end.checked_sub(now.seconds()?)?).ok()?;
    (1..=MAX_MINUTES * 60).contains(&left).then(|| Duration::from_secs(left))
}

/// The questions that are put off now, by all texts that screens keep.
#[must_use]
pub fn put_off(texts: &BTreeMap<String, String>, now: &Stamp) -> PutOffs {
    let named = texts.range(PREFIX.to_owned()..);
    let named = named.map_while(|(name, text)| Some((name.strip_prefix(PREFIX)?, text)));
    let left = named.filter_map(|(question, text)| Some((question, time_left(text, now)?)));
    left.map(|(question, left)| (question.to_owned(), left)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_put_off_until_its_time_and_no_longer_than_a_week() {
        let now = Stamp::new("2026-11-21 12:00:00");
        let at = now.seconds().unwrap();
        let longest = i64::try_from(MAX_MINUTES * 60).unwrap();
        for (stored, left) in [
            ((at + 1).to_string(), Some(1)),
            (format!(" {} ", at + 900), Some(900)),
            ((at + longest).to_string(), Some(MAX_MINUTES * 60)),
            ((at + longest + 1).to_string(), None),
            (at.to_string(), None),
            ((at - 1).to_string(), None),
            (i64::MIN.to_string(), None),
            ("99999999999999999999".to_owned(), None),
            ("tomorrow".to_owned(), None),
            (String::new(), None),
        ] {
            let texts: BTreeMap<String, String> = [
                (name_of("q"), stored.clone()),
                ("answer/q".to_owned(), (at + 9).to_string()),
                ("laters/q".to_owned(), (at + 9).to_string()),
            ]
            .into();
            let expected: PutOffs =
                left.map(|left| ("q".to_owned(), Duration::from_secs(left))).into_iter().collect();
            assert_eq!(put_off(&texts, &now), expected, "{stored}");
        }
        assert_eq!(time_left("1", &Stamp::new("yesterday")), None);
    }
}
