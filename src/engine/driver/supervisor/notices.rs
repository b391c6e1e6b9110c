//! Notices and failures: sends them to the clients, and dismisses what a person has read.

use crate::domain::teams::notices::{ANSWERS_ONE_BY_ONE, answering_dialog, is_answer};
use crate::driver::reporting::failures::is_of_dialog;
use crate::driver::reporting::reports::DriverReport;
use crate::driver::tree::user_requests::TreeRequest;
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

    /// Waits for the disk on a task of its own. An answer is in the files of its dialog, so its tree acknowledges it.
    pub(super) async fn dismiss_news(&mut self, ticket: Ticket, ids: Vec<String>) {
        if ids.iter().any(|id| is_answer(id)) {
            return self.acknowledge_answer(ticket, &ids).await;
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

    async fn acknowledge_answer(&mut self, ticket: Ticket, ids: &[String]) {
        if let [id] = ids
            && let Some(dialog) = answering_dialog(id)
        {
            let (this, item) = (dialog.this.clone(), id.clone());
            let request = TreeRequest::Acknowledge { ticket, dialog: this, item };
            return self.forward(Some(ticket), &dialog, request).await;
        }
        let text = ANSWERS_ONE_BY_ONE.into();
        self.send_event(DriverEvent::Refused { ticket, text }).await;
    }
}
