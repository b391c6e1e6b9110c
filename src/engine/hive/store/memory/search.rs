//! Finding memories. The database names chunks that have some of the words; what decides is `domain/teams/memory/rank`.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::index::team_term;
use super::{COLUMNS, memory};
use crate::domain::teams::memory::rank::{Corpus, Hit, MAX_CANDIDATES, Query, fetching, ordered};
use crate::domain::teams::memory::words::{index_term, query_tokens};
use crate::domain::teams::memory::{Found, MemoryQuery, MemoryType};
use crate::domain::{Clock, TeamName};
use crate::hive::fault::StoreFault;
use crate::hive::store::db::{Row, Statement, Step, sql};
use crate::hive::store::task_rows::{named, number};
use crate::hive::store::{Store, millis};

/// The columns of a [`Hit`] and its chunk.
const HIT: &str =
    "m.id, m.key, m.type, m.is_active, m.updated_at, c.from_char, c.to_char, c.len, c.terms";
/// The newest chunks that have these terms, in each kind of database.
pub(super) const IN_FILE: &str =
    "SELECT rowid AS num FROM memory_fts WHERE memory_fts MATCH $2 ORDER BY rowid DESC LIMIT $5";
const ON_SERVER: &str = "SELECT num FROM memory_chunks WHERE org = $1 AND lexemes @@ CAST($2 AS tsquery) \
     ORDER BY num DESC LIMIT $5";
/// The newest chunks, where the index is damaged.
const NEWEST: &str =
    "SELECT num FROM memory_chunks WHERE org = $1 AND team = $3 ORDER BY num DESC LIMIT $5";

impl Store {
    /// The memories of a team that fit a query that was [checked](MemoryQuery::checked), the best first.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn search_memories(
        &mut self,
        wanted: &MemoryQuery,
        clock: &dyn Clock,
    ) -> Result<Vec<Found>, StoreFault> {
        let is_shared = self.db.is_shared();
        let mut step = self.db.begin_reading().await?;
        let counts = counts(&mut step, &wanted.team, &query_tokens(&wanted.text)).await?;
        let fetched = fetching(&counts);
        if fetched.is_empty() {
            return Ok(Vec::new());
        }
        let query = Query::new(corpus(&mut step, &wanted.team).await?, &counts);
        let terms = terms(&wanted.team, &fetched, is_shared);
        let inner = if is_shared { ON_SERVER } else { IN_FILE };
        let mut rows = candidates(inner, &terms, wanted).fetch_all(&mut step).await;
        if let (false, Err(StoreFault::Damaged(why))) = (is_shared, &rows) {
            // The index is a problem from now on.
            tracing::warn!(%why, "the index of the memories is damaged: the newest are searched");
            self.misses_memories = true;
            rows = candidates(NEWEST, &terms, wanted).fetch_all(&mut step).await;
        }
        let rows = rows?;
        let most = usize::try_from(wanted.most).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        for hit in best(&rows, &query, clock.moment())?.into_iter().take(most) {
            found.extend(read(&mut step, &hit, &query, clock).await?);
        }
        Ok(found)
    }
}

/// The chunks that may fit: those that `inner` names. SQLite keeps the order of a `CROSS JOIN`; it would begin with all
/// chunks of the team.
pub(super) fn candidates(inner: &str, terms: &str, wanted: &MemoryQuery) -> Statement {
    let named = sql(format!(
        "SELECT {HIT} FROM ({inner}) f CROSS JOIN memory_chunks c CROSS JOIN memories m \
         WHERE c.org = $1 AND c.team = $3 AND c.num = f.num AND m.org = $1 AND m.id = c.memory \
         AND m.team = $3 AND m.deleted_at IS NULL AND ($4 IS NULL OR m.type = $4)"
    ));
    let named = named.bind(terms).bind(wanted.team.as_str());
    named.bind(wanted.kind.map(MemoryType::name)).bind(MAX_CANDIDATES)
}

/// In how many chunks of the team each token is.
async fn counts(
    step: &mut Step<'_>,
    team: &TeamName,
    tokens: &[String],
) -> Result<Vec<(String, u32)>, StoreFault> {
    let mut counts = Vec::new();
    for token in tokens {
        let count = sql("SELECT n FROM memory_df WHERE org = $1 AND team = $2 AND term = $3");
        let row = count.bind(team.as_str()).bind(token).fetch_optional(step).await?;
        let count = row.map(|row| number(&row, 0)).transpose()?;
        counts.push((token.clone(), count.unwrap_or_default()));
    }
    Ok(counts)
}

async fn corpus(step: &mut Step<'_>, team: &TeamName) -> Result<Corpus, StoreFault> {
    let stats = sql("SELECT chunks, tokens FROM memory_stats WHERE org = $1 AND team = $2");
    let row = stats.bind(team.as_str()).fetch_optional(step).await?;
    let Some(row) = row else { return Ok(Corpus { chunks: 0, tokens: 0 }) };
    Ok(Corpus { chunks: number(&row, 0)?, tokens: number(&row, 1)? })
}

/// The condition on the index. It has letters, digits and our own operators.
fn terms(team: &TeamName, tokens: &[&str], is_shared: bool) -> String {
    let (and, or) = if is_shared { (" & ", " | ") } else { (" AND ", " OR ") };
    let any: Vec<String> = tokens.iter().map(|token| index_term(token)).collect();
    format!("{}{and}({})", team_term(team), any.join(or))
}

/// The order of the memories that have these chunks, each with its best one.
fn best(rows: &[Row], query: &Query, now: SystemTime) -> Result<Vec<Hit>, StoreFault> {
    let mut best: BTreeMap<i64, Hit> = BTreeMap::new();
    for row in rows {
        let (is_active, terms): (i64, String) = (row.try_get(3)?, row.try_get(8)?);
        let place = |at: usize| number(row, at).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        let hit = Hit {
            id: row.try_get(0)?,
            key: row.try_get(1)?,
            kind: named(row, 2, MemoryType::named, "type of memory")?,
            is_active: is_active == 1,
            updated_at: row.try_get(4)?,
            score: query.score(number(row, 7)?, &terms),
            span: (place(5)?, place(6)?),
        };
        // It has none of the words, but a term that stands for another one, too.
        if hit.score <= 0.0 {
            continue;
        }
        let is_better = |known: &Hit| {
            let by_score = hit.score.total_cmp(&known.score);
            by_score.then(known.span.cmp(&hit.span)).is_gt()
        };
        if best.get(&hit.id).is_none_or(is_better) {
            best.insert(hit.id, hit);
        }
    }
    let now = millis(now);
    Ok(ordered(best.into_values().map(|hit| hit.weighted(now)).collect()))
}

async fn read(
    step: &mut Step<'_>,
    hit: &Hit,
    query: &Query,
    clock: &dyn Clock,
) -> Result<Option<Found>, StoreFault> {
    let one = sql(format!(
        "SELECT {COLUMNS}, (SELECT MAX(n.supersede_reason) FROM memories n WHERE n.org = m.org AND n.supersedes_id = m.id) \
         FROM memories m WHERE m.org = $1 AND m.id = $2"
    ));
    let Some(row) = one.bind(hit.id).fetch_optional(step).await? else { return Ok(None) };
    let memory = memory(&row, clock)?;
    let (from, to) = hit.span;
    let chunk: String = memory.content.chars().skip(from).take(to.saturating_sub(from)).collect();
    let mark = if memory.is_active { "" } else { "[SUPERSEDED] " };
    Ok(Some(Found {
        replaced_for: row.try_get(WIDTH)?,
        snippet: format!("{mark}{}", query.snippet(&chunk)),
        score: (hit.score * 100.0).round() / 100.0,
        memory,
    }))
}

/// The number of [`COLUMNS`].
const WIDTH: usize = 14;
