//! The sets of keys.

use serde_json::json;

use super::about;
use crate::action::EditingKeys;
use crate::app::tests::fixture::{Stage, streaming};
use crate::effect::Effect;
use crate::keymap::PRESETS;
use crate::user_settings::{KeysOption, Setting, SettingOptions};

fn option(name: &str, composer: EditingKeys) -> KeysOption {
    let overrides = if name.is_empty() { json!({}) } else { json!({ "preset": name }) };
    KeysOption { name: name.to_owned(), overrides, composer }
}

/// Three sets of keys.
pub fn options() -> Vec<KeysOption> {
    vec![
        option("", EditingKeys::Plain),
        option("vi", EditingKeys::Vi),
        option("emacs", EditingKeys::Plain),
    ]
}

/// The list over the dialog of the mock-up.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    stage.offer(SettingOptions { keys: options(), ..SettingOptions::default() });
    stage.keys("1 ~");
    stage
}

#[test]
fn a_set_of_keys_is_used_and_written_at_once() {
    let mut stage = stage(80, 24);
    let screen = stage.screen();
    assert!(screen.contains("✓ default") && screen.contains("emacs"), "{screen}");
    stage.keys("j j <enter>");
    let effects = stage.app.take_effects();
    assert!(effects.contains(&Effect::Set(Setting::Keys("emacs".to_owned()))), "{effects:?}");
    let screen = stage.keys("<alt+x>").screen();
    assert!(screen.contains("ACTIONS"), "the palette of emacs\n{screen}");
}

#[test]
fn every_set_of_keys_says_what_it_is_like() {
    assert!(about("").is_some());
    for preset in PRESETS {
        assert!(about(preset.name).is_some(), "{}", preset.name);
    }
}
