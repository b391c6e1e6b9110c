//! The same answer for questions that are merged into one.

use crate::app::App;
use crate::request::{HeldAnswer, Request};

impl App {
    /// Returns the requests that give the same answer to the questions merged into this one, each in its own
    /// dialog: one that fails stays open. A question with another draft is left out.
    pub(in crate::app) fn answers_alike(&mut self, request: &Request) -> Vec<Request> {
        let (Request::Answer { question: id, .. } | Request::AnswerAll { question: id, .. }) =
            request
        else {
            return Vec::new();
        };
        let closes = self.model.inbox.is_sent(id);
        let alike = self.model.inbox.alike(id);
        let alike = alike.filter(|row| !self.writing.has_unsent_answer(&row.question.id));
        let alike: Vec<_> =
            alike.map(|row| (row.dialog.clone(), row.question.id.clone())).collect();
        let mut requests = Vec::new();
        for (dialog, question) in alike {
            if closes {
                self.model.inbox.mark_sent(&question);
            }
            if let Request::Answer { part, text, typed, .. } = request {
                let (part, text, typed) = (part.clone(), text.clone(), typed.clone());
                let answer = HeldAnswer { dialog, question, part, text, typed };
                self.writing.sent_alike(&answer, self.redraw.now());
                requests.push(answer.request());
            } else if let Request::AnswerAll { input, .. } = request {
                requests.push(Request::AnswerAll { dialog, question, input: input.clone() });
            }
        }
        requests
    }
}
