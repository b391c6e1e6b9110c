//! What the model is shown: memories, the Taskdoc, the reminders, what it owes, and the current course.

use std::collections::BTreeMap;

use crate::domain::record::{Entry, Record, ReplyStatus};
use crate::domain::reminder::{AGENT_SHARED, MAX_IN_A_SCOPE, PERSONAL, sort_newest_first};
use crate::domain::{Dialog, Lang, Reminder};
use crate::llm::Message;

use super::images::CourseImages;
use super::texts::Texts;

/// What stands before the course, beside the dialog's own reminders.
#[derive(Debug, Default)]
pub struct DialogSurroundings<'a> {
    pub memories: Vec<String>,
    pub taskdoc: Option<String>,
    /// The reminders all dialogs of the member share.
    pub shared: &'a [Reminder],
    /// What goes on below the dialog.
    pub overview: Option<String>,
}

/// The messages of one request, in order. `album`: the pictures of the course.
pub fn messages(
    dialog: &Dialog,
    surroundings: DialogSurroundings<'_>,
    album: &CourseImages,
    texts: Texts,
) -> Vec<Message> {
    let DialogSurroundings { memories, taskdoc, shared, overview } = surroundings;
    let rule = dialog.is_fresh_boots().then(|| texts.fresh_boots_notice());
    let mut messages: Vec<Message> = rule.into_iter().map(Message::Environment).collect();
    messages.extend(memories.into_iter().map(Message::Guide));
    messages.extend(taskdoc.map(Message::Environment));
    messages.extend(reminder_block(dialog.reminders.iter().chain(shared), texts));
    messages.extend(overview.map(Message::Environment));
    messages.extend(obligation(dialog, texts));
    let mut told = texts.0;
    for (place, entry) in dialog.history.entries.iter().enumerate() {
        messages.extend(language_guide(entry, &mut told, texts));
        let pictures = album.at(place);
        match message(dialog, entry, texts) {
            Some(Message::Result { id, name, content, .. }) => {
                messages.push(Message::Result { id, name, content, pictures });
            }
            Some(message) => {
                messages.push(message);
                messages.extend((!pictures.is_empty()).then_some(Message::Images(pictures)));
            }
            None => {}
        }
    }
    in_call_order(&mut messages);
    messages
}

/// Said before a prompt of somebody who reads another language than `told` so far, which at first is
/// the work language.
fn language_guide(entry: &Entry, told: &mut Lang, texts: Texts) -> Option<Message> {
    let Record::HumanText(text) = &entry.record else { return None };
    let reader = Lang::of_code(text.user_language_code.as_deref()?)?;
    let changed = std::mem::replace(told, reader) != reader;
    changed.then(|| Message::Environment(texts.answer_in(reader).to_owned()))
}

/// Tools that run side by side end in any order; their results are told in the order of the calls.
fn in_call_order(messages: &mut [Message]) {
    let mut calls = BTreeMap::new();
    for (place, message) in messages.iter().enumerate() {
        if let Message::Call { id, .. } = message {
            calls.insert(id.clone(), place);
        }
    }
    for results in messages.chunk_by_mut(|a, b| is_result(a) && is_result(b)) {
        results.sort_by_key(|message| {
            if let Message::Result { id, .. } = message { calls.get(id).copied() } else { None }
        });
    }
}

fn is_result(message: &Message) -> bool {
    matches!(message, Message::Result { .. })
}

/// Newest first, between a header and a footer; nothing where there is nothing to remember.
fn reminder_block<'a>(reminders: impl Iterator<Item = &'a Reminder>, texts: Texts) -> Vec<Message> {
    let (shown, left_out) = shown(reminders);
    if shown.is_empty() {
        return Vec::new();
    }
    let mut block = vec![Message::Environment(texts.reminders_begin())];
    block.extend(shown.into_iter().map(|reminder| Message::Environment(texts.reminder(reminder))));
    if left_out > 0 {
        block.push(Message::Environment(texts.reminders_left_out(left_out)));
    }
    block.push(Message::Environment(texts.reminders_end()));
    block
}

/// The reminders a model is shown, newest first: no more of a scope than it can add to, whatever lies on
/// the disk. And how many are left out.
pub fn shown<'a>(reminders: impl Iterator<Item = &'a Reminder>) -> (Vec<&'a Reminder>, usize) {
    let mut shown: Vec<&Reminder> = reminders.filter(|r| r.is_shown_to_the_model()).collect();
    sort_newest_first(&mut shown);
    let all = shown.len();
    let mut counts = [0_usize; 3];
    shown.retain(|reminder| {
        let [personal, kept, own] = &mut counts;
        let count = match reminder.scope.as_str() {
            PERSONAL => personal,
            AGENT_SHARED => kept,
            _ => own,
        };
        *count += 1;
        *count <= MAX_IN_A_SCOPE
    });
    let left_out = all - shown.len();
    (shown, left_out)
}

fn obligation(dialog: &Dialog, texts: Texts) -> Option<Message> {
    if dialog.is_fresh_boots() {
        return None;
    }
    if dialog.parked().is_some_and(|parked| !parked.is_surfaced()) {
        // The guide before the person's words says what to do.
        return None;
    }
    let text = match dialog.obligation() {
        Some(owed) => texts.obligation(owed),
        None => dialog.assignment().map(|_| texts.no_obligation_note())?,
    };
    Some(Message::Environment(text))
}

fn message(dialog: &Dialog, entry: &Entry, texts: Texts) -> Option<Message> {
    Some(match &entry.record {
        Record::HumanText(text) if text.q4h_answer_call_id.is_none() => {
            Message::Prompt(text.content.clone())
        }
        Record::RuntimeGuide { content } => Message::Environment(content.clone()),
        Record::Thought { content, reasoning, .. } => {
            Message::Thinking { text: content.clone(), payload: reasoning.clone() }
        }
        Record::Words { content, interrupted: false } => Message::Saying(content.clone()),
        Record::Words { content, interrupted: true } => {
            Message::Saying(format!("{content}{}", texts.interrupted()))
        }
        Record::FuncCall(call) | Record::TellaskCall { call, .. } => Message::Call {
            id: call.id.to_string(),
            name: call.name.clone(),
            arguments: call.raw_arguments_text.clone(),
        },
        Record::FuncResult(result) => Message::Result {
            id: result.id.to_string(),
            name: result.name.clone(),
            content: shown_result(dialog, result, texts),
            pictures: Vec::new(),
        },
        Record::TellaskResult(result) if !repeats_its_status(dialog, result) => {
            Message::TellaskResult(result.content.clone())
        }
        Record::Carryover(reply) => Message::Carryover(reply.content.clone()),
        Record::HumanText(_)
        | Record::TellaskResult(_)
        | Record::GenStart
        | Record::GenFinish { .. }
        | Record::ReplyResolution { .. }
        | Record::Anchor { .. }
        | Record::SideDialogCreated(_)
        | Record::Reminders { .. }
        | Record::Questions { .. }
        | Record::PendingSideDialogs { .. }
        | Record::Registry { .. }
        | Record::UiOnly { .. }
        | Record::Unknown { .. } => return None,
    })
}

/// The status of an answered call points to its reply, unless it is the reply.
fn shown_result(
    dialog: &Dialog,
    result: &crate::domain::record::CallResult,
    texts: Texts,
) -> String {
    let started = dialog.history.calls.get(&result.id).is_some_and(|call| call.started);
    let is_the_reply = dialog.history.entries.iter().any(|entry| {
        matches!(&entry.record, Record::TellaskResult(reply)
            if reply.call_id == result.id && reply.content == result.content)
    });
    match dialog.history.replies.get(&result.id) {
        Some(status @ (ReplyStatus::Completed | ReplyStatus::Failed))
            if started && !is_the_reply =>
        {
            texts.answered_below(&result.name, &result.id, *status)
        }
        Some(ReplyStatus::Completed | ReplyStatus::Failed | ReplyStatus::Pending) | None => {
            result.content.clone()
        }
    }
}

/// A call that failed at once, or was answered within its generation, has the same text as status and
/// as result.
fn repeats_its_status(dialog: &Dialog, result: &crate::domain::record::TellaskResult) -> bool {
    dialog.history.entries.iter().any(|entry| {
        matches!(&entry.record, Record::FuncResult(status)
            if status.id == result.call_id && status.content == result.content)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stamp;

    #[test]
    fn reminders_stand_before_the_history_newest_first() {
        let mut dialog = Dialog::of_records(&[
            r#"{"type":"gen_start_record","genseq":1}"#,
            r#"{"type":"human_text_record","genseq":1,"content":"hi","msgId":"m","grammar":"markdown","origin":"user"}"#,
        ]);
        for (id, at) in [("old", "2026-01-01 00:00:00"), ("new", "2026-01-02 00:00:00")] {
            dialog.reminders.push(Reminder::new(id.to_owned(), id.to_owned(), Stamp::new(at)));
        }
        let texts = Texts(Lang::En);
        let surroundings = DialogSurroundings {
            memories: vec!["memory".to_owned()],
            taskdoc: Some("task".to_owned()),
            overview: Some("below".to_owned()),
            ..DialogSurroundings::default()
        };
        let told = messages(&dialog, surroundings, &CourseImages::default(), texts);
        let [memory, task, _, first, second, _, below, last] = told.as_slice() else {
            panic!("{told:?}")
        };
        assert_eq!(below, &Message::Environment("below".to_owned()));
        assert_eq!(memory, &Message::Guide("memory".to_owned()));
        assert_eq!(task, &Message::Environment("task".to_owned()));
        assert_eq!(first, &Message::Environment(texts.reminder(&dialog.reminders[1])));
        assert_eq!(second, &Message::Environment(texts.reminder(&dialog.reminders[0])));
        assert_eq!(last, &Message::Prompt("hi".to_owned()));
    }

    #[test]
    fn the_status_of_an_answered_question_points_to_the_answer() {
        let lines = [
            r#"{"type":"gen_start_record","genseq":1}"#,
            r#"{"type":"tellask_call_record","genseq":1,"id":"q","name":"askHuman","rawArgumentsText":"{}","deliveryMode":"tellask_call_start"}"#,
            r#"{"type":"func_result_record","genseq":1,"id":"q","name":"askHuman","content":"waits"}"#,
            r#"{"type":"tellask_result_record","callId":"q","callName":"askHuman","status":"completed","content":"blue","responder":{"responderId":"human"},"call":{"tellaskContent":"?"}}"#,
        ];
        let told = |dialog: &Dialog| {
            messages(
                dialog,
                DialogSurroundings::default(),
                &CourseImages::default(),
                Texts(Lang::En),
            )
        };
        let waiting = told(&Dialog::of_records(&lines[..3]));
        assert!(matches!(&waiting[1], Message::Result { content, .. } if content == "waits"));
        let answered = told(&Dialog::of_records(&lines));
        assert!(matches!(&answered[1], Message::Result { content, .. } if content != "waits"));
        assert_eq!(answered[2], Message::TellaskResult("blue".to_owned()));
    }
}
