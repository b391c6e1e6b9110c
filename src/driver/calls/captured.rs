//! Questions in the last words of a turn, for models that do not call `askHuman`: they become such a call of the runtime,
//! recorded in the same write as the words, so that these are nobody's reply.

use crate::domain::call::ASK_HUMAN;
use crate::domain::inquiry::{Inquiry, InquirySource, WrittenPart};
use crate::domain::open_questions::{self, OpenQuestions, UnusableQuestions};
use crate::domain::record::{AnchorRole, Call, DeliveryMode, Entry, Origin, Record};
use crate::domain::{CallId, Dialog};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::{ArgumentError, Texts};

use super::ask_human;
use super::results::append_result;

/// The ids of such calls begin so.
const CAPTURED: &str = "oq-";
/// What the question belongs to, unless its object says more.
const OF_DIALOG: &str = "dialog";

/// Records what these last words of a dialog ask; they are recorded before. `source`: what its member's questions are
/// about.
pub fn capture(draft: &mut Draft, at: &Position, words: &str, source: Option<&str>, texts: Texts) {
    let Some(dialog) = draft.dialog(&at.dialog) else { return };
    if dialog.is_fresh_boots() || !dialog.questions.is_empty() {
        return;
    }
    match open_questions::find(words) {
        OpenQuestions::None => {}
        OpenQuestions::Asked { parts, about } => {
            let id = about.unwrap_or_else(|| draft.tree.id(&at.dialog).to_string());
            let kind = source.unwrap_or(OF_DIALOG).to_owned();
            ask(draft, at, parts, InquirySource { kind, id }, texts);
        }
        OpenQuestions::Unusable(fault) => {
            let reason = match fault {
                UnusableQuestions::NotJson(error) => ArgumentError::NotJson(error),
                UnusableQuestions::NoItem => ArgumentError::NoUsableQuestion,
            };
            refuse(draft, at, &reason, texts);
        }
    }
}

fn ask(
    draft: &mut Draft,
    at: &Position,
    parts: Vec<WrittenPart>,
    source: InquirySource,
    texts: Texts,
) {
    match Inquiry::of_written("", parts, &draft.now) {
        Err(fault) => refuse(draft, at, &ArgumentError::Inquiry(fault), texts),
        Ok(mut inquiry) => {
            inquiry.source = Some(source);
            let (arguments, content) = (inquiry.arguments(texts.0), inquiry.content(texts.0));
            ask_human::ask_for(draft, at, call_id(draft), (&arguments, &content), texts);
        }
    }
}

/// A call that failed, so that the model learns the form; once, until somebody speaks to it again.
fn refuse(draft: &mut Draft, at: &Position, fault: &ArgumentError, texts: Texts) {
    if draft.dialog(&at.dialog).is_some_and(was_told) {
        return;
    }
    let call = Call {
        id: call_id(draft),
        name: ASK_HUMAN.to_owned(),
        raw_arguments_text: "{}".to_owned(),
    };
    draft.set_durable();
    let delivery_mode = DeliveryMode::FuncCallRequested;
    let record = Record::TellaskCall { call: call.clone(), delivery_mode };
    draft.append(&at.dialog, at.course, at.genseq, record);
    append_result(draft, at, &call, texts.unusable_questions(fault));
}

fn call_id(draft: &Draft) -> CallId {
    CallId::new(format!("{CAPTURED}{}", draft.ids.short(8)))
}

/// True if words of this dialog were refused since a person, or its assignment, spoke to it.
fn was_told(dialog: &Dialog) -> bool {
    let entries = dialog.history.entries.iter();
    let mut cycle = entries.rev().take_while(|entry| !begins_cycle(entry));
    let refused = |entry: &Entry| {
        let Record::TellaskCall { call, delivery_mode } = &entry.record else { return false };
        call.id.as_str().starts_with(CAPTURED) && *delivery_mode == DeliveryMode::FuncCallRequested
    };
    cycle.any(|entry| refused(entry))
}

/// Words of a person, an assignment.
fn begins_cycle(entry: &Entry) -> bool {
    if let Record::Anchor { anchor_role, .. } = &entry.record {
        return *anchor_role == AnchorRole::Assignment;
    }
    matches!(&entry.record, Record::HumanText(text) if text.origin == Origin::User)
}
