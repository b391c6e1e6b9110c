//! What a search is asked for, the same for every search tool.

use crate::tools::args::Args;

const DEFAULT_FILES: usize = 50;
const DEFAULT_COUNTED_FILES: usize = 200;
const DEFAULT_RESULTS: usize = 50;
const DEFAULT_CONTEXT: usize = 1;

/// Most lines of context on either side of a match.
pub(super) const MAX_CONTEXT: usize = 50;

/// Whether letter case matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum CaseMode {
    /// Only if the pattern has an upper-case letter.
    #[default]
    Smart,
    Sensitive,
    Insensitive,
}

/// How much of its surroundings a match has to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum MatchScope {
    #[default]
    Part,
    Word,
    Line,
}

/// What is shown of the files that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum SearchOutput {
    /// Their paths.
    Files,
    /// The matching lines.
    #[default]
    Snippets,
    /// How many lines match.
    Count,
}

/// A kind of files by its name, such as `rust`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypeRule {
    Only(String),
    Not(String),
}

/// One search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Query {
    pub pattern: String,
    /// A directory or a file.
    pub path: String,
    pub case: CaseMode,
    /// The pattern is a text, not an expression.
    pub fixed: bool,
    pub whole: MatchScope,
    /// A match may span lines.
    pub multi_line: bool,
    pub globs: Vec<String>,
    pub types: Vec<TypeRule>,
    pub hidden: bool,
    pub follow: bool,
    pub before: usize,
    pub after: usize,
    /// Matching lines looked for in one file.
    pub most_per_file: Option<u64>,
    pub show: SearchOutput,
    /// Files or matching lines shown, as `show` has it.
    pub most: usize,
}

impl Query {
    /// What the arguments of a tool that shows `show` ask for.
    pub(super) fn from_args(args: &Args, show: SearchOutput) -> Self {
        let most = match show {
            SearchOutput::Files => number(args, "max_files").unwrap_or(DEFAULT_FILES),
            SearchOutput::Count => number(args, "max_files").unwrap_or(DEFAULT_COUNTED_FILES),
            SearchOutput::Snippets => number(args, "max_results").unwrap_or(DEFAULT_RESULTS),
        };
        let case = match args.text("case") {
            Some("sensitive") => CaseMode::Sensitive,
            Some("insensitive") => CaseMode::Insensitive,
            Some(_) | None => CaseMode::Smart,
        };
        let context = |field| number(args, field).unwrap_or(DEFAULT_CONTEXT).min(MAX_CONTEXT);
        Self {
            pattern: args.required_text("pattern").to_owned(),
            path: path(args),
            case,
            fixed: args.flag("fixed_strings").unwrap_or_default(),
            globs: args.texts("globs").into_iter().map(str::to_owned).collect(),
            hidden: args.flag("include_hidden").unwrap_or_default(),
            follow: args.flag("follow_symlinks").unwrap_or_default(),
            before: context("context_before"),
            after: context("context_after"),
            show,
            most,
            ..Self::default()
        }
    }

    /// What the arguments of the tool for texts ask for.
    pub(super) fn fixed(args: &Args) -> Self {
        let show = match args.text("mode") {
            Some("files") => SearchOutput::Files,
            Some("count") => SearchOutput::Count,
            Some(_) | None => SearchOutput::Snippets,
        };
        let pattern = args.required_text("literal").to_owned();
        Self { pattern, fixed: true, ..Self::from_args(args, show) }
    }

    /// What the arguments of the tool with options ask for, options left out.
    pub(super) fn plain(args: &Args) -> Self {
        Self {
            pattern: args.required_text("pattern").to_owned(),
            path: path(args),
            // As the command does without options.
            case: CaseMode::Sensitive,
            most: DEFAULT_RESULTS,
            ..Self::default()
        }
    }
}

fn path(args: &Args) -> String {
    let path = args.text("path").filter(|path| !path.trim().is_empty());
    path.unwrap_or(".").to_owned()
}

fn number(args: &Args, field: &str) -> Option<usize> {
    args.integer(field).and_then(|number| usize::try_from(number).ok())
}
