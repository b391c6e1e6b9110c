//! Commands of the user, or of a script.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::finding::FindRequest;
use super::image::{AttachedImage, ImageOrigin};
use super::lifecycle::Lifecycle;
use super::memories::MemoriesRequest;
use super::sheet::SheetRequest;
use super::teams::TeamsRequest;
use super::vault::VaultRequest;
use crate::domain::asking::autonomy::{AutonomyLevel, AutonomyScope};
use crate::domain::asking::inquiry::answers::AnswerInput;
use crate::domain::dialogs::keep_going::KeepGoingSwitch;
use crate::domain::safety::sandbox::Level;
use crate::domain::{AgentId, Course, DialogId, ModelChoice, MsgId, PromptCall};

/// Chosen by the sender; the reply repeats it, so a late reply for a closed view is dropped.
pub type Ticket = u64;

/// The name of the stored text that is no draft: how far the user has looked at the dialogs.
pub const LOOKED: &str = "looked";

/// The largest ticket that a client may choose; of a larger one the lower half counts.
pub const LARGEST_TICKET: Ticket = 0xffff_ffff;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Show this dialog: answered by a [`super::TranscriptPage`] of its newest records; from then on
    /// its facts and live text are sent. `course` shows an old course. Changes nothing on disk.
    Open {
        ticket: Ticket,
        dialog: DialogId,
        course: Option<Course>,
    },
    /// Records of the shown course before line `before`.
    Page {
        ticket: Ticket,
        dialog: DialogId,
        course: Course,
        before: usize,
    },
    /// The newest records of a dialog, without showing it: answered like [`Self::Open`], or not at all if
    /// another one is wanted before it was read. Changes nothing on disk.
    Preview {
        ticket: Ticket,
        dialog: DialogId,
    },
    /// No dialog is shown any more.
    Close,
    /// A new main dialog, and its first message.
    Create {
        ticket: Ticket,
        agent: AgentId,
        taskdoc: String,
        text: String,
        /// The startup scripts that it begins with.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        priming: Vec<String>,
    },
    /// A message for a dialog: drives it, or is queued until its running generation has ended.
    Say {
        ticket: Ticket,
        dialog: DialogId,
        text: String,
        #[serde(default)]
        images: Vec<AttachedImage>,
    },
    /// As [`Self::Say`], but at once: what runs in the dialog is stopped for it, and the dialog goes on with the
    /// message. A stop by the user that has not ended yet is taken back.
    SayNow {
        ticket: Ticket,
        dialog: DialogId,
        text: String,
        #[serde(default)]
        images: Vec<AttachedImage>,
    },
    /// Keeps a private copy of an image that the user wants to attach: answered by
    /// [`super::DriverEvent::ImageKept`]. Nothing is sent to anybody.
    KeepImage {
        ticket: Ticket,
        origin: ImageOrigin,
    },
    /// Takes back a queued message. Refused if a generation has taken it already.
    TakeBack {
        ticket: Ticket,
        dialog: DialogId,
        message: MsgId,
    },
    /// The answer to an open question. Refused if it was answered already.
    Answer {
        ticket: Ticket,
        dialog: DialogId,
        question: String,
        text: String,
        #[serde(default)]
        images: Vec<AttachedImage>,
    },
    /// Answers to parts of an open question, see [`AnswerInput`]. The part that is the last one without an answer
    /// closes it. Refused whole if a part has an answer, unless it is to be replaced.
    AnswerParts {
        ticket: Ticket,
        dialog: DialogId,
        question: String,
        input: AnswerInput,
        #[serde(default)]
        replace: bool,
    },
    Stop {
        dialog: DialogId,
    },
    /// Retries a failing request now; without effect if none waits for a retry.
    RetryNow {
        dialog: DialogId,
    },
    StopAll,
    /// Finishes every running step and begins no other, until the driver ends. The next driver goes on.
    FinishSteps {
        ticket: Ticket,
    },
    /// Continues a stopped dialog. Refused with a reason if that is not possible.
    Continue {
        ticket: Ticket,
        dialog: DialogId,
    },
    ContinueAll {
        ticket: Ticket,
    },
    /// Takes back a `Continue` if nothing has driven the dialog yet.
    Withdraw {
        ticket: Ticket,
        dialog: DialogId,
    },
    /// Switches keep-going of a main dialog. An idle one that is switched on continues at once.
    KeepGoing {
        ticket: Ticket,
        dialog: DialogId,
        switch: KeepGoingSwitch,
    },
    /// Chooses the model of a dialog from its next generation on; `None`: that of its member.
    SetModel {
        ticket: Ticket,
        dialog: DialogId,
        model: Option<ModelChoice>,
    },
    /// Chooses how much a member decides alone in a dialog, from its next generation on; `None`: as the configuration
    /// of the workspace says.
    SetDialogAutonomy {
        ticket: Ticket,
        dialog: DialogId,
        level: Option<AutonomyLevel>,
    },
    /// Acknowledged with the dialog it created or concerned.
    Lifecycle {
        ticket: Ticket,
        change: Lifecycle,
    },
    /// Gives a dialog a title; `None` takes it away, and the dialog has its first words again.
    Title {
        ticket: Ticket,
        dialog: DialogId,
        title: Option<String>,
    },
    /// Lists done and archived trees: answered by [`super::DriverEvent::Shelf`].
    Shelf {
        ticket: Ticket,
    },
    /// The end of the program's log: answered by [`super::DriverEvent::Log`].
    Log {
        ticket: Ticket,
    },
    /// What a member is told: answered by [`super::DriverEvent::Mind`].
    Mind {
        ticket: Ticket,
        agent: AgentId,
    },
    /// The user agrees to entries of [`super::ConsentView`], identified by their digests, permanently. When
    /// nothing waits any more, dialogs that can continue do.
    Agree {
        ticket: Ticket,
        digests: Vec<String>,
        /// The new sandbox level, if the user chose one.
        level: Option<Level>,
    },
    /// Writes a level of autonomy into the configuration of the workspace: the user chose it.
    SetAutonomy {
        ticket: Ticket,
        scope: AutonomyScope,
        level: AutonomyLevel,
    },
    /// Dismisses what of these notices and failures is open.
    DismissNews {
        ticket: Ticket,
        ids: Vec<String>,
    },
    /// Reads or changes tasks of teams.
    Tasks {
        ticket: Ticket,
        request: TeamsRequest,
    },
    /// Reads or changes what the teams remember.
    Memories {
        ticket: Ticket,
        request: MemoriesRequest,
    },
    /// Reads what is in the vaults of the teams.
    Vault {
        ticket: Ticket,
        request: VaultRequest,
    },
    /// Checks again what waits for consent: answered by [`super::DriverEvent::Consent`].
    CheckConsent,
    /// Lists the files of the workspace: answered by [`super::DriverEvent::Files`].
    Files,
    /// Lists the prompts of MCP servers: answered by [`super::DriverEvent::Prompts`]. Starts the servers, as a
    /// generation does.
    Prompts,
    /// Has a server make the text of a prompt for this dialog: answered by [`super::DriverEvent::Prompt`]. Nothing is
    /// sent to a member.
    Prompt {
        ticket: Ticket,
        dialog: DialogId,
        call: PromptCall,
    },
    /// The texts that screens keep for the person: answered by [`super::DriverEvent::Drafts`].
    Drafts {
        ticket: Ticket,
    },
    /// Keeps such a text; an empty one is dropped. Acknowledged when it is on disk.
    SaveDraft {
        ticket: Ticket,
        name: String,
        text: String,
    },
    /// Ends a background process, with all its children.
    StopProcess {
        ticket: Ticket,
        pid: u32,
    },
    /// Reads or changes the reminders or the Taskdoc of a dialog.
    Sheet {
        ticket: Ticket,
        dialog: DialogId,
        request: SheetRequest,
    },
    /// Searches the records of dialogs: answered by [`super::DriverEvent::Found`], several times. A search
    /// that still reads ends.
    Find {
        ticket: Ticket,
        request: FindRequest,
    },
    /// Ends a search that still reads.
    EndFind,
    /// The open questions that the person looks at on this screen; `None`: nobody is known to look at it. The driver
    /// calls nobody for what is looked at.
    Look {
        questions: Option<Vec<String>>,
    },
    /// Requests the complete state again: rows, inbox, problems.
    Refresh,
    /// Ends the driver: streams are aborted and partial texts kept, within `grace`.
    Shutdown {
        grace: Duration,
    },
}

/// The ticket within a command, by the kind of reference the command is.
macro_rules! ticket_within {
    ($command:expr) => {
        match $command {
            Self::Open { ticket, .. }
            | Self::Page { ticket, .. }
            | Self::Preview { ticket, .. }
            | Self::Create { ticket, .. }
            | Self::Say { ticket, .. }
            | Self::SayNow { ticket, .. }
            | Self::KeepImage { ticket, .. }
            | Self::TakeBack { ticket, .. }
            | Self::Answer { ticket, .. }
            | Self::AnswerParts { ticket, .. }
            | Self::Continue { ticket, .. }
            | Self::FinishSteps { ticket }
            | Self::ContinueAll { ticket }
            | Self::Withdraw { ticket, .. }
            | Self::KeepGoing { ticket, .. }
            | Self::SetModel { ticket, .. }
            | Self::SetDialogAutonomy { ticket, .. }
            | Self::Lifecycle { ticket, .. }
            | Self::Title { ticket, .. }
            | Self::Shelf { ticket }
            | Self::Log { ticket }
            | Self::Mind { ticket, .. }
            | Self::Agree { ticket, .. }
            | Self::SetAutonomy { ticket, .. }
            | Self::DismissNews { ticket, .. }
            | Self::Tasks { ticket, .. }
            | Self::Memories { ticket, .. }
            | Self::Vault { ticket, .. }
            | Self::Prompt { ticket, .. }
            | Self::Drafts { ticket }
            | Self::SaveDraft { ticket, .. }
            | Self::StopProcess { ticket, .. }
            | Self::Sheet { ticket, .. }
            | Self::Find { ticket, .. } => Some(ticket),
            Self::Close
            | Self::Stop { .. }
            | Self::RetryNow { .. }
            | Self::StopAll
            | Self::CheckConsent
            | Self::Files
            | Self::Prompts
            | Self::EndFind
            | Self::Look { .. }
            | Self::Refresh
            | Self::Shutdown { .. } => None,
        }
    };
}

impl Command {
    /// The ticket that its reply repeats; `None` if it has no reply of its own.
    #[must_use]
    pub fn ticket(&self) -> Option<Ticket> {
        ticket_within!(self).copied()
    }

    pub fn ticket_mut(&mut self) -> Option<&mut Ticket> {
        ticket_within!(self)
    }

    /// The command with this ticket, if it has one at all.
    #[must_use]
    pub fn with_ticket(mut self, ticket: Ticket) -> Self {
        if let Some(own) = self.ticket_mut() {
            *own = ticket;
        }
        self
    }

    /// True if it changes nothing, neither on disk nor in what runs: a client that only looks on may send it.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        match self {
            Self::Open { .. }
            | Self::Page { .. }
            | Self::Preview { .. }
            | Self::Close
            | Self::Shelf { .. }
            | Self::Log { .. }
            | Self::Mind { .. }
            | Self::Vault { .. }
            | Self::CheckConsent
            | Self::Files
            | Self::Drafts { .. }
            | Self::Find { .. }
            | Self::EndFind
            | Self::Look { .. }
            | Self::Refresh => true,
            Self::Sheet { request, .. } => request.is_read_only(),
            Self::Tasks { request, .. } => request.is_read_only(),
            Self::Memories { request, .. } => request.is_read_only(),
            Self::Create { .. }
            | Self::Say { .. }
            | Self::SayNow { .. }
            | Self::KeepImage { .. }
            | Self::TakeBack { .. }
            | Self::Answer { .. }
            | Self::AnswerParts { .. }
            | Self::Stop { .. }
            | Self::RetryNow { .. }
            | Self::StopAll
            | Self::Continue { .. }
            | Self::FinishSteps { .. }
            | Self::ContinueAll { .. }
            | Self::Withdraw { .. }
            | Self::KeepGoing { .. }
            | Self::SetModel { .. }
            | Self::SetDialogAutonomy { .. }
            | Self::Lifecycle { .. }
            | Self::Title { .. }
            | Self::Agree { .. }
            | Self::SetAutonomy { .. }
            | Self::DismissNews { .. }
            | Self::Prompts
            | Self::Prompt { .. }
            | Self::SaveDraft { .. }
            | Self::StopProcess { .. }
            | Self::Shutdown { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;
    use crate::protocol::changes::ChangesScope;

    fn dialog() -> DialogId {
        DialogId::main(RootId::new("aa/bb/1"))
    }

    #[test]
    fn the_ticket_of_a_command_can_be_replaced_and_nothing_else_of_it_changes() {
        let open = |ticket| Command::Open { ticket, dialog: dialog(), course: None };
        assert_eq!(open(3).ticket(), Some(3));
        assert_eq!(open(3).with_ticket(9), open(9));
        assert_eq!(Command::StopAll.with_ticket(9), Command::StopAll);
        assert_eq!(Command::StopAll.ticket(), None);
    }

    #[test]
    fn whoever_looks_on_reads_sheets_and_changes_none() {
        let sheet = |request| Command::Sheet { ticket: 1, dialog: dialog(), request };
        for request in [
            SheetRequest::Reminders,
            SheetRequest::Taskdoc,
            SheetRequest::Changes(ChangesScope::Dialog),
            SheetRequest::Timeline,
            SheetRequest::Usage,
        ] {
            assert!(sheet(request).is_read_only());
        }
        for request in [
            SheetRequest::MarkReviewed(Vec::new()),
            SheetRequest::DeleteReminder { id: "r".to_owned() },
        ] {
            assert!(!sheet(request).is_read_only());
        }
        assert!(Command::Refresh.is_read_only() && Command::Files.is_read_only());
        let origin = ImageOrigin::File("~/a.png".to_owned());
        assert!(!Command::KeepImage { ticket: 1, origin }.is_read_only());
        assert!(!Command::RetryNow { dialog: dialog() }.is_read_only());
        assert!(!Command::Shutdown { grace: Duration::ZERO }.is_read_only());
    }
}
