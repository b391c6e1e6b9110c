//! The real program below the text of a terminal (`--inline`): the rows in the scrollback, and that no others
//! get there.

use std::process::Command;

use crate::common::pty::{Home, Program};
use crate::common::wait::output;

const ALT_A: &str = "\x1ba";
const SIZE: (u16, u16) = (100, 30);

fn demo(home: &Home, speed: &str) -> Program {
    home.inline_demo(speed, SIZE.0, SIZE.1)
}

/// Returns how many rows have this text.
fn count(rows: &[String], text: &str) -> usize {
    rows.iter().filter(|row| row.contains(text)).count()
}

fn ended(mut program: Program) -> (u32, Vec<String>) {
    program.quit();
    program.end_below_the_text(SIZE.0, SIZE.1)
}

#[test]
fn what_is_finished_is_in_the_scrollback_once_and_the_live_rows_are_gone_at_the_end() {
    let home = Home::new();
    let mut program = demo(&home, "0");
    program.until_shown(&["? 2"]);
    for (title, answer) in [(" of 2 · @", "go with b"), ("answer 1 of 1", "keep it 90 days")] {
        program.keys(ALT_A);
        program.until_shown(&[title]);
        program.keys(answer);
        program.until_shown(&[title, answer]);
        program.keys("\r");
        program.until("the question is gone", |screen| !screen.contains(title));
    }
    program.until_shown(&["The demo is over"]);
    let (status, rows) = ended(program);
    assert_eq!(status, 0);
    let all = rows.join("\n");
    for text in
        ["The plan is ready", "Not done: nothing was", "  Drop users.legacy_otp, or keep it?"]
    {
        assert_eq!(count(&rows, text), 1, "{text}\n{all}");
    }
    for text in
        ["the ground we build on", "I split the work in two", "Which database for the audit"]
    {
        assert!(count(&rows, text) <= 1, "{text}\n{all}");
    }
    for live in ["message to @", "esc keep", "f1 help"] {
        assert_eq!(count(&rows, live), 0, "{live}\n{all}");
    }
}

#[test]
fn an_end_in_the_middle_of_a_stream_leaves_the_printed_text_and_no_live_rows() {
    for (signal, status) in [("TERM", 143), ("INT", 130)] {
        let home = Home::new();
        let mut program = demo(&home, "1");
        program.until_shown(&["message to @orchestrator", "thinking"]);
        program.signal(signal);
        let (ended, rows) = program.end_below_the_text(SIZE.0, SIZE.1);
        assert_eq!(ended, status, "{signal}");
        assert_eq!(count(&rows, "you ·"), 1, "{rows:#?}");
        assert_eq!(count(&rows, "message to @"), 0, "{rows:#?}");
    }
}

#[test]
fn another_width_and_a_list_leave_nothing_behind() {
    let home = Home::new();
    let mut program = demo(&home, "0");
    program.until_shown(&["? 2"]);
    for columns in [60, 40, SIZE.0] {
        program.resize(columns, SIZE.1);
        program.keys("\x10");
        program.until_shown(&["ACTIONS"]);
        program.keys("\x1b");
        program.until("the list is gone", |screen| !screen.contains("ACTIONS"));
    }
    program.until_shown(&["message to @"]);
    assert_eq!(program.screen().matches("message to @").count(), 1, "{}", program.screen());
    assert_eq!(ended(program).0, 0);
}

#[test]
fn without_a_terminal_and_on_one_that_cannot_move_its_cursor_it_says_what_happens() {
    let home = Home::new();
    let binary = env!("CARGO_BIN_EXE_dominds-tui");
    let run = |args: &[&str]| {
        let mut command = Command::new(binary);
        command.args(args).env_clear().envs(home.environment());
        let run = output(&mut command);
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (status, said) = run(&["demo", "--inline"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("not a terminal"), "{said}");
    let (status, said) = run(&["demo", "--inline", "--plain"]);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("cannot be used with"), "{said}");

    let mut environment = home.environment();
    environment.retain(|(name, _)| *name != "TERM");
    environment.push(("TERM", "dumb".into()));
    let args = ["demo", "--inline", "--speed", "0"].map(AsRef::as_ref);
    let mut program = Program::start(environment, &args, SIZE.0, SIZE.1);
    program.until_shown(&["TERM=dumb cannot move its cursor", "one line for each event"]);
    program.keys("quit\r");
    assert_eq!(program.end().0, 0);
}
