//! Goes from question to question, and back to where the user was.

use super::App;
use super::pick::Pick;
use crate::protocol::InboxRow;
use crate::ui::app::words;
use crate::ui::model::Tone;

impl App {
    /// Answers a question; notifies the user if there is none.
    pub(super) fn answer_picked(&mut self, pick: &Pick) {
        match pick.find(&self.model.inbox, self.writing.question()).cloned() {
            Some(row) => self.answer(&row),
            None => self.notify(Tone::Plain, words::NO_QUESTIONS),
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
            self.notify(Tone::Good, words::ALL_ANSWERED);
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
            self.notify(Tone::Plain, words::ANSWERED);
        }
    }
}
