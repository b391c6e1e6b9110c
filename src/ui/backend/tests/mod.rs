//! The bytes are replayed through a terminal emulator and must give the screen that was drawn;
//! and they must be few.

mod any_frames;
mod lines;
mod links;
mod wide_chars;

use ratatui::buffer::CellWidth as _;
use ratatui::style::{Color, Modifier, Style};

use super::*;
use crate::theme::ColorDepth;

const PLAIN: Capabilities = Capabilities { depth: ColorDepth::True, utf8: true };

/// The library, our backend, and the terminal behind it.
struct Bench {
    terminal: Terminal<ScreenBackend<Vec<u8>>>,
    emulator: vt100::Parser,
    drawn: Buffer,
    bounds: FrameBounds,
}

impl Bench {
    fn new(width: u16, height: u16) -> Self {
        Self::with(width, height, PLAIN)
    }

    fn with(width: u16, height: u16, capabilities: Capabilities) -> Self {
        let size = Size::new(width, height);
        let backend = ScreenBackend::new(Vec::new(), size, capabilities);
        let mut emulator = vt100::Parser::new(height, width, 0);
        emulator.process("left over from before\r\nby another program".as_bytes());
        let terminal = Terminal::new(backend).unwrap();
        Self {
            terminal,
            emulator,
            drawn: Buffer::empty(Rect::ZERO),
            bounds: FrameBounds::default(),
        }
    }

    /// Draws a frame; returns its bytes.
    fn frame(&mut self, draw: impl FnOnce(&mut Buffer)) -> String {
        self.frame_with_cursor(None, draw)
    }

    fn frame_with_cursor(
        &mut self,
        cursor: Option<Position>,
        draw: impl FnOnce(&mut Buffer),
    ) -> String {
        let drawn = &mut self.drawn;
        super::draw(&mut self.terminal, self.bounds, |frame| {
            draw(frame.buffer_mut());
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
            *drawn = frame.buffer_mut().clone();
        })
        .unwrap();
        let bytes = std::mem::take(self.terminal.backend_mut().writer_mut());
        self.emulator.process(&bytes);
        String::from_utf8(bytes).unwrap()
    }

    /// Compares the emulator's screen with the buffer the library drew.
    fn assert_same_screen(&self) {
        let area = self.drawn.area;
        for y in 0..area.height {
            let mut x = 0;
            while x < area.width {
                let cell = self.drawn.cell((x, y)).unwrap();
                let seen = self.emulator.screen().cell(y, x).unwrap();
                assert_same_cell(cell, seen, (x, y));
                x += cell.symbol().cell_width().max(1);
            }
        }
    }
}

fn assert_same_cell(cell: &Cell, seen: &vt100::Cell, at: (u16, u16)) {
    let symbol = cell.symbol();
    let blank = symbol == " ";
    let contents = if seen.has_contents() { seen.contents() } else { " " };
    if symbol.chars().count() == 1 {
        assert_eq!(contents, symbol, "{at:?}");
    } else {
        // The emulator takes clusters apart; the first part must be there.
        assert_eq!(contents.chars().next(), symbol.chars().next(), "{at:?}");
    }
    assert_eq!(colour(cell.bg), seen.bgcolor(), "{at:?}");
    assert_eq!(cell.modifier.contains(Modifier::REVERSED), seen.inverse(), "{at:?}");
    assert_eq!(cell.modifier.contains(Modifier::UNDERLINED), seen.underline(), "{at:?}");
    if !blank {
        assert_eq!(colour(cell.fg), seen.fgcolor(), "{at:?}");
        assert_eq!(cell.modifier.contains(Modifier::ITALIC), seen.italic(), "{at:?}");
        assert_same_intensity(cell.modifier, seen, at);
    }
}

/// The emulator knows one intensity at a time: of bold and dim together it keeps one.
fn assert_same_intensity(modifier: Modifier, seen: &vt100::Cell, at: (u16, u16)) {
    let wanted = (modifier.contains(Modifier::BOLD), modifier.contains(Modifier::DIM));
    let same = match wanted {
        (true, true) => seen.bold() || seen.dim(),
        (bold, dim) => (seen.bold(), seen.dim()) == (bold, dim),
    };
    assert!(same, "{at:?}: {modifier:?}");
}

fn colour(colour: Color) -> vt100::Color {
    if let Color::Rgb(r, g, b) = colour {
        return vt100::Color::Rgb(r, g, b);
    }
    let indexed = [(Color::Red, 1), (Color::LightBlue, 12), (Color::Indexed(200), 200)];
    let index = indexed.iter().find(|(known, _)| *known == colour);
    index.map_or(vt100::Color::Default, |(_, index)| vt100::Color::Idx(*index))
}

#[test]
fn an_unchanged_frame_writes_nothing_at_all() {
    let mut bench = Bench::new(20, 3);
    let draw = |buffer: &mut Buffer| buffer.set_string(0, 0, "你好 hello", Style::new());
    let first = bench.frame_with_cursor(Some(Position::new(3, 1)), draw);
    assert!(first.starts_with("\x1b[?2026h") && first.ends_with("\x1b[?2026l"));
    assert_eq!(bench.frame_with_cursor(Some(Position::new(3, 1)), draw), "");
    bench.assert_same_screen();
}

#[test]
fn a_typed_character_costs_the_frame_marks_and_itself() {
    let mut bench = Bench::new(20, 3);
    bench.frame_with_cursor(Some(Position::new(2, 2)), |b| b.set_string(0, 2, "› ", Style::new()));
    let bytes = bench
        .frame_with_cursor(Some(Position::new(3, 2)), |b| b.set_string(0, 2, "› h", Style::new()));
    assert_eq!(bytes, "\x1b[?2026hh\x1b[?2026l");
    assert_eq!(bench.emulator.screen().cursor_position(), (2, 3));
}

/// Returns what a frame writes between its marks.
fn body(bytes: &str) -> &str {
    bytes.strip_prefix("\x1b[?2026h").unwrap().strip_suffix("\x1b[?2026l").unwrap()
}

/// Draws two lines in sequence in the same row; returns the body of the second frame.
fn second_line(first: &str, second: &str) -> String {
    let mut bench = Bench::new(40, 3);
    bench.frame(|buffer| buffer.set_string(0, 0, first, Style::new()));
    let bytes = bench.frame(|buffer| buffer.set_string(0, 0, second, Style::new()));
    bench.assert_same_screen();
    body(&bytes).to_owned()
}

#[test]
fn the_shortest_cursor_movement_is_used() {
    for (first, second, expected) in [
        // A short unchanged gap is written again.
        ("aaa bbb", "xaa ybb", "\rxaa y"),
        // A longer one is jumped over.
        ("a123456789b", "x123456789y", "\rx\x1b[9Cy"),
        // The end of a row is erased when that is shorter.
        ("words and more words", "words", "\x1b[6G\x1b[K"),
        ("abc", "a", "\x1b[2G  "),
        // Wide letters of known width need no positioning.
        ("", "你好吗", "你好吗"),
        // An emoji does, and what an older terminal may leave is blanked.
        ("", "👍ok", "  \r👍\x1b[3Gok"),
    ] {
        assert_eq!(second_line(first, second), expected, "{first:?} to {second:?}");
    }
}

#[test]
fn only_what_changes_of_a_style_is_written() {
    let mut bench = Bench::new(40, 1);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let bytes = bench.frame(|buffer| {
        buffer.set_string(0, 0, "a", bold.fg(Color::Red));
        buffer.set_string(1, 0, " ", Style::new());
        buffer.set_string(2, 0, "b", bold.fg(Color::LightBlue));
        buffer.set_string(3, 0, "c", Style::new());
        buffer.set_string(4, 0, "d", Style::new().add_modifier(Modifier::DIM));
        buffer.set_string(5, 0, "e", bold);
    });
    let expected = "\x1b[m\x1b[H\x1b[0J\x1b[1;31ma \x1b[94mb\x1b[mc\x1b[2md\x1b[0;1me\x1b[?25l";
    assert_eq!(body(&bytes), expected);
    bench.assert_same_screen();
}

#[test]
fn the_cursor_costs_nothing_while_it_stays() {
    let mut bench = Bench::new(20, 3);
    let cursor = Some(Position::new(1, 2));
    bench.frame_with_cursor(cursor, |_| ());
    let hidden = bench.frame(|_| ());
    assert_eq!(body(&hidden), "\x1b[?25l");
    let shown = bench.frame_with_cursor(cursor, |_| ());
    assert_eq!(body(&shown), "\x1b[?25h");
    assert!(!bench.emulator.screen().hide_cursor());
    assert_eq!(bench.emulator.screen().cursor_position(), (2, 1));
}

#[test]
fn a_cursor_that_stays_is_saved_by_the_terminal() {
    let mut bench = Bench::new(20, 3);
    let cursor = Some(Position::new(2, 2));
    let red = Style::new().fg(Color::Red);
    let mut frame = |text: &str| bench.frame_with_cursor(cursor, |b| b.set_string(0, 0, text, red));
    frame("a");
    assert!(body(&frame("ab")).ends_with("\x1b[m\x1b7"));
    assert_eq!(body(&frame("abc")), "\x1b[1;3H\x1b[31mc\x1b8");
    bench.assert_same_screen();
    let moved =
        bench.frame_with_cursor(Some(Position::new(5, 2)), |b| b.set_string(2, 2, "abc", red));
    bench.assert_same_screen();
    assert_eq!(bench.emulator.screen().cursor_position(), (2, 5));
    assert!(!moved.contains("\x1b8"), "{moved:?}");
}

#[test]
fn the_next_rows_are_reached_by_line_feeds() {
    let mut bench = Bench::new(40, 6);
    let rows = |from: u16| {
        move |buffer: &mut Buffer| {
            (from..5).for_each(|y| buffer.set_string(20, y, "text", Style::new()));
        }
    };
    bench.frame(|_| ());
    let bytes = bench.frame(rows(2));
    assert_eq!(body(&bytes), "\x1b[20C\n\ntext\x1b[21G\ntext\x1b[21G\ntext");
    bench.assert_same_screen();
}

#[test]
fn after_a_scrolled_band_the_cursor_is_placed_wherever_the_terminal_left_it() {
    let mut bench = Bench::new(60, 12);
    let draw = |from: usize| {
        move |buffer: &mut Buffer| {
            buffer.set_string(0, 0, format!("title {from}"), Style::new());
            for (y, n) in (1..11_u16).zip(from..) {
                buffer.set_string(0, y, format!("第 {n} 行是较长文字的一部分"), Style::new());
            }
        }
    };
    bench.frame(draw(100));
    let scrolled = bench.frame(draw(101));
    bench.assert_same_screen();
    let after = scrolled.split("\x1b[r").nth(1).expect("a band was moved");
    let place = after.strip_prefix("\x1b[").unwrap_or_default();
    let end = place.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
    assert!(end.starts_with('H'), "{scrolled:?}");
}

#[test]
fn a_scrolled_band_costs_its_new_row_only() {
    let row = |n: usize| format!("this is row number {n} of a longer text");
    let mut bench = Bench::new(60, 12);
    let draw = |from: usize| {
        move |buffer: &mut Buffer| {
            buffer.set_string(0, 0, "title", Style::new());
            (1..11_u16)
                .zip(from..)
                .for_each(|(y, n)| buffer.set_string(0, y, row(n), Style::new()));
        }
    };
    bench.frame(draw(100));
    let scrolled = bench.frame(draw(101));
    bench.assert_same_screen();
    assert!(scrolled.len() < 100, "{} bytes: {scrolled:?}", scrolled.len());
    let back = bench.frame(draw(98));
    bench.assert_same_screen();
    assert!(back.len() < 200, "{} bytes: {back:?}", back.len());
}

#[test]
fn rows_that_become_blank_together_are_cleared_at_once() {
    let mut bench = Bench::new(40, 20);
    let draw = |rows: std::ops::Range<u16>| {
        move |buffer: &mut Buffer| {
            buffer.set_string(0, 19, "the last row stays", Style::new());
            rows.for_each(|y| buffer.set_string(0, y, format!("text of row {y}"), Style::new()));
        }
    };
    bench.frame(draw(0..18));
    let few = bench.frame(draw(0..14));
    bench.assert_same_screen();
    let many = bench.frame(draw(0..2));
    bench.assert_same_screen();
    assert!(many.len() < few.len() + 20, "{few:?}, {many:?}");
    assert!(few.contains("\u{1b}[K") && !many.contains("\u{1b}[K"), "{few:?}, {many:?}");
}

#[test]
fn a_frame_with_bounds_begins_with_the_row_of_the_cursor_and_the_next_ones_have_the_rest() {
    let mut bench = Bench::new(40, 10);
    let text = |mark: char| {
        move |buffer: &mut Buffer| {
            (0..10).for_each(|y| {
                buffer.set_string(0, y, format!("{mark} row {y} of a long text"), Style::new());
            });
        }
    };
    let cursor = Some(Position::new(3, 7));
    bench.frame_with_cursor(cursor, text('a'));
    bench.assert_same_screen();
    bench.bounds.bytes = Some(1);
    let mut frames: Vec<String> = Vec::new();
    while frames.is_empty() || !bench.terminal.backend().drawn.complete {
        frames.push(bench.frame_with_cursor(cursor, text('b')));
    }
    assert_eq!(frames.len(), 10, "{frames:?}");
    assert!(frames.iter().all(|frame| frame.matches('b').count() == 1), "{frames:?}");
    bench.assert_same_screen();
    // The row of the cursor comes first; a row that changes again waits for the others.
    let mut seen = Vec::new();
    for mark in ['c', 'd', 'e'] {
        bench.frame_with_cursor(None, text(mark));
        let rows: Vec<String> = bench.emulator.screen().rows(0, 1).collect();
        seen.push(rows.concat());
    }
    assert_eq!(seen, ["cbbbbbbbbb", "cdbbbbbbbb", "cdebbbbbbb"]);
    // A row that does not fit any more is not begun, and leaves no bytes.
    bench.bounds.bytes = Some(70);
    let coloured = |buffer: &mut Buffer| {
        for (y, colour) in (0..10).zip([Color::Red, Color::Indexed(200)].into_iter().cycle()) {
            buffer.set_string(0, y, format!("row {y} of a long text"), Style::new().fg(colour));
        }
    };
    let mut lengths = Vec::new();
    while lengths.is_empty() || !bench.terminal.backend().drawn.complete {
        lengths.push(bench.frame(coloured).len());
        assert!(lengths.iter().all(|bytes| *bytes <= 70) && lengths.len() < 10, "{lengths:?}");
    }
    bench.assert_same_screen();
}

#[test]
fn a_question_ends_the_frame_and_nothing_asks_without_one() {
    let mut bench = Bench::new(10, 2);
    let draw = |buffer: &mut Buffer| buffer.set_string(0, 0, "a", Style::new());
    bench.bounds.question = StatusQuestion::BeforeAndAfter;
    let asked = bench.frame(draw);
    assert!(asked.starts_with("\u{1b}[5n") && asked.ends_with("\u{1b}[5n"), "{asked:?}");
    assert_eq!(bench.terminal.backend().drawn.bytes, asked.len());
    assert_eq!(bench.frame(draw), "");
    assert_eq!(bench.terminal.backend().drawn, Drawn::NOTHING);
    bench.bounds.question = StatusQuestion::None;
    let unasked = bench.frame(|buffer| buffer.set_string(0, 1, "b", Style::new()));
    assert!(!unasked.contains("[5n"), "{unasked:?}");
}

#[test]
fn after_invalidation_everything_is_drawn_again() {
    let mut bench = Bench::new(20, 2);
    let draw = |buffer: &mut Buffer| buffer.set_string(0, 1, "still here", Style::new());
    bench.frame(draw);
    bench.emulator.process(b"\x1b[?25h\x1b[1;1Hgarbage\x1b[31m");
    bench.terminal.backend_mut().invalidate();
    let bytes = bench.frame(draw);
    assert!(bytes.contains("still here"));
    bench.assert_same_screen();
    assert!(bench.emulator.screen().hide_cursor());
}

#[test]
fn a_new_size_draws_everything() {
    let mut bench = Bench::new(20, 2);
    let draw = |buffer: &mut Buffer| buffer.set_string(0, 0, "text", Style::new());
    bench.frame(draw);
    bench.terminal.backend_mut().resize(Size::new(12, 5));
    bench.emulator.screen_mut().set_size(5, 12);
    bench.frame(draw);
    bench.assert_same_screen();
}

#[test]
fn a_size_that_comes_back_before_the_next_frame_draws_everything() {
    let mut bench = Bench::new(20, 2);
    let draw = |buffer: &mut Buffer| buffer.set_string(0, 0, "text", Style::new());
    bench.frame(draw);
    for size in [Size::new(12, 5), Size::new(20, 2)] {
        bench.terminal.backend_mut().resize(size);
    }
    assert!(bench.frame(draw).contains("text"));
    bench.assert_same_screen();
}

#[test]
fn a_row_of_the_frame_before_is_not_read_cell_by_cell_again() {
    let mut bench = Bench::new(20, 3);
    let draw = |last: &'static str| {
        move |buffer: &mut Buffer| {
            buffer.set_string(0, 0, "你好 stays", Style::new());
            buffer.set_string(0, 2, last, Style::new());
        }
    };
    let rows = |bench: &Bench| bench.terminal.backend().wanted.rows().to_vec();
    bench.frame(draw("one"));
    let before = rows(&bench);
    bench.frame(draw("two"));
    let after = rows(&bench);
    let is_kept = |(before, after): (&Row, &Row)| std::ptr::eq(before.cells(), after.cells());
    let kept: Vec<bool> = before.iter().zip(&after).map(is_kept).collect();
    assert_eq!(kept, [true, true, false]);
    bench.assert_same_screen();
}

#[test]
fn a_failed_write_leads_to_a_full_frame() {
    struct Once(bool, Vec<u8>);
    impl Write for Once {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if std::mem::take(&mut self.0) {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.1.write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut backend = ScreenBackend::new(Once(true, Vec::new()), Size::new(9, 1), PLAIN);
    backend.draw([(0, 0, &Cell::new("x"))].into_iter()).unwrap();
    assert!(backend.flush().is_err());
    backend.flush().unwrap();
    assert!(String::from_utf8_lossy(&backend.writer().1).contains("\x1b[H\x1b[0Jx"));
}

#[test]
fn a_terminal_without_utf8_or_colour_gets_neither() {
    let capabilities = Capabilities { depth: ColorDepth::None, utf8: false };
    let mut bench = Bench::with(10, 2, capabilities);
    let bytes = bench.frame(|b| b.set_string(0, 0, "a你é", Style::new().fg(Color::Red).bold()));
    assert_eq!(body(&bytes), "\x1b[m\x1b[H\x1b[0J\x1b[1ma? ?\x1b[?25l");
}

#[test]
fn a_control_character_in_a_cell_never_reaches_the_terminal() {
    let mut bench = Bench::new(10, 2);
    let bytes = bench.frame(|buffer| {
        buffer[(0, 0)].set_symbol("\u{1b}[31m");
        buffer[(5, 0)].set_symbol("a\u{7}");
        buffer[(8, 0)].set_symbol("\u{9b}x");
    });
    assert_eq!(body(&bytes), "\x1b[m\x1b[H\x1b[0J?    ?  ?\x1b[?25l");
}

#[test]
fn an_overlay_is_not_hidden_by_a_wide_glyph_at_its_edge() {
    let mut bench = Bench::new(12, 2);
    bench.frame(|buffer| {
        buffer.set_string(0, 0, "你好世界", Style::new());
        clear_area(buffer, Rect::new(3, 0, 4, 9));
        buffer.set_string(3, 0, "|ok", Style::new());
    });
    bench.assert_same_screen();
    assert_eq!(bench.emulator.screen().contents(), "你 |ok");
}

#[test]
fn titles_and_bells_go_out_before_the_frame_once() {
    let mut bench = Bench::new(10, 2);
    bench.frame(|_| ());
    bench.terminal.backend_mut().control(&Control::bell());
    assert_eq!(bench.frame(|_| ()), "\x07");
    assert_eq!(bench.frame(|_| ()), "");
}

/// Streaming prose by half pages must stay near the size of the text itself.
#[test]
fn a_page_of_new_text_costs_little_more_than_the_text() {
    let mut bench = Bench::new(80, 24);
    let page = |seed: usize| -> Vec<String> {
        (0..22)
            .map(|y| "the quick brown fox jumps over it ".repeat(2)[(seed + y) % 9..].to_owned())
            .collect()
    };
    let draw = |lines: Vec<String>| {
        move |buffer: &mut Buffer| {
            for (y, line) in (0_u16..).zip(&lines) {
                buffer.set_string(2, y, line, Style::new());
            }
        }
    };
    bench.frame(draw(page(0)));
    let text: usize = page(4).iter().map(String::len).sum();
    let bytes = bench.frame(draw(page(4)));
    bench.assert_same_screen();
    assert!(bytes.len() < text * 12 / 10, "{} bytes for {text} of text", bytes.len());
}

/// Text growing at the bottom of a full pane, a few words per frame, scrolled by the terminal.
#[test]
fn streaming_costs_less_than_one_and_a_half_bytes_per_byte_of_text() {
    const ROWS: u16 = 36;
    let text = "Some words of a reply that goes on and on, with commas. ".repeat(400);
    let mut bench = Bench::new(120, 40);
    let (mut top, mut bytes) = (0, 0);
    bench.frame(|_| ());
    for end in (1..=text.len() / 133).map(|frame| frame * 133) {
        let lines = crate::text::wrap(&text[..end], 116);
        let new_top = lines.len().saturating_sub(usize::from(ROWS));
        top = top.max(new_top);
        bytes += bench
            .frame_with_cursor(Some(Position::new(2, 39)), |buffer| {
                for (y, row) in (1..).zip(&lines[top..]) {
                    buffer.set_string(2, y, &text[row.clone()], Style::new());
                }
            })
            .len();
    }
    bench.assert_same_screen();
    assert!(bytes * 2 < text.len() * 3, "{bytes} bytes for {} of text", text.len());
}
