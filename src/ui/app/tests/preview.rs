//! The preview of the dialog that is selected in the tree.

use std::time::Duration;

use super::fixture::*;
use crate::app::Focus;
use crate::domain::text::{Localized, Text};
use crate::domain::{DialogId, DisplayState, RootId, Stamp};
use crate::protocol::{Command, DriverEvent, Ticket, TreeRow};

const LONG: Duration = Duration::from_millis(200);

fn previews(stage: &Stage) -> Vec<(Ticket, DialogId)> {
    let wanted = stage.sent.iter().filter_map(|command| {
        if let Command::Preview { ticket, dialog } = command {
            Some((*ticket, dialog.clone()))
        } else {
            None
        }
    });
    wanted.collect()
}

/// Draws, waits until the selection has rested, and answers what is requested then.
fn rest(stage: &mut Stage, lines: &[&str]) -> String {
    stage.screen();
    let before = previews(stage).len();
    stage.wait(LONG).screen();
    if let Some((ticket, dialog)) = previews(stage).get(before).cloned() {
        stage.page_at(ticket, dialog, 0, lines);
    }
    stage.screen()
}

/// A stage with the selection on the dialog of the database administrator; its preview is shown.
pub fn previewing(width: u16, height: u16) -> (Stage, String) {
    let mut stage = streaming(width, height);
    stage.keys("g j j j");
    let screen = rest(&mut stage, DBA_STORY);
    (stage, screen)
}

#[test]
fn the_selected_dialog_is_shown_beside_the_tree_and_not_opened() {
    for (width, height) in [(120, 40), (80, 24)] {
        let (mut stage, screen) = previewing(width, height);
        insta::assert_snapshot!(format!("preview-{width}x{height}"), screen);
        assert!(screen.contains("message to @orchestrator"), "{screen}");
        assert_eq!(stage.last_open().1, main_dialog());
        assert_eq!(stage.app.reading.dialog(), Some(&main_dialog()));
        stage.keys("<enter>");
        assert_eq!((stage.last_open().1, stage.app.focus.now()), (side("d"), Focus::Dialog));
    }
}

#[test]
fn where_one_pane_is_shown_at_a_time_nothing_is_previewed() {
    for (width, height) in [(60, 20), (40, 12), (36, 10)] {
        let (stage, _) = previewing(width, height);
        assert_eq!(previews(&stage), []);
    }
    let mut stage = streaming(120, 40);
    stage.keys("z g j j j");
    rest(&mut stage, DBA_STORY);
    assert_eq!(previews(&stage), []);
}

#[test]
fn scrolling_through_the_tree_changes_nothing_beside_it_until_it_rests() {
    let mut stage = streaming(120, 40);
    let right = |screen: &str| {
        let lines = screen.lines().take(20);
        lines.filter_map(|line| Some(line.split_once('│')?.1.to_owned())).collect::<Vec<_>>()
    };
    let before = right(&stage.screen());
    for _ in 0..5 {
        stage.keys("j").wait(Duration::from_millis(20));
        stage.screen();
        stage.keys("k").wait(Duration::from_millis(20));
        assert_eq!(right(&stage.screen()), before);
    }
    assert_eq!(previews(&stage), []);
    stage.keys("j");
    assert!(rest(&mut stage, DBA_STORY).contains("preview · @researcher"));
    stage.keys("j");
    assert!(stage.screen().contains("preview · @researcher"), "until the next one is there");
    assert!(rest(&mut stage, STORY).contains("preview · @dba"));
    assert_eq!(previews(&stage).len(), 2);
}

#[test]
fn leaving_the_tree_shows_the_open_dialog_with_its_draft_at_once() {
    for leave in ["3", "2", "<tab>", "i", "<alt+a>"] {
        let mut stage = streaming(120, 40);
        stage.keys("i hold <esc> 1 g j j j");
        assert!(rest(&mut stage, DBA_STORY).contains("preview · @dba"));
        stage.live(&main_dialog(), crate::protocol::event::Segment::Saying, " XYZ");
        assert_eq!(stage.composer_text(), "hold");
        stage.keys(leave);
        let screen = stage.screen();
        assert!(!screen.contains("preview"), "{leave}\n{screen}");
        if leave != "<alt+a>" {
            assert!(screen.contains("XYZ") && screen.contains("hold"), "{leave}\n{screen}");
        }
        assert_eq!(stage.app.preview.wake_at(), None);
    }
}

#[test]
fn the_row_of_the_open_dialog_and_headings_show_the_open_dialog() {
    for keys in ["g", "g j"] {
        let (mut stage, screen) = previewing(120, 40);
        assert!(screen.contains("preview"), "{screen}");
        stage.keys(keys);
        let screen = rest(&mut stage, STORY);
        assert!(!screen.contains("preview"), "{keys}\n{screen}");
        assert_eq!(previews(&stage).len(), 1);
    }
}

#[test]
fn a_preview_marks_nothing_as_read() {
    let mut stage = streaming(120, 40);
    let changed =
        |row: &TreeRow| TreeRow { last_modified: Stamp::new("2026-11-21 12:02:59"), ..row.clone() };
    let row = changed(&rows()[2]);
    stage.apply(DriverEvent::Row(Box::new(row.clone())));
    stage.keys("g j j j");
    rest(&mut stage, DBA_STORY);
    assert!(stage.app.model.tree.is_unread(&row));
    stage.keys("<enter>");
    assert!(!stage.app.model.tree.is_unread(&row));
}

#[test]
fn dead_dialogs_and_history_have_a_preview_and_what_cannot_be_read_says_why() {
    let mut stage = streaming(80, 24);
    let mut all = rows();
    all[2].state = DisplayState::Dead { reason: serde_json::Value::Null };
    all[2].history = true;
    stage.apply(DriverEvent::Rows(all));
    stage.keys("g j j j");
    assert!(rest(&mut stage, DBA_STORY).contains("The migration drops three"));
    stage.keys("k");
    stage.screen();
    stage.wait(LONG).screen();
    let (ticket, dialog) = previews(&stage).pop().expect("a request");
    assert_eq!(dialog, side("r"));
    let text = Localized::from(Text::new("no such \u{1b}[31mfile", "没有文件"));
    stage.apply(DriverEvent::Refused { ticket, text });
    let screen = stage.screen();
    assert!(
        screen.contains("preview · @researcher") && screen.contains("no such ␛[31mfile"),
        "{screen}"
    );
    assert!(screen.lines().last().is_some_and(|line| !line.contains("no such")), "{screen}");
}

#[test]
fn a_removed_dialog_is_not_shown_any_more() {
    let mut stage = streaming(120, 40);
    let ops = DialogId::main(RootId::new("cc/dd/9"));
    stage.keys("G");
    assert!(rest(&mut stage, DBA_STORY).contains("preview · @ops"));
    stage.apply(DriverEvent::Removed(ops));
    let screen = rest(&mut stage, STORY);
    assert!(!screen.contains("preview · @ops"), "{screen}");
}

#[test]
fn a_click_on_the_preview_opens_it_and_the_wheel_moves_nothing_behind_it() {
    let (mut stage, _) = previewing(120, 40);
    stage.use_mouse();
    let (x, y) = stage.place_of("The migration drops");
    stage.mouse(ratatui::crossterm::event::MouseEventKind::ScrollUp, x, y);
    assert!(stage.app.reading.transcript().is_following());
    stage.click(x, y);
    assert_eq!((stage.last_open().1, stage.app.focus.now()), (side("d"), Focus::Dialog));
}

#[test]
fn a_preview_is_told_in_chinese_too() {
    let mut stage = Stage::chinese(80, 24);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys("g j <enter>").page(STORY);
    stage.keys("1 j j");
    let screen = rest(&mut stage, DBA_STORY);
    assert!(screen.contains("预览 · @dba"), "{screen}");
}

#[test]
fn a_preview_fills_its_rows_at_every_size() {
    let lines: Vec<String> = (0..60).map(|n| words(&format!("said {n}"))).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut stage = streaming(120, 40);
    stage.keys("g j j j");
    rest(&mut stage, &lines);
    for height in [40, 30, 24, 12, 33] {
        stage.resize(120, height);
        let screen = stage.screen();
        let said = screen.lines().filter(|line| line.contains("│   said")).count();
        assert!(said >= usize::from(height) / 4 - 2, "{said} of {height}\n{screen}");
        assert!(screen.contains("said 59"), "{screen}");
    }
}
