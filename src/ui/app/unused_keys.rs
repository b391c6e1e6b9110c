//! Reports keys without an action, and handles the digits that pick a question.

use ratatui::crossterm::event::KeyEvent;

use super::{App, Focus};
use crate::ui::action::{Action, Scope};
use crate::ui::keymap::Chord;
use crate::ui::lang::Word;
use crate::ui::model::Tone;
use crate::ui::panes::field::Field;
use crate::ui::panes::{composer, inbox};

/// The key being handled, and the last one without an action.
#[derive(Debug, Default)]
pub(super) struct KeyReports {
    pressed: Option<Chord>,
    last_unused: Option<(Scope, Chord)>,
}

impl KeyReports {
    /// A key is handled. After another key, an unused key is reported again.
    pub fn press(&mut self, key: Chord) {
        self.pressed = Some(key);
        self.last_unused.take_if(|(_, unused)| *unused != key);
    }

    pub fn pressed(&self) -> Option<Chord> {
        self.pressed
    }

    /// The key has no action here; false if that was reported already.
    fn is_to_be_reported(&mut self, scope: Scope, key: Chord) -> bool {
        self.last_unused.replace((scope, key)) != Some((scope, key))
    }
}

impl App {
    /// Reports that this key does nothing here; a repeated key is reported once.
    pub(super) fn report_unused_key(&mut self, scope: Scope, key: Chord) {
        if !self.keys.is_to_be_reported(scope, key) {
            return;
        }
        let name = self.ui.key_label(&key.to_string());
        let mut text = format!("{name} {}", self.ui.word(Word::DoesNothing));
        if self.overlays.is_empty() {
            let (key, word) = (self.ui.key(scope, Action::Help), self.ui.word(Word::HelpHint));
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
            (None, _) if self.model.inbox.is_empty() => self.notify(Tone::Plain, Word::NoQuestions),
            (None, _) => self.notify(Tone::Plain, Word::NoSuchQuestion),
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyModifiers};

    use super::*;

    #[test]
    fn a_repeated_key_is_reported_once_and_again_after_another_key() {
        let key = |c| Chord::from(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        let mut reports = KeyReports::default();
        let report = |reports: &mut KeyReports, c| {
            reports.press(key(c));
            reports.is_to_be_reported(Scope::PANES, key(c))
        };
        assert!(report(&mut reports, 'x') && !report(&mut reports, 'x'));
        assert!(report(&mut reports, 'y') && report(&mut reports, 'x'));
    }
}
