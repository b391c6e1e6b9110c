//! Distinct names for parts and options. Written names are kept where possible, so that a recommendation and an answer
//! mean what they meant; only then are the others named, by their position.

use std::collections::BTreeSet;

/// Most characters of an id.
const MAX_ID_CHARS: usize = 64;

/// One id for each part: of those written alike the first keeps it.
pub(super) fn distinct_ids<'a>(written: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let written: Vec<Option<&str>> = written.map(|id| id.filter(|id| is_id(id))).collect();
    let mut taken = BTreeSet::new();
    let first: Vec<bool> =
        written.iter().map(|id| id.is_some_and(|id| taken.insert(id.to_owned()))).collect();
    let named = written.iter().zip(first).zip(1..).map(|((id, is_first), number)| {
        let base = id.map_or_else(|| format!("q{number}"), str::to_owned);
        if is_first { base } else { free_id(&base, &mut taken) }
    });
    named.collect()
}

fn is_id(id: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=MAX_ID_CHARS).contains(&id.len()) && id.chars().all(fits)
}

fn free_id(base: &str, taken: &mut BTreeSet<String>) -> String {
    let mut id = base.to_owned();
    let mut number = 2;
    while !taken.insert(id.clone()) {
        let suffix = format!("-{number}");
        let room = MAX_ID_CHARS.saturating_sub(suffix.len());
        id = base.chars().take(room).chain(suffix.chars()).collect();
        number += 1;
    }
    id
}

/// One key for each option.
pub(super) fn distinct_keys<'a>(written: impl Iterator<Item = Option<&'a str>>) -> Vec<char> {
    let written: Vec<Option<char>> = written.map(|text| text.and_then(key)).collect();
    let mut taken = BTreeSet::new();
    let own: Vec<Option<char>> =
        written.into_iter().map(|key| key.filter(|key| taken.insert(*key))).collect();
    let named = own.into_iter().zip('a'..='z').map(|(own, by_position)| {
        let free = || (by_position..='z').chain('a'..='z').find(|key| !taken.contains(key));
        let key = own.or_else(free).unwrap_or(by_position);
        taken.insert(key);
        key
    });
    named.collect()
}

/// Normalizes a key to one lower-case letter or digit.
pub(super) fn key(text: &str) -> Option<char> {
    let mut chars = text.trim().chars();
    let key = chars.next().filter(char::is_ascii_alphanumeric)?;
    chars.next().is_none().then(|| key.to_ascii_lowercase())
}
