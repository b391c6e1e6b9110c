//! The steps of docs/tour.md in the real program. With `UPDATE_DOCS=1` its pictures are taken again.

#![expect(clippy::expect_used, reason = "a test, its functions included, fails by panicking")]

use std::fs;
use std::path::Path;

use super::documents::is_update;
use crate::common::pty::{Home, Program};

const ALT_A: &str = "\x1ba";
const ENTER: &str = "\r";

/// The demo in a terminal with all colours.
fn demo(home: &Home) -> Program {
    home.demo_in("0", &[("COLORTERM", "truecolor")])
}

/// The picture of what is on the screen now. It is only looked for, unless it is to be taken: the times on the
/// screen differ from run to run.
fn picture(program: &Program, name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tour").join(format!("{name}.svg"));
    if is_update() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, program.picture()).expect("a picture");
    }
    assert!(path.is_file(), "{} is missing: UPDATE_DOCS=1 takes it", path.display());
}

fn end(mut program: Program) {
    program.quit();
    assert_eq!(program.end_restored(), 0);
}

/// Answers both questions of the demo.
fn answer_both(program: &mut Program) {
    for (answer, left) in [("b", "FOR YOU · 1"), ("keep it", "nothing waits for you")] {
        program.keys(ALT_A);
        program.until_shown(&["esc keep"]);
        program.keys(answer);
        program.until_shown(&[answer]);
        program.keys(ENTER);
        program.until_shown(&[left]);
    }
    program.until_shown(&["The demo is over"]);
    program.leave_composer();
}

#[test]
fn a_first_session_shows_the_team_at_work_and_its_questions() {
    let home = Home::new();
    let mut program = demo(&home);
    program.until_shown(&["FOR YOU · 2", "@researcher", "@dba", "@reviewer"]);
    picture(&program, "questions");
    program.keys(ALT_A);
    program.until_shown(&["esc keep"]);
    program.keys("b, and tell the people on call");
    program.until_shown(&["people on call"]);
    picture(&program, "answer");
    end(program);
}

#[test]
fn three_changed_files_are_reviewed_and_a_code_block_is_copied() {
    let home = Home::new();
    let mut program = demo(&home);
    program.until_shown(&["FOR YOU · 2"]);
    answer_both(&mut program);
    program.keys("m");
    program.until_shown(&["CHANGES", "3 files"]);
    picture(&program, "changes");
    program.keys("]]m");
    program.until_shown(&["0 files"]);
    program.keys("\x1b");
    program.leave_composer();
    program.keys("F");
    program.until_shown(&["FIND IN ALL DIALOGS"]);
    program.keys("session.state");
    program.until_shown(&["session.state", "record"]);
    picture(&program, "find");
    program.keys(ENTER);
    program.until_shown(&["session.state"]);
    program.leave_composer();
    program.keys("b");
    program.until_shown(&["terminal's clipboard"]);
    picture(&program, "copy");
    end(program);
}
