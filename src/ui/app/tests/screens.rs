//! Snapshots of the app at every size. Read them when they change.

use super::fixture::*;
use crate::domain::dialogs::fresh_boots::{FbrPhase, FbrRound, Reasoning};
use crate::domain::{DisplayState, Stamp};
use crate::protocol::{DriverEvent, TreeRow};
use crate::theme::Glyphs;

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (60, 20)];

fn assert_screen(name: &str, width: u16, height: u16, screen: &str) {
    insta::assert_snapshot!(format!("{name}-{width}x{height}"), screen);
}

#[test]
fn an_empty_workspace_shows_how_to_start() {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Workspace(workspace()));
        stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
        assert_screen("empty", width, height, &stage.screen());
    }
}

#[test]
fn the_tree_and_a_streaming_dialog_are_side_by_side() {
    for (width, height) in SIZES {
        let mut stage = streaming(width, height);
        assert_screen("tree", width, height, &stage.screen());
        stage.keys("3");
        assert_screen("streaming", width, height, &stage.screen());
    }
}

#[test]
fn two_questions_are_open_while_one_is_answered() {
    for (width, height) in SIZES {
        let mut stage = answering(width, height);
        stage.screen();
        stage.type_text("b, and write the date into the runbook");
        assert_screen("answering", width, height, &stage.screen());
    }
}

#[test]
fn quitting_while_a_dialog_runs_asks_first() {
    let mut stage = streaming(80, 24);
    stage.keys("q").agree("");
    assert_screen("quit", 80, 24, &stage.screen());
}

#[test]
fn a_screen_without_utf8_has_ascii_symbols() {
    let mut stage = Stage::with(80, 24, Notebook::default(), &Glyphs::ASCII);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions()));
    stage.page(DBA_STORY);
    let screen = stage.screen();
    assert_screen("ascii", 80, 24, &screen);
}

#[test]
fn a_dialog_in_fresh_boots_reasoning_shows_its_round() {
    let mut stage = streaming(120, 40);
    let convergence =
        FbrRound { effort: 3, phase: FbrPhase::Convergence, iteration: 2, prompt_delivered: true };
    let mut rows = rows();
    rows.extend([("f1", Reasoning::Over), ("f2", Reasoning::In(convergence))].map(
        |(id, state)| TreeRow {
            title: "Which name?".to_owned(),
            reasoning: Some(state),
            created_at: Stamp::new("2026-11-21 12:02:00"),
            ..row(&side(id), Some(&main_dialog()), "orchestrator", DisplayState::Proceeding)
        },
    ));
    stage.apply(DriverEvent::Rows(rows));
    stage.keys("G k k k k <enter>").page(STORY);
    assert_screen("reasoning", 120, 40, &stage.screen());
}

#[test]
fn a_screen_that_is_too_small_shows_the_size_it_needs() {
    let mut stage = streaming(36, 10);
    assert_screen("too-small", 36, 10, &stage.screen());
}

#[test]
fn no_size_causes_a_panic() {
    for width in [1, 2, 7, 40, 41, 79, 80, 81, 109, 110, 300] {
        for height in [1, 2, 11, 12, 13, 24, 100] {
            let mut stage = answering(width, height);
            stage.screen();
            for keys in ["<esc>", "n", "<esc>", "?", "<esc>", "1", "2", "3", "z", "q"] {
                stage.keys(keys).screen();
            }
        }
    }
}
