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

/// True if the screen is drawn in this theme.
fn shows(stage: &Stage, colour: &str) -> bool {
    stage.settings().style(Role::Text) == text_in(colour).style(Role::Text)
}

fn coloured() -> Stage {
    shown(80, 24, two(text_in("white"), text_in("cyan")))
}

#[test]
fn a_theme_is_used_and_written_at_once() {
    let mut stage = coloured();
    let screen = stage.screen();
    assert!(screen.contains("✓ dark") && screen.contains("lagoon"), "{screen}");
    let screen = stage.keys("j <enter>").screen();
    assert!(!screen.contains("THEME"), "{screen}");
    assert!(shows(&stage, "cyan"));
    let effects = stage.app.take_effects();
    assert!(effects.contains(&Effect::Set(Setting::Theme("lagoon".to_owned()))), "{effects:?}");
    assert!(stage.keys("#").screen().contains("✓ lagoon"));
}

#[test]
fn the_screen_is_drawn_in_the_theme_with_the_cursor_and_without_enter_the_one_before_comes_back() {
    let mut stage = coloured();
    stage.screen();
    let before = stage.settings().style(Role::Text);
    stage.keys("j").screen();
    assert!(shows(&stage, "cyan"));
    stage.keys("k").screen();
    assert!(shows(&stage, "white"));
    stage.keys("j").screen();
    stage.keys("<esc>").screen();
    assert_eq!(stage.settings().style(Role::Text), before);
    let effects = stage.app.take_effects();
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Set(_))), "{effects:?}");
}

#[test]
fn the_list_begins_at_the_theme_that_is_set_and_changes_nothing_by_itself() {
    let mut stage = shown(
        80,
        24,
        SettingOptions {
            theme: Some("lagoon".to_owned()),
            ..two(text_in("white"), text_in("cyan"))
        },
    );
    let before = stage.settings().style(Role::Text);
    stage.screen();
    assert_eq!(stage.settings().style(Role::Text), before);
    stage.keys("k").screen();
    assert!(shows(&stage, "white"), "it began at the second one");
}

#[test]
fn a_theme_that_is_looked_at_goes_with_the_list_however_that_is_left() {
    let mut stage = coloured();
    stage.screen();
    let before = stage.settings().style(Role::Text);
    stage.keys("j").screen();
    stage.keys(": <esc>").screen();
    assert!(shows(&stage, "cyan"), "the list is still open");
    stage.keys("<alt+a>").screen();
    assert_eq!(stage.settings().style(Role::Text), before);
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
