//! From 1.19 to 1.29.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::domain::text::{Localized, Text};
use crate::domain::{Layout, Loss};

use super::facts::{CallRecord, Site};
use super::mapping::{Mapping, StateFiles, is_dead, owes, stop};
use super::values::{Keys, Losses, lose, number, rename, take, text};
use super::{callees, reminders, stacks};
use crate::store::codec::v1_29::facts::{has_indexed_result, is_indexed};
use crate::store::codec::v1_29::latest::PROMPT;
use crate::store::codec::v1_29::states;

/// Keys that only 1.29 has; what another program left of them means nothing in 1.19.
pub(super) const ONLY_THERE: [&str; 11] = [
    "nextStep",
    "tellaskCalls",
    "tellaskResults",
    "generationRunState",
    "userWait",
    "replyDelivery",
    "latestAssignmentAnchor",
    "sideDialogFinalResponse",
    PROMPT,
    "pendingUserInterjectionReply",
    "backendDriveStall",
];

pub(super) fn state_files(
    files: StateFiles,
    at: &Mapping<'_>,
) -> Result<(StateFiles, Losses), Localized> {
    let mut losses = Losses::new();
    let waiting = match &files.calls {
        Some(list) => callees::batches(list, at)?,
        None => Vec::new(),
    };
    let sites: BTreeSet<Site> = waiting.iter().map(|(site, _)| *site).collect();
    let mut latest = files.latest.unwrap_or_else(|| at.default_latest());
    let work = work(&mut latest, at, &sites, &mut losses)?;
    let is_dead = is_dead(&latest);
    let owes = owes(files.stack.as_ref());
    if let Some(state) = latest.get_mut("displayState") {
        *state = states::display_state_there(state.take(), owes);
    }
    if let Some(marker) = latest.get_mut("executionMarker") {
        *marker = states::reason_there(marker.take());
    }
    derive(&mut latest, at)?;
    if let Some(question) = question(files.questions.as_ref())?.filter(|_| !is_dead) {
        latest.insert("userWait".to_owned(), user_wait(question)?);
    }
    latest.insert("nextStep".to_owned(), next_step(work.triggers));
    let batches: Vec<Value> =
        waiting.into_iter().map(|(_, batch)| batch).chain(work.arrived).collect();
    let calls = (!batches.is_empty()).then(|| json!({ "batches": batches }));
    let stack = files.stack.map(|frames| stacks::frames(frames, Layout::V1_29, at)).transpose()?;
    let reminders = files.reminders.map(|file| reminders::in_file(file, Layout::V1_29).0);
    let questions = files.questions;
    Ok((StateFiles { latest: Some(latest), questions, calls, stack, reminders }, losses))
}

/// What a dialog is to do next.
#[derive(Default)]
struct Work {
    triggers: Vec<Keys>,
    /// The answered batches that triggers name.
    arrived: Vec<Value>,
}

/// Takes what is to be done out of the keys of 1.19.
fn work(
    latest: &mut Keys,
    at: &Mapping<'_>,
    waiting: &BTreeSet<Site>,
    losses: &mut Losses,
) -> Result<Work, Localized> {
    let needs_drive = take(latest, "needsDrive") == Some(Value::Bool(true));
    let parked = take(latest, "deferredReplyReassertion");
    lose(losses, Loss::ParkedWork, usize::from(parked.is_some()));
    for key in ONLY_THERE {
        take(latest, key);
    }
    let mut work = Work::default();
    let modified = text(latest, "lastModified").unwrap_or(at.created_at).to_owned();
    if let Some(prompt) = take(latest, "pendingCourseStartPrompt") {
        let prompt = prompt_there(prompt, at)?;
        work.triggers.push(queued_prompt(&prompt, &modified, latest, at)?);
        latest.insert(PROMPT.to_owned(), Value::Object(prompt));
    }
    if !needs_drive || is_dead(latest) {
        return Ok(work);
    }
    work.arrived = callees::arrived(at, waiting);
    for batch in work.arrived.iter().filter_map(Value::as_object) {
        let id = text(batch, "batchId").unwrap_or_default();
        let when = text(batch, "resolvedAt").unwrap_or(&modified);
        let name = format!("result-arrival:{id}");
        work.triggers.push(trigger(("result_arrival", &name), when, ("batchId", id)));
    }
    if work.triggers.is_empty() {
        lose(losses, Loss::NeedsDrive, 1);
        stop(latest);
    }
    Ok(work)
}

fn trigger((kind, id): (&str, &str), created: &str, about: (&str, &str)) -> Keys {
    let mut trigger = Keys::new();
    for (key, value) in [("triggerId", id), ("createdAt", created), ("kind", kind), about] {
        trigger.insert(key.to_owned(), value.into());
    }
    trigger
}

fn next_step(mut triggers: Vec<Keys>) -> Value {
    for (seq, trigger) in (1_u64..).zip(&mut triggers) {
        trigger.insert("seq".to_owned(), seq.into());
    }
    json!({ "nextSeq": triggers.len() + 1, "triggers": triggers })
}

/// The prompt that begins a course.
fn prompt_there(prompt: Value, at: &Mapping<'_>) -> Result<Keys, Localized> {
    let Value::Object(mut prompt) = prompt else { return Err(BAD_PROMPT.into()) };
    let target = prompt.get_mut("sideDialogReplyTarget").and_then(Value::as_object_mut);
    if let Some(target) = target {
        let names = text(target, "ownerDialogId").zip(text(target, "callId"));
        let (owner, call) = names.ok_or(BAD_PROMPT)?;
        let site = at.site(owner, call)?;
        rename(target, "ownerDialogId", "callerDialogId");
        target.insert("callSiteCourse".to_owned(), site.course.into());
        target.insert("callSiteGenseq".to_owned(), site.genseq.into());
    }
    rename(&mut prompt, "sideDialogReplyTarget", "calleeDialogReplyTarget");
    Ok(prompt)
}

const BAD_PROMPT: Text =
    Text::new("the prompt that begins its next course cannot be read", "无法读取开始下一程的提示");

/// The trigger of a prompt, which begins a later course than that of the newest generation.
fn queued_prompt(
    prompt: &Keys,
    created: &str,
    latest: &Keys,
    at: &Mapping<'_>,
) -> Result<Keys, Localized> {
    let id = text(prompt, "msgId").ok_or(BAD_PROMPT)?;
    let generated = at.facts.generation.as_ref().map_or(0, |newest| newest.site.course);
    let named = number(latest, "currentCourse").unwrap_or(1);
    let name = format!("queued-prompt:{id}");
    let mut trigger = trigger(("queued_prompt", &name), created, ("promptId", id));
    trigger.insert("course".to_owned(), named.max(generated.saturating_add(1)).into());
    Ok(trigger)
}

/// Adds what follows from the courses.
fn derive(latest: &mut Keys, at: &Mapping<'_>) -> Result<(), Localized> {
    let facts = at.facts;
    let call = |call: &CallRecord| {
        json!({
            "callId": call.id, "callName": call.name, "course": call.site.course,
            "genseq": call.site.genseq, "recordedAt": call.ts,
            "callRecordId": format!("tellask-call:{}", call.id),
        })
    };
    let result = |result: &CallRecord| {
        json!({
            "callId": result.id, "callName": result.name, "course": result.site.course,
            "recordedAt": result.ts, "resultRecordId": format!("tellask-result:{}", result.id),
        })
    };
    let calls = callees::index(&facts.calls, is_indexed, call)?;
    let results = callees::index(&facts.results, has_indexed_result, result)?;
    latest.insert("tellaskCalls".to_owned(), json!({ "calls": calls }));
    latest.insert("tellaskResults".to_owned(), json!({ "results": results }));
    let generation = facts.generation.as_ref();
    let run = generation.map(|newest| {
        json!({
            "kind": "closed", "course": newest.site.course, "genseq": newest.site.genseq,
            "closedAt": newest.ts,
        })
    });
    for (key, value) in [
        ("generationRunState", run.as_ref()),
        ("latestAssignmentAnchor", facts.assignment.as_ref()),
        ("sideDialogFinalResponse", facts.response.as_ref()),
    ] {
        latest.extend(value.map(|value| (key.to_owned(), value.clone())));
    }
    let reasoning = latest.get_mut("fbrState").and_then(Value::as_object_mut);
    if let Some(reasoning) = reasoning.filter(|state| text(state, "phase") == Some("finalization"))
    {
        reasoning.entry("finalizationReason").or_insert_with(|| "planned".into());
    }
    Ok(())
}

/// The open question; 1.29 has one at most.
fn question(file: Option<&Value>) -> Result<Option<&Keys>, Localized> {
    let list = file.and_then(|file| file.get("questions")?.as_array());
    match list.map_or(&[][..], Vec::as_slice) {
        [] => Ok(None),
        [one] => Ok(one.as_object()),
        [_, _, ..] => Err(Text::new(
            "a dialog has several open questions, of which Dominds 1.29 accepts one",
            "有对话存在多个未答复的提问，而 Dominds 1.29 只接受一个",
        )
        .into()),
    }
}

/// The mirror of the open question, which makes a dialog of 1.29 wait.
fn user_wait(question: &Keys) -> Result<Value, Localized> {
    const UNREADABLE: Text = Text::new("the open question cannot be read", "无法读取未答复的提问");
    let of = |key: &str| text(question, key).ok_or(UNREADABLE);
    let site = question.get("callSiteRef").and_then(Value::as_object).ok_or(UNREADABLE)?;
    let course = number(site, "course").filter(|course| *course > 0).ok_or(UNREADABLE)?;
    let mut wait = Keys::new();
    wait.insert("kind".to_owned(), "awaiting_user_answer".into());
    wait.insert("questionId".to_owned(), of("id")?.into());
    wait.insert("callId".to_owned(), of("callId")?.into());
    wait.insert("course".to_owned(), course.into());
    let genseq = number(site, "callSiteGenseq");
    wait.extend(genseq.map(|genseq| ("genseq".to_owned(), genseq.into())));
    wait.insert("askedAt".to_owned(), of("askedAt")?.into());
    Ok(Value::Object(wait))
}
