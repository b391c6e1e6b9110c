//! Searching one file: the matching lines with their surroundings, shortened, or only how many
//! there are. A file with a NUL byte is no text; what was found in it is thrown away.

use std::io::{self, Read};

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use super::line_splits::{LineBreaks, SplitReader};
use super::query::{Query, SearchOutput};
use crate::tools::outcome::MAX_RESULT_CHARS;
use crate::tools::stop::StopFlag;

/// A line is shown up to this many characters.
const TEXT_CHARS: usize = 400;
/// Characters shown before a match that begins later in its line.
const LEAD_CHARS: usize = 100;
/// No character takes more bytes.
const CHAR_BYTES: usize = 4;
/// A line is searched in pieces of this many bytes.
const PIECE_BYTES: usize = 256 * 1024;
/// Most bytes held of one file; with a match over several lines, the whole file.
const HEAP_LIMIT_BYTES: usize = 48 * 1024 * 1024;
/// Most lines shown of one match.
const MATCH_LINES: usize = 20;
/// The mark at the start of a text in UTF-8.
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Searches files, one after the other.
#[derive(Debug)]
pub(super) struct FileSearcher<'a> {
    matcher: &'a RegexMatcher,
    searcher: Searcher,
    show: SearchOutput,
    multi_line: bool,
    stop: &'a StopFlag,
}

/// What one file holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FileMatches {
    /// Matching lines.
    pub hits: usize,
    /// Lines to be shown.
    pub lines: Vec<OutputLine>,
    /// More lines match than were wanted.
    pub more: bool,
    pub binary: bool,
    /// A line was so long that it was searched in pieces.
    pub pieces: bool,
}

/// A line to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OutputLine {
    Match(u64, String),
    Context(u64, String),
    /// Lines were left out here.
    Gap,
}

impl OutputLine {
    fn number(&self) -> Option<u64> {
        match self {
            Self::Match(number, _) | Self::Context(number, _) => Some(*number),
            Self::Gap => None,
        }
    }

    fn chars(&self) -> usize {
        match self {
            Self::Match(_, text) | Self::Context(_, text) => text.chars().count(),
            Self::Gap => 0,
        }
    }
}

impl<'a> FileSearcher<'a> {
    pub(super) fn new(query: &Query, matcher: &'a RegexMatcher, stop: &'a StopFlag) -> Self {
        let (before, after) = match query.show {
            SearchOutput::Snippets => (query.before, query.after),
            SearchOutput::Files | SearchOutput::Count => (0, 0),
        };
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(HEAP_LIMIT_BYTES))
            .bom_sniffing(false)
            .line_number(true)
            .multi_line(query.multi_line)
            .before_context(before)
            .after_context(after)
            .max_matches(query.most_per_file)
            .build();
        Self { matcher, searcher, show: query.show, multi_line: query.multi_line, stop }
    }

    /// Searches a file for at most `most` matching lines.
    ///
    /// # Errors
    /// The file cannot be read or does not fit into memory, or the search was cancelled.
    pub(super) fn search(&mut self, mut file: impl Read, most: usize) -> io::Result<FileMatches> {
        let mut start = Vec::new();
        file.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start)?;
        if start == BYTE_ORDER_MARK {
            start.clear();
        }
        let piece = if self.multi_line { usize::MAX } else { PIECE_BYTES };
        let reader = SplitReader::new(start.as_slice().chain(file), piece, self.stop);
        let cuts = reader.cuts();
        let mut sink = Collector {
            matcher: self.matcher,
            show: self.show,
            most,
            cuts: cuts.clone(),
            found: FileMatches::default(),
            chars: 0,
        };
        self.searcher.search_reader(self.matcher, reader, &mut sink)?;
        let found = FileMatches { pieces: cuts.any(), ..sink.found };
        Ok(if found.binary {
            FileMatches { binary: true, ..FileMatches::default() }
        } else {
            found
        })
    }
}

struct Collector<'a> {
    matcher: &'a RegexMatcher,
    show: SearchOutput,
    most: usize,
    cuts: LineBreaks,
    found: FileMatches,
    /// Characters of the lines to be shown.
    chars: usize,
}

impl Collector<'_> {
    /// Keeps a line; false once there are more characters than any result can show. Of a line that was searched in
    /// pieces, the pieces beside the match are not shown as context.
    fn push(&mut self, line: OutputLine) -> bool {
        let last = self.found.lines.last().and_then(OutputLine::number);
        match &line {
            OutputLine::Context(number, _) if last == Some(*number) => return true,
            OutputLine::Match(number, _) => {
                let beside = |line: &mut OutputLine| matches!(line, OutputLine::Context(beside, _) if beside == number);
                self.found.lines.pop_if(beside);
            }
            OutputLine::Context(..) | OutputLine::Gap => {}
        }
        self.chars += line.chars();
        self.found.lines.push(line);
        self.chars <= MAX_RESULT_CHARS
    }

    fn number(&self, number: Option<u64>, offset: u64) -> u64 {
        number.unwrap_or_default().saturating_sub(self.cuts.before(offset))
    }

    fn keep(&mut self, matched: &SinkMatch<'_>) -> bool {
        let first = self.number(matched.line_number(), matched.absolute_byte_offset());
        for (line, number) in matched.lines().zip(first..).take(MATCH_LINES) {
            let at = self.matcher.find(line).ok().flatten().map_or(0, |found| found.start());
            if !self.push(OutputLine::Match(number, excerpt(line, at))) {
                return false;
            }
        }
        matched.lines().nth(MATCH_LINES).is_none() || self.push(OutputLine::Gap)
    }
}

impl Sink for Collector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> io::Result<bool> {
        if self.show != SearchOutput::Count && self.found.hits == self.most {
            self.found.more = true;
            return Ok(false);
        }
        self.found.hits += 1;
        match self.show {
            SearchOutput::Files => Ok(false),
            SearchOutput::Count => Ok(true),
            SearchOutput::Snippets => Ok(self.keep(matched)),
        }
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let number = self.number(context.line_number(), context.absolute_byte_offset());
        Ok(self.push(OutputLine::Context(number, excerpt(context.bytes(), 0))))
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        Ok(self.push(OutputLine::Gap))
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.found.binary = true;
        Ok(false)
    }
}

/// A line without its end, shortened around the place that matters.
fn excerpt(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= TEXT_CHARS {
        return String::from_utf8_lossy(line).into_owned();
    }
    let mut start = 0;
    if at > LEAD_CHARS * CHAR_BYTES {
        start = at - LEAD_CHARS;
        while line.get(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
            start -= 1;
        }
    }
    let part = line.get(start..).unwrap_or_default();
    let part = part.get(..TEXT_CHARS * CHAR_BYTES).unwrap_or(part);
    let text = String::from_utf8_lossy(part);
    let shown: String = text.chars().take(TEXT_CHARS).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + shown.len() < line.len() { "…" } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::search::matcher::matcher;

    fn found(query: &Query, text: &[u8]) -> FileMatches {
        let stop = StopFlag::default();
        let matcher = matcher(query).unwrap();
        FileSearcher::new(query, &matcher, &stop).search(text, query.most).unwrap()
    }

    fn query(pattern: &str) -> Query {
        Query { pattern: pattern.to_owned(), most: 3, ..Query::default() }
    }

    #[test]
    fn lines_are_numbered_also_after_one_that_is_searched_in_pieces() {
        let long = "x".repeat(PIECE_BYTES * 2 + 10);
        let text = format!("one\n{long}needle{long}\nneedle\n");
        let query = Query { before: 5, after: 5, ..query("needle") };
        let found = found(&query, text.as_bytes());
        assert_eq!(found.lines.len(), 3, "one before, two matches");
        let numbers: Vec<u64> = found
            .lines
            .iter()
            .filter_map(|line| match line {
                OutputLine::Match(number, text) => {
                    assert!(text.contains("needle") && text.chars().count() <= TEXT_CHARS + 2);
                    Some(*number)
                }
                OutputLine::Context(..) | OutputLine::Gap => None,
            })
            .collect();
        assert_eq!((numbers, found.pieces), (vec![2, 3], true));
    }

    #[test]
    fn no_more_than_wanted_is_found_and_a_binary_file_gives_nothing() {
        let many = found(&query("a"), b"a\na\na\na\n");
        assert_eq!((many.hits, many.more), (3, true));
        let enough = found(&query("a"), b"a\na\na\n");
        assert_eq!((enough.hits, enough.more), (3, false));
        let binary = found(&query("a"), b"a\n\0\na\n");
        assert_eq!(binary, FileMatches { binary: true, ..FileMatches::default() });
    }

    #[test]
    fn context_and_gaps_stand_around_matches() {
        let query = Query { before: 1, after: 1, ..query("m") };
        let found = found(&query, b"\xef\xbb\xbfm1\nb\nc\nd\nm2\n");
        let expected = [
            OutputLine::Match(1, "m1".into()),
            OutputLine::Context(2, "b".into()),
            OutputLine::Gap,
            OutputLine::Context(4, "d".into()),
            OutputLine::Match(5, "m2".into()),
        ];
        assert_eq!(found.lines, expected);
    }

    #[test]
    fn a_match_over_several_lines_shows_each() {
        let query = Query { multi_line: true, ..query("a\\nb") };
        let found = found(&query, b"x\na\nb\n");
        assert_eq!(
            found.lines,
            [OutputLine::Match(2, "a".into()), OutputLine::Match(3, "b".into())]
        );
    }

    #[test]
    fn a_long_line_is_shortened_around_its_match() {
        let dots = "。".repeat(1_000);
        for (line, at, starts, ends) in [
            ("short\r\n".to_owned(), 0, "short", "short"),
            (format!("needle{dots}\n"), 0, "needle", "…"),
            (format!("{dots}needle"), 3_000, "…", "needle"),
        ] {
            let text = excerpt(line.as_bytes(), at);
            assert!(text.starts_with(starts) && text.ends_with(ends), "{text}");
            assert!(text.chars().count() <= TEXT_CHARS + 2 && !text.contains('\u{fffd}'));
        }
    }
}
