//! The sheets of a dialog: its reminders, its Taskdoc, the files it changed, and what it did over time, read and
//! changed by the user. Everything is read again for each request.

use serde::{Deserialize, Serialize};

use crate::domain::Stamp;
use crate::domain::text::Localized;
use crate::protocol::changes::{ChangesScope, ChangesView, ReadEnd};
use crate::protocol::timeline::TimelineView;
use crate::protocol::usage::UsageView;

/// A request for a sheet of a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SheetRequest {
    /// Answered by [`Sheet::Reminders`].
    Reminders,
    /// Answered by [`Sheet::Taskdoc`].
    Taskdoc,
    /// Answered by [`Sheet::Changes`].
    Changes(ChangesScope),
    /// Answered by [`Sheet::Timeline`], of the main dialog with all side dialogs.
    Timeline,
    /// Answered by [`Sheet::Usage`], likewise.
    Usage,
    /// Changes up to here are reviewed; answered by those that are not.
    MarkReviewed(Vec<ReadEnd>),
    AddReminder {
        content: String,
        scope: ReminderAudience,
    },
    RewordReminder {
        id: String,
        content: String,
    },
    DeleteReminder {
        id: String,
    },
    /// Replaces a section. Refused if its text is not `before` any more.
    WriteSection {
        name: String,
        before: String,
        text: String,
    },
}

impl SheetRequest {
    /// True if it only reads.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::Reminders | Self::Taskdoc | Self::Changes(_) | Self::Timeline | Self::Usage => {
                true
            }
            Self::MarkReviewed(_)
            | Self::AddReminder { .. }
            | Self::RewordReminder { .. }
            | Self::DeleteReminder { .. }
            | Self::WriteSection { .. } => false,
        }
    }
}

/// The dialogs that see a reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderAudience {
    Dialog,
    /// All dialogs of the member.
    Personal,
    /// All dialogs of the member; maintained by the program.
    Shared,
    /// The dialogs of the member about the same Taskdoc; in the layout of Dominds 1.29.
    Task,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sheet {
    /// Newest first.
    Reminders(Vec<ReminderView>),
    Taskdoc(TaskdocView),
    Changes(ChangesView),
    Timeline(TimelineView),
    Usage(UsageView),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReminderView {
    pub id: String,
    pub content: String,
    pub scope: ReminderAudience,
    /// Who maintains it, if not the member.
    pub owner: Option<String>,
    pub touched_at: Stamp,
    /// Its text is not Markdown.
    pub plain: bool,
    /// The model is not shown it.
    pub hidden: bool,
    /// Why the user cannot change it.
    pub no_update: Option<Localized>,
    /// Why the user cannot delete it.
    pub no_delete: Option<Localized>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskdocView {
    /// From the workspace, such as `first-task.tsk`.
    pub path: String,
    /// In the order the model sees them; then those that are only listed.
    pub sections: Vec<SectionView>,
    /// Violations of the package's rules, and sections left out.
    pub faults: Vec<Localized>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionView {
    /// `goals`, `bearinmind/risks`, `research/findings`.
    pub name: String,
    pub text: String,
    /// False if `text` is truncated; the section cannot be changed then.
    pub complete: bool,
}
