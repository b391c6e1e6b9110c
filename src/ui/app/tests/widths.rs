//! New widths: what is at the top of a view stays there, and a way back leads to the text where it was left.

use proptest::prelude::*;

use super::fixture::*;
use crate::domain::reading::net_changes::{ChangeByCall, net_changes};
use crate::domain::reading::timeline::{Activity, Span, Timeline};
use crate::domain::reading::usage::UsageSum;
use crate::domain::teams::notices::{NewsItem, NewsKind};
use crate::domain::text::{Localized, Text};
use crate::domain::{AgentId, CallId, DialogId, FileChange, Problem, Stamp};
use crate::lists::notice;
use crate::protocol::{
    ChangesScope, ChangesView, DialogUsage, DriverEvent, ReminderAudience, ReminderView, Sheet,
    TimelineRow, TimelineView, UsageView,
};

const WIDTH: u16 = 120;
const HEIGHT: u16 = 40;

/// Parts of these many words, each of which says which part it is of.
fn parts(lengths: &[usize]) -> Vec<String> {
    let part = |(n, count): (usize, &usize)| vec![format!("zq{n}"); *count].join(" ");
    lengths.iter().enumerate().map(part).collect()
}

/// The part of the first word in view.
fn first_part(screen: &str) -> Option<usize> {
    let after = screen.split("zq").nth(1)?;
    after.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// The first line with a word, without the mark of a cursor.
fn first_line(screen: &str) -> Option<String> {
    screen.lines().find(|line| line.contains("zq")).map(|line| line.replace('▌', " "))
}

fn send_page(stage: &mut Stage, lengths: &[usize]) {
    let records: Vec<String> =
        parts(lengths).chunks(10).map(|parts| words(&parts.join("\n\n"))).collect();
    let lines: Vec<&str> = records.iter().map(String::as_str).collect();
    stage.page(&lines);
}

fn dialog(lengths: &[usize]) -> Stage {
    let mut stage = Stage::new(WIDTH, HEIGHT);
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    send_page(&mut stage, lengths);
    stage.keys("3 g");
    stage
}

fn sheet(keys: &str, sheet: Sheet) -> Stage {
    let mut stage = streaming(WIDTH, HEIGHT);
    stage.keys(keys);
    stage.apply(DriverEvent::Sheet { dialog: main_dialog(), sheet: Box::new(sheet) });
    stage
}

/// Every third line has one word more: the others have two numbers, where there is room for them.
fn changes(lengths: &[usize]) -> Sheet {
    let old: Vec<String> = parts(lengths).into_iter().map(|line| line + "\n").collect();
    let new = old.iter().enumerate().map(|(n, line)| {
        if n.is_multiple_of(3) { line.replace('\n', &format!(" zq{n}\n")) } else { line.clone() }
    });
    let change = FileChange::rewritten("notes.txt", &old.concat(), &new.collect::<String>());
    let (dialog, at) = (main_dialog(), Stamp::new("2026-11-21 12:01:00"));
    let change = ChangeByCall { dialog, call: CallId::new("c1"), at, change };
    let (scope, changes) = (ChangesScope::MainDialog, net_changes([change]));
    Sheet::Changes(ChangesView { scope, changes, left_out: 0, ends: Vec::new(), git: None })
}

/// The main dialog, then side dialogs.
fn dialog_of(n: usize) -> DialogId {
    if n == 0 { main_dialog() } else { side(&format!("s{n}")) }
}

fn timeline(count: usize) -> Sheet {
    let at = |time: &str| Stamp::new(format!("2026-11-21 {time}")).seconds().expect("a time");
    let activity = Activity::Ran { generations: 1 };
    let span = Span { from: at("11:58:00"), to: at("11:59:00"), activity, place: None };
    let row = |n: usize| TimelineRow {
        dialog: dialog_of(n),
        agent: AgentId::new(format!("zq{n}")),
        slug: None,
        depth: 1,
        timeline: Timeline { spans: vec![span.clone()], goes_on: false, left_out: 0 },
    };
    Sheet::Timeline(TimelineView { rows: (0..count).map(row).collect(), left_out: 0 })
}

fn usage(count: usize) -> Sheet {
    let dialog = |n: usize| DialogUsage {
        dialog: dialog_of(n),
        agent: AgentId::new("worker"),
        slug: Some(format!("zq{n}").as_str().into()),
        depth: 1,
        sum: UsageSum::default(),
        generations: Vec::new(),
    };
    Sheet::Usage(UsageView { dialogs: (0..count).map(dialog).collect(), left_out: 0 })
}

fn reminders(lengths: &[usize]) -> Sheet {
    let reminder = |(n, content): (usize, String)| ReminderView {
        id: format!("rem{n:05}"),
        content,
        scope: ReminderAudience::Dialog,
        owner: None,
        touched_at: Stamp::new("2026-11-21 12:01:00"),
        plain: false,
        hidden: false,
        no_update: None,
        no_delete: None,
    };
    Sheet::Reminders(parts(lengths).into_iter().enumerate().map(reminder).collect())
}

fn notice(lengths: &[usize]) -> Stage {
    let mut stage = streaming(WIDTH, HEIGHT);
    let body = format!("Read this\n\n{}", parts(lengths).join("\n\n"));
    let item = notice::tests::item("n-1", NewsKind::Notice, "Read this");
    stage.apply(DriverEvent::News(vec![NewsItem { body, ..item }])).keys("<alt+2> G t");
    stage
}

fn problems(lengths: &[usize]) -> Stage {
    let mut stage = streaming(WIDTH, HEIGHT);
    let problem = |(n, part): (usize, String)| {
        let wrong = Localized::from(Text::new("this is wrong: ", "有误："));
        let (text, fix) = (wrong.and(Localized::same(part)), Text::new("repair it", "请修复"));
        Problem::new(format!("p{n}"), ".minds/team.yaml", text, fix)
    };
    let problems = parts(lengths).into_iter().enumerate().map(problem).collect();
    stage.apply(DriverEvent::Problems(problems)).keys("1 !");
    stage
}

/// The views that are scrolled by rows, scrolled down. Each has a name, and how many parts another width may be off:
/// a row of a preview that is cut has no word.
fn views(lengths: &[usize]) -> Vec<(&'static str, usize, Stage)> {
    let mut views = vec![
        ("dialog", 0, dialog(lengths)),
        ("changes", 0, sheet("3 m", changes(lengths))),
        ("timeline", 0, sheet("3 w", timeline(lengths.len()))),
        ("usage", 0, sheet("3 $", usage(lengths.len()))),
        ("reminders", 1, sheet("3 r", reminders(lengths))),
        ("notice", 0, notice(lengths)),
        ("problems", 0, problems(lengths)),
    ];
    for (name, _, stage) in &mut views {
        scroll_down(stage);
        // Their cursor goes from the edge of the view, which is to stay.
        if ["timeline", "usage"].contains(name) {
            stage.keys("k k k k").screen();
        }
    }
    views
}

fn scroll_down(stage: &mut Stage) {
    stage.screen();
    stage.keys("<pagedown>").screen();
    stage.keys("<pagedown>").screen();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn in_every_view_what_is_at_the_top_stays_there_at_every_width(
        lengths in prop::collection::vec(1_usize..40, 90),
        widths in prop::collection::vec(60_u16..170, 1..4),
    ) {
        for (name, slack, mut stage) in views(&lengths) {
            let before = stage.screen();
            let top = first_part(&before).unwrap_or_default();
            prop_assert!(top > 0, "{name} was not scrolled\n{before}");
            for width in &widths {
                stage.resize(*width, HEIGHT);
                let screen = stage.screen();
                let now = first_part(&screen);
                prop_assert!(
                    now.is_some_and(|now| now.abs_diff(top) <= slack),
                    "{name} at {width}: {now:?}\n{before}\n{screen}"
                );
            }
            stage.resize(WIDTH, HEIGHT);
            prop_assert_eq!(first_line(&stage.screen()), first_line(&before), "{}", name);
        }
    }

    #[test]
    fn a_search_that_is_left_leads_back_to_what_was_at_the_top_at_any_width(
        lengths in prop::collection::vec(1_usize..40, 90),
        width in 60_u16..170,
    ) {
        for (name, slack, mut stage) in views(&lengths) {
            let before = stage.screen();
            let top = first_part(&before).unwrap_or_default();
            let found = stage.keys("/").type_text("zq0").screen();
            prop_assert!(first_part(&found) == Some(0), "{name}\n{found}");
            stage.resize(width, HEIGHT);
            stage.screen();
            let screen = stage.keys("<esc>").screen();
            let now = first_part(&screen);
            prop_assert!(
                now.is_some_and(|now| now.abs_diff(top) <= slack),
                "{name} at {width}: {now:?}\n{before}\n{screen}"
            );
            stage.resize(WIDTH, HEIGHT);
            prop_assert_eq!(first_line(&stage.screen()), first_line(&before), "{}", name);
        }
    }

    #[test]
    fn every_way_back_leads_to_what_was_at_the_top_at_any_width(
        lengths in prop::collection::vec(1_usize..40, 90),
        width in 90_u16..170,
    ) {
        // A step back, the list of places, and the dialog opened again.
        for back in ["<backspace>", "<ctrl+o> <enter>", "1 g j <enter>"] {
            let mut stage = dialog(&lengths);
            scroll_down(&mut stage);
            let before = stage.screen();
            stage.keys("1 g j j <enter>").page(DBA_STORY).screen();
            stage.resize(width, HEIGHT);
            stage.screen();
            stage.keys(back);
            prop_assert_eq!(stage.last_open().1, main_dialog(), "{}", back);
            send_page(&mut stage, &lengths);
            let screen = stage.screen();
            prop_assert!(
                first_part(&screen) == first_part(&before),
                "{back} at {width}\n{before}\n{screen}"
            );
            stage.resize(WIDTH, HEIGHT);
            prop_assert_eq!(first_line(&stage.screen()), first_line(&before), "{}", back);
        }
    }
}

#[test]
fn the_cursor_of_the_changes_stays_in_view_and_is_back_where_it_was_at_its_width() {
    let mut stage = sheet("3 m", changes(&[30; 90]));
    scroll_down(&mut stage);
    let before = stage.screen();
    for width in [90, 70, 60, 170] {
        stage.resize(width, HEIGHT);
        let screen = stage.screen();
        let mut marked = screen.lines().filter_map(|line| Some(line.rsplit_once('▌')?.1));
        assert!(marked.any(|text| text.contains("zq")), "{width}\n{screen}");
    }
    stage.resize(WIDTH, HEIGHT);
    assert_eq!(stage.screen(), before);
}

#[test]
fn in_a_lower_view_of_the_same_width_the_changes_keep_what_is_at_the_top() {
    let mut stage = sheet("3 m", changes(&[1; 90]));
    stage.resize(97, HEIGHT);
    scroll_down(&mut stage);
    let before = stage.screen();
    // Here the sheet is as wide as the screen, and has fewer rows.
    stage.resize(68, HEIGHT);
    let after = stage.screen();
    assert_eq!(first_part(&after), first_part(&before), "{before}\n{after}");
}
