//! The whole text of a notice, from the inbox.

use crate::app::tests::fixture::{Stage, main_dialog, streaming};
use crate::domain::teams::notices::{NewsItem, NewsKind, NewsLevel};
use crate::domain::{AgentId, Stamp};
use crate::protocol::{Command, DriverEvent};

/// A notice that says this.
pub fn item(id: &str, kind: NewsKind, title: &str) -> NewsItem {
    NewsItem {
        id: id.to_owned(),
        kind,
        level: NewsLevel::Info,
        agent: Some(AgentId::new("ops")),
        dialog: Some(main_dialog()),
        title: title.to_owned(),
        body: format!("{title}\n\nMore about **it**."),
        count: 2,
        created_at: Stamp::new("2026-11-21 12:00:00"),
        updated_at: Stamp::new("2026-11-21 12:01:00"),
        work: None,
        resolved_at: None,
    }
}

/// The inbox with questions, a failure, a warning and a notice.
pub fn listed(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    let warning = NewsItem {
        level: NewsLevel::Warning,
        count: 1,
        ..item("n-2", NewsKind::Notice, "The disk of the box is nearly full")
    };
    stage.apply(DriverEvent::News(vec![
        item("n-1", NewsKind::Failure, "task 3f2a failed: gave up after 3 attempts"),
        warning,
        item("n-3", NewsKind::Notice, "The tests pass"),
    ]));
    stage.keys("<alt+2> G");
    stage
}

/// The list over a notice of the inbox.
pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    stage.apply(DriverEvent::News(vec![item("n-1", NewsKind::Notice, "The tests pass")]));
    stage.keys("<alt+2> G t");
    stage
}

#[test]
fn the_whole_text_is_shown_and_the_notice_dismissed_from_it() {
    let mut stage = stage(80, 24);
    insta::assert_snapshot!(stage.screen());
    stage.keys("x");
    let commands = &stage.sent;
    let is_dismissed =
        |command: &Command| matches!(command, Command::DismissNews { ids, .. } if *ids == ["n-1"]);
    assert!(commands.iter().any(is_dismissed), "{commands:?}");
}
