//! Valid paths of Taskdocs.

use std::path::{Path, PathBuf};

use super::TaskdocError;
use crate::domain::Reserved;
use crate::domain::reserved::{TASKDOC_ENDING, of_name, of_path};

const MAX_PATH: usize = 300;

/// Accepts a normalized relative path to a folder `….tsk` inside the workspace.
///
/// # Errors
/// The reason, as the end of a sentence.
pub fn validate_path(path: &str) -> Result<(), String> {
    if path.is_empty() || path.len() > MAX_PATH {
        return Err(format!("it must have 1 to {MAX_PATH} bytes"));
    }
    if path.chars().any(|c| c.is_control() || c == '\\') {
        return Err("it has a control character or a backslash".to_owned());
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err("it must be relative to the workspace, without `.` and `..`".to_owned());
    }
    if of_path(path).any(|what| what != Reserved::Taskdoc) {
        return Err("that folder is not for tasks".to_owned());
    }
    let last = parts.pop().unwrap_or_default();
    if last.strip_suffix(TASKDOC_ENDING).is_none_or(str::is_empty) {
        return Err("it must end in `.tsk`, such as `first-task.tsk`".to_owned());
    }
    if parts.iter().any(|part| is_package(part)) {
        return Err("it lies inside another Taskdoc".to_owned());
    }
    Ok(())
}

/// True if a folder of this name is a package, or would be mistaken for one.
pub(super) fn is_package(name: &str) -> bool {
    of_name(1, name).any(|what| what == Reserved::Taskdoc)
}

/// The canonical folder of the package; it must be inside the workspace.
pub(super) fn package_folder(workspace: &Path, path: &str) -> Result<PathBuf, TaskdocError> {
    validate_path(path).map_err(|reason| TaskdocError::bad_path(path, reason))?;
    let io = |error| TaskdocError::io(path, error);
    let root = workspace.canonicalize().map_err(io)?;
    let folder = root.join(path).canonicalize().map_err(io)?;
    if !folder.starts_with(&root) {
        return Err(TaskdocError::bad_path(path, "it leads outside the workspace"));
    }
    if !folder.is_dir() {
        return Err(TaskdocError::bad_path(path, "it is not a folder"));
    }
    Ok(folder)
}
