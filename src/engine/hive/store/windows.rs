//! Windows: the limits of an opening, and where its ticks stop.

use std::time::SystemTime;

use super::db::{Step, sql};
use super::millis;
use super::notices::tell;
use super::task_rows::number;
use crate::domain::TaskId;
use crate::domain::teams::notices::NewsKind;
use crate::domain::teams::trigger::{TickRule, TriggerId};
use crate::hive::fault::StoreFault;

/// False if the opening has used up its limits; a person is told that once. An opening begins with nothing used.
pub(super) async fn admits(
    step: &mut Step<'_>,
    id: &TriggerId,
    rule: &TickRule,
    (seat, now): (&str, SystemTime),
) -> Result<bool, StoreFault> {
    let begin = sql("UPDATE triggers SET opened_at = $4, ticks = 0, tokens = 0, used_up = 0 \
         WHERE org = $1 AND team = $2 AND name = $3 AND opened_at IS DISTINCT FROM $4");
    let begin = begin.bind(id.team.as_str()).bind(&id.name);
    begin.bind(millis(rule.tick.opening)).execute(&mut *step).await?;
    let find = sql(
        "SELECT ticks, tokens, used_up FROM triggers WHERE org = $1 AND team = $2 AND name = $3",
    );
    let find = find.bind(id.team.as_str()).bind(&id.name);
    let row = find.fetch_one(&mut *step).await?;
    let tokens: i64 = row.try_get(1)?;
    let (ticks, told) = (number(&row, 0)?, number(&row, 2)?);
    if !rule.limits.are_reached(ticks, u64::try_from(tokens).unwrap_or_default()) {
        return Ok(true);
    }
    if told == 0 {
        let told =
            sql("UPDATE triggers SET used_up = 1 WHERE org = $1 AND team = $2 AND name = $3");
        told.bind(id.team.as_str()).bind(&id.name).execute(&mut *step).await?;
        tell(step, seat, Some((NewsKind::Notice, rule.used_up.clone())), now).await?;
    }
    Ok(false)
}

/// Counts a tick, whose task is queued.
pub(super) async fn count_tick(
    step: &mut Step<'_>,
    id: &TriggerId,
    rule: &TickRule,
    task: &TaskId,
) -> Result<(), StoreFault> {
    let count =
        sql("UPDATE triggers SET ticks = ticks + 1 WHERE org = $1 AND team = $2 AND name = $3");
    count.bind(id.team.as_str()).bind(&id.name).execute(&mut *step).await?;
    let mark = sql("UPDATE tasks SET opened_at = $3 WHERE org = $1 AND id = $2");
    let mark = mark.bind(task.as_str()).bind(millis(rule.tick.opening));
    mark.execute(step).await?;
    Ok(())
}

/// Counts the tokens of a tick for its opening, if that is still the newest one, and keeps the tick's cursor, unless a
/// later tick has left one.
pub(super) async fn count_use(
    step: &mut Step<'_>,
    task: &TaskId,
    tokens: u64,
    cursor: Option<String>,
) -> Result<(), StoreFault> {
    let add = sql(
        "UPDATE triggers SET tokens = tokens + $3 WHERE org = $1 AND (team, name, opened_at) IN \
         (SELECT team, trigger_name, opened_at FROM tasks WHERE org = $1 AND id = $2 AND is_tick = 1 AND is_test = 0)",
    );
    let tokens = i64::try_from(tokens).unwrap_or(i64::MAX);
    add.bind(task.as_str()).bind(tokens).execute(&mut *step).await?;
    let Some(cursor) = cursor else { return Ok(()) };
    let keep = sql(
        "UPDATE triggers SET position = $3, position_ord = (SELECT ord FROM tasks WHERE org = $1 AND id = $2) \
         WHERE org = $1 AND (team, name) IN \
         (SELECT team, trigger_name FROM tasks WHERE org = $1 AND id = $2 AND is_tick = 1 AND is_test = 0) \
         AND (position_ord IS NULL OR position_ord < (SELECT ord FROM tasks WHERE org = $1 AND id = $2))",
    );
    keep.bind(task.as_str()).bind(cursor).execute(step).await?;
    Ok(())
}
