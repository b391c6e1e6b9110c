//! One dialog: its identity, its state files and its folded history, as they are on disk.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::assignment::{Assignment, Frame, ReplyDirective};
use super::history::History;
use super::ids::{AgentId, SelfId, Slug};
use super::latest::Latest;
use super::pending::Pending;
use super::question::Question;
use super::queue::QueuedPrompt;
use super::reminder::Reminder;
use super::time::Stamp;

/// `dialog.yaml`: written once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DialogMeta {
    pub id: SelfId,
    pub agent_id: AgentId,
    pub task_doc_path: String,
    pub created_at: Stamp,
    /// Present exactly for a side dialog of a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_slug: Option<Slug>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Dialog {
    pub meta: DialogMeta,
    pub latest: Latest,
    pub reminders: Vec<Reminder>,
    pub questions: Vec<Question>,
    pub pending: Vec<Pending>,
    /// The asker stack; the last frame is the top.
    pub stack: Vec<Frame>,
    /// Prompts that wait for their generation.
    pub queue: Vec<QueuedPrompt>,
    pub history: History,
}

impl Dialog {
    #[must_use]
    pub fn new(meta: DialogMeta, latest: Latest) -> Self {
        let history = History::new(latest.current_course);
        Self {
            meta,
            latest,
            reminders: Vec::new(),
            questions: Vec::new(),
            pending: Vec::new(),
            stack: Vec::new(),
            queue: Vec::new(),
            history,
        }
    }

    /// What this side dialog was last asked to do.
    #[must_use]
    pub fn assignment(&self) -> Option<&Assignment> {
        self.stack.iter().rev().find_map(|frame| frame.assignment_from_asker.as_ref())
    }

    /// The reply this dialog owes now: that of the top frame.
    #[must_use]
    pub fn obligation(&self) -> Option<&ReplyDirective> {
        self.stack.last()?.tellask_reply_obligation.as_ref()
    }

    /// The dialog this one works for.
    #[must_use]
    pub fn asker(&self) -> Option<&SelfId> {
        self.stack.last().map(|frame| &frame.asker_dialog_id)
    }

    /// The assignment whose first generation has not begun: nothing in the courses anchors its call.
    #[must_use]
    pub fn unstarted_assignment(&self) -> Option<&Assignment> {
        let assignment = self.assignment()?;
        let owed = self.obligation()?.target_call_id == assignment.call_id;
        let queued = self.queue.iter().any(|p| p.assigns.as_ref() == Some(&assignment.call_id));
        let started = self.history.assignments.contains_key(&assignment.call_id);
        (owed && !queued && !started && !assignment.is_fresh_boots()).then_some(assignment)
    }
}
