//! The last records of a dialog that is only looked at. For each client one dialog is read at a time, on a blocking thread; of
//! several that are wanted meanwhile, the newest alone is read next.

use std::sync::Arc;

use tokio::sync::watch;

use super::listing::read_page;
use super::trees::Supervisor;
use crate::domain::DialogId;
use crate::driver::reporting::clients::ClientId;
use crate::driver::reporting::reports::{DriverReport, ReportSender};
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::driver::shared::engine::Engine;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;

/// Records that are read: more than a screen shows.
const PREVIEW_RECORDS: usize = 60;

impl Supervisor {
    pub(super) fn preview(&mut self, ticket: Ticket, dialog: DialogId) {
        let (engine, reports, readers) = (&self.engine, &self.reports, &mut self.readers);
        let previewing = self.previewing.entry(ClientId::of(ticket)).or_insert_with(|| {
            let (previewing, wanted) = watch::channel(None);
            readers.spawn(preview_as_wanted(engine.clone(), reports.clone(), wanted));
            previewing
        });
        previewing.send_replace(Some((ticket, dialog)));
    }
}

/// Reads what is wanted until the sender is dropped.
async fn preview_as_wanted(
    engine: Arc<Engine>,
    reports: ReportSender,
    mut wanted: watch::Receiver<Option<(Ticket, DialogId)>>,
) {
    while wanted.changed().await.is_ok() {
        let Some((ticket, dialog)) = wanted.borrow_and_update().clone() else { continue };
        let engine = engine.clone();
        let read = blocking(move |_| read_page(&engine, dialog, None, None, PREVIEW_RECORDS)).await;
        let event = match read {
            Ok(Ok(page)) => DriverEvent::Page { ticket, page: Box::new(page) },
            Ok(Err(error)) => DriverEvent::Refused { ticket, text: error.message() },
            Err(error) => DriverEvent::Refused { ticket, text: interrupted(&error) },
        };
        if reports.send(DriverReport::Event(event)).await.is_err() {
            return;
        }
    }
}
