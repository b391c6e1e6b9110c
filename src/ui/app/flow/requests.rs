//! Requests to the driver whose results the screen waits for.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::DraftKey;
use crate::panes::composer::Target;
use crate::protocol::event::QueuedMessage;
use crate::protocol::{Command, Ticket, TreeRow};
use crate::request::{PendingTakeBack, Request};

#[derive(Debug, Default)]
pub(in crate::app) struct Requests {
    last_ticket: Ticket,
    in_flight: BTreeMap<Ticket, Request>,
}

impl Requests {
    /// The command that makes the request. Until it is answered the request is in flight.
    pub fn begin(&mut self, ticket: Ticket, request: Request) -> Command {
        let command = request.clone().command(ticket);
        self.in_flight.insert(ticket, request);
        command
    }

    /// A ticket that no request had.
    pub fn next_ticket(&mut self) -> Ticket {
        self.last_ticket += 1;
        self.last_ticket
    }

    /// The request was answered; `None` if it was before.
    pub fn finish(&mut self, ticket: Ticket) -> Option<Request> {
        self.in_flight.remove(&ticket)
    }

    /// The texts of this draft that are being sent, in order.
    pub fn texts_for(&self, key: &DraftKey) -> impl Iterator<Item = &str> {
        let drafts = self.in_flight.values().filter_map(Request::draft);
        drafts.filter(move |(of, _)| of == key).map(|(_, typed)| typed)
    }

    /// The queued messages of a dialog as the driver reported them, without those being taken back.
    pub fn still_queued(&self, dialog: Option<&TreeRow>) -> Arc<[QueuedMessage]> {
        dialog.map(|row| self.not_taken_back(&row.queued)).unwrap_or_default()
    }

    /// Queued messages without those that are being taken back.
    fn not_taken_back(&self, queued: &Arc<[QueuedMessage]>) -> Arc<[QueuedMessage]> {
        if self.taking_back().next().is_none() {
            return queued.clone();
        }
        let leaves = |one: &QueuedMessage| self.taking_back().any(|b| b.message == one.message);
        queued.iter().filter(|one| !leaves(one)).cloned().collect()
    }

    /// True while the composer holds a message for this target whose removal from the queue is not
    /// confirmed.
    pub fn awaits_take_back(&self, target: &Target) -> bool {
        let Target::Dialog(dialog) = target else { return false };
        self.taking_back().any(|back| back.dialog == *dialog && back.edit.is_some())
    }

    /// Messages that are being taken back.
    fn taking_back(&self) -> impl Iterator<Item = &PendingTakeBack> {
        self.in_flight.values().filter_map(|request| {
            if let Request::TakeBack(back) = request { Some(back) } else { None }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{DialogId, RootId};
    use crate::request::TakeBackEdit;

    #[test]
    fn a_request_is_in_flight_until_it_is_answered_once() {
        let mut requests = Requests::default();
        let first = requests.next_ticket();
        let command = requests.begin(first, Request::Shelf);
        assert_eq!(command, Command::Shelf { ticket: first });
        let second = requests.next_ticket();
        requests.begin(second, Request::ContinueAll);
        assert_ne!(first, second);
        assert_eq!(requests.finish(first), Some(Request::Shelf));
        assert_eq!(requests.finish(first), None);
    }

    #[test]
    fn a_message_being_taken_back_is_not_queued_and_its_composer_waits() {
        let mut requests = Requests::default();
        let dialog = DialogId::main(RootId::new("a"));
        let target = Target::Dialog(dialog.clone());
        let queued = |name: &str| QueuedMessage {
            message: name.into(),
            text: name.into(),
            images: Vec::new(),
        };
        let all = Arc::from([queued("one"), queued("two")]);
        assert_eq!(requests.not_taken_back(&all), all);
        let edit = Some(TakeBackEdit { with: "one".to_owned(), before: String::new() });
        let ticket = requests.next_ticket();
        let back = PendingTakeBack { dialog, message: "one".into(), edit };
        requests.begin(ticket, Request::TakeBack(back));
        assert_eq!(*requests.not_taken_back(&all), [queued("two")]);
        assert!(requests.awaits_take_back(&target));
        requests.finish(ticket);
        assert!(!requests.awaits_take_back(&target));
    }

    #[test]
    fn a_draft_is_being_sent_until_its_message_is_answered() {
        let mut requests = Requests::default();
        let dialog = DialogId::main(RootId::new("a"));
        let key = DraftKey::Message(dialog.clone());
        let (text, typed) = ("keep it".to_owned(), "b".to_owned());
        let ticket = requests.next_ticket();
        requests.begin(ticket, Request::Say { dialog, text, typed, at_once: false });
        assert_eq!(requests.texts_for(&key).collect::<Vec<_>>(), ["b"]);
        requests.finish(ticket);
        assert_eq!(requests.texts_for(&key).count(), 0);
    }
}
