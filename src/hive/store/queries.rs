//! Queries of one team to another: tasks that run from the moment they are asked, and that no list shows.

use std::time::{Duration, SystemTime};

use sqlx::{Connection as _, Row as _};

use super::task_ends::{attempt_id, end_attempt};
use super::tasks::{chain_refusal, insert, left_of_day, running, start};
use super::{ORG, Store, millis};
use crate::domain::task::query::{GIVEN_UP, INTERRUPTED, OpenQuery, QueryRule};
use crate::domain::task::{ActiveTask, NewTask, Task, TaskEnd, TaskRefusal, TaskStatus};
use crate::domain::{Clock, RootId, TaskId};
use crate::hive::fault::StoreFault;

/// A query whose time is over is ended by whoever asked; by the store, if that has not happened so long after.
const GRACE: Duration = Duration::from_secs(10);
/// A query that has ended counts for the limits of a day, and is deleted after so long.
const KEPT: Duration = Duration::from_hours(48);

impl Store {
    /// Asks a team, unless something speaks against it. The query has a slot of the team from now on.
    ///
    /// # Errors
    /// The disk; nothing is asked then.
    pub async fn ask(
        &mut self,
        query: &NewTask,
        id: &TaskId,
        (rule, now): (&QueryRule, SystemTime),
    ) -> Result<Result<TaskId, TaskRefusal>, StoreFault> {
        let mut step = self.db.begin_with("BEGIN IMMEDIATE").await?;
        let team = &query.team;
        if let Some(refusal) = chain_refusal(&mut step, query).await? {
            return Ok(Err(refusal));
        }
        if running(&mut step, team).await? >= i64::from(rule.limits.max_running) {
            return Ok(Err(TaskRefusal::Saturated));
        }
        if left_of_day(&mut step, (team, &rule.limits), millis(rule.day)).await? <= 0 {
            return Ok(Err(TaskRefusal::UsedUp));
        }
        insert(&mut step, query, id, (TaskStatus::Running, now)).await?;
        let expires = now.checked_add(rule.within).unwrap_or(now);
        let limit = sqlx::query("UPDATE tasks SET expires_at = $3 WHERE org = $1 AND id = $2");
        limit.bind(ORG).bind(id.as_str()).bind(millis(expires)).execute(&mut *step).await?;
        for old in [
            "DELETE FROM attempts WHERE org = $1 AND put_away = 1 AND task IN \
             (SELECT id FROM tasks WHERE org = $1 AND kind = 'query' AND status <> 'running' AND ended_at < $2)",
            "DELETE FROM tasks WHERE org = $1 AND kind = 'query' AND status <> 'running' AND ended_at < $2 \
             AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.org = tasks.org AND a.task = tasks.id)",
        ] {
            let before = now.checked_sub(KEPT).unwrap_or(SystemTime::UNIX_EPOCH);
            sqlx::query(old).bind(ORG).bind(millis(before)).execute(&mut *step).await?;
        }
        step.commit().await?;
        Ok(Ok(id.clone()))
    }

    /// The queries that have no answer yet, the oldest first.
    pub(super) async fn open_queries(&mut self) -> Result<Vec<OpenQuery>, StoreFault> {
        let open = "SELECT id, attempt FROM tasks WHERE org = $1 AND kind = 'query' AND status = 'running' ORDER BY ord";
        let rows = sqlx::query(open).bind(ORG).fetch_all(&mut self.db).await?;
        let query = |row| {
            let of = attempt_id(row)?;
            Ok(OpenQuery { id: of.task, started: of.attempt > 0 })
        };
        rows.iter().map(query).collect()
    }

    /// Ends the queries whose time has long been over, and gives dialogs to those that have none, as far as there are roots.
    ///
    /// # Errors
    /// The disk; nothing is started then.
    pub async fn start_queries(
        &mut self,
        roots: &[RootId],
        clock: &dyn Clock,
    ) -> Result<Vec<ActiveTask>, StoreFault> {
        let now = clock.moment();
        let late = now.checked_sub(GRACE).unwrap_or(SystemTime::UNIX_EPOCH);
        self.end_queries((GIVEN_UP, Some(late)), now).await?;
        let mut step = self.db.begin_with("BEGIN IMMEDIATE").await?;
        let new = "SELECT id, attempt FROM tasks WHERE org = $1 AND kind = 'query' AND status = 'running' AND attempt = 0 ORDER BY ord";
        let rows = sqlx::query(new).bind(ORG).fetch_all(&mut *step).await?;
        let mut started = Vec::new();
        for (row, root) in rows.iter().zip(roots) {
            let id: String = row.try_get(0)?;
            start(&mut step, &id, root, millis(now)).await?;
            started.push(id);
        }
        step.commit().await?;
        let mut active = self.active_tasks(clock).await?;
        active.retain(|active| started.iter().any(|id| id == active.task.id.as_str()));
        Ok(active)
    }

    /// Ends all queries: nobody waits for them after a restart.
    ///
    /// # Errors
    /// The disk; then they are still open.
    pub async fn end_old_queries(&mut self, now: SystemTime) -> Result<(), StoreFault> {
        self.end_queries((INTERRUPTED, None), now).await
    }

    /// Ends the open queries that have expired by `expired`, or all of them.
    async fn end_queries(
        &mut self,
        (why, expired): (&str, Option<SystemTime>),
        now: SystemTime,
    ) -> Result<(), StoreFault> {
        // A store to which nothing can be written is opened all the same.
        if self.open_queries().await?.is_empty() {
            return Ok(());
        }
        let mut step = self.db.begin_with("BEGIN IMMEDIATE").await?;
        let open = "SELECT id, attempt FROM tasks WHERE org = $1 AND kind = 'query' AND status = 'running' \
                    AND ($2 IS NULL OR expires_at < $2)";
        let open = sqlx::query(open).bind(ORG).bind(expired.map(millis));
        let rows = open.fetch_all(&mut *step).await?;
        let end = TaskEnd::Cancelled { error: why.to_owned() };
        for row in &rows {
            end_attempt(&mut step, &attempt_id(row)?, (&end, 0), now).await?;
        }
        if !rows.is_empty() {
            step.commit().await?;
        }
        Ok(())
    }

    /// Ends a query if it is open; then, how it ended. `None` if there is no such query.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn give_up(
        &mut self,
        id: &TaskId,
        clock: &dyn Clock,
    ) -> Result<Option<Task>, StoreFault> {
        self.cancel_task(id, GIVEN_UP, clock.moment()).await?;
        Ok(self.find_task(id.as_str(), clock).await?.into_iter().find(|task| task.id == *id))
    }
}
