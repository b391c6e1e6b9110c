//! Notices and failures: sends them to the clients, and dismisses what a person has read.

use crate::domain::teams::notices::{ANSWER_STAYS, is_answer};
use crate::driver::reporting::failures::is_of_dialog;
use crate::driver::reporting::reports::DriverReport;
use crate::hive::NewsView;
use crate::protocol::DriverEvent;
use crate::protocol::command::Ticket;

use super::trees::Supervisor;

impl Supervisor {
    pub(super) async fn send_news(&self, view: NewsView) {
        let NewsView { revision, items, problems } = view;
        self.report(DriverReport::Problems { origin: "hive".into(), problems }).await;
        self.report(DriverReport::News { revision, items }).await;
    }

    /// Waits for the disk on a task of its own. Answers stay, and that is said.
    pub(super) async fn dismiss_news(&mut self, ticket: Ticket, ids: Vec<String>) {
        if ids.iter().any(|id| is_answer(id)) {
            let text = ANSWER_STAYS.into();
            return self.send_event(DriverEvent::Refused { ticket, text }).await;
        }
        let (of_dialogs, ids): (Vec<String>, Vec<String>) =
            ids.into_iter().partition(|id| is_of_dialog(id));
        if !of_dialogs.is_empty() {
            self.report(DriverReport::DismissFailures(of_dialogs)).await;
        }
        let (dismissing, reports) = (self.engine.hive.dismiss(ids), self.reports.clone());
        self.readers.spawn(async move {
            let event = match dismissing.await {
                Ok(()) => DriverEvent::Done { ticket, dialog: None },
                Err(text) => DriverEvent::Refused { ticket, text },
            };
            let _ = reports.send(DriverReport::Event(event)).await;
        });
    }
}
