//! The five tools as they present themselves: names, arguments, texts. What they do is one search.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::query::{Query, SearchOutput};
use super::{options, run, show};
use crate::domain::Lang;
use crate::tools::args::Args;
use crate::tools::guard::Guard;
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::ToolReport;
use crate::tools::stop::StopFlag;
use crate::tools::tool::{BuiltIn, Description, Tool, ToolCx, ToolSpec, interrupted, localized};

const FILES: &str = "ripgrep_files";
const SNIPPETS: &str = "ripgrep_snippets";
const COUNT: &str = "ripgrep_count";
const FIXED: &str = "ripgrep_fixed";
const SEARCH: &str = "ripgrep_search";

/// All of them; they only look.
pub(in crate::tools) const NAMES: [&str; 5] = [FILES, SNIPPETS, COUNT, FIXED, SEARCH];

/// The tools, in the order of [`NAMES`].
pub(in crate::tools) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        tool(FILES, &["pattern"], &["fixed_strings", "max_files"], files_text, files),
        tool(
            SNIPPETS,
            &["pattern"],
            &["fixed_strings", "context_before", "context_after", "max_results"],
            snippets_text,
            snippets,
        ),
        tool(COUNT, &["pattern"], &["fixed_strings", "max_files"], count_text, count),
        tool(FIXED, &["literal"], &["mode", "max_files", "max_results"], fixed_text, fixed),
        BuiltIn::stoppable(
            ToolSpec {
                name: SEARCH.into(),
                description: Description::Own(|lang| localized(lang, include_str!("search.md"))),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "pattern": {"type": "string"},
                        "path": {"type": "string"},
                        "rg_args": {"type": "array", "items": {"type": "string"}}
                    },
                    "required": ["pattern"],
                    "additionalProperties": false
                }),
            },
            with_options,
        ),
    ]
}

/// A tool with the parameters all share and some of its own.
fn tool(
    name: &'static str,
    required: &[&str],
    own: &[&str],
    text: fn(Lang) -> &'static str,
    work: fn(&ToolCx, &Args, &StopFlag) -> ToolOutcome,
) -> Arc<dyn Tool> {
    let shared = ["path", "globs", "case", "include_hidden", "follow_symlinks"];
    let mut properties = Map::new();
    for field in required.iter().chain(&shared).chain(own) {
        properties.insert((*field).to_owned(), schema(field));
    }
    let parameters = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    });
    let description = Description::Own(text);
    BuiltIn::stoppable(ToolSpec { name: name.into(), description, parameters }, work)
}

fn schema(field: &str) -> Value {
    match field {
        "globs" => json!({"type": "array", "items": {"type": "string"}}),
        "case" => json!({"type": "string", "enum": ["smart", "sensitive", "insensitive"]}),
        "mode" => json!({"type": "string", "enum": ["files", "snippets", "count"]}),
        "fixed_strings" | "include_hidden" | "follow_symlinks" => json!({"type": "boolean"}),
        "max_files" | "max_results" => json!({"type": "integer", "minimum": 1}),
        "context_before" | "context_after" => json!({"type": "integer", "minimum": 0}),
        _ => json!({"type": "string"}),
    }
}

fn files_text(lang: Lang) -> &'static str {
    localized(lang, include_str!("files.md"))
}

fn snippets_text(lang: Lang) -> &'static str {
    localized(lang, include_str!("snippets.md"))
}

fn count_text(lang: Lang) -> &'static str {
    localized(lang, include_str!("count.md"))
}

fn fixed_text(lang: Lang) -> &'static str {
    localized(lang, include_str!("fixed.md"))
}

fn files(cx: &ToolCx, args: &Args, stop: &StopFlag) -> ToolOutcome {
    search(FILES, cx, &Query::from_args(args, SearchOutput::Files), stop)
}

fn snippets(cx: &ToolCx, args: &Args, stop: &StopFlag) -> ToolOutcome {
    search(SNIPPETS, cx, &Query::from_args(args, SearchOutput::Snippets), stop)
}

fn count(cx: &ToolCx, args: &Args, stop: &StopFlag) -> ToolOutcome {
    search(COUNT, cx, &Query::from_args(args, SearchOutput::Count), stop)
}

fn fixed(cx: &ToolCx, args: &Args, stop: &StopFlag) -> ToolOutcome {
    search(FIXED, cx, &Query::fixed(args), stop)
}

fn with_options(cx: &ToolCx, args: &Args, stop: &StopFlag) -> ToolOutcome {
    let mut query = Query::plain(args);
    match options::apply(&mut query, &args.texts("rg_args")) {
        Ok(()) => search(SEARCH, cx, &query, stop),
        Err(fault) => ToolReport::error(SEARCH, &query.path, "OPTION_REFUSED")
            .summary(fault.text(cx.lang))
            .outcome(),
    }
}

fn search(tool: &str, cx: &ToolCx, query: &Query, stop: &StopFlag) -> ToolOutcome {
    let guard = Guard::general(cx).map_err(run::SearchError::Path);
    let found = guard.and_then(|guard| run::search(&guard, query, stop));
    match found {
        Ok(_) if stop.is_set() => ToolOutcome::failed(interrupted(cx.lang)),
        Ok(found) => show::report(tool, query, &found, cx.lang),
        Err(why) => show::not_searched(tool, &query.path, &why, cx.lang),
    }
}
