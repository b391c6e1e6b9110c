//! Runs that are known, by text. A text is known by its hash: a wrong one gives wrong colours, never another
//! text.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use super::{CodeRun, Language};

/// Bytes of the texts whose runs are kept.
pub(super) const MAX_KEPT: usize = 1024 * 1024;
/// Bytes of the texts that one frame may ask for: the cache holds two frames.
pub(super) const MAX_PER_FRAME: usize = MAX_KEPT / 2;
/// Bytes that an entry counts in addition to its text.
const ENTRY_BYTES: usize = 256;

/// A text, by its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeKey {
    hash: u64,
    bytes: usize,
}

pub(super) enum Found {
    Runs(Arc<[CodeRun]>),
    /// The thread has it.
    Awaited,
    Nothing,
    /// This frame has reached its limit.
    Refused,
}

#[derive(Debug, Default)]
pub(super) struct Cache {
    hasher: RandomState,
    entries: HashMap<CodeKey, Entry>,
    /// Bytes of the texts of all entries.
    kept: usize,
    /// Counts the uses of entries.
    uses: u64,
    /// Counts frames.
    frame: u64,
    /// Bytes this frame may still ask for.
    left: usize,
}

#[derive(Debug)]
struct Entry {
    /// `None` while the thread has it.
    runs: Option<Arc<[CodeRun]>>,
    used: u64,
    /// The last frame that asked for it: each of its rows does, and it counts once.
    frame: u64,
}

impl Cache {
    pub fn key(&self, language: Language, text: &str) -> CodeKey {
        CodeKey { hash: self.hasher.hash_one((language, text)), bytes: text.len() }
    }

    pub fn begin_frame(&mut self) {
        self.frame += 1;
        self.left = MAX_PER_FRAME;
    }

    pub fn find(&mut self, key: &CodeKey) -> Found {
        if self.entries.get(key).is_none_or(|entry| entry.frame != self.frame) {
            let Some(left) = self.left.checked_sub(cost(key)) else { return Found::Refused };
            self.left = left;
        }
        self.uses += 1;
        let Some(entry) = self.entries.get_mut(key) else { return Found::Nothing };
        (entry.used, entry.frame) = (self.uses, self.frame);
        entry.runs.clone().map_or(Found::Awaited, Found::Runs)
    }

    /// The thread has this text.
    pub fn await_runs(&mut self, key: &CodeKey) {
        self.put(key, None);
    }

    pub fn insert(&mut self, key: &CodeKey, runs: Arc<[CodeRun]>) {
        self.put(key, Some(runs));
    }

    fn put(&mut self, key: &CodeKey, runs: Option<Arc<[CodeRun]>>) {
        if let Some(entry) = self.entries.get_mut(key) {
            (entry.runs, entry.used) = (runs, self.uses);
        } else {
            self.entries.insert(*key, Entry { runs, used: self.uses, frame: self.frame });
            self.kept += cost(key);
        }
        if self.kept > MAX_KEPT {
            self.drop_oldest();
        }
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Evicts the least recently used entries until a quarter is free.
    fn drop_oldest(&mut self) {
        let known = self.entries.iter().filter(|(_, entry)| entry.runs.is_some());
        let mut by_use: Vec<(u64, CodeKey)> =
            known.map(|(key, entry)| (entry.used, *key)).collect();
        by_use.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in by_use {
            if self.kept <= MAX_KEPT / 4 * 3 {
                return;
            }
            self.entries.remove(&key);
            self.kept = self.kept.saturating_sub(cost(&key));
        }
    }
}

fn cost(key: &CodeKey) -> usize {
    key.bytes + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(cache: &Cache, number: usize) -> CodeKey {
        let language = Language::named("rust").unwrap();
        cache.key(language, &format!("{number:>60000}"))
    }

    fn is_known(cache: &mut Cache, number: usize) -> bool {
        let key = key(cache, number);
        matches!(cache.find(&key), Found::Runs(_))
    }

    #[test]
    fn what_was_not_used_for_longest_is_dropped_and_what_a_frame_uses_stays() {
        let mut cache = Cache::default();
        for number in 0..100 {
            cache.begin_frame();
            for used in number..number + 4 {
                if !is_known(&mut cache, used) {
                    let key = key(&cache, used);
                    cache.insert(&key, Arc::default());
                }
            }
            cache.begin_frame();
            assert!((number..number + 4).all(|used| is_known(&mut cache, used)), "{number}");
            assert!(cache.kept <= MAX_KEPT);
        }
        assert!(!is_known(&mut cache, 0));
    }

    #[test]
    fn a_frame_asks_for_less_than_is_kept() {
        let mut cache = Cache::default();
        cache.begin_frame();
        let asked = (0..100).filter(|number| {
            let key = key(&cache, *number);
            !matches!(cache.find(&key), Found::Refused)
        });
        assert_eq!(asked.count(), MAX_PER_FRAME / 60_256);
    }

    #[test]
    fn a_text_counts_once_in_a_frame_however_many_of_its_rows_are_drawn() {
        let mut cache = Cache::default();
        let key = key(&cache, 0);
        cache.insert(&key, Arc::default());
        for _ in 0..2 {
            cache.begin_frame();
            assert!((0..100).all(|_| matches!(cache.find(&key), Found::Runs(_))));
        }
    }
}
