//! From 1.29 to 1.19.

use serde_json::{Value, json};

use crate::domain::{Layout, Loss};

use super::forth::ONLY_THERE;
use super::mapping::{Mapping, RESTARTED, StateFiles, is_dead, owes, stop};
use super::values::{Keys, Losses, kind, lose, number, rename, take};
use super::{callees, lines, reminders, stacks};
use crate::store::codec::v1_29::latest::{IGNORED, PROMPT, starts_course, triggers};
use crate::store::codec::v1_29::states::{self, ReasonHere, StateHere};

/// How a dialog rests.
#[derive(Clone, Copy)]
struct Rest {
    owes: bool,
    /// It waits for side dialogs.
    waits: bool,
    /// A prompt begins its next course.
    starts: bool,
}

/// A state in the terms of 1.19.
enum Earlier {
    Is(Value),
    /// It is stopped until a person lets it go on.
    Stopped,
}

pub(super) fn state_files(files: StateFiles, at: &Mapping<'_>) -> (StateFiles, Losses) {
    let mut losses = Losses::new();
    lose(&mut losses, Loss::AnswerCalls, at.facts.count_calls(lines::ANSWER_HUMAN));
    let calls = files.calls.and_then(|file| callees::pending(&file, &mut losses));
    let latest = files.latest.unwrap_or_else(|| at.default_latest());
    let starts = starts_course(&latest);
    let rest = Rest { owes: owes(files.stack.as_ref()), waits: calls.is_some(), starts };
    let latest = Some(in_1_19(latest, at, rest, &mut losses));
    // The way back asks the courses for nothing, so no frame is refused.
    let stack = files.stack.map(|mut frames| {
        for frame in &mut frames {
            let _ = stacks::assignment(frame, Layout::V1_19, at);
        }
        frames
    });
    let reminders = files.reminders.map(|file| {
        let (file, lost) = reminders::in_file(file, Layout::V1_19);
        for (loss, count) in lost {
            lose(&mut losses, loss, count);
        }
        file
    });
    let questions = files.questions;
    (StateFiles { latest, questions, calls, stack, reminders }, losses)
}

fn in_1_19(mut latest: Keys, at: &Mapping<'_>, rest: Rest, losses: &mut Losses) -> Keys {
    for key in IGNORED {
        take(&mut latest, key);
    }
    let has_triggers = !triggers(&latest).is_empty();
    let may_go_on = at.is_main() && !is_dead(&latest) && is_free(&latest);
    let unnamed = triggers(&latest).iter().filter(|trigger| !is_said(trigger, at.is_main(), rest));
    let lost = if has_triggers && at.is_main() && !may_go_on {
        triggers(&latest).len()
    } else {
        unnamed.count()
    };
    lose(losses, Loss::Triggers, lost);
    if let Some(prompt) = take(&mut latest, PROMPT) {
        if rest.starts {
            latest.insert("pendingCourseStartPrompt".to_owned(), prompt_here(prompt));
        } else {
            lose(losses, Loss::RuntimePrompt, 1);
        }
    }
    show(&mut latest, rest, losses);
    for (key, loss) in [
        ("replyDelivery", Loss::ReplyDelivery),
        ("pendingUserInterjectionReply", Loss::Interjection),
        ("backendDriveStall", Loss::DriveStall),
    ] {
        lose(losses, loss, usize::from(latest.contains_key(key)));
    }
    for key in ONLY_THERE {
        take(&mut latest, key);
    }
    if has_triggers && may_go_on {
        latest.insert("needsDrive".to_owned(), true.into());
    }
    if let Some(reasoning) = latest.get_mut("fbrState").and_then(Value::as_object_mut) {
        end_reasoning(reasoning, losses);
    }
    latest
}

/// True unless a marker says that a person has to let it go on.
fn is_free(latest: &Keys) -> bool {
    let marker = latest.get("executionMarker");
    marker.is_none_or(|marker| states::reason_here(marker) == Some(ReasonHere::PendingCourseStart))
}

/// True for a trigger that 1.19 has another word for.
fn is_said(trigger: &Value, is_main: bool, rest: Rest) -> bool {
    match kind(trigger) {
        Some("queued_prompt") => rest.starts,
        Some("result_arrival") => is_main,
        Some(_) | None => false,
    }
}

fn prompt_here(mut prompt: Value) -> Value {
    let Some(map) = prompt.as_object_mut() else { return prompt };
    rename(map, "calleeDialogReplyTarget", "sideDialogReplyTarget");
    if let Some(target) = map.get_mut("sideDialogReplyTarget").and_then(Value::as_object_mut) {
        rename(target, "callerDialogId", "ownerDialogId");
        for key in ["callSiteCourse", "callSiteGenseq"] {
            take(target, key);
        }
    }
    prompt
}

/// Puts state and marker into the terms of 1.19.
fn show(latest: &mut Keys, rest: Rest, losses: &mut Losses) {
    if let Some(marker) = latest.get_mut("executionMarker") {
        // What is lost is counted once, where it is shown.
        *marker = with_reason(marker.take(), rest, &mut Losses::new());
    }
    let Some(state) = latest.get_mut("displayState").map(Value::take) else { return };
    match earlier(state, rest, losses) {
        Earlier::Is(state) => drop(latest.insert("displayState".to_owned(), state)),
        Earlier::Stopped => {
            lose(losses, Loss::State, 1);
            stop(latest);
        }
    }
}

/// A dialog that waits is blocked there, and one that rests in the middle of its work is stopped.
fn earlier(state: Value, rest: Rest, losses: &mut Losses) -> Earlier {
    let waiting = || json!({ "kind": "blocked", "reason": { "kind": "waiting_for_sideDialogs" } });
    match states::state_here(&state) {
        Some(StateHere::WaitsForSideDialogs) if !rest.waits => Earlier::Stopped,
        Some(StateHere::WaitsForSideDialogs) => Earlier::Is(states::display_state(state, false)),
        Some(StateHere::ProceedingWithWork) if rest.owes && !rest.waits => Earlier::Stopped,
        Some(StateHere::ProceedingWithWork) if rest.owes => Earlier::Is(waiting()),
        Some(StateHere::ByReason) => Earlier::Is(with_reason(state, rest, losses)),
        Some(StateHere::Same) if rest.waits => match kind(&state) {
            Some("idle_waiting_user") => Earlier::Is(waiting()),
            Some("blocked") => Earlier::Is(json!({
                "kind": "blocked", "reason": { "kind": "needs_human_input_and_sideDialogs" },
            })),
            Some(_) | None => Earlier::Is(state),
        },
        Some(StateHere::ProceedingWithWork | StateHere::Same) | None => Earlier::Is(state),
    }
}

/// A marker, or a state with a reason.
fn with_reason(mut marker: Value, rest: Rest, losses: &mut Losses) -> Value {
    let here = states::reason_here(&marker);
    let is_known = match here {
        Some(ReasonHere::PendingCourseStart) => rest.starts,
        Some(ReasonHere::OwesReply) => false,
        Some(ReasonHere::Same) | None => true,
    };
    lose(losses, Loss::State, usize::from(!is_known));
    if here == Some(ReasonHere::PendingCourseStart) && !rest.starts {
        if let Some(map) = marker.as_object_mut() {
            map.insert("reason".to_owned(), json!({ "kind": RESTARTED }));
        }
        return marker;
    }
    let reason = marker.get_mut("reason").and_then(Value::as_object_mut);
    // 1.19 refuses a file with an action that it does not know.
    if let Some(reason) = reason
        && reason.get("recoveryAction").and_then(kind) == Some("runtime_prompt_once")
    {
        take(reason, "recoveryAction");
        lose(losses, Loss::State, 1);
    }
    states::with_reason(marker)
}

/// 1.19 knows no reason for the end of fresh-boots reasoning, and no more rounds than were planned.
fn end_reasoning(reasoning: &mut Keys, losses: &mut Losses) {
    take(reasoning, "finalizationReason");
    let rounds = number(reasoning, "effort").zip(number(reasoning, "iteration"));
    if let Some((effort, _)) = rounds.filter(|(effort, done)| done > effort) {
        reasoning.insert("iteration".to_owned(), effort.into());
        lose(losses, Loss::State, 1);
    }
}
