//! The effects of vi keys, and invariants over all keys.

use proptest::prelude::*;

use super::*;
use crate::panes::field::moves::{Place, border_from};

/// A field with a caret where `|` is, in normal mode.
fn normal(text: &str) -> (ViKeys, Field) {
    let at = text.find('|').unwrap_or(0);
    let before = &text[..at];
    let mut field = Field::new(&text.replacen('|', "", 1));
    let row = before.matches('\n').count();
    let byte = before.rsplit('\n').next().map_or(0, str::len);
    field.buffer.move_to(Place { row, byte });
    let mut vi = ViKeys::default();
    vi.enter(ViMode::Normal, &mut field);
    (vi, field)
}

fn key(c: char) -> KeyEvent {
    match c {
        '\u{1b}' => KeyCode::Esc.into(),
        '\u{12}' => KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL),
        c => KeyCode::Char(c).into(),
    }
}

fn press(vi: &mut ViKeys, field: &mut Field, keys: &str) {
    for c in keys.chars() {
        if vi.press(key(c), field) == ViOutcome::NotTaken {
            field.typed(key(c));
        }
    }
}

/// The text with `|` at the caret.
fn shown(field: &Field) -> String {
    let caret = field.buffer.caret();
    let mut lines: Vec<String> = field.buffer.lines().to_vec();
    lines[caret.row].insert(caret.byte, '|');
    lines.join("\n")
}

fn check(cases: &[(&str, &str, &str)]) {
    for (text, keys, expected) in cases {
        let (mut vi, mut field) = normal(text);
        press(&mut vi, &mut field, keys);
        assert_eq!(shown(&field), *expected, "{text:?} {keys:?}");
    }
}

#[test]
fn motions_go_where_vi_goes() {
    check(&[
        ("|one two", "w", "one |two"),
        ("|one-two", "w", "one|-two"),
        ("|one-two x", "W", "one-two |x"),
        ("|one\n  two", "w", "one\n  |two"),
        ("|one two", "e", "on|e two"),
        ("on|e two", "e", "one tw|o"),
        ("one tw|o", "b", "one |two"),
        ("one tw|o", "2b", "|one two"),
        ("a b-c|", "B", "a |b-c"),
        ("|你好 世界", "w", "你好 |世界"),
        ("|a👩\u{200d}👩\u{200d}👧b", "l", "a|👩\u{200d}👩\u{200d}👧b"),
        ("|a👩\u{200d}👩\u{200d}👧b", "ll", "a👩\u{200d}👩\u{200d}👧|b"),
        ("|ab\ncd", "9l", "a|b\ncd"),
        ("ab\nc|d", "9h", "ab\n|cd"),
        ("  a|b", "0", "|  ab"),
        ("  ab|", "^", "  |ab"),
        ("|  ab", "$", "  a|b"),
        ("|a\nb\nc", "G", "a\nb\n|c"),
        ("a\nb\n|c", "gg", "|a\nb\nc"),
        ("a\nb\n|c", "2G", "a\n|b\nc"),
        ("|a\nb\nc", "2j", "a\nb\n|c"),
        ("|axbxc", "fx", "a|xbxc"),
        ("|axbxc", "2fx", "axb|xc"),
        ("|axbxc", "tx;", "|axbxc"),
        ("|axbxc", "fx;", "axb|xc"),
        ("|axbxc", "fx;,", "a|xbxc"),
        ("axbx|c", "Tx", "axbx|c"),
        ("axbx|c", "Fx", "axb|xc"),
        ("|a\n\nb", "}", "a\n|\nb"),
        ("a\n\n|b", "{", "a\n|\nb"),
    ]);
}

#[test]
fn operators_take_motions_objects_and_counts() {
    check(&[
        ("|one two three", "dw", "|two three"),
        ("|one two three", "2dw", "|three"),
        ("|one two three", "d2w", "|three"),
        ("one |two\nthree", "dw", "one| \nthree"),
        ("|one two", "de", "| two"),
        ("one |two", "d0", "|two"),
        ("o|ne two", "D", "|o"),
        ("a|xbxc", "dfx", "a|c"),
        ("|axbxc", "dtx", "|xbxc"),
        ("one |two three", "diw", "one | three"),
        ("one |two three", "daw", "one |three"),
        ("one |two", "daw", "on|e"),
        ("say \"o|ne two\" x", "di\"", "say \"|\" x"),
        ("say 'o|ne' x", "da'", "say | x"),
        ("|one two", "cwx\u{1b}", "|x two"),
        ("o|ne two", "ciwx\u{1b}", "|x two"),
        ("one|\ntwo\nthree", "dd", "|two\nthree"),
        ("one\ntwo\n|three", "dd", "one\n|two"),
        ("|one", "dd", "|"),
        ("|one\ntwo\nthree", "2dd", "|three"),
        ("one\n|two\nthree", "dj", "|one"),
        ("one\n|two\nthree", "dk", "|three"),
        ("one\ntwo\n|three", "dgg", "|"),
        ("|one\ntwo", "ccx\u{1b}", "|x\ntwo"),
        ("one |two", "Cx\u{1b}", "one |x"),
        ("|abc", "2x", "|c"),
        ("ab|c", "X", "a|c"),
        ("|abc", "sx\u{1b}", "|xbc"),
        ("|abc", "2rx", "x|xc"),
        ("|1 2 3 4 5", "2d2w", "|5"),
        ("|1 2 3 4 5", "c2wx\u{1b}", "|x 3 4 5"),
        ("|a b", "cwx\u{1b}", "|x b"),
        ("|abc", "9rx", "|abc"),
        ("|aBc", "2~", "Ab|c"),
        ("|one\n  two", "J", "one| two"),
        ("|one", "J", "|one"),
    ]);
}

#[test]
fn what_was_cut_is_put_as_lines_or_as_text() {
    check(&[
        ("|one\ntwo", "ddp", "two\n|one"),
        ("one\n|two", "ddP", "|two\none"),
        ("|one\ntwo", "yyp", "one\n|one\ntwo"),
        ("|one\ntwo", "Y2p", "one\n|one\none\ntwo"),
        ("|one two", "ywP", "one| one two"),
        ("|ab", "xp", "b|a"),
        ("|ab", "p", "|ab"),
        ("|ab cd", "yiwwviwp", "ab a|b"),
    ]);
}

#[test]
fn visual_mode_covers_the_unit_of_the_caret_or_whole_lines() {
    check(&[
        ("|abcd", "vld", "|cd"),
        ("ab|cd", "vhd", "a|d"),
        ("|one two", "ved", "| two"),
        ("|one two", "viwy$p", "one twoon|e"),
        ("|one\ntwo\nthree", "Vjd", "|three"),
        ("|one\ntwo", "Vcx\u{1b}", "|x\ntwo"),
        ("|abc", "vl~", "|ABc"),
        ("a|bcd", "vlohd", "|d"),
        ("|abc", "v\u{1b}x", "|bc"),
        ("|abc", "vvx", "|bc"),
        ("one\n|\ntwo", "vd", "one\n|\ntwo"),
    ]);
    let (mut vi, mut field) = normal("|one\ntwo");
    press(&mut vi, &mut field, "vj");
    assert_eq!(vi.mode(), ViMode::Visual);
    let marked = Place { row: 0, byte: 0 }..Place { row: 1, byte: 1 };
    assert_eq!(field.marked, Some(marked));
}

#[test]
fn inserting_begins_where_its_key_says() {
    check(&[
        ("|ab", "ix\u{1b}", "|xab"),
        ("|ab", "ax\u{1b}", "a|xb"),
        ("  a|b", "Ix\u{1b}", "  |xab"),
        ("|ab", "Ax\u{1b}", "ab|x"),
        ("|ab\nc", "ox\u{1b}", "ab\n|x\nc"),
        ("ab\n|c", "Ox\u{1b}", "ab\n|x\nc"),
        ("|", "ax\u{1b}", "|x"),
    ]);
}

#[test]
fn changes_are_undone_done_again_and_repeated() {
    check(&[
        ("|one two", "dwu", "one |two"),
        ("|one two", "dwu\u{12}", "|two"),
        ("|one two three", "dw.", "|three"),
        ("|one two", "cwx\u{1b}w.", "x |x"),
        ("|a\nb", "ox\u{1b}.", "a\nx\n|x\nb"),
        ("|abc", ".", "|abc"),
        ("|abc", "rxl.", "x|xc"),
    ]);
}

#[test]
fn escape_takes_back_what_was_begun_and_then_leaves() {
    let (mut vi, mut field) = normal("|abc");
    for begun in ["2", "d", "f", "2d3", "r", "g"] {
        press(&mut vi, &mut field, begun);
        assert_eq!(vi.press(key('\u{1b}'), &mut field), ViOutcome::Taken, "{begun}");
        assert_eq!(vi.press(key('\u{1b}'), &mut field), ViOutcome::NotTaken, "{begun}");
    }
    assert_eq!(shown(&field), "|abc");
    assert_eq!(vi.press(key(':'), &mut field), ViOutcome::Act(Action::Palette));
    assert_eq!(vi.press(key('/'), &mut field), ViOutcome::Act(Action::FindSent));
}

#[test]
fn a_key_without_meaning_puts_nothing_into_the_text() {
    let (mut vi, mut field) = normal("|abc");
    for c in "zqQmMnNKLHR&*#@!%^()+=<>?\"'`[]\\|你_-".chars() {
        assert_eq!(vi.press(key(c), &mut field), ViOutcome::Taken, "{c}");
    }
    assert_eq!(field.text(), "abc");
    for other in [KeyCode::Enter, KeyCode::Tab, KeyCode::Up, KeyCode::PageDown] {
        assert_eq!(vi.press(other.into(), &mut field), ViOutcome::NotTaken, "{other:?}");
    }
}

#[test]
fn a_chip_is_one_unit_in_every_mode() {
    let mut field = Field::new("a ");
    assert!(field.paste_shown("one\ntwo", |_| Some("[chip]".to_owned())));
    let mut vi = ViKeys::default();
    press(&mut vi, &mut field, "\u{1b}");
    assert_eq!(field.buffer.caret(), Place { row: 0, byte: 2 });
    press(&mut vi, &mut field, "~x");
    assert_eq!(field.text(), "a ");
    press(&mut vi, &mut field, "p");
    assert_eq!(field.text(), "a one\ntwo");
    press(&mut vi, &mut field, "yyp");
    assert_eq!(field.text(), "a one\ntwo\na one\ntwo");
}

fn any_keys() -> impl Strategy<Value = String> {
    let commands = "hjklwbeWBE0^$GgfFtT;,{}dcyxXsSDCYiaIAoOvVpPuJr~.\u{1b}\u{12}\u{1b}23:/ x\"你e";
    let all: Vec<char> = commands.chars().collect();
    prop::collection::vec(prop::sample::select(all), 0..60).prop_map(String::from_iter)
}

fn any_text() -> impl Strategy<Value = String> {
    let pieces = ["one", " ", "two-three", "\n", "你好", "e\u{301}", "👩\u{200d}👧", "\"", "\t"];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..12)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_keys_panic_or_lose_text_that_undo_cannot_bring_back(
        text in any_text(),
        keys in any_keys(),
        with_chip in any::<bool>(),
        cells in 2_usize..12,
    ) {
        // A text that is too large to be shown is a chip.
        let text = if with_chip { "x\n".repeat(70_000) } else { text };
        let mut field = Field::new(&text);
        field.lay_out(cells);
        let mut vi = ViKeys::default();
        for c in keys.chars() {
            press(&mut vi, &mut field, &c.to_string());
            let caret = field.buffer.caret();
            let line = field.buffer.line(caret.row);
            prop_assert_eq!(border_from(line, caret.byte), caret.byte);
            let on_unit = caret.byte < line.len() || line.is_empty();
            prop_assert!(vi.mode() == ViMode::Insert || on_unit, "{:?} {:?}", keys, field.buffer);
            let (rows, (x, y)) = super::super::rows::window(&field.buffer, field.marked.as_ref(), cells, 4);
            prop_assert!(x < cells && y < rows.len());
        }
        while field.undo() {}
        prop_assert!(field.text() == text, "{keys:?}");
    }
}

#[test]
fn each_key_that_is_listed_after_a_begun_command_does_something_and_the_others_are_known() {
    let text = "one (two) 'x y' \"a b\" `c d`\n\nthree four\n\nfive";
    for begun in ["d", "c", "y", "g", "d g", "c g", "d i", "d a", "y i"] {
        let (vi, _) = pressed(text, begun);
        let command = vi.begun().expect("a begun command");
        assert_eq!(command.keys, begun);
        for keys in command.next.iter().flat_map(|(keys, _)| *keys) {
            let (vi, _) = pressed(text, &format!("{begun} {keys}"));
            let awaits_any = matches!(*keys, "f" | "t" | "F" | "T");
            assert!(vi.begun().is_none() && vi.awaited.is_some() == awaits_any, "{begun} {keys}");
        }
        if begun.len() == 1 && begun != "g" {
            let listed: String = command.next.iter().flat_map(|(keys, _)| *keys).copied().collect();
            for c in "webjkGftFThl0^$ia{}g".chars().chain(begun.chars()) {
                assert!(listed.contains(c), "{begun}{c}");
            }
        }
    }
}

/// The state after these keys, in the middle of a text.
fn pressed(text: &str, keys: &str) -> (ViKeys, Field) {
    let (mut vi, mut field) = normal(text);
    press(&mut vi, &mut field, "l");
    press(&mut vi, &mut field, &keys.replace(' ', ""));
    (vi, field)
}
