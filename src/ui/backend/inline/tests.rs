//! The bytes are replayed through a terminal emulator with a scrollback: every printed row is there once and
//! in order, and the live rows are below, once.

use std::io;

use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::Backend as _;
use ratatui::layout::Position;
use ratatui::style::Style;

use super::super::{FrameBounds, draw};
use super::*;
use crate::theme::ColorDepth;

const HEIGHT: u16 = 12;

/// A terminal that may be busy.
#[derive(Debug, Default)]
struct Tty {
    bytes: Vec<u8>,
    busy: bool,
}

impl Write for Tty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.busy {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The program, and the terminal it runs in.
struct Bench {
    terminal: Terminal<ScreenBackend<Tty>>,
    live: LiveRows,
    emulator: vt100::Parser,
    width: u16,
    height: u16,
    rows: u16,
    printed: usize,
}

impl Bench {
    fn new(width: u16) -> Self {
        let (live, size) = (LiveRows::default(), Size::new(width, HEIGHT));
        let capabilities = Capabilities { depth: ColorDepth::True, utf8: true };
        let backend = ScreenBackend::new(Tty::default(), size, capabilities).inline(live.clone());
        let mut emulator = vt100::Parser::new(HEIGHT, width, 10_000);
        emulator.process(b"$ dominds-tui");
        let terminal = Terminal::new(backend).unwrap();
        Self { terminal, live, emulator, width, height: HEIGHT, rows: 1, printed: 0 }
    }

    fn backend(&mut self) -> &mut ScreenBackend<Tty> {
        self.terminal.backend_mut()
    }

    /// Prints `count` rows with the next frame, which has `rows` live rows.
    fn print(&mut self, count: usize, rows: u16) {
        let texts = self.printed..self.printed + count;
        let lines: Vec<Line<'static>> = texts.map(|at| Line::raw(format!("p{at}"))).collect();
        self.printed += count;
        self.rows = rows;
        self.backend().print(&lines, rows);
    }

    /// Draws a frame with the cursor in one of its rows, or hidden; returns its bytes.
    fn frame(&mut self, cursor: Option<u16>) -> String {
        let rows = self.rows;
        let drawn = draw(&mut self.terminal, FrameBounds::default(), |frame| {
            assert_eq!(frame.area().height, rows);
            for y in 0..rows {
                let text = format!("live {y}");
                frame.buffer_mut().set_string(0, y, text, Style::new());
            }
            if let Some(y) = cursor {
                frame.set_cursor_position(Position::new(3, y.min(rows - 1)));
            }
        });
        assert!(drawn.is_ok() || self.terminal.backend().writer().busy);
        let bytes = std::mem::take(&mut self.backend().writer_mut().bytes);
        self.emulator.process(&bytes);
        String::from_utf8(bytes).unwrap()
    }

    fn resize(&mut self, width: u16) {
        self.width = width;
        let height = self.height;
        self.emulator.screen_mut().set_size(height, width);
        self.backend().resize(Size::new(width, height));
    }

    /// Changes the height as terminals do: where the cursor would be cut off, the rows above it move into the
    /// scrollback; what is below it is cut off.
    fn resize_height(&mut self, height: u16) {
        let (row, column) = self.emulator.screen().cursor_position();
        let above = (row + 1).saturating_sub(height);
        if above > 0 {
            let (bottom, feeds) = (self.height, "\n".repeat(usize::from(above)));
            let (row, column) = (row - above + 1, column + 1);
            let moves = format!("\x1b[{bottom};1H{feeds}\x1b[{row};{column}H");
            self.emulator.process(moves.as_bytes());
        }
        self.height = height;
        self.rows = self.rows.min(height);
        let width = self.width;
        self.emulator.screen_mut().set_size(height, width);
        self.backend().resize(Size::new(width, height));
        self.backend().invalidate();
    }

    /// Another program has the terminal: the live rows are erased, and something is written.
    fn lend(&mut self, output: &str) {
        let above = self.live.above();
        let up = if above == 0 { String::new() } else { format!("\x1b[{above}A") };
        self.emulator.process(format!("\r{up}\x1b[J\x1b[?7h{output}").as_bytes());
        self.live.set_above(0);
        self.backend().begin_again();
    }

    /// Everything from the begin of the scrollback to the end of the screen.
    fn rows(&mut self) -> Vec<String> {
        let screen = self.emulator.screen_mut();
        screen.set_scrollback(usize::MAX);
        let above = screen.scrollback();
        let mut rows = Vec::new();
        for offset in (1..=above).rev() {
            screen.set_scrollback(offset);
            rows.extend(screen.rows(0, 80).next());
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, 80));
        rows
    }

    fn assert_printed_once(&mut self) {
        let rows = self.rows();
        let ours = |row: &&String| row.starts_with('p') || row.starts_with("live");
        let found: Vec<&str> = rows.iter().filter(ours).map(|row| row.trim_end()).collect();
        let printed = (0..self.printed).map(|at| format!("p{at}"));
        let live = (0..self.rows).map(|at| format!("live {at}"));
        assert_eq!(found, printed.chain(live).collect::<Vec<_>>(), "{rows:#?}");
    }
}

#[test]
fn rows_are_printed_above_the_live_rows_and_nothing_is_addressed_by_a_row_of_the_terminal() {
    let mut bench = Bench::new(40);
    bench.print(0, 3);
    let first = bench.frame(Some(1));
    bench.print(30, 3);
    let second = bench.frame(Some(1));
    bench.assert_printed_once();
    assert_eq!(bench.rows()[0].trim_end(), "$ dominds-tui", "it begins in a row of its own");
    for bytes in [first, second] {
        for absolute in ["H", "r", "d", "f"].map(|end| format!("\x1b[{end}")) {
            assert!(!bytes.contains(&absolute), "{bytes:?}");
        }
        assert!(!bytes.contains("1049"), "{bytes:?}");
        let sequences = bytes.split("\x1b[").skip(1);
        let mut ends = sequences.filter_map(|rest| rest.chars().find(char::is_ascii_alphabetic));
        assert!(
            !ends.any(|end| matches!(end, 'H' | 'f' | 'r' | 'd' | 'n' | 'L' | 'M')),
            "{bytes:?}"
        );
    }
}

#[test]
fn a_frame_without_a_change_writes_nothing() {
    let mut bench = Bench::new(40);
    bench.print(1, 4);
    bench.frame(Some(2));
    for cursor in [Some(2), None, None] {
        let bytes = bench.frame(cursor);
        assert!(bytes.len() < 40, "{bytes:?}");
    }
    assert_eq!(bench.frame(None), "");
    bench.print(0, 4);
    assert_eq!(bench.frame(None), "");
}

#[test]
fn what_a_busy_terminal_did_not_take_is_printed_with_the_next_frame() {
    let mut bench = Bench::new(40);
    bench.frame(Some(0));
    bench.backend().writer_mut().busy = true;
    for _ in 0..3 {
        bench.print(2, 2);
        bench.frame(Some(1));
    }
    bench.backend().writer_mut().busy = false;
    bench.frame(Some(1));
    bench.assert_printed_once();
}

#[test]
fn what_is_left_is_printed_when_the_screen_is_left() {
    let mut bench = Bench::new(40);
    bench.print(3, 3);
    bench.frame(Some(1));
    bench.print(2, 1);
    bench.backend().flush().unwrap();
    let bytes = std::mem::take(&mut bench.backend().writer_mut().bytes);
    bench.emulator.process(&bytes);
    bench.lend("$ ");
    bench.rows = 0;
    bench.assert_printed_once();
}

#[test]
fn a_shorter_or_taller_terminal_covers_no_printed_row_and_shows_the_live_rows_once() {
    for cursor in [Some(0), Some(1), None] {
        let mut bench = Bench::new(40);
        bench.print(20, 4);
        bench.frame(cursor);
        for height in [6, HEIGHT, 3, 5, 30, 4] {
            bench.resize_height(height);
            bench.frame(cursor);
            bench.assert_printed_once();
            bench.print(3, height.min(4));
            bench.frame(cursor);
            bench.assert_printed_once();
        }
    }
}

#[test]
fn live_rows_that_grow_and_shrink_cover_no_printed_row_also_with_more_rows_than_fit() {
    let mut bench = Bench::new(40);
    for (count, rows) in [(0, 3), (2, 9), (1, HEIGHT), (30, 4), (0, 8), (500, HEIGHT), (1, 3)] {
        bench.print(count, rows);
        bench.frame(Some(1));
        bench.assert_printed_once();
    }
}

#[test]
fn wide_and_uncertain_characters_do_not_move_what_stands_beside_them() {
    let mut bench = Bench::new(12);
    let lines = ["你好你好你好", "p\u{1f468}\u{200d}\u{1f469}x", "ends wide 好"].map(Line::raw);
    bench.backend().print(&lines, 1);
    bench.frame(None);
    let rows = bench.rows();
    assert!(rows.contains(&"你好你好你好".to_owned()), "{rows:#?}");
    assert!(rows.contains(&"ends wide 好".to_owned()), "{rows:#?}");
}

#[derive(Debug, Clone)]
enum Step {
    Print(usize, u16),
    Frame(Option<u16>),
    Resize(u16),
    Redraw,
    Lend(bool),
    Busy(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (0..9_usize, 1..=HEIGHT).prop_map(|(count, rows)| Step::Print(count, rows)),
        4 => proptest::option::of(0..HEIGHT).prop_map(Step::Frame),
        1 => (8..40_u16).prop_map(Step::Resize),
        1 => Just(Step::Redraw),
        1 => any::<bool>().prop_map(Step::Lend),
        1 => any::<bool>().prop_map(Step::Busy),
    ];
    proptest::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_happens_what_was_printed_is_there_once_and_in_order(steps in steps()) {
        let mut bench = Bench::new(30);
        for step in steps {
            match step {
                Step::Print(count, rows) => bench.print(count, rows),
                Step::Frame(cursor) => {
                    bench.frame(cursor);
                }
                Step::Resize(width) => bench.resize(width),
                Step::Redraw => bench.backend().invalidate(),
                Step::Lend(begun) => bench.lend(if begun { "$ ls" } else { "$ ls\r\n" }),
                Step::Busy(busy) => bench.backend().writer_mut().busy = busy,
            }
        }
        bench.backend().writer_mut().busy = false;
        bench.frame(Some(0));
        bench.assert_printed_once();
    }
}
