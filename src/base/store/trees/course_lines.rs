//! Lines of a course file, one at a time and in bounded memory.
//!
//! Lines are counted from 0; empty ones do not count. A last line without a newline counts only if it
//! is a whole record: otherwise it is torn, and the next append cuts it off.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};

use serde::de::IgnoredAny;

use crate::domain::Entry;
use crate::domain::dialogs::record::Record;

/// A longer line is shown cut, in bytes.
pub(in crate::store) const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
/// How much of a too long line is kept, in bytes.
const TRUNCATED_BYTES: usize = 64 * 1024;
/// Most course files are shorter; a larger one would be fetched from the system for each of them.
const BUFFER_BYTES: usize = 32 * 1024;
/// Every record Dominds writes begins so; used to find records glued to a torn one.
const RECORD_START: &str = "{\"ts\":";
/// Torn records that are looked behind in one line: each may be read to the end of the line.
const MOST_TORN: usize = 100;

/// A record with its line.
#[derive(Debug, Clone, PartialEq)]
pub struct CourseLine {
    pub entry: Entry,
    /// The line as it stands in the file, without its newline.
    pub text: String,
}

/// A line without its newline.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store) struct RawLine {
    /// Where it begins in the file.
    pub offset: u64,
    /// At most [`MAX_LINE_BYTES`] bytes; of a longer line only the beginning.
    pub bytes: Vec<u8>,
    /// Its whole length in bytes.
    pub length: u64,
    /// True if a newline ends it.
    pub terminated: bool,
}

/// What a line turned out to be.
#[derive(Debug, PartialEq)]
pub(in crate::store) enum LineContent {
    Blank,
    Entry(Box<Entry>),
    /// Whole records that stand glued to each other, or to a torn one.
    Glued(Vec<CourseLine>),
    Broken,
}

#[derive(Debug)]
pub(in crate::store) struct LineReader {
    reader: BufReader<File>,
    offset: u64,
}

impl LineReader {
    pub fn new(file: File) -> Self {
        Self::at(file, 0)
    }

    /// `file` stands at `offset`.
    pub fn at(file: File, offset: u64) -> Self {
        Self { reader: BufReader::with_capacity(BUFFER_BYTES, file), offset }
    }

    /// Bytes read so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// `None` at the end of the file.
    pub fn next(&mut self) -> io::Result<Option<RawLine>> {
        let mut line =
            RawLine { offset: self.offset, bytes: Vec::new(), length: 0, terminated: false };
        while !line.terminated {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                break;
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
            line.length += part.len() as u64;
            if line.length > MAX_LINE_BYTES as u64 {
                line.bytes.extend_from_slice(
                    part.get(..TRUNCATED_BYTES.min(part.len())).unwrap_or_default(),
                );
                line.bytes.truncate(TRUNCATED_BYTES);
                line.bytes.shrink_to_fit();
            } else {
                line.bytes.extend_from_slice(part);
            }
            line.terminated = end.is_some();
            let used = part.len() + usize::from(line.terminated);
            self.reader.consume(used);
            self.offset += used as u64;
        }
        Ok((line.length > 0 || line.terminated).then_some(line))
    }
}

impl RawLine {
    pub fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    pub fn is_truncated(&self) -> bool {
        self.length > MAX_LINE_BYTES as u64
    }

    /// The text, with a mark for every byte that is none.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim().to_owned()
    }

    pub fn is_text(&self) -> bool {
        self.is_truncated() || std::str::from_utf8(&self.bytes).is_ok()
    }

    pub fn read(&self) -> LineContent {
        if self.is_blank() {
            return LineContent::Blank;
        }
        let text = self.text();
        if self.is_truncated() {
            return LineContent::Entry(Box::new(text_entry("cut", &text, self.length)));
        }
        if let Some(entry) = Entry::parse(&text) {
            return LineContent::Entry(Box::new(entry));
        }
        let glued = split_glued(&text);
        if glued.is_empty() { LineContent::Broken } else { LineContent::Glued(glued) }
    }

    /// The line as an entry for people, whatever it is.
    pub fn display_entry(&self) -> Entry {
        match self.read() {
            LineContent::Entry(entry) => *entry,
            LineContent::Blank | LineContent::Glued(_) | LineContent::Broken => {
                let text = self.text();
                text_entry("damaged", truncated(&text, TRUNCATED_BYTES), self.length)
            }
        }
    }
}

/// The beginning of `text`, at most `max_bytes` bytes of it.
fn truncated(text: &str, max_bytes: usize) -> &str {
    (0..=max_bytes.min(text.len())).rev().find_map(|end| text.get(..end)).unwrap_or_default()
}

fn text_entry(what: &str, text: &str, length: u64) -> Entry {
    Entry {
        ts: crate::domain::Stamp::default(),
        genseq: None,
        root: None,
        source_tag: None,
        record: Record::Unknown {
            kind: format!("{what} line of {length} bytes"),
            line: text.to_owned(),
        },
    }
}

fn split_glued(text: &str) -> Vec<CourseLine> {
    let (mut found, mut rest, mut torn) = (Vec::new(), text, 0);
    while !rest.is_empty() && torn < MOST_TORN {
        if let Some(object) = whole_object(rest) {
            found.extend(record_of(object));
            rest = rest.get(object.len()..).unwrap_or_default().trim_start();
        } else {
            torn += 1;
            let mut starts = rest.match_indices(RECORD_START).map(|(at, _)| at);
            let next = starts.find(|at| *at > 0);
            rest = next.and_then(|at| rest.get(at..)).unwrap_or_default();
        }
    }
    found
}

/// The object that `text` begins with, if it is whole.
fn whole_object(text: &str) -> Option<&str> {
    if !text.starts_with('{') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    text.get(..values.byte_offset())
}

/// A part of a torn record is an object, too, but has no type.
fn record_of(object: &str) -> Option<CourseLine> {
    let entry = Entry::parse(object)?;
    let is_part = matches!(&entry.record, Record::Unknown { kind, .. } if kind.is_empty());
    (!is_part).then(|| CourseLine { entry, text: object.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn lines(content: &[u8]) -> Vec<RawLine> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let mut lines = LineReader::new(file);
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn every_line_is_found_with_its_place() {
        let found: Vec<_> = lines(b"{}\r\n\nx")
            .iter()
            .map(|line| (line.offset, line.text(), line.is_blank(), line.terminated))
            .collect();
        let expected = [
            (0, "{}".to_owned(), false, true),
            (4, String::new(), true, true),
            (5, "x".to_owned(), false, false),
        ];
        assert_eq!(found, expected);
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn a_line_beyond_the_limit_is_cut_in_memory() {
        let mut content = vec![b'x'; MAX_LINE_BYTES + 10];
        content.extend_from_slice(b"\n{\"type\":\"gen_start_record\",\"genseq\":1}\n");
        let found = lines(&content);
        assert_eq!(found.len(), 2);
        assert!(found[0].is_truncated() && found[0].bytes.len() == TRUNCATED_BYTES);
        assert_eq!(found[0].length, MAX_LINE_BYTES as u64 + 10);
        assert!(matches!(found[1].read(), LineContent::Entry(_)));
    }

    #[test]
    fn whole_records_behind_a_torn_one_are_found() {
        let torn = br#"{"ts":"t","type":"agent_words_record","content":"to{"ts":"t","type":"gen_start_record","genseq":2}"#;
        let LineContent::Glued(glued) = lines(torn)[0].read() else {
            panic!("a record is glued to the torn one");
        };
        assert_eq!(glued.len(), 1);
        assert_eq!(glued[0].entry.record, Record::GenStart);
        assert_eq!(lines(b"42")[0].read(), LineContent::Broken);
        assert_eq!(lines(b"\0\0\0\0")[0].read(), LineContent::Broken);
    }

    #[test]
    fn glued_records_are_found_as_they_stand_with_what_nobody_here_knows() {
        const START: &str =
            r#"{"ts":"t","type":"gen_start_record","genseq":1, "marvel":[{"ts":"u"}]}"#;
        const FINISH: &str = r#"{ "type":"gen_finish_record","ts":"t","genseq":1,"marvel":"}{"}"#;
        const NEWER: &str = r#"{"ts":"t","type":"hologram_record","x": [1, 2]}"#;
        let torn = r#"{"ts":"t","type":"agent_words_record","parts":[{"ts":"v"},{"ts":"#;
        for (line, expected) in [
            (format!("{START}{FINISH}"), vec![START, FINISH]),
            (format!("{FINISH} {START}\t{NEWER}"), vec![FINISH, START, NEWER]),
            (format!("{torn}{START}{NEWER}"), vec![START, NEWER]),
            (format!("{START}{torn}{NEWER}{torn}"), vec![START, NEWER]),
            (format!("{NEWER}\0\0"), vec![NEWER]),
            (r#"{"ts":"t","x":"#.repeat(5_000), vec![]),
        ] {
            let found = match lines(line.as_bytes())[0].read() {
                LineContent::Glued(glued) => glued,
                LineContent::Broken => Vec::new(),
                LineContent::Blank | LineContent::Entry(_) => panic!("{line:.200}"),
            };
            let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
            assert_eq!(texts, expected, "{line:.200}");
            assert!(found.iter().all(|one| Entry::parse(&one.text).as_ref() == Some(&one.entry)));
        }
    }
}
