//! An inline screen: the printed rows, the live rows, and that nothing is printed twice or lost.

use proptest::prelude::*;
use ratatui::layout::Size;
use ratatui::style::Color;

use super::fixture::*;
use crate::app::{Focus, PrintAmount};
use crate::domain::dialogs::latest::Blocker;
use crate::domain::{Course, DialogId, DisplayState, RootId};
use crate::follow_up::{FollowUp, ToReading};
use crate::protocol::event::Segment;
use crate::protocol::{Command, DriverEvent, TranscriptPage, TreeRow};
use crate::theme::tests::parse_flat;
use crate::theme::{ColorDepth, Glyphs, Theme};

const SIZES: [(u16, u16); 4] = [(120, 40), (80, 24), (60, 20), (40, 12)];

/// The mock-up's dialog as it streams.
fn streaming_in(stage: Stage) -> Stage {
    let mut stage = stage.inline();
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
    stage.page(STORY);
    for text in STREAMED {
        stage.live(&main_dialog(), Segment::Saying, text);
    }
    stage
}

fn streaming(width: u16, height: u16) -> Stage {
    streaming_in(Stage::new(width, height))
}

/// Returns all rows that are printed.
fn printed(stage: &mut Stage) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let (rows, _) = stage.inline_frame();
        if rows.is_empty() {
            return all;
        }
        all.extend(rows);
    }
}

fn picture(stage: &mut Stage) -> String {
    let (printed, live) = stage.inline_frame();
    format!("{}\n==== live rows\n{live}", printed.join("\n"))
}

fn open(stage: &mut Stage, dialog: &DialogId) {
    stage.app.follow([FollowUp::Reading(ToReading::Open(dialog.clone()))]);
    let sent = stage.app.take_commands();
    stage.sent.extend(sent);
}

#[test]
fn finished_blocks_are_printed_and_what_streams_is_in_the_live_rows() {
    for (width, height) in SIZES {
        let mut stage = streaming(width, height);
        insta::assert_snapshot!(format!("inline-{width}x{height}"), picture(&mut stage));
        let (again, _) = stage.inline_frame();
        assert_eq!(again, Vec::<String>::new());
    }
}

#[test]
fn it_is_the_same_in_chinese_and_without_utf8() {
    let mut chinese = streaming_in(Stage::chinese(60, 20));
    let said =
        words("先把验证码存好。A rather long sentence in two languages 需要在合适的地方换行。");
    chinese.fact(&main_dialog(), STORY.len(), &said);
    insta::assert_snapshot!("inline-chinese", picture(&mut chinese));
    let mut ascii = streaming_in(Stage::with(60, 20, Notebook::default(), &Glyphs::ASCII));
    insta::assert_snapshot!("inline-ascii", picture(&mut ascii));
}

#[test]
fn a_question_is_answered_in_the_live_rows_with_the_picked_option_marked() {
    for (width, height) in SIZES {
        let mut stage = Stage::new(width, height).inline();
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(questions()));
        stage.page(DBA_STORY);
        stage.type_text("b");
        insta::assert_snapshot!(format!("inline-answering-{width}x{height}"), picture(&mut stage));
    }
}

#[test]
fn of_a_long_question_the_options_are_in_view_where_it_does_not_fit() {
    let mut stage = Stage::new(40, 12).inline();
    let long = "Drop it, or keep it? This has been asked before, and nobody knew.\n\nThe column is old.\n\
                Some of it is in use, and who uses it is not known at all.\na  drop it now, since nobody \
                will miss it in the end\nb  keep it for 90 days, then drop it and tell everybody\nc  keep it";
    let asked = question(&side("d"), "dba", "q1", long, "2026-11-21 12:01:00");
    stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(vec![asked]));
    stage.page(DBA_STORY);
    stage.type_text("b");
    insta::assert_snapshot!("inline-long-question", stage.inline_frame().1);
}

#[test]
fn while_one_writes_the_answer_stays_in_the_live_rows_and_so_does_the_focus_after_it() {
    let mut stage = streaming(80, 24);
    stage.inline_frame();
    stage.apply(DriverEvent::Inbox(questions()));
    stage.keys("<alt+a>").page(DBA_STORY);
    stage.inline_frame();
    stage.keys("<esc>");
    assert!(stage.app.shows_live_rows(), "back where one wrote");
    stage.apply(DriverEvent::Inbox(questions().split_off(1)));
    stage.keys("<alt+a> x <enter>");
    stage.apply(DriverEvent::Inbox(Vec::new()));
    assert!(stage.app.shows_live_rows());
    assert!(stage.sent.iter().any(|sent| matches!(sent, Command::Answer { .. })));
}

#[test]
fn panes_and_overlays_take_two_thirds_and_nothing_is_printed_meanwhile() {
    for keys in ["<esc>", "<f1>", "<alt+1>", "<tab>"] {
        let mut stage = streaming(80, 24);
        let (_, live) = stage.inline_frame();
        assert!(live.lines().count() < 10);
        stage.keys(keys).fact(&main_dialog(), STORY.len(), &words("later"));
        let (printed, live) = stage.inline_frame();
        assert_eq!((printed.len(), live.lines().count()), (0, 16), "{keys}: {live}");
        stage.app.follow([FollowUp::Focus(Focus::Composer)]);
        stage.keys("<esc>");
        stage.app.follow([FollowUp::Focus(Focus::Composer)]);
        let (printed, _) = stage.inline_frame();
        assert!(printed.iter().any(|row| row.contains("later")), "{keys}: {printed:?}");
    }
}

#[test]
fn scrolling_from_the_live_rows_opens_the_dialog() {
    let mut stage = streaming(80, 24);
    stage.inline_frame();
    stage.keys("<pageup>");
    assert!(!stage.app.shows_live_rows());
    let (_, screen) = stage.inline_frame();
    assert!(screen.contains("Two ways to store the codes"), "{screen}");
}

#[test]
fn other_dialogs_are_told_of_in_one_row() {
    let mut stage = streaming(100, 24);
    stage.inline_frame();
    let done = TreeRow { state: DisplayState::Idle, questions: 0, ..rows().remove(1) };
    stage.apply(DriverEvent::Row(Box::new(done.clone())));
    stage.apply(DriverEvent::Row(Box::new(done)));
    let new = row(&side("n"), Some(&main_dialog()), "newcomer", DisplayState::Proceeding);
    stage.apply(DriverEvent::Row(Box::new(TreeRow { title: "look".to_owned(), ..new.clone() })));
    stage.apply(DriverEvent::Row(Box::new(TreeRow { state: stopped(), ..new })));
    stage.apply(DriverEvent::Inbox(questions()));
    stage.apply(DriverEvent::Inbox(Vec::new()));
    let told = printed(&mut stage);
    insta::assert_snapshot!("inline-news", told.join("\n"));
}

#[test]
fn a_terminal_that_is_too_small_says_so_in_one_row_and_loses_nothing() {
    let mut stage = streaming(30, 8);
    let (printed_now, live) = stage.inline_frame();
    assert_eq!(printed_now.len(), 0);
    assert_eq!(live.trim(), "needs 40x12 (now 30x8)");
    stage.resize(80, 24);
    assert!(printed(&mut stage).iter().any(|row| row.contains("Two ways to store the codes")));
}

#[test]
fn an_empty_workspace_shows_its_hints_in_the_live_rows() {
    let mut stage = Stage::new(60, 20).inline();
    stage.inline_frame();
    stage.apply(DriverEvent::Workspace(workspace()));
    stage.apply(DriverEvent::Rows(Vec::new())).apply(DriverEvent::Inbox(Vec::new()));
    let (_, live) = stage.inline_frame();
    assert!(live.contains("n new"), "{live}");
    stage.keys("n");
    assert!(!stage.app.shows_live_rows(), "the form takes more rows");
}

#[test]
fn the_mouse_stays_with_the_terminal() {
    let mut stage = streaming(80, 24);
    stage.use_mouse();
    stage.keys("<esc> M");
    assert!(stage.app.take_effects().is_empty());
    let (_, screen) = stage.inline_frame();
    assert!(screen.contains("with --inline the terminal keeps the mouse"), "{screen}");
}

#[test]
fn at_the_end_everything_that_is_left_is_printed_also_from_a_pane() {
    let mut stage = streaming(80, 24);
    stage.inline_frame();
    stage.keys("<esc>").fact(&main_dialog(), STORY.len(), &words("last words"));
    stage.inline_frame();
    let rest: Vec<String> =
        stage.app.take_printed(PrintAmount::All).iter().map(ToString::to_string).collect();
    assert!(rest.iter().any(|row| row.contains("last words")), "{rest:?}");
    assert!(stage.app.take_printed(PrintAmount::All).is_empty());
}

#[test]
fn printed_rows_have_the_paper_of_the_theme_from_edge_to_edge() {
    let text = "text: \"#101010 on #f0f0f0\"\n";
    let paper = Some(Color::Rgb(0xf0, 0xf0, 0xf0));
    let theme = Theme::from_value(&parse_flat(text).unwrap(), ColorDepth::True).unwrap();
    let mut stage = streaming(80, 24);
    stage.wear(theme);
    stage.app.inline_rows(Size::new(80, 24));
    let rows = stage.app.take_printed(PrintAmount::OneFrame);
    assert!(rows.len() > 5);
    for row in rows {
        assert_eq!((row.style.bg, row.width()), (paper, 80), "{row}");
    }
    let mut plain = streaming(80, 24);
    plain.app.inline_rows(Size::new(80, 24));
    assert!(plain.app.take_printed(PrintAmount::OneFrame).iter().all(|row| row.style.bg.is_none()));
}

#[test]
fn nothing_wakes_an_inline_screen_that_waits() {
    let mut stage = streaming(80, 24);
    stage.apply(DriverEvent::LiveEnd { dialog: main_dialog() });
    let idle =
        row(&main_dialog(), None, "orchestrator", DisplayState::Blocked { reason: Blocker::Human });
    stage.apply(DriverEvent::Rows(vec![idle]));
    // By then the looks are stored.
    stage.wait(std::time::Duration::from_secs(6));
    printed(&mut stage);
    // The looks are stored once.
    stage.wait(std::time::Duration::from_secs(10));
    stage.inline_frame();
    stage.app.take_dirty();
    let ages = stage.now + std::time::Duration::from_mins(1);
    assert_eq!(stage.app.wake_at(), Some(ages), "only the ages");
}

#[derive(Debug, Clone)]
enum Step {
    /// A record of the main dialog.
    Said,
    Streamed,
    LookedAt,
    Resized(u16, u16),
    /// Another dialog is opened, and the main dialog again.
    Away,
    Back,
    /// The open dialog is read again.
    Lagged,
    Pane,
    Composer,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::Said),
        2 => Just(Step::Streamed),
        3 => Just(Step::LookedAt),
        1 => proptest::sample::select(vec![(120, 40), (60, 20), (40, 12), (30, 5)])
            .prop_map(|(width, height)| Step::Resized(width, height)),
        1 => Just(Step::Away),
        1 => Just(Step::Back),
        1 => Just(Step::Lagged),
        1 => Just(Step::Pane),
        1 => Just(Step::Composer),
    ];
    proptest::collection::vec(step, 1..40)
}

/// Opens a dialog, and answers with all of its records.
fn opened(stage: &mut Stage, dialog: &DialogId, records: &[String]) {
    open(stage, dialog);
    let (ticket, _) = stage.last_open();
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    stage.page_at(ticket, dialog.clone(), 0, &records);
}

fn reloaded(stage: &mut Stage, records: &[String]) {
    stage.apply(DriverEvent::Lagged);
    let opens = stage.sent.iter().rev();
    let mut last = opens.filter_map(|sent| {
        let Command::Open { ticket, dialog, .. } = sent else { return None };
        Some((*ticket, dialog.clone()))
    });
    let Some((ticket, dialog)) = last.next() else { return };
    let page = TranscriptPage {
        agent: "orchestrator".into(),
        course: Course::FIRST,
        courses: Course::FIRST,
        first_line: 0,
        entries: records.iter().map(|record| entry(record)).collect(),
        dialog,
    };
    stage.apply(DriverEvent::Page { ticket, page: Box::new(page) });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_each_finished_block_is_printed_once_and_in_order(steps in steps()) {
        let mut stage = Stage::new(80, 24).inline();
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        let mut records = vec![words("block 0 ends")];
        opened(&mut stage, &main_dialog(), &records);
        let mut found = printed(&mut stage);
        let mut is_here = true;
        for step in steps {
            match step {
                Step::Said => {
                    records.push(words(&format!("block {} ends", records.len())));
                    let (line, record) = (records.len() - 1, records[records.len() - 1].clone());
                    if is_here {
                        stage.fact(&main_dialog(), line, &record);
                    }
                }
                Step::Streamed => {
                    stage.live(&main_dialog(), Segment::Saying, "more ");
                }
                Step::LookedAt => found.extend(stage.inline_frame().0),
                Step::Resized(width, height) => stage.resize(width, height),
                Step::Away => {
                    opened(&mut stage, &side("v"), &[words("elsewhere")]);
                    is_here = false;
                }
                Step::Back => {
                    opened(&mut stage, &main_dialog(), &records);
                    is_here = true;
                }
                Step::Lagged if is_here => reloaded(&mut stage, &records),
                Step::Lagged => {}
                Step::Pane => stage.app.follow([FollowUp::Focus(Focus::Dialog)]),
                Step::Composer => stage.app.follow([FollowUp::Focus(Focus::Composer)]),
            }
        }
        stage.resize(80, 24);
        opened(&mut stage, &main_dialog(), &records);
        stage.app.follow([FollowUp::Focus(Focus::Composer)]);
        found.extend(printed(&mut stage));
        let blocks: Vec<&str> =
            found.iter().map(|row| row.trim()).filter(|row| row.starts_with("block")).collect();
        let expected: Vec<String> =
            (0..records.len()).map(|at| format!("block {at} ends")).collect();
        prop_assert_eq!(blocks, expected);
    }
}

#[test]
fn whoever_has_sent_a_message_goes_on_writing_and_no_panes_come() {
    let mut stage = streaming(80, 24);
    printed(&mut stage);
    stage.keys("i one <enter>");
    let (_, live) = stage.inline_frame();
    assert!(!live.contains("DIALOGS"), "{live}");
    stage.keys("two <enter>");
    let said = stage.sent.iter().filter(|command| matches!(command, Command::Say { .. }));
    assert_eq!(said.count(), 2);
}

#[test]
fn whoever_sends_now_or_answers_from_on_top_of_a_list_goes_on_writing() {
    let mut stage = streaming(80, 24);
    printed(&mut stage);
    stage.keys("at-once <alt+g>");
    assert!(stage.app.shows_live_rows());
    stage.apply(DriverEvent::Inbox(questions().split_off(1)));
    for list in ["<f1>", "<ctrl+p>"] {
        stage.keys(list);
        assert!(!stage.app.shows_live_rows(), "{list}");
        stage.keys("<alt+a>");
        assert!(stage.app.shows_live_rows(), "{list}");
        stage.keys("<esc>");
        assert!(stage.app.shows_live_rows(), "{list}: back where one wrote");
    }
    stage.keys("<f1> <alt+a> x <enter>");
    stage.apply(DriverEvent::Inbox(Vec::new()));
    assert!(stage.app.shows_live_rows(), "{}", stage.inline_frame().1);
}

#[test]
fn no_frame_is_higher_than_its_terminal_whatever_is_typed_or_open() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (80, 13)] {
        let mut stage = streaming(width, height);
        for keys in ["x", "<ctrl+j>", "<ctrl+j>", "<ctrl+j>", "<f1>", "<esc>", "<esc>"] {
            for _ in 0..8 {
                stage.keys(keys);
                let (_, live) = stage.inline_frame();
                assert!(live.lines().count() <= usize::from(height), "{keys}: {live}");
            }
        }
    }
}

#[test]
fn whoever_has_begun_a_dialog_goes_on_writing_to_it_and_no_panes_come() {
    let mut stage = streaming(80, 24);
    printed(&mut stage);
    let made = DialogId::main(RootId::new("new/1"));
    stage.keys("<alt+1> n go <tab> <tab> audit <enter>").dialog_made(&made);
    assert!(stage.app.shows_live_rows());
    stage.keys("ask: <enter>");
    let said = stage.sent.iter().any(
        |sent| matches!(sent, Command::Say { dialog, text, .. } if *dialog == made && text == "ask:"),
    );
    assert!(said, "{:?}", stage.sent);
}
