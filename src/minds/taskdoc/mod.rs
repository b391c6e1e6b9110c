//! The Taskdoc: a folder `name.tsk/` that states a task. Three sections are always in the context of
//! every dialog of the task, `bearinmind/` where it has text; everything else is named in an index.
//!
//! Reading is bounded and follows no links inside the package; the package itself must lie inside
//! the workspace.

mod find;
mod path;
mod problems;
mod read;
mod render;
mod sections;
#[cfg(test)]
mod tests;

pub use find::list;
pub use path::validate_path;
pub use problems::problems;
pub use read::read;
pub use render::{render, sentence};
pub use sections::{SectionText, Sections, section_text, sections};

use crate::domain::Problem;
use crate::domain::taskdoc::{BORNE, SECTIONS};

/// The rendered text is replaced by a notice beyond this size.
pub const LIMIT_BYTES: usize = 100 * 1024;

/// What a package holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Taskdoc {
    /// From the workspace, such as `first-task.tsk`.
    pub path: String,
    /// Empty where the file is missing.
    pub goals: String,
    pub constraints: String,
    pub progress: String,
    /// Section and text, only those with text.
    pub bear_in_mind: Vec<(String, String)>,
    /// `category/selector` of what is not shown, sorted.
    pub index: Vec<String>,
    /// How many more there are than the index names.
    pub unlisted: usize,
    /// What does not belong where it is.
    pub violations: Vec<Violation>,
}

/// What is not in order in a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// Only the first entries were looked at.
    TooManyFiles,
    /// A file or folder that does not belong where it is.
    Stranger(String),
}

/// Why there is no Taskdoc.
#[derive(Debug, thiserror::Error)]
pub enum TaskdocError {
    #[error("`{path}` is no path of a Taskdoc: {reason}")]
    BadPath { path: String, reason: String },
    #[error("there is no Taskdoc `{path}`")]
    Missing { path: String },
    #[error("Taskdoc `{path}`: {source}")]
    Io {
        path: String,
        #[source]
        source: std::io::Error,
    },
}

impl TaskdocError {
    /// For a person: what to do about it.
    #[must_use]
    pub fn problem(&self) -> Problem {
        let (what, path, fix) = match self {
            Self::BadPath { path, .. } => {
                ("bad-path", path, "name a folder inside the workspace that ends in `.tsk`")
            }
            Self::Missing { path } => (
                "missing",
                path,
                "make the folder with goals.md, constraints.md and progress.md, or name another",
            ),
            Self::Io { path, .. } => ("unreadable", path, "make the folder readable"),
        };
        Problem::new(format!("taskdoc/{what}/{path}"), path.clone(), self.to_string(), fix)
    }

    fn bad(path: &str, reason: impl Into<String>) -> Self {
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
