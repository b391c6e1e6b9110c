//! A command and everything it started: signalled together, and gone together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};
use tokio::time::sleep;

use super::identity::{Identity, PidHolder, below, members, strays};

/// The wait between the signal to end and the kill.
pub(super) const GRACE: Duration = Duration::from_secs(2);
/// The interval of checks whether a group is gone.
const LOOK: Duration = Duration::from_millis(20);
/// Most rounds of killing, since a command may start processes meanwhile.
const MAX_ROUNDS: usize = 20;

/// The process group of a command, identified by its leader: pid, start time and boot. Once the group is gone, its
/// number may be reused; other groups are never signalled.
#[derive(Debug, Clone)]
pub(crate) struct ProcessGroup {
    leader: Identity,
    gone: Arc<AtomicBool>,
    /// The number of nested sandbox processes around the command, the leader first. They end by themselves when the
    /// command does, and the command ends at once if they do.
    layers: usize,
}

impl ProcessGroup {
    pub fn new(leader: Identity) -> Self {
        Self::behind(leader, 0)
    }

    /// The group of a command in a sandbox.
    pub fn behind(leader: Identity, layers: usize) -> Self {
        Self { leader, gone: Arc::default(), layers }
    }

    /// True if it ends with this program, however that ends.
    pub fn is_sandboxed(&self) -> bool {
        self.layers > 0
    }

    /// True if any process of it exists. While one does, the number of the group is not reused.
    pub fn is_there(&self) -> bool {
        if self.gone.load(Ordering::Acquire) {
            return false;
        }
        let (there, for_ever) = match self.leader.holder() {
            PidHolder::Itself => (true, false),
            PidHolder::Ended => (!members(&self.leader).is_empty(), false),
            PidHolder::Nobody => {
                let left = !members(&self.leader).is_empty();
                (left, !left)
            }
            PidHolder::Other => (false, true),
            PidHolder::Unknown => {
                (self.pid().is_some_and(|pid| test_kill_process_group(pid).is_ok()), false)
            }
        };
        if for_ever {
            self.gone.store(true, Ordering::Release);
        }
        there
    }

    pub fn terminate(&self) {
        if !self.is_sandboxed() {
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
        if self.is_sandboxed() {
            for _ in 0..MAX_ROUNDS {
                let inside = self.inside();
                if inside.is_empty() {
                    break;
                }
                for (pid, _) in inside {
                    send(pid, Signal::KILL);
                }
            }
            // The sandbox's first process dies with its parent, and all others with it.
            for (pid, _) in self.below() {
                send(pid, Signal::KILL);
            }
        }
        self.signal(Signal::KILL);
    }

    /// Sends the signal to end to the command's first process only.
    pub fn terminate_alone(&self) {
        let first = if self.is_sandboxed() {
            self.inside().into_iter().find(|(_, distance)| *distance == self.layers)
        } else {
            self.leader.is_there().then_some((self.leader.pid, 0))
        };
        if let Some((pid, _)) = first {
            send(pid, Signal::TERM);
        }
    }

    /// The processes of a command in a sandbox.
    fn inside(&self) -> Vec<(u32, usize)> {
        let mut all = self.below();
        all.retain(|(_, distance)| *distance >= self.layers);
        all
    }

    /// Returns the descendants of the leader, each with its depth.
    fn below(&self) -> Vec<(u32, usize)> {
        if self.leader.is_there() { below(self.leader.pid) } else { Vec::new() }
    }

    /// Sends it a signal to end, waits, and kills it. True if no process of it exists any more.
    pub async fn end(&self) -> bool {
        self.terminate();
        if !self.gone_within(GRACE).await {
            self.kill();
        }
        self.gone_within(GRACE).await
    }

    /// Waits at most this long until no process of it exists.
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
        let Some(leader) = self.pid().filter(|_| self.is_there()) else { return };
        // Found before the leader ends, and signalled once: some take a second signal for impatience.
        let others = strays(&self.leader);
        if kill_process_group(leader, signal).is_err() && self.leader.is_there() {
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
        // A process that ended meanwhile needs no signal.
        let _ = kill_process(pid, signal);
    }
}

fn pid_of(pid: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(pid).ok()?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A group whose first process ends at once if `brief`, and leaves another one behind.
    fn start(brief: bool) -> Child {
        let script = if brief { "sleep 60 & read word" } else { "exec sleep 60" };
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::piped()).process_group(0).spawn().unwrap()
    }

    fn ends_within_a_while(child: &mut Child) -> bool {
        (0..1_000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            child.try_wait().unwrap().is_some()
        })
    }

    #[test]
    fn a_number_that_now_means_something_else_is_never_signalled() {
        let mut child = start(false);
        let own = Identity::of(child.id());
        if own.started_ticks == 0 {
            eprintln!("skipped: this system does not tell when a process started");
            child.kill().unwrap();
            child.wait().unwrap();
            return;
        }
        for other in [
            Identity { started_ticks: own.started_ticks - 1, ..own.clone() },
            Identity { started_ticks: own.started_ticks + 1, ..own.clone() },
            Identity { boot: "another run of the machine".to_owned(), ..own.clone() },
        ] {
            let group = ProcessGroup::new(other.clone());
            assert!(!group.is_there(), "{other:?}");
            group.terminate();
            group.kill();
            group.terminate_alone();
        }
        std::thread::sleep(LOOK);
        assert!(child.try_wait().unwrap().is_none(), "it is at work");
        let group = ProcessGroup::new(own);
        assert!(group.is_there());
        group.kill();
        assert!(ends_within_a_while(&mut child));
        assert!(!group.is_there());
    }

    #[test]
    fn what_is_left_of_a_group_is_reached_after_its_first_process_has_gone() {
        let mut leader = start(true);
        let group = ProcessGroup::new(Identity::of(leader.id()));
        drop(leader.stdin.take());
        assert!(ends_within_a_while(&mut leader));
        assert!(group.is_there(), "something it started is at work");
        group.kill();
        assert!((0..1_000).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            !group.is_there()
        }));
        assert!(group.gone.load(Ordering::Acquire), "nobody with that number is signalled again");
    }
}
