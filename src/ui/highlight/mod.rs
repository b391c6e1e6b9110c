//! Colours of code: which parts of a text are keywords, strings, comments.
//!
//! Who draws code asks for its runs and gets at once those that are known; a new text is plain at first, and a
//! thread finds its runs. Then [`CodeColours::done`] is notified, and the frame is drawn again. The thread begins
//! with the first text and ends after a rest. Runs only divide a text, they never change it: whatever they say,
//! all of it is shown.
//!
//! Everything is bounded: the size of a text, the texts that wait, what is kept, and what one frame may ask
//! for, which is less than what is kept, so that no frame evicts its own runs.

mod cache;
mod language;
mod parser;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;

use crate::theme::Role;
pub use cache::CodeKey;
use cache::{Cache, Found};
pub use language::Language;
use parser::CodeParser;

/// Bytes of a text; a longer one is plain.
pub const MAX_BYTES: usize = 64 * 1024;
/// Texts that wait for the thread.
const MAX_WAITING: usize = 64;
/// Texts after which waiting callers are notified, even if more remain.
const BATCH: usize = 16;
/// After this time without a text the thread ends and frees the grammars, about 9 MB for each language.
const REST: Duration = Duration::from_secs(20);

/// A part of a text that has one role, from the end of the run before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeRun {
    pub end: usize,
    pub role: Role,
}

/// The runs of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeRuns {
    Known(Arc<[CodeRun]>),
    /// They are known later.
    Awaited,
    /// It has none in this frame.
    Plain,
}

/// The runs of texts; a handle that is cheap to clone.
#[derive(Clone, Default)]
pub struct CodeColours {
    /// `None`: all code is plain.
    shared: Option<Arc<Shared>>,
}

struct Shared {
    state: Mutex<State>,
    done: Arc<Notify>,
    timing: Timing,
}

/// When runs are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Timing {
    /// On a thread that ends after this time without a text.
    OnThread(Duration),
    #[cfg(test)]
    AtOnce,
}

#[derive(Default)]
struct State {
    cache: Cache,
    thread: Worker,
}

#[derive(Default)]
enum Worker {
    /// It has not begun, or rests.
    #[default]
    NotStarted,
    Running(SyncSender<CodeJob>),
    /// It could not be started, or has failed: code stays plain.
    Gone,
}

/// A text whose runs are to be found.
struct CodeJob {
    key: CodeKey,
    language: Language,
    text: String,
}

impl CodeColours {
    /// Disables colours: all code is plain.
    #[must_use]
    pub fn off() -> Self {
        Self::default()
    }

    /// Enables colours. Nothing is loaded and no thread runs before the first text.
    #[must_use]
    pub fn on() -> Self {
        Self::new(Timing::OnThread(REST))
    }

    /// Enables colours on this thread, for tests of the final screen.
    #[cfg(test)]
    pub fn at_once() -> Self {
        Self::new(Timing::AtOnce)
    }

    fn new(timing: Timing) -> Self {
        let (state, done) = (Mutex::default(), Arc::default());
        Self { shared: Some(Arc::new(Shared { state, done, timing })) }
    }

    /// Asks for the runs of a text. Its owner keeps the `key` for it.
    pub fn ask(&self, language: Option<Language>, text: &str, key: &OnceLock<CodeKey>) -> CodeRuns {
        match (&self.shared, language) {
            (Some(shared), Some(language)) if text.len() <= MAX_BYTES => {
                shared.find(language, text, key)
            }
            (Some(_) | None, _) => CodeRuns::Plain,
        }
    }

    /// Begins a frame, with a new limit of texts.
    pub fn begin_frame(&self) {
        if let Some(shared) = &self.shared {
            shared.state().cache.begin_frame();
        }
    }

    /// Notified when more runs are known.
    pub fn done(&self) -> Arc<Notify> {
        self.shared.as_ref().map(|shared| shared.done.clone()).unwrap_or_default()
    }

    /// Returns how many texts it was asked for and still knows.
    #[cfg(test)]
    pub fn asked(&self) -> usize {
        self.shared.as_ref().map_or(0, |shared| shared.state().cache.len())
    }
}

impl fmt::Debug for CodeColours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CodeColours").field(&self.shared.is_some()).finish()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The runs of a text; if they are not known, the thread finds them.
    fn find(self: &Arc<Self>, language: Language, text: &str, key: &OnceLock<CodeKey>) -> CodeRuns {
        let mut state = self.state();
        let key = *key.get_or_init(|| state.cache.key(language, text));
        match state.cache.find(&key) {
            Found::Runs(runs) => return CodeRuns::Known(runs),
            Found::Refused => return CodeRuns::Plain,
            Found::Awaited => {}
            Found::Nothing => {
                let text = text.to_owned();
                let job = CodeJob { key, language, text };
                match self.timing {
                    Timing::OnThread(rest) => self.give(&mut state, job, rest),
                    #[cfg(test)]
                    Timing::AtOnce => {
                        let runs: Arc<[CodeRun]> = runs_at_once(&job).into();
                        state.cache.insert(&job.key, runs.clone());
                        return CodeRuns::Known(runs);
                    }
                }
            }
        }
        if matches!(state.thread, Worker::Gone) { CodeRuns::Plain } else { CodeRuns::Awaited }
    }

    /// Gives a text to the thread. If too many wait, it is asked for again after some are done.
    fn give(self: &Arc<Self>, state: &mut State, job: CodeJob, rest: Duration) {
        if matches!(state.thread, Worker::NotStarted) {
            state.thread = start(self, rest);
        }
        let Worker::Running(jobs) = &state.thread else { return };
        let key = job.key;
        match jobs.try_send(job) {
            Ok(()) => state.cache.await_runs(&key),
            Err(std::sync::mpsc::TrySendError::Full(_)) => {}
            Err(std::sync::mpsc::TrySendError::Disconnected(_)) => state.thread = Worker::Gone,
        }
    }

    fn insert(&self, key: &CodeKey, runs: Vec<CodeRun>) {
        self.state().cache.insert(key, runs.into());
    }
}

/// The grammars are loaded once for all tests.
#[cfg(test)]
fn runs_at_once(job: &CodeJob) -> Vec<CodeRun> {
    static PARSER: std::sync::LazyLock<Mutex<CodeParser>> =
        std::sync::LazyLock::new(Mutex::default);
    PARSER.lock().unwrap_or_else(PoisonError::into_inner).patient_runs(job)
}

fn start(shared: &Arc<Shared>, rest: Duration) -> Worker {
    // When it is full, texts are asked for again later.
    let (tx, jobs) = sync_channel(MAX_WAITING);
    let shared = Arc::downgrade(shared);
    let thread = thread::Builder::new().name("code".to_owned());
    match thread.spawn(move || work(&jobs, &shared, rest)) {
        Ok(_) => Worker::Running(tx),
        Err(error) => {
            // Only the colours are missing.
            tracing::warn!(%error, "code stays plain");
            Worker::Gone
        }
    }
}

/// Finds runs until their owner is gone, or none was asked for during `rest`.
fn work(jobs: &Receiver<CodeJob>, shared: &Weak<Shared>, rest: Duration) {
    let mut parser = CodeParser::default();
    loop {
        let first = match jobs.recv_timeout(rest) {
            Ok(job) => job,
            Err(RecvTimeoutError::Timeout) => {
                let Some(shared) = shared.upgrade() else { return };
                // A text is given to the thread under this lock.
                let mut state = shared.state();
                let Ok(job) = jobs.try_recv() else {
                    state.thread = Worker::NotStarted;
                    return;
                };
                job
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let more = std::iter::from_fn(|| jobs.try_recv().ok());
        for job in std::iter::once(first).chain(more).take(BATCH) {
            let runs = parser.runs(&job);
            let Some(shared) = shared.upgrade() else { return };
            shared.insert(&job.key, runs);
        }
        let Some(shared) = shared.upgrade() else { return };
        shared.done.notify_one();
    }
}
