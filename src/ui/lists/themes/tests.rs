//! The themes.

use serde_json::json;

use crate::app::tests::fixture::{Stage, streaming};
use crate::effect::Effect;
use crate::theme::{ColorDepth, Role, Theme};
use crate::user_settings::{Setting, SettingOptions, ThemeOption};

fn option(name: &str, theme: Theme) -> ThemeOption {
    ThemeOption { name: name.to_owned(), theme, follows: None }
}

fn text_in(colour: &str) -> Theme {
    Theme::from_value(&json!({ "text": colour }), ColorDepth::Sixteen).unwrap()
}

fn two(dark: Theme, lagoon: Theme) -> SettingOptions {
    SettingOptions {
        themes: vec![option("dark", dark), option("lagoon", lagoon)],
        theme: Some("dark".to_owned()),
        ..SettingOptions::default()
    }
}

/// Two themes without colours.
pub fn options() -> SettingOptions {
    two(Theme::plain(), Theme::plain())
}

fn shown(width: u16, height: u16, settings: SettingOptions) -> Stage {
    let mut stage = streaming(width, height);
    stage.offer(settings);
    stage.keys("1 #");
    stage
}

/// The list over the dialog of the mock-up.
pub fn stage(width: u16, height: u16) -> Stage {
    shown(width, height, options())
}

fn coloured() -> Stage {
    shown(80, 24, two(text_in("white"), text_in("cyan")))
}

#[test]
fn a_theme_is_used_and_written_at_once_and_the_list_stays_to_show_it() {
    let mut stage = coloured();
    let screen = stage.screen();
    assert!(screen.contains("✓ dark") && screen.contains("lagoon"), "{screen}");
    stage.keys("j <enter>");
    assert_eq!(stage.settings().style(Role::Text), text_in("cyan").style(Role::Text));
    let screen = stage.screen();
    assert!(screen.contains("THEME") && screen.contains("✓ lagoon"), "{screen}");
    let effects = stage.app.take_effects();
    assert!(effects.contains(&Effect::Set(Setting::Theme("lagoon".to_owned()))), "{effects:?}");
}

#[test]
fn each_theme_is_shown_in_its_own_colours() {
    let mut stage = coloured();
    let (column, row) = stage.place_of("lagoon");
    let cells = stage.drawn();
    let cyan = text_in("cyan").style(Role::Text).fg;
    let mut drawn = (column..80).filter_map(|x| cells.cell((x, row)));
    assert!(drawn.any(|cell| Some(cell.fg) == cyan));
}

#[test]
fn without_themes_the_list_says_so() {
    let mut stage = streaming(80, 24);
    assert!(stage.keys("1 #").screen().contains("there is no theme to choose"));
}
