//! Spans from records, also from records whose stamps make no sense.

use proptest::prelude::*;

use super::*;
use crate::domain::dialogs::record::Entry;
use crate::domain::{CallId, Stamp};

const NOW: &str = "2026-11-21 13:00:00";

fn seconds(time: &str) -> i64 {
    stamp(time).seconds().expect("a time")
}

/// `12:03:00` of the day of the tests.
fn stamp(time: &str) -> Stamp {
    Stamp::new(format!("2026-11-21 {time}"))
}

fn entry(time: &str, rest: &str) -> Entry {
    let line = format!(r#"{{"ts":"2026-11-21 {time}",{rest}}}"#);
    Entry::parse(&line).expect("a record")
}

fn started(genseq: u32) -> String {
    format!(r#""type":"gen_start_record","genseq":{genseq}"#)
}

fn said(genseq: u32) -> String {
    format!(r#""type":"agent_words_record","genseq":{genseq},"content":"x""#)
}

fn ended(genseq: u32) -> String {
    format!(
        r#""type":"gen_finish_record","genseq":{genseq},"contextHealth":{{"kind":"unavailable","reason":"usage_unavailable"}}"#
    )
}

fn stopped(genseq: u32) -> String {
    format!(r#""type":"gen_finish_record","genseq":{genseq}"#)
}

fn called(name: &str, id: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).expect("text");
    format!(
        r#""type":"tellask_call_record","genseq":1,"id":"{id}","name":"{name}","rawArgumentsText":{arguments},"deliveryMode":"tellask_call_start""#
    )
}

fn answered(id: &str) -> String {
    format!(
        r#""type":"tellask_result_record","callId":"{id}","status":"completed","content":"x","responder":{{"responderId":"r"}},"callName":"tellask","call":{{"tellaskContent":"q"}}"#
    )
}

fn used_tool(genseq: u32) -> String {
    format!(
        r#""type":"func_call_record","genseq":{genseq},"id":"t","name":"shell","rawArgumentsText":"{{}}""#
    )
}

fn timeline(records: &[(&str, String)], end: LifeEnd) -> Timeline {
    let mut fold = TimelineFold::new(&stamp("12:00:00"), Stamp::new(NOW).seconds().unwrap());
    for (time, record) in records {
        fold.push(Course(1), &entry(time, record));
    }
    fold.finish(end)
}

fn going(driven: Driven) -> LifeEnd {
    LifeEnd::Now { driven }
}

/// The spans as `from-to what`.
fn spans(timeline: &Timeline) -> Vec<String> {
    let born = seconds("12:00:00");
    let name = |activity: &Activity| match activity {
        Activity::Ran { generations } => format!("ran {generations}"),
        Activity::WaitedForDialogs(calls) => {
            let name = |call: &AwaitedCall| {
                let by = call.by.as_ref().map(SelfId::to_string);
                format!(" {}={}", call.call, by.unwrap_or_default())
            };
            format!("dialogs{}", calls.iter().map(name).collect::<String>())
        }
        Activity::WaitedForPerson { question } => format!("person {question}"),
        Activity::WasReady => "ready".to_owned(),
        Activity::HadNothingToDo => "nothing".to_owned(),
        Activity::WasStopped => "stopped".to_owned(),
        Activity::WasCutOff => "cut off".to_owned(),
    };
    let all = timeline.spans.iter();
    all.map(|span| format!("{}-{} {}", span.from - born, span.to - born, name(&span.activity)))
        .collect()
}

#[test]
fn a_dialog_runs_waits_for_a_person_and_for_others_and_rests() {
    let made = r#""type":"sideDialog_created_record","sideDialogId":"side","askerDialogId":"m","agentId":"a","taskDocPath":"t.tsk","createdAt":"x","assignmentFromAsker":{"callName":"tellask","mentionList":[],"tellaskContent":"do","originMemberId":"m","askerDialogId":"m","callId":"c2","collectiveTargets":[]}"#;
    let records = [
        ("12:00:05", started(1)),
        ("12:00:06", said(1)),
        ("12:00:10", called("askHuman", "c1", r#"{"tellaskContent":"\n drop it?\nmore"}"#)),
        ("12:00:10", ended(1)),
        ("12:05:10", answered("c1")),
        ("12:05:12", started(2)),
        ("12:05:20", called("tellask", "c2", r#"{"targetAgentId":"a","tellaskContent":"do"}"#)),
        ("12:05:20", made.to_owned()),
        ("12:05:20", ended(2)),
        ("12:07:00", answered("c2")),
        ("12:07:00", started(3)),
        ("12:07:09", ended(3)),
    ];
    let found = timeline(&records, going(Driven::Yes));
    let expected = [
        "0-5 ready",
        "5-10 ran 1",
        "10-310 person drop it?",
        "310-312 ready",
        "312-320 ran 1",
        "320-420 dialogs c2=side",
        "420-429 ran 1",
        "429-3600 nothing",
    ];
    assert_eq!(spans(&found), expected);
    assert!(found.goes_on);
    let places: Vec<_> = found.spans.iter().map(|span| span.place.clone()).collect();
    let generation = |genseq| Some(SpanPlace::Generation(Course(1), Genseq(genseq)));
    assert_eq!(places[1], generation(1));
    assert_eq!(places[2], Some(SpanPlace::Call(CallId::new("c1"))));
    assert_eq!(places[5], Some(SpanPlace::Call(CallId::new("c2"))));
}

#[test]
fn generations_that_follow_each_other_are_one_run() {
    let mut records = Vec::new();
    for n in 1..=3 {
        records.extend([("12:00:00", started(n)), ("12:00:00", used_tool(n))]);
        records.push(("12:00:00", ended(n)));
    }
    let found = timeline(&records, LifeEnd::LastRecord);
    assert_eq!(spans(&found), ["0-0 ran 3"]);
    assert!(!found.goes_on);
}

#[test]
fn a_generation_that_used_a_tool_has_another_to_do_and_one_that_only_spoke_has_not() {
    for (record, expected) in [(used_tool(1), "60-3600 ready"), (said(1), "60-3600 nothing")] {
        let records = [("12:00:00", started(1)), ("12:00:30", record), ("12:01:00", ended(1))];
        assert_eq!(spans(&timeline(&records, going(Driven::No))), ["0-60 ran 1", expected]);
    }
    let records = [("12:00:00", started(1)), ("12:01:00", stopped(1))];
    assert_eq!(spans(&timeline(&records, going(Driven::No))), ["0-60 ran 1", "60-3600 stopped"]);
}

#[test]
fn a_dialog_that_delivered_its_reply_has_nothing_to_do() {
    let delivered = r#""type":"tellask_reply_resolution_record","genseq":1,"callId":"r","replyCallName":"replyTellask","targetCallId":"c""#;
    let records = [
        ("12:00:00", started(1)),
        ("12:00:10", called("replyTellask", "r", "{}")),
        ("12:00:10", delivered.to_owned()),
        ("12:01:00", ended(1)),
    ];
    let found = timeline(&records, going(Driven::Yes));
    assert_eq!(spans(&found), ["0-60 ran 1", "60-3600 nothing"]);
}

#[test]
fn a_generation_without_an_end_runs_while_it_is_driven_and_was_cut_off_otherwise() {
    let records = [("12:00:00", started(1)), ("12:01:00", said(1))];
    for (end, expected) in [
        (going(Driven::Yes), vec!["0-3600 ran 1"]),
        (going(Driven::No), vec!["0-60 ran 1", "60-3600 cut off"]),
        (LifeEnd::LastRecord, vec!["0-60 ran 1"]),
    ] {
        assert_eq!(spans(&timeline(&records, end)), expected);
    }
    let again = [records.as_slice(), &[("12:10:00", started(2)), ("12:10:05", ended(2))]].concat();
    let found = timeline(&again, LifeEnd::LastRecord);
    assert_eq!(spans(&found), ["0-60 ran 1", "60-600 cut off", "600-605 ran 1"]);
}

#[test]
fn a_question_asked_back_holds_its_generation() {
    let records = [
        ("12:00:00", started(1)),
        ("12:00:04", called("tellaskBack", "b", r#"{"tellaskContent":"which?"}"#)),
        ("12:00:34", answered("b")),
        ("12:00:40", ended(1)),
    ];
    let found = timeline(&records, LifeEnd::LastRecord);
    assert_eq!(spans(&found), ["0-4 ran 1", "4-34 dialogs b=", "34-40 ran 1"]);
}

#[test]
fn of_a_clock_that_goes_back_or_ahead_or_says_nothing_the_last_time_that_made_sense_holds() {
    let mut fold = TimelineFold::new(&stamp("12:00:00"), Stamp::new(NOW).seconds().unwrap());
    for (time, record) in [
        ("2026-11-21 12:00:10", started(1)),
        ("2026-11-21 11:00:00", said(1)),
        ("soon", said(1)),
        ("2099-01-01 00:00:00", said(1)),
        ("2026-11-21 12:00:20", ended(1)),
    ] {
        let line = format!(r#"{{"ts":"{time}",{record}}}"#);
        fold.push(Course(1), &Entry::parse(&line).expect("a record"));
    }
    let found = fold.finish(LifeEnd::LastRecord);
    assert_eq!(spans(&found), ["0-10 ready", "10-20 ran 1"]);
}

#[test]
fn of_too_many_spans_the_oldest_are_left_out() {
    let born = stamp("00:00:00");
    let now = seconds("23:59:59");
    let mut fold = TimelineFold::new(&born, now);
    let second = |n: usize| format!("{:02}:{:02}:{:02}", n / 3600, n / 60 % 60, n % 60);
    for n in 1..=MAX_SPANS {
        fold.push(Course(1), &entry(&second(2 * n), &started(1)));
        fold.push(Course(1), &entry(&second(2 * n + 1), &ended(1)));
    }
    let found = fold.finish(LifeEnd::LastRecord);
    assert_eq!((found.spans.len(), found.left_out), (MAX_SPANS, MAX_SPANS));
}

/// A record of any kind that matters, with any stamp.
fn any_record() -> impl Strategy<Value = (String, String)> {
    let time = prop_oneof![
        4 => (0u32..3_600).prop_map(|n| format!("2026-11-21 12:{:02}:{:02}", n / 60, n % 60)),
        1 => Just("2026-11-21 11:00:00".to_owned()),
        1 => Just("2099-01-01 00:00:00".to_owned()),
        1 => Just("nonsense".to_owned()),
        1 => Just(String::new()),
    ];
    let record = (0usize..9, 0u32..4).prop_map(|(kind, n)| match kind {
        0 | 1 => started(n),
        2 => ended(n),
        3 => stopped(n),
        4 => called("askHuman", &format!("c{n}"), "{}"),
        5 => called("tellask", &format!("c{n}"), "not json"),
        6 => answered(&format!("c{n}")),
        7 => r#""type":"questions4human_reconciled_record","questions":[]"#.to_owned(),
        _ => used_tool(n),
    });
    (time, record)
}

proptest! {
    #[test]
    fn spans_follow_each_other_and_cover_the_life_of_the_dialog(
        records in proptest::collection::vec(any_record(), 0..60),
        born in prop_oneof![Just("2026-11-21 12:00:00"), Just("broken")],
        end in prop_oneof![
            Just(LifeEnd::LastRecord),
            Just(going(Driven::Yes)),
            Just(going(Driven::No)),
        ],
    ) {
        let now = Stamp::new(NOW).seconds().unwrap();
        let mut fold = TimelineFold::new(&Stamp::new(born), now);
        let mut times: Vec<i64> = Stamp::new(born).seconds().into_iter().collect();
        for (time, record) in &records {
            let line = format!(r#"{{"ts":"{time}",{record}}}"#);
            fold.push(Course(1), &Entry::parse(&line).expect("a record"));
            times.extend(Stamp::new(time).seconds().filter(|at| *at <= now));
        }
        let found = fold.finish(end);
        for pair in found.spans.windows(2) {
            prop_assert_eq!(pair[0].to, pair[1].from);
        }
        for span in &found.spans {
            let is_run = matches!(span.activity, Activity::Ran { .. });
            prop_assert!(span.from < span.to || is_run && span.from == span.to);
        }
        let birth = times.first().copied().unwrap_or(now);
        let death = match end {
            LifeEnd::LastRecord => times.iter().copied().max().unwrap_or(now),
            LifeEnd::Now { .. } => now,
        };
        if let (Some(first), Some(last)) = (found.spans.first(), found.spans.last()) {
            prop_assert_eq!((first.from, last.to), (birth, death.max(birth)));
        } else {
            prop_assert!(times.is_empty() || birth == death, "{:?}", times);
        }
    }
}
