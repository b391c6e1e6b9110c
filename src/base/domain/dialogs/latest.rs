//! `latest.yaml`: the mutable state of a dialog.
//!
//! `displayState` is a projection for people; decisions are made from facts (`state.rs`), never from
//! it.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::assignment::ReplyDirective;
use super::fresh_boots::FbrState;
use super::pending::CallType;
pub use super::stop_reason::StopReason;
use crate::domain::asking::autonomy::AutonomyLevel;
use crate::domain::ids::{CallId, MsgId, SelfId};
use crate::domain::models::choice::ModelChoice;
use crate::domain::number::Course;
use crate::domain::time::Stamp;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Latest {
    pub current_course: Course,
    pub last_modified: Stamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function_call_count: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_dialog_count: Option<u64>,
    /// Always `active`; the directory tells the truth.
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generating: Option<bool>,
    /// Something waits to be driven without a person's help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_drive: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_state: Option<DisplayState>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_marker: Option<ExecutionMarker>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fbr_state: Option<FbrState>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deferred_reply_reassertion: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_course_start_prompt: Option<CourseStartPrompt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disable_diligence_push: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diligence_push_remaining_budget: Option<i64>,
    /// A person gave these pushes to a member that is not to be pushed by itself. A key of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diligence_push_given: Option<bool>,
    /// The model that a person chose for this dialog, instead of that of its member. A key of this program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen_model: Option<ModelChoice>,
    /// How much its member decides alone, as a person chose for this dialog. A key of this program.
    #[serde(
        default,
        deserialize_with = "strictest_if_unknown",
        skip_serializing_if = "Option::is_none"
    )]
    pub chosen_autonomy: Option<AutonomyLevel>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A level that cannot be read gives the dialog nothing.
fn strictest_if_unknown<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<AutonomyLevel>, D::Error> {
    let written = Option::<Value>::deserialize(deserializer)?;
    let level = |value| serde_json::from_value(value).unwrap_or(AutonomyLevel::ConfirmAll);
    Ok(written.map(level))
}

/// The prompt that must open the next course; in the layout of Dominds 1.29 also one that must open the next generation of
/// this course.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CourseStartPrompt {
    pub content: String,
    pub msg_id: MsgId,
    pub grammar: String,
    pub origin: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_language_code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_taskdoc: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tellask_reply_directive: Option<ReplyDirective>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_dialog_reply_target: Option<ReplyTarget>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyTarget {
    pub owner_dialog_id: SelfId,
    pub call_type: CallType,
    pub call_id: CallId,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Work that waits while a person speaks to the dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ParkedWork {
    reason: String,
    /// The reply it will owe again.
    pub directive: ReplyDirective,
    /// True once the model was told, in a guide, to take that work up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resume_guide_surfaced: Option<bool>,
    /// Keys of a newer writer, kept.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

impl ParkedWork {
    #[must_use]
    pub fn new(directive: ReplyDirective) -> Self {
        let reason = "user_interjection_with_parked_original_task".to_owned();
        Self { reason, directive, resume_guide_surfaced: None, extra: Map::new() }
    }

    #[must_use]
    pub fn surfaced(self) -> Self {
        Self { resume_guide_surfaced: Some(true), ..self }
    }

    #[must_use]
    pub fn is_surfaced(&self) -> bool {
        self.resume_guide_surfaced == Some(true)
    }
}

/// What a dialog is doing, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DisplayState {
    #[serde(rename = "idle_waiting_user")]
    Idle,
    Proceeding,
    #[serde(rename = "proceeding_stop_requested")]
    Stopping {
        reason: StopRequest,
    },
    #[serde(rename_all = "camelCase")]
    Stopped {
        reason: StopReason,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        continue_enabled: Option<bool>,
    },
    Blocked {
        reason: Blocker,
    },
    Dead {
        reason: Value,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopRequest {
    UserStop,
    EmergencyStop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum Blocker {
    #[serde(rename = "needs_human_input")]
    Human,
    #[serde(rename = "waiting_for_sideDialogs")]
    SideDialogs,
    #[serde(rename = "needs_human_input_and_sideDialogs")]
    HumanAndSideDialogs,
}

/// The fact behind `stopped` and `dead`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ExecutionMarker {
    Interrupted { reason: StopReason },
    Dead { reason: Value },
}

impl Latest {
    #[must_use]
    pub fn new(now: Stamp) -> Self {
        Self {
            current_course: Course::FIRST,
            last_modified: now,
            message_count: Some(0),
            function_call_count: Some(0),
            side_dialog_count: Some(0),
            status: "active".to_owned(),
            generating: None,
            needs_drive: None,
            display_state: Some(DisplayState::Idle),
            execution_marker: None,
            fbr_state: None,
            deferred_reply_reassertion: None,
            pending_course_start_prompt: None,
            disable_diligence_push: None,
            diligence_push_remaining_budget: None,
            diligence_push_given: None,
            chosen_model: None,
            chosen_autonomy: None,
            extra: Map::new(),
        }
    }

    /// Why it is dead, if it is. Nothing ever ends that.
    #[must_use]
    pub fn death(&self) -> Option<&Value> {
        match (&self.execution_marker, &self.display_state) {
            (Some(ExecutionMarker::Dead { reason }), _)
            | (_, Some(DisplayState::Dead { reason })) => Some(reason),
            (_, _) => None,
        }
    }

    #[must_use]
    pub fn is_dead(&self) -> bool {
        self.death().is_some()
    }

    /// A person declared it dead.
    pub fn die(&mut self) {
        let reason = serde_json::json!({ "kind": "declared_by_user" });
        self.generating = self.generating.map(|_| false);
        self.needs_drive = self.needs_drive.map(|_| false);
        self.execution_marker = Some(ExecutionMarker::Dead { reason });
    }

    /// The work that was parked, whether or not it is still owed.
    #[must_use]
    pub fn parked(&self) -> Option<ParkedWork> {
        serde_json::from_value(self.deferred_reply_reassertion.clone()?).ok()
    }

    pub fn set_parked(&mut self, parked: Option<&ParkedWork>) {
        self.deferred_reply_reassertion =
            parked.and_then(|parked| serde_json::to_value(parked).ok());
    }

    /// Ends a stop; the dead stay dead.
    pub fn clear_interruption(&mut self) {
        if self.marked().is_some() {
            self.execution_marker = None;
        }
    }

    /// Why it waits for a person to say `Continue`, if it does.
    #[must_use]
    pub fn interruption(&self) -> Option<&StopReason> {
        self.marked().filter(|_| !self.is_resume_requested())
    }

    /// The reason in its marker: what is shown, and what Dominds goes by.
    #[must_use]
    pub fn marked(&self) -> Option<&StopReason> {
        match &self.execution_marker {
            Some(ExecutionMarker::Interrupted { reason }) => Some(reason),
            Some(ExecutionMarker::Dead { .. }) | None => None,
        }
    }

    /// True if somebody said that it may go on, and nothing has driven it yet. It is marked as stopped
    /// by a restart, which Dominds can continue; `needsDrive` beside the marker says that we do so by
    /// ourselves.
    #[must_use]
    pub fn is_resume_requested(&self) -> bool {
        self.needs_drive == Some(true) && self.marked() == Some(&StopReason::ServerRestart)
    }

    /// It may go on, with the next process that drives. The dead stay dead.
    pub fn request_resume(&mut self) {
        if !self.is_dead() {
            let reason = StopReason::ServerRestart;
            self.execution_marker = Some(ExecutionMarker::Interrupted { reason });
            self.needs_drive = Some(true);
        }
    }

    /// It waits for a person to say `Continue`. The dead stay dead.
    pub fn interrupt(&mut self, reason: StopReason) {
        self.generating = self.generating.map(|_| false);
        if !self.is_dead() {
            self.needs_drive = self.needs_drive.map(|_| false);
            self.execution_marker = Some(ExecutionMarker::Interrupted { reason });
        }
    }
}

impl DisplayState {
    /// Stopped until a person lets it continue.
    #[must_use]
    pub fn stopped(reason: StopReason) -> Self {
        Self::Stopped { reason, continue_enabled: Some(true) }
    }

    /// The name on disk and in `--json` output.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Idle => "idle_waiting_user",
            Self::Proceeding => "proceeding",
            Self::Stopping { .. } => "proceeding_stop_requested",
            Self::Stopped { .. } => "stopped",
            Self::Blocked { .. } => "blocked",
            Self::Dead { .. } => "dead",
        }
    }

    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Proceeding | Self::Stopping { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chosen_model_is_a_key_that_is_absent_without_one() {
        let mut latest = Latest::new(Stamp::default());
        let written = |latest: &Latest| serde_json::to_value(latest).unwrap();
        assert_eq!(written(&latest).get("chosenModel"), None);
        let (provider, model) = ("house".to_owned(), "small".to_owned());
        latest.chosen_model = Some(ModelChoice { provider, model });
        let expected = serde_json::json!({"provider": "house", "model": "small"});
        assert_eq!(written(&latest).get("chosenModel"), Some(&expected));
        assert_eq!(serde_json::from_value::<Latest>(written(&latest)).unwrap(), latest);
    }

    #[test]
    fn a_chosen_autonomy_is_absent_without_one_and_an_unknown_level_is_the_strictest() {
        let mut latest = Latest::new(Stamp::default());
        let mut written = serde_json::to_value(&latest).unwrap();
        assert_eq!(written.get("chosenAutonomy"), None);
        latest.chosen_autonomy = Some(AutonomyLevel::MajorOnly);
        let whole = serde_json::to_value(&latest).unwrap();
        assert_eq!(whole.get("chosenAutonomy"), Some(&serde_json::json!("major_only")));
        assert_eq!(serde_json::from_value::<Latest>(whole).unwrap(), latest);
        for unknown in [serde_json::json!("everything"), serde_json::json!({ "level": "full" })] {
            written["chosenAutonomy"] = unknown;
            let read: Latest = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(read.chosen_autonomy, Some(AutonomyLevel::ConfirmAll));
        }
        written["chosenAutonomy"] = Value::Null;
        assert_eq!(serde_json::from_value::<Latest>(written).unwrap().chosen_autonomy, None);
    }

    #[test]
    fn states_have_the_shape_dominds_writes() {
        for (state, expected) in [
            (DisplayState::Idle, serde_json::json!({"kind": "idle_waiting_user"})),
            (
                DisplayState::Blocked { reason: Blocker::SideDialogs },
                serde_json::json!({"kind": "blocked", "reason": {"kind": "waiting_for_sideDialogs"}}),
            ),
            (
                DisplayState::Stopped {
                    reason: StopReason::UserStop,
                    continue_enabled: Some(true),
                },
                serde_json::json!({"kind": "stopped", "reason": {"kind": "user_stop"}, "continueEnabled": true}),
            ),
            (
                DisplayState::Stopping { reason: StopRequest::UserStop },
                serde_json::json!({"kind": "proceeding_stop_requested", "reason": "user_stop"}),
            ),
        ] {
            assert_eq!(serde_json::to_value(&state).unwrap(), expected);
            assert_eq!(serde_json::from_value::<DisplayState>(expected).unwrap(), state);
        }
    }
}
