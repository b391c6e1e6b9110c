//! What the screen offers to change of the settings, and what is set.

use std::path::Path;

use serde_json::Value;

use super::themes::{self, AUTO};
use crate::ui::action::EditingKeys;
use crate::ui::keymap::PRESETS;
use crate::ui::theme::ColorDepth;
use crate::ui::user_settings::{KeysOption, SettingOptions};
use crate::ui::{ComposerKeys, QuietHours};

/// Names a set of keys beside the keys of scopes.
pub(super) const PRESET: &str = "preset";
/// The setting of the keys.
pub(super) const KEYS: &str = "keys";
/// The most minutes until a reminder.
const MAX_MINUTES: u64 = 24 * 60;

/// Reads the parsed file; `folder` has the person's own themes.
pub(super) fn read(value: &Value, depth: ColorDepth, folder: Option<&Path>) -> SettingOptions {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let hours = text("quiet_hours").filter(|hours| QuietHours::parse(hours).is_some());
    let theme = match value.get("theme") {
        None | Some(Value::Null) => Some(AUTO.to_owned()),
        Some(_) => text("theme"),
    };
    let minutes = value.get("remind_minutes").and_then(Value::as_u64);
    SettingOptions {
        themes: themes::all(depth, folder),
        theme,
        keys: key_sets(value),
        keys_set: preset_in(value).to_owned(),
        quiet_hours: hours.clone(),
        own_hours: hours,
        remind_minutes: minutes.filter(|minutes| (1..=MAX_MINUTES).contains(minutes)),
    }
}

/// The name of the set of keys; empty without one.
fn preset_in(value: &Value) -> &str {
    let keys = value.get(KEYS).unwrap_or(&Value::Null);
    let name = keys.get(PRESET).unwrap_or(keys).as_str().unwrap_or_default();
    if PRESETS.iter().any(|preset| preset.name == name) { name } else { "" }
}

/// The sets of keys, each with the keys that the person bound.
fn key_sets(value: &Value) -> Vec<KeysOption> {
    let own = value.get(KEYS).and_then(Value::as_object).cloned().unwrap_or_default();
    let composer = value.get("composer_keys").and_then(Value::as_str);
    let names = std::iter::once("").chain(PRESETS.iter().map(|preset| preset.name));
    let option = |name: &str| {
        let mut overrides = own.clone();
        overrides.shift_remove(PRESET);
        if !name.is_empty() {
            overrides.insert(PRESET.to_owned(), Value::from(name));
        }
        let is_vi = composer.unwrap_or(name) == ComposerKeys::Vi.name();
        KeysOption {
            name: name.to_owned(),
            overrides: Value::Object(overrides),
            composer: if is_vi { EditingKeys::Vi } else { EditingKeys::Plain },
        }
    };
    names.map(option).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ui::user_settings::ALWAYS;

    fn of(value: &Value) -> SettingOptions {
        read(value, ColorDepth::True, None)
    }

    #[test]
    fn what_is_set_is_known_by_its_name_and_own_colours_have_none() {
        let none = of(&Value::Null);
        assert_eq!((none.theme.as_deref(), none.keys_set.as_str()), (Some("auto"), ""));
        assert_eq!((none.quiet_hours, none.remind_minutes), (None, None));
        let all = of(&json!({
            "theme": "light", "keys": "vi", "quiet_hours": ALWAYS, "remind_minutes": 15
        }));
        assert_eq!((all.theme.as_deref(), all.keys_set.as_str()), (Some("light"), "vi"));
        assert_eq!((all.quiet_hours.as_deref(), all.remind_minutes), (Some(ALWAYS), Some(15)));
        let odd = of(&json!({
            "theme": { "base": "dark" }, "keys": "x", "quiet_hours": "7-7", "remind_minutes": -1
        }));
        assert_eq!((odd.theme, odd.keys_set.as_str()), (None, ""));
        assert_eq!((odd.quiet_hours, odd.remind_minutes), (None, None));
    }

    #[test]
    fn every_theme_and_set_of_keys_is_offered_and_keys_of_the_person_stay() {
        let options = of(&json!({ "keys": { "preset": "emacs", "tree": { "stop": ["x"] } } }));
        let themes: Vec<&str> = options.themes.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(themes, ["auto", "dark", "light", "mono", "contrast"]);
        let keys: Vec<&str> = options.keys.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(keys, ["", "plain", "vi", "emacs", "classic"]);
        assert_eq!(options.keys_set, "emacs");
        for option in &options.keys {
            assert_eq!(option.overrides["tree"]["stop"], json!(["x"]), "{}", option.name);
            let is_vi = option.composer == EditingKeys::Vi;
            assert_eq!(is_vi, option.name == "vi", "{}", option.name);
        }
        assert_eq!(options.keys[0].overrides, json!({ "tree": { "stop": ["x"] } }));
        let plain = of(&json!({ "composer_keys": "plain" }));
        assert!(plain.keys.iter().all(|option| option.composer == EditingKeys::Plain));
    }
}
