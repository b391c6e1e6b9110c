//! The Taskdoc: a folder `name.tsk/` that describes a task. Three sections are always in the context of
//! every dialog of the task, `bearinmind/` if it has text; everything else is listed in an index.
//!
//! Reading is bounded and follows no links inside the package; the package must be inside the
//! workspace.

mod find;
mod package;
mod path;
mod problems;
mod render;
mod sections;
#[cfg(test)]
mod tests;

pub use find::list;
pub use package::read;
pub use path::validate_path;
pub use problems::problems;
pub use render::{render, violation_text};
pub use sections::{SectionText, TaskdocSections, section_text, sections};

use std::fmt;

use crate::domain::Problem;
use crate::domain::dialogs::taskdoc::{BORNE, SECTIONS};
use crate::domain::text::{Localized, Text, localized};

/// The rendered text is replaced by a notice beyond this size.
pub const LIMIT_BYTES: usize = 100 * 1024;

/// The content of a package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taskdoc {
    /// Relative to the workspace, such as `first-task.tsk`.
    pub path: String,
    /// Empty if the file is missing.
    pub goals: String,
    pub constraints: String,
    pub progress: String,
    /// `(section, text)`, only those with text.
    pub bear_in_mind: Vec<(String, String)>,
    /// `category/selector` of sections that are not shown, sorted.
    pub index: Vec<String>,
    /// Number of sections that are not in the index.
    pub unlisted: usize,
    pub violations: Vec<Violation>,
}

/// A violation of the layout of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// Only the first entries were read.
    TooManyFiles,
    /// A file or folder that does not belong there.
    Unexpected(String),
}

/// A Taskdoc cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TaskdocError {
    BadPath {
        path: String,
        reason: Localized,
    },
    Missing {
        path: String,
    },
    Io {
        path: String,
        #[source]
        source: std::io::Error,
    },
}

impl TaskdocError {
    /// The message for a person.
    #[must_use]
    pub fn message(&self) -> Localized {
        match self {
            Self::BadPath { path, reason } => localized!(
                [reason] "`{path}` is not the path of a Taskdoc: {reason}",
                "`{path}` 不是任务文档的路径：{reason}"
            ),
            Self::Missing { path } => {
                localized!("there is no Taskdoc `{path}`", "没有任务文档 `{path}`")
            }
            Self::Io { path, source } => {
                localized!("Taskdoc `{path}`: {source}", "任务文档 `{path}`：{source}")
            }
        }
    }

    /// The error with a fix, for the user.
    #[must_use]
    pub fn problem(&self) -> Problem {
        let (what, path, fix) = match self {
            Self::BadPath { path, .. } => (
                "bad-path",
                path,
                Text::new(
                    "name a folder inside the workspace that ends in `.tsk`",
                    "请写工作区内以 `.tsk` 结尾的文件夹",
                ),
            ),
            Self::Missing { path } => (
                "missing",
                path,
                Text::new(
                    "make the folder with goals.md, constraints.md and progress.md, or name another",
                    "请建立含有 goals.md、constraints.md 和 progress.md 的文件夹，或写另一个",
                ),
            ),
            Self::Io { path, .. } => {
                ("unreadable", path, Text::new("make the folder readable", "请使该文件夹可读"))
            }
        };
        Problem::new(format!("taskdoc/{what}/{path}"), path.clone(), self.message(), fix)
    }

    fn bad_path(path: &str, reason: impl Into<Localized>) -> Self {
        Self::BadPath { path: path.chars().take(200).collect(), reason: reason.into() }
    }

    fn io(path: &str, source: std::io::Error) -> Self {
        let path = path.to_owned();
        if source.kind() == std::io::ErrorKind::NotFound {
            Self::Missing { path }
        } else {
            Self::Io { path, source }
        }
    }
}

impl fmt::Display for TaskdocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}
