//! Keys that do nothing where they are pressed say so, and digits that stand for a question.

use ratatui::crossterm::event::KeyEvent;

use super::{App, Focus};
use crate::ui::action::{Action, Scope};
use crate::ui::keymap::Chord;
use crate::ui::lang::Word;
use crate::ui::model::Tone;
use crate::ui::panes::field::Field;

impl App {
    /// Says once that this key does nothing here; again only after another key.
    pub(super) fn report_unused_key(&mut self, scope: Scope, key: Chord) {
        if self.last_unused_key.replace((scope, key)) == Some((scope, key)) {
            return;
        }
        let name = self.ui.key_label(&key.to_string());
        let mut text = format!("{name} {}", self.ui.word(Word::DoesNothing));
        if self.overlays.is_empty() {
            let help = if scope == Scope::Composer { Action::Help } else { Action::PaneHelp };
            let (key, word) = (self.ui.key(help), self.ui.word(Word::HelpHint));
            text.push_str(&format!(" {} {key} {word}", self.ui.glyphs.middle_dot));
        }
        self.notify_text(Tone::Plain, &text);
    }

    /// A key without an action, in the text field that has the focus.
    pub(super) fn type_or_notify(&mut self, key: KeyEvent) {
        if Field::takes(key) {
            self.type_key(key);
        } else {
            self.report_unused_key(Scope::Composer, Chord::from(key));
        }
    }

    /// The question whose number was pressed; with no question there are no numbers, and digits choose
    /// panes as elsewhere.
    pub(super) fn pick_question(&mut self) {
        let keys = self.ui.keymap.keys(Action::InboxPick);
        let Some(at) = self.pressed.and_then(|pressed| keys.iter().position(|k| *k == pressed))
        else {
            return;
        };
        let panes = [Focus::Tree, Focus::Inbox, Focus::Dialog];
        let row = self.model.inbox.rows().get(at).cloned();
        match (row, panes.get(at)) {
            (Some(row), _) => self.answer(&row),
            (None, Some(pane)) if self.model.inbox.is_empty() => self.set_focus(*pane),
            (None, _) if self.model.inbox.is_empty() => self.notify(Tone::Plain, Word::NoQuestions),
            (None, _) => self.notify(Tone::Plain, Word::NoSuchQuestion),
        }
    }
}
