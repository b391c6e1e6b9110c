//! The rules of keys: names, lookup, overrides and conflicts.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::json;

use super::*;
use crate::bindings::{self, defaults, with_overrides};
use crate::lists::{processes, tasks, teams};
use crate::panes::{composer, confirm, consent, inbox, log, transcript, tree};

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
fn the_case_of_names_does_not_matter_and_that_of_a_letter_does() {
    for (written, name) in [
        ("Ctrl+p", "ctrl+p"),
        ("CTRL+ALT+x", "ctrl+alt+x"),
        ("F2", "f2"),
        ("PageUp", "pageup"),
        ("Alt+Enter", "alt+enter"),
        ("G", "G"),
        ("Alt+G", "alt+G"),
    ] {
        assert_eq!(chord(written).to_string(), name, "{written}");
    }
}

#[test]
fn keys_that_a_terminal_sends_as_others_are_refused_with_the_reason() {
    for (key, sent) in
        [("ctrl+i", "tab"), ("Ctrl+M", "enter"), ("ctrl+[", "esc"), ("ctrl+x ctrl+i", "tab")]
    {
        let (keymap, faults) = with_overrides(&json!({"panes": {"quit": key}}));
        assert_eq!((keymap, faults.len()), (defaults(), 1), "{key}");
        assert!(faults[0].to_string().contains(&format!("as {sent}; bind {sent}")), "{faults:?}");
    }
}

#[test]
fn a_sequence_is_read_and_shown_and_has_few_keys() {
    let keys = |names: &str| KeySequence::parse(names).map(|keys| keys.to_string());
    assert_eq!(keys("Ctrl+x  ctrl+S").as_deref(), Some("ctrl+x ctrl+s"));
    assert_eq!(keys(" ").as_deref(), Some("space"));
    assert_eq!(keys("space f").as_deref(), Some("space f"));
    for names in ["", "g xyz", "a b c d e", "\t"] {
        assert_eq!(keys(names), None, "{names:?}");
    }
}

#[test]
fn a_prefix_of_other_keys_is_reported_with_both_names() {
    for (file, winner, message) in [
        (
            json!({"tree": {"stop": "g s"}}),
            ("g s", Action::Stop),
            "keys: tree: stop: g is a prefix of g s; top loses g",
        ),
        (
            json!({"tree": {"stop": "x", "fork": "x f"}}),
            ("x", Action::Stop),
            "keys: tree: stop: x is a prefix of x f; fork loses x f",
        ),
        (
            json!({"tree": {"stop": "x f", "fork": "x f"}}),
            ("x f", Action::Stop),
            "keys: tree: stop: x f is also bound to fork, which loses it",
        ),
        (
            json!({"tree": {"stop": "q s"}}),
            ("q s", Action::Stop),
            "keys: tree: stop: q s hides q there, which is quit (panes)",
        ),
        (
            json!({"panes": {"zoom": "g z"}}),
            ("g", Action::Top),
            "keys: panes: zoom: in tree g stays top",
        ),
    ] {
        let (keymap, faults) = with_overrides(&file);
        assert!(faults.iter().any(|fault| fault.to_string() == message), "{faults:?}");
        let keys = KeySequence::parse(winner.0).unwrap();
        assert_eq!(keymap.action(tree::SCOPE, keys), Some(winner.1), "{file}");
    }
    let (keymap, _) = with_overrides(&json!({"panes": {"zoom": "g z"}}));
    assert_eq!(keymap.hint(tree::SCOPE, Action::Zoom), None, "g does something else there");
    assert_eq!(keymap.hint(log::SCOPE, Action::Zoom), None);
}

#[test]
fn what_follows_a_prefix_is_of_all_scopes_where_the_keys_are_looked_up() {
    let (keymap, faults) =
        with_overrides(&json!({"tree": {"stop": "_ s"}, "panes": {"zoom": "_ z"}}));
    assert_eq!(faults, []);
    let begun = KeySequence::parse("_").unwrap();
    assert_eq!(keymap.pressed(tree::SCOPE, &begun), KeyMatch::Prefix);
    let following = keymap.following(tree::SCOPE, &begun).into_iter();
    let following: Vec<_> =
        following.map(|(rest, binding)| (rest.to_string(), binding.action)).collect();
    assert_eq!(following, [("s".to_owned(), Action::Stop), ("z".to_owned(), Action::Zoom)]);
    assert_eq!(keymap.pressed(tree::SCOPE, &begun.then(chord("q"))), KeyMatch::Nothing);
}

#[test]
fn a_key_that_is_taken_from_the_text_field_is_reported_and_the_binding_has_it() {
    let (keymap, faults) = with_overrides(&json!({"composer": {"clear": "ctrl+w"}}));
    let faults: Vec<String> = faults.iter().map(KeyFault::to_string).collect();
    let message =
        "keys: composer: clear: ctrl+w hides a key for editing the text: Cut the word before";
    assert_eq!(faults, [message]);
    assert_eq!(keymap.action(composer::SCOPE, chord("ctrl+w")), Some(Action::ClearDraft));
    let anywhere = with_overrides(&json!({"anywhere": {"help": ["f1", "ctrl+a"]}})).1;
    assert_eq!(anywhere.len(), 1, "{anywhere:?}");
    assert_eq!(with_overrides(&json!({"composer": {"edit": ["ctrl+e"]}})).1, [], "as by default");
}

#[test]
fn unknown_key_names_are_rejected() {
    for name in ["", "ctrl+", "hyper+x", "f0", "f99", "xyz", "\u{1b}"] {
        assert_eq!(Chord::parse(name), None, "{name:?}");
    }
}

#[test]
fn every_default_key_is_a_key_and_belongs_to_one_action() {
    for binding in bindings::all() {
        for key in binding.keys {
            assert!(Chord::parse(key).is_some(), "{key}");
            let typed = binding.scope.is_for_typing() && chord(key).is_typed();
            assert!(!typed, "{}: {key} types text", binding.action.name());
        }
    }
    assert_eq!(with_overrides(&Value::Null), (defaults(), Vec::new()));
}

#[test]
fn a_key_is_looked_up_in_the_focused_scope_and_then_in_the_wider_ones() {
    let keymap = defaults();
    for (focus, key, expected) in [
        (tree::SCOPE, "j", Some(Action::Down)),
        (transcript::SCOPE, "j", Some(Action::Down)),
        (tree::SCOPE, "q", Some(Action::Quit)),
        (tree::SCOPE, "alt+a", Some(Action::AnswerOldest)),
        (composer::SCOPE, "q", None),
        (composer::SCOPE, "enter", Some(Action::Send)),
        (composer::SCOPE, "ctrl+l", Some(Action::Redraw)),
        (confirm::SCOPE, "q", None),
        (confirm::SCOPE, "n", Some(Action::Refuse)),
    ] {
        assert_eq!(keymap.action(focus, chord(key)), expected, "{focus:?} {key}");
    }
}

#[test]
fn a_key_file_replaces_the_keys_of_an_action() {
    let (keymap, faults) = with_overrides(&json!({
        "tree": {"stop": ["x", "ctrl+s"]},
        "panes": {"quit": "ctrl+q", "new": []},
    }));
    assert_eq!(faults, []);
    assert_eq!(keymap.action(tree::SCOPE, chord("x")), Some(Action::Stop));
    assert_eq!(keymap.action(tree::SCOPE, chord("s")), None);
    assert_eq!(keymap.action(tree::SCOPE, chord("n")), None);
    assert_eq!(keymap.hint(Scope::PANES, Action::Quit), Some("ctrl+q".to_owned()));
    assert_eq!(keymap.hint(tree::SCOPE, Action::NewDialog), None);
}

#[test]
fn invalid_entries_are_reported_and_leave_the_defaults() {
    let (keymap, faults) = with_overrides(&json!({
        "tree": {"stop": "hyper+x", "stopp": "x", "open": 3},
        "composer": {"send": "s"},
        "forest": {},
    }));
    assert_eq!(faults.len(), 5, "{faults:?}");
    assert_eq!(keymap, defaults());
    assert_eq!(with_overrides(&json!("x")).1.len(), 1);
}

#[test]
fn a_conflicting_binding_is_reported_with_both_names_and_takes_the_key() {
    for (file, focus, key, action, message) in [
        (
            json!({"tree": {"stop": "d"}}),
            tree::SCOPE,
            "d",
            Action::Stop,
            "keys: tree: stop: d is also bound to done, which loses it",
        ),
        (
            json!({"tree": {"stop": "x", "fork": "x"}}),
            tree::SCOPE,
            "x",
            Action::Stop,
            "keys: tree: stop: x is also bound to fork, which loses it",
        ),
        (
            json!({"tree": {"stop": "q"}}),
            tree::SCOPE,
            "q",
            Action::Stop,
            "keys: tree: stop: q hides quit (panes) there",
        ),
        (
            json!({"tree": {"stop": "n"}}),
            tree::SCOPE,
            "n",
            Action::Stop,
            "keys: tree: stop: n hides new (panes) there",
        ),
        (
            json!({"anywhere": {"help": "ctrl+j"}}),
            composer::SCOPE,
            "ctrl+j",
            Action::NewLine,
            "keys: anywhere: help: in composer ctrl+j stays new-line",
        ),
    ] {
        let (keymap, faults) = with_overrides(&file);
        assert!(faults.iter().any(|fault| fault.to_string() == message), "{faults:?}");
        assert_eq!(keymap.action(focus, chord(key)), Some(action), "{file}");
    }
    let (keymap, _) = with_overrides(&json!({"tree": {"stop": "d"}}));
    assert_eq!(
        keymap.hint(tree::SCOPE, Action::MarkDone),
        None,
        "no hint shows a key that does something else"
    );
    let both = json!({"tree": {"stop": "d", "done": "ctrl+d"}});
    assert_eq!(with_overrides(&both).1, [], "they changed places");
    let same = json!({"sheet": {"add": "n"}});
    assert_eq!(with_overrides(&same).1, [], "as by default");
}

#[test]
fn an_action_of_a_wider_scope_is_reported_with_that_scope() {
    let (_, faults) = with_overrides(&json!({"tree": {"new": "x"}}));
    let faults: Vec<String> = faults.iter().map(KeyFault::to_string).collect();
    assert_eq!(faults, ["keys: tree: new: no such action; it is defined under panes"]);
}

#[test]
fn enter_cannot_be_bound_to_confirm_what_cannot_be_undone() {
    let (keymap, faults) = with_overrides(&json!({"confirm": {"accept": ["y", "enter"]}}));
    assert_eq!(faults.len(), 1);
    assert_eq!(keymap.action(confirm::SCOPE, chord("enter")), Some(Action::AcceptReversible));
}

#[test]
fn the_listing_shows_only_what_works_here() {
    let keymap = defaults();
    let tree: Vec<Action> =
        keymap.listing(tree::SCOPE).into_iter().map(|(binding, _)| binding.action).collect();
    assert!(tree.contains(&Action::Stop) && tree.contains(&Action::Quit));
    assert!(!tree.contains(&Action::Send) && !tree.contains(&Action::Accept));
    let composer = keymap.listing(composer::SCOPE);
    assert_eq!(composer.first().map(|(binding, _)| binding.action), Some(Action::Send));
}

#[test]
fn a_name_of_an_earlier_version_is_accepted_in_its_scope() {
    for (scope, focus, former, action) in [
        ("dialog", transcript::SCOPE, "line-up", Action::Up),
        ("dialog", transcript::SCOPE, "line-down", Action::Down),
        ("composer", composer::SCOPE, "scroll-up", Action::Up),
        ("composer", composer::SCOPE, "scroll-down", Action::Down),
        ("consent", consent::SCOPE, "leave", Action::Quit),
    ] {
        let (keymap, faults) = with_overrides(&json!({scope: {former: "alt+x"}}));
        assert_eq!(faults, [], "{former}");
        assert_eq!(keymap.action(focus, chord("alt+x")), Some(action), "{former}");
    }
    assert_eq!(with_overrides(&json!({"tree": {"line-up": "x"}})).1.len(), 1, "only there");
}

#[test]
fn a_hint_shows_the_key_that_works_where_the_focus_is() {
    let keymap = defaults();
    for (focus, action, key) in [
        (tree::SCOPE, Action::Help, Some("?")),
        (composer::SCOPE, Action::Help, Some("f1")),
        (tree::SCOPE, Action::Stop, Some("s")),
        (composer::SCOPE, Action::Stop, None),
    ] {
        assert_eq!(keymap.hint(focus, action).as_deref(), key, "{focus:?} {action:?}");
    }
}

#[test]
fn every_preset_names_keys_that_exist_and_takes_none_from_another_action() {
    for preset in PRESETS {
        let (keymap, faults) = Keymap::with_preset(bindings::all(), Some(preset));
        assert_eq!(faults, [], "{}", preset.name);
        for focus in bindings::scopes() {
            for binding in focus.chain().flat_map(|scope| keymap.bindings_of(scope)) {
                // A binding hidden by a narrower scope has another key, or was hidden before.
                let reached = |keymap: &Keymap| {
                    let keys = keymap.keys(binding.scope, binding.action).to_vec();
                    keys.into_iter().any(|key| keymap.action(focus, key) == Some(binding.action))
                };
                assert!(reached(&keymap) || !reached(&defaults()), "{} {binding:?}", preset.name);
            }
        }
    }
}

#[test]
fn a_preset_is_named_alone_or_in_a_key_file_whose_entries_win() {
    let emacs = with_overrides(&json!("emacs"));
    assert_eq!(emacs.1, []);
    assert_eq!(emacs.0.action(transcript::SCOPE, chord("ctrl+n")), Some(Action::Down));
    assert_eq!(emacs.0.action(transcript::SCOPE, chord("alt+x")), Some(Action::Palette));
    assert_eq!(with_overrides(&json!({"preset": "emacs"})), emacs);
    let (keymap, faults) = with_overrides(&json!({"preset": "emacs", "dialog": {"down": "s"}}));
    assert_eq!(keymap.action(transcript::SCOPE, chord("s")), Some(Action::Down));
    assert_eq!(keymap.action(transcript::SCOPE, chord("ctrl+p")), Some(Action::Up));
    assert!(faults.iter().any(|fault| fault.to_string().contains("stop")), "{faults:?}");
    for (file, place) in
        [(json!("nano"), vec!["keys"]), (json!({"preset": 7}), vec!["keys", "preset"])]
    {
        let (keymap, faults) = with_overrides(&file);
        assert_eq!((keymap, faults.len()), (defaults(), 1));
        assert_eq!(faults[0].keys(), place);
    }
    let plain = with_overrides(&json!("plain")).0;
    assert_eq!(plain.action(tree::SCOPE, chord("j")), None);
    assert_eq!(plain.action(tree::SCOPE, chord("down")), Some(Action::Down));
}

#[test]
fn the_letters_of_earlier_versions_are_a_preset() {
    let (classic, faults) = with_overrides(&json!("classic"));
    assert_eq!(faults, []);
    for (focus, key, action) in [
        (tree::SCOPE, "b", Action::Show(processes::SCOPE)),
        (inbox::SCOPE, "f", Action::SwitchShown),
        (inbox::SCOPE, "X", Action::ClearNews),
        (tasks::SCOPE, "f", Action::SwitchShown),
        (teams::SCOPE, "D", Action::Stop),
    ] {
        assert_eq!(classic.action(focus, chord(key)), Some(action), "{focus:?} {key}");
        assert_ne!(defaults().action(focus, chord(key)), Some(action), "{focus:?} {key}");
    }
}
