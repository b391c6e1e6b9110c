//! The list of triggers, and a whole trigger.

use crate::app::tests::fixture::*;
use crate::domain::teams::task::TaskStatus;
use crate::domain::teams::trigger::row::{TriggerRow, WindowNow};
use crate::domain::teams::trigger::{Trigger, TriggerId, TriggerState};
use crate::domain::text::Localized;
use crate::domain::{Stamp, TaskId};
use crate::lists::tasks::tests as tasks;
use crate::protocol::{Command, DriverEvent, TeamsRequest};
use crate::samples::triggers::{id, keyword, scheduled, windowed};

fn row(id: &TriggerId, state: TriggerState, definition: Option<Trigger>) -> TriggerRow {
    TriggerRow {
        team: id.team.clone(),
        name: id.name.clone(),
        state,
        definition,
        fault: None,
        reason: None,
        failures: 0,
        next_at: None,
        last_fired_at: None,
        last_status: None,
        last_task: None,
        window: None,
    }
}

pub fn rows() -> Vec<TriggerRow> {
    let daily = Trigger { task: "look \u{1b}[2Jaround".to_owned(), ..scheduled("0 9 * * 1-5") };
    vec![
        TriggerRow {
            next_at: Some(Stamp::new("2026-11-22 09:00:00")),
            last_fired_at: Some(Stamp::new("2026-11-21 10:00:00")),
            last_status: Some(TaskStatus::Done),
            last_task: Some(TaskId::new("task-0005")),
            ..row(&id("ops", "daily"), TriggerState::Active, Some(daily))
        },
        TriggerRow {
            failures: 2,
            last_fired_at: Some(Stamp::new("2026-11-21 12:00:00")),
            last_status: Some(TaskStatus::Failed),
            ..row(&id("qa", "deploys"), TriggerState::Active, Some(keyword("deploy failed")))
        },
        TriggerRow {
            fault: Some(Localized::same("`soon` is no schedule")),
            ..row(&id("qa", "soon"), TriggerState::Active, Some(scheduled("soon")))
        },
        TriggerRow {
            reason: Some("3 consecutive failures".to_owned()),
            failures: 3,
            ..row(&id("qa", "loud"), TriggerState::Disabled, Some(keyword("x")))
        },
        TriggerRow {
            next_at: Some(Stamp::new("2026-11-21 12:00:30")),
            window: Some(WindowNow { open: true, ticks: 41, tokens: 1_200, used_up: false }),
            ..row(&id("qa", "market"), TriggerState::Active, Some(windowed("30 9-16 * * 1-5")))
        },
        row(&id("qa", "new"), TriggerState::Pending, Some(keyword("y"))),
        row(&id("qa", "torn"), TriggerState::Pending, None),
    ]
}

/// A screen that knows teams, tasks and triggers.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = tasks::stage(width, height);
    stage.apply(DriverEvent::Triggers(rows()));
    stage
}

#[test]
fn x4_each_trigger_is_listed_with_what_it_does_next() {
    let mut stage = stage(110, 24);
    stage.keys("<alt+6>");
    insta::assert_snapshot!(stage.screen());
}

#[test]
fn space_enables_and_disables_and_t_tries() {
    let mut stage = stage(110, 24);
    stage.keys("<alt+6>");
    stage.sent.clear();
    stage.keys("<space> t j j j <space>");
    let sent: Vec<TeamsRequest> =
        tasks::requests(&stage).into_iter().map(|(_, request)| request).collect();
    assert_eq!(
        sent,
        [
            TeamsRequest::SwitchTrigger { id: id("ops", "daily"), on: false },
            TeamsRequest::TryTrigger { id: id("ops", "daily") },
            TeamsRequest::SwitchTrigger { id: id("qa", "loud"), on: true },
        ]
    );
}

#[test]
fn enter_opens_the_dialog_of_its_last_task_and_o_shows_what_it_does() {
    let mut stage = stage(110, 24);
    stage.keys("<alt+6> o");
    let screen = stage.screen();
    assert!(
        screen.contains("schedule 0 9 * * 1-5") && screen.contains("look ␛[2Jaround"),
        "{screen}"
    );
    stage.keys("<esc>").sent.clear();
    stage.keys("<enter>");
    let opened = stage.sent.iter().any(|command| matches!(command, Command::Open { .. }));
    assert!(opened, "{:?}", stage.sent);
}

#[test]
fn without_triggers_the_list_says_how_there_would_be_some() {
    let mut stage = tasks::stage(100, 24);
    stage.keys("<alt+6>");
    let screen = stage.screen();
    assert!(screen.contains(".minds/hive/triggers/TEAM/NAME.yaml"), "{screen}");
}
