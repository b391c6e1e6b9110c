//! The program's log, from keys to the screen.

use crate::app::tests::fixture::*;
use crate::protocol::{Command, DriverEvent, LogView, Ticket};

fn log() -> LogView {
    let mut text = String::new();
    for n in 0..60 {
        let level = ["INFO", "INFO", "WARN", "ERROR", "DEBUG"][n % 5];
        let time = format!("2026-11-21T12:00:{n:02}.204Z");
        text.push_str(&format!("{time} {level:>5} dominds_tui::driver: line {n} \u{1b}[2J\n"));
    }
    LogView::of_text("~/logs/dominds-tui.2026-11-21.log".to_owned(), &text, true)
}

fn requests(stage: &Stage) -> Vec<Ticket> {
    let ticket = |command: &Command| {
        let Command::Log { ticket } = command else { return None };
        Some(*ticket)
    };
    stage.sent.iter().filter_map(ticket).collect()
}

fn answer(stage: &mut Stage, log: LogView) {
    let ticket = *requests(stage).last().expect("a request");
    stage.apply(DriverEvent::Log { ticket, log: Box::new(log) });
    stage.screen();
}

pub fn shown_on(mut stage: Stage) -> Stage {
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.keys("1 J");
    answer(&mut stage, log());
    stage
}

#[test]
fn the_end_of_the_log_fits_every_size_in_both_languages() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let screen = shown_on(Stage::new(width, height)).screen();
        assert!(screen.contains("58 ␛") && !screen.contains('\u{1b}'), "{screen}");
    }
    insta::assert_snapshot!("log_zh", shown_on(Stage::chinese(80, 24)).screen());
}

#[test]
fn lines_below_the_chosen_level_are_hidden() {
    let mut stage = shown_on(Stage::new(120, 40));
    for (expected, line) in [
        ("warnings and errors · 24 lines", "line 58"),
        ("errors · 12 lines", "line 58"),
        ("all · 60 lines", "line 59"),
        ("info and above · 48 lines", "line 58"),
    ] {
        let screen = stage.keys("<tab>").screen();
        assert!(screen.contains(expected) && screen.contains(line), "{expected}\n{screen}");
    }
    assert!(stage.keys("g").screen().contains("older lines are in the file: ~/logs"));
}

#[test]
fn it_is_read_again_on_demand_with_the_same_level() {
    let mut stage = shown_on(Stage::new(80, 24));
    stage.keys("<tab> <tab> r");
    assert_eq!(requests(&stage).len(), 2);
    answer(&mut stage, LogView::default());
    let screen = stage.screen();
    assert!(screen.contains("LOG · errors · 0 lines"), "{screen}");
    assert!(screen.contains("no such lines"), "{screen}");
    assert!(!stage.keys("j G k <esc>").screen().contains("LOG ·"), "there is one sheet");
}

#[test]
fn a_line_is_found_among_those_of_the_level_and_escape_goes_back() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = shown_on(Stage::new(width, height));
        let before = stage.screen();
        let screen = stage.keys("/").type_text("line 1").screen();
        // 1, and 10 to 18 without those below the level.
        let expected = "of 9";
        assert!(screen.contains(expected) && screen.contains("line 1"), "{screen}");
        assert_eq!(stage.keys("<esc>").screen(), before, "{width}x{height}");
        stage.keys("/").type_text(":33.");
        let screen = stage.keys("<enter>").screen();
        assert!(screen.contains(":33."), "{screen}");
        stage.keys("<tab> <tab> n");
        let screen = stage.screen();
        assert!(screen.contains(":33.") && screen.contains("1 of 1"), "{screen}");
    }
}

#[test]
fn what_is_broken_into_rows_is_found_as_the_line_that_it_is() {
    for (width, height) in [(120, 40), (40, 12)] {
        let mut stage = shown_on(Stage::new(width, height));
        stage.keys("/").type_text("WARN dominds_tui::driver: line 57");
        let screen = stage.screen();
        assert!(screen.contains("1 of 1"), "{screen}");
    }
}
