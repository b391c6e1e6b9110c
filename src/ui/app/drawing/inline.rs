//! The state of an inline screen beside what every screen has.

use std::time::Instant;

use ratatui::layout::Size;

use crate::cx::UiSettings;
use crate::domain::DialogId;
use crate::inline::InlineLog;
use crate::protocol::DriverEvent;

/// The state of an inline screen.
#[derive(Debug, Default)]
pub(in crate::app) struct Inline {
    pub log: InlineLog,
    /// The size of the whole terminal.
    pub terminal: Size,
    pub ending: EndingPrinted,
}

impl Inline {
    /// Takes note of an event that is news while only one dialog is shown.
    pub fn hear(&mut self, event: &DriverEvent, open: Option<&DialogId>, ui: &UiSettings) {
        if let DriverEvent::Rows(rows) = event {
            self.log.rows_listed(rows, open, ui);
        } else if let DriverEvent::Row(row) = event {
            self.log.row_changed(row, open, ui);
        } else if let DriverEvent::Removed(dialog) = event {
            self.log.removed(dialog);
        } else if let DriverEvent::Inbox(rows) = event {
            self.log.inbox_changed(rows, open, ui);
        }
    }

    /// True if a waiting entry is to be printed between these times.
    pub fn prints_between(&self, before: Instant, now: Instant) -> bool {
        self.log.wake_at().is_some_and(|at| before < at && at <= now)
    }
}

/// Whether the text at the end of a demo was printed since it appeared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::app) enum EndingPrinted {
    #[default]
    No,
    Yes,
}
