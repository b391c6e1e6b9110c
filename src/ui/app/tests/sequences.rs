//! Keys that are pressed one after another, and the list of possible next keys.

use std::time::Duration;

use serde_json::json;

use super::fixture::*;
use crate::action::{Action, Scope};
use crate::bindings;
use crate::panes::{consent, sheet};
use crate::protocol::{Command, DriverEvent};

const MOMENT: Duration = Duration::from_millis(400);

pub fn with_keys(width: u16, height: u16, file: &serde_json::Value) -> Stage {
    let mut stage = streaming(width, height);
    let (keymap, faults) = bindings::with_overrides(file);
    assert_eq!(faults, []);
    stage.use_keys(keymap);
    stage
}

fn last_line(stage: &mut Stage) -> String {
    stage.screen().lines().last().unwrap_or_default().to_owned()
}

/// True if the list of possible next keys is on the screen.
fn is_listed(stage: &mut Stage) -> bool {
    stage.screen().contains("esc back")
}

#[test]
fn the_keys_that_can_follow_are_listed_after_a_moment_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = with_keys(width, height, &json!("vi"));
        let before = stage.keys("3").screen();
        assert_eq!(stage.keys("g").screen(), before, "at first nothing changes");
        stage.wait(MOMENT / 2);
        assert!(!is_listed(&mut stage));
        let wake = stage.app.wake_at().expect("it appears by itself");
        assert!(wake <= stage.now + MOMENT / 2);
        stage.app.take_dirty();
        stage.wait(MOMENT / 2);
        assert!(stage.app.take_dirty());
        let screen = stage.screen();
        assert!(screen.contains("g …") && is_listed(&mut stage), "{screen}");
        let row = screen.lines().find(|row| row.contains("Go to the start")).expect("its row");
        assert!(row.contains(" g "), "{screen}");
        assert!(screen.lines().any(|row| row.contains(" c  Go to the change")), "{screen}");
        stage.wait(MOMENT * 3);
        assert!(!stage.app.take_dirty(), "once it is drawn nothing is drawn again");
        stage.keys("<esc>");
        assert!(!is_listed(&mut stage), "{}", stage.screen());
        assert!(stage.app.focus.scope() == crate::panes::transcript::SCOPE, "Esc did nothing else");
    }
}

#[test]
fn more_keys_than_rows_are_counted() {
    let mut dialog = serde_json::Map::new();
    let actions = bindings::all().iter().filter(|one| one.scope.name() == "dialog");
    for (binding, c) in actions.zip("abcdefghijklmnopqrstuvwxy".chars()) {
        dialog.insert(binding.action.name().to_owned(), json!(format!("z {c}")));
    }
    let mut stage = streaming(40, 12);
    stage.use_keys(bindings::with_overrides(&json!({"panes": {"zoom": []}, "dialog": dialog})).0);
    stage.keys("3 z").wait(MOMENT);
    let screen = stage.screen();
    assert!(screen.contains("more keys") && screen.contains("z …"), "{screen}");
    assert!(!screen.lines().last().unwrap_or_default().contains("more keys"), "{screen}");
}

#[test]
fn a_sequence_does_what_it_is_bound_to_and_its_keys_alone_do_not() {
    let mut stage = with_keys(80, 24, &json!({"tree": {"stop": "_ s"}, "panes": {"quit": "_ q"}}));
    stage.keys("1 g _ s");
    let shown = last_line(&mut stage);
    assert!(shown.contains("choose a dialog first"), "{shown}");
    stage.keys("_ q");
    assert!(!stage.app.overlays.is_empty(), "a wider scope continues it: {}", stage.screen());
    stage.keys("n _ n");
    let shown = last_line(&mut stage);
    assert!(shown.contains("_ n is not bound here"), "{shown}");
    assert!(stage.app.overlays.is_empty(), "what n does alone is not done");
    stage.keys("_ <esc> n");
    assert!(stage.screen().contains("NEW DIALOG"), "{}", stage.screen());
}

#[test]
fn paste_and_the_mouse_end_a_sequence() {
    let file = json!({"panes": {"quit": "_ q"}});
    let mut stage = with_keys(80, 24, &file);
    stage.keys("1 _");
    stage.app.paste("q");
    stage.keys("<esc> q");
    assert!(stage.app.overlays.is_empty(), "{}", stage.screen());
    let mut stage = with_keys(80, 24, &file);
    stage.keys("1 M").screen();
    stage.keys("_").click(2, 4);
    stage.keys("q");
    assert!(stage.app.overlays.is_empty(), "{}", stage.screen());
}

#[test]
fn a_sequence_is_not_completed_in_what_opened_after_its_beginning() {
    let mut stage =
        with_keys(80, 24, &json!({"panes": {"quit": "_ q"}, "consent": {"agree": "_ a"}}));
    stage.keys("1 W").screen();
    assert_eq!(stage.app.overlays.scope(), Some(consent::SCOPE));
    stage.keys("<esc> _");
    let content = stage.app.overlays.show(
        crate::new_overlay::NewOverlay::Consent { then: None },
        &stage.app.model,
        stage.app.writing.drafts(),
    );
    assert!(content.is_none());
    stage.screen();
    stage.keys("a");
    assert!(!stage.sent.iter().any(|one| matches!(one, Command::Agree { .. })));
    assert!(last_line(&mut stage).contains("_ a is not bound here"));
}

#[test]
fn while_writing_only_a_key_that_types_nothing_begins_a_sequence() {
    let mut stage = with_keys(80, 24, &json!({"composer": {"send": ["enter", "ctrl+x ctrl+s"]}}));
    stage.keys("3 i").type_text("hello");
    stage.keys("<ctrl+x> <ctrl+s>");
    let said = stage.sent.iter().any(|one| matches!(one, Command::Say { .. }));
    assert!(said, "{}", stage.screen());
    stage.type_text("a");
    stage.keys("<ctrl+x> b");
    assert_eq!(stage.composer_text(), "a", "what does not continue is not typed");
    assert!(last_line(&mut stage).contains("Ctrl+x b is not bound here"));
    for (keys, why) in [
        ("g g", "g types text here"),
        ("enter x", "begins with ctrl, alt or a function key"),
        ("ctrl+x esc", "esc takes back"),
    ] {
        let (keymap, faults) = bindings::with_overrides(&json!({"composer": {"send": keys}}));
        assert_eq!(keymap, bindings::defaults());
        assert!(faults[0].to_string().contains(why), "{faults:?}");
    }
}

#[test]
fn an_overlay_lists_only_what_it_handles_and_a_foreign_prefix_does_nothing_there() {
    let file = json!({"panes": {"quit": "_ q", "new": "_ n"}, "sheet": {"add": "_ a"}});
    let mut stage = with_keys(80, 24, &file);
    stage.keys("3 r").screen();
    assert_eq!(stage.app.overlays.scope(), Some(sheet::SCOPE));
    stage.keys("_").wait(MOMENT);
    let screen = stage.screen();
    assert!(
        screen.contains("Add a reminder") && !screen.contains("Start a new dialog"),
        "{screen}"
    );
    let mut stage = with_keys(80, 24, &json!({"panes": {"new": "_ n"}}));
    stage.keys("3 r _");
    assert!(last_line(&mut stage).contains("_ does nothing here"), "{}", stage.screen());
}

#[test]
fn the_list_is_drawn_on_an_inline_screen() {
    let mut stage = with_keys(80, 24, &json!("vi")).inline();
    stage.keys("<esc> <esc> 3 g").wait(MOMENT);
    let (_, frame) = stage.inline_frame();
    assert!(frame.contains("esc back"), "{frame}");
}

#[test]
fn each_preset_moves_finds_and_closes_by_its_keys_in_every_scope() {
    let expected: [(&str, &[(Action, &str)]); 3] = [
        (
            "emacs",
            &[
                (Action::Up, "ctrl+p"),
                (Action::Down, "ctrl+n"),
                (Action::PageUp, "alt+v"),
                (Action::PageDown, "ctrl+v"),
                (Action::Find, "ctrl+s"),
                (Action::Close, "ctrl+g"),
                (Action::Cancel, "ctrl+g"),
                (Action::Refuse, "ctrl+g"),
                (Action::LookOnly, "ctrl+g"),
            ],
        ),
        (
            "vi",
            &[
                (Action::Up, "k"),
                (Action::Down, "j"),
                (Action::Top, "g g"),
                (Action::Bottom, "G"),
                (Action::PageUp, "ctrl+b"),
                (Action::PageDown, "ctrl+f"),
                (Action::Find, "/"),
            ],
        ),
        ("plain", &[(Action::Up, "up"), (Action::Down, "down"), (Action::Find, "ctrl+f")]),
    ];
    for (preset, keys) in expected {
        let (keymap, faults) = bindings::with_overrides(&json!(preset));
        assert_eq!(faults, []);
        for binding in bindings::all().iter().filter(|one| !one.scope.is_for_typing()) {
            let keys = keys.iter().filter(|(action, _)| *action == binding.action);
            for (action, key) in keys {
                let bound = keymap.keys(binding.scope, *action);
                assert!(
                    bound.iter().any(|keys| keys.to_string() == *key),
                    "{preset} {binding:?} {bound:?}"
                );
            }
            for keys in keymap.keys(binding.scope, binding.action) {
                let is_letter = ["h", "j", "k", "l", "g", "G"].contains(&keys.to_string().as_str());
                assert!(preset != "plain" || !is_letter, "{binding:?} {keys}");
            }
        }
    }
    let emacs = bindings::with_overrides(&json!("emacs")).0;
    let quit = emacs.keys(Scope::PANES, Action::Quit);
    assert!(quit.iter().any(|keys| keys.to_string() == "ctrl+x ctrl+c"));
}

#[test]
fn a_sequence_picks_the_question_it_stands_for() {
    let mut stage = with_keys(80, 24, &json!({"inbox": {"pick": ["_ 1", "_ 2"]}}));
    stage.apply(DriverEvent::Inbox(questions()));
    stage.keys("<alt+2> _ 2");
    stage.page(STORY);
    assert!(stage.screen().contains("answer 2 of 2"), "{}", stage.screen());
}
