//! A choice among the open questions.

use crate::domain::{CallId, DialogId};
use crate::model::Inbox;
use crate::protocol::InboxRow;

/// The question to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick {
    Oldest,
    /// After the one being answered.
    Next,
    /// Before the one being answered.
    Previous,
    Selected,
    /// The question in this row of the inbox.
    At(usize),
    /// The oldest of this dialog, else of all.
    Of(Option<DialogId>),
    /// The one with this id.
    Question(String),
    /// The question asked by this call.
    Call(DialogId, CallId),
}

impl Pick {
    /// The question; `current` is the one being answered.
    pub fn find<'a>(&self, inbox: &'a Inbox, current: Option<&str>) -> Option<&'a InboxRow> {
        let rows = inbox.rows();
        match self {
            Self::Oldest => inbox.oldest(),
            Self::Next => inbox.after(current),
            Self::Previous => inbox.before(current),
            Self::Selected => inbox.selected(),
            Self::At(row) => rows.get(*row),
            Self::Of(dialog) => {
                let own = dialog.as_ref().and_then(|dialog| inbox.oldest_of(dialog));
                own.or_else(|| inbox.oldest())
            }
            Self::Question(id) => inbox.get(id),
            Self::Call(dialog, call) => {
                let mut all = inbox.all().iter();
                all.find(|row| row.dialog == *dialog && row.question.call_id == *call)
            }
        }
    }
}
