//! What teams remember, as rows. Each change of a memory and of its [index] is one transaction.

mod index;
mod save;
mod search;

use std::time::{Duration, SystemTime};

use super::db::{Row, Step, sql};
use super::task_rows::named;
use super::{Store, millis, moment};
use crate::domain::teams::memory::prompt::{MAX_SHOWN, Noted, NotedRow};
use crate::domain::teams::memory::{
    ListedMemories, MAX_ROWS, Memory, MemoryFilter, MemoryRefusal, MemoryType,
};
use crate::domain::{Clock, TeamName};
use crate::hive::fault::StoreFault;
use index::Indexed;
pub(super) use index::forget_team;

/// Deleted memories are kept so long.
const KEPT: Duration = Duration::from_hours(90 * 24);
/// What [`memory`] reads, in its order. The `+` keeps SQLite from going through all memories, from the largest id on.
const COLUMNS: &str = "m.id, m.team, m.key, m.type, m.content, m.is_active, m.deleted_at, m.supersedes_id, m.supersede_reason, \
     (SELECT MAX(+n.id) FROM memories n WHERE n.org = m.org AND n.supersedes_id = m.id), \
     m.updated_by, m.dialog, m.created_at, m.updated_at";
/// By type, then the newest first.
const ORDER: &str = "CASE m.type WHEN 'identity' THEN 0 WHEN 'lesson' THEN 1 WHEN 'decision' THEN 2 WHEN 'context' THEN 3 \
     WHEN 'reference' THEN 4 ELSE 5 END, m.updated_at DESC, m.id DESC";
/// Those of a team whose types are in prompts.
const NOTED: &str = "m.org = $1 AND m.team = $2 AND m.is_active = 1 \
     AND m.type IN ('identity', 'lesson', 'decision', 'context')";

impl Store {
    /// Memories by type, then the newest first, and how many there are in all.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn memories(
        &mut self,
        filter: &MemoryFilter,
        clock: &dyn Clock,
    ) -> Result<(Vec<Memory>, u64), StoreFault> {
        let state = match filter.listed {
            ListedMemories::Active => "m.is_active = 1",
            ListedMemories::Superseded => "m.deleted_at IS NULL",
            ListedMemories::Deleted => {
                "m.deleted_at IS NOT NULL \
                 AND NOT EXISTS (SELECT 1 FROM memories n WHERE n.org = m.org AND n.supersedes_id = m.id)"
            }
        };
        // An index is of use only where the team is given.
        let of_team =
            if filter.team.is_some() { "m.team = $2" } else { "CAST($2 AS TEXT) IS NULL" };
        let wanted =
            format!("m.org = $1 AND {state} AND {of_team} AND ($3 IS NULL OR m.type = $3)");
        let bound = |text: String| {
            let team = filter.team.as_ref().map(|team| team.as_str().to_owned());
            sql(text).bind(team).bind(filter.kind.map(MemoryType::name))
        };
        let list = format!(
            "SELECT {COLUMNS} FROM (SELECT m.id FROM memories m WHERE {wanted} ORDER BY {ORDER} LIMIT $4) l \
             JOIN memories m ON m.org = $1 AND m.id = l.id ORDER BY {ORDER}"
        );
        let mut step = self.db.begin_reading().await?;
        let rows = bound(list).bind(i64::from(filter.most)).fetch_all(&mut step).await?;
        let count = bound(format!("SELECT COUNT(*) FROM memories m WHERE {wanted}"));
        let total: i64 = count.fetch_one(&mut step).await?.try_get(0)?;
        let found = rows.iter().map(|row| memory(row, clock)).collect::<Result<Vec<_>, _>>()?;
        Ok((found, u64::try_from(total).unwrap_or_default()))
    }

    /// All memories that had this key, the newest first, deleted ones too.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn memory_chain(
        &mut self,
        team: &TeamName,
        key: &str,
        clock: &dyn Clock,
    ) -> Result<Vec<Memory>, StoreFault> {
        let list = sql(format!(
            "SELECT {COLUMNS} FROM memories m WHERE m.org = $1 AND m.team = $2 AND m.key = $3 ORDER BY m.id DESC LIMIT $4"
        ));
        let list = list.bind(team.as_str()).bind(key).bind(MAX_ROWS);
        let rows = list.fetch_all(&mut self.db).await?;
        rows.iter().map(|row| memory(row, clock)).collect()
    }

    /// The teams that have memories.
    ///
    /// # Errors
    /// The disk.
    pub async fn memory_teams(&mut self) -> Result<Vec<TeamName>, StoreFault> {
        let list = sql("SELECT DISTINCT team FROM memories WHERE org = $1 ORDER BY team");
        let rows = list.fetch_all(&mut self.db).await?;
        rows.iter().map(|row| Ok(TeamName::new(row.try_get::<String>(0)?))).collect()
    }

    /// What a member of the team reads when a course begins.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn noted(&mut self, team: &TeamName) -> Result<Noted, StoreFault> {
        // The texts of those that are not shown are not read.
        let list = sql(format!(
            "SELECT m.type, m.key, m.content FROM (SELECT m.id FROM memories m WHERE {NOTED} ORDER BY {ORDER} LIMIT $3) n \
             JOIN memories m ON m.org = $1 AND m.id = n.id ORDER BY {ORDER}"
        ));
        let mut step = self.db.begin_reading().await?;
        let rows = list.bind(team.as_str()).bind(most_shown()).fetch_all(&mut step).await?;
        let count = sql(format!("SELECT COUNT(*) FROM memories m WHERE {NOTED}"));
        let total: i64 = count.bind(team.as_str()).fetch_one(&mut step).await?.try_get(0)?;
        let row = |row: &Row| {
            let kind = named(row, 0, MemoryType::named, "type of memory")?;
            Ok(NotedRow { kind, key: row.try_get(1)?, content: row.try_get(2)? })
        };
        let rows = rows.iter().map(row).collect::<Result<Vec<_>, StoreFault>>()?;
        Ok(Noted { rows, total: usize::try_from(total).unwrap_or_default() })
    }

    /// Deletes a memory with all that it replaced: nobody finds them any more, but a person can restore them. False if
    /// there is none.
    ///
    /// # Errors
    /// The disk; nothing has changed then.
    pub async fn delete_memory(
        &mut self,
        team: &TeamName,
        key: &str,
        now: SystemTime,
    ) -> Result<bool, StoreFault> {
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let active =
            "SELECT 1 FROM memories WHERE org = $1 AND team = $2 AND key = $3 AND is_active = 1";
        let active = sql(active).bind(team.as_str()).bind(key);
        if active.fetch_optional(&mut step).await?.is_none() {
            return Ok(false);
        }
        let chain = "SELECT id FROM memories WHERE org = $1 AND team = $2 AND key = $3 AND deleted_at IS NULL";
        for row in sql(chain).bind(team.as_str()).bind(key).fetch_all(&mut step).await? {
            index::remove(&mut step, team, row.try_get(0)?).await?;
        }
        index::forget_unused(&mut step, team).await?;
        let delete = sql("UPDATE memories SET is_active = 0, deleted_at = $4 \
             WHERE org = $1 AND team = $2 AND key = $3 AND deleted_at IS NULL");
        let delete = delete.bind(team.as_str()).bind(key).bind(millis(now));
        delete.execute(&mut step).await?;
        step.commit().await?;
        Ok(true)
    }

    /// Brings back what was deleted last under this key. False if there is nothing.
    ///
    /// # Errors
    /// The disk; nothing has changed then.
    pub async fn restore_memory(
        &mut self,
        team: &TeamName,
        key: &str,
    ) -> Result<Result<bool, MemoryRefusal>, StoreFault> {
        let mut step = self.db.begin().await?;
        let newest = sql("SELECT is_active, deleted_at, id FROM memories \
             WHERE org = $1 AND team = $2 AND key = $3 ORDER BY id DESC LIMIT 1");
        let newest = newest.bind(team.as_str()).bind(key).fetch_optional(&mut step).await?;
        let Some(newest) = newest else { return Ok(Ok(false)) };
        let (is_active, deleted): (i64, Option<i64>) = (newest.try_get(0)?, newest.try_get(1)?);
        let Some(deleted) = deleted.filter(|_| is_active == 0) else {
            return Ok(Err(MemoryRefusal::Exists(key.to_owned())));
        };
        let chain = sql("SELECT id, content FROM memories \
             WHERE org = $1 AND team = $2 AND key = $3 AND deleted_at = $4 ORDER BY id");
        let chain = chain.bind(team.as_str()).bind(key).bind(deleted);
        for row in chain.fetch_all(&mut step).await? {
            let content: String = row.try_get(1)?;
            let memory = Indexed { id: row.try_get(0)?, team, key, content: &content };
            index::add(&mut step, &memory).await?;
        }
        let back = "UPDATE memories SET deleted_at = NULL WHERE org = $1 AND team = $2 AND key = $3 AND deleted_at = $4";
        let back = sql(back).bind(team.as_str()).bind(key).bind(deleted);
        back.execute(&mut step).await?;
        let active = sql("UPDATE memories SET is_active = 1 WHERE org = $1 AND id = $2");
        active.bind(newest.try_get::<i64>(2)?).execute(&mut step).await?;
        step.commit().await?;
        Ok(Ok(true))
    }

    /// Removes what was deleted long ago.
    ///
    /// # Errors
    /// The disk.
    pub async fn remove_old_memories(&mut self, now: SystemTime) -> Result<u64, StoreFault> {
        let before = now.checked_sub(KEPT).unwrap_or(SystemTime::UNIX_EPOCH);
        let mut step = self.db.begin().await?;
        let remove = sql("DELETE FROM memories WHERE org = $1 AND deleted_at < $2");
        let removed = remove.bind(millis(before)).execute(&mut step).await?;
        step.commit().await?;
        Ok(removed)
    }
}

/// How many memories are in each prompt of a team, and their characters. With more than a prompt has, the cost stays the same.
async fn in_prompts(step: &mut Step<'_>, team: &TeamName) -> Result<(i64, i64), StoreFault> {
    let count = sql(format!(
        "SELECT COUNT(*), CAST(COALESCE(SUM(n.chars), 0) AS BIGINT) FROM ( \
         SELECT CASE WHEN LENGTH(m.content) > 1000 THEN 1000 ELSE LENGTH(m.content) END AS chars \
         FROM memories m WHERE {NOTED} LIMIT $3) n"
    ));
    let row = count.bind(team.as_str()).bind(most_shown()).fetch_one(step).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

fn most_shown() -> i64 {
    i64::try_from(MAX_SHOWN).unwrap_or(i64::MAX)
}

/// A row with [`COLUMNS`].
fn memory(row: &Row, clock: &dyn Clock) -> Result<Memory, StoreFault> {
    let stamp = |at: i64| clock.stamp(moment(at));
    let (is_active, deleted_at): (i64, Option<i64>) = (row.try_get(5)?, row.try_get(6)?);
    Ok(Memory {
        id: row.try_get(0)?,
        team: TeamName::new(row.try_get::<String>(1)?),
        key: row.try_get(2)?,
        kind: named(row, 3, MemoryType::named, "type of memory")?,
        content: row.try_get(4)?,
        is_active: is_active == 1,
        deleted_at: deleted_at.map(stamp),
        supersedes_id: row.try_get(7)?,
        supersede_reason: row.try_get(8)?,
        superseded_by: row.try_get(9)?,
        updated_by: row.try_get(10)?,
        dialog: row.try_get(11)?,
        created_at: stamp(row.try_get(12)?),
        updated_at: stamp(row.try_get(13)?),
    })
}

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
mod retrieval_tests;
#[cfg(test)]
mod tests;
