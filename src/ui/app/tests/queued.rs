//! Queued messages: shown, edited, taken back.

use std::time::Duration;

use super::fixture::*;
use crate::domain::DisplayState;
use crate::domain::text::Localized;
use crate::protocol::event::{QueuedMessage, Segment};
use crate::protocol::{Command, DriverEvent, Refusal, TreeRow};
use crate::theme::Glyphs;

pub const LONG: &str =
    "Please also look at the audit log:\nwhich rows have no owner,\nand since when?";

fn waiting(texts: &[&str]) -> TreeRow {
    let words = |(n, text): (usize, &&str)| QueuedMessage {
        message: format!("m{n}").as_str().into(),
        text: (*text).into(),
        images: Vec::new(),
    };
    TreeRow { queued: texts.iter().enumerate().map(words).collect(), ..rows().remove(0) }
}

/// The mock-up's dialog streams and has the focus; these messages wait.
pub fn stage(width: u16, height: u16, texts: &[&str]) -> Stage {
    let mut stage = streaming(width, height);
    stage.keys("3").apply(DriverEvent::Row(Box::new(waiting(texts))));
    stage
}

/// The take-back requests: ticket and message.
pub fn take_back_requests(stage: &Stage) -> Vec<(u64, String)> {
    let sent = stage.sent.iter().filter_map(|command| {
        let Command::TakeBack { ticket, dialog, message } = command else { return None };
        assert_eq!(*dialog, main_dialog());
        Some((*ticket, message.to_string()))
    });
    sent.collect()
}

fn sent_messages(stage: &Stage) -> Vec<(u64, String)> {
    let sent = stage.sent.iter().filter_map(|command| {
        let Command::Say { ticket, text, .. } = command else { return None };
        Some((*ticket, text.clone()))
    });
    sent.collect()
}

#[test]
fn a_message_sent_while_a_reply_streams_is_shown_as_queued_at_once() {
    let mut stage = streaming(80, 24);
    stage.keys("3 i wait <enter>");
    let screen = stage.screen();
    assert!(screen.contains("queued · 1") && screen.contains("sending …"), "{screen}");
    let (ticket, _) = sent_messages(&stage)[0];
    stage.apply(DriverEvent::Row(Box::new(waiting(&["wait"]))));
    let screen = stage.screen();
    assert!(screen.contains("queued · 1") && !screen.contains("sending"), "{screen}");
    stage.apply(DriverEvent::Done { ticket, dialog: Some(main_dialog()) });
    assert_eq!(stage.screen().matches("wait ").count(), screen.matches("wait ").count());
    stage.apply(DriverEvent::Row(Box::new(waiting(&[]))));
    assert!(!stage.screen().contains("queued"), "a generation has taken it");
}

#[test]
fn queued_messages_are_above_the_composer_at_every_size_one_line_each() {
    let many = vec!["Use a queue.", LONG, "And write the date into the runbook.", "Four", "Five"];
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = stage(width, height, &many);
        insta::assert_snapshot!(format!("queued-{width}x{height}"), stage.screen());
    }
}

#[test]
fn several_screens_of_text_are_one_line_with_their_length() {
    let long = "line\n".repeat(500);
    for (width, height) in [(120, 40), (40, 12)] {
        let mut stage = stage(width, height, &[&long]);
        let screen = stage.screen();
        assert!(screen.contains("500 lines"), "{screen}");
        assert!(screen.contains("message to @orche"), "{screen}");
    }
}

#[test]
fn up_on_an_empty_line_takes_the_newest_message_back() {
    let drafts = Notebook::default();
    let mut stage = Stage::with(80, 24, drafts.clone(), &Glyphs::UTF8);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(STORY).apply(DriverEvent::Row(Box::new(waiting(&["one", LONG]))));
    stage.keys("3 i <up>");
    let screen = stage.screen();
    assert!(screen.contains("queued · 1") && screen.contains("› Please also"), "{screen}");
    assert_eq!(take_back_requests(&stage)[0].1, "m1");
    let draft = drafts.get(&format!("message/{}", main_dialog()));
    assert_eq!(draft.as_deref(), Some(LONG), "a crash now loses nothing");
    stage.keys("! <enter>");
    assert_eq!(sent_messages(&stage), [], "it is not known yet whether it is the person's");
    let ticket = take_back_requests(&stage)[0].0;
    stage.apply(DriverEvent::Row(Box::new(waiting(&["one"]))));
    stage.apply(DriverEvent::Done { ticket, dialog: Some(main_dialog()) });
    assert!(stage.screen().contains("taken back"));
    stage.keys("<enter>");
    assert_eq!(sent_messages(&stage)[0].1, format!("{LONG}!"));
}

#[test]
fn a_message_already_taken_is_removed_from_the_composer_and_reported() {
    for (typed, left) in [("", ""), ("x", "onex")] {
        let mut stage = stage(80, 24, &["one"]);
        stage.keys("i <up>");
        stage.type_text(typed);
        let ticket = take_back_requests(&stage)[0].0;
        stage.apply(DriverEvent::Row(Box::new(waiting(&[]))));
        let text = Refusal::TakenAlready.into();
        stage.apply(DriverEvent::Refused { ticket, text });
        let screen = stage.screen();
        assert!(screen.contains("it was taken already"), "{screen}");
        let composer = screen.lines().rev().nth(1).unwrap_or_default();
        assert!(composer.trim_end().ends_with(&format!("› {left}").trim_end()), "{composer}");
    }
}

#[test]
fn typed_text_is_kept_below_a_message_taken_back() {
    let mut stage = stage(80, 24, &["one"]);
    stage.keys("i half <alt+q> e");
    let screen = stage.screen();
    assert!(screen.contains("› one") && screen.contains("half"), "{screen}");
    let ticket = take_back_requests(&stage)[0].0;
    stage.apply(DriverEvent::Refused { ticket, text: Localized::same("taken") });
    assert!(stage.screen().contains("› half"));
}

#[test]
fn the_up_key_recalls_sent_messages_if_none_is_queued() {
    let mut stage = stage(80, 24, &[]);
    stage.keys("i hello <enter> <up>");
    assert!(stage.screen().contains("› hello"));
    assert_eq!(take_back_requests(&stage), []);
}

#[test]
fn only_a_message_not_taken_at_once_is_shown_as_queued() {
    let mut stage = Stage::new(80, 24);
    let idle = |texts: &[&str]| TreeRow { state: DisplayState::Idle, ..waiting(texts) };
    stage.apply(DriverEvent::Rows(vec![idle(&[])])).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(&STORY[..10]).keys("3 i now <enter>");
    stage.apply(DriverEvent::Row(Box::new(idle(&["now"]))));
    assert!(!stage.screen().contains("queued"));
    assert!(stage.app.wake_at().is_some_and(|at| at <= stage.now + Duration::from_millis(250)));
    stage.wait(Duration::from_millis(250));
    assert!(stage.app.take_dirty() && stage.screen().contains("queued · 1"));
}

#[test]
fn a_message_queued_for_a_side_dialog_is_shown_there_only() {
    let mut stage = stage(80, 24, &[]);
    let words =
        QueuedMessage { message: "s".into(), text: "short, please".into(), images: Vec::new() };
    let side_row = TreeRow { queued: [words].into(), ..rows().remove(1) };
    stage.apply(DriverEvent::Row(Box::new(side_row)));
    assert!(!stage.screen().contains("short, please"));
    stage.keys("1 j <enter>").page(&[]);
    stage.live(&side("r"), Segment::Saying, "I look at");
    assert!(stage.screen().contains("short, please"));
}
