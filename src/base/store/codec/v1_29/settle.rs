//! The derived parts that follow from the facts of a dialog, whatever records led there: the open question, the batches of
//! calls, the triggers. Settled after each step, and when a tree is taken up: what a kill left between two files mends
//! itself.

use serde_json::{Map, Value, json};

use crate::domain::dialogs::recent::{
    BatchStatus, Callee, CalleeBatch, CalleeStatus, GenerationRef, RecentPart, RunState, Trigger,
    TriggerKind, UserWait,
};
use crate::domain::dialogs::record::{Record, ReplyStatus};
use crate::domain::{CallId, Dialog, Pending, RootId, Stamp};

use super::facts::{self, DELIVERED, RECORDED, reply_tool, stamp};
use super::taking_up::is_left;

/// The keys of `latest.yaml` that are derived: what could not be read of them is made anew.
const DERIVED: [&str; 5] =
    ["nextStep", "tellaskCalls", "tellaskResults", "generationRunState", "userWait"];

/// Brings the derived parts of a dialog in line with its facts. The dead keep what they have.
pub(in crate::store) fn settle(dialog: &mut Dialog, root: &RootId, now: &Stamp) {
    let Some(mut part) = dialog.recent.take() else { return };
    let state = &mut part.state;
    for key in DERIVED {
        state.unread.remove(key);
    }
    // These keys are demanded, also where they are empty.
    facts::calls(state);
    facts::results(state);
    facts::work(state);
    if !dialog.latest.is_dead() {
        part.state.user_wait = user_wait(part.state.user_wait.take(), dialog);
        settle_batches(&mut part.batches, dialog, root, now);
        settle_triggers(&mut part, dialog, now);
    }
    dialog.recent = Some(part);
}

/// What makes a dialog wait for a person there.
pub(in crate::store) fn user_wait(known: Option<UserWait>, dialog: &Dialog) -> Option<UserWait> {
    let open = dialog.questions.first()?;
    if let Some(known) = known.filter(|known| known.question_id == open.id) {
        return Some(known);
    }
    let site = &open.call_site_ref;
    Some(UserWait {
        kind: "awaiting_user_answer".to_owned(),
        question_id: open.id.clone(),
        call_id: open.call_id.clone(),
        course: site.course,
        genseq: site.call_site_genseq,
        asked_at: stamp(&open.asked_at),
        extra: Map::new(),
    })
}

fn settle_batches(batches: &mut Vec<CalleeBatch>, dialog: &Dialog, root: &RootId, now: &Stamp) {
    for pending in &dialog.pending {
        let of_batch =
            |batch: &CalleeBatch| batch.callees.iter().any(|c| c.call_id == pending.call_id);
        if !batches.iter().any(of_batch) {
            add_callee(batches, dialog, root, pending);
        }
    }
    for batch in batches.iter_mut() {
        batch.callees.retain_mut(|callee| {
            finish_replied(callee, dialog, now);
            is_awaited_or_final(callee, dialog)
        });
        let waits = batch.callees.iter().any(|callee| callee.status == CalleeStatus::Pending);
        if waits {
            (batch.status, batch.resolved_at) = (BatchStatus::Open, None);
        } else if batch.status == BatchStatus::Open {
            (batch.status, batch.resolved_at) = (BatchStatus::Resolved, Some(stamp(now)));
        }
    }
    // An update of a session may have closed the last call of a batch whose other replies were read long ago.
    batches.retain(|batch| !batch.callees.is_empty() && is_left(batch, &dialog.history));
}

fn finish_replied(callee: &mut Callee, dialog: &Dialog, now: &Stamp) {
    let replied = dialog.history.replies.contains_key(&callee.call_id);
    if callee.status == CalleeStatus::Pending && replied {
        callee.status = CalleeStatus::Final;
        callee.completion = Some(reply_tool(&callee.call_id));
        callee.resolved_at = Some(stamp(now));
    }
}

/// False for a call that no reply will answer: nobody waits for it any more, or its session was asked anew.
fn is_awaited_or_final(callee: &Callee, dialog: &Dialog) -> bool {
    if callee.status == CalleeStatus::Pending {
        return dialog.pending.iter().any(|pending| pending.call_id == callee.call_id);
    }
    let failed = dialog.history.replies.get(&callee.call_id) == Some(&ReplyStatus::Failed);
    let is_asked_anew = |pending: &Pending| {
        pending.session_slug == callee.session_slug
            && pending.target_agent_id == callee.target_agent_id
    };
    let in_session = callee.session_slug.is_some();
    !(failed && in_session && dialog.pending.iter().any(is_asked_anew))
}

fn add_callee(batches: &mut Vec<CalleeBatch>, dialog: &Dialog, root: &RootId, pending: &Pending) {
    let callee = Callee {
        call_id: pending.call_id.clone(),
        callee_dialog_id: pending.side_dialog_id.clone(),
        call_name: pending.call_name.clone(),
        status: CalleeStatus::Pending,
        target_agent_id: pending.target_agent_id.clone(),
        tellask_content: pending.tellask_content.clone(),
        call_type: pending.call_type,
        mention_list: pending.mention_list.clone().filter(|mentions| !mentions.is_empty()),
        session_slug: pending.session_slug.clone(),
        created_at: stamp(&pending.created_at),
        completion: None,
        resolved_at: None,
        extra: pending.extra.clone(),
    };
    let (course, genseq) = (pending.call_site_course, pending.call_site_genseq);
    let same = |batch: &&mut CalleeBatch| {
        (batch.call_site.course, batch.call_site.genseq) == (course, genseq)
    };
    if let Some(batch) = batches.iter_mut().find(same) {
        batch.callees.push(callee);
        return;
    }
    batches.push(CalleeBatch {
        batch_id: batch_id(root, dialog, pending),
        call_site: GenerationRef { course, genseq, extra: Map::new() },
        status: BatchStatus::Open,
        created_at: callee.created_at.clone(),
        callees: vec![callee],
        resolved_at: None,
        extra: Map::new(),
    });
}

fn batch_id(root: &RootId, dialog: &Dialog, pending: &Pending) -> String {
    let (course, genseq) = (pending.call_site_course, pending.call_site_genseq);
    format!("dispatch:{root}:{}:c{course}:g{genseq}", dialog.meta.id)
}

/// A trigger that the facts demand.
struct Wanted {
    id: String,
    kind: TriggerKind,
    /// The key that says what it is about.
    about: &'static str,
    details: Map<String, Value>,
}

impl Wanted {
    fn new(
        id: String,
        kind: TriggerKind,
        about: &'static str,
        details: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Self {
        let details = details.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        Self { id, kind, about, details }
    }

    fn is(&self, trigger: &Trigger) -> bool {
        self.kind == trigger.kind && self.details.get(self.about) == trigger.details.get(self.about)
    }
}

fn settle_triggers(part: &mut RecentPart, dialog: &Dialog, now: &Stamp) {
    let wanted = wanted(part, dialog);
    let reply = part.state.reply_delivery.as_ref();
    let delivers = reply
        .is_some_and(|reply| reply.status != DELIVERED || reply.tool_result_status != RECORDED);
    let is_open = matches!(part.state.generation_run_state, Some(RunState::Open { .. }));
    let work = facts::work(&mut part.state);
    work.triggers.retain(|trigger| match trigger.kind {
        TriggerKind::Followup | TriggerKind::ResultArrival | TriggerKind::QueuedPrompt => {
            wanted.iter().any(|wanted| wanted.is(trigger))
        }
        TriggerKind::ReplyDeliveryRecovery => delivers,
        TriggerKind::OpenGenerationRecovery => is_open,
        TriggerKind::MainlineDiligence | TriggerKind::UserInput => true,
    });
    for wanted in wanted {
        if work.triggers.iter().any(|trigger| wanted.is(trigger)) {
            continue;
        }
        let Wanted { id, kind, details, .. } = wanted;
        let (seq, created_at) = (work.next_seq, stamp(now));
        work.next_seq = work.next_seq.saturating_add(1);
        work.triggers.push(Trigger { trigger_id: id, kind, seq, created_at, details });
    }
}

/// Why the next generation is to begin, by the facts. In the driver's words: replies that are in, a prompt that waits, the
/// results of calls that the model has not seen.
fn wanted(part: &RecentPart, dialog: &Dialog) -> Vec<Wanted> {
    let resolved = part.batches.iter().filter(|batch| batch.status == BatchStatus::Resolved);
    let mut all: Vec<Wanted> = resolved
        .map(|batch| {
            let (id, batch) = (format!("result-arrival:{}", batch.batch_id), &batch.batch_id);
            Wanted::new(id, TriggerKind::ResultArrival, "batchId", [("batchId", json!(batch))])
        })
        .collect();
    let prompt = dialog.latest.pending_course_start_prompt.as_ref();
    if let Some(prompt) = prompt.filter(|prompt| !dialog.history.messages.contains(&prompt.msg_id))
    {
        let id = format!("queued-prompt:{}", prompt.msg_id);
        let course = dialog.latest.current_course;
        let details = [("promptId", json!(prompt.msg_id)), ("course", json!(course))];
        all.push(Wanted::new(id, TriggerKind::QueuedPrompt, "promptId", details));
    }
    all.extend(followup(dialog));
    all
}

fn followup(dialog: &Dialog) -> Option<Wanted> {
    let history = &dialog.history;
    // What was stopped goes on when a person continues it, and needs no trigger.
    let is_stopped = dialog.latest.execution_marker.is_some();
    if !history.owes_followup() || is_stopped || dialog.is_fresh_boots() {
        return None;
    }
    let newest = history.entries.iter().rev();
    let results = newest.take_while(|entry| !matches!(entry.record, Record::GenStart));
    let mut calls: Vec<&CallId> = results
        .filter_map(|entry| {
            let Record::FuncResult(result) = &entry.record else { return None };
            Some(&result.id)
        })
        .collect();
    calls.reverse();
    if calls.is_empty() {
        return None;
    }
    let (course, genseq) = (history.last.course.unwrap_or(history.course), history.last.genseq);
    let reason = json!({ "kind": "ordinary_tool_result", "callIds": calls });
    let details = [
        ("sourceGeneration", json!({ "course": course, "genseq": genseq })),
        ("reasons", json!([reason])),
    ];
    let id = format!("followup:c{course}:g{genseq}");
    Some(Wanted::new(id, TriggerKind::Followup, "sourceGeneration", details))
}
