//! Questions draw attention once per burst, and never while the person looks at them.

use std::time::Duration;

use super::fixture::*;
use crate::app::{AttentionSettings, Effect, Looking, QuietHours};
use crate::caller::{Call, CallReason};
use crate::domain::asking::decisions::Resolution;
use crate::domain::teams::notices::NewsKind;
use crate::lists::notice::tests::item;
use crate::model::DraftKey;
use crate::protocol::{Command, DriverEvent, InboxRow, TreeRow};
use crate::user_settings::SettingOptions;

const SOON: Duration = Duration::from_millis(500);

fn asked(row: &InboxRow) -> DriverEvent {
    DriverEvent::Asked {
        dialog: row.dialog.clone(),
        question: row.question.id.clone(),
        headline: "not used for the ring".to_owned(),
    }
}

/// All these questions are open, and have just come.
fn come(stage: &mut Stage, rows: &[InboxRow]) {
    stage.apply(DriverEvent::Inbox(rows.to_vec()));
    for row in rows {
        stage.apply(asked(row));
    }
}

/// The rings since the last look.
fn calls(stage: &mut Stage) -> Vec<Call> {
    let effects = stage.app.take_effects().into_iter();
    let rung = effects.filter_map(
        |effect| {
            if let Effect::Ring(call) = effect { Some(call) } else { None }
        },
    );
    rung.collect()
}

fn rings(stage: &mut Stage) -> Vec<String> {
    calls(stage).into_iter().map(|call| call.text.into_string()).collect()
}

fn calm(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.screen();
    stage.app.take_effects();
    stage
}

#[test]
fn a_burst_rings_once_and_says_how_many_and_a_single_question_says_where() {
    let mut stage = calm(120, 40);
    come(&mut stage, &questions());
    assert!(rings(&mut stage).is_empty());
    stage.wait(SOON);
    assert_eq!(rings(&mut stage), ["2 questions: @dba Drop users.legacy_otp, or keep it?"]);
    let mut stage = calm(120, 40);
    let titled = rows().into_iter().map(|row| TreeRow { title: "add 2FA".to_owned(), ..row });
    stage.apply(DriverEvent::Rows(titled.collect()));
    come(&mut stage, &questions()[1..]);
    stage.wait(SOON);
    assert_eq!(rings(&mut stage), ["add 2FA: @orchestrator Which database for the audit log?"]);
    stage.wait(SOON * 100);
    assert!(rings(&mut stage).is_empty(), "once");
}

#[test]
fn what_is_answered_put_off_or_sent_before_the_ring_does_not_ring() {
    let mut stage = calm(120, 40);
    come(&mut stage, &questions());
    for row in questions() {
        let (dialog, question) = (row.dialog, row.question.id);
        stage.apply(DriverEvent::Answered {
            dialog,
            question,
            headline: String::new(),
            by: None,
            how: Resolution::Answered,
        });
    }
    stage.wait(SOON);
    assert!(rings(&mut stage).is_empty());
    let mut stage = calm(120, 40);
    come(&mut stage, &questions());
    stage.screen();
    stage.keys("2 Z 1 5 <enter>");
    stage.wait(SOON);
    let rung = rings(&mut stage);
    assert!(rung.len() == 1 && !rung[0].contains("questions"), "{rung:?}");
    let mut stage = calm(120, 40);
    come(&mut stage, &questions());
    for row in questions() {
        stage.app.model.inbox.mark_sent(&row.question.id);
    }
    stage.wait(SOON);
    assert!(rings(&mut stage).is_empty());
}

#[test]
fn questions_that_ask_the_same_are_put_off_together() {
    let time = Duration::from_mins(15);
    let mut stage = calm(120, 40);
    stage.app.attention.alerts.set(AttentionSettings { quiet: None, remind_after: Some(time) });
    let mut open = questions();
    let mut same = open[0].clone();
    (same.question.id, same.dialog) = ("q3".to_owned(), side("e"));
    open.push(same);
    come(&mut stage, &open);
    stage.wait(SOON);
    assert_eq!(calls(&mut stage).len(), 1);
    stage.screen();
    stage.keys("2 Z <ctrl+u> 1 h <enter>");
    assert_eq!(stage.app.writing.drafts().questions(DraftKey::PutOff), ["q1", "q3"]);
    stage.wait(time);
    let reminded: Vec<usize> = calls(&mut stage).iter().map(|call| call.count).collect();
    assert_eq!(reminded, [1], "of the other one");
}

#[test]
fn a_question_that_was_put_off_rings_when_it_is_back() {
    let mut stage = calm(120, 40);
    stage.apply(DriverEvent::Inbox(questions()[1..].to_vec()));
    stage.screen();
    stage.keys("2 Z <ctrl+u> 1 <enter>");
    stage.wait(Duration::from_secs(15 * 60 + 1)).wait(SOON);
    assert_eq!(rings(&mut stage).len(), 1);
}

#[test]
fn nobody_is_called_who_looks_at_the_question() {
    for (size, looking, keys, expected) in [
        // The inbox beside the dialog shows it.
        ((120, 40), Looking::Here, "", 0),
        ((120, 40), Looking::Away, "", 1),
        ((120, 40), Looking::Unknown, "", 1),
        // An overlay beside it does not hide it, one over it does.
        ((120, 40), Looking::Here, ":", 0),
        ((119, 40), Looking::Here, "?", 0),
        ((120, 40), Looking::Here, "?", 1),
        ((60, 20), Looking::Here, "2 ?", 1),
        // One pane at a time.
        ((60, 20), Looking::Here, "1", 1),
        ((60, 20), Looking::Here, "2", 0),
        ((120, 40), Looking::Here, "3 z", 1),
        // Too small to show anything.
        ((30, 8), Looking::Here, "", 1),
    ] {
        let mut stage = calm(120, 40);
        stage.resize(size.0, size.1);
        stage.keys(keys).app.look(looking);
        come(&mut stage, &questions()[..1]);
        stage.screen();
        stage.wait(SOON);
        assert_eq!(rings(&mut stage).len(), expected, "{size:?} {looking:?} {keys}");
    }
}

#[test]
fn what_counts_is_who_looks_when_it_rings() {
    for (first, then, expected) in
        [(Looking::Here, Looking::Away, 1), (Looking::Away, Looking::Here, 0)]
    {
        let mut stage = calm(120, 40);
        stage.app.look(first);
        come(&mut stage, &questions());
        stage.screen();
        stage.app.look(then);
        stage.wait(SOON);
        assert_eq!(rings(&mut stage).len(), expected, "{first:?} {then:?}");
    }
}

#[test]
fn the_question_that_is_being_answered_is_looked_at_in_one_pane() {
    let mut stage = calm(60, 20);
    stage.apply(DriverEvent::Inbox(questions()[..1].to_vec()));
    stage.screen();
    stage.keys("2 <enter>").app.look(Looking::Here);
    stage.screen();
    come(&mut stage, &questions());
    stage.wait(SOON);
    assert_eq!(rings(&mut stage), ["add 2FA: @orchestrator Which database for the audit log?"]);
}

#[test]
fn a_hostile_question_is_one_clean_line() {
    let mut stage = calm(120, 40);
    let text = "\u{1b}]0;x\u{7}\u{9b}2J\u{202e}drop\nsecond";
    come(&mut stage, &[question(&side("d"), "dba", "q1", text, "2026-11-21 12:01:00")]);
    stage.wait(SOON);
    let rung = rings(&mut stage);
    assert!(rung.len() == 1 && !rung[0].chars().any(char::is_control), "{rung:?}");
    assert!(!rung[0].contains('\u{202e}'), "{rung:?}");
}

#[test]
fn the_title_counts_what_is_not_put_off() {
    let mut stage = calm(120, 40);
    stage.apply(DriverEvent::Inbox(questions()));
    assert!(stage.app.take_effects().contains(&Effect::Title(2)));
    stage.screen();
    stage.keys("2 Z 1 <enter>");
    assert!(stage.app.take_effects().contains(&Effect::Title(1)));
    stage.keys("B");
    assert!(stage.app.take_effects().contains(&Effect::Title(2)));
}

#[test]
fn nothing_wakes_the_program_for_questions_that_rang() {
    let mut stage = calm(120, 40);
    assert_eq!(stage.app.attention.alerts.wake_at(), None);
    come(&mut stage, &questions());
    assert!(stage.app.attention.alerts.wake_at().is_some());
    stage.wait(SOON);
    assert_eq!(stage.app.attention.alerts.wake_at(), None);
}

/// The clock of the tests stays at 12:07:00.
fn quiet_now() -> AttentionSettings {
    AttentionSettings { quiet: QuietHours::parse("11:00-13:00"), remind_after: None }
}

#[test]
fn a_burst_in_quiet_hours_rings_once_when_they_are_over() {
    let mut stage = calm(120, 40);
    stage.app.attention.alerts.set(quiet_now());
    come(&mut stage, &questions()[..1]);
    stage.wait(SOON);
    come(&mut stage, &questions());
    stage.wait(SOON);
    assert!(rings(&mut stage).is_empty());
    for _ in 0..60 {
        stage.wait(Duration::from_mins(1));
        assert!(rings(&mut stage).is_empty());
    }
    let left = stage.app.attention.alerts.wake_at().expect("the next look at the time") - stage.now;
    assert!(left <= Duration::from_mins(1), "{left:?}");
    stage.app.attention.alerts.set(AttentionSettings::default());
    stage.wait(left);
    assert_eq!(rings(&mut stage), ["2 questions: @dba Drop users.legacy_otp, or keep it?"]);
}

#[test]
fn notifications_are_switched_off_and_on_while_the_screen_runs() {
    let mut stage = calm(120, 40);
    stage.offer(SettingOptions::default());
    stage.keys("1 % j <enter>");
    come(&mut stage, &questions());
    stage.wait(SOON);
    assert!(rings(&mut stage).is_empty());
    stage.keys("k <enter> <esc>");
    stage.wait(Duration::from_mins(1));
    assert_eq!(rings(&mut stage).len(), 1);
}

#[test]
fn a_question_that_comes_after_quiet_hours_the_machine_slept_through_rings_with_the_earlier_ones() {
    let mut stage = calm(120, 40);
    stage.app.attention.alerts.set(quiet_now());
    come(&mut stage, &questions()[..1]);
    stage.wait(SOON);
    // The machine wakes up; timers did not advance.
    stage.app.attention.alerts.set(AttentionSettings::default());
    come(&mut stage, &questions());
    stage.wait(SOON);
    assert_eq!(rings(&mut stage), ["2 questions: @dba Drop users.legacy_otp, or keep it?"]);
}

#[test]
fn a_question_rings_though_the_list_of_questions_comes_later() {
    for late in [Duration::ZERO, SOON * 20] {
        let mut stage = calm(120, 40);
        stage.apply(DriverEvent::Lagged).apply(asked(&questions()[0]));
        stage.app.take_effects();
        stage.wait(late);
        assert!(rings(&mut stage).is_empty());
        stage.apply(DriverEvent::Inbox(questions()[..1].to_vec()));
        stage.wait(SOON);
        assert_eq!(rings(&mut stage).len(), 1, "{late:?}");
        assert_eq!(stage.app.attention.alerts.wake_at(), None);
    }
}

#[test]
fn a_question_that_is_gone_when_the_list_comes_does_not_ring_and_wakes_nothing() {
    for answered in [true, false] {
        let mut stage = calm(120, 40);
        let row = &questions()[0];
        stage.apply(asked(row));
        stage.wait(SOON);
        if answered {
            let (dialog, question) = (row.dialog.clone(), row.question.id.clone());
            stage.apply(DriverEvent::Answered {
                dialog,
                question,
                headline: String::new(),
                by: None,
                how: Resolution::Answered,
            });
        } else {
            stage.apply(DriverEvent::Inbox(Vec::new()));
        }
        stage.apply(DriverEvent::Inbox(questions()));
        stage.wait(SOON);
        assert_eq!(rings(&mut stage).len(), 0);
        assert_eq!(stage.app.attention.alerts.wake_at(), None);
    }
}

#[test]
fn a_hidden_screen_wakes_up_to_call() {
    let mut stage = calm(120, 40);
    stage.wait(SOON * 100);
    come(&mut stage, &questions());
    let ring = stage.app.attention.alerts.wake_at();
    assert!(ring.is_some());
    assert_eq!(stage.app.wake_hidden_at(), ring);
}

#[test]
fn what_is_answered_in_quiet_hours_does_not_ring_and_wakes_nothing() {
    let mut stage = calm(120, 40);
    stage.app.attention.alerts.set(quiet_now());
    come(&mut stage, &questions());
    stage.wait(SOON).apply(DriverEvent::Inbox(Vec::new()));
    assert!(rings(&mut stage).is_empty());
    assert_eq!(stage.app.attention.alerts.wake_at(), None);
}

#[test]
fn open_questions_are_reminded_of_once_unless_somebody_looks() {
    let time = Duration::from_mins(15);
    let mut stage = calm(120, 40);
    stage.app.attention.alerts.set(AttentionSettings { quiet: None, remind_after: Some(time) });
    come(&mut stage, &questions());
    stage.wait(SOON);
    assert_eq!(rings(&mut stage).len(), 1);
    stage.app.look(Looking::Here);
    stage.screen();
    stage.wait(time);
    assert!(rings(&mut stage).is_empty(), "somebody looks");
    stage.app.look(Looking::Away);
    stage.wait(time);
    let text = "2 questions are still open: @dba Drop users.legacy_otp, or keep it?";
    assert_eq!(rings(&mut stage), [text]);
    assert_eq!(stage.app.attention.alerts.wake_at(), None);
    stage.wait(time * 9);
    assert!(rings(&mut stage).is_empty(), "once");
}

#[test]
fn a_program_gets_all_questions_of_a_ring_clean_and_bounded() {
    let mut stage = calm(120, 40);
    let hostile = format!("\u{1b}]0;x\u{7}first\n{}", "long ".repeat(9_000));
    let many: Vec<InboxRow> = (0..30)
        .map(|n| question(&side("d"), "dba", &format!("q{n:02}"), &hostile, "2026-11-21 12:01:00"))
        .collect();
    come(&mut stage, &many);
    stage.wait(SOON);
    let rung = calls(&mut stage);
    let [call] = rung.as_slice() else { panic!("{rung:?}") };
    assert_eq!((call.reason, call.count, call.questions.len()), (CallReason::New, 30, 20));
    for question in &call.questions {
        let content = question.content.as_str();
        assert!(content.len() < 10_000 && content.contains("first"), "{content}");
        assert!(!content.chars().any(|c| c.is_control() && c != '\n'), "{content}");
        assert_eq!(question.dialog, side("d"));
    }
}

#[test]
fn the_driver_is_told_what_is_looked_at_when_that_changes_and_again_after_a_cut() {
    let mut stage = calm(120, 40);
    let looks = |stage: &mut Stage| {
        for _ in 0..2 {
            stage.wait(Duration::from_millis(1));
            stage.screen();
        }
        let sent = std::mem::take(&mut stage.sent).into_iter();
        sent.filter(|command| matches!(command, Command::Look { .. })).collect::<Vec<_>>()
    };
    let look = |ids: &[&str]| Command::Look {
        questions: Some(ids.iter().map(|id| (*id).to_owned()).collect()),
    };
    let rows = questions();
    come(&mut stage, &rows[..1]);
    assert_eq!(looks(&mut stage), [], "the terminal does not say whether somebody looks");
    stage.app.look(Looking::Here);
    let ids: Vec<&str> = rows.iter().map(|row| row.question.id.as_str()).collect();
    assert_eq!(looks(&mut stage), [look(&ids[..1])]);
    assert_eq!(looks(&mut stage), []);
    stage.apply(DriverEvent::Inbox(rows.clone()));
    assert_eq!(looks(&mut stage), [look(&ids)]);
    // Another driver, or the same one after the line was cut, knows nothing.
    stage.apply(DriverEvent::Rows(super::fixture::rows()));
    assert_eq!(looks(&mut stage), [look(&ids)]);
    stage.app.look(Looking::Away);
    assert_eq!(looks(&mut stage), [Command::Look { questions: None }]);
}

#[test]
fn a_failure_rings_once_and_a_notice_or_what_was_there_at_the_start_does_not() {
    let mut stage = calm(120, 40);
    let remind_after = Some(SOON * 1_000);
    stage.app.attention.alerts.set(AttentionSettings { quiet: None, remind_after });
    let old = item("n-1", NewsKind::Failure, "[qa] task failed: no such model");
    stage.apply(DriverEvent::News(vec![old.clone()])).wait(SOON);
    assert_eq!(rings(&mut stage), Vec::<String>::new(), "it is not new");
    let notice = item("n-2", NewsKind::Notice, "The tests pass");
    stage.apply(DriverEvent::News(vec![old.clone(), notice])).wait(SOON);
    assert_eq!(rings(&mut stage), Vec::<String>::new(), "nobody has to do anything");
    let failed = item("n-3", NewsKind::Failure, "[qa] task failed: \u{1b}[2Jempty response");
    let again = item("n-4", NewsKind::Failure, "[lab] task failed: empty response");
    stage.apply(DriverEvent::News(vec![old.clone(), failed.clone()])).wait(SOON);
    let call = calls(&mut stage).pop().unwrap();
    assert_eq!((call.reason, call.count, call.questions.len()), (CallReason::Failure, 1, 0));
    assert_eq!(stage.app.attention.alerts.wake_at(), None, "nobody is reminded of it");
    let text = call.text.into_string();
    assert!(text.starts_with("failure: ") && text.contains("empty response"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text:?}");
    stage.apply(DriverEvent::News(vec![old.clone(), failed.clone(), again])).wait(SOON);
    assert_eq!(rings(&mut stage), Vec::<String>::new(), "not so soon");
    stage.apply(DriverEvent::News(vec![old, failed])).wait(SOON * 100);
    assert_eq!(rings(&mut stage), Vec::<String>::new(), "it was dismissed");
}

#[test]
fn a_failure_rings_after_the_questions_that_came_with_it_and_not_while_somebody_looks() {
    let mut stage = calm(120, 40);
    stage.apply(DriverEvent::News(Vec::new()));
    let failed = item("n-1", NewsKind::Failure, "[qa] task failed: empty response");
    stage.apply(DriverEvent::News(vec![failed.clone()]));
    come(&mut stage, &questions()[..1]);
    stage.wait(SOON);
    let reasons = |stage: &mut Stage| -> Vec<CallReason> {
        calls(stage).into_iter().map(|call| call.reason).collect()
    };
    assert_eq!(reasons(&mut stage), [CallReason::New]);
    stage.wait(SOON * 6);
    assert_eq!(reasons(&mut stage), [CallReason::Failure]);
    let mut stage = calm(120, 40);
    stage.app.look(Looking::Here);
    stage.apply(DriverEvent::News(Vec::new())).apply(DriverEvent::News(vec![failed]));
    stage.wait(SOON * 100);
    assert_eq!(reasons(&mut stage), []);
}
