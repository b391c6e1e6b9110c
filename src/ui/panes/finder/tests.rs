//! From the key to the found record.

use crate::app::tests::fixture::*;
use crate::domain::reading::transcript::SpokenKind;
use crate::domain::{Bucket, CallId, Course, DialogId, Stamp};
use crate::protocol::{
    Command, Cursor, DriverEvent, FindEnd, FindRequest, FindScope, FoundPart, FoundRecord, Ticket,
};

pub fn stage(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("3").screen();
    stage
}

fn found(dialog: &DialogId, line: usize, text: &str) -> FoundRecord {
    FoundRecord {
        dialog: dialog.clone(),
        agent: "dba".into(),
        title: "recovery codes".to_owned(),
        bucket: Bucket::Run,
        at: Cursor { course: Course::FIRST, line },
        when: Stamp::new("2026-11-21 12:01:00"),
        kind: SpokenKind::Saying,
        completes: None,
        tool: None,
        teammate: None,
        line: text.to_owned(),
        around: format!("before\n{text}\nafter"),
        matches: 1,
    }
}

pub fn asked(stage: &Stage) -> Vec<(Ticket, FindRequest)> {
    let finds = stage.sent.iter().filter_map(|command| {
        let Command::Find { ticket, request } = command else { return None };
        Some((*ticket, request.clone()))
    });
    finds.collect()
}

fn newest(stage: &Stage) -> Ticket {
    asked(stage).last().expect("a search").0
}

pub fn answer(stage: &mut Stage, records: Vec<FoundRecord>, end: Option<FindEnd>) {
    let ticket = newest(stage);
    let part = Box::new(FoundPart { records, unread: 0, end });
    stage.apply(DriverEvent::Found { ticket, part });
}

/// Results of several kinds and places.
pub fn results() -> Vec<FoundRecord> {
    vec![
        FoundRecord { matches: 3, ..found(&side("d"), 1, "a table for **OTP** codes") },
        FoundRecord {
            kind: SpokenKind::Result,
            tool: Some("shell_cmd".to_owned()),
            completes: Some(CallId::new("c")),
            ..found(&main_dialog(), 4, "otp.rs: 12 lines")
        },
        FoundRecord {
            kind: SpokenKind::You,
            bucket: Bucket::Archive,
            title: "恢复码与双因素登录".to_owned(),
            ..found(&side("x"), 0, "otp 表怎么办？")
        },
    ]
}

#[test]
pub fn results_are_listed_with_their_match_and_their_dialog_also_in_chinese() {
    let mut stage = Stage::chinese(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("3 F").type_text("otp");
    answer(&mut stage, results(), Some(FindEnd::TooMany));
    insta::assert_snapshot!("finder-chinese-80x24", stage.screen());
}

#[test]
fn each_key_searches_again_and_only_the_newest_results_count() {
    let mut stage = stage(80, 24);
    stage.keys("<ctrl+f>").type_text("ot");
    let texts: Vec<String> = asked(&stage).into_iter().map(|(_, request)| request.text).collect();
    assert_eq!(texts, ["o", "ot"]);
    let old = asked(&stage)[0].0;
    let part = FoundPart { records: results(), unread: 0, end: Some(FindEnd::Complete) };
    stage.apply(DriverEvent::Found { ticket: old, part: Box::new(part) });
    assert!(stage.screen().contains("searching …"), "{}", stage.screen());
    stage.keys("<enter>");
    assert!(stage.screen().contains("FIND IN ALL"), "nothing is found yet");
    answer(&mut stage, results(), None);
    answer(&mut stage, vec![found(&side("d"), 9, "one more ot")], Some(FindEnd::Complete));
    let screen = stage.screen();
    assert!(screen.contains("4 records") && screen.contains("one more ot"), "{screen}");
    stage.type_text("p");
    assert!(stage.screen().contains("one more ot"), "no flicker while it is read");
    stage.keys("<enter>");
    assert!(stage.screen().contains("FIND IN ALL"), "what is shown is of an earlier search");
    answer(&mut stage, Vec::new(), Some(FindEnd::Complete));
    assert!(stage.screen().contains("nothing found"));
}

#[test]
fn tab_switches_what_is_searched_and_without_a_dialog_there_is_one_scope() {
    let mut stage = stage(80, 24);
    stage.keys("F o <tab> <tab> <tab>");
    let scopes: Vec<FindScope> =
        asked(&stage).into_iter().map(|(_, request)| request.scope).collect();
    assert_eq!(scopes, [FindScope::All, FindScope::Dialog, FindScope::MainDialog, FindScope::All]);
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys("F o <tab>");
    let request = asked(&stage).pop().expect("a search").1;
    assert_eq!((request.scope, request.dialog), (FindScope::All, None));
    assert!(!stage.screen().contains("other scope"));
}

#[test]
fn nothing_is_read_any_more_once_the_search_is_closed_or_its_text_is_gone() {
    for keys in ["<esc>", "<ctrl+c> <esc>", "<backspace>", "<ctrl+c> <ctrl+c>"] {
        let mut stage = stage(80, 24);
        stage.keys("F o");
        let ticket = newest(&stage);
        stage.keys(keys);
        assert_eq!(stage.sent.last(), Some(&Command::EndFind), "{keys}");
        let part = FoundPart { records: results(), unread: 0, end: None };
        stage.apply(DriverEvent::Found { ticket, part: Box::new(part) });
        assert!(!stage.screen().contains("otp.rs"), "{keys}");
        stage.apply(DriverEvent::Lagged);
        assert_eq!(asked(&stage).len(), 1, "{keys}: nothing is searched again");
    }
}

#[test]
fn after_events_were_lost_it_is_searched_again() {
    let mut stage = stage(80, 24);
    stage.keys("F o").apply(DriverEvent::Lagged);
    let all = asked(&stage);
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].1, all[1].1);
    assert_ne!(all[0].0, all[1].0);
}

#[test]
fn enter_opens_the_dialog_of_the_record_with_the_cursor_on_it_and_back_leads_back() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = stage(width, height);
        let before = stage.screen();
        stage.keys("F").type_text("line 41");
        answer(&mut stage, vec![found(&side("d"), 41, "line 41")], Some(FindEnd::Complete));
        stage.keys("<enter>");
        assert_eq!(stage.last_open().1, side("d"));
        let lines: Vec<String> = (0..90).map(|n| words(&format!("line {n}"))).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        stage.page(&lines);
        let screen = stage.screen();
        let at = screen.lines().position(|line| line.contains("│▌")).unwrap_or_default();
        let mut below = screen.lines().skip(at);
        assert!(screen.contains("line 41"), "{width}x{height}\n{screen}");
        let is_at_cursor = width < 80 || below.nth(1).is_some_and(|row| row.contains("line 41"));
        assert!(is_at_cursor, "the cursor is on it\n{screen}");
        stage.keys("n");
        assert!(stage.screen().contains("1 of 1"), "it is searched for here\n{}", stage.screen());
        stage.keys("<esc> <backspace>").page(STORY);
        assert_eq!(stage.last_open().1, main_dialog());
        let above_status = |screen: &str| screen.rsplit_once('\n').map(|(rows, _)| rows.to_owned());
        assert_eq!(above_status(&stage.screen()), above_status(&before), "{width}x{height}");
    }
}

#[test]
fn a_record_that_is_not_loaded_is_read_and_one_that_is_gone_is_said() {
    let mut stage = stage(80, 24);
    stage.keys("F").type_text("early");
    answer(&mut stage, vec![found(&side("d"), 2, "early")], Some(FindEnd::Complete));
    stage.keys("<enter>");
    let (ticket, dialog) = stage.last_open();
    stage.page_at(ticket, dialog.clone(), 3, &[&words("late"), &words("later")]).screen();
    let older = |stage: &Stage| {
        stage.sent.iter().rev().find_map(|command| {
            let Command::Page { ticket, before: 3, .. } = command else { return None };
            Some(*ticket)
        })
    };
    let ticket = older(&stage).expect("older records are wanted");
    let lines = [words("first"), words("second"), words("an early word")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stage.page_at(ticket, dialog, 0, &lines);
    assert!(stage.screen().contains("an early word"));
    stage.keys("F").type_text("early");
    answer(&mut stage, vec![found(&side("d"), 77, "early")], Some(FindEnd::Complete));
    stage.keys("<enter>").screen();
    assert!(stage.screen().contains("not found"), "{}", stage.screen());
}

#[test]
fn what_records_say_reaches_the_terminal_only_sanitized() {
    let mut stage = stage(80, 24);
    stage.keys("F").type_text("evil");
    let record = FoundRecord {
        title: "t\u{1b}]0;x\u{7}\u{202e}".to_owned(),
        tool: Some("\u{1b}[2J".to_owned()),
        around: "\u{1b}[31mevil\u{9b}2J\u{0}".to_owned(),
        ..found(&side("d"), 0, "\u{1b}]52;c;AAAA\u{7}evil\u{200f}")
    };
    answer(&mut stage, vec![record], Some(FindEnd::Complete));
    let screen = stage.screen();
    assert!(screen.contains("evil"));
    let hostile = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{202e}' | '\u{200f}'));
    assert!(!screen.contains(hostile), "{screen:?}");
}
