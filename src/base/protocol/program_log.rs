//! The end of the program's own log of today, for reading.

use serde::{Deserialize, Serialize};

use crate::domain::Stamp;

/// Most lines that are shown.
const MAX_LINES: usize = 5_000;
/// Most characters of a line.
const MAX_LINE_CHARS: usize = 2_000;

/// How much a line matters; the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    Trace,
    Debug,
    Info,
    Warn,
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    pub level: LogLevel,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LogView {
    /// The file, as shown to the user.
    pub file: String,
    /// The newest lines, in order.
    pub lines: Vec<LogLine>,
    /// Older lines of the day are left out.
    pub left_out: bool,
    /// When it was read, by the clock of its lines; empty if that is not known.
    #[serde(default)]
    pub read_at: Stamp,
}

impl LogLevel {
    /// The level of a line as the program writes it; `None` for the further lines of an entry.
    fn of_line(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let is_time = words.next()?.as_bytes().first().is_some_and(u8::is_ascii_digit);
        let levels = [
            ("TRACE", Self::Trace),
            ("DEBUG", Self::Debug),
            ("INFO", Self::Info),
            ("WARN", Self::Warn),
            ("ERROR", Self::Error),
        ];
        let word = words.next().filter(|_| is_time)?;
        levels.into_iter().find(|(name, _)| *name == word).map(|(_, level)| level)
    }
}

impl LogView {
    /// The lines of the end of a file. A line without a level belongs to the one before.
    #[must_use]
    pub fn of_text(file: String, text: &str, left_out: bool) -> Self {
        let mut level = LogLevel::Info;
        let mut lines: Vec<LogLine> = Vec::new();
        for line in text.lines() {
            level = LogLevel::of_line(line).unwrap_or(level);
            let mut text: String = line.chars().take(MAX_LINE_CHARS).collect();
            if text.len() < line.len() {
                text.push('…');
            }
            lines.push(LogLine { level, text });
        }
        let excess = lines.len().saturating_sub(MAX_LINES);
        lines.drain(..excess);
        Self { file, lines, left_out: left_out || excess > 0, read_at: Stamp::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_its_level_and_further_lines_have_that_of_the_one_before() {
        let text = "2026-11-21T12:00:01.204Z  INFO a: b\n2026-11-21T12:00:02.204Z ERROR a: panic\n  at x\n\
                    2026-11-21T12:00:03.204Z  WARN ERROR\nINFO is no time\n";
        let view = LogView::of_text("f".to_owned(), text, false);
        let levels: Vec<_> = view.lines.iter().map(|line| line.level).collect();
        let (info, warn, error) = (LogLevel::Info, LogLevel::Warn, LogLevel::Error);
        assert_eq!(levels, [info, error, error, warn, warn]);
    }

    #[test]
    fn too_many_lines_and_too_long_ones_are_cut() {
        let text = format!("{}\n{}", "x\n".repeat(MAX_LINES), "字".repeat(MAX_LINE_CHARS + 1));
        let view = LogView::of_text(String::new(), &text, false);
        assert_eq!((view.lines.len(), view.left_out), (MAX_LINES, true));
        let last = view.lines.last().map(|line| line.text.chars().count());
        assert_eq!(last, Some(MAX_LINE_CHARS + 1));
        assert!(!LogView::of_text(String::new(), "x\n", false).left_out);
    }
}
