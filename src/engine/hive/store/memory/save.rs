//! Saving a memory: it replaces the active one of its key for a reason.

use std::time::SystemTime;

use super::in_prompts;
use super::index::{self, Indexed, next_number};
use crate::domain::teams::memory::prompt::too_much;
use crate::domain::teams::memory::{
    Author, MAX_ACTIVE, MAX_SAVES, MemoryRefusal, NewMemory, Saved,
};
use crate::domain::teams::notices::{NewNotice, NewsKind};
use crate::domain::{AgentId, TeamName};
use crate::hive::fault::StoreFault;
use crate::hive::store::db::{Step, sql};
use crate::hive::store::notices::tell;
use crate::hive::store::{Store, millis};

/// Who speaks in a notice about the memories that a person has saved.
const HUMAN: &str = "human";

impl Store {
    /// Saves a memory that was [checked](NewMemory::checked). The same again is no error.
    ///
    /// # Errors
    /// The disk; nothing has changed then.
    pub async fn save_memory(
        &mut self,
        new: &NewMemory,
        now: SystemTime,
    ) -> Result<Result<Saved, MemoryRefusal>, StoreFault> {
        let seat = self.seat.clone();
        let mut step = self.db.begin().await?;
        let now = step.now(now);
        let old = sql(
            "SELECT id, type, content FROM memories WHERE org = $1 AND team = $2 AND key = $3 AND is_active = 1",
        );
        let old = old.bind(new.team.as_str()).bind(&new.key).fetch_optional(&mut step).await?;
        let mut supersedes = None;
        if let Some(row) = old {
            let (id, kind, content): (i64, String, String) =
                (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            if kind == new.kind.name() && content == new.content {
                return Ok(Ok(Saved::Unchanged { id }));
            }
            if new.reason.is_none() {
                return Ok(Err(MemoryRefusal::Exists(new.key.clone())));
            }
            supersedes = Some(id);
        }
        if let Some(refusal) = bound(&mut step, new, supersedes).await? {
            return Ok(Err(refusal));
        }
        if let Some(old) = supersedes {
            let replace = sql("UPDATE memories SET is_active = 0 WHERE org = $1 AND id = $2");
            replace.bind(old).execute(&mut step).await?;
        }
        let id = next_number(&mut step).await?;
        insert(&mut step, new, (id, supersedes), millis(now)).await?;
        let memory = Indexed { id, team: &new.team, key: &new.key, content: &new.content };
        index::add(&mut step, &memory).await?;
        tell_of_many(&mut step, &seat, new, now).await?;
        step.commit().await?;
        Ok(Ok(Saved::New { id, supersedes }))
    }
}

/// Why no more memories may be saved, if that is so.
async fn bound(
    step: &mut Step<'_>,
    new: &NewMemory,
    supersedes: Option<i64>,
) -> Result<Option<MemoryRefusal>, StoreFault> {
    if let Author::Member { dialog, course, .. } = &new.by {
        let saved =
            sql("SELECT COUNT(*) FROM memories WHERE org = $1 AND dialog = $2 AND course = $3");
        let saved = saved.bind(dialog.to_string()).bind(course.0);
        let count: i64 = saved.fetch_one(step).await?.try_get(0)?;
        if count >= i64::from(MAX_SAVES) {
            return Ok(Some(MemoryRefusal::TooMany));
        }
    }
    let active =
        sql("SELECT COUNT(*) FROM memories WHERE org = $1 AND team = $2 AND is_active = 1");
    let active: i64 = active.bind(new.team.as_str()).fetch_one(step).await?.try_get(0)?;
    let is_full = supersedes.is_none() && active >= i64::from(MAX_ACTIVE);
    Ok(is_full.then(|| MemoryRefusal::Full(new.team.clone())))
}

async fn insert(
    step: &mut Step<'_>,
    new: &NewMemory,
    (id, supersedes): (i64, Option<i64>),
    now: i64,
) -> Result<(), StoreFault> {
    let (dialog, course) = match &new.by {
        Author::Human => (None, None),
        Author::Member { dialog, course, .. } => {
            (Some(dialog.to_string()), Some(i64::from(course.0)))
        }
    };
    let insert = sql(
        "INSERT INTO memories (org, id, team, key, type, is_active, supersedes_id, supersede_reason, updated_by, \
         dialog, course, created_at, updated_at, content) VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9, $10, $11, $11, $12)",
    );
    let insert = insert.bind(id).bind(new.team.as_str()).bind(&new.key).bind(new.kind.name());
    let reason = new.reason.as_ref().filter(|_| supersedes.is_some());
    let insert = insert.bind(supersedes).bind(reason).bind(new.by.name());
    insert.bind(dialog).bind(course).bind(now).bind(&new.content).execute(step).await?;
    Ok(())
}

/// Tells a person, once, that the prompts of a team have become long.
async fn tell_of_many(
    step: &mut Step<'_>,
    seat: &str,
    new: &NewMemory,
    now: SystemTime,
) -> Result<(), StoreFault> {
    let team: &TeamName = &new.team;
    let Some(title) = too_much(team.as_str(), in_prompts(step, team).await?, new.lang) else {
        return Ok(());
    };
    let agent = match &new.by {
        Author::Human => AgentId::new(HUMAN),
        Author::Member { id, .. } => id.clone(),
    };
    let notice = NewNotice::of_team((agent, team.clone()), "memory", title);
    tell(step, seat, Some((NewsKind::Notice, notice)), now).await
}
