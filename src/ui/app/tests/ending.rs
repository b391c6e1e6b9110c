//! The end of a demo.

use super::fixture::*;
use crate::app::flow::ending::DemoEnding;
use crate::app::{DemoStart, Effect};
use crate::domain::DisplayState;
use crate::protocol::{DriverEvent, QuietOutcome, TreeRow};

const OVER: &str = "The demo is over: four dialogs shared one task, two of them asked you, and the plan is \
                    in notes/plan.md. Next: `dominds-tui init` in a folder of yours.";

/// The screen of a demo whose dialogs are all idle.
pub fn played(width: u16, height: u16, begun: DemoStart) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.app.ending = DemoEnding::of_demo(OVER, begun);
    stage.apply(DriverEvent::Workspace(workspace()));
    let rows = rows().into_iter().map(|row| TreeRow { state: DisplayState::Idle, ..row });
    stage
        .apply(DriverEvent::Rows(rows.collect()))
        .apply(DriverEvent::Inbox(Vec::new()))
        .page(STORY);
    stage
}

fn quits(stage: &mut Stage) -> bool {
    stage.app.take_effects().contains(&Effect::Quit)
}

#[test]
fn a_demo_ends_with_a_text_that_stays_and_r_replays_it() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = played(width, height, DemoStart::Now);
        assert!(!stage.screen().contains("is over"));
        stage.apply(DriverEvent::Quiet(QuietOutcome::Done));
        stage.wait(std::time::Duration::from_mins(1));
        let screen = stage.screen();
        assert!(screen.contains("✓ The demo is over"), "{screen}");
        assert!(screen.contains("r play again"), "{screen}");
        if (width, height) == (80, 24) {
            insta::assert_snapshot!("ending-80x24", screen);
        }
        stage.keys("r");
        assert!(quits(&mut stage) && stage.app.ending.replays(), "{width}x{height}");
    }
}

#[test]
fn in_the_composer_r_is_a_letter() {
    let mut stage = played(80, 24, DemoStart::Now);
    stage.apply(DriverEvent::Quiet(QuietOutcome::Done)).keys("i r");
    assert!(!stage.app.ending.replays() && !quits(&mut stage));
    assert!(stage.screen().contains("› r"));
}

#[test]
fn the_end_text_is_closed_by_esc_and_when_a_dialog_runs_again() {
    let mut stage = played(80, 24, DemoStart::Now);
    stage.apply(DriverEvent::Quiet(QuietOutcome::Done)).keys("<esc>");
    assert!(!stage.screen().contains("is over"));
    stage.keys("r");
    assert!(!stage.app.ending.replays());
    stage.apply(DriverEvent::Quiet(QuietOutcome::Done));
    assert!(stage.screen().contains("is over"));
    let running = row(&main_dialog(), None, "orchestrator", DisplayState::Proceeding);
    stage.apply(DriverEvent::Row(Box::new(running)));
    assert!(!stage.screen().contains("is over"));
}

#[test]
fn only_a_demo_without_running_dialogs_has_ended() {
    for outcome in [QuietOutcome::QuestionWaits, QuietOutcome::Failed] {
        let mut stage = played(80, 24, DemoStart::Now);
        stage.apply(DriverEvent::Quiet(outcome));
        assert!(!stage.screen().contains("is over"), "{outcome:?}");
    }
    for (begun, over) in [(DemoStart::Now, false), (DemoStart::Earlier, true)] {
        let mut stage = Stage::new(80, 24);
        stage.app.ending = DemoEnding::of_demo(OVER, begun);
        stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
        stage.apply(DriverEvent::Quiet(QuietOutcome::Done));
        assert_eq!(stage.screen().contains("is over"), over, "{begun:?}");
    }
    let mut stage = streaming(80, 24);
    stage.apply(DriverEvent::Quiet(QuietOutcome::Done)).keys("3 r");
    assert!(!stage.app.ending.replays() && !quits(&mut stage));
}

/// The text of a screen without its blanks.
fn letters(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn the_end_text_is_readable_in_full_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        for pane in ["1", "<alt+2>", "3"] {
            let mut stage = played(width, height, DemoStart::Now);
            stage.apply(DriverEvent::Quiet(QuietOutcome::Done)).keys(pane);
            let screen = stage.screen();
            assert!(letters(&screen).contains(&letters(OVER)), "{screen}");
            assert!(screen.contains("r play again  esc close  q quit"), "{screen}");
        }
    }
}

#[test]
fn on_a_small_screen_the_end_text_does_not_cover_the_work() {
    let mut stage = played(40, 12, DemoStart::Now);
    stage.apply(DriverEvent::Quiet(QuietOutcome::Done)).keys("3 i thanks");
    let screen = stage.screen();
    assert!(screen.contains("message to @orch") && screen.contains("› thanks"), "{screen}");
    stage.keys("<esc>");
    assert!(stage.screen().contains("is over"));
    stage.keys("?");
    assert!(!stage.screen().contains("is over") && stage.screen().contains("KEYS THAT WORK"));
    stage.keys("<esc>");
    assert!(stage.screen().contains("is over"));
}
