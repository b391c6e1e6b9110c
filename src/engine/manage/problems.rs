//! The open problems of the whole workspace, and the fixed ones.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{ManageContext, matches_pattern, problem_lines};
use crate::domain::text::{Text, in_lang};
use crate::domain::{Lang, Problem};
use crate::tools::{ToolCx, ToolOutcome};

const DEFAULT_MAX_ITEMS: usize = 50;
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListProblemsArgs {
    source: Option<Source>,
    path: Option<String>,
    problem_id: Option<String>,
    status: Option<Status>,
    max_items: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ClearProblemsArgs {
    source: Option<Source>,
    path: Option<String>,
    problem_id: Option<String>,
}

/// The part of the program that found a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Source {
    Team,
    Mcp,
    Llm,
    System,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Resolved,
    All,
}

/// The selection of problems; all if no field is set.
struct Filter<'a> {
    source: Option<Source>,
    path: Option<&'a str>,
    id: Option<&'a str>,
}

impl Filter<'_> {
    fn matches(&self, problem: &Problem) -> bool {
        let source = self.source.is_none_or(|source| source == Source::of(problem));
        let path = self.path.is_none_or(|path| matches_pattern(path, &problem.path));
        let id = self.id.is_none_or(|id| matches_pattern(id, &problem.id));
        source && path && id
    }
}

impl Source {
    /// Ids begin with the part of the program that found the problem.
    fn of(problem: &Problem) -> Self {
        match problem.id.split('/').next() {
            Some("team") => Self::Team,
            Some("mcp") => Self::Mcp,
            Some("llm") => Self::Llm,
            Some(_) | None => Self::System,
        }
    }
}

pub(super) fn list(known: &ManageContext, cx: &ToolCx, args: &ListProblemsArgs) -> ToolOutcome {
    let ListProblemsArgs { source, path, problem_id, status, max_items } = args;
    let filter = Filter { source: *source, path: path.as_deref(), id: problem_id.as_deref() };
    let status = status.unwrap_or(Status::Active);
    let (open, fixed) = {
        let book = known.problems.book();
        (book.open(), book.fixed())
    };
    let most = max_items.map_or(DEFAULT_MAX_ITEMS, NonZeroUsize::get);
    let parts = [
        (Status::Active, Text::new("Open", "未解决").in_lang(cx.lang), open),
        (Status::Resolved, Text::new("Fixed", "已解决").in_lang(cx.lang), fixed),
    ];
    let shown = parts.into_iter().filter(|(part, ..)| status == *part || status == Status::All);
    let sections = shown.map(|(_, title, problems)| {
        let meant: Vec<Problem> =
            problems.into_iter().filter(|problem| filter.matches(problem)).collect();
        let rest = meant.len().saturating_sub(most);
        let listed: Vec<Problem> = meant.iter().take(most).cloned().collect();
        let more = if rest > 0 { format!("\n(+{rest})") } else { String::new() };
        format!("{title}: {}\n{}{more}", meant.len(), with_ids(&listed, cx.lang))
    });
    ToolOutcome::done(sections.collect::<Vec<_>>().join("\n"))
}

fn with_ids(problems: &[Problem], lang: Lang) -> String {
    let line = |problem: &Problem| {
        format!("{} [{}]", problem_lines(std::slice::from_ref(problem), lang), problem.id)
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn clear(known: &ManageContext, cx: &ToolCx, args: &ClearProblemsArgs) -> ToolOutcome {
    let ClearProblemsArgs { source, path, problem_id } = args;
    let filter = Filter { source: *source, path: path.as_deref(), id: problem_id.as_deref() };
    let count = known.problems.book().forget(|problem| filter.matches(problem));
    ToolOutcome::done(in_lang!(
        cx.lang,
        "{count} fixed problems are forgotten. Open ones stay until fixed.",
        "已清除 {count} 个已解决的问题。未解决的会保留到修正为止。"
    ))
}
