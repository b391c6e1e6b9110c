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
use crate::hive::store::db::{Statement, Step, sql};
use crate::hive::store::task_rows::number;
use crate::hive::store::{Store, millis};

/// A memory and one of its chunks, as one text of so many parts.
const CANDIDATE: &str = "m.id || $6 || m.is_active || $6 || m.updated_at || $6 || c.from_char || $6 || c.to_char || $6 || \
     c.len || $6 || m.type || $6 || m.key || $6 || c.terms";
const PARTS: usize = 9;
/// They stand between the parts of a candidate, and between two candidates. This program saves no key and no token with one.
const UNIT: char = '\u{1f}';
const RECORD: char = '\u{1e}';
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
        let mut named = candidates(inner, &terms, wanted).fetch_one(&mut step).await;
        if let (false, Err(StoreFault::Damaged(why))) = (is_shared, &named) {
            // The index is a problem from now on.
            tracing::warn!(%why, "the index of the memories is damaged: the newest are searched");
            self.misses_memories = true;
            named = candidates(NEWEST, &terms, wanted).fetch_one(&mut step).await;
        }
        let named: Option<String> = named?.try_get(0)?;
        let most = usize::try_from(wanted.most).unwrap_or(usize::MAX);
        let mut found = Vec::new();
        for hit in best(&named.unwrap_or_default(), &query, clock.moment()).into_iter().take(most) {
            found.extend(read(&mut step, &wanted.team, &hit, &query, clock).await?);
        }
        Ok(found)
    }
}

/// The chunks that may fit: those that `inner` names. They are one text, because each row by itself would have to be handed
/// from the thread that reads to the one that waits. SQLite keeps the order of a `CROSS JOIN`; it would begin with all
/// chunks of the team.
pub(super) fn candidates(inner: &str, terms: &str, wanted: &MemoryQuery) -> Statement {
    let named = sql(format!(
        "SELECT string_agg({CANDIDATE}, $7) FROM ({inner}) f CROSS JOIN memory_chunks c CROSS JOIN memories m \
         WHERE c.org = $1 AND c.team = $3 AND c.num = f.num AND m.org = $1 AND m.id = c.memory \
         AND m.team = $3 AND m.deleted_at IS NULL AND ($4 IS NULL OR m.type = $4)"
    ));
    let named = named.bind(terms).bind(wanted.team.as_str());
    let named = named.bind(wanted.kind.map(MemoryType::name)).bind(MAX_CANDIDATES);
    named.bind(UNIT.to_string()).bind(RECORD.to_string())
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

/// The order of the memories that have these chunks, each with its best one. `named`: the [`candidates`].
fn best(named: &str, query: &Query, now: SystemTime) -> Vec<Hit> {
    let mut best: BTreeMap<i64, Hit> = BTreeMap::new();
    for candidate in named.split_terminator(RECORD) {
        // No version of this program wrote it.
        let Some(hit) = hit(candidate, query) else { continue };
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
    ordered(best.into_values().map(|hit| hit.weighted(now)).collect())
}

fn hit(candidate: &str, query: &Query) -> Option<Hit> {
    let mut parts = candidate.splitn(PARTS, UNIT);
    let mut number = || parts.next()?.parse::<i64>().ok();
    let (id, is_active, updated_at) = (number()?, number()? == 1, number()?);
    let mut place = || number().map(|at| usize::try_from(at).unwrap_or(usize::MAX));
    let span = (place()?, place()?);
    let length = u32::try_from(number()?).unwrap_or_default();
    let (kind, key) = (MemoryType::named(parts.next()?)?, parts.next()?.to_owned());
    let score = query.score(length, parts.next()?);
    Some(Hit { id, key, kind, is_active, updated_at, score, span })
}

/// A memory that was found. Its team is asked again: a stranger who writes to the store can write separators into a token,
/// and with them a candidate that names a memory of another team.
async fn read(
    step: &mut Step<'_>,
    team: &TeamName,
    hit: &Hit,
    query: &Query,
    clock: &dyn Clock,
) -> Result<Option<Found>, StoreFault> {
    let one = sql(format!(
        "SELECT {COLUMNS}, (SELECT MAX(n.supersede_reason) FROM memories n WHERE n.org = m.org AND n.supersedes_id = m.id) \
         FROM memories m WHERE m.org = $1 AND m.id = $2 AND m.team = $3 AND m.deleted_at IS NULL"
    ));
    let Some(row) = one.bind(hit.id).bind(team.as_str()).fetch_optional(step).await? else {
        return Ok(None);
    };
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
