//! What a sandbox is built from, and how its first process is called.

use std::path::PathBuf;

/// The hidden command that is the first process of a sandbox.
pub(super) const HELPER_NAME: &str = "sandbox-helper";
/// Its flag: processes that the command leaves behind may go on.
pub(super) const STAY: &str = "--stay";
/// Its flag: join the network namespace of a process first, then exec the command.
pub(super) const JOIN_NETWORK: &str = "--join";

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
    /// Folders of tools that environment variables name.
    pub tools: Vec<PathBuf>,
}
