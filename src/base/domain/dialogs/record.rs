//! One line of a course file. A type this program does not know is kept byte for byte.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::assignment::{Assignment, ReplyDirective};
use super::pending::Pending;
use super::registry::RegistryEntry;
use super::reminder::Reminder;
use crate::domain::asking::question::Question;
use crate::domain::ids::{AgentId, CallId, MsgId, SelfId, Slug};
use crate::domain::models::context_health::ContextHealth;
use crate::domain::number::{Course, Genseq, RootAnchor};
use crate::domain::text::json;
use crate::domain::time::Stamp;

/// A record with what all records share.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub ts: Stamp,
    pub genseq: Option<Genseq>,
    /// Where the main dialog stood.
    pub root: Option<RootAnchor>,
    /// Where it came from, if not from a generation: [`PRIMING`].
    pub source_tag: Option<String>,
    pub record: Record,
}

/// The source of records of a startup script.
pub const PRIMING: &str = "priming_script";

/// Who put a prompt before the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    User,
    Runtime,
    DiligencePush,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryMode {
    TellaskCallStart,
    FuncCallRequested,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyStatus {
    Pending,
    Completed,
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorRole {
    Assignment,
    Response,
}

/// The request a reply belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallRef {
    pub tellask_content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mention_list: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_slug: Option<Slug>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Responder {
    pub responder_id: AgentId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<AgentId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin_member_id: Option<AgentId>,
}

/// Where a reply was written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callee_dialog_id: Option<SelfId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callee_course: Option<Course>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callee_genseq: Option<Genseq>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HumanText {
    pub content: String,
    pub msg_id: MsgId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_items: Option<Value>,
    pub grammar: String,
    pub origin: Origin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_language_code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tellask_reply_directive: Option<ReplyDirective>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q4h_answer_call_id: Option<CallId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TellaskResult {
    pub call_id: CallId,
    pub status: ReplyStatus,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_items: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_site_course: Option<Course>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_site_genseq: Option<Genseq>,
    pub responder: Responder,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<Route>,
    pub call_name: String,
    pub call: CallRef,
}

/// A reply that came in a later course than its call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Carryover {
    pub call_site_course: Course,
    pub carryover_course: Course,
    pub responder_id: AgentId,
    pub call_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_slug: Option<Slug>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mention_list: Option<Vec<String>>,
    pub tellask_content: String,
    pub status: ReplyStatus,
    pub response: String,
    pub content: String,
    pub agent_id: AgentId,
    pub call_id: CallId,
    pub origin_member_id: AgentId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callee_dialog_id: Option<SelfId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callee_course: Option<Course>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callee_genseq: Option<Genseq>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SideDialogCreated {
    pub side_dialog_id: SelfId,
    pub asker_dialog_id: SelfId,
    pub agent_id: AgentId,
    pub task_doc_path: String,
    pub created_at: Stamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_slug: Option<Slug>,
    pub assignment_from_asker: Assignment,
}

/// A call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    pub id: CallId,
    pub name: String,
    pub raw_arguments_text: String,
}

/// A tool's result, or the status text of a special call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    pub id: CallId,
    pub name: String,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_items: Option<Value>,
    /// What a tool changed in files, see [`crate::domain::FileChange`]. An addition to the format of Dominds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_changes: Option<Value>,
}

impl CallResult {
    /// A result that is only text.
    pub fn of_text(id: CallId, name: impl Into<String>, content: impl Into<String>) -> Self {
        let (name, content) = (name.into(), content.into());
        Self { id, name, content, content_items: None, file_changes: None }
    }
}

/// What happened. Wire names are those of Dominds 1.19.2.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Record {
    #[serde(rename = "gen_start_record")]
    GenStart,
    #[serde(rename = "human_text_record")]
    HumanText(HumanText),
    #[serde(rename = "runtime_guide_record")]
    RuntimeGuide { content: String },
    #[serde(rename = "agent_thought_record")]
    Thought {
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_data: Option<Value>,
    },
    #[serde(rename = "agent_words_record")]
    Words {
        content: String,
        /// True where a stop cut the saying short (ours; Dominds ignores the key).
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        interrupted: bool,
    },
    #[serde(rename = "func_call_record")]
    FuncCall(Call),
    #[serde(rename = "func_result_record")]
    FuncResult(CallResult),
    #[serde(rename = "tellask_call_record", rename_all = "camelCase")]
    TellaskCall {
        #[serde(flatten)]
        call: Call,
        delivery_mode: DeliveryMode,
    },
    #[serde(rename = "tellask_result_record")]
    TellaskResult(TellaskResult),
    #[serde(rename = "tellask_carryover_record")]
    Carryover(Carryover),
    #[serde(rename = "tellask_reply_resolution_record", rename_all = "camelCase")]
    ReplyResolution { call_id: CallId, reply_call_name: String, target_call_id: CallId },
    #[serde(rename = "tellask_call_anchor_record", rename_all = "camelCase")]
    Anchor {
        anchor_role: AnchorRole,
        call_id: CallId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignment_course: Option<Course>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignment_genseq: Option<Genseq>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asker_dialog_id: Option<SelfId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        asker_course: Option<Course>,
    },
    #[serde(rename = "sideDialog_created_record")]
    SideDialogCreated(SideDialogCreated),
    #[serde(rename = "reminders_reconciled_record")]
    Reminders { reminders: Vec<Reminder> },
    #[serde(rename = "questions4human_reconciled_record")]
    Questions { questions: Vec<Question> },
    #[serde(rename = "pending_sideDialogs_reconciled_record", rename_all = "camelCase")]
    PendingSideDialogs { pending_side_dialogs: Vec<Pending> },
    #[serde(rename = "sideDialog_registry_reconciled_record")]
    Registry { entries: Vec<RegistryEntry> },
    #[serde(rename = "ui_only_markdown_record")]
    UiOnly { content: String },
    #[serde(rename = "gen_finish_record", rename_all = "camelCase")]
    GenFinish {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context_health: Option<ContextHealth>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        llm_gen_model: Option<String>,
    },
    /// A line of a type this program does not know, or of a known type in an unknown shape.
    #[serde(skip)]
    Unknown { kind: String, line: String },
}

/// What a record is about. Readers that treat a few records name those alone; here each has its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordClass {
    /// A generation begins or ends.
    Generation,
    /// What a model is told.
    Prompt,
    /// Of a model's answer, also of a partial one.
    Answer,
    /// What came of a call.
    Outcome,
    /// How calls, replies and side dialogs belong together.
    Link,
    /// What a file of state holds, as opposed to an event. It may stand in a file of a course that has not begun.
    Snapshot,
    Unknown,
}

/// What both records of a reply say, of a teammate or of a person.
#[derive(Debug, Clone, Copy)]
pub struct ReplyFacts<'a> {
    pub call: &'a CallId,
    pub call_name: &'a str,
    pub status: ReplyStatus,
    pub responder: &'a AgentId,
    pub words: &'a str,
}

impl Record {
    #[must_use]
    pub fn class(&self) -> RecordClass {
        match self {
            Self::GenStart | Self::GenFinish { .. } => RecordClass::Generation,
            Self::HumanText(_) | Self::RuntimeGuide { .. } => RecordClass::Prompt,
            Self::Thought { .. }
            | Self::Words { .. }
            | Self::FuncCall(_)
            | Self::TellaskCall { .. }
            | Self::UiOnly { .. } => RecordClass::Answer,
            Self::FuncResult(_) | Self::TellaskResult(_) | Self::Carryover(_) => {
                RecordClass::Outcome
            }
            Self::ReplyResolution { .. } | Self::Anchor { .. } | Self::SideDialogCreated(_) => {
                RecordClass::Link
            }
            Self::Reminders { .. }
            | Self::Questions { .. }
            | Self::PendingSideDialogs { .. }
            | Self::Registry { .. } => RecordClass::Snapshot,
            Self::Unknown { .. } => RecordClass::Unknown,
        }
    }

    /// The reply that it is, whether it came in the course of its call or later.
    #[must_use]
    pub fn reply(&self) -> Option<ReplyFacts<'_>> {
        if let Self::TellaskResult(reply) = self {
            Some(ReplyFacts {
                call: &reply.call_id,
                call_name: &reply.call_name,
                status: reply.status,
                responder: &reply.responder.responder_id,
                words: &reply.content,
            })
        } else if let Self::Carryover(reply) = self {
            Some(ReplyFacts {
                call: &reply.call_id,
                call_name: &reply.call_name,
                status: reply.status,
                responder: &reply.responder_id,
                words: &reply.response,
            })
        } else {
            None
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RecordFrame {
    #[serde(default)]
    ts: Stamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    genseq: Option<Genseq>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root_course: Option<Course>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root_genseq: Option<Genseq>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source_tag: Option<String>,
}

#[derive(Serialize)]
struct RecordLine<'a> {
    #[serde(flatten)]
    frame: RecordFrame,
    #[serde(flatten)]
    record: &'a Record,
}

#[derive(Deserialize)]
struct RecordKind {
    #[serde(rename = "type", default)]
    kind: String,
}

impl Entry {
    /// True if it is the result of a call that changed files.
    #[must_use]
    pub fn changes_files(&self) -> bool {
        matches!(&self.record, Record::FuncResult(result) if result.file_changes.is_some())
    }

    /// Reads one line. `None` if it is not a JSON object; a strange object becomes
    /// [`Record::Unknown`].
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let frame: RecordFrame = if let Ok(frame) = serde_json::from_str(line) {
            frame
        } else {
            json::read::<serde_json::Map<String, Value>>(line).ok()?;
            RecordFrame::default()
        };
        let record = json::read(line).unwrap_or_else(|_| Record::Unknown {
            kind: serde_json::from_str::<RecordKind>(line).map(|k| k.kind).unwrap_or_default(),
            line: line.to_owned(),
        });
        let root = frame
            .root_course
            .map(|course| RootAnchor { course, genseq: frame.root_genseq.unwrap_or_default() });
        let RecordFrame { ts, genseq, source_tag, .. } = frame;
        Some(Self { ts, genseq, root, source_tag, record })
    }

    /// A line that is written as it stands, whatever it says.
    #[must_use]
    pub fn verbatim(line: &str) -> Self {
        let record = Record::Unknown { kind: String::new(), line: line.to_owned() };
        Self { ts: Stamp::default(), genseq: None, root: None, source_tag: None, record }
    }

    /// The line without its newline.
    #[must_use]
    pub fn line(&self) -> String {
        if let Record::Unknown { line, .. } = &self.record {
            return line.clone();
        }
        let frame = RecordFrame {
            ts: self.ts.clone(),
            genseq: self.genseq,
            root_course: self.root.map(|root| root.course),
            root_genseq: self.root.map(|root| root.genseq),
            source_tag: self.source_tag.clone(),
        };
        serde_json::to_string(&RecordLine { frame, record: &self.record }).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_dominds_survives_reading_and_writing() {
        for line in [
            r#"{"ts":"t","type":"agent_words_record","genseq":1,"content":"x","rootCourse":1,"rootGenseq":1,"sourceTag":"priming_script"}"#,
            r#"{"ts":"2026-11-21 20:50:08","type":"gen_start_record","genseq":1,"rootCourse":1,"rootGenseq":1}"#,
            r#"{"ts":"t","type":"tellask_call_record","genseq":1,"id":"c","name":"tellask","rawArgumentsText":"{}","deliveryMode":"tellask_call_start","rootCourse":1,"rootGenseq":0}"#,
            r#"{"ts":"t","type":"tellask_result_record","callId":"c","status":"completed","content":"x","callSiteCourse":1,"callSiteGenseq":2,"responder":{"responderId":"human","agentId":"human","originMemberId":"alice"},"route":{},"callName":"askHuman","call":{"tellaskContent":"q"},"rootCourse":1,"rootGenseq":1}"#,
            r#"{"ts":"t","type":"gen_finish_record","genseq":1,"contextHealth":{"kind":"unavailable","reason":"model_limit_unavailable"},"llmGenModel":"m","rootCourse":1,"rootGenseq":1}"#,
            r#"{"ts":"t","type":"tellask_call_anchor_record","anchorRole":"response","callId":"c","genseq":2,"assignmentCourse":1,"assignmentGenseq":1,"askerDialogId":"a","askerCourse":1}"#,
        ] {
            let entry = Entry::parse(line).expect("an object");
            assert!(!matches!(entry.record, Record::Unknown { .. }), "{line}");
            let before: Value = serde_json::from_str(line).unwrap();
            let after: Value = serde_json::from_str(&entry.line()).unwrap();
            assert_eq!(before, after);
        }
    }

    #[test]
    fn a_foreign_line_is_kept_byte_for_byte() {
        for line in [
            r#"{"type":"hologram_record","x": [1, 2],  "ts":"t"}"#,
            r#"{"ts":"t","type":"agent_words_record","content":5}"#,
            r#"{"genseq":"four"}"#,
        ] {
            let entry = Entry::parse(line).expect("an object");
            assert!(matches!(entry.record, Record::Unknown { .. }), "{line}");
            assert_eq!(entry.line(), line);
        }
        assert_eq!(Entry::parse("[1]"), None);
        assert_eq!(Entry::parse("{\"ts\":"), None);
    }
}
