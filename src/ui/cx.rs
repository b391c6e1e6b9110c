//! State that drawing may read, and that an overlay may use and request when it handles a key.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Instant;

use crate::action::{Action, Scope};
use crate::copies::CopyTo;
use crate::domain::asking::autonomy::AutonomyLevel;
use crate::domain::asking::inquiry::answers::AnswerInput;
use crate::domain::asking::put_off;
use crate::domain::safety::sandbox::Level;
use crate::domain::teams::task::Priority;
use crate::domain::teams::trigger::row::TriggerRow;
use crate::domain::text::Text;
use crate::domain::{
    AgentId, Bucket, CallId, Course, DialogId, ForeignLayout, Genseq, Lang, MsgId, RootId, Stamp,
    TeamName,
};
use crate::highlight::CodeColours;
use crate::keymap::Keymap;
use crate::links::Links;
use crate::model::{DraftKey, Drafts, Finds, FoundPlace, Model, Place, Sheets, ShownTasks};
use crate::panes::composer::SentTexts;
use crate::panes::transcript::SearchCount;
use crate::protocol::event::QueuedMessage;
use crate::protocol::{ChangesScope, FindRequest, Lifecycle, LogLevel, SheetRequest, TeamsRequest};
use crate::text::CopyText;
use crate::theme::{Glyphs, Role, Theme};
use crate::words::Counted;
use ratatui::style::Style;

/// The settings of the screen: colours, symbols, keys, language. Replaced as a unit.
#[derive(Debug, Clone)]
pub struct UiSettings {
    pub theme: Theme,
    pub glyphs: Glyphs,
    pub keymap: Keymap,
    pub lang: Lang,
    pub colours: CodeColours,
    pub links: Links,
}

impl UiSettings {
    pub fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    pub fn text(&self, text: Text) -> &'static str {
        text.in_lang(self.lang)
    }

    /// A number with its noun.
    pub fn counted<N: Copy + Display + PartialEq + From<u8>>(
        &self,
        number: N,
        what: Counted,
    ) -> String {
        what.text(number, self.lang)
    }

    /// A sentence with a name in it.
    pub fn sentence(&self, text: Text, name: &str) -> String {
        text.with(name, self.lang)
    }

    /// The subject of a dialog, marked if the dialog may only be read.
    pub fn about<'a>(&self, about: &'a str, foreign: Option<ForeignLayout>) -> Cow<'a, str> {
        let Some(layout) = foreign else { return about.into() };
        format!("{} {about}", self.text(layout.mark())).trim_end().to_owned().into()
    }

    /// The key of an action while `focus` has the focus, as it is shown in hints, such as `⏎` or `Alt+⏎`;
    /// empty if it has none.
    pub fn key(&self, focus: Scope, action: Action) -> String {
        let name = self.keymap.hint(focus, action).unwrap_or_default();
        self.key_label(&name)
    }

    /// A key's name as printed on keyboards, with a symbol for Enter where the terminal has one.
    pub fn key_label(&self, name: &str) -> String {
        if name == "plus" {
            return "+".to_owned();
        }
        let held = [("alt+", "Alt+"), ("ctrl+", "Ctrl+"), ("shift+", "Shift+")];
        let name = held.iter().fold(name.to_owned(), |name, (key, shown)| name.replace(key, shown));
        if self.glyphs == Glyphs::ASCII { name } else { name.replace("enter", self.glyphs.enter) }
    }
}

/// State that drawing may read.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub ui: &'a UiSettings,
    pub now: &'a Stamp,
}

/// How long a question is put off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PutOff {
    Minutes(u64),
    UntilNextStart,
}

impl PutOff {
    /// `15`: minutes; `2h`: hours; nothing: until the next start.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Some(Self::UntilNextStart);
        }
        let (number, unit) = match text.strip_suffix(['h', 'H']) {
            Some(hours) => (hours.trim(), 60),
            None => (text, 1),
        };
        let minutes = number.parse::<u64>().ok()?.checked_mul(unit)?;
        (1..=put_off::MAX_MINUTES).contains(&minutes).then_some(Self::Minutes(minutes))
    }
}

/// A list that can be filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilteredList {
    Dialogs,
    Questions,
}

/// What an overlay requests from the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    Quit,
    /// Quit, and stop background processes.
    QuitAndStop,
    /// Leave the screen; the driver goes on.
    Detach,
    StopProcess(u32),
    /// Members decide this much alone.
    SetAutonomy(AutonomyLevel),
    /// Dismiss these notices and failures.
    DismissNews(Vec<String>),
    StopAll,
    Lifecycle(Lifecycle),
    /// Give a dialog a title, or take it away.
    Title(DialogId, Option<String>),
    /// Put several main dialogs away, each with its name.
    PutAwayAll(Vec<(RootId, String)>, Bucket),
    /// Put a question off.
    PutOff(String, PutOff),
    /// Shorten a list to what fits this text.
    Filter(FilteredList, String),
    /// Move the selection of a list by rows.
    StepIn(FilteredList, isize),
    Open(DialogId),
    /// Go to this one of the places to go back to.
    GoTo(usize),
    /// List the parts of the block with the cursor that can be copied.
    ShowParts,
    /// Search for this text in the open dialog.
    Search(String),
    NextMatch,
    PreviousMatch,
    /// Go back to where the search began.
    LeaveSearch,
    Copy(CopyTo, CopyText),
    /// List the tasks of this team, or of all.
    ShowTasks(Option<TeamName>, ShownTasks),
    /// Show all of a trigger.
    ShowTrigger(Box<TriggerRow>),
    /// Write a task for this team.
    WriteTask(TeamName),
    Delegate {
        team: TeamName,
        text: String,
        priority: Priority,
    },
    /// Read or change a task.
    Task(TeamsRequest),
    /// Ask the driver for the program's log; it is shown from this level on when it arrives.
    RequestLog(LogLevel),
    /// Request what this member is told; it is shown when it arrives.
    RequestMind(AgentId),
    /// Ask the driver for the done and archived dialogs; their list is shown when they arrive.
    RequestShelf,
    Create {
        agent: AgentId,
        taskdoc: String,
        text: String,
    },
    /// The user agrees to entries of the consent sheet, by their digests; then a dialog continues.
    Agree {
        digests: Vec<String>,
        /// The sandbox level of commands, if the user changed it.
        level: Option<Level>,
        then: Option<DialogId>,
    },
    /// Hand all drafts over to be stored now.
    StoreDrafts,
    /// The text typed so far, stored as a draft.
    SaveDraft(DraftKey, String),
    /// A change on a sheet, with the draft it comes from.
    Sheet {
        dialog: DialogId,
        request: SheetRequest,
        draft: Option<(DraftKey, String)>,
    },
    /// Give this answer to all of a question.
    AnswerAll {
        dialog: DialogId,
        question: String,
        input: AnswerInput,
    },
    /// Give this answer to these questions.
    AnswerAlike {
        questions: Vec<(DialogId, String)>,
        text: String,
        typed: String,
    },
    /// Do this, as by its key, where this scope has the focus.
    Run(Scope, Action),
    /// Do this in the overlay below, if it has this scope.
    RunInOverlay(Scope, Action),
    /// Show these changes of files.
    ShowChanges(DialogId, ChangesScope),
    /// Show a call in its dialog.
    ShowCall(DialogId, CallId),
    /// Search the records of dialogs; ends an earlier search.
    Find(FindRequest),
    /// End that search.
    EndFind,
    /// Show a record that it found.
    ShowFound(DialogId, FoundPlace),
    /// Show a generation of a dialog.
    ShowGeneration(DialogId, Course, Genseq),
    /// Open a file of a record in the editor.
    EditFile {
        path: String,
        line: Option<usize>,
    },
    /// Put a text that was sent before into the composer.
    TakeSent(String),
    /// Take a queued message back into the composer.
    EditQueued {
        dialog: DialogId,
        words: QueuedMessage,
    },
    /// Remove a queued message.
    TakeBack {
        dialog: DialogId,
        message: MsgId,
    },
    /// Change a dialog in the list of done and archived ones, given with its name.
    ChangeShelved(Lifecycle, String),
    /// Ask the user first.
    Confirm(String, Box<Intent>),
    /// Asks to confirm a change that cannot be undone.
    ConfirmPermanent(String, Box<Intent>),
    /// Show a message in the status line.
    Notify(String),
}

/// State that an overlay may use while it handles a key or draws.
#[derive(Debug)]
pub struct Cx<'a> {
    /// The model of dialogs and workspace.
    pub model: &'a Model,
    /// The places to go back to, the last one visited last.
    pub places: &'a [Place],
    pub open: Option<&'a DialogId>,
    /// The progress of the search in the open dialog.
    pub found: Option<SearchCount>,
    /// The queued messages of the open dialog, without those being taken back.
    pub queued: &'a [QueuedMessage],
    /// The content of the open sheet.
    pub sheets: &'a Sheets,
    /// Results of the search in the records of all dialogs.
    pub finds: &'a Finds,
    pub drafts: &'a Drafts,
    /// Messages that were sent before.
    pub sent: &'a SentTexts,
    pub ui: &'a UiSettings,
    /// The current time.
    pub moment: Instant,
    pub intents: &'a mut Vec<Intent>,
}
