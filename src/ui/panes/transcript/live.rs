//! The text being streamed: wrapped incrementally, so that a chunk costs only its own length.
//!
//! It is bounded: of a very long text only the end is kept; the complete text arrives as a record.

use crate::domain::title::without_marks;
use crate::protocol::event::Segment;
use crate::ui::text::width::{cut, width};
use crate::ui::text::{SafeText, StreamCleaner, TailWrap};

/// Bytes kept of one segment.
const MAX_SEGMENT_BYTES: usize = 512 * 1024;

/// Bytes at the end of which the last words are.
const MAX_TAIL_BYTES: usize = 1024;

/// A segment of text that grows.
#[derive(Debug)]
pub struct LiveSegment {
    pub segment: Segment,
    cleaner: StreamCleaner,
    wrap: TailWrap,
    width: usize,
    words: usize,
    in_word: bool,
    /// Rows dropped at the front since the last call of [`Live::take_dropped`].
    dropped: usize,
}

/// The segments of a running generation that are not on disk yet, oldest first.
#[derive(Debug, Default)]
pub struct Live {
    segments: Vec<LiveSegment>,
}

impl Live {
    pub fn push(&mut self, segment: Segment, text: &str, width: usize) {
        if self.segments.last().is_none_or(|last| last.segment != segment) {
            self.segments.push(LiveSegment::new(segment, width));
        }
        if let Some(last) = self.segments.last_mut() {
            last.push(text);
        }
    }

    /// Removes a segment, and those before it, when its record arrives.
    pub fn remove_recorded(&mut self, segment: Segment) {
        if let Some(at) = self.segments.iter().position(|s| s.segment == segment) {
            self.segments.drain(..=at);
        }
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

    pub fn resize(&mut self, width: usize) {
        for segment in &mut self.segments {
            segment.wrap.resize(width);
            segment.width = width;
        }
    }

    /// Rows dropped at the front of segment `at` since the last call.
    pub fn take_dropped(&mut self, at: usize) -> usize {
        self.segments.get_mut(at).map_or(0, |s| std::mem::take(&mut s.dropped))
    }
}

impl LiveSegment {
    fn new(segment: Segment, width: usize) -> Self {
        Self {
            segment,
            cleaner: StreamCleaner::default(),
            wrap: TailWrap::new(width),
            width,
            words: 0,
            in_word: false,
            dropped: 0,
        }
    }

    fn push(&mut self, text: &str) {
        self.count(text);
        let clean = self.cleaner.clean(text);
        self.wrap.push(&clean);
        if self.wrap.text().as_str().len() > MAX_SEGMENT_BYTES {
            self.drop_front();
        }
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

    /// Drops the first half of the rows.
    fn drop_front(&mut self) {
        let before = self.wrap.rows().len();
        let middle = self.wrap.rows().get(before / 2).map_or(0, |row| row.start);
        let text = self.wrap.text();
        let kept = text.part(middle..text.as_str().len());
        self.wrap = TailWrap::new(self.width);
        self.wrap.push(&kept);
        self.dropped += before.saturating_sub(self.wrap.rows().len());
    }

    pub fn height(&self) -> usize {
        self.wrap.rows().len()
    }

    /// One row, cleaned.
    pub fn row(&self, at: usize) -> SafeText {
        self.wrap.row(at)
    }

    /// The text so far; of a very long one the end.
    pub fn text(&self) -> &str {
        self.wrap.text().as_str()
    }

    pub fn words(&self) -> usize {
        self.words
    }

    /// The end of the text, on one line of at most `cells`, without the marks of Markdown.
    pub fn last_words(&self, cells: usize) -> SafeText {
        let text = self.wrap.text().as_str();
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_record_replaces_its_segment() {
        let mut live = Live::default();
        live.push(Segment::Thinking, "hm, ", 20);
        live.push(Segment::Thinking, "well", 20);
        live.push(Segment::Saying, "yes", 20);
        assert_eq!(live.segments().len(), 2);
        assert_eq!(live.segments()[0].words(), 2);
        live.remove_recorded(Segment::Thinking);
        assert_eq!(live.segments().len(), 1);
        assert_eq!(live.segments()[0].row(0).as_str(), "yes");
        live.remove_recorded(Segment::Saying);
        assert!(live.is_empty());
    }

    #[test]
    fn of_an_endless_text_the_end_is_kept() {
        let mut live = Live::default();
        for n in 0..100_000 {
            live.push(Segment::Saying, &format!("line {n}\n"), 20);
        }
        let segment = &live.segments()[0];
        assert!(segment.wrap.text().as_str().len() <= MAX_SEGMENT_BYTES);
        assert_eq!(segment.last_words(40).as_str(), "line 99998 line 99999");
        assert!(live.take_dropped(0) > 0);
        assert_eq!(live.take_dropped(0), 0);
    }

    #[test]
    fn commands_to_the_terminal_are_made_visible_even_when_cut() {
        let mut live = Live::default();
        live.push(Segment::Saying, "a\u{1b}", 20);
        live.push(Segment::Saying, "[2Jb", 20);
        assert_eq!(live.segments()[0].row(0).as_str(), "a␛[2Jb");
    }

    proptest! {
        #[test]
        fn in_any_chunking_rows_of_a_line_that_has_ended_never_change(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "word ", "你好", "\n", "\n\n", "- ", "> ", "# ", "```\n", "    code", "**", "a long word_of_one ",
                "👍", "e\u{301}", "\t",
            ]), 1..40),
            chunk in 1_usize..9,
            width in 8_usize..40,
        ) {
            let text = pieces.concat();
            let mut live = Live::default();
            let mut closed: Vec<String> = Vec::new();
            let letters: Vec<char> = text.chars().collect();
            for part in letters.chunks(chunk) {
                live.push(Segment::Saying, &part.iter().collect::<String>(), width);
                let segment = &live.segments()[0];
                let rows: Vec<String> =
                    (0..segment.height()).map(|row| segment.row(row).as_str().to_owned()).collect();
                prop_assert!(rows.starts_with(&closed), "{closed:?} became {rows:?}");
                let ended = segment.text().rfind('\n').map_or("", |at| &segment.text()[..at]);
                let count = crate::ui::text::wrap(ended, width).len();
                closed = if ended.is_empty() { closed } else { rows[..count].to_vec() };
            }
        }
    }
}
