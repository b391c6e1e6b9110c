//! Calls the person through a program of theirs, which gets the questions.
//!
//! One thread makes the calls one by one, so that the screen never waits for a program. At the
//! end a running call has a moment left, then its program is stopped.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc;

use super::text::SafeText;
use crate::domain::{AgentId, DialogId, Stamp};

/// The longest wait for the thread once its program was told to stop.
const STOP_TIME: Duration = Duration::from_millis(200);

/// Why the person is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallReason {
    /// Questions came.
    New,
    /// Questions are still open.
    Reminder,
    /// Something failed that does not go on by itself; there are no questions.
    Failure,
}

/// A question for a program; its texts are clean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledQuestion {
    pub id: String,
    pub dialog: DialogId,
    pub agent: AgentId,
    pub asked_at: Stamp,
    /// The title of the dialog.
    pub title: SafeText,
    pub headline: SafeText,
    pub content: SafeText,
}

/// The content of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub reason: CallReason,
    /// One line.
    pub text: SafeText,
    /// Number of questions or failures; the list may be shorter.
    pub count: usize,
    /// Oldest first.
    pub questions: Vec<CalledQuestion>,
}

/// Set when calls have to end.
#[derive(Debug, Clone, Default)]
pub struct StopCalls(Arc<AtomicBool>);

impl StopCalls {
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Carries out calls. Its method may block for a limited time.
pub trait CallTarget: Send + 'static {
    /// Makes a call; ends early once `stop` is set.
    ///
    /// # Errors
    /// The program could not be started, failed, or took too long.
    fn call(&mut self, call: &Call, stop: &StopCalls) -> io::Result<()>;
}

/// The handle to the thread that makes calls.
#[derive(Debug)]
pub struct Caller {
    calls: SyncSender<Call>,
    outcomes: Option<mpsc::Receiver<Option<String>>>,
    stop: StopCalls,
    /// Closed when the thread has ended.
    ended: Receiver<()>,
}

impl Caller {
    /// Starts the thread.
    ///
    /// # Errors
    /// The thread could not be started.
    pub fn start(mut target: impl CallTarget) -> io::Result<Self> {
        // It is full when programs hang: further calls are dropped and logged.
        let (tx, calls) = sync_channel::<Call>(4);
        // Full only while the loop does not run; then a failure is only logged.
        let (report, outcomes) = mpsc::channel(4);
        // Nothing is sent: the channel only closes.
        let (alive, ended) = sync_channel(1);
        let stop = StopCalls::default();
        let told = stop.clone();
        thread::Builder::new().name("calls".to_owned()).spawn(move || {
            let _alive: SyncSender<()> = alive;
            let mut failed = false;
            for call in calls {
                if told.is_set() {
                    break;
                }
                let outcome = target.call(&call, &told);
                if let Err(error) = &outcome {
                    // The first of failures in a row is reported as a problem, and the questions stay open.
                    tracing::warn!(%error, "the person could not be called");
                }
                if failed != outcome.is_err() {
                    let _ = report.try_send(outcome.as_ref().err().map(ToString::to_string));
                }
                failed = outcome.is_err();
            }
        })?;
        Ok(Self { calls: tx, outcomes: Some(outcomes), stop, ended })
    }

    /// Makes a call. Never blocks.
    pub fn call(&self, call: Call) {
        if self.calls.try_send(call).is_err() {
            // What the call is about stays open on every screen.
            tracing::warn!("a call was dropped: earlier ones are still being made");
        }
    }

    /// Why a call failed, once until one succeeds again, and `None` once one does. To be taken once.
    pub fn take_outcomes(&mut self) -> Option<mpsc::Receiver<Option<String>>> {
        self.outcomes.take()
    }

    /// Waits this long for running calls, then stops them.
    pub fn finish(self, limit: Duration) {
        let Self { calls, stop, ended, outcomes: _ } = self;
        drop(calls);
        // The wait ends early only when the thread ends.
        if ended.recv_timeout(limit) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            stop.0.store(true, Ordering::SeqCst);
            let _ = ended.recv_timeout(STOP_TIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::domain::RootId;

    fn call() -> Call {
        let question = CalledQuestion {
            id: "q1".to_owned(),
            dialog: DialogId::main(RootId::new("a")),
            agent: "lead".into(),
            asked_at: Stamp::new("2026-11-21 12:00:00"),
            title: SafeText::line("t"),
            headline: SafeText::line("Which?"),
            content: SafeText::clean("Which?"),
        };
        let text = SafeText::line("Which?");
        Call { reason: CallReason::New, text, count: 1, questions: vec![question] }
    }

    /// Ends each call with the next given result.
    struct Scripted(std::sync::mpsc::IntoIter<io::Result<()>>);

    impl CallTarget for Scripted {
        fn call(&mut self, _: &Call, _: &StopCalls) -> io::Result<()> {
            self.0.next().unwrap_or(Ok(()))
        }
    }

    #[tokio::test]
    async fn a_failure_is_reported_once_and_so_is_that_a_call_succeeds_again() {
        let (script, outcomes) = std::sync::mpsc::channel();
        let failure = |text: &str| Err(io::Error::other(text.to_owned()));
        for outcome in [failure("one"), failure("two"), Ok(()), failure("three")] {
            script.send(outcome).unwrap();
        }
        drop(script);
        let mut caller = Caller::start(Scripted(outcomes.into_iter())).unwrap();
        let mut outcomes = caller.take_outcomes().unwrap();
        for _ in 0..4 {
            caller.call(call());
        }
        caller.finish(Duration::from_secs(20));
        for outcome in [Some("one"), None, Some("three")] {
            assert_eq!(outcomes.recv().await.unwrap().as_deref(), outcome);
        }
        assert_eq!(outcomes.recv().await, None);
    }

    /// Works until it is stopped.
    struct Hanging(SyncSender<()>);

    impl CallTarget for Hanging {
        fn call(&mut self, _: &Call, stop: &StopCalls) -> io::Result<()> {
            let deadline = Instant::now() + Duration::from_mins(1);
            while !stop.is_set() && Instant::now() < deadline {
                thread::yield_now();
            }
            let _ = self.0.send(());
            Ok(())
        }
    }

    #[test]
    fn a_call_that_hangs_delays_nobody_and_is_stopped_at_the_end() {
        let (stopped, seen) = sync_channel(9);
        let caller = Caller::start(Hanging(stopped)).unwrap();
        for _ in 0..20 {
            caller.call(call());
        }
        caller.finish(Duration::from_millis(20));
        assert!(seen.recv_timeout(Duration::from_secs(20)).is_ok());
        assert!(seen.recv_timeout(Duration::from_secs(20)).is_err(), "the others are not made");
    }
}
