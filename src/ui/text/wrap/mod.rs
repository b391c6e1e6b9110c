//! Breaking text into rows of at most a given width.
//!
//! Words are not split if they fit; Chinese, Japanese and Korean text breaks between characters, but
//! not before closing nor after opening marks. Rows are byte ranges of the text; between two ranges
//! there are only blanks at a break or one line feed, so nothing is lost. Breaks are decided left to
//! right, so [`TailWrap`] can wrap a growing text at the cost of what is appended.

use std::ops::Range;

use super::clean::SafeText;
use super::width::{Cluster, clusters, may_grow};

/// Narrower rows cannot hold every character; smaller widths are raised to this.
pub const MIN_WIDTH: usize = 2;

/// Breaks `text` into rows of at most `width` cells. Always at least one row.
#[must_use]
pub fn wrap(text: &str, width: usize) -> Vec<Range<usize>> {
    wrap_by(text, Breaker::new(width, WrapMode::Words))
}

/// As [`wrap`], but breaks only at the width or a line feed: no blank is dropped. For code.
#[must_use]
pub fn wrap_hard(text: &str, width: usize) -> Vec<Range<usize>> {
    wrap_by(text, Breaker::new(width, WrapMode::Cells))
}

fn wrap_by(text: &str, mut breaker: Breaker) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    for cluster in clusters(text) {
        breaker.feed(cluster, &mut rows);
    }
    breaker.finish(&mut rows);
    rows
}

/// The rows of a text that grows at its end. The cost of a push depends only on the appended text.
#[derive(Debug, Clone)]
pub struct TailWrap {
    text: SafeText,
    /// Final rows, then the rows of the unfinished end.
    rows: Vec<Range<usize>>,
    final_rows: usize,
    /// The state after the last cluster that can no longer grow.
    breaker: Breaker,
    fed: usize,
}

impl TailWrap {
    #[must_use]
    pub fn new(width: usize) -> Self {
        Self::by(Breaker::new(width, WrapMode::Words))
    }

    /// Breaks as [`wrap_hard`] does.
    #[must_use]
    pub fn of_code(width: usize) -> Self {
        Self::by(Breaker::new(width, WrapMode::Cells))
    }

    fn by(breaker: Breaker) -> Self {
        let mut wrap =
            Self { text: SafeText::default(), rows: Vec::new(), final_rows: 0, breaker, fed: 0 };
        wrap.push(&SafeText::default());
        wrap
    }

    /// Appends text. Rows before the last two never change.
    pub fn push(&mut self, delta: &SafeText) {
        self.text.append(delta);
        self.rows.truncate(self.final_rows);
        let unfed = self.text.as_str().get(self.fed..).unwrap_or_default();
        let offset = self.fed;
        let mut last = None;
        for cluster in clusters(unfed) {
            let cluster = Cluster { start: cluster.start + offset, ..cluster };
            if let Some(done) = last.replace(cluster) {
                self.breaker.feed(done, &mut self.rows);
                self.fed = done.end();
            }
        }
        let last = match last {
            Some(cluster) if !may_grow(cluster.text) => {
                self.breaker.feed(cluster, &mut self.rows);
                self.fed = cluster.end();
                None
            }
            other => other,
        };
        self.final_rows = self.rows.len();
        let mut tail = self.breaker.clone();
        if let Some(cluster) = last {
            tail.feed(cluster, &mut self.rows);
        }
        tail.finish(&mut self.rows);
    }

    #[must_use]
    pub fn text(&self) -> &SafeText {
        &self.text
    }

    /// Byte ranges of the rows; at least one.
    #[must_use]
    pub fn rows(&self) -> &[Range<usize>] {
        &self.rows
    }

    /// The text of row `at`; empty after the last row.
    #[must_use]
    pub fn row(&self, at: usize) -> SafeText {
        self.rows.get(at).map(|row| self.text.part(row.clone())).unwrap_or_default()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WrapMode {
    Words,
    Cells,
}

/// A position where a row may end.
#[derive(Debug, Clone, Copy)]
struct Break {
    /// End of the row if it ends here, blanks excluded.
    end: usize,
    /// Start of the next row.
    resume: usize,
    /// Cells of the row up to `resume`.
    width: usize,
}

/// The greedy line breaker, with one unfinished row.
#[derive(Debug, Clone)]
struct Breaker {
    limit: usize,
    mode: WrapMode,
    start: usize,
    /// End of everything fed.
    here: usize,
    /// End of the last thing in this row that is not a blank.
    solid: usize,
    width: usize,
    candidate: Option<Break>,
    previous: ClusterKind,
}

impl Breaker {
    fn new(width: usize, mode: WrapMode) -> Self {
        Self {
            limit: width.max(MIN_WIDTH),
            mode,
            start: 0,
            here: 0,
            solid: 0,
            width: 0,
            candidate: None,
            previous: ClusterKind::Start,
        }
    }

    fn feed(&mut self, cluster: Cluster<'_>, rows: &mut Vec<Range<usize>>) {
        if cluster.text == "\n" {
            self.end_row(rows);
            self.begin_row(cluster.end());
        } else if cluster.width > self.limit {
            self.feed_in_parts(cluster, rows);
        } else if self.mode == WrapMode::Words && is_blank(cluster.text) {
            self.feed_blank(cluster, rows);
        } else {
            self.feed_solid(cluster, rows);
        }
        self.here = cluster.end();
    }

    /// A cluster wider than a row is split into characters.
    fn feed_in_parts(&mut self, cluster: Cluster<'_>, rows: &mut Vec<Range<usize>>) {
        for (at, c) in cluster.text.char_indices() {
            let text = cluster.text.get(at..at + c.len_utf8()).unwrap_or_default();
            let width = super::width::cluster_width(text).min(self.limit);
            let part = Cluster { start: cluster.start + at, text, width };
            self.feed_solid(part, rows);
            self.here = part.end();
        }
    }

    /// Blanks after a word may exceed the width; leading blanks are indentation and count.
    fn feed_blank(&mut self, cluster: Cluster<'_>, rows: &mut Vec<Range<usize>>) {
        let leading = self.solid == self.start;
        if leading && self.width + cluster.width > self.limit {
            rows.push(self.start..cluster.start);
            self.begin_row(cluster.start);
        }
        self.width += cluster.width;
        self.previous = ClusterKind::Blank;
    }

    fn feed_solid(&mut self, cluster: Cluster<'_>, rows: &mut Vec<Range<usize>>) {
        let kind = ClusterKind::of(cluster, self.previous);
        if self.solid > self.start && self.mode == WrapMode::Words && self.previous.lets_break(kind)
        {
            self.candidate =
                Some(Break { end: self.solid, resume: cluster.start, width: self.width });
        }
        if self.width + cluster.width > self.limit {
            self.break_before(cluster, rows);
        }
        self.width += cluster.width;
        self.solid = cluster.end();
        self.previous = kind;
    }

    fn break_before(&mut self, cluster: Cluster<'_>, rows: &mut Vec<Range<usize>>) {
        if let Some(chance) = self.candidate.take() {
            rows.push(self.start..chance.end);
            self.start = chance.resume;
            self.width -= chance.width;
        }
        if self.width + cluster.width > self.limit && cluster.start > self.start {
            rows.push(self.start..cluster.start);
            self.begin_row(cluster.start);
        }
    }

    fn begin_row(&mut self, at: usize) {
        self.start = at;
        self.here = at;
        self.solid = at;
        self.width = 0;
        self.candidate = None;
        self.previous = ClusterKind::Start;
    }

    fn end_row(&mut self, rows: &mut Vec<Range<usize>>) {
        let end = if self.width > self.limit { self.solid } else { self.here };
        rows.push(self.start..end);
    }

    fn finish(mut self, rows: &mut Vec<Range<usize>>) {
        self.end_row(rows);
    }
}

/// Characters no row starts with: closing marks, small kana, sound and repetition marks.
const NEVER_FIRST: &str = "、。，．・：；？！）」』】〕〉》〗］｝’”…ー々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ\
                           ,.:;?!)]}%»";

/// Characters no row ends with: opening marks, and the start of an option or a path.
const NEVER_LAST: &str = "（「『【〔〈《〖［｛‘“([{«-/";

/// The class of a cluster for line breaking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClusterKind {
    /// Start of a row.
    Start,
    Blank,
    /// Letters, digits and symbols that are not separated.
    Word,
    /// A hyphen, dash or slash inside a word: the word may continue in the next row.
    Joint,
    /// A wide character, breakable on both sides.
    Wide,
    /// Never first in a row.
    Closing,
    /// Never last in a row.
    Opening,
}

impl ClusterKind {
    fn of(cluster: Cluster<'_>, previous: Self) -> Self {
        let first = cluster.text.chars().next().unwrap_or(' ');
        match first {
            _ if first.is_ascii_alphanumeric() => Self::Word,
            '-' | '/' | '–' | '—' if previous == Self::Word => Self::Joint,
            _ if NEVER_FIRST.contains(first) => Self::Closing,
            _ if NEVER_LAST.contains(first) => Self::Opening,
            _ if cluster.width > 1 => Self::Wide,
            _ => Self::Word,
        }
    }

    /// May a row end between `self` and `next`?
    fn lets_break(self, next: Self) -> bool {
        match (self, next) {
            (Self::Blank, _) => true,
            (Self::Start | Self::Opening, _) | (_, Self::Closing | Self::Joint) => false,
            (Self::Wide, _) | (_, Self::Wide) | (Self::Joint, Self::Word | Self::Opening) => true,
            (Self::Word | Self::Joint | Self::Closing, _) => false,
        }
    }
}

/// Blanks at which a row may break; the no-break ones are part of a word.
fn is_blank(cluster: &str) -> bool {
    let mut chars = cluster.chars();
    let blank = |c: char| c.is_whitespace() && !matches!(c, '\u{A0}' | '\u{2007}' | '\u{202F}');
    chars.next().is_some_and(blank) && chars.next().is_none()
}

#[cfg(test)]
mod tests;
