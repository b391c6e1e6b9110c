//! Reports keys without an action, and handles the digits that pick a question.

use ratatui::crossterm::event::KeyEvent;

use super::{App, Focus};
use crate::ui::action::{Action, Scope};
use crate::ui::app::words;
use crate::ui::keymap::Chord;
use crate::ui::model::Tone;
use crate::ui::panes::field::Field;
use crate::ui::panes::{composer, inbox};

impl App {
    /// Reports that this key does nothing here; a repeated key is reported once.
    pub(super) fn report_unused_key(&mut self, scope: Scope, key: Chord) {
        if !self.keys.is_to_be_reported(scope, key) {
            return;
        }
        let name = self.ui.key_label(&key.to_string());
        let mut text = format!("{name} {}", self.ui.text(words::DOES_NOTHING));
        if self.overlays.is_empty() {
            let (key, word) = (self.ui.key(scope, Action::Help), self.ui.text(words::HELP_HINT));
            text.push_str(&format!(" {} {key} {word}", self.ui.glyphs.middle_dot));
        }
        self.notify_text(Tone::Plain, &text);
    }

    /// A key without an action, in the text field that has the focus.
    pub(super) fn type_or_notify(&mut self, key: KeyEvent) {
        if Field::takes(key) {
            self.writing.type_key(key, self.moment);
        } else {
            self.report_unused_key(composer::SCOPE, Chord::from(key));
        }
    }

    /// Answers the question whose number was pressed. Without questions, digits select panes as
    /// elsewhere.
    pub(super) fn pick_question(&mut self) {
        let keys = self.ui.keymap.keys(inbox::SCOPE, Action::Pick);
        let Some(at) =
            self.keys.pressed().and_then(|pressed| keys.iter().position(|k| *k == pressed))
        else {
            return;
        };
        let panes = [Focus::Tree, Focus::Inbox, Focus::Dialog];
        let row = self.model.inbox.rows().get(at).cloned();
        match (row, panes.get(at)) {
            (Some(row), _) => self.answer(&row),
            (None, Some(pane)) if self.model.inbox.is_empty() => self.set_focus(*pane),
            (None, _) if self.model.inbox.is_empty() => {
                self.notify(Tone::Plain, words::NO_QUESTIONS)
            }
            (None, _) => self.notify(Tone::Plain, words::NO_SUCH_QUESTION),
        }
    }
}
