//! A dialog stopped because a key would go where nobody has agreed to send it. The question is put
//! when a person lets the dialog go on, so that nothing typed elsewhere can answer it.

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
        self.model.held.insert(dialog, held);
        let go_on = hint(&self.look, Action::DialogContinue, Word::Continue);
        let text = format!("{} · {go_on}", self.look.word(Word::KeyWaits));
        self.say_text(Tone::Bad, &text);
    }

    /// Lets a dialog go on, or asks first whether its key may be sent. A dialog whose key was
    /// refused is asked about again only if it still needs to be.
    pub(super) fn go_on_or_ask(&mut self, dialog: DialogId) {
        match self.model.held.remove(&dialog) {
            Some(held) => {
                let text = self.question(&held);
                let yes = Intent::Trust { key: held.key, dialog };
                self.overlays.push(Box::new(Confirm::about(&text, yes)));
            }
            None => self.send_on(dialog),
        }
    }

    /// A person agreed.
    pub(super) fn trust(&mut self, key: KeyUse, dialog: DialogId) {
        let ticket = self.ticket(Waiting::Other);
        self.commands.push(Command::Trust { ticket, key });
        self.send_on(dialog);
    }

    fn send_on(&mut self, dialog: DialogId) {
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
