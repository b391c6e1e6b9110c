//! The levels of autonomy.

use crate::app::tests::fixture::{Stage, streaming};
use crate::domain::asking::autonomy::{AutonomyLevel, AutonomyScope, AutonomySummary};
use crate::protocol::{Command, ConsentView, DriverEvent};

/// The list over the dialog of the mock-up, whose workspace has this level.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    let level = Some(AutonomyLevel::MajorOnly);
    let autonomy = Some(AutonomySummary { level, has_exceptions: true });
    stage.apply(DriverEvent::Consent(ConsentView { autonomy, ..ConsentView::default() }));
    stage.keys("1 L");
    stage
}

#[test]
fn q11_a_level_is_taken_with_one_key_and_the_one_that_holds_is_marked() {
    let mut stage = stage(80, 24);
    insta::assert_snapshot!(stage.screen());
    stage.keys("j j <enter>");
    let sent = &stage.sent;
    let level = AutonomyLevel::Full;
    let scope = AutonomyScope::Workspace;
    assert!(
        sent.iter().any(|command| matches!(
            command,
            Command::SetAutonomy { scope: of, level: to, .. } if *of == scope && *to == level
        )),
        "{sent:?}"
    );
}

#[test]
fn the_status_line_says_how_much_members_decide_alone() {
    for (level, exceptions, word) in [
        (Some(AutonomyLevel::MajorOnly), false, "autonomy: major "),
        (Some(AutonomyLevel::ConfirmAll), true, "autonomy: confirm+ "),
        (Some(AutonomyLevel::Full), false, "autonomy: full "),
        (None, true, "autonomy: own+ "),
    ] {
        let mut stage = streaming(100, 24);
        let autonomy = Some(AutonomySummary { level, has_exceptions: exceptions });
        stage.apply(DriverEvent::Consent(ConsentView { autonomy, ..ConsentView::default() }));
        let screen = stage.screen();
        assert!(screen.contains(word), "{screen}");
    }
    assert!(!streaming(100, 24).screen().contains("autonomy"));
}
