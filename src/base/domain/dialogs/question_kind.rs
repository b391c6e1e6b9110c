//! How a question is answered: a yes or a no, one of several options, or words of one's own.

use crate::domain::asking::inquiry::{Inquiry, choices};
use crate::domain::asking::question::choices::AnswerChoice;
use crate::domain::dialogs::call::RuntimeQuestion;
use crate::domain::ids::CallId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionKind {
    /// Yes or no, also whether a dialog goes on.
    Approval,
    /// One of several options.
    Choice,
    FreeText,
    /// Several questions, each answered on its own.
    Parts,
}

/// First words of two options that say yes and no.
const YES_AND_NO: [(&str, &str); 14] = [
    ("yes", "no"),
    ("y", "n"),
    ("ok", "cancel"),
    ("approve", "reject"),
    ("approve", "deny"),
    ("accept", "reject"),
    ("allow", "deny"),
    ("continue", "stop"),
    ("proceed", "stop"),
    ("是", "否"),
    ("好", "不"),
    ("可以", "不可以"),
    ("同意", "不同意"),
    ("继续", "停止"),
];

impl QuestionKind {
    /// The kind of the question that this call asked. `parts`: those it named itself.
    #[must_use]
    pub fn of(call: &CallId, content: &str, parts: Option<&Inquiry>) -> Self {
        if parts.is_some_and(|inquiry| inquiry.approval.is_some()) {
            return Self::Approval;
        }
        if parts.is_some_and(|inquiry| inquiry.parts.len() > 1) {
            return Self::Parts;
        }
        let choices = choices(content, parts);
        let goes_on = RuntimeQuestion::of(call) == Some(RuntimeQuestion::KeepGoing);
        let approves = goes_on || says_yes_or_no(&choices);
        match choices.as_slice() {
            _ if approves => Self::Approval,
            [] => Self::FreeText,
            [..] => Self::Choice,
        }
    }

    /// Its name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Choice => "choice",
            Self::FreeText => "free_text",
            Self::Parts => "parts",
        }
    }
}

fn says_yes_or_no(choices: &[AnswerChoice]) -> bool {
    let [one, other] = choices else { return false };
    let (one, other) = (first_word(&one.text), first_word(&other.text));
    YES_AND_NO
        .iter()
        .any(|(yes, no)| (one == *yes && other == *no) || (one == *no && other == *yes))
}

fn first_word(text: &str) -> String {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_options_that_say_yes_and_no_are_an_approval() {
        let call = CallId::new("q1");
        for (content, kind) in [
            ("Go on? (yes/no)", QuestionKind::Approval),
            ("Go on (y/n)?", QuestionKind::Approval),
            ("Ready.\n\n* **No**\n* **Yes**", QuestionKind::Approval),
            ("Drop it?\na) Yes, drop it\nb) no: keep it", QuestionKind::Approval),
            ("要继续吗？（是/否）", QuestionKind::Approval),
            ("Drop it?\n- yes\n- no\n- maybe", QuestionKind::Choice),
            ("Which? (Postgres/SQLite)", QuestionKind::Choice),
            ("Which?\na) none\nb) yesterday's", QuestionKind::Choice),
            ("Shall I?", QuestionKind::FreeText),
            ("", QuestionKind::FreeText),
        ] {
            assert_eq!(QuestionKind::of(&call, content, None), kind, "{content:?}");
        }
    }

    #[test]
    fn whether_a_dialog_goes_on_is_an_approval_in_every_wording() {
        let call = RuntimeQuestion::KeepGoing.call("x");
        for content in ["Go on or stop?\n\na  go on\nb  stop", "Go on?"] {
            assert_eq!(
                QuestionKind::of(&call, content, None),
                QuestionKind::Approval,
                "{content:?}"
            );
        }
    }
}
