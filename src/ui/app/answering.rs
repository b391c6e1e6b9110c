//! Which question is answered next.

use super::App;
use crate::domain::{CallId, DialogId};
use crate::protocol::InboxRow;
use crate::ui::lang::Word;
use crate::ui::model::{Inbox, Tone};

/// The question to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pick {
    Oldest,
    /// After the one being answered.
    Next,
    /// Before the one being answered.
    Previous,
    Selected,
    /// The oldest of this dialog, else of all.
    Of(Option<DialogId>),
    /// The one that this call asked.
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
            Self::Of(dialog) => {
                let own = rows.iter().find(|row| Some(&row.dialog) == dialog.as_ref());
                own.or_else(|| inbox.oldest())
            }
            Self::Call(dialog, call) => {
                rows.iter().find(|row| row.dialog == *dialog && row.question.call_id == *call)
            }
        }
    }
}

impl App {
    /// Answers a question; notifies the user if there is none.
    pub(super) fn answer_picked(&mut self, pick: &Pick) {
        match pick.find(&self.model.inbox, self.writing.question()).cloned() {
            Some(row) => self.answer(&row),
            None => self.notify(Tone::Plain, Word::NoQuestions),
        }
    }

    /// Shows a question and turns the composer to it.
    pub(super) fn answer(&mut self, row: &InboxRow) {
        let from = (self.focus.pane(), self.reading.dialog());
        let follow_ups = self.writing.answer(row, from, self.moment);
        self.follow(follow_ups);
    }

    /// After an answer: goes to the next question, or back to where the user was.
    pub(super) fn after_answer(&mut self, answered: &str) {
        if let Some(next) = self.model.inbox.after(Some(answered)).cloned() {
            self.answer(&next);
        } else {
            self.stop_answering();
            self.notify(Tone::Good, Word::AllAnswered);
        }
    }

    fn stop_answering(&mut self) {
        let follow_ups = self.writing.stop_answering(self.reading.dialog(), self.moment);
        self.follow(follow_ups);
    }

    /// A question is no longer open; if the composer was at it, answering ends.
    pub(super) fn question_removed(&mut self, id: &str) {
        self.model.inbox.remove(id);
        if self.writing.question() == Some(id) {
            self.stop_answering();
            self.notify(Tone::Plain, Word::Answered);
        }
    }
}
