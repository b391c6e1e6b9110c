//! The effects that an action, an event or a change of one owner has on others, as data. Owners never
//! call each other; the app carries their follow-ups out, in order.

use super::effect::Effect;
use super::requests::{PendingTakeBack, Request};
use crate::action::{Action, Scope};
use crate::app::answers::question_choice::Pick;
use crate::app::answers::undoable::HeldAnswer;
use crate::app::drawing::focus::Focus;
use crate::app::overlays::new_overlay::NewOverlay;
use crate::copies::CopyTo;
use crate::cx::{FilteredList, PutOff};
use crate::domain::text::{Localized, Text};
use crate::domain::{Bucket, CallId, Course, DialogId, Genseq, RootId};
use crate::model::{DraftKey, FoundPlace, Tone};
use crate::panes::composer::Target;
use crate::panes::transcript::{ScrollMove, Towards};
use crate::protocol::event::QueuedMessage;
use crate::protocol::{Command, InboxRow, Ticket};
use crate::text::CopyText;

pub(in crate::app) type FollowUps = Vec<FollowUp>;

#[derive(Debug, Clone, PartialEq)]
pub(in crate::app) enum FollowUp {
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
    /// Quit, and stop background processes.
    QuitAndStop,

    /// Do this, as by its key.
    Act(Action),
    /// The same action in the topmost overlay, if it has this scope.
    ActInOverlay(Scope, Action),

    // To the overlays.
    Show(NewOverlay),
    /// Show a list, or carry out its intent instead.
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

    // To the open dialog and the view on it.
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

    // To the composer and the drafts.
    /// A dialog was opened: the composer turns to it unless a question is being answered.
    DialogShown(DialogId),
    WriteTo(Target),
    /// Answer a question; notifies the user if there is none.
    Answer(Pick),
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

    // To what is known of the workspace.
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
