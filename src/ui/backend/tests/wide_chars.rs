//! A terminal that draws signs and letters two cells wide.

use ratatui::text::Line;

use super::*;
use crate::text::drawn::set_line;
use crate::text::wide_chars::WideChars;
use crate::text::wide_chars::testing::Measured;

/// What a terminal shows that draws these characters as wide as the letters that stand for them here.
fn seen(bytes: &str) -> String {
    let bytes = bytes.replace('п', "好").replace('р', "你").replace('…', "大");
    let mut emulator = vt100::Parser::new(2, 20, 0);
    emulator.process(bytes.as_bytes());
    emulator.screen().contents().trim_end().to_owned()
}

#[test]
fn no_character_covers_another_one_where_each_takes_two_cells() {
    let _wide = Measured::begin(WideChars::SignsAndLetters);
    let mut bench = Bench::new(20, 2);
    let draw = |text: &'static str| {
        move |buffer: &mut Buffer| set_line(buffer, (0, 0), &Line::raw(text), 20)
    };
    let first = bench.frame(draw("a пр… b"));
    assert_eq!(seen(&first), "a 好你大 b");
    let second = bench.frame(draw("a п…р b"));
    assert_eq!(seen(&[first, second].concat()), "a 好大你 b");
}
