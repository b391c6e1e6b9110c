//! Typed texts that were neither sent nor stored, for people: the purpose of each draft, and its text.

use super::attached::labelled;
use crate::domain::text::{Localized, Text, localized};
use crate::draft_writer::DraftTexts;

/// A draft that is in no store when the program ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsavedDraft {
    /// The purpose of the draft.
    pub what: Localized,
    pub text: String,
}

/// Returns the drafts among the texts that were not stored, without empty ones and those that were not typed.
#[must_use]
pub fn unsaved(texts: &DraftTexts) -> Vec<UnsavedDraft> {
    let typed = texts.iter().filter(|(_, text)| !text.trim().is_empty());
    typed
        .filter_map(|(name, text)| Some(UnsavedDraft { what: what(name)?, text: labelled(text) }))
        .collect()
}

/// Returns the purpose of the draft with this name; `None` if it is not a draft.
fn what(name: &str) -> Option<Localized> {
    let (kind, of) = name.split_once('/').unwrap_or((name, ""));
    Some(match kind {
        "message" => localized!("the message to dialog {of}", "给对话 {of} 的消息"),
        "answer" => localized!("the answer to question {of}", "对问题 {of} 的回答"),
        "comment" => localized!("the comment {of}", "评注 {of}"),
        "new" => Text::new("the first message of a new dialog", "新对话的第一条消息").into(),
        "reminder" => localized!("the reminder {of}", "提醒 {of}"),
        "section" => localized!("the section {of}", "章节 {of}"),
        "line" => localized!("the line {of}", "单行输入 {of}"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{DialogId, RootId};
    use crate::model::DraftKey;
    use crate::samples::assert_translated;

    #[test]
    fn every_kind_of_draft_is_named_and_what_nobody_typed_is_not() {
        let dialog = || DialogId::main(RootId::new("a"));
        for (key, is_draft) in [
            (DraftKey::Message(dialog()), true),
            (DraftKey::Answer("q1".to_owned()), true),
            (DraftKey::Comment("q1".to_owned(), 3), true),
            (DraftKey::New, true),
            (DraftKey::Reminder(dialog(), "r".to_owned()), true),
            (DraftKey::Section("a.tsk".to_owned(), "goals".to_owned()), true),
            (DraftKey::Line("title/a".to_owned()), true),
            (DraftKey::AskedIn("q1".to_owned()), false),
            (DraftKey::PutOff("q1".to_owned()), false),
            (DraftKey::Sent, false),
            (DraftKey::Looked, false),
        ] {
            let named = unsaved(&DraftTexts::from([(key.name(), "text".to_owned())]));
            assert_eq!(named.len(), usize::from(is_draft), "{key:?}");
            for draft in &named {
                assert_translated(&draft.what);
            }
            assert_eq!(unsaved(&DraftTexts::from([(key.name(), " ".to_owned())])), []);
        }
    }
}
