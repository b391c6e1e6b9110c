//! Retrying a failed request now, and switching or refilling keep-going.

use super::{App, Request};
use crate::domain::DialogId;
use crate::domain::keep_going::KeepGoingSwitch;
use crate::protocol::Command;
use crate::ui::app::words;
use crate::ui::model::{Retry, Tone};

impl App {
    pub(super) fn retry_now(&mut self) {
        let Some(dialog) = self.dialog_here() else { return };
        if matches!(self.model.retries.get(&dialog), Some(Retry::Waiting { .. })) {
            self.commands.push(Command::RetryNow { dialog });
        } else {
            self.notify(Tone::Plain, words::NOTHING_TO_RETRY);
        }
    }

    /// Toggles keep-going.
    pub(super) fn switch_keep_going(&mut self) {
        let Some(dialog) = self.dialog_here() else { return };
        let is_on = self.model.tree.get(&dialog).is_some_and(|row| row.keep_going.is_some());
        self.keep_going(dialog, if is_on { KeepGoingSwitch::Off } else { KeepGoingSwitch::On });
    }

    pub(super) fn refill(&mut self) {
        if let Some(dialog) = self.dialog_here() {
            self.keep_going(dialog, KeepGoingSwitch::Refill);
        }
    }

    fn keep_going(&mut self, dialog: DialogId, switch: KeepGoingSwitch) {
        self.request(Request::KeepGoing { dialog, switch });
    }

    /// Shows the new state; the status line has no space for it on most screens.
    pub(super) fn notify_keep_going(&mut self, dialog: &DialogId) {
        let pushes = self.model.tree.get(dialog).and_then(|row| row.keep_going);
        let Some((left, limit)) = pushes else {
            return self.notify(Tone::Plain, words::KEEP_GOING_OFF);
        };
        let ui = &self.ui;
        let text = format!("{} {left} {} {limit}", ui.text(words::KEEP_GOING), ui.text(words::OF));
        self.notify_text(Tone::Plain, &text);
    }
}
