//! What only the layout of Dominds 1.29 has of a dialog, beside what both layouts say. Unknown keys are kept, and so is
//! the value of a key that could not be read.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::call::ANSWER_HUMAN;
use super::pending::CallType;
use crate::domain::ids::{AgentId, CallId, DialogId, MsgId, SelfId, Slug};
use crate::domain::number::{Course, Genseq};
use crate::domain::time::Stamp;

/// The part of a dialog that only that layout has.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecentPart {
    /// What `latest.yaml` has.
    pub state: RecentState,
    /// The calls it waits for, as `active-callees.json` has them.
    pub batches: Vec<CalleeBatch>,
    /// What it told a person, and nobody has acknowledged: `a2h.yaml`.
    pub human_answers: Vec<HumanAnswer>,
}

/// The keys of `latest.yaml` that only that layout has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecentState {
    /// Work that must still be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<NextWork>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tellask_calls: Option<CallIndex>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tellask_results: Option<ResultIndex>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation_run_state: Option<RunState>,
    /// The open question; this makes the dialog wait there, not `q4h.yaml`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_wait: Option<UserWait>,
    /// The last reply it sent; it stays after delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_delivery: Option<ReplyDelivery>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_assignment_anchor: Option<AssignmentAnchor>,
    #[serde(default, rename = "sideDialogFinalResponse", skip_serializing_if = "Option::is_none")]
    pub final_response: Option<FinalResponse>,
    /// A message of a person that was not answered in words yet.
    #[serde(
        default,
        rename = "pendingUserInterjectionReply",
        skip_serializing_if = "Option::is_none"
    )]
    pub interjection: Option<Interjection>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_drive_stall: Option<DriveStall>,
    /// Keys that could not be read.
    #[serde(flatten)]
    pub unread: Map<String, Value>,
}

/// The triggers of the next generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NextWork {
    pub next_seq: u64,
    pub triggers: Vec<Trigger>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trigger {
    pub trigger_id: String,
    pub kind: TriggerKind,
    pub seq: u64,
    pub created_at: Stamp,
    /// What its kind has.
    #[serde(flatten)]
    pub details: Map<String, Value>,
}

/// Why a generation is to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TriggerKind {
    Followup,
    ResultArrival,
    QueuedPrompt,
    ReplyDeliveryRecovery,
    MainlineDiligence,
    OpenGenerationRecovery,
    UserInput,
}

/// All special calls of all courses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallIndex {
    pub calls: Vec<IndexedCall>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// All results of special calls, of all courses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultIndex {
    pub results: Vec<IndexedCall>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexedCall {
    pub call_id: CallId,
    pub call_name: String,
    pub course: Course,
    /// Results have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub genseq: Option<Genseq>,
    pub recorded_at: Stamp,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The newest generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunState {
    #[serde(rename_all = "camelCase")]
    Open {
        course: Course,
        genseq: Genseq,
        phase: String,
        accepted_trigger_ids: Vec<String>,
        opened_at: Stamp,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        msg_id: Option<MsgId>,
        #[serde(flatten)]
        extra: Map<String, Value>,
    },
    #[serde(rename_all = "camelCase")]
    Closed {
        course: Course,
        genseq: Genseq,
        closed_at: Stamp,
        #[serde(flatten)]
        extra: Map<String, Value>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserWait {
    pub kind: String,
    pub question_id: String,
    pub call_id: CallId,
    pub course: Course,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub genseq: Option<Genseq>,
    pub asked_at: Stamp,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyDelivery {
    pub reply_delivery_id: String,
    /// `pending` or `delivered`.
    pub status: String,
    /// `pending` or `recorded`.
    pub tool_result_status: String,
    pub expected_reply_call_name: String,
    pub target_dialog_id: SelfId,
    pub target_call_id: CallId,
    pub reply_call_id: CallId,
    pub reply_genseq: Genseq,
    pub reply_content: String,
    pub created_at: Stamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<Stamp>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Where the newest assignment was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssignmentAnchor {
    pub call_id: CallId,
    pub assignment_course: Course,
    pub assignment_genseq: Genseq,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The newest reply that was delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FinalResponse {
    pub call_id: CallId,
    pub response_course: Course,
    pub response_genseq: Genseq,
    pub asker_dialog_id: SelfId,
    pub asker_course: Course,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interjection {
    pub msg_id: MsgId,
    pub course: Course,
    pub genseq: Genseq,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A drive that failed, and is not tried again until something changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DriveStall {
    pub kind: String,
    pub record_id: String,
    pub durable_work_fingerprint: String,
    pub failed_at: Stamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_name: Option<String>,
    pub error_message: String,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The calls of one generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CalleeBatch {
    pub batch_id: String,
    pub call_site: GenerationRef,
    pub status: BatchStatus,
    pub callees: Vec<Callee>,
    pub created_at: Stamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Stamp>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchStatus {
    Open,
    /// No call of it is pending.
    Resolved,
}

/// A generation, from elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GenerationRef {
    pub course: Course,
    pub genseq: Genseq,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One call of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Callee {
    pub call_id: CallId,
    pub callee_dialog_id: SelfId,
    pub call_name: String,
    pub status: CalleeStatus,
    pub target_agent_id: AgentId,
    pub tellask_content: String,
    pub call_type: CallType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mention_list: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_slug: Option<Slug>,
    pub created_at: Stamp,
    /// How it was answered; a pending call has none, any other has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Stamp>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalleeStatus {
    Pending,
    Final,
    Resolved,
}

/// What a dialog told a person with `answerHuman`. It needs no answer, and stays until a person acknowledges it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HumanAnswer {
    pub id: String,
    pub content: String,
    pub answered_at: Stamp,
    pub answer_ref: GenerationRef,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl HumanAnswer {
    /// What a dialog told with this call. `at`: the generation that made it.
    #[must_use]
    pub fn new(
        dialog: &DialogId,
        call: &CallId,
        at: (Course, Genseq),
        content: String,
        answered_at: Stamp,
    ) -> Self {
        let (course, genseq) = at;
        let (root, this) = (&dialog.root, &dialog.this);
        let name = format!("{root}|{this}|c{course}|g{genseq}|{ANSWER_HUMAN}:{call}|{call}");
        Self {
            id: format!("a2h-{}", URL_SAFE_NO_PAD.encode(name)),
            content,
            answered_at,
            answer_ref: GenerationRef { course, genseq, extra: Map::new() },
            extra: Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::RootId;

    #[test]
    fn what_a_dialog_told_has_the_id_that_dominds_gives_it() {
        let dialog = DialogId::main(RootId::new("aa/bb/01"));
        let at = (Course(2), Genseq(7));
        let told =
            HumanAnswer::new(&dialog, &CallId::new("c"), at, "Dry.".to_owned(), Stamp::default());
        let name = told.id.strip_prefix("a2h-").and_then(|id| URL_SAFE_NO_PAD.decode(id).ok());
        assert_eq!(name.unwrap(), b"aa/bb/01|aa/bb/01|c2|g7|answerHuman:c|c");
        assert_eq!((told.answer_ref.course, told.answer_ref.genseq), at);
    }
}
