//! One search from beginning to end: walk, look into each file, write down what fits.

use std::fmt::Write;

use super::filter::{FilterFault, SearchFilter};
use super::find::{FileMatches, FileSearcher, OutputLine};
use super::matcher::matcher;
use super::query::{Query, SearchOutput};
use super::walk::{SearchWalk, SkippedCounts};
use crate::guard::{Guard, PathFault};
use crate::tools::files::short;
use crate::tools::stop::StopFlag;

/// Most characters of all that is written down. A result of any tool is cut at
/// [`crate::tools::MAX_RESULT_CHARS`]; ending before that leaves no match cut in two.
const TOTAL_CHARS: usize = 44_000;
/// A path is shown up to this many characters.
const PATH_CHARS: usize = 400;

/// Why nothing was searched.
#[derive(Debug)]
pub(super) enum SearchError {
    Pattern(String),
    Filter(FilterFault),
    Path(PathFault),
}

/// What a search has found.
#[derive(Debug, Default)]
pub(super) struct SearchResults {
    /// What is shown to the model.
    pub body: String,
    /// Files that are shown.
    pub files: usize,
    /// Matching lines that are shown, or were counted.
    pub hits: usize,
    /// Files that match, shown or not; with [`Show::Count`] only.
    pub matching_files: usize,
    pub searched: usize,
    pub binary: usize,
    pub pieces: usize,
    pub passed: SkippedCounts,
    /// There is more than was asked for.
    pub cut_by_number: bool,
    /// There is more than fits.
    pub cut_by_chars: bool,
    chars: usize,
}

impl SearchResults {
    /// True if every file was searched to its end.
    pub(super) fn complete(&self) -> bool {
        !(self.cut_by_number || self.cut_by_chars || self.passed.cut)
    }

    /// Writes a text down if it fits as a whole.
    fn write(&mut self, text: &str) -> bool {
        self.chars += text.chars().count();
        self.cut_by_chars |= self.chars > TOTAL_CHARS;
        if !self.cut_by_chars {
            self.body.push_str(text);
        }
        !self.cut_by_chars
    }
}

/// Searches.
pub(super) fn search(
    guard: &Guard,
    query: &Query,
    stop: &StopFlag,
) -> Result<SearchResults, SearchError> {
    let matcher = matcher(query).map_err(SearchError::Pattern)?;
    let filter = SearchFilter::new(query).map_err(SearchError::Filter)?;
    let walk = SearchWalk::begin(guard, &filter, stop, &query.path, query.follow);
    let mut walk = walk.map_err(SearchError::Path)?;
    let mut finder = FileSearcher::new(query, &matcher, stop);
    let mut findings = SearchResults::default();
    for candidate in walk.by_ref() {
        let wanted = query.most.saturating_sub(findings.hits);
        match finder.search(candidate.file, wanted) {
            Ok(found) => {
                findings.searched += 1;
                findings.binary += usize::from(found.binary);
                findings.pieces += usize::from(found.pieces);
                if !take(&mut findings, query, &candidate.path, &found) {
                    break;
                }
            }
            Err(_) => findings.passed.unreadable += 1,
        }
    }
    findings.passed.closed += walk.passed.closed;
    findings.passed.unreadable += walk.passed.unreadable;
    findings.passed.cut |= walk.passed.cut;
    Ok(findings)
}

/// Writes down what one file holds; false when it is enough.
fn take(findings: &mut SearchResults, query: &Query, path: &str, found: &FileMatches) -> bool {
    if found.hits == 0 {
        findings.cut_by_number |= found.more;
        return !found.more;
    }
    let path = short(path, PATH_CHARS);
    match query.show {
        SearchOutput::Files => {
            if findings.files == query.most {
                findings.cut_by_number = true;
                return false;
            }
            let fits = findings.write(&format!("{path}\n"));
            findings.files += usize::from(fits);
            fits
        }
        SearchOutput::Count => {
            findings.hits += found.hits;
            findings.matching_files += 1;
            if findings.files == query.most {
                findings.cut_by_number = true;
            } else if !findings.cut_by_chars {
                let fits = findings.write(&format!("{path}: {}\n", found.hits));
                findings.files += usize::from(fits);
            }
            true
        }
        SearchOutput::Snippets => snippets(findings, &path, found),
    }
}

fn snippets(findings: &mut SearchResults, path: &str, found: &FileMatches) -> bool {
    let gap = if findings.files == 0 { "" } else { "\n" };
    if !findings.write(&format!("{gap}{path}\n")) {
        return false;
    }
    findings.files += 1;
    for line in &found.lines {
        if !findings.write(&written(line)) {
            return false;
        }
        findings.hits += usize::from(matches!(line, OutputLine::Match(..)));
    }
    findings.cut_by_number |= found.more;
    !found.more
}

/// Formats a line as `rg` does: a colon after the number of a match, a dash after that of context.
fn written(line: &OutputLine) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = match line {
        OutputLine::Match(number, line) => writeln!(text, "{number}: {line}"),
        OutputLine::Context(number, line) => writeln!(text, "{number}- {line}"),
        OutputLine::Gap => writeln!(text, "--"),
    };
    text
}
