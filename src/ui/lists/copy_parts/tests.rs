//! The parts of a block are listed and copied.

use crate::Effect;
use crate::app::tests::fixture::{Stage, rows, words};
use crate::domain::Lang;
use crate::protocol::DriverEvent;

pub const TEXT: &str = "See https://a.example/b and [more](https://c.example).\n\n```rust\nfn a() {}\n\nfn b() {}\n```\n\n```\nls -l\n```\n\n[last](https://d.example)";

pub fn with_parts(width: u16, height: u16, lang: Lang, text: &str) -> Stage {
    let mut stage = match lang {
        Lang::En => Stage::new(width, height),
        Lang::Zh => Stage::chinese(width, height),
    };
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(&[&words(text)]).keys("3").screen();
    stage.keys("p");
    stage
}

fn effects(stage: &mut Stage) -> Vec<String> {
    let text = |effect| match effect {
        Effect::Copy(text) => Some(text.as_str().to_owned()),
        Effect::WriteFile { text, .. } => Some(format!("file: {}", text.as_str())),
        Effect::Quit
        | Effect::Ended
        | Effect::Detach
        | Effect::Suspend
        | Effect::Redraw
        | Effect::Title(_)
        | Effect::UseMouse(_)
        | Effect::TakeImage(_)
        | Effect::Ring(_)
        | Effect::Set(_)
        | Effect::WriteDialog { .. }
        | Effect::Program(_) => None,
    };
    stage.app.take_effects().into_iter().filter_map(text).collect()
}

#[test]
fn the_parts_of_a_block_are_listed_with_the_last_code_block_chosen() {
    let mut stage = with_parts(40, 12, Lang::Zh, TEXT);
    insta::assert_snapshot!("parts-zh-40x12", stage.screen());
}

#[test]
fn a_part_is_copied_or_written_and_the_list_closes() {
    for (keys, expected) in [
        ("y", "ls -l"),
        ("<enter>", "ls -l"),
        ("k y", "fn a() {}\n\nfn b() {}"),
        ("j y", "https://d.example"),
        ("k k y", "https://c.example"),
        ("k k k k y", TEXT),
        ("Y", "file: ls -l"),
    ] {
        let mut stage = with_parts(80, 24, Lang::En, TEXT);
        stage.keys(keys);
        assert_eq!(effects(&mut stage), [expected], "{keys}");
        assert!(!stage.screen().contains("COPY"), "{keys}");
    }
}

#[test]
fn a_plain_block_has_itself_alone() {
    let mut stage = with_parts(80, 24, Lang::En, "plain");
    assert!(stage.screen().contains("all of it  plain"));
    stage.keys("j j <enter>");
    assert_eq!(effects(&mut stage), ["plain"]);
}
