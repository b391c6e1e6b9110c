//! The configuration, read again only when its files have changed.
//!
//! It is handed out as one snapshot, so that it is checked and used in the same state.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Minds;
use super::stamp::{MindsStamp, stamp};
use crate::domain::Lang;

/// A file that changed less than this before it was read may change again without another time on it: clocks of file
/// systems tick slowly, of some once in two seconds.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// Where the configuration comes from. Both methods may block on the disk.
pub trait MindsSource: Send + Sync + std::fmt::Debug {
    /// What the files look like.
    fn stamp(&self) -> MindsStamp;

    /// Reads all files.
    fn read(&self) -> Minds;
}

/// The files of a workspace.
#[derive(Debug)]
pub struct MindsFolder {
    workspace: PathBuf,
    lang: Lang,
}

impl MindsFolder {
    #[must_use]
    pub fn new(workspace: PathBuf, lang: Lang) -> Self {
        Self { workspace, lang }
    }
}

impl MindsSource for MindsFolder {
    fn stamp(&self) -> MindsStamp {
        stamp(&self.workspace)
    }

    fn read(&self) -> Minds {
        Minds::load(&self.workspace, self.lang)
    }
}

/// The last snapshot, and the stamp it belongs to.
#[derive(Debug)]
pub struct MindsCache {
    source: Arc<dyn MindsSource>,
    settle_time: Duration,
    last: Mutex<Option<Snapshot>>,
}

#[derive(Debug)]
struct Snapshot {
    /// Taken before the files were read, so that a change while they were read is a change.
    stamp: MindsStamp,
    /// When the files were first seen as they are.
    since: Instant,
    /// They had been so for a while when they were read: a later change cannot go unseen.
    settled: bool,
    minds: Arc<Minds>,
}

impl MindsCache {
    #[must_use]
    pub fn new(source: Arc<dyn MindsSource>) -> Self {
        Self { source, settle_time: SETTLE_TIME, last: Mutex::new(None) }
    }

    /// The configuration as the files are now. Blocks on the disk; other callers wait meanwhile, and get the same.
    pub fn current(&self) -> Arc<Minds> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.source.stamp();
        let seen = Instant::now();
        let same = last.as_ref().filter(|last| stamp.shows_no_change_since(last.stamp));
        if let Some(last) = same.filter(|last| last.settled) {
            return last.minds.clone();
        }
        let since = same.map_or(seen, |last| last.since);
        let settled = seen.duration_since(since) >= self.settle_time;
        let minds = Arc::new(self.source.read());
        *last = Some(Snapshot { stamp, since, settled, minds: minds.clone() });
        minds
    }

    /// What the files look like now.
    pub fn stamp(&self) -> MindsStamp {
        self.source.stamp()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::domain::AgentId;

    #[derive(Debug)]
    struct Counting(MindsFolder, AtomicUsize);

    impl MindsSource for Counting {
        fn stamp(&self) -> MindsStamp {
            self.0.stamp()
        }

        fn read(&self) -> Minds {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.read()
        }
    }

    fn cache(workspace: &std::path::Path, settle_time: Duration) -> (MindsCache, Arc<Counting>) {
        let folder = MindsFolder::new(workspace.to_owned(), Lang::En);
        let source = Arc::new(Counting(folder, AtomicUsize::new(0)));
        (MindsCache { settle_time, ..MindsCache::new(source.clone()) }, source)
    }

    fn write(workspace: &std::path::Path, member: &str) {
        std::fs::create_dir_all(workspace.join(".minds")).unwrap();
        let text = format!("members: {{ {member}: {{}} }}\n");
        std::fs::write(workspace.join(".minds/team.yaml"), text).unwrap();
    }

    #[test]
    fn unchanged_files_are_not_read_again_and_a_changed_one_is() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "lead");
        let (cache, source) = cache(dir.path(), Duration::ZERO);
        let first = cache.current();
        assert!(Arc::ptr_eq(&first, &cache.current()));
        assert_eq!(source.1.load(Ordering::Relaxed), 1);
        write(dir.path(), "other");
        let second = cache.current();
        assert!(
            second.member(&AgentId::new("other")).is_some()
                && first.member(&AgentId::new("other")).is_none()
        );
        assert!(Arc::ptr_eq(&second, &cache.current()));
        assert_eq!(source.1.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn files_that_changed_just_now_are_read_again_until_a_change_cannot_go_unseen() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "lead");
        let (cache, source) = cache(dir.path(), Duration::MAX);
        for reads in 1..4 {
            cache.current();
            assert_eq!(source.1.load(Ordering::Relaxed), reads);
        }
    }
}
