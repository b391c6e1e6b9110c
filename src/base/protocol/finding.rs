//! Searching the records of dialogs: what is asked, and what is found.

use serde::{Deserialize, Serialize};

use super::event::Cursor;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::transcript::SpokenKind;
use crate::domain::{AgentId, CallId, DialogId, Stamp};

/// Which dialogs are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindScope {
    /// One dialog, all its courses.
    Dialog,
    /// Its main dialog with all side dialogs.
    MainDialog,
    /// All dialogs, also those that are done or archived.
    #[default]
    All,
}

impl FindScope {
    /// The next one, in a circle.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Dialog => Self::MainDialog,
            Self::MainDialog => Self::All,
            Self::All => Self::Dialog,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FindRequest {
    pub text: String,
    pub scope: FindScope,
    /// Where the person is; its results come first.
    pub dialog: Option<DialogId>,
    /// Only what people and members said to each other; without a text, all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub said: bool,
    /// Only main dialogs of this member, with their side dialogs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<AgentId>,
}

/// A record with a match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundRecord {
    pub dialog: DialogId,
    pub agent: AgentId,
    /// The title of the dialog.
    pub title: String,
    pub bucket: Bucket,
    pub at: Cursor,
    pub when: Stamp,
    pub kind: SpokenKind,
    /// The call whose block shows it, if that block is made by another record.
    pub completes: Option<CallId>,
    pub tool: Option<String>,
    pub teammate: Option<AgentId>,
    /// The line with the first match, shortened around it.
    pub line: String,
    /// Some text around the first match.
    pub around: String,
    /// Matches in the record, up to a limit.
    pub matches: usize,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindEnd {
    /// Everything was read.
    Complete,
    /// There is more than is shown.
    TooMany,
}

/// Results of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundPart {
    pub records: Vec<FoundRecord>,
    /// Courses that could not be read.
    pub unread: usize,
    /// `None` while it goes on.
    pub end: Option<FindEnd>,
}
