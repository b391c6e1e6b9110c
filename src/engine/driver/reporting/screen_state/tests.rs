//! Reports in, events out.

use std::sync::Arc;

use super::*;
use crate::domain::asking::question::CallSite;
use crate::domain::dialogs::latest::DisplayState;
use crate::domain::text::Localized;
use crate::domain::text::Text;
use crate::domain::{AgentId, CallId, Course, Genseq, Question, SelfId, Stamp, StopReason};
use crate::protocol::changes::ReadEnd;
use crate::protocol::event::{QuietOutcome, RetryView};
use crate::samples::Shows;

const CLOCK: Shows = Shows("2026-11-21 10:00:00");

fn main_dialog() -> DialogId {
    DialogId::main(root())
}

fn other_dialog() -> DialogId {
    DialogId::side(&root(), &SelfId::new("cc/dd/02"))
}

fn root() -> RootId {
    RootId::new("aa/bb/01")
}

fn row(dialog: &DialogId, state: DisplayState) -> TreeRow {
    TreeRow {
        dialog: dialog.clone(),
        asker: None,
        agent: AgentId::new("lead"),
        slug: None,
        taskdoc: "t.tsk".to_owned(),
        state,
        course: Course::FIRST,
        genseq: Genseq(1),
        created_at: Stamp::default(),
        last_modified: Stamp::default(),
        questions: 0,
        pending: 0,
        title: String::new(),
        reasoning: None,
        context_percent: None,
        context_level: None,
        keep_going: None,
        history: false,
        layout: None,
        queued: Arc::default(),
        unreviewed: 0,
        retrying: false,
        model: None,
        autonomy: None,
    }
}

fn question(call: &str) -> InboxRow {
    let site = CallSite {
        course: Course::FIRST,
        message_index: 0,
        call_site_genseq: None,
        extra: serde_json::Map::new(),
    };
    let content = format!("\nWhat about {call}?\nmore");
    InboxRow {
        dialog: main_dialog(),
        agent: AgentId::new("lead"),
        slug: None,
        taskdoc: "t.tsk".to_owned(),
        question: Question::new(
            &main_dialog(),
            &CallId::new(call),
            &content,
            Stamp::new(call),
            site,
        ),
        blocks: Vec::new(),
        said: String::new(),
        inquiry: None,
        answers: BTreeMap::new(),
        work: None,
    }
}

fn live(dialog: &DialogId, text: &str) -> DriverReport {
    let (dialog, text) = (dialog.clone(), text.to_owned());
    DriverReport::Event(DriverEvent::Live { dialog, segment: Segment::Saying, text })
}

fn watching(dialog: DialogId) -> DriverReport {
    DriverReport::Watch { client: ClientId::FIRST, watch: Subscription::Dialog(dialog) }
}

fn fact(dialog: &DialogId) -> DriverReport {
    let fact = crate::samples::stored(dialog, Course::FIRST, 0, r#"{"type":"gen_start_record"}"#);
    DriverReport::Event(DriverEvent::Fact(fact))
}

fn inbox(calls: &[&str]) -> DriverReport {
    DriverReport::Inbox { root: root(), inbox: calls.iter().map(|call| question(call)).collect() }
}

/// A state, and the clients it reports to.
struct Stage {
    state: ScreenState,
    out: Outboxes,
}

impl Stage {
    fn new(watch: Subscription) -> Self {
        Self {
            state: ScreenState::new(Arc::default(), PickUp::Named, (Arc::new(CLOCK), Lang::En)),
            out: Outboxes::watching(watch),
        }
    }
}

/// What the first client is sent.
fn apply(stage: &mut Stage, report: DriverReport) -> Vec<DriverEvent> {
    stage.state.apply(report, &mut stage.out);
    stage.out.take(ClientId::FIRST)
}

/// A state after the initial survey.
fn listed(watch: Subscription) -> Stage {
    let mut stage = Stage::new(watch);
    apply(&mut stage, DriverReport::SurveyDone);
    stage
}

#[test]
fn records_and_live_text_are_sent_to_the_subscriber_of_the_dialog() {
    for (watch, facts, text) in [
        (Subscription::NoDialog, 0, 0),
        (Subscription::Dialog(main_dialog()), 1, 1),
        (Subscription::Dialog(other_dialog()), 0, 0),
        (Subscription::AllRecords, 1, 0),
        (Subscription::AllRecordsAndText, 1, 1),
    ] {
        let mut state = listed(watch.clone());
        assert_eq!(apply(&mut state, fact(&main_dialog())).len(), facts, "{watch:?}");
        assert_eq!(apply(&mut state, live(&main_dialog(), "a")).len(), text, "{watch:?}");
    }
}

#[test]
fn a_new_subscriber_gets_the_text_written_so_far() {
    let mut state = listed(Subscription::NoDialog);
    for text in ["one ", "two"] {
        apply(&mut state, live(&main_dialog(), text));
    }
    let events = apply(&mut state, watching(main_dialog()));
    let text =
        |event: &DriverEvent| matches!(event, DriverEvent::Live { text, .. } if text == "one two");
    assert!(events.len() == 1 && events.iter().all(text), "{events:?}");
    apply(&mut state, DriverReport::Event(DriverEvent::LiveEnd { dialog: main_dialog() }));
    assert_eq!(apply(&mut state, watching(main_dialog())), []);
}

#[test]
fn a_new_subscriber_gets_the_last_lines_of_commands_that_run() {
    let mut state = listed(Subscription::NoDialog);
    let (dialog, call) = (main_dialog(), CallId::new("a"));
    let printed = |line: &str| DriverEvent::Printed {
        dialog: dialog.clone(),
        call: call.clone(),
        lines: vec![line.to_owned()],
    };
    let again = |state: &mut Stage| {
        apply(state, DriverReport::Event(printed("1")));
        apply(state, DriverReport::Event(printed("2")));
        apply(state, watching(dialog.clone()))
    };
    assert_eq!(again(&mut state), [printed("2")]);
    let ended = DriverEvent::ToolEnded { dialog: dialog.clone(), call: call.clone(), ok: false };
    for end in [ended, DriverEvent::LiveEnd { dialog: dialog.clone() }] {
        apply(&mut state, DriverReport::Event(end));
        assert_eq!(apply(&mut state, watching(dialog.clone())), []);
        assert_eq!(again(&mut state), [printed("2")]);
    }
}

#[test]
fn a_question_is_announced_once_and_its_end_too() {
    let mut state = listed(Subscription::NoDialog);
    let asked = apply(&mut state, inbox(&["q1"]));
    let id = question("q1").question.id;
    let expected = [
        DriverEvent::Inbox(vec![question("q1")]),
        DriverEvent::Asked {
            dialog: main_dialog(),
            question: id.clone(),
            headline: "What about q1?".to_owned(),
        },
    ];
    assert_eq!(asked, expected);
    assert_eq!(apply(&mut state, inbox(&["q1"])), []);
    let answered = apply(&mut state, inbox(&[]));
    let expected = [
        DriverEvent::Inbox(Vec::new()),
        DriverEvent::Answered {
            dialog: main_dialog(),
            question: id,
            headline: "What about q1?".to_owned(),
            by: None,
            how: Resolution::Expired,
        },
    ];
    assert_eq!(answered, expected);
}

#[test]
fn a_list_of_news_that_is_late_replaces_no_newer_one() {
    let mut state = listed(Subscription::NoDialog);
    let news = |revision| DriverReport::News { revision, items: Arc::from([]) };
    assert_eq!(apply(&mut state, news(2)), [DriverEvent::News(Vec::new())]);
    assert_eq!(apply(&mut state, news(1)), []);
    assert_eq!(apply(&mut state, news(2)), []);
    assert_eq!(apply(&mut state, news(3)), [DriverEvent::News(Vec::new())]);
}

#[test]
fn before_the_initial_survey_is_complete_nothing_is_announced() {
    let mut state = Stage::new(Subscription::NoDialog);
    let rows = vec![row(&main_dialog(), DisplayState::Idle)];
    let report = DriverReport::Tree {
        root: root(),
        rows: rows.clone(),
        inbox: vec![question("q")],
        answers: Vec::new(),
    };
    assert_eq!(apply(&mut state, report), []);
    assert_eq!(apply(&mut state, DriverReport::Idle { root: root(), idle: true }), []);
    let listed =
        |event: &DriverEvent| matches!(event, DriverEvent::Rows(_) | DriverEvent::Inbox(_));
    assert!(
        !apply(&mut state, DriverReport::Refresh(ClientId::FIRST)).iter().any(listed),
        "not all are known"
    );
    let events = apply(&mut state, DriverReport::SurveyDone);
    let expected = [
        DriverEvent::Rows(rows),
        DriverEvent::Inbox(vec![question("q")]),
        DriverEvent::Problems(Vec::new()),
        DriverEvent::Quiet(QuietOutcome::QuestionWaits),
    ];
    assert_eq!(events, expected);
}

#[test]
fn a_row_is_sent_only_when_it_changed() {
    let mut state = listed(Subscription::NoDialog);
    let idle = || DriverReport::Row(Box::new(row(&main_dialog(), DisplayState::Idle)));
    assert_eq!(apply(&mut state, idle()).len(), 1);
    assert_eq!(apply(&mut state, idle()), []);
    let busy = DriverReport::Row(Box::new(row(&main_dialog(), DisplayState::Proceeding)));
    assert_eq!(apply(&mut state, busy).len(), 1);
}

#[test]
fn the_title_that_a_person_gave_is_sent_with_the_row_and_the_first_one_when_it_is_taken_away() {
    let mut state = listed(Subscription::NoDialog);
    let made = TreeRow { title: "made".to_owned(), ..row(&main_dialog(), DisplayState::Idle) };
    apply(&mut state, DriverReport::Row(Box::new(made.clone())));
    let own = TreeRow { title: "own".to_owned(), ..made.clone() };
    let given = || Titles::from([(main_dialog(), "own".to_owned())]);
    let sent = |row: &TreeRow| vec![DriverEvent::Row(Box::new(row.clone()))];
    assert_eq!(apply(&mut state, DriverReport::Titles(given())), sent(&own));
    assert_eq!(apply(&mut state, DriverReport::Titles(given())), []);
    assert_eq!(apply(&mut state, DriverReport::Row(Box::new(made.clone()))), []);
    let all = apply(&mut state, DriverReport::Refresh(ClientId::FIRST));
    assert!(all.contains(&DriverEvent::Rows(vec![own])), "{all:?}");
    assert_eq!(apply(&mut state, DriverReport::Titles(Titles::new())), sent(&made));
}

fn stopped(reason: StopReason) -> DisplayState {
    DisplayState::Stopped { reason, continue_enabled: Some(true) }
}

/// The outcome after all of `trees` were loaded and became idle.
fn outcome_of(state: &mut Stage, trees: &[RootId]) -> Vec<QuietOutcome> {
    for root in trees {
        apply(state, DriverReport::Idle { root: root.clone(), idle: false });
    }
    let events = trees
        .iter()
        .flat_map(|root| apply(state, DriverReport::Idle { root: root.clone(), idle: true }));
    let outcome = |event| {
        if let DriverEvent::Quiet(outcome) = event {
            return Some(outcome);
        }
        assert!(matches!(event, DriverEvent::Halted(_)), "{event:?}");
        None
    };
    events.filter_map(outcome).collect()
}

#[test]
fn the_outcome_is_sent_when_every_tree_is_idle() {
    for (display, questions, expected) in [
        (DisplayState::Idle, &[][..], QuietOutcome::Done),
        (stopped(StopReason::UserStop), &[], QuietOutcome::Paused),
        (stopped(StopReason::paused()), &[], QuietOutcome::Paused),
        (stopped(StopReason::system(Localized::same("x"))), &[], QuietOutcome::Failed),
        (stopped(StopReason::system(Localized::same("x"))), &["q"], QuietOutcome::QuestionWaits),
    ] {
        let mut state = listed(Subscription::NoDialog);
        apply(&mut state, DriverReport::Row(Box::new(row(&main_dialog(), display))));
        apply(&mut state, inbox(questions));
        let trees = [root(), RootId::new("ee/ff/03")];
        assert_eq!(outcome_of(&mut state, &trees), [expected]);
    }
}

#[test]
fn stops_and_questions_of_an_unloaded_tree_do_not_count() {
    let failed = stopped(StopReason::system(Localized::same("x")));
    for (display, questions) in [(failed, &[][..]), (DisplayState::Idle, &["q"])] {
        let mut state = listed(Subscription::AllRecords);
        apply(&mut state, DriverReport::Row(Box::new(row(&main_dialog(), display))));
        apply(&mut state, inbox(questions));
        let other = RootId::new("ee/ff/03");
        assert_eq!(outcome_of(&mut state, &[other]), [QuietOutcome::Done]);
    }
}

#[test]
fn problems_of_one_origin_replace_only_their_own() {
    let problem = |id: &str| {
        Problem::new(id, "here", Text::new("wrong", "有误"), Text::new("fix it", "请修正"))
    };
    let mut state = listed(Subscription::NoDialog);
    let set = |origin: &'static str, ids: &[&str]| DriverReport::Problems {
        origin: origin.into(),
        problems: ids.iter().map(|id| problem(id)).collect(),
    };
    apply(&mut state, set("a", &["a1"]));
    let both = apply(&mut state, set("b", &["b1", "b2"]));
    let expected = vec![problem("a1"), problem("b1"), problem("b2")];
    assert_eq!(both, [DriverEvent::Problems(expected)]);
    assert_eq!(apply(&mut state, set("b", &["b1", "b2"])), []);
    let events = apply(&mut state, set("a", &[]));
    assert_eq!(events, [DriverEvent::Problems(vec![problem("b1"), problem("b2")])]);
}

fn changing(dialog: &DialogId, line: usize, path: &str) -> DriverReport {
    let changes = format!(r#"[{{"path":"{path}"}}]"#);
    let record = format!(
        r#"{{"type":"func_result_record","id":"c","name":"t","content":"x","fileChanges":{changes}}}"#
    );
    DriverReport::Event(DriverEvent::Fact(crate::samples::stored(
        dialog,
        Course::FIRST,
        line,
        &record,
    )))
}

#[test]
fn a_row_says_how_many_files_its_dialog_changed_until_they_are_reviewed() {
    let mut state = listed(Subscription::NoDialog);
    let numbers = |events: Vec<DriverEvent>| {
        let number = |event: &DriverEvent| {
            let DriverEvent::Row(row) = event else { return None };
            Some(row.unreviewed)
        };
        events.iter().filter_map(number).collect::<Vec<_>>()
    };
    let shown = row(&main_dialog(), DisplayState::Idle);
    // What is known before its row comes with it.
    assert_eq!(apply(&mut state, changing(&main_dialog(), 3, "a")), []);
    assert_eq!(numbers(apply(&mut state, DriverReport::Row(Box::new(shown.clone())))), [1]);
    assert_eq!(numbers(apply(&mut state, changing(&main_dialog(), 4, "b"))), [2]);
    assert_eq!(apply(&mut state, changing(&main_dialog(), 5, "a")), []);
    assert_eq!(apply(&mut state, DriverReport::Row(Box::new(shown.clone()))), []);
    let end = |lines| ReadEnd { dialog: main_dialog().this, course: Course::FIRST, lines };
    let reviewed = |lines| DriverReport::Reviewed { root: root(), ends: vec![end(lines)] };
    assert_eq!(numbers(apply(&mut state, reviewed(5))), [1]);
    let before = vec![(main_dialog(), [("z".to_owned(), (Course::FIRST, 1))].into())];
    assert_eq!(numbers(apply(&mut state, DriverReport::ChangedFiles(before))), [2]);
    assert_eq!(numbers(apply(&mut state, reviewed(6))), [0]);
    apply(&mut state, changing(&main_dialog(), 9, "c"));
    apply(&mut state, DriverReport::Removed(root()));
    assert_eq!(numbers(apply(&mut state, DriverReport::Row(Box::new(shown)))), [0]);
}

#[test]
fn a_row_says_that_its_dialog_retries_until_an_answer_begins_or_the_dialog_rests() {
    let mut state = listed(Subscription::NoDialog);
    let told = |events: Vec<DriverEvent>| {
        let retries = |event: &DriverEvent| {
            let DriverEvent::Row(row) = event else { return None };
            Some(row.retrying)
        };
        events.iter().filter_map(retries).collect::<Vec<_>>()
    };
    let shown = |state| DriverReport::Row(Box::new(row(&main_dialog(), state)));
    let retry = |retry| DriverReport::Event(DriverEvent::Retry { dialog: main_dialog(), retry });
    let error = Localized::same("status 500");
    let waiting = RetryView::Waiting { error, seconds: 30, server: String::new() };
    let waits = || retry(waiting.clone());
    assert_eq!(told(apply(&mut state, shown(DisplayState::Proceeding))), [false]);
    assert_eq!(told(apply(&mut state, waits())), [true]);
    assert_eq!(told(apply(&mut state, retry(RetryView::Running))), [false; 0], "it still does");
    let all = apply(&mut state, DriverReport::Refresh(ClientId::FIRST));
    let retries = |rows: &[TreeRow]| rows.iter().any(|row| row.retrying);
    let listed = |event: &DriverEvent| matches!(event, DriverEvent::Rows(rows) if retries(rows));
    assert!(all.iter().any(listed), "who comes later knows it, too: {all:?}");
    assert_eq!(told(apply(&mut state, live(&main_dialog(), "Here"))), [false]);
    assert_eq!(told(apply(&mut state, live(&main_dialog(), " it"))), [false; 0]);
    assert_eq!(told(apply(&mut state, waits())), [true], "the answer broke off");
    assert_eq!(told(apply(&mut state, retry(RetryView::Resolved))), [false]);
    assert_eq!(told(apply(&mut state, waits())), [true]);
    assert_eq!(told(apply(&mut state, shown(stopped(StopReason::UserStop)))), [false]);
    assert_eq!(told(apply(&mut state, shown(DisplayState::Proceeding))), [false], "begun anew");
}
