//! A command and everything it started: signalled together, and gone together.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::time::sleep;

use super::identity::{Identity, members, strays};

/// Between a request to end and the end by force.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// Between two looks whether a group is gone.
const LOOK: Duration = Duration::from_millis(20);

/// The process group of a command, named by its first process.
#[derive(Debug, Clone)]
pub(crate) struct Group(Identity);

impl Group {
    pub fn new(leader: Identity) -> Self {
        Self(leader)
    }

    /// True if any process of it is left. A group keeps its number from being given away.
    pub fn is_there(&self) -> bool {
        if cfg!(target_os = "linux") {
            return !members(self.0.pid).is_empty();
        }
        self.pid().is_some_and(|pid| test_kill_process_group(pid).is_ok())
    }

    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Asks it to end, waits, and ends it by force. True if nothing of it is left.
    pub async fn end(&self) -> bool {
        self.terminate();
        if !self.gone_within(GRACE).await {
            self.kill();
        }
        self.gone_within(GRACE).await
    }

    /// Waits until nothing of it is left, for this long at most.
    pub async fn gone_within(&self, limit: Duration) -> bool {
        let mut waited = Duration::ZERO;
        while self.is_there() {
            if waited >= limit {
                return false;
            }
            sleep(LOOK).await;
            waited += LOOK;
        }
        true
    }

    /// Reaches the group, and what went into another group of the same session.
    fn signal(&self, signal: Signal) {
        let Some(leader) = self.pid() else { return };
        // Found before the leader ends, and signalled once: some take a second signal for impatience.
        let others = strays(self.0.pid);
        if kill_process_group(leader, signal).is_err() && self.0.is_there() {
            // It has not become a group yet.
            let _ = kill_process(leader, signal);
        }
        for other in others.into_iter().filter_map(pid_of) {
            // One that is gone meanwhile needs no signal.
            let _ = kill_process(other, signal);
        }
    }

    fn pid(&self) -> Option<Pid> {
        // Below 2 lie "every process" and the first one of the system.
        (self.0.pid > 1).then(|| pid_of(self.0.pid)).flatten()
    }
}

/// The process alone, without those it started.
pub(super) fn terminate_alone(pid: u32) {
    if let Some(pid) = pid_of(pid) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

fn pid_of(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
