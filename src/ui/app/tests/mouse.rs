//! What the mouse does, where the person uses it.

use proptest::prelude::*;
use ratatui::crossterm::event::{MouseButton, MouseEventKind};

use super::fixture::*;
use crate::app::Effect;
use crate::protocol::{Command, DriverEvent};
use crate::terminal::MouseUse;

/// A stage that uses the mouse.
fn with_mouse(mut stage: Stage) -> Stage {
    stage.use_mouse();
    assert!(stage.app.take_effects().contains(&Effect::UseMouse(MouseUse::On)));
    stage.screen();
    stage
}

/// True if a row with this text has a cursor.
fn is_chosen(stage: &mut Stage, text: &str) -> bool {
    stage.screen().lines().any(|line| line.contains('▌') && line.contains(text))
}

#[test]
fn the_mouse_is_off_until_it_is_switched_on_and_the_key_gives_it_back() {
    let mut stage = streaming(120, 40);
    let before = stage.screen();
    let (x, y) = stage.place_of("@dba");
    assert_eq!(stage.click(x, y).screen(), before, "not used");
    for (mouse, told) in [(MouseUse::On, "is used here"), (MouseUse::Off, "left to the terminal")] {
        stage.keys("M");
        assert!(stage.app.take_effects().contains(&Effect::UseMouse(mouse)));
        assert!(stage.screen().contains(told), "{}", stage.screen());
    }
}

#[test]
fn a_click_chooses_a_row_of_the_tree_and_a_second_one_opens_it() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = with_mouse(streaming(width, height));
        stage.keys("1 g").screen();
        let (x, y) = stage.place_of("@dba");
        stage.click(x, y);
        assert!(is_chosen(&mut stage, "@dba"), "{}", stage.screen());
        let opened = |stage: &Stage| {
            let is_open = |command: &&Command| matches!(command, Command::Open { .. });
            stage.sent.iter().filter(is_open).count()
        };
        let before = opened(&stage);
        let (x, y) = stage.place_of("@dba");
        stage.click(x, y);
        assert_eq!(opened(&stage), before + 1);
    }
}

#[test]
fn a_click_chooses_a_question_and_a_second_one_answers_it() {
    let mut stage = with_mouse(answering(120, 40));
    stage.keys("<esc> 1").screen();
    let second = questions().remove(1);
    let (x, y) = stage
        .place_of(&crate::domain::reading::title::headline(&second.question.tellask_content)[..12]);
    stage.click(x, y).screen();
    stage.click(x, y);
    let screen = stage.screen();
    assert!(screen.contains("answer 2 of 2"), "{screen}");
}

#[test]
fn a_click_puts_the_cursor_on_a_block_and_a_second_one_opens_it() {
    let mut stage = with_mouse(streaming(120, 40));
    let lines: Vec<String> = (0..4).map(|n| words(&format!("said {n}"))).collect();
    let call = r#"{"ts":"2026-11-21 12:00:00","type":"func_call_record","genseq":1,"id":"c","name":"shell_cmd","rawArgumentsText":"{\"command\":\"ls -la\"}"}"#;
    let mut records: Vec<&str> = lines.iter().map(String::as_str).collect();
    records.insert(2, call);
    let (ticket, dialog) = stage.last_open();
    stage.apply(DriverEvent::LiveEnd { dialog: dialog.clone() });
    stage.page_at(ticket, dialog, 0, &records).keys("1").screen();
    let (x, y) = stage.place_of("shell_cmd");
    stage.click(x, y);
    assert!(is_chosen(&mut stage, "shell_cmd"), "{}", stage.screen());
    assert!(!stage.screen().contains("$ ls -la"));
    let (x, y) = stage.place_of("shell_cmd");
    stage.click(x, y);
    assert!(stage.screen().contains("$ ls -la"), "{}", stage.screen());
}

#[test]
fn the_wheel_scrolls_what_is_under_it_and_the_focus_stays() {
    let mut stage = with_mouse(streaming(80, 24));
    let lines: Vec<String> = (0..60).map(|n| words(&format!("said {n}"))).collect();
    let records: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (ticket, dialog) = stage.last_open();
    stage.apply(DriverEvent::LiveEnd { dialog: dialog.clone() });
    stage.page_at(ticket, dialog, 0, &records).keys("1 g").screen();
    assert!(stage.screen().contains("said 59"));
    for _ in 0..4 {
        stage.mouse(MouseEventKind::ScrollUp, 60, 8).screen();
    }
    assert!(!stage.screen().contains("said 59"), "{}", stage.screen());
    stage.mouse(MouseEventKind::ScrollDown, 2, 6);
    let screen = stage.screen();
    let row = screen.lines().position(|line| line.starts_with('▌'));
    assert_eq!(row, Some(6), "three rows down, and the tree has the focus\n{screen}");
    for _ in 0..9 {
        stage.mouse(MouseEventKind::ScrollDown, 60, 8).screen();
    }
    assert!(stage.screen().contains("said 59"), "{}", stage.screen());
}

#[test]
fn the_tabs_of_a_narrow_screen_can_be_clicked() {
    let mut stage = with_mouse(streaming(60, 20));
    stage.keys("1");
    for (text, shown) in [("for you", "FOR YOU"), ("@orch", "@orchestrator"), ("dialogs", "@dba")] {
        let (x, y) = stage.place_of(text);
        assert_eq!(y, 0);
        stage.click(x, y);
        assert!(stage.screen().contains(shown), "{text}: {}", stage.screen());
    }
}

#[test]
fn lists_on_top_take_the_wheel_and_clicks() {
    let mut stage = with_mouse(streaming(120, 40));
    stage.keys(":").screen();
    let first = stage.screen();
    stage.mouse(MouseEventKind::ScrollDown, 60, 8);
    assert_ne!(stage.screen(), first, "the palette");
    let (x, y) = stage.place_of("Group by state");
    stage.click(x, y);
    assert!(is_chosen(&mut stage, "Group by state"));
    assert!(!stage.click(x, y).screen().contains("ACTIONS"), "a second one runs it");
    stage.keys("<esc> <esc> ?").screen();
    let first = stage.screen();
    assert_ne!(stage.mouse(MouseEventKind::ScrollDown, 60, 8).screen(), first, "help");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn no_gesture_anywhere_does_harm(
        keys in "[123zimnoqM?:/L!b&]{0,5}",
        gestures in proptest::collection::vec((0..3_u8, 0..130_u16, 0..50_u16), 1..30),
        size in proptest::sample::select(vec![(120, 40), (80, 24), (60, 20), (40, 12), (20, 5)]),
    ) {
        let mut stage = with_mouse(answering(size.0, size.1));
        stage.type_text(&keys);
        for (kind, x, y) in gestures {
            let kind = match kind {
                0 => MouseEventKind::Down(MouseButton::Left),
                1 => MouseEventKind::ScrollUp,
                _ => MouseEventKind::ScrollDown,
            };
            stage.mouse(kind, x, y).screen();
        }
    }
}
