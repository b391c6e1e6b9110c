//! What follows from a setting that a person changed on the screen: it is used at once, and written.

use std::sync::Arc;
use std::time::Duration;

use crate::action::EditingKeys;
use crate::app::{App, ComposerKeys, LookChange, QuietHours};
use crate::bindings;
use crate::effect::Effect;
use crate::user_settings::Setting;

impl App {
    pub(super) fn use_setting(&mut self, setting: Setting) {
        let alerts = &mut self.attention.alerts;
        match &setting {
            Setting::Theme(name) => {
                let Some(option) = self.model.settings.theme_named(name).cloned() else { return };
                let (theme, follows) = (option.theme, option.follows);
                self.change_look(LookChange::Look { theme, follows });
            }
            Setting::Keys(name) => {
                let Some(option) = self.model.settings.keys_named(name) else { return };
                let (keymap, _) = bindings::with_overrides(&option.overrides);
                self.writing.use_keys(match option.composer {
                    EditingKeys::Plain => ComposerKeys::Plain,
                    EditingKeys::Vi => ComposerKeys::Vi,
                });
                Arc::make_mut(&mut self.ui).keymap = keymap;
                self.overlays.forget_rows();
            }
            Setting::QuietHours(hours) => {
                let quiet = hours.as_deref().and_then(QuietHours::parse);
                alerts.change(|settings| settings.quiet = quiet);
            }
            Setting::RemindMinutes(minutes) => {
                let remind_after = minutes.map(|minutes| Duration::from_secs(minutes * 60));
                alerts.change(|settings| settings.remind_after = remind_after);
            }
        }
        self.model.settings.note(&setting);
        self.effects.push(Effect::Set(setting));
        self.redraw.mark();
    }
}
