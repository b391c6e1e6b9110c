//! From a call to its assignment, from a reply to its call, and through the courses.

use super::fixture::*;
use crate::domain::{Course, DialogId};
use crate::protocol::event::Segment;
use crate::protocol::{Command, DriverEvent, Ticket, TranscriptPage, TreeRow};

/// A side dialog that was asked with call `c2` and has replied.
const REVIEW: &[&str] = &[
    r#"{"ts":"2026-11-21 12:00:30","type":"gen_start_record","genseq":1}"#,
    r#"{"ts":"2026-11-21 12:00:31","type":"human_text_record","genseq":1,"content":"x","msgId":"m","grammar":"markdown","origin":"runtime","tellaskReplyDirective":{"expectedReplyCallName":"replyTellaskSessionless","targetDialogId":"aa/bb/1","targetCallId":"c2","tellaskContent":"Review the login."}}"#,
    r#"{"ts":"2026-11-21 12:00:40","type":"agent_words_record","genseq":1,"content":"I read the handler."}"#,
    r#"{"ts":"2026-11-21 12:00:50","type":"tellask_call_record","genseq":1,"id":"r1","name":"replyTellaskSessionless","rawArgumentsText":"{\"replyContent\":\"Rotate the cookie.\"}","deliveryMode":"func_call_requested"}"#,
    r#"{"ts":"2026-11-21 12:00:51","type":"tellask_reply_resolution_record","genseq":1,"callId":"r1","replyCallName":"replyTellaskSessionless","targetCallId":"c2"}"#,
    r#"{"ts":"2026-11-21 12:00:52","type":"func_result_record","genseq":1,"id":"r1","name":"replyTellaskSessionless","content":"Delivered."}"#,
];

/// A reply that arrived after its asker had cleared its mind.
const LATE: &str = r#"{"ts":"2026-11-21 12:02:30","type":"tellask_carryover_record","genseq":15,"callSiteCourse":1,"carryoverCourse":2,"responderId":"reviewer","callName":"tellaskSessionless","tellaskContent":"Review the login.","status":"completed","response":"Rotate it.","content":"Rotate it.","agentId":"reviewer","callId":"c2","originMemberId":"orchestrator","calleeDialogId":"v"}"#;

fn opened(stage: &Stage) -> (Ticket, DialogId, Option<Course>) {
    let mut opens = stage.sent.iter().rev();
    let found = opens.find_map(|command| {
        let Command::Open { ticket, dialog, course } = command else {
            return None;
        };
        Some((*ticket, dialog.clone(), *course))
    });
    found.expect("a dialog was opened")
}

fn page_asked(stage: &Stage) -> Option<(Ticket, Course, usize)> {
    let mut sent = stage.sent.iter().rev();
    sent.find_map(|command| {
        let Command::Page { ticket, course, before, .. } = command else {
            return None;
        };
        Some((*ticket, *course, *before))
    })
}

/// Answers the newest `Open` with a page.
fn send_page(stage: &mut Stage, courses: u32, first_line: usize, lines: &[&str]) {
    let (ticket, dialog, course) = opened(stage);
    send_page_part(
        stage,
        ticket,
        dialog,
        (course.map_or(courses, |c| c.0), courses),
        first_line,
        lines,
    );
}

fn send_page_part(
    stage: &mut Stage,
    ticket: Ticket,
    dialog: DialogId,
    (course, courses): (u32, u32),
    first_line: usize,
    lines: &[&str],
) {
    let page = TranscriptPage {
        dialog,
        agent: "orchestrator".into(),
        course: Course(course),
        courses: Course(courses),
        first_line,
        entries: lines.iter().map(|line| entry(line)).collect(),
    };
    stage.apply(DriverEvent::Page { ticket, page: Box::new(page) });
}

/// The main dialog with its story, the transcript in focus.
fn reading(height: u16) -> Stage {
    let mut stage = Stage::new(80, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
    stage.keys("3").screen();
    stage
}

fn many(count: usize) -> Vec<String> {
    (0..count).map(|n| words(&format!("word {n}"))).collect()
}

#[test]
fn a_call_jumps_to_its_assignment_and_back_to_the_same_position() {
    let mut stage = reading(24);
    let before = stage.screen();
    stage.keys("<enter>");
    assert_eq!(opened(&stage).1, side("v"));
    let long = many(40);
    let lines: Vec<&str> = REVIEW.iter().copied().chain(long.iter().map(String::as_str)).collect();
    send_page(&mut stage, 1, 0, &lines);
    let screen = stage.screen();
    assert!(screen.contains("Review the login.") && !screen.contains("word 39"), "{screen}");
    stage.keys("<backspace>");
    assert_eq!(opened(&stage).1, main_dialog());
    stage.page(STORY);
    assert_eq!(stage.screen(), before);
}

#[test]
fn an_assignment_not_loaded_is_searched_in_older_records_and_courses() {
    let mut stage = reading(24);
    stage.keys("<enter>");
    let long = many(40);
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    send_page(&mut stage, 2, 40, &long);
    stage.screen();
    let (ticket, course, before) = page_asked(&stage).expect("older records");
    assert_eq!((course, before), (Course(2), 40));
    send_page_part(&mut stage, ticket, side("v"), (2, 2), 0, &long);
    stage.screen();
    assert_eq!((opened(&stage).1, opened(&stage).2), (side("v"), Some(Course(1))));
    send_page(&mut stage, 2, 0, REVIEW);
    assert!(stage.screen().contains("Review the login."), "{}", stage.screen());
    stage.keys("<backspace>");
    assert_eq!(opened(&stage).1, main_dialog(), "one jump is one step back");
}

#[test]
fn a_missing_jump_target_is_reported_and_the_search_ends() {
    let mut stage = reading(24);
    stage.keys("<enter>");
    send_page(&mut stage, 1, 0, &[]);
    let sent = stage.sent.len();
    assert!(stage.screen().contains("the other end was not found"), "{}", stage.screen());
    stage.screen();
    assert_eq!(stage.sent.len(), sent);
}

#[test]
fn an_assignment_and_a_reply_jump_to_the_call_of_the_asker() {
    for keys in ["g", "G"] {
        let mut stage = reading(40);
        stage.keys("1 g j j j <enter>");
        assert_eq!(opened(&stage).1, side("d"));
        stage.keys("1 j <enter>");
        assert_eq!(opened(&stage).1, side("v"));
        send_page(&mut stage, 1, 0, REVIEW);
        stage.screen();
        stage.keys(keys).screen();
        stage.keys("<enter>");
        assert_eq!(opened(&stage).1, main_dialog(), "{keys}");
        let long = many(60);
        let lines: Vec<&str> =
            STORY.iter().copied().chain(long.iter().map(String::as_str)).collect();
        stage.page(&lines);
        let screen = stage.screen();
        assert!(screen.contains("@reviewer  ") && !screen.contains("word 59"), "{screen}");
        stage.keys("<backspace>");
        assert_eq!(opened(&stage).1, side("v"));
    }
}

#[test]
fn a_late_reply_jumps_to_its_call_in_the_previous_course_and_back() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    send_page(&mut stage, 2, 0, &[LATE]);
    stage.keys("3").screen();
    stage.keys("<enter>");
    assert_eq!((opened(&stage).1, opened(&stage).2), (main_dialog(), Some(Course(1))));
    let long = many(60);
    let lines: Vec<&str> = STORY.iter().copied().chain(long.iter().map(String::as_str)).collect();
    send_page(&mut stage, 2, 0, &lines);
    let screen = stage.screen();
    assert!(screen.contains("@reviewer") && !screen.contains("word 59"), "{screen}");
    stage.keys("<backspace>");
    assert_eq!((opened(&stage).1, opened(&stage).2), (main_dialog(), None));
}

#[test]
fn a_reply_jumps_to_a_call_in_older_records() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let long = many(60);
    let newer: Vec<&str> = long.iter().map(String::as_str).chain([STORY[8]]).collect();
    send_page(&mut stage, 1, 8, &newer);
    stage.keys("3").screen();
    stage.keys("<enter>").screen();
    let (ticket, course, before) = page_asked(&stage).expect("older records");
    assert_eq!((course, before), (Course(1), 8));
    send_page_part(&mut stage, ticket, main_dialog(), (1, 1), 0, &STORY[..8]);
    let screen = stage.screen();
    assert!(screen.contains("replied 12:01") && !screen.contains("word 59"), "{screen}");
    stage.keys("<backspace>");
    assert!(stage.screen().contains("word 59"));
}

#[test]
fn i07_an_old_course_shows_history_while_the_newest_continues() {
    let mut stage = Stage::new(120, 40);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    send_page(&mut stage, 2, 0, &[&words("newest")]);
    stage.keys("3 {");
    assert_eq!(opened(&stage).2, Some(Course(1)));
    stage.fact_in(&main_dialog(), 2, 1, &words("came meanwhile"));
    send_page(&mut stage, 2, 0, STORY);
    stage.fact_in(&main_dialog(), 2, 2, &words("came later"));
    stage.live(&main_dialog(), Segment::Saying, "being written");
    let screen = stage.screen();
    assert!(screen.contains("course 1 of 2") && screen.contains("@reviewer"), "{screen}");
    for text in ["newest", "came meanwhile", "came later", "being written"] {
        assert!(!screen.contains(text), "{text}\n{screen}");
    }
    stage.keys("{");
    assert!(stage.screen().contains("this is the first course"));
    stage.keys("}");
    assert_eq!(opened(&stage).2, Some(Course(2)));
    let newest: Vec<String> = ["newest", "came meanwhile", "came later"].map(words).to_vec();
    let newest: Vec<&str> = newest.iter().map(String::as_str).collect();
    send_page(&mut stage, 2, 0, &newest);
    stage.live(&main_dialog(), Segment::Saying, "being written");
    let screen = stage.screen();
    for text in ["newest", "came meanwhile", "came later", "being written"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    stage.keys("}");
    assert!(stage.screen().contains("this is the newest course"));
}

#[test]
fn older_records_belong_to_the_course_the_view_started_in() {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let long = many(60);
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    send_page(&mut stage, 1, 50, &long);
    stage.fact_in(&main_dialog(), 2, 0, &words("a new course"));
    stage.keys("3 g").screen();
    let (_, course, before) = page_asked(&stage).expect("older records");
    assert_eq!((course, before), (Course(1), 50));
}

#[test]
fn generations_are_stepped_through() {
    let mut stage = Stage::new(80, 12);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    let lines: Vec<String> = (1..9)
        .flat_map(|genseq| {
            let start = format!(r#"{{"ts":"t","type":"gen_start_record","genseq":{genseq}}}"#);
            let said = words(&format!("in generation {genseq}\n\nand more"));
            [start, said.replace("\"genseq\":14", &format!("\"genseq\":{genseq}"))]
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    send_page(&mut stage, 1, 0, &lines);
    stage.keys("3 g").screen();
    stage.keys("]").screen();
    stage.keys("]");
    assert!(!stage.screen().contains("generation 2"));
    stage.keys("[");
    assert!(stage.screen().contains("generation 2"), "{}", stage.screen());
}

#[test]
fn l05_two_dialogs_that_stream_at_once_do_not_mix() {
    let mut stage = reading(24);
    stage.live(&main_dialog(), Segment::Saying, "mine ");
    stage.live(&side("r"), Segment::Saying, "theirs ");
    stage.live(&main_dialog(), Segment::Saying, "goes on");
    let screen = stage.screen();
    assert!(screen.contains("mine goes on") && !screen.contains("theirs"), "{screen}");
    let row = TreeRow { state: crate::domain::DisplayState::Proceeding, ..rows()[1].clone() };
    stage.apply(DriverEvent::Row(Box::new(row)));
    stage.keys("1 g j j <enter>");
    assert_eq!(opened(&stage).1, side("r"));
    stage.live(&side("r"), Segment::Saying, "theirs again");
    stage.live(&main_dialog(), Segment::Saying, "unseen");
    send_page(&mut stage, 1, 0, &[]);
    let screen = stage.screen();
    assert!(screen.contains("theirs again") && !screen.contains("unseen"), "{screen}");
}
