//! Events of the driver.
//!
//! What an event is about is its [`EventScope`]. Its tree, whether a newer one replaces it and whether it can be
//! requested again follow from that: a new variant needs one arm here, and nobody else lists events that do not
//! concern them. The scopes are a table and not enums within [`DriverEvent`], because its JSON is flat
//! (`{"live":{"dialog":…}}`): serde can derive that form only for a flat enum, and reading nested ones as flat
//! would buffer each piece of streamed text.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::asking::autonomy::{AutonomyLevel, AutonomySummary};
use crate::domain::asking::decisions::Resolution;
use crate::domain::asking::inquiry::Inquiry;
use crate::domain::asking::inquiry::answers::PartAnswer;
use crate::domain::dialogs::fresh_boots::Reasoning;
use crate::domain::dialogs::record::Entry;
use crate::domain::safety::sandbox::Level;
use crate::domain::safety::trust::Unagreed;
use crate::domain::teams::memory::Memory;
use crate::domain::teams::notices::NewsItem;
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::task::{Task, TeamWork};
use crate::domain::teams::trigger::row::TriggerRow;
use crate::domain::teams::vault::{ShownEntry, WholeEntry};
use crate::domain::text::Localized;
use crate::domain::{
    AgentId, Background, CallId, Course, DialogId, DisplayState, ForeignLayout, Genseq,
    HealthLevel, ModelChoice, MsgId, Problem, Question, RootId, SelfId, ServerPrompt, Slug, Stamp,
};

use super::command::Ticket;
use super::finding::FoundPart;
use super::image::{AttachedImage, ImageSupport};
use super::lifecycle::{AfterFork, ShelfRow};
use super::mind::MindView;
use super::program_log::LogView;
use super::sheet::Sheet;
use super::stored_record::StoredRecord;
use super::teams::TeamRow;

/// The position of a record: course and line, the first line being 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cursor {
    pub course: Course,
    pub line: usize,
}

impl From<&StoredRecord> for Cursor {
    fn from(record: &StoredRecord) -> Self {
        Self { course: record.course(), line: record.line() }
    }
}

/// The identifier of the problem that says that there is no connection to a driver.
pub const LOST: &str = "line/lost";

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
    /// The title that a person gave it, else its first words, else the name of its Taskdoc.
    pub title: String,
    /// Progress of its fresh-boots reasoning; `None` for any other dialog.
    pub reasoning: Option<Reasoning>,
    /// Used share of the model's context, in percent.
    pub context_percent: Option<u8>,
    /// The health level of that share for this model.
    pub context_level: Option<HealthLevel>,
    /// (remaining, maximum) pushes of keep-going; `None` where it is off.
    pub keep_going: Option<(i64, i64)>,
    /// Part of a tree that may only be read.
    #[serde(default)]
    pub history: bool,
    /// Why it may only be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<ForeignLayout>,
    /// Queued messages of the user, the oldest first.
    #[serde(default)]
    pub queued: Arc<[QueuedMessage]>,
    /// Files it changed that nobody has reviewed, counted up to a limit.
    #[serde(default)]
    pub unreviewed: usize,
    /// It works, and a request to its model failed and is made again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retrying: bool,
    /// The model that a person chose for it; `None`: that of its member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelChoice>,
    /// How much its member decides alone, as a person chose for it; `None`: as the configuration says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autonomy: Option<AutonomyLevel>,
}

impl TreeRow {
    /// Why it may only be read, if it may; an older program says only that it is so.
    #[must_use]
    pub fn foreign(&self) -> Option<ForeignLayout> {
        self.layout.or(self.history.then_some(ForeignLayout::Older))
    }
}

/// A message of the user that no generation has taken yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedMessage {
    pub message: MsgId,
    pub text: Arc<str>,
    #[serde(default)]
    pub images: Vec<AttachedImage>,
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
    /// The last words of the dialog, or their end; empty where they are not known.
    #[serde(default)]
    pub said: String,
    /// The parts of the question; `None` if it was asked in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inquiry: Option<Inquiry>,
    /// The answers to parts, by the ids of the parts; kept until all parts have one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, PartAnswer>,
    /// The team and the task that its dialog works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<TeamWork>,
}

/// Records of one course, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TranscriptPage {
    pub dialog: DialogId,
    pub agent: AgentId,
    pub course: Course,
    /// The newest course there is.
    pub courses: Course,
    /// The line of the first entry; 0 means nothing comes before.
    pub first_line: usize,
    #[serde(with = "super::entry_json")]
    pub entries: Vec<Entry>,
}

/// The choices for a new dialog.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkspaceView {
    /// The folder as shown to the user (`~` for the home directory).
    pub folder: String,
    pub members: Vec<MemberView>,
    pub default_responder: Option<AgentId>,
    /// Taskdoc paths, most recently used first.
    pub taskdocs: Vec<String>,
    /// The models that can be chosen for a dialog.
    #[serde(default)]
    pub models: Vec<ModelView>,
    /// The teams have memories.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_memory: bool,
    /// The teams have vaults.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_vault: bool,
    /// The entry of an MCP server wants its prompts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_prompts: bool,
}

impl WorkspaceView {
    /// Moves the Taskdoc of a new dialog to the front.
    pub fn move_taskdoc_to_front(&mut self, taskdoc: String) {
        self.taskdocs.retain(|known| *known != taskdoc);
        self.taskdocs.insert(0, taskdoc);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberView {
    pub id: AgentId,
    pub name: String,
    /// Its symbol in the team file; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub icon: String,
    /// What to ask the member for; first line.
    pub gofor: String,
    /// Provider and model as the team file names them; empty where it leaves the choice.
    #[serde(default)]
    pub model: String,
    #[serde(default)]
    pub toolsets: Vec<String>,
    /// Single tools beyond the toolsets.
    #[serde(default)]
    pub tools: Vec<String>,
    /// What is known of its model and images.
    #[serde(default)]
    pub images: ImageSupport,
}

/// Most models that are listed.
pub const MAX_LISTED_MODELS: usize = 500;

/// A model that can be chosen for a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelView {
    pub choice: ModelChoice,
    /// Its name for people; empty where it has no other than the one that is sent.
    pub name: String,
    /// How many tokens its context holds, where that is known.
    pub context: Option<u64>,
    #[serde(default)]
    pub images: ImageSupport,
}

/// Most files of the workspace that are listed.
pub const MAX_LISTED_FILES: usize = 20_000;

/// The state of retrying a failed request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryView {
    /// The next attempt starts in `seconds`.
    Waiting {
        error: Localized,
        seconds: u64,
        /// The provider, as `llm.yaml` names it; empty from an older driver.
        #[serde(default)]
        server: String,
    },
    Running,
    Resolved,
    /// No more retries: the user stopped it, or it cannot succeed.
    Stopped,
}

/// What waits for the user's consent in this workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ConsentView {
    /// In the order of the files.
    pub waiting: Vec<Unagreed>,
    /// Nothing is driven until the user agrees.
    pub read_only: bool,
    /// The sandbox level; `None` if there is no sandbox.
    pub level: Option<Level>,
    /// The level is set in the user's own configuration and cannot be chosen on the screen.
    pub level_is_set: bool,
    /// What members decide alone; `None` where nothing is configured.
    #[serde(default)]
    pub autonomy: Option<AutonomySummary>,
}

/// The outcome of a run, when all loaded trees are idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuietOutcome {
    Done,
    /// The user stopped something, or a dialog answered the user and its parked work waits.
    Paused,
    QuestionWaits,
    Failed,
    /// A dialog waits for something that will never happen.
    Blocked,
}

/// A dialog that cannot continue by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HaltedDialog {
    pub dialog: DialogId,
    pub agent: AgentId,
    /// Why it stopped, or who waits for whom.
    pub reason: Option<String>,
    /// The dialogs of its tree it waits for.
    pub waits_for: Vec<SelfId>,
}

/// The kind of text a model streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    Thinking,
    Saying,
}

/// Reading one gives no [`Self::Fact`]: only the wire form of a driver has those.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriverEvent {
    Workspace(WorkspaceView),
    /// All rows of the running main dialogs, in order of creation; replaces the previous ones.
    Rows(Vec<TreeRow>),
    /// One row, new or changed.
    Row(Box<TreeRow>),
    /// A tree was removed from the list: moved, deleted, or set aside as damaged.
    Removed(DialogId),
    /// All open questions, oldest first; replaces the previous ones.
    Inbox(Vec<InboxRow>),
    /// A question was added to the inbox. The new [`DriverEvent::Inbox`] came before.
    Asked {
        dialog: DialogId,
        question: String,
        headline: String,
    },
    /// A question was removed from the inbox, answered by anybody.
    Answered {
        dialog: DialogId,
        question: String,
        #[serde(default)]
        headline: String,
        /// The name of the client that answered it, if that is another one.
        #[serde(default)]
        by: Option<String>,
        /// How it was closed.
        #[serde(default = "answered")]
        how: Resolution,
    },
    Page {
        ticket: Ticket,
        page: Box<TranscriptPage>,
    },
    /// The current reminders or Taskdoc of a dialog.
    Sheet {
        dialog: DialogId,
        sheet: Box<Sheet>,
    },
    /// A record is on disk: only what the store has committed is a fact.
    #[serde(skip_deserializing)]
    Fact(StoredRecord),
    /// More of the text being written now. Not on disk yet; may be merged.
    Live {
        dialog: DialogId,
        segment: Segment,
        text: String,
    },
    /// The command of this call runs, and these are the last lines that it has printed, without terminal control
    /// sequences; replaces those before. Not on disk.
    Printed {
        dialog: DialogId,
        call: CallId,
        lines: Vec<String>,
    },
    /// A tool call ended and its result is on disk.
    ToolEnded {
        dialog: DialogId,
        call: CallId,
        ok: bool,
    },
    /// The live text of this dialog has ended: its records came before, or it was discarded.
    LiveEnd {
        dialog: DialogId,
    },
    Retry {
        dialog: DialogId,
        retry: RetryView,
    },
    /// All known problems; replaces the previous ones.
    Problems(Vec<Problem>),
    /// The command with this ticket is done and on disk; `dialog` is what it created or concerned.
    Done {
        ticket: Ticket,
        dialog: Option<DialogId>,
    },
    /// The command with this ticket was refused.
    Refused {
        ticket: Ticket,
        text: Localized,
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
    /// Results of a search, after those that were sent before.
    Found {
        ticket: Ticket,
        part: Box<FoundPart>,
    },
    /// Files of the workspace that a person may mention, by their paths, as far as they were listed. The
    /// names are as on disk.
    Files(Vec<String>),
    /// The prompts that MCP servers offer the person; replaces the previous ones.
    Prompts(Vec<ServerPrompt>),
    /// The text of a prompt.
    Prompt {
        ticket: Ticket,
        text: String,
    },
    /// The texts that screens keep for the person, by their names.
    Drafts {
        ticket: Ticket,
        texts: BTreeMap<String, String>,
    },
    /// A copy of an image is kept; it can be attached.
    ImageKept {
        ticket: Ticket,
        image: Box<AttachedImage>,
    },
    /// The end of the program's log.
    Log {
        ticket: Ticket,
        log: Box<LogView>,
    },
    /// What a member is told.
    Mind {
        ticket: Ticket,
        mind: Box<MindView>,
    },
    /// All background processes; replaces the previous ones.
    Processes(Vec<Background>),
    /// What waits for consent; replaces the previous value.
    Consent(ConsentView),
    /// A one-time message for the user.
    Notice(Localized),
    /// All open notices and failures, failures first, the newest first; replaces the previous ones.
    News(Vec<NewsItem>),
    /// All teams that can be used, by name; replaces the previous ones. None where teams are off.
    Teams(Vec<TeamRow>),
    /// All triggers that have a file, by team and name, with the beginnings of their tasks; replaces the previous ones.
    Triggers(Vec<TriggerRow>),
    /// The open tasks and the newest ones that have ended, both up to a number; replaces the previous ones.
    Tasks(Vec<TaskRow>),
    /// One task, new or changed. On disk before it is sent.
    TaskUpdated(Box<TaskRow>),
    /// All of a task.
    Task {
        ticket: Ticket,
        task: Box<Task>,
    },
    /// Memories of teams with the beginnings of their texts, and how many there are in all.
    Memories {
        ticket: Ticket,
        rows: Vec<Memory>,
        total: u64,
    },
    /// All memories that had one key, the newest first, and how many older ones are left out.
    MemoryChain {
        ticket: Ticket,
        chain: Vec<Memory>,
        left_out: u64,
    },
    /// Entries of vaults with the beginnings of their texts, and how many there are in all.
    Vault {
        ticket: Ticket,
        entries: Vec<ShownEntry>,
        total: u64,
    },
    /// All of an entry of a vault.
    VaultEntry {
        ticket: Ticket,
        whole: Box<WholeEntry>,
    },
    /// The dialogs that cause the outcome in the following [`Self::Quiet`]: failed, paused or blocked. Sent
    /// if there are any.
    Halted(Vec<HaltedDialog>),
    /// Nothing runs, and nothing can without the user.
    Quiet(QuietOutcome),
    /// Nothing of one tree runs, and nothing of it can without the user. Sent to scripts, with the dialogs that
    /// cause the outcome.
    TreeQuiet {
        root: RootId,
        outcome: QuietOutcome,
        halted: Vec<HaltedDialog>,
    },
    /// Events were dropped because the screen was slow: request everything again.
    Lagged,
    /// The driver has ended; nothing follows.
    Stopped,
}

/// The default for a driver that does not say it.
fn answered() -> Resolution {
    Resolution::Answered
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventScope<'a> {
    /// The transcript of a dialog, in the order of its events.
    Transcript(&'a DialogId),
    /// A dialog, apart from its transcript.
    Dialog(&'a DialogId),
    /// A tree.
    Tree(&'a RootId),
    /// The workspace: all that there is of something. Of those that wait only the newest counts.
    WorkspaceState,
    /// The workspace. Each one counts, in order.
    Workspace,
    /// A command, and the dialog that it created or concerned.
    Reply(Option<&'a DialogId>),
    /// The driver itself.
    Driver,
}

/// The ticket within an event, by the kind of reference the event is.
macro_rules! ticket_within {
    ($event:expr) => {
        if let Self::Page { ticket, .. }
        | Self::Done { ticket, .. }
        | Self::Refused { ticket, .. }
        | Self::Drafts { ticket, .. }
        | Self::Shelf { ticket, .. }
        | Self::Found { ticket, .. }
        | Self::ImageKept { ticket, .. }
        | Self::Log { ticket, .. }
        | Self::Task { ticket, .. }
        | Self::Memories { ticket, .. }
        | Self::MemoryChain { ticket, .. }
        | Self::Vault { ticket, .. }
        | Self::VaultEntry { ticket, .. }
        | Self::Prompt { ticket, .. }
        | Self::Mind { ticket, .. } = $event
        {
            Some(ticket)
        } else {
            None
        }
    };
}

impl DriverEvent {
    /// What it is about. A page is of the transcript, although it has the ticket of a command.
    #[must_use]
    pub fn scope(&self) -> EventScope<'_> {
        match self {
            Self::Fact(fact) => EventScope::Transcript(fact.dialog()),
            Self::Page { page, .. } => EventScope::Transcript(&page.dialog),
            Self::Live { dialog, .. }
            | Self::LiveEnd { dialog }
            | Self::Printed { dialog, .. }
            | Self::ToolEnded { dialog, .. }
            | Self::Retry { dialog, .. } => EventScope::Transcript(dialog),
            Self::Row(row) => EventScope::Dialog(&row.dialog),
            Self::Removed(dialog)
            | Self::Asked { dialog, .. }
            | Self::Answered { dialog, .. }
            | Self::Sheet { dialog, .. }
            | Self::Forked { dialog, .. } => EventScope::Dialog(dialog),
            Self::TreeQuiet { root, .. } => EventScope::Tree(root),
            Self::Inbox(_)
            | Self::Problems(_)
            | Self::Files(_)
            | Self::Prompts(_)
            | Self::Processes(_)
            | Self::News(_)
            | Self::Teams(_)
            | Self::Triggers(_)
            | Self::Tasks(_) => EventScope::WorkspaceState,
            Self::Workspace(_)
            | Self::Rows(_)
            | Self::Consent(_)
            | Self::Notice(_)
            | Self::TaskUpdated(_)
            | Self::Halted(_)
            | Self::Quiet(_) => EventScope::Workspace,
            Self::Done { dialog, .. } => EventScope::Reply(dialog.as_ref()),
            Self::Refused { .. }
            | Self::Shelf { .. }
            | Self::Found { .. }
            | Self::Drafts { .. }
            | Self::ImageKept { .. }
            | Self::Log { .. }
            | Self::Mind { .. }
            | Self::Task { .. }
            | Self::Memories { .. }
            | Self::MemoryChain { .. }
            | Self::Prompt { .. }
            | Self::Vault { .. }
            | Self::VaultEntry { .. } => EventScope::Reply(None),
            Self::Lagged | Self::Stopped => EventScope::Driver,
        }
    }

    /// The tree that it is about; `None` if it is not about one alone.
    #[must_use]
    pub fn root(&self) -> Option<&RootId> {
        match self.scope() {
            EventScope::Transcript(dialog)
            | EventScope::Dialog(dialog)
            | EventScope::Reply(Some(dialog)) => Some(&dialog.root),
            EventScope::Tree(root) => Some(root),
            EventScope::Reply(None)
            | EventScope::WorkspaceState
            | EventScope::Workspace
            | EventScope::Driver => None,
        }
    }

    /// True if only the newest counts: of its kind, or of its kind for one dialog, call or task.
    #[must_use]
    pub fn is_replaceable(&self) -> bool {
        matches!(self, Self::Row(_) | Self::TaskUpdated(_) | Self::Printed { .. })
            || self.scope() == EventScope::WorkspaceState
    }

    /// True if it makes the `old` one obsolete.
    #[must_use]
    pub fn replaces(&self, old: &Self) -> bool {
        match (self, old) {
            (Self::Row(new), Self::Row(old)) => new.dialog == old.dialog,
            (Self::TaskUpdated(new), Self::TaskUpdated(old)) => new.id == old.id,
            (Self::Printed { dialog, call, .. }, Self::Printed { dialog: of, call: old, .. }) => {
                (dialog, call) == (of, old)
            }
            (_, _) => self.is_replaceable() && discriminant(self) == discriminant(old),
        }
    }

    /// True if neither a refresh nor opening a dialog again brings it back.
    #[must_use]
    pub fn is_said_once(&self) -> bool {
        matches!(self, Self::Asked { .. } | Self::Forked { .. } | Self::Stopped)
            || matches!(self.scope(), EventScope::Reply(_))
    }

    /// The ticket of the command it replies to; `None` if it is for everybody, or of a reply without one.
    #[must_use]
    pub fn ticket(&self) -> Option<Ticket> {
        ticket_within!(self).copied()
    }

    pub fn ticket_mut(&mut self) -> Option<&mut Ticket> {
        ticket_within!(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticket_of_a_reply_can_be_replaced_and_other_events_have_none() {
        let done = |ticket| DriverEvent::Done { ticket, dialog: None };
        assert_eq!(done(3).ticket(), Some(3));
        let mut replaced = done(3);
        *replaced.ticket_mut().unwrap() = 9;
        assert_eq!(replaced, done(9));
        assert_eq!(DriverEvent::Lagged.ticket(), None);
    }

    #[test]
    fn of_the_state_of_the_workspace_only_the_newest_counts_and_of_notices_each() {
        let news = || DriverEvent::News(Vec::new());
        let tasks = || DriverEvent::Tasks(Vec::new());
        let notice = || DriverEvent::Notice(Localized::same("all".to_owned()));
        assert!(news().is_replaceable() && news().replaces(&news()));
        assert!(!news().replaces(&tasks()) && !news().replaces(&notice()));
        assert!(!notice().is_replaceable() && !notice().replaces(&notice()));
    }

    #[test]
    fn of_the_lines_of_a_running_command_only_the_newest_count_for_each_call() {
        let dialog = DialogId::main(RootId::new("aa/bb/1"));
        let printed = |call: &str, line: &str| DriverEvent::Printed {
            dialog: dialog.clone(),
            call: CallId::new(call),
            lines: vec![line.to_owned()],
        };
        assert!(printed("a", "2").replaces(&printed("a", "1")));
        assert!(!printed("b", "2").replaces(&printed("a", "1")));
        assert!(!printed("a", "2").is_said_once());
    }

    #[test]
    fn a_reply_is_of_the_tree_of_its_dialog_and_is_said_once() {
        let dialog = DialogId::main(RootId::new("aa/bb/1"));
        let done = DriverEvent::Done { ticket: 1, dialog: Some(dialog.clone()) };
        assert_eq!(done.root(), Some(&dialog.root));
        assert_eq!(done.scope(), EventScope::Reply(Some(&dialog)));
        assert!(DriverEvent::Done { ticket: 1, dialog: None }.is_said_once());
        assert!(!DriverEvent::LiveEnd { dialog }.is_said_once());
    }
}
