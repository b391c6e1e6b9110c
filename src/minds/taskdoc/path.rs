//! Valid paths of Taskdocs.

use std::path::{Path, PathBuf};

use super::TaskdocError;
use crate::domain::Reserved;
use crate::domain::reserved::{TASKDOC_ENDING, of_name, of_path};
use crate::domain::text::{Localized, Text, localized};

const MAX_PATH: usize = 300;

/// Accepts a normalized relative path to a folder `….tsk` inside the workspace.
///
/// # Errors
/// The reason, as the end of a sentence.
pub fn validate_path(path: &str) -> Result<(), Localized> {
    if path.is_empty() || path.len() > MAX_PATH {
        return Err(localized!(
            "it must have 1 to {MAX_PATH} bytes",
            "它必须有 1 到 {MAX_PATH} 字节"
        ));
    }
    if path.chars().any(|c| c.is_control() || c == '\\') {
        return Err(Text::new(
            "it has a control character or a backslash",
            "它含有控制字符或反斜杠",
        )
        .into());
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err(Text::new(
            "it must be relative to the workspace, without `.` and `..`",
            "它必须相对于工作区，且不含 `.` 和 `..`",
        )
        .into());
    }
    if of_path(path).any(|what| what != Reserved::Taskdoc) {
        return Err(Text::new("that folder is not for tasks", "该文件夹不用于任务").into());
    }
    let last = parts.pop().unwrap_or_default();
    if last.strip_suffix(TASKDOC_ENDING).is_none_or(str::is_empty) {
        return Err(Text::new(
            "it must end in `.tsk`, such as `first-task.tsk`",
            "它必须以 `.tsk` 结尾，如 `first-task.tsk`",
        )
        .into());
    }
    if parts.iter().any(|part| is_package(part)) {
        return Err(Text::new("it lies inside another Taskdoc", "它位于另一个任务文档之内").into());
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
        return Err(TaskdocError::bad_path(
            path,
            Text::new("it leads outside the workspace", "它指向工作区之外"),
        ));
    }
    if !folder.is_dir() {
        return Err(TaskdocError::bad_path(path, Text::new("it is not a folder", "它不是文件夹")));
    }
    Ok(folder)
}
