//! What a change of one owner makes others do, as data. Owners never call each other; the app carries
//! their follow-ups out, in order.

use crate::domain::text::Text;
use crate::domain::{CallId, DialogId};
use crate::protocol::{Command, InboxRow};
use crate::ui::model::Tone;
use crate::ui::panes::composer::Target;
use crate::ui::panes::transcript::ScrollMove;

use super::focus::Focus;
use super::requests::Request;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum FollowUp {
    /// Show a message in the status line.
    Notify(Tone, Text),
    NotifyText(Tone, String),
    Request(Request),
    Command(Command),
    Focus(Focus),
    /// Give the focus to the composer, whose target is set.
    EnterComposer,
    /// A dialog was opened: the composer turns to it unless a question is being answered.
    DialogShown(DialogId),
    WriteTo(Target),
    SelectDialog(DialogId),
    Scroll(ScrollMove),
    SelectQuestion(String),
    /// The answer to this question is being sent.
    MarkSent(String),
    /// The answer was refused.
    UnmarkSent(String),
    /// Show where a question was asked.
    ShowQuestion(InboxRow),
    /// Answer the question that this call asked.
    AnswerCall(DialogId, CallId),
    /// Go to the question after this one, or back to where the user was.
    AfterAnswer(String),
    /// Show the dialog from before answering, which is no position to go back to any more.
    ReturnTo(DialogId),
}
