//! The tasks that lists show.

use super::db::{Row, sql};
use super::task_rows::{named, number, priority, status};
use super::{Store, moment};
use crate::domain::reading::title::short_headline;
use crate::domain::teams::task::row::{MAX_ABOUT_CHARS, MAX_ENDED_ROWS, MAX_OPEN_ROWS, TaskRow};
use crate::domain::teams::task::{BlockReason, TaskKind};
use crate::domain::{Clock, RootId, TaskId, TeamName};
use crate::hive::fault::StoreFault;

/// Characters of a text that are read for its first line.
const READ_CHARS: i64 = 1_000;

/// What [`row`] reads, in its order. A task that was queued again waits since its last attempt ended.
const COLUMNS: &str = "id, team, kind, priority, status, block_reason, substr(text, 1, CAST($2 AS INTEGER)), ord, attempt, dialog_root, \
     COALESCE(ended_at, CASE status WHEN 'pending' THEN ( \
     SELECT MAX(a.ended_at) FROM attempts a WHERE a.org = tasks.org AND a.task = tasks.id) ELSE started_at END, created_at), \
     substr(error, 1, CAST($2 AS INTEGER))";

impl Store {
    /// The open tasks, what is worked on first, then the queue in its order; then those that have ended, the newest first.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub(super) async fn task_list(
        &mut self,
        clock: &dyn Clock,
    ) -> Result<Vec<TaskRow>, StoreFault> {
        let mut all = self.open_task_list(clock).await?;
        let ended = "ended_at IS NOT NULL AND kind <> 'query' ORDER BY ended_at DESC, ord DESC";
        all.extend(self.task_rows(ended, MAX_ENDED_ROWS, clock).await?);
        Ok(all)
    }

    /// The open tasks alone.
    ///
    /// # Errors
    /// As for [`Self::task_list`].
    pub(super) async fn open_task_list(
        &mut self,
        clock: &dyn Clock,
    ) -> Result<Vec<TaskRow>, StoreFault> {
        let mut all = Vec::new();
        // Each is in the order of an index: nothing is sorted, however many tasks wait.
        for status in ["blocked", "running", "pending"] {
            let which = format!("status = '{status}' AND kind <> 'query' ORDER BY priority, ord");
            let left = MAX_OPEN_ROWS.saturating_sub(all.len());
            all.extend(self.task_rows(&which, left, clock).await?);
        }
        Ok(all)
    }

    async fn task_rows(
        &mut self,
        which: &str,
        most: usize,
        clock: &dyn Clock,
    ) -> Result<Vec<TaskRow>, StoreFault> {
        let list = format!("SELECT {COLUMNS} FROM tasks WHERE org = $1 AND {which} LIMIT $3");
        let list = sql(list).bind(READ_CHARS);
        let list = list.bind(i64::try_from(most).unwrap_or(i64::MAX));
        let rows = list.fetch_all(&mut self.db).await?;
        rows.iter().map(|read| row(read, clock)).collect()
    }
}

fn row(row: &Row, clock: &dyn Clock) -> Result<TaskRow, StoreFault> {
    let (text, reason): (String, Option<String>) = (row.try_get(6)?, row.try_get(5)?);
    let error: Option<String> = row.try_get(11)?;
    Ok(TaskRow {
        id: TaskId::new(row.try_get::<String>(0)?),
        team: TeamName::new(row.try_get::<String>(1)?),
        kind: named(row, 2, TaskKind::named, "kind")?,
        priority: priority(row, 3)?,
        status: status(row, 4)?,
        block_reason: reason.as_deref().and_then(BlockReason::named),
        about: short_headline(&text, MAX_ABOUT_CHARS),
        number: u64::try_from(row.try_get::<i64>(7)?).unwrap_or_default(),
        attempt: number(row, 8)?,
        dialog: row.try_get::<Option<String>>(9)?.map(RootId::new),
        since: clock.stamp(moment(row.try_get(10)?)),
        error: error.map(|error| short_headline(&error, MAX_ABOUT_CHARS)),
    })
}
