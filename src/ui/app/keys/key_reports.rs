//! Which keys are reported as having no action.

use crate::action::{Action, Scope};
use crate::app::drawing::app_words;
use crate::app::drawing::focus::part_of;
use crate::cx::UiSettings;
use crate::domain::text::Text;
use crate::follow_up::FollowUp;
use crate::keymap::KeySequence;
use crate::model::Tone;

/// In a pane this key does nothing, and elsewhere it stops or quits: the keys for that are named.
const INTERRUPT: &str = "ctrl+c";
const INSTEAD: [(Action, Text); 2] =
    [(Action::Stop, app_words::STOP), (Action::Quit, app_words::LEAVE_PROGRAM)];

/// The key being handled, and the last one without an action.
#[derive(Debug, Default)]
pub(in crate::app) struct KeyReports {
    pressed: Option<KeySequence>,
    last_unused: Option<(Scope, KeySequence)>,
}

impl KeyReports {
    /// A key is handled. After another key, an unused key is reported again.
    pub fn press(&mut self, keys: KeySequence) {
        self.last_unused.take_if(|(_, unused)| *unused != keys);
        self.pressed = Some(keys);
    }

    /// Returns the pressed keys, with those before them if they complete a sequence.
    pub fn pressed(&self) -> Option<&KeySequence> {
        self.pressed.as_ref()
    }

    /// Reports that the key being handled does nothing here, once while it is repeated.
    pub fn report(&mut self, scope: Scope, ui: &UiSettings) -> Option<FollowUp> {
        let keys = self.pressed.clone()?;
        let name = ui.key_label(&keys.to_string());
        let is_interrupt = keys.to_string() == INTERRUPT && part_of(scope).is_some();
        let place = (scope, keys);
        if self.last_unused.as_ref() == Some(&place) {
            return None;
        }
        self.last_unused = Some(place);
        let mut text = format!("{name} {}", ui.text(app_words::DOES_NOTHING));
        let instead = INSTEAD.into_iter().filter(|_| is_interrupt);
        for (action, word) in instead.chain([(Action::Help, app_words::HELP_HINT)]) {
            let key = ui.key(scope, action);
            if !key.is_empty() {
                text.push_str(&format!(" {} {key} {}", ui.glyphs.middle_dot, ui.text(word)));
            }
        }
        Some(FollowUp::NotifyText(Tone::Plain, text))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::app::flow::facts::testing::Workspace;
    use crate::keymap::Chord;

    #[test]
    fn a_repeated_key_is_reported_once_and_again_after_another_key() {
        let key = |c| Chord::from(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        let (mut reports, workspace) = (KeyReports::default(), Workspace::new());
        let report = |reports: &mut KeyReports, c| {
            reports.press(key(c).into());
            reports.report(Scope::PANES, workspace.facts().ui).is_some()
        };
        assert!(report(&mut reports, 'x') && !report(&mut reports, 'x'));
        assert!(report(&mut reports, 'y') && report(&mut reports, 'x'));
    }
}
