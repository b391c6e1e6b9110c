//! The palette, from keys to what the action does.

use proptest::prelude::*;

use crate::domain::Lang;
use crate::ui::app::tests::fixture::*;
use crate::ui::bindings;
use crate::ui::highlight::CodeColours;
use crate::ui::links::Links;
use crate::ui::theme::{Glyphs, Theme};

use super::*;

fn settings() -> UiSettings {
    let keymap = bindings::defaults();
    UiSettings {
        theme: Theme::plain(),
        glyphs: Glyphs::UTF8,
        keymap,
        lang: Lang::En,
        colours: CodeColours::off(),
        links: Links::default(),
    }
}

#[test]
fn an_action_is_found_by_its_words_with_its_key() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let screen = streaming(width, height).keys("3 : mesg").screen();
        let row = screen.lines().find(|row| row.contains("Write a message to the open dial"));
        assert!(row.is_some_and(|row| row.trim_end().ends_with(" i")), "{screen}");
    }
}

#[test]
fn an_action_runs_as_by_its_key_and_one_of_another_pane_moves_the_focus_there() {
    let mut stage = streaming(120, 40);
    let screen = stage.keys("3 : taskdoc <enter>").screen();
    assert!(screen.contains("Taskdoc ·"), "{screen}");
    let mut stage = streaming(120, 40);
    let screen = stage.keys("3 <ctrl+p> archive <enter>").screen();
    assert!(screen.contains("archive"), "it asks first\n{screen}");
    let mut stage = streaming(120, 40);
    let screen = stage.keys("1 : message <enter> hello").screen();
    assert!(screen.contains("› hello"), "{screen}");
}

#[test]
fn the_first_match_is_chosen_again_after_each_key_and_escape_does_nothing_else() {
    let mut stage = streaming(80, 24);
    let before = stage.keys("3").screen();
    let row = |screen: &str| screen.lines().filter(|line| line.contains("│▌")).count();
    assert_eq!(row(&stage.keys(": <down> <down>").screen()), 1);
    let screen = stage.keys("zzzz").screen();
    assert!(screen.contains("no such action"), "{screen}");
    assert!(stage.keys("<enter>").screen().contains("no such action"));
    assert_eq!(stage.keys("<esc>").screen(), before);
}

#[test]
fn every_action_of_a_pane_is_in_the_palette_once() {
    let ui = settings();
    for from in [tree::SCOPE, inbox::SCOPE, transcript::SCOPE, composer::SCOPE] {
        let entries = all_entries(from, &ui);
        for scope in [tree::SCOPE, inbox::SCOPE, transcript::SCOPE, Scope::PANES, Scope::ANYWHERE] {
            for binding in ui.keymap.bindings_of(scope) {
                let found = entries.iter().filter(|entry| {
                    entry.action == binding.action
                        && (entry.scope == scope || from.chain().any(|one| one == entry.scope))
                });
                let expected = usize::from(binding.action != Action::Palette);
                let reaches = from.chain().any(|one| one == scope) || Scope::PANES != scope;
                assert!(!reaches || found.count() >= expected, "{from:?} {binding:?}");
            }
        }
        for (at, entry) in entries.iter().enumerate() {
            let again =
                |other: &PaletteEntry| (other.scope, other.action) == (entry.scope, entry.action);
            assert!(!entries[at + 1..].iter().any(again), "{entry:?}");
        }
    }
}

proptest! {
    #[test]
    fn whatever_is_typed_a_row_is_chosen_and_in_view(
        keys in proptest::collection::vec("[a-z !^$'|中]|<down>|<up>|<backspace>", 0..12),
    ) {
        let mut stage = streaming(60, 20);
        stage.keys("3 :");
        for key in keys.iter().filter(|key| key.trim() != "") {
            stage.keys(key);
        }
        let screen = stage.screen();
        let chosen = screen.lines().filter(|line| line.starts_with('▌')).count();
        prop_assert!(chosen == 1 || screen.contains("no such action"), "{}", screen);
    }
}
