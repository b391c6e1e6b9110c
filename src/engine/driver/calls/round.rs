//! A round of calls: separates tellasks, questions and replies from ordinary tool calls, and applies the
//! former to the tree.
//!
//! All calls of a round are recorded in one write before any of them has an effect that others can see:
//! a round is on disk completely or not at all.

use std::collections::BTreeSet;

use serde_json::json;

use crate::domain::dialogs::call::{ANSWER_HUMAN, SpecialCall, TellaskKind};
use crate::domain::dialogs::record::{Call, DeliveryMode, Record};
use crate::domain::dialogs::reminder::MAX_BYTES;
use crate::domain::{CallId, Dialog};
use crate::driver::steps::draft::Draft;
use crate::driver::steps::position::Position;
use crate::driver::texts::Texts;

use super::args::SpecialArgs;
use super::check::{self, CheckedCall};
use super::results::append_result;
use super::tellask::{self, TeamNames};
use super::{answer_human, ask_back, ask_human, fresh_boots, reply};

/// Most calls of one round that are executed; the model is told to repeat the others.
pub const MAX_CALLS_PER_ROUND: usize = 32;

/// Records a round and executes its special calls. Returns the ordinary calls, still to be run.
pub fn process_round(
    draft: &mut Draft,
    at: &Position,
    calls: Vec<Call>,
    team: &TeamNames,
    texts: Texts,
) -> Vec<Call> {
    let calls = with_unique_ids(draft, at, calls);
    if draft.dialog(&at.dialog).is_some_and(Dialog::is_fresh_boots) {
        fresh_boots::record_round(draft, at, calls, texts);
        return Vec::new();
    }
    let (oversized, mut calls): (Vec<Call>, Vec<Call>) = calls.into_iter().partition(is_oversized);
    let excess = calls.split_off(calls.len().min(MAX_CALLS_PER_ROUND));
    let questions =
        calls.iter().filter(|call| SpecialCall::of(&call.name) == Some(SpecialCall::AskHuman));
    let one_question = questions.count() <= 1;
    let (mut special, mut ordinary, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for call in calls {
        match check::check(draft, at, &call, one_question, &team.asking, texts) {
            None => ordinary.push(call),
            Some(CheckedCall::Refused(reason)) if call.name == ANSWER_HUMAN => {
                refused.push((call, reason));
            }
            Some(checked) => special.push((as_recorded(call, &checked, texts), checked)),
        }
    }
    let (excess_special, excess_ordinary): (Vec<Call>, Vec<Call>) =
        excess.into_iter().partition(is_special);
    let too_many = || texts.too_many_calls(MAX_CALLS_PER_ROUND);
    let excess_special = excess_special.into_iter();
    special.extend(excess_special.map(|call| (call, CheckedCall::Refused(too_many()))));
    refused.extend(excess_ordinary.into_iter().map(|call| (call, too_many())));
    record_calls(draft, at, &special);
    let statuses: Vec<_> = special
        .iter()
        .filter_map(|(call, checked)| Some((call, execute(draft, at, call, checked, team, texts)?)))
        .collect();
    for (call, status) in statuses {
        // A call that a later call of the round replaced already has its status.
        let has_status =
            draft.dialog(&at.dialog).is_some_and(|d| d.history.results.contains(&call.id));
        if !has_status {
            append_result(draft, at, call, status);
        }
    }
    for call in oversized {
        refuse_oversized(draft, at, call, texts);
    }
    for (call, reason) in refused {
        draft.append(&at.dialog, at.course, at.genseq, Record::FuncCall(call.clone()));
        append_result(draft, at, &call, reason);
    }
    for call in &ordinary {
        draft.append(&at.dialog, at.course, at.genseq, Record::FuncCall(call.clone()));
    }
    ordinary
}

/// True for a call that is recorded as such, refused or not.
fn is_special(call: &Call) -> bool {
    SpecialCall::of(&call.name).is_some_and(|special| special != SpecialCall::AnswerHuman)
}

/// Tools whose arguments are reminders, and the most bytes a valid argument can need as JSON.
const REMINDER_TOOLS: [&str; 4] =
    ["add_reminder", "update_reminder", "clear_mind", "set_dialog_goal"];
const MAX_ARGUMENT_BYTES: usize = 8 * MAX_BYTES;

/// True if the arguments are far larger than a reminder may be.
fn is_oversized(call: &Call) -> bool {
    call.raw_arguments_text.len() > MAX_ARGUMENT_BYTES
        && REMINDER_TOOLS.contains(&call.name.as_str())
}

/// Records the call without its arguments, so that no later request carries them.
fn refuse_oversized(draft: &mut Draft, at: &Position, mut call: Call, texts: Texts) {
    let bytes = call.raw_arguments_text.len();
    call.raw_arguments_text = json!({ "left_out": format!("{bytes} bytes") }).to_string();
    draft.append(&at.dialog, at.course, at.genseq, Record::FuncCall(call.clone()));
    append_result(draft, at, &call, texts.reminder_too_large(bytes));
}

/// A question with parts is recorded as it was checked, with one text that states all of it, for Dominds.
fn as_recorded(call: Call, checked: &CheckedCall, texts: Texts) -> Call {
    let CheckedCall::Valid(SpecialArgs::AskInParts(inquiry)) = checked else { return call };
    Call { raw_arguments_text: inquiry.arguments(texts.0).to_string(), ..call }
}

fn record_calls(draft: &mut Draft, at: &Position, special: &[(Call, CheckedCall)]) {
    for (call, checked) in special {
        let delivery_mode = match checked {
            CheckedCall::Valid(
                SpecialArgs::Tellask { .. }
                | SpecialArgs::AskBack { .. }
                | SpecialArgs::FreshBoots { .. }
                | SpecialArgs::Ask { .. }
                | SpecialArgs::AskInParts(_),
            ) => DeliveryMode::TellaskCallStart,
            CheckedCall::Valid(SpecialArgs::Tell { .. } | SpecialArgs::Reply { .. })
            | CheckedCall::Refused(_) => DeliveryMode::FuncCallRequested,
        };
        let record = Record::TellaskCall { call: call.clone(), delivery_mode };
        draft.append(&at.dialog, at.course, at.genseq, record);
        if let CheckedCall::Refused(reason) = checked {
            append_result(draft, at, call, reason.clone());
        }
    }
}

/// Executes a special call. Returns its status text; `None` if its result is already recorded or comes
/// with the answer.
fn execute(
    draft: &mut Draft,
    at: &Position,
    call: &Call,
    checked: &CheckedCall,
    team: &TeamNames,
    texts: Texts,
) -> Option<String> {
    let args = match checked {
        CheckedCall::Valid(args) => args,
        CheckedCall::Refused(_) => return None,
    };
    match args {
        SpecialArgs::AskBack { content } => ask_back::ask(draft, at, call, content, texts),
        SpecialArgs::Tellask { kind, target, slug, content } => {
            let request = tellask::TellaskRequest {
                call,
                kind: *kind,
                target: target.as_str(),
                slug: slug.as_ref(),
                content,
                effort: None,
            };
            Some(tellask::start(draft, at, &request, team, texts))
        }
        SpecialArgs::FreshBoots { effort, content } => {
            let own = draft.dialog(&at.dialog)?.meta.agent_id.clone();
            let request = tellask::TellaskRequest {
                call,
                kind: TellaskKind::FreshBoots,
                target: own.as_str(),
                slug: None,
                content,
                effort: Some(effort.unwrap_or(u32::from(team.own_effort))),
            };
            Some(tellask::start(draft, at, &request, team, texts))
        }
        SpecialArgs::Ask { content, .. } => Some(ask_human::ask(draft, at, call, content, texts)),
        SpecialArgs::AskInParts(inquiry) => {
            Some(ask_human::ask(draft, at, call, &inquiry.content(texts.0), texts))
        }
        SpecialArgs::Tell { content } => Some(answer_human::tell(draft, at, call, content, texts)),
        SpecialArgs::Reply { kind, content } => {
            Some(reply::deliver_by_tool(draft, at, call, *kind, content, texts))
        }
    }
}

/// Providers may reuse ids; in a dialog each call id is unique, also among calls of which the dialog only has a result
/// or a reply.
fn with_unique_ids(draft: &Draft, at: &Position, mut calls: Vec<Call>) -> Vec<Call> {
    let history = draft.dialog(&at.dialog).map(|dialog| &dialog.history);
    let is_used = |id: &CallId| history.is_some_and(|history| history.knows_call(id));
    let mut taken = BTreeSet::new();
    for call in &mut calls {
        let base = if call.id.as_str().is_empty() { "call" } else { call.id.as_str() }.to_owned();
        let mut id = CallId::new(&base);
        let mut n = 2;
        while is_used(&id) || !taken.insert(id.clone()) {
            id = CallId::new(format!("{base}~{n}"));
            n += 1;
        }
        call.id = id;
    }
    calls
}
