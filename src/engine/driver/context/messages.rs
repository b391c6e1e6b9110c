//! Builds the messages of a request: memories, the Taskdoc, the reminders, the reply owed, the course.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::dialogs::record::{CallResult, Entry, Record, ReplyStatus, TellaskResult};
use crate::domain::dialogs::reminder::{MAX_IN_A_SCOPE, ReminderScope, sort_for_model};
use crate::domain::{CallId, Dialog, Lang, Layout, Reminder, Secrets};
use crate::driver::texts::Texts;
use crate::llm::Message;
use crate::tools::VAULT_GET;

use super::shown_images::CourseImages;

/// The parts of the context before the course, besides the dialog's own reminders.
#[derive(Debug, Default)]
pub struct ContextPreamble<'a> {
    pub memories: Vec<String>,
    pub taskdoc: Option<String>,
    /// That of the tree.
    pub layout: Layout,
    /// The reminders all dialogs of the member share.
    pub shared: &'a [Reminder],
    /// State of the side dialogs.
    pub overview: Option<String>,
}

/// The messages of one request, in order.
pub fn messages(
    dialog: &Dialog,
    preamble: ContextPreamble<'_>,
    images: &CourseImages,
    texts: Texts,
) -> Vec<Message> {
    let ContextPreamble { memories, taskdoc, layout, shared, overview } = preamble;
    let notice = dialog.is_fresh_boots().then(|| texts.fresh_boots_notice());
    let mut messages: Vec<Message> = notice.into_iter().map(Message::Environment).collect();
    messages.extend(memories.into_iter().map(Message::Guide));
    messages.extend(taskdoc.map(Message::Environment));
    messages.extend(reminder_block(dialog.reminders.iter().chain(shared), layout, texts));
    messages.extend(overview.map(Message::Environment));
    messages.extend(obligation(dialog, texts));
    let mut language = texts.0;
    let answers = CallAnswers::of(dialog);
    for (index, entry) in dialog.history.entries.iter().enumerate() {
        messages.extend(language_notice(entry, &mut language, texts));
        let images = images.at(index);
        match message(&answers, entry, texts) {
            Some(Message::Result { id, name, content, .. }) => {
                messages.push(Message::Result { id, name, content, images });
            }
            Some(message) => {
                messages.push(message);
                messages.extend((!images.is_empty()).then_some(Message::Images(images)));
            }
            None => {}
        }
    }
    sort_results_by_call(&mut messages);
    messages
}

/// The messages with the values that models of the team may read in place of their references. They are sent like this,
/// and kept nowhere.
pub fn with_readable_values(mut messages: Vec<Message>, keys: &Secrets) -> Vec<Message> {
    for message in &mut messages {
        let (text, revealed) = match message {
            Message::Call { arguments, .. } => {
                let revealed = keys.revealed_json(arguments);
                (arguments, revealed)
            }
            Message::Result { name, content, .. } if name == VAULT_GET => {
                let revealed = keys.revealed_json(content);
                (content, revealed)
            }
            Message::Result { content: text, .. }
            | Message::Saying(text)
            | Message::TellaskResult(text)
            | Message::Carryover(text) => {
                let revealed = keys.revealed(text);
                (text, revealed)
            }
            Message::Environment(_)
            | Message::Prompt(_)
            | Message::Images(_)
            | Message::Guide(_)
            | Message::Thinking { .. } => continue,
        };
        if let Some(revealed) = revealed {
            *text = revealed;
        }
    }
    messages
}

/// Precedes a prompt whose author reads another `language` than before; it starts as the work
/// language.
fn language_notice(entry: &Entry, language: &mut Lang, texts: Texts) -> Option<Message> {
    let Record::HumanText(text) = &entry.record else { return None };
    let reader = Lang::of_code(text.user_language_code.as_deref()?)?;
    let changed = std::mem::replace(language, reader) != reader;
    changed.then(|| Message::Environment(texts.answer_in(reader).to_owned()))
}

/// Tools that run concurrently end in any order; their results are sorted like the calls.
fn sort_results_by_call(messages: &mut [Message]) {
    let mut calls = BTreeMap::new();
    for (index, message) in messages.iter().enumerate() {
        if let Message::Call { id, .. } = message {
            calls.insert(id.clone(), index);
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

/// Between a header and a footer; empty without reminders.
fn reminder_block<'a>(
    reminders: impl Iterator<Item = &'a Reminder>,
    layout: Layout,
    texts: Texts,
) -> Vec<Message> {
    let (shown, left_out) = shown_reminders(reminders, layout);
    if shown.is_empty() {
        return Vec::new();
    }
    let mut block = vec![Message::Environment(texts.reminders_begin())];
    let shown = shown.into_iter();
    block.extend(shown.map(|reminder| Message::Environment(texts.reminder(reminder, layout))));
    if left_out > 0 {
        block.push(Message::Environment(texts.reminders_left_out(left_out)));
    }
    block.push(Message::Environment(texts.reminders_end()));
    block
}

/// The reminders a model is shown, in its order, and how many are left out: at most [`MAX_IN_A_SCOPE`] of a
/// scope, even if more are on disk.
pub fn shown_reminders<'a>(
    reminders: impl Iterator<Item = &'a Reminder>,
    layout: Layout,
) -> (Vec<&'a Reminder>, usize) {
    let mut shown: Vec<&Reminder> = reminders.filter(|r| r.is_shown_to_the_model()).collect();
    sort_for_model(&mut shown, layout);
    let all = shown.len();
    let mut counts: BTreeMap<ReminderScope, usize> = BTreeMap::new();
    shown.retain(|reminder| {
        let count = counts.entry(ReminderScope::of(&reminder.scope)).or_default();
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
    if dialog.talks_to_a_person() {
        // The guide before the user's message states what to do.
        return None;
    }
    let text = match dialog.obligation() {
        Some(owed) => texts.obligation(owed),
        None => dialog.assignment().map(|_| texts.no_obligation_note())?,
    };
    Some(Message::Environment(text))
}

fn message(answers: &CallAnswers<'_>, entry: &Entry, texts: Texts) -> Option<Message> {
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
            content: answers.shown_result(result, texts),
            images: Vec::new(),
        },
        Record::TellaskResult(result) if !answers.repeats_status(result) => {
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

/// The statuses and the replies of the course, so that neither is looked for again at each record.
struct CallAnswers<'a> {
    dialog: &'a Dialog,
    statuses: BTreeSet<(&'a CallId, &'a str)>,
    replies: BTreeSet<(&'a CallId, &'a str)>,
}

impl<'a> CallAnswers<'a> {
    fn of(dialog: &'a Dialog) -> Self {
        let records = || dialog.history.entries.iter().map(|entry| &entry.record);
        let reply = |record: &'a Record| {
            let Record::TellaskResult(reply) = record else { return None };
            Some((&reply.call_id, reply.content.as_str()))
        };
        let status = |record: &'a Record| {
            let Record::FuncResult(status) = record else { return None };
            let answered = dialog.history.replies.contains_key(&status.id);
            answered.then_some((&status.id, status.content.as_str()))
        };
        Self {
            dialog,
            statuses: records().filter_map(status).collect(),
            replies: records().filter_map(reply).collect(),
        }
    }

    /// The status of an answered call is replaced by a pointer to its reply, unless it is the reply.
    fn shown_result(&self, result: &CallResult, texts: Texts) -> String {
        let history = &self.dialog.history;
        let started = history.calls.get(&result.id).is_some_and(|call| call.started);
        let is_the_reply = self.replies.contains(&(&result.id, result.content.as_str()));
        match history.replies.get(&result.id) {
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

    /// True for a call that failed at once or was answered within its generation: its status and its
    /// result have the same text.
    fn repeats_status(&self, result: &TellaskResult) -> bool {
        self.statuses.contains(&(&result.call_id, result.content.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::safety::references::{VaultEntries, VaultEntry, VaultRights};
    use crate::domain::{SharedSecrets, Stamp};

    #[test]
    fn reminders_precede_the_history_newest_first() {
        let mut dialog = crate::samples::dialog_of(&[
            r#"{"type":"gen_start_record","genseq":1}"#,
            r#"{"type":"human_text_record","genseq":1,"content":"hi","msgId":"m","grammar":"markdown","origin":"user"}"#,
        ]);
        for (id, at) in [("old", "2026-01-01 00:00:00"), ("new", "2026-01-02 00:00:00")] {
            dialog.reminders.push(Reminder::new(id.to_owned(), id.to_owned(), Stamp::new(at)));
        }
        let texts = Texts(Lang::En);
        let preamble = ContextPreamble {
            memories: vec!["memory".to_owned()],
            taskdoc: Some("task".to_owned()),
            overview: Some("below".to_owned()),
            ..ContextPreamble::default()
        };
        let sent = messages(&dialog, preamble, &CourseImages::default(), texts);
        let [memory, task, _, first, second, _, below, last] = sent.as_slice() else {
            panic!("{sent:?}")
        };
        assert_eq!(below, &Message::Environment("below".to_owned()));
        assert_eq!(memory, &Message::Guide("memory".to_owned()));
        assert_eq!(task, &Message::Environment("task".to_owned()));
        assert_eq!(
            first,
            &Message::Environment(texts.reminder(&dialog.reminders[1], Layout::V1_19))
        );
        assert_eq!(
            second,
            &Message::Environment(texts.reminder(&dialog.reminders[0], Layout::V1_19))
        );
        assert_eq!(last, &Message::Prompt("hi".to_owned()));
    }

    #[test]
    fn s15_2_a_readable_value_is_in_the_request_and_a_reference_in_the_course() {
        let entry = |value: &str, is_revealed| VaultEntry {
            value: value.to_owned(),
            rights: VaultRights { is_revealed, ..VaultRights::default() },
            version: 1,
        };
        let vault = SharedSecrets::default();
        let secrets = |is_revealed| {
            let ops: VaultEntries = [("K".to_owned(), entry("a \"canary\"", is_revealed))].into();
            vault.set_entries([("ops".to_owned(), ops)].into());
            vault.seen_by("ops")
        };
        let result = |name: &str, content: &str| Message::Result {
            id: "1".to_owned(),
            name: name.to_owned(),
            content: content.to_owned(),
            images: Vec::new(),
        };
        let call = |arguments: &str| Message::Call {
            id: "1".to_owned(),
            name: "x".to_owned(),
            arguments: arguments.to_owned(),
        };
        let course = vec![
            result(VAULT_GET, "{\"value\":\"${vault:K}\"}"),
            result("read_file", "has ${vault:K} and ${vault:NOPE}"),
            call("{\"a\":\"${vault:K}\"}"),
            Message::Saying("it is ${vault:K}".to_owned()),
            Message::Prompt("a person writes ${vault:K}".to_owned()),
        ];
        let expected = vec![
            result(VAULT_GET, "{\"value\":\"a \\\"canary\\\"\"}"),
            result("read_file", "has a \"canary\" and ${vault:NOPE}"),
            call("{\"a\":\"a \\\"canary\\\"\"}"),
            Message::Saying("it is a \"canary\"".to_owned()),
            Message::Prompt("a person writes ${vault:K}".to_owned()),
        ];
        assert_eq!(with_readable_values(course.clone(), &secrets(true)), expected);
        assert_eq!(with_readable_values(course.clone(), &secrets(false)), course, "it was closed");
        assert_eq!(with_readable_values(course.clone(), &vault.seen_by("qa")), course);
    }

    #[test]
    fn the_status_of_an_answered_question_points_to_the_answer() {
        let lines = [
            r#"{"type":"gen_start_record","genseq":1}"#,
            r#"{"type":"tellask_call_record","genseq":1,"id":"q","name":"askHuman","rawArgumentsText":"{}","deliveryMode":"tellask_call_start"}"#,
            r#"{"type":"func_result_record","genseq":1,"id":"q","name":"askHuman","content":"waits"}"#,
            r#"{"type":"tellask_result_record","callId":"q","callName":"askHuman","status":"completed","content":"blue","responder":{"responderId":"human"},"call":{"tellaskContent":"?"}}"#,
        ];
        let sent = |dialog: &Dialog| {
            messages(dialog, ContextPreamble::default(), &CourseImages::default(), Texts(Lang::En))
        };
        let waiting = sent(&crate::samples::dialog_of(&lines[..3]));
        assert!(matches!(&waiting[1], Message::Result { content, .. } if content == "waits"));
        let answered = sent(&crate::samples::dialog_of(&lines));
        assert!(matches!(&answered[1], Message::Result { content, .. } if content != "waits"));
        assert_eq!(answered[2], Message::TellaskResult("blue".to_owned()));
    }
}
