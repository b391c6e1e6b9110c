//! The overview, from keys to the screen.

use crate::app::tests::fixture::*;
use crate::domain::reading::problem::STORE_PROBLEM;
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::task::{TaskStatus, TeamWork};
use crate::domain::text::Text;
use crate::domain::{Problem, Stamp, TaskId, TeamName};
use crate::lists::tasks::tests as tasks;
use crate::lists::tasks::tests::requests;
use crate::lists::{teams, triggers};
use crate::protocol::{Command, DriverEvent, InboxRow, TeamRow, TeamsRequest, TreeRow};

/// A screen with teams, tasks, triggers and the overview of them.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = tasks::stage(width, height);
    stage.apply(DriverEvent::Triggers(triggers::tests::rows())).keys("<alt+0>");
    stage
}

/// The line of the screen that begins with this name, after its glyph.
fn line(stage: &mut Stage, name: &str) -> String {
    let screen = stage.screen();
    let is_meant = |line: &&str| line.split_whitespace().take(3).any(|word| word == name);
    screen.lines().find(is_meant).unwrap_or_default().to_owned()
}

/// The teams in the order of the screen.
fn order(stage: &mut Stage) -> Vec<String> {
    let screen = stage.screen();
    let known = ["main", "qa", "lab", "ops"];
    let named = |line: &str| {
        line.split_whitespace().take(3).find(|word| known.contains(word)).map(str::to_owned)
    };
    screen.lines().filter(|line| line.contains("/2 ")).filter_map(named).collect()
}

#[test]
fn teams_in_trouble_are_first_each_with_its_reason_and_the_key_that_helps() {
    let mut stage = stage(120, 40);
    assert_eq!(order(&mut stage), ["ops", "qa", "lab", "main"]);
    let ops = line(&mut stage, "ops");
    assert!(ops.contains("set-up failed") && ops.contains("1/2"), "{ops}");
    let qa = line(&mut stage, "qa");
    assert!(qa.contains("the last task failed: HTTP 401") && qa.contains("R retry"), "{qa}");
    let lab = line(&mut stage, "lab");
    assert!(lab.contains("asks: which database?") && lab.contains("a answer"), "{lab}");
    assert!(!stage.screen().contains('\u{1b}'), "what models say is cleaned");
}

#[test]
fn one_key_queues_the_failed_task_again() {
    let mut stage = stage(120, 40);
    stage.keys("j j j R");
    let asked: Vec<TeamsRequest> = requests(&stage).into_iter().map(|(_, one)| one).collect();
    let failed = tasks::rows().remove(3).id;
    assert_eq!(asked, [TeamsRequest::Retry { id: failed }], "{}", stage.screen());
}

#[test]
fn a_team_whose_model_does_not_answer_says_so_and_one_key_asks_again() {
    let mut stage = stage(120, 40);
    let runs = TaskRow { dialog: Some(root()), ..tasks::rows().remove(1) };
    stage.apply(DriverEvent::Tasks(vec![runs]));
    assert!(line(&mut stage, "qa").contains("run"), "it works");
    let retries = TreeRow { retrying: true, ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(retries)));
    let qa = line(&mut stage, "qa");
    assert!(qa.contains("the model does not answer") && qa.contains("R retry"), "{qa}");
    assert!(stage.screen().contains("1 without its model"), "{}", stage.screen());
    stage.keys("j j j R");
    let asked = Command::RetryNow { dialog: main_dialog() };
    let screen = stage.screen();
    assert!(stage.sent.contains(&asked), "{:?}\n{screen}", stage.sent);
}

#[test]
fn a_task_that_hangs_is_at_the_top_and_cancelled_after_a_question() {
    let mut stage = stage(120, 40);
    let since = Stamp::new("2026-11-19 10:00:00");
    let hangs = TaskRow { since, ..tasks::rows().remove(1) };
    let qa: Vec<TeamRow> =
        teams::tests::teams().into_iter().filter(|one| one.name.as_str() == "qa").collect();
    stage.apply(DriverEvent::Teams(qa)).apply(DriverEvent::Tasks(vec![hangs.clone()]));
    let qa = line(&mut stage, "qa");
    assert!(qa.contains("no progress for 50 h") && qa.contains("x cancel"), "{qa}");
    stage.keys("j j x");
    assert!(stage.screen().contains("cancel 0002"), "{}", stage.screen());
    stage.agree("y");
    let asked = requests(&stage).pop().map(|(_, one)| one);
    assert_eq!(asked, Some(TeamsRequest::Cancel { id: hangs.id }));
}

#[test]
fn the_question_of_a_team_is_answered_by_one_key() {
    let mut stage = stage(120, 40);
    let text = "Which database?\na  this\nb  that";
    let asks = question(&main_dialog(), "lab-lead", "q-lab", text, "2026-11-21 12:00:00");
    let task = tasks::rows().into_iter().find(|task| task.status == TaskStatus::Blocked);
    let task: Option<TaskId> = task.map(|task| task.id);
    let work = Some(TeamWork { team: TeamName::new("lab"), task });
    stage.apply(DriverEvent::Inbox(vec![InboxRow { work, ..asks }]));
    stage.screen();
    stage.keys("j j j j a");
    assert!(stage.has_no_overlay(), "{}", stage.screen());
    assert!(stage.screen().contains("Which database?"), "{}", stage.screen());
}

#[test]
fn lists_opened_from_the_overview_lead_back_to_it_and_it_is_there_once() {
    for keys in [
        "<alt+4> <esc>",
        "<alt+5> <esc>",
        "<alt+6> <esc>",
        "<alt+4> <alt+5> <esc>",
        "<alt+4> <alt+0>",
        "<alt+4> j <enter> <alt+0>",
        "j <enter> <esc>",
        "j j <enter> <esc>",
    ] {
        let mut stage = stage(120, 40);
        stage.keys(keys);
        assert!(stage.screen().contains("OVERVIEW"), "{keys}\n{}", stage.screen());
        stage.keys("<esc>");
        assert!(stage.has_no_overlay(), "{keys}\n{}", stage.screen());
    }
}

#[test]
fn while_the_store_is_away_no_number_stands_for_what_is_not_known() {
    let mut stage = streaming(120, 40);
    let idle = teams::tests::teams().into_iter();
    let idle = idle.map(|team| TeamRow { running: 0, blocked: 0, pending: 0, ..team });
    let gone = Text::new("the disk is gone", "磁盘不在");
    let mount = Text::new("mount it", "请挂载");
    let away = Problem::new(STORE_PROBLEM, ".hive", gone, mount);
    stage.apply(DriverEvent::Teams(idle.collect())).apply(DriverEvent::Problems(vec![away]));
    stage.keys("<alt+0>");
    let screen = stage.screen();
    for name in ["main", "qa", "lab", "ops"] {
        let line = line(&mut stage, name);
        assert!(line.contains("not known: the disk is gone"), "{line}\n{screen}");
    }
    assert!(!screen.contains("0/2") && !screen.contains("0 queued"), "{screen}");
    stage.keys("<enter>");
    assert!(stage.screen().contains("PROBLEMS"), "{}", stage.screen());
}

#[test]
fn a_team_whose_credentials_wait_is_first_with_the_command_that_helps() {
    let mut stage = stage(120, 40);
    let why =
        Text::new("credentials are not migrated: vault migrate", "凭据尚未迁移：vault migrate");
    let mut all = teams::tests::teams();
    all[3].held_back = Some(why.into());
    stage.apply(DriverEvent::Teams(all));
    assert_eq!(order(&mut stage), ["qa", "ops", "lab", "main"]);
    let qa = line(&mut stage, "qa");
    assert!(qa.contains("quarantined: credentials are not migrated: vault migrate"), "{qa}");
    assert!(qa.contains("run vault migrate"), "{qa}");
    stage.keys("j j R");
    assert!(requests(&stage).is_empty(), "nothing can be queued again");
    stage.keys("<esc> <alt+4>");
    assert!(stage.screen().contains("qa  quarantined"), "{}", stage.screen());
}

#[test]
fn of_many_idle_teams_the_number_is_shown() {
    let mut stage = stage(80, 24);
    let idle = teams::tests::teams().remove(1);
    let many = (0..30).map(|n| TeamRow {
        name: TeamName::new(format!("t{n}")),
        changing: false,
        ..idle.clone()
    });
    stage.apply(DriverEvent::Teams(many.collect()));
    assert!(stage.screen().contains("27 more teams are idle"), "{}", stage.screen());
}
