//! A dialog stopped because a key would go where nobody has agreed to send it. The question is put
//! when a person lets the dialog go on and the driver finds that consent is still missing; not if
//! another key was pressed since, so that nothing typed elsewhere can answer it.

use super::{App, Waiting};
use crate::domain::DialogId;
use crate::domain::trust::KeyUse;
use crate::protocol::{Command, HeldKey};
use crate::ui::action::Action;
use crate::ui::cx::Intent;
use crate::ui::lang::Word;
use crate::ui::model::Tone;
use crate::ui::panes::composer::hint;
use crate::ui::panes::confirm::Confirm;

impl App {
    pub(super) fn key_held(&mut self, dialog: DialogId, held: HeldKey) {
        if self.goes_on.take_if(|goes_on| *goes_on == dialog).is_some() {
            let text = self.question(&held);
            let yes = Intent::Trust { key: held.key, dialog };
            self.overlays.push(Box::new(Confirm::for_good(&text, yes)));
            return;
        }
        let go_on = hint(&self.look, Action::DialogContinue, Word::Continue);
        let text = format!("{} · {go_on}", self.look.word(Word::KeyWaits));
        self.say_text(Tone::Bad, &text);
    }

    /// A person agreed.
    pub(super) fn trust(&mut self, key: KeyUse, dialog: DialogId) {
        let ticket = self.ticket(Waiting::Other);
        self.commands.push(Command::Trust { ticket, key });
        self.continue_dialog(dialog);
    }

    /// Lets a dialog go on; if a key still waits for consent, that is asked.
    pub(super) fn continue_dialog(&mut self, dialog: DialogId) {
        self.goes_on = Some(dialog.clone());
        let ticket = self.ticket(Waiting::Other);
        self.commands.push(Command::Continue { ticket, dialog });
    }

    fn question(&self, held: &HeldKey) -> String {
        format!(
            "{} {} {} {} {}. {}",
            held.file,
            self.look.word(Word::KeySends),
            held.key.variable,
            self.look.word(Word::KeyTo),
            held.key.address,
            self.look.word(Word::KeyAgree)
        )
    }
}
