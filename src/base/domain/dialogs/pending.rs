//! Tellasks that wait for a reply, and the groups in which an asker waits for them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::domain::ids::{AgentId, CallId, SelfId, Slug};
use crate::domain::number::{Course, Genseq};
use crate::domain::time::Stamp;

/// The shape of a tellask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CallType {
    A,
    B,
    C,
}

/// One entry of `pending-sideDialogs.json`: the asker waits for this side dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pending {
    pub side_dialog_id: SelfId,
    pub created_at: Stamp,
    pub call_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mention_list: Option<Vec<String>>,
    pub tellask_content: String,
    pub target_agent_id: AgentId,
    pub call_id: CallId,
    pub call_site_course: Course,
    pub call_site_genseq: Genseq,
    pub call_type: CallType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_slug: Option<Slug>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The calls of one generation: the asker goes on when all of them are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WaitGroup {
    pub course: Course,
    pub genseq: Genseq,
}

impl Pending {
    #[must_use]
    pub fn group(&self) -> WaitGroup {
        WaitGroup { course: self.call_site_course, genseq: self.call_site_genseq }
    }
}
