//! How colours of code change a diff, and what stays unchanged.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use serde_json::json;

use super::*;
use crate::bindings;
use crate::domain::{FileChange, Lang};
use crate::highlight::CodeColours;
use crate::links::Links;
use crate::theme::{ColorDepth, Glyphs, Theme};

fn settings(colours: CodeColours) -> UiSettings {
    let theme = Theme::from_value(
        &json!({
            "code": "white", "code.keyword": "blue", "code.string": "green", "code.comment": "gray",
            "diff.add": "cyan", "diff.add.word": "black on cyan", "diff.remove": "yellow",
            "diff.add.row": "on #102030", "diff.remove.row": "on #302010",
        }),
        ColorDepth::True,
    );
    let (theme, keymap) = (theme.unwrap(), bindings::defaults());
    UiSettings {
        theme,
        glyphs: Glyphs::UTF8,
        keymap,
        lang: Lang::En,
        colours,
        links: Links::default(),
    }
}

fn rows(ui: &UiSettings, old: &str, new: &str, width: usize) -> Vec<Strip> {
    ui.colours.begin_frame();
    let change = FileChange::rewritten("a.rs", old, new);
    let diff = DiffRows::new(ui, 2, width).of_file(&change.path);
    diff.hunks(&change.hunks(), 1_000).map(|row| row.strip).into_rows()
}

/// The ink and the background of this word in the first row that has it.
fn colours(rows: &[Strip], word: &str) -> Option<(Color, Color)> {
    let row = rows.iter().find(|row| row.plain().contains(word))?;
    let column = row.plain().find(word)?;
    let area = Rect::new(0, 0, 80, 1);
    let mut buffer = Buffer::empty(area);
    row.draw(&mut buffer, area, 0);
    buffer.cell((u16::try_from(column).ok()?, 0)).map(|cell| (cell.fg, cell.bg))
}

fn colour(rows: &[Strip], word: &str) -> Option<Color> {
    colours(rows, word).map(|(ink, _)| ink)
}

#[test]
fn a_difference_has_the_same_letters_at_every_width() {
    let ui = settings(CodeColours::off());
    let old: Vec<String> = (1..=120).map(|n| format!("the words of line {n}\n")).collect();
    let old = old.concat();
    let new = old.replace('1', "one");
    let letters = |width| rows(&ui, &old, &new, width).iter().map(Strip::letters).sum::<usize>();
    let text: String = rows(&ui, &old, &new, 200).iter().map(Strip::plain).collect();
    assert!(text.contains("words of line 23"), "a line that is the same has two numbers");
    for width in [30, 59, 60, 120] {
        assert_eq!(letters(width), letters(200), "{width}");
    }
}

#[test]
fn lines_that_are_there_have_the_colours_of_code_and_those_that_are_gone_do_not() {
    let ui = settings(CodeColours::at_once());
    let old = "fn same() {} // note\nlet gone = \"x\";\nend\n";
    let new = "fn same() {} // note\nif true { call(\"text\") }\nend\n";
    let rows = rows(&ui, old, new, 80);
    for (word, expected) in [
        ("fn", Color::Blue),
        ("// note", Color::Gray),
        ("let", Color::Yellow),
        ("gone", Color::Yellow),
        ("\"x\"", Color::Yellow),
        ("if", Color::Blue),
        ("call", Color::Cyan),
        ("\"text\"", Color::Green),
        ("end", Color::White),
    ] {
        assert_eq!(colour(&rows, word), Some(expected), "{word}");
    }
}

#[test]
fn added_and_removed_rows_are_tinted_below_their_texts() {
    let ui = settings(CodeColours::at_once());
    let rows = rows(&ui, "same\nlet gone = one;\n", "same\nlet gone = two;\nif x {}\n", 80);
    let (added, removed) = (Color::Rgb(0x10, 0x20, 0x30), Color::Rgb(0x30, 0x20, 0x10));
    for (word, expected) in [
        ("same", (Color::White, Color::Reset)),
        ("- let", (Color::Yellow, removed)),
        ("gone", (Color::Yellow, removed)),
        ("+ let", (Color::Cyan, added)),
        ("two", (Color::Black, Color::Cyan)),
        ("if", (Color::Blue, added)),
    ] {
        assert_eq!(colours(&rows, word), Some(expected), "{word}");
    }
}

#[test]
fn lines_of_a_patch_have_numbers_as_far_as_its_headings_count_them() {
    let ui = settings(CodeColours::off());
    let patch = "--- a\n+++ b\n@@ -9,2 +9,2 @@ fn a()\n same\n-old\n\\ No newline\n+new\n+more\n@@\n+no\n\
                 @@ -1 +1 @@\n<⏎×9>\n-late\n";
    let rows = DiffRows::new(&ui, 1, 80).patch(patch, 100).into_rows();
    let texts: Vec<String> = rows.iter().map(Strip::plain).collect();
    assert_eq!(
        texts,
        [
            " --- a",
            " +++ b",
            " @@ -9,2 +9,2 @@ fn a()",
            "  9  9   same",
            " 10    - old",
            " \\ No newline",
            "    10 + new",
            " +more",
            " @@",
            " +no",
            " @@ -1 +1 @@",
            " <⏎×9>",
            " -late",
        ]
    );
}

#[test]
fn a_line_of_a_patch_is_named_by_its_file_and_its_number_there() {
    let patch = "--- a/one.rs\t2026\n+++ b/one.rs\n@@ -9,2 +9,2 @@\n same\n-old\n+new\n+more\n--- /dev/null\n\
                 +++ b/t\u{1b}wo.rs\n@@ -0,0 +1 @@\n+first\n*** Update File: three.rs\n@@ -1 +1 @@\n--- four.rs\n";
    let lines = PatchLines::of(patch);
    let places: Vec<&str> = (0..lines.count()).filter_map(|at| lines.place(at)).collect();
    assert!(!places.concat().contains('\u{1b}'), "{places:?}");
    let first = ["diff:1", "diff:2", "diff:3", "one.rs:9", "one.rs:-10", "one.rs:10", "diff:7"];
    assert_eq!(places[..7], first);
    assert!(places[10].ends_with("o.rs:1"), "{places:?}");
    assert_eq!(places[11..], ["diff:12", "diff:13", "three.rs:-1"]);
    let ui = settings(CodeColours::off());
    let rows = DiffRows::new(&ui, 1, 80);
    let each: Vec<String> =
        (0..lines.count()).flat_map(|at| rows.line_of(&lines, at)).map(|row| row.plain()).collect();
    let whole = rows.patch(patch, usize::MAX).into_rows();
    assert_eq!(each, whole.iter().map(Strip::plain).collect::<Vec<_>>());
}

#[test]
fn a_string_over_lines_goes_on_in_lines_that_were_read() {
    let ui = settings(CodeColours::at_once());
    ui.colours.begin_frame();
    let lines = ["let a = \"one", "two\"; fn b() {}"];
    let lines = lines.into_iter().enumerate().map(|(at, line)| (at + 8, line));
    let rows = DiffRows::new(&ui, 0, 80).of_file("src/b.rs").numbered(lines, 10).into_rows();
    assert_eq!(rows.iter().map(Strip::plain).collect::<Vec<_>>()[1], "9 two\"; fn b() {}");
    for (word, expected) in [("one", Color::Green), ("two", Color::Green), ("fn", Color::Blue)] {
        assert_eq!(colour(&rows, word), Some(expected), "{word}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn colours_of_code_change_no_text_of_a_difference(
        old in "([a-z\"/* {}\\\\\n日]{0,8}\n){0,6}", new in "([a-z\"/* {}\\\\\n日]{0,8}\n){0,6}", width in 12..60_usize,
    ) {
        let texts = |colours| {
            let ui = settings(colours);
            rows(&ui, &old, &new, width).iter().map(Strip::plain).collect::<Vec<_>>()
        };
        prop_assert_eq!(texts(CodeColours::at_once()), texts(CodeColours::off()));
    }
}
