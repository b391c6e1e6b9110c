//! A bounded window of a stream of any length: its beginning, its end, and its size. Memory stays bounded
//! however much a command writes.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

use tokio::sync::watch;

use crate::domain::counted;
use crate::domain::safety::secrets::RedactedStream;
use crate::domain::text::hidden_chars::{HiddenClass, class_of};
use crate::domain::text::in_lang;
use crate::domain::{Lang, Secrets};

/// Bytes kept from the beginning.
const HEAD_BYTES: usize = 64 * 1024;
/// Bytes kept from the end.
const TAIL_BYTES: usize = 256 * 1024;
/// Bytes from the end, of both streams, that people are shown lines of while a command runs.
const LIVE_BYTES: usize = 2 * 1024;
/// The number of those lines.
const LIVE_LINES: usize = 5;

/// One stream of a command.
#[derive(Debug, Default)]
pub(crate) struct StreamWindow {
    /// Redacts secrets before anything is kept, so that no half of one is.
    clean: RedactedStream,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    newlines: u64,
    last: Option<u8>,
    /// Where people see its newest lines.
    live: Option<LiveTail>,
}

/// The end of what a command has printed on both streams, in the order in which it came. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveTail(watch::Sender<Vec<u8>>);

impl LiveTail {
    /// Tells whoever looks on that the command runs, before it has printed anything.
    pub fn begin(&self) {
        self.0.send_modify(|_| {});
    }

    pub fn subscribe(&self) -> watch::Receiver<Vec<u8>> {
        self.0.subscribe()
    }

    fn push(&self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let newest = bytes.get(bytes.len().saturating_sub(LIVE_BYTES)..).unwrap_or_default();
        self.0.send_modify(|tail| {
            tail.extend_from_slice(newest);
            tail.drain(..tail.len().saturating_sub(LIVE_BYTES));
        });
    }
}

/// How much of a stream is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutputLimits {
    pub lines: usize,
    pub chars: usize,
}

impl StreamWindow {
    /// A window that redacts these secrets before it keeps anything.
    pub fn of(secrets: &Arc<Secrets>) -> Self {
        Self { clean: secrets.stream(), ..Self::default() }
    }

    /// Shows its newest lines in `tail`.
    pub fn shown_in(self, tail: &LiveTail) -> Self {
        Self { live: Some(tail.clone()), ..self }
    }

    /// Ends that: nobody waits for the command any more.
    pub fn unwatched(self) -> Self {
        Self { live: None, ..self }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut clean = Vec::new();
        self.clean.push(bytes, &mut clean);
        self.keep(&clean);
    }

    /// Ends the stream and keeps what the redactor still held back.
    pub fn close(&mut self) {
        let mut rest = Vec::new();
        self.clean.finish(&mut rest);
        self.keep(&rest);
    }

    /// Returns the bytes held back, because they may begin a secret.
    pub fn into_held(self) -> Vec<u8> {
        self.clean.into_held()
    }

    fn keep(&mut self, bytes: &[u8]) {
        if let Some(live) = &self.live {
            live.push(bytes);
        }
        self.bytes += bytes.len() as u64;
        self.newlines += newlines(bytes);
        self.last = bytes.last().copied().or(self.last);
        let room = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        let rest = rest.get(rest.len().saturating_sub(TAIL_BYTES)..).unwrap_or_default();
        let excess = (self.tail.len() + rest.len()).saturating_sub(TAIL_BYTES);
        self.tail.drain(..excess);
        self.tail.extend(rest);
    }

    /// Returns the kept end of the stream, and the number of lines before it.
    pub fn end(&self) -> (Vec<u8>, u64) {
        let mut end = if self.is_whole() { self.head.clone() } else { Vec::new() };
        end.extend(&self.tail);
        let before = self.newlines.saturating_sub(newlines(&end));
        (end, before)
    }

    /// Returns the number of characters kept.
    pub fn chars(&self) -> usize {
        let (head, tail) = self.parts();
        head.chars().count() + tail.chars().count()
    }

    /// Returns all of it if it fits, else its beginning and its end, with a line between them about
    /// the cut. Bytes that are not UTF-8 are replaced.
    pub fn shown(&self, room: OutputLimits, lang: Lang) -> String {
        let (head, tail) = self.parts();
        let lines = head.lines().count() + tail.lines().count();
        let chars = head.chars().count() + tail.chars().count();
        if self.is_whole() && lines <= room.lines && chars <= room.chars {
            return head + &tail;
        }
        let start_room = OutputLimits { lines: (room.lines / 5).max(1), chars: room.chars / 3 };
        let end_room = OutputLimits {
            lines: room.lines.saturating_sub(start_room.lines).max(1),
            chars: room.chars - start_room.chars,
        };
        let start = first(&head, start_room);
        let all = if self.is_whole() { head.clone() + &tail } else { tail };
        let rest = if self.is_whole() { all.get(start.len()..).unwrap_or_default() } else { &all };
        let end = last(rest, end_room);
        let gone = self.bytes.saturating_sub((start.len() + end.len()) as u64);
        let (bytes, count) = (self.bytes, self.lines());
        let lines = counted(count, "line", "lines");
        let line = in_lang!(
            lang,
            "[{gone} of {bytes} bytes cut here; {lines} in all]",
            "[此处截去 {gone} 字节,共 {bytes} 字节,{count} 行]"
        );
        let gap = if start.ends_with('\n') { "" } else { "\n" };
        format!("{start}{gap}{line}\n{end}")
    }

    /// Returns the number of lines so far, an unfinished one included.
    fn lines(&self) -> u64 {
        self.newlines + u64::from(self.last.is_some_and(|last| last != b'\n'))
    }

    /// True if nothing between beginning and end is lost.
    fn is_whole(&self) -> bool {
        self.bytes == (self.head.len() + self.tail.len()) as u64
    }

    /// Returns both parts as text; if nothing was dropped, all of it is in the first.
    fn parts(&self) -> (String, String) {
        if self.is_whole() {
            let mut all = self.head.clone();
            all.extend(&self.tail);
            return (lossy(&all), String::new());
        }
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        (lossy(&self.head), lossy(&tail))
    }
}

/// The last lines of a tail that are not blank, without terminal control sequences. Of a line that was written over,
/// as by a progress bar, the newest state.
pub(super) fn last_lines(tail: &[u8]) -> Vec<String> {
    let newest = |line: &[u8]| {
        let line = line.trim_ascii_end();
        lossy(line.rsplit(|byte| *byte == b'\r').next().unwrap_or(line))
    };
    let lines = tail.split(|byte| *byte == b'\n').rev().map(newest);
    let mut last: Vec<String> =
        lines.filter(|line| !line.trim().is_empty()).take(LIVE_LINES).collect();
    last.reverse();
    last
}

/// The number of line ends.
pub(super) fn newlines(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

/// Returns the text without terminal control sequences. An overwritten line stays a line, so nothing is lost.
pub(super) fn lossy(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !text.contains(|c: char| is_control(c)) {
        return text.into_owned();
    }
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_sequence(&mut chars),
            '\u{9b}' => skip_until(&mut chars, |c| ('@'..='~').contains(&c)),
            '\r' if chars.peek().is_none_or(|next| matches!(next, '\r' | '\n')) => {}
            '\r' => shown.push('\n'),
            '\0' => shown.push(char::REPLACEMENT_CHARACTER),
            c if is_control(c) => {}
            c => shown.push(c),
        }
    }
    shown
}

fn is_control(c: char) -> bool {
    !matches!(c, '\n' | '\t') && class_of(c) == Some(HiddenClass::Control)
}

/// Skips the rest of an escape sequence. One that does not end in its line ends with the line.
fn skip_sequence(chars: &mut Peekable<Chars>) {
    match chars.next_if(|c| !is_control(*c) && *c != '\n') {
        Some('[') => skip_until(chars, |c| ('@'..='~').contains(&c)),
        Some(']' | 'P' | '_' | '^' | 'X') => {
            skip_until(chars, |c| matches!(c, '\u{7}' | '\u{1b}' | '\u{9c}'));
            chars.next_if_eq(&'\\');
        }
        Some(' '..='/') => skip_until(chars, |c| ('0'..='~').contains(&c)),
        Some(_) | None => {}
    }
}

fn skip_until(chars: &mut Peekable<Chars>, is_end: impl Fn(char) -> bool) {
    while let Some(c) = chars.next_if(|c| *c != '\n') {
        if is_end(c) {
            return;
        }
    }
}

/// The first lines of a text, within `room`.
fn first(text: &str, room: OutputLimits) -> &str {
    let lines: usize = text.split_inclusive('\n').take(room.lines).map(str::len).sum();
    let chars = text.char_indices().nth(room.chars).map_or(text.len(), |(at, _)| at);
    text.get(..lines.min(chars)).unwrap_or_default()
}

/// The last lines of a text, within `room`.
pub(super) fn last(text: &str, room: OutputLimits) -> &str {
    let lines: usize = text.split_inclusive('\n').rev().take(room.lines).map(str::len).sum();
    let total = text.chars().count();
    let from = text.char_indices().nth(total.saturating_sub(room.chars)).map_or(0, |(at, _)| at);
    text.get((text.len() - lines).max(from)..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: OutputLimits = OutputLimits { lines: 10, chars: 60 };

    fn shown(pieces: &[&str], room: OutputLimits) -> String {
        let mut window = StreamWindow::default();
        for piece in pieces {
            window.push(piece.as_bytes());
        }
        window.shown(room, Lang::En)
    }

    #[test]
    fn what_controls_a_terminal_is_not_shown_and_no_text_is_lost() {
        for (written, expected) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("\u{1b}[2J\u{1b}[Ha\u{1b}[?25l\u{1b}[38;2;1;2;3mb", "ab"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b\u{1b}]8;;\u{1b}\\", "ab"),
            ("\u{1b}Pq#0\u{1b}\\a\u{1b}(Bb\u{1b}7c\u{1b}=d", "abcd"),
            ("\u{9b}31mred\u{9d}", "red"),
            ("a\u{1b}[31", "a"),
            ("a\u{1b}[31\nb\u{1b}\nc\u{1b}]0;t\nd", "a\nb\nc\nd"),
            ("a\0b\u{7}c\u{8}d\u{7f}e\u{85}f\u{b}g\u{c}h", "a\u{fffd}bcdefgh"),
            ("10%\r20%\rdone\r\n", "10%\n20%\ndone\n"),
            ("a\r\r\nb\r", "a\nb"),
            ("短\tü\n", "短\tü\n"),
        ] {
            assert_eq!(lossy(written.as_bytes()), expected, "{written:?}");
        }
        let all: Vec<u8> = (0..=255).cycle().take(9_000).collect();
        assert!(!lossy(&all).contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')));
    }

    #[test]
    fn a_stream_that_fits_is_shown_as_it_is() {
        for pieces in [&["a\n", "b"][..], &[""], &["短"], &["1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"]] {
            assert_eq!(shown(pieces, ROOM), pieces.concat());
        }
        let mut cut_in_a_letter = StreamWindow::default();
        "短".as_bytes().chunks(1).for_each(|byte| cut_in_a_letter.push(byte));
        assert_eq!(cut_in_a_letter.shown(ROOM, Lang::En), "短");
    }

    #[test]
    fn too_many_lines_or_characters_leave_beginning_and_end() {
        let lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
        let text = shown(&[lines], ROOM);
        assert_eq!(
            text,
            "1\n2\n[4 of 27 bytes cut here; 12 lines in all]\n5\n6\n7\n8\n9\n10\n11\n12\n"
        );
        let text = shown(&["x".repeat(200).as_str()], ROOM);
        let (start, end) = ("x".repeat(20), "x".repeat(40));
        assert_eq!(text, format!("{start}\n[140 of 200 bytes cut here; 1 line in all]\n{end}"));
    }

    #[test]
    fn what_is_kept_stays_bounded_and_what_is_lost_is_counted() {
        let mut window = StreamWindow::default();
        let block = "0123456789abcde\n".repeat(4096);
        for _ in 0..64 {
            window.push(block.as_bytes());
        }
        assert_eq!(window.head.len() + window.tail.len(), HEAD_BYTES + TAIL_BYTES);
        let text = window.shown(ROOM, Lang::Zh);
        assert!(text.starts_with("0123456789abcde\n") && text.ends_with("0123456789abcde\n"));
        assert!(text.contains("共 4194304 字节,262144 行"), "{text}");
        let (end, before) = window.end();
        assert_eq!((end.len(), before), (TAIL_BYTES, 262_144 - 16_384));
    }

    #[test]
    fn a_secret_is_not_kept_wherever_the_window_is_cut() {
        let key = "sk-canary-0123456789";
        let secrets = Arc::new(Secrets::new([], [key.to_owned()]));
        let filler = "0123456789abcde\n".repeat((HEAD_BYTES + TAIL_BYTES) / 16 + 100);
        for at in (HEAD_BYTES - 30..HEAD_BYTES + 30)
            .chain(filler.len() - TAIL_BYTES - 30..filler.len() - TAIL_BYTES + 30)
        {
            let (before, after) = filler.split_at(at);
            let mut window = StreamWindow::of(&secrets);
            for piece in format!("{before}{key}{after}").as_bytes().chunks(4_099) {
                window.push(piece);
            }
            window.close();
            let (head, tail) = window.parts();
            for cut in [&head, &tail] {
                assert!(!cut.contains("sk-") && !cut.contains("nary"), "{at}");
            }
        }
    }

    #[test]
    fn of_a_running_command_the_last_lines_of_both_streams_are_shown_cleaned_and_bounded() {
        let tail = LiveTail::default();
        let key = "sk-canary-0123456789";
        let secrets = Arc::new(Secrets::new([], [key.to_owned()]));
        let mut out = StreamWindow::of(&secrets).shown_in(&tail);
        let mut err = StreamWindow::of(&secrets).shown_in(&tail);
        let mut shown = tail.subscribe();
        let mut lines = || last_lines(&shown.borrow_and_update());
        out.push(b"1\n2\n3\n\n");
        err.push(b"\x1b[31mwarning\x1b[0m\r\n");
        out.push(b" 10%\r 20%\r\n5\n6\n");
        assert_eq!(lines(), ["3", "warning", " 20%", "5", "6"]);
        for piece in format!("\nkey {key}\n").as_bytes().chunks(7) {
            out.push(piece);
        }
        assert!(!lines().concat().contains("nary"), "{:?}", lines());
        err.push("x".repeat(1_000_000).as_bytes());
        assert!(lines().concat().len() <= LIVE_BYTES, "{:?}", lines());
        out.unwatched().push(b"\nlater\n");
        assert!(!lines().contains(&"later".to_owned()));
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut window = StreamWindow::default();
        window.push(b"a\xff\xfeb");
        assert_eq!(window.shown(ROOM, Lang::En), "a\u{fffd}\u{fffd}b");
    }
}
