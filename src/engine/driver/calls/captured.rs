//! Questions in the last words of a turn, for models that do not call `askHuman`: they become such a call of the
//! runtime, recorded in the same write as the words, so that the words do not count as a reply.

use serde_json::{Value, json};

use crate::domain::asking::inquiry::{Inquiry, InquirySource, WrittenPart};
use crate::domain::asking::open_questions::{self, OpenQuestions, UnusableQuestions};
use crate::domain::dialogs::call::{ASK_HUMAN, RuntimeQuestion};
use crate::domain::dialogs::record::{Call, DeliveryMode, Record};
use crate::domain::{CallId, TaskId};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::{ArgumentError, Texts};

use super::ask_human;
use super::asking_rules::AskingRules;
use super::results::append_result;

/// Records the questions in the last words of a dialog; the words are recorded before. The questions belong to this
/// task, or to the dialog, unless their object says more.
pub fn capture(
    draft: &mut Draft,
    at: &Position,
    words: &str,
    (asking, task): (&AskingRules, Option<TaskId>),
    texts: Texts,
) {
    let Some(dialog) = draft.dialog(&at.dialog) else { return };
    if dialog.is_fresh_boots() || !dialog.questions.is_empty() {
        return;
    }
    match open_questions::find(words) {
        OpenQuestions::None => {}
        OpenQuestions::Asked { parts, about } => {
            let InquirySource { kind, id } =
                InquirySource::of(&draft.tree.id(&at.dialog), task.as_ref());
            let source = InquirySource {
                kind: asking.source.map_or(kind, str::to_owned),
                id: about.unwrap_or(id),
            };
            ask(draft, at, parts, source, asking, texts);
        }
        OpenQuestions::Unusable(fault) => {
            let reason = match fault {
                UnusableQuestions::NotJson(error) => ArgumentError::NotJson(error),
                UnusableQuestions::NoItem => ArgumentError::NoUsableQuestion,
            };
            refuse_unusable(draft, at, &reason, texts);
        }
    }
}

fn ask(
    draft: &mut Draft,
    at: &Position,
    parts: Vec<WrittenPart>,
    source: InquirySource,
    asking: &AskingRules,
    texts: Texts,
) {
    let inquiry = match Inquiry::of_written("", parts, &draft.now) {
        Err(fault) => return refuse_unusable(draft, at, &ArgumentError::Inquiry(fault), texts),
        Ok(inquiry) => Inquiry { source: Some(source), ..inquiry },
    };
    let (arguments, content) = (inquiry.arguments(texts.0), inquiry.content(texts.0));
    let Some(cycle) = draft.dialog(&at.dialog).map(|dialog| &dialog.history.cycle) else { return };
    match asking.refusal(cycle, &content, inquiry.confirm, texts) {
        // It was told so once; another repetition is mere words.
        Some(_) if cycle.repeated_in_words => {}
        Some(reason) => refuse(draft, at, &arguments, reason),
        None => ask_human::ask_for(draft, at, call_id(draft), (&arguments, &content), texts),
    }
}

/// Tells the model the form; once, until it is given other work.
fn refuse_unusable(draft: &mut Draft, at: &Position, fault: &ArgumentError, texts: Texts) {
    let was_told = draft.dialog(&at.dialog).map(|dialog| dialog.history.cycle.was_told_the_form);
    if was_told == Some(false) {
        refuse(draft, at, &json!({}), texts.unusable_questions(fault));
    }
}

/// A call that was not carried out, so that the model goes on with the reason.
fn refuse(draft: &mut Draft, at: &Position, arguments: &Value, reason: String) {
    let call = Call {
        id: call_id(draft),
        name: ASK_HUMAN.to_owned(),
        raw_arguments_text: arguments.to_string(),
    };
    draft.set_durable();
    let delivery_mode = DeliveryMode::FuncCallRequested;
    let record = Record::TellaskCall { call: call.clone(), delivery_mode };
    draft.append(&at.dialog, at.course, at.genseq, record);
    append_result(draft, at, &call, reason);
}

fn call_id(draft: &Draft) -> CallId {
    RuntimeQuestion::Captured.call(&draft.ids.short(8))
}
