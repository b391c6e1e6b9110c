//! The overview, from keys to the screen.

use crate::app::tests::fixture::*;
use crate::domain::reading::problem::STORE_PROBLEM;
use crate::domain::teams::task::row::{MAX_ENDED_ROWS, TaskRow};
use crate::domain::teams::task::{TaskStatus, TeamWork};
use crate::domain::text::Text;
use crate::domain::{Lang, Problem, Stamp, TaskId, TeamName};
use crate::effect::Effect;
use crate::lists::tasks::tests as tasks;
use crate::lists::tasks::tests::requests;
use crate::lists::{teams, triggers};
use crate::panes::finder::tests as finder;
use crate::programs::ProgramJob;
use crate::protocol::{Command, DriverEvent, FindEnd, InboxRow, TeamRow, TeamsRequest, TreeRow};
use crate::samples::triggers::id;
use crate::theme::tests::parse_flat;
use crate::theme::{ColorDepth, Role, Theme};

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
fn the_number_of_questions_asks_for_attention_only_if_there_is_one() {
    let colours = "attention: \"#aa0000\"\ntext: \"#00bb00\"\n";
    let theme = Theme::from_value(&parse_flat(colours).unwrap(), ColorDepth::True).unwrap();
    let mut stage = stage(120, 40);
    stage.wear(theme.clone());
    for (inbox, text, role) in
        [(questions(), "wait for you", Role::Attention), (Vec::new(), "0 wait for you", Role::Text)]
    {
        stage.apply(DriverEvent::Inbox(inbox));
        let at = stage.place_of(text);
        assert_eq!(stage.drawn()[at].fg, theme.style(role).fg.unwrap(), "{text}");
    }
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

/// A screen with idle teams whose store cannot be used, and the overview of them.
fn without_store(why: Text) -> Stage {
    let mut stage = streaming(120, 40);
    let idle = teams::tests::teams().into_iter();
    let idle = idle.map(|team| TeamRow { running: 0, blocked: 0, pending: 0, ..team });
    let away = Problem::new(STORE_PROBLEM, ".hive", why, Text::new("mend it", "请修复"));
    stage.apply(DriverEvent::Teams(idle.collect())).apply(DriverEvent::Problems(vec![away]));
    stage.keys("<alt+0>");
    stage
}

#[test]
fn while_the_store_is_away_locked_or_newer_no_number_stands_for_what_is_not_known() {
    for why in [
        Text::new("the disk is gone", "磁盘不在"),
        Text::new("another program holds the store; try again", "另一个程序占用着存储；请重试"),
        Text::new(
            "the store was written by a newer version of this program: use that version",
            "存储由更新版本的程序写成：请使用该版本",
        ),
    ] {
        let mut stage = without_store(why);
        let screen = stage.screen();
        let reason = format!("not known: {}", why.in_lang(Lang::En));
        for name in ["main", "qa", "lab", "ops"] {
            let line = line(&mut stage, name);
            assert!(line.contains(&reason) && line.contains("⏎ 1 problem"), "{line}\n{screen}");
        }
        assert!(screen.contains("store away") && !screen.contains("store ok"), "{screen}");
        for number in ["0/2", "0/0", "0 queued", "today"] {
            assert!(!screen.contains(number), "{number}\n{screen}");
        }
    }
}

#[test]
fn while_the_store_is_away_the_problems_are_one_key_away() {
    let mut stage = without_store(Text::new("the disk is gone", "磁盘不在"));
    stage.keys("<enter>");
    assert!(stage.screen().contains("PROBLEMS"), "{}", stage.screen());
    stage.keys("<esc>");
    assert!(stage.screen().contains("OVERVIEW"), "{}", stage.screen());
    stage.keys("j j <enter>");
    assert!(stage.screen().contains("PROBLEMS"), "{}", stage.screen());
}

#[test]
fn limits_that_are_used_up_lead_to_the_file_of_the_team_and_a_missing_box_to_a_command() {
    let mut stage = stage(120, 40);
    let main = teams::tests::teams().remove(1);
    let waits = |name: &str| TeamRow { name: TeamName::new(name), pending: 2, ..main.clone() };
    let no_box = TeamRow { boxes: Some(Vec::new()), ..waits("lab") };
    let used_up = TeamRow { used_up: true, ..waits("qa") };
    stage.apply(DriverEvent::Tasks(Vec::new())).apply(DriverEvent::Teams(vec![no_box, used_up]));
    let qa = line(&mut stage, "qa");
    assert!(qa.contains("the limits of the day are used up") && qa.contains("e limits"), "{qa}");
    let lab = line(&mut stage, "lab");
    assert!(lab.contains("no box works for it") && lab.contains("run health"), "{lab}");
    stage.app.take_effects();
    stage.keys("j j e");
    let path = ".minds/hive/teams/qa.yaml".to_owned();
    let wanted = Effect::Program(ProgramJob::EditFile { path, line: None });
    assert!(stage.app.take_effects().contains(&wanted), "{}", stage.screen());
    stage.keys("j e");
    let effects = stage.app.take_effects();
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Program(_))), "{effects:?}");
}

#[test]
fn space_enables_and_disables_the_trigger_of_its_row_alone() {
    let mut stage = stage(120, 40);
    // On the numbers, and on a team.
    stage.keys("<space> j j <space>");
    assert!(requests(&stage).is_empty(), "{}", stage.screen());
    stage.keys("j j j j j j j j <space> j j <space>");
    let asked: Vec<TeamsRequest> = requests(&stage).into_iter().map(|(_, one)| one).collect();
    let switched = |name: &str, on: bool| TeamsRequest::SwitchTrigger { id: id("qa", name), on };
    assert_eq!(asked, [switched("deploys", false), switched("loud", true)], "{}", stage.screen());
}

#[test]
fn what_ended_today_is_counted_for_each_team_and_a_number_that_may_be_larger_says_so() {
    let mut stage = stage(120, 40);
    let done = tasks::rows().remove(4);
    let (id, since) = (TaskId::new("task-0009"), Stamp::new("2026-11-20 23:59:59"));
    let yesterday = TaskRow { id, since, ..done.clone() };
    let tasks: Vec<TaskRow> = tasks::rows().into_iter().chain([yesterday]).collect();
    stage.apply(DriverEvent::Tasks(tasks));
    let (qa, ops) = (line(&mut stage, "qa"), line(&mut stage, "ops"));
    assert!(qa.contains(" 0/1 ") && ops.contains(" 1/0 "), "{qa}\n{ops}");
    assert!(stage.screen().contains("today 1 done, 1 failed"), "{}", stage.screen());
    let of_list = |n: usize| TaskRow { id: TaskId::new(format!("task-{n}")), ..done.clone() };
    stage.apply(DriverEvent::Tasks((0..MAX_ENDED_ROWS).map(of_list).collect()));
    let (qa, ops) = (line(&mut stage, "qa"), line(&mut stage, "ops"));
    assert!(qa.contains(" 0+/0+ ") && ops.contains(" 100+/0+ "), "{qa}\n{ops}");
}

#[test]
fn how_long_the_oldest_task_waits_is_said_where_all_are_listed() {
    let mut stage = stage(120, 40);
    assert!(!stage.screen().contains("oldest"), "{}", stage.screen());
    let qa = teams::tests::teams().remove(3);
    let qa = TeamRow { running: 0, pending: 1, ..qa };
    let since = Stamp::new("2026-11-21 10:03:00");
    let waits = TaskRow { since, ..tasks::rows().remove(0) };
    stage.apply(DriverEvent::Teams(vec![qa])).apply(DriverEvent::Tasks(vec![waits]));
    assert!(stage.screen().contains("1 queued · oldest 2h"), "{}", stage.screen());
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
fn what_was_said_in_the_dialogs_of_a_team_is_listed_by_one_key_and_leads_back() {
    let mut stage = stage(120, 40);
    stage.keys("j j j H");
    let wanted = |stage: &Stage| finder::asked(stage).pop().expect("a search").1;
    let request = wanted(&stage);
    assert!(request.said && request.text.is_empty(), "{request:?}");
    assert_eq!(request.member, Some("qa-lead".into()));
    finder::answer(&mut stage, finder::results(), Some(FindEnd::Complete));
    let screen = stage.screen();
    assert!(screen.contains("CONVERSATIONS · @qa-lead · 3 records"), "{screen}");
    assert!(screen.contains("otp.rs: 12 lines") && screen.contains("archived"), "{screen}");
    stage.keys("o");
    let request = wanted(&stage);
    assert_eq!((request.text.as_str(), request.said), ("o", true));
    stage.keys("<backspace>");
    assert!(wanted(&stage).text.is_empty(), "without a word all is listed again");
    stage.keys("<esc>");
    assert_eq!(stage.sent.last(), Some(&Command::EndFind));
    assert!(stage.screen().contains("OVERVIEW"), "{}", stage.screen());
    stage.keys("k k H");
    assert_eq!(wanted(&stage).member, None, "not in the row of a team: of all");
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
