//! Builds the rows of the tree and of the inbox.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::fresh_boots::reasoning;
use crate::domain::question::short_headline;
use crate::domain::record::{Origin, Record};
use crate::domain::state::{Activity, derive};
use crate::domain::{AgentId, Dialog, DialogTree, KeepGoing, SelfId};
use crate::protocol::event::{InboxRow, QueuedMessage, TreeRow};
use crate::store::TreeListing;

/// Longest summary of a dialog.
const ABOUT_CHARS: usize = 120;

pub fn tree_row(
    tree: &DialogTree,
    dialog: &Dialog,
    activity: Activity,
    keep_going: &KeepGoing,
) -> TreeRow {
    let is_main = tree.is_main(&dialog.meta.id);
    TreeRow {
        dialog: tree.id(&dialog.meta.id),
        asker: asker_of(tree, dialog),
        agent: dialog.meta.agent_id.clone(),
        slug: dialog.meta.session_slug.clone(),
        taskdoc: dialog.meta.task_doc_path.clone(),
        state: derive(dialog, activity),
        course: dialog.history.course,
        genseq: dialog.history.last_genseq,
        created_at: dialog.meta.created_at.clone(),
        last_modified: dialog.latest.last_modified.clone(),
        questions: if dialog.latest.is_dead() { 0 } else { dialog.questions.len() },
        pending: dialog.pending.len(),
        about: about(dialog),
        reasoning: reasoning(dialog),
        context_percent: dialog.history.pressure.percent,
        context_level: dialog.history.pressure.level,
        keep_going: if is_main { keep_going.pushes(&dialog.latest) } else { None },
        history: false,
        queued: queued(dialog),
    }
}

fn queued(dialog: &Dialog) -> Arc<[QueuedMessage]> {
    let messages = dialog.queue.iter().filter(|prompt| prompt.is_user());
    messages
        .map(|prompt| QueuedMessage {
            message: prompt.msg_id.clone(),
            text: prompt.content.as_str().into(),
        })
        .collect()
}

fn asker_of(tree: &DialogTree, dialog: &Dialog) -> Option<SelfId> {
    if tree.is_main(&dialog.meta.id) {
        return None;
    }
    let asker = dialog.assignment().map(|assignment| assignment.asker_dialog_id.clone());
    Some(asker.filter(|id| tree.get(id).is_some()).unwrap_or_else(|| tree.root.main()))
}

fn about(dialog: &Dialog) -> String {
    let text = match dialog.assignment() {
        Some(assignment) => Some(assignment.tellask_content.as_str()),
        None => dialog.history.opening.as_ref().and_then(|entry| user_message(&entry.record)),
    };
    short_headline(text.unwrap_or_default(), ABOUT_CHARS)
}

fn user_message(record: &Record) -> Option<&str> {
    let Record::HumanText(text) = record else { return None };
    (text.origin == Origin::User).then_some(text.content.as_str())
}

/// The open questions of a tree; a dead dialog asks nothing.
pub fn inbox(tree: &DialogTree) -> Vec<InboxRow> {
    let living = tree.dialogs.values().filter(|dialog| !dialog.latest.is_dead());
    living
        .flat_map(|dialog| {
            dialog.questions.iter().map(|question| InboxRow {
                dialog: tree.id(&dialog.meta.id),
                agent: dialog.meta.agent_id.clone(),
                slug: dialog.meta.session_slug.clone(),
                taskdoc: dialog.meta.task_doc_path.clone(),
                question: question.clone(),
                blocks: blocked_by(tree, dialog),
            })
        })
        .collect()
}

/// The open questions of a tree that is not loaded.
pub fn listed_inbox(listing: &TreeListing) -> Vec<InboxRow> {
    let agent_of = |id: &SelfId| {
        listing.dialogs.iter().find(|d| &d.meta.id == id).map(|d| d.meta.agent_id.clone())
    };
    let living = listing.dialogs.iter().filter(|dialog| !dialog.latest.is_dead());
    living
        .flat_map(|dialog| {
            dialog.questions.iter().map(|question| InboxRow {
                dialog: crate::domain::DialogId::side(&listing.root, &dialog.meta.id),
                agent: dialog.meta.agent_id.clone(),
                slug: dialog.meta.session_slug.clone(),
                taskdoc: dialog.meta.task_doc_path.clone(),
                question: question.clone(),
                blocks: dialog.asker.iter().filter_map(agent_of).collect(),
            })
        })
        .collect()
}

/// The members whose dialogs wait for this one, nearest first.
fn blocked_by(tree: &DialogTree, dialog: &Dialog) -> Vec<AgentId> {
    let mut waiting = Vec::new();
    let mut seen = BTreeSet::from([&dialog.meta.id]);
    let mut current = dialog;
    loop {
        let owed = current.obligation().map(|owed| &owed.target_dialog_id);
        let asker = owed.filter(|id| seen.insert(id)).and_then(|id| tree.get(id));
        let Some(asker) = asker else { return waiting };
        waiting.push(asker.meta.agent_id.clone());
        current = asker;
    }
}
