//! Sessions of lines, from events and typed lines to output and commands.

use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use tokio::sync::mpsc;

use super::attendant::{Attendant, ReadPutOffs, attend};
use super::session::{PlainOutput, PlainSession};
use crate::app::tests::fixture::{CLOCK, main_dialog, questions, row, rows, side, stopped};
use crate::app::{AttentionSettings, QuietHours};
use crate::domain::Course;
use crate::domain::asking::decisions::Resolution;
use crate::domain::asking::put_off::PutOffs;
use crate::domain::safety::trust::TrustKind;
use crate::domain::{AgentId, DialogId, Lang, Stamp, TrustEntry, Unagreed};
use crate::protocol::event::{ConsentView, DriverEvent, InboxRow, MemberView, WorkspaceView};
use crate::protocol::{Command, ImageSupport, Ticket};
use crate::{Call, CallReason, CallTarget, Caller, StopCalls};

fn session() -> PlainSession {
    let mut session = PlainSession::new(Lang::En);
    session.event(
        &DriverEvent::Workspace(WorkspaceView {
            members: vec![MemberView {
                id: AgentId::new("dba"),
                name: "Dba".to_owned(),
                icon: String::new(),
                gofor: String::new(),
                model: String::new(),
                toolsets: Vec::new(),
                tools: Vec::new(),
                images: ImageSupport::default(),
            }],
            default_responder: Some(AgentId::new("orchestrator")),
            taskdocs: vec!["add-2fa.tsk".to_owned()],
            ..WorkspaceView::default()
        }),
        Instant::now(),
    );
    session.event(&DriverEvent::Rows(rows()), Instant::now());
    session.event(&DriverEvent::Inbox(questions()), Instant::now());
    session
}

/// Returns the output; a prompt is in brackets.
fn printed(session: &mut PlainSession) -> Vec<String> {
    let pieces = session.take_output().into_iter().map(|piece| match piece {
        PlainOutput::Line(text) => text.into_string(),
        PlainOutput::Prompt(text) => format!("[{text}]"),
        PlainOutput::Bell => "bell".to_owned(),
    });
    pieces.collect()
}

fn after(session: &mut PlainSession, line: &str) -> Vec<String> {
    session.take_output();
    session.line(line);
    printed(session)
}

fn answer(ticket: Ticket, row: &InboxRow, text: &str) -> Command {
    let (dialog, question) = (row.dialog.clone(), row.question.id.clone());
    Command::Answer { ticket, dialog, question, text: text.to_owned(), images: Vec::new() }
}

fn words(text: &str) -> DriverEvent {
    let record = serde_json::json!({ "ts": "2026-11-21 12:00:00", "type": "agent_words_record", "genseq": 1, "content": text });
    DriverEvent::Fact(crate::samples::stored(&main_dialog(), Course(1), 7, &record.to_string()))
}

#[test]
fn a_session_begins_with_the_dialogs_and_the_open_questions() {
    insta::assert_snapshot!(printed(&mut session()).join("\n"));
}

#[test]
fn a_session_in_chinese_is_chinese() {
    let mut session = PlainSession::new(Lang::Zh);
    session.event(&DriverEvent::Rows(rows()), Instant::now());
    session.event(&DriverEvent::Inbox(questions()), Instant::now());
    session.line("help");
    session.line("1");
    insta::assert_snapshot!(printed(&mut session).join("\n"));
}

#[test]
fn a_number_with_text_answers_and_a_letter_picks_the_option() {
    let mut session = session();
    for (ticket, typed, text) in [(1, "1 c", "keep it"), (2, "1 until May", "until May")] {
        session.line(typed);
        assert_eq!(session.take_commands(), [answer(ticket, &questions()[0], text)], "{typed}");
    }
}

#[test]
fn a_session_that_only_looks_on_asks_for_nothing_and_refuses_what_changes_something() {
    let mut session = session();
    session.only_view();
    for typed in ["1", "1 c", "d1", "d1 hi", "new hi", "stop all", "stop d1", "continue all"] {
        let shown = after(&mut session, typed);
        assert!(shown.iter().any(|line| line.contains("only views")), "{typed}: {shown:?}");
        assert!(!shown.iter().any(|line| line.starts_with('[')), "{typed}: {shown:?}");
        assert_eq!(session.take_commands(), [], "{typed}");
    }
}

#[test]
fn while_an_answer_is_typed_events_wait() {
    let mut session = session();
    let shown = after(&mut session, "2");
    assert!(shown.iter().any(|line| line.contains("Which database")), "{shown:?}");
    assert!(shown.last().is_some_and(|line| line.starts_with("[answer to 2")), "{shown:?}");
    session.event(&words("I go on."), Instant::now());
    assert_eq!(printed(&mut session), Vec::<String>::new());
    assert_eq!(after(&mut session, "postgres"), ["@orchestrator d1: I go on."]);
    assert_eq!(session.take_commands(), [answer(1, &questions()[1], "postgres")]);
}

#[test]
fn of_many_events_that_wait_the_oldest_are_left_out_and_counted() {
    let mut session = session();
    session.line("");
    (0..1_500).for_each(|n| session.event(&words(&format!("line {n}")), Instant::now()));
    let shown = after(&mut session, "");
    assert_eq!(shown.len(), 1_001);
    assert_eq!(shown.first().map(String::as_str), Some("500 older lines were left out"));
    assert_eq!(shown.last().map(String::as_str), Some("@orchestrator d1: line 1499"));
}

#[test]
fn an_empty_answer_leaves_the_question_open() {
    let mut session = session();
    session.line("1");
    assert_eq!(after(&mut session, "  "), ["not answered; it stays open"]);
    assert_eq!(session.take_commands(), []);
}

#[test]
fn an_answer_may_have_several_lines() {
    let mut session = session();
    for line in ["1 first\\", "second\\", "third"] {
        session.line(line);
    }
    assert_eq!(session.take_commands(), [answer(1, &questions()[0], "first\nsecond\nthird")]);
    for line in ["2", "one\\", "", "1"] {
        session.line(line);
    }
    assert_eq!(session.take_commands(), [answer(2, &questions()[1], "one\n")]);
}

#[test]
fn a_number_stays_with_its_question_when_others_are_closed() {
    let mut session = session();
    let left = vec![questions()[1].clone()];
    session.take_output();
    session.event(&DriverEvent::Inbox(left), Instant::now());
    assert_eq!(printed(&mut session), ["question 1 is answered or withdrawn"]);
    assert_eq!(after(&mut session, "1 keep it"), ["there is no open question 1"]);
    assert_eq!(session.take_commands(), []);
    session.line("2 postgres");
    assert_eq!(session.take_commands(), [answer(1, &questions()[1], "postgres")]);
    session.event(&DriverEvent::Inbox(questions()), Instant::now());
    assert_eq!(session.open_questions(), 2);
    assert!(after(&mut session, "1").concat().contains("no open question 1"));
}

#[test]
fn a_text_that_was_refused_is_printed_again() {
    let mut session = session();
    session.line("1 keep it");
    session.take_output();
    let text = crate::domain::text::Localized::from(crate::protocol::Refusal::QuestionIsClosed);
    session.event(&DriverEvent::Refused { ticket: 1, text }, Instant::now());
    let shown = printed(&mut session);
    assert!(shown.iter().any(|line| line.starts_with("not done: ")), "{shown:?}");
    assert!(shown.contains(&"your text was: keep it".to_owned()), "{shown:?}");
}

#[test]
fn what_is_not_understood_sends_nothing() {
    let mut session = session();
    for line in
        ["yes", "9 text", "d9 text", "stop d9", "continue d9", "new @nobody text", "agree 1"]
    {
        let shown = after(&mut session, line);
        assert_eq!(shown.len(), 1, "{line}: {shown:?}");
        assert_eq!(session.take_commands(), [], "{line}");
    }
}

#[test]
fn dialogs_are_begun_messaged_stopped_and_continued_by_number() {
    let mut session = session();
    let (agent, taskdoc) = (AgentId::new("dba"), "add-2fa.tsk".to_owned());
    let text = "hello".to_owned();
    for (line, expected) in [
        (
            "new @dba hello",
            Command::Create { ticket: 1, agent, taskdoc, text: text.clone(), priming: Vec::new() },
        ),
        ("d2 hello", Command::Say { ticket: 2, dialog: side("r"), text, images: Vec::new() }),
        ("stop d1", Command::Stop { dialog: main_dialog() }),
        ("stop all", Command::StopAll),
        ("continue d3", Command::Continue { ticket: 3, dialog: side("d") }),
        ("continue all", Command::ContinueAll { ticket: 4 }),
    ] {
        session.line(line);
        assert_eq!(session.take_commands(), [expected], "{line}");
    }
}

#[test]
fn a_dialog_that_stopped_says_why_and_how_it_goes_on() {
    let mut session = session();
    session.take_output();
    session.event(
        &DriverEvent::Row(Box::new(row(&main_dialog(), None, "orchestrator", stopped()))),
        Instant::now(),
    );
    assert_eq!(printed(&mut session), ["@orchestrator d1 stopped: stopped by you (`continue d1`)"]);
}

fn waiting(names: &[&str]) -> DriverEvent {
    let one = |name: &&str| Unagreed {
        entry: TrustEntry::new(
            TrustKind::Shell,
            name,
            "runs commands",
            format!("digest of {name}"),
        ),
        before: None,
    };
    let waiting = names.iter().map(one).collect();
    DriverEvent::Consent(ConsentView { waiting, read_only: true, ..ConsentView::default() })
}

#[test]
fn consent_is_given_to_the_list_that_was_shown_last() {
    let mut session = session();
    session.event(&waiting(&["dev"]), Instant::now());
    session.event(&waiting(&["dev", "evil"]), Instant::now());
    assert!(after(&mut session, "agree 1").concat().starts_with("nothing was agreed to"));
    assert_eq!(session.take_commands(), []);
    session.line("agree 2");
    let digests = ["dev", "evil"].map(|name| format!("digest of {name}")).to_vec();
    assert_eq!(session.take_commands(), [Command::Agree { ticket: 1, digests, level: None }]);
}

#[test]
fn a_list_that_came_while_a_line_was_typed_is_shown_before_anything_is_agreed_to() {
    let mut session = session();
    session.event(&waiting(&["dev"]), Instant::now());
    session.line("");
    session.event(&waiting(&["dev", "evil"]), Instant::now());
    let shown = after(&mut session, "agree 1");
    assert!(shown.iter().any(|line| line.contains("evil")), "{shown:?}");
    assert!(shown.last().is_some_and(|line| line.starts_with("nothing was agreed to")));
    assert_eq!(session.take_commands(), []);
}

#[test]
fn text_of_a_model_reaches_the_output_clean() {
    let mut session = session();
    session.take_output();
    session.event(&words("a\x1b]52;c;eA==\x07b\x1b[2Jc"), Instant::now());
    let shown = printed(&mut session).concat();
    assert!(!shown.contains(['\x1b', '\x07']), "{shown:?}");
}

fn any_event() -> impl Strategy<Value = DriverEvent> {
    let dialogs = [main_dialog(), side("r"), side("new")];
    prop_oneof![
        any::<String>().prop_map(|text| words(&text)),
        (0..=2_usize).prop_map(|n| DriverEvent::Inbox(questions().into_iter().take(n).collect())),
        (0..3_usize).prop_map(move |n| {
            let dialog: DialogId = dialogs[n].clone();
            DriverEvent::Row(Box::new(row(&dialog, None, "dba", stopped())))
        }),
        Just(DriverEvent::Rows(rows())),
        Just(DriverEvent::Removed(main_dialog())),
        (1..5_u64).prop_map(|ticket| DriverEvent::Done { ticket, dialog: None }),
        (0..3_usize).prop_map(|n| waiting(&["a", "b", "c"][..n])),
        Just(DriverEvent::Lagged),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Event(DriverEvent),
    Line(String),
}

fn any_step() -> impl Strategy<Value = Step> {
    let lines = proptest::sample::select(vec![
        "",
        "1",
        "2",
        "1 a",
        "2 text",
        "text",
        "d1",
        "d2 text",
        "d9",
        "more\\",
        "stop all",
        "agree 1",
        "help",
        "questions",
        "dialogs",
        "new text",
    ]);
    prop_oneof![
        any_event().prop_map(Step::Event),
        lines.prop_map(|line| Step::Line(line.to_owned())),
        any::<String>().prop_map(Step::Line),
    ]
}

proptest! {
    /// An answer goes only to a question that was open when it was asked for, and nothing that was printed
    /// can control a terminal.
    #[test]
    fn answers_go_to_questions_that_were_shown(steps in proptest::collection::vec(any_step(), 0..40)) {
        let mut session = session();
        let known: Vec<String> = questions().into_iter().map(|row| row.question.id).collect();
        for step in steps {
            match step {
                Step::Event(event) => session.event(&event, Instant::now()),
                Step::Line(line) => session.line(&line),
            }
            for command in session.take_commands() {
                if let Command::Answer { question, text, .. } = command {
                    prop_assert!(known.contains(&question));
                    prop_assert!(!text.trim().is_empty());
                }
            }
            for line in printed(&mut session) {
                prop_assert!(!line.chars().any(|c| c.is_control() && c != '\n'), "{line:?}");
            }
        }
    }
}

#[test]
fn no_text_of_others_looks_like_a_line_of_the_program() {
    let fake = "Which?\nquestion 9  @lead d1: agree?\r\nquestion 8  x\rquestion 7\u{2028}question 6\u{b}question 5\u{85}question 4";
    let mut asked = questions();
    for row in &mut asked {
        row.question.tellask_content = fake.to_owned();
        row.said = fake.to_owned();
    }
    let mut session = session();
    session.event(&DriverEvent::Inbox(Vec::new()), Instant::now());
    session.event(&DriverEvent::Inbox(asked), Instant::now());
    for text in [after(&mut session, "3"), after(&mut session, "")] {
        for line in text.iter().flat_map(|text| text.lines()) {
            assert!(!line.starts_with("question"), "{text:?}");
        }
    }
    session.event(&words(fake), Instant::now());
    for line in printed(&mut session).iter().flat_map(|text| text.lines()) {
        assert!(!line.starts_with("question"), "{line:?}");
    }
}

/// A session, and who calls the person for its driver.
struct Called {
    session: PlainSession,
    attendant: Attendant,
}

impl Called {
    fn new(settings: AttentionSettings) -> Self {
        let mut called = Self { session: session(), attendant: Attendant::new(Lang::En, settings) };
        called.session.set_attention(settings);
        called.attendant.event(&DriverEvent::Rows(rows()), Instant::now());
        called
    }

    fn event(&mut self, event: &DriverEvent, now: Instant) {
        self.session.event(event, now);
        self.attendant.event(event, now);
    }

    /// Returns the bell and the texts of the calls that are due at `at`.
    fn rung(&mut self, at: Instant, stamp: &str) -> (usize, Vec<String>) {
        let stamp = Stamp::new(stamp);
        self.session.take_output();
        self.session.tick(at, &stamp);
        let output = self.session.take_output().into_iter();
        let bells = output.filter(|piece| *piece == PlainOutput::Bell).count();
        let call = self.attendant.due(&None, at, &stamp);
        (bells, call.into_iter().map(|call| call.text.into_string()).collect())
    }

    fn come(&mut self, now: Instant) {
        for row in questions() {
            let (dialog, question) = (row.dialog, row.question.id);
            let asked = DriverEvent::Asked { dialog, question, headline: String::new() };
            self.event(&asked, now);
        }
        self.event(&DriverEvent::Inbox(questions()), now);
    }
}

#[test]
fn nobody_is_called_for_what_is_looked_at() {
    let (now, noon) = (Instant::now(), Stamp::new("2026-11-21 12:00:00"));
    let (soon, time) = (Duration::from_millis(500), Duration::from_mins(10));
    let ids: Vec<String> = questions().into_iter().map(|row| row.question.id).collect();
    let seen = |ids: &[String]| Some(ids.iter().cloned().collect());
    let settings = AttentionSettings { quiet: None, remind_after: Some(time) };
    for (looks, new, reminded) in [
        (None, Some(2), Some(2)),
        (seen(&[]), Some(2), Some(2)),
        (seen(&ids[..1]), Some(1), Some(1)),
        (seen(&ids), None, None),
    ] {
        let mut called = Called::new(settings);
        called.come(now);
        let mut due = |at| called.attendant.due(&looks, at, &noon).map(|call| call.count);
        assert_eq!((due(now + soon), due(now + soon + time)), (new, reminded), "{looks:?}");
    }
}

/// The questions that are put off, all for this time.
fn later(ids: &[&str], left: Duration) -> PutOffs {
    ids.iter().map(|id| ((*id).to_owned(), left)).collect()
}

#[test]
fn nobody_is_called_for_what_is_put_off_before_it_is_back() {
    let (now, noon) = (Instant::now(), Stamp::new("2026-11-21 12:00:00"));
    let (soon, time) = (Duration::from_millis(500), Duration::from_mins(10));
    let hour = Duration::from_hours(1);
    let settings = AttentionSettings { quiet: None, remind_after: Some(time) };
    for (put_off, new, reminded, back) in [
        (vec![], Some(2), Some(2), None),
        (vec!["q1"], Some(1), Some(1), Some(1)),
        (vec!["q1", "q2"], None, None, Some(2)),
    ] {
        let mut called = Called::new(settings);
        called.come(now);
        let attendant = &mut called.attendant;
        attendant.put_off(&later(&put_off, hour), now);
        let mut due = |at| attendant.due(&None, at, &noon).map(|call| call.count);
        assert_eq!((due(now + soon), due(now + soon + time)), (new, reminded), "{put_off:?}");
        let rung = (due(now + hour), due(now + hour + soon));
        assert_eq!(rung, (None, back), "{put_off:?}");
        // Then all of them count again.
        attendant.put_off(&later(&[], hour), now + hour + soon);
        let at = now + hour + soon * 2 + time;
        let call = attendant.due(&None, at, &noon);
        assert_eq!(call.map(|call| call.count), back.map(|_| 2), "{put_off:?}");
        assert_eq!(attendant.wake_at(), None, "{put_off:?}");
    }
}

#[test]
fn what_is_put_off_anew_or_answered_does_not_ring_at_its_first_time() {
    let (now, noon) = (Instant::now(), Stamp::new("2026-11-21 12:00:00"));
    let (soon, hour) = (Duration::from_millis(500), Duration::from_hours(1));
    let mut called = Called::new(AttentionSettings::default());
    called.come(now);
    called.attendant.put_off(&later(&["q1", "q2"], hour), now);
    assert_eq!(called.attendant.due(&None, now + soon, &noon), None);
    called.event(&DriverEvent::Inbox(questions()[..1].to_vec()), now);
    called.attendant.put_off(&later(&["q1"], hour), now + hour);
    assert_eq!(called.attendant.due(&None, now + hour + soon, &noon), None);
    let call = |called: &mut Called, at| called.attendant.due(&None, at, &noon);
    assert_eq!(call(&mut called, now + hour * 2), None);
    let rung = call(&mut called, now + hour * 2 + soon);
    assert_eq!(rung.map(|call| (call.reason, call.count)), Some((CallReason::New, 1)));
}

/// Hands each call to the test.
struct Told(std::sync::mpsc::SyncSender<Call>);

impl CallTarget for Told {
    fn call(&mut self, call: &Call, _: &StopCalls) -> std::io::Result<()> {
        self.0.send(call.clone()).map_err(std::io::Error::other)
    }
}

fn told() -> (Caller, Receiver<Call>) {
    let (tell, calls) = sync_channel(9);
    (Caller::start(Told(tell)).unwrap(), calls)
}

#[tokio::test(start_paused = true)]
async fn before_each_call_it_is_read_what_is_put_off() {
    let time = Duration::from_mins(10);
    let settings = AttentionSettings { quiet: None, remind_after: Some(time) };
    let ((mut caller, calls), stored) = (told(), Arc::new(Mutex::new(PutOffs::new())));
    *stored.lock().unwrap() = later(&["q1", "q2"], Duration::from_hours(9));
    let of_reader = stored.clone();
    let read: ReadPutOffs = Arc::new(move || of_reader.lock().unwrap().clone());
    let ((commands, _sent), (tell, events)) = (mpsc::channel(9), mpsc::channel(9));
    let attendant = Attendant::new(Lang::En, settings);
    for event in [DriverEvent::Rows(rows()), DriverEvent::Inbox(questions())] {
        tell.send(event).await.unwrap();
    }
    let clock = Arc::new(CLOCK);
    let attending = attend(attendant, (commands, events), (|| None, read), (&mut caller, clock));
    let person = async {
        tokio::time::sleep(time * 6).await;
        assert!(calls.try_recv().is_err(), "they are put off");
        // A person brings one back.
        *stored.lock().unwrap() = later(&["q1"], Duration::from_hours(9));
        tokio::time::sleep(time * 2).await;
        drop(tell);
    };
    tokio::join!(attending, person);
    let call = calls.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!((call.reason, call.count), (CallReason::Reminder, 1));
    caller.finish(Duration::from_secs(20));
    assert!(calls.try_recv().is_err(), "once");
}

#[test]
fn questions_of_a_burst_ring_once_and_are_reminded_of_once() {
    let now = Instant::now();
    let (soon, noon) = (Duration::from_millis(500), "2026-11-21 12:00:00");
    let time = Duration::from_mins(10);
    let mut called = Called::new(AttentionSettings { quiet: None, remind_after: Some(time) });
    assert_eq!(called.rung(now + time, noon), (0, vec![]), "these are from before");
    // While something is typed it rings as well.
    called.session.line("1");
    called.come(now);
    assert_eq!(called.rung(now, noon), (0, vec![]));
    assert_eq!(called.session.wake_at(), Some(now + soon));
    let text = "2 questions: @dba Drop users.legacy_otp, or keep it?".to_owned();
    assert_eq!(called.rung(now + soon, noon), (1, vec![text]));
    let text = "2 questions are still open: @dba Drop users.legacy_otp, or keep it?".to_owned();
    assert_eq!(called.rung(now + soon + time, noon), (1, vec![text]));
    assert_eq!(called.session.wake_at(), None, "once");
}

#[test]
fn nothing_rings_in_quiet_hours_and_what_is_answered_in_them_not_at_all() {
    let now = Instant::now();
    let quiet = QuietHours::parse("22:00-07:00");
    let mut called = Called::new(AttentionSettings { quiet, remind_after: None });
    called.come(now);
    let later = now + Duration::from_secs(61);
    assert_eq!(called.rung(later, "2026-11-21 23:00:00"), (0, vec![]));
    let row = questions().remove(0);
    let (dialog, question) = (row.dialog, row.question.id);
    called.event(
        &DriverEvent::Answered {
            dialog,
            question,
            headline: String::new(),
            by: None,
            how: Resolution::Answered,
        },
        later,
    );
    called.event(&DriverEvent::Inbox(questions()[1..].to_vec()), later);
    let (bells, texts) = called.rung(later, "2026-11-22 07:00:00");
    assert_eq!((bells, texts), (0, vec![]), "it is asked again after a minute");
    let (bells, texts) = called.rung(later + Duration::from_mins(1), "2026-11-22 07:00:00");
    assert!(bells == 1 && texts.len() == 1 && texts[0].contains("@orchestrator"), "{texts:?}");
    called.event(&DriverEvent::Inbox(Vec::new()), later);
    assert_eq!(called.session.wake_at(), None);
}

#[test]
fn what_was_not_printed_wholly_cannot_be_approved_by_a_line() {
    let mut session = session();
    let mut row = crate::app::tests::approvals::row();
    let inquiry = row.inquiry.as_mut().expect("an approval");
    inquiry.parts[0].text = format!("Delete{} DECIDES", "\n".repeat(3_000));
    session.event(&DriverEvent::Inbox(vec![row.clone()]), Instant::now());
    let number = printed(&mut session)
        .iter()
        .filter_map(|line| line.strip_prefix("question ")?.split(' ').next()?.parse::<usize>().ok())
        .max()
        .expect("a number");
    let shown = after(&mut session, &format!("{number} a")).join("\n");
    assert_eq!(session.take_commands(), []);
    assert!(shown.contains("DECIDES") && shown.contains("+line 20"), "{shown}");
    assert!(shown.lines().count() < 60 && shown.contains("<⏎×2999>"), "{shown}");
    session.line("a");
    assert_eq!(session.take_commands(), [answer(1, &row, "a")]);
    // Another text is another thing to approve; to reject needs no reading.
    row.inquiry.as_mut().expect("an approval").parts[0].text.push_str(" and more");
    session.event(&DriverEvent::Inbox(vec![row.clone()]), Instant::now());
    session.line(&format!("{number} a"));
    assert_eq!(session.take_commands(), []);
    session.line("");
    session.line(&format!("{number} x"));
    assert_eq!(session.take_commands(), [answer(2, &row, "x")]);
}
