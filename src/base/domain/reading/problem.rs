//! What is wrong, where, and what a person can do about it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Lang, Secrets};

/// The id of the problem that the store of a workspace cannot be used.
pub const STORE_PROBLEM: &str = "hive/store";

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
        self.label().in_lang(Lang::En)
    }

    #[must_use]
    pub fn label(self) -> Text {
        match self {
            Self::Info => Text::new("info", "提示"),
            Self::Warning => Text::new("warning", "警告"),
            Self::Error => Text::new("error", "错误"),
        }
    }
}

/// A finding about the workspace or its configuration, in both languages: who finds it does not know who
/// reads it. Texts are plain; they may quote foreign text, so they are cleaned where they are shown.
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
    pub text: Localized,
    pub fix: Localized,
}

impl Problem {
    /// An error; see [`Self::warning`]. Where the words are somebody else's, they stand in a sentence of ours.
    pub fn new(
        id: impl Into<String>,
        path: impl Into<String>,
        text: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) -> Self {
        let (text, fix) = (text.into(), fix.into());
        debug_assert!(text.is_translated() && fix.is_translated(), "English only: {text} ({fix})");
        let (id, path) = (id.into(), path.into());
        Self { id, path, line: None, severity: Severity::Error, text, fix }
    }

    /// The same finding without secrets in its texts.
    #[must_use]
    pub fn redacted(self, secrets: &Arc<Secrets>) -> Self {
        let id = secrets.redacted(self.id);
        let [text, fix] = [self.text, self.fix].map(|text| text.map(|one| secrets.redacted(one)));
        Self { id, text, fix, ..self }
    }

    /// The same finding, as a mere warning.
    #[must_use]
    pub fn warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    #[must_use]
    pub fn at_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// True if it is about this member: it is named in the id, or has the file in its folder.
    #[must_use]
    pub fn is_about_member(&self, member: &AgentId) -> bool {
        let named = self
            .id
            .strip_prefix("team/")
            .is_some_and(|id| id.split('/').any(|part| part == member.as_str()));
        let folder = self.path.strip_prefix(".minds/team/");
        named || folder.and_then(|path| path.split('/').next()) == Some(member.as_str())
    }

    /// The finding as commands print it for programs: in English.
    #[must_use]
    pub fn for_programs(&self) -> ProblemForPrograms<'_> {
        let Self { id, path, line, severity, text, fix } = self;
        let [text, fix] = [text, fix].map(|text| text.in_lang(Lang::En));
        ProblemForPrograms { id, path, line: *line, severity: *severity, text, fix }
    }

    /// The finding in one line, with its place and what to do.
    #[must_use]
    pub fn message(&self) -> Localized {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let Self { path, text, fix, .. } = self;
        localized!([text, fix] "{path}{line}: {text} ({fix})", "{path}{line}：{text}（{fix}）")
    }
}

/// A [`Problem`] in English.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProblemForPrograms<'a> {
    id: &'a str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    severity: Severity,
    text: &'a str,
    fix: &'a str,
}

/// In English, as in logs and on the command line.
impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.message().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_shown_in_the_language_asked_for_and_in_english_to_programs() {
        let name = "x";
        let text = localized!("`{name}` is missing", "缺少 `{name}`");
        let fix = localized!("add `{name}`", "请添加 `{name}`");
        let problem = Problem::new("id", "a.yaml", text, fix).at_line(3);
        assert_eq!(problem.message().in_lang(Lang::Zh), "a.yaml:3：缺少 `x`（请添加 `x`）");
        assert_eq!(problem.to_string(), "a.yaml:3: `x` is missing (add `x`)");
        let json = serde_json::to_value(problem.for_programs()).unwrap();
        assert_eq!((&json["text"], &json["fix"]), (&"`x` is missing".into(), &"add `x`".into()));
        let back: Problem = serde_json::from_value(serde_json::json!(problem)).unwrap();
        assert_eq!(back, problem);
    }

    #[test]
    fn a_problem_is_about_the_member_that_its_id_or_its_folder_names() {
        let member = AgentId::new("dba");
        for (id, path, expected) in [
            ("team/empty/dba/icon", ".minds/team.yaml", true),
            ("texts/x", ".minds/team/dba/persona.md", true),
            ("texts/x", ".minds/team/dba2/persona.md", false),
            ("llm/dba", ".minds/llm.yaml", false),
        ] {
            let text = Text::new("x", "异常");
            let problem = Problem::new(id, path, text, text);
            assert_eq!(problem.is_about_member(&member), expected, "{id} {path}");
        }
    }

    #[test]
    #[should_panic(expected = "English only")]
    fn a_problem_in_the_words_of_somebody_else_alone_is_refused() {
        let fix = Text::new("try again", "请重试");
        Problem::new("id", "a", Localized::same("permission denied"), fix);
    }

    #[test]
    fn secrets_are_redacted_in_both_languages() {
        let secrets = Arc::new(Secrets::new([], ["s3cr3t-value".to_owned()]));
        let text = Text::new("key s3cr3t-value", "密钥 s3cr3t-value");
        let problem = Problem::new("id/s3cr3t-value", "a", text, text).redacted(&secrets);
        for shown in [Lang::En, Lang::Zh].map(|lang| problem.message().in_lang(lang).to_owned()) {
            assert_eq!(shown.matches("[redacted]").count(), 2, "{shown}");
        }
        assert!(!format!("{problem:?}").contains("s3cr3t"), "{problem:?}");
    }
}
