//! The view on the open dialog: following, new blocks below, folding, and what blocks show.

use std::time::Duration;

use ratatui::style::Color;
use serde_json::json;

use super::ThinkingView;
use crate::app::tests::fixture::*;
use crate::domain::DialogId;
use crate::domain::dialogs::latest::Blocker;
use crate::protocol::event::Segment;
use crate::protocol::{Command, DriverEvent, TreeRow};
use crate::theme::{ColorDepth, Theme};

#[test]
fn one_step_up_stops_following_and_counts_what_is_below() {
    let mut stage = streaming(80, 24);
    stage.keys("3").screen();
    for n in 0..8 {
        stage.fact(&main_dialog(), 11 + n, &words(&format!("word {n}")));
    }
    assert!(stage.screen().contains("word 7"));
    stage.keys("k");
    let before = stage.screen();
    for n in 8..16 {
        stage.fact(&main_dialog(), 11 + n, &words(&format!("word {n}")));
    }
    let after = stage.screen();
    let below = (8..16).filter(|n| !after.contains(&format!("word {n}"))).count();
    assert!((1..8).contains(&below) && after.contains(&format!("↓ {below} new")), "{after}");
    assert_eq!(line_of(&before, "word 6"), line_of(&after, "word 6"), "{before}\n{after}");
    stage.keys("G");
    let end = stage.screen();
    assert!(end.contains("word 15") && !end.contains("new"), "{end}");
}

#[test]
fn while_following_text_fills_the_pane_and_then_jumps_with_a_quarter_kept() {
    let mut stage = streaming(80, 24);
    let mut jumps = 0;
    let mut top = String::new();
    for n in 0..60 {
        stage.live(&main_dialog(), Segment::Saying, &format!("\n\nline {n}"));
        let screen = stage.screen();
        assert!(screen.contains(&format!("line {n}")), "{screen}");
        let now: String = screen.lines().skip(2).take(2).map(|line| &line[28..]).collect();
        jumps += usize::from(now != top);
        top = now;
    }
    assert!((6..=10).contains(&jumps), "120 rows in jumps of 13: {jumps} jumps");
}

#[test]
fn rows_that_following_left_blank_are_filled_once_nothing_happens() {
    let mut stage = streaming(80, 24);
    let mut text = STREAMED.concat();
    for line in (0..14).map(|n| format!("\n\nline {n}")) {
        stage.live(&main_dialog(), Segment::Saying, &line);
        text.push_str(&line);
        stage.screen();
    }
    let left = |screen: &str| line_of(screen, "line 13");
    let while_running = stage.screen();
    stage.wait(Duration::from_secs(10));
    assert_eq!(left(&stage.screen()), left(&while_running), "it is still writing");
    stage.fact(&main_dialog(), 11, &words(&text));
    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
    let finished = r#"{"ts":"2026-11-21 12:03:00","type":"gen_finish_record","genseq":14}"#;
    stage.fact(&main_dialog(), 12, finished);
    let (end, before) = (stage.screen(), left(&while_running).unwrap_or_default());
    let moved = left(&end).unwrap_or_default().abs_diff(before);
    assert!(moved < 2, "the end of a reply moves text by {moved} rows\n{while_running}\n{end}");
    stage.wait(Duration::from_secs(1));
    assert_eq!(left(&stage.screen()), left(&end), "nobody has read it yet");
    stage.wait(Duration::from_secs(3));
    let filled = stage.screen();
    assert!(left(&filled) > left(&end), "{end}\n{filled}");
    stage.wait(Duration::from_secs(3));
    assert_eq!(left(&stage.screen()), left(&filled));
}

#[test]
fn older_records_are_requested_near_the_start_and_move_nothing() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let long: Vec<String> = (50..100).map(|n| words(&format!("word {n}"))).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    let (ticket, dialog) = stage.last_open();
    stage.page_at(ticket, dialog.clone(), 50, &long).screen();
    assert!(!stage.sent.iter().any(|command| matches!(command, Command::Page { .. })));
    stage.keys("3 g");
    let before = stage.screen();
    let asked = stage.sent.iter().find_map(|command| {
        let Command::Page { ticket, before, .. } = command else {
            return None;
        };
        Some((*ticket, *before))
    });
    let (ticket, line) = asked.expect("older records are asked for");
    assert_eq!(line, 50);
    let older: Vec<String> = (0..50).map(|n| words(&format!("word {n}"))).collect();
    let older: Vec<&str> = older.iter().map(String::as_str).collect();
    stage.page_at(ticket, dialog, 0, &older);
    let after = stage.screen();
    assert!(line_of(&after, "word 50").is_some(), "{before}\n{after}");
    stage.keys("k");
    assert!(stage.screen().contains("word 49") || stage.screen().contains("word 50"));
}

#[test]
fn model_output_cannot_control_the_terminal() {
    let mut stage = streaming(120, 40);
    stage.live(&main_dialog(), Segment::Saying, "\u{1b}[2J\u{9b}31m\u{202e}x");
    stage.fact(&main_dialog(), 11, &words("\u{1b}]52;c;aGk=\u{7}"));
    let screen = stage.screen();
    assert!(!screen.chars().any(|c| c.is_control() && c != '\n'), "{screen:?}");
    assert!(!screen.contains('\u{202e}'));
}

/// Lines with numbers, for the text of a record.
fn numbered(count: usize) -> String {
    (1..=count).map(|n| format!("row {n}.")).collect::<Vec<_>>().join("\\n")
}

/// A message of the person.
fn typed(text: &str) -> String {
    format!(
        r#"{{"ts":"2026-11-21 11:58:00","type":"human_text_record","genseq":1,"content":"{text}","msgId":"m","grammar":"markdown","origin":"user"}}"#
    )
}

#[test]
fn a_long_text_of_the_person_is_folded_and_names_the_key_that_shows_all() {
    for (lines, is_folded) in [(20, false), (21, true)] {
        let mut stage = Stage::new(120, 60);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let folded = stage.page(&[&typed(&numbered(lines))]).keys("3 g").screen();
        assert_eq!(folded.contains("row 11."), !is_folded, "{folded}");
        assert_eq!(folded.contains("11 more lines · O all in the pager"), is_folded, "{folded}");
        let opened = stage.keys("o").screen();
        assert!(opened.contains("row 20.") && !opened.contains("more lines"), "{opened}");
        stage.keys("o /").type_text("row 15.");
        assert!(stage.screen().contains("  row 16."), "{}", stage.screen());
    }
}

#[test]
fn a_text_that_was_cut_names_the_key_that_shows_the_rest() {
    for (text, is_cut) in [("one", false), (&*"long words ".repeat(300_000), true)] {
        let mut stage = Stage::new(120, 40);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let screen = stage.page(&[&typed(text)]).keys("3").screen();
        assert_eq!(screen.contains("bytes more are in the record"), is_cut, "{screen}");
        assert_eq!(screen.contains("  O all in the pager"), is_cut, "{screen}");
    }
}

#[test]
fn a_long_answer_is_paged_through_by_keys_to_its_end() {
    let mut stage = Stage::new(120, 40);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let text: String = (0..12_000)
        .flat_map(|n: u32| {
            ["This is sentence ".to_owned(), n.to_string(), " of many.\n".to_owned()]
        })
        .chain(["\nThe end.".to_owned()])
        .collect();
    assert!(stage.page(&[&words(&text)]).keys("3 g").screen().contains("sentence 0 "));
    let is_end = |stage: &mut Stage| stage.screen().contains("  The end.");
    let pages = (0..400).take_while(|_| !is_end(stage.keys("<pagedown>"))).count();
    assert!((50..400).contains(&pages), "{pages}");
}

/// The rows of the dialog, where it has the whole screen.
fn pane_rows(stage: &mut Stage) -> Vec<String> {
    let screen = stage.screen();
    let rows = screen.lines().skip(2).take_while(|row| !row.contains("message to"));
    rows.map(|row| row.trim_start_matches('▌').trim().to_owned()).collect()
}

/// Text ends at the lower edge of the pane, and blank rows are above it.
fn ends_at_the_lower_edge(rows: &[String]) -> bool {
    rows.first().is_some_and(String::is_empty) && rows.last().is_some_and(|row| !row.is_empty())
}

#[test]
fn a_dialog_shorter_than_the_pane_ends_directly_above_the_composer() {
    for (width, height) in [(120, 40), (80, 24), (60, 20)] {
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.page(&[&words("said one"), &words("said two")]).keys("3 z").screen();
        for key in ["", "k", "g", "[", "<pageup>", "<ctrl+d>", "V", "<esc>", "G"] {
            let rows = pane_rows(stage.keys(key));
            assert!(ends_at_the_lower_edge(&rows), "{key}: {rows:#?}");
            let shown = ["said one", "said two"].map(|text| rows.iter().any(|row| row == text));
            assert_eq!(shown, [true, true], "{key}: {rows:#?}");
        }
        for (width, height) in [(100, 30), (60, 24), (120, 40)] {
            stage.resize(width, height);
            let rows = pane_rows(&mut stage);
            assert!(ends_at_the_lower_edge(&rows), "{width}x{height}: {rows:#?}");
        }
    }
}

#[test]
fn a_match_in_a_short_dialog_is_marked_where_it_stands() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(&[&words("said one"), &words("said two")]).keys("3 z").screen();
    let before = pane_rows(&mut stage);
    stage.keys("/").type_text("said one").keys("<enter>");
    assert_eq!(pane_rows(&mut stage), before);
    let marked = stage.screen();
    assert!(marked.lines().any(|row| row.starts_with("▌@orchestrator")), "{marked}");
}

#[test]
fn a_short_dialog_that_grows_moves_seldom_and_rests_above_the_composer() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(&[&words("said one")]).keys("3 z").screen();
    let (mut places, mut text) = (Vec::new(), String::new());
    for line in (0..5).map(|n| format!("line {n}\n\n")) {
        stage.live(&main_dialog(), Segment::Saying, &line);
        text.push_str(&line);
        let screen = stage.screen();
        assert!(screen.contains(line.trim()), "{screen}");
        places.push(line_of(&screen, "said one"));
    }
    places.dedup();
    assert!(places.len() <= 2, "{places:?}");
    stage.fact(&main_dialog(), 1, &words(&text));
    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
    assert_eq!(line_of(&stage.screen(), "said one"), places.pop().flatten(), "nobody has read it");
    stage.wait(Duration::from_secs(3));
    let rows = pane_rows(&mut stage);
    assert!(ends_at_the_lower_edge(&rows), "{rows:#?}");
}

#[test]
fn older_records_take_the_blank_rows_above_a_short_page_and_move_nothing() {
    for key in ["", "k"] {
        let mut stage = Stage::new(80, 24);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let (ticket, dialog) = stage.last_open();
        let newest = [words("said one"), words("said two")];
        let newest = newest.each_ref().map(String::as_str);
        stage.page_at(ticket, dialog.clone(), 10, &newest).keys("3").screen();
        let before = stage.keys(key).screen();
        let asked = stage.sent.iter().find_map(|command| {
            let Command::Page { ticket, .. } = command else { return None };
            Some(*ticket)
        });
        let older: Vec<String> = (0..10).map(|n| words(&format!("earlier {n}"))).collect();
        let older: Vec<&str> = older.iter().map(String::as_str).collect();
        stage.page_at(asked.expect("older records are asked for"), dialog, 0, &older);
        let after = stage.screen();
        assert_eq!(line_of(&before, "said two"), line_of(&after, "said two"), "{before}\n{after}");
        assert!(after.contains("earlier 9"), "{after}");
    }
}

#[test]
fn thinking_is_one_line_until_it_is_unfolded() {
    let mut stage = streaming(80, 24);
    stage.live(
        &main_dialog(),
        Segment::Thinking,
        "Is the cookie rotated anywhere else? I look at the middleware first",
    );
    stage.keys("3");
    insta::assert_snapshot!("thinking-folded-80x24", stage.screen());
    stage.keys("t");
    insta::assert_snapshot!("thinking-open-80x24", stage.screen());
}

#[test]
fn thinking_is_shown_from_the_start_where_the_settings_say_so() {
    for (view, is_shown) in [(ThinkingView::Folded, false), (ThinkingView::Shown, true)] {
        let mut stage = Stage::new(120, 40);
        stage.show_thinking(view);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
        let screen = stage.keys("3").screen();
        assert_eq!(screen.contains("so they are hashed"), is_shown, "{view:?}\n{screen}");
        let switched = stage.keys("t").screen();
        assert_eq!(switched.contains("so they are hashed"), !is_shown, "{view:?}\n{switched}");
    }
}

/// A dialog that stopped and was pushed on.
const PUSHED: &[&str] = &[
    r#"{"ts":"2026-11-21 11:58:00","type":"gen_start_record","genseq":1}"#,
    r#"{"ts":"2026-11-21 11:58:00","type":"human_text_record","genseq":1,"content":"Add two-factor login.","msgId":"m","grammar":"markdown","origin":"user"}"#,
    r#"{"ts":"2026-11-21 11:58:06","type":"agent_words_record","genseq":1,"content":"I will do that next."}"#,
    r#"{"ts":"2026-11-21 11:58:07","type":"gen_finish_record","genseq":1}"#,
    r#"{"ts":"2026-11-21 11:58:07","type":"gen_start_record","genseq":2}"#,
    r#"{"ts":"2026-11-21 11:58:07","type":"human_text_record","genseq":2,"content":"[System notice] Sent by the runtime because you stopped (push 2 of 3); nobody has asked for anything new.\n\n---\n\nGo on with the task.","msgId":"p","grammar":"markdown","origin":"diligence_push"}"#,
    r#"{"ts":"2026-11-21 11:58:12","type":"agent_words_record","genseq":2,"content":"The login handler is changed."}"#,
];

#[test]
fn a_push_is_one_line_with_its_number_and_opened_it_shows_its_reason_and_its_text() {
    for (width, height) in [(120, 40), (60, 20)] {
        let stages = [Stage::new(width, height), Stage::chinese(width, height)];
        for (mut stage, name) in stages.into_iter().zip(["push", "push-zh"]) {
            stage.apply(DriverEvent::Workspace(workspace()));
            stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
            stage.keys("g j <enter>").page(PUSHED);
            stage.keys("3");
            insta::assert_snapshot!(format!("{name}-{width}x{height}"), stage.screen());
        }
    }
    let mut stage = Stage::new(120, 40);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let folded = stage.page(PUSHED).keys("3").screen();
    assert!(folded.contains("automatic push 2 of 3"), "{folded}");
    stage.keys("k").screen();
    let opened = stage.keys("o").screen();
    for shown in ["it stopped without asking", "Go on with the task."] {
        assert!(!folded.contains(shown) && opened.contains(shown), "{folded}\n{opened}");
    }
}

/// Fifty lines of text, scrolled up by one step; the newest is number 49.
fn scrolled(width: u16, height: u16) -> (Stage, DialogId) {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let long: Vec<String> = (0..50).map(|n| words(&format!("word {n}"))).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    stage.page(&long).keys("3").screen();
    stage.keys("<ctrl+u>").screen();
    (stage, main_dialog())
}

/// The number of the count in the last row above the composer, if there is one.
fn counted(stage: &mut Stage) -> Option<usize> {
    let screen = stage.screen();
    let line = screen.lines().find(|line| line.contains('↓'))?.to_owned();
    let number = line.split('↓').nth(1)?.split_whitespace().next()?.parse().ok();
    assert!(line.split('↓').next()?.trim_matches([' ', '│']).is_empty(), "over text: {line}");
    number
}

#[test]
fn the_count_of_new_blocks_counts_what_was_never_in_view() {
    let (mut stage, dialog) = scrolled(60, 20);
    assert_eq!(counted(&mut stage), None, "what was there is not new");
    for n in 50..54 {
        stage.fact(&dialog, n, &words(&format!("word {n}")));
    }
    assert_eq!(counted(&mut stage), Some(4));
    for _ in 0..40 {
        stage.keys("j");
        let screen = stage.screen();
        let newest = (50..54).rev().find(|n| screen.contains(&format!("word {n}")));
        let left = newest.map_or(4, |newest| 53 - newest);
        assert_eq!(counted(&mut stage), (left > 0).then_some(left), "{screen}");
    }
    stage.keys("<ctrl+u>");
    assert_eq!(counted(&mut stage), None, "it was seen");
}

#[test]
fn streamed_text_counts_as_new_once_and_not_again_when_recorded() {
    let mut stage = streaming(60, 20);
    stage.keys("3").screen();
    stage.keys("k");
    assert_eq!(counted(&mut stage), None, "nothing came since");
    stage.live(&main_dialog(), Segment::Saying, "\n\nand more\n\nand more\n\nand more");
    assert_eq!(counted(&mut stage), Some(1));
    let all = "Good. While that runs: the cookie must be rotated first, otherwise the second \
        factor can be skipped by replaying\n\nand more\n\nand more\n\nand more";
    stage.fact(&main_dialog(), 11, &words(all));
    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
    assert_eq!(counted(&mut stage), Some(1));
    stage.fact(&main_dialog(), 12, &words("next"));
    assert_eq!(counted(&mut stage), Some(2));
    stage.wait(Duration::from_secs(1)).keys("G");
    assert_eq!(counted(&mut stage), None);
}

#[test]
fn unfolding_is_nothing_new() {
    let mut stage = streaming(120, 40);
    stage.keys("3").screen();
    stage.keys("k").screen();
    stage.keys("t o");
    assert_eq!(counted(&mut stage), None);
}

#[test]
fn a_question_at_the_end_is_shown_from_its_first_line() {
    let mut stage = Stage::new(60, 20);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let said = words("a word that was said");
    stage.page(&[said.as_str(); 5]).keys("3").screen();
    let text = "Which one?\n\nThere is much to say\n\nfor each of them\n\na  the first\nb  the second\nc  the third";
    let arguments = serde_json::json!({ "tellaskContent": text }).to_string();
    let call = serde_json::json!({
        "ts": "2026-11-21 12:02:00", "type": "tellask_call_record", "genseq": 14, "id": "q9",
        "name": "askHuman", "rawArgumentsText": arguments, "deliveryMode": "tellask_call_start",
    });
    stage.fact(&main_dialog(), 5, &call.to_string());
    let screen = stage.screen();
    assert!(screen.contains("asks · ") && screen.contains("c  the third"), "{screen}");
}

/// A dialog with one record of each kind that a member writes, in Markdown.
fn marked() -> Stage {
    let mut stage = Stage::new(80, 40);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let asks = "## Which **store**?\n\nSee `codes.rs`:\n\n* one\n* two\n\na) the **first** one\n\
        b) `second`, https://b.example\n\nI would take **b**.";
    let record = |kind: &str, name: &str, id: &str, arguments: &serde_json::Value| {
        serde_json::json!({
            "ts": "2026-11-21 12:02:00", "type": kind, "genseq": 1, "id": id, "name": name,
            "rawArgumentsText": arguments.to_string(), "deliveryMode": "tellask_call_start",
        })
        .to_string()
    };
    let assigned = r#"{"ts":"2026-11-21 12:00:00","type":"human_text_record","genseq":1,"content":"x","msgId":"m","grammar":"markdown","origin":"runtime","tellaskReplyDirective":{"expectedReplyCallName":"replyTellask","targetDialogId":"r","targetCallId":"c","tellaskContent":"Plan **all** of it:\n\n* tables"}}"#;
    let thought = r#"{"ts":"2026-11-21 12:00:01","type":"agent_thought_record","genseq":1,"content":"Is it **hashed**?\n\n* yes"}"#;
    let request = serde_json::json!({"targetAgentId": "reviewer", "tellaskContent": "Review **this**:\n\n* login"});
    let call = record("tellask_call_record", "tellaskSessionless", "c1", &request);
    let question = record(
        "tellask_call_record",
        "askHuman",
        "q9",
        &serde_json::json!({"tellaskContent": asks}),
    );
    stage.page(&[assigned, thought, &call, &question]).keys("3 z").screen();
    stage
}

#[test]
fn whatever_a_member_writes_is_markdown() {
    let mut stage = marked();
    stage.keys("t g").screen();
    for _ in 0..4 {
        stage.keys("j").screen();
    }
    let folded = stage.screen();
    assert!(folded.contains("  Plan all of it:") && folded.contains("  - tables"), "{folded}");
    assert!(folded.contains("  Is it hashed?") && folded.contains("  - yes"), "{folded}");
    assert_eq!(
        folded.lines().filter(|line| line.contains("login")).count(),
        0,
        "one line: {folded}"
    );
    stage.keys("( o");
    let unfolded = stage.screen();
    assert!(
        unfolded.contains("    Review this:") && unfolded.contains("    - login"),
        "{unfolded}"
    );
    for line in ["  Which store?", "  See codes.rs:", "  - two", "  I would take b."] {
        assert!(unfolded.contains(line), "{line}: {unfolded}");
    }
    assert!(!unfolded.contains("**") && !unfolded.contains("* "), "{unfolded}");
}

#[test]
fn options_in_markdown_keep_their_letters_and_are_picked() {
    let mut stage = marked();
    let text = "## Which **store**?\n\na) the **first** one\nb) `second`, https://b.example";
    let waiting = question(&main_dialog(), "orchestrator", "q9", text, "2026-11-21 12:02:00");
    stage.apply(DriverEvent::Inbox(vec![waiting])).keys("G").screen();
    let screen = stage.screen();
    let rows: Vec<&str> = screen.lines().collect();
    let first = line_of(&screen, "a  the first one").expect("the option");
    assert!(rows[first + 1].contains("    b  second, https://b.example"), "{screen}");
    assert!(rows[first - 1].trim().is_empty() && rows[first + 2].trim().is_empty(), "{screen}");
    stage.keys("a");
    stage.type_text("b");
    assert!(stage.screen().contains("  ✓ b  second, https://b.example"), "{}", stage.screen());
}

#[test]
fn a_text_of_nothing_but_definitions_is_shown_as_it_is() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(&[&words("[all of it]: https://a.example")]).keys("3");
    assert!(stage.screen().contains("[all of it]: https://a.example"), "{}", stage.screen());
}

#[test]
fn one_thinking_is_opened_and_folded_whether_all_of_it_is_shown_or_not() {
    let thought = |text: &str| {
        format!(
            r#"{{"ts":"2026-11-21 12:00:00","type":"agent_thought_record","genseq":1,"content":"{text}"}}"#
        )
    };
    for key in ["o", "<enter>"] {
        let mut stage = Stage::new(80, 24);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let (first, second) = (thought("thought one"), thought("thought two"));
        stage.page(&[&first, &words("said"), &second]).keys("3 g").screen();
        let shown = |stage: &mut Stage| {
            let screen = stage.screen();
            [screen.contains("thought one"), screen.contains("thought two")]
        };
        assert_eq!(shown(&mut stage), [false, false]);
        assert_eq!(shown(stage.keys(key)), [true, false], "{key}");
        assert_eq!(shown(stage.keys("t")), [true, true], "{key}: all of it");
        assert_eq!(shown(stage.keys(key)), [false, true], "{key}");
        assert_eq!(shown(stage.keys(key)), [true, true], "{key}");
        assert_eq!(shown(stage.keys("t")), [false, false], "{key}: none of it");
    }
}

#[test]
fn thinking_that_streams_is_opened_in_place_and_stays_open_when_its_record_comes() {
    let text = "the first line\n\nand the last";
    let record = serde_json::json!({
        "ts": "2026-11-21 12:00:00", "type": "agent_thought_record", "genseq": 1, "content": text,
    });
    for key in ["o", "<enter>"] {
        for all in [false, true] {
            let mut stage = Stage::new(80, 24);
            stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
            stage.page(&[&words("said")]).keys("3").screen();
            stage.keys(if all { "t" } else { "" });
            stage.live(&main_dialog(), Segment::Thinking, text).screen();
            // Folded, it shows its end.
            let is_open = |stage: &mut Stage| {
                stage.screen().contains("  the first line\n") || {
                    let screen = stage.screen();
                    screen.lines().any(|row| row.trim_start_matches('│').trim() == "and the last")
                }
            };
            assert_eq!(is_open(&mut stage), all, "{}", stage.screen());
            assert_eq!(is_open(stage.keys(key)), !all, "{key}\n{}", stage.screen());
            stage.fact(&main_dialog(), 1, &record.to_string());
            assert_eq!(is_open(&mut stage), !all, "{key}\n{}", stage.screen());
            assert_eq!(is_open(stage.keys(key)), all, "{key}\n{}", stage.screen());
        }
    }
}

#[test]
fn the_key_that_opens_is_offered_only_where_there_is_more_to_see() {
    let question = r#"{"ts":"2026-11-21 12:01:00","type":"tellask_call_record","genseq":1,"id":"q1","name":"askHuman","rawArgumentsText":"{\"tellaskContent\":\"Keep it?\"}","deliveryMode":"tellask_call_start"}"#;
    let answer = r#"{"ts":"2026-11-21 12:01:30","type":"tellask_result_record","callId":"q1","status":"completed","content":"yes","responder":{"responderId":"human"},"callName":"askHuman","call":{"tellaskContent":"Keep it?"}}"#;
    let mut stage = Stage::new(120, 40);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(&[STORY[4], STORY[5], question, answer, &words("said")]).keys("3 g");
    let offered = |stage: &mut Stage| {
        let screen = stage.screen();
        screen.lines().last().unwrap_or_default().contains("o open")
    };
    assert!(offered(&mut stage), "{}", stage.screen());
    stage.keys("j");
    assert!(stage.screen().contains("yes"), "{}", stage.screen());
    assert!(!offered(&mut stage), "{}", stage.screen());
    stage.keys("o");
    assert!(stage.screen().contains("nothing here can be opened"), "{}", stage.screen());
    stage.keys("j");
    assert!(!offered(&mut stage), "{}", stage.screen());
}

#[test]
fn a_question_that_comes_at_the_end_stands_below_the_text_that_leads_to_it() {
    let question = r#"{"ts":"2026-11-21 12:03:00","type":"tellask_call_record","genseq":14,"id":"q9","name":"askHuman","rawArgumentsText":"{\"tellaskContent\":\"Keep it?\"}","deliveryMode":"tellask_call_start"}"#;
    let mut stage = streaming(80, 24);
    let mut text = STREAMED.concat();
    for line in (0..14).map(|n| format!("\n\nline {n}")) {
        stage.live(&main_dialog(), Segment::Saying, &line);
        text.push_str(&line);
    }
    stage.screen();
    stage.fact(&main_dialog(), 11, &words(&text));
    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
    for n in 0..9 {
        stage.fact(&main_dialog(), 12 + n, &words(&format!("said {n}")));
        stage.screen();
    }
    stage.fact(&main_dialog(), 21, question);
    let screen = stage.screen();
    assert!(screen.contains("Keep it?") && screen.contains("said 5"), "{screen}");
}

#[test]
fn the_key_to_the_other_end_is_offered_only_where_there_is_one() {
    let mut stage = streaming(120, 40);
    let offered = |stage: &mut Stage| {
        let screen = stage.screen();
        screen.lines().last().unwrap_or_default().contains("side dialog")
    };
    stage.keys("3 G");
    assert!(!offered(&mut stage), "{}", stage.screen());
    let found = (0..6).any(|_| {
        stage.keys("(");
        offered(&mut stage)
    });
    assert!(found, "{}", stage.screen());
    stage.keys("<enter>");
    assert_ne!(stage.last_open().1, main_dialog());
}

#[test]
fn the_call_of_a_side_dialog_that_asks_the_person_says_so_with_the_keys_that_answer() {
    let mut stage = streaming(120, 40);
    let made = r#"{"ts":"2026-11-21 12:02:49","type":"sideDialog_created_record","genseq":13,"sideDialogId":"r","askerDialogId":"m","agentId":"researcher","taskDocPath":"t.tsk","createdAt":"x","assignmentFromAsker":{"callName":"tellask","tellaskContent":"do","originMemberId":"orchestrator","askerDialogId":"m","callId":"c1"}}"#;
    stage.fact(&main_dialog(), 11, made);
    assert!(stage.screen().contains("working · "), "{}", stage.screen());
    let asks = TreeRow { state: blocked(Blocker::Human), questions: 1, ..rows().remove(1) };
    stage.apply(DriverEvent::Row(Box::new(asks)));
    let screen = stage.screen();
    assert!(screen.contains("asks you  ⏎ a") && !screen.contains("working · "), "{screen}");
    stage.apply(DriverEvent::Row(Box::new(rows().remove(1))));
    assert!(stage.screen().contains("working · "), "{}", stage.screen());
}

/// The number of the first paragraph in view.
fn first_paragraph(screen: &str) -> Option<usize> {
    let after = screen.split("Paragraph ").nth(1)?;
    after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

#[test]
fn a_new_width_keeps_the_paragraph_at_the_top_whatever_came_between() {
    let text: Vec<String> = (100..160)
        .map(|n| format!("Paragraph {n}: {}", "lorem ipsum dolor sit amet consectetur ".repeat(6)))
        .collect();
    for streams in [false, true] {
        let mut stage = streaming(120, 40);
        if streams {
            stage.live(&main_dialog(), Segment::Saying, &text.join("\n\n"));
        } else {
            stage.fact(&main_dialog(), 11, &words(&text.join("\n\n")));
        }
        stage.screen();
        stage.keys("3 <pageup> <pageup> <pageup>");
        let before = stage.screen();
        let top = first_paragraph(&before).unwrap();
        assert!((110..155).contains(&top), "{before}");
        for (width, height) in [(80, 40), (60, 40), (47, 20), (100, 40), (200, 50), (120, 40)] {
            stage.resize(width, height);
            let screen = stage.screen();
            let now = first_paragraph(&screen).unwrap();
            assert!(now.abs_diff(top) <= 1, "{width}: {top} {now}\n{screen}");
        }
        assert_eq!(stage.screen(), before, "back at the first width");
    }
}

/// Code in twenty languages; that of each is higher than the pane.
fn code_in_twenty_languages() -> String {
    let names = [
        "rust", "python", "go", "java", "js", "json", "c", "cpp", "cs", "css", "sql", "bash",
        "html", "xml", "yaml", "lua", "php", "ruby", "perl", "scala",
    ];
    let block = |name| format!("```{name}\n{}```\n\n", format!("\"{name}\"\n").repeat(60));
    names.map(block).concat()
}

/// A stage with this answer, at its end.
fn answered(text: &str) -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(&[&words(text)]);
    stage
}

#[test]
fn an_answer_with_code_in_twenty_languages_of_which_one_is_in_view_asks_for_one() {
    let mut stage = answered(&code_in_twenty_languages());
    let screen = stage.screen();
    assert!(screen.contains("\"scala\"") && !screen.contains("\"perl\""), "{screen}");
    assert_eq!(stage.settings().colours.asked(), 1);
}

#[test]
fn code_that_streams_past_without_being_in_view_is_not_asked_for() {
    let mut stage = streaming(80, 24);
    stage.screen();
    let before = stage.settings().colours.asked();
    let text = format!("\n\n{}the end\n", code_in_twenty_languages());
    stage.live(&main_dialog(), Segment::Saying, &text);
    assert!(stage.screen().contains("the end"));
    assert!(stage.settings().colours.asked() <= before + 1);
}

#[test]
fn older_code_has_its_colours_once_it_is_scrolled_into_view() {
    let mut stage = answered(&code_in_twenty_languages());
    let theme = Theme::from_value(&json!({ "code.string": "green" }), ColorDepth::True);
    stage.wear(theme.unwrap());
    stage.screen();
    stage.keys("3 g");
    let place = stage.place_of("\"rust\"");
    assert_eq!(stage.drawn().cell(place).map(|cell| cell.fg), Some(Color::Green));
    assert_eq!(stage.settings().colours.asked(), 2);
}
