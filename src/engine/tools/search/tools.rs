//! The five tools as they present themselves: names, arguments, texts. What they do is one search.

use std::num::NonZeroUsize;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::query::{CaseMode, Query, Scope, SearchOutput};
use super::{options, run, show};
use crate::domain::text::Text;
use crate::guard::Guard;
use crate::tools::outcome::ToolOutcome;
use crate::tools::report::ToolReport;
use crate::tools::stop::StopFlag;
use crate::tools::tool::{Tool, ToolCx, interrupted};
use crate::tools::typed;

const FILES: &str = "ripgrep_files";
const SNIPPETS: &str = "ripgrep_snippets";
const COUNT: &str = "ripgrep_count";
const FIXED: &str = "ripgrep_fixed";
const SEARCH: &str = "ripgrep_search";

/// All of them; they only look.
pub(in crate::tools) const NAMES: [&str; 5] = [FILES, SNIPPETS, COUNT, FIXED, SEARCH];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FilesArgs {
    pattern: String,
    path: Option<String>,
    globs: Option<Vec<String>>,
    case: Option<CaseMode>,
    include_hidden: Option<bool>,
    follow_symlinks: Option<bool>,
    fixed_strings: Option<bool>,
    max_files: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SnippetsArgs {
    pattern: String,
    path: Option<String>,
    globs: Option<Vec<String>>,
    case: Option<CaseMode>,
    include_hidden: Option<bool>,
    follow_symlinks: Option<bool>,
    fixed_strings: Option<bool>,
    context_before: Option<usize>,
    context_after: Option<usize>,
    max_results: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FixedArgs {
    literal: String,
    path: Option<String>,
    globs: Option<Vec<String>>,
    case: Option<CaseMode>,
    include_hidden: Option<bool>,
    follow_symlinks: Option<bool>,
    mode: Option<SearchOutput>,
    max_files: Option<NonZeroUsize>,
    max_results: Option<NonZeroUsize>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArgs {
    pattern: String,
    path: Option<String>,
    rg_args: Option<Vec<String>>,
}

/// What is searched, from arguments that have these fields.
macro_rules! scope {
    ($args:expr) => {
        Scope {
            path: $args.path.as_deref(),
            globs: $args.globs.as_deref(),
            case: $args.case,
            include_hidden: $args.include_hidden,
            follow_symlinks: $args.follow_symlinks,
        }
    };
}

/// The tools, in the order of [`NAMES`].
pub(in crate::tools) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        typed::stoppable(
            typed::reads(FILES),
            |lang| Text::of_document(include_str!("files.md")).in_lang(lang),
            files,
        ),
        typed::stoppable(
            typed::reads(SNIPPETS),
            |lang| Text::of_document(include_str!("snippets.md")).in_lang(lang),
            snippets,
        ),
        typed::stoppable(
            typed::reads(COUNT),
            |lang| Text::of_document(include_str!("count.md")).in_lang(lang),
            count,
        ),
        typed::stoppable(
            typed::reads(FIXED),
            |lang| Text::of_document(include_str!("fixed.md")).in_lang(lang),
            fixed,
        ),
        typed::stoppable(
            typed::reads(SEARCH),
            |lang| Text::of_document(include_str!("search.md")).in_lang(lang),
            with_options,
        ),
    ]
}

fn files(cx: &ToolCx, args: &FilesArgs, stop: &StopFlag) -> ToolOutcome {
    search(FILES, cx, &of_files(args, SearchOutput::Files), stop)
}

fn count(cx: &ToolCx, args: &FilesArgs, stop: &StopFlag) -> ToolOutcome {
    search(COUNT, cx, &of_files(args, SearchOutput::Count), stop)
}

fn of_files(args: &FilesArgs, show: SearchOutput) -> Query {
    let fixed = args.fixed_strings.unwrap_or_default();
    let query = Query::new(&args.pattern, scope!(args)).showing(show, args.max_files);
    Query { fixed, ..query }
}

fn snippets(cx: &ToolCx, args: &SnippetsArgs, stop: &StopFlag) -> ToolOutcome {
    let query = Query::new(&args.pattern, scope!(args))
        .showing(SearchOutput::Snippets, args.max_results)
        .around(args.context_before, args.context_after);
    let query = Query { fixed: args.fixed_strings.unwrap_or_default(), ..query };
    search(SNIPPETS, cx, &query, stop)
}

fn fixed(cx: &ToolCx, args: &FixedArgs, stop: &StopFlag) -> ToolOutcome {
    let show = args.mode.unwrap_or_default();
    let most = match show {
        SearchOutput::Files | SearchOutput::Count => args.max_files,
        SearchOutput::Snippets => args.max_results,
    };
    let query = Query::new(&args.literal, scope!(args)).showing(show, most);
    search(FIXED, cx, &Query { fixed: true, ..query }, stop)
}

fn with_options(cx: &ToolCx, args: &SearchArgs, stop: &StopFlag) -> ToolOutcome {
    let mut query = Query::plain(&args.pattern, args.path.as_deref());
    let words: Vec<&str> = args.rg_args.iter().flatten().map(String::as_str).collect();
    match options::apply(&mut query, &words) {
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
