//! One row of the screen, built from sanitized text only. Everything that is drawn goes through it. Code in it gets its
//! colours when it is drawn.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::domain::text::search_pattern::SearchPattern;
use crate::text::drawn::set_line;
use crate::text::width::{cut, width};
use crate::text::{CodePart, SafeText};
use crate::theme::{Role, Theme};

/// What stands beside a title leaves it this many cells, if it needs them.
const TITLE_CELLS: usize = 24;

/// A row of styled text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Strip {
    pieces: Vec<Piece>,
    /// The style below those of the pieces.
    style: Style,
    width: usize,
    joint: Option<Joint>,
    /// Characters at its start that are no part of its text.
    margin: usize,
}

/// Text in one style; in code it is the style of what has no colour.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    text: PieceText,
    style: Style,
}

#[derive(Debug, Clone, PartialEq)]
enum PieceText {
    Own(String),
    Code(Box<CodePiece>),
}

/// A part of code, and what its runs look like.
#[derive(Debug, Clone, PartialEq)]
struct CodePiece {
    part: CodePart,
    ink: CodeInk,
    /// The style on top of those of its runs.
    top: Style,
}

/// What the runs of code look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeInk {
    theme: Theme,
    /// In a difference, a run that looks like plain code keeps the style of its row.
    in_difference: bool,
}

impl CodeInk {
    pub fn of_text(theme: &Theme) -> Self {
        Self { theme: theme.clone(), in_difference: false }
    }

    pub fn of_difference(theme: &Theme) -> Self {
        Self { theme: theme.clone(), in_difference: true }
    }

    /// The style of a run; `None` if it is that of the piece.
    fn style(&self, role: Role) -> Option<Style> {
        let style = self.theme.style(role);
        let looks_plain = self.in_difference && style == self.theme.style(Role::Code);
        (role != Role::Code && !looks_plain).then_some(style)
    }
}

impl CodePiece {
    /// Its known runs.
    fn spans(&self, style: Style) -> impl Iterator<Item = Span<'_>> {
        let (text, mut start) = (self.part.as_str(), 0);
        self.part.runs().into_iter().map(move |run| {
            let part = text.get(start..run.end).unwrap_or_default();
            start = run.end;
            Span::styled(part, self.ink.style(run.role).unwrap_or(style).patch(self.top))
        })
    }
}

impl Piece {
    fn own(text: impl Into<String>, style: Style) -> Self {
        Self { text: PieceText::Own(text.into()), style }
    }

    fn text(&self) -> &str {
        match &self.text {
            PieceText::Own(text) => text,
            PieceText::Code(code) => code.part.as_str(),
        }
    }

    /// A part of it, with another style on top.
    fn part(&self, range: Range<usize>, top: Style) -> Self {
        match &self.text {
            PieceText::Own(text) => {
                Self::own(text.get(range).unwrap_or_default(), self.style.patch(top))
            }
            PieceText::Code(code) => {
                let (part, ink) = (code.part.part(range), code.ink.clone());
                let code = CodePiece { part, ink, top: code.top.patch(top) };
                Self { text: PieceText::Code(Box::new(code)), style: self.style }
            }
        }
    }
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
        let chars = self.pieces.iter().flat_map(|piece| piece.text().chars());
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
        self.pieces.push(Piece::own(clean.into_string(), style));
    }

    /// Appends a part of one line of code.
    #[must_use]
    pub fn put_code(mut self, part: CodePart, style: Style, ink: CodeInk) -> Self {
        self.width += width(part.as_str());
        let text = PieceText::Code(Box::new(CodePiece { part, ink, top: Style::default() }));
        self.pieces.push(Piece { text, style });
        self
    }

    /// Asks for the colours of its code; true if some of them are known later.
    pub fn awaits_colours(&self) -> bool {
        let is_awaited = |piece: &&Piece| match &piece.text {
            PieceText::Own(_) => false,
            PieceText::Code(code) => code.part.awaits_runs(),
        };
        // Each of them asks.
        self.pieces.iter().filter(is_awaited).count() > 0
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
        let Some(indent) = self.pieces.first_mut().filter(|piece| piece.text().starts_with(' '))
        else {
            return Self::new().put(symbol, style).put(" ", style).join(self);
        };
        let blanks = indent.text().len() - 1;
        *indent = Piece::own(" ".repeat(blanks), Style::default());
        self.pieces.insert(0, Piece::own(SafeText::line(symbol).into_string(), style));
        self
    }

    /// Inserts a blank after the first span.
    #[must_use]
    pub fn spaced(mut self) -> Self {
        if !self.pieces.is_empty() {
            self.pieces.insert(1, Piece::own(" ", Style::default()));
            self.width += 1;
        }
        self
    }

    /// Appends another row.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.width += other.width;
        self.pieces.extend(other.pieces);
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

    /// The row as the library has it, in the colours that are known.
    pub fn into_line(self) -> Line<'static> {
        let spans = self.line().spans.into_iter();
        let spans = spans.map(|span| Span::styled(span.content.into_owned(), span.style));
        spans.collect::<Line<'_>>().style(self.style)
    }

    /// The row as it is drawn, in the colours that are known.
    fn line(&self) -> Line<'_> {
        let mut spans = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            match &piece.text {
                PieceText::Own(text) => spans.push(Span::styled(text.as_str(), piece.style)),
                PieceText::Code(code) => spans.extend(code.spans(piece.style)),
            }
        }
        Line::from(spans).style(self.style)
    }

    /// Divides its code by the runs that are known.
    fn coloured(mut self) -> Self {
        let is_code = |piece: &Piece| matches!(piece.text, PieceText::Code(_));
        if self.pieces.iter().any(is_code) {
            let spans = self.line().spans.into_iter();
            self.pieces = spans.map(|span| Piece::own(span.content, span.style)).collect();
        }
        self
    }

    /// The text without its styles.
    pub fn plain(&self) -> String {
        self.pieces.iter().map(Piece::text).collect()
    }

    /// Applies another style on top of the row's.
    #[must_use]
    pub fn over(mut self, style: Style) -> Self {
        self.style = self.style.patch(style);
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
        let mut pieces = Vec::new();
        for piece in self.pieces {
            let end = start + piece.text().len();
            let edges = ranges.iter().flat_map(|range| [range.start, range.end]);
            let inside = edges.filter(|edge| start < *edge && *edge < end);
            let cuts: Vec<usize> = std::iter::once(start).chain(inside).chain([end]).collect();
            for (from, until) in cuts.iter().zip(cuts.iter().skip(1)) {
                let at = ranges.iter().position(|range| range.contains(from));
                let mark = at.map_or_else(Style::default, &style_of);
                pieces.push(piece.part(from - start..until - start, mark));
            }
            start = end;
        }
        self.pieces = pieces;
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
        for piece in &self.pieces {
            let part = cut(piece.text(), available);
            available -= width(part).min(available);
            short.width += width(part);
            short.pieces.push(piece.part(0..part.len(), Style::default()));
            of_cut = piece.style;
            if part.len() < piece.text().len() {
                break;
            }
        }
        short.put(mark, if style == Style::default() { of_cut } else { style })
    }

    /// Draws into the row `y` of `area`, from its left edge.
    pub fn draw(&self, buffer: &mut Buffer, area: Rect, y: u16) {
        if y < area.bottom() && y >= area.y {
            set_line(buffer, (area.x, y), &self.line(), area.width);
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
            // The mark has the colour of what is cut.
            let row = self.clone().coloured().shortened(cells, mark, Style::default());
            row.draw(buffer, area, y);
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
    use ratatui::style::{Color, Modifier};
    use serde_json::json;

    use super::*;
    use crate::highlight::{CodeColours, Language};
    use crate::theme::ColorDepth;

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
        let texts = marked.pieces.iter().map(Piece::text);
        assert_eq!(texts.collect::<Vec<_>>(), ["a ", "lo", "gin", " and", " ", "Login"]);
        assert_eq!(strip.clone().marked(&SearchPattern::new("x"), strong), strip);
        let of_second = |at| if at == 1 { strong } else { plain };
        let marked = strip.marked_each(&SearchPattern::new("login"), of_second);
        let last = marked.pieces.last().map(|piece| (piece.text(), piece.style));
        assert_eq!(last, Some(("Login", strong)));
    }

    #[test]
    fn code_asks_for_its_colours_when_it_is_drawn_and_matches_are_marked_over_them() {
        let colours = CodeColours::at_once();
        colours.begin_frame();
        let theme = Theme::from_value(&json!({ "code.keyword": "blue" }), ColorDepth::True);
        let ink = CodeInk::of_text(&theme.unwrap());
        let text = SafeText::clean("fn a() {}");
        let code = CodePart::whole(text, Language::named("rust"), &colours);
        let plain = Style::default();
        let strip = Strip::new().put("| ", plain).put_code(code, plain, ink);
        let short = strip.clone().shortened(8, "…", plain);
        assert_eq!((short.plain().as_str(), strip.letters(), strip.width()), ("| fn a(…", 3, 11));
        assert_eq!(colours.asked(), 0);
        let marked = strip.marked(&SearchPattern::new("n a"), Style::default().reversed());
        assert_eq!((marked.plain().as_str(), colours.asked()), ("| fn a() {}", 0));
        let line = marked.line();
        let keyword = line.spans.iter().filter(|span| span.style.fg == Some(Color::Blue));
        let is_marked = |span: &Span<'_>| span.style.add_modifier.contains(Modifier::REVERSED);
        let looks = keyword.map(|span| (span.content.as_ref(), is_marked(span)));
        assert_eq!(looks.collect::<Vec<_>>(), [("f", false), ("n ", true)]);
        assert_eq!(colours.asked(), 1);
        let area = Rect::new(0, 0, 11, 1);
        let mut buffer = Buffer::empty(area);
        short.draw(&mut buffer, area, 0);
        assert_eq!(buffer.cell((2, 0)).map(|cell| cell.fg), Some(Color::Blue));
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
            of_library.set_line(x, 1, &strip.line(), cells);
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
