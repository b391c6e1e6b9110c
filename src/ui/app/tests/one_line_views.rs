//! Text of models in one line is shown without the marks of Markdown, wherever it stands.

use super::fixture::*;
use super::queued;
use crate::Effect;
use crate::domain::reading::title;
use crate::domain::reading::transcript::SpokenKind;
use crate::domain::{Bucket, Course, Lang};
use crate::panes::finder;
use crate::plain::EventLines;
use crate::protocol::event::Segment;
use crate::protocol::{Cursor, DriverEvent, FindEnd, FoundRecord, InboxRow, TreeRow};
use crate::text::SafeText;

/// A first line with all kinds of marks.
const MARKED: &str =
    "## 1. **Drop** the `users` of [the cellar](https://a.example) ~~now~~ __or__ *keep*?\nmore";
const PLAIN: &str = "Drop the users of the cellar now or keep?";
const MARKS: [&str; 6] = ["**", "`", "](", "~~", "__", "##"];

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn asked() -> Vec<InboxRow> {
    vec![question(&main_dialog(), "dba", "q1", MARKED, "2026-11-21 12:01:00")]
}

fn listed() -> Vec<TreeRow> {
    let made = |row: TreeRow| TreeRow { title: title::made(MARKED, ""), ..row };
    rows().into_iter().map(made).collect()
}

/// A stage with questions, titles and records that all begin with marks.
fn marked(width: u16, height: u16) -> Stage {
    let mut stage = Stage::new(width, height);
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(listed())).apply(DriverEvent::Inbox(Vec::new()));
    let call = quoted(&format!(r#"{{"targetAgentId":"dba","tellaskContent":{}}}"#, quoted(MARKED)));
    stage.page(&[
        &format!(
            r#"{{"ts":"2026-11-21 12:00:00","type":"agent_thought_record","genseq":1,"content":{}}}"#,
            quoted(MARKED)
        ),
        &format!(
            r#"{{"ts":"2026-11-21 12:00:01","type":"tellask_call_record","genseq":1,"id":"c1","name":"tellaskSessionless","rawArgumentsText":{call},"deliveryMode":"tellask_call_start"}}"#
        ),
    ]);
    stage.apply(DriverEvent::Inbox(asked()));
    stage
}

fn assert_plain(place: &str, screen: &str, words: &str) {
    assert!(screen.contains(words), "{place}: no {words}\n{screen}");
    for mark in MARKS {
        assert!(!screen.contains(mark), "{place}: {mark}\n{screen}");
    }
}

#[test]
fn no_raw_mark_is_left_in_a_one_line_view() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let begin = if width < 60 { "Drop the users of the" } else { "Drop the users of the ce" };
        let short = "Drop th";
        let mut stage = marked(width, height);
        assert_plain("tree", &stage.keys("<esc> 1").screen(), "Drop");
        assert_plain("inbox", &stage.keys("<alt+2> g").screen(), short);
        assert_plain("calls and thinking", &stage.keys("3 g").screen(), short);
        assert_plain("places", &stage.keys("<ctrl+o>").screen(), short);
        stage.keys("<esc>");
        stage.live(&main_dialog(), Segment::Thinking, MARKED);
        assert_plain("live thinking", &stage.keys("3 G").screen(), "keep? more");
        let mut stage = queued::stage(width, height, &[MARKED]);
        assert_plain("queue", &stage.screen(), begin);
        assert_plain("list of queued messages", &stage.keys("<alt+q>").screen(), begin);
        let mut stage = finder::tests::stage(width, height);
        stage.keys("F").type_text("users");
        let found = FoundRecord {
            dialog: main_dialog(),
            agent: "dba".into(),
            title: title::made(MARKED, ""),
            bucket: Bucket::Run,
            at: Cursor { course: Course::FIRST, line: 0 },
            when: crate::domain::Stamp::new("2026-11-21 12:01:00"),
            kind: SpokenKind::Saying,
            completes: None,
            tool: None,
            teammate: None,
            line: MARKED.lines().next().unwrap_or_default().to_owned(),
            around: PLAIN.to_owned(),
            matches: 1,
        };
        finder::tests::answer(&mut stage, vec![found], Some(FindEnd::Complete));
        assert_plain("found records", &stage.screen(), begin);
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(listed())).apply(DriverEvent::Inbox(Vec::new()));
        stage.page(&[&words(MARKED)]).keys("3").screen();
        let screen = stage.keys("p").screen();
        assert!(screen.contains("all of it  Drop"), "{screen}");
    }
}

#[test]
fn a_question_above_its_answer_and_a_notification_have_no_marks() {
    let mut stage = marked(120, 40);
    stage.keys("1 g j j <enter> <alt+a>");
    assert_plain("above the answer, while its dialog is loaded", &stage.screen(), "Drop the users");
    let row = asked().remove(0);
    let (dialog, question) = (row.dialog.clone(), row.question.id.clone());
    stage.apply(DriverEvent::Asked { dialog, question, headline: String::new() });
    stage.wait(std::time::Duration::from_secs(1));
    let rings = stage.app.take_effects().into_iter().filter_map(|effect| {
        let Effect::Ring(ring) = effect else { return None };
        Some(format!("{ring:?}"))
    });
    let rings: Vec<String> = rings.collect();
    assert!(!rings.is_empty(), "it rings");
    assert!(rings.iter().any(|ring| ring.contains(PLAIN)), "{rings:?}");
}

#[test]
fn an_inline_screen_shows_a_question_without_marks() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut stage = Stage::new(width, height).inline();
        stage.apply(DriverEvent::Workspace(workspace()));
        stage.apply(DriverEvent::Rows(listed())).apply(DriverEvent::Inbox(Vec::new()));
        stage.inline_frame();
        let many = ["\nmore"; 30].concat();
        let asking = format!("{MARKED}{many}\na) **drop** `them`\nb) keep ~~all~~ *some*");
        let asked = question(&side("a"), "dba", "q1", &asking, "2026-11-21 12:01:00");
        stage.apply(DriverEvent::Inbox(vec![asked]));
        let (printed, _) = stage.inline_frame();
        assert_plain("news", &printed.join("\n"), "Drop the users");
        stage.keys("<alt+a>").type_text("b");
        let (_, live) = stage.inline_frame();
        assert_plain("live rows", &live, "Drop the users");
        assert_plain("options", &live, "b  keep all some");
    }
}

#[test]
fn lines_for_a_person_have_no_marks() {
    let mut lines = EventLines::new(Lang::En);
    let mut shown = |event: &DriverEvent| {
        let lines = lines.of(event).into_iter().map(SafeText::into_string);
        lines.collect::<Vec<_>>().join("\n")
    };
    shown(&DriverEvent::Rows(listed()));
    assert_plain("question", &shown(&DriverEvent::Inbox(asked())), PLAIN);
    let call = quoted(&format!(r#"{{"targetAgentId":"dba","tellaskContent":{}}}"#, quoted(MARKED)));
    let content = quoted(MARKED);
    for (place, record, words) in [
        (
            "call",
            format!(
                r#"{{"ts":"2026-11-21 12:00:01","type":"tellask_call_record","genseq":1,"id":"c1","name":"tellaskSessionless","rawArgumentsText":{call},"deliveryMode":"tellask_call_start"}}"#
            ),
            PLAIN,
        ),
        (
            "reply",
            format!(
                r#"{{"ts":"2026-11-21 12:00:02","type":"tellask_result_record","genseq":1,"callId":"c1","callName":"tellaskSessionless","status":"completed","content":{content},"call":{{"tellaskContent":"x","mentionList":["@dba"]}},"responder":{{"responderId":"dba","originMemberId":"lead"}}}}"#
            ),
            PLAIN,
        ),
    ] {
        let fact = crate::samples::stored(&main_dialog(), Course::FIRST, 7, &record);
        assert_plain(place, &shown(&DriverEvent::Fact(fact)), words);
    }
}
