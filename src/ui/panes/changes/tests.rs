//! The sheet of changes, from keys to the screen.

use crate::app::tests::fixture::*;
use crate::domain::reading::git_state::{GitState, UncommittedFile};
use crate::domain::reading::net_changes::{ChangeByCall, NetChange, net_changes};
use crate::domain::{CallId, Course, FileChange, SelfId, Stamp};
use crate::effect::Effect;
use crate::model::DraftKey;
use crate::programs::ProgramJob;
use crate::protocol::{
    ChangesScope, ChangesView, Command, DriverEvent, ReadEnd, Sheet, SheetRequest, Ticket,
};

fn by_call(n: usize, change: FileChange) -> ChangeByCall {
    ChangeByCall {
        dialog: if n.is_multiple_of(2) { main_dialog() } else { side("r") },
        call: CallId::new(format!("c{n}")),
        at: Stamp::new(format!("2026-11-21 12:0{}:00", n % 10)),
        change,
    }
}

fn changes() -> Vec<NetChange> {
    let old = (1..=30).fold(String::new(), |text, n| format!("{text}    line {n}\n"));
    let new = old.replace("line 3\n", "line three\n").replace("line 20\n", "");
    net_changes(
        [
            FileChange::rewritten("src/login.rs", &old, &new),
            FileChange::created("docs/说明.md", "# Title\n\ntext\n"),
            FileChange::moved("old.rs", "src/new.rs"),
            FileChange::replaced("logo.png"),
            FileChange::removed("gone.rs"),
        ]
        .into_iter()
        .enumerate()
        .map(|(n, change)| by_call(n, change)),
    )
}

fn ends() -> Vec<ReadEnd> {
    vec![ReadEnd { dialog: SelfId::new("r"), course: Course(2), lines: 7 }]
}

fn requested(stage: &Stage) -> Option<(Ticket, SheetRequest)> {
    stage.sent.iter().rev().find_map(of_sheet)
}

fn of_sheet(command: &Command) -> Option<(Ticket, SheetRequest)> {
    let Command::Sheet { ticket, request, .. } = command else { return None };
    Some((*ticket, request.clone()))
}

fn answer(stage: &mut Stage, scope: ChangesScope, changes: Vec<NetChange>) {
    answer_with_git(stage, scope, changes, None);
}

fn answer_with_git(
    stage: &mut Stage,
    scope: ChangesScope,
    changes: Vec<NetChange>,
    git: Option<GitState>,
) {
    let view = ChangesView { scope, changes, left_out: 0, ends: ends(), git };
    let sheet = Box::new(Sheet::Changes(view));
    stage.apply(DriverEvent::Sheet { dialog: main_dialog(), sheet });
}

/// A stage that shows the sheet.
pub fn shown(width: u16, height: u16) -> Stage {
    let mut stage = streaming(width, height);
    stage.keys("3 m");
    let scope = ChangesScope::MainDialog;
    assert_eq!(requested(&stage).map(|(_, request)| request), Some(SheetRequest::Changes(scope)));
    answer(&mut stage, scope, changes());
    stage.screen();
    stage
}

fn at_cursor(screen: &str) -> &str {
    screen.lines().find_map(|line| Some(line.split_once("│▌")?.1)).unwrap_or_default()
}

#[test]
fn what_git_says_stands_beside_the_changes_or_above_them_where_there_is_no_room() {
    let file = |state: &str, path: &str| {
        let (state, path) = (state.to_owned(), path.to_owned());
        UncommittedFile { state, path }
    };
    for (width, height) in [(200, 40), (120, 40), (80, 24), (40, 12)] {
        let mut stage = shown(width, height);
        let files = vec![file("M", "a.rs"), file("??", "by a command\u{1b}[2J")];
        let git = GitState { branch: "topic".to_owned(), files, left_out: 3 };
        answer_with_git(&mut stage, ChangesScope::MainDialog, changes(), Some(git));
        let screen = stage.screen();
        let row = |text: &str| screen.lines().position(|line| line.contains(text));
        assert!(row("topic · 5 files not").is_some() && !screen.contains('\u{1b}'), "{screen}");
        let (heading, changed) = (row("topic"), row("src/login.rs"));
        if width == 200 {
            assert_eq!(heading, changed, "{screen}");
            assert_eq!(row("M  a.rs"), changed.map(|row| row + 1), "{screen}");
            assert!(row("?? by a command").is_some() && row("3 more files").is_some(), "{screen}");
        } else {
            assert_eq!(heading.map(|row| row + 1), changed, "{screen}");
            assert!(width < 80 || row("committed: M a.rs").is_some(), "{screen}");
        }
        assert!(width < 80 || at_cursor(&stage.keys("G").screen()).contains("gone.rs"));
    }
    let mut stage = shown(120, 40);
    answer_with_git(&mut stage, ChangesScope::MainDialog, changes(), Some(GitState::default()));
    assert!(stage.screen().contains("no branch · all committed"), "{}", stage.screen());
}

#[test]
fn a_comment_stands_below_its_line_and_in_the_message_to_the_dialog() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut stage = shown(width, height);
        let message = |stage: &Stage| {
            let key = DraftKey::Message(main_dialog());
            stage.draft(&key)
        };
        stage.keys("j j j ;").type_text("why").keys("<enter>").screen();
        stage.keys("j j ;").type_text("better: so").keys("<enter>");
        let screen = stage.screen();
        let row = |text: &str| screen.lines().position(|line| line.contains(text));
        assert_eq!(row("✎ why"), row("-     line 3").map(|row| row + 1), "{screen}");
        assert_eq!(row("✎ better: so"), row("line three").map(|row| row + 1), "{screen}");
        let both = "src/login.rs:-3: why\nsrc/login.rs:3: better: so";
        assert_eq!(message(&stage), both);
        stage.keys("; half <esc>");
        assert_eq!(message(&stage), both, "it is as before");
        stage.keys("; <ctrl+u> <enter>").screen();
        assert_eq!(message(&stage), "src/login.rs:-3: why");
        stage.keys("g ;").type_text("split it").keys("<enter>");
        let screen = stage.screen();
        assert!(screen.contains("✎ split it") && !screen.contains("better: so"), "{screen}");
        let both = "src/login.rs:-3: why\nsrc/login.rs: split it";
        assert_eq!(message(&stage), both);
    }
}

#[test]
fn the_last_line_names_the_keys_of_the_review() {
    for width in [120, 80] {
        let screen = shown(width, 24).screen();
        let last = screen.lines().last().unwrap_or_default();
        assert!(last.contains("tab other changes  m reviewed"), "{screen}");
    }
}

#[test]
fn keys_go_from_file_to_file_and_fold_them() {
    let mut stage = shown(120, 40);
    assert!(at_cursor(&stage.screen()).contains("src/login.rs"));
    assert!(at_cursor(&stage.keys("]").screen()).contains("docs/说明.md"), "{}", stage.screen());
    assert!(at_cursor(&stage.keys("j j [").screen()).contains("docs/说明.md"));
    assert!(at_cursor(&stage.keys("[").screen()).contains("src/login.rs"));
    assert!(!stage.keys("j j o").screen().contains("line three"));
    assert!(at_cursor(&stage.screen()).contains("▸ src/login.rs"), "{}", stage.screen());
    assert!(!stage.keys("-").screen().contains("# Title"));
    assert!(stage.keys("+").screen().contains("line three"));
    assert!(at_cursor(&stage.keys("G").screen()).contains("gone.rs"));
}

#[test]
fn tab_goes_through_whose_changes_are_shown() {
    let mut stage = shown(120, 40);
    for scope in [ChangesScope::Unreviewed, ChangesScope::Dialog, ChangesScope::MainDialog] {
        let screen = stage.keys("<tab>").screen();
        assert!(screen.contains("loading"), "{screen}");
        let request = requested(&stage).map(|(_, request)| request);
        assert_eq!(request, Some(SheetRequest::Changes(scope)));
        answer(&mut stage, scope, Vec::new());
        let text = match scope {
            ChangesScope::Unreviewed => "since you marked",
            ChangesScope::Dialog | ChangesScope::MainDialog => "No tool changed a file here",
        };
        assert!(stage.screen().contains(text), "{}", stage.screen());
    }
}

#[test]
fn what_is_marked_as_reviewed_is_what_was_shown_and_then_what_is_new_is_shown() {
    let mut stage = shown(120, 40);
    stage.keys("m");
    let sent: Vec<_> = stage.sent.iter().filter_map(of_sheet).map(|(_, request)| request).collect();
    let new = SheetRequest::Changes(ChangesScope::Unreviewed);
    assert_eq!(sent[1..], [SheetRequest::MarkReviewed(ends()), new]);
    let (ticket, _) = requested(&stage).expect("a request");
    stage.apply(DriverEvent::Done { ticket: ticket - 1, dialog: Some(main_dialog()) });
    answer(&mut stage, ChangesScope::Unreviewed, Vec::new());
    let screen = stage.screen();
    assert!(screen.contains("marked as reviewed") && screen.contains("Nothing was changed"));
    stage.keys("m");
    assert_eq!(requested(&stage).map(|(asked, _)| asked), Some(ticket), "there is nothing to mark");
}

#[test]
fn enter_shows_the_call_and_escape_closes_the_sheet() {
    let mut stage = shown(120, 40);
    let screen = stage.keys("<esc>").screen();
    assert!(!screen.contains("CHANGES"), "{screen}");
    let mut stage = shown(120, 40);
    let screen = stage.keys("] <enter>").screen();
    assert!(!screen.contains("CHANGES"), "{screen}");
    assert_eq!(stage.last_open().1, side("r"), "the dialog that made the change is opened");
}

#[test]
fn content_that_changes_keeps_the_cursor_in_a_file() {
    let mut stage = shown(80, 24);
    stage.keys("] j j").screen();
    let mut fewer = changes();
    fewer.truncate(1);
    answer(&mut stage, ChangesScope::MainDialog, fewer);
    assert!(at_cursor(&stage.screen()).contains("src/login.rs"), "{}", stage.screen());
    answer(&mut stage, ChangesScope::MainDialog, Vec::new());
    assert_eq!(at_cursor(&stage.keys("j o ] <enter> G").screen()), "");
}

#[test]
fn the_row_with_the_cursor_keeps_its_place_when_another_file_is_changed() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut stage = shown(width, height);
        let before = stage.keys("j j").screen();
        let mut newer = changes();
        let last = newer.pop().expect("a change");
        newer.insert(0, last);
        answer(&mut stage, ChangesScope::MainDialog, newer);
        let after = stage.screen();
        assert_eq!(at_cursor(&after), at_cursor(&before), "{before}\n{after}");
        let row = |screen: &str| screen.lines().position(|line| line.contains(at_cursor(&before)));
        // Where all rows fit, there is nothing to scroll.
        assert!(height > 24 || row(&after) == row(&before), "{before}\n{after}");
    }
}

#[test]
fn changes_of_side_dialogs_come_while_the_sheet_is_open() {
    let mut stage = shown(80, 24);
    let count = |stage: &Stage| stage.sent.iter().filter_map(of_sheet).count();
    let asked = count(&stage);
    stage.wait(std::time::Duration::from_secs(30));
    let happened = row(&side("r"), Some(&main_dialog()), "researcher", stopped());
    stage.apply(DriverEvent::Row(Box::new(happened)));
    stage.wait(std::time::Duration::from_secs(30)).screen();
    assert!(count(&stage) > asked, "it is read again");
}

#[test]
fn e_opens_the_file_in_the_editor_at_the_line_with_the_cursor() {
    let edits =
        |path: &str, line| Effect::Program(ProgramJob::EditFile { path: path.to_owned(), line });
    for (keys, expected) in [
        ("e", Some(edits("src/login.rs", Some(3)))),
        ("j e", Some(edits("src/login.rs", Some(1)))),
        ("j j j j j j e", Some(edits("src/login.rs", Some(5)))),
        ("] e", Some(edits("docs/说明.md", Some(1)))),
        ("] ] e", Some(edits("src/new.rs", None))),
        ("] ] ] e", Some(edits("logo.png", None))),
        ("G e", None),
    ] {
        let mut stage = shown(120, 40);
        stage.app.take_effects();
        stage.keys(keys);
        let mut programs = stage.app.take_effects().into_iter();
        let program = programs.find(|effect| matches!(effect, Effect::Program(_)));
        assert_eq!(program, expected, "{keys}\n{}", stage.screen());
        if expected.is_none() {
            assert!(stage.screen().contains("the file was removed"), "{}", stage.screen());
        }
    }
}

#[test]
fn a_line_of_a_change_is_found_also_in_a_folded_file_and_escape_goes_back() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = shown(width, height);
        stage.keys("-");
        let before = stage.screen();
        stage.keys("/").type_text("three");
        let screen = stage.screen();
        assert!(screen.contains("line three") && screen.contains("1 of 1"), "{screen}");
        stage.keys("<esc>");
        assert_eq!(stage.screen(), before, "{width}x{height}");
        stage.keys("/").type_text("line");
        stage.keys("<enter> n");
        let count = |stage: &mut Stage| {
            let screen = stage.screen();
            screen.lines().last().unwrap_or_default().trim().to_owned()
        };
        assert!(count(&mut stage).starts_with("2 of "), "{}", stage.screen());
        stage.keys("N N");
        let count = count(&mut stage);
        let (current, total) = count.split_once(" of ").expect("a count");
        assert!(total.starts_with(current), "in a circle: {count}");
        stage.keys("<esc>");
        assert!(stage.screen().contains("CHANGES"), "the search ends before the sheet is closed");
        stage.keys("<esc>");
        assert!(!stage.screen().contains("CHANGES"));
    }
}

#[test]
fn the_difference_of_the_file_with_the_cursor_is_copied_and_written() {
    let moved = "rename from old.rs\nrename to src/new.rs\n";
    for (keys, expected) in [
        ("j j", "--- a/src/login.rs\n+++ b/src/login.rs\n@@ -1,6 +1,6 @@\n     line 1\n"),
        ("]", "--- /dev/null\n+++ b/docs/说明.md\n@@ -0,0 +1,3 @@\n+# Title\n+\n+text\n"),
        ("] ]", moved),
        ("G", "--- a/gone.rs\n+++ /dev/null\n"),
    ] {
        let mut stage = shown(120, 40);
        stage.keys(keys);
        stage.app.take_effects();
        let effects = stage.keys("y Y").app.take_effects();
        let [Effect::Copy(copied), Effect::WriteFile { text, .. }] = effects.as_slice() else {
            panic!("{effects:?}");
        };
        // A copy has no line feed at its end.
        assert!(copied.as_str().starts_with(expected.trim_end()), "{}", copied.as_str());
        assert_eq!(copied, text);
    }
    let mut stage = shown(120, 40);
    answer(&mut stage, ChangesScope::MainDialog, Vec::new());
    stage.keys("y");
    assert!(stage.screen().contains("nothing to copy"), "{}", stage.screen());
}

#[test]
fn what_is_found_at_the_end_is_above_the_line_in_which_one_types() {
    for (width, height) in [(120, 40), (80, 24), (60, 20), (40, 12)] {
        let mut stage = shown(width, height);
        let before = stage.keys("G").screen();
        let screen = stage.keys("/").type_text("gone").screen();
        assert!(screen.contains("▌▾ gone.rs"), "{screen}");
        assert_eq!(stage.keys("<esc>").screen(), before, "{width}x{height}");
    }
}
