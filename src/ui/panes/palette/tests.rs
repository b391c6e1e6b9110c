//! The palette, from keys to the effect of the action.

use proptest::prelude::*;

use crate::app::tests::fixture::*;
use crate::bindings;
use crate::domain::Lang;
use crate::highlight::CodeColours;
use crate::links::Links;
use crate::protocol::Command;
use crate::theme::{Glyphs, Theme};

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
        let entries = all_entries(&KeysOf::pane(from, None), &ui);
        for scope in [tree::SCOPE, inbox::SCOPE, transcript::SCOPE, Scope::PANES, Scope::ANYWHERE] {
            for binding in ui.keymap.bindings_of(scope) {
                let found = entries.iter().filter(|entry| {
                    entry.action == binding.action
                        && (entry.scope == scope || from.chain().any(|one| one == entry.scope))
                });
                let is_left_out = matches!(binding.action, Action::Palette | Action::Pick);
                assert_eq!(found.count() >= 1, !is_left_out, "{from:?} {binding:?}");
            }
        }
        for (at, entry) in entries.iter().enumerate() {
            let again =
                |other: &PaletteEntry| (other.scope, other.action) == (entry.scope, entry.action);
            assert!(!entries[at + 1..].iter().any(again), "{entry:?}");
        }
    }
}

#[test]
fn what_panes_do_is_found_while_writing_and_leaves_the_composer_first() {
    for (typed, shown) in [("who ran", "TIMELINE"), ("log of this", ""), ("tokens", "TOKENS")] {
        let mut stage = streaming(120, 40);
        stage.keys("3 i").type_text("half a draft");
        stage.keys("<ctrl+p>").type_text(typed);
        stage.keys("<enter>");
        if shown.is_empty() {
            let asked = stage.sent.iter().any(|one| matches!(one, Command::Log { .. }));
            assert!(asked, "{typed}");
        } else {
            assert!(stage.screen().contains(shown), "{typed}\n{}", stage.screen());
        }
        stage.keys("<esc> i");
        assert_eq!(stage.composer_text(), "half a draft");
    }
    let mut stage = streaming(120, 40);
    stage.keys("3 i").type_text("/timeline");
    stage.keys("<enter>");
    assert!(stage.screen().contains("TIMELINE"), "{}", stage.screen());
    assert!(!stage.sent.iter().any(|one| matches!(one, Command::Say { .. })));
    assert_eq!(stage.composer_text(), "", "the name of the action is not left behind");
}

#[test]
fn a_number_is_not_offered_and_a_new_dialog_is_also_during_a_search() {
    let screen = streaming(120, 40).keys("<alt+2> :").type_text("number").screen();
    assert!(!screen.contains("Answer the question with this number"), "{screen}");
    let mut stage = streaming(120, 40);
    stage.keys("3 /").type_text("the");
    stage.keys("<enter> <ctrl+p>").type_text("start a new dialog");
    let both = stage.screen();
    assert_eq!(both.matches("tart a new dialog").count(), 2 + 1, "{both}");
    stage.keys("<down> <enter>");
    let second = stage.screen();
    let mut stage = streaming(120, 40);
    stage.keys("3 /").type_text("the");
    stage.keys("<enter> <ctrl+p>").type_text("start a new dialog");
    let first = stage.keys("<enter>").screen();
    assert!(first.contains("NEW DIALOG") != second.contains("NEW DIALOG"), "{first}\n{second}");
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
