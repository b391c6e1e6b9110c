//! Jumping back to a place by its row.

use crate::app::tests::fixture::*;
use crate::domain::DialogId;
use crate::protocol::DriverEvent;

/// The main dialog, then two side dialogs were visited; the second one is open.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("1 g j j <enter>").page(DBA_STORY);
    stage.keys("1 j <enter>").page(DBA_STORY);
    stage
}

fn open(stage: &Stage) -> DialogId {
    stage.last_open().1
}

#[test]
fn the_places_last_visited_are_listed_newest_first_at_every_size() {
    for (width, height) in [(120, 40), (60, 20)] {
        let mut stage = stage(width, height);
        stage.keys("<ctrl+o>");
        let screen = stage.screen();
        let (last, first) =
            (line_of(&screen, "▌◔ @researcher"), line_of(&screen, "● @orchestrator  add"));
        assert!(last.is_some() && last < first, "{screen}");
    }
}

#[test]
fn enter_goes_to_the_place_and_the_one_left_takes_its_row() {
    let mut stage = stage(120, 40);
    assert_eq!(open(&stage), side("d"));
    stage.keys("<ctrl+o> j <enter>");
    assert_eq!(open(&stage), main_dialog());
    stage.page(STORY).keys("<ctrl+o> <enter>");
    assert_eq!(open(&stage), side("d"), "the place left last");
    stage.page(DBA_STORY).keys("<backspace>");
    assert_eq!(open(&stage), main_dialog(), "one step back is the place left last");
}

#[test]
fn a_place_is_shown_as_it_was_left() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("3").screen();
    stage.keys("k");
    let before = stage.screen();
    stage.keys("1 g j j <enter>").page(DBA_STORY).screen();
    stage.keys("<ctrl+o> <enter>").page(STORY);
    assert_eq!(stage.screen(), before);
}

#[test]
fn without_a_place_there_is_no_list_and_a_draft_is_kept_on_the_way() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("<ctrl+o>");
    let screen = stage.screen();
    assert!(screen.contains("there is nothing to go back to"), "{screen}");
    assert!(!screen.contains("JUMP BACK"), "{screen}");
    let mut stage = self::stage(80, 24);
    stage.keys("i half <ctrl+o> j <enter>").page(STORY);
    stage.keys("<ctrl+o> <enter>").page(DBA_STORY);
    assert!(stage.screen().contains("› half"), "{}", stage.screen());
}

#[test]
fn a_deleted_dialog_is_no_place_any_more() {
    let mut stage = stage(80, 24);
    stage.apply(DriverEvent::Removed(main_dialog())).keys("<ctrl+o>");
    assert!(stage.screen().contains("there is nothing to go back to"), "{}", stage.screen());
}

#[test]
fn a_place_is_found_by_its_words_and_chosen() {
    let mut stage = stage(120, 40);
    stage.keys("<ctrl+o>").screen();
    stage.keys("/").type_text("orchestrator");
    stage.keys("<enter> <enter>");
    assert_eq!(open(&stage), main_dialog());
}
