//! The list of tasks, and a whole task.

use crate::app::tests::fixture::*;
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::task::{BlockReason, Priority, Task, TaskKind, TaskStatus};
use crate::domain::{RootId, Stamp, TaskId, TeamName};
use crate::lists::teams::tests as teams;
use crate::protocol::command::Ticket;
use crate::protocol::{Command, DriverEvent, TeamsRequest};

fn row(number: u64, team: &str, status: TaskStatus, about: &str) -> TaskRow {
    TaskRow {
        id: TaskId::new(format!("task-{number:016x}").replace("000000000000", "")),
        team: TeamName::new(team),
        kind: TaskKind::Delegate,
        priority: if number == 2 { Priority::High } else { Priority::Normal },
        status,
        block_reason: (status == TaskStatus::Blocked).then_some(BlockReason::OpenQuestion),
        about: about.to_owned(),
        number,
        attempt: 1,
        dialog: (status != TaskStatus::Pending).then(|| RootId::new(format!("aa/bb/{number}"))),
        since: Stamp::new(format!("2026-11-21 12:00:{number:02}")),
        error: (status == TaskStatus::Failed).then(|| "HTTP 401\u{1b}[2J invalid key".to_owned()),
    }
}

pub fn rows() -> Vec<TaskRow> {
    vec![
        row(1, "qa", TaskStatus::Pending, "run the slow tests"),
        row(2, "qa", TaskStatus::Running, "run \u{1b}[2Jthe tests"),
        row(3, "lab", TaskStatus::Blocked, "which database?"),
        row(4, "qa", TaskStatus::Failed, "measure it"),
        row(5, "ops", TaskStatus::Done, "restart the box"),
    ]
}

pub fn whole(status: TaskStatus) -> Task {
    let TaskRow { id, team, kind, priority, about, dialog, since, .. } =
        row(2, "qa", status, "run the tests");
    Task {
        id,
        team,
        kind,
        priority,
        status,
        block_reason: None,
        text: format!("{about}\n\nand say which \u{1b}[31mfail"),
        member: None,
        max_steps: 100,
        correlation: None,
        trigger: None,
        root_correlation: "task-0002".to_owned(),
        depth: 0,
        cause: None,
        from: Some(TeamName::main()),
        origin: None,
        wake: false,
        created_at: since.clone(),
        started_at: Some(since.clone()),
        ended_at: (!status.is_open()).then_some(since),
        duration_ms: None,
        attempt: 1,
        box_name: None,
        dialog,
        result: (status == TaskStatus::Done).then(|| "all of them pass".to_owned()),
        error: (status == TaskStatus::Failed).then(|| "max_steps reached (100)".to_owned()),
        tokens: 7,
    }
}

/// A screen that knows teams and tasks.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = teams::stage(width, height);
    stage.apply(DriverEvent::Tasks(rows()));
    stage
}

pub(crate) fn requests(stage: &Stage) -> Vec<(Ticket, TeamsRequest)> {
    let sent = stage.sent.iter().filter_map(|command| {
        let Command::Tasks { ticket, request } = command else { return None };
        Some((*ticket, request.clone()))
    });
    sent.collect()
}

fn lines(stage: &mut Stage) -> Vec<String> {
    let ids = ["0001", "0002", "0003", "0004", "0005", "0006"];
    let screen = stage.screen();
    let is_task = |line: &&str| ids.iter().any(|id| line.contains(id));
    screen.lines().filter(is_task).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn what_needs_a_person_is_listed_first_and_one_key_lists_the_rest() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+5>");
    insta::assert_snapshot!("tasks-open", stage.screen());
    stage.keys("*");
    insta::assert_snapshot!("tasks-all", stage.screen());
    stage.keys("*");
    let (screen, failed) = (stage.screen(), lines(&mut stage));
    assert!(screen.contains("TASKS · failed") && failed.len() == 1, "{screen}");
    stage.keys("*");
    assert!(stage.screen().contains("TASKS · open"), "{}", stage.screen());
}

#[test]
fn where_nothing_is_open_one_key_lists_what_has_ended() {
    let mut stage = teams::stage(100, 24);
    let ended = rows().into_iter().filter(|row| !row.status.is_open()).collect();
    stage.apply(DriverEvent::Tasks(ended));
    stage.keys("<alt+5>");
    let screen = stage.screen();
    assert!(screen.contains("no task is listed") && screen.contains("* others"), "{screen}");
    stage.keys("*");
    assert!(!lines(&mut stage).is_empty(), "{}", stage.screen());
}

#[test]
fn enter_on_a_team_lists_its_tasks_and_enter_on_a_task_opens_its_dialog() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+4> j <enter>");
    assert!(stage.screen().contains("TASKS · ops · all"), "{}", stage.screen());
    stage.sent.clear();
    stage.keys("<enter>");
    let opened = stage.sent.iter().any(|command| {
        matches!(command, Command::Open { dialog, .. } if dialog.root == RootId::new("aa/bb/5"))
    });
    assert!(opened, "{:?}", stage.sent);
}

#[test]
fn what_was_listed_keeps_its_place_and_what_came_since_is_below() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+5> j");
    let before = lines(&mut stage);
    stage.apply(DriverEvent::TaskUpdated(Box::new(row(
        2,
        "qa",
        TaskStatus::Done,
        "run the tests",
    ))));
    stage.apply(DriverEvent::TaskUpdated(Box::new(row(6, "qa", TaskStatus::Blocked, "new"))));
    let after = lines(&mut stage);
    let ids = |lines: &[String]| -> Vec<String> {
        let words = lines.iter().flat_map(|line| line.split_whitespace());
        words.filter(|word| word.starts_with("000")).map(str::to_owned).collect()
    };
    assert_eq!(ids(&before), ["0003", "0002", "0001"]);
    assert_eq!(ids(&after), ["0003", "0002", "0001", "0006"]);
    stage.keys("x");
    assert!(!stage.screen().contains("cancel 0002"), "it is done\n{}", stage.screen());
}

#[test]
fn a_task_is_cancelled_after_a_question_and_queued_again_without_one() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+5> j x n");
    assert_eq!(requests(&stage), []);
    stage.keys("x");
    assert!(stage.screen().contains("cancel 0002 “run"), "{}", stage.screen());
    stage.agree("y");
    let cancelled = requests(&stage).pop();
    let id = TaskId::new("task-0002");
    assert_eq!(cancelled.as_ref().map(|(_, request)| request), Some(&TeamsRequest::Cancel { id }));
    let ticket = cancelled.map_or(0, |(ticket, _)| ticket);
    stage.apply(DriverEvent::Done { ticket, dialog: None });
    assert!(stage.screen().contains("the task is cancelled"), "{}", stage.screen());
    stage.keys("R");
    assert_eq!(requests(&stage).len(), 1, "it runs");
    stage.keys("k R");
    let id = TaskId::new("task-0003");
    assert_eq!(requests(&stage).pop().map(|(_, one)| one), Some(TeamsRequest::Retry { id }));
}

/// Shows a whole task.
pub fn whole_shown(width: u16, height: u16) -> Stage {
    let mut stage = stage(width, height);
    show_whole(&mut stage);
    stage
}

/// Asks for all of a task, and answers.
pub fn show_whole(stage: &mut Stage) {
    stage.keys("<alt+5> j o");
    let (ticket, request) = requests(stage).pop().expect("asked for");
    assert_eq!(request, TeamsRequest::Show { id: TaskId::new("task-0002") });
    let task = Box::new(whole(TaskStatus::Done));
    stage.apply(DriverEvent::Task { ticket, task });
}

#[test]
fn all_of_a_task_is_shown_with_its_result() {
    let mut stage = whole_shown(100, 24);
    insta::assert_snapshot!("task-done", stage.screen());
    stage.keys("q o");
    let (ticket, _) = requests(&stage).pop().unwrap();
    stage.apply(DriverEvent::Task { ticket, task: Box::new(whole(TaskStatus::Failed)) });
    assert!(stage.screen().contains("max_steps reached (100)"), "{}", stage.screen());
}

#[test]
fn a_task_is_delegated_and_what_was_typed_is_kept_until_it_is_queued() {
    let mut stage = stage(100, 24);
    stage.keys("<alt+4> j a <enter>");
    assert!(stage.screen().contains("write what is to be done"), "{}", stage.screen());
    stage.type_text("check it");
    stage.keys("<esc> a");
    assert!(stage.screen().contains("check it"), "the draft\n{}", stage.screen());
    stage.keys("<tab>");
    assert!(stage.screen().contains("priority low"), "{}", stage.screen());
    insta::assert_snapshot!("new-task", stage.screen());
    stage.keys("<enter>");
    let (ticket, request) = requests(&stage).pop().unwrap();
    let delegated = TeamsRequest::Delegate {
        team: TeamName::new("ops"),
        text: "check it".to_owned(),
        priority: Priority::Low,
    };
    assert_eq!(request, delegated);
    let text = crate::domain::text::Localized::same("too many tasks wait");
    stage.apply(DriverEvent::Refused { ticket, text });
    stage.keys("a");
    assert!(stage.screen().contains("check it"), "it is not lost\n{}", stage.screen());
    stage.keys("<enter>");
    let (ticket, _) = requests(&stage).pop().unwrap();
    stage.apply(DriverEvent::Done { ticket, dialog: None });
    stage.keys("a");
    assert!(!stage.screen().contains("check it"), "{}", stage.screen());
}
