//! Disables triggers whose tasks fail again and again.

use std::time::SystemTime;

use super::db::{Step, sql};
use super::millis;
use super::notices::tell;
use super::task_rows::number;
use crate::domain::teams::notices::{NewNotice, NewsKind};
use crate::domain::teams::task::{AttemptId, TaskEnd};
use crate::hive::fault::StoreFault;

/// Counts the end of a task for its trigger. Too many failures in a row disable it, and tell a person `news`.
pub(super) async fn count_end(
    step: &mut Step<'_>,
    (of, end): (&AttemptId, &TaskEnd),
    (seat, news): (&str, Option<NewNotice>),
    now: SystemTime,
) -> Result<(), StoreFault> {
    let count = match end {
        TaskEnd::Done { .. } => "failures = 0",
        TaskEnd::Failed { .. } => "failures = failures + 1",
        TaskEnd::Cancelled { .. } => return Ok(()),
    };
    let count = format!(
        "UPDATE triggers SET {count} WHERE org = $1 AND state = 'active' AND (team, name) IN \
         (SELECT team, trigger_name FROM tasks WHERE org = $1 AND id = $2 AND is_test = 0) \
         RETURNING team, name, failures, threshold"
    );
    let count = sql(count).bind(of.task.as_str());
    let Some(row) = count.fetch_optional(&mut *step).await? else { return Ok(()) };
    let (failures, threshold) = (number(&row, 2)?, number(&row, 3)?);
    if failures < threshold || failures == 0 {
        return Ok(());
    }
    let (team, name): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let reason = format!("{failures} consecutive failures");
    // A notice tells it to a person, below.
    tracing::warn!(team, name, reason, "a trigger is disabled");
    let disable = sql(
        "UPDATE triggers SET state = 'disabled', reason = $4, changed_at = $5 WHERE org = $1 AND team = $2 AND name = $3",
    );
    let disable = disable.bind(&team).bind(&name).bind(reason).bind(millis(now));
    disable.execute(&mut *step).await?;
    tell(step, seat, news.map(|notice| (NewsKind::Failure, notice)), now).await
}
