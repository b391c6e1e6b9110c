//! Queries of one team to another: tasks that run from the moment they are asked, and that no list shows.

use std::time::{Duration, SystemTime};

use super::claim::{start, usage};
use super::db::sql;
use super::engines::holds_lease;
use super::task_ends::{attempt_id, end_attempt};
use super::tasks::{chain_refusal, insert, is_there};
use super::{Store, millis};
use crate::domain::teams::task::query::{GIVEN_UP, INTERRUPTED, OpenQuery, QueryRule};
use crate::domain::teams::task::{ActiveTask, NewTask, Task, TaskEnd, TaskRefusal, TaskStatus};
use crate::domain::{Clock, RootId, TaskId, TeamName};
use crate::hive::fault::StoreFault;

/// Time after its deadline until the store ends a query; before that, its asker does.
const GRACE: Duration = Duration::from_secs(10);
/// Time until an ended query is deleted; until then it counts for the limits of a day.
const KEPT: Duration = Duration::from_hours(48);

/// Which unanswered queries are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// Those that are long past their deadline.
    Late,
    /// Those that were asked here.
    AskedHere,
}

impl Store {
    /// Asks a team, unless the query is refused. It has a slot of the team from now on.
    ///
    /// # Errors
    /// The disk; nothing is asked then.
    pub async fn ask(
        &mut self,
        query: &NewTask,
        id: &TaskId,
        (rule, now): (&QueryRule, SystemTime),
    ) -> Result<Result<TaskId, TaskRefusal>, StoreFault> {
        match self.try_ask(query, id, (rule, now)).await {
            // The id tells whether that was done before the connection broke.
            Err(fault) if fault.is_lost() => {
                self.reconnect().await?;
                self.try_ask(query, id, (rule, now)).await
            }
            done => done,
        }
    }

    async fn try_ask(
        &mut self,
        query: &NewTask,
        id: &TaskId,
        (rule, now): (&QueryRule, SystemTime),
    ) -> Result<Result<TaskId, TaskRefusal>, StoreFault> {
        let seat = self.seat.clone();
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let team = &query.team;
        // A call whose answer was lost is made again under the same id.
        if is_there(&mut step, id).await? {
            return Ok(Ok(id.clone()));
        }
        if let Some(refusal) = chain_refusal(&mut step, query).await? {
            return Ok(Err(refusal));
        }
        let limits = &rule.limits;
        let usage = usage(&mut step, &[(team, limits)], millis(rule.day)).await?;
        let usage = usage.get(team).copied().unwrap_or_default();
        if usage.free_slots(limits) <= 0 {
            return Ok(Err(TaskRefusal::Saturated));
        }
        if usage.left_of_day(limits) <= 0 {
            return Ok(Err(TaskRefusal::UsedUp));
        }
        insert(&mut step, query, (id, &seat), (TaskStatus::Running, now)).await?;
        let expires = now.checked_add(rule.within).unwrap_or(now);
        let limit = sql("UPDATE tasks SET expires_at = $3 WHERE org = $1 AND id = $2");
        limit.bind(id.as_str()).bind(millis(expires)).execute(&mut step).await?;
        for old in [
            "DELETE FROM attempts WHERE org = $1 AND put_away = 1 AND task IN \
             (SELECT id FROM tasks WHERE org = $1 AND kind = 'query' AND status <> 'running' AND ended_at < $2)",
            "DELETE FROM tasks WHERE org = $1 AND kind = 'query' AND status <> 'running' AND ended_at < $2 \
             AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.org = tasks.org AND a.task = tasks.id)",
        ] {
            let before = now.checked_sub(KEPT).unwrap_or(SystemTime::UNIX_EPOCH);
            sql(old).bind(millis(before)).execute(&mut step).await?;
        }
        step.commit().await?;
        Ok(Ok(id.clone()))
    }

    /// The queries that have no answer yet, the oldest first.
    pub(super) async fn open_queries(&mut self) -> Result<Vec<OpenQuery>, StoreFault> {
        let open = "SELECT id, attempt, team FROM tasks WHERE org = $1 AND kind = 'query' AND status = 'running' ORDER BY ord";
        let mut queries = Vec::new();
        for row in sql(open).fetch_all(&mut self.db).await? {
            let of = attempt_id(&row)?;
            if self.hosts(&TeamName::new(row.try_get::<String>(2)?)) {
                queries.push(OpenQuery { id: of.task, started: of.attempt > 0 });
            }
        }
        Ok(queries)
    }

    /// Ends the queries long past their deadline, and gives a dialog to each that has none, as long as there are roots.
    ///
    /// # Errors
    /// The disk; nothing is started then.
    pub async fn start_queries(
        &mut self,
        roots: &[RootId],
        clock: &dyn Clock,
    ) -> Result<Vec<ActiveTask>, StoreFault> {
        self.end_queries((GIVEN_UP, Ended::Late), clock.moment()).await?;
        let place = self.place();
        let (seat, engine) = (self.own_seat().map(str::to_owned), self.engine_id());
        let hosted: Vec<TaskId> =
            self.open_queries().await?.into_iter().map(|open| open.id).collect();
        let mut step = self.db.begin().await?;
        let now = step.now(clock.moment());
        if !holds_lease(&mut step, seat.as_deref(), engine.as_deref()).await? {
            return Ok(Vec::new());
        }
        let new = "SELECT id, attempt FROM tasks WHERE org = $1 AND kind = 'query' AND status = 'running' AND attempt = 0 ORDER BY ord";
        let rows = sql(new).fetch_all(&mut step).await?;
        let new = rows.iter().map(attempt_id).collect::<Result<Vec<_>, _>>()?;
        let mut started = Vec::new();
        for (of, root) in new.iter().filter(|of| hosted.contains(&of.task)).zip(roots) {
            start(&mut step, of.task.as_str(), (root, &place), millis(now)).await?;
            started.push(of.task.clone());
        }
        step.commit().await?;
        let mut active = self.active_tasks(clock).await?;
        active.retain(|active| started.contains(&active.task.id));
        Ok(active)
    }

    /// Ends all queries that were asked here: nobody waits for them after a restart.
    ///
    /// # Errors
    /// The disk; then they are still open.
    pub async fn end_old_queries(&mut self, now: SystemTime) -> Result<(), StoreFault> {
        self.end_queries((INTERRUPTED, Ended::AskedHere), now).await
    }

    async fn end_queries(
        &mut self,
        (why, which): (&str, Ended),
        now: SystemTime,
    ) -> Result<(), StoreFault> {
        // Reads first, so that a store that cannot be written can be opened.
        let any =
            "SELECT 1 FROM tasks WHERE org = $1 AND kind = 'query' AND status = 'running' LIMIT 1";
        if sql(any).fetch_optional(&mut self.db).await?.is_none() {
            return Ok(());
        }
        let asked_here = self.own_seat().filter(|_| which == Ended::AskedHere).map(str::to_owned);
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let late = now.checked_sub(GRACE).unwrap_or(SystemTime::UNIX_EPOCH);
        let open = "SELECT id, attempt FROM tasks WHERE org = $1 AND kind = 'query' AND status = 'running' \
                    AND ($2 IS NULL OR expires_at < $2) AND ($3 IS NULL OR origin_seat = $3)";
        let open = sql(open).bind((which == Ended::Late).then(|| millis(late))).bind(asked_here);
        let rows = open.fetch_all(&mut step).await?;
        let end = TaskEnd::Cancelled { error: why.to_owned() };
        for row in &rows {
            end_attempt(&mut step, &attempt_id(row)?, (&end, 0), now).await?;
        }
        step.commit().await
    }

    /// Ends a query if it is open; returns how it ended. `None` if there is no such query.
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
