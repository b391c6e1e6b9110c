//! Why no command is run: a text for the calling model, and one for the user who can fix it.

use crate::domain::text::{Localized, Text, in_lang, localized};
use crate::domain::{Lang, Problem};

/// Why a command cannot be sandboxed as required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxRefusal(pub SandboxRefusalKind);

/// The reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxRefusalKind {
    /// No means works here; the error of each probe.
    NoMeans(Vec<(&'static str, Localized)>),
    /// This workspace cannot be sandboxed as it is.
    Workspace(Localized),
    /// The sandbox could not be set up.
    Failed(Localized),
}

impl SandboxRefusal {
    pub(super) fn failed(reason: impl Into<Localized>) -> Self {
        Self(SandboxRefusalKind::Failed(reason.into()))
    }

    /// `error`: of the operating system.
    #[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
    pub(super) fn of_error(error: std::io::Error) -> Self {
        Self::failed(Localized::same(error.to_string()))
    }

    /// Returns what is wrong and what to do, for the user.
    #[must_use]
    pub fn for_user(&self) -> Localized {
        let (text, fix) = self.text_and_fix();
        localized!([text, fix] "{text}: {fix}", "{text}：{fix}")
    }

    /// Returns the entry for the list of problems.
    #[must_use]
    pub fn problem(&self) -> Problem {
        let (text, fix) = self.text_and_fix();
        Problem::new("sandbox", "sandbox", text, fix)
    }

    fn text_and_fix(&self) -> (Localized, Text) {
        let reason = self.reason();
        match &self.0 {
            SandboxRefusalKind::NoMeans(_) => (
                localized!(
                    [reason] "commands cannot be sandboxed here ({reason}), so none is run",
                    "此处无法为命令建立沙箱（{reason}），因此不执行任何命令"
                ),
                Text::new(
                    "install bubblewrap and see `dominds-tui doctor`, or set `sandbox: off` for this \
                     workspace in config.yaml",
                    "请安装 bubblewrap 并查看 `dominds-tui doctor`，或在 config.yaml 中为本工作区设置 \
                     `sandbox: off`",
                ),
            ),
            SandboxRefusalKind::Workspace(_) => (
                localized!(
                    [reason] "no command is run in this workspace: {reason}",
                    "本工作区不执行任何命令：{reason}"
                ),
                Text::new(
                    "open a folder of its own as the workspace, or set `sandbox: off` for this one in \
                     config.yaml",
                    "请以单独的文件夹作为工作区，或在 config.yaml 中为本工作区设置 `sandbox: off`",
                ),
            ),
            SandboxRefusalKind::Failed(_) => (
                localized!(
                    [reason] "the sandbox for commands could not be built: {reason}",
                    "无法建立命令的沙箱：{reason}"
                ),
                Text::new(
                    "see `dominds-tui doctor`, fix what it reports, then start the program again",
                    "请查看 `dominds-tui doctor`，解决它报告的问题，然后重新启动程序",
                ),
            ),
        }
    }

    /// Returns the text for a model: it is not its fault, and a retry changes nothing.
    #[must_use]
    pub fn for_model(&self, lang: Lang) -> String {
        let reason = self.reason();
        let reason = reason.in_lang(lang);
        in_lang!(
            lang,
            "No command was run: on this machine it could not be held in a sandbox ({reason}). Trying again \
                 changes nothing. Go on without commands, or tell a person: `dominds-tui doctor` says what to do.",
            "没有执行任何命令:本机无法为命令建立沙箱({reason})。重试无用。请不使用命令继续,或告知用户:\
                 `dominds-tui doctor` 会说明如何处理。"
        )
    }

    fn reason(&self) -> Localized {
        match &self.0 {
            SandboxRefusalKind::NoMeans(tried) => {
                let in_lang = |lang| {
                    let each = tried
                        .iter()
                        .map(|(means, error)| format!("{means}: {}", error.in_lang(lang)));
                    each.collect::<Vec<_>>().join("; ")
                };
                Localized::new(in_lang(Lang::En), in_lang(Lang::Zh))
            }
            SandboxRefusalKind::Workspace(reason) | SandboxRefusalKind::Failed(reason) => {
                reason.clone()
            }
        }
    }
}

impl std::fmt::Display for SandboxRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.for_user().fmt(f)
    }
}

impl std::error::Error for SandboxRefusal {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn every_refusal_has_a_text_and_a_fix_in_both_languages() {
        let reason = || localized!("it did not start", "它没有启动");
        for kind in [
            SandboxRefusalKind::NoMeans(vec![("bwrap", reason()), ("landlock", reason())]),
            SandboxRefusalKind::Workspace(reason()),
            SandboxRefusalKind::Failed(reason()),
        ] {
            let refusal = SandboxRefusal(kind);
            let problem = refusal.problem();
            assert_translated(&problem.text);
            assert_translated(&problem.fix);
            assert_translated(&refusal.for_user());
            assert!(refusal.to_string().contains("it did not start"), "{refusal}");
            for (lang, part) in [(Lang::En, "it did not start"), (Lang::Zh, "它没有启动")] {
                assert!(refusal.for_model(lang).contains(part), "{refusal}");
            }
        }
    }
}
