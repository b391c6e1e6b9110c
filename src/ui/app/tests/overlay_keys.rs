//! Help and the palette on top of what is open: they show its keys, and closing them leads back to it.

use super::fixture::*;
use super::gallery::surfaces;
use super::lifecycle::idle_tree;
use crate::action::{EditingKeys, Scope};
use crate::app::Focus;
use crate::bindings;
use crate::lists::{overview, team};
use crate::panes::{changes, composer, confirm, consent, finder};
use crate::protocol::{Command, DriverEvent, FindEnd};
use crate::quarter::quarter;

const HELP: &str = "KEYS THAT WORK HERE";
const PALETTE: &str = "ACTIONS · ";

/// Every overlay, except help itself.
fn overlays(width: u16, height: u16) -> Vec<(&'static str, Stage)> {
    let stages = surfaces().map(|(name, show)| (name, show(width, height)));
    stages.filter(|(name, stage)| !stage.app.overlays.is_empty() && *name != "help").collect()
}

fn asks(scope: Scope) -> bool {
    [confirm::SCOPE, consent::SCOPE].contains(&scope)
}

#[test]
fn help_and_palette_show_the_keys_of_what_is_open_and_lead_back_to_it() {
    for (width, height) in [(120, 40), (40, 12)] {
        for (name, mut stage) in overlays(width, height) {
            let before = stage.screen();
            let scope = stage.app.overlays.scope().unwrap();
            let count = stage.app.overlays.count();
            stage.keys("<f1>");
            assert!(stage.screen().contains(HELP), "{name}\n{}", stage.screen());
            stage.keys("<esc>");
            if scope == confirm::SCOPE {
                // The answer is only accepted after a while.
                stage.agree("");
            }
            assert_eq!(stage.screen(), before, "{name}");
            stage.keys("<ctrl+p>");
            if asks(scope) {
                assert_eq!(stage.app.overlays.count(), count, "{name} is not passed by");
                continue;
            }
            if name == "palette" {
                assert_eq!(stage.app.overlays.count(), count - 1, "its own key closes it");
                continue;
            }
            assert!(stage.screen().contains(PALETTE), "{name}\n{}", stage.screen());
            stage.keys("<esc>");
            assert_eq!(stage.screen(), before, "{name}");
        }
    }
}

#[test]
fn a_question_mark_and_a_colon_are_text_where_one_types_and_keys_elsewhere() {
    for (name, mut stage) in overlays(120, 40) {
        let scope = stage.app.overlays.scope().unwrap();
        let count = stage.app.overlays.count();
        stage.keys("?");
        let shows_help = stage.screen().contains(HELP);
        assert_eq!(shows_help, scope != composer::SCOPE, "{name}\n{}", stage.screen());
        if shows_help {
            stage.keys("<esc> :");
            let shows = stage.app.overlays.count() == count + 1;
            assert_eq!(shows, !asks(scope), "{name}\n{}", stage.screen());
        }
    }
}

#[test]
fn each_key_that_help_lists_on_an_overlay_does_something_and_no_other_does() {
    let keymap = bindings::defaults();
    let mut cases = Vec::new();
    for (name, show) in surfaces() {
        let stage = show(120, 40);
        let Some(of) = stage.app.overlays.keys(&keymap).filter(|_| name != "help") else {
            continue;
        };
        assert_eq!(of.editing.is_some(), of.scope.is_for_typing(), "{name}");
        assert_ne!(of.editing, Some(EditingKeys::Vi));
        for (binding, _) in keymap.listing(of.scope) {
            cases.push((name, show, of.scope, binding, of.has(binding)));
        }
    }
    for (name, show, scope, binding, is_listed) in quarter(cases) {
        let mut stage = show(120, 40);
        stage.screen();
        stage.key_named(binding.keys[0]);
        let screen = stage.screen();
        // A Taskdoc says why nothing can be added.
        let is_refused = screen.contains("not editable:");
        let does_nothing = is_refused || screen.contains("does nothing here");
        assert!(!is_listed || !does_nothing, "{name}: {binding:?} is listed\n{screen}");
        // An overlay that is only read closes by any key; a field takes keys without an action.
        let by_any_key = !does_nothing && (asks(scope) || closes_by_any_key(name));
        let edits = scope == composer::SCOPE;
        assert!(
            is_listed || does_nothing || by_any_key || edits,
            "{name}: {binding:?} is not listed\n{screen}"
        );
    }
}

#[test]
fn every_overlay_that_is_read_is_searched_by_its_key() {
    for (width, height) in [(120, 40), (40, 12)] {
        for (name, mut stage) in overlays(width, height) {
            let scope = stage.app.overlays.scope().unwrap();
            if scope.is_for_typing() || asks(scope) {
                continue;
            }
            let screen = stage.keys("/").type_text("e").screen();
            assert!(screen.contains("find · "), "{name}\n{screen}");
            stage.keys("<enter> n N").screen();
            stage.keys("<esc>");
            assert_eq!(stage.app.overlays.scope(), Some(scope), "{name}: the search has ended");
            stage.keys("/").type_text("zzzzz");
            assert!(stage.screen().contains("no match"), "{name}\n{}", stage.screen());
        }
    }
}

/// Lists that are read like a text, and the confirmations.
fn closes_by_any_key(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "problems",
        "team",
        "quit",
        "consent",
        "change",
        "notice",
        "task",
        "trigger",
        "vault-entry",
    ];
    NAMES.contains(&name)
}

#[test]
fn from_every_overlay_one_key_leads_to_a_question_to_who_waits_and_to_the_search() {
    for (width, height) in [(120, 40), (40, 12)] {
        for (name, show) in surfaces() {
            let shown = || {
                let mut stage = show(width, height);
                stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions()));
                stage.screen();
                stage
            };
            let mut stage = shown();
            if stage.app.overlays.scope().is_none_or(asks) {
                continue;
            }
            stage.keys("<alt+a>");
            assert!(stage.app.overlays.is_empty(), "{name}\n{}", stage.screen());
            assert!(stage.app.writing.question().is_some(), "{name}\n{}", stage.screen());
            assert!(stage.app.focus.is(Focus::Composer), "{name}");
            let mut stage = shown();
            stage.keys("<alt+w>");
            assert!(stage.app.overlays.is_empty(), "{name}\n{}", stage.screen());
            assert!(stage.app.focus.is(Focus::Dialog), "{name}");
            let mut stage = shown();
            let (scope, count) = (stage.app.overlays.scope().unwrap(), stage.app.overlays.count());
            let key = if scope.is_for_typing() { "<alt+F>" } else { "F" };
            stage.keys(key);
            if name == "finder" {
                assert_eq!(stage.app.overlays.count(), count - 1, "its own key closes it");
                continue;
            }
            assert_eq!(stage.app.overlays.count(), count + 1, "{name}\n{}", stage.screen());
            stage.keys("<esc>");
            assert_eq!(stage.app.overlays.scope(), Some(scope), "{name}: back where one was");
        }
    }
}

#[test]
fn from_every_overlay_one_key_leads_to_the_overview() {
    for (name, show) in surfaces() {
        let mut stage = show(120, 40);
        stage.screen();
        let Some(scope) = stage.app.overlays.scope().filter(|scope| !asks(*scope)) else {
            continue;
        };
        let leads_back = stage.app.overlays.shows(overview::SCOPE);
        stage.keys("<alt+0>");
        let screen = stage.screen();
        assert_eq!(stage.app.overlays.scope(), Some(overview::SCOPE), "{name}\n{screen}");
        // Lists of what teams have lead on to each other.
        let lead_on = ["overview", "teams", "tasks", "triggers", "memories", "vault"];
        if !leads_back && !lead_on.contains(&scope.name()) {
            stage.keys("<esc>");
            assert_eq!(stage.app.overlays.scope(), Some(scope), "{name}: back where one was");
        }
    }
}

#[test]
fn an_overlay_stays_while_no_question_and_no_dialog_waits() {
    let mut stage = idle_tree();
    stage.keys("1 @");
    for key in ["<alt+a>", "<alt+w>"] {
        stage.keys(key);
        assert_eq!(stage.app.overlays.scope(), Some(team::SCOPE), "{key}");
        assert!(!stage.screen().contains("does nothing here"), "{}", stage.screen());
    }
}

#[test]
fn what_the_search_found_is_in_front_of_the_overlay_it_was_opened_on_and_there_is_one_search() {
    let mut stage = changes::tests::shown(120, 40);
    stage.keys("<alt+F> <f1> <alt+F>");
    assert_eq!(stage.app.overlays.count(), 2, "help is closed, not a second search opened");
    stage.type_text("otp");
    finder::tests::answer(&mut stage, finder::tests::results(), Some(FindEnd::Complete));
    stage.keys("<enter>");
    assert!(stage.app.overlays.is_empty(), "{}", stage.screen());
}

#[test]
fn a_line_that_was_left_for_a_question_is_typed_still_and_one_that_was_closed_is_not() {
    for keys in ["1 g j j X", "1 g j f", "1 g j E", "<alt+2> g Z"] {
        let mut stage = streaming(120, 40);
        let line = |stage: &mut Stage| {
            let screen = stage.screen();
            let row = screen.lines().rfind(|row| row.contains('›')).unwrap_or_default();
            row.rsplit('›').next().unwrap_or_default().trim().to_owned()
        };
        let before = line(stage.keys(keys));
        let typed = line(stage.type_text("9"));
        assert_ne!(before, typed, "{keys}");
        stage.keys("<alt+a>");
        assert_eq!(stage.app.writing.question(), Some("q1"), "{keys}");
        stage.keys("<esc>");
        assert_eq!(line(stage.keys(keys)), typed, "{keys}");
        stage.keys("<esc>");
        assert_ne!(line(stage.keys(keys)), typed, "{keys}");
    }
}

#[test]
fn the_palette_runs_an_action_of_the_overlay_below_it() {
    let mut stage = streaming(120, 40);
    stage.keys("3 r :").type_text("add a reminder to this");
    let screen = stage.screen();
    assert!(!screen.contains("Start a new dialog"), "only what works there\n{screen}");
    stage.keys("<enter>");
    assert_eq!(stage.app.overlays.count(), 1);
    assert_eq!(stage.app.overlays.scope(), Some(composer::SCOPE), "it is being written");
    stage.type_text("? :");
    assert!(stage.screen().contains("? :"), "{}", stage.screen());
}

#[test]
fn nothing_agrees_below_help_and_a_question_not_seen_cannot_be_confirmed() {
    let mut stage = consent::tests::opened(120, 40, consent::tests::three());
    stage.screen();
    stage.keys("? a y <enter>").screen();
    assert!(!stage.sent.iter().any(|one| matches!(one, Command::Agree { .. })));
    // The question was never laid out before help covered it.
    let mut stage = streaming(120, 40);
    stage.keys("1 g j D ?");
    stage.screen();
    stage.wait(std::time::Duration::from_secs(1)).keys("<esc> y");
    assert!(!stage.sent.iter().any(|one| matches!(one, Command::Lifecycle { .. })));
    assert!(!stage.app.overlays.is_empty(), "it still asks");
}

#[test]
fn help_in_the_composer_lists_the_keys_of_the_text_field() {
    let mut stage = streaming(120, 90);
    let screen = stage.keys("3 i <f1>").screen();
    for text in ["  Editing", "Ctrl+w Alt+h", "Cut the word before", "Insert what was cut"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    let row = screen.lines().find(|row| row.contains("To the end of the line")).unwrap();
    assert!(!row.contains("Ctrl+e"), "a binding has it: {row}");
    assert!(!streaming(120, 60).keys("3 <f1>").screen().contains("  Editing"));
    let mut stage = streaming(120, 60);
    stage.app.writing.use_keys(crate::app::ComposerKeys::Vi);
    let screen = stage.keys("i <f1>").screen();
    let (mut seen, mut last) = (String::new(), screen);
    while !seen.contains(&last) {
        seen.push_str(&last);
        last = stage.keys("<pagedown>").screen();
    }
    assert!(seen.contains("  Vi editing") && seen.contains("Visual mode"), "{seen}");
}

#[test]
fn help_has_the_sign_of_rows_above_and_below() {
    let mut stage = streaming(60, 20);
    let first = stage.keys("3 ?").screen();
    let at = line_of(&first, HELP).unwrap();
    assert!(first.lines().nth(at).unwrap().contains('↓'), "{first}");
    let below = stage.keys("<pagedown>").screen();
    assert!(below.lines().nth(at).unwrap().contains("↑↓"), "{below}");
    let end = stage.keys("G").screen();
    let row = end.lines().nth(at).unwrap();
    assert!(row.contains('↑') && !row.contains('↓'), "{end}");
}
