//! An overlay to open, as data.

use crate::action::KeysOf;
use crate::domain::teams::task::Task;
use crate::domain::teams::trigger::row::TriggerRow;
use crate::domain::teams::vault::{ListedEntries, ShownEntry, WholeEntry};
use crate::domain::text::Text;
use crate::domain::{DialogId, PromptArgument, PromptCall, RootId, ServerPrompt, TeamName};
use crate::follow_up::{FilteredList, FollowUp, FollowUps};
use crate::model::drafts::{comment_at, words_of_comment};
use crate::model::{DraftKey, LogFilter, ShownTasks};
use crate::protocol::{
    ChangesScope, FindRequest, InboxRow, LogView, MindView, SheetRequest, ShelfRow,
};
use crate::request::Request;
use crate::text::excerpts::Excerpt;

/// The use of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptPurpose {
    /// The line is a note for the dialogs that wait for this one; it may be empty.
    DeclareDead(DialogId),
    /// The line names a generation.
    Fork(RootId),
    /// The line says how long this question is put off.
    PutOff(String),
    /// The line is a title; `before` is the one it has. Without text, the dialog has its first words again.
    Title { dialog: DialogId, before: String },
    /// The line is a comment on this place, for the dialog; `before` is the one that is there. Without text there is
    /// none.
    Comment { dialog: DialogId, on: CommentOn, place: String, before: String },
    /// The line is what is searched for in what the teams remember. Without text, all of it is listed.
    Memories,
    /// The line is the next argument of a prompt of a server. One that is not required may be empty.
    Argument(WantedPrompt),
}

/// A prompt of a server that is to become a part of the message to a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedPrompt {
    dialog: DialogId,
    prompt: ServerPrompt,
    /// The texts for the arguments that were asked for; an empty one is left out.
    given: Vec<String>,
}

impl WantedPrompt {
    pub fn new(dialog: DialogId, prompt: ServerPrompt) -> Self {
        Self { dialog, prompt, given: Vec::new() }
    }

    /// Gives the next argument.
    #[must_use]
    pub fn with(mut self, text: &str) -> Self {
        self.given.push(text.to_owned());
        self
    }

    /// The argument to ask for next.
    pub fn argument(&self) -> Option<&PromptArgument> {
        self.prompt.arguments.get(self.given.len())
    }

    /// Asks the person for the next argument, or the server for the text.
    pub fn next_step(self) -> FollowUp {
        if let Some(argument) = self.argument() {
            let name = format!("{}  {}  {}", self.prompt.id(), argument.name, argument.description);
            let (purpose, text) = (PromptPurpose::Argument(self), String::new());
            return FollowUp::Show(NewOverlay::Prompt { purpose, name, text });
        }
        let Self { dialog, prompt: ServerPrompt { server, name, arguments, .. }, given } = self;
        let names = arguments.into_iter().map(|argument| argument.name);
        let arguments = names.zip(given).filter(|(_, text)| !text.is_empty()).collect();
        FollowUp::Request(Request::Prompt { dialog, call: PromptCall { server, name, arguments } })
    }
}

/// What a comment is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentOn {
    /// A line of the change that a question asks to approve. It goes with the answer.
    Change { question: String, line: usize },
    /// A line of a file that was changed. It is a part of the message to the dialog.
    Review,
}

impl PromptPurpose {
    /// Returns the line that this draft is.
    pub fn line_of<'a>(&self, draft: &'a str) -> &'a str {
        if let Self::Comment { on: CommentOn::Change { .. }, place, .. } = self {
            return words_of_comment(draft, place);
        }
        draft
    }

    /// Returns the draft for this line.
    pub fn draft_of(&self, line: String) -> String {
        match self {
            Self::Comment { on: CommentOn::Change { .. }, place, .. }
                if !line.trim().is_empty() =>
            {
                comment_at(place, &line)
            }
            Self::Comment { .. }
            | Self::DeclareDead(_)
            | Self::Fork(_)
            | Self::PutOff(_)
            | Self::Title { .. }
            | Self::Memories
            | Self::Argument(_) => line,
        }
    }

    /// The draft of its line.
    pub fn draft_key(&self) -> DraftKey {
        DraftKey::Line(match self {
            Self::DeclareDead(dialog) => format!("note/{dialog}"),
            Self::Fork(root) => format!("fork/{root}"),
            Self::PutOff(question) => format!("later/{question}"),
            Self::Title { dialog, .. } => format!("title/{dialog}"),
            Self::Memories => "memories".to_owned(),
            Self::Argument(wanted) => {
                format!("prompt/{}/{}", wanted.prompt.id(), wanted.given.len())
            }
            Self::Comment { dialog, on: CommentOn::Review, place, .. } => {
                format!("comment/{dialog}/{place}")
            }
            Self::Comment { on: CommentOn::Change { question, line }, .. } => {
                return DraftKey::Comment(question.clone(), *line);
            }
        })
    }
}

/// What is still running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StillRunning {
    Dialogs,
    /// Background processes. In a sandbox they end with the program; then there is no choice.
    Processes {
        sandboxed: bool,
    },
}

/// What a sheet shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetKind {
    Reminders,
    Taskdoc,
}

impl SheetKind {
    pub fn request(self) -> SheetRequest {
        match self {
            Self::Reminders => SheetRequest::Reminders,
            Self::Taskdoc => SheetRequest::Taskdoc,
        }
    }
}

/// What is opened.
#[derive(Debug, Clone, PartialEq)]
pub enum NewOverlay {
    Help(KeysOf),
    Palette(KeysOf),
    /// The form for a new dialog, with its draft.
    NewDialog,
    /// The consent sheet; `then` is the dialog to continue after the user agreed.
    Consent {
        then: Option<DialogId>,
    },
    /// A question below its subject, and what follows if the user says yes.
    Confirm(Text, Text, FollowUps),
    Question(Text, String, FollowUps),
    /// A confirmation that appears while the user may be typing.
    SuddenQuestion(Text, String, FollowUps),
    /// A confirmation of something that cannot be undone.
    PermanentQuestion(Text, String, FollowUps),
    /// Asks for a line of text about the dialog, or the list, with this name.
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
    /// The lines of the program's log that pass this filter.
    Log(Box<LogView>, LogFilter),
    /// The request that a new dialog of a member begins with.
    Mind(Box<MindView>),
    /// The tasks of this team, or of all.
    Tasks(Option<TeamName>, ShownTasks),
    /// The form for a task of this team, with its draft.
    NewTask(TeamName),
    /// A whole task.
    Task(Box<Task>),
    /// A whole trigger.
    Trigger(Box<TriggerRow>),
    /// What the teams remember.
    Memories,
    /// A whole memory, and those before it.
    Memory,
    /// Entries of the vaults, and how many there are in all.
    Vault {
        listed: ListedEntries,
        entries: Vec<ShownEntry>,
        total: u64,
    },
    /// A whole entry of a vault.
    Entry(Box<WholeEntry>),
    /// Everything that a question asks to approve.
    ToApprove(Box<InboxRow>),
    /// The done and archived dialogs.
    Shelf(Vec<ShelfRow>),
    /// Asks what to search for in the open dialog.
    Search,
    /// Searches the records of dialogs; what is said in them is listed at once.
    Finder(FindRequest),
    /// The search in the sent messages.
    Sent,
    /// The parts of a text that can be copied.
    CopyParts {
        whole: String,
        parts: Vec<Excerpt>,
    },
}
