//! The sandbox configuration of a workspace.

use std::path::{Path, PathBuf};

use crate::platform::{dirs, env};
use crate::sandbox::{SandboxConfig, tool_variables};

/// Returns the configuration for the current user on this machine.
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
        tools: tool_variables().flat_map(named_by).collect(),
    }
}

/// The folders that a variable names, with its name. A value may be a list.
fn named_by(variable: &'static str) -> Vec<(&'static str, PathBuf)> {
    let value = env::variable(variable).unwrap_or_default();
    std::env::split_paths(&value).map(|path| (variable, path)).collect()
}
