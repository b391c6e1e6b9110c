//! A streamed answer is Markdown at once: closed blocks stay where they are, also when the record arrives.

use super::fixture::*;
use crate::protocol::DriverEvent;
use crate::protocol::event::Segment;

/// An answer with every kind of block.
fn answer() -> String {
    let part = |n: usize| {
        format!(
            "## Part {n}\n\nThe **cookie** of part {n} must be rotated before the second factor, otherwise it \
             can be [replayed](https://a.example/{n}).\n\n1. first of {n}\n2. second, 你好，世界, of {n}\n   \
             - deep\n\n```rust\nfn part_{n}() {{\n\n    a();\n}}\n```\n\n| a | b |\n|---|--:|\n| {n} | 1 |\n\n\
             > said of {n}\n\n---\n\n"
        )
    };
    (0..6).map(part).collect()
}

/// Returns the rows of the dialog without the last, which counts new rows.
fn text_rows(stage: &mut Stage) -> Vec<String> {
    let screen = stage.screen();
    let rows = screen.lines().skip(2).take_while(|row| !row.contains("message to"));
    let mut rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
    rows.pop();
    assert!(rows.len() > 4, "{screen}");
    rows
}

#[test]
fn whoever_reads_above_the_end_keeps_every_row_while_text_streams_and_at_its_record() {
    let text = answer();
    let letters: Vec<char> = text.chars().collect();
    for (width, height) in [(40, 12), (60, 20), (80, 24), (120, 40)] {
        for chunk in [3, 50] {
            let mut stage = streaming(width, height);
            stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
            stage.keys("3 z").screen();
            let (first, rest) = letters.split_at(letters.len() / 2);
            for part in first.chunks(chunk) {
                stage.live(&main_dialog(), Segment::Saying, &part.iter().collect::<String>());
                stage.screen();
            }
            stage.keys("<ctrl+u> <ctrl+u>");
            let read = text_rows(&mut stage);
            let is_code = |row: &String| row.contains("a();") || row.contains("of part");
            assert!(read.iter().any(is_code), "{read:#?}");
            for part in rest.chunks(chunk) {
                stage.live(&main_dialog(), Segment::Saying, &part.iter().collect::<String>());
            }
            assert_eq!(text_rows(&mut stage), read, "{width}x{height}: while it streams");
            stage.fact(&main_dialog(), 11, &words(&text));
            assert_eq!(text_rows(&mut stage), read, "{width}x{height}: at the record");
            stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
            assert_eq!(text_rows(&mut stage), read, "{width}x{height}: at the end");
        }
    }
}

#[test]
fn whoever_follows_sees_the_same_rows_before_and_after_the_record() {
    for (width, height) in [(40, 12), (60, 20), (80, 24), (120, 40)] {
        let mut stage = streaming(width, height);
        stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
        stage.keys("3 z").screen();
        for part in
            answer().as_bytes().utf8_chunks().flat_map(|chunk| chunk.valid().split_inclusive(' '))
        {
            stage.live(&main_dialog(), Segment::Saying, part);
            stage.screen();
        }
        let before = text_rows(&mut stage);
        assert!(before.iter().any(|row| row.contains("│ said of 5")), "{before:#?}");
        stage.fact(&main_dialog(), 11, &words(&answer()));
        assert_eq!(text_rows(&mut stage), before, "{width}x{height}");
    }
}

#[test]
fn another_width_while_text_streams_shows_what_the_record_shows_there() {
    let mut stage = streaming(120, 40);
    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
    stage.live(&main_dialog(), Segment::Saying, &answer()).keys("3 z").screen();
    for (width, height) in [(60, 20), (40, 12), (80, 24)] {
        stage.resize(width, height);
        let live = text_rows(stage.keys("G"));
        let mut recorded = streaming(width, height);
        recorded.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
        recorded.fact(&main_dialog(), 11, &words(&answer()));
        assert_eq!(live, text_rows(recorded.keys("3 z G")), "{width}x{height}");
    }
}

#[test]
fn text_of_an_attempt_that_failed_leaves_nothing_behind() {
    let mut stage = streaming(80, 24);
    stage.keys("3 z").screen();
    stage.live(&main_dialog(), Segment::Saying, &answer()).screen();
    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
    assert!(!stage.screen().contains("Part"));
    stage.live(&main_dialog(), Segment::Saying, "## Again\n\nand *more*");
    let screen = stage.screen();
    assert!(screen.contains("Again") && screen.contains("and more"), "{screen}");
    assert!(!screen.contains("## Again"), "{screen}");
}
