//! Lines and other glyphs that some terminals draw one cell wide and others two.

use super::*;

#[test]
fn a_line_is_positioned_as_seldom_as_its_row_allows() {
    let line = |cells| "─".repeat(cells);
    for (line, expected) in [
        // Cells that a wide line would cover are written after it.
        ("────── ab", "──────\x1b[7G ab   "),
        ("──────────", "──────────\x1b[11G\x1b[K"),
        (&line(32), &format!("{}\x1b[21G{}\x1b[31G──\x1b[33G\x1b[K", line(20), line(10))),
        ("──x──", "──\x1b[3Gx──\x1b[6G  "),
        ("─→─→", "─\x1b[2G→\x1b[3G─\x1b[4G→"),
    ] {
        assert_eq!(second_line("", line), expected, "{line}");
    }
}

/// A terminal that draws lines two cells wide, as some do where East Asian text is read.
#[test]
fn what_stands_after_a_line_is_whole_where_lines_are_drawn_wide() {
    const WIDTH: u16 = 20;
    for (first, second) in [
        ("──── one", "──────── two"),
        ("one two three", "─── two three"),
        ("ab你好cdefgh", "──你好cdefgh"),
        ("", "───────────────────"),
        ("a line to the end ab", "────────────────── b"),
    ] {
        let mut bench = Bench::new(WIDTH, 3);
        let mut wide = vt100::Parser::new(3, WIDTH, 0);
        for text in [first, second] {
            let bytes = bench.frame(|buffer| {
                buffer.set_string(0, 1, text, Style::new());
                buffer.set_string(0, 2, "below", Style::new());
            });
            wide.process(bytes.replace('─', "一").as_bytes());
        }
        bench.assert_same_screen();
        let row = |y| wide.screen().rows(0, WIDTH).nth(y).unwrap_or_default();
        let words = second.trim_start_matches('─');
        assert!(row(1).trim_end().ends_with(words), "{second:?}: {:?}", row(1));
        assert_eq!((row(0).as_str(), row(2).as_str()), ("", "below"), "{second:?}");
    }
}

#[test]
fn a_sign_that_changes_takes_no_letter_beside_it_where_signs_are_drawn_wide() {
    const WIDTH: u16 = 20;
    for (first, second) in [("●abc", "○abc"), ("●", "○"), ("a●b●c", "a○b○c"), ("a● b", "a○ b")]
    {
        let mut bench = Bench::new(WIDTH, 3);
        let mut wide = vt100::Parser::new(3, WIDTH, 0);
        for text in [first, second] {
            let bytes = bench.frame(|buffer| {
                buffer.set_string(0, 1, text, Style::new());
            });
            wide.process(bytes.replace('●', "一").replace('○', "二").as_bytes());
        }
        bench.assert_same_screen();
        let row = wide.screen().rows(0, WIDTH).nth(1).unwrap_or_default();
        let letters =
            |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>();
        assert_eq!(letters(&row), letters(second), "{row:?}");
    }
}
