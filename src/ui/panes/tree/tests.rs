//! Rows on the screen; their order and folding are tested in the view model.

use crate::domain::{DialogId, DisplayState, RootId, Stamp};
use crate::protocol::{DriverEvent, TreeRow};
use crate::ui::app::tests::fixture::*;

#[test]
fn activity_never_moves_the_selected_row() {
    let mut stage = Stage::new(80, 24);
    let many = |n: usize| TreeRow {
        created_at: Stamp::new(format!("2026-11-21 10:{:02}:{:02}", n / 60, n % 60)),
        ..row(
            &DialogId::main(RootId::new(format!("x/{n}"))),
            None,
            &format!("a{n}"),
            DisplayState::Idle,
        )
    };
    let first: Vec<TreeRow> = (0..100).filter(|n| *n != 3).map(many).collect();
    stage.apply(DriverEvent::Rows(first)).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys(&"j ".repeat(50));
    let before = stage.screen();
    let chosen = line_of(&before, "▌").expect("a chosen row");
    stage.apply(DriverEvent::Row(Box::new(many(3))));
    stage.apply(DriverEvent::Row(Box::new(TreeRow {
        last_modified: Stamp::new("2026-11-21 12:02:59"),
        state: DisplayState::Proceeding,
        ..many(70)
    })));
    let after = stage.screen();
    assert_eq!(line_of(&after, "▌"), Some(chosen));
    let name = |screen: &str| screen.lines().nth(chosen).unwrap_or_default()[..20].to_owned();
    assert_eq!(name(&before), name(&after));
}
