//! What a person looks at beside a dialog's text, its reminders and its Taskdoc, and what may be changed
//! there. Everything is read anew when it is asked for.

use serde::{Deserialize, Serialize};

use crate::domain::Stamp;

/// What is wanted of the sheets of a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SheetRequest {
    /// Answered by [`Sheet::Reminders`].
    Reminders,
    /// Answered by [`Sheet::Taskdoc`].
    Taskdoc,
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
    /// Replaces a section whole. Refused where it is not `before` any more.
    WriteSection {
        name: String,
        before: String,
        text: String,
    },
}

/// For which dialogs a reminder is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReminderAudience {
    Dialog,
    /// All dialogs of the member.
    Personal,
    /// All dialogs of the member; the program keeps it.
    Shared,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sheet {
    /// Newest first.
    Reminders(Vec<ReminderView>),
    Taskdoc(TaskdocView),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReminderView {
    pub id: String,
    pub content: String,
    pub scope: ReminderAudience,
    /// Who maintains it, where it is not the member.
    pub owner: Option<String>,
    pub touched_at: Stamp,
    /// Its text is no Markdown.
    pub plain: bool,
    /// The model is not shown it.
    pub hidden: bool,
    /// Why it is not changed by hand.
    pub no_update: Option<String>,
    /// Why it is not deleted by hand.
    pub no_delete: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TaskdocView {
    /// From the workspace, such as `first-task.tsk`.
    pub path: String,
    /// In the order the model sees them; then those that are only listed.
    pub sections: Vec<SectionView>,
    /// What does not belong where it is, and what was left out.
    pub faults: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionView {
    /// `goals`, `bearinmind/risks`, `research/findings`.
    pub name: String,
    pub text: String,
    /// False if the section is larger than its text here; it is not changed then.
    pub complete: bool,
}
