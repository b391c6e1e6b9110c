//! Lines of a file, read as a stream: memory is bounded by what is shown, not by the file.
//! A line ends at `\n`; a final `\n` adds no line.

use std::io::{self, BufRead};
use std::ops::RangeInclusive;

/// Most bytes scanned of one file. A longer file is shown, but its lines are not all counted.
pub(super) const SCAN_LIMIT_BYTES: u64 = 1024 * 1024 * 1024;

/// No character takes more bytes than this in UTF-8.
const CHAR_BYTES: usize = 4;

/// Which part of a file is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineRange {
    /// 1-based line numbers.
    pub range: RangeInclusive<u64>,
    pub max_lines: usize,
    pub max_chars: usize,
}

/// The wanted part, and what was learnt on the way.
#[derive(Debug, PartialEq, Eq, Default)]
pub(super) struct ReadLines {
    /// Lines without their line ends; invalid UTF-8 is shown as `�`.
    pub lines: Vec<String>,
    pub total_lines: u64,
    /// False if the file was too long to count all lines.
    pub counted_all: bool,
    pub cut_by_lines: bool,
    pub cut_by_chars: bool,
    /// Some bytes, shown or not, are no UTF-8.
    pub is_inexact: bool,
}

/// Lines and bytes of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stats {
    pub lines: u64,
    pub bytes: u64,
}

struct Collector<'a> {
    window: &'a LineRange,
    excerpt: ReadLines,
    /// Bytes of the line being read, up to the most that may be shown.
    line: Vec<u8>,
    line_open: bool,
    chars_left: usize,
}

/// Reads the wanted part; `None` if the file holds a NUL byte, so is no text.
pub(super) fn excerpt(
    mut reader: impl BufRead,
    window: &LineRange,
) -> io::Result<Option<ReadLines>> {
    let mut collector = Collector {
        window,
        excerpt: ReadLines { counted_all: true, ..ReadLines::default() },
        line: Vec::new(),
        line_open: false,
        chars_left: window.max_chars,
    };
    let mut scanned = 0;
    let mut cut = Vec::new();
    loop {
        let chunk = reader.fill_buf()?;
        if !collector.excerpt.is_inexact {
            collector.excerpt.is_inexact = !continues_utf8(&mut cut, chunk);
        }
        if chunk.is_empty() {
            break;
        }
        if chunk.contains(&0) {
            return Ok(None);
        }
        for part in chunk.split_inclusive(|&byte| byte == b'\n') {
            collector.feed(part);
        }
        let length = chunk.len();
        reader.consume(length);
        scanned += length as u64;
        if scanned >= SCAN_LIMIT_BYTES {
            collector.excerpt.counted_all = false;
            break;
        }
    }
    Ok(Some(collector.finish()))
}

/// `cut`: the beginning of a character whose rest comes with the next chunk. An empty chunk is the end.
fn continues_utf8(cut: &mut Vec<u8>, chunk: &[u8]) -> bool {
    if chunk.is_empty() {
        return cut.is_empty();
    }
    let joined = [cut.as_slice(), chunk].concat();
    cut.clear();
    match std::str::from_utf8(&joined) {
        Ok(_) => true,
        Err(error) => {
            cut.extend(joined.iter().skip(error.valid_up_to()));
            error.error_len().is_none()
        }
    }
}

/// Counts lines and bytes, up to the scan limit.
pub(super) fn count(mut reader: impl BufRead) -> io::Result<Stats> {
    let mut stats = Stats { lines: 0, bytes: 0 };
    let mut line_open = false;
    loop {
        let chunk = reader.fill_buf()?;
        let Some(&last) = chunk.last() else { break };
        let ends = chunk.split(|&byte| byte == b'\n').count() - 1;
        stats.lines += ends as u64;
        line_open = last != b'\n';
        let length = chunk.len();
        reader.consume(length);
        stats.bytes += length as u64;
        if stats.bytes >= SCAN_LIMIT_BYTES {
            break;
        }
    }
    stats.lines += u64::from(line_open);
    Ok(stats)
}

impl Collector<'_> {
    /// Feeds a piece of a line, or its rest with the line end.
    fn feed(&mut self, part: &[u8]) {
        if !self.line_open {
            self.line_open = true;
            self.excerpt.total_lines += 1;
        }
        let (text, ends) = match part.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (part, false),
        };
        if self.wants_line() {
            let room = (self.chars_left + 1) * CHAR_BYTES;
            let keep = text.len().min(room.saturating_sub(self.line.len()));
            self.line.extend(text.iter().take(keep));
        }
        if ends {
            self.end_line();
        }
    }

    fn wants_line(&mut self) -> bool {
        if !self.window.range.contains(&self.excerpt.total_lines) || self.excerpt.cut_by_chars {
            return false;
        }
        let full = self.excerpt.lines.len() >= self.window.max_lines;
        self.excerpt.cut_by_lines |= full;
        !full
    }

    fn end_line(&mut self) {
        self.line_open = false;
        if !self.wants_line() {
            return;
        }
        let text = String::from_utf8_lossy(&self.line);
        let length = text.chars().count();
        if length > self.chars_left {
            self.excerpt.cut_by_chars = true;
            self.excerpt.lines.push(text.chars().take(self.chars_left).collect());
        } else {
            self.chars_left -= length;
            self.excerpt.lines.push(text.into_owned());
        }
        self.line.clear();
    }

    fn finish(mut self) -> ReadLines {
        if self.line_open {
            self.end_line();
        }
        self.excerpt
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8], range: RangeInclusive<u64>, lines: usize, chars: usize) -> ReadLines {
        let window = LineRange { range, max_lines: lines, max_chars: chars };
        let reader = BufReader::with_capacity(3, Cursor::new(text));
        excerpt(reader, &window).unwrap().expect("text")
    }

    #[test]
    fn lines_end_at_newlines_and_a_final_one_adds_none() {
        for (text, total) in
            [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\nb\n", 3), ("a\r\nb", 2)]
        {
            let all = read(text.as_bytes(), 1..=u64::MAX, 100, 100);
            assert_eq!((all.total_lines, all.lines.len() as u64), (total, total), "{text:?}");
            assert_eq!(count(Cursor::new(text)).unwrap().lines, total, "{text:?}");
        }
    }

    #[test]
    fn only_the_window_is_kept_and_truncation_is_reported() {
        let text = b"one\ntwo\nthree\nfour\n";
        for (range, lines, chars, shown, by_lines, by_chars) in [
            (2..=3, 9, 99, vec!["two", "three"], false, false),
            (1..=4, 2, 99, vec!["one", "two"], true, false),
            (3..=4, 1, 99, vec!["three"], true, false),
            (1..=4, 4, 8, vec!["one", "two", "th"], false, true),
            (1..=4, 4, 15, vec!["one", "two", "three", "four"], false, false),
            (9..=12, 4, 99, vec![], false, false),
        ] {
            let found = read(text, range, lines, chars);
            assert_eq!(found.lines, shown);
            assert_eq!((found.cut_by_lines, found.cut_by_chars), (by_lines, by_chars));
            assert_eq!((found.total_lines, found.counted_all), (4, true));
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_or_reported() {
        assert_eq!(read(b"a\xffb\n", 1..=9, 9, 9).lines, ["a\u{fffd}b"]);
        let window = LineRange { range: 1..=9, max_lines: 9, max_chars: 9 };
        assert_eq!(excerpt(Cursor::new(b"ab\n\0cd"), &window).unwrap(), None);
    }

    #[test]
    fn an_endless_line_is_cut_without_being_held() {
        let text = "é".repeat(1_000_000);
        let found = read(text.as_bytes(), 1..=1, 9, 10);
        assert_eq!(found.lines, ["é".repeat(10)]);
        assert!(found.cut_by_chars);
    }

    proptest! {
        #[test]
        fn a_window_over_all_gives_back_the_text(text in "[a-z\n\r é漢]{0,80}") {
            let all = read(text.as_bytes(), 1..=u64::MAX, usize::MAX, 10_000);
            let mut expected: Vec<&str> = text.split('\n').collect();
            if expected.last() == Some(&"") {
                expected.pop();
            }
            prop_assert_eq!(all.lines, expected);
            let stats = count(BufReader::with_capacity(2, Cursor::new(&text))).unwrap();
            prop_assert_eq!(stats, Stats { lines: all.total_lines, bytes: text.len() as u64 });
        }
    }
}
