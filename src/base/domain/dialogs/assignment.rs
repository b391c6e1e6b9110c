//! Who asked a side dialog for what, and whom it owes a reply.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::ids::{AgentId, CallId, SelfId};

/// What a tellask asks its side dialog to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Assignment {
    /// `tellask`, `tellaskSessionless` or `freshBootsReasoning`.
    pub call_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mention_list: Option<Vec<String>>,
    pub tellask_content: String,
    pub origin_member_id: AgentId,
    pub asker_dialog_id: SelfId,
    pub call_id: CallId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collective_targets: Option<Vec<AgentId>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_fbr_effort: Option<u32>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Assignment {
    /// True for fresh-boots reasoning, which has its own phases and keeps its obligation for ever.
    #[must_use]
    pub fn is_fresh_boots(&self) -> bool {
        self.call_name == "freshBootsReasoning"
    }
}

/// The reply a dialog owes: which tool delivers it, to which call of which dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyDirective {
    pub expected_reply_call_name: String,
    pub target_dialog_id: SelfId,
    pub target_call_id: CallId,
    pub tellask_content: String,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The kind every line of an asker stack carries.
pub const FRAME_KIND: &str = "asker_dialog_stack_frame";

/// One line of `asker-stack.jsonl`; the last line is the top.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssignmentFrame {
    pub kind: String,
    pub asker_dialog_id: SelfId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assignment_from_asker: Option<Assignment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tellask_reply_obligation: Option<ReplyDirective>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl AssignmentFrame {
    /// A frame that owes the reply to its assignment.
    #[must_use]
    pub fn owing(assignment: Assignment, reply_tool: &str) -> Self {
        let obligation = ReplyDirective {
            expected_reply_call_name: reply_tool.to_owned(),
            target_dialog_id: assignment.asker_dialog_id.clone(),
            target_call_id: assignment.call_id.clone(),
            tellask_content: assignment.tellask_content.clone(),
            extra: Map::new(),
        };
        Self {
            kind: FRAME_KIND.to_owned(),
            asker_dialog_id: assignment.asker_dialog_id.clone(),
            assignment_from_asker: Some(assignment),
            tellask_reply_obligation: Some(obligation),
            extra: Map::new(),
        }
    }

    /// A frame that owes an answer to one of its own side dialogs, which asked back.
    #[must_use]
    pub fn asked_back(side: &SelfId, call: &CallId, content: &str, reply_tool: &str) -> Self {
        let obligation = ReplyDirective {
            expected_reply_call_name: reply_tool.to_owned(),
            target_dialog_id: side.clone(),
            target_call_id: call.clone(),
            tellask_content: content.to_owned(),
            extra: Map::new(),
        };
        Self {
            kind: FRAME_KIND.to_owned(),
            asker_dialog_id: side.clone(),
            assignment_from_asker: None,
            tellask_reply_obligation: Some(obligation),
            extra: Map::new(),
        }
    }

    /// True for a frame that a side dialog's question put on the stack.
    #[must_use]
    pub fn is_ask_back(&self) -> bool {
        self.assignment_from_asker.is_none()
    }

    /// The call it owes a reply to.
    #[must_use]
    pub fn owed_call(&self) -> Option<&CallId> {
        self.tellask_reply_obligation.as_ref().map(|owed| &owed.target_call_id)
    }
}
