//! Whatever is drawn, and however often a frame is cut short, the terminal shows it in the end.

use proptest::prelude::*;

use super::*;

/// Something to draw: where, what, how.
#[derive(Debug, Clone)]
struct Piece {
    x: u16,
    y: u16,
    text: String,
    style: Style,
}

const WIDTH: u16 = 20;
const HEIGHT: u16 = 7;

fn piece() -> impl Strategy<Value = Piece> {
    let part = prop::sample::select(vec![
        "a",
        "bc",
        " ",
        "    ",
        "你",
        "好。",
        "e\u{301}",
        "👍",
        "👍🏽",
        "👩\u{200d}🚀",
        "─",
        "●",
        "①",
        "한",
        "é",
        "⚠\u{fe0f}",
        "🇩🇪",
    ]);
    let style = (0..6_usize, 0..3_usize, 0..5_usize).prop_map(|(fg, bg, modifier)| {
        let colours = [
            Color::Reset,
            Color::Red,
            Color::LightBlue,
            Color::Indexed(200),
            Color::Rgb(1, 2, 3),
            Color::Reset,
        ];
        let modifiers = [
            Modifier::empty(),
            Modifier::BOLD,
            Modifier::DIM | Modifier::ITALIC,
            Modifier::UNDERLINED,
            Modifier::REVERSED,
        ];
        Style::new().fg(colours[fg]).bg(colours[bg]).add_modifier(modifiers[modifier])
    });
    (0..WIDTH, 0..HEIGHT, prop::collection::vec(part, 1..14), style)
        .prop_map(|(x, y, parts, style)| Piece { x, y, text: parts.concat(), style })
}

/// The pieces drawn, the cursor, the rows by which everything moved since the last frame, and the byte limit,
/// with whether frames follow until the screen is complete.
type Drawing = (Vec<Piece>, Option<(u16, u16)>, i8, Option<(usize, bool)>);

fn frames() -> impl Strategy<Value = Vec<Drawing>> {
    // It often stays where it was.
    let cursor = prop_oneof![2 => Just((3, HEIGHT - 1)), 1 => (0..WIDTH, 0..HEIGHT)];
    let cursor = prop::option::weighted(0.8, cursor);
    let limit = prop::option::weighted(0.3, (1..200_usize, any::<bool>()));
    prop::collection::vec((prop::collection::vec(piece(), 0..6), cursor, -2..=2_i8, limit), 1..10)
}

proptest! {
    #[test]
    fn the_terminal_shows_what_was_drawn_after_any_frames(frames in frames()) {
        let mut bench = Bench::new(WIDTH, HEIGHT);
        let mut lines: Vec<Vec<Piece>> = vec![Vec::new(); usize::from(HEIGHT)];
        for (pieces, cursor, moved, limit) in frames {
            let by = usize::from(moved.unsigned_abs());
            if moved < 0 { lines.rotate_right(by) } else { lines.rotate_left(by) }
            // One piece per row: overlapping wide glyphs within one frame leave the library's own buffer in
            // a state no terminal can show.
            for piece in pieces {
                let y = usize::from(piece.y);
                lines[y] = vec![piece];
            }
            let cursor = cursor.map(Position::from);
            let draw = |buffer: &mut Buffer| {
                for (y, line) in (0..).zip(&lines) {
                    for Piece { x, text, style, .. } in line {
                        buffer.set_string(*x, y, text, *style);
                    }
                }
            };
            bench.bounds.bytes = limit.map(|(bytes, _)| bytes);
            bench.frame_with_cursor(cursor, draw);
            // Remaining rows come with the next frames, or are replaced by another frame.
            if limit.is_some_and(|(_, goes_on)| goes_on) {
                for _ in 0..HEIGHT {
                    bench.frame_with_cursor(cursor, draw);
                }
                prop_assert!(bench.terminal.backend().drawn.complete);
            }
            if bench.terminal.backend().drawn.complete {
                bench.assert_same_screen();
            }
            prop_assert_eq!(bench.emulator.screen().hide_cursor(), cursor.is_none());
            if let Some(cursor) = cursor {
                prop_assert_eq!(bench.emulator.screen().cursor_position(), (cursor.y, cursor.x));
            }
        }
    }
}
