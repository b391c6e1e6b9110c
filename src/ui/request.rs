//! What is asked of the driver with a result for the screen.

use std::collections::BTreeMap;

use crate::domain::asking::autonomy::{AutonomyLevel, AutonomyScope};
use crate::domain::asking::inquiry::answers::AnswerInput;
use crate::domain::dialogs::keep_going::KeepGoingSwitch;
use crate::domain::safety::sandbox::Level;
use crate::domain::{AgentId, Bucket, Course, DialogId, ModelChoice, MsgId, PromptCall, RootId};
use crate::model::{DraftKey, LogFilter, attached};
use crate::protocol::{
    Command, FindRequest, ImageOrigin, Lifecycle, MemoriesRequest, SheetRequest, TeamsRequest,
    Ticket, VaultRequest,
};

/// A request, with the data for its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Show a dialog.
    Open {
        dialog: DialogId,
        course: Option<Course>,
    },
    /// The shown course again, after events were lost.
    Reload {
        dialog: DialogId,
        course: Option<Course>,
    },
    /// Older records.
    Page {
        dialog: DialogId,
        course: Course,
        before: usize,
    },
    /// The newest records of a dialog that is not opened.
    Preview {
        dialog: DialogId,
    },
    /// A message; the typed text is its draft until it is on disk.
    Say {
        dialog: DialogId,
        text: String,
        typed: String,
        /// What runs in the dialog is stopped for it.
        at_once: bool,
    },
    /// An answer; likewise.
    Answer {
        dialog: DialogId,
        question: String,
        /// The one of its several parts; an answer that it has is replaced.
        part: Option<String>,
        text: String,
        typed: String,
    },
    /// An answer to all of a question that was not typed.
    AnswerAll {
        dialog: DialogId,
        question: String,
        input: AnswerInput,
    },
    Create {
        agent: AgentId,
        taskdoc: String,
        text: String,
    },
    /// A copy of an image to be attached, with the number of its chip.
    KeepImage {
        number: u64,
        origin: ImageOrigin,
    },
    /// A change of a dialog, with the dialog's name.
    Lifecycle {
        change: Lifecycle,
        name: String,
    },
    /// One of several main dialogs that are put away together.
    PutAway {
        root: RootId,
        to: Bucket,
        name: String,
    },
    /// A title, or its removal.
    Title {
        dialog: DialogId,
        title: Option<String>,
    },
    TakeBack(PendingTakeBack),
    /// The content of a sheet.
    Sheet {
        dialog: DialogId,
        request: SheetRequest,
    },
    /// A change on a sheet, with its draft.
    ChangeSheet {
        dialog: DialogId,
        request: SheetRequest,
        draft: Option<(DraftKey, String)>,
    },
    KeepGoing {
        dialog: DialogId,
        switch: KeepGoingSwitch,
    },
    /// The model of a dialog; `None`: that of its member.
    SetModel {
        dialog: DialogId,
        model: Option<ModelChoice>,
    },
    /// How much the member of a dialog decides alone; `None`: as configured.
    SetDialogAutonomy {
        dialog: DialogId,
        level: Option<AutonomyLevel>,
    },
    Agree {
        digests: Vec<String>,
        level: Option<Level>,
    },
    Continue {
        dialog: DialogId,
    },
    ContinueAll,
    Shelf,
    /// A search in the records of dialogs.
    Find(FindRequest),
    /// The lines of the program's log that pass this filter.
    Log(LogFilter),
    /// The request that a new dialog of a member begins with.
    Mind {
        agent: AgentId,
    },
    /// The same request again, for the open sheet.
    MindAgain {
        agent: AgentId,
    },
    SetAutonomy {
        level: AutonomyLevel,
    },
    DismissNews {
        ids: Vec<String>,
    },
    Task(TeamsRequest),
    /// Something of what the teams remember.
    Memories {
        request: MemoriesRequest,
        /// The list or the sheet of the reply is shown, also if it is not open.
        opens: bool,
    },
    /// Something of what is in the vaults.
    Vault(VaultRequest),
    StopProcess {
        pid: u32,
    },
    /// The text of a prompt of a server, for the message to a dialog.
    Prompt {
        dialog: DialogId,
        call: PromptCall,
    },
}

/// A message whose removal from the queue was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingTakeBack {
    pub dialog: DialogId,
    pub message: MsgId,
    pub edit: Option<TakeBackEdit>,
}

/// The composer's text with the message, and before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakeBackEdit {
    pub with: String,
    pub before: String,
}

impl Request {
    /// The draft of a text that is being sent.
    pub fn draft(&self) -> Option<(DraftKey, &str)> {
        match self {
            Self::Say { dialog, typed, .. } => Some((DraftKey::Message(dialog.clone()), typed)),
            Self::Answer { question, part, typed, .. } => {
                Some((DraftKey::of_answer(question, part.as_deref()), typed))
            }
            Self::ChangeSheet { draft, .. } => {
                draft.as_ref().map(|(key, text)| (key.clone(), text.as_str()))
            }
            Self::Task(TeamsRequest::Delegate { team, text, .. }) => {
                Some((DraftKey::Task(team.clone()), text))
            }
            Self::Open { .. }
            | Self::Task(_)
            | Self::Memories { .. }
            | Self::Vault(_)
            | Self::Reload { .. }
            | Self::Page { .. }
            | Self::Preview { .. }
            | Self::KeepImage { .. }
            | Self::AnswerAll { .. }
            | Self::Create { .. }
            | Self::Lifecycle { .. }
            | Self::Title { .. }
            | Self::PutAway { .. }
            | Self::TakeBack(_)
            | Self::Sheet { .. }
            | Self::KeepGoing { .. }
            | Self::SetModel { .. }
            | Self::SetDialogAutonomy { .. }
            | Self::Agree { .. }
            | Self::Continue { .. }
            | Self::ContinueAll
            | Self::Shelf
            | Self::Find(_)
            | Self::Mind { .. }
            | Self::MindAgain { .. }
            | Self::Log { .. }
            | Self::SetAutonomy { .. }
            | Self::DismissNews { .. }
            | Self::StopProcess { .. }
            | Self::Prompt { .. } => None,
        }
    }

    /// True if the driver is asked to change something.
    pub fn changes(&self) -> bool {
        !self.clone().command(0).is_read_only()
    }

    /// The command that makes it.
    pub fn command(self, ticket: Ticket) -> Command {
        match self {
            Self::Open { dialog, course } | Self::Reload { dialog, course } => {
                Command::Open { ticket, dialog, course }
            }
            Self::Page { dialog, course, before } => {
                Command::Page { ticket, dialog, course, before }
            }
            Self::Preview { dialog } => Command::Preview { ticket, dialog },
            Self::Say { dialog, text, typed, at_once } => {
                let images = attached::images(&typed);
                if at_once {
                    Command::SayNow { ticket, dialog, text, images }
                } else {
                    Command::Say { ticket, dialog, text, images }
                }
            }
            Self::KeepImage { origin, .. } => Command::KeepImage { ticket, origin },
            Self::Answer { dialog, question, part: Some(part), text, .. } => {
                let input = AnswerInput::Parts(BTreeMap::from([(part, text)]));
                Command::AnswerParts { ticket, dialog, question, input, replace: true }
            }
            Self::AnswerAll { dialog, question, input } => {
                Command::AnswerParts { ticket, dialog, question, input, replace: false }
            }
            Self::Answer { dialog, question, part: None, text, typed } => {
                let images = attached::images(&typed);
                Command::Answer { ticket, dialog, question, text, images }
            }
            Self::Create { agent, taskdoc, text } => {
                Command::Create { ticket, agent, taskdoc, text, priming: Vec::new() }
            }
            Self::PutAway { root, to, .. } => {
                Command::Lifecycle { ticket, change: Lifecycle::Move { root, to } }
            }
            Self::Title { dialog, title } => Command::Title { ticket, dialog, title },
            Self::Lifecycle { change, .. } => Command::Lifecycle { ticket, change },
            Self::TakeBack(PendingTakeBack { dialog, message, .. }) => {
                Command::TakeBack { ticket, dialog, message }
            }
            Self::Sheet { dialog, request } | Self::ChangeSheet { dialog, request, .. } => {
                Command::Sheet { ticket, dialog, request }
            }
            Self::KeepGoing { dialog, switch } => Command::KeepGoing { ticket, dialog, switch },
            Self::SetModel { dialog, model } => Command::SetModel { ticket, dialog, model },
            Self::SetDialogAutonomy { dialog, level } => {
                Command::SetDialogAutonomy { ticket, dialog, level }
            }
            Self::Agree { digests, level } => Command::Agree { ticket, digests, level },
            Self::Continue { dialog } => Command::Continue { ticket, dialog },
            Self::ContinueAll => Command::ContinueAll { ticket },
            Self::Shelf => Command::Shelf { ticket },
            Self::Find(request) => Command::Find { ticket, request },
            Self::Log { .. } => Command::Log { ticket },
            Self::Mind { agent } | Self::MindAgain { agent } => Command::Mind { ticket, agent },
            Self::DismissNews { ids } => Command::DismissNews { ticket, ids: ids.clone() },
            Self::SetAutonomy { level } => {
                let scope = AutonomyScope::Workspace;
                Command::SetAutonomy { ticket, scope, level }
            }
            Self::Task(request) => Command::Tasks { ticket, request },
            Self::Memories { request, .. } => Command::Memories { ticket, request },
            Self::Vault(request) => Command::Vault { ticket, request },
            Self::StopProcess { pid } => Command::StopProcess { ticket, pid },
            Self::Prompt { dialog, call } => Command::Prompt { ticket, dialog, call },
        }
    }
}

/// An answer as it will be sent, and the typed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldAnswer {
    pub dialog: DialogId,
    pub question: String,
    /// The one of its several parts.
    pub part: Option<String>,
    pub text: String,
    pub typed: String,
}

impl HeldAnswer {
    pub fn request(self) -> Request {
        let Self { dialog, question, part, text, typed } = self;
        Request::Answer { dialog, question, part, text, typed }
    }

    /// Returns the key of its draft.
    pub fn key(&self) -> DraftKey {
        DraftKey::of_answer(&self.question, self.part.as_deref())
    }
}
