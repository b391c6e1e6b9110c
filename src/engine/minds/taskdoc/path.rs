//! Valid paths of Taskdocs, and the folders at them.

use std::ffi::OsStr;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use super::TaskdocError;
use crate::domain::Reserved;
use crate::domain::safety::reserved::{TASKDOC_ENDING, of_name, of_path};
use crate::domain::text::{Localized, Text, localized};
use crate::guard::{Guard, OpenDir, PathFault, PathFaultKind};

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

/// A package that is open, so that it stays the same whatever becomes of its path.
#[derive(Debug)]
pub(super) struct Package {
    guard: Guard,
    pub folder: OpenDir,
}

impl Package {
    /// Opens the folder of the package, which must be inside the workspace.
    pub fn open(workspace: &Path, path: &str) -> Result<Self, TaskdocError> {
        validate_path(path).map_err(|reason| TaskdocError::bad_path(path, reason))?;
        let open = || {
            let guard = Guard::for_taskdocs(workspace)?;
            // Blanks at its ends belong to it.
            let folder = guard.open_dir(&format!("./{path}"))?;
            Ok(Self { guard, folder })
        };
        open().map_err(|fault: PathFault| of_fault(path, &fault))
    }

    /// A folder in it; no link is followed.
    pub fn category(&self, name: &str) -> Result<OpenDir, PathFault> {
        self.guard.enter(&self.folder, OsStr::new(name))
    }

    /// A regular file in it by its path, of one or two names; no link is followed.
    pub fn file(&self, path: &str) -> Result<File, PathFault> {
        match path.split_once('/') {
            Some((category, name)) => {
                self.guard.open_in(&self.category(category)?, OsStr::new(name))
            }
            None => self.guard.open_in(&self.folder, OsStr::new(path)),
        }
    }
}

fn of_fault(path: &str, fault: &PathFault) -> TaskdocError {
    match fault.kind {
        PathFaultKind::Denied(_) => TaskdocError::bad_path(
            path,
            Text::new("it leads outside the workspace", "它指向工作区之外"),
        ),
        PathFaultKind::NotAFile | PathFaultKind::NotADirectory => {
            TaskdocError::bad_path(path, Text::new("it is not a folder", "它不是文件夹"))
        }
        PathFaultKind::NotFound => TaskdocError::io(path, ErrorKind::NotFound.into()),
        PathFaultKind::Io(kind) => TaskdocError::io(path, kind.into()),
        PathFaultKind::Invalid(_)
        | PathFaultKind::Listed { .. }
        | PathFaultKind::Exists
        | PathFaultKind::NotEmpty
        | PathFaultKind::TooManyLinks
        | PathFaultKind::Changed => {
            TaskdocError::bad_path(path, Localized::of(|lang| fault.text(lang)))
        }
    }
}
