//! Prepared edits, kept in memory until they are applied. Each belongs to the member that prepared
//! it, lives for an hour and is used once. Their number and their memory are bounded: the oldest
//! go first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::change::LineChange;
use super::locate::{LineHasher, TextFingerprint};
use crate::domain::AgentId;

/// The time for which a prepared edit can be applied.
pub(super) const LIFE: Duration = Duration::from_hours(1);

/// Most prepared edits at a time.
const LIMIT: usize = 256;

/// Most memory for them.
const LIMIT_BYTES: usize = 64 * 1024 * 1024;

/// A prepared edit.
#[derive(Debug)]
pub(super) struct Hunk {
    pub owner: AgentId,
    /// The path as it was written, normalized.
    pub path: String,
    /// The real path of the file; edits of one file are applied one after the other.
    pub place: String,
    pub edit: Edit,
    /// Counts the prepared edits; the earlier one is applied first.
    pub order: u64,
    born: Instant,
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Edit {
    /// Lines in place of others.
    Change { change: LineChange, seen: TextFingerprint },
    /// Adds text after the last line, whatever that is then.
    Append { content: String, seen: TextFingerprint },
    /// A file that must not be there yet.
    Create { content: String },
}

/// Why there is no such prepared edit for a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HunkMissing {
    /// Unknown, used, replaced, too old, or pushed out by newer ones.
    NotFound,
    WrongOwner,
}

/// All prepared edits of the program.
#[derive(Debug, Default)]
pub(super) struct Hunks {
    pub marks: LineHasher,
    kept: Mutex<StoredHunks>,
}

#[derive(Debug, Default)]
struct StoredHunks {
    by_id: BTreeMap<String, Arc<Hunk>>,
    prepared: u64,
}

impl Hunks {
    /// Stores a prepared edit; `hunk.order` and its time of birth are set here.
    pub(super) fn keep(&self, id: String, draft: NewHunk, now: Instant) {
        let mut kept = self.kept(now);
        kept.prepared += 1;
        let NewHunk { owner, path, place, edit } = draft;
        let order = kept.prepared;
        let hunk = Hunk { owner, path, place, edit, order, born: now };
        kept.by_id.insert(id, Arc::new(hunk));
        kept.bound();
    }

    /// Takes a prepared edit out: no other call can use it until it is [put back](Hunks::put_back).
    pub(super) fn take(
        &self,
        id: &str,
        caller: &AgentId,
        now: Instant,
    ) -> Result<Arc<Hunk>, HunkMissing> {
        let mut kept = self.kept(now);
        match kept.by_id.get(id) {
            None => Err(HunkMissing::NotFound),
            Some(hunk) if hunk.owner != *caller => Err(HunkMissing::WrongOwner),
            Some(_) => kept.by_id.remove(id).ok_or(HunkMissing::NotFound),
        }
    }

    /// Puts an unused edit back. Its age stays the same.
    pub(super) fn put_back(&self, id: String, hunk: Arc<Hunk>) {
        let born = hunk.born;
        let mut kept = self.kept(born);
        kept.by_id.insert(id, hunk);
        kept.bound();
    }

    /// Locks the edits and drops those older than `LIFE`. Each step below leaves the map consistent, so a poisoned
    /// lock is used as it is.
    fn kept(&self, now: Instant) -> MutexGuard<'_, StoredHunks> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.by_id.retain(|_, hunk| now.duration_since(hunk.born) < LIFE);
        kept
    }
}

/// A prepared edit before it is kept.
#[derive(Debug)]
pub(super) struct NewHunk {
    pub owner: AgentId,
    pub path: String,
    pub place: String,
    pub edit: Edit,
}

impl StoredHunks {
    fn bound(&mut self) {
        let mut bytes: usize = self.by_id.values().map(|hunk| hunk.bytes()).sum();
        while self.by_id.len() > LIMIT || bytes > LIMIT_BYTES {
            let oldest = self.by_id.iter().min_by_key(|(_, hunk)| hunk.order);
            let Some(id) = oldest.map(|(id, _)| id.clone()) else { break };
            bytes -= self.by_id.remove(&id).map_or(0, |hunk| hunk.bytes());
        }
    }
}

impl Hunk {
    fn bytes(&self) -> usize {
        let edit = match &self.edit {
            Edit::Change { change, .. } => change.bytes(),
            Edit::Append { content, .. } | Edit::Create { content } => content.len(),
        };
        edit + self.path.len() + self.place.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(owner: &str, content: &str) -> NewHunk {
        let edit = Edit::Create { content: content.to_owned() };
        NewHunk { owner: AgentId::new(owner), path: "a".into(), place: "a".into(), edit }
    }

    fn take(hunks: &Hunks, id: &str, now: Instant) -> Result<u64, HunkMissing> {
        hunks.take(id, &AgentId::new("lead"), now).map(|hunk| hunk.order)
    }

    #[tokio::test(start_paused = true)]
    async fn a_prepared_edit_is_used_once_by_its_owner_within_an_hour() {
        let (hunks, start) = (Hunks::default(), Instant::now());
        hunks.keep("1".into(), draft("lead", "x"), start);
        hunks.keep("2".into(), draft("helper", "x"), start);
        hunks.keep("3".into(), draft("lead", "x"), start + Duration::from_secs(1));
        for (id, after, expected) in [
            ("1", Duration::ZERO, Ok(1)),
            ("1", Duration::ZERO, Err(HunkMissing::NotFound)),
            ("2", Duration::ZERO, Err(HunkMissing::WrongOwner)),
            ("none", Duration::ZERO, Err(HunkMissing::NotFound)),
            ("3", LIFE, Ok(3)),
            ("2", LIFE, Err(HunkMissing::NotFound)),
        ] {
            assert_eq!(take(&hunks, id, start + after), expected, "{id} after {after:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_put_back_is_as_old_as_before() {
        let (hunks, start) = (Hunks::default(), Instant::now());
        hunks.keep("1".into(), draft("lead", "x"), start);
        let later = start + LIFE / 2;
        let hunk = hunks.take("1", &AgentId::new("lead"), later).unwrap();
        hunks.put_back("1".into(), hunk);
        assert_eq!(take(&hunks, "1", start + LIFE), Err(HunkMissing::NotFound));
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_go_first_when_there_are_too_many_or_they_are_too_big() {
        let (hunks, now) = (Hunks::default(), Instant::now());
        for number in 0..=LIMIT {
            hunks.keep(number.to_string(), draft("lead", "x"), now);
        }
        assert_eq!(take(&hunks, "0", now), Err(HunkMissing::NotFound));
        assert_eq!(take(&hunks, "1", now), Ok(2));
        let big = "x".repeat(LIMIT_BYTES / 2);
        hunks.keep("big".into(), draft("lead", &big), now);
        hunks.keep("bigger".into(), draft("lead", &big), now);
        assert_eq!(take(&hunks, "2", now), Err(HunkMissing::NotFound));
        assert_eq!(take(&hunks, "big", now), Err(HunkMissing::NotFound));
        assert!(take(&hunks, "bigger", now).is_ok());
    }
}
