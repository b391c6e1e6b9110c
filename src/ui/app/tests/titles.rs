//! Titles of dialogs: set by the person, shown wherever a dialog is named.

use super::fixture::*;
use crate::domain::DisplayState;
use crate::protocol::{Command, DriverEvent, TreeRow};

/// The titles sent to the driver.
fn sent(stage: &Stage) -> Vec<Option<&str>> {
    let titles = stage.sent.iter().filter_map(|command| {
        if let Command::Title { title, .. } = command { Some(title.as_deref()) } else { None }
    });
    titles.collect()
}

#[test]
fn a_title_is_edited_from_the_tree_and_from_the_dialog() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = streaming(width, height);
        stage.keys("1 g j E");
        let screen = stage.screen();
        assert!(screen.contains("title") && screen.contains("› add 2FA"), "{screen}");
        stage.type_text(" soon");
        stage.keys("<enter> 3 E <ctrl+c> <enter>");
        assert_eq!(sent(&stage), [Some("add 2FA soon"), None]);
    }
}

#[test]
fn an_unchanged_title_and_one_that_is_left_change_nothing() {
    let mut stage = streaming(80, 24);
    stage.keys("1 g j E <enter>");
    assert!(!stage.screen().contains("› add 2FA"));
    stage.keys("E x <esc> g E");
    assert!(stage.screen().contains("choose a dialog first"));
    assert!(sent(&stage).is_empty());
}

#[test]
fn the_title_is_in_the_tree_the_header_and_the_inbox() {
    let mut stage = streaming(120, 40);
    let mut all = rows();
    for row in &mut all {
        row.title = format!("the work of {}", row.agent);
    }
    stage.apply(DriverEvent::Rows(all));
    let screen = stage.screen();
    let header = screen.lines().next().unwrap_or_default();
    assert!(header.contains("@orchestrator · the work of orchestrator · course 1"), "{header}");
    for row in ["● the work of orchestrator", "? the work of dba", "2 the work of orchestrator"] {
        assert!(screen.contains(row), "{row}\n{screen}");
    }
}

#[test]
fn a_hostile_title_stays_text_and_a_row_keeps_its_width() {
    let mut stage = streaming(80, 24);
    let title = format!("\u{1b}]0;x\u{7}\u{9b}2J{}", "登录".repeat(200));
    let hostile = TreeRow { title, ..row(&main_dialog(), None, "lead", DisplayState::Idle) };
    stage.apply(DriverEvent::Row(Box::new(hostile)));
    let screen = stage.screen();
    assert!(screen.contains("登录") && screen.contains('…'), "{screen}");
    assert!(!screen.chars().any(|c| c.is_control() && c != '\n'), "{screen}");
}

#[test]
fn hostile_names_act_on_nothing_wherever_they_are_shown() {
    use crate::domain::text::hidden_chars::class_of;
    let hostile =
        "[x](https://a/\u{1b}\\)\u{1b}]8;;file:///etc\u{7}\u{9b}2J\u{90}\u{202e}\u{2066}\u{200b}";
    for (width, height) in [(120, 40), (60, 20)] {
        let mut stage = streaming(width, height);
        let mut all = rows();
        for row in &mut all {
            row.title = hostile.to_owned();
            row.taskdoc = format!("{hostile}.tsk");
            row.agent = hostile.into();
            row.slug = Some(hostile.into());
        }
        let mut folder = workspace();
        folder.folder = format!("~/{hostile}");
        let asked = question(&main_dialog(), hostile, "q9", hostile, "2026-11-21 12:01:00");
        stage.apply(DriverEvent::Workspace(folder)).apply(DriverEvent::Rows(all));
        stage.apply(DriverEvent::Inbox(vec![asked]));
        for keys in ["1", "2", "3", "<alt+a>", "<esc> @", "<esc> :"] {
            let screen = stage.keys(keys).screen();
            let acts = |c: char| c != '\n' && class_of(c).is_some();
            assert!(!screen.contains(acts), "{keys} {screen:?}");
        }
    }
}
