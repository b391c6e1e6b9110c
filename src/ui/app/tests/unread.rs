//! What is unread, also since before the program was started.

use std::time::Duration;

use super::fixture::*;
use crate::app::Leaving;
use crate::domain::{Genseq, Stamp};
use crate::protocol::{DriverEvent, TreeRow};
use crate::theme::Glyphs;

fn start(notebook: &Notebook, rows: Vec<TreeRow>) -> Stage {
    let mut stage = Stage::with(120, 40, notebook.clone(), &Glyphs::UTF8);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows)).apply(DriverEvent::Inbox(Vec::new()));
    stage
}

/// The members of rows with the sign for something new.
fn unread(stage: &mut Stage) -> Vec<String> {
    let screen = stage.screen();
    let rows = screen.lines().filter(|line| line.contains('•'));
    let name = |line: &str| line.split('@').nth(1)?.split([' ', '…']).next().map(str::to_owned);
    rows.filter_map(name).collect()
}

#[test]
fn what_happened_since_the_last_start_is_unread_until_it_is_looked_at() {
    let notebook = Notebook::default();
    let mut stage = start(&notebook, rows());
    assert!(unread(&mut stage).is_empty());
    stage.wait(Duration::from_secs(6));
    assert!(notebook.get("looked").is_some_and(|text| text.starts_with("all\n")));
    let mut later = rows();
    later[3].last_modified = Stamp::new("2026-11-21 12:02:00");
    later[4].genseq = Genseq(15);
    let mut stage = start(&notebook, later.clone());
    assert_eq!(unread(&mut stage), ["reviewer", "ops"]);
    stage.keys("1 G <enter>");
    assert_eq!(unread(&mut stage), ["reviewer"]);
    stage.app.begin_leaving(Leaving::WithDriver);
    stage.wait(Duration::ZERO);
    let mut stage = start(&notebook, later);
    assert_eq!(unread(&mut stage), ["reviewer"], "stored when the program ends");
}

#[test]
fn looking_is_stored_now_and_then_and_not_while_nothing_changes() {
    let notebook = Notebook::default();
    let mut stage = start(&notebook, rows());
    stage.wait(Duration::from_secs(6));
    let first = notebook.get("looked").expect("stored");
    let mut row = rows().remove(0);
    for genseq in 20..30 {
        row.genseq = Genseq(genseq);
        stage.apply(DriverEvent::Row(Box::new(row.clone()))).wait(Duration::from_millis(100));
    }
    assert_eq!(notebook.get("looked"), Some(first.clone()));
    stage.wait(Duration::from_secs(6));
    assert_ne!(notebook.get("looked"), Some(first));
    assert_eq!(stage.app.seen.store_at(), None);
}
