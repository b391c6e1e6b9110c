//! Copying from the open dialog.

use super::fixture::*;
use crate::Effect;
use crate::copies::CopyOutcome;
use crate::protocol::DriverEvent;
use crate::protocol::event::Segment;
use crate::text::CopyText;

const CODE: &str = "Two ways, see https://a.example/b.\n\n```rust\nfn a() {}\n```\n\nor\n\n```sh\nls\t-l\n```\nDone.";

/// The open dialog with these records, idle, with the focus on it.
fn reading(width: u16, height: u16, lines: &[&str]) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(lines).keys("3").screen();
    stage
}

/// What was copied since the last call.
fn copied(stage: &mut Stage) -> Vec<String> {
    stage.screen();
    let effects = stage.app.take_effects().into_iter();
    let texts = effects.filter_map(|effect| {
        if let Effect::Copy(text) = effect { Some(text.as_str().to_owned()) } else { None }
    });
    texts.collect()
}

fn notice(stage: &mut Stage) -> String {
    stage.screen().lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_block_is_copied_as_the_model_wrote_it() {
    let mut stage = reading(80, 24, &[&words("first"), &words(CODE)]);
    stage.keys("y");
    assert_eq!(copied(&mut stage), [CODE]);
    stage.keys("g y");
    assert_eq!(copied(&mut stage), ["first"]);
}

#[test]
fn the_last_code_block_is_copied_with_one_key_from_the_end_of_a_dialog() {
    let mut stage = reading(80, 24, &[&words(CODE), &words("no code"), &words("nor here")]);
    stage.keys("b");
    assert_eq!(copied(&mut stage), ["ls\t-l"]);
    let mut stage = reading(80, 24, &[&words("no code")]);
    stage.keys("b");
    assert_eq!(copied(&mut stage), [""; 0]);
    assert!(notice(&mut stage).contains("no code block here or above"));
}

#[test]
fn text_that_is_still_written_can_be_copied_as_far_as_it_is_there() {
    let mut stage = reading(80, 24, &[&words("first")]);
    stage.live(&main_dialog(), Segment::Saying, "half a \u{1b}sen").screen();
    stage.keys("y");
    assert_eq!(copied(&mut stage), ["half a ␛sen"]);
}

#[test]
fn commands_to_the_terminal_are_copied_as_visible_symbols() {
    let mut stage = reading(80, 24, &[&words("a\u{1b}]52;c;x\u{7}\u{202e}b")]);
    stage.keys("y");
    assert_eq!(copied(&mut stage), ["a␛]52;c;x␇<202E>b"]);
    stage.keys("V y");
    assert_eq!(copied(&mut stage), ["@orchestrator"], "the selection begins at the head");
}

#[test]
fn lines_are_selected_and_copied_as_they_are_drawn() {
    let mut stage =
        reading(80, 24, &[&words("first"), &words("one\n\ntwo  three"), &words("last")]);
    stage.keys("k V j j j y");
    assert_eq!(copied(&mut stage), ["@orchestrator\none\n\ntwo  three"]);
    stage.keys("y");
    assert_eq!(copied(&mut stage), ["one\n\ntwo  three"], "the selection has ended");
    stage.keys("V k k y");
    assert_eq!(copied(&mut stage), ["first\n\n@orchestrator"]);
}

#[test]
fn lines_of_code_are_copied_without_the_mark_before_them() {
    let code = format!("```rust\nfn a() {{\n    {}\n}}\n```", "x".repeat(60));
    let mut stage = reading(60, 20, &[&words(&code)]);
    stage.keys("V j j j j j y");
    let text = copied(&mut stage).concat();
    assert!(text.starts_with("@orchestrator\nrust\nfn a() {\n    xxx"), "{text}");
    assert!(text.ends_with("x\n}") && !text.contains(['▏', '↪']), "{text}");
}

#[test]
fn escape_ends_a_selection_before_it_leaves_the_dialog() {
    let mut stage = reading(80, 24, &[&words("first"), &words("second")]);
    stage.keys("V").screen();
    assert!(notice(&mut stage).contains("Y to a file"), "{}", notice(&mut stage));
    stage.keys("<esc> y");
    assert_eq!(copied(&mut stage), ["second"]);
    stage.keys("V V y");
    assert_eq!(copied(&mut stage), ["second"], "a second V ends it too");
}

#[test]
fn a_selection_stays_while_new_text_arrives_and_is_cut_off_by_nothing() {
    let long = (0..60).fold(String::new(), |text, n| text + &format!("line {n}\n\n"));
    for (width, height) in [(120, 40), (40, 12)] {
        let mut stage = reading(width, height, &[&words("first"), &words(&long)]);
        stage.keys("g V").screen();
        for _ in 0..100 {
            stage.keys("j").screen();
        }
        stage.live(&main_dialog(), Segment::Saying, "more\nand more\n");
        stage.fact(&main_dialog(), 2, &words("recorded")).screen();
        stage.keys("y");
        let text = copied(&mut stage).concat();
        assert!(text.starts_with("@orchestrator\nfirst\n\n@orchestrator\nline 0\n"), "{text}");
        assert!(text.contains("\nline 40") && !text.contains("recorded"), "{text}");
        stage.keys("V <pagedown> <pagedown> G y");
        assert!(copied(&mut stage).concat().contains("recorded"), "it reaches to the end");
    }
}

#[test]
fn a_selection_ends_with_another_width_or_another_dialog() {
    let mut stage = reading(80, 24, &[&words("first"), &words("second")]);
    stage.keys("V j").screen();
    stage.resize(60, 20);
    stage.screen();
    stage.keys("y");
    assert_eq!(copied(&mut stage), ["second"]);
    stage.keys("V").screen();
    stage.keys("1 g j j <enter>").page(&[&words("other")]).screen();
    stage.keys("y");
    assert_eq!(copied(&mut stage), ["other"]);
}

#[test]
fn without_a_block_nothing_is_copied() {
    let mut stage = reading(80, 24, &[]);
    for key in ["y", "Y", "b", "p"] {
        stage.keys(key);
        assert_eq!(copied(&mut stage), [""; 0], "{key}");
    }
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
    for key in ["y", "Y", "b", "p", "V"] {
        stage.keys("3").keys(key);
        assert!(notice(&mut stage).contains("no dialog is open"), "{key}");
    }
}

#[test]
fn a_file_is_named_after_the_member_and_the_time() {
    let mut stage = reading(80, 24, &[&words("text")]);
    stage.keys("Y").screen();
    let name = "orchestrator-20261121-120300.md".to_owned();
    let expected = Effect::WriteFile { name, text: CopyText::clean("text") };
    assert!(stage.app.take_effects().contains(&expected));
    stage.app.copied(&CopyOutcome::Written { path: "~/copies/a.md".to_owned() });
    assert!(notice(&mut stage).contains("written: ~/copies/a.md"));
}

#[test]
fn in_the_tree_a_whole_dialog_is_written_to_a_file_named_after_its_member() {
    let mut stage = streaming(80, 24);
    stage.keys("1 g j j Y");
    let effects = stage.app.take_effects();
    let written = effects.iter().find_map(|effect| {
        let Effect::WriteDialog { name, dialog } = effect else { return None };
        Some((name.clone(), dialog.clone()))
    });
    let (name, dialog) = written.expect("a dialog is written");
    let stem = name.strip_suffix(".md").expect("Markdown");
    assert!(stem.starts_with("researcher-20261121"), "{name}");
    assert_ne!(dialog, main_dialog());
    stage.keys("g Y");
    let screen = stage.screen();
    assert!(screen.contains("choose a dialog first"), "a Taskdoc is no dialog\n{screen}");
}
