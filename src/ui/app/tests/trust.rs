//! A key that waits for consent.

use super::fixture::*;
use crate::domain::KeyUse;
use crate::protocol::{Command, HeldKey, UiEvent};

fn key(host: &str) -> KeyUse {
    KeyUse { variable: "OPENAI_API_KEY".to_owned(), address: format!("https://{host}") }
}

/// The main dialog has stopped because of its key, and is open.
fn stage(width: u16, height: u16, host: &str) -> Stage {
    let mut stage = streaming(width, height);
    stage.tell(held(host));
    stage
}

/// What the driver tells when a dialog stops because of this key.
fn held(host: &str) -> UiEvent {
    let held = HeldKey { key: key(host), file: ".minds/llm.yaml".to_owned() };
    UiEvent::KeyHeld { dialog: main_dialog(), held }
}

/// The person lets the open dialog go on, and the driver finds that its key still waits.
fn go_on(stage: &mut Stage, host: &str) {
    stage.keys("3 c");
    assert_eq!(sent(stage).pop(), Some(format!("continue {}", main_dialog().this)));
    stage.sent.clear();
    stage.tell(held(host));
}

/// What was sent about keys and going on.
fn sent(stage: &Stage) -> Vec<String> {
    let told = stage.sent.iter().filter_map(|command| {
        if let Command::Trust { key, .. } = command {
            return Some(format!("trust {key}"));
        }
        let Command::Continue { dialog, .. } = command else { return None };
        Some(format!("continue {}", dialog.this))
    });
    told.collect()
}

#[test]
fn a_key_that_waits_is_asked_about_by_variable_host_and_file() {
    for (width, height) in [(80, 24), (60, 20)] {
        let mut stage = stage(width, height, "evil.example:8443");
        go_on(&mut stage, "evil.example:8443");
        insta::assert_snapshot!(format!("trust-{width}x{height}"), stage.screen());
    }
}

#[test]
fn nothing_asks_before_a_person_lets_the_dialog_go_on() {
    let mut stage = stage(80, 24, "evil.example");
    assert!(stage.screen().contains("a key waits for consent"));
    stage.keys("3 i");
    stage.type_text("y");
    stage.screen();
    assert_eq!(sent(&stage), [""; 0]);
}

#[test]
fn yes_trusts_and_goes_on_in_this_order_and_no_does_nothing() {
    let goes_on = format!("continue {}", main_dialog().this);
    let trusts = format!("trust {}", key("evil.example"));
    for (keys, expected) in [
        ("y", vec![trusts.clone(), goes_on.clone()]),
        ("n", Vec::new()),
        ("<enter>", Vec::new()),
        ("n c", vec![goes_on.clone()]),
        ("y c", vec![trusts, goes_on.clone(), goes_on]),
    ] {
        let mut stage = stage(80, 24, "evil.example");
        go_on(&mut stage, "evil.example");
        stage.screen();
        stage.keys(keys);
        assert_eq!(sent(&stage), expected, "{keys}");
    }
}

#[test]
fn after_consent_wherever_it_was_given_one_key_lets_a_dialog_go_on() {
    let mut stage = stage(80, 24, "evil.example");
    stage.keys("3 c");
    assert_eq!(sent(&stage), [format!("continue {}", main_dialog().this)]);
    assert!(!stage.screen().contains("Do you agree"), "nobody asks what is agreed to");
}

#[test]
fn a_question_about_a_key_never_comes_between_a_person_and_what_they_type() {
    for keys in ["3 c i", "3 c 1", "3 c ?"] {
        let mut stage = stage(80, 24, "evil.example");
        stage.keys(keys);
        stage.tell(held("evil.example"));
        let screen = stage.screen();
        assert!(!screen.contains("Do you agree"), "{screen}");
        assert!(screen.contains("a key waits for consent"), "{screen}");
    }
}

#[test]
fn what_was_not_wholly_on_the_screen_cannot_be_agreed_to() {
    let host = |length| format!("api.openai.com.{}.evil.example", "a".repeat(length));
    for (width, height, length, agreed) in
        [(80, 24, 200, true), (40, 12, 100, true), (40, 12, 200, false), (30, 8, 0, false)]
    {
        let mut stage = stage(width, height, &host(length));
        go_on(&mut stage, &host(length));
        let shown = stage.screen();
        stage.keys("y");
        assert_eq!(!sent(&stage).is_empty(), agreed, "{width}x{height}\n{shown}");
    }
    let mut stage = stage(80, 24, "evil.example");
    go_on(&mut stage, "evil.example");
    stage.keys("y");
    assert_eq!(sent(&stage), [""; 0], "nothing was drawn yet");
}
