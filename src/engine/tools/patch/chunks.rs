//! Where the chunks of an update belong, and the text that results. Pure. Each chunk is searched for
//! after the one before it. Lines that occur there more than once are refused unless a head says which
//! are meant; kept lines stay as they are in the file.

use std::borrow::Cow;

use super::grammar::{Chunk, PatchLine};
use crate::domain::Lang;
use crate::domain::text::hidden_chars::{HiddenClass, class_of};
use crate::domain::text::in_lang;
use crate::tools::edits::{LineChange, bare, lines, places};
use crate::tools::files::{short, split_bom};

/// Lines of a chunk that are shown back, and characters of each.
const SHOWN_LINES: usize = 3;
const SHOWN_CHARS: usize = 80;

/// Why an update cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChunkError {
    /// Counted from 1.
    pub chunk: usize,
    pub kind: ChunkErrorKind,
    /// The first lines that were looked for.
    pub sought: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkErrorKind {
    HeadNotFound,
    NotFound,
    Ambiguous,
    /// Two chunks change the same line.
    Overlap,
}

/// A text with its chunks put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchedText {
    pub text: String,
    pub added: usize,
    pub removed: usize,
}

/// Puts all chunks in.
pub(super) fn update(text: &str, chunks: &[Chunk]) -> Result<PatchedText, ChunkError> {
    let (bom, text) = split_bom(text);
    let all = lines(text);
    let bare_lines: Vec<&str> = all.iter().map(|line| bare(line)).collect();
    let mut changes: Vec<LineChange> = Vec::new();
    let mut from = 0;
    for (at, chunk) in chunks.iter().enumerate() {
        let misfit =
            |kind, sought: &[&str]| ChunkError { chunk: at + 1, kind, sought: shown(sought) };
        let old = old_lines(chunk);
        for head in &chunk.heads {
            let found = find(&[head.as_str()], &bare_lines, from, 1).first().copied();
            from = found.ok_or_else(|| misfit(ChunkErrorKind::HeadNotFound, &[head]))? + 1;
        }
        let place = place(chunk, &old, &bare_lines, from).map_err(|kind| misfit(kind, &old))?;
        for change in runs(chunk, place, &all) {
            let end = changes.last().map_or(0, |last| last.at + last.old.len());
            if change.at < end {
                return Err(misfit(ChunkErrorKind::Overlap, &old));
            }
            changes.push(change);
        }
        from = place + old.len();
    }
    let mut updated = made(&all, &changes);
    if !text.is_empty() && !text.ends_with('\n') {
        updated.text.truncate(bare(&updated.text).len());
    }
    updated.text.insert_str(0, bom);
    Ok(updated)
}

fn place(chunk: &Chunk, old: &[&str], all: &[&str], from: usize) -> Result<usize, ChunkErrorKind> {
    if old.is_empty() {
        let at_head = !chunk.heads.is_empty() && !chunk.at_end;
        return Ok(if at_head { from } else { all.len() });
    }
    let found = find(old, all, from, if chunk.at_end { usize::MAX } else { 2 });
    let at_end = found.last().copied().filter(|at| at + old.len() == all.len());
    match (found.as_slice(), chunk.at_end) {
        (_, true) => at_end.ok_or(ChunkErrorKind::NotFound),
        ([], false) => Err(ChunkErrorKind::NotFound),
        ([_, _, ..], false) if chunk.heads.is_empty() => Err(ChunkErrorKind::Ambiguous),
        ([at, ..], false) => Ok(*at),
    }
}

/// Returns the indices of lines from `from` on: exact matches; else matches without trailing blanks; else without
/// blanks on both sides; else also with typographic signs in their plain form.
fn find(wanted: &[&str], all: &[&str], from: usize, limit: usize) -> Vec<usize> {
    let rest = all.get(from..).unwrap_or_default();
    let loosened: [fn(&str) -> Cow<str>; 4] = [
        |line| line.into(),
        |line| line.trim_end().into(),
        |line| line.trim().into(),
        |line| plain(line).trim().to_owned().into(),
    ];
    for loosen in loosened {
        let wanted: Vec<Cow<str>> = wanted.iter().map(|line| loosen(line)).collect();
        let rest: Vec<Cow<str>> = rest.iter().map(|line| loosen(line)).collect();
        let found = places(&wanted, &rest, limit);
        if !found.is_empty() {
            return found.into_iter().map(|at| at + from).collect();
        }
    }
    Vec::new()
}

/// Typographic quotes, dashes and blanks as a keyboard has them.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for char in line.chars() {
        match char {
            '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2b9}' | '\u{2bc}' => plain.push('\''),
            '\u{201c}'..='\u{201f}' | '\u{2033}' => plain.push('"'),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
            '\u{2026}' => plain.push_str("..."),
            '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
                plain.push(' ');
            }
            char if class_of(char) == Some(HiddenClass::Invisible) => {}
            char => plain.push(char),
        }
    }
    plain
}

fn old_lines(chunk: &Chunk) -> Vec<&str> {
    let old = chunk.lines.iter().filter_map(|line| match line {
        PatchLine::Keep(text) | PatchLine::Drop(text) => Some(text.as_str()),
        PatchLine::Put(_) => None,
    });
    old.collect()
}

/// Returns the changes of a chunk at a place: one for each run of lines that are not kept.
fn runs(chunk: &Chunk, place: usize, all: &[&str]) -> Vec<LineChange> {
    let mut changes = Vec::new();
    let (mut start, mut at, mut content) = (place, place, String::new());
    let mut close = |start: usize, at: usize, content: &str| {
        if at > start || !content.is_empty() {
            changes.push(LineChange::new(all, start..at, content));
        }
    };
    for line in &chunk.lines {
        match line {
            PatchLine::Keep(_) => {
                close(start, at, &content);
                content.clear();
                at += 1;
                start = at;
            }
            PatchLine::Drop(_) => at += 1,
            PatchLine::Put(text) => {
                content.push_str(text);
                content.push('\n');
            }
        }
    }
    close(start, at, &content);
    changes
}

fn made(all: &[&str], changes: &[LineChange]) -> PatchedText {
    let mut updated = PatchedText { text: String::new(), added: 0, removed: 0 };
    let mut from = 0;
    for change in changes {
        updated.text.extend(all.get(from..change.at).unwrap_or_default().iter().copied());
        updated.text.extend(change.new.iter().map(String::as_str));
        updated.added += change.new.len();
        updated.removed += change.old.len();
        from = change.at + change.old.len();
    }
    updated.text.extend(all.get(from..).unwrap_or_default().iter().copied());
    updated
}

fn shown(lines: &[&str]) -> Vec<String> {
    lines.iter().take(SHOWN_LINES).map(|line| short(line, SHOWN_CHARS)).collect()
}

impl ChunkError {
    /// A stable code.
    pub(super) fn code(&self) -> &'static str {
        match self.kind {
            ChunkErrorKind::HeadNotFound | ChunkErrorKind::NotFound => "CONTEXT_NOT_FOUND",
            ChunkErrorKind::Ambiguous => "AMBIGUOUS_MATCH",
            ChunkErrorKind::Overlap => "OVERLAPPING_CHUNKS",
        }
    }

    /// What does not fit, and what to do instead.
    pub(super) fn text(&self, lang: Lang) -> String {
        let (chunk, sought) = (self.chunk, self.sought.join(" / "));
        match self.kind {
            ChunkErrorKind::HeadNotFound => in_lang!(
                lang,
                "Chunk {chunk}: no line behind the chunk before reads `{sought}`. Read the file \
                 and take the line after @@ from it, or leave it out.",
                "第 {chunk} 块:在前一块之后找不到 `{sought}` 这一行。请读取文件,@@ 之后照抄其中的行,或省略。"
            ),
            ChunkErrorKind::NotFound => in_lang!(
                lang,
                "Chunk {chunk}: its lines do not stand in the file behind the chunk before, \
                 beginning with `{sought}`. Read the file and take them from it.",
                "第 {chunk} 块:在前一块之后找不到以 `{sought}` 开头的这些行。请读取文件,照抄其中的行。"
            ),
            ChunkErrorKind::Ambiguous => in_lang!(
                lang,
                "Chunk {chunk}: its lines, beginning with `{sought}`, stand in the file more than \
                 once. Add kept lines around them, or @@ with a line above them.",
                "第 {chunk} 块:以 `{sought}` 开头的这些行在文件中不止一处。请增加上下文行,或用 @@ 加上方的某一行。"
            ),
            ChunkErrorKind::Overlap => in_lang!(
                lang,
                "Chunk {chunk} changes a line of the chunk before. Make them one chunk.",
                "第 {chunk} 块与前一块改动了同一行。请合并为一块。"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::grammar::{FilePatch, parse};
    use super::*;

    fn chunks(body: &str) -> Vec<Chunk> {
        let text = format!("*** Begin Patch\n*** Update File: a\n{body}*** End Patch\n");
        match parse(&text).unwrap().swap_remove(0) {
            FilePatch::Update { chunks, .. } => chunks,
            FilePatch::Add { .. } | FilePatch::Delete { .. } => panic!("an update"),
        }
    }

    #[test]
    fn chunks_find_their_lines_and_change_nothing_else() {
        for (text, body, result) in [
            ("a\nb\nc\n", "@@\n a\n-b\n+B\n c\n", "a\nB\nc\n"),
            ("a\nb\nc\n", " a\n+x\n b\n-c\n", "a\nx\nb\n"),
            ("a\nb\na\nb\n", "@@\n a\n-b\n+B\n a\n", "a\nB\na\nb\n"),
            ("f\nx\ng\nx\n", "@@ g\n-x\n+y\n", "f\nx\ng\ny\n"),
            ("f\n g\nx\nx\n", "@@ g\n-x\n+y\n", "f\n g\ny\nx\n"),
            ("a\nx\nb\nx\n", "@@ a\n-x\n+1\n@@ b\n-x\n+2\n", "a\n1\nb\n2\n"),
            ("x\nx\n", "@@\n-x\n+y\n*** End of File\n", "x\ny\n"),
            ("a\n", "@@\n+z\n", "a\nz\n"),
            ("a\nb\n", "@@ a\n+z\n", "a\nz\nb\n"),
            ("a", "@@\n a\n+z\n", "a\nz"),
            ("a\nb", "@@\n-a\n+A\n b\n", "A\nb"),
            ("a\r\nb\r\nc\r\n", "@@\n a\n-b\n+B\n+C\n c\n", "a\r\nB\r\nC\r\nc\r\n"),
            ("a  \n\tb\n", "@@\n a\n-b\n+\tB\n", "a  \n\tB\n"),
            ("a\n\nb\n", "@@\n a\n\n-b\n+c\n", "a\n\nc\n"),
        ] {
            let updated = update(text, &chunks(body)).map(|updated| updated.text);
            assert_eq!(updated, Ok(result.to_owned()), "{text:?} {body:?}");
        }
    }

    #[test]
    fn signs_are_found_by_their_plain_forms_and_stay() {
        for (line, plain) in [
            ("it\u{2019}s", "it's"),
            ("\u{2018}a\u{201b}", "'a'"),
            ("\u{201c}a\u{201d} \u{201e}b\u{201f}", "\"a\" \"b\""),
            ("a \u{2013} b\u{2014}c\u{2011}d \u{2212}1", "a - b-c-d -1"),
            ("a\u{a0}b\u{202f}c\u{2009}d\u{3000}e", "a b c d e"),
            ("wait\u{2026}", "wait..."),
            ("a\u{ad}b\u{200b}c", "abc"),
        ] {
            for (context, file) in [(plain, line), (line, plain)] {
                let body = format!("@@\n {context}\n-x\n+y\n");
                let updated = update(&format!("{file}\nx\n"), &chunks(&body)).unwrap();
                assert_eq!(updated.text, format!("{file}\ny\n"));
            }
        }
    }

    #[test]
    fn a_byte_order_mark_and_a_last_line_without_an_end_stay() {
        for (text, body, expected) in [
            ("\u{feff}a\nb\n", "@@\n-a\n+A\n b\n", "\u{feff}A\nb\n"),
            ("\u{feff}a\r\nb\r\n", "@@\n-a\n+A\n", "\u{feff}A\r\nb\r\n"),
            ("\u{feff}a\n", "@@\n-a\n", "\u{feff}"),
            ("\u{feff}a", "@@\n a\n+b\n", "\u{feff}a\nb"),
            ("a\nb", "@@\n a\n-b\n+B\n", "a\nB"),
            ("a\r\nb", "@@\n a\n b\n+c\n", "a\r\nb\r\nc"),
            ("a\nb", "@@\n a\n-b\n", "a"),
            ("", "@@\n+a\n", "a\n"),
            ("a\nb", "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n", "a\nB"),
        ] {
            assert_eq!(update(text, &chunks(body)).unwrap().text, expected, "{text:?} {body:?}");
        }
    }

    #[test]
    fn chunks_that_do_not_fit_are_refused() {
        for (text, body, chunk, kind) in [
            ("a\nb\n", "@@\n-c\n", 1, ChunkErrorKind::NotFound),
            ("a\nb\n", "@@ z\n-b\n", 1, ChunkErrorKind::HeadNotFound),
            ("x\nx\n", "@@\n-x\n+y\n", 1, ChunkErrorKind::Ambiguous),
            ("a\nb\n", "@@\n-b\n@@\n-a\n", 2, ChunkErrorKind::NotFound),
            ("a\nb\n", "@@\n-a\n*** End of File\n", 1, ChunkErrorKind::NotFound),
            ("a\nb", "@@\n-b\n+c\n@@\n+d\n", 2, ChunkErrorKind::Overlap),
            ("", "@@\n-a\n", 1, ChunkErrorKind::NotFound),
        ] {
            let misfit = update(text, &chunks(body)).unwrap_err();
            assert_eq!((misfit.chunk, misfit.kind), (chunk, kind), "{text:?} {body:?}");
            assert!(misfit.text(Lang::En).contains(&format!("Chunk {chunk}")));
            assert!(misfit.text(Lang::Zh).contains(&format!("第 {chunk} 块")));
        }
    }
}
