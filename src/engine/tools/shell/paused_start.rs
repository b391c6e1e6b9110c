//! A process that waits before it becomes a command: its record is on disk and it is marked as a command before anything
//! of the command runs.

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use crate::domain::safety::command_mark::{NO_LIMIT, limit_below};

pub(super) const SH: &str = "/bin/sh";
/// Waits for a word before the command takes its place. If this program ends before it gave the word,
/// the command never begins.
pub(super) const HOLD: &str = r#"read -r word || exit 126; exec "$@" </dev/null"#;
/// The line that lets a held command begin.
pub(super) const GO: &[u8] = b"\n";

/// Marks a held process, and so all that it will start, as a command of a member.
pub(super) fn mark(pid: u32) {
    let own = getrlimit(Resource::Locks).maximum.unwrap_or(NO_LIMIT);
    let limit = Some(limit_below(own));
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let limit = Rlimit { current: limit, maximum: limit };
    // If the kernel has no such limit, the process is still recognised by its parents.
    if let Err(error) = prlimit(pid, Resource::Locks, limit) {
        tracing::warn!(%error, "a command is not marked");
    }
}
