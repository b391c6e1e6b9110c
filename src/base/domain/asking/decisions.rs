//! The history of what was decided: by a person who answered, or by a member that may decide alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::autonomy::DecisionKind;
use super::inquiry::Inquiry;
use super::inquiry::answers::{AnswerInput, PartAnswer};
use super::inquiry::approval::REJECT;
use crate::domain::{AgentId, DialogId, Stamp};

/// How a question or an approval was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    Answered,
    Approved,
    Rejected,
    Dismissed,
    /// Nobody answered: the dialog forgot it, or has gone.
    Expired,
}

impl Resolution {
    /// As it is stored and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Dismissed => "dismissed",
            Self::Expired => "expired",
        }
    }

    /// How a question is closed by the answer that completes it; `parts`: what was answered to its parts.
    #[must_use]
    pub fn of_answer(
        inquiry: &Inquiry,
        input: &AnswerInput,
        parts: &BTreeMap<String, PartAnswer>,
    ) -> Self {
        if inquiry.approval.is_some() {
            let mut taken = parts.values().map(|part| part.option);
            let approves = taken.any(|option| option.is_some_and(|key| key != REJECT));
            return if approves { Self::Approved } else { Self::Rejected };
        }
        match input {
            AnswerInput::Dismiss(None) => Self::Dismissed,
            AnswerInput::Dismiss(Some(_))
            | AnswerInput::Words(_)
            | AnswerInput::Parts(_)
            | AnswerInput::Recommended => Self::Answered,
        }
    }
}

/// What became of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecisionResult {
    /// By a person.
    Closed(Resolution),
    /// By a member that decides alone.
    Automatic,
    /// By a member, which told a person.
    Notified,
}

impl DecisionResult {
    /// As it is stored and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Closed(how) => how.name(),
            Self::Automatic => "automatic",
            Self::Notified => "notified",
        }
    }
}

/// One decision, as it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDecision {
    pub dialog: DialogId,
    /// Who asked, or decided.
    pub agent: AgentId,
    /// Who decided: `@human` or a member.
    pub by: String,
    /// `None` for a question.
    pub category: Option<DecisionKind>,
    pub result: DecisionResult,
    /// The question, or what was to be decided.
    pub what: String,
    /// The answer, or the option that was taken.
    pub reason: String,
}

/// One decision of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PastDecision {
    /// Counts up.
    pub id: i64,
    pub at: Stamp,
    pub dialog: String,
    #[serde(rename = "agentId")]
    pub agent: String,
    pub by: String,
    pub category: Option<String>,
    pub result: String,
    pub what: String,
    pub reason: String,
}
