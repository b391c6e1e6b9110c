//! The process on the other side of a connection, according to the kernel.

use std::fs;
use std::str::FromStr;

use rustix::process::Resource;
use tokio::net::UnixStream;

use super::place::own_uid;
use crate::domain::safety::command_mark;
use crate::domain::text::Text;

/// Longest chain of parents that is followed.
const MAX_PARENTS: usize = 64;

/// Why a peer is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PeerRefusal {
    #[error("it belongs to user {0}")]
    OtherUser(u32),
    #[error("it is a command that this driver started (process {0})")]
    OwnCommand(i32),
    #[error("it was started by a command of a member (process {0})")]
    MemberCommand(i32),
    #[error("its process is not known")]
    Unknown,
}

impl PeerRefusal {
    /// Returns the reason for the peer.
    #[must_use]
    pub fn reason(self) -> Text {
        match self {
            Self::OtherUser(_) => Text::new("it belongs to another user", "它属于另一用户"),
            Self::OwnCommand(_) => Text::new(
                "commands that the driver itself started may not use it",
                "由驱动进程自己启动的命令不得使用它",
            ),
            Self::MemberCommand(_) => Text::new(
                "what a command of a member started may not use it",
                "由成员的命令启动的进程不得使用它",
            ),
            Self::Unknown => Text::new(
                "the driver cannot see which process this is, as in a container",
                "驱动进程看不到这是哪个进程（例如在容器中）",
            ),
        }
    }
}

/// Admits processes of the user, but no command of a member, which could agree to things in the user's name.
#[derive(Debug, Clone, Copy)]
pub struct Gate {
    /// The limit by which commands are known, of this process when it began to listen.
    limit: u64,
}

impl Gate {
    #[must_use]
    pub fn of_this_process() -> Self {
        let limit = rustix::process::getrlimit(Resource::Locks).maximum;
        Self { limit: limit.unwrap_or(command_mark::NO_LIMIT) }
    }

    /// Checks the peer of a driver.
    ///
    /// # Errors
    /// It is refused.
    pub fn check(self, stream: &UnixStream) -> Result<(), PeerRefusal> {
        let pid = check_user(stream)?.ok_or(PeerRefusal::Unknown)?;
        let before = start(pid).ok_or(PeerRefusal::Unknown)?;
        if is_below(pid, own_pid(), parent) {
            return Err(PeerRefusal::OwnCommand(pid));
        }
        let limits = fs::read_to_string(format!("/proc/{pid}/limits"));
        let limit = limits.ok().as_deref().and_then(command_mark::limit_in);
        if limit.ok_or(PeerRefusal::Unknown)? < self.limit {
            return Err(PeerRefusal::MemberCommand(pid));
        }
        // Another process may have got the number meanwhile.
        if start(pid) == Some(before) { Ok(()) } else { Err(PeerRefusal::Unknown) }
    }
}

/// Checks that a peer belongs to this user; returns its process, if visible.
///
/// # Errors
/// It belongs to another user, or the kernel does not say.
pub fn check_user(stream: &UnixStream) -> Result<Option<i32>, PeerRefusal> {
    let peer = stream.peer_cred().map_err(|_| PeerRefusal::Unknown)?;
    if peer.uid() != own_uid() {
        return Err(PeerRefusal::OtherUser(peer.uid()));
    }
    Ok(peer.pid().filter(|pid| *pid > 0))
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap_or(i32::MAX)
}

/// True if `pid` is a descendant of `top`. Fails closed: true for a process whose ancestors cannot be read,
/// or are too many.
fn is_below(pid: i32, top: i32, parent: impl Fn(i32) -> Option<i32>) -> bool {
    let mut at = pid;
    for _ in 0..MAX_PARENTS {
        match parent(at) {
            Some(above) if above == top => return true,
            // The first process, or one whose parent is not visible here.
            Some(0) => return false,
            Some(above) => at = above,
            None => return true,
        }
    }
    true
}

fn parent(pid: i32) -> Option<i32> {
    field(&stat(pid)?, 4)
}

/// Returns the start time of a process, in ticks.
fn start(pid: i32) -> Option<u64> {
    field(&stat(pid)?, 22)
}

fn stat(pid: i32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/stat")).ok()
}

/// A field by its number in the manual; the second one, the name in parentheses, may contain anything.
fn field<T: FromStr>(stat: &str, number: usize) -> Option<T> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_below_those_that_started_it_and_an_unknown_one_below_all() {
        let parents = |pid| match pid {
            9 => Some(7),
            7 => Some(3),
            3 => Some(1),
            1 => Some(0),
            5 => Some(5),
            _ => None,
        };
        for (pid, top, below) in
            [(9, 7, true), (9, 3, true), (7, 9, false), (1, 9, false), (8, 7, true), (5, 7, true)]
        {
            assert_eq!(is_below(pid, top, parents), below, "{pid} {top}");
        }
    }

    #[test]
    fn the_name_of_a_process_cannot_pretend_another_parent() {
        assert_eq!(field("12 (a) S 1 (b) S 34 12 12", 4), Some(34));
        assert_eq!(field("12 (sh) S 7 12 12", 4), Some(7));
        assert_eq!(field::<i32>("12 (sh", 4), None);
    }

    #[test]
    fn a_command_of_this_process_is_below_it() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let below = is_below(pid, own_pid(), parent);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(below);
        assert!(!is_below(own_pid(), own_pid(), parent), "another screen is no command");
    }
}
