//! Done and archived dialogs: listed, read, restored, deleted.

use crate::app::tests::fixture::Stage;
use crate::app::tests::lifecycle::{changes, flat, idle_tree, shelf, ticket};
use crate::domain::{Bucket, DialogId, RootId};
use crate::protocol::{Command, DriverEvent, Lifecycle, ShelfRow};

/// With the list of done and archived dialogs on top.
pub fn with_shelf(rows: Vec<ShelfRow>) -> Stage {
    let mut stage = idle_tree();
    stage.keys("1 u");
    let ticket = stage.sent.iter().rev().find_map(|command| {
        let Command::Shelf { ticket } = command else { return None };
        Some(*ticket)
    });
    let ticket = ticket.expect("the list was wanted");
    stage.apply(DriverEvent::Shelf { ticket, rows });
    stage
}

#[test]
fn done_and_archived_dialogs_are_listed_and_restored() {
    let mut stage = with_shelf(shelf());
    assert!(stage.screen().contains("rotate the logs"), "{}", stage.screen());
    stage.keys("j u");
    let root = RootId::new("ee/ff/2");
    assert_eq!(changes(&stage), [&Lifecycle::Move { root: root.clone(), to: Bucket::Run }]);
    let back = DialogId::main(root);
    stage.apply(DriverEvent::Done { ticket: ticket(&stage), dialog: Some(back.clone()) });
    assert_eq!(stage.last_open().1, back, "it is shown at once");

    let mut stage = with_shelf(shelf());
    stage.keys("D");
    let screen = stage.screen();
    assert!(flat(&screen).contains("delete @ops “rotate the logs” with all"), "{screen}");
    stage.keys("<enter>");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    stage.agree("y");
    assert_eq!(changes(&stage), [&Lifecycle::Delete { root: RootId::new("ee/ff/1") }]);

    let mut stage = with_shelf(shelf());
    stage.keys("<enter>");
    assert_eq!(stage.last_open().1, DialogId::main(RootId::new("ee/ff/1")), "it can be read");
    let mut stage = with_shelf(Vec::new());
    stage.keys("u D A <enter>");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    assert!(stage.screen().contains("nothing is done or archived"));
}

#[test]
fn history_is_marked_in_the_list() {
    let old = ShelfRow { history: true, ..shelf().remove(0) };
    let screen = with_shelf(vec![old]).screen();
    assert!(screen.contains("(history) rotate"), "{screen}");
}
