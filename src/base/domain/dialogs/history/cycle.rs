//! What was asked and answered since a dialog was last given work, by words of a person or an assignment: nobody is asked
//! the same twice for one piece of work.

use std::sync::Arc;

use rpds::VectorSync;
use serde::Deserialize;

use crate::domain::asking::inquiry::{CONFIRMING_SOURCE, Inquiry};
use crate::domain::dialogs::call::RuntimeQuestion;
use crate::domain::ids::CallId;
use crate::domain::text::json;

/// Punctuation that ends a sentence: it makes no other question.
const ENDS: [char; 12] = ['.', '?', '!', ',', ';', ':', '…', '。', '？', '！', '，', '；'];

/// The questions of one cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    answered: VectorSync<Arc<AnsweredQuestion>>,
    /// Questions in the words of the model could not be asked, and it was told the form.
    pub was_told_the_form: bool,
    /// Questions in its words were asked before, and it was told so.
    pub repeated_in_words: bool,
}

/// A question that a person answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredQuestion {
    /// Its text, as [`same_question`] compares it.
    text: String,
    pub answer: String,
    /// It asked whether the asker may go on as it means to.
    pub confirms: bool,
}

/// The arguments of a recorded question, as far as they are read here.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AskedArguments {
    tellask_content: String,
    confirm: bool,
    source: Option<String>,
}

impl Default for Cycle {
    fn default() -> Self {
        Self {
            answered: VectorSync::new_sync(),
            was_told_the_form: false,
            repeated_in_words: false,
        }
    }
}

impl Cycle {
    /// The same question, if it was answered.
    #[must_use]
    pub fn answered(&self, content: &str) -> Option<&AnsweredQuestion> {
        let text = same_question(content);
        self.all().find(|question| !text.is_empty() && question.text == text)
    }

    /// The questions that were answered, the oldest first.
    pub fn all(&self) -> impl Iterator<Item = &AnsweredQuestion> {
        self.answered.iter().map(AsRef::as_ref)
    }

    /// Notes the answer to a call. Questions that the runtime asks for itself do not count.
    pub(super) fn note_answer(&mut self, id: &CallId, arguments: &str, answer: &str) {
        if RuntimeQuestion::of(id).is_some_and(|asked| asked != RuntimeQuestion::Captured) {
            return;
        }
        let asked: AskedArguments = json::read(arguments).unwrap_or_default();
        let (text, answer) = (same_question(&asked.tellask_content), answer.to_owned());
        let confirms = asked.confirm || asked.source.as_deref() == Some(CONFIRMING_SOURCE);
        let question = AnsweredQuestion { text, answer, confirms };
        self.answered.push_back_mut(Arc::new(question));
    }

    /// Takes in a call that was not carried out.
    pub(super) fn note_refused(&mut self, id: &CallId, arguments: &str) {
        if RuntimeQuestion::of(id) == Some(RuntimeQuestion::Captured) {
            let has_parts = Inquiry::recorded(arguments).is_some();
            self.repeated_in_words |= has_parts;
            self.was_told_the_form |= !has_parts;
        }
    }
}

/// Normalizes the text of a question: lower case, one blank between words, no sign that ends a sentence.
fn same_question(text: &str) -> String {
    let words = text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    words.trim_end_matches(|c: char| ENDS.contains(&c) || c == ' ').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_blanks_and_final_punctuation_make_no_other_question() {
        for (one, other, same) in [
            ("Which database?", " which\n DATABASE ", true),
            ("用哪个数据库？", "用哪个数据库", true),
            ("Which database?!", "Which database...", true),
            ("Which database?", "Which databases?", false),
            ("Is it 3.5?", "Is it 35?", false),
        ] {
            let arguments = serde_json::json!({ "tellaskContent": one }).to_string();
            let mut cycle = Cycle::default();
            cycle.note_answer(&CallId::new("c"), &arguments, "this one");
            let found = cycle.answered(other).map(|question| question.answer.as_str());
            assert_eq!(found, same.then_some("this one"), "{one} {other}");
            cycle = Cycle::default();
            cycle.note_answer(&CallId::new("keep-going-1"), &arguments, "go on");
            assert_eq!(cycle.answered(one), None, "of the runtime");
        }
        assert_eq!(Cycle::default().answered("???"), None);
    }
}
