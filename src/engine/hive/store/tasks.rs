//! Tasks that are queued, and what is noted of those that were started ([`super::claim`]). When they end: [`super::task_ends`].

use std::time::SystemTime;

use super::db::{Step, sql};
use super::sagas::is_closing;
use super::task_rows::{COLUMNS, priority_number, task};
use super::windows::count_use;
use super::{Store, dialogs, millis, moment, seen};
use crate::domain::teams::task::{
    AttemptId, Enqueued, InFlight, MAX_DEPTH, MAX_ESCALATIONS, NewTask, Overlap, STALE_AFTER_MS,
    Task, TaskFilter, TaskKind, TaskRefusal, TaskStatus,
};
use crate::domain::{Clock, TaskId, TeamName};
use crate::hive::fault::StoreFault;

/// Maximum number of open tasks in the answer about a busy team.
const MAX_IN_FLIGHT: i64 = 20;

impl Store {
    /// Queues a task under this id, unless it is refused.
    ///
    /// # Errors
    /// The disk; nothing is queued then.
    pub async fn enqueue(
        &mut self,
        new: &NewTask,
        id: &TaskId,
        now: SystemTime,
    ) -> Result<Enqueued, StoreFault> {
        match self.try_enqueue(new, id, now).await {
            // The id tells whether that was done before the connection broke.
            Err(fault) if fault.is_lost() => {
                self.reconnect().await?;
                self.try_enqueue(new, id, now).await
            }
            done => done,
        }
    }

    async fn try_enqueue(
        &mut self,
        new: &NewTask,
        id: &TaskId,
        now: SystemTime,
    ) -> Result<Enqueued, StoreFault> {
        let seat = self.seat.clone();
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        // A call whose answer was lost is made again under the same id.
        if is_there(&mut step, id).await? {
            return Ok(Enqueued::Queued(id.clone()));
        }
        let outcome = enqueue(&mut step, new, (id, &seat), now).await?;
        if matches!(outcome, Enqueued::Queued(_)) {
            step.commit().await?;
        }
        Ok(outcome)
    }

    /// The dialog of an attempt has been made.
    ///
    /// # Errors
    /// The disk.
    pub async fn begun(&mut self, of: &AttemptId) -> Result<(), StoreFault> {
        let begun = "UPDATE attempts SET begun = 1 WHERE org = $1 AND task = $2 AND attempt = $3";
        let begun = sql(begun).bind(of.task.as_str()).bind(of.attempt);
        begun.execute(&mut self.db).await?;
        Ok(())
    }

    /// Counts a restart that interrupted an attempt.
    ///
    /// # Errors
    /// The disk.
    pub async fn cut(&mut self, of: &AttemptId) -> Result<(), StoreFault> {
        let cut =
            "UPDATE attempts SET cuts = cuts + 1 WHERE org = $1 AND task = $2 AND attempt = $3";
        let cut = sql(cut).bind(of.task.as_str()).bind(of.attempt);
        cut.execute(&mut self.db).await?;
        Ok(())
    }

    /// The dialog of an ended attempt has been put away, or is not there. `tokens`: those of its dialogs that are not
    /// counted yet; they count once, for its task, its team and the window that it is a tick of.
    ///
    /// # Errors
    /// The disk.
    pub async fn put_away(&mut self, of: &AttemptId, tokens: u64) -> Result<(), StoreFault> {
        let mut step = self.db.begin().await?;
        let used = i64::try_from(tokens).unwrap_or(i64::MAX);
        let put = sql("UPDATE attempts SET put_away = 1, tokens = tokens + $4 \
             WHERE org = $1 AND task = $2 AND attempt = $3 AND put_away = 0");
        let put = put.bind(of.task.as_str()).bind(of.attempt).bind(used);
        let is_first = put.execute(&mut step).await? > 0;
        if is_first && tokens > 0 {
            let add = sql("UPDATE tasks SET tokens = tokens + $3 WHERE org = $1 AND id = $2");
            add.bind(of.task.as_str()).bind(used).execute(&mut step).await?;
            count_use(&mut step, &of.task, tokens, None).await?;
        }
        step.commit().await
    }

    /// The dialog that asked has the result in its queue, or is not there.
    ///
    /// # Errors
    /// The disk.
    pub async fn delivered(&mut self, of: &AttemptId) -> Result<(), StoreFault> {
        let done =
            "UPDATE deliveries SET delivered = 1 WHERE org = $1 AND task = $2 AND attempt = $3";
        let done = sql(done).bind(of.task.as_str()).bind(of.attempt);
        done.execute(&mut self.db).await?;
        Ok(())
    }

    /// Tasks, the newest first; no queries.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn tasks(
        &mut self,
        filter: &TaskFilter,
        clock: &dyn Clock,
    ) -> Result<Vec<Task>, StoreFault> {
        let statuses: Vec<&str> = filter.statuses.iter().map(|status| status.name()).collect();
        let statuses =
            if statuses.is_empty() { String::new() } else { format!("|{}|", statuses.join("|")) };
        let list = format!(
            "SELECT {COLUMNS} FROM tasks t WHERE t.org = $1 AND ($2 IS NULL OR t.team = $2) \
             AND ($3 = '' OR $3 LIKE '%|' || t.status || '|%') AND t.kind <> 'query' AND ($4 IS NULL OR t.kind = $4) AND t.created_at >= $5 \
             ORDER BY t.ord DESC LIMIT $6"
        );
        let list = sql(list)
            .bind(filter.team.as_ref().map(TeamName::as_str))
            .bind(statuses)
            .bind(filter.kind.map(TaskKind::name))
            .bind(filter.since.map_or(0, millis))
            .bind(filter.limit);
        let rows = list.fetch_all(&mut self.db).await?;
        rows.iter().map(|row| task(row, clock)).collect()
    }

    /// The tasks whose id starts with `start`; at most two.
    ///
    /// # Errors
    /// As for [`Self::tasks`].
    pub async fn find_task(
        &mut self,
        start: &str,
        clock: &dyn Clock,
    ) -> Result<Vec<Task>, StoreFault> {
        let find = format!(
            "SELECT {COLUMNS} FROM tasks t WHERE t.org = $1 AND substr(t.id, 1, CAST($3 AS INTEGER)) = $2 ORDER BY t.id LIMIT 2"
        );
        let length = i64::try_from(start.chars().count()).unwrap_or(i64::MAX);
        let find = sql(find).bind(start).bind(length);
        let rows = find.fetch_all(&mut self.db).await?;
        rows.iter().map(|row| task(row, clock)).collect()
    }
}

pub(super) async fn enqueue(
    step: &mut Step<'_>,
    new: &NewTask,
    (id, seat): (&TaskId, &str),
    now: SystemTime,
) -> Result<Enqueued, StoreFault> {
    if let Some(refusal) = refusal(step, new, id, now).await? {
        return Ok(Enqueued::Refused(refusal));
    }
    if let Some(outcome) = busy(step, new, now).await? {
        return Ok(outcome);
    }
    insert(step, new, (id, seat), (TaskStatus::Pending, now)).await?;
    Ok(Enqueued::Queued(id.clone()))
}

/// True if there is a task with this id.
pub(super) async fn is_there(step: &mut Step<'_>, id: &TaskId) -> Result<bool, StoreFault> {
    let find = sql("SELECT 1 FROM tasks WHERE org = $1 AND id = $2").bind(id.as_str());
    Ok(find.fetch_optional(step).await?.is_some())
}

/// Writes a new task, in this status. `seat`: where its asker is.
pub(super) async fn insert(
    step: &mut Step<'_>,
    new: &NewTask,
    (id, seat): (&TaskId, &str),
    (status, now): (TaskStatus, SystemTime),
) -> Result<(), StoreFault> {
    let next = sql("UPDATE meta SET ord = ord + 1 WHERE org = $1 RETURNING ord");
    let ord: i64 = next.fetch_one(&mut *step).await?.try_get(0)?;
    let (root, depth) = match &new.cause {
        Some(cause) => (cause.root_correlation.as_str(), cause.depth.saturating_add(1)),
        None => (id.as_str(), 0),
    };
    sql(
        "INSERT INTO tasks (org, id, team, kind, priority, ord, status, text, member, max_steps, correlation, \
         root_correlation, depth, from_team, origin_dialog, wake, created_at, attempt, tokens, \
         trigger_name, trigger_tells, is_test, channel, message, is_tick, origin_seat, cause) \
         VALUES ($1, $2, $3, $4, $5, $6, $17, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, 0, $18, $19, $20, $21, $22, $23, $24, $25)",
    )
    .bind(id.as_str())
    .bind(new.team.as_str())
    .bind(new.kind.name())
    .bind(priority_number(new.priority))
    .bind(ord)
    .bind(&new.text)
    .bind(new.member.as_ref().map(|member| member.as_str().to_owned()))
    .bind(new.max_steps)
    .bind(&new.correlation)
    .bind(root)
    .bind(depth)
    .bind(new.from.as_ref().map(|team| team.as_str().to_owned()))
    .bind(new.origin.as_ref().map(dialogs::text))
    .bind(i64::from(new.wake))
    .bind(millis(now))
    .bind(status.name())
    .bind(new.trigger.as_ref().map(|trigger| trigger.name.clone()))
    .bind(new.trigger.as_ref().map(|trigger| i64::from(trigger.tells)))
    .bind(new.trigger.as_ref().map(|trigger| i64::from(trigger.is_test)))
    .bind(new.trigger.as_ref().and_then(|trigger| trigger.channel.clone()))
    .bind(new.trigger.as_ref().and_then(|trigger| trigger.message.clone()))
    .bind(new.trigger.as_ref().map(|trigger| i64::from(trigger.is_tick)))
    .bind(seat)
    .bind(new.cause.as_ref().map(|cause| cause.task.as_str().to_owned()))
    .execute(&mut *step)
    .await?;
    Ok(())
}

async fn count(
    step: &mut Step<'_>,
    query: &'static str,
    (first, second): (&str, i64),
) -> Result<i64, StoreFault> {
    let row = sql(query).bind(first).bind(second).fetch_one(step).await?;
    row.try_get(0)
}

/// The refusal of any work for this team.
pub(super) async fn chain_refusal(
    step: &mut Step<'_>,
    new: &NewTask,
) -> Result<Option<TaskRefusal>, StoreFault> {
    if is_closing(step, &new.team).await? {
        return Ok(Some(TaskRefusal::ShuttingDown));
    }
    let is_deep =
        new.cause.as_ref().is_some_and(|cause| cause.depth.saturating_add(1) >= MAX_DEPTH);
    Ok(is_deep.then_some(TaskRefusal::ChainTooLong))
}

/// The refusal of a task. A handoff is remembered here, for its deduplication and rate limit.
async fn refusal(
    step: &mut Step<'_>,
    new: &NewTask,
    id: &TaskId,
    now: SystemTime,
) -> Result<Option<TaskRefusal>, StoreFault> {
    if let Some(refusal) = chain_refusal(step, new).await? {
        return Ok(Some(refusal));
    }
    if let (TaskKind::Escalation, Some(cause)) = (new.kind, &new.cause) {
        let escalated = "SELECT COUNT(*) FROM tasks WHERE org = $1 AND root_correlation = $2 AND kind = 'escalation' AND $3 = 0";
        let before = count(step, escalated, (&cause.root_correlation, 0)).await?;
        if before >= i64::from(MAX_ESCALATIONS) {
            return Ok(Some(TaskRefusal::TooManyEscalations));
        }
    }
    let waiting =
        "SELECT COUNT(*) FROM tasks WHERE org = $1 AND team = $2 AND status = 'pending' AND $3 = 0";
    if new.max_queue > 0
        && count(step, waiting, (new.team.as_str(), 0)).await? >= i64::from(new.max_queue)
    {
        return Ok(Some(TaskRefusal::QueueFull { most: new.max_queue }));
    }
    let (Some(rule), Some(from)) = (new.once, &new.from) else { return Ok(None) };
    seen::forget_old(step, rule.dedup_seconds.max(rule.per_seconds), now).await?;
    let (same, rate) = (format!("handoff:{from}"), format!("handoff-rate:{from}"));
    if let Some(correlation) = &new.correlation
        && seen::is_known(step, (&same, correlation), rule.dedup_seconds, now).await?
    {
        return Ok(Some(TaskRefusal::Duplicate));
    }
    let bound = (rule.rate, rule.per_seconds);
    if let Some(retry_after_ms) = seen::wait(step, &rate, bound, now).await? {
        return Ok(Some(TaskRefusal::TooOften { retry_after_ms }));
    }
    if let Some(correlation) = &new.correlation {
        seen::remember(step, (&same, correlation), now).await?;
    }
    seen::remember(step, (&rate, id.as_str()), now).await?;
    Ok(None)
}

/// What becomes of a task for a busy team; `None`: it is queued.
async fn busy(
    step: &mut Step<'_>,
    new: &NewTask,
    now: SystemTime,
) -> Result<Option<Enqueued>, StoreFault> {
    if new.overlap == Overlap::Allow {
        return Ok(None);
    }
    let in_flight = in_flight(step, &new.team, now).await?;
    if in_flight.is_empty() {
        return Ok(None);
    }
    let runs = |one: &InFlight| one.status == TaskStatus::Running && !one.stale;
    let would_cancel_running = in_flight.iter().any(runs);
    match new.overlap {
        Overlap::Allow => Ok(None),
        Overlap::Skip => Ok(Some(Enqueued::Skipped)),
        Overlap::Replace if !would_cancel_running => {
            let stale = millis(now) - i64::try_from(STALE_AFTER_MS).unwrap_or(i64::MAX);
            super::task_ends::cancel_open(step, &new.team, (stale, now)).await?;
            Ok(None)
        }
        Overlap::Confirm => {
            Ok(Some(Enqueued::NeedsConfirmation { in_flight, would_cancel_running: false }))
        }
        Overlap::Replace => {
            Ok(Some(Enqueued::NeedsConfirmation { in_flight, would_cancel_running }))
        }
    }
}

async fn in_flight(
    step: &mut Step<'_>,
    team: &TeamName,
    now: SystemTime,
) -> Result<Vec<InFlight>, StoreFault> {
    // Running ones first: they decide whether others may be replaced.
    let open = sql(
        "SELECT id, kind, status, COALESCE(started_at, created_at), correlation FROM tasks WHERE org = $1 AND team = $2 \
         AND status IN ('pending', 'running', 'blocked') AND kind <> 'query' ORDER BY status = 'running' DESC, COALESCE(started_at, created_at) DESC \
         LIMIT $3",
    );
    let rows = open.bind(team.as_str()).bind(MAX_IN_FLIGHT).fetch_all(step).await?;
    let mut all = Vec::new();
    for row in &rows {
        let (id, kind, since): (String, String, i64) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(3)?);
        let unknown = || StoreFault::Damaged("a task with an unknown kind".to_owned());
        let age = now.duration_since(moment(since)).unwrap_or_default();
        let age_ms = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        all.push(InFlight {
            task_id: TaskId::new(id),
            kind: TaskKind::named(&kind).ok_or_else(unknown)?,
            status: super::task_rows::status(row, 2)?,
            age_ms,
            correlation_id: row.try_get(4)?,
            stale: age_ms > STALE_AFTER_MS,
        });
    }
    Ok(all)
}
