//! The autonomy of a dialog.

use crate::app::tests::fixture::{Stage, main_dialog, rows, side, streaming};
use crate::domain::asking::autonomy::AutonomyLevel;
use crate::protocol::{Command, DriverEvent, TreeRow};

/// The list over the dialog of the mock-up, for which a level was chosen.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    let row = TreeRow { autonomy: Some(AutonomyLevel::MajorOnly), ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(row)));
    stage.keys("1 <alt+l>");
    stage
}

/// The levels that were asked for, with their dialogs.
fn asked(stage: &Stage) -> Vec<(String, Option<AutonomyLevel>)> {
    let sent = stage.sent.iter().filter_map(|command| {
        let Command::SetDialogAutonomy { dialog, level, .. } = command else { return None };
        Some((dialog.to_string(), *level))
    });
    sent.collect()
}

#[test]
fn a_level_is_taken_for_the_open_dialog_alone_and_the_one_that_was_chosen_is_marked() {
    let mut stage = stage(80, 24);
    let screen = stage.screen();
    let marked = screen.lines().find(|line| line.contains('✓') && line.contains("major_only"));
    assert!(marked.is_some(), "{screen}");
    stage.keys("j <enter>");
    let main = main_dialog().to_string();
    assert_eq!(asked(&stage), [(main.clone(), Some(AutonomyLevel::ConfirmAll))]);
    let mut stage = self::stage(80, 24);
    stage.keys("<enter>");
    assert_eq!(asked(&stage), [(main, None)], "as configured");
}

#[test]
fn a_level_of_its_own_stands_in_the_head_of_the_dialog() {
    let mut stage = stage(120, 40);
    let screen = stage.keys("<esc>").screen();
    assert!(screen.contains("· autonomy: major"), "{screen}");
    stage.apply(DriverEvent::Row(Box::new(rows().remove(0))));
    assert!(!stage.screen().contains("autonomy: major"));
}

#[test]
fn the_list_stays_that_of_its_dialog_and_without_one_it_says_so() {
    let mut stage = stage(80, 24);
    stage.apply(DriverEvent::Row(Box::new(TreeRow { dialog: side("other"), ..rows().remove(0) })));
    stage.keys("j j j <enter>");
    assert_eq!(asked(&stage), [(main_dialog().to_string(), Some(AutonomyLevel::Full))]);
    let mut empty = Stage::new(80, 24);
    assert!(empty.keys("<alt+l>").screen().contains("open a dialog first"));
}
