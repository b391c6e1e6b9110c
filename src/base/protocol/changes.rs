//! The changes of files that calls recorded, for the sheet of changes.

use serde::{Deserialize, Serialize};

use crate::domain::reading::git_state::GitState;
use crate::domain::reading::net_changes::NetChange;
use crate::domain::{Course, SelfId};

/// Whose changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangesScope {
    /// Those of this dialog.
    Dialog,
    /// Those of its main dialog with all side dialogs.
    MainDialog,
    /// Those of its main dialog and all side dialogs that were not marked as reviewed.
    Unreviewed,
}

impl ChangesScope {
    /// The next one, in a circle.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Dialog => Self::MainDialog,
            Self::MainDialog => Self::Unreviewed,
            Self::Unreviewed => Self::Dialog,
        }
    }
}

/// How far the records of a dialog were read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadEnd {
    pub dialog: SelfId,
    pub course: Course,
    /// Lines of that course.
    pub lines: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangesView {
    pub scope: ChangesScope,
    /// Files in the order of their last change, the newest first.
    pub changes: Vec<NetChange>,
    /// Older changes that are left out because there are too many.
    pub left_out: usize,
    /// How far the records were read; what is marked as reviewed.
    pub ends: Vec<ReadEnd>,
    /// What git says of the workspace, whoever changed it. `None` if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitState>,
}
