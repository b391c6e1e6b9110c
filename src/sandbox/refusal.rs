//! Why no command is run: a text for the calling model, and one for the user who can fix it.

use crate::domain::text::in_lang;
use crate::domain::{Lang, Problem};

/// Why a command cannot be sandboxed as required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxRefusal(pub SandboxRefusalKind);

/// The reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxRefusalKind {
    /// No means works here; the error of each probe.
    NoMeans(Vec<(&'static str, String)>),
    /// This workspace cannot be sandboxed as it is.
    Workspace(String),
    /// The sandbox could not be set up.
    Failed(String),
}

impl SandboxRefusal {
    pub(super) fn failed(error: impl std::fmt::Display) -> Self {
        Self(SandboxRefusalKind::Failed(error.to_string()))
    }

    /// For the user: what is wrong, and what to do.
    #[must_use]
    pub fn for_user(&self) -> String {
        let (text, fix) = self.text_and_fix();
        format!("{text}: {fix}")
    }

    /// For the list of problems.
    #[must_use]
    pub fn problem(&self) -> Problem {
        let (text, fix) = self.text_and_fix();
        Problem::new("sandbox", "sandbox", text, fix)
    }

    fn text_and_fix(&self) -> (String, &'static str) {
        let reason = self.reason();
        match &self.0 {
            SandboxRefusalKind::NoMeans(_) => (
                format!("commands cannot be sandboxed here ({reason}), so none is run"),
                "install bubblewrap and see `dominds-tui doctor`, or set `sandbox: off` for this \
                 workspace in config.yaml",
            ),
            SandboxRefusalKind::Workspace(_) => (
                format!("no command is run in this workspace: {reason}"),
                "open a folder of its own as the workspace, or set `sandbox: off` for this one in \
                 config.yaml",
            ),
            SandboxRefusalKind::Failed(_) => (
                format!("the sandbox for commands could not be built: {reason}"),
                "see `dominds-tui doctor`, fix what it reports, then start the program again",
            ),
        }
    }

    /// For a model: that it is not its fault, and that a retry changes nothing.
    #[must_use]
    pub fn for_model(&self, lang: Lang) -> String {
        let reason = self.reason();
        in_lang!(
            lang,
            "No command was run: on this machine it could not be held in a sandbox ({reason}). Trying again \
                 changes nothing. Go on without commands, or tell a person: `dominds-tui doctor` says what to do.",
            "没有执行任何命令:本机无法为命令建立沙箱({reason})。重试无用。请不使用命令继续,或告知用户:\
                 `dominds-tui doctor` 会说明如何处理。"
        )
    }

    fn reason(&self) -> String {
        match &self.0 {
            SandboxRefusalKind::NoMeans(tried) => {
                let each = tried.iter().map(|(means, error)| format!("{means}: {error}"));
                each.collect::<Vec<_>>().join("; ")
            }
            SandboxRefusalKind::Workspace(reason) | SandboxRefusalKind::Failed(reason) => {
                reason.clone()
            }
        }
    }
}

impl std::fmt::Display for SandboxRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.for_user())
    }
}

impl std::error::Error for SandboxRefusal {}
