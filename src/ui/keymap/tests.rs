//! The rules of keys: names, lookup, overrides, conflicts, and the file of defaults.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::json;

use super::*;

fn chord(name: &str) -> Chord {
    Chord::parse(name).unwrap_or_else(|| panic!("not a key: {name}"))
}

#[test]
fn key_names_are_read_and_shown_the_same() {
    for (name, code, modifiers) in [
        ("g", KeyCode::Char('g'), KeyModifiers::NONE),
        ("G", KeyCode::Char('G'), KeyModifiers::NONE),
        ("ctrl+d", KeyCode::Char('d'), KeyModifiers::CONTROL),
        ("alt+enter", KeyCode::Enter, KeyModifiers::ALT),
        ("ctrl+alt+x", KeyCode::Char('x'), KeyModifiers::CONTROL.union(KeyModifiers::ALT)),
        ("shift+tab", KeyCode::BackTab, KeyModifiers::SHIFT),
        ("f2", KeyCode::F(2), KeyModifiers::NONE),
        ("space", KeyCode::Char(' '), KeyModifiers::NONE),
        ("plus", KeyCode::Char('+'), KeyModifiers::NONE),
        ("{", KeyCode::Char('{'), KeyModifiers::NONE),
    ] {
        assert_eq!(chord(name), Chord::from(KeyEvent::new(code, modifiers)), "{name}");
        assert_eq!(chord(name).to_string(), name);
    }
}

#[test]
fn what_terminals_report_for_one_key_is_one_chord() {
    let reported = [
        KeyEvent::new(KeyCode::Char('G'), KeyModifiers::SHIFT),
        KeyEvent::new(KeyCode::Char('g'), KeyModifiers::SHIFT),
        KeyEvent::new(KeyCode::Char('G'), KeyModifiers::NONE),
    ];
    for event in reported {
        assert_eq!(Chord::from(event), chord("G"));
    }
    assert_eq!(chord("shift+g"), chord("G"));
    assert_eq!(chord("ctrl+D"), chord("ctrl+d"));
    assert_eq!((chord("ctrl+7"), chord("ctrl+/")), (chord("ctrl+_"), chord("ctrl+_")));
    assert_eq!(chord("+"), chord("plus"));
}

#[test]
fn unknown_key_names_are_rejected() {
    for name in ["", "ctrl+", "hyper+x", "f0", "f99", "xyz", "\u{1b}"] {
        assert_eq!(Chord::parse(name), None, "{name:?}");
    }
}

#[test]
fn every_default_key_is_a_key_and_belongs_to_one_action() {
    for spec in ACTIONS {
        for key in spec.keys {
            assert!(Chord::parse(key).is_some(), "{key}");
            let typed = spec.scope.is_for_typing() && chord(key).is_typed();
            assert!(!typed, "{}: {key} types text", spec.name);
        }
    }
    assert_eq!(Keymap::with_overrides(&Value::Null), (Keymap::defaults(), Vec::new()));
}

#[test]
fn a_key_is_looked_up_in_the_focused_scope_and_then_in_the_wider_ones() {
    let keymap = Keymap::defaults();
    for (focus, key, expected) in [
        (Scope::Tree, "j", Some(Action::TreeDown)),
        (Scope::Dialog, "j", Some(Action::LineDown)),
        (Scope::Tree, "q", Some(Action::Quit)),
        (Scope::Tree, "alt+a", Some(Action::AnswerOldest)),
        (Scope::Composer, "q", None),
        (Scope::Composer, "enter", Some(Action::Send)),
        (Scope::Composer, "ctrl+l", Some(Action::Redraw)),
        (Scope::Confirm, "q", None),
        (Scope::Confirm, "n", Some(Action::ConfirmNo)),
    ] {
        assert_eq!(keymap.action(focus, chord(key)), expected, "{focus:?} {key}");
    }
}

#[test]
fn a_key_file_replaces_the_keys_of_an_action() {
    let (keymap, faults) = Keymap::with_overrides(&json!({
        "tree": {"stop": ["x", "ctrl+s"]},
        "panes": {"quit": "ctrl+q", "new": []},
    }));
    assert_eq!(faults, []);
    assert_eq!(keymap.action(Scope::Tree, chord("x")), Some(Action::Stop));
    assert_eq!(keymap.action(Scope::Tree, chord("s")), None);
    assert_eq!(keymap.action(Scope::Tree, chord("n")), None);
    assert_eq!(keymap.hint(Action::Quit), Some("ctrl+q".to_owned()));
    assert_eq!(keymap.hint(Action::NewDialog), None);
}

#[test]
fn invalid_entries_are_reported_and_leave_the_defaults() {
    let (keymap, faults) = Keymap::with_overrides(&json!({
        "tree": {"stop": "hyper+x", "stopp": "x", "open": 3},
        "composer": {"send": "s"},
        "forest": {},
    }));
    assert_eq!(faults.len(), 5, "{faults:?}");
    assert_eq!(keymap, Keymap::defaults());
    assert_eq!(Keymap::with_overrides(&json!("x")).1.len(), 1);
}

#[test]
fn a_conflicting_binding_is_reported_with_both_names_and_takes_the_key() {
    for (file, focus, key, action, message) in [
        (
            json!({"tree": {"stop": "d"}}),
            Scope::Tree,
            "d",
            Action::Stop,
            "keys: tree: stop: d is also bound to done, which loses it",
        ),
        (
            json!({"tree": {"stop": "x", "fork": "x"}}),
            Scope::Tree,
            "x",
            Action::Stop,
            "keys: tree: stop: x is also bound to fork, which loses it",
        ),
        (
            json!({"tree": {"stop": "q"}}),
            Scope::Tree,
            "q",
            Action::Stop,
            "keys: tree: stop: q hides quit (panes) there",
        ),
        (
            json!({"tree": {"stop": "n"}}),
            Scope::Tree,
            "n",
            Action::Stop,
            "keys: tree: stop: n hides new (panes) there",
        ),
        (
            json!({"anywhere": {"help": "ctrl+j"}}),
            Scope::Composer,
            "ctrl+j",
            Action::NewLine,
            "keys: anywhere: help: in composer ctrl+j stays new-line",
        ),
    ] {
        let (keymap, faults) = Keymap::with_overrides(&file);
        assert!(faults.iter().any(|fault| fault.to_string() == message), "{faults:?}");
        assert_eq!(keymap.action(focus, chord(key)), Some(action), "{file}");
    }
    let (keymap, _) = Keymap::with_overrides(&json!({"tree": {"stop": "d"}}));
    assert_eq!(keymap.hint(Action::MarkDone), None, "no hint shows a key that does something else");
    let both = json!({"tree": {"stop": "d", "done": "ctrl+d"}});
    assert_eq!(Keymap::with_overrides(&both).1, [], "they changed places");
    let same = json!({"sheet": {"add": "n"}});
    assert_eq!(Keymap::with_overrides(&same).1, [], "as by default");
}

#[test]
fn an_action_of_a_wider_scope_is_reported_with_that_scope() {
    let (_, faults) = Keymap::with_overrides(&json!({"tree": {"new": "x"}}));
    let faults: Vec<String> = faults.iter().map(KeyFault::to_string).collect();
    assert_eq!(faults, ["keys: tree: new: no such action; it is defined under panes"]);
}

#[test]
fn enter_cannot_be_bound_to_confirm_what_cannot_be_undone() {
    let (keymap, faults) = Keymap::with_overrides(&json!({"confirm": {"accept": ["y", "enter"]}}));
    assert_eq!(faults.len(), 1);
    assert_eq!(keymap.action(Scope::Confirm, chord("enter")), Some(Action::ConfirmEnter));
}

#[test]
fn the_listing_shows_only_what_works_here() {
    let keymap = Keymap::defaults();
    let tree: Vec<Action> =
        keymap.listing(Scope::Tree).into_iter().map(|(spec, _)| spec.action).collect();
    assert!(tree.contains(&Action::Stop) && tree.contains(&Action::Quit));
    assert!(!tree.contains(&Action::Send) && !tree.contains(&Action::ConfirmYes));
    let composer = keymap.listing(Scope::Composer);
    assert_eq!(composer.first().map(|(spec, _)| spec.action), Some(Action::Send));
}

/// Reads the two-level form the key file is written in.
fn parse_keys(text: &str) -> Value {
    let mut scopes = serde_json::Map::new();
    let mut scope = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let (name, rest) = line.trim().split_once(':').unwrap();
        if line.starts_with(' ') {
            let keys: Value = serde_json::from_str(rest.trim()).unwrap();
            scopes[&scope][name] = keys;
        } else {
            scope = name.to_owned();
            scopes.insert(scope.clone(), json!({}));
        }
    }
    Value::Object(scopes)
}

#[test]
fn the_default_key_file_equals_the_table() {
    let file = parse_keys(DEFAULT_KEYS);
    let mut table = serde_json::Map::new();
    for scope in Scope::ALL {
        let entries = actions_in(scope).map(|spec| (spec.name.to_owned(), json!(spec.keys)));
        table.insert(scope.name().to_owned(), Value::Object(entries.collect()));
    }
    assert_eq!(file, Value::Object(table));
}
