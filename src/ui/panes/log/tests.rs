//! The program's log, from keys to the screen.

use crate::app::tests::fixture::*;
use crate::domain::Stamp;
use crate::lists::overview;
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

/// Lines about teams, read at 12:03. A text that only looks like a field is none.
const OF_TEAMS: &str = "\
2026-11-21T10:00:00.204Z  WARN dominds_tui::driver: named hours=3 team=qa
2026-11-21T11:30:00.204Z  INFO tree{root=aa/bb/2}: dominds_tui::driver: its dialog course=1
2026-11-21T11:58:00.204Z ERROR dominds_tui::driver: its task task=task-0003
 more of it
2026-11-21T12:00:00.204Z  INFO dominds_tui::driver: of nobody team=nobody qa team lab
";

#[test]
fn from_the_row_of_a_team_its_lines_are_shown_then_those_of_others_and_of_a_shorter_time() {
    let mut stage = overview::tests::stage(120, 40);
    stage.keys("j j j J");
    let log = LogView::of_text("f".to_owned(), OF_TEAMS, false);
    answer(&mut stage, LogView { read_at: Stamp::new("2026-11-21 12:03:00"), ..log });
    let screen = stage.screen();
    assert!(screen.contains("info and above · qa · 2 lines"), "{screen}");
    assert!(screen.contains("named") && screen.contains("root=aa/bb/2"), "{screen}");
    for (key, expected) in [
        ("t", "info and above · 5 lines"),
        ("t", "info and above · lab · 2 lines"),
        ("d", "lab · last hour · 2 lines"),
        ("t", "qa · last hour · 1 line"),
        ("t", "info and above · last hour · 4 lines"),
        ("t", "lab · last hour · 2 lines"),
        ("t", "qa · last hour · 1 line"),
        ("d", "qa · last 10 min · 0 lines"),
        ("d", "qa · 2 lines"),
    ] {
        let screen = stage.keys(key).screen();
        assert!(screen.contains(expected), "{key} {expected}\n{screen}");
    }
    stage.keys("r");
    answer(&mut stage, LogView::of_text("f".to_owned(), OF_TEAMS, false));
    assert!(stage.screen().contains("qa · 2 lines"), "{}", stage.screen());
    assert!(stage.keys("<esc>").screen().contains("OVERVIEW"), "{}", stage.screen());
}

#[test]
fn where_it_is_not_known_when_the_log_was_read_no_line_is_too_old() {
    let mut stage = shown_on(Stage::new(120, 40));
    let screen = stage.keys("d").screen();
    assert!(screen.contains("last hour · 48 lines"), "{screen}");
    assert!(stage.keys("t").screen().contains("last hour · 48 lines"), "no team has lines");
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
