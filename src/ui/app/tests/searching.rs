//! Searching in the open dialog.

use super::fixture::*;
use crate::domain::Course;
use crate::domain::reading::transcript::RecordPosition;
use crate::follow_up::{FollowUp, ToReading};
use crate::model::FoundPlace;
use crate::panes::transcript;
use crate::protocol::event::Segment;
use crate::protocol::{Command, DriverEvent};

const LINES: [&str; 5] = ["the OTP table", "nothing here", "otp again, and otp", "plain", "end"];

pub fn reading(width: u16, height: u16, lines: &[String]) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    stage.page(&lines).keys("3").screen();
    stage
}

pub fn story() -> Vec<String> {
    LINES.iter().map(|line| words(line)).collect()
}

fn last_line(stage: &mut Stage) -> String {
    stage.screen().lines().last().unwrap_or_default().to_owned()
}

/// The request for older records, answered with these.
fn answer_page(stage: &mut Stage, first_line: usize, lines: &[&str]) -> bool {
    let asked = stage.sent.iter().rev().find_map(|command| {
        let Command::Page { ticket, dialog, .. } = command else { return None };
        Some((*ticket, dialog.clone()))
    });
    let Some((ticket, dialog)) = asked else { return false };
    stage.sent.clear();
    stage.page_at(ticket, dialog, first_line, lines);
    true
}

#[test]
fn each_key_searches_and_the_matches_are_counted() {
    let mut stage = reading(80, 24, &story());
    stage.keys("/ o t p").screen();
    insta::assert_snapshot!("find-80x24", stage.screen());
    assert!(stage.screen().contains("find · 3 of 3"));
    stage.keys("<enter> N N");
    assert!(last_line(&mut stage).contains("1 of 3"), "{}", last_line(&mut stage));
    stage.keys("N");
    assert!(last_line(&mut stage).contains("3 of 3"), "it goes on at the other end");
    stage.keys("n");
    assert!(last_line(&mut stage).contains("1 of 3"));
}

#[test]
fn case_counts_once_the_text_has_an_upper_case_letter() {
    let mut stage = reading(80, 24, &story());
    stage.keys("/ OTP").screen();
    assert!(stage.screen().contains("find · 1 of 1"));
    stage.keys("x").screen();
    assert!(stage.screen().contains("no match"));
}

#[test]
fn escape_goes_back_to_where_the_search_began_and_enter_stays() {
    let many: Vec<String> = (0..90).map(|n| words(&format!("line {n}"))).collect();
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = reading(width, height, &many);
        let before = stage.screen();
        stage.keys("/").type_text("line 5");
        assert!(stage.screen().contains("line 5"), "{width}x{height}");
        stage.keys("<esc>");
        assert_eq!(stage.screen(), before, "{width}x{height}");
        stage.keys("/").type_text("line 41");
        stage.keys("<enter>");
        assert!(stage.screen().contains("line 41"), "{width}x{height}\n{}", stage.screen());
        stage.keys("<esc> n").screen();
        assert!(!last_line(&mut stage).contains("of 1"), "the search has ended");
    }
}

#[test]
fn a_match_in_a_folded_block_opens_it() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(STORY).keys("3").screen();
    assert!(!stage.screen().contains("Codes are secrets"));
    stage.keys("/").type_text("secrets, so");
    assert!(stage.screen().contains("Codes are secrets"), "{}", stage.screen());
    stage.keys("<esc> /").type_text("three");
    assert!(stage.screen().contains("    three"), "{}", stage.screen());
}

#[test]
fn older_records_are_read_until_a_match_is_found_or_there_are_none() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let (ticket, dialog) = stage.last_open();
    let newest: Vec<String> = (0..40).map(|n| words(&format!("line {n}"))).collect();
    let newest: Vec<&str> = newest.iter().map(String::as_str).collect();
    stage.page_at(ticket, dialog, 2, &newest).keys("3").screen();
    stage.sent.clear();
    stage.keys("/ zebra").screen();
    assert!(stage.screen().contains("reading older records"), "{}", stage.screen());
    assert!(answer_page(&mut stage, 1, &[&words("no")]));
    stage.screen();
    assert!(answer_page(&mut stage, 0, &[&words("a zebra")]));
    assert!(stage.screen().contains("a zebra") && stage.screen().contains("1 of 1"));
    stage.keys("<enter> <esc> / unicorn").screen();
    assert!(stage.screen().contains("no match") && !answer_page(&mut stage, 0, &[]));
}

#[test]
fn without_a_search_the_keys_of_matches_do_what_they_did() {
    let mut stage = reading(80, 24, &story());
    stage.keys("N");
    assert!(last_line(&mut stage).contains("search for something first"));
    stage.keys("n");
    assert!(stage.screen().contains("NEW DIALOG"));
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
    stage.keys("3 /");
    assert!(last_line(&mut stage).contains("no dialog is open"));
    assert_eq!(stage.app.focus.scope(), transcript::SCOPE);
}

#[test]
fn new_records_are_counted_while_the_match_stays() {
    let mut stage = reading(80, 24, &story());
    stage.keys("/ otp <enter>").screen();
    stage.fact(&main_dialog(), 5, &words("one more otp")).screen();
    stage.keys("N");
    assert!(last_line(&mut stage).contains("2 of 4"), "{}", last_line(&mut stage));
}

#[test]
fn a_search_goes_on_in_older_records_without_waiting_for_a_frame() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let (ticket, dialog) = stage.last_open();
    let (lines, older) = (story(), words("the sought word"));
    let mut page: Vec<&str> = lines.iter().map(String::as_str).collect();
    stage.page_at(ticket, dialog, 20, &page).keys("3").screen();
    stage.keys("/ s o u g h t").screen();
    for first_line in [15, 10, 5] {
        assert!(answer_page(&mut stage, first_line, &page), "no frame was drawn since");
    }
    page[0] = &older;
    assert!(answer_page(&mut stage, 0, &page));
    let wanted = stage.sent.iter().any(|command| matches!(command, Command::Page { .. }));
    assert!(!wanted, "{:?}", stage.sent);
    assert!(stage.screen().contains("find · 1 of 1"), "{}", stage.screen());
}

#[test]
fn an_answer_of_three_megabytes_is_laid_out_only_where_it_is_read() {
    let text = "words of a long answer that goes on\n\n".repeat(85_000) + "the needle";
    let mut stage = reading(120, 40, &[words(&text)]);
    for (key, in_view) in
        [("G", "the needle"), ("<pageup>", "goes on"), ("g", "goes on"), ("<pagedown>", "goes on")]
    {
        stage.app.reading.take_laid_out();
        let screen = stage.keys(key).screen();
        let laid_out = stage.app.reading.take_laid_out();
        assert!(screen.contains(in_view), "{key}\n{screen}");
        assert!(laid_out <= 6, "{laid_out} of some fifty parts for {key}");
    }
    stage.keys("/").type_text("the needle");
    assert!(stage.screen().contains("  the needle"), "{}", stage.screen());
}

#[test]
fn a_place_within_a_long_answer_is_found_again() {
    let mut text = String::new();
    for n in 0..12_000 {
        text.push_str(&format!("This is paragraph {n} of many.\n\n"));
    }
    let mut stage = reading(120, 40, &[words(&text)]);
    stage.keys("g /").type_text("paragraph 7000 of");
    let before = stage.keys("<enter>").screen();
    assert!(before.contains("paragraph 7000 of"), "{before}");
    stage.keys("<esc> /").type_text("paragraph 9000 of");
    assert!(stage.screen().contains("paragraph 9000 of"), "{}", stage.screen());
    let after = stage.keys("<esc>").screen();
    assert!(after.contains("paragraph 7000 of"), "{after}");
}

#[test]
fn what_was_found_in_a_long_answer_is_shown_where_it_stands() {
    let long = "words of a long answer that goes on\n\n".repeat(8_000);
    let mut stage = reading(120, 40, &[words(&format!("{long}the needle\n\n{long}"))]);
    let place = RecordPosition { course: Course::FIRST, line: 0 };
    let found = FoundPlace { place, completes: None, text: "the needle".to_owned() };
    let dialog = stage.last_open().1;
    stage.app.follow([FollowUp::Reading(ToReading::ShowFound(dialog, found))]);
    let screen = stage.screen();
    assert!(screen.contains("  the needle"), "{screen}");
}

#[test]
fn a_page_key_lays_out_little_more_than_is_in_view_and_a_search_only_where_it_leads() {
    let (width, height) = (80, 24);
    let lines: Vec<String> = (0..2_000).map(|n| words(&format!("line {n}"))).collect();
    let mut stage = reading(width, height, &lines);
    stage.keys("g").screen();
    for key in ["<pagedown>", "<pageup>"] {
        for _ in 0..50 {
            stage.app.reading.take_laid_out();
            stage.keys(key).screen();
            let laid_out = stage.app.reading.take_laid_out();
            // Each block has three rows with the blank one; the end is looked at as well.
            assert!(laid_out <= usize::from(height), "{laid_out} blocks for {key}");
        }
    }
    stage.keys("/").screen();
    for key in ["l", "i", "n", "e", "9", "9"] {
        stage.app.reading.take_laid_out();
        stage.keys(key).screen();
        let laid_out = stage.app.reading.take_laid_out();
        assert!(laid_out <= 2 * usize::from(height), "{laid_out} blocks for {key}");
    }
}

#[test]
fn text_that_streams_is_found_and_the_match_stays_when_its_record_comes() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = reading(width, height, &story());
        stage.live(&main_dialog(), Segment::Saying, "A rare wo").screen();
        stage.keys("/ rare").screen();
        assert!(stage.screen().contains("find · 1 of 1"), "{}", stage.screen());
        stage.live(&main_dialog(), Segment::Saying, "rd, rarely seen").screen();
        assert!(stage.screen().contains("find · 1 of 2"), "{}", stage.screen());
        stage.keys("<enter> n");
        assert!(last_line(&mut stage).contains("2 of 2"), "{}", last_line(&mut stage));
        stage.fact(&main_dialog(), 5, &words("A rare word, rarely seen")).screen();
        stage.keys("N");
        assert!(last_line(&mut stage).contains("1 of 2"), "{}", last_line(&mut stage));
        stage.keys("n n");
        assert!(last_line(&mut stage).contains("1 of 2"), "it was found once");
    }
}

#[test]
fn a_match_in_a_long_text_that_streams_is_scrolled_to() {
    let mut stage = reading(80, 24, &story());
    let text = (0..80).fold(String::new(), |text, n| format!("{text}row {n}.\n\n"));
    stage.live(&main_dialog(), Segment::Saying, &text).screen();
    stage.keys("/").type_text("row 7.");
    let screen = stage.screen();
    assert!(screen.contains("row 7.") && screen.contains("1 of 1"), "{screen}");
    stage.live(&main_dialog(), Segment::Saying, &text.replace("row", "line"));
    assert!(stage.screen().contains("row 7."), "{}", stage.screen());
}

#[test]
fn a_match_in_thinking_that_streams_shows_it() {
    let mut stage = reading(80, 24, &story());
    let thought = format!("a hidden thought\n\n{}", "and more ".repeat(30));
    stage.live(&main_dialog(), Segment::Thinking, &thought).screen();
    assert!(!stage.screen().contains("a hidden thought"));
    stage.keys("/ hidden").screen();
    assert!(stage.screen().contains("a hidden thought"), "{}", stage.screen());
}
