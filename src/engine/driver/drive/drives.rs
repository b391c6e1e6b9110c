//! The running drives of a tree: at most one for each dialog. A drive is started here and nowhere else, and
//! here alone its port is made, so that only the drive of a dialog writes through a port of that dialog.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::domain::SelfId;
use crate::domain::dialogs::latest::{StopReason, StopRequest};
use crate::domain::dialogs::shown_state::Activity;

use super::port::{Port, SentRequest};

/// Queued requests of drives; a drive waits while the queue is full.
const PORT_DEPTH: usize = 64;

/// What a drive is started with.
#[derive(Debug)]
pub struct DriveHandles {
    pub port: Port,
    /// Cancelled when the drive has to stop.
    pub stop: CancellationToken,
    /// Notified when the user wants the next attempt now.
    pub retry_now: Arc<Notify>,
}

#[derive(Debug)]
struct RunningDrive {
    stop: CancellationToken,
    /// Set when the drive was requested to stop.
    stop_reason: Option<StopReason>,
    retry_now: Arc<Notify>,
}

/// What comes from the drives.
#[derive(Debug)]
pub enum DriveMessage {
    Request(SentRequest),
    /// A drive ended, for this reason if it was stopped.
    Ended(SelfId, Option<StopReason>),
    /// A drive panicked; it is not known which.
    Panicked,
}

#[derive(Debug)]
pub struct Drives {
    running: BTreeMap<SelfId, RunningDrive>,
    tasks: JoinSet<SelfId>,
    sender: mpsc::Sender<SentRequest>,
    requests: mpsc::Receiver<SentRequest>,
}

impl Drives {
    pub fn new() -> Self {
        let (sender, requests) = mpsc::channel(PORT_DEPTH);
        Self { running: BTreeMap::new(), tasks: JoinSet::new(), sender, requests }
    }

    /// Starts the drive of a dialog; false if it is driven already.
    pub fn start<F>(&mut self, dialog: &SelfId, drive: impl FnOnce(DriveHandles) -> F) -> bool
    where
        F: Future<Output = ()> + Send + 'static,
    {
        if self.running.contains_key(dialog) {
            return false;
        }
        let (stop, retry_now) = (CancellationToken::new(), Arc::new(Notify::new()));
        let running =
            RunningDrive { stop: stop.clone(), stop_reason: None, retry_now: retry_now.clone() };
        self.running.insert(dialog.clone(), running);
        let port = Port::new(dialog.clone(), self.sender.clone());
        let (ends, drive) = (dialog.clone(), drive(DriveHandles { port, stop, retry_now }));
        self.tasks.spawn(async move {
            drive.await;
            ends
        });
        true
    }

    pub fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    /// Requests a drive to stop; does nothing for a dialog that is not driven, or stops already.
    pub fn stop(&mut self, dialog: &SelfId, reason: StopReason) {
        if let Some(running) = self.running.get_mut(dialog)
            && running.stop_reason.is_none()
        {
            running.stop_reason = Some(reason);
            running.stop.cancel();
        }
    }

    /// Ends what a drive does while its dialog goes on: words of a person wait. A person's stop that was requested
    /// before is taken back; a stop for another reason stays.
    pub fn interrupt(&mut self, dialog: &SelfId) {
        let Some(running) = self.running.get_mut(dialog) else { return };
        if matches!(running.stop_reason, Some(StopReason::UserStop | StopReason::EmergencyStop)) {
            running.stop_reason = None;
        }
        running.stop.cancel();
    }

    /// True for a drive that begins no other generation: it stops or was interrupted.
    pub fn is_ending(&self, dialog: &SelfId) -> bool {
        self.running.get(dialog).is_some_and(|running| running.stop.is_cancelled())
    }

    /// True for a drive that was interrupted and does not stop.
    pub fn is_interrupted(&self, dialog: &SelfId) -> bool {
        self.is_ending(dialog) && self.stop_reason(dialog).is_none()
    }

    pub fn stop_all(&mut self, reason: &StopReason) {
        let ids: Vec<SelfId> = self.running.keys().cloned().collect();
        for id in ids {
            self.stop(&id, reason.clone());
        }
    }

    /// Why the drive of a dialog was requested to stop.
    pub fn stop_reason(&self, dialog: &SelfId) -> Option<&StopReason> {
        self.running.get(dialog)?.stop_reason.as_ref()
    }

    /// Ends the wait of a drive for its next attempt.
    pub fn retry_now(&self, dialog: &SelfId) {
        if let Some(running) = self.running.get(dialog) {
            running.retry_now.notify_waiters();
        }
    }

    pub fn activity(&self, dialog: &SelfId) -> Activity {
        let Some(running) = self.running.get(dialog) else { return Activity::Resting };
        match running.stop_reason {
            None => Activity::Driving,
            Some(StopReason::EmergencyStop) => Activity::Stopping(StopRequest::EmergencyStop),
            Some(
                StopReason::UserStop
                | StopReason::ServerRestart
                | StopReason::PendingCourseStart
                | StopReason::ForkContinueReady
                | StopReason::SystemStop { .. }
                | StopReason::LlmRetryStopped { .. },
            ) => Activity::Stopping(StopRequest::UserStop),
        }
    }

    /// The next message, requests before ends; never comes while nothing is driven. May be cancelled.
    pub async fn next(&mut self) -> DriveMessage {
        tokio::select! {
            biased;
            Some(request) = self.requests.recv() => DriveMessage::Request(request),
            Some(ended) = self.tasks.join_next() => match ended {
                Ok(dialog) => {
                    let running = self.running.remove(&dialog);
                    DriveMessage::Ended(dialog, running.and_then(|running| running.stop_reason))
                }
                Err(_) => DriveMessage::Panicked,
            },
            else => std::future::pending().await,
        }
    }

    /// Ends all drives after one panicked: no dialog shall ever have two. What they request meanwhile is
    /// refused. Returns the dialogs that were driven.
    pub async fn end_all(&mut self, reason: &StopReason) -> Vec<SelfId> {
        self.stop_all(reason);
        loop {
            tokio::select! {
                biased;
                Some(request) = self.requests.recv() => drop(request),
                ended = self.tasks.join_next() => if ended.is_none() { break },
            }
        }
        std::mem::take(&mut self.running).into_keys().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::domain::text::Localized;
    use crate::driver::drive::port::DriveRequest;

    fn reason() -> StopReason {
        StopReason::system(Localized::same("broken"))
    }

    #[tokio::test(start_paused = true)]
    async fn a_dialog_has_one_drive_and_its_requests_carry_its_name() {
        let mut drives = Drives::new();
        let (a, b) = (SelfId::new("a"), SelfId::new("b"));
        let begin = |drive: DriveHandles| async move { drop(drive.port.begin().await) };
        assert!(drives.start(&a, begin));
        assert!(!drives.start(&a, begin));
        assert!(drives.start(&b, begin));
        let mut named = Vec::new();
        for _ in 0..2 {
            let DriveMessage::Request(request) = drives.next().await else { panic!("no request") };
            let (dialog, request) = request.into_parts();
            assert!(matches!(request, DriveRequest::Begin { .. }), "{request:?}");
            named.push(dialog);
        }
        named.sort_unstable();
        assert_eq!(named, [a.clone(), b]);
        for _ in 0..2 {
            assert!(matches!(drives.next().await, DriveMessage::Ended(_, None)));
        }
        assert!(drives.is_empty());
        assert!(drives.start(&a, begin));
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_panic_all_drives_end_even_those_that_wait_for_a_reply() {
        let mut drives = Drives::new();
        let (broken, waiting) = (SelfId::new("broken"), SelfId::new("waiting"));
        drives.start(&broken, |_| async { panic!("broken") });
        // It asks the tree for something as it stops, as a drive does that ends its generation.
        drives.start(&waiting, |drive| async move {
            drive.stop.cancelled().await;
            assert!(drive.port.begin().await.is_err());
        });
        assert!(matches!(drives.next().await, DriveMessage::Panicked));
        let reason = reason();
        let ended = tokio::time::timeout(Duration::from_mins(1), drives.end_all(&reason));
        assert_eq!(ended.await.unwrap(), [broken, waiting]);
        assert!(drives.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn an_interrupted_drive_begins_nothing_else_and_a_stop_that_follows_counts() {
        let (mut drives, dialog) = (Drives::new(), SelfId::new("a"));
        drives.interrupt(&dialog);
        assert!(!drives.is_ending(&dialog), "it is not driven");
        for stopped in [false, true] {
            drives.start(&dialog, |drive| async move { drive.stop.cancelled().await });
            assert!(!drives.is_ending(&dialog));
            drives.interrupt(&dialog);
            assert!(drives.is_ending(&dialog) && drives.is_interrupted(&dialog));
            assert_eq!(drives.activity(&dialog), Activity::Driving);
            let expected = stopped.then_some(StopReason::UserStop);
            if stopped {
                drives.stop(&dialog, StopReason::UserStop);
            }
            assert_eq!(drives.is_interrupted(&dialog), !stopped);
            let ended = drives.next().await;
            let DriveMessage::Ended(_, reason) = ended else { panic!("{ended:?}") };
            assert_eq!(reason, expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_interruption_takes_back_the_stop_of_a_person_and_no_other() {
        for (requested, left) in [
            (StopReason::UserStop, None),
            (StopReason::EmergencyStop, None),
            (StopReason::ServerRestart, Some(StopReason::ServerRestart)),
            (reason(), Some(reason())),
        ] {
            let (mut drives, dialog) = (Drives::new(), SelfId::new("a"));
            drives.start(&dialog, |drive| async move { drive.stop.cancelled().await });
            drives.stop(&dialog, requested);
            drives.interrupt(&dialog);
            assert_eq!(drives.stop_reason(&dialog), left.as_ref());
            assert!(drives.is_ending(&dialog));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_drive_stops_for_the_first_reason() {
        let mut drives = Drives::new();
        let dialog = SelfId::new("a");
        assert_eq!(drives.activity(&dialog), Activity::Resting);
        drives.start(&dialog, |drive| async move { drive.stop.cancelled().await });
        assert_eq!(drives.activity(&dialog), Activity::Driving);
        drives.stop(&dialog, StopReason::EmergencyStop);
        drives.stop(&dialog, reason());
        assert_eq!(drives.activity(&dialog), Activity::Stopping(StopRequest::EmergencyStop));
        let ended = drives.next().await;
        let DriveMessage::Ended(_, stopped) = ended else { panic!("{ended:?}") };
        assert_eq!(stopped, Some(StopReason::EmergencyStop));
    }
}
