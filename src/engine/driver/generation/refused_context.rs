//! When a provider refuses a request because its context is too long, the dialog starts a new course whose
//! prompt quotes everything the model has not answered.

use crate::domain::dialogs::record::{Entry, HumanText, Origin, Record};
use crate::domain::{Assignment, Dialog, ReplyKind, SpecialCall};
use crate::driver::steps::course::start_course;
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::{Texts, UnansweredItem};

/// Longest quote of a result or of a teammate's reply. Messages of the user are never truncated.
pub const QUOTED_CHARS: usize = 4_000;

/// Drafts a new course in place of the refused one; false if that would not help.
pub fn restart_in_new_course(draft: &mut Draft, at: &Position, texts: Texts) -> bool {
    let Some(dialog) = draft.dialog(&at.dialog) else { return false };
    let reasons = dialog.assignment().is_some_and(Assignment::is_fresh_boots);
    if reasons || !dialog.history.refusals.may_begin_anew() {
        return false;
    }
    let opening = texts.refused_course_start(&unanswered_items(dialog), QUOTED_CHARS);
    start_course(draft, at, &opening, texts);
    true
}

/// What came since the last finished generation, and the results of its own calls.
pub fn unanswered_items(dialog: &Dialog) -> Vec<UnansweredItem<'_>> {
    let entries = &dialog.history.entries;
    let is_finished =
        |entry: &Entry| matches!(entry.record, Record::GenFinish { context_health: Some(_), .. });
    let end = entries.iter().rposition(|entry| is_finished(entry)).map_or(0, |at| at + 1);
    let start = entries
        .iter()
        .take(end)
        .rposition(|entry| matches!(entry.record, Record::GenStart))
        .unwrap_or(end);
    let mut found: Vec<UnansweredItem<'_>> = Vec::new();
    for (index, entry) in entries.iter().enumerate().skip(start) {
        found.extend(unanswered_in(&entry.record, index >= end));
    }
    found
}

/// `later`: after the last finished generation, not within it.
fn unanswered_in(record: &Record, later: bool) -> Option<UnansweredItem<'_>> {
    let result = |name, content| Some(UnansweredItem::Result { name, content });
    if let Record::HumanText(text) = record {
        (later && asks(text)).then_some(UnansweredItem::Prompt(&text.content))
    } else if let Record::FuncResult(back) = record {
        result(&back.name, &back.content)
    } else if let Record::TellaskResult(reply) = record {
        result(&reply.call_name, &reply.content)
    } else if let Record::Carryover(reply) = record {
        result(&reply.call_name, &reply.content)
    } else {
        None
    }
}

/// True for a message of the user, and for a question asked back. An assignment opens the new course
/// anyway.
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
    const FINISHED: &str = r#"{"type":"gen_finish_record","genseq":1,"contextHealth":{"kind":"unavailable","reason":"x"}}"#;
    const FAILED: &str = r#"{"type":"gen_finish_record","genseq":1}"#;
    const CALL: &str =
        r#"{"type":"func_call_record","genseq":1,"id":"c","name":"f","rawArgumentsText":"{}"}"#;
    const RESULT: &str =
        r#"{"type":"func_result_record","genseq":1,"id":"c","name":"f","content":"found"}"#;

    fn prompt_record(text: &str, origin: &str) -> String {
        serde_json::json!({"type": "human_text_record", "genseq": 1, "content": text, "msgId": text,
            "grammar": "markdown", "origin": origin})
        .to_string()
    }

    #[test]
    fn unanswered_is_what_came_after_the_last_finished_generation() {
        let (hi, more) = (prompt_record("hi", "user"), prompt_record("more", "user"));
        let warning = prompt_record("full", "runtime");
        let found = UnansweredItem::Result { name: "f", content: "found" };
        for (what, records, expected) in [
            ("nothing", vec![], vec![]),
            ("first message", vec![START, &hi], vec![UnansweredItem::Prompt("hi")]),
            ("answered message", vec![START, &hi, FINISHED, START], vec![]),
            (
                "message after an answer",
                vec![START, &hi, FINISHED, START, &more],
                vec![UnansweredItem::Prompt("more")],
            ),
            (
                "message a failed generation left",
                vec![START, &hi, FAILED, START, &more],
                vec![UnansweredItem::Prompt("hi"), UnansweredItem::Prompt("more")],
            ),
            (
                "results of calls",
                vec![START, &hi, CALL, RESULT, FINISHED, START],
                vec![found.clone()],
            ),
            (
                "results that were read",
                vec![START, CALL, RESULT, FINISHED, START, FINISHED, START],
                vec![],
            ),
            ("a warning asks for nothing", vec![START, &hi, FINISHED, START, &warning], vec![]),
        ] {
            assert_eq!(unanswered_items(&crate::samples::dialog_of(&records)), expected, "{what}");
        }
    }

    #[test]
    fn a_result_is_truncated_and_a_message_is_not() {
        let long = "鸟".repeat(QUOTED_CHARS + 1);
        let unanswered_items =
            [UnansweredItem::Prompt(&long), UnansweredItem::Result { name: "f", content: &long }];
        for lang in [crate::domain::Lang::En, crate::domain::Lang::Zh] {
            let opening = Texts(lang).refused_course_start(&unanswered_items, QUOTED_CHARS);
            assert_eq!(opening.matches('鸟').count() % QUOTED_CHARS, 1, "{lang:?}");
            assert!(opening.contains("`f`") && opening.contains("4001"), "{lang:?}");
        }
    }
}
