//! Why no command is run: for the model that called, and for the person who can mend it.

use crate::domain::{Lang, Problem};

/// Why a command cannot be held as it has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxRefusal(pub SandboxRefusalKind);

/// The reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxRefusalKind {
    /// What each means said when it was tried.
    NoMeans(Vec<(&'static str, String)>),
    /// There can be no wall around this workspace as it is.
    Workspace(String),
    /// It could not be built.
    Broken(String),
}

impl SandboxRefusal {
    pub(super) fn broken(error: impl std::fmt::Display) -> Self {
        Self(SandboxRefusalKind::Broken(error.to_string()))
    }

    /// For a person: what is wrong, and what to do.
    #[must_use]
    pub fn for_person(&self) -> String {
        let (text, mend) = self.told();
        format!("{text}: {mend}")
    }

    /// For the list of problems.
    #[must_use]
    pub fn problem(&self) -> Problem {
        let (text, mend) = self.told();
        Problem::new("sandbox", "sandbox", text, mend)
    }

    fn told(&self) -> (String, &'static str) {
        let why = self.reason();
        match &self.0 {
            SandboxRefusalKind::NoMeans(_) => (
                format!("commands cannot be held in a sandbox here ({why}), so none is run"),
                "install bubblewrap and see `dominds-tui doctor`, or set `sandbox: off` for this \
                 workspace in config.yaml",
            ),
            SandboxRefusalKind::Workspace(_) => (
                format!("no command is run in this workspace: {why}"),
                "open a folder of its own as the workspace, or set `sandbox: off` for this one in \
                 config.yaml",
            ),
            SandboxRefusalKind::Broken(_) => (
                format!("the sandbox for commands could not be built: {why}"),
                "see `dominds-tui doctor`, mend what it says, then start the program again",
            ),
        }
    }

    /// For a model: that it is not its fault, and that another try changes nothing.
    #[must_use]
    pub fn for_model(&self, lang: Lang) -> String {
        let why = self.reason();
        match lang {
            Lang::En => format!(
                "No command was run: on this machine it could not be held in a sandbox ({why}). Trying again \
                 changes nothing. Go on without commands, or tell a person: `dominds-tui doctor` says what to do."
            ),
            Lang::Zh => format!(
                "没有执行任何命令:本机无法为命令建立沙箱({why})。重试无用。请不使用命令继续,或告知用户:\
                 `dominds-tui doctor` 会说明如何处理。"
            ),
        }
    }

    fn reason(&self) -> String {
        match &self.0 {
            SandboxRefusalKind::NoMeans(tried) => {
                let each = tried.iter().map(|(means, said)| format!("{means}: {said}"));
                each.collect::<Vec<_>>().join("; ")
            }
            SandboxRefusalKind::Workspace(why) | SandboxRefusalKind::Broken(why) => why.clone(),
        }
    }
}

impl std::fmt::Display for SandboxRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.for_person())
    }
}

impl std::error::Error for SandboxRefusal {}
