//! The sanitizer: untrusted text becomes [`SafeText`], the only text a frame is built from.
//!
//! Invariants: the output contains no control character except the line feed, nothing that reorders,
//! hides or joins text invisibly, and at most [`MAX_MARKS_PER_BASE`] marks on one character. What is
//! removed is replaced with a visible symbol. Sanitizing is idempotent, and sanitizing in pieces gives
//! the same result as sanitizing the whole.

use std::fmt::{self, Write as _};

use unicode_width::UnicodeWidthChar;

use crate::domain::text::hidden_chars::class_of;

/// Combining marks kept on one character; more would only paint over neighbouring lines.
pub const MAX_MARKS_PER_BASE: u8 = 4;

/// Cells between tab stops.
const TAB_STOP: usize = 4;

const ZERO_WIDTH_NON_JOINER: char = '\u{200C}';
const ZERO_WIDTH_JOINER: char = '\u{200D}';

/// Text without control sequences. Lines are separated by `\n`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SafeText(String);

impl SafeText {
    /// Sanitizes text of any number of lines. Tabs become spaces, `\r\n` becomes `\n`.
    #[must_use]
    pub fn clean(raw: &str) -> Self {
        if plain_prefix(raw) == raw.len() {
            return Self(raw.to_owned());
        }
        let mut out = String::with_capacity(raw.len() + raw.len() / 8);
        let mut cleaner = StreamCleaner::default();
        cleaner.push(raw, &mut out);
        cleaner.finish(&mut out);
        Self(out)
    }

    /// Sanitizes text that must stay on one line: line feeds inside it are shown as `⏎`, those at its end
    /// are dropped.
    #[must_use]
    pub fn line(raw: &str) -> Self {
        let Self(mut text) = Self::clean(raw);
        text.truncate(text.trim_end_matches('\n').len());
        if text.contains('\n') { Self(text.replace('\n', "⏎")) } else { Self(text) }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends. Safe, since a mark at the start of `other` was made visible when `other` was sanitized.
    pub fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// The part at `range`; empty if the range is not on character boundaries.
    #[must_use]
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        Self(self.0.get(range).unwrap_or_default().to_owned())
    }

    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for SafeText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Sanitizes text that arrives in chunks, split anywhere between characters.
///
/// A few characters are buffered until the next one decides about them; [`Self::finish`] flushes them.
#[derive(Debug, Clone, Default)]
pub struct StreamCleaner {
    /// Cells written since the last line feed, for tab stops.
    column: usize,
    base: Base,
    /// Marks already on the base.
    marks: u8,
    /// The last character may take an emoji or text selector.
    takes_selector: bool,
    pending: PendingChar,
    dropped_marks: usize,
    hidden: usize,
}

/// The character that a mark or a joiner attaches to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Base {
    #[default]
    Nothing,
    Ascii,
    Other,
}

/// A buffered character that depends on its successor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum PendingChar {
    #[default]
    Nothing,
    CarriageReturn,
    Joiner(char),
}

/// The kind of the character after a buffered one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    LineFeed,
    NonAsciiBase,
    Else,
}

impl StreamCleaner {
    /// Sanitizes one more chunk and appends it to `out`.
    pub fn push(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            let plain = plain_prefix(rest);
            if plain > 0 {
                let (run, tail) = rest.split_at(plain);
                self.plain_run(run, out);
                rest = tail;
            } else {
                let mut chars = rest.chars();
                if let Some(c) = chars.next() {
                    self.one(c, out);
                }
                rest = chars.as_str();
            }
        }
    }

    /// Sanitizes one more chunk; the concatenated results are the whole text.
    pub fn clean(&mut self, text: &str) -> SafeText {
        let mut out = String::with_capacity(text.len());
        self.push(text, &mut out);
        SafeText(out)
    }

    /// The buffered characters, as the last chunk.
    pub fn take_rest(&mut self) -> SafeText {
        let mut out = String::new();
        self.finish(&mut out);
        SafeText(out)
    }

    /// Flushes the buffered characters and resets everything but the count.
    pub fn finish(&mut self, out: &mut String) {
        self.settle(Next::Else, out);
        let hidden = self.hidden;
        *self = Self { hidden, ..Self::default() };
    }

    /// Returns how many characters were replaced or dropped so far.
    #[must_use]
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    fn plain_run(&mut self, run: &str, out: &mut String) {
        let next = if run.starts_with('\n') { Next::LineFeed } else { Next::Else };
        self.settle(next, out);
        out.push_str(run);
        self.column = match run.rfind('\n') {
            Some(at) => run.len() - at - 1,
            None => self.column + run.len(),
        };
        let last = run.chars().next_back().unwrap_or('\n');
        let blank = matches!(last, ' ' | '\n');
        self.base = if blank { Base::Nothing } else { Base::Ascii };
        self.marks = 0;
        self.takes_selector = matches!(last, '0'..='9' | '#' | '*');
    }

    fn one(&mut self, c: char, out: &mut String) {
        match c {
            '\t' => self.tab(out),
            '\r' => {
                self.settle(Next::Else, out);
                self.pending = PendingChar::CarriageReturn;
            }
            ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER => self.joiner(c, out),
            '\u{FE0E}' | '\u{FE0F}' => self.selector(c, out),
            _ if is_replaced(c) => {
                self.settle(Next::Else, out);
                self.show(c, out);
            }
            _ if is_mark(c) => self.mark(c, out),
            _ => self.non_ascii_base(c, out),
        }
    }

    fn tab(&mut self, out: &mut String) {
        self.settle(Next::Else, out);
        let spaces = TAB_STOP - self.column % TAB_STOP;
        out.extend(std::iter::repeat_n(' ', spaces));
        self.column += spaces;
        self.reset_base();
    }

    /// A joiner is legitimate only inside a non-ASCII word or emoji.
    fn joiner(&mut self, c: char, out: &mut String) {
        self.settle(Next::Else, out);
        if self.base == Base::Other {
            self.pending = PendingChar::Joiner(c);
        } else {
            self.show(c, out);
        }
    }

    fn selector(&mut self, c: char, out: &mut String) {
        self.settle(Next::Else, out);
        if self.takes_selector {
            out.push(c);
            self.takes_selector = false;
            self.marks += 1;
        } else {
            self.show(c, out);
        }
    }

    fn mark(&mut self, c: char, out: &mut String) {
        if self.pending != PendingChar::Nothing {
            self.settle(Next::Else, out);
        }
        self.takes_selector = false;
        if self.base == Base::Nothing {
            self.show(c, out);
        } else if self.marks < MAX_MARKS_PER_BASE {
            self.marks += 1;
            out.push(c);
        } else {
            self.dropped_marks += 1;
        }
    }

    fn non_ascii_base(&mut self, c: char, out: &mut String) {
        self.settle(Next::NonAsciiBase, out);
        out.push(c);
        self.column += c.width().unwrap_or(1);
        let blank = c.is_whitespace();
        self.base = if blank { Base::Nothing } else { Base::Other };
        self.marks = 0;
        self.takes_selector = takes_selector(c);
    }

    /// Writes buffered characters and the count of dropped marks, now that the next character is known.
    fn settle(&mut self, next: Next, out: &mut String) {
        if self.dropped_marks > 0 {
            let dropped = std::mem::take(&mut self.dropped_marks);
            self.hidden += dropped;
            self.symbol(format_args!("<+{dropped} marks>"), out);
        }
        match (std::mem::take(&mut self.pending), next) {
            (PendingChar::Nothing, _) | (PendingChar::CarriageReturn, Next::LineFeed) => {}
            (PendingChar::Joiner(joiner), Next::NonAsciiBase) => out.push(joiner),
            (PendingChar::Joiner(joiner), Next::LineFeed | Next::Else) => self.show(joiner, out),
            (PendingChar::CarriageReturn, Next::NonAsciiBase | Next::Else) => self.show('\r', out),
        }
    }

    /// Writes a visible symbol instead of `c`.
    fn show(&mut self, c: char, out: &mut String) {
        self.hidden += 1;
        match u32::from(c) {
            code @ 0..0x20 => self.control_picture(0x2400 + code, out),
            0x7F => self.control_picture(0x2421, out),
            code @ 0x80..0x100 => self.symbol(format_args!("<{code:02X}>"), out),
            code => self.symbol(format_args!("<{code:04X}>"), out),
        }
    }

    /// One of the control pictures, each a single cell wide.
    fn control_picture(&mut self, code: u32, out: &mut String) {
        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        self.column += 1;
        self.reset_base();
    }

    fn symbol(&mut self, symbol: fmt::Arguments<'_>, out: &mut String) {
        let before = out.len();
        // Writing to a String cannot fail.
        let _ = out.write_fmt(symbol);
        self.column += out.len() - before;
        self.reset_base();
    }

    fn reset_base(&mut self) {
        self.base = Base::Nothing;
        self.marks = 0;
        self.takes_selector = false;
    }
}

/// JSON in which every character that must not reach a terminal is escaped. The value is the same:
/// such characters occur in strings only.
#[must_use]
pub fn escape_json(json: &str) -> String {
    if plain_prefix(json) == json.len() {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !is_replaced(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// Length of the longest start of `text` that is printable ASCII and line feeds.
fn plain_prefix(text: &str) -> usize {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n');
    text.bytes().position(|byte| !is_plain(byte)).unwrap_or(text.len())
}

/// True for characters that must never reach the screen unchanged.
fn is_replaced(c: char) -> bool {
    class_of(c).is_some()
}

/// Combining characters, which take no cell.
fn is_mark(c: char) -> bool {
    match u32::from(c) {
        // Common scripts without marks, decided without a table.
        0x80..=0x2FF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 => false,
        _ => c.width() == Some(0),
    }
}

/// Symbols with a text and an emoji form, chosen by a selector after them.
fn takes_selector(c: char) -> bool {
    matches!(u32::from(c),
        0xA9 | 0xAE | 0x203C | 0x2049 | 0x2122 | 0x2139 | 0x2194..=0x21AA | 0x231A..=0x23FF
        | 0x24C2 | 0x25AA..=0x25FE | 0x2600..=0x27BF | 0x2934..=0x2935 | 0x2B05..=0x2B55
        | 0x3030 | 0x303D | 0x3297 | 0x3299 | 0x1F000..=0x1FAFF)
}

#[cfg(test)]
pub(super) mod tests;
