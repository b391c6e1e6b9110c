//! A provider refuses a request because its context is too long. The dialog does not stop: a new course
//! begins, and what the model was told and had not answered is told again at its start.

use crate::domain::record::{Entry, HumanText, Origin, Record};
use crate::domain::{Assignment, Dialog, ReplyKind, SpecialCall};

use super::calls::Position;
use super::draft::Draft;
use super::generation::start_course;
use super::texts::Texts;

/// Longest result of a call, and longest reply of a teammate, that is told again. A person's words are
/// never cut.
pub const QUOTED_CHARS: usize = 4_000;

/// One thing the model had not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered<'a> {
    /// Words of a person, or a prompt that asks for something.
    Prompt(&'a str),
    /// What a teammate or a person answered, or a call gave back.
    Result { name: &'a str, content: &'a str },
}

/// Drafts a new course in place of the one that was refused; false where that would not help.
pub fn restart_in_new_course(draft: &mut Draft, at: &Position, texts: Texts) -> bool {
    let Some(dialog) = draft.dialog(&at.dialog) else { return false };
    let reasons = dialog.assignment().is_some_and(Assignment::is_fresh_boots);
    if reasons || !dialog.history.refusals.may_begin_anew() {
        return false;
    }
    let opening = texts.refused_course_start(&unanswered(dialog), QUOTED_CHARS);
    start_course(draft, at, &opening, texts);
    true
}

/// What came since the last generation that reached its end, and what its own calls gave back.
pub fn unanswered(dialog: &Dialog) -> Vec<Unanswered<'_>> {
    let entries = &dialog.history.entries;
    let whole =
        |entry: &Entry| matches!(entry.record, Record::GenFinish { context_health: Some(_), .. });
    let end = entries.iter().rposition(|entry| whole(entry)).map_or(0, |at| at + 1);
    let start = entries
        .iter()
        .take(end)
        .rposition(|entry| matches!(entry.record, Record::GenStart))
        .unwrap_or(end);
    let mut found: Vec<Unanswered<'_>> = Vec::new();
    for (place, entry) in entries.iter().enumerate().skip(start) {
        found.extend(unanswered_in(&entry.record, place >= end));
    }
    found
}

/// `later`: after the last whole generation, not within it.
fn unanswered_in(record: &Record, later: bool) -> Option<Unanswered<'_>> {
    let result = |name, content| Some(Unanswered::Result { name, content });
    match record {
        Record::HumanText(text) => {
            (later && asks(text)).then_some(Unanswered::Prompt(&text.content))
        }
        Record::FuncResult(back) => result(&back.name, &back.content),
        Record::TellaskResult(reply) => result(&reply.call_name, &reply.content),
        Record::Carryover(reply) => result(&reply.call_name, &reply.content),
        Record::GenStart
        | Record::RuntimeGuide { .. }
        | Record::Thought { .. }
        | Record::Words { .. }
        | Record::FuncCall(_)
        | Record::TellaskCall { .. }
        | Record::ReplyResolution { .. }
        | Record::Anchor { .. }
        | Record::SideDialogCreated(_)
        | Record::Reminders { .. }
        | Record::Questions { .. }
        | Record::PendingSideDialogs { .. }
        | Record::Registry { .. }
        | Record::UiOnly { .. }
        | Record::GenFinish { .. }
        | Record::Unknown { .. } => None,
    }
}

/// True for words of a person, and for a question that was asked back. An assignment opens its new
/// course anyway.
fn asks(prompt: &HumanText) -> bool {
    let directive = prompt.tellask_reply_directive.as_ref();
    let asked_back = directive.is_some_and(|directive| {
        SpecialCall::of(&directive.expected_reply_call_name)
            == Some(SpecialCall::Reply(ReplyKind::Back))
    });
    prompt.origin == Origin::User || asked_back
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = r#"{"type":"gen_start_record","genseq":1}"#;
    const WHOLE: &str = r#"{"type":"gen_finish_record","genseq":1,"contextHealth":{"kind":"unavailable","reason":"x"}}"#;
    const BROKEN: &str = r#"{"type":"gen_finish_record","genseq":1}"#;
    const CALL: &str =
        r#"{"type":"func_call_record","genseq":1,"id":"c","name":"f","rawArgumentsText":"{}"}"#;
    const BACK: &str =
        r#"{"type":"func_result_record","genseq":1,"id":"c","name":"f","content":"found"}"#;

    fn says(text: &str, origin: &str) -> String {
        serde_json::json!({"type": "human_text_record", "genseq": 1, "content": text, "msgId": text,
            "grammar": "markdown", "origin": origin})
        .to_string()
    }

    #[test]
    fn what_the_model_has_not_answered_is_what_came_after_its_last_whole_generation() {
        let (hi, more) = (says("hi", "user"), says("more", "user"));
        let warning = says("full", "runtime");
        let found = Unanswered::Result { name: "f", content: "found" };
        for (what, records, expected) in [
            ("nothing", vec![], vec![]),
            ("first words", vec![START, &hi], vec![Unanswered::Prompt("hi")]),
            ("answered words", vec![START, &hi, WHOLE, START], vec![]),
            (
                "words after an answer",
                vec![START, &hi, WHOLE, START, &more],
                vec![Unanswered::Prompt("more")],
            ),
            (
                "words a failed generation left",
                vec![START, &hi, BROKEN, START, &more],
                vec![Unanswered::Prompt("hi"), Unanswered::Prompt("more")],
            ),
            ("results of calls", vec![START, &hi, CALL, BACK, WHOLE, START], vec![found.clone()]),
            ("results that were read", vec![START, CALL, BACK, WHOLE, START, WHOLE, START], vec![]),
            ("a warning asks for nothing", vec![START, &hi, WHOLE, START, &warning], vec![]),
        ] {
            assert_eq!(unanswered(&Dialog::of_records(&records)), expected, "{what}");
        }
    }

    #[test]
    fn a_result_is_cut_and_words_are_not() {
        let long = "鸟".repeat(QUOTED_CHARS + 1);
        let told = [Unanswered::Prompt(&long), Unanswered::Result { name: "f", content: &long }];
        for lang in [crate::domain::Lang::En, crate::domain::Lang::Zh] {
            let opening = Texts(lang).refused_course_start(&told, QUOTED_CHARS);
            assert_eq!(opening.matches('鸟').count() % QUOTED_CHARS, 1, "{lang:?}");
            assert!(opening.contains("`f`") && opening.contains("4001"), "{lang:?}");
        }
    }
}
