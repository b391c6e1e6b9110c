//! An overlay to open, as data.

use crate::cx::{FilteredList, Intent};
use crate::domain::teams::task::Task;
use crate::domain::teams::trigger::row::TriggerRow;
use crate::domain::text::Text;
use crate::domain::{DialogId, TeamName};
use crate::lists::tasks::Tasks;
use crate::overlay::KeysOf;
use crate::panes::input_prompt::PromptPurpose;
use crate::panes::quit::StillRunning;
use crate::panes::sheet::SheetKind;
use crate::protocol::{ChangesScope, InboxRow, LogLevel, LogView, MindView, ShelfRow};
use crate::text::excerpts::Excerpt;

#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) enum NewOverlay {
    Help(KeysOf),
    Palette(KeysOf),
    /// The form for a new dialog, with its draft.
    NewDialog,
    /// The consent sheet; `then` is the dialog to continue after the user agreed.
    Consent {
        then: Option<DialogId>,
    },
    /// A question, and the intent if the user says yes.
    Confirm(Text, Intent),
    Question(String, Intent),
    /// A confirmation that appears while the user may be typing.
    SuddenQuestion(String, Intent),
    /// A confirmation of something that cannot be undone.
    PermanentQuestion(String, Intent),
    /// Asks for a line of text about the dialog with this name.
    Prompt {
        purpose: PromptPurpose,
        name: String,
        text: String,
    },
    /// The line for the filter of a list, with the filter it has.
    Filter(FilteredList, String),
    /// Asks what happens to what runs.
    Quit {
        running: StillRunning,
        /// The driver of this process can go on without this screen.
        detaches: bool,
    },
    Sheet {
        kind: SheetKind,
        dialog: DialogId,
        of: String,
    },
    /// The files that were changed, on one sheet.
    Changes {
        dialog: DialogId,
        scope: ChangesScope,
    },
    /// Working and waiting times in the tree of this dialog.
    Timeline {
        dialog: DialogId,
    },
    /// The tokens of the tree of this dialog.
    Usage {
        dialog: DialogId,
    },
    /// The program's log, from this level on.
    Log(Box<LogView>, LogLevel),
    /// The request that a new dialog of a member begins with.
    Mind(Box<MindView>),
    /// The tasks of teams.
    Tasks(Tasks),
    /// The form for a task of this team, with its draft.
    NewTask(TeamName),
    /// A whole task.
    Task(Box<Task>),
    /// A whole trigger.
    Trigger(Box<TriggerRow>),
    /// Everything that a question asks to approve.
    ToApprove(Box<InboxRow>),
    /// The done and archived dialogs.
    Shelf(Vec<ShelfRow>),
    /// Asks what to search for in the open dialog.
    Search,
    /// Searches the records of dialogs, with the dialog where the user is.
    Finder(Option<DialogId>),
    /// The search in the sent messages.
    Sent,
    /// The parts of a text that can be copied.
    CopyParts {
        whole: String,
        parts: Vec<Excerpt>,
    },
}
