//! The same answer for questions that are merged into one.

use std::time::Instant;

use crate::app::composing::writing::Writing;
use crate::model::Inbox;
use crate::request::{HeldAnswer, Request};

impl Writing {
    /// Returns the requests that give the same answer to the questions merged into this one, each in its own
    /// dialog: one that fails stays open. A question with another draft is left out.
    pub(in crate::app) fn answers_alike(
        &mut self,
        request: &Request,
        inbox: &mut Inbox,
        now: Instant,
    ) -> Vec<Request> {
        let (Request::Answer { question: id, .. } | Request::AnswerAll { question: id, .. }) =
            request
        else {
            return Vec::new();
        };
        let closes = inbox.is_sent(id);
        let alike = inbox.alike(id);
        let alike = alike.filter(|row| !self.has_unsent_answer(&row.question.id));
        let alike: Vec<_> =
            alike.map(|row| (row.dialog.clone(), row.question.id.clone())).collect();
        let mut requests = Vec::new();
        for (dialog, question) in alike {
            if closes {
                inbox.mark_sent(&question);
            }
            if let Request::Answer { part, text, typed, .. } = request {
                let (part, text, typed) = (part.clone(), text.clone(), typed.clone());
                let answer = HeldAnswer { dialog, question, part, text, typed };
                self.sent_alike(&answer, now);
                requests.push(answer.request());
            } else if let Request::AnswerAll { input, .. } = request {
                requests.push(Request::AnswerAll { dialog, question, input: input.clone() });
            }
        }
        requests
    }
}
