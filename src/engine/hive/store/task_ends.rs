//! The ends of tasks. Result, notice and delivery are one transaction with the end, so that nothing is reported twice,
//! and nothing of an attempt that counts no longer.

use std::time::SystemTime;

use super::breaker::count_end;
use super::db::{Row, Step, sql};
use super::notices::tell;
use super::sagas::is_closing;
use super::windows::count_use;
use super::{Store, millis};
use crate::domain::teams::task::{
    AttemptId, BlockReason, RetryRefusal, TaskEnd, TaskKind, TaskStatus,
};
use crate::domain::{TaskId, TeamName};
use crate::hive::fault::StoreFault;
use crate::hive::views::{Ending, News};

impl Store {
    /// Blocks a task, or lets it run again. The news is told only if that changes something.
    ///
    /// # Errors
    /// The disk; nothing has changed then.
    pub async fn set_blocked(
        &mut self,
        of: &AttemptId,
        reason: Option<BlockReason>,
        news: News,
        now: SystemTime,
    ) -> Result<(), StoreFault> {
        let status = if reason.is_some() { TaskStatus::Blocked } else { TaskStatus::Running };
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let set = sql(
            "UPDATE tasks SET status = $4, block_reason = $5 WHERE org = $1 AND id = $2 AND attempt = $3 \
             AND status IN ('running', 'blocked') AND (status <> $4 OR block_reason IS DISTINCT FROM $5)",
        );
        let set = set.bind(of.task.as_str()).bind(of.attempt).bind(status.name());
        let set = set.bind(reason.map(BlockReason::name)).execute(&mut step).await?;
        if set > 0 {
            tell(&mut step, &self.seat, news, now).await?;
            step.commit().await?;
        }
        Ok(())
    }

    /// Ends an attempt; false if it does not count any more.
    ///
    /// # Errors
    /// The disk; then it has not ended.
    pub async fn end_task(
        &mut self,
        of: &AttemptId,
        ending: Ending,
        now: SystemTime,
    ) -> Result<bool, StoreFault> {
        let kept = self.server.is_some().then(|| ending.clone());
        match (self.try_end(of, ending, now).await, kept) {
            // The row tells whether it was written before the connection broke: a result is written once.
            (Err(fault), Some(ending)) if fault.is_lost() => {
                self.reconnect().await?;
                let status = ending.end.status();
                Ok(self.try_end(of, ending, now).await? || self.has_ended(of, status).await?)
            }
            (done, _) => done,
        }
    }

    async fn has_ended(&mut self, of: &AttemptId, status: TaskStatus) -> Result<bool, StoreFault> {
        let find =
            "SELECT 1 FROM tasks WHERE org = $1 AND id = $2 AND attempt = $3 AND status = $4";
        let find = sql(find).bind(of.task.as_str()).bind(of.attempt).bind(status.name());
        Ok(find.fetch_optional(&mut self.db).await?.is_some())
    }

    async fn try_end(
        &mut self,
        of: &AttemptId,
        Ending { end, tokens, news, disables, cursor }: Ending,
        now: SystemTime,
    ) -> Result<bool, StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        if !end_attempt(&mut step, of, (&end, tokens), now).await? {
            return Ok(false);
        }
        count_use(&mut step, &of.task, tokens, cursor).await?;
        count_end(&mut step, (of, &end), (&self.seat, disables), now).await?;
        tell(&mut step, &self.seat, news, now).await?;
        deliver(&mut step, of, &end).await?;
        step.commit().await?;
        Ok(true)
    }

    /// Cancels a task if it is open; returns the status it had, `None` if there is no such task.
    ///
    /// # Errors
    /// The disk.
    pub async fn cancel_task(
        &mut self,
        id: &TaskId,
        why: &str,
        now: SystemTime,
    ) -> Result<Option<TaskStatus>, StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let Some((status, attempt, _)) = state(&mut step, id).await? else { return Ok(None) };
        if status.is_open() {
            let of = AttemptId { task: id.clone(), attempt };
            let end = cancel(&mut step, &of, why, now).await?;
            deliver(&mut step, &of, &end).await?;
            step.commit().await?;
        }
        Ok(Some(status))
    }

    /// Queues a task again that failed, was cancelled or is blocked; `None` if there is no such task.
    ///
    /// # Errors
    /// The disk.
    pub async fn retry_task(
        &mut self,
        id: &TaskId,
        now: SystemTime,
    ) -> Result<Option<Result<(), RetryRefusal>>, StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let known = state(&mut step, id).await?;
        // Nobody waits for a query any more.
        let known = known.filter(|(_, _, kind)| *kind != TaskKind::Query);
        let Some((status, attempt, _)) = known else { return Ok(None) };
        if of_closing_team(&mut step, id).await? {
            return Ok(Some(Err(RetryRefusal::ShuttingDown)));
        }
        match status {
            TaskStatus::Pending | TaskStatus::Running => {
                return Ok(Some(Err(RetryRefusal::Open(status))));
            }
            TaskStatus::Done => return Ok(Some(Err(RetryRefusal::Done))),
            TaskStatus::Blocked | TaskStatus::Failed | TaskStatus::Cancelled => {}
        }
        if status == TaskStatus::Blocked {
            let of = AttemptId { task: id.clone(), attempt };
            let end = TaskEnd::Cancelled { error: "started again".to_owned() };
            close_attempt(&mut step, &of, (&end, 0), now).await?;
        }
        let queue = sql(
            "UPDATE tasks SET status = 'pending', block_reason = NULL, ended_at = NULL, result = NULL, error = NULL \
             WHERE org = $1 AND id = $2",
        );
        queue.bind(id.as_str()).execute(&mut step).await?;
        step.commit().await?;
        Ok(Some(Ok(())))
    }
}

async fn state(
    step: &mut Step<'_>,
    id: &TaskId,
) -> Result<Option<(TaskStatus, u32, TaskKind)>, StoreFault> {
    let find = sql("SELECT status, attempt, kind FROM tasks WHERE org = $1 AND id = $2");
    let Some(row) = find.bind(id.as_str()).fetch_optional(step).await? else {
        return Ok(None);
    };
    let attempt = super::task_rows::number(&row, 1)?;
    let kind = super::task_rows::named(&row, 2, TaskKind::named, "kind")?;
    Ok(Some((super::task_rows::status(&row, 0)?, attempt, kind)))
}

/// True if the team of a task is being shut down.
async fn of_closing_team(step: &mut Step<'_>, id: &TaskId) -> Result<bool, StoreFault> {
    let team = sql("SELECT team FROM tasks WHERE org = $1 AND id = $2");
    let team = team.bind(id.as_str()).fetch_one(&mut *step).await?;
    is_closing(step, &TeamName::new(team.try_get::<String>(0)?)).await
}

/// Ends the task of an attempt that is worked on or waits for a person; false if the attempt is over, also where its task waits
/// for the next one.
pub(super) async fn end_attempt(
    step: &mut Step<'_>,
    of: &AttemptId,
    end: (&TaskEnd, u64),
    now: SystemTime,
) -> Result<bool, StoreFault> {
    end_task(step, (of, "status IN ('running', 'blocked')"), end, now).await
}

/// Cancels an open task, also one that waits. Its newest attempt is 0 if it was never started.
pub(super) async fn cancel(
    step: &mut Step<'_>,
    newest: &AttemptId,
    why: &str,
    now: SystemTime,
) -> Result<TaskEnd, StoreFault> {
    let end = TaskEnd::Cancelled { error: why.to_owned() };
    let which = (newest, "status IN ('pending', 'running', 'blocked')");
    end_task(step, which, (&end, 0), now).await?;
    Ok(end)
}

async fn end_task(
    step: &mut Step<'_>,
    (of, is_open): (&AttemptId, &'static str),
    (end, tokens): (&TaskEnd, u64),
    now: SystemTime,
) -> Result<bool, StoreFault> {
    let (result, error) = match end {
        TaskEnd::Done { result } => (Some(result), None),
        TaskEnd::Failed { error } | TaskEnd::Cancelled { error } => (None, Some(error)),
    };
    let tokens = i64::try_from(tokens).unwrap_or(i64::MAX);
    let ended = sql(format!(
        "UPDATE tasks SET status = $4, block_reason = NULL, result = $5, error = $6, ended_at = $7, tokens = tokens + $8 \
         WHERE org = $1 AND id = $2 AND attempt = $3 AND {is_open}"
    ))
    .bind(of.task.as_str())
    .bind(of.attempt)
    .bind(end.status().name())
    .bind(result)
    .bind(error)
    .bind(millis(now))
    .bind(tokens)
    .execute(&mut *step)
    .await?;
    if ended == 0 {
        return Ok(false);
    }
    close_attempt(step, of, (end, tokens), now).await?;
    Ok(true)
}

/// Reports the end of an attempt to its trigger and to its asker; a person is told nothing more.
pub(super) async fn report_end(
    step: &mut Step<'_>,
    (of, end): (&AttemptId, &TaskEnd),
    seat: &str,
    now: SystemTime,
) -> Result<(), StoreFault> {
    count_use(step, &of.task, 0, None).await?;
    count_end(step, (of, end), (seat, None), now).await?;
    deliver(step, of, end).await
}

/// Ends the attempt alone, if it is open.
pub(super) async fn close_attempt(
    step: &mut Step<'_>,
    of: &AttemptId,
    (end, tokens): (&TaskEnd, i64),
    now: SystemTime,
) -> Result<(), StoreFault> {
    let close = sql("UPDATE attempts SET outcome = $4, ended_at = $5, tokens = $6 \
         WHERE org = $1 AND task = $2 AND attempt = $3 AND outcome IS NULL");
    let close = close.bind(of.task.as_str()).bind(of.attempt).bind(end.status().name());
    close.bind(millis(now)).bind(tokens).execute(step).await?;
    Ok(())
}

/// Leaves the result for the dialog that asked for it, if there is one.
async fn deliver(step: &mut Step<'_>, of: &AttemptId, end: &TaskEnd) -> Result<(), StoreFault> {
    let text = match end {
        TaskEnd::Done { result } => result,
        TaskEnd::Failed { error } | TaskEnd::Cancelled { error } => error,
    };
    let deliver = sql(
        "INSERT INTO deliveries (org, task, attempt, team, dialog, status, text, wake, delivered, seat) \
         SELECT org, id, $3, team, origin_dialog, $4, $5, wake, 0, origin_seat FROM tasks \
         WHERE org = $1 AND id = $2 AND origin_dialog IS NOT NULL ON CONFLICT (org, task, attempt) DO NOTHING",
    );
    let deliver = deliver.bind(of.task.as_str()).bind(of.attempt);
    deliver.bind(end.status().name()).bind(text).execute(step).await?;
    Ok(())
}

/// Cancels all open tasks of a team, and tells their askers.
pub(super) async fn cancel_all(
    step: &mut Step<'_>,
    team: &TeamName,
    why: &str,
    now: SystemTime,
) -> Result<(), StoreFault> {
    let open = "SELECT id, attempt FROM tasks WHERE org = $1 AND team = $2 AND status IN ('pending', 'running', 'blocked')";
    for row in sql(open).bind(team.as_str()).fetch_all(&mut *step).await? {
        let of = attempt_id(&row)?;
        let end = cancel(step, &of, why, now).await?;
        deliver(step, &of, &end).await?;
    }
    Ok(())
}

/// The newest attempt of a task: its id and number.
pub(super) fn attempt_id(row: &Row) -> Result<AttemptId, StoreFault> {
    let id: String = row.try_get(0)?;
    Ok(AttemptId { task: TaskId::new(id), attempt: super::task_rows::number(row, 1)? })
}

/// Cancels the waiting and blocked tasks of a team, and those that run since before `stale`. The caller replaces them
/// and knows that, so nothing is delivered.
pub(super) async fn cancel_open(
    step: &mut Step<'_>,
    team: &TeamName,
    (stale, now): (i64, SystemTime),
) -> Result<(), StoreFault> {
    let find = sql("SELECT id, attempt FROM tasks WHERE org = $1 AND team = $2 \
         AND kind <> 'query' AND (status IN ('pending', 'blocked') OR (status = 'running' AND started_at < $3))");
    let rows = find.bind(team.as_str()).bind(stale).fetch_all(&mut *step).await?;
    for row in rows {
        cancel(step, &attempt_id(&row)?, "replaced by a newer task", now).await?;
    }
    Ok(())
}
