//! The effects of keys, and the reports of keys without one.

use super::fixture::*;
use crate::domain::Lang;
use crate::domain::dialogs::latest::Blocker;
use crate::domain::text::Localized;
use crate::protocol::{DriverEvent, Refusal, TreeRow};

fn notice(stage: &mut Stage) -> String {
    stage.screen().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_dialog_can_be_created_from_every_pane() {
    for pane in ["1", "<alt+2>", "3"] {
        let mut stage = streaming(80, 24);
        stage.keys(pane).keys("n");
        assert!(stage.screen().contains("NEW DIALOG"), "{pane}");
    }
    let mut stage = streaming(80, 24);
    stage.keys("3 i n");
    let screen = stage.screen();
    assert!(!screen.contains("NEW DIALOG") && screen.contains("› n"), "there it is text\n{screen}");
}

#[test]
fn an_unused_key_is_reported_once_until_another_is_pressed() {
    let mut stage = streaming(80, 24);
    for (pane, key) in [("1", "x"), ("<alt+2>", "u"), ("3", "<ctrl+x>")] {
        stage.keys(pane).keys(key);
        let shown = notice(&mut stage);
        let name = key.trim_matches(['<', '>']).replace("ctrl", "Ctrl");
        assert!(shown.contains(&format!("{name} does nothing here · ? help")), "{shown}");
        stage.wait(std::time::Duration::from_secs(9)).keys(key).keys(key);
        assert!(!notice(&mut stage).contains("does nothing"), "once");
        stage.keys("?").keys("<esc>").keys(key);
        assert!(notice(&mut stage).contains("does nothing"), "a person who comes back is shown");
    }
    stage.keys("i <f5>");
    assert!(notice(&mut stage).contains("f5 does nothing here · f1 help"));
    stage.keys("<esc> q").agree("w");
    let shown = notice(&mut stage);
    assert!(shown.contains("w does nothing here") && shown.contains("? help"), "{shown}");
    let mut stage = Stage::chinese(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys("1 x");
    assert!(notice(&mut stage).contains("x 在此无作用 · ? 帮助"));
}

#[test]
fn ctrl_c_in_a_pane_names_the_keys_that_stop_and_quit() {
    let mut stage = streaming(80, 24);
    stage.keys("1 <ctrl+c>");
    let shown = notice(&mut stage);
    assert!(shown.contains("Ctrl+c does nothing here · s stop · q quit · ? help"), "{shown}");
    stage.keys("<alt+2> <ctrl+c>");
    let shown = notice(&mut stage);
    assert!(shown.contains("Ctrl+c does nothing here · q quit · ? help"), "{shown}");
}

#[test]
fn an_action_without_a_target_reports_what_is_missing() {
    for (keys, shown) in [
        ("1 g s", "choose a dialog first"),
        ("1 g D", "choose a dialog first"),
        ("1 G s", "it does not run now"),
        ("1 G p", "nobody asked it"),
        ("3 <backspace>", "there is nothing to go back to"),
        ("3 g o", "nothing here can be opened"),
    ] {
        let mut stage = streaming(120, 40);
        stage.keys(keys.split(' ').next().unwrap_or_default()).screen();
        for key in keys.split(' ').skip(1) {
            stage.keys(key).screen();
        }
        assert!(notice(&mut stage).contains(shown), "{keys}: {}", stage.screen());
    }
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
    for (keys, shown) in [
        ("3 c", "no dialog is open"),
        ("3 t", "no dialog is open"),
        ("3 }", "no dialog is open"),
        ("1 S", "no dialog runs now"),
        ("<alt+2> v", "no question waits for you"),
    ] {
        stage.keys(keys);
        assert!(notice(&mut stage).contains(shown), "{keys}: {}", notice(&mut stage));
    }
}

#[test]
fn an_unused_key_in_the_composer_is_reported_too() {
    for (open, keys) in
        [("3 i", "<ctrl+g> <alt+x>"), ("n", "<ctrl+g> <f5> <alt+q>"), ("3 g f", "<f5> <alt+q>")]
    {
        for key in keys.split(' ') {
            let mut stage = streaming(80, 24);
            stage.keys(open);
            stage.wait(std::time::Duration::from_secs(9)).keys(key);
            assert!(notice(&mut stage).contains("does nothing here"), "{open} {key}");
        }
    }
    let mut stage = streaming(80, 24);
    stage.keys("3 i a <ctrl+b> <ctrl+b> <up> <pageup> <backspace> <ctrl+k>");
    assert!(!notice(&mut stage).contains("does nothing"), "keys of a text field");
}

#[test]
fn sending_an_empty_text_reports_what_is_missing() {
    let mut stage = streaming(80, 24);
    stage.keys("3 i <enter>");
    assert!(notice(&mut stage).contains("write something first"));
}

#[test]
fn a_refusal_is_shown_in_the_language_of_the_screen_and_in_full_on_the_smallest() {
    for refusal in [
        Refusal::NothingToContinue,
        Refusal::RunsAlready,
        Refusal::CannotContinue,
        Refusal::Waits,
        Refusal::IsDead,
        Refusal::NothingIsStopped,
        Refusal::TakenAlready,
        Refusal::OnlyMainsAreKeptGoing,
    ] {
        for (mut stage, lang) in
            [(Stage::new(40, 12), Lang::En), (Stage::chinese(40, 12), Lang::Zh)]
        {
            stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
            stage.apply(DriverEvent::Refused { ticket: 9, text: refusal.into() });
            let expected = refusal.text().in_lang(lang);
            assert!(notice(&mut stage).contains(expected), "{}", notice(&mut stage));
        }
    }
}

#[test]
fn what_the_driver_reports_of_a_name_is_in_the_language_of_the_screen() {
    let gone = Localized::new("there is no dialog aa/bb", "没有对话 aa/bb");
    for (mut stage, lang) in [(Stage::new(60, 12), Lang::En), (Stage::chinese(60, 12), Lang::Zh)] {
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        for event in [
            DriverEvent::Refused { ticket: 9, text: gone.clone() },
            DriverEvent::Notice(gone.clone()),
        ] {
            stage.apply(event);
            let shown = notice(&mut stage);
            assert!(shown.contains(gone.in_lang(lang)) && shown.contains("aa/bb"), "{shown}");
            stage.keys("<esc>");
        }
    }
}

#[test]
fn undo_reports_a_restored_draft_or_that_there_is_nothing_to_undo() {
    let mut stage = streaming(80, 24);
    stage.keys("3 i abc <ctrl+c>");
    assert!(notice(&mut stage).contains("Alt+u restores it"));
    stage.keys("<alt+u>");
    assert!(stage.screen().contains("› abc"));
    let shown = notice(&mut stage);
    assert!(shown.contains("draft restored") && !shown.contains("restores it"), "{shown}");
    stage.keys("<alt+u> <alt+u> <alt+u> <alt+u> <alt+u>");
    assert!(notice(&mut stage).contains("there is nothing to undo"), "{}", notice(&mut stage));
}

#[test]
fn only_keys_that_apply_to_the_selected_dialog_are_hinted() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    for (keys, stop, go_on) in
        [("g j", true, false), ("j", false, false), ("G", false, true), ("g", false, false)]
    {
        stage.keys(keys);
        let shown = notice(&mut stage);
        assert_eq!(shown.contains("s stop"), stop, "{keys}: {shown}");
        assert_eq!(shown.contains("c continue"), go_on, "{keys}: {shown}");
    }
}

#[test]
fn the_tabs_of_the_smallest_screen_show_the_state_of_the_open_dialog() {
    let mut stage = streaming(40, 12);
    let screen = stage.screen();
    let tabs = screen.lines().next().unwrap_or_default();
    assert!(tabs.contains("3 @orch") && tabs.ends_with("… ●"), "{tabs}");
    let tabs = streaming(60, 20).screen().lines().next().unwrap_or_default().to_owned();
    assert!(tabs.ends_with("3 @orchestrator  ●"), "{tabs}");
}

#[test]
fn a_title_too_narrow_for_its_subject_shows_member_and_course() {
    let mut stage = streaming(80, 24);
    let main = TreeRow {
        title: "add two-factor login with recovery codes".to_owned(),
        ..row(&main_dialog(), None, "orchestrator", blocked(Blocker::SideDialogs))
    };
    stage.apply(DriverEvent::Row(Box::new(main)));
    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
    let screen = stage.screen();
    let title = screen.lines().next().unwrap_or_default();
    assert!(title.contains("│ @orchestrator · course 1 …"), "{title}");
    assert!(title.ends_with("waits for teammates"), "{title}");
}
