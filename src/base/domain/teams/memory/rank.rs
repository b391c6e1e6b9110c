//! The order of what a search finds. All that decides it is here: a database only names candidates.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::MemoryType;
use super::words::tokens;

/// Most chunks that are looked at.
pub const MAX_CANDIDATES: u32 = 1_000;
/// Most characters of a snippet.
pub const MAX_SNIPPET: usize = 500;
/// How much a repeated token adds, and how much the length of a chunk counts.
const SATURATION: f64 = 1.2;
const LENGTH_SHARE: f64 = 0.75;
/// The part of a score that age does not change, and the age at which the rest is halved.
const AGELESS: f64 = 0.7;
const HALF_LIFE: Duration = Duration::from_hours(30 * 24);
/// What remains of the score of a replaced memory.
const REPLACED: f64 = 0.75;

/// All chunks of a team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corpus {
    pub chunks: u32,
    pub tokens: u32,
}

/// The tokens of a query with their weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    weights: BTreeMap<String, f64>,
    /// Tokens of a chunk on the average.
    average: f64,
    /// The score of a chunk that could not fit better.
    most: f64,
}

impl Query {
    /// `counts`: in how many chunks of the team each token is.
    #[must_use]
    pub fn new(corpus: Corpus, counts: &[(String, u32)]) -> Self {
        let chunks = f64::from(corpus.chunks);
        let weight = |count: u32| {
            let count = f64::from(count.min(corpus.chunks));
            (1.0 + (chunks - count + 0.5) / (count + 0.5)).ln()
        };
        let weights: BTreeMap<String, f64> =
            counts.iter().map(|(token, count)| (token.clone(), weight(*count))).collect();
        let most = weights.values().sum::<f64>() * (1.0 + SATURATION);
        let average = f64::from(corpus.tokens.max(1)) / f64::from(corpus.chunks.max(1));
        Self { weights, average, most }
    }

    /// How well a chunk fits, from 0 to 1. `terms`: its tokens with their numbers, in their order, as [`written`] writes them.
    #[must_use]
    pub fn score(&self, length: u32, terms: &str) -> f64 {
        if self.most <= 0.0 {
            return 0.0;
        }
        let length = f64::from(length) / self.average;
        let bound = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length);
        // Both are sorted: each is gone through once, and what is behind the last token of the query is not looked at.
        let mut terms = terms.split(' ').filter_map(|term| term.rsplit_once('*')).peekable();
        let of_token = |(token, weight): (&String, &f64)| {
            while terms.next_if(|(known, _)| *known < token.as_str()).is_some() {}
            let (_, count) = terms.next_if(|(known, _)| *known == token.as_str())?;
            let count = f64::from(count.parse::<u32>().ok()?);
            Some(weight * count * (1.0 + SATURATION) / (count + bound))
        };
        self.weights.iter().filter_map(of_token).sum::<f64>() / self.most
    }

    /// The part of a text that has most of the query.
    #[must_use]
    pub fn snippet(&self, text: &str) -> String {
        let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let total = starts.len();
        let found: Vec<(usize, String, f64)> = tokens(text)
            .into_iter()
            .filter_map(|token| {
                let weight = *self.weights.get(&token.text)?;
                Some((starts.partition_point(|start| *start < token.at), token.text, weight))
            })
            .collect();
        let (mut best, mut most) = (0, 0.0);
        for (first, _, _) in found.iter().filter(|_| total > MAX_SNIPPET) {
            let mut known = BTreeSet::new();
            let inside =
                found.iter().filter(|(at, _, _)| (*first..first + MAX_SNIPPET).contains(at));
            let sum: f64 =
                inside.filter(|(_, token, _)| known.insert(token)).map(|(_, _, w)| w).sum();
            if sum > most {
                (best, most) = (*first, sum);
            }
        }
        let from = best.min(total.saturating_sub(MAX_SNIPPET));
        text.chars().skip(from).take(MAX_SNIPPET).collect::<String>().trim().to_owned()
    }
}

/// The tokens of a query that fetch candidates: the rarest, as long as they are not in too many chunks; the first always.
#[must_use]
pub fn fetching(counts: &[(String, u32)]) -> Vec<&str> {
    let mut known: Vec<(u32, &str)> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(token, count)| (*count, token.as_str()))
        .collect();
    known.sort_unstable();
    let mut sum = 0_u32;
    let is_rare = |(at, (count, _)): &(usize, &(u32, &str))| {
        sum = sum.saturating_add(*count);
        *at == 0 || sum <= MAX_CANDIDATES
    };
    known.iter().enumerate().take_while(is_rare).map(|(_, (_, token))| *token).collect()
}

/// How often each token is there.
#[must_use]
pub fn counted(tokens: &[String]) -> BTreeMap<&str, u32> {
    let mut counts = BTreeMap::new();
    for token in tokens {
        *counts.entry(token.as_str()).or_default() += 1;
    }
    counts
}

/// `pool*1 redi*3`.
#[must_use]
pub fn written(counts: &BTreeMap<&str, u32>) -> String {
    let terms: Vec<String> =
        counts.iter().map(|(token, count)| format!("{token}*{count}")).collect();
    terms.join(" ")
}

/// A memory that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub id: i64,
    pub key: String,
    pub kind: MemoryType,
    pub is_active: bool,
    /// Milliseconds since 1970.
    pub updated_at: i64,
    /// That of its best chunk, then weighted.
    pub score: f64,
    /// The characters of that chunk.
    pub span: (usize, usize),
}

impl Hit {
    /// The score after age and replacement. What a team is, and what it learned, does not age.
    #[must_use]
    pub fn weighted(self, now: i64) -> Self {
        let age = u64::try_from(now.saturating_sub(self.updated_at)).unwrap_or_default();
        let halves = Duration::from_millis(age).as_secs_f64() / HALF_LIFE.as_secs_f64();
        let by_age = match self.kind {
            MemoryType::Identity | MemoryType::Lesson => 1.0,
            MemoryType::Decision
            | MemoryType::Context
            | MemoryType::Reference
            | MemoryType::Historical => AGELESS + (1.0 - AGELESS) * (-halves).exp2(),
        };
        let replaced = if self.is_active { 1.0 } else { REPLACED };
        Self { score: self.score * by_age * replaced, ..self }
    }
}

/// The best first. A replaced memory comes after the active one of its key.
#[must_use]
pub fn ordered(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score).then(b.updated_at.cmp(&a.updated_at));
        by_score.then_with(|| a.key.cmp(&b.key)).then(a.id.cmp(&b.id))
    });
    let mut ahead: BTreeSet<String> =
        hits.iter().filter(|hit| hit.is_active).map(|hit| hit.key.clone()).collect();
    let mut held: BTreeMap<String, Vec<Hit>> = BTreeMap::new();
    let mut order = Vec::with_capacity(hits.len());
    for hit in hits {
        if !hit.is_active && ahead.contains(&hit.key) {
            held.entry(hit.key.clone()).or_default().push(hit);
            continue;
        }
        let behind =
            if hit.is_active && ahead.remove(&hit.key) { held.remove(&hit.key) } else { None };
        order.push(hit);
        order.extend(behind.into_iter().flatten());
    }
    order
}
