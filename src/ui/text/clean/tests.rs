//! The rules of the sanitizer, by table, by property and against a file of hostile strings.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

fn clean(raw: &str) -> String {
    SafeText::clean(raw).into_string()
}

#[test]
fn hidden_and_control_characters_are_shown_as_symbols() {
    for (raw, expected) in [
        ("plain text\n", "plain text\n"),
        ("\u{1b}[2Jx", "␛[2Jx"),
        ("a\0b\u{7}\u{7f}", "a␀b␇␡"),
        ("\u{9b}31m", "<9B>31m"),
        ("a\u{85}b", "a<85>b"),
        ("a\tb\tcdef\t|", "a   b   cdef    |"),
        ("\u{202e}gnp", "<202E>gnp"),
        ("rm\u{200b} -rf", "rm<200B> -rf"),
        ("soft\u{ad}ly", "soft<AD>ly"),
        ("a\u{2028}b\u{2029}c", "a<2028>b<2029>c"),
        ("\u{e0041}x", "<E0041>x"),
        ("\u{e000}\u{10ffff}\u{fdd0}", "<E000><10FFFF><FDD0>"),
        ("\u{3164}\u{115f}\u{ffa0}", "<3164><115F><FFA0>"),
        ("\u{feff}x", "<FEFF>x"),
        ("one\r\ntwo\rthree\r", "one\ntwo␍three␍"),
        ("\r\r\n", "␍\n"),
    ] {
        assert_eq!(clean(raw), expected, "{raw:?}");
    }
}

#[test]
fn text_of_other_scripts_is_unchanged() {
    for honest in [
        "e\u{301} 你好 👍🏽 ok",
        "👩\u{200d}🚀 👨\u{200d}👩\u{200d}👧",
        "می\u{200c}خواهم",
        "क्\u{200d}ष",
        "⚠\u{fe0f} 1\u{fe0f}\u{20e3}",
        "שלום العربية 123 abc",
        "ｶﾞ ガ が",
    ] {
        assert_eq!(clean(honest), honest);
    }
}

#[test]
fn misplaced_joiners_and_selectors_are_shown() {
    for (raw, expected) in [
        ("ad\u{200d}min", "ad<200D>min"),
        ("你\u{200d}x", "你<200D>x"),
        ("x\u{200c}你", "x<200C>你"),
        ("你\u{200d}", "你<200D>"),
        ("你\u{200d}\u{200d}好", "你<200D><200D>好"),
        ("a\u{fe0f}", "a<FE0F>"),
        ("⚠\u{fe0f}\u{fe0f}", "⚠\u{fe0f}<FE0F>"),
        ("葛\u{e0100}", "葛<E0100>"),
    ] {
        assert_eq!(clean(raw), expected, "{raw:?}");
    }
}

#[test]
fn more_than_four_marks_are_counted_instead_of_drawn() {
    let raw = format!("a{}b", "\u{301}".repeat(400));
    assert_eq!(clean(&raw), format!("a{}<+396 marks>b", "\u{301}".repeat(4)));
}

#[test]
fn a_mark_without_a_character_below_it_is_shown() {
    assert_eq!(clean("\u{301}x"), "<0301>x");
    assert_eq!(clean("x \u{301}"), "x <0301>");
    assert_eq!(clean("\u{1b}\u{301}"), "␛<0301>");
}

#[test]
fn a_single_line_shows_its_line_feeds() {
    assert_eq!(SafeText::line("a\nb\r\n\n").as_str(), "a⏎b");
    assert_eq!(SafeText::line("plain").as_str(), "plain");
}

#[test]
fn hidden_characters_are_counted() {
    let (mut cleaner, mut out) = (StreamCleaner::default(), String::new());
    cleaner.push("a\u{202e}\u{1b}b\r", &mut out);
    cleaner.finish(&mut out);
    assert_eq!((cleaner.hidden(), out.as_str()), (3, "a<202E>␛b␍"));
}

/// Everything the invariants forbid in text for the screen.
fn assert_harmless(text: &str) {
    let chars: Vec<char> = text.chars().collect();
    let mut marks = 0;
    for (at, &c) in chars.iter().enumerate() {
        if matches!(c, ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER) {
            let foreign = |c: Option<&char>| c.is_some_and(|c| !c.is_ascii());
            assert!(at > 0 && foreign(chars.get(at - 1)) && foreign(chars.get(at + 1)));
        } else if matches!(c, '\u{fe0e}' | '\u{fe0f}') {
            marks += 1;
        } else if c == '\n' {
            marks = 0;
        } else {
            assert!(!is_replaced(c), "{:04X} in {text:?}", u32::from(c));
            marks = if is_mark(c) { marks + 1 } else { 0 };
        }
        assert!(marks <= MAX_MARKS_PER_BASE, "too many marks in {text:?}");
    }
}

/// Text with many of the characters the rules apply to.
fn nasty() -> impl Strategy<Value = String> {
    let special = prop::sample::select(vec![
        '\u{1b}',
        '\r',
        '\n',
        '\t',
        '\u{9b}',
        '\u{200d}',
        '\u{200c}',
        '\u{fe0f}',
        '\u{301}',
        '\u{302}',
        '\u{202e}',
        '\u{ad}',
        '👩',
        '🚀',
        '你',
        'a',
        '1',
        ' ',
        '⚠',
        '\u{e000}',
        '\u{1160}',
        '\u{11a8}',
        '가',
        '\u{ff9e}',
        '\u{1f1e6}',
        '\u{94d}',
        'क',
        '\u{2028}',
    ]);
    prop::collection::vec(prop_oneof![4 => special, 1 => any::<char>()], 0..60)
        .prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #[test]
    fn any_text_comes_out_harmless(raw in nasty()) {
        assert_harmless(&clean(&raw));
    }

    #[test]
    fn cleaning_twice_changes_nothing(raw in nasty()) {
        let once = clean(&raw);
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn pieces_give_the_same_as_the_whole(raw in nasty(), cuts in prop::collection::vec(1_usize..9, 1..40)) {
        let (mut cleaner, mut out) = (StreamCleaner::default(), String::new());
        let mut chars = raw.chars();
        for size in cuts.iter().cycle() {
            let piece: String = chars.by_ref().take(*size).collect();
            if piece.is_empty() {
                break;
            }
            cleaner.push(&piece, &mut out);
        }
        cleaner.finish(&mut out);
        prop_assert_eq!(out, clean(&raw));
    }
}

#[test]
fn every_single_character_comes_out_harmless() {
    for c in '\0'..=char::MAX {
        let raw = format!("x{c}x{c}{c}");
        assert_harmless(&clean(&raw));
    }
}

#[test]
fn ten_mebibytes_of_plain_text_pass_unchanged() {
    let raw = "0123456789abcde\n".repeat(640 * 1024);
    assert_eq!(clean(&raw), raw);
}

#[test]
fn the_hostile_corpus_comes_out_harmless() {
    for raw in hostile_corpus() {
        assert_harmless(&clean(&raw));
    }
}

/// The strings of the hostile corpus of the shared tools; none, and skipped, where it is not at hand.
pub(in crate::text) fn hostile_corpus() -> Vec<String> {
    let named = std::env::var_os("DOMINDS_ESCAPE_CORPUS").map(PathBuf::from);
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let shared = above.map(|dir| dir.join("shared/tools/escape_corpus.jsonl"));
    let corpus =
        named.into_iter().chain(shared).find_map(|path| std::fs::read_to_string(path).ok());
    let Some(corpus) = corpus else {
        crate::skip::skip("there is no hostile corpus; set DOMINDS_ESCAPE_CORPUS");
        return Vec::new();
    };
    let strings: Vec<String> = corpus.lines().map(hostile_string).collect();
    assert!(!strings.is_empty(), "the corpus is empty");
    strings
}

fn hostile_string(item: &str) -> String {
    let item: serde_json::Value = serde_json::from_str(item).unwrap();
    String::from_utf8_lossy(&decode_base64(item["b64"].as_str().unwrap())).into_owned()
}

fn decode_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for value in text.chars().filter_map(|c| ALPHABET.find(c)) {
        bits = (bits << 6) | u32::try_from(value).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xFF).unwrap());
        }
    }
    bytes
}

#[test]
fn json_for_a_terminal_is_the_same_value_without_control_characters() {
    let hostile = "a\u{1b}[2J\u{9b}31m\u{7f}\u{202e}gnp\u{200b}\u{e0041}é你\n";
    let value = serde_json::json!({ hostile: [hostile, 1] });
    let shown = escape_json(&value.to_string());
    assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
    assert!(!shown.chars().any(is_replaced), "{shown}");
    assert!(shown.contains("\\u202e") && shown.contains("\\udb40\\udc41") && shown.contains("é你"));
    assert_eq!(escape_json("{\"a\":1}"), "{\"a\":1}");
}
