//! Typing, pasting, the history and the caret.

use super::*;
use crate::protocol::Command;
use crate::ui::app::tests::fixture::*;

fn says(stage: &Stage) -> Vec<(&DialogId, &str)> {
    let sent = stage.sent.iter();
    sent.filter_map(|command| {
        let Command::Say { dialog, text, .. } = command else {
            return None;
        };
        Some((dialog, text.as_str()))
    })
    .collect()
}

#[test]
fn earlier_messages_are_recalled_in_an_empty_field_only() {
    let mut composer = Composer::default();
    composer.remember("one");
    composer.remember("two");
    assert!(composer.recall_earlier());
    assert_eq!(composer.field.text(), "two");
    assert!(composer.recall_earlier() && composer.recall_earlier());
    assert_eq!(composer.field.text(), "one");
    assert!(composer.recall_later() && composer.recall_later());
    assert!(composer.field.is_empty());
    composer.field.set("mine");
    assert!(!composer.recall_earlier());
    assert_eq!(composer.field.text(), "mine");
}

#[test]
fn typed_text_is_sent_to_the_open_dialog_and_recalled_with_the_up_key() {
    let mut stage = streaming(120, 40);
    stage.keys("i hello <alt+enter> you <enter>");
    assert_eq!(says(&stage), [(&main_dialog(), "hello\nyou")]);
    assert!(!stage.screen().contains("› hello"));
    stage.keys("<up>");
    assert!(stage.screen().contains("› hello"));
}

#[test]
fn pasted_text_never_triggers_actions() {
    let mut stage = streaming(120, 40);
    stage.keys("i");
    let sent = stage.app.paste("q\n\u{1b}[201~y\n");
    assert!(sent.is_empty() && says(&stage).is_empty());
    let screen = stage.screen();
    assert!(screen.contains("› q") && screen.contains("[201~y"), "{screen}");
}

#[test]
fn the_terminal_cursor_is_at_the_caret() {
    let mut stage = streaming(120, 40);
    stage.keys("i 你好");
    let screen = stage.screen();
    let (x, y) = stage.cursor();
    let line = screen.lines().nth(usize::from(y)).expect("a line");
    let before: String = line.chars().take_while(|c| *c != '好').collect();
    assert_eq!(usize::from(x), crate::ui::text::width::width(&before) + 2, "{line}");
}

#[test]
fn ctrl_u_deletes_to_the_start_of_the_line_as_in_a_shell() {
    let mut stage = streaming(80, 24);
    stage.keys("i").type_text("wrong words");
    stage.keys("<ctrl+u> right <enter>");
    let said = stage
        .sent
        .iter()
        .any(|command| matches!(command, Command::Say { text, .. } if text == "right"));
    assert!(said, "{:?}", stage.sent);
}
