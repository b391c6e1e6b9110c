//! Writes drafts to their store, so that the screen never waits for the disk.
//!
//! One thread owns the store and writes one batch at a time. While it is busy, later changes wait in one map,
//! which holds the newest text of each draft. A write that failed is retried with the next batch, and every
//! few seconds; until it succeeds there is a problem to show.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::domain::Problem;
pub use crate::protocol::LOOKED;

/// Texts by the names of their drafts; an empty text removes the draft.
pub type DraftTexts = BTreeMap<String, String>;

/// The delay before a failed write is retried.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Stores drafts across restarts.
pub trait DraftStore: Send + 'static {
    /// Stores one draft; an empty text removes it. May block.
    ///
    /// # Errors
    /// It is not stored: the problem, its place, and the fix.
    fn save(&mut self, name: &str, text: &str) -> Result<(), Problem>;
}

/// Stores no drafts.
#[derive(Debug, Clone, Copy, Default)]
pub struct SessionOnlyDrafts;

impl DraftStore for SessionOnlyDrafts {
    fn save(&mut self, _: &str, _: &str) -> Result<(), Problem> {
        Ok(())
    }
}

/// The handle to the writing thread.
#[derive(Debug)]
pub struct DraftWriter {
    /// `None` once the thread has ended.
    batches: Option<SyncSender<DraftTexts>>,
    /// Drafts that did not fit into the channel.
    waiting: DraftTexts,
    progress: Arc<Progress>,
}

/// The state shared with the writing thread.
#[derive(Debug, Default)]
struct Progress {
    /// Batches handed over and not yet written: the names of each.
    unwritten: Mutex<VecDeque<Vec<String>>>,
    changed: Condvar,
    /// Why drafts are not in the store; `None` once all are.
    problem: Mutex<Option<Problem>>,
    /// The last text of each draft that was handed over and is not stored yet.
    unsaved: Mutex<DraftTexts>,
    written: Arc<Notify>,
}

impl DraftWriter {
    /// Starts the writing thread.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(store: impl DraftStore) -> io::Result<Self> {
        Self::retrying(store, RETRY_AFTER)
    }

    fn retrying(mut store: impl DraftStore, retry_after: Duration) -> io::Result<Self> {
        let (tx, batches) = sync_channel::<DraftTexts>(1);
        let progress = Arc::new(Progress::default());
        let of_thread = progress.clone();
        thread::Builder::new().name("drafts".to_owned()).spawn(move || {
            let mut refused = DraftTexts::new();
            loop {
                match next_batch(&batches, &refused, retry_after) {
                    Ok(batch) => {
                        let _written = Written(&of_thread);
                        refused.extend(batch);
                        of_thread.write(&mut store, &mut refused);
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        if of_thread.write(&mut store, &mut refused) {
                            of_thread.written.notify_one();
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        })?;
        Ok(Self { batches: Some(tx), waiting: DraftTexts::new(), progress })
    }

    /// Notified after each batch.
    pub fn written(&self) -> Arc<Notify> {
        self.progress.written.clone()
    }

    /// Why drafts are not in the store, after the last batch.
    pub fn problem(&self) -> Option<Problem> {
        self.progress.problem().clone()
    }

    /// Hands drafts over. Never blocks; a newer text replaces one that still waits.
    pub fn save(&mut self, drafts: DraftTexts) {
        self.progress.unsaved().extend(drafts.clone());
        self.waiting.extend(drafts);
        self.hand_over();
    }

    /// Hands over what waits, if the thread can take it.
    pub fn hand_over(&mut self) {
        let Some(batches) = self.batches.as_ref().filter(|_| !self.waiting.is_empty()) else {
            return;
        };
        self.progress.lock().push_back(self.waiting.keys().cloned().collect());
        match batches.try_send(std::mem::take(&mut self.waiting)) {
            Ok(()) => return,
            Err(TrySendError::Full(batch)) => self.waiting = batch,
            Err(TrySendError::Disconnected(_)) => {
                // They are kept as not saved, and printed when the screen ends.
                tracing::error!("drafts are no longer saved");
                self.batches = None;
            }
        }
        self.progress.lock().pop_back();
    }

    /// True if everything handed over is in the store.
    pub fn is_idle(&self) -> bool {
        self.batches.is_none() || (self.waiting.is_empty() && self.progress.lock().is_empty())
    }

    /// True while a draft of these was handed over and not yet given to the store.
    pub fn holds(&self, is_one: impl Fn(&str) -> bool) -> bool {
        let unwritten = self.progress.lock();
        let mut names = self.waiting.keys().chain(unwritten.iter().flatten());
        self.batches.is_some() && names.any(|name| is_one(name))
    }

    /// Waits until everything was given to the store, at most this long. Returns the drafts that are not stored.
    pub fn finish(mut self, limit: Duration) -> DraftTexts {
        if self.problem().is_some() {
            let unsaved = self.progress.unsaved().clone();
            self.waiting.extend(unsaved);
        }
        self.give_all(limit);
        self.progress.unsaved().clone()
    }

    fn give_all(&mut self, limit: Duration) {
        let deadline = Instant::now() + limit;
        loop {
            self.hand_over();
            let left = deadline.saturating_duration_since(Instant::now());
            if self.is_idle() || left.is_zero() {
                return;
            }
            let unwritten = self.progress.lock();
            let before = unwritten.len();
            let pending = |now: &mut VecDeque<_>| !now.is_empty() && now.len() == before;
            let waited = self.progress.changed.wait_timeout_while(unwritten, left, pending);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Vec<String>>> {
        self.unwritten.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn problem(&self) -> MutexGuard<'_, Option<Problem>> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unsaved(&self) -> MutexGuard<'_, DraftTexts> {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives drafts to the store, and keeps the refused ones. True if the problem has changed.
    fn write(&self, store: &mut impl DraftStore, drafts: &mut DraftTexts) -> bool {
        let mut problem = None;
        drafts.retain(|name, text| match store.save(name, text) {
            Ok(()) => {
                let mut unsaved = self.unsaved();
                if unsaved.get(name) == Some(text) {
                    unsaved.remove(name);
                }
                false
            }
            Err(why) => {
                problem = Some(why);
                true
            }
        });
        let before = std::mem::replace(&mut *self.problem(), problem.clone());
        before != problem
    }
}

/// Waits for the next batch, at most `retry_after` if writes have failed.
fn next_batch(
    batches: &Receiver<DraftTexts>,
    refused: &DraftTexts,
    retry_after: Duration,
) -> Result<DraftTexts, RecvTimeoutError> {
    if refused.is_empty() {
        return batches.recv().map_err(|_| RecvTimeoutError::Disconnected);
    }
    batches.recv_timeout(retry_after)
}

/// Counts a batch as written when dropped, also if the store panics.
struct Written<'a>(&'a Progress);

impl Drop for Written<'_> {
    fn drop(&mut self) {
        self.0.lock().pop_front();
        self.0.changed.notify_all();
        self.0.written.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::domain::text::Text;

    const DEADLINE: Duration = Duration::from_secs(20);

    /// A disk that writes one draft for each permit, and reports each.
    struct SlowDisk {
        permits: Receiver<()>,
        stored: Sender<(String, String)>,
    }

    impl DraftStore for SlowDisk {
        fn save(&mut self, name: &str, text: &str) -> Result<(), Problem> {
            let _ = self.permits.recv_timeout(DEADLINE);
            let _ = self.stored.send((name.to_owned(), text.to_owned()));
            Ok(())
        }
    }

    fn slow_disk() -> (DraftWriter, Sender<()>, Receiver<(String, String)>) {
        let ((permit, permits), (stored, reported)) = (channel(), channel());
        (DraftWriter::start(SlowDisk { permits, stored }).unwrap(), permit, reported)
    }

    fn draft(name: &str, text: &str) -> DraftTexts {
        DraftTexts::from([(name.to_owned(), text.to_owned())])
    }

    #[test]
    fn while_the_disk_is_slow_only_the_newest_text_of_each_draft_waits() {
        let (mut writer, permit, reported) = slow_disk();
        for n in 0..1_000 {
            writer.save(draft("a", &n.to_string()));
        }
        writer.save(draft("b", "other"));
        assert!(writer.waiting.len() <= 2 && !writer.is_idle());
        for _ in 0..10 {
            permit.send(()).unwrap();
        }
        assert_eq!(writer.finish(DEADLINE), DraftTexts::new());
        let stored: Vec<(String, String)> = reported.try_iter().collect();
        assert!(stored.len() <= 4, "{stored:?}");
        let last = |name: &str| stored.iter().rfind(|(n, _)| n == name).map(|(_, t)| t.as_str());
        assert_eq!((last("a"), last("b")), (Some("999"), Some("other")));
    }

    /// A disk that is full until there is room, and reports what it stored.
    struct FullDisk {
        room: Receiver<()>,
        stored: Sender<(String, String)>,
    }

    impl DraftStore for FullDisk {
        fn save(&mut self, name: &str, text: &str) -> Result<(), Problem> {
            let (wrong, fix) =
                (Text::new("no room", "没有空间"), Text::new("make room", "请腾出空间"));
            self.room
                .try_recv()
                .map_err(|_| Problem::new("drafts/x", "drafts.json", wrong, fix))?;
            let _ = self.stored.send((name.to_owned(), text.to_owned()));
            Ok(())
        }
    }

    #[test]
    fn what_the_disk_did_not_take_is_a_problem_until_it_is_stored_with_a_later_draft() {
        let ((gives_room, room), (stored, reported)) = (channel(), channel());
        let mut writer = DraftWriter::start(FullDisk { room, stored }).unwrap();
        let settle = |writer: &mut DraftWriter| {
            let deadline = Instant::now() + DEADLINE;
            while !writer.is_idle() && Instant::now() < deadline {
                writer.hand_over();
                thread::yield_now();
            }
            writer.problem().map(|problem| problem.id)
        };
        writer.save(draft("a", "first"));
        assert_eq!(settle(&mut writer).as_deref(), Some("drafts/x"));
        gives_room.send(()).unwrap();
        writer.save(draft("b", "second"));
        assert_eq!(settle(&mut writer).as_deref(), Some("drafts/x"), "there was room for one");
        gives_room.send(()).unwrap();
        gives_room.send(()).unwrap();
        writer.save(draft("c", "third"));
        assert_eq!(settle(&mut writer), None);
        let taken: Vec<String> = reported.try_iter().map(|(name, _)| name).collect();
        assert_eq!(taken, ["a", "b", "c"]);
    }

    #[test]
    fn what_the_disk_did_not_take_is_tried_again_without_another_change() {
        let ((gives_room, room), (stored, reported)) = (channel(), channel());
        let retry_after = Duration::from_millis(1);
        let mut writer = DraftWriter::retrying(FullDisk { room, stored }, retry_after).unwrap();
        writer.save(draft("a", "first"));
        let deadline = Instant::now() + DEADLINE;
        while writer.problem().is_none() && Instant::now() < deadline {
            thread::yield_now();
        }
        gives_room.send(()).unwrap();
        let taken = reported.recv_timeout(DEADLINE).unwrap();
        assert_eq!(taken, ("a".to_owned(), "first".to_owned()));
        while writer.problem().is_some() && Instant::now() < deadline {
            thread::yield_now();
        }
        assert_eq!((writer.problem(), writer.finish(DEADLINE)), (None, DraftTexts::new()));
    }

    #[test]
    fn a_text_holds_up_nothing_once_the_store_has_it_whatever_else_waits() {
        let (mut writer, permit, reported) = slow_disk();
        for name in ["a", "other"] {
            writer.save(draft(name, "text"));
        }
        let is_a = |name: &str| name == "a";
        assert!(writer.holds(is_a) && !writer.holds(|name| name == "b"));
        permit.send(()).unwrap();
        reported.recv_timeout(DEADLINE).unwrap();
        let deadline = Instant::now() + DEADLINE;
        while writer.holds(is_a) && Instant::now() < deadline {
            thread::yield_now();
        }
        assert!(!writer.holds(is_a) && !writer.is_idle());
        drop(permit);
    }

    #[test]
    fn finishing_says_what_the_disk_did_not_take() {
        let ((gives_room, room), (stored, _reported)) = (channel(), channel());
        let mut writer = DraftWriter::start(FullDisk { room, stored }).unwrap();
        writer.save(draft("a", "before"));
        writer.save(draft("a", "text"));
        assert_eq!(writer.finish(DEADLINE), draft("a", "text"));
        drop(gives_room);
    }

    #[test]
    fn finishing_waits_for_the_disk_but_not_longer_than_its_limit() {
        let (mut writer, permit, _reported) = slow_disk();
        writer.save(draft("a", "text"));
        assert_eq!(writer.finish(Duration::from_millis(20)), draft("a", "text"));
        let (mut writer, ..) = slow_disk();
        drop(permit);
        writer.save(DraftTexts::new());
        assert!(writer.is_idle() && writer.finish(DEADLINE).is_empty());
    }
}
