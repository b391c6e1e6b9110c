//! The text being streamed, as Markdown that grows: a chunk costs its own length and the block it belongs to.
//!
//! It is bounded: only the end of a very long text is kept; the complete text arrives as a record.

use crate::domain::reading::title::without_marks;
use crate::protocol::event::Segment;
use crate::text::markdown::RenderMeans;
use crate::text::markdown::growing::GrowingMarkdown;
use crate::text::width::{cut, width};
use crate::text::{SafeText, StreamCleaner, StyledLine};

/// Bytes at the end of which the last words are.
const MAX_TAIL_BYTES: usize = 1024;

/// A segment of text that grows.
#[derive(Debug)]
pub struct LiveSegment {
    pub segment: Segment,
    cleaner: StreamCleaner,
    markdown: GrowingMarkdown,
    words: usize,
    in_word: bool,
    /// Thinking that is shown or folded while all other is not.
    is_other: bool,
}

/// The segments of a running generation that are not on disk yet, oldest first.
#[derive(Debug, Default)]
pub struct Live {
    segments: Vec<LiveSegment>,
}

impl Live {
    /// Adds streamed text; its rows follow with [`Self::lay_out`].
    pub fn push(&mut self, segment: Segment, text: &str) {
        if self.segments.last().is_none_or(|last| last.segment != segment) {
            self.segments.push(LiveSegment::new(segment));
        }
        if let Some(last) = self.segments.last_mut() {
            last.push(text);
        }
    }

    /// Removes a segment, and those before it, when its record arrives. True if it was thinking that was shown or
    /// folded while all other is not.
    pub fn remove_recorded(&mut self, segment: Segment) -> bool {
        let Some(at) = self.segments.iter().position(|s| s.segment == segment) else {
            return false;
        };
        self.segments.drain(..=at).next_back().is_some_and(|recorded| recorded.is_other)
    }

    /// Shows or folds the thinking at `at`; false if there is no thinking.
    pub fn toggle(&mut self, at: usize) -> bool {
        let found = self.segments.get_mut(at).filter(|one| one.segment == Segment::Thinking);
        found.map(|one| one.is_other = !one.is_other).is_some()
    }

    /// Resets all thinking to the common setting: shown or folded.
    pub fn toggle_none(&mut self) {
        self.segments.iter_mut().for_each(|one| one.is_other = false);
    }

    pub fn clear(&mut self) {
        self.segments.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub fn segments(&self) -> &[LiveSegment] {
        &self.segments
    }

    /// Brings the rows of the segments that are shown up to date.
    pub fn lay_out(
        &mut self,
        width: usize,
        means: RenderMeans<'_>,
        is_shown: impl Fn(&LiveSegment) -> bool,
    ) {
        for one in self.segments.iter_mut().filter(|one| is_shown(one)) {
            one.markdown.lay_out(width, means);
        }
    }

    /// Rows dropped at the front of segment `at` since the last call.
    pub fn take_dropped(&mut self, at: usize) -> usize {
        self.segments.get_mut(at).map_or(0, |s| s.markdown.take_dropped())
    }
}

impl LiveSegment {
    fn new(segment: Segment) -> Self {
        Self {
            segment,
            cleaner: StreamCleaner::default(),
            markdown: GrowingMarkdown::default(),
            words: 0,
            in_word: false,
            is_other: false,
        }
    }

    /// True if its text is shown; `with_thinking`: all thinking is.
    pub fn is_shown(&self, with_thinking: bool) -> bool {
        match self.segment {
            Segment::Saying => true,
            Segment::Thinking => with_thinking != self.is_other,
        }
    }

    fn push(&mut self, text: &str) {
        self.count(text);
        let clean = self.cleaner.clean(text);
        self.markdown.push(&clean);
    }

    fn count(&mut self, text: &str) {
        for c in text.chars() {
            let in_word = !c.is_whitespace();
            if in_word && !self.in_word {
                self.words += 1;
            }
            self.in_word = in_word;
        }
    }

    /// Rows as laid out last; at least one.
    pub fn height(&self) -> usize {
        self.markdown.rows().len().max(1)
    }

    /// One row.
    pub fn row(&self, at: usize) -> Option<&StyledLine> {
        self.markdown.rows().get(at)
    }

    /// The text so far; of a very long one the end.
    pub fn text(&self) -> &str {
        self.markdown.text()
    }

    pub fn words(&self) -> usize {
        self.words
    }

    /// The end of the text, on one line of at most `cells`, without the marks of Markdown.
    pub fn last_words(&self, cells: usize) -> SafeText {
        let text = self.text();
        let from = text.len().saturating_sub(MAX_TAIL_BYTES);
        let from = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        let tail = text.get(from..).unwrap_or_default();
        let lines = tail.lines().rev().map(str::trim).filter(|line| !line.is_empty());
        let mut last: Vec<String> = lines.take(2).map(without_marks).collect();
        last.reverse();
        let line = last.join(" ");
        let excess = width(&line).saturating_sub(cells);
        let start = cut(&line, excess + usize::from(excess > 0)).len();
        let tail = line.get(start..).unwrap_or_default();
        let first_whole = if excess > 0 { tail.find(' ').map_or(0, |at| at + 1) } else { 0 };
        SafeText::line(tail.get(first_whole..).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::highlight::CodeColours;
    use crate::links::Links;
    use crate::theme::Glyphs;

    fn lay_out(live: &mut Live) {
        let (colours, links) = (CodeColours::off(), Links::default());
        live.lay_out(
            20,
            RenderMeans { glyphs: &Glyphs::UTF8, colours: &colours, links: &links },
            |_| true,
        );
    }

    fn row(live: &Live, at: usize) -> String {
        live.segments()[0].row(at).map(StyledLine::text).unwrap_or_default()
    }

    #[test]
    fn a_record_replaces_its_segment() {
        let mut live = Live::default();
        live.push(Segment::Thinking, "hm, ");
        live.push(Segment::Thinking, "well");
        live.push(Segment::Saying, "yes");
        assert_eq!(live.segments().len(), 2);
        assert_eq!(live.segments()[0].words(), 2);
        live.remove_recorded(Segment::Thinking);
        assert_eq!(live.segments().len(), 1);
        lay_out(&mut live);
        assert_eq!(row(&live, 0), "yes");
        live.remove_recorded(Segment::Saying);
        assert!(live.is_empty());
    }

    #[test]
    fn commands_to_the_terminal_are_made_visible_even_when_cut() {
        let mut live = Live::default();
        live.push(Segment::Saying, "a\u{1b}");
        live.push(Segment::Saying, "[2Jb");
        lay_out(&mut live);
        assert_eq!(row(&live, 0), "a␛[2Jb");
    }

    #[test]
    fn of_an_endless_text_the_last_words_are_known() {
        let mut live = Live::default();
        for n in 0..100_000 {
            live.push(Segment::Saying, &format!("line {n}\n"));
        }
        assert_eq!(live.segments()[0].last_words(40).as_str(), "line 99998 line 99999");
    }
}
