//! What an answer picks: `b` stands for the option's text, and words may follow it.
//!
//! Only a key that stands for itself picks: `b`, `b, and write it down`, `a, c`. Never the first letter
//! of a word, an article or the number in "2 replicas".

use super::choices::AnswerChoice;

/// An answer and the options it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickedAnswer {
    /// Positions among the choices.
    pub picked: Vec<usize>,
    /// What is recorded.
    pub text: String,
}

/// Reads an answer as it was typed.
#[must_use]
pub fn answer(choices: &[AnswerChoice], typed: &str) -> PickedAnswer {
    by_key(choices, typed.trim()).unwrap_or_else(|| PickedAnswer {
        picked: by_words(choices, typed.trim()).into_iter().collect(),
        text: typed.to_owned(),
    })
}

fn by_key(choices: &[AnswerChoice], typed: &str) -> Option<PickedAnswer> {
    let mut picked = Vec::new();
    let mut text = String::new();
    let mut rest = typed;
    while let Some((at, after)) = key_at(choices, rest).filter(|(at, _)| !picked.contains(at)) {
        let choice = choices.get(at)?;
        picked.push(at);
        text.push_str(choice.text.trim_end_matches(['.', ',', ';', '。', '，', '；']));
        rest = after.strip_prefix(')').unwrap_or(after);
        let Some((joint, next)) = split_joint(rest) else {
            break;
        };
        if key_at(choices, next).is_none_or(|(at, _)| picked.contains(&at)) {
            break;
        }
        text.push_str(joint);
        rest = next;
    }
    let last = picked.last().and_then(|at| choices.get(*at))?;
    if rest.is_empty() && picked.len() == 1 {
        text.clone_from(&last.text);
    }
    text.push_str(rest);
    Some(PickedAnswer { picked, text })
}

/// The option whose key stands at the start, and what follows it.
fn key_at<'a>(choices: &[AnswerChoice], text: &'a str) -> Option<(usize, &'a str)> {
    let first = text.chars().next()?.to_ascii_lowercase();
    let at = choices.iter().position(|choice| choice.key == first)?;
    let after = text.get(first.len_utf8()..)?;
    ends_key(first, after).then_some((at, after))
}

/// True if what follows a key shows that it is one.
fn ends_key(key: char, after: &str) -> bool {
    const JOINS: [&str; 6] = ["and ", "but ", "with ", "plus ", "& ", "+ "];
    let mut chars = after.chars();
    match chars.next() {
        None | Some('\n' | '，' | '。' | '；' | '：' | '、' | '！' | '）') => true,
        Some(',' | ';' | ':' | '.' | ')' | '!' | '+' | '&') => {
            chars.next().is_none_or(|next| next.is_whitespace() || matches!(next, ',' | '.'))
        }
        Some(' ') => {
            let words = after.trim_start_matches(' ');
            let dashed = ["- ", "– ", "— ", "(", "\n"].iter().any(|sign| words.starts_with(sign));
            let joined = key.is_alphabetic() && JOINS.iter().any(|join| words.starts_with(join));
            words.is_empty() || dashed || joined
        }
        Some(_) => false,
    }
}

/// What joins two keys, and what follows it.
fn split_joint(text: &str) -> Option<(&str, &str)> {
    const JOINTS: [&str; 9] = [", and ", " and ", " & ", " + ", ", ", "，", "、", "; ", "+ "];
    let joint = JOINTS.iter().find(|joint| text.starts_with(**joint))?;
    text.split_at_checked(joint.len())
}

/// The option whose text was typed out; the longest, where one begins with another.
fn by_words(choices: &[AnswerChoice], typed: &str) -> Option<usize> {
    let begins = |choice: &AnswerChoice| {
        let start = typed.get(..choice.text.len());
        let next = typed.get(choice.text.len()..).and_then(|rest| rest.chars().next());
        start.is_some_and(|start| start.eq_ignore_ascii_case(&choice.text))
            && next.is_none_or(|next| !next.is_alphanumeric())
    };
    let fitting = choices.iter().enumerate().filter(|(_, choice)| begins(choice));
    fitting.max_by_key(|(_, choice)| choice.text.len()).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::choices::choices;
    use super::*;

    const DROP: &str = "Drop it?\na  drop it now\nb  keep it for 90 days, then drop.\nc  keep it";

    #[test]
    fn what_is_recorded_is_the_text_of_the_option_and_the_words_after_it() {
        for (typed, picked, text) in [
            ("b", &[1][..], "keep it for 90 days, then drop."),
            (" B ", &[1], "keep it for 90 days, then drop."),
            ("b)", &[1], "keep it for 90 days, then drop."),
            ("b, and tell support", &[1], "keep it for 90 days, then drop, and tell support"),
            ("b and tell support", &[1], "keep it for 90 days, then drop and tell support"),
            ("b - it is safe", &[1], "keep it for 90 days, then drop - it is safe"),
            ("b. Not earlier.", &[1], "keep it for 90 days, then drop. Not earlier."),
            ("b，并告知支持", &[1], "keep it for 90 days, then drop，并告知支持"),
            ("c\nfor now", &[2], "keep it\nfor now"),
            ("a, c", &[0, 2], "drop it now, keep it"),
            ("a and c", &[0, 2], "drop it now and keep it"),
            ("a, a", &[0], "drop it now, a"),
        ] {
            let expected = PickedAnswer { picked: picked.to_vec(), text: text.to_owned() };
            assert_eq!(answer(&choices(DROP), typed), expected, "{typed:?}");
        }
    }

    #[test]
    fn words_are_recorded_as_they_were_typed() {
        for (typed, picked) in [
            ("because of support", None),
            ("a week, then drop it", None),
            ("b is wrong", None),
            ("", None),
            ("Keep it, please ", Some(2)),
            ("keep it for 90 days, then drop.", Some(1)),
            ("keep items", None),
        ] {
            let expected =
                PickedAnswer { picked: picked.into_iter().collect(), text: typed.to_owned() };
            assert_eq!(answer(&choices(DROP), typed), expected, "{typed:?}");
        }
        let numbered = choices("How many?\n1. one\n2. two");
        for typed in ["2 replicas", "2 and a half", "1.5", "12"] {
            assert_eq!(answer(&numbered, typed).text, typed);
        }
    }

    #[test]
    fn yes_and_no_are_recorded_as_words() {
        for question in
            ["Go on? (yes/no)", "Go on?\n- yes\n- no", "Go on?\n- yes / - no", "Go on (y/n)?"]
        {
            assert_eq!(answer(&choices(question), "n").text, "no", "{question}");
            assert_eq!(answer(&choices(question), "y, today").text, "yes, today", "{question}");
            assert_eq!(answer(&choices(question), "not today").text, "not today", "{question}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_grows_beyond_its_words_and_each_option_once(
            question in "(\\PC{0,12}\n|[a-d1-4-][ .)]{1,2}[a-e ?]{1,9}\n){0,9}",
            typed in "([a-d1-4][,+ .)&]{0,3}|, and |\\PC{0,4}){0,40}",
        ) {
            let choices = choices(&question);
            let options: usize = choices.iter().map(|choice| choice.text.len()).sum();
            let answer = answer(&choices, &typed);
            prop_assert!(answer.text.len() <= typed.len() + options);
            prop_assert!(answer.picked.len() <= choices.len());
        }
    }
}
