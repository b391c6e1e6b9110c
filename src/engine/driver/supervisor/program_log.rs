//! The program's own log, read for the screen.

use crate::domain::Stamp;
use crate::domain::text::localized;
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::protocol::LogView;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;

use super::trees::Supervisor;

/// Most bytes that are read.
const MAX_BYTES: u64 = 512 * 1024;

impl Supervisor {
    pub(super) async fn show_log(&self, ticket: Ticket) {
        let read_log = self.engine.read_log;
        let event = match blocking(move |_| read_log(MAX_BYTES)).await {
            Ok(Ok(end)) => {
                // The times in the log are those of UTC.
                let read_at = Stamp::utc(self.engine.clock.moment());
                let log = LogView::of_text(end.file, &end.text, end.left_out);
                let log = LogView { read_at, ..log };
                DriverEvent::Log { ticket, log: Box::new(log) }
            }
            Ok(Err(error)) => {
                let text = localized!("the log cannot be read: {error}", "无法读取日志：{error}");
                DriverEvent::Refused { ticket, text }
            }
            Err(error) => DriverEvent::Refused { ticket, text: interrupted(&error) },
        };
        self.send_event(event).await;
    }
}
