//! From a pattern to something that finds it. Expressions take time proportional to the text they
//! look at, whatever they are; their size is bounded.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::query::{CaseMode, MatchScope, Query};

/// Most bytes of a compiled expression, and of what it builds while it runs.
const SIZE_LIMIT_BYTES: usize = 10 * 1024 * 1024;
/// Most characters of a reason.
const REASON_CHARS: usize = 600;

/// Makes the matcher; the error is the reason, in the words of the expression library.
pub(super) fn matcher(query: &Query) -> Result<RegexMatcher, String> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .fixed_strings(query.fixed)
        .word(query.whole == MatchScope::Word)
        .whole_line(query.whole == MatchScope::Line)
        .size_limit(SIZE_LIMIT_BYTES)
        .dfa_size_limit(SIZE_LIMIT_BYTES);
    match query.case {
        CaseMode::Smart => builder.case_smart(true),
        CaseMode::Sensitive => &mut builder,
        CaseMode::Insensitive => builder.case_insensitive(true),
    };
    if !query.multi_line {
        builder.line_terminator(Some(b'\n'));
    }
    let made = builder.build(&query.pattern);
    made.map_err(|error| error.to_string().chars().take(REASON_CHARS).collect())
}
