//! The screen before and after the first load, stop reasons, and the count of new blocks below the
//! view.

use std::time::Duration;

use super::fixture::*;
use crate::domain::latest::StopReason;
use crate::domain::text::Localized;
use crate::domain::{DialogId, DisplayState};
use crate::protocol::event::Segment;
use crate::protocol::{DriverEvent, RetryView, TreeRow};
use crate::ui::app::Effect;
use crate::ui::lang::Word;

fn titles(stage: &mut Stage) -> Vec<Effect> {
    let effects = stage.app.take_effects().into_iter();
    effects.filter(|effect| matches!(effect, Effect::Title(_))).collect()
}

#[test]
fn the_title_counts_open_questions_from_the_first_frame_on() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows()));
    assert_eq!(titles(&mut stage), []);
    stage.apply(DriverEvent::Inbox(questions()));
    assert_eq!(titles(&mut stage), [Effect::Title(2)], "before the first frame that shows them");
    stage.apply(DriverEvent::Inbox(questions().split_off(1)));
    assert_eq!(titles(&mut stage), [Effect::Title(1)]);
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    assert_eq!(titles(&mut stage), [], "nothing is counted where nothing waits");
    stage.apply(DriverEvent::Inbox(questions()));
    assert_eq!(titles(&mut stage), [Effect::Title(2)]);
}

#[test]
fn nothing_is_reported_as_empty_before_it_is_loaded() {
    let missing = [Word::NothingOpen, Word::NoTarget, Word::NoDialogs, Word::NothingWaits];
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = Stage::new(width, height);
        let nothing = |screen: &str| {
            let words = missing.iter().map(|word| word.text(crate::domain::Lang::En));
            words.filter(|word| screen.contains(*word)).count()
        };
        assert_eq!(nothing(&stage.screen()), 0, "{}", stage.screen());
        stage.apply(DriverEvent::Workspace(workspace())).apply(DriverEvent::Rows(rows()));
        assert_eq!(nothing(&stage.screen()), 0, "{}", stage.screen());
        stage.apply(DriverEvent::Inbox(questions()));
        assert_eq!(nothing(&stage.screen()), 0, "{}", stage.screen());
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
        assert!(nothing(&stage.screen()) > 0, "then it is: {}", stage.screen());
    }
}

const WHY: &str = "the provider refused the request (401): the key in OPENAI_API_KEY is not \
accepted for the project proj_12345; check the key, then continue.\nIt was sent to \
https://api.example.com/v1/chat/completions";

/// The text right of the left column, without blanks: line breaks do not matter.
fn letters(screen: &str, left: usize) -> String {
    screen.lines().flat_map(|line| line.chars().skip(left)).filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn a_stop_reason_is_readable_in_full_at_every_size() {
    for (width, height, left) in [(120, 40, 37), (80, 24, 29), (60, 20, 0), (40, 12, 0)] {
        let mut stage = Stage::new(width, height);
        let shown = DisplayState::Stopped {
            reason: StopReason::system(Localized::same(WHY)),
            continue_enabled: Some(true),
        };
        let stopped = TreeRow { state: shown, ..rows().remove(0) };
        stage
            .apply(DriverEvent::Rows(vec![stopped]))
            .apply(DriverEvent::Inbox(Vec::new()))
            .page(&[])
            .keys("3");
        let screen = stage.screen();
        assert!(screen.contains("c continues it"), "{screen}");
        let (shown, all) = (letters(&screen, left), letters(WHY, 0));
        if height > 12 {
            assert!(shown.contains(&all), "{screen}");
        } else {
            // Longer than the pane: it scrolls like everything else.
            assert!(shown.contains(&all[60..160]), "{screen}");
            stage.keys("g");
            assert!(letters(&stage.screen(), left).contains(&all[..120]), "{}", stage.screen());
        }
        if width < 120 && height > 12 {
            insta::assert_snapshot!(format!("stopped-{width}x{height}"), screen);
        }
    }
}

#[test]
fn the_error_of_a_retried_request_is_readable_in_full() {
    let mut stage = Stage::new(60, 20);
    stage
        .apply(DriverEvent::Rows(rows()))
        .apply(DriverEvent::Inbox(Vec::new()))
        .page(&[])
        .keys("3");
    let retry = RetryView::Waiting { error: Localized::same(WHY), seconds: 30 };
    stage.apply(DriverEvent::Retry { dialog: main_dialog(), retry });
    let screen = stage.screen();
    assert!(letters(&screen, 0).contains(&letters(WHY, 0)), "{screen}");
}

/// Fifty lines of text, scrolled up by one step; the newest is number 49.
fn scrolled(width: u16, height: u16) -> (Stage, DialogId) {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let long: Vec<String> = (0..50).map(|n| words(&format!("word {n}"))).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    stage.page(&long).keys("3").screen();
    stage.keys("<ctrl+u>").screen();
    (stage, main_dialog())
}

/// The number of the count in the last row above the composer, if there is one.
fn counted(stage: &mut Stage) -> Option<usize> {
    let screen = stage.screen();
    let line = screen.lines().find(|line| line.contains('↓'))?.to_owned();
    let number = line.split('↓').nth(1)?.split_whitespace().next()?.parse().ok();
    assert!(line.split('↓').next()?.trim_matches([' ', '│']).is_empty(), "over text: {line}");
    number
}

#[test]
fn the_count_of_new_blocks_counts_what_was_never_in_view() {
    let (mut stage, dialog) = scrolled(60, 20);
    assert_eq!(counted(&mut stage), None, "what was there is not new");
    for n in 50..54 {
        stage.fact(&dialog, n, &words(&format!("word {n}")));
    }
    assert_eq!(counted(&mut stage), Some(4));
    for _ in 0..40 {
        stage.keys("j");
        let screen = stage.screen();
        let newest = (50..54).rev().find(|n| screen.contains(&format!("word {n}")));
        let left = newest.map_or(4, |newest| 53 - newest);
        assert_eq!(counted(&mut stage), (left > 0).then_some(left), "{screen}");
    }
    stage.keys("<ctrl+u>");
    assert_eq!(counted(&mut stage), None, "it was seen");
}

#[test]
fn streamed_text_counts_as_new_once_and_not_again_when_recorded() {
    let mut stage = streaming(60, 20);
    stage.keys("3").screen();
    stage.keys("k");
    assert_eq!(counted(&mut stage), None, "nothing came since");
    stage.live(&main_dialog(), Segment::Saying, "\n\nand more\n\nand more\n\nand more");
    assert_eq!(counted(&mut stage), Some(1));
    let all = "Good. While that runs: the cookie must be rotated first, otherwise the second \
        factor can be skipped by replaying\n\nand more\n\nand more\n\nand more";
    stage.fact(&main_dialog(), 11, &words(all));
    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
    assert_eq!(counted(&mut stage), Some(1));
    stage.fact(&main_dialog(), 12, &words("next"));
    assert_eq!(counted(&mut stage), Some(2));
    stage.wait(Duration::from_secs(1)).keys("G");
    assert_eq!(counted(&mut stage), None);
}

#[test]
fn unfolding_is_nothing_new() {
    let mut stage = streaming(120, 40);
    stage.keys("3").screen();
    stage.keys("k").screen();
    stage.keys("t o");
    assert_eq!(counted(&mut stage), None);
}

#[test]
fn a_stop_reason_is_shown_in_the_language_of_the_screen() {
    let mut stage = Stage::chinese(80, 24);
    let row = TreeRow { state: stopped(), ..rows().remove(0) };
    stage
        .apply(DriverEvent::Rows(vec![row]))
        .apply(DriverEvent::Inbox(Vec::new()))
        .page(&[])
        .keys("3");
    let screen = stage.screen();
    assert!(screen.contains("■ 由你停止  c 继续"), "{screen}");
}

#[test]
fn a_stop_reason_at_the_end_is_shown_from_its_first_line() {
    for (width, height) in [(60, 20), (40, 12)] {
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let said = words("a word that was said");
        stage.page(&[said.as_str(); 5]).keys("3").screen();
        let error = "the provider is down, and nobody knows since when, or for how long, or why";
        let retry = RetryView::Waiting { error: Localized::same(error), seconds: 30 };
        stage.apply(DriverEvent::Retry { dialog: main_dialog(), retry });
        let screen = stage.screen();
        assert!(letters(&screen, 0).contains("nextretryin30sRretrynow"), "{screen}");
    }
}

#[test]
fn a_question_at_the_end_is_shown_from_its_first_line() {
    let mut stage = Stage::new(60, 20);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let said = words("a word that was said");
    stage.page(&[said.as_str(); 5]).keys("3").screen();
    let text = "Which one?\n\nThere is much to say\n\nfor each of them\n\na  the first\nb  the second\nc  the third";
    let arguments = serde_json::json!({ "tellaskContent": text }).to_string();
    let call = serde_json::json!({
        "ts": "2026-11-21 12:02:00", "type": "tellask_call_record", "genseq": 14, "id": "q9",
        "name": "askHuman", "rawArgumentsText": arguments, "deliveryMode": "tellask_call_start",
    });
    stage.fact(&main_dialog(), 5, &call.to_string());
    let screen = stage.screen();
    assert!(screen.contains("asks · ") && screen.contains("c  the third"), "{screen}");
}
