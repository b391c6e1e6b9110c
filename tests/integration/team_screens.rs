//! The screens of docs/teams.md in the real program: the demo of teams.

use std::ffi::OsStr;

use super::pictures::pictured;
use crate::common::pty::{Home, Program};

const ALT_A: &str = "\x1ba";
const ESC: &str = "\x1b";

/// The demo of teams in a terminal with all colours.
fn demo_of_teams(home: &Home) -> Program {
    let mut environment = home.environment();
    environment.push(("COLORTERM", "truecolor".into()));
    let workspace = home.workspace();
    let words = ["demo", "teams", "--speed", "0", "--dir"].map(OsStr::new);
    let args: Vec<&OsStr> = words.into_iter().chain([workspace.as_os_str()]).collect();
    Program::start(environment, &args, 120, 40)
}

#[test]
fn the_page_about_teams_shows_its_story_as_it_is() {
    let home = Home::new();
    let mut program = demo_of_teams(&home);
    program.until_shown(&["FOR YOU · 1", "if the coupons are decided"]);
    program.keys("\x1b5");
    program.until_shown(&["TASKS · open", "open question"]);
    program.keys("*");
    let tasks = ["TASKS", "open question", "done", "Walk through the checkout", "payment"];
    pictured(&program, "teams/tasks", &tasks);
    program.keys(ESC);
    program.keys("\x1b4");
    pictured(&program, "teams/teams", &["TEAMS", "main", "ops", "qa"]);
    program.keys(ESC);
    program.keys("\x1b6");
    let triggers = ["TRIGGERS", "error-feed", "window", "09:00-18:00", "pending"];
    pictured(&program, "teams/triggers", &triggers);
    program.keys(ESC);
    program.keys(ALT_A);
    let question = ["A coupon can be taken twice", "ship without coupons", "recommended"];
    pictured(&program, "teams/question", &question);
    program.keys("a\r");
    program.until_shown(&["The demo is over: a team was made"]);
    program.leave_composer();
    program.quit();
    assert_eq!(program.end_restored(), 0);
}
