//! What is out of order in the whole workspace, and what was fixed.

use serde_json::{Value, json};

use super::{ManageContext, matches_pattern, problem_lines};
use crate::domain::{Lang, Problem};
use crate::tools::{Args, ToolCx, ToolOutcome};

const DEFAULT_MAX_ITEMS: usize = 50;
const SOURCES: [&str; 4] = ["team", "mcp", "llm", "system"];

pub(super) fn list_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "source": {"type": "string", "enum": SOURCES},
            "path": {"type": "string"},
            "problem_id": {"type": "string"},
            "status": {"type": "string", "enum": ["active", "resolved", "all"]},
            "max_items": {"type": "integer", "minimum": 1}
        },
        "additionalProperties": false
    })
}

pub(super) fn clear_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "source": {"type": "string", "enum": SOURCES},
            "path": {"type": "string"},
            "problem_id": {"type": "string"}
        },
        "additionalProperties": false
    })
}

/// True if a problem is one of those that the arguments ask for.
fn matches_filter(args: &Args, problem: &Problem) -> bool {
    let source = args.text("source").is_none_or(|source| source == source_of(problem));
    let path = args.text("path").is_none_or(|path| matches_pattern(path, &problem.path));
    let id = args.text("problem_id").is_none_or(|id| matches_pattern(id, &problem.id));
    source && path && id
}

/// Ids begin with the part of the program that found the problem.
fn source_of(problem: &Problem) -> &'static str {
    let first = problem.id.split('/').next().unwrap_or_default();
    SOURCES.into_iter().find(|source| *source == first).unwrap_or("system")
}

pub(super) fn list(known: &ManageContext, cx: &ToolCx, args: &Args) -> ToolOutcome {
    let status = args.text("status").unwrap_or("active");
    let (open, fixed) = {
        let book = known.problems.book();
        (book.open(), book.fixed())
    };
    let most = args.integer("max_items").and_then(|items| usize::try_from(items).ok());
    let most = most.unwrap_or(DEFAULT_MAX_ITEMS);
    let parts = [
        ("active", cx.lang.pick("Open", "未解决"), open),
        ("resolved", cx.lang.pick("Fixed", "已解决"), fixed),
    ];
    let shown = parts.into_iter().filter(|(name, ..)| status == *name || status == "all");
    let told = shown.map(|(_, title, problems)| {
        let meant: Vec<Problem> =
            problems.into_iter().filter(|problem| matches_filter(args, problem)).collect();
        let rest = meant.len().saturating_sub(most);
        let listed: Vec<Problem> = meant.iter().take(most).cloned().collect();
        let more = if rest > 0 { format!("\n(+{rest})") } else { String::new() };
        format!("{title}: {}\n{}{more}", meant.len(), with_ids(&listed))
    });
    ToolOutcome::done(told.collect::<Vec<_>>().join("\n"))
}

fn with_ids(problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        format!("{} [{}]", problem_lines(std::slice::from_ref(problem)), problem.id)
    };
    problems.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn clear(known: &ManageContext, cx: &ToolCx, args: &Args) -> ToolOutcome {
    let count = known.problems.book().forget(|problem| matches_filter(args, problem));
    ToolOutcome::done(match cx.lang {
        Lang::En => format!("{count} fixed problems are forgotten. Open ones stay until fixed."),
        Lang::Zh => format!("已清除 {count} 个已解决的问题。未解决的会保留到修正为止。"),
    })
}
