//! Answering: options that are picked, words beside them, and the question while one scrolls.

use super::fixture::*;
use crate::protocol::{Command, InboxRow, UiEvent};

fn answers(stage: &Stage) -> Vec<&str> {
    let sent = stage.sent.iter();
    sent.filter_map(|command| {
        let Command::Answer { text, .. } = command else {
            return None;
        };
        Some(text.as_str())
    })
    .collect()
}

/// A stage on which the main dialog asks this.
fn asked(width: u16, height: u16, text: &str) -> Stage {
    let call = serde_json::json!({
        "ts": "2026-11-21 12:01:00", "type": "tellask_call_record", "genseq": 14, "id": "q9",
        "name": "askHuman", "deliveryMode": "tellask_call_start",
        "rawArgumentsText": serde_json::json!({ "tellaskContent": text }).to_string(),
    });
    let row: InboxRow = question(&main_dialog(), "orchestrator", "q9", text, "2026-11-21 12:01:00");
    let mut stage = Stage::new(width, height);
    stage.tell(UiEvent::Workspace(workspace()));
    stage.tell(UiEvent::Rows(rows())).tell(UiEvent::Inbox(vec![row]));
    let mut story = STORY.to_vec();
    let call = call.to_string();
    story.push(&call);
    stage.page(&story);
    stage
}

fn line<'a>(screen: &'a str, text: &str) -> &'a str {
    screen.lines().find(|line| line.contains(text)).unwrap_or_default()
}

#[test]
fn picking_an_option_marks_it_and_records_its_text_not_its_letter() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let mut stage = answering(width, height);
        assert!(!stage.screen().contains('✓') || width > 60);
        stage.keys("b");
        let screen = stage.screen();
        assert!(line(&screen, "b  keep it for 90 days").contains("✓ b  keep it"), "{screen}");
        assert!(!line(&screen, "c  keep it").contains('✓'), "{screen}");
        assert!(line(&screen, "› b").contains("b  ✓ keep it for 90 days"), "{screen}");
        stage.keys("<enter>");
        assert_eq!(answers(&stage), ["keep it for 90 days, then drop"]);
    }
}

#[test]
fn words_may_follow_the_letter_of_an_option() {
    let mut stage = answering(120, 40);
    stage.type_text("b, and write the date into the runbook");
    let screen = stage.screen();
    assert!(screen.contains("✓ b  keep it for 90 days, then drop"), "{screen}");
    stage.keys("<enter>");
    assert_eq!(
        answers(&stage),
        ["keep it for 90 days, then drop, and write the date into the runbook"]
    );
}

#[test]
fn words_that_begin_like_an_option_stay_words() {
    for text in ["because of the restore", "a week, then drop it", "neither"] {
        let mut stage = answering(120, 40);
        stage.type_text(text);
        let screen = stage.screen();
        for key in ["a", "b", "c"] {
            assert!(!screen.contains(&format!("✓ {key}  ")), "{screen}");
        }
        stage.keys("<enter>");
        assert_eq!(answers(&stage), [text]);
    }
}

#[test]
fn yes_and_no_are_options_in_a_list_and_in_the_line() {
    for text in ["Drop it?\n\n- yes\n- no", "Drop it? (yes/no)"] {
        let mut stage = asked(80, 24, text);
        stage.keys("n");
        let screen = stage.screen();
        assert!(screen.contains("    y  yes") && screen.contains("  ✓ n  no"), "{screen}");
        stage.keys("<enter>");
        assert_eq!(answers(&stage), ["no"], "{text}");
    }
}

#[test]
fn an_answered_question_shows_which_option_was_taken() {
    let mut stage = asked(80, 24, "Drop it?\n\n- yes\n- no");
    let (_, dialog) = stage.last_open();
    let result = r#"{"ts":"2026-11-21 12:02:00","type":"tellask_result_record","callId":"q9","status":"completed","content":"yes","responder":{"responderId":"human"},"callName":"askHuman","call":{"tellaskContent":"Drop it?"}}"#;
    stage.fact(&dialog, 12, result).tell(UiEvent::Inbox(Vec::new()));
    let screen = stage.screen();
    assert!(screen.contains("  ✓ y  yes") && screen.contains("    n  no"), "{screen}");
}

#[test]
fn a_refused_pick_comes_back_as_it_was_typed() {
    let mut stage = asked(80, 24, "Drop it? (yes/no)");
    stage.keys("n <enter>");
    let ticket = stage.sent.iter().find_map(|command| match command {
        Command::Answer { ticket, .. } => Some(*ticket),
        _ => None,
    });
    let ticket = ticket.expect("an answer");
    stage.tell(UiEvent::Refused { ticket, text: "not now".to_owned() }).keys("<alt+a>");
    let screen = stage.screen();
    assert!(screen.contains("› n  ✓ no") && screen.contains("  ✓ n  no"), "{screen}");
}
