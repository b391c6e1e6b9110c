//! Which keys are reported as having no action.

use crate::ui::action::Scope;
use crate::ui::keymap::Chord;

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
    pub fn is_to_be_reported(&mut self, scope: Scope, key: Chord) -> bool {
        self.last_unused.replace((scope, key)) != Some((scope, key))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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
