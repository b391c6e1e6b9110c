//! The width of text in cells, and truncation to a width.
//!
//! It is counted as the drawing library does, but for characters that this terminal draws wider ([`WideChars`]).
//!
//! Text is split into grapheme clusters. A cluster longer than [`MAX_CLUSTER_BYTES`] is cut, so that
//! the cost of one cell is bounded.

use std::borrow::Cow;

use ratatui::buffer::CellWidth as _;
use unicode_segmentation::UnicodeSegmentation as _;

use super::wide_chars::WideChars;

/// Longest cluster in bytes; real ones (a family emoji with skin tones) stay below.
pub const MAX_CLUSTER_BYTES: usize = 64;

/// One visible character and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster<'a> {
    /// Byte offset in the text.
    pub start: usize,
    pub text: &'a str,
    /// The width in cells; 0 for a line feed and for isolated marks.
    pub width: usize,
}

impl Cluster<'_> {
    /// Byte offset of its end.
    #[must_use]
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Iterates over the clusters of a text.
#[derive(Debug, Clone)]
pub struct Clusters<'a> {
    rest: &'a str,
    start: usize,
}

/// The clusters of `text`, in order, without gaps.
#[must_use]
pub fn clusters(text: &str) -> Clusters<'_> {
    Clusters { rest: text, start: 0 }
}

impl<'a> Iterator for Clusters<'a> {
    type Item = Cluster<'a>;

    fn next(&mut self) -> Option<Cluster<'a>> {
        let length = cluster_length(self.rest)?;
        let (text, rest) = self.rest.split_at(length);
        let cluster = Cluster { start: self.start, text, width: cluster_width(text) };
        self.start += length;
        self.rest = rest;
        Some(cluster)
    }
}

/// True if each byte of a text is a character of one cell.
#[must_use]
pub fn is_plain(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Cells `text` takes on one line.
#[must_use]
pub fn width(text: &str) -> usize {
    if is_plain(text.as_bytes()) {
        return text.len();
    }
    clusters(text).map(|cluster| cluster.width).sum()
}

/// The longest prefix of `text` that fits into `cells`.
#[must_use]
pub fn cut(text: &str, cells: usize) -> &str {
    // The characters after the last one may belong to it.
    if text.as_bytes().get(..text.len().min(cells.saturating_add(1))).is_some_and(is_plain) {
        return text.get(..cells).unwrap_or(text);
    }
    let mut used = 0;
    for cluster in clusters(text) {
        used += cluster.width;
        if used > cells {
            return text.get(..cluster.start).unwrap_or_default();
        }
    }
    text
}

/// `text` truncated to fit into `cells`, with `mark` (such as `…`) at the end.
#[must_use]
pub fn shorten<'a>(text: &'a str, cells: usize, mark: &str) -> Cow<'a, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let Some(available) = cells.checked_sub(width(mark)) else {
        return Cow::Owned(cut(mark, cells).to_owned());
    };
    Cow::Owned(format!("{}{mark}", cut(text, available).trim_end()))
}

/// `text` with its middle removed to fit into `cells`: start and end stay readable.
#[must_use]
pub fn shorten_middle<'a>(text: &'a str, cells: usize, mark: &str) -> Cow<'a, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let Some(available) = cells.checked_sub(width(mark)) else {
        return Cow::Owned(cut(mark, cells).to_owned());
    };
    let head = cut(text, available.div_ceil(2));
    let tail = cut_start(text, available - width(head).min(available));
    Cow::Owned(format!("{head}{mark}{tail}"))
}

/// The longest suffix of `text` that fits into `cells`.
fn cut_start(text: &str, cells: usize) -> &str {
    let mut excess = width(text).saturating_sub(cells);
    for cluster in clusters(text) {
        if excess == 0 {
            return text.get(cluster.start..).unwrap_or_default();
        }
        excess = excess.saturating_sub(cluster.width);
    }
    ""
}

/// Cells one cluster takes.
pub(super) fn cluster_width(cluster: &str) -> usize {
    if cluster.chars().any(char::is_control) {
        return 0;
    }
    usize::from(symbol_width(cluster))
}

/// Cells that one drawn symbol takes. It has no control characters.
#[must_use]
pub fn symbol_width(symbol: &str) -> u16 {
    let narrow = symbol.cell_width();
    if symbol.is_ascii() { narrow } else { WideChars::now().width_of(symbol, narrow) }
}

/// Bytes of the first cluster of `text`; `None` at its end.
fn cluster_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let alone = bytes.get(1).is_none_or(u8::is_ascii);
    if first.is_ascii() && first != b'\r' && alone {
        return Some(1);
    }
    let window_end =
        (0..=MAX_CLUSTER_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    let window = text.get(..window_end?).unwrap_or(text);
    window.graphemes(true).next().map(str::len)
}

/// True if appending text could still extend `cluster`, the last cluster of a text.
pub(super) fn may_grow(cluster: &str) -> bool {
    cluster != "\n" && cluster.len() < MAX_CLUSTER_BYTES
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn widths_are_those_of_the_drawing_library() {
        for text in ["plain", "你好", "e\u{301}", "👩\u{200d}🚀!", "①②", "ｶﾞ", "⚠\u{fe0f}x", "한글"]
        {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 1));
            let (end, _) = buffer.set_stringn(0, 0, text, 40, Style::default());
            assert_eq!(width(text), usize::from(end), "{text}");
        }
    }

    #[test]
    fn text_is_shortened_at_the_end_or_in_the_middle() {
        for (text, cells, end, middle) in [
            ("short", 5, "short", "short"),
            ("orchestrator", 6, "orche…", "orc…or"),
            ("你好世界", 5, "你好…", "你…界"),
            ("abc", 1, "…", "…"),
            ("abc", 0, "", ""),
        ] {
            assert_eq!(shorten(text, cells, "…"), end);
            assert_eq!(shorten_middle(text, cells, "…"), middle);
        }
    }

    #[test]
    fn an_endless_cluster_is_cut() {
        let joined = "👩\u{200d}".repeat(10_000);
        assert!(clusters(&joined).all(|cluster| cluster.text.len() <= MAX_CLUSTER_BYTES));
        assert_eq!(
            clusters(&joined).map(|cluster| cluster.text.len()).sum::<usize>(),
            joined.len()
        );
    }

    proptest! {
        #[test]
        fn cut_text_fits_and_is_a_start(text in "\\PC{0,40}", cells in 0_usize..30) {
            let part = cut(&text, cells);
            prop_assert!(width(part) <= cells && text.starts_with(part));
            prop_assert!(width(&shorten(&text, cells, "…")) <= cells);
        }
    }
}
