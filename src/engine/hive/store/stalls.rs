//! Tasks that may stall, and what a person is told of them: one item per team, removed when nothing stalls any more.

use std::time::{Duration, SystemTime};

use super::db::{Row, Step, sql};
use super::task_rows::{COLUMNS, WIDTH, task};
use super::{Store, millis, moment, notices};
use crate::domain::Clock;
use crate::domain::teams::task::Task;
use crate::hive::fault::StoreFault;
use crate::hive::views::StallNews;

/// Maximum number of tasks that are looked at: those that wait longest.
const MAX_TASKS: i64 = 200;
/// Prefix of the keys of the items.
const KEY: &str = "stall:";

impl Store {
    /// The tasks that have waited, or run, since before that moment, and for how long; the oldest first.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn long_open(
        &mut self,
        before: SystemTime,
        clock: &dyn Clock,
    ) -> Result<Vec<(Task, Duration)>, StoreFault> {
        // A task that was queued again waits since its last attempt ended.
        let list = format!(
            "SELECT * FROM (SELECT {COLUMNS}, CASE t.status WHEN 'running' THEN t.started_at ELSE COALESCE( \
             (SELECT MAX(a.ended_at) FROM attempts a WHERE a.org = t.org AND a.task = t.id), t.created_at) END AS since \
             FROM tasks t WHERE t.org = $1 AND t.status IN ('pending', 'running')) open WHERE since < $2 ORDER BY since LIMIT $3"
        );
        let list = sql(list).bind(millis(before));
        let rows = list.bind(MAX_TASKS).fetch_all(&mut self.db).await?;
        let now = clock.moment();
        let aged = |row: &Row| {
            let since: i64 = row.try_get(WIDTH)?;
            let age = now.duration_since(moment(since)).unwrap_or_default();
            Ok((task(row, clock)?, age))
        };
        rows.iter().map(aged).collect()
    }

    /// Tells a person what stalls now. An existing item is updated, or removed if its thing no longer stalls.
    ///
    /// # Errors
    /// The disk; nothing has changed then.
    pub async fn tell_stalls(
        &mut self,
        stalls: &[StallNews],
        now: SystemTime,
    ) -> Result<(), StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        for stall in stalls {
            let key = format!("{KEY}{}", stall.team);
            if !update(&mut step, stall, &key, now).await? {
                insert(&mut step, &self.seat, stall, (&key, now)).await?;
            }
        }
        let open = sql(
            "SELECT id, dedup_key FROM notices WHERE org = $1 AND resolved_at IS NULL AND substr(dedup_key, 1, CAST($2 AS INTEGER)) = $3",
        );
        let length = i64::try_from(KEY.len()).unwrap_or_default();
        for row in open.bind(length).bind(KEY).fetch_all(&mut step).await? {
            let (id, key): (String, String) = (row.try_get(0)?, row.try_get(1)?);
            let team = key.strip_prefix(KEY).unwrap_or_default();
            if !stalls.iter().any(|stall| stall.team.as_str() == team) {
                resolve(&mut step, &id, now).await?;
            }
        }
        step.commit().await?;
        Ok(())
    }
}

async fn update(
    step: &mut Step<'_>,
    StallNews { kind, notice, count, .. }: &StallNews,
    key: &str,
    now: SystemTime,
) -> Result<bool, StoreFault> {
    let update =
        sql("UPDATE notices SET kind = $3, title = $4, body = $5, count = $6, updated_at = $7 \
         WHERE org = $1 AND dedup_key = $2 AND resolved_at IS NULL");
    let update = update.bind(key).bind(kind.name()).bind(&notice.title);
    let update = update.bind(&notice.body).bind(count).bind(millis(now));
    Ok(update.execute(step).await? > 0)
}

async fn insert(
    step: &mut Step<'_>,
    seat: &str,
    StallNews { kind, notice, count, .. }: &StallNews,
    (key, now): (&str, SystemTime),
) -> Result<(), StoreFault> {
    let id = match notices::add(step, seat, (*kind, notice), now).await {
        Ok(id) => id,
        Err(StoreFault::TooMany) => {
            // The list of tasks shows the same.
            tracing::warn!(title = notice.title, "too many notices are open: one is left out");
            return Ok(());
        }
        Err(fault) => return Err(fault),
    };
    let mark = "UPDATE notices SET dedup_key = $3, count = $4 WHERE org = $1 AND id = $2";
    sql(mark).bind(id).bind(key).bind(count).execute(step).await?;
    Ok(())
}

async fn resolve(step: &mut Step<'_>, id: &str, now: SystemTime) -> Result<(), StoreFault> {
    let resolve = "UPDATE notices SET resolved_at = $3 WHERE org = $1 AND id = $2";
    sql(resolve).bind(id).bind(millis(now)).execute(step).await?;
    Ok(())
}
