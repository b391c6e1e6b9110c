//! No row too wide, nothing lost, and a growing text wraps like the whole.

use proptest::prelude::*;

use super::*;
use crate::text::clean::StreamCleaner;
use crate::text::width::width;

fn rows(text: &str, cells: usize) -> Vec<&str> {
    wrap(text, cells).into_iter().map(|row| &text[row]).collect()
}

#[test]
fn words_are_not_split_if_they_fit() {
    for (text, cells, expected) in [
        ("", 5, vec![""]),
        ("one two three", 7, vec!["one two", "three"]),
        ("one   two", 5, vec!["one", "two"]),
        ("a\n\nb\n", 5, vec!["a", "", "b", ""]),
        ("  indented text", 10, vec!["  indented", "text"]),
        ("unbreakable", 4, vec!["unbr", "eaka", "ble"]),
        ("a unbreakable", 4, vec!["a", "unbr", "eaka", "ble"]),
        ("well-known path", 6, vec!["well-", "known", "path"]),
        ("run --flag now", 7, vec!["run", "--flag", "now"]),
        ("see /usr/lib", 6, vec!["see", "/usr/", "lib"]),
        ("src/ui/text", 7, vec!["src/ui/", "text"]),
        ("end, then", 4, vec!["end,", "then"]),
    ] {
        assert_eq!(rows(text, cells), expected, "{text:?} at {cells}");
    }
}

#[test]
fn wide_text_breaks_between_characters_but_not_at_brackets_and_stops() {
    for (text, cells, expected) in [
        ("你好世界", 4, vec!["你好", "世界"]),
        ("你好。世界", 4, vec!["你", "好。", "世界"]),
        ("一「二三」", 4, vec!["一", "「二", "三」"]),
        ("用Rust写", 6, vec!["用Rust", "写"]),
        ("👍👍👍", 5, vec!["👍👍", "👍"]),
    ] {
        assert_eq!(rows(text, cells), expected, "{text:?} at {cells}");
    }
}

#[test]
fn code_keeps_every_blank() {
    let text = "a    b\n    c";
    let parts: Vec<&str> = wrap_hard(text, 3).into_iter().map(|row| &text[row]).collect();
    assert_eq!(parts, ["a  ", "  b", "   ", " c"]);
}

#[test]
fn text_after_many_blanks_is_shown() {
    let text = format!("ls{}rm", " ".repeat(500));
    assert_eq!(rows(&text, 20), ["ls", "rm"]);
}

fn mixed() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "word ",
        " ",
        "  ",
        "\n",
        "你",
        "。",
        "「",
        "e\u{301}",
        "👩\u{200d}🚀",
        "-",
        "/",
        "longwordwithoutbreaks",
        "\u{200d}",
        "🇩🇪",
        "⚠\u{fe0f}",
        "ｶﾞ",
        "क्",
        "\u{3000}",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_row_is_wider_than_allowed(text in mixed(), cells in 2_usize..30) {
        for row in wrap(&text, cells).into_iter().chain(wrap_hard(&text, cells)) {
            prop_assert!(width(&text[row.clone()]) <= cells, "{:?}", &text[row]);
        }
    }

    #[test]
    fn only_blanks_and_line_feeds_lie_between_rows(text in mixed(), cells in 2_usize..30) {
        let mut end = 0;
        for row in wrap(&text, cells) {
            prop_assert!(row.start >= end && row.end >= row.start);
            prop_assert!(text[end..row.start].chars().all(char::is_whitespace));
            end = row.end;
        }
        prop_assert!(text[end..].chars().all(char::is_whitespace));
    }

    #[test]
    fn hard_rows_lose_nothing_but_line_feeds(text in mixed(), cells in 2_usize..30) {
        let joined: String = wrap_hard(&text, cells).into_iter().map(|row| &text[row]).collect();
        prop_assert_eq!(joined, text.replace('\n', ""));
    }

    #[test]
    fn a_growing_text_has_the_rows_of_the_whole(
        text in mixed(), cells in 2_usize..30, cuts in prop::collection::vec(1_usize..5, 1..20),
    ) {
        let mut tail = TailWrap::new(cells);
        let mut cleaner = StreamCleaner::default();
        let mut chars = text.chars();
        for size in cuts.iter().cycle() {
            let piece: String = chars.by_ref().take(*size).collect();
            if piece.is_empty() {
                break;
            }
            tail.push(&cleaner.clean(&piece));
            let whole = wrap(tail.text().as_str(), cells);
            prop_assert_eq!(tail.rows(), whole.as_slice());
        }
    }
}

#[test]
fn a_megabyte_without_a_break_is_wrapped_in_one_pass() {
    let line = "x".repeat(1 << 20);
    assert_eq!(wrap(&line, 100).len(), (1_usize << 20).div_ceil(100));
    let mut tail = TailWrap::new(100);
    for piece in line.as_bytes().chunks(64) {
        tail.push(&SafeText::clean(std::str::from_utf8(piece).unwrap()));
    }
    assert_eq!(tail.rows().len(), (1_usize << 20).div_ceil(100));
}

#[test]
fn code_that_grows_is_broken_as_code() {
    let mut tail = TailWrap::of_code(6);
    for piece in ["  let ", "x  =", " 1;\n  y"] {
        tail.push(&SafeText::clean(piece));
    }
    let rows = [0, 1, 2, 3, 9].map(|at| tail.row(at).into_string());
    assert_eq!(rows, ["  let ", "x  = 1", ";", "  y", ""]);
    assert_eq!(tail.rows(), wrap_hard(tail.text().as_str(), 6));
}
