//! Notices and failures. A text that is said again while it is open counts up.

use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};

use super::db::{Row, Step, sql};
use super::{Store, dialogs, millis, moment};
use crate::domain::teams::notices::{MAX_OPEN, NewNotice, NewsItem, NewsKind, NewsLevel};
use crate::domain::teams::task::TeamWork;
use crate::domain::text::hex;
use crate::domain::{AgentId, Clock, DialogId, TaskId, TeamName};
use crate::hive::fault::StoreFault;
use crate::hive::views::News;

/// Notices that nobody has dismissed are deleted after this time; failures stay.
const KEPT: Duration = Duration::from_hours(14 * 24);
/// Bytes of a hash in an id.
const ID_BYTES: usize = 6;

/// Which items are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listed {
    Open,
    /// Also those that were dismissed.
    All,
}

impl Store {
    /// Keeps a notice; returns its id. The same call twice is one notice, the same text twice one with a higher count.
    ///
    /// # Errors
    /// Too many are open; the disk.
    pub async fn add_notice(
        &mut self,
        notice: &NewNotice,
        now: SystemTime,
    ) -> Result<String, StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let id = add(&mut step, &self.seat, (NewsKind::Notice, notice), now).await?;
        step.commit().await?;
        Ok(id)
    }

    /// Keeps this failure in the place of all that the same agent said of this team before; without one, that is over.
    ///
    /// # Errors
    /// The disk.
    pub(in crate::hive) async fn replace_failure(
        &mut self,
        (agent, team): (&AgentId, &TeamName),
        failure: Option<NewNotice>,
        now: SystemTime,
    ) -> Result<(), StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let before =
            sql("DELETE FROM notices WHERE org = $1 AND kind = $2 AND agent = $3 AND team = $4");
        let before = before.bind(NewsKind::Failure.name()).bind(agent.as_str());
        before.bind(team.as_str()).execute(&mut step).await?;
        let failure = failure.map(|notice| (NewsKind::Failure, notice));
        tell(&mut step, &self.seat, failure, now).await?;
        step.commit().await
    }

    /// Dismisses those of these items that are open, in one transaction.
    ///
    /// # Errors
    /// The disk; nothing is dismissed then.
    pub async fn dismiss(&mut self, ids: &[String], now: SystemTime) -> Result<(), StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        for id in ids {
            let dismiss = sql(
                "UPDATE notices SET resolved_at = $3 WHERE org = $1 AND id = $2 AND resolved_at IS NULL",
            );
            dismiss.bind(id).bind(millis(now)).execute(&mut step).await?;
        }
        step.commit().await?;
        Ok(())
    }

    /// Deletes dismissed items, and old notices.
    ///
    /// # Errors
    /// The disk.
    pub async fn delete_old(&mut self, now: SystemTime) -> Result<(), StoreFault> {
        let before = now.checked_sub(KEPT).unwrap_or(SystemTime::UNIX_EPOCH);
        let delete = sql("DELETE FROM notices WHERE org = $1 \
             AND (resolved_at IS NOT NULL OR (kind = $2 AND updated_at < $3))");
        let kind = NewsKind::Notice.name();
        delete.bind(kind).bind(millis(before)).execute(&mut self.db).await?;
        Ok(())
    }

    /// Failures first, then notices, the newest first.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn news(
        &mut self,
        listed: Listed,
        clock: &dyn Clock,
    ) -> Result<Vec<NewsItem>, StoreFault> {
        let list = sql(
            "SELECT id, kind, level, agent, dialog, title, body, count, created_at, updated_at, resolved_at, team, task \
             FROM notices WHERE org = $1 AND (resolved_at IS NULL OR $2 = 1) \
             ORDER BY kind = 'notice', updated_at DESC, id LIMIT $3",
        );
        let all = i64::from(listed == Listed::All);
        let limit = i64::try_from(MAX_OPEN).unwrap_or(i64::MAX);
        let rows = list.bind(all).bind(limit).fetch_all(&mut self.db).await?;
        rows.iter().map(|row| item(row, clock)).collect()
    }
}

/// Adds an item for a person. With too many open items it is left out: the list of tasks shows the same.
pub(super) async fn tell(
    step: &mut Step<'_>,
    seat: &str,
    news: News,
    now: SystemTime,
) -> Result<(), StoreFault> {
    let Some((kind, notice)) = news else { return Ok(()) };
    match add(step, seat, (kind, &notice), now).await {
        Err(StoreFault::TooMany) => {
            tracing::warn!(title = notice.title, "too many notices are open: one is left out");
            Ok(())
        }
        added => added.map(|_| ()),
    }
}

/// Adds an item within a transaction; returns its id.
///
/// # Errors
/// Too many are open; the disk. The transaction can go on without it.
pub(super) async fn add(
    step: &mut Step<'_>,
    seat: &str,
    (kind, notice): (NewsKind, &NewNotice),
    now: SystemTime,
) -> Result<String, StoreFault> {
    let id = notice_id(notice.dialog.as_ref(), &notice.call);
    let (now, key) = (millis(now), dedup_key(notice));
    if has_notice(step, &id).await? {
        return Ok(id);
    }
    let again = sql("UPDATE notices SET count = count + 1, updated_at = $3 \
         WHERE org = $1 AND dedup_key = $2 AND resolved_at IS NULL RETURNING id");
    let again = again.bind(&key).bind(now).fetch_optional(&mut *step).await?;
    if let Some(row) = again {
        return row.try_get(0);
    }
    let open = sql("SELECT COUNT(*) FROM notices WHERE org = $1 AND resolved_at IS NULL");
    let open: i64 = open.fetch_one(&mut *step).await?.try_get(0)?;
    if usize::try_from(open).is_ok_and(|open| open >= MAX_OPEN) {
        return Err(StoreFault::TooMany);
    }
    let NewNotice { agent, dialog, work, level, title, body, .. } = notice;
    sql(
        "INSERT INTO notices (org, id, kind, seat, dialog, agent, title, body, level, dedup_key, count, created_at, updated_at, \
         team, task) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 1, $11, $11, $12, $13)",
    )
    .bind(&id)
    .bind(kind.name())
    .bind(seat)
    .bind(dialog.as_ref().map(dialogs::text))
    .bind(agent.as_str())
    .bind(title)
    .bind(body)
    .bind(level.name())
    .bind(key)
    .bind(now)
    .bind(work.as_ref().map(|work| work.team.as_str().to_owned()))
    .bind(work.as_ref().and_then(|work| work.task.as_ref()).map(|task| task.as_str().to_owned()))
    .execute(&mut *step)
    .await?;
    Ok(id)
}

async fn has_notice(step: &mut Step<'_>, id: &str) -> Result<bool, StoreFault> {
    let found = sql("SELECT 1 FROM notices WHERE org = $1 AND id = $2");
    Ok(found.bind(id).fetch_optional(step).await?.is_some())
}

fn item(row: &Row, clock: &dyn Clock) -> Result<NewsItem, StoreFault> {
    let unknown = |what: &str| StoreFault::Damaged(format!("a notice with an unknown {what}"));
    let (kind, level): (String, String) = (row.try_get(1)?, row.try_get(2)?);
    let (agent, dialog): (Option<String>, Option<String>) = (row.try_get(3)?, row.try_get(4)?);
    let (count, created_at, updated_at): (i64, i64, i64) =
        (row.try_get(7)?, row.try_get(8)?, row.try_get(9)?);
    let resolved_at: Option<i64> = row.try_get(10)?;
    let (team, task): (Option<String>, Option<String>) = (row.try_get(11)?, row.try_get(12)?);
    Ok(NewsItem {
        id: row.try_get(0)?,
        kind: NewsKind::named(&kind).ok_or_else(|| unknown("kind"))?,
        level: NewsLevel::named(&level).ok_or_else(|| unknown("level"))?,
        agent: agent.map(AgentId::new),
        dialog: dialog.as_deref().and_then(dialogs::read),
        work: team.map(|team| TeamWork { team: TeamName::new(team), task: task.map(TaskId::new) }),
        title: row.try_get(5)?,
        body: row.try_get(6)?,
        count: u64::try_from(count).unwrap_or_default(),
        created_at: clock.stamp(moment(created_at)),
        updated_at: clock.stamp(moment(updated_at)),
        resolved_at: resolved_at.map(|at| clock.stamp(moment(at))),
    })
}

/// The id of a call's notice: the same whenever the call is made.
fn notice_id(dialog: Option<&DialogId>, call: &str) -> String {
    let dialog = dialog.map(dialogs::text).unwrap_or_default();
    let digest = Sha256::digest(format!("{dialog}\n{call}"));
    format!("n-{}", hex::hex(digest.get(..ID_BYTES).unwrap_or_default()))
}

/// Equal for equal words of a member about the same task; each task has its own.
fn dedup_key(notice: &NewNotice) -> String {
    let NewNotice { agent, work, level, title, body, .. } = notice;
    let task = work.as_ref().and_then(|work| work.task.as_ref()).map_or("", TaskId::as_str);
    let all = [agent.as_str(), task, level.name(), title, body];
    let all = all.map(|part| format!("{}:{part}", part.len()));
    hex::hex(&Sha256::digest(all.concat()))
}
