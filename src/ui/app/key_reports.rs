//! Which keys are reported as having no action.

use super::follow_up::FollowUp;
use crate::ui::action::{Action, Scope};
use crate::ui::app::words;
use crate::ui::cx::UiSettings;
use crate::ui::keymap::Chord;
use crate::ui::model::Tone;

/// Whether the key for help is named: overlays have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HelpHint {
    Shown,
    Hidden,
}

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

    /// Reports that this key does nothing here, once while it is repeated.
    pub fn report(
        &mut self,
        scope: Scope,
        key: Chord,
        ui: &UiSettings,
        help: HelpHint,
    ) -> Option<FollowUp> {
        if self.last_unused.replace((scope, key)) == Some((scope, key)) {
            return None;
        }
        let name = ui.key_label(&key.to_string());
        let mut text = format!("{name} {}", ui.text(words::DOES_NOTHING));
        if help == HelpHint::Shown {
            let (key, word) = (ui.key(scope, Action::Help), ui.text(words::HELP_HINT));
            text.push_str(&format!(" {} {key} {word}", ui.glyphs.middle_dot));
        }
        Some(FollowUp::NotifyText(Tone::Plain, text))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;
    use crate::ui::app::facts::testing::Workspace;

    #[test]
    fn a_repeated_key_is_reported_once_and_again_after_another_key() {
        let key = |c| Chord::from(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        let (mut reports, workspace) = (KeyReports::default(), Workspace::new());
        let report = |reports: &mut KeyReports, c| {
            reports.press(key(c));
            let ui = workspace.facts().ui;
            reports.report(Scope::PANES, key(c), ui, HelpHint::Shown).is_some()
        };
        assert!(report(&mut reports, 'x') && !report(&mut reports, 'x'));
        assert!(report(&mut reports, 'y') && report(&mut reports, 'x'));
    }
}
