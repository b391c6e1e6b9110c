//! The index of the memories: chunks, their tokens, and how frequent each token is. It holds nothing that
//! [`Store::reindex_memories`] could not make again.

use crate::domain::TeamName;
use crate::domain::teams::memory::chunks::{Chunk, chunks};
use crate::domain::teams::memory::rank::{counted, written};
use crate::domain::teams::memory::words::index_term;
use crate::hive::fault::StoreFault;
use crate::hive::store::Store;
use crate::hive::store::db::{Step, plain, sql};

/// Tokens that one statement counts.
const BATCH: usize = 16;
/// Memories that are indexed in one transaction.
const STEP: i64 = 100;

/// A memory to be indexed.
pub(super) struct Indexed<'a> {
    pub id: i64,
    pub team: &'a TeamName,
    pub key: &'a str,
    pub content: &'a str,
}

/// The next number of the store.
pub(super) async fn next_number(step: &mut Step<'_>) -> Result<i64, StoreFault> {
    let next = sql("UPDATE meta SET ord = ord + 1 WHERE org = $1 RETURNING ord");
    next.fetch_one(step).await?.try_get(0)
}

/// The term of a team: a search reads nothing of another one.
pub(super) fn team_term(team: &TeamName) -> String {
    index_term(&format!("team {team}"))
}

pub(super) async fn add(step: &mut Step<'_>, memory: &Indexed<'_>) -> Result<(), StoreFault> {
    for chunk in chunks(memory.key, memory.content) {
        add_chunk(step, memory, &chunk).await?;
    }
    Ok(())
}

async fn add_chunk(
    step: &mut Step<'_>,
    memory: &Indexed<'_>,
    chunk: &Chunk,
) -> Result<(), StoreFault> {
    let num = next_number(step).await?;
    let counts = counted(&chunk.tokens);
    let lexemes: Vec<String> =
        [team_term(memory.team)].into_iter().chain(counts.keys().map(|t| index_term(t))).collect();
    let (length, lexemes) = (number(chunk.tokens.len()), lexemes.join(" "));
    let (column, value) = if step.is_shared() {
        (", lexemes", ", array_to_tsvector(string_to_array($9, ' '))")
    } else {
        ("", "")
    };
    let place = sql(format!(
        "INSERT INTO memory_chunks (org, num, team, memory, from_char, to_char, len, terms{column}) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8{value})"
    ));
    let place = place.bind(num).bind(memory.team.as_str()).bind(memory.id);
    let place = place.bind(number(chunk.from)).bind(number(chunk.to));
    let place = place.bind(length).bind(written(&counts));
    if step.is_shared() {
        place.bind(lexemes).execute(step).await?;
    } else {
        place.execute(step).await?;
        let index = plain("INSERT INTO memory_fts (rowid, terms) VALUES ($1, $2)");
        index.bind(num).bind(lexemes).execute(step).await?;
    }
    let tokens: Vec<&str> = counts.keys().copied().collect();
    count_tokens(step, memory.team, &tokens, 1).await?;
    count_chunk(step, memory.team, (1, length)).await
}

/// Takes a memory out of the index; [`forget_unused`] follows.
pub(super) async fn remove(
    step: &mut Step<'_>,
    team: &TeamName,
    id: i64,
) -> Result<(), StoreFault> {
    let all = sql("SELECT num, len, terms FROM memory_chunks WHERE org = $1 AND memory = $2");
    for row in all.bind(id).fetch_all(step).await? {
        let (num, length, terms): (i64, i64, String) =
            (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let known = terms.split(' ').filter_map(|term| term.rsplit_once('*'));
        let tokens: Vec<&str> = known.map(|(token, _)| token).collect();
        count_tokens(step, team, &tokens, -1).await?;
        count_chunk(step, team, (-1, length.saturating_neg())).await?;
        if !step.is_shared() {
            plain("DELETE FROM memory_fts WHERE rowid = $1").bind(num).execute(step).await?;
        }
    }
    let chunks = sql("DELETE FROM memory_chunks WHERE org = $1 AND memory = $2");
    chunks.bind(id).execute(step).await?;
    Ok(())
}

/// Forgets the tokens that are in no chunk any more.
pub(super) async fn forget_unused(step: &mut Step<'_>, team: &TeamName) -> Result<(), StoreFault> {
    let unused = sql("DELETE FROM memory_df WHERE org = $1 AND team = $2 AND n <= 0");
    unused.bind(team.as_str()).execute(step).await?;
    Ok(())
}

/// Counts each of these tokens up by one chunk, or down.
async fn count_tokens(
    step: &mut Step<'_>,
    team: &TeamName,
    tokens: &[&str],
    by: i64,
) -> Result<(), StoreFault> {
    for batch in tokens.chunks(BATCH) {
        let row = |at: usize| format!("($1, $2, ${}, $3)", at + 4);
        let rows: Vec<String> = (0..batch.len()).map(row).collect();
        let count = sql(format!(
            "INSERT INTO memory_df (org, team, term, n) VALUES {} \
             ON CONFLICT (org, team, term) DO UPDATE SET n = memory_df.n + $3",
            rows.join(", ")
        ));
        let count = count.bind(team.as_str()).bind(by);
        batch.iter().fold(count, |count, token| count.bind(*token)).execute(step).await?;
    }
    Ok(())
}

async fn count_chunk(
    step: &mut Step<'_>,
    team: &TeamName,
    (chunks, tokens): (i64, i64),
) -> Result<(), StoreFault> {
    let count = sql(
        "INSERT INTO memory_stats (org, team, chunks, tokens) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (org, team) DO UPDATE SET chunks = memory_stats.chunks + $3, tokens = memory_stats.tokens + $4",
    );
    count.bind(team.as_str()).bind(chunks).bind(tokens).execute(step).await?;
    Ok(())
}

/// Deletes all memories of a team that is shut down.
pub(in crate::hive::store) async fn forget_team(
    step: &mut Step<'_>,
    team: &TeamName,
) -> Result<(), StoreFault> {
    let index = "DELETE FROM memory_fts WHERE rowid IN ( \
         SELECT num FROM memory_chunks WHERE org = $1 AND team = $2)";
    let index = (!step.is_shared()).then(|| index.to_owned());
    let tables = ["memory_chunks", "memory_df", "memory_stats", "memories"];
    let tables = tables.map(|table| format!("DELETE FROM {table} WHERE org = $1 AND team = $2"));
    for delete in index.into_iter().chain(tables) {
        sql(delete).bind(team.as_str()).execute(step).await?;
    }
    Ok(())
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Store {
    /// Looks whether the index is that of the memories; [`Store::problem`] tells of it.
    ///
    /// # Errors
    /// The disk.
    pub async fn check_memories(&mut self) -> Result<(), StoreFault> {
        self.misses_memories = self.memory_index_differs().await?;
        Ok(())
    }

    /// True if the index was found to be incomplete.
    pub(in crate::hive) fn misses_memories(&self) -> bool {
        self.misses_memories
    }

    /// Looks again, if the index was incomplete.
    pub async fn look_at_missing_memories(&mut self) {
        if self.misses_memories
            && let Err(fault) = self.check_memories().await
        {
            // The problem of the index stays, and the next change of the store makes another look.
            tracing::warn!(%fault, "the index of the memories could not be looked at");
        }
    }

    /// True if the index is not that of the memories: a part of it is missing.
    ///
    /// # Errors
    /// The disk.
    pub async fn memory_index_differs(&mut self) -> Result<bool, StoreFault> {
        let is_shared = self.db.is_shared();
        let mut step = self.db.begin_reading().await?;
        let missing = sql(
            "SELECT 1 FROM memories m WHERE m.org = $1 AND m.deleted_at IS NULL AND NOT EXISTS ( \
             SELECT 1 FROM memory_chunks c WHERE c.org = m.org AND c.memory = m.id) LIMIT 1",
        );
        if missing.fetch_optional(&mut step).await?.is_some() {
            return Ok(true);
        }
        let counts = sql("SELECT (SELECT COUNT(*) FROM memory_chunks WHERE org = $1), \
             (SELECT CAST(COALESCE(SUM(chunks), 0) AS BIGINT) FROM memory_stats WHERE org = $1)");
        let row = counts.fetch_one(&mut step).await?;
        let (chunks, counted): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        if is_shared {
            return Ok(counted != chunks);
        }
        let mut indexed = 0;
        let all = sql("SELECT DISTINCT team FROM memory_chunks WHERE org = $1");
        for row in all.fetch_all(&mut step).await? {
            let team = TeamName::new(row.try_get::<String>(0)?);
            // Reads the index, which a number of all its rows would not. Of others a text may look like the term of the team.
            let of_team = sql("SELECT COUNT(*) FROM ( \
                 SELECT rowid AS num FROM memory_fts WHERE memory_fts MATCH $2) f \
                 CROSS JOIN memory_chunks c WHERE c.org = $1 AND c.num = f.num AND c.team = $3");
            let of_team = of_team.bind(team_term(&team)).bind(team.as_str());
            let count = of_team.fetch_one(&mut step).await;
            match count.and_then(|row| row.try_get::<i64>(0)) {
                Ok(count) => indexed += count,
                // The file itself is checked elsewhere.
                Err(StoreFault::Damaged(_)) => return Ok(true),
                Err(fault) => return Err(fault),
            }
        }
        Ok(counted != chunks || indexed != chunks)
    }

    /// Makes the index anew; returns the number of memories in it. What a kill leaves is found by
    /// [`Self::memory_index_differs`].
    ///
    /// # Errors
    /// The disk.
    pub async fn reindex_memories(&mut self) -> Result<u64, StoreFault> {
        let mut step = self.db.begin().await?;
        for table in ["memory_chunks", "memory_df", "memory_stats"] {
            sql(format!("DELETE FROM {table} WHERE org = $1")).execute(&mut step).await?;
        }
        if !step.is_shared() {
            plain("INSERT INTO memory_fts (memory_fts) VALUES ('delete-all')")
                .execute(&mut step)
                .await?;
        }
        step.commit().await?;
        let (mut done, mut last) = (0, 0);
        while let Some((count, to)) = self.index_some(last).await? {
            done += count;
            last = to;
        }
        Ok(done)
    }

    /// Indexes the next memories that are not in the index; returns how many, and the last one.
    async fn index_some(&mut self, after: i64) -> Result<Option<(u64, i64)>, StoreFault> {
        let mut step = self.db.begin().await?;
        let next = sql("SELECT m.id, m.team, m.key, m.content FROM memories m \
             WHERE m.org = $1 AND m.id > $2 AND m.deleted_at IS NULL AND NOT EXISTS ( \
             SELECT 1 FROM memory_chunks c WHERE c.org = m.org AND c.memory = m.id) ORDER BY m.id LIMIT $3");
        let (mut count, mut last) = (0, after);
        for row in next.bind(after).bind(STEP).fetch_all(&mut step).await? {
            let (team, key, content): (String, String, String) =
                (row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
            let team = TeamName::new(team);
            last = row.try_get(0)?;
            let memory = Indexed { id: last, team: &team, key: &key, content: &content };
            add(&mut step, &memory).await?;
            count += 1;
        }
        step.commit().await?;
        Ok((count > 0).then_some((count, last)))
    }
}
