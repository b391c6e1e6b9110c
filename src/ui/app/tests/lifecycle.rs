//! Ending, putting away, bringing back and branching off, from the keyboard.

use super::fixture::*;
use crate::domain::{Bucket, Course, DialogId, DisplayState, Genseq, RootId, Stamp};
use crate::protocol::{AfterFork, Command, DriverEvent, ForkMode, Lifecycle, ShelfRow, TreeRow};

fn changes(stage: &Stage) -> Vec<&Lifecycle> {
    let sent = stage.sent.iter();
    sent.filter_map(|command| {
        let Command::Lifecycle { change, .. } = command else { return None };
        Some(change)
    })
    .collect()
}

fn ticket(stage: &Stage) -> u64 {
    let mut sent = stage.sent.iter().rev();
    let found = sent.find_map(|command| {
        let Command::Lifecycle { ticket, .. } = command else { return None };
        Some(*ticket)
    });
    found.expect("a change was sent")
}

/// The tree of the mock-up, nothing of it running.
fn resting() -> Stage {
    let mut stage = Stage::new(80, 24);
    stage.tell(DriverEvent::Workspace(workspace()));
    let idle = |row: TreeRow| TreeRow { state: DisplayState::Idle, questions: 0, ..row };
    stage.tell(DriverEvent::Rows(rows().into_iter().map(idle).collect()));
    stage.tell(DriverEvent::Inbox(Vec::new()));
    stage
}

fn shelf() -> Vec<ShelfRow> {
    let row = |n: u8, bucket, about: &str| ShelfRow {
        root: RootId::new(format!("ee/ff/{n}")),
        bucket,
        agent: "ops".into(),
        taskdoc: "nightly.tsk".to_owned(),
        about: about.to_owned(),
        history: false,
        last_modified: Stamp::new("2026-11-21 11:00:00"),
    };
    vec![row(1, Bucket::Done, "rotate the logs"), row(2, Bucket::Archive, "old backups")]
}

/// With the list of what is put away on top.
fn with_shelf(rows: Vec<ShelfRow>) -> Stage {
    let mut stage = resting();
    stage.keys("1 u");
    let ticket = stage.sent.iter().rev().find_map(|command| {
        let Command::Shelf { ticket } = command else { return None };
        Some(*ticket)
    });
    let ticket = ticket.expect("the list was wanted");
    stage.tell(DriverEvent::Shelf { ticket, rows });
    stage
}

/// What stands right of the left column, in one line.
fn flat(screen: &str) -> String {
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
        let question = "declare @researcher !totp “add-2fa.tsk” dead, for ever?";
        assert!(flat(&screen).contains(question), "{screen}");
        stage.keys("<enter>");
        assert_eq!(changes(&stage), Vec::<&Lifecycle>::new(), "enter is never yes to for ever");
        stage.keys("y");
        let note = expected.map(str::to_owned);
        assert_eq!(changes(&stage), [&Lifecycle::DeclareDead { dialog: side("r"), note }]);
    }
    let mut stage = streaming(80, 24);
    stage.keys("1 g j j X <esc>");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    stage.keys("g j X");
    assert!(stage.screen().contains("only a side dialog"));
    stage.tell(DriverEvent::Row(Box::new(TreeRow {
        state: DisplayState::Dead { reason: serde_json::json!({}) },
        ..rows().remove(1)
    })));
    stage.keys("j X");
    assert!(stage.screen().contains("dead already"));
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
}

#[test]
fn a_tree_is_put_away_at_once_unless_something_in_it_is_open() {
    for (key, to) in [("d", Bucket::Done), ("A", Bucket::Archive)] {
        let mut stage = resting();
        stage.keys("1 g j").keys(key);
        assert_eq!(changes(&stage), [&Lifecycle::Move { root: root(), to }]);
        stage.tell(DriverEvent::Removed(main_dialog()));
        stage.tell(DriverEvent::Done { ticket: ticket(&stage), dialog: Some(main_dialog()) });
        let screen = stage.screen();
        let tree: Vec<&str> = screen.lines().take(23).collect();
        assert!(!tree.join("\n").contains("add-2fa.tsk"), "{screen}");

        let mut stage = streaming(80, 24);
        stage.keys("1 g j").keys(key);
        let screen = stage.screen();
        let question = "something in @orchestrator “add 2FA” is still open";
        assert!(flat(&screen).contains(question), "{screen}");
        assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
        stage.keys("y");
        assert_eq!(changes(&stage), [&Lifecycle::Move { root: root(), to }]);
    }
    let mut stage = resting();
    stage.keys("1 g j j d");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new(), "a side dialog goes with its tree");
}

#[test]
fn what_is_put_away_says_its_name_and_how_it_comes_back_and_that_works() {
    for (key, to, told) in [("d", Bucket::Done, "done: "), ("A", Bucket::Archive, "archived: ")] {
        let mut stage = resting();
        stage.keys("1 g j").keys(key);
        stage.tell(DriverEvent::Removed(main_dialog()));
        stage.tell(DriverEvent::Done { ticket: ticket(&stage), dialog: Some(main_dialog()) });
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
        stage.tell(DriverEvent::Shelf { ticket: tickets.expect("wanted"), rows }).keys("u");
        let back = Lifecycle::Move { root: root(), to: Bucket::Run };
        assert_eq!(changes(&stage).pop(), Some(&back));
    }
}

#[test]
fn a_dialog_is_deleted_by_name_only_after_a_question_to_which_enter_is_no_yes() {
    let mut stage = resting();
    stage.keys("1 g j D");
    let question = "delete @orchestrator “add 2FA” with all its side dialogs, for ever?";
    let screen = stage.screen();
    assert!(flat(&screen).contains(question), "{screen}");
    stage.keys("n");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    stage.keys("D").screen();
    stage.keys("<enter>");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    stage.keys("y");
    assert_eq!(changes(&stage), [&Lifecycle::Delete { root: root() }]);
    stage.tell(DriverEvent::Done { ticket: ticket(&stage), dialog: None });
    assert!(stage.screen().contains("deleted: @orchestrator “add 2FA”"));
}

#[test]
fn a_fork_is_made_before_the_newest_generation_or_the_one_that_is_named() {
    let mut stage = resting();
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
fn a_fork_opens_and_has_the_words_at_hand_that_are_to_be_said_anew() {
    let mut stage = resting();
    let fork = DialogId::main(RootId::new("ee/ff/3"));
    let mut made = row(&fork, None, "orchestrator", DisplayState::Idle);
    made.created_at = Stamp::new("2026-11-21 12:02:59");
    stage.tell(DriverEvent::Row(Box::new(made)));
    let next = AfterFork::DraftUserText("The second question".to_owned());
    stage.tell(DriverEvent::Forked { dialog: fork.clone(), next });
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
fn what_is_done_and_archived_is_listed_and_brought_back() {
    let mut stage = with_shelf(shelf());
    insta::assert_snapshot!("shelf-80x24", stage.screen());
    stage.keys("j u");
    let root = RootId::new("ee/ff/2");
    assert_eq!(changes(&stage), [&Lifecycle::Move { root: root.clone(), to: Bucket::Run }]);
    let back = DialogId::main(root);
    stage.tell(DriverEvent::Done { ticket: ticket(&stage), dialog: Some(back.clone()) });
    assert_eq!(stage.last_open().1, back, "it is shown at once");

    let mut stage = with_shelf(shelf());
    stage.keys("D");
    let screen = stage.screen();
    assert!(flat(&screen).contains("delete @ops “rotate the logs” with all"), "{screen}");
    stage.keys("<enter>");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    stage.keys("y");
    assert_eq!(changes(&stage), [&Lifecycle::Delete { root: RootId::new("ee/ff/1") }]);

    let mut stage = with_shelf(shelf());
    stage.keys("<enter>");
    assert_eq!(stage.last_open().1, DialogId::main(RootId::new("ee/ff/1")), "it can be read");
    let mut stage = with_shelf(Vec::new());
    stage.keys("u D A <enter>");
    assert_eq!(changes(&stage), Vec::<&Lifecycle>::new());
    assert!(stage.screen().contains("nothing is done or archived"));
}

#[test]
fn how_it_is_undone_is_readable_at_every_size_whatever_the_dialog_is_called() {
    for (width, height) in [(80, 24), (60, 20), (40, 12)] {
        for (key, done) in [("d", "done: @orch"), ("A", "archived: @orch")] {
            let mut stage = Stage::new(width, height);
            let about = "rotate the logs of all the machines in the cellar, then those upstairs";
            let idle = |row: TreeRow| TreeRow {
                state: DisplayState::Idle,
                questions: 0,
                about: about.to_owned(),
                ..row
            };
            stage.tell(DriverEvent::Rows(rows().into_iter().map(idle).collect()));
            stage.tell(DriverEvent::Inbox(Vec::new()));
            stage.keys("1 g j").keys(key);
            let ticket = ticket(&stage);
            stage.tell(DriverEvent::Done { ticket, dialog: None });
            let screen = stage.screen();
            let last = screen.lines().last().unwrap_or_default();
            assert!(last.contains(done) && last.ends_with("undo with u u"), "{last}");
        }
    }
}

#[test]
fn what_is_only_history_is_called_so_in_the_language_of_the_screen() {
    for (mut stage, word) in
        [(Stage::new(120, 40), "(history)"), (Stage::chinese(120, 40), "（历史）")]
    {
        let old = TreeRow { about: "Build".to_owned(), history: true, ..rows().remove(0) };
        stage.tell(DriverEvent::Rows(vec![old])).tell(DriverEvent::Inbox(Vec::new())).page(STORY);
        assert!(stage.screen().contains(&format!("{word} Build")), "{}", stage.screen());
        stage.keys("1 g j D");
        assert!(stage.screen().contains(&format!("“{word} Build”")), "{}", stage.screen());
    }
    let old = ShelfRow { history: true, ..shelf().remove(0) };
    let screen = with_shelf(vec![old]).screen();
    assert!(screen.contains("(history) rotate"), "{screen}");
}

#[test]
fn what_a_note_is_for_is_readable_at_every_size() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = Stage::new(width, height);
        stage.tell(DriverEvent::Rows(rows())).tell(DriverEvent::Inbox(Vec::new()));
        stage.keys("1 g j j X");
        let screen = stage.screen();
        let words: Vec<&str> = screen.split_whitespace().collect();
        assert!(words.join(" ").contains("a note for who waits for it, or"), "{screen}");
        assert!(!screen.contains("no…") && screen.contains("nothing"), "{screen}");
    }
}
