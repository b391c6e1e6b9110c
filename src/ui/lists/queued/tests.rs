//! Queued messages, edited and taken back in their list.

use crate::app::tests::queued::{self, LONG, stage, take_back_requests};

#[test]
fn any_queued_message_can_be_edited_or_taken_back_in_the_list() {
    let mut stage = stage(80, 24, &["one", "two", LONG]);
    stage.keys("<alt+q>");
    stage.keys("j d");
    assert_eq!(take_back_requests(&stage)[0].1, "m1");
    let screen = stage.screen();
    assert!(!screen.contains(" two"), "it goes at once\n{screen}");
    stage.keys("k e");
    assert_eq!(take_back_requests(&stage)[1].1, "m0");
    assert!(stage.screen().contains("› one"));
    let mut stage = queued::stage(80, 24, &[]);
    stage.keys("<alt+q>");
    assert!(stage.screen().contains("no message waits here"));
}
