//! Why the store could not do what it was asked. Nothing that failed here was acknowledged.

use std::io;
use std::path::{Path, PathBuf};

use crate::domain::{Problem, RootId};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process writes to this workspace; the text says who.
    #[error("the workspace is in use by {holder}")]
    Held { holder: String },
    /// Somebody else's file lies where the lock belongs: whoever owns it could hold it at will.
    #[error(
        "{} is not your lock file: {reason}. If nobody else uses this workspace, remove it",
        path.display()
    )]
    UntrustedLock { path: PathBuf, reason: String },
    #[error("the workspace is open for reading only")]
    ReadOnly,
    #[error("there is no dialog {0}")]
    NotFound(RootId),
    #[error("{action} {}: {source}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The file grew or shrank since it was last read or written here. Nothing was written.
    #[error("{}: another program writes to it", .0.display())]
    ExternalWriter(PathBuf),
    /// A link, folder or device lies where a file or folder of the layout belongs.
    #[error("{} is not {expected}", path.display())]
    Misplaced { path: PathBuf, expected: &'static str },
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The tree is damaged beyond repair; in a writing store it was set aside.
    #[error("{0}")]
    Damaged(Box<Problem>),
    /// The tree has the layout of an earlier Dominds.
    #[error("{0} is history in an earlier layout (subdialogs/): it can be read, nothing else")]
    EarlierLayout(RootId),
    #[error("{name:?} cannot name a file")]
    BadName { name: String },
    #[error("the store was cut off: {0}")]
    Interrupted(String),
    #[error("writing {}: {text}", path.display())]
    Encode { path: PathBuf, text: String },
}

impl StoreError {
    /// True if another process holds the workspace.
    #[must_use]
    pub fn is_held(&self) -> bool {
        matches!(self, Self::Held { .. })
    }

    /// The work was cut off before it could report.
    #[must_use]
    pub fn interrupted(reason: &str) -> Self {
        Self::Interrupted(reason.to_owned())
    }

    /// Wraps an I/O error: `.map_err(StoreError::io("reading", path))`.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
