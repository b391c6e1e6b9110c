//! The consent sheet, and what continues after the user agrees.

use super::{App, Request};
use crate::domain::DialogId;
use crate::domain::sandbox::Level;
use crate::protocol::{Command, ConsentView};
use crate::ui::action::{Action, Scope};
use crate::ui::app::words;
use crate::ui::model::Tone;
use crate::ui::panes::composer::hint;
use crate::ui::panes::consent::{ConsentSheet, SCOPE};

impl App {
    /// A workspace in which nothing runs before the user agrees shows the sheet once. Later entries are
    /// reported in the status line only: they must not interrupt typing.
    pub(super) fn apply_consent(&mut self, consent: ConsentView) {
        let fresh = consent.waiting.iter().any(|one| !self.model.consent.waiting.contains(one));
        let first = consent.read_only && !self.model.consent.read_only;
        self.model.level = consent.level.or(self.model.level);
        self.model.consent = consent;
        let is_shown = self.overlays.shows(SCOPE);
        if is_shown || !fresh {
            return;
        }
        if first {
            self.overlays.push(ConsentSheet::default());
            return;
        }
        let waiting = self.ui.counted(self.model.consent.waiting.len(), words::WAIT_FOR_CONSENT);
        let key = hint(&self.ui, Scope::PANES, Action::OpenConsent, words::SHOW);
        self.notify_text(Tone::Bad, &format!("{waiting} · {key}"));
    }

    pub(super) fn open_consent(&mut self) {
        self.commands.push(Command::CheckConsent);
        self.overlays.push(ConsentSheet::default());
    }

    /// The user agreed to what the sheet showed; `then` is the dialog that was to continue.
    pub(super) fn agree(
        &mut self,
        digests: Vec<String>,
        level: Option<Level>,
        then: Option<DialogId>,
    ) {
        self.request(Request::Agree { digests, level });
        if let Some(dialog) = then {
            self.send_continue(dialog);
        }
    }

    /// Continues a dialog. Where consent is missing, the sheet is shown first.
    pub(super) fn continue_dialog(&mut self, dialog: DialogId) {
        if self.model.consent.read_only {
            self.commands.push(Command::CheckConsent);
            self.overlays.push(ConsentSheet::before_continuing(dialog));
        } else {
            self.send_continue(dialog);
        }
    }

    fn send_continue(&mut self, dialog: DialogId) {
        self.request(Request::Continue { dialog });
    }
}
