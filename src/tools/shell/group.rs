//! A command and everything it started: signalled together, and gone together.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::time::sleep;

use super::identity::{Identity, below, members, strays};

/// Between a request to end and the end by force.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// Between two looks whether a group is gone.
const LOOK: Duration = Duration::from_millis(20);

/// Rounds in which what a command starts meanwhile is ended, too.
const MOST_ROUNDS: usize = 20;

/// The process group of a command, named by its first process.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    leader: Identity,
    /// So many processes, one below the other, the leader first, are the sandbox of the command. They
    /// end by themselves when the command does, and the command at once if they do.
    layers: usize,
}

impl Group {
    pub fn new(leader: Identity) -> Self {
        Self::behind(leader, 0)
    }

    /// Of a command in a sandbox.
    pub fn behind(leader: Identity, layers: usize) -> Self {
        Self { leader, layers }
    }

    /// True if it ends with this program, whatever becomes of that.
    pub fn is_walled(&self) -> bool {
        self.layers > 0
    }

    /// True if any process of it is left. A group keeps its number from being given away.
    pub fn is_there(&self) -> bool {
        if cfg!(target_os = "linux") {
            return !members(self.leader.pid).is_empty();
        }
        self.pid().is_some_and(|pid| test_kill_process_group(pid).is_ok())
    }

    pub fn terminate(&self) {
        if !self.is_walled() {
            return self.signal(Signal::TERM);
        }
        let inside = self.inside();
        for (pid, _) in &inside {
            send(*pid, Signal::TERM);
        }
        if inside.is_empty() {
            // It has not begun.
            self.kill();
        }
    }

    pub fn kill(&self) {
        if self.is_walled() {
            for _ in 0..MOST_ROUNDS {
                let inside = self.inside();
                if inside.is_empty() {
                    break;
                }
                for (pid, _) in inside {
                    send(pid, Signal::KILL);
                }
            }
            // The first process in there goes with its parent, and all the others with it.
            for (pid, _) in below(self.leader.pid) {
                send(pid, Signal::KILL);
            }
        }
        self.signal(Signal::KILL);
    }

    /// Asks the first process of the command to end, not what it started.
    pub fn terminate_alone(&self) {
        let first = if self.is_walled() {
            self.inside().into_iter().find(|(_, distance)| *distance == self.layers)
        } else {
            Some((self.leader.pid, 0))
        };
        if let Some((pid, _)) = first {
            send(pid, Signal::TERM);
        }
    }

    /// The processes of a command in a sandbox.
    fn inside(&self) -> Vec<(u32, usize)> {
        let mut all = below(self.leader.pid);
        all.retain(|(_, distance)| *distance >= self.layers);
        all
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
        let others = strays(self.leader.pid);
        if kill_process_group(leader, signal).is_err() && self.is_there() {
            // It has not become a group yet.
            let _ = kill_process(leader, signal);
        }
        for other in others {
            send(other, signal);
        }
    }

    fn pid(&self) -> Option<Pid> {
        // Below 2 lie "every process" and the first one of the system.
        (self.leader.pid > 1).then(|| pid_of(self.leader.pid)).flatten()
    }
}

fn send(pid: u32, signal: Signal) {
    if let Some(pid) = pid_of(pid) {
        // One that is gone meanwhile needs no signal.
        let _ = kill_process(pid, signal);
    }
}

fn pid_of(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}
