//! The input for a sandbox, and the arguments of its first process.

use std::path::PathBuf;

/// The hidden command that is the first process of a sandbox.
pub(super) const HELPER_NAME: &str = "sandbox-helper";
/// Its role without a sandbox: what the command starts ends with it, and all of it with the main program.
pub(super) const UNCONFINED: &str = "--unconfined";
/// Its flag: processes that the command leaves behind may go on.
pub(super) const STAY: &str = "--stay";
/// Its role before `bwrap`: hold reserved paths, then exec the command.
pub(super) const BEFORE_BWRAP: &str = "--before";
/// Its flag: remove the placeholders of another process when that has ended.
pub(super) const SWEEP: &str = "--sweep";
/// Its flag: join the network namespace of a process first.
pub(super) const JOIN_NETWORK: &str = "--join";
/// The workspace, and its identity.
pub(super) const WORKSPACE: &str = "--workspace";
/// Paths to hold, with the objects judged there.
pub(super) const PIN: &str = "--pin";
pub(super) const FIX: &str = "--fix";
pub(super) const CLOSE: &str = "--close";
/// The stand-ins for closed folders and files.
pub(super) const CLOSED: &str = "--closed";
/// The folder over which the hidden copy of the workspace is mounted, for what is pinned.
pub(super) const HIDDEN: &str = "--hidden";

/// Paths that a sandbox is built from.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// The workspace, its symlinks resolved.
    pub workspace: PathBuf,
    /// The home folder, its symlinks resolved.
    pub home: Option<PathBuf>,
    /// The state folder of this program.
    pub state: PathBuf,
    /// The executable of this program, run as the first process of a sandbox.
    pub program: PathBuf,
    /// Folders of tools that environment variables name, with the variable.
    pub tools: Vec<(&'static str, PathBuf)>,
}
