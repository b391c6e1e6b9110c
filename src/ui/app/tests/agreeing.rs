//! Questions of the program itself: when a key agrees.

use std::time::Duration;

use super::fixture::{Stage, streaming};
use super::lifecycle::idle_tree;
use crate::effect::Effect;
use crate::protocol::Command;

/// Less than the time in which a question can be read, and that time.
const SHORT: Duration = Duration::from_millis(999);
const LONG: Duration = Duration::from_secs(1);

type Opened = fn() -> Stage;

/// Each kind of question: delete, stop all, quit, and put away.
fn questions() -> [(&'static str, Opened); 4] {
    fn with(mut stage: Stage, keys: &str) -> Stage {
        stage.keys(keys).screen();
        stage.sent.clear();
        stage.app.take_effects();
        stage
    }
    [
        ("delete", || with(idle_tree(), "1 g j D")),
        ("stop all", || with(streaming(120, 40), "1 S")),
        ("quit", || with(streaming(120, 40), "q")),
        ("put away", || with(streaming(120, 40), "1 g j d")),
    ]
}

/// Something was done.
fn did(stage: &mut Stage) -> bool {
    let quits = stage.app.take_effects().contains(&Effect::Quit);
    let sent = |one: &Command| matches!(one, Command::Lifecycle { .. } | Command::StopAll);
    quits || stage.sent.iter().any(sent)
}

#[test]
fn a_yes_counts_only_after_a_second_without_a_key_in_which_the_question_could_be_read() {
    for (name, opened) in questions() {
        let mut stage = opened();
        assert_eq!(stage.app.overlays.count(), 1, "{name}: {}", stage.screen());
        for key in ["y", "<enter>", "x", "y"] {
            stage.wait(SHORT).screen();
            stage.keys(key);
            assert!(!did(&mut stage), "{name}: {key}");
            assert_eq!(stage.app.overlays.count(), 1, "{name}: it still asks");
        }
        assert!(!stage.screen().contains("y yes"), "{name}: what does not count is not offered");
        stage.wait(LONG);
        assert!(stage.app.take_dirty(), "{name}: what counts now is shown without a key");
        stage.screen();
        stage.keys("y");
        assert!(did(&mut stage), "{name}: {}", stage.screen());
    }
}

#[test]
fn words_that_were_meant_for_a_text_agree_to_nothing() {
    for words in ["Deploy it", "Did you see", "Do it, yes yes", "Stop, you Dummy"] {
        for gap in [0, 30, 120, 200, 900] {
            let mut stage = idle_tree();
            stage.keys("1 g j").screen();
            for letter in words.chars() {
                stage.type_text(&letter.to_string());
                stage.wait(Duration::from_millis(gap)).screen();
            }
            assert!(!did(&mut stage), "{words}, a key in {gap} ms");
        }
    }
}

#[test]
fn a_question_that_is_not_wholly_on_the_screen_is_not_agreed_to_until_it_is() {
    let mut stage = questions()[0].1();
    stage.resize(10, 4);
    for _ in 0..3 {
        stage.screen();
        stage.wait(LONG * 2).keys("y");
        assert!(!did(&mut stage));
    }
    stage.resize(120, 40);
    stage.screen();
    stage.keys("y");
    assert!(!did(&mut stage), "it was not there for a second");
    stage.agree("y");
    assert!(did(&mut stage), "{}", stage.screen());
}

#[test]
fn the_time_in_which_a_question_is_covered_does_not_count() {
    for (name, opened) in questions() {
        let mut stage = opened();
        stage.keys("?").screen();
        stage.wait(LONG * 3).keys("<esc> y").screen();
        assert!(!did(&mut stage), "{name}");
        stage.agree("y");
        assert!(did(&mut stage), "{name}: {}", stage.screen());
    }
}
