//! The sandbox configuration of a workspace.

use std::path::{Path, PathBuf};

use crate::platform::{dirs, env};
use crate::sandbox::SandboxConfig;

/// Variables with paths of tools, their caches, and certificates.
const TOOL_VARIABLES: [&str; 15] = [
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "GOMODCACHE",
    "JAVA_HOME",
    "NVM_DIR",
    "NODE_PATH",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "npm_config_cache",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];

/// For the current user on this machine.
#[must_use]
pub fn sandbox_config(workspace: &Path) -> SandboxConfig {
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
    let unnamed = || std::env::temp_dir().join(format!("dominds-tui-{}", std::process::id()));
    let state = dirs::state().unwrap_or_else(unnamed);
    SandboxConfig {
        workspace: real(workspace.to_owned()),
        home: env::variable("HOME").map(|home| real(home.into())),
        state: real(state),
        program: std::env::current_exe().unwrap_or_default(),
        tools: TOOL_VARIABLES.into_iter().filter_map(env::variable).map(PathBuf::from).collect(),
    }
}
