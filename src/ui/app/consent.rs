//! What waits for a person's consent: the sheet that shows it, and what goes on after it.

use super::{App, InFlight};
use crate::domain::DialogId;
use crate::domain::sandbox::Level;
use crate::protocol::{Command, ConsentView};
use crate::ui::action::{Action, Scope};
use crate::ui::lang::{Counted, Word};
use crate::ui::model::Tone;
use crate::ui::panes::composer::hint;
use crate::ui::panes::consent::ConsentSheet;

impl App {
    /// A workspace in which nothing is driven before a person agrees shows why, once. What comes to wait
    /// later is told in a line: it must not come between a person and what they type.
    pub(super) fn apply_consent(&mut self, consent: ConsentView) {
        let fresh = consent.waiting.iter().any(|one| !self.model.consent.waiting.contains(one));
        let first = consent.read_only && !self.model.consent.read_only;
        self.level = consent.level.or(self.level);
        self.model.consent = consent;
        let is_shown = self.overlays.iter().any(|pane| pane.scope() == Scope::Consent);
        if is_shown || !fresh {
            return;
        }
        if first {
            self.overlays.push(Box::new(ConsentSheet::default()));
            return;
        }
        let waiting = self.ui.counted(self.model.consent.waiting.len(), Counted::Consent);
        let key = hint(&self.ui, Action::OpenConsent, Word::Show);
        self.notify_text(Tone::Bad, &format!("{waiting} · {key}"));
    }

    pub(super) fn open_consent(&mut self) {
        self.commands.push(Command::CheckConsent);
        self.overlays.push(Box::new(ConsentSheet::default()));
    }

    /// A person agreed to what the sheet showed; it was opened because a dialog should go on.
    pub(super) fn agree(
        &mut self,
        digests: Vec<String>,
        level: Option<Level>,
        then: Option<DialogId>,
    ) {
        let ticket = self.ticket(InFlight::Other);
        self.commands.push(Command::Agree { ticket, digests, level });
        if let Some(dialog) = then {
            self.send_continue(dialog);
        }
    }

    /// Lets a dialog go on. Where nothing is driven yet, a person is shown why first.
    pub(super) fn continue_dialog(&mut self, dialog: DialogId) {
        if self.model.consent.read_only {
            self.commands.push(Command::CheckConsent);
            self.overlays.push(Box::new(ConsentSheet::before_continuing(dialog)));
        } else {
            self.send_continue(dialog);
        }
    }

    fn send_continue(&mut self, dialog: DialogId) {
        let ticket = self.ticket(InFlight::Other);
        self.commands.push(Command::Continue { ticket, dialog });
    }
}
