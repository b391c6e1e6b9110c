//! What is read from records, given as lines of a course.

use super::*;
use crate::domain::dialogs::record::Record;

fn fold(lines: &[&str]) -> History {
    let mut history = History::new(Course::FIRST);
    for line in lines {
        history.fold(Course::FIRST, Arc::new(Entry::parse(line).expect("a record")));
    }
    history
}

const START: &str = r#"{"type":"gen_start_record","genseq":1}"#;
const FINISH: &str = r#"{"type":"gen_finish_record","genseq":1}"#;
const ASK: &str = r#"{"type":"tellask_call_record","genseq":1,"id":"q","name":"askHuman","rawArgumentsText":"{}","deliveryMode":"tellask_call_start"}"#;
const ASK_STATUS: &str =
    r#"{"type":"func_result_record","genseq":1,"id":"q","name":"askHuman","content":"waits"}"#;
const ANSWER: &str = r#"{"type":"tellask_result_record","callId":"q","callName":"askHuman","status":"completed","content":"blue","callSiteCourse":1,"callSiteGenseq":1,"responder":{"responderId":"human"},"call":{"tellaskContent":"?"}}"#;

#[test]
fn a_question_is_open_until_its_answer_is_recorded() {
    let asked = fold(&[START, ASK, ASK_STATUS, FINISH]);
    assert_eq!(asked.open_questions().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["q"]);
    assert!(!asked.last.owes_followup);
    let answered = fold(&[START, ASK, ASK_STATUS, FINISH, ANSWER]);
    assert_eq!(answered.open_questions().count(), 0);
    assert_eq!(answered.unread.len(), 1);
    let read = fold(&[
        START,
        ASK,
        ASK_STATUS,
        FINISH,
        ANSWER,
        r#"{"type":"gen_start_record","genseq":2}"#,
    ]);
    assert!(read.unread.is_empty());
}

#[test]
fn a_tool_result_owes_a_follow_up() {
    let call = r#"{"type":"func_call_record","genseq":1,"id":"t","name":"read_file","rawArgumentsText":"{}"}"#;
    let result =
        r#"{"type":"func_result_record","genseq":1,"id":"t","name":"read_file","content":"x"}"#;
    assert!(fold(&[START, call, result, FINISH]).last.owes_followup);
    assert_eq!(fold(&[START, call]).open_calls().count(), 1);
    assert_eq!(fold(&[START, call, result]).open_calls().count(), 0);
}

#[test]
fn a_plain_answer_is_the_last_saying_without_a_call_after_it() {
    let words = r#"{"type":"agent_words_record","genseq":1,"content":"done"}"#;
    let call =
        r#"{"type":"func_call_record","genseq":1,"id":"t","name":"x","rawArgumentsText":""}"#;
    assert_eq!(fold(&[START, words, FINISH]).plain_answer(), Some("done"));
    assert_eq!(fold(&[START, words, call, FINISH]).plain_answer(), None);
    assert_eq!(fold(&[START, words]).plain_answer(), None);
    assert_eq!(fold(&[START, FINISH]).plain_answer(), None);
}

#[test]
fn a_dialog_is_named_after_the_first_words_of_all_its_courses() {
    let said = |text: &str| {
        format!(
            r#"{{"type":"human_text_record","genseq":1,"content":"{text}","msgId":"{text}","grammar":"markdown","origin":"user"}}"#
        )
    };
    let mut history = fold(&[START, &said("first"), &said("second"), FINISH]);
    history.fold(Course(2), Arc::new(Entry::parse(&said("third")).expect("a record")));
    let opening = history.opening.as_ref().map(|entry| entry.record.clone());
    let Some(Record::HumanText(text)) = opening else { panic!("{opening:?}") };
    assert_eq!(text.content, "first");
}

#[test]
fn a_stray_snapshot_does_not_begin_a_course() {
    let mut history = fold(&[START, FINISH]);
    let stray = r#"{"type":"pending_sideDialogs_reconciled_record","pendingSideDialogs":[]}"#;
    history.fold(Course(2), Arc::new(Entry::parse(stray).unwrap()));
    assert_eq!((history.course, history.entries.len()), (Course::FIRST, 2));
    history.fold(
        Course(2),
        Arc::new(Entry::parse(r#"{"type":"gen_start_record","genseq":2}"#).unwrap()),
    );
    assert_eq!((history.course, history.entries.len()), (Course(2), 1));
}

/// All orders of these lines.
fn orders(lines: &[&'static str]) -> Vec<Vec<&'static str>> {
    let mut all = Vec::new();
    for (n, first) in lines.iter().enumerate() {
        let rest: Vec<_> = [&lines[..n], &lines[n + 1..]].concat();
        all.extend(orders(&rest).into_iter().map(|order| [&[*first][..], &order].concat()));
    }
    if lines.is_empty() { vec![Vec::new()] } else { all }
}

#[test]
fn what_is_open_is_what_the_records_leave_open_in_whatever_order_they_stand() {
    let call =
        r#"{"type":"func_call_record","genseq":1,"id":"t","name":"x","rawArgumentsText":""}"#;
    let result = r#"{"type":"func_result_record","genseq":1,"id":"t","name":"x","content":"y"}"#;
    for order in orders(&[ASK, ASK_STATUS, ANSWER, call, result]) {
        for length in 0..=order.len() {
            let lines = &order[..length];
            let history = fold(lines);
            let open: Vec<&str> = history.open_calls().map(|(id, _)| id.as_str()).collect();
            let left = |call, result| lines.contains(&call) && !lines.contains(&result);
            let ids = [("q", left(ASK, ASK_STATUS)), ("t", left(call, result))];
            let expected: Vec<&str> =
                ids.into_iter().filter(|(_, open)| *open).map(|(id, _)| id).collect();
            assert_eq!(open, expected, "{lines:?}");
            let questions = history.open_questions().count();
            assert_eq!(questions, usize::from(left(ASK, ANSWER)), "{lines:?}");
        }
    }
}
