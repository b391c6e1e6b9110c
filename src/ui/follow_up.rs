//! The effects that an action, an event, a key in an overlay or a change of one owner has on others, as data.
//! Owners never call each other; the app carries their follow-ups out, in order.

use crate::action::{Action, Scope};
use crate::copies::CopyTo;
use crate::domain::asking::put_off;
use crate::domain::text::{Localized, Text};
use crate::domain::{Bucket, CallId, Course, DialogId, Genseq, RootId};
use crate::effect::Effect;
use crate::focus::Focus;
use crate::model::{DraftKey, FoundPlace, Tone};
use crate::new_overlay::NewOverlay;
use crate::panes::composer::Target;
use crate::panes::transcript::{ScrollMove, Towards};
use crate::protocol::event::QueuedMessage;
use crate::protocol::{Command, InboxRow, Lifecycle, Ticket};
use crate::question_choice::Pick;
use crate::request::{HeldAnswer, PendingTakeBack, Request};
use crate::text::CopyText;
use crate::user_settings::Setting;

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

/// In the order in which they are carried out.
pub type FollowUps = Vec<FollowUp>;

/// What follows, said to its owner.
#[derive(Debug, Clone, PartialEq)]
pub enum FollowUp {
    // To the user, the driver and the loop.
    /// Show a message in the status line.
    Notify(Tone, Text),
    NotifyText(Tone, String),
    NotifyWhy(Tone, Localized),
    Request(Request),
    Command(Command),
    Effect(Effect),
    /// Send text to the clipboard or into a file.
    Copy(CopyTo, CopyText),
    /// Use a setting of the person from now on, and have it written.
    Set(Setting),
    /// Quit, and stop background processes.
    QuitAndStop,
    /// Leave the screen; the driver goes on.
    Detach,
    /// Change a dialog.
    Lifecycle(Lifecycle),

    /// Do this, as by its key.
    Act(Action),
    /// Do this, as by its key, where this scope has the focus.
    Run(Scope, Action),
    /// The same action in the topmost overlay, if it has this scope.
    ActInOverlay(Scope, Action),

    // To the overlays.
    Show(NewOverlay),
    /// Show a list, or do what it asks for instead.
    ShowList(Scope),
    /// This many dialogs are put away together.
    BeginBatch {
        to: Bucket,
        dialogs: usize,
    },
    /// One dialog of the batch was put away.
    BatchDone,
    /// The one with this name stays.
    BatchRefused {
        name: String,
        why: Localized,
    },
    /// A dialog was marked done or archived.
    PutAway(RootId),
    /// The content of a sheet cannot be read.
    SheetRefused,
    /// The search in the records of dialogs is over.
    EndFind,

    // To the focus.
    /// Give the focus to this part; for the composer, notifies the user if it has no target.
    Focus(Focus),

    // To the other owners.
    Reading(ToReading),
    Writing(ToWriting),
    Model(ToModel),
}

/// To the open dialog and the view on it.
#[derive(Debug, Clone, PartialEq)]
pub enum ToReading {
    Open(DialogId),
    /// Open a dialog and give it the focus.
    Read(DialogId),
    /// Read a dialog; if it is open already, its view stays.
    ReadIfNew(DialogId),
    /// Show the dialog from before answering, and forget it as a place to go back to.
    ReturnTo(DialogId),
    /// Go to this one of the places to go back to.
    GoToPlace(usize),
    /// Show where a question was asked.
    ShowQuestion(Box<InboxRow>),
    /// Show a call in its dialog.
    ShowCall(DialogId, CallId),
    /// Show a record that a search found.
    ShowFound(DialogId, FoundPlace),
    /// Show a generation of a dialog.
    ShowGeneration(DialogId, Course, Genseq),
    Scroll(ScrollMove),
    Search(String),
    /// Go to the next or the previous match.
    StepSearch(Towards),
    LeaveSearch,
    /// List the parts of the block with the cursor that can be copied.
    ShowParts,
    /// The preview requested with this ticket cannot be read.
    PreviewRefused {
        ticket: Ticket,
        why: Localized,
    },
    /// The dialog requested with this ticket cannot be opened.
    OpenRefused(Ticket),
}

/// To the composer and the drafts.
#[derive(Debug, Clone, PartialEq)]
pub enum ToWriting {
    /// A dialog was opened: the composer turns to it unless a question is being answered.
    DialogShown(DialogId),
    WriteTo(Target),
    /// Answer a question; notifies the user if there is none.
    Answer(Pick),
    /// Answer a question with this one of its options. If something is typed for it, it is only opened.
    AnswerWith(String, char),
    /// Send an answer once it cannot be undone any more.
    HoldAnswer(HeldAnswer),
    /// Hold this answer only, whatever other questions are alike.
    HoldOne(HeldAnswer),
    /// Send the same answer as to another question.
    SendAlike(HeldAnswer),
    /// The answer was sent to all alike questions: go on, if the composer is at one of them.
    AlikeSent,
    /// An answer is not sent: it is a draft again.
    AnswerUndone(HeldAnswer),
    /// Go to the question after this one, or back to where the user was.
    AfterAnswer(String),
    SaveDraft(DraftKey, String),
    /// Put a comment on this place into the message to the dialog, instead of the one that is there.
    Comment {
        dialog: DialogId,
        place: String,
        words: String,
    },
    StoreDrafts,
    /// The text of this draft is on disk.
    Saved(DraftKey, String),
    /// The text of this draft was refused.
    MessageRefused(DraftKey, String),
    /// Take a queued message back into the composer.
    EditQueued(DialogId, QueuedMessage),
    NotTakenBack(PendingTakeBack),
    /// The image that this chip asked for cannot be attached.
    ImageRefused(u64),
    /// Put a text that was sent before into the composer.
    TakeSent(String),
}

/// To what is known of the workspace.
#[derive(Debug, Clone, PartialEq)]
pub enum ToModel {
    SelectDialog(DialogId),
    SelectQuestion(String),
    /// Put a question off.
    PutOff(String, PutOff),
    /// Shorten a list to what fits this text; without text, show all of it.
    Filter(FilteredList, String),
    StepIn(FilteredList, isize),
    /// The marks of the tree are used up.
    ClearMarks,
    /// The answer to this question is being sent.
    MarkSent(String),
    /// The answer was refused.
    UnmarkSent(String),
    /// A dialog was created with this Taskdoc.
    TaskdocUsed(String),
}
