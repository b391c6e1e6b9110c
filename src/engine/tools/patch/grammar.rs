//! The text of a patch, read into sections. Pure. A fault names its line.
//!
//! ```text
//! *** Begin Patch
//! *** Add File: PATH            then lines that begin with +
//! *** Delete File: PATH
//! *** Update File: PATH         then, if it is to move, *** Move to: PATH; then chunks:
//! @@ LINE                       where to look; may be empty, may come several times
//!  kept / -removed / +added
//! *** End of File               the chunk before ends with the file
//! *** End Patch
//! ```
//!
//! A unified diff is read as well, as a whole or as a section; of its heads only the paths count. Models mix the two.

use std::path::Path;

use crate::domain::Lang;
use crate::domain::text::in_lang;
use crate::tools::files::short;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
/// Lines of a diff between or before its heads.
const DIFF_NOTES: [&str; 9] = [
    "diff --git",
    "index",
    "new file mode",
    "deleted file mode",
    "old mode",
    "new mode",
    "similarity index",
    "rename from",
    "rename to",
];
const END_OF_FILE: &str = "*** End of File";

/// Most sections of a patch; each holds a directory open while it is planned.
const LIMIT_SECTIONS: usize = 200;

/// Characters of a line that are shown back.
const SHOWN_CHARS: usize = 80;

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FilePatch {
    Add { path: String, content: String },
    Delete { path: String },
    Update { path: String, to: Option<String>, chunks: Vec<Chunk> },
}

/// Consecutive lines, and the change of each.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Chunk {
    /// Lines to find first, one after the other.
    pub heads: Vec<String>,
    pub lines: Vec<PatchLine>,
    pub at_end: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatchLine {
    Keep(String),
    Drop(String),
    Put(String),
}

/// Why a text is no patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatchError {
    /// Counted from 1 in the text that was given.
    pub line: usize,
    pub kind: PatchErrorKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatchErrorKind {
    NoBegin,
    NoEnd,
    NoSection,
    Unexpected(String),
    /// A path that is empty or absolute.
    Path(String),
    /// An update without chunks and without a new path, or a chunk without lines.
    Empty,
    TooMany,
}

/// Parses a patch. Before its begin and after its end there may only be the wrapping of a shell, and before a fence words.
pub(super) fn parse(text: &str) -> Result<Vec<FilePatch>, PatchError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().collect();
    let fault = |line: usize, kind| PatchError { line: line + 1, kind };
    let from = words_end(&lines);
    let begin = lines.iter().position(|line| line.trim() == BEGIN);
    let begin = begin.filter(|&at| lines.iter().take(at).skip(from).all(|line| opens(line)));
    let Some(begin) = begin else {
        let (at, end) =
            diff_lines(&lines, from).ok_or_else(|| fault(0, PatchErrorKind::NoBegin))?;
        return sections(PatchParser { lines: lines.get(..end).unwrap_or_default(), at });
    };
    let end = lines.iter().rposition(|line| line.trim() == END).filter(|&at| at > begin);
    let end = end.ok_or_else(|| fault(lines.len().saturating_sub(1), PatchErrorKind::NoEnd))?;
    if let Some(at) = (end + 1..lines.len()).find(|&at| lines.get(at).is_some_and(|l| !closes(l))) {
        return Err(fault(at, unexpected(lines.get(at).copied().unwrap_or_default())));
    }
    sections(PatchParser { lines: lines.get(..end).unwrap_or_default(), at: begin + 1 })
}

/// Returns the number of lines that a model said before the fence around its patch. What may be part of a patch is no such
/// line: a fence below it is a line of a file.
fn words_end(lines: &[&str]) -> usize {
    let Some(fence) = lines.iter().position(|line| is_fence(line)) else { return 0 };
    let is_of_patch = |at: usize| {
        let reader = PatchParser { lines, at };
        reader.peek().is_some_and(|line| is_head(line) || line.starts_with("@@"))
            || reader.begins_diff()
    };
    if (0..fence).any(is_of_patch) { 0 } else { fence }
}

/// Returns the lines of a text that is a unified diff: the first, and the one after the last. `from`: where it begins, with
/// its wrapping.
fn diff_lines(lines: &[&str], from: usize) -> Option<(usize, usize)> {
    let begin = lines.iter().skip(from).position(|line| !opens(line))? + from;
    let reader = PatchParser { lines, at: begin };
    // A line that begins with a blank is one of a file.
    let is_wrapping = |line: &str| !line.starts_with(' ') && is_fence(line);
    let last = lines.iter().rposition(|line| !line.trim().is_empty() && !is_wrapping(line))?;
    reader.begins_diff().then_some((begin, last + 1))
}

fn sections(mut reader: PatchParser) -> Result<Vec<FilePatch>, PatchError> {
    let mut sections = Vec::new();
    while let Some(line) = reader.peek() {
        if line.trim().is_empty() || reader.is_diff_note() {
            reader.at += 1;
        } else {
            if sections.len() == LIMIT_SECTIONS {
                return Err(reader.fault(PatchErrorKind::TooMany));
            }
            sections.push(reader.section()?);
        }
    }
    if sections.is_empty() {
        return Err(reader.fault(PatchErrorKind::NoSection));
    }
    Ok(sections)
}

/// True for a line that a model writes before a patch when it thinks it calls a shell.
fn opens(line: &str) -> bool {
    let line = line.trim();
    let rest = line.strip_prefix("apply_patch").unwrap_or(line).trim();
    let word = rest.strip_prefix("<<").map(|word| word.trim_matches(['\'', '"', '-']));
    is_fence(line)
        || rest.is_empty()
        || word.is_some_and(|word| !word.is_empty() && word.bytes().all(is_word))
}

fn closes(line: &str) -> bool {
    line.trim().bytes().all(is_word) || is_fence(line)
}

/// A line of a code fence, with the name of a language where it opens.
fn is_fence(line: &str) -> bool {
    let line = line.trim();
    let name = line.strip_prefix("```").or_else(|| line.strip_prefix("~~~"));
    name.is_some_and(|name| name.trim_start_matches(['`', '~']).trim().bytes().all(is_word))
}

/// A line of the kind that begins a section, maybe indented. Within a chunk an indented one is a line of the file.
fn is_head(line: &str) -> bool {
    line.trim_start().starts_with("*** ")
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn unexpected(line: &str) -> PatchErrorKind {
    PatchErrorKind::Unexpected(short(line, SHOWN_CHARS))
}

struct PatchParser<'a> {
    lines: &'a [&'a str],
    at: usize,
}

impl<'a> PatchParser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    fn fault(&self, kind: PatchErrorKind) -> PatchError {
        PatchError { line: self.at + 1, kind }
    }

    /// True for a line of a diff that adds nothing to its heads.
    fn is_diff_note(&self) -> bool {
        let line = self.peek().unwrap_or_default();
        DIFF_NOTES
            .iter()
            .any(|note| line.strip_prefix(note).is_some_and(|rest| rest.starts_with(' ')))
    }

    /// Two lines with paths, and a chunk behind them.
    fn is_diff_head(&self) -> bool {
        let line = |ahead: usize| self.lines.get(self.at + ahead).copied().unwrap_or_default();
        line(0).starts_with("--- ") && line(1).starts_with("+++ ") && line(2).starts_with("@@")
    }

    fn diff_section(&mut self) -> Result<FilePatch, PatchError> {
        let old = diff_path(self.peek().unwrap_or_default(), "a/");
        let path = old.map(|old| self.path(old)).transpose()?;
        self.at += usize::from(path.is_none());
        let new = diff_path(self.peek().unwrap_or_default(), "b/");
        let to = new.map(|new| self.path(new)).transpose()?;
        self.at += usize::from(to.is_none());
        let head = self.at;
        let chunks = self.chunks()?;
        match (path, to) {
            (Some(path), Some(to)) => {
                let to = Some(to).filter(|to| *to != path);
                Ok(FilePatch::Update { path, to, chunks })
            }
            (None, Some(path)) => {
                let lines = chunks.into_iter().flat_map(|chunk| chunk.lines);
                let added = lines.filter_map(|line| match line {
                    PatchLine::Put(line) => Some(format!("{line}\n")),
                    PatchLine::Keep(_) | PatchLine::Drop(_) => None,
                });
                Ok(FilePatch::Add { path, content: added.collect() })
            }
            (Some(path), None) => Ok(FilePatch::Delete { path }),
            (None, None) => Err(PatchError { line: head, kind: PatchErrorKind::Empty }),
        }
    }

    fn section(&mut self) -> Result<FilePatch, PatchError> {
        if self.is_diff_head() {
            return self.diff_section();
        }
        let line = self.peek().unwrap_or_default().trim_start();
        if let Some(path) = line.strip_prefix(ADD) {
            let path = self.path(path)?;
            return Ok(FilePatch::Add { path, content: self.added()? });
        }
        if let Some(path) = line.strip_prefix(DELETE) {
            return Ok(FilePatch::Delete { path: self.path(path)? });
        }
        let Some(path) = line.strip_prefix(UPDATE) else {
            return Err(self.fault(unexpected(line)));
        };
        let head = self.at;
        let path = self.path(path)?;
        let to = match self.peek().and_then(|line| line.strip_prefix(MOVE)) {
            Some(to) => Some(self.path(to)?),
            None => None,
        };
        while self.is_diff_note() {
            self.at += 1;
        }
        if self.is_diff_head() {
            self.at += 2;
        }
        let chunks = self.chunks()?;
        if chunks.is_empty() && to.is_none() {
            return Err(PatchError { line: head + 1, kind: PatchErrorKind::Empty });
        }
        Ok(FilePatch::Update { path, to, chunks })
    }

    /// Takes the path from the line; it must be relative.
    fn path(&mut self, path: &str) -> Result<String, PatchError> {
        let path = path.trim();
        if path.is_empty() || Path::new(path).is_absolute() {
            return Err(self.fault(PatchErrorKind::Path(short(path, SHOWN_CHARS))));
        }
        self.at += 1;
        Ok(path.to_owned())
    }

    fn added(&mut self) -> Result<String, PatchError> {
        let mut content = String::new();
        while let Some(line) = self.peek().filter(|line| !is_head(line)) {
            match line.strip_prefix('+') {
                Some(line) => {
                    content.push_str(line);
                    content.push('\n');
                }
                None if line.trim().is_empty() && self.only_blank_lines_before(is_head) => {}
                None => return Err(self.fault(unexpected(line))),
            }
            self.at += 1;
        }
        Ok(content)
    }

    /// Blank lines between sections belong to none of them.
    fn only_blank_lines_before(&self, begins_section: impl Fn(&str) -> bool) -> bool {
        let rest = self.lines.get(self.at..).unwrap_or_default();
        rest.iter().find(|line| !line.trim().is_empty()).is_none_or(|line| begins_section(line))
    }

    fn only_blank_lines_follow(&self) -> bool {
        self.only_blank_lines_before(|line| line.starts_with("*** "))
    }

    fn chunks(&mut self) -> Result<Vec<Chunk>, PatchError> {
        let mut chunks = Vec::new();
        while let Some(line) = self.peek() {
            let blank_end = line.trim().is_empty() && self.only_blank_lines_follow();
            if line.starts_with("*** ") || blank_end || self.begins_diff() {
                break;
            }
            chunks.push(self.chunk()?);
        }
        Ok(chunks)
    }

    /// The next file of a diff begins.
    fn begins_diff(&self) -> bool {
        self.is_diff_head() || self.is_diff_note()
    }

    fn chunk(&mut self) -> Result<Chunk, PatchError> {
        let mut chunk = Chunk::default();
        let head = self.at;
        while let Some(rest) = self.peek().and_then(|line| line.strip_prefix("@@")) {
            let rest = if is_place(rest) { "" } else { rest.strip_prefix(' ').unwrap_or(rest) };
            if !rest.trim().is_empty() {
                chunk.heads.push(rest.to_owned());
            }
            self.at += 1;
        }
        while let Some(line) = self.peek() {
            if line.trim_end() == END_OF_FILE {
                chunk.at_end = true;
                self.at += 1;
                break;
            }
            let blank_end = line.is_empty() && self.only_blank_lines_follow();
            let is_of_file = !line.starts_with("@@") && !line.starts_with("*** ");
            if !is_of_file || blank_end || self.begins_diff() {
                break;
            }
            if line.starts_with("\\ ") {
                self.at += 1;
                continue;
            }
            chunk.lines.push(kind_of(line).ok_or_else(|| self.fault(unexpected(line)))?);
            self.at += 1;
        }
        if chunk.lines.is_empty() {
            return Err(PatchError { line: head + 1, kind: PatchErrorKind::Empty });
        }
        Ok(chunk)
    }
}

/// The path in a head of a diff, without the folder and the time that programs add; none if there is no file.
fn diff_path<'a>(line: &'a str, folder: &str) -> Option<&'a str> {
    let path = line.get(4..).unwrap_or_default().split('\t').next().unwrap_or_default().trim();
    let path = path.strip_prefix('"').and_then(|path| path.strip_suffix('"')).unwrap_or(path);
    (path != "/dev/null").then(|| path.strip_prefix(folder).unwrap_or(path))
}

/// `-1,2 +1,3 @@` behind the first two signs: line numbers, which models count wrong. The line behind them may be cut.
fn is_place(head: &str) -> bool {
    let mut words = head.split_whitespace();
    let mut numbers = |sign: char| {
        let numbers = words.next().and_then(|word| word.strip_prefix(sign));
        numbers.is_some_and(|numbers| {
            !numbers.is_empty() && numbers.bytes().all(|b| b.is_ascii_digit() || b == b',')
        })
    };
    numbers('-') && numbers('+')
}

/// An empty line stands for a kept empty line, whose blank is easily lost.
fn kind_of(line: &str) -> Option<PatchLine> {
    let mut chars = line.chars();
    let first = chars.next();
    let rest = chars.as_str().to_owned();
    match first {
        None => Some(PatchLine::Keep(String::new())),
        Some(' ') => Some(PatchLine::Keep(rest)),
        Some('-') => Some(PatchLine::Drop(rest)),
        Some('+') => Some(PatchLine::Put(rest)),
        Some(_) => None,
    }
}

impl PatchError {
    /// What is wrong, where, and how it should be.
    pub(super) fn text(&self, lang: Lang) -> String {
        let line = self.line;
        let what = match &self.kind {
            PatchErrorKind::NoBegin => in_lang!(
                lang,
                "the patch must begin with `*** Begin Patch`",
                "补丁须以 `*** Begin Patch` 开头"
            ),
            PatchErrorKind::NoEnd => in_lang!(
                lang,
                "the patch must end with `*** End Patch`",
                "补丁须以 `*** End Patch` 结尾"
            ),
            PatchErrorKind::NoSection => {
                in_lang!(lang, "the patch names no file", "补丁没有涉及任何文件")
            }
            PatchErrorKind::Unexpected(line) => in_lang!(
                lang,
                "`{line}` does not belong here; lines begin with a space, - or + (in a new file \
                 with +), chunks with @@, sections with ***",
                "此处不应有 `{line}`;行须以空格、- 或 + 开头(新文件中以 + 开头),块以 @@ 开头,节以 *** 开头"
            ),
            PatchErrorKind::Path(path) => in_lang!(
                lang,
                "`{path}` is no path relative to the workspace",
                "`{path}` 不是相对于工作区的路径"
            ),
            PatchErrorKind::Empty => {
                in_lang!(lang, "nothing is to be changed here", "此处没有任何改动")
            }
            PatchErrorKind::TooMany => in_lang!(
                lang,
                "more than {LIMIT_SECTIONS} files; make several patches of it",
                "涉及的文件超过 {LIMIT_SECTIONS} 个;请拆成几个补丁"
            ),
        };
        in_lang!(
            lang,
            "Line {line} of the patch: {what}. Nothing was changed.",
            "补丁第 {line} 行:{what}。未做任何改动。"
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn wrap(body: &str) -> String {
        format!("{BEGIN}\n{body}{END}\n")
    }

    #[test]
    fn all_kinds_of_sections_are_read() {
        let expected = vec![
            FilePatch::Add { path: "a/new.txt".into(), content: "one\n\n".into() },
            FilePatch::Delete { path: "old".into() },
            FilePatch::Update {
                path: "b".into(),
                to: Some("c".into()),
                chunks: vec![
                    Chunk {
                        heads: vec!["fn a()".into(), "inner".into()],
                        lines: vec![
                            PatchLine::Keep("x".into()),
                            PatchLine::Drop("y".into()),
                            PatchLine::Put("z".into()),
                            PatchLine::Keep(String::new()),
                            PatchLine::Put("w".into()),
                        ],
                        at_end: false,
                    },
                    Chunk {
                        heads: vec![],
                        lines: vec![PatchLine::Drop("last".into())],
                        at_end: true,
                    },
                ],
            },
        ];
        assert_eq!(parse(&wrap(BODY)), Ok(expected));
    }

    const BODY: &str = "*** Add File: a/new.txt\n+one\n+\n\n*** Delete File: old\n\
        *** Update File: b\n*** Move to: c\n@@ fn a()\n@@ inner\n x\n-y\n+z\n\n+w\n@@\n-last\n\
        *** End of File\n";

    #[test]
    fn the_wrapping_of_a_shell_is_taken_off() {
        let patch = wrap("*** Delete File: a\n");
        for text in [
            patch.clone(),
            format!("<<'EOF'\n{patch}EOF\n"),
            format!("apply_patch <<\"PATCH\"\n{patch}PATCH"),
            format!("\n  \n{patch}\n"),
            patch.replace('\n', "\r\n"),
            format!("\u{feff}{patch}"),
            format!("This is it, with `a` gone:\n\n```patch\n{patch}```\n"),
            format!("- It goes.\n~~~\napply_patch <<E\n{patch}E\n~~~\n"),
        ] {
            assert_eq!(parse(&text).map(|sections| sections.len()), Ok(1), "{text:?}");
        }
        for text in [
            format!("rm -rf x\n{patch}"),
            format!("{patch}rm -rf x\n"),
            format!("```\nrm -rf x\n```\n{patch}"),
            format!("*** Delete File: b\n```\n{patch}```\n"),
            format!("@@\n ```\n{patch}"),
            format!("{patch}```\n{patch}"),
            format!("*** Begin Patch\nis how it begins:\n```\n{patch}```\n"),
        ] {
            assert!(parse(&text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_head_may_be_indented_and_written_without_a_blank() {
        let expected = parse(&wrap(
            "*** Add File: a\n+x\n\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n@@\n-y\n",
        ));
        assert_eq!(expected.as_ref().map(Vec::len), Ok(3));
        for body in [
            "*** Add File:a\n+x\n*** Delete File:b\n*** Update File:c\n*** Move to:d\n@@\n-y\n",
            "  *** Add File: a\n+x\n\n\t*** Delete File: b\n *** Update File:   c\n*** Move to: d\n@@\n-y\n",
        ] {
            assert_eq!(parse(&wrap(body)), expected, "{body}");
        }
    }

    #[test]
    fn a_line_of_a_file_that_looks_like_a_head_stays_a_line() {
        for line in [
            "*** Update File: b",
            "*** Delete File:b",
            "*** Move to: b",
            "*** End of File",
            "*** Begin Patch",
            "```",
            "@@ -1 +1 @@",
        ] {
            let expected = |put: bool| -> Result<Vec<FilePatch>, PatchError> {
                let mut lines = vec![PatchLine::Keep(line.into()), PatchLine::Put("x".into())];
                lines.rotate_left(usize::from(put));
                let chunks = vec![Chunk { lines, ..Chunk::default() }];
                Ok(vec![FilePatch::Update { path: "a".into(), to: None, chunks }])
            };
            let (first, last) = (format!(" {line}\n+x\n"), format!("+x\n {line}\n"));
            for (chunk, put) in [(first, false), (last, true)] {
                let diff = format!("--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n{chunk}");
                for text in [
                    wrap(&format!("*** Update File: a\n{chunk}")),
                    wrap(&format!("*** Update File: a\n@@\n{chunk}")),
                    format!("Words.\n```\n{}```\n", wrap(&format!("*** Update File: a\n{chunk}"))),
                    diff.clone(),
                    format!("Words.\n```diff\n{diff}```\n"),
                ] {
                    assert_eq!(parse(&text), expected(put), "{text}");
                }
            }
        }
    }

    #[test]
    fn a_diff_and_a_fence_are_read_alone_and_within_a_patch() {
        let update =
            |chunk: &str| parse(&wrap(&format!("*** Update File: x\n@@\n{chunk}"))).unwrap();
        let expected = update(" a\n-b\n+B\n");
        let hunk = "@@ -1,2 +1,2 @@\n a\n-b\n+B\n";
        let diff = format!("--- a/x\n+++ b/x\n{hunk}");
        for text in [
            diff.clone(),
            format!("```diff\n{diff}```\n"),
            format!("diff --git a/x b/x\nindex 1..2 100644\n{diff}"),
            diff.replace("a/x\n", "a/x\t2024-01-01 00:00:00\n"),
            diff.replace("a/x", "x").replace("b/x", "x"),
            wrap(&diff),
            wrap(&format!("*** Update File: x\n{diff}")),
            wrap(&format!("*** Update File: x\n{hunk}")),
            wrap(&format!("*** Update File: x\n{}", hunk.replace(" @@\n", " @@ fn x() {\n"))),
            wrap(&format!("*** Update File: x\n{}", hunk.replace("-1,2 +1,2", "-1 +1"))),
            wrap(&format!("*** Update File: x\n{hunk}\\ No newline at end of file\n")),
            format!("```\n{}```", wrap(&format!("*** Update File: x\n{hunk}"))),
            format!("~~~patch\napply_patch <<'E'\n{}E\n~~~\n", wrap(&diff)),
        ] {
            assert_eq!(parse(&text).as_ref(), Ok(&expected), "{text}");
        }
        let files = "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+one\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n\
            diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
        let read = parse(files).unwrap();
        assert_eq!(read[0], FilePatch::Add { path: "new".into(), content: "one\n".into() });
        assert_eq!(read[1], FilePatch::Delete { path: "old".into() });
        assert!(
            matches!(&read[2], FilePatch::Update { path, to: Some(to), .. } if path == "x" && to == "y")
        );
        // Such a line can also be a removed line.
        let dropped = update("--- a\n+++ b\n");
        let FilePatch::Update { chunks, .. } = &dropped[0] else { panic!() };
        assert_eq!(
            chunks[0].lines,
            [PatchLine::Drop("-- a".into()), PatchLine::Put("++ b".into())]
        );
    }

    #[test]
    fn a_fault_names_its_line() {
        for (text, line, kind) in [
            (String::new(), 1, PatchErrorKind::NoBegin),
            ("--- a\n+++ b\n".into(), 1, PatchErrorKind::NoBegin),
            (format!("{BEGIN}\n*** Delete File: a\n"), 2, PatchErrorKind::NoEnd),
            (wrap(""), 2, PatchErrorKind::NoSection),
            (wrap("*** Delete File: /etc/passwd\n"), 2, PatchErrorKind::Path("/etc/passwd".into())),
            (wrap("*** Delete File:  \n"), 2, PatchErrorKind::Path(String::new())),
            (wrap("*** Update File: a\n*** Move to: /x\n"), 3, PatchErrorKind::Path("/x".into())),
            (wrap("*** Update File: a\n"), 2, PatchErrorKind::Empty),
            (wrap("*** Update File: a\n@@ x\n"), 3, PatchErrorKind::Empty),
            (wrap("*** Update File: a\n@@\n*x\n"), 4, PatchErrorKind::Unexpected("*x".into())),
            (wrap("*** Add File: a\nx\n"), 3, PatchErrorKind::Unexpected("x".into())),
            (wrap(&"*** Delete File: a\n".repeat(201)), 202, PatchErrorKind::TooMany),
            (
                wrap("*** Rename File: a\n"),
                2,
                PatchErrorKind::Unexpected("*** Rename File: a".into()),
            ),
        ] {
            let fault = parse(&text).unwrap_err();
            assert_eq!(fault, PatchError { line, kind }, "{text:?}");
            assert!(fault.text(Lang::En).contains(&format!("Line {line} ")));
            assert!(fault.text(Lang::Zh).contains(&format!("第 {line} 行")));
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_reading_panic(body in "([*+@ -]{0,4}[a-zA-Z: ]{0,12}\n){0,8}") {
            let _ = parse(&body);
            let _ = parse(&wrap(&body));
            let _ = parse(&wrap(&format!("*** Update File: a\n{body}")));
        }
    }
}
