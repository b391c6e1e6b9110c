//! What is wrong, where, and what a person can do about it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Secrets;
use super::text::Localized;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know; nothing is lost.
    Info,
    /// Something was left out, and all else works.
    Warning,
    /// Something that is wanted does not work before this is fixed.
    #[default]
    Error,
}

impl Severity {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

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
    #[serde(default)]
    pub severity: Severity,
    pub text: String,
    pub fix: String,
}

impl Problem {
    /// An error; see [`Self::warning`].
    pub fn new(
        id: impl Into<String>,
        path: impl Into<String>,
        text: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            path: path.into(),
            line: None,
            severity: Severity::Error,
            text: text.into(),
            fix: fix.into(),
        }
    }

    /// The same finding without secrets in its texts.
    #[must_use]
    pub fn redacted(self, secrets: &Arc<Secrets>) -> Self {
        let [id, text, fix] = [self.id, self.text, self.fix].map(|text| secrets.redacted(text));
        Self { id, text, fix, ..self }
    }

    /// The same finding, as a mere warning.
    #[must_use]
    pub fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// The finding in one line, with its place and what to do.
    #[must_use]
    pub fn message(&self) -> Localized {
        Localized::same(self.to_string())
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
        write!(f, ": {} ({})", self.text, self.fix)
    }
}
