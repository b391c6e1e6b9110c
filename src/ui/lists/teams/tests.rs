//! Teams as a list.

use crate::app::tests::fixture::*;
use crate::domain::TeamName;
use crate::domain::teams::org_change::TeamStatus;
use crate::domain::teams::task::row::TaskRow;
use crate::lists::tasks::tests as tasks;
use crate::lists::tasks::tests::requests;
use crate::protocol::{DriverEvent, TeamRow, TeamsRequest, TreeRow};

fn team(name: &str, parent: Option<&str>, (running, blocked, pending): (u64, u64, u64)) -> TeamRow {
    TeamRow {
        name: TeamName::new(name),
        parent: parent.map(TeamName::new),
        lead: Some(format!("{name}-lead").as_str().into()),
        description: if name == "qa" {
            "runs \u{1b}[2Jthe tests".to_owned()
        } else {
            String::new()
        },
        max_running: 2,
        running,
        blocked,
        pending,
        status: match name {
            "lab" => TeamStatus::Initializing,
            "ops" => TeamStatus::BootstrapFailed,
            _ => TeamStatus::Active,
        },
        held_back: None,
        changing: name == "main",
        used_up: name == "ops",
        boxes: None,
        stall: crate::domain::teams::stall::StallRule::default(),
    }
}

pub fn teams() -> Vec<TeamRow> {
    vec![
        team("lab", Some("qa"), (0, 1, 0)),
        team("main", None, (0, 0, 0)),
        team("ops", Some("main"), (1, 0, 3)),
        team("qa", Some("main"), (2, 0, 5)),
    ]
}

/// A screen that knows the teams.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    stage.apply(DriverEvent::Teams(teams()));
    stage
}

#[test]
fn each_team_is_listed_below_its_parent_with_what_it_has_to_do() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+4>");
    insta::assert_snapshot!(stage.screen());
}

#[test]
fn without_teams_the_list_says_how_there_would_be_some() {
    for (width, height) in [(160, 24), (100, 24), (40, 12)] {
        let screen = streaming(width, height).keys("<alt+4>").screen();
        assert!(screen.contains("NAME.yaml"), "what has no room goes on below: {screen}");
    }
}

#[test]
fn the_list_changes_with_what_the_driver_says() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+4>");
    assert!(stage.screen().contains("2 running · 5 queued  ↑"), "{}", stage.screen());
    let mut now = teams();
    now.retain(|team| team.name.as_str() != "qa");
    stage.apply(DriverEvent::Teams(now));
    assert!(!stage.screen().contains("5 queued"), "{}", stage.screen());
    assert!(stage.screen().contains("lab"), "its parent is not known\n{}", stage.screen());
}

#[test]
fn a_team_with_a_task_that_retries_says_so_and_the_list_of_tasks_too() {
    let mut stage = stage(120, 24);
    let task = TaskRow { dialog: Some(root()), ..tasks::rows().remove(1) };
    stage.apply(DriverEvent::Tasks(vec![task]));
    let retries = TreeRow { retrying: true, ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(retries))).keys("<alt+4>");
    let shown = |stage: &mut Stage, name: &str, state: &str| {
        let screen = stage.screen();
        let mut lines = screen.lines().filter(|line| line.contains(name));
        assert!(lines.any(|line| line.contains("↻ ") && line.contains(state)), "{screen}");
    };
    shown(&mut stage, "qa", "1 retrying · 1 running · 5 queued");
    stage.keys("<alt+5>");
    shown(&mut stage, "the tests", "retrying");
}

#[test]
fn a_team_is_shut_down_with_those_below_it_after_a_question_that_names_them() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+4> s");
    assert_eq!(requests(&stage), [], "the root stays");
    stage.keys("j j s");
    let screen = stage.screen();
    assert!(screen.contains("shut down qa, lab (8 open tasks)?"), "{screen}");
    stage.keys("n");
    assert_eq!(requests(&stage), []);
    stage.keys("s");
    assert!(stage.screen().contains("shut down qa, lab"), "{}", stage.screen());
    stage.agree("y");
    assert!(!stage.screen().contains("shut down qa, lab"), "{}", stage.screen());
    let (ticket, request) = requests(&stage).pop().unwrap();
    assert_eq!(request, TeamsRequest::ShutDown { team: TeamName::new("qa"), cascade: true });
    stage.apply(DriverEvent::Done { ticket, dialog: None });
    assert!(stage.screen().contains("the team is shut down"), "{}", stage.screen());
}

#[test]
fn keys_lead_from_list_to_list_and_back() {
    let title = |stage: &mut Stage| {
        let screen = stage.screen();
        let names = ["TEAMS", "TASKS · qa", "TASKS", "TRIGGERS"];
        names.into_iter().find(|name| screen.contains(name)).map(str::to_owned)
    };
    for (keys, expected) in [
        ("<alt+4> <alt+5>", Some("TASKS")),
        ("<alt+4> <alt+6>", Some("TRIGGERS")),
        ("<alt+5> <alt+4>", Some("TEAMS")),
        ("<alt+5> <alt+6>", Some("TRIGGERS")),
        ("<alt+6> <alt+4>", Some("TEAMS")),
        ("<alt+6> <alt+5>", Some("TASKS")),
        ("<alt+4> <alt+5> <esc>", None),
        ("<alt+4> j j <enter>", Some("TASKS · qa")),
        ("<alt+4> j j <enter> <esc>", Some("TEAMS")),
        ("<alt+4> j j <enter> <esc> <esc>", None),
    ] {
        let mut stage = stage(100, 24);
        stage.keys(keys);
        assert_eq!(title(&mut stage).as_deref(), expected, "{keys}\n{}", stage.screen());
    }
}

#[test]
fn a_team_that_shuts_down_says_so() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+4>");
    let mut teams = teams();
    for team in &mut teams {
        team.status = TeamStatus::ShuttingDown;
    }
    stage.apply(DriverEvent::Teams(teams));
    assert!(stage.screen().contains("shutting down"), "{}", stage.screen());
}

#[test]
fn the_chosen_team_stays_chosen_and_a_key_for_one_that_is_gone_does_nothing() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+4> j j");
    let chosen = |stage: &mut Stage| -> String {
        let screen = stage.screen();
        let line = screen.lines().find(|line| line.contains('▌')).unwrap_or_default();
        line.split_whitespace().find(|word| word.contains("-lead")).unwrap_or_default().to_owned()
    };
    assert_eq!(chosen(&mut stage), "@qa-lead");
    let mut more = teams();
    more.push(team("docs", Some("main"), (0, 0, 0)));
    stage.apply(DriverEvent::Teams(more.clone()));
    assert_eq!(chosen(&mut stage), "@qa-lead", "{}", stage.screen());
    more.retain(|team| team.name.as_str() != "qa");
    // Before the next frame.
    stage.apply(DriverEvent::Teams(more));
    stage.keys("s").agree("y");
    assert_eq!(requests(&stage), []);
}
