//! Validates special calls. Nothing is registered before a call has passed.

use crate::domain::Stamp;
use crate::domain::dialogs::call::{SpecialCall, TellaskKind};
use crate::domain::dialogs::record::{Call, CallRef};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

use super::answer_human;
use super::args::SpecialArgs;
use super::asking_rules::AskingRules;

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
    asking: &AskingRules,
    texts: Texts,
) -> Option<CheckedCall> {
    let special = SpecialCall::of(&call.name)?;
    let dialog = draft.dialog(&at.dialog)?;
    if special == SpecialCall::Tellask(TellaskKind::Back) {
        dialog.assignment()?;
    }
    if special == SpecialCall::AnswerHuman && !draft.tree.layout.has_recent_rules() {
        return None;
    }
    if special == SpecialCall::AskHuman {
        if !one_question {
            return Some(CheckedCall::Refused(Texts::one_question_a_round()));
        }
        if !dialog.questions.is_empty() {
            return Some(CheckedCall::Refused(texts.question_already_open()));
        }
    }
    let args = match SpecialArgs::parse(special, &call.raw_arguments_text, &draft.now) {
        Ok(args) => args,
        Err(error) => return Some(CheckedCall::Refused(texts.invalid_call(&call.name, &error))),
    };
    let refusal = match &args {
        SpecialArgs::Ask { content, confirm } => {
            asking.refusal(&dialog.history.cycle, content, *confirm, texts)
        }
        SpecialArgs::AskInParts(inquiry) => {
            let content = inquiry.content(texts.0);
            asking.refusal(&dialog.history.cycle, &content, inquiry.confirm, texts)
        }
        SpecialArgs::Tell { content } => answer_human::refusal(dialog, content, texts),
        SpecialArgs::Tellask { .. }
        | SpecialArgs::AskBack { .. }
        | SpecialArgs::FreshBoots { .. }
        | SpecialArgs::Reply { .. } => None,
    };
    Some(refusal.map_or_else(|| CheckedCall::Valid(args), CheckedCall::Refused))
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
