//! What happened, for whoever watches.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::fresh_boots::Reasoning;
use crate::domain::record::Entry;
use crate::domain::sandbox::Level;
use crate::domain::trust::Unagreed;
use crate::domain::{
    AgentId, Background, CallId, Course, DialogId, DisplayState, Genseq, HealthLevel, MsgId,
    Problem, Question, SelfId, Slug, Stamp,
};

use super::command::Ticket;
use super::lifecycle::{AfterFork, ShelfRow};
use super::sheet::Sheet;

/// The place of a record: course and line, the first line being 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cursor {
    pub course: Course,
    pub line: usize,
}

/// One dialog in the tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TreeRow {
    pub dialog: DialogId,
    /// `None` for a main dialog.
    pub asker: Option<SelfId>,
    pub agent: AgentId,
    pub slug: Option<Slug>,
    pub taskdoc: String,
    pub state: DisplayState,
    pub course: Course,
    pub genseq: Genseq,
    pub created_at: Stamp,
    pub last_modified: Stamp,
    /// Open questions of this dialog.
    pub questions: usize,
    /// Side dialogs it waits for.
    pub pending: usize,
    /// First line of its assignment, or of the first message of a main dialog where known.
    pub about: String,
    /// How far its fresh-boots reasoning is; `None` for a dialog that does something else.
    pub reasoning: Option<Reasoning>,
    /// Used share of the model's context, in percent.
    pub context_percent: Option<u8>,
    /// What that share means for this model.
    pub context_level: Option<HealthLevel>,
    /// (remaining, maximum) pushes of keep-going; `None` where it is off.
    pub keep_going: Option<(i64, i64)>,
    /// Of a tree of an earlier layout, which is only read.
    #[serde(default)]
    pub history: bool,
    /// Messages of a person that wait for their generation, the oldest first.
    #[serde(default)]
    pub queued: Arc<[QueuedMessage]>,
}

/// A message of a person that no generation has taken yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedMessage {
    pub message: MsgId,
    pub text: Arc<str>,
}

/// One open question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InboxRow {
    pub dialog: DialogId,
    pub agent: AgentId,
    pub slug: Option<Slug>,
    pub taskdoc: String,
    pub question: Question,
    /// Members whose dialogs wait for this one to go on, nearest first; empty for a main dialog.
    pub blocks: Vec<AgentId>,
}

/// Records of one course, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptPage {
    pub dialog: DialogId,
    pub agent: AgentId,
    pub course: Course,
    /// The newest course there is.
    pub courses: Course,
    /// The line of the first entry; 0 means nothing comes before.
    pub first_line: usize,
    pub entries: Vec<Entry>,
}

/// What a new dialog can be made with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkspaceView {
    /// The folder, as shown to people (`~` for the home directory).
    pub folder: String,
    pub members: Vec<MemberView>,
    pub default_responder: Option<AgentId>,
    /// Taskdoc paths, most recently used first.
    pub taskdocs: Vec<String>,
}

impl WorkspaceView {
    /// A dialog was begun on this Taskdoc just now.
    pub fn used(&mut self, taskdoc: String) {
        self.taskdocs.retain(|known| *known != taskdoc);
        self.taskdocs.insert(0, taskdoc);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberView {
    pub id: AgentId,
    pub name: String,
    /// What to ask the member for; first line.
    pub gofor: String,
}

/// A failed request that is tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RetryView {
    /// The next attempt starts in so many seconds.
    Waiting {
        error: String,
        seconds: u64,
    },
    Running,
    Resolved,
    /// It is not tried again: a person stopped it, or it cannot succeed.
    Stopped,
}

/// What waits for a person's consent in this workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ConsentView {
    /// In the order of the files.
    pub waiting: Vec<Unagreed>,
    /// Until a person agrees, nothing is driven here.
    pub look_only: bool,
    /// What commands may do; `None` where no sandbox is known of.
    pub level: Option<Level>,
    /// The person's own file says that; it is not chosen on the screen.
    pub level_is_set: bool,
}

/// What is left of the trees that were taken up, now that nothing of them moves any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuietOutcome {
    Done,
    /// A person stopped something, or was answered and its own work waits for them.
    Paused,
    QuestionWaits,
    Failed,
    /// Something waits for what nobody will do.
    Blocked,
}

/// A dialog that does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HaltedDialog {
    pub dialog: DialogId,
    pub agent: AgentId,
    /// Why it stopped, or who waits for whom.
    pub reason: Option<String>,
    /// The dialogs of its tree it waits for in vain.
    pub waits_for: Vec<SelfId>,
}

/// Which part of a generation grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    Thinking,
    Saying,
}

#[derive(Debug, Clone, PartialEq)]
pub enum DriverEvent {
    Workspace(WorkspaceView),
    /// All rows of the running main dialogs, in order of creation; replaces what was there.
    Rows(Vec<TreeRow>),
    /// One row, new or changed.
    Row(Box<TreeRow>),
    /// A tree left the list (moved, deleted, or set aside as damaged).
    Removed(DialogId),
    /// All open questions, oldest first; replaces what was there.
    Inbox(Vec<InboxRow>),
    /// A question reached the inbox just now. The new [`DriverEvent::Inbox`] came before.
    Asked {
        dialog: DialogId,
        question: String,
        headline: String,
    },
    /// A question left the inbox, whoever answered it.
    Answered {
        dialog: DialogId,
        question: String,
    },
    Page {
        ticket: Ticket,
        page: Box<TranscriptPage>,
    },
    /// The reminders or the Taskdoc of a dialog as they are now.
    Sheet {
        dialog: DialogId,
        sheet: Box<Sheet>,
    },
    /// A record is on disk.
    Fact {
        dialog: DialogId,
        at: Cursor,
        entry: Arc<Entry>,
    },
    /// More of the text being written now. Not on disk yet; may be merged.
    Live {
        dialog: DialogId,
        segment: Segment,
        text: String,
    },
    /// A tool call ended and its result is on disk.
    ToolEnded {
        dialog: DialogId,
        call: CallId,
        ok: bool,
    },
    /// The live text of this dialog is over: its records came before, or it was discarded.
    LiveEnd {
        dialog: DialogId,
    },
    Retry {
        dialog: DialogId,
        retry: RetryView,
    },
    /// All problems known now; replaces what was there.
    Problems(Vec<Problem>),
    /// The command with this ticket is carried out and on disk; `dialog` names what it made or drove.
    Done {
        ticket: Ticket,
        dialog: Option<DialogId>,
    },
    /// The command with this ticket was not carried out.
    Refused {
        ticket: Ticket,
        text: String,
    },
    /// A fork is on disk; its acknowledgement follows.
    Forked {
        dialog: DialogId,
        next: AfterFork,
    },
    /// Main dialogs that are done or archived, the newest first.
    Shelf {
        ticket: Ticket,
        rows: Vec<ShelfRow>,
    },
    /// All processes that members left in the background; replaces what was there.
    Processes(Vec<Background>),
    /// What waits for consent; replaces what was there.
    Consent(ConsentView),
    /// Something a person should know once.
    Notice(String),
    /// The dialogs that make the [`Self::Quiet`] that follows what it is: those that failed, are paused, or
    /// wait in vain. Told where there are some.
    Halted(Vec<HaltedDialog>),
    /// Nothing moves and nothing can, without a person.
    Quiet(QuietOutcome),
    /// Events were lost to a slow screen: ask for everything again.
    Lagged,
    /// The driver has ended; nothing follows.
    Stopped,
}
