//! `a2h.yaml`: what a dialog told a person, until it is acknowledged.

use crate::domain::HumanAnswer;
use crate::yaml;

use crate::store::codec::lists::{ParseResult, list_under, require_stamp};

pub(in crate::store) fn answers(text: &str) -> ParseResult<Vec<HumanAnswer>> {
    let value = yaml::parse(text).map_err(|error| error.message())?;
    list_under(&value, "answers").map(|list| require_stamp(&value, list))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "answers:\n  - id: any\n    content: Dry.\n    answeredAt: t\n    answerRef:\n      \
                          course: 1\n      genseq: 2\n    marvel: 1\nupdatedAt: t\n";

    #[test]
    fn answers_are_read_with_unknown_keys_and_a_broken_one_is_counted() {
        let (found, why) = answers(ANSWER).unwrap();
        let [answer] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((answer.id.as_str(), answer.content.as_str(), why), ("any", "Dry.", None));
        assert_eq!(answer.extra.get("marvel"), Some(&serde_json::json!(1)));
        for (text, read) in [
            (ANSWER.replace("updatedAt", "made"), Some(1)),
            (ANSWER.replace("    content: Dry.\n", ""), Some(0)),
            ("answers: 5\nupdatedAt: t\n".to_owned(), None),
            ("answers: [".to_owned(), None),
            (String::new(), None),
        ] {
            let found = answers(&text);
            assert!(!matches!(found, Ok((_, None))), "{text}");
            assert_eq!(found.ok().map(|(list, _)| list.len()), read, "{text}");
        }
    }
}
