//! The cursor of the open dialog, tested by keys and screens.

use proptest::prelude::*;

use crate::app::tests::fixture::*;
use crate::protocol::event::Segment;
use crate::protocol::{Command, DriverEvent, Ticket};

/// A call of a tool, with its result of these lines.
fn tool(n: usize, lines: usize) -> [String; 2] {
    let text: Vec<String> = (0..lines).map(|line| format!("result {n} line {line}")).collect();
    let call = serde_json::json!({
        "ts": "2026-11-21 12:00:00", "type": "func_call_record", "genseq": 1, "id": format!("t{n}"),
        "name": "read_file", "rawArgumentsText": "{}",
    });
    let result = serde_json::json!({
        "ts": "2026-11-21 12:00:01", "type": "func_result_record", "genseq": 1, "id": format!("t{n}"),
        "name": "read_file", "content": text.join("\n"),
    });
    [call.to_string(), result.to_string()]
}

/// A question for the user, as a record.
fn asked(n: usize) -> String {
    let arguments = serde_json::json!({ "tellaskContent": format!("question {n}?") }).to_string();
    serde_json::json!({
        "ts": "2026-11-21 12:00:00", "type": "tellask_call_record", "genseq": 1, "id": format!("q{n}"),
        "name": "askHuman", "rawArgumentsText": arguments, "deliveryMode": "tellask_call_start",
    })
    .to_string()
}

/// A block of this many lines, each with its number.
fn long(n: usize, lines: usize) -> String {
    let lines: Vec<String> = (0..lines).map(|line| format!("block {n} line {line}")).collect();
    words(&lines.join("\n\n"))
}

/// A stage with the focus on the dialog with these records, the first at `first_line`.
fn dialog(width: u16, height: u16, first_line: usize, records: &[String]) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let lines: Vec<&str> = records.iter().map(String::as_str).collect();
    let (ticket, dialog) = stage.last_open();
    stage.page_at(ticket, dialog, first_line, &lines).keys("3").screen();
    stage
}

/// The text of the row with the cursor; fails if there are two.
fn at_cursor(screen: &str) -> Option<String> {
    // With one pane at a time there is no border to its left.
    let left = if screen.starts_with(" 1 ") { "▌" } else { "│▌" };
    let mut marked = screen.lines().skip(2).filter_map(|line| line.split_once(left));
    let found = marked.next().map(|(_, text)| text.trim().to_owned());
    assert!(marked.next().is_none(), "two cursors:\n{screen}");
    found
}

fn page_asked(stage: &Stage) -> Option<(Ticket, usize)> {
    stage.sent.iter().rev().find_map(|command| {
        let Command::Page { ticket, before, .. } = command else { return None };
        Some((*ticket, *before))
    })
}

#[test]
fn the_cursor_passes_every_block_and_every_line_of_a_long_one_in_both_directions() {
    let records: Vec<String> =
        [2, 30, 1, 3, 25, 1].iter().enumerate().map(|(n, lines)| long(n, *lines)).collect();
    for (width, height) in [(120, 40), (80, 24)] {
        let mut stage = dialog(width, height, 0, &records);
        for (start, step) in [("g", "j"), ("G", "k")] {
            let mut screens = vec![stage.keys(start).screen()];
            for _ in 0..200 {
                screens.push(stage.keys(step).screen());
            }
            for (n, lines) in [2, 30, 1, 3, 25, 1].into_iter().enumerate() {
                for line in 0..lines {
                    let text = format!("block {n} line {line}");
                    let mut rows = screens.iter().flat_map(|screen| screen.lines());
                    assert!(rows.any(|row| row.trim_end().ends_with(&text)), "{step}: {text}");
                }
            }
            let blocks = screens.iter().filter_map(|screen| at_cursor(screen));
            let heads = blocks.filter(|text| text.starts_with('@')).count();
            assert!(heads >= 6, "{heads} of 6 blocks");
        }
    }
}

#[test]
fn one_step_moves_the_view_by_no_more_than_shows_the_next_block() {
    let records: Vec<String> = (0..40).map(|n| long(n, 2)).collect();
    let mut stage = dialog(120, 40, 0, &records);
    let mut before = stage.keys("g").screen();
    for _ in 0..39 {
        let after = stage.keys("j").screen();
        let moved = (0..40).find_map(|n| {
            let text = format!("block {n} line 0");
            line_of(&before, &text)?.checked_sub(line_of(&after, &text)?)
        });
        assert!(moved.is_some_and(|rows| rows <= 5), "{before}\n{after}");
        assert!(at_cursor(&after).is_some(), "{after}");
        before = after;
    }
}

#[test]
fn opening_and_closing_leave_the_block_at_its_place() {
    for count in [3, 40] {
        let mut records: Vec<String> = (0..count).map(|n| long(n, 1)).collect();
        records.extend(tool(0, 60));
        records.extend((0..count).map(|n| long(100 + n, 1)));
        let mut stage = dialog(120, 40, 0, &records);
        let before = stage.keys("(").screen();
        let place = line_of(&before, "read_file").expect("the call is in view");
        assert!(at_cursor(&before).is_some_and(|text| text.contains("read_file")), "{before}");
        for is_open in [true, false] {
            let after = stage.keys("o").screen();
            let now = line_of(&after, "read_file");
            // A dialog that fits ends at the lower edge: what opens there needs the rows above it.
            let makes_room = is_open && count == 3 && now.is_some_and(|now| now < place);
            assert!(makes_room || now == Some(place), "{before}\n{after}");
            assert!(!after.contains("new"), "what was there is not new\n{after}");
        }
    }
}

#[test]
fn a_block_opened_at_the_end_shows_half_a_page_and_then_stays_while_text_arrives() {
    let mut records: Vec<String> = (0..20).map(|n| long(n, 1)).collect();
    records.extend(tool(0, 60));
    let mut stage = dialog(80, 24, 0, &records);
    stage.screen();
    let opened = stage.keys("o").screen();
    assert!(at_cursor(&opened).is_some_and(|text| text.contains("read_file")), "{opened}");
    assert!(opened.contains("result 0 line 7"), "{opened}");
    stage.live(&main_dialog(), Segment::Saying, "more text");
    let later = stage.screen();
    assert_eq!(line_of(&opened, "read_file"), line_of(&later, "read_file"), "{opened}\n{later}");
}

#[test]
fn calls_and_questions_are_found_also_in_older_records() {
    for (key, record, text, none) in [
        ("(", tool(7, 1)[0].clone(), "read_file", "no call above"),
        ("<", asked(7), "@orchestrator asks", "no question above"),
    ] {
        let newer: Vec<String> = (0..30).map(|n| long(n, 1)).collect();
        let mut stage = dialog(120, 40, 30, &newer);
        stage.keys(key).screen();
        let (ticket, before) = page_asked(&stage).expect("older records are requested");
        let mut older: Vec<String> = (0..before).map(|n| long(200 + n, 1)).collect();
        older[3] = record;
        let older: Vec<&str> = older.iter().map(String::as_str).collect();
        stage.page_at(ticket, main_dialog(), 0, &older);
        let screen = stage.screen();
        assert!(at_cursor(&screen).is_some_and(|at| at.contains(text)), "{screen}");
        let screen = stage.keys(key).screen();
        assert!(screen.contains(none), "{screen}");
        assert!(at_cursor(&screen).is_some_and(|at| at.contains(text)), "{screen}");
    }
}

#[test]
fn a_question_and_its_answer_on_two_pages_leave_the_cursor_on_its_block() {
    let answer = serde_json::json!({
        "ts": "2026-11-21 12:00:01", "type": "tellask_result_record", "callId": "q7",
        "status": "completed", "content": "yes", "responder": { "responderId": "human" }, "route": {},
        "callName": "askHuman", "call": { "tellaskContent": "question 7?" },
    });
    let mut newer: Vec<String> = (0..30).map(|n| long(n, 1)).collect();
    newer.insert(3, answer.to_string());
    let mut stage = dialog(80, 24, 30, &newer);
    for key in ["up", "down"] {
        while page_asked(&stage).is_none() {
            stage.keys("k").screen();
        }
        stage.key_named(key).screen();
    }
    let (ticket, before) = page_asked(&stage).expect("older records are requested");
    let shown = stage.screen();
    let mut older: Vec<String> = (0..before).map(|n| long(200 + n, 1)).collect();
    older[before - 1] = asked(7);
    let older: Vec<&str> = older.iter().map(String::as_str).collect();
    stage.page_at(ticket, main_dialog(), 0, &older);
    let screen = stage.screen();
    assert_eq!(at_cursor(&screen), at_cursor(&shown), "{shown}\n{screen}");
    let numbers = |screen: &str| -> Vec<u32> {
        let of = |line: &str| line.split_once("block ")?.1.split(' ').next()?.parse().ok();
        screen.lines().filter_map(of).filter(|number| *number < 200).collect()
    };
    let now = numbers(&screen);
    assert!(now.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{screen}");
    assert!(now.len() >= 5 && now[0] == numbers(&shown)[0], "{shown}\n{screen}");
}

#[test]
fn a_search_in_older_records_ends_when_the_user_moves_on() {
    let newer: Vec<String> = (0..30).map(|n| long(n, 1)).collect();
    let mut stage = dialog(120, 40, 30, &newer);
    stage.keys("(").screen();
    let (ticket, before) = page_asked(&stage).expect("older records are requested");
    let end = stage.keys("G").screen();
    let mut older: Vec<String> = (0..before).map(|n| long(200 + n, 1)).collect();
    older[3] = tool(7, 1)[0].clone();
    let older: Vec<&str> = older.iter().map(String::as_str).collect();
    stage.page_at(ticket, main_dialog(), 0, &older);
    assert_eq!(stage.screen(), end, "it follows the end");
}

#[test]
fn the_cursor_is_where_it_was_when_the_dialog_is_shown_again() {
    let records: Vec<String> = (0..40).map(|n| long(n, 1)).collect();
    let lines: Vec<&str> = records.iter().map(String::as_str).collect();
    let mut stage = dialog(80, 24, 0, &records);
    let before = stage.keys("k k k").screen();
    stage.keys("1 j <enter>").page(&[]).screen();
    stage.keys("<backspace>").page(&lines);
    let after = stage.screen();
    assert_eq!(at_cursor(&before), at_cursor(&after), "{before}\n{after}");
    assert_eq!(line_of(&before, "block 30"), line_of(&after, "block 30"), "{before}\n{after}");
}

/// An event in an open dialog.
fn happening() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "j",
        "k",
        "j",
        "k",
        "<ctrl+d>",
        "<ctrl+u>",
        "<pagedown>",
        "<pageup>",
        "g",
        "G",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "o",
        "t",
        "live",
        "fact",
        "end",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_happens_one_block_in_view_has_the_cursor(
        sizes in prop::collection::vec(1_usize..30, 1..12),
        happenings in prop::collection::vec(happening(), 1..40),
        size in 0..4usize,
    ) {
        let mut records = Vec::new();
        for (n, lines) in sizes.iter().enumerate() {
            match n % 3 {
                0 => records.push(long(n, *lines)),
                1 => records.extend(tool(n, *lines)),
                _ => records.push(asked(n)),
            }
        }
        let (width, height) = [(120, 40), (80, 24), (60, 20), (40, 12)][size];
        let mut stage = dialog(width, height, 0, &records);
        let mut next = records.len();
        for what in happenings {
            match what {
                "live" => {
                    stage.live(&main_dialog(), Segment::Saying, "\n\nsome text");
                }
                "fact" => {
                    stage.fact(&main_dialog(), next, &long(next, 3));
                    next += 1;
                }
                "end" => {
                    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
                }
                key => {
                    stage.keys(key);
                }
            }
            let screen = stage.screen();
            prop_assert!(at_cursor(&screen).is_some(), "after {what}\n{screen}");
        }
    }
}
