//! What a question in the inbox asks, and how lines that are typed answer it.

use std::collections::BTreeMap;

use crate::domain::asking::inquiry::answers::{AnswerInput, PartAnswer};
use crate::domain::asking::inquiry::approval::Approval;
use crate::domain::asking::inquiry::{AnswerOption, InquirySource, Part, choices};
use crate::domain::asking::question::choices::AnswerChoice;
use crate::domain::asking::question::picking;
use crate::domain::dialogs::call::RuntimeQuestion;
use crate::domain::dialogs::question_kind::QuestionKind;
use crate::domain::{Lang, Question, RootId};

use super::command::{Command, Ticket};
use super::event::InboxRow;

/// What a question asks, as a key to find it among many: questions with equal keys ask the same.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Asked<'a> {
    words: &'a str,
    /// The id, the text and the options of each.
    parts: Option<Vec<(&'a str, &'a str, &'a [AnswerOption])>>,
    approval: Option<&'a Approval>,
    source: Option<&'a InquirySource>,
    /// Where no source is named: it is about something in this tree.
    root: Option<&'a RootId>,
}

fn asked_part(part: &Part) -> (&str, &str, &[AnswerOption]) {
    (&part.id, &part.text, &part.options)
}

impl Asked<'_> {
    /// The same question, whatever it is about.
    #[must_use]
    pub fn anywhere(self) -> Self {
        Self { source: None, root: None, ..self }
    }
}

impl InboxRow {
    /// The options of the question; none if it has several parts, which have their own.
    #[must_use]
    pub fn choices(&self) -> Vec<AnswerChoice> {
        choices(&self.question.tellask_content, self.inquiry.as_ref())
    }

    /// Who asks: a member with its `@`, or the program about its dialog.
    #[must_use]
    pub fn asker(&self, lang: Lang) -> String {
        RuntimeQuestion::asker(&self.question.call_id, &format!("@{}", self.agent), lang)
    }

    /// The asker named its parts and options, and knows the options by their keys.
    #[must_use]
    pub fn has_parts(&self) -> bool {
        self.inquiry.is_some()
    }

    /// Its parts, if there are several.
    #[must_use]
    pub fn several_parts(&self) -> Option<&[Part]> {
        let parts = self.inquiry.as_ref()?.parts.as_slice();
        (parts.len() > 1).then_some(parts)
    }

    /// How many parts have an answer, and how many there are; `None` unless there are several.
    #[must_use]
    pub fn progress(&self) -> Option<(usize, usize)> {
        let parts = self.several_parts()?;
        let answered = parts.iter().filter(|part| self.answers.contains_key(&part.id));
        Some((answered.count(), parts.len()))
    }

    /// The first of several parts without an answer, with its number.
    #[must_use]
    pub fn next_part(&self) -> Option<(usize, &Part)> {
        let parts = self.several_parts()?;
        (1..).zip(parts).find(|(_, part)| !self.answers.contains_key(&part.id))
    }

    /// The change that it asks to approve.
    #[must_use]
    pub fn diff(&self) -> Option<&str> {
        self.inquiry.as_ref()?.approval.as_ref()?.diff.as_deref()
    }

    /// What it asks; `None` if it says nothing.
    #[must_use]
    pub fn asked(&self) -> Option<Asked<'_>> {
        let inquiry = self.inquiry.as_ref();
        let parts = inquiry.map(|inquiry| inquiry.parts.iter().map(asked_part).collect());
        let source = inquiry.and_then(|inquiry| inquiry.source.as_ref());
        let root = source.is_none().then_some(&self.dialog.root);
        let approval = inquiry.and_then(|inquiry| inquiry.approval.as_ref());
        let words = self.question.tellask_content.trim();
        (!words.is_empty()).then_some(Asked { words, parts, approval, source, root })
    }

    /// What it belongs to: as its asker says, else the task that its dialog works on, else the dialog.
    #[must_use]
    pub fn source(&self) -> InquirySource {
        let task = self.work.as_ref().and_then(|work| work.task.as_ref());
        let own = InquirySource::of(&self.dialog, task);
        let named = self.inquiry.as_ref().and_then(|inquiry| inquiry.source.clone());
        match named {
            // An earlier version named the dialog where there is a task.
            Some(named) if named.id == self.dialog.to_string() => {
                let kind = if named.is_of_dialog() { own.kind } else { named.kind };
                InquirySource { kind, id: own.id }
            }
            Some(named) => named,
            None => own,
        }
    }

    /// True if `other`, of another dialog, asks the same words, with the same parts, about the same named source, or
    /// about something in the same tree.
    #[must_use]
    pub fn asks_the_same(&self, other: &Self) -> bool {
        let asked = self.asked();
        self.dialog != other.dialog && asked.is_some() && asked == other.asked()
    }

    /// True if an answer to this question also answers `other`, of another dialog, which asks the same: none of its
    /// parts has an answer that this one lacks.
    #[must_use]
    pub fn answers_also(&self, other: &Self) -> bool {
        let same = |(id, answer): (&String, &PartAnswer)| {
            let own = self.answers.get(id);
            own.is_some_and(|own| (own.option, &own.text) == (answer.option, &answer.text))
        };
        self.dialog != other.dialog && other.answers.iter().all(same)
    }

    /// The text with which it is printed where it is answered: all of an approval, without padding.
    #[must_use]
    pub fn whole(&self, lang: Lang) -> String {
        match &self.inquiry {
            Some(inquiry) if inquiry.approval.is_some() => inquiry.whole(lang),
            Some(_) | None => self.question.tellask_content.trim().to_owned(),
        }
    }

    /// True if this typed text may approve a decision.
    #[must_use]
    pub fn may_be_approved_by(&self, typed: &str) -> bool {
        self.inquiry.as_ref().is_some_and(|inquiry| inquiry.may_be_approved_by(typed))
    }

    /// True if it asks to approve a decision.
    #[must_use]
    pub fn is_approval(&self) -> bool {
        self.inquiry.as_ref().is_some_and(|inquiry| inquiry.approval.is_some())
    }

    #[must_use]
    pub fn kind(&self) -> QuestionKind {
        let Question { call_id, tellask_content, .. } = &self.question;
        QuestionKind::of(call_id, tellask_content, self.inquiry.as_ref())
    }

    /// The command for a line that was typed as its answer. Of several parts `2 b` answers the second, and anything
    /// else the first one that has no answer.
    #[must_use]
    pub fn answer_typed(&self, ticket: Ticket, typed: &str) -> Command {
        let (dialog, question) = (self.dialog.clone(), self.question.id.clone());
        if let Some((id, text, replace)) = self.typed_part(typed) {
            let input = AnswerInput::Parts(BTreeMap::from([(id, text)]));
            return Command::AnswerParts { ticket, dialog, question, input, replace };
        }
        let text = if self.has_parts() {
            typed.to_owned()
        } else {
            picking::answer(&self.choices(), typed).text
        };
        Command::Answer { ticket, dialog, question, text, images: Vec::new() }
    }

    /// The part that is meant, its answer, and whether that replaces one.
    fn typed_part(&self, typed: &str) -> Option<(String, String, bool)> {
        let parts = self.several_parts()?;
        let numbered = typed.trim().split_once(char::is_whitespace).and_then(|(number, text)| {
            let at = number.parse::<usize>().ok()?.checked_sub(1)?;
            Some((parts.get(at)?.id.clone(), text.trim().to_owned(), true))
        });
        let next = || Some((self.next_part()?.1.id.clone(), typed.to_owned(), false));
        numbered.or_else(next)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn row(parts: usize) -> InboxRow {
        let part = |n: usize| {
            json!({ "id": format!("q{n}"), "text": "Which?", "createdAt": "",
                    "options": [{ "key": "b", "label": "both" }] })
        };
        let mut row = json!({
            "dialog": { "root": "a", "this": "a" },
            "agent": "alice", "slug": null, "taskdoc": "t.tsk", "blocks": [],
            "question": {
                "id": "q", "tellaskContent": "Which?\n\na) one\nb) both", "askedAt": "",
                "callId": "c", "callSiteRef": { "course": 1, "messageIndex": 1 },
            },
        });
        if parts > 0 {
            let parts: Vec<_> = (1..=parts).map(part).collect();
            row["inquiry"] = json!({ "intro": "", "parts": parts });
            row["answers"] = json!({ "q1": { "option": "b", "at": "" } });
        }
        serde_json::from_value(row).expect("a row")
    }

    #[test]
    fn a_line_answers_the_part_it_names_or_the_first_one_that_is_open() {
        for (typed, part, text, replaced) in [
            ("1 b", "q1", "b", true),
            ("3  not yet", "q3", "not yet", true),
            ("b", "q2", "b", false),
            ("4 of them", "q2", "4 of them", false),
            ("0 of them", "q2", "0 of them", false),
        ] {
            let Command::AnswerParts { input, replace, .. } = row(3).answer_typed(7, typed) else {
                panic!("{typed}")
            };
            let expected = BTreeMap::from([(part.to_owned(), text.to_owned())]);
            assert_eq!((input, replace), (AnswerInput::Parts(expected), replaced), "{typed}");
        }
        assert_eq!(row(3).progress(), Some((1, 3)));
    }

    #[test]
    fn a_question_of_a_task_belongs_to_the_task_unless_its_words_say_what_to() {
        let work = json!({ "team": "qa", "task": "task-1" });
        let of = |source: Option<(&str, &str)>, work: Option<&Value>| {
            let mut row = serde_json::to_value(row(1)).expect("JSON");
            if let Some((kind, id)) = source {
                row["inquiry"]["source"] = json!({ "kind": kind, "id": id });
            }
            if let Some(work) = work {
                row["work"] = work.clone();
            }
            let row: InboxRow = serde_json::from_value(row).expect("a row");
            let InquirySource { kind, id } = row.source();
            (kind, id)
        };
        let dialog = row(1).dialog.to_string();
        for (source, has_work, expected) in [
            (None, false, ("dialog", dialog.as_str())),
            (None, true, ("task", "task-1")),
            (Some(("execute", "T-77")), true, ("execute", "T-77")),
            (Some(("execute", "T-77")), false, ("execute", "T-77")),
            (Some(("dialog", dialog.as_str())), true, ("task", "task-1")),
            (Some(("execute", dialog.as_str())), true, ("execute", "task-1")),
            (Some(("execute", dialog.as_str())), false, ("execute", dialog.as_str())),
        ] {
            let (kind, id) = of(source, has_work.then_some(&work));
            assert_eq!((kind.as_str(), id.as_str()), expected, "{source:?} {has_work}");
        }
    }

    #[test]
    fn whether_a_dialog_goes_on_is_asked_by_the_program_and_all_else_by_its_member() {
        use RuntimeQuestion::{Approval, Captured, KeepGoing};
        let calls = [KeepGoing, Captured, Approval].map(|kind| kind.call("x"));
        let askers = calls.map(|call| {
            let mut row = row(0);
            row.question.call_id = call;
            row.asker(Lang::En)
        });
        assert_eq!(askers, ["the program (@alice)", "@alice", "@alice"]);
        assert_eq!(row(0).asker(Lang::Zh), "@alice");
    }

    #[test]
    fn what_was_asked_as_a_whole_is_answered_as_a_whole() {
        for (parts, typed, expected) in [(0, "b", "both"), (0, "1 b", "1 b"), (1, "b", "b")] {
            let Command::Answer { text, .. } = row(parts).answer_typed(7, typed) else {
                panic!("{typed}")
            };
            assert_eq!(text, expected);
            assert_eq!(row(parts).progress(), None);
        }
    }
}
