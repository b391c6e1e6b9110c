//! The timeline, from keys to the screen.

use std::time::Duration;

use crate::app::tests::fixture::*;
use crate::domain::reading::timeline::{Activity, AwaitedCall, Span, SpanPlace, Timeline};
use crate::domain::{CallId, Course, DialogId, Genseq, SelfId, Stamp};
use crate::protocol::{
    Command, DriverEvent, Sheet, SheetRequest, TimelineRow, TimelineView, TreeRow,
};
use crate::theme::Glyphs;

const NOW: &str = "12:03:00";

fn at(time: &str) -> i64 {
    Stamp::new(format!("2026-11-21 {time}")).seconds().expect("a time")
}

fn span(from: &str, to: &str, activity: Activity, place: Option<SpanPlace>) -> Span {
    Span { from: at(from), to: at(to), activity, place }
}

fn ran(from: &str, to: &str, generations: usize) -> Span {
    let place = Some(SpanPlace::Generation(Course(1), Genseq(13)));
    span(from, to, Activity::Ran { generations }, place)
}

fn waited_for(from: &str, to: &str, call: &str, by: Option<&str>, member: &str) -> Span {
    let call = CallId::new(call);
    let place = Some(SpanPlace::Call(call.clone()));
    let awaited = AwaitedCall { call, by: by.map(SelfId::new), member: Some(member.into()) };
    span(from, to, Activity::WaitedForDialogs(vec![awaited]), place)
}

fn row(
    dialog: &DialogId,
    agent: &str,
    slug: Option<&str>,
    depth: usize,
    spans: Vec<Span>,
) -> TimelineRow {
    let timeline = Timeline { spans, goes_on: true, left_out: 0 };
    TimelineRow {
        dialog: dialog.clone(),
        agent: agent.into(),
        slug: slug.map(Into::into),
        depth,
        timeline,
    }
}

fn view() -> TimelineView {
    let question = Activity::WaitedForPerson { question: "Drop users.legacy_otp?".to_owned() };
    let rows = vec![
        row(
            &main_dialog(),
            "orchestrator",
            None,
            0,
            vec![
                ran("11:58:00", "11:58:30", 3),
                waited_for("11:58:30", "12:02:18", "c1", Some("r"), "researcher"),
                ran("12:02:18", "12:02:40", 1),
            ],
        ),
        row(
            &side("r"),
            "researcher",
            Some("totp"),
            1,
            vec![
                span("11:58:30", "11:59:00", Activity::WasReady, None),
                ran("11:59:00", "12:00:00", 2),
                waited_for("12:00:00", "12:02:00", "c9", None, "dba"),
                span("12:02:00", "12:02:10", Activity::HadNothingToDo, None),
            ],
        ),
        row(
            &side("d"),
            "dba",
            Some("schema"),
            2,
            vec![
                ran("12:00:00", "12:01:00", 1),
                span("12:01:00", "12:01:40", question, Some(SpanPlace::Call(CallId::new("q1")))),
                span("12:01:40", "12:01:50", Activity::WasStopped, None),
                span("12:01:50", "12:02:00", Activity::WasCutOff, None),
            ],
        ),
    ];
    TimelineView { rows, left_out: 0 }
}

fn answer(stage: &mut Stage, view: TimelineView) {
    let sheet = Box::new(Sheet::Timeline(view));
    stage.apply(DriverEvent::Sheet { dialog: main_dialog(), sheet });
}

fn requests(stage: &Stage) -> usize {
    let is_request = |command: &&Command| {
        matches!(command, Command::Sheet { request: SheetRequest::Timeline, .. })
    };
    stage.sent.iter().filter(is_request).count()
}

fn shown_on(mut stage: Stage) -> Stage {
    stage.keys("3 w");
    assert_eq!(requests(&stage), 1);
    assert!(stage.screen().contains("TIMELINE"), "{}", stage.screen());
    answer(&mut stage, view());
    stage.screen();
    stage
}

pub fn shown(width: u16, height: u16) -> Stage {
    shown_on(streaming(width, height))
}

#[test]
fn a_dialog_that_retries_says_so_in_the_cell_of_now_in_words_and_in_the_legend() {
    let mut stage = shown(120, 40);
    let before = stage.screen();
    assert!(!before.contains("retrying") && !before.contains("█↻"), "{before}");
    let retries = TreeRow { retrying: true, ..rows().remove(0) };
    stage.apply(DriverEvent::Row(Box::new(retries)));
    let screen = stage.screen();
    for text in ["█↻", "1 generation, retrying", "↻ retrying"] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    stage.keys("h");
    assert!(!stage.screen().contains("generation, retrying"), "an earlier span does not");
    stage.apply(DriverEvent::Row(Box::new(rows().remove(0))));
    assert!(!stage.screen().contains("retrying"), "{}", stage.screen());
}

#[test]
fn the_timeline_is_also_chinese_and_ascii() {
    let mut stages = Vec::new();
    for mut stage in
        [Stage::chinese(80, 24), Stage::with(80, 24, Notebook::default(), &Glyphs::ASCII)]
    {
        stage.apply(DriverEvent::Workspace(workspace()));
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("g j <enter>").page(STORY);
        stage.keys("3 w");
        answer(&mut stage, view());
        stages.push(stage);
    }
    insta::assert_snapshot!("timeline_zh", stages[0].keys("j j h h").screen());
    let ascii = stages[1].screen();
    assert!(ascii.is_ascii(), "{ascii}");
    insta::assert_snapshot!("timeline_ascii", ascii);
}

#[test]
fn the_span_with_the_cursor_is_told_in_words() {
    let mut stage = shown(120, 40);
    for (keys, expected) in [
        ("", "@orchestrator ran 42 s: 1 generation"),
        ("h", "@orchestrator waited 3 min 48 s for @researcher !totp"),
        ("h", "@orchestrator ran 30 s: 3 generations"),
        ("h", "@orchestrator ran 30 s: 3 generations"),
        ("l j", "@researcher !totp could go on and waited 30 s to be driven"),
        ("l l", "@researcher !totp waited 2 min for @dba"),
        ("j", "@dba !schema ran 1 min"),
        ("l", "@dba !schema waited 40 s for your answer to “Drop users.legacy_otp?”"),
        ("l", "@dba !schema was stopped for 10 s"),
        ("l", "@dba !schema stood still for 1 min 10 s"),
    ] {
        let screen = stage.keys(keys).screen();
        let words: Vec<_> = screen.split_whitespace().collect();
        assert!(words.join(" ").contains(expected), "{keys}: {expected}\n{screen}");
    }
}

#[test]
fn a_span_that_goes_on_reaches_to_now() {
    let mut stage = shown(120, 40);
    let screen = stage.screen();
    assert!(screen.contains("2026-11-21 12:02:18 to now"), "{screen}");
    assert!(at(NOW) - at("12:02:18") == 42 && screen.contains("ran 42 s"), "{screen}");
}

/// The labels of the axis.
fn axis(screen: &str) -> Vec<&str> {
    let line = screen.lines().nth(1).unwrap_or_default();
    let line = line.split_once('│').map_or(line, |(_, right)| right);
    line.split_whitespace().collect()
}

#[test]
fn zooming_shows_less_time_and_scrolling_moves_it_within_the_whole() {
    let mut stage = shown(120, 40);
    let whole = stage.screen();
    assert_eq!(axis(&whole).first(), Some(&"11:58:00"), "{whole}");
    let near = stage.keys("+").screen();
    assert_eq!(axis(&near).first(), Some(&"12:00:30"), "the last span stays in view\n{near}");
    let earlier = stage.keys("<").screen();
    assert_eq!(axis(&earlier).first(), Some(&"11:59:15"), "{earlier}");
    assert_eq!(axis(&stage.keys("< < < <").screen()).first(), Some(&"11:58:00"));
    assert_eq!(axis(&stage.keys("> > > > > >").screen()).first(), Some(&"12:00:30"));
    for _ in 0..20 {
        stage.keys("+");
    }
    let nearest = stage.keys(">").screen();
    assert!(nearest.contains("ran 42 s"), "{nearest}");
    assert_eq!(stage.keys("0").screen(), whole);
    assert_eq!(stage.keys("-").screen(), whole);
    let span_before = stage.keys("+ h h").screen();
    assert_eq!(axis(&span_before).first(), Some(&"11:58:00"), "the cursor stays in view");
}

#[test]
fn enter_goes_to_the_place_of_the_span() {
    let mut stage = shown(120, 40);
    let screen = stage.keys("j j h h <enter>").screen();
    assert!(!screen.contains("TIMELINE"), "{screen}");
    assert_eq!(stage.last_open().1, side("d"));
    let screen = stage.page(DBA_STORY).screen();
    assert!(screen.contains("Drop users.legacy_otp"), "{screen}");
    let mut stage = shown(120, 40);
    stage.keys("h h <enter>").page(STORY);
    let screen = stage.screen();
    assert!(!screen.contains("TIMELINE") && screen.contains("▌you"), "{screen}");
    let mut stage = shown(120, 40);
    let screen = stage.keys("j <enter>").screen();
    assert!(screen.contains("nothing to see of it"), "{screen}");
}

#[test]
fn however_much_changes_the_tree_is_read_once_a_second_and_only_after_a_change() {
    let mut stage = shown(120, 40);
    let row = || DriverEvent::Row(Box::new(rows().remove(1)));
    let elsewhere = || DriverEvent::Row(Box::new(rows().remove(4)));
    let idle = stage.app.wake_at();
    stage.wait(Duration::from_secs(2)).screen();
    stage.apply(elsewhere());
    assert_eq!(requests(&stage), 1, "another tree");
    for _ in 0..5 {
        stage.apply(row());
    }
    assert_eq!(requests(&stage), 2, "one is on its way");
    answer(&mut stage, view());
    stage.apply(row()).screen();
    assert_eq!(requests(&stage), 2, "it was read just now");
    assert!(stage.app.wake_at().is_some_and(|at| at <= stage.now + Duration::from_secs(1)));
    stage.wait(Duration::from_secs(1)).screen();
    assert_eq!(requests(&stage), 3, "what changed meanwhile");
    stage.wait(Duration::from_millis(500));
    answer(&mut stage, view());
    stage.wait(Duration::from_mins(1)).screen();
    assert_eq!(requests(&stage), 3, "nothing changed, nothing is read");
    assert!(stage.app.wake_at() >= idle, "no timer is left");
    stage.apply(row()).screen();
    stage.wait(Duration::from_millis(500));
    answer(&mut stage, view());
    stage.apply(row()).wait(Duration::from_secs(3)).screen();
    assert_eq!(requests(&stage), 4, "a slow reading rests longer");
    stage.wait(Duration::from_secs(1)).screen();
    assert_eq!(requests(&stage), 5);
    answer(&mut stage, view());
    stage.apply(row()).keys("<esc>");
    stage.wait(Duration::from_mins(1)).screen();
    assert_eq!(requests(&stage), 5, "it is closed");
}

#[test]
fn the_cursor_stays_on_its_span_while_others_are_added_and_dialogs_come_and_go() {
    let mut stage = shown(120, 40);
    let before = stage.keys("j h").screen();
    assert!(before.contains("waited 2 min for @dba"), "{before}");
    let mut more = view();
    more.rows.insert(1, row(&side("v"), "reviewer", None, 1, Vec::new()));
    more.rows[2].timeline.spans.remove(0);
    answer(&mut stage, more);
    assert!(stage.screen().contains("waited 2 min for @dba"), "{}", stage.screen());
    let screen = stage.keys("k").screen();
    assert!(screen.contains("Nothing is recorded"), "{screen}");
    stage.keys("l h + - < > <enter>");
    answer(&mut stage, TimelineView::default());
    assert!(stage.keys("j k l h + < 0").screen().contains("Nothing is recorded"));
}

#[test]
fn from_dialog_to_dialog_and_back_the_cursor_comes_to_the_span_it_was_on() {
    let mut stage = shown(120, 40);
    let chosen = |stage: &mut Stage| {
        let screen = stage.screen();
        let words: Vec<_> = screen.split_whitespace().collect();
        let words = words.join(" ");
        let from = words.rfind(" · 2026-11-21").expect("a span in words");
        words[from..].to_owned()
    };
    for (keys, there, back) in [
        ("", "j j", "k k"),
        ("h", "j j", "k k"),
        ("h", "j", "k"),
        ("j l l", "k", "j"),
        ("l", "j", "k"),
        ("j l", "k k", "j j"),
    ] {
        stage.keys(keys);
        let before = chosen(&mut stage);
        stage.keys(there);
        assert_ne!(chosen(&mut stage), before, "{keys}: {there}");
        stage.keys(back);
        assert_eq!(chosen(&mut stage), before, "{keys}: {there} {back}");
    }
}

#[test]
fn a_tree_that_rests_since_yesterday_shows_what_happened_before() {
    for activity in [Activity::HadNothingToDo, Activity::WasStopped, Activity::WasCutOff] {
        let mut stage = shown(120, 40);
        let day = 24 * 60 * 60;
        let mut resting = view();
        for row in &mut resting.rows {
            for span in &mut row.timeline.spans {
                (span.from, span.to) = (span.from - day, span.to - day);
            }
            let end = row.timeline.spans.last().map_or(0, |span| span.to);
            let rest = Span { from: end, to: end, activity: activity.clone(), place: None };
            row.timeline.spans.push(rest);
        }
        answer(&mut stage, resting);
        let screen = stage.screen();
        let labels = axis(&screen);
        assert_eq!(labels.first(), Some(&"11:58:00"), "{screen}");
        assert!(labels.last().is_some_and(|last| last.starts_with("12:0")), "{screen}");
        let screen = stage.keys("g").screen();
        assert!(screen.contains("2026-11-20 12:02:40 to now"), "{screen}");
        let screen = stage.keys("h").screen();
        assert!(screen.contains("ran 22 s"), "{screen}");
    }
}

#[test]
fn names_of_models_cannot_reach_the_terminal() {
    let mut stage = shown(120, 40);
    let mut hostile = view();
    hostile.rows[0].agent = "a\u{1b}]52;c;x\u{7}".into();
    hostile.rows[0].timeline.spans[1].activity =
        Activity::WaitedForPerson { question: "\u{1b}[2J\u{202e}".repeat(50) };
    answer(&mut stage, hostile);
    let screen = stage.keys("h").screen();
    assert!(!screen.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{screen}");
}

#[test]
fn a_dialog_is_found_by_its_name_and_the_cursor_goes_there_and_back() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = shown(width, height);
        let before = stage.screen();
        let screen = stage.keys("/").type_text("dba").screen();
        assert!(screen.contains("▌  @dba") && screen.contains("1 of 1"), "{screen}");
        assert_eq!(stage.keys("<esc>").screen(), before, "{width}x{height}");
        stage.keys("/").type_text("@");
        let screen = stage.keys("<enter> n").screen();
        assert!(screen.contains("2 of "), "{screen}");
    }
}

#[test]
fn a_long_wait_leaves_room_for_the_work_around_it_and_says_how_long_it_was() {
    for lang in ["en", "zh"] {
        let mut stage = if lang == "zh" { Stage::chinese(120, 40) } else { Stage::new(120, 40) };
        stage.apply(DriverEvent::Workspace(workspace()));
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("g j <enter>").page(STORY);
        stage.keys("3 w");
        let question = Activity::WaitedForPerson { question: "Drop it?".to_owned() };
        let on = |day: u32, time: &str| {
            Stamp::new(format!("2026-11-{day} {time}")).seconds().expect("a time")
        };
        let first = Span {
            from: on(20, "12:00:00"),
            to: on(20, "12:02:00"),
            ..ran("12:00:00", "12:02:00", 1)
        };
        let wait = Span { from: first.to, to: at("12:00:00"), activity: question, place: None };
        let spans = vec![first, wait, ran("12:00:00", "12:02:00", 2)];
        let rows = vec![row(&main_dialog(), "orchestrator", None, 0, spans)];
        answer(&mut stage, TimelineView { rows, left_out: 0 });
        insta::assert_snapshot!(format!("timeline_gap_{lang}"), stage.screen());
    }
}
