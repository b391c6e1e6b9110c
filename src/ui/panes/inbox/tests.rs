//! The questions on the screen, and the digits that choose one.

use crate::protocol::DriverEvent;
use crate::ui::app::tests::fixture::*;

#[test]
fn the_inbox_shows_a_draft() {
    let mut stage = answering(80, 24);
    stage.keys("yes <esc> 2");
    insta::assert_snapshot!("inbox-80x24", stage.screen());
    let mut stage = answering(60, 20);
    stage.keys("yes <esc> 2");
    insta::assert_snapshot!("inbox-60x20", stage.screen());
}

#[test]
fn in_the_inbox_a_digit_answers_the_question_with_that_number() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = streaming(width, height);
        stage.keys("<alt+2>");
        let screen = stage.screen();
        assert!(screen.contains("1 @dba") && screen.contains("2 @orchestrator"), "{screen}");
        if width < 80 {
            let tabs = screen.lines().next().unwrap_or_default();
            assert!(!tabs.contains(['1', '3']), "digits are questions here: {tabs}");
        }
        stage.keys("2");
        let screen = stage.screen();
        assert!(screen.contains("answer 2 of 2"), "{screen}");
        let mut stage = streaming(width, height);
        stage.keys("<alt+2> 9");
        let screen = stage.screen();
        let notice = screen.lines().last().unwrap_or_default();
        assert!(notice.contains("no question"), "{screen}");
    }
    let mut stage = streaming(60, 20);
    stage.apply(DriverEvent::Inbox(Vec::new())).keys("2 3");
    assert!(stage.screen().contains("message to @orchestrator"), "without questions: a pane");
}

#[test]
fn only_numbers_that_have_a_key_are_printed() {
    let mut stage = Stage::new(60, 40);
    let many = (0..12).map(|n| {
        let (id, at) = (format!("q{n}"), format!("2026-11-21 11:{n:02}:00"));
        question(&main_dialog(), "dba", &id, "Which?", &at)
    });
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(many.collect()));
    stage.keys("<esc> <alt+2>");
    let screen = stage.screen();
    assert!(screen.contains("9 @dba") && !screen.contains("10 @dba"), "{screen}");
    stage.keys("9");
    assert!(stage.screen().contains("answer 9 of 12"));
}
