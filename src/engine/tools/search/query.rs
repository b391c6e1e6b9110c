//! What a search is asked for, the same for every search tool.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

const DEFAULT_FILES: usize = 50;
const DEFAULT_COUNTED_FILES: usize = 200;
const DEFAULT_RESULTS: usize = 50;
const DEFAULT_CONTEXT: usize = 1;

/// Most lines of context on either side of a match.
pub(super) const MAX_CONTEXT: usize = 50;

/// Whether letter case matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum CaseMode {
    // Only if the pattern has an upper-case letter.
    #[default]
    Smart,
    Sensitive,
    Insensitive,
}

/// How much of a word or line a match has to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum MatchScope {
    #[default]
    Part,
    Word,
    Line,
}

/// What is shown of the files that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SearchOutput {
    // Their paths.
    Files,
    // The matching lines.
    #[default]
    Snippets,
    // How many lines match.
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

/// The scope of a search; `None` where the call does not say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'a> {
    pub path: Option<&'a str>,
    pub globs: Option<&'a [String]>,
    pub case: Option<CaseMode>,
    pub include_hidden: Option<bool>,
    pub follow_symlinks: Option<bool>,
}

impl Query {
    /// Builds the query of every search tool except the one with options.
    pub(super) fn new(pattern: &str, scope: Scope<'_>) -> Self {
        Self {
            pattern: pattern.to_owned(),
            path: path(scope.path),
            case: scope.case.unwrap_or_default(),
            globs: scope.globs.unwrap_or_default().to_vec(),
            hidden: scope.include_hidden.unwrap_or_default(),
            follow: scope.follow_symlinks.unwrap_or_default(),
            before: DEFAULT_CONTEXT,
            after: DEFAULT_CONTEXT,
            ..Self::default()
        }
    }

    /// Sets what is shown, and how many; by default the usual number.
    #[must_use]
    pub(super) fn showing(self, show: SearchOutput, most: Option<NonZeroUsize>) -> Self {
        let usual = match show {
            SearchOutput::Files => DEFAULT_FILES,
            SearchOutput::Count => DEFAULT_COUNTED_FILES,
            SearchOutput::Snippets => DEFAULT_RESULTS,
        };
        Self { show, most: most.map_or(usual, NonZeroUsize::get), ..self }
    }

    /// Sets the lines around each match.
    #[must_use]
    pub(super) fn around(self, before: Option<usize>, after: Option<usize>) -> Self {
        let context = |given: Option<usize>| given.unwrap_or(DEFAULT_CONTEXT).min(MAX_CONTEXT);
        Self { before: context(before), after: context(after), ..self }
    }

    /// Builds the query of the tool with options, before they are applied.
    pub(super) fn plain(pattern: &str, given: Option<&str>) -> Self {
        Self {
            pattern: pattern.to_owned(),
            path: path(given),
            // As `rg` does without options.
            case: CaseMode::Sensitive,
            most: DEFAULT_RESULTS,
            ..Self::default()
        }
    }
}

fn path(given: Option<&str>) -> String {
    let path = given.filter(|path| !path.trim().is_empty());
    path.unwrap_or(".").to_owned()
}
