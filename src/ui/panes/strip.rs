//! One row of the screen, built from sanitized text only. Everything that is drawn goes through it.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::domain::text::search_pattern::SearchPattern;
use crate::text::SafeText;
use crate::text::drawn::set_line;
use crate::text::width::{cut, width};

/// What stands beside a title leaves it this many cells, if it needs them.
const TITLE_CELLS: usize = 24;

/// A row of styled text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Strip {
    line: Line<'static>,
    width: usize,
    joint: Option<Joint>,
    /// Characters at its start that are no part of its text.
    margin: usize,
}

/// How a row continues the line of the row above it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Joint {
    /// Blanks before its text.
    pub indent: usize,
    /// Blanks dropped by the break.
    pub blanks: usize,
}

impl Joint {
    /// Returns the joint of each row of a broken text, in order: `None` where a line begins.
    pub fn of_rows(
        text: &str,
        rows: &[Range<usize>],
        indent: usize,
    ) -> impl Iterator<Item = Option<Self>> {
        let ends = std::iter::once(None).chain(rows.iter().map(|row| Some(row.end)));
        rows.iter().zip(ends).map(move |(row, end)| {
            let taken = text.get(end?..row.start).filter(|taken| !taken.contains('\n'))?;
            Some(Self { indent, blanks: taken.chars().count() })
        })
    }
}

impl Strip {
    pub fn new() -> Self {
        Self::default()
    }

    /// The row goes on with the line of the row above it.
    #[must_use]
    pub fn going_on(self, joint: Option<Joint>) -> Self {
        Self { joint, ..self }
    }

    pub fn joint(&self) -> Option<Joint> {
        self.joint
    }

    /// The first characters are no part of the text: they say which line it is.
    #[must_use]
    pub fn after_margin(self, margin: usize) -> Self {
        Self { margin, ..self }
    }

    /// Returns the number of letters and digits of its text. Margins, marks, rules and blanks depend on the width.
    pub fn letters(&self) -> usize {
        let chars = self.line.spans.iter().flat_map(|span| span.content.chars());
        chars.skip(self.margin).filter(|c| c.is_alphanumeric()).count()
    }

    /// Appends text. It is sanitized here, so it may be untrusted.
    #[must_use]
    pub fn put(mut self, text: &str, style: Style) -> Self {
        self.push(text, style);
        self
    }

    pub fn push(&mut self, text: &str, style: Style) {
        let clean = SafeText::line(text);
        self.width += width(clean.as_str());
        self.line.spans.push(Span::styled(clean.into_string(), style));
    }

    /// Appends blanks up to a column.
    #[must_use]
    pub fn pad_to(mut self, column: usize) -> Self {
        let missing = column.saturating_sub(self.width);
        if missing > 0 {
            self.push(&" ".repeat(missing), Style::default());
        }
        self
    }

    /// Appends blanks.
    #[must_use]
    pub fn pad_to_gap(self, cells: usize) -> Self {
        let column = self.width + cells;
        self.pad_to(column)
    }

    /// Replaces the first blank of the indentation with a symbol.
    #[must_use]
    pub fn led_by(mut self, symbol: &str, style: Style) -> Self {
        let Some(indent) = self.line.spans.first_mut().filter(|span| span.content.starts_with(' '))
        else {
            return Self::new().put(symbol, style).put(" ", style).join(self);
        };
        let blanks = indent.content.len() - 1;
        *indent = Span::raw(" ".repeat(blanks));
        self.line.spans.insert(0, Span::styled(SafeText::line(symbol).into_string(), style));
        self
    }

    /// Inserts a blank after the first span.
    #[must_use]
    pub fn spaced(mut self) -> Self {
        if !self.line.spans.is_empty() {
            self.line.spans.insert(1, Span::raw(" "));
            self.width += 1;
        }
        self
    }

    /// Appends another row.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.width += other.width;
        self.line.spans.extend(other.line.spans);
        self
    }

    /// Repeats a symbol of one cell up to a column.
    #[must_use]
    pub fn fill_to(mut self, column: usize, symbol: &str, style: Style) -> Self {
        let missing = column.saturating_sub(self.width);
        if missing > 0 {
            self.push(&symbol.repeat(missing), style);
        }
        self
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn is_empty(&self) -> bool {
        self.width == 0
    }

    /// The row as the library has it.
    pub fn into_line(self) -> Line<'static> {
        self.line
    }

    /// The text without its styles.
    pub fn plain(&self) -> String {
        self.line.spans.iter().map(|span| span.content.as_ref()).collect()
    }

    /// Applies another style on top of the row's.
    #[must_use]
    pub fn over(mut self, style: Style) -> Self {
        self.line = self.line.patch_style(style);
        self
    }

    /// Patches the style of every match; without one, of nothing.
    #[must_use]
    pub fn marked(self, pattern: &SearchPattern, style: Style) -> Self {
        self.marked_each(pattern, |_| style)
    }

    /// Marks the matches; the style depends on the number of the match in the row.
    #[must_use]
    pub fn marked_each(self, pattern: &SearchPattern, style_of: impl Fn(usize) -> Style) -> Self {
        let ranges: Vec<Range<usize>> = pattern.ranges(&self.plain()).collect();
        self.marked_ranges(&ranges, style_of)
    }

    /// Patches the style of parts of the text, by their numbers.
    #[must_use]
    pub fn marked_ranges(
        mut self,
        ranges: &[Range<usize>],
        style_of: impl Fn(usize) -> Style,
    ) -> Self {
        if ranges.is_empty() {
            return self;
        }
        let mut start = 0;
        let mut spans = Vec::new();
        for span in self.line.spans {
            let end = start + span.content.len();
            let edges = ranges.iter().flat_map(|range| [range.start, range.end]);
            let inside = edges.filter(|edge| start < *edge && *edge < end);
            let cuts: Vec<usize> = std::iter::once(start).chain(inside).chain([end]).collect();
            for (from, until) in cuts.iter().zip(cuts.iter().skip(1)) {
                let text = span.content.get(from - start..until - start).unwrap_or_default();
                let at = ranges.iter().position(|range| range.contains(from));
                let patched = at.map_or(span.style, |at| span.style.patch(style_of(at)));
                spans.push(Span::styled(text.to_owned(), patched));
            }
            start = end;
        }
        self.line.spans = spans;
        self
    }

    /// Truncates the row to `cells`, with `mark` at the end; an empty `style` stands for that of the cut text.
    #[must_use]
    pub fn shortened(self, cells: usize, mark: &str, style: Style) -> Self {
        if self.width <= cells {
            return self;
        }
        let mut available = cells.saturating_sub(width(mark));
        let mut short = Self::new();
        let mut of_cut = style;
        for span in &self.line.spans {
            let part = cut(&span.content, available);
            available -= width(part).min(available);
            short.push(part, span.style);
            of_cut = span.style;
            if part.len() < span.content.len() {
                break;
            }
        }
        short.put(mark, if style == Style::default() { of_cut } else { style })
    }

    /// Draws into the row `y` of `area`, from its left edge.
    pub fn draw(&self, buffer: &mut Buffer, area: Rect, y: u16) {
        if y < area.bottom() && y >= area.y {
            set_line(buffer, (area.x, y), &self.line, area.width);
        }
    }

    /// Draws the row, truncated to this many cells.
    fn draw_shortened(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        y: u16,
        (cells, mark): (usize, &str),
    ) {
        if self.width <= cells {
            self.draw(buffer, area, y);
        } else {
            self.clone().shortened(cells, mark, Style::default()).draw(buffer, area, y);
        }
    }

    /// Draws at the right edge of `area`.
    pub fn draw_right(&self, buffer: &mut Buffer, area: Rect, y: u16) {
        let cells = u16::try_from(self.width).unwrap_or(u16::MAX).min(area.width);
        let right = Rect { x: area.right() - cells, width: cells, ..area };
        self.draw(buffer, right, y);
    }
}

/// Returns the first of these right sides, the fullest first, beside which a title keeps enough cells; if there is
/// none, the last one. `before` is the width of what stands before the title.
pub fn beside_title(
    (before, title): (usize, &str),
    cells: usize,
    sides: impl IntoIterator<Item = Strip>,
) -> Strip {
    let needed = before + width(title).min(TITLE_CELLS);
    let mut chosen = Strip::new();
    for side in sides {
        chosen = side;
        let taken = if chosen.is_empty() { 0 } else { chosen.width() + 2 };
        if needed + taken <= cells {
            break;
        }
    }
    chosen
}

/// Draws a row with a text at its right edge: the left side is truncated first.
pub fn draw_between(
    buffer: &mut Buffer,
    area: Rect,
    y: u16,
    (left, right): (&Strip, &Strip),
    mark: &str,
) {
    let cells = usize::from(area.width);
    let available = cells.saturating_sub(right.width() + 2);
    let fits = left.width() <= available || (right.width() * 2 <= cells && !right.is_empty());
    if right.is_empty() || !fits {
        left.draw_shortened(buffer, area, y, (cells, mark));
        return;
    }
    left.draw_shortened(buffer, area, y, (available, mark));
    right.draw_right(buffer, area, y);
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn drawn(left: &str, right: &str, cells: u16) -> String {
        let area = Rect::new(0, 0, cells, 1);
        let mut buffer = Buffer::empty(area);
        let plain = Style::default();
        let (left, right) = (Strip::new().put(left, plain), Strip::new().put(right, plain));
        draw_between(&mut buffer, area, 0, (&left, &right), "…");
        buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect()
    }

    #[test]
    fn the_left_side_is_truncated_and_the_right_side_is_dropped_only_if_it_takes_half() {
        for (left, right, cells, expected) in [
            ("left", "right", 12, "left   right"),
            ("a long left", "end", 10, "a lo…  end"),
            ("a long left", "a long end", 12, "a long left "),
            ("left", "", 6, "left  "),
        ] {
            assert_eq!(drawn(left, right, cells), expected);
        }
    }

    #[test]
    fn what_stands_beside_a_title_leaves_it_the_cells_it_needs() {
        let side = |text: &str| Strip::new().put(text, Style::default());
        let sides = || [side("@researcher 2m"), side("@rese… 2m"), side("2m"), side("")];
        let long = "a title of more than twenty-four cells";
        for (title, cells, expected) in [
            ("short", 26, "@researcher 2m"),
            ("short", 23, "@rese… 2m"),
            (long, 45, "@researcher 2m"),
            (long, 33, "2m"),
            (long, 31, ""),
            (long, 20, ""),
        ] {
            let chosen = beside_title((4, title), cells, sides());
            assert_eq!(chosen.plain(), expected, "{title} {cells}");
        }
    }

    #[test]
    fn matches_are_marked_across_spans_and_the_text_stays() {
        let (plain, strong) = (Style::default(), Style::default().bold());
        let strip = Strip::new().put("a lo", plain).put("gin and", strong).put(" Login", plain);
        let marked =
            strip.clone().marked(&SearchPattern::new("login"), Style::default().reversed());
        assert_eq!((marked.plain(), marked.width()), (strip.plain(), strip.width()));
        let texts = marked.line.spans.iter().map(|span| span.content.as_ref());
        assert_eq!(texts.collect::<Vec<_>>(), ["a ", "lo", "gin", " and", " ", "Login"]);
        assert_eq!(strip.clone().marked(&SearchPattern::new("x"), strong), strip);
        let of_second = |at| if at == 1 { strong } else { plain };
        let marked = strip.marked_each(&SearchPattern::new("login"), of_second);
        let last = marked.line.spans.last().map(|span| (span.content.as_ref(), span.style));
        assert_eq!(last, Some(("Login", strong)));
    }

    proptest! {
        #[test]
        fn a_row_is_drawn_as_the_library_draws_it(
            texts in vec("[a-z ]{0,6}|[a😀e\u{301}宽é]{0,4}", 0..5),
            cells in 0..14_u16,
            x in 0..4_u16,
        ) {
            let styles = [Style::default(), Style::default().bold().red()];
            let spans = texts.iter().zip(styles.iter().cycle());
            let strip = spans.fold(Strip::new(), |strip, (text, style)| strip.put(text, *style));
            let area = Rect::new(0, 0, 12, 2);
            let mut of_library = Buffer::empty(area);
            of_library.set_line(x, 1, &strip.line, cells);
            let mut ours = Buffer::empty(area);
            strip.draw(&mut ours, Rect::new(x, 0, cells, 2), 1);
            prop_assert_eq!(ours, of_library);
        }
    }

    #[test]
    fn text_of_a_row_is_always_sanitized() {
        let strip = Strip::new().put("a\u{1b}[31mb\u{202e}", Style::default());
        assert_eq!(strip.plain(), "a␛[31mb<202E>");
    }
}
