//! The configuration that the tools of the team look things up in, and how they show results.

use std::path::Path;
use std::sync::Arc;

use crate::domain::safety::trust::Unagreed;
use crate::domain::text::in_lang;
use crate::domain::text::wildcard;
use crate::domain::{Lang, Problem, Problems};
use crate::guard::Access;
use crate::minds::Minds;
use crate::tools::ToolCx;

/// Reads an environment variable.
pub type EnvReader = dyn Fn(&str) -> Option<String> + Sync;

/// The sources that the tools look things up in.
#[derive(Clone)]
pub struct ManageContext {
    pub env: &'static EnvReader,
    pub problems: Arc<Problems>,
    pub pending_consent: PendingConsent,
    /// Names of toolsets and tools.
    pub(super) names: Arc<[String]>,
}

/// Returns the entries of a workspace that wait for a person's consent.
pub type PendingConsent = fn(&Path) -> Vec<Unagreed>;

impl std::fmt::Debug for ManageContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known").finish_non_exhaustive()
    }
}

/// Returns the present configuration, with all its problems.
pub(super) fn load_configuration(known: &ManageContext, cx: &ToolCx) -> (Minds, Vec<Problem>) {
    let minds = Minds::load(&cx.workspace, cx.lang);
    let mut problems = minds.problems().to_vec();
    let names: Vec<&str> = known.names.iter().map(String::as_str).collect();
    let mut unknown = minds.unknown_tools(&names);
    // The tools of a server are only known once it runs; the list of problems reports unknown ones then.
    unknown.retain(|problem| !minds.has_servers() || !problem.id.starts_with("team/unknown-tool/"));
    problems.extend(unknown);
    problems.extend(minds.access_problems(|lists| Access::new(lists).problems().to_vec()));
    (minds, problems)
}

/// True if `name` matches a pattern with `*`, regardless of case.
pub(super) fn matches_pattern(pattern: &str, name: &str) -> bool {
    wildcard::fits(&pattern.to_lowercase(), &name.to_lowercase())
}

/// Problems as lines for a model.
pub(super) fn problem_lines(problems: &[Problem], lang: Lang) -> String {
    let line = |problem: &Problem| {
        let (severity, text) = (problem.severity.label(), problem.message());
        let (severity, text) = (severity.in_lang(lang), text.in_lang(lang));
        in_lang!(lang, "- {severity}: {text}", "- {severity}：{text}")
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}
