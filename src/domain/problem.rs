//! What is wrong, where, and what a person can do about it.

use serde::{Deserialize, Serialize};

/// A finding about the workspace or its configuration. Texts are plain; they may quote foreign text,
/// so they are cleaned where they are shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Stable for the same finding, for example `team/unknown-toolset/alice`.
    pub id: String,
    /// The file or folder, relative to the workspace.
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    pub text: String,
    pub mend: String,
}

impl Problem {
    pub fn new(
        id: impl Into<String>,
        path: impl Into<String>,
        text: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), path: path.into(), line: None, text: text.into(), mend: mend.into() }
    }

    #[must_use]
    pub fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {} ({})", self.text, self.mend)
    }
}
