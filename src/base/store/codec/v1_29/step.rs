//! One step of a tree in this layout: which derived parts change with it. They are written in the same commit.
//!
//! The driver knows nothing of them. The store keeps the tree as its files have it, with the derived parts, takes each
//! change of a step into a copy, and settles the dialogs that were touched.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Map;

use crate::domain::dialogs::call::{DIRECT_FALLBACK, text_argument};
use crate::domain::dialogs::recent::ReplyDelivery;
use crate::domain::dialogs::record::{Entry, Record};
use crate::domain::{
    AssignmentFrame, CallId, Course, Dialog, DialogTree, Genseq, RecentPart, ReplyDirective,
    SelfId, Stamp, TreeChange,
};

use super::facts::{self, stamp};
use super::latest::{FileFacts, GenerationPlace};
use super::records::{call_site, read_anew, with_site};
use super::settle::{settle, user_wait};
use super::states::StateFacts;

/// What a step leads to.
#[derive(Debug)]
pub(in crate::store) struct Step {
    /// The tree after it, with its derived parts.
    pub after: DialogTree,
    /// Dialogs whose `latest.yaml` changes.
    pub latest: BTreeSet<SelfId>,
    /// Dialogs whose list of calls changes.
    pub callees: BTreeSet<SelfId>,
    /// Dialogs that owe nothing there any more, although nothing of that changed here.
    pub stacks: BTreeSet<SelfId>,
}

/// Takes the changes of a step into the tree.
pub(in crate::store) fn step(before: &DialogTree, changes: &[TreeChange], now: &Stamp) -> Step {
    let mut after = before.clone();
    let (mut latest, mut callees, mut stacks) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for change in changes {
        if let TreeChange::Append { dialog, course, entries } = change {
            for entry in entries {
                append(&mut after, dialog, *course, &read_anew(entry));
            }
            continue;
        }
        after.apply(change.clone());
        match change {
            TreeChange::Questions { dialog, .. } => wait_for_person(&mut after, dialog),
            TreeChange::Latest { dialog, .. } => {
                latest.insert(dialog.clone());
            }
            TreeChange::Pending { dialog, .. } => {
                callees.insert(dialog.clone());
            }
            TreeChange::Create { .. }
            | TreeChange::Artifact { .. }
            | TreeChange::Append { .. }
            | TreeChange::Reminders { .. }
            | TreeChange::Stack { .. }
            | TreeChange::Queue { .. }
            | TreeChange::Answers { .. }
            | TreeChange::HumanAnswers { .. }
            | TreeChange::Registry { .. }
            | TreeChange::Shared { .. } => {}
        }
    }
    let root = after.root.clone();
    let touched: BTreeSet<&SelfId> = changes.iter().filter_map(dialog_of).collect();
    for id in touched {
        let Some(dialog) = after.dialogs.get_mut(id) else { continue };
        settle(Arc::make_mut(dialog), &root, now);
        let (old, new) = (parts_of(before, id), parts_of(&after, id));
        if old.map(|part| &part.state) != new.map(|part| &part.state) {
            latest.insert(id.clone());
        }
        if old.map(|part| &part.batches) != new.map(|part| &part.batches) {
            callees.insert(id.clone());
        }
        let reply = |part: &RecentPart| part.state.final_response.clone();
        let has_concluded = old.and_then(reply) != new.and_then(reply);
        if has_concluded && after.get(id).is_some_and(Dialog::is_fresh_boots) {
            stacks.insert(id.clone());
        }
    }
    Step { after, latest, callees, stacks }
}

fn dialog_of(change: &TreeChange) -> Option<&SelfId> {
    match change {
        TreeChange::Create { meta, .. } => Some(&meta.id),
        TreeChange::Append { dialog, .. }
        | TreeChange::Latest { dialog, .. }
        | TreeChange::Questions { dialog, .. }
        | TreeChange::Pending { dialog, .. }
        | TreeChange::Stack { dialog, .. } => Some(dialog),
        TreeChange::Artifact { .. }
        | TreeChange::Reminders { .. }
        | TreeChange::Queue { .. }
        | TreeChange::Answers { .. }
        | TreeChange::HumanAnswers { .. }
        | TreeChange::Registry { .. }
        | TreeChange::Shared { .. } => None,
    }
}

fn parts_of<'a>(tree: &'a DialogTree, id: &SelfId) -> Option<&'a RecentPart> {
    tree.get(id)?.recent.as_deref()
}

/// A record: what it says about the derived parts, then the fold.
fn append(tree: &mut DialogTree, id: &SelfId, course: Course, entry: &Arc<Entry>) {
    let delivery = new_delivery(tree, id, entry);
    note_plain_words(tree, id, entry);
    if let Some(dialog) = tree.dialogs.get_mut(id) {
        let dialog = Arc::make_mut(dialog);
        if let Some(part) = &mut dialog.recent {
            if delivery.is_some() {
                part.state.reply_delivery = delivery;
            }
            facts::note(part, &dialog.history, course, entry);
        }
    }
    let (dialog, entries) = (id.clone(), vec![Arc::clone(entry)]);
    tree.apply(TreeChange::Append { dialog, course, entries });
}

/// Words that are delivered as a reply end their call otherwise than a reply tool does.
fn note_plain_words(tree: &mut DialogTree, id: &SelfId, entry: &Entry) {
    let Record::ReplyResolution { call_id, target_call_id: target, .. } = &entry.record else {
        return;
    };
    if !call_id.as_str().starts_with(DIRECT_FALLBACK) {
        return;
    }
    let owed = tree.get(id).and_then(|dialog| owed_to(dialog, target));
    let Some(asker) = owed.map(|owed| owed.target_dialog_id.clone()) else { return };
    let Some(asker) = tree.dialogs.get_mut(&asker).map(Arc::make_mut) else { return };
    let batches = asker.recent.iter_mut().flat_map(|part| &mut part.batches);
    let callees = batches.flat_map(|batch| &mut batch.callees);
    for callee in callees.filter(|callee| callee.call_id == *target && callee.completion.is_some())
    {
        callee.completion = Some(facts::plain_words(target));
    }
}

/// Whether the question is open is written with the question, also of the dead.
fn wait_for_person(tree: &mut DialogTree, id: &SelfId) {
    let Some(dialog) = tree.dialogs.get_mut(id).map(Arc::make_mut) else { return };
    let Some(mut part) = dialog.recent.take() else { return };
    part.state.user_wait = user_wait(part.state.user_wait.take(), dialog);
    dialog.recent = Some(part);
}

/// The delivery that the record of a reply tells of, if a tool made it.
fn new_delivery(tree: &DialogTree, id: &SelfId, entry: &Entry) -> Option<ReplyDelivery> {
    let Record::ReplyResolution { call_id, target_call_id, .. } = &entry.record else {
        return None;
    };
    let dialog = tree.get(id)?;
    let call = dialog.history.calls.get(call_id)?;
    let known = dialog.recent.as_ref().and_then(|part| part.state.reply_delivery.as_ref());
    if known.is_some_and(|known| known.reply_call_id == *call_id) {
        return None;
    }
    let owed = owed_to(dialog, target_call_id)?;
    let (root, at) = (&tree.root, stamp(&entry.ts));
    Some(ReplyDelivery {
        reply_delivery_id: format!("reply-delivery:{root}:{id}:{call_id}"),
        status: "pending".to_owned(),
        tool_result_status: "pending".to_owned(),
        expected_reply_call_name: owed.expected_reply_call_name.clone(),
        target_dialog_id: owed.target_dialog_id.clone(),
        target_call_id: target_call_id.clone(),
        reply_call_id: call_id.clone(),
        reply_genseq: Genseq(call.genseq.0.max(1)),
        reply_content: text_argument(&call.arguments, "replyContent").unwrap_or_default(),
        created_at: at,
        delivered_at: None,
        extra: Map::new(),
    })
}

fn owed_to<'a>(dialog: &'a Dialog, call: &CallId) -> Option<&'a ReplyDirective> {
    let mut owed = dialog.stack.iter().filter_map(|frame| frame.tellask_reply_obligation.as_ref());
    owed.find(|owed| owed.target_call_id == *call)
}

impl Step {
    /// What the file of a dialog says; `None` for one that is not in the tree.
    pub fn file_facts(&self, id: &SelfId) -> Option<(&Dialog, FileFacts<'_>)> {
        let dialog = self.after.get(id)?;
        let state = &dialog.recent.as_ref()?.state;
        let prompt = dialog.latest.pending_course_start_prompt.as_ref();
        let target = prompt.and_then(|prompt| prompt.side_dialog_reply_target.as_ref());
        let asked_at: Option<GenerationPlace> =
            target.and_then(|to| call_site(&self.after, &to.owner_dialog_id, &to.call_id));
        let asked_at = asked_at.unwrap_or((Course::FIRST, Genseq(1)));
        Some((dialog, FileFacts { state, shown: state_facts(dialog), asked_at }))
    }

    /// The frames of the stack of a dialog, each assignment with the place of its call. A member that thought anew keeps
    /// its obligation here; there nothing is owed once its conclusion is delivered.
    pub fn frames(&self, id: &SelfId, stack: &[AssignmentFrame]) -> Vec<AssignmentFrame> {
        let dialog = self.after.get(id);
        let thinks = dialog.is_some_and(Dialog::is_fresh_boots);
        let framed = |frame: &AssignmentFrame| {
            let assigned = frame.assignment_from_asker.as_ref();
            let assigned = assigned.map(|assigned| with_site(assigned, &self.after));
            let owed = frame.tellask_reply_obligation.clone();
            let is_done = |owed: &ReplyDirective| dialog.is_some_and(|d| is_given(d, owed));
            let owed = owed.filter(|owed| !thinks || !is_done(owed));
            AssignmentFrame {
                assignment_from_asker: assigned,
                tellask_reply_obligation: owed,
                ..frame.clone()
            }
        };
        stack.iter().map(framed).collect()
    }
}

/// True if its newest reply is the one that is owed.
fn is_given(dialog: &Dialog, owed: &ReplyDirective) -> bool {
    let replied = dialog.recent.as_ref().and_then(|part| part.state.final_response.as_ref());
    replied.is_some_and(|reply| reply.call_id == owed.target_call_id)
}

fn state_facts(dialog: &Dialog) -> StateFacts {
    let top = dialog.stack.last().and_then(|frame| frame.tellask_reply_obligation.as_ref());
    StateFacts {
        owes: top.is_some_and(|owed| !is_given(dialog, owed)),
        asks: !dialog.questions.is_empty(),
        waits: dialog.waits_for_others(),
        open: dialog.history.last.open,
    }
}
