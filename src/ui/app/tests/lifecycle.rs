//! Declaring dead, archiving, deleting and forking, from the keyboard.

use super::fixture::*;
use crate::domain::{Bucket, Course, DialogId, DisplayState, Genseq, RootId, Stamp};
use crate::protocol::{AfterFork, Command, DriverEvent, ForkMode, Lifecycle, ShelfRow, TreeRow};

pub fn changes(stage: &Stage) -> Vec<&Lifecycle> {
    let sent = stage.sent.iter();
    sent.filter_map(|command| {
        let Command::Lifecycle { change, .. } = command else { return None };
        Some(change)
    })
    .collect()
}

pub fn ticket(stage: &Stage) -> u64 {
    let mut sent = stage.sent.iter().rev();
    let found = sent.find_map(|command| {
        let Command::Lifecycle { ticket, .. } = command else { return None };
        Some(*ticket)
    });
    found.expect("a change was sent")
}

/// Returns the tree of the mock-up with no dialog running.
pub fn idle_tree() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.apply(DriverEvent::Workspace(workspace()));
    let idle = |row: TreeRow| TreeRow { state: DisplayState::Idle, questions: 0, ..row };
    stage.apply(DriverEvent::Rows(rows().into_iter().map(idle).collect()));
    stage.apply(DriverEvent::Inbox(Vec::new()));
    stage
}

pub fn shelf() -> Vec<ShelfRow> {
    let row = |n: u8, bucket, about: &str| ShelfRow {
        root: RootId::new(format!("ee/ff/{n}")),
        bucket,
        agent: "ops".into(),
        taskdoc: "nightly.tsk".to_owned(),
        title: about.to_owned(),
        history: false,
        layout: None,
        last_modified: Stamp::new("2026-11-21 11:00:00"),
    };
    vec![row(1, Bucket::Done, "rotate the logs"), row(2, Bucket::Archive, "old backups")]
}

/// The text right of the left column, in one line.
pub fn flat(screen: &str) -> String {
    let rows = screen.lines().map(|line| line.chars().skip(29).collect::<String>());
    rows.flat_map(|row| row.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn a_side_dialog_is_declared_dead_with_a_note_that_may_be_empty() {
    for (typed, expected) in [("it hangs", Some("it hangs")), ("", None)] {
        let mut stage = streaming(80, 24);
        stage.keys("1 g j j X");
        stage.type_text(typed);
        if expected.is_some() {
            insta::assert_snapshot!("dead-80x24", stage.screen());
        }
        stage.keys("<enter>");
        let screen = stage.screen();
        let question = "declare @researcher !totp “add-2fa.tsk” permanently dead?";
        assert!(flat(&screen).contains(question), "{screen}");
        stage.keys("<enter>");
        assert_eq!(
            changes(&stage),
            Vec::<&Lifecycle>::new(),
            "enter does not confirm what cannot be undone"
        );
        stage.agree("y");
        let note = expected.map(str::to_owned);
        assert_eq!(changes(&stage), [&Lifecycle::DeclareDead { dialog: side("r"), note }]);
    }
    let mut stage = streaming(80, 24);
    stage.keys("1 g j j X <esc>");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    stage.keys("g j X");
    assert!(stage.screen().contains("only a side dialog"));
    stage.apply(DriverEvent::Row(Box::new(TreeRow {
        state: DisplayState::Dead { reason: serde_json::json!({}) },
        ..rows().remove(1)
    })));
    stage.keys("j X");
    assert!(stage.screen().contains("already dead"));
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
}

#[test]
fn a_tree_is_archived_at_once_unless_it_has_open_work() {
    for (key, to) in [("d", Bucket::Done), ("A", Bucket::Archive)] {
        let mut stage = idle_tree();
        stage.keys("1 g j").keys(key);
        assert_eq!(changes(&stage), [&Lifecycle::Move { root: root(), to }]);
        stage.apply(DriverEvent::Removed(main_dialog()));
        stage.apply(DriverEvent::Done { ticket: ticket(&stage), dialog: Some(main_dialog()) });
        let screen = stage.screen();
        let tree: Vec<&str> = screen.lines().take(23).collect();
        assert!(!tree.join("\n").contains("add-2fa.tsk"), "{screen}");

        let mut stage = streaming(80, 24);
        stage.keys("1 g j").keys(key);
        let screen = stage.screen();
        let question = "@orchestrator “add 2FA” still has open work";
        assert!(flat(&screen).contains(question), "{screen}");
        assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
        stage.agree("y");
        assert_eq!(changes(&stage), [&Lifecycle::Move { root: root(), to }]);
    }
    let mut stage = idle_tree();
    stage.keys("1 g j j d");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new(), "a side dialog goes with its tree");
}

#[test]
fn archiving_shows_the_name_and_the_undo_keys_which_work() {
    for (key, to, told) in [("d", Bucket::Done, "done: "), ("A", Bucket::Archive, "archived: ")] {
        let mut stage = idle_tree();
        stage.keys("1 g j").keys(key);
        stage.apply(DriverEvent::Removed(main_dialog()));
        stage.apply(DriverEvent::Done { ticket: ticket(&stage), dialog: Some(main_dialog()) });
        let screen = stage.screen();
        let expected = format!("{told}@orchestrator “add 2FA” · undo with u u");
        assert!(screen.contains(&expected), "{screen}");
        stage.keys("u");
        let shelved = ShelfRow { root: root(), bucket: to, ..shelf().remove(0) };
        let rows = vec![shelf().remove(0), shelf().remove(1), shelved];
        let tickets = stage.sent.iter().rev().find_map(|command| {
            let Command::Shelf { ticket } = command else { return None };
            Some(*ticket)
        });
        stage.apply(DriverEvent::Shelf { ticket: tickets.expect("wanted"), rows }).keys("u");
        let back = Lifecycle::Move { root: root(), to: Bucket::Run };
        assert_eq!(changes(&stage).pop(), Some(&back));
    }
}

#[test]
fn deleting_asks_with_the_name_and_enter_does_not_confirm() {
    let mut stage = idle_tree();
    stage.keys("1 g j D");
    let question = "permanently delete @orchestrator “add 2FA” with all its side dialogs?";
    let screen = stage.screen();
    assert!(flat(&screen).contains(question), "{screen}");
    stage.keys("n");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    stage.keys("D").screen();
    stage.keys("<enter>");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    stage.agree("y");
    assert_eq!(changes(&stage), [&Lifecycle::Delete { root: root() }]);
    stage.apply(DriverEvent::Done { ticket: ticket(&stage), dialog: None });
    assert!(stage.screen().contains("deleted: @orchestrator “add 2FA”"));
}

#[test]
fn a_fork_starts_before_the_newest_generation_or_the_one_entered() {
    let mut stage = idle_tree();
    stage.keys("1 g j f");
    insta::assert_snapshot!("fork-80x24", stage.screen());
    stage.keys("<enter>");
    let fork = |course, genseq| Lifecycle::Fork {
        root: root(),
        course: Course(course),
        genseq: Genseq(genseq),
        then: ForkMode::Continue,
    };
    assert_eq!(changes(&stage), [&fork(1, 14)]);
    stage.keys("f <ctrl+c> nonsense <enter>");
    assert!(stage.screen().contains("such as 1.14"));
    stage.keys("<ctrl+c> 2.3 <enter>");
    assert_eq!(changes(&stage), [&fork(1, 14), &fork(2, 3)]);
    let mut stage = streaming(80, 24);
    stage.keys("3").screen();
    stage.keys("g").screen();
    stage.keys("f <enter>");
    assert_eq!(changes(&stage).len(), 1, "before the generation in view");
}

#[test]
fn a_fork_is_of_the_course_that_has_the_block_with_the_cursor() {
    let mut stage = streaming(80, 24);
    let newer =
        r#"{"ts":"2026-11-21 12:03:00","type":"agent_words_record","genseq":15,"content":"newer"}"#;
    stage.fact_in(&main_dialog(), 2, 0, newer);
    for (keys, course) in [("3 g f <enter>", 1), ("3 G f <enter>", 2)] {
        for key in keys.split(' ') {
            stage.keys(key).screen();
        }
        let forked = changes(&stage).pop().cloned();
        let of = matches!(&forked, Some(Lifecycle::Fork { course: of, .. }) if of.0 == course);
        assert!(of, "{forked:?}\n{}", stage.screen());
    }
}

#[test]
fn a_fork_opens_with_the_message_to_send_again_in_the_composer() {
    let mut stage = idle_tree();
    let fork = DialogId::main(RootId::new("ee/ff/3"));
    let mut made = row(&fork, None, "orchestrator", DisplayState::Idle);
    made.created_at = Stamp::new("2026-11-21 12:02:59");
    stage.apply(DriverEvent::Row(Box::new(made)));
    let next =
        AfterFork::DraftUserText { text: "The second question".to_owned(), images: Vec::new() };
    stage.apply(DriverEvent::Forked { dialog: fork.clone(), next });
    assert_eq!(stage.last_open().1, fork);
    assert!(stage.screen().contains("The second question"));
    stage.keys("<enter>");
    let said = stage.sent.iter().any(|command| {
        matches!(command, Command::Say { dialog, text, .. }
            if *dialog == fork && text == "The second question")
    });
    assert!(said);
}

#[test]
fn the_undo_keys_are_readable_at_every_size_whatever_the_name() {
    for (width, height) in [(80, 24), (60, 20), (40, 12)] {
        for (key, done) in [("d", "done: @orch"), ("A", "archived: @orch")] {
            let mut stage = Stage::new(width, height);
            let about = "rotate the logs of all the machines in the cellar, then those upstairs";
            let idle = |row: TreeRow| TreeRow {
                state: DisplayState::Idle,
                questions: 0,
                title: about.to_owned(),
                ..row
            };
            stage.apply(DriverEvent::Rows(rows().into_iter().map(idle).collect()));
            stage.apply(DriverEvent::Inbox(Vec::new()));
            stage.keys("1 g j").keys(key);
            let ticket = ticket(&stage);
            stage.apply(DriverEvent::Done { ticket, dialog: None });
            let screen = stage.screen();
            let last = screen.lines().last().unwrap_or_default();
            assert!(last.contains(done) && last.ends_with("undo with u u"), "{last}");
        }
    }
}

#[test]
fn history_is_marked_in_the_language_of_the_screen() {
    for (mut stage, word) in
        [(Stage::new(120, 40), "(history)"), (Stage::chinese(120, 40), "（历史）")]
    {
        let old = TreeRow { title: "Build".to_owned(), history: true, ..rows().remove(0) };
        stage.apply(DriverEvent::Rows(vec![old])).apply(DriverEvent::Inbox(Vec::new())).page(STORY);
        assert!(stage.screen().contains(&format!("{word} Build")), "{}", stage.screen());
        stage.keys("1 g j D");
        assert!(stage.screen().contains(&format!("“{word} Build”")), "{}", stage.screen());
    }
}

#[test]
fn the_description_of_the_note_is_readable_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = Stage::new(width, height);
        stage.apply(DriverEvent::Rows(rows())).apply(DriverEvent::Inbox(Vec::new()));
        stage.keys("1 g j j X");
        let screen = stage.screen();
        let words: Vec<&str> = screen.split_whitespace().collect();
        assert!(words.join(" ").contains("a note for whoever waits for it"), "{screen}");
        assert!(!screen.contains("no…") && screen.contains("optional)"), "{screen}");
    }
}
