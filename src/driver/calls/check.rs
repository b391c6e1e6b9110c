//! Validates special calls. Nothing is registered before a call has passed.

use crate::domain::Stamp;
use crate::domain::call::{SpecialCall, TellaskKind};
use crate::domain::record::{Call, CallRef};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

use super::args::SpecialArgs;

#[derive(Debug)]
pub enum CheckedCall {
    Valid(SpecialArgs),
    /// The reason becomes the result of the call.
    Refused(String),
}

/// `None` for an ordinary tool, and for special calls this dialog is not offered.
pub fn check(
    draft: &Draft,
    at: &Position,
    call: &Call,
    one_question: bool,
    texts: Texts,
) -> Option<CheckedCall> {
    let special = SpecialCall::of(&call.name)?;
    let dialog = draft.dialog(&at.dialog)?;
    if special == SpecialCall::Tellask(TellaskKind::Back) {
        dialog.assignment()?;
    }
    if special == SpecialCall::AskHuman {
        if !one_question {
            return Some(CheckedCall::Refused(Texts::one_question_a_round()));
        }
        if !dialog.questions.is_empty() {
            return Some(CheckedCall::Refused(texts.question_already_open()));
        }
    }
    let checked = SpecialArgs::parse(special, &call.raw_arguments_text, &draft.now);
    Some(checked.map_or_else(
        |error| CheckedCall::Refused(texts.invalid_call(&call.name, &error)),
        CheckedCall::Valid,
    ))
}

/// Target and content of a recorded call.
pub fn call_ref(call: &Call) -> CallRef {
    let (special, now) = (SpecialCall::of(&call.name), Stamp::default());
    match special.map(|special| SpecialArgs::parse(special, &call.raw_arguments_text, &now)) {
        Some(Ok(SpecialArgs::Tellask { target, slug, content, .. })) => CallRef {
            tellask_content: content,
            mention_list: Some(vec![format!("@{target}")]),
            session_slug: slug,
        },
        Some(Ok(SpecialArgs::FreshBoots { content, .. })) => {
            CallRef { tellask_content: content, ..CallRef::default() }
        }
        _ => CallRef::default(),
    }
}
