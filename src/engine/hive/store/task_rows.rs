//! Tasks as rows of the database.

use std::time::Duration;

use super::db::Row;
use super::{dialogs, moment};
use crate::domain::teams::task::{
    ActiveTask, AttemptId, BlockReason, Delivery, EndedAttempt, Priority, Task, TaskKind,
    TaskStatus, TaskTrigger,
};
use crate::domain::{AgentId, Clock, RootId, TaskId, TeamName};
use crate::hive::fault::StoreFault;

/// What [`task`] reads, in its order.
pub(super) const COLUMNS: &str = "t.id, t.team, t.kind, t.priority, t.status, t.block_reason, t.text, t.member, t.max_steps, \
     t.correlation, t.root_correlation, t.depth, t.from_team, t.origin_dialog, t.wake, t.created_at, t.started_at, \
     t.ended_at, t.attempt, t.dialog_root, t.result, t.error, t.tokens, t.trigger_name, t.trigger_tells, t.is_test, t.channel, t.message, \
     t.is_tick, (SELECT b.box FROM attempts b WHERE b.org = t.org AND b.task = t.id AND b.attempt = t.attempt), \
     t.cause";
/// The number of [`COLUMNS`]: what follows them starts here.
pub(super) const WIDTH: usize = 31;

pub(super) fn priority_number(priority: Priority) -> i64 {
    match priority {
        Priority::Critical => 0,
        Priority::High => 1,
        Priority::Normal => 2,
        Priority::Low => 3,
    }
}

fn unknown(what: &str) -> StoreFault {
    StoreFault::Damaged(format!("a task with an unknown {what}"))
}

pub(super) fn number(row: &Row, at: usize) -> Result<u32, StoreFault> {
    let number: i64 = row.try_get(at)?;
    Ok(u32::try_from(number).unwrap_or_default())
}

pub(super) fn named<T>(
    row: &Row,
    at: usize,
    read: fn(&str) -> Option<T>,
    what: &str,
) -> Result<T, StoreFault> {
    let name: String = row.try_get(at)?;
    read(&name).ok_or_else(|| unknown(what))
}

pub(super) fn priority(row: &Row, at: usize) -> Result<Priority, StoreFault> {
    let number: i64 = row.try_get(at)?;
    let known = Priority::ALL.iter().copied().find(|one| priority_number(*one) == number);
    known.ok_or_else(|| unknown("priority"))
}

pub(super) fn status(row: &Row, at: usize) -> Result<TaskStatus, StoreFault> {
    named(row, at, TaskStatus::named, "status")
}

pub(super) fn task(row: &Row, clock: &dyn Clock) -> Result<Task, StoreFault> {
    let block_reason: Option<String> = row.try_get(5)?;
    let (created, started, ended): (i64, Option<i64>, Option<i64>) =
        (row.try_get(15)?, row.try_get(16)?, row.try_get(17)?);
    let stamp = |at: i64| clock.stamp(moment(at));
    let whole = started.zip(ended);
    let duration = whole.and_then(|(from, to)| moment(to).duration_since(moment(from)).ok());
    let texts = |at: usize| row.try_get::<Option<String>>(at);
    let tokens: i64 = row.try_get(22)?;
    Ok(Task {
        id: TaskId::new(row.try_get::<String>(0)?),
        team: TeamName::new(row.try_get::<String>(1)?),
        kind: named(row, 2, TaskKind::named, "kind")?,
        priority: priority(row, 3)?,
        status: status(row, 4)?,
        block_reason: block_reason.as_deref().and_then(BlockReason::named),
        text: row.try_get(6)?,
        member: texts(7)?.map(AgentId::new),
        max_steps: number(row, 8)?,
        correlation: texts(9)?,
        trigger: trigger(row)?,
        root_correlation: row.try_get(10)?,
        depth: number(row, 11)?,
        cause: texts(30)?.map(TaskId::new),
        from: texts(12)?.map(TeamName::new),
        origin: texts(13)?.as_deref().and_then(dialogs::read),
        wake: number(row, 14)? == 1,
        created_at: stamp(created),
        started_at: started.map(stamp),
        ended_at: ended.map(stamp),
        duration_ms: duration.map(milliseconds),
        attempt: number(row, 18)?,
        box_name: row.try_get(29)?,
        dialog: texts(19)?.map(RootId::new),
        result: texts(20)?,
        error: texts(21)?,
        tokens: u64::try_from(tokens).unwrap_or_default(),
    })
}

fn trigger(row: &Row) -> Result<Option<TaskTrigger>, StoreFault> {
    let Some(name) = row.try_get(23)? else { return Ok(None) };
    let is_set = |at: usize| row.try_get::<Option<i64>>(at).map(|value| value == Some(1));
    Ok(Some(TaskTrigger {
        name,
        tells: is_set(24)?,
        is_test: is_set(25)?,
        channel: row.try_get(26)?,
        message: row.try_get(27)?,
        is_tick: is_set(28)?,
    }))
}

/// A task with what its newest attempt says: root, begun, cuts; where the last tick of its window stopped; and the box of the
/// attempt before it.
pub(super) fn active(row: &Row, clock: &dyn Clock) -> Result<ActiveTask, StoreFault> {
    Ok(ActiveTask {
        task: task(row, clock)?,
        root: RootId::new(row.try_get::<String>(WIDTH)?),
        begun: number(row, WIDTH + 1)? == 1,
        cuts: number(row, WIDTH + 2)?,
        earlier_box: row.try_get(WIDTH + 4)?,
        cursor: row.try_get(WIDTH + 3)?,
    })
}

fn attempt(row: &Row) -> Result<AttemptId, StoreFault> {
    Ok(AttemptId { task: TaskId::new(row.try_get::<String>(0)?), attempt: number(row, 1)? })
}

/// Task, attempt, root, status, whether the team is being shut down, whether it was a query, and tokens.
pub(super) fn ended(row: &Row) -> Result<EndedAttempt, StoreFault> {
    let root = RootId::new(row.try_get::<String>(2)?);
    let status = status(row, 3)?;
    Ok(EndedAttempt {
        of: attempt(row)?,
        root,
        status,
        of_closing_team: number(row, 4)? == 1,
        of_query: number(row, 5)? == 1,
        is_counted: status == TaskStatus::Done || row.try_get::<i64>(6)? > 0,
    })
}

/// Task, attempt, team, dialog, status, text, wake; `None` for a dialog that no version of this program names so.
pub(super) fn delivery(row: &Row) -> Result<Option<Delivery>, StoreFault> {
    let dialog: String = row.try_get(3)?;
    let Some(to) = dialogs::read(&dialog) else { return Ok(None) };
    Ok(Some(Delivery {
        of: attempt(row)?,
        team: TeamName::new(row.try_get::<String>(2)?),
        to,
        wake: number(row, 6)? == 1,
        status: status(row, 4)?,
        text: row.try_get(5)?,
    }))
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
