//! Recent events, for deduplication and rate limits.

use std::time::{Duration, SystemTime};

use super::db::{Step, sql};
use super::millis;
use crate::hive::fault::StoreFault;

/// Events are remembered for at least this long.
pub(super) const KEPT: Duration = Duration::from_hours(24);

fn ago(now: SystemTime, seconds: u32) -> i64 {
    millis(now) - i64::from(seconds) * 1_000
}

/// Forgets events that are older than `seconds` and than [`KEPT`].
pub(super) async fn forget_old(
    step: &mut Step<'_>,
    seconds: u32,
    now: SystemTime,
) -> Result<(), StoreFault> {
    let kept = u32::try_from(KEPT.as_secs()).unwrap_or(u32::MAX);
    let forget = sql("DELETE FROM seen WHERE org = $1 AND at < $2");
    forget.bind(ago(now, seconds.max(kept))).execute(step).await?;
    Ok(())
}

/// True if this was seen in the last `seconds`, or later than now: somebody has set the clock back.
pub(super) async fn is_known(
    step: &mut Step<'_>,
    (scope, id): (&str, &str),
    seconds: u32,
    now: SystemTime,
) -> Result<bool, StoreFault> {
    let seen = sql("SELECT at FROM seen WHERE org = $1 AND scope = $2 AND id = $3");
    let seen = seen.bind(scope).bind(id).fetch_optional(step).await?;
    let at: Option<i64> = seen.map(|row| row.try_get(0)).transpose()?;
    Ok(at.is_some_and(|at| at > ago(now, seconds)))
}

/// Milliseconds until the rate limit (`rate` events in `seconds`) allows the next event; `None` if it does now.
pub(super) async fn wait(
    step: &mut Step<'_>,
    scope: &str,
    (rate, seconds): (u32, u32),
    now: SystemTime,
) -> Result<Option<u64>, StoreFault> {
    let times =
        sql("SELECT at FROM seen WHERE org = $1 AND scope = $2 AND at > $3 ORDER BY at DESC");
    let times = times.bind(scope).bind(ago(now, seconds)).fetch_all(step).await?;
    let at_most = usize::try_from(rate).unwrap_or(usize::MAX);
    let Some(oldest) = times.get(at_most.saturating_sub(1)) else { return Ok(None) };
    let at: i64 = oldest.try_get(0)?;
    Ok(Some(u64::try_from(at - ago(now, seconds)).unwrap_or_default()))
}

pub(super) async fn remember(
    step: &mut Step<'_>,
    (scope, id): (&str, &str),
    now: SystemTime,
) -> Result<(), StoreFault> {
    let remember = sql("INSERT INTO seen (org, scope, id, at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (org, scope, id) DO UPDATE SET at = $4");
    remember.bind(scope).bind(id).bind(millis(now)).execute(step).await?;
    Ok(())
}
