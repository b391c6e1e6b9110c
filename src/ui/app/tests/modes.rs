//! The keys of vi in the composer, beside the other keys of the screen.

use std::time::Duration;

use super::fixture::*;
use crate::app::ComposerKeys;
use crate::protocol::{Command, DriverEvent};

fn with_vi(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.app.writing.use_keys(ComposerKeys::Vi);
    stage.keys("i");
    stage
}

fn said(stage: &Stage) -> Vec<&str> {
    let said = stage.sent.iter().filter_map(|command| {
        let Command::Say { text, .. } = command else { return None };
        Some(text.as_str())
    });
    said.collect()
}

#[test]
fn the_title_names_the_mode_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = with_vi(width, height);
        stage.type_text("one two");
        assert!(stage.screen().contains(" insert · message to"), "{}", stage.screen());
        assert!(width == 40 || stage.screen().contains("esc normal"), "{}", stage.screen());
        stage.keys("<esc>");
        assert!(stage.screen().contains(" normal · message to"), "{}", stage.screen());
        assert!(width == 40 || stage.screen().contains("esc keep"), "{}", stage.screen());
        stage.keys("v");
        assert!(stage.screen().contains(" visual · message to"), "{}", stage.screen());
        stage.keys("V");
        assert!(stage.screen().contains(" visual lines · message to"), "{}", stage.screen());
        stage.keys("d");
        assert!(stage.composer_text().is_empty());
    }
    assert!(!streaming(120, 40).keys("i").screen().contains("insert"));
}

#[test]
fn escape_closes_the_offer_then_ends_insert_mode_then_leaves() {
    let mut stage = with_vi(120, 40);
    stage.type_text("@d");
    assert!(stage.screen().contains("schemas and migrations"));
    stage.keys("<esc>");
    let screen = stage.screen();
    assert!(!screen.contains("schemas and migrations") && screen.contains(" insert "), "{screen}");
    stage.keys("<esc>");
    assert!(stage.screen().contains(" normal "), "{}", stage.screen());
    stage.keys("<esc> j");
    assert_eq!(stage.composer_text(), "@d");
    assert!(!stage.screen().contains(" normal "), "{}", stage.screen());
    stage.keys("i");
    assert!(stage.screen().contains(" insert "), "the composer is entered to write");
}

#[test]
fn nothing_is_offered_in_normal_mode() {
    let mut stage = with_vi(120, 40);
    stage.type_text("@d");
    stage.keys("<esc> <esc> A");
    assert!(!stage.screen().contains("schemas and migrations"), "it was closed for this name");
    stage.keys("<esc> x");
    assert!(!stage.screen().contains("members and files"), "{}", stage.screen());
}

#[test]
fn what_can_follow_a_begun_command_is_listed_after_a_moment_beside_the_text() {
    let moment = Duration::from_millis(400);
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        for (key, expected) in [
            ("d", "Delete the whole line"),
            ("c", "Change the whole line"),
            ("y", "Copy the whole line"),
            ("g", "To the first line"),
        ] {
            let mut stage = with_vi(width, height);
            stage.type_text("one two");
            let before = stage.keys("<esc>").screen();
            assert_eq!(stage.keys(key).screen(), before, "at first nothing changes");
            let wake = stage.app.wake_at().expect("it appears by itself");
            assert!(wake <= stage.now + moment);
            stage.wait(moment);
            assert!(stage.app.take_dirty());
            let screen = stage.screen();
            let heading = format!("{key} …");
            assert!(screen.contains(&heading) && screen.contains("esc back"), "{screen}");
            assert!(screen.contains(expected) && screen.contains("one two"), "{screen}");
            stage.keys("<esc>");
            assert_eq!(stage.screen(), before, "Esc did nothing else");
        }
    }
    let mut stage = with_vi(120, 40);
    stage.type_text("one two");
    stage.keys("<esc> d i").wait(moment);
    assert!(stage.screen().contains("d i …"), "{}", stage.screen());
    stage.keys("w");
    assert_eq!(stage.composer_text(), "one ");
    for any_character_follows in ["f", "r", "d f", "2"] {
        stage.keys(any_character_follows).wait(moment);
        assert!(!stage.screen().contains("esc back"), "{}", stage.screen());
        stage.keys("<esc>");
    }
    stage.keys("d <alt+a>").wait(moment);
    assert!(!stage.screen().contains("esc back"), "{}", stage.screen());
}

#[test]
fn enter_sends_in_every_mode_and_insert_mode_follows() {
    for keys in ["<enter>", "<esc> <enter>", "<esc> v <enter>", "<esc> d <enter>"] {
        let mut stage = with_vi(80, 24);
        stage.type_text("hello");
        stage.keys(keys);
        assert_eq!(said(&stage), ["hello"], "{keys}");
        assert!(stage.screen().contains(" insert "), "{keys}");
    }
}

#[test]
fn undo_and_redo_are_keys_of_normal_mode_and_others_open_what_they_open_in_vi() {
    let mut stage = with_vi(120, 40);
    stage.type_text("one two");
    stage.keys("<esc> b D u");
    assert_eq!(stage.composer_text(), "one two");
    stage.keys("<ctrl+r>");
    assert_eq!(stage.composer_text(), "one ");
    stage.keys("<alt+u>");
    assert_eq!(stage.composer_text(), "one two");
    stage.keys(":");
    assert!(stage.screen().contains("ACTIONS"), "{}", stage.screen());
    stage.keys("<esc> /");
    assert!(stage.screen().contains("nothing was sent yet"), "{}", stage.screen());
    assert_eq!(stage.composer_text(), "one two");
}

#[test]
fn a_draft_that_vi_changed_is_kept_with_its_dialog() {
    let mut stage = with_vi(120, 40);
    stage.type_text("one two");
    stage.keys("<esc> 0 d w <esc>");
    assert_eq!(stage.composer_text(), "two");
    stage.wait(std::time::Duration::from_secs(2));
    stage.keys("i <esc> v l d");
    assert_eq!(stage.composer_text(), "o");
}

#[test]
fn a_paste_ends_visual_mode_and_is_text() {
    let mut stage = with_vi(120, 40);
    stage.type_text("ab");
    stage.keys("<esc> v");
    stage.app.paste("dd\n");
    assert_eq!(stage.composer_text(), "add\nb");
    assert!(stage.screen().contains(" normal "), "{}", stage.screen());
}
