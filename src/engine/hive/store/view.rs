//! What is read after each change, for all who look at the tasks of a store.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Store;
use super::db::{Row, sql};
use super::task_rows::{COLUMNS, active, delivery, ended};
use crate::domain::teams::task::row::{MAX_OPEN_ROWS, TaskRow};
use crate::domain::teams::task::{ActiveTask, Priority, TaskStatus};
use crate::domain::{Clock, TeamName};
use crate::hive::fault::StoreFault;
use crate::hive::views::TasksView;

/// Maximum number of teams whose queues are counted one by one; with more, all queues are counted.
const COUNTED_ALONE: usize = 4;

/// What work in the store may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    Anything,
    /// Nothing that anybody looks at.
    Nothing,
    /// A task of this team and priority was queued, and no other was changed.
    Queued(TeamName, Priority),
    /// Tasks that waited were started, or a team has used up its day.
    Started,
}

impl Store {
    /// The tasks that run or are blocked, the oldest start first.
    pub(super) async fn active_tasks(
        &mut self,
        clock: &dyn Clock,
    ) -> Result<Vec<ActiveTask>, StoreFault> {
        self.active_since(None, clock).await
    }

    /// As [`Self::active_tasks`], for attempts that were started at this time or later.
    pub(super) async fn active_since(
        &mut self,
        since: Option<i64>,
        clock: &dyn Clock,
    ) -> Result<Vec<ActiveTask>, StoreFault> {
        let list = format!(
            "SELECT {COLUMNS}, a.dialog_root, a.begun, a.cuts, CASE WHEN t.is_tick = 1 THEN ( \
             SELECT r.position FROM triggers r WHERE r.org = t.org AND r.team = t.team AND r.name = t.trigger_name) END, \
             (SELECT e.box FROM attempts e WHERE e.org = t.org AND e.task = t.id AND e.attempt = t.attempt - 1) \
             FROM tasks t JOIN attempts a ON a.org = t.org AND a.task = t.id AND a.attempt = t.attempt \
             WHERE t.org = $1 AND t.status IN ('running', 'blocked') AND ($2 IS NULL OR a.seat = $2) \
             AND ($3 IS NULL OR a.started_at >= $3) ORDER BY a.started_at, t.ord"
        );
        let rows = sql(list).bind(self.own_seat()).bind(since).fetch_all(&mut self.db).await?;
        rows.iter().map(|row| active(row, clock)).collect()
    }

    /// The current work, and what is still to be done about ended tasks. Its revision is 0.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn tasks_view(&mut self, clock: &dyn Clock) -> Result<TasksView, StoreFault> {
        let active = self.active_tasks(clock).await?;
        let waiting = self.waiting(None).await?;
        let open = sql("SELECT a.task, a.attempt, a.dialog_root, a.outcome, \
             CASE WHEN EXISTS (SELECT 1 FROM teams m WHERE m.org = a.org AND m.name = a.team AND m.status = 'closing') \
             THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END, \
             CASE WHEN EXISTS (SELECT 1 FROM tasks t WHERE t.org = a.org AND t.id = a.task AND t.kind = 'query') \
             THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END, a.tokens \
             FROM attempts a WHERE a.org = $1 AND a.put_away = 0 AND a.outcome IS NOT NULL AND ($2 IS NULL OR a.seat = $2) \
             ORDER BY a.ended_at, a.task");
        let rows = open.bind(self.own_seat()).fetch_all(&mut self.db).await?;
        let ended = rows.iter().map(ended).collect::<Result<Vec<_>, _>>()?;
        let undelivered = sql(
            "SELECT task, attempt, team, dialog, status, text, wake FROM deliveries \
             WHERE org = $1 AND delivered = 0 AND ($2 IS NULL OR seat = $2) ORDER BY task, attempt",
        );
        let rows = undelivered.bind(self.own_seat()).fetch_all(&mut self.db).await?;
        let deliveries = rows.iter().map(delivery).collect::<Result<Vec<_>, _>>()?;
        let (teams, changes) = self.team_states().await?;
        let queries = self.open_queries().await?;
        let (triggers, messages) = (self.triggers().await?, self.messages().await?);
        Ok(TasksView {
            revision: 0,
            teams: teams.into(),
            changes: changes.into(),
            listed: self.task_list(clock).await?.into(),
            active: active.into(),
            queries: queries.into(),
            triggers: triggers.into(),
            messages: messages.into(),
            used_up: self.used_up_of(&waiting),
            pending: waiting.into(),
            ended: ended.into(),
            deliveries: deliveries.into_iter().flatten().collect(),
            sharing: self.sharing(clock).await?.map(Into::into),
        })
    }

    /// As [`Self::tasks_view`], after work that made only these changes: everything else is taken from `before` and not
    /// read, however much of it is in the store.
    ///
    /// # Errors
    /// As for [`Self::tasks_view`].
    pub async fn tasks_view_after(
        &mut self,
        changes: &Changes,
        before: &TasksView,
        clock: &dyn Clock,
    ) -> Result<TasksView, StoreFault> {
        match changes {
            Changes::Anything => self.tasks_view(clock).await,
            Changes::Nothing => Ok(before.clone()),
            Changes::Queued(team, priority) => {
                let waiting = self.waiting_after(&BTreeSet::from([team]), before).await?;
                let listed = if is_listed(*priority, &before.listed) {
                    self.listed_after(before, clock).await?
                } else {
                    Arc::clone(&before.listed)
                };
                let used_up = self.used_up_of(&waiting);
                Ok(TasksView { listed, used_up, pending: waiting.into(), ..before.clone() })
            }
            Changes::Started => {
                let active = self.active_tasks(clock).await?;
                let is_new = |one: &&ActiveTask| !before.active.contains(one);
                let teams: BTreeSet<_> =
                    active.iter().filter(is_new).map(|one| &one.task.team).collect();
                let (waiting, listed) = if teams.is_empty() {
                    (before.pending.to_vec(), Arc::clone(&before.listed))
                } else {
                    let waiting = self.waiting_after(&teams, before).await?;
                    (waiting, self.listed_after(before, clock).await?)
                };
                let used_up = self.used_up_of(&waiting);
                let (active, pending) = (active.into(), waiting.into());
                Ok(TasksView { listed, active, pending, used_up, ..before.clone() })
            }
        }
    }

    /// How many tasks wait for each team, after the queues of these have changed.
    async fn waiting_after(
        &mut self,
        teams: &BTreeSet<&TeamName>,
        before: &TasksView,
    ) -> Result<Vec<(TeamName, u64)>, StoreFault> {
        if teams.len() > COUNTED_ALONE {
            return self.waiting(None).await;
        }
        let mut waiting = before.pending.to_vec();
        waiting.retain(|(name, _)| !teams.contains(name));
        for team in teams {
            waiting.extend(self.waiting(Some(team)).await?);
        }
        waiting.sort_unstable();
        Ok(waiting)
    }

    /// The tasks that lists show, after open ones have changed.
    async fn listed_after(
        &mut self,
        before: &TasksView,
        clock: &dyn Clock,
    ) -> Result<Arc<[TaskRow]>, StoreFault> {
        let mut listed = self.open_task_list(clock).await?;
        listed.extend(before.listed.iter().filter(|row| !row.status.is_open()).cloned());
        Ok(listed.into())
    }

    /// How many tasks wait for each team, or for one; a team without any is not among them.
    pub(super) async fn waiting(
        &mut self,
        of: Option<&TeamName>,
    ) -> Result<Vec<(TeamName, u64)>, StoreFault> {
        let rows = match of {
            None => {
                let all = "SELECT team, COUNT(*) FROM tasks WHERE org = $1 AND status = 'pending' GROUP BY team ORDER BY team";
                sql(all).fetch_all(&mut self.db).await?
            }
            Some(team) => {
                let one = "SELECT team, COUNT(*) FROM tasks WHERE org = $1 AND status = 'pending' AND team = $2 GROUP BY team";
                sql(one).bind(team.as_str()).fetch_all(&mut self.db).await?
            }
        };
        let count = |row: &Row| {
            let (team, count): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
            Ok((TeamName::new(team), u64::try_from(count).unwrap_or_default()))
        };
        rows.iter().map(count).collect()
    }

    /// The teams that have used up their day, and for which something waits.
    fn used_up_of(&self, waiting: &[(TeamName, u64)]) -> Arc<[TeamName]> {
        let still = |team: &&TeamName| waiting.iter().any(|(name, _)| name == *team);
        self.used_up.iter().filter(still).cloned().collect()
    }
}

/// True if a task just queued with this priority is listed: not if the list is full of tasks before it.
fn is_listed(priority: Priority, listed: &[TaskRow]) -> bool {
    let open = listed.partition_point(|row| row.status.is_open());
    let last = open.checked_sub(1).and_then(|at| listed.get(at));
    let goes_before =
        |last: &TaskRow| last.status != TaskStatus::Pending || last.priority <= priority;
    open < MAX_OPEN_ROWS || !last.is_some_and(goes_before)
}
