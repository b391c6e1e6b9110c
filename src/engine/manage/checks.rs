//! Rereads the configuration and reports the problems of one part of it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{ManageContext, load_configuration, problem_lines};
use crate::domain::text::{Text, in_lang};
use crate::domain::{Lang, Problem, Severity};
use crate::minds::mcp_config::McpFile;
use crate::minds::priming_problems;
use crate::tools::{ToolCx, ToolOutcome};

const TEAM_FILES: [&str; 2] = [".minds/team.yaml", ".minds/team/"];
/// Problems of other files with the model that a member gets.
const MODEL_PROBLEMS: [&str; 2] = ["llm/no-provider", "llm/unusable-provider/"];
const MCP_FILE: &str = ".minds/mcp.yaml";

/// These checks are of all there is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoArgs {}

pub(super) fn check_team(known: &ManageContext, cx: &ToolCx, _: &NoArgs) -> ToolOutcome {
    let (minds, mut problems) = load_configuration(known, cx);
    // The model of a member depends on both files, so a finding may be in either.
    let is_ours = |problem: &Problem| {
        let own = TEAM_FILES.iter().any(|file| problem.path.starts_with(file));
        own || MODEL_PROBLEMS.iter().any(|id| problem.id.starts_with(id))
    };
    problems.retain(is_ours);
    problems.extend(minds.missing().map(Problem::warning));
    let members: Vec<&str> = minds.team().visible().map(|member| member.id.as_str()).collect();
    let head = in_lang!(
        cx.lang,
        ("Members that can be asked: {}.", list(&members)),
        ("可以找的成员:{}。", list(&members))
    );
    outcome_of(&head, &problems, cx.lang)
}

pub(super) fn check_mcp(known: &ManageContext, cx: &ToolCx, _: &NoArgs) -> ToolOutcome {
    if !cx.workspace.join(MCP_FILE).exists() {
        const NO_FILE: Text = Text::new(
            "There is no `.minds/mcp.yaml`: no tool servers, and nothing to fix.",
            "没有 `.minds/mcp.yaml`:没有工具服务,也无需修正。",
        );
        return ToolOutcome::done(NO_FILE.in_lang(cx.lang));
    }
    let mut problems = McpFile::load(&cx.workspace).problems;
    // Problems that came up when the servers were started.
    let running = known.problems.book().open();
    let more = running.into_iter().filter(|problem| problem.id.starts_with("mcp/"));
    for problem in more {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    outcome_of(MCP_FILE, &problems, cx.lang)
}

pub(super) fn check_priming(_: &ManageContext, cx: &ToolCx, _: &NoArgs) -> ToolOutcome {
    outcome_of(".minds/priming/", &priming_problems(&cx.workspace), cx.lang)
}

fn list(names: &[&str]) -> String {
    if names.is_empty() { "-".to_owned() } else { names.join(", ") }
}

/// Warnings alone are no failure.
fn outcome_of(head: &str, problems: &[Problem], lang: Lang) -> ToolOutcome {
    if problems.is_empty() {
        let fine = Text::new("Everything is in order.", "一切正常。").in_lang(lang);
        return ToolOutcome::done(format!("{head}\n{fine}"));
    }
    let text = format!("{head}\n{}", problem_lines(problems, lang));
    let any_error = problems.iter().any(|problem| problem.severity == Severity::Error);
    if any_error { ToolOutcome::failed(text) } else { ToolOutcome::done(text) }
}
