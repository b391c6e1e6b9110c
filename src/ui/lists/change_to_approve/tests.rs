//! The change that a question asks to approve.

use crate::app::tests::approvals::approval;
use crate::app::tests::fixture::Stage;

/// The list over a question that waits for approval.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = approval(width, height);
    stage.screen();
    stage.keys("<alt+o>");
    stage
}

#[test]
fn q12_the_whole_change_is_shown_from_the_form_and_from_the_inbox() {
    let mut stage = stage(80, 24);
    let from_form = stage.screen();
    insta::assert_snapshot!(from_form);
    stage.keys("<esc> <esc> <alt+2> d");
    assert_eq!(stage.screen(), from_form);
}
