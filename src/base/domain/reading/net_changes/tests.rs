//! Recorded changes, and the difference they make together.

use proptest::prelude::*;

use super::*;
use crate::domain::ids::RootId;
use crate::domain::text::diff::test_support::applied;

fn made(change: FileChange) -> ChangeByCall {
    ChangeByCall {
        dialog: DialogId::main(RootId::new("aa/bb/1")),
        call: CallId::new("c"),
        at: Stamp::default(),
        change,
    }
}

fn net(changes: impl IntoIterator<Item = FileChange>) -> Vec<NetChange> {
    net_changes(changes.into_iter().map(made))
}

fn summary(changes: &[NetChange]) -> Vec<(String, FileChangeKind, usize, usize)> {
    let line = |change: &NetChange| {
        let from = change.from.as_ref().map(|from| format!("{from}>")).unwrap_or_default();
        let path = format!("{from}{}", change.path);
        (path, change.kind, change.count(LineTag::Added), change.count(LineTag::Removed))
    };
    changes.iter().map(line).collect()
}

/// The changes that give a file each of these texts in turn.
fn edits(texts: &[String]) -> Vec<FileChange> {
    texts.windows(2).map(|pair| FileChange::rewritten("f", &pair[0], &pair[1])).collect()
}

#[test]
fn a_line_that_is_changed_twice_is_shown_once() {
    let texts = ["a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\nd\n"].map(str::to_owned);
    let found = net(edits(&texts));
    assert_eq!(summary(&found), [("f".to_owned(), FileChangeKind::Changed, 2, 1)]);
    assert_eq!(found[0].calls.len(), 2);
}

#[test]
fn a_file_that_is_as_it_was_is_not_listed() {
    let texts = ["a\nb\n", "a\n", "a\nb\n"].map(str::to_owned);
    assert_eq!(net(edits(&texts)), []);
    assert_eq!(net([FileChange::created("n", "1\n"), FileChange::removed("n")]), []);
}

#[test]
fn equal_lines_that_are_removed_before_and_added_behind_a_kept_one_are_no_change() {
    let first = ["b\n", "c\n", "b\n"].map(|line| DiffLine::new(LineTag::Removed, line));
    let kept = DiffLine::new(LineTag::Same, "b\n");
    let lines = first.into_iter().chain([kept]).collect();
    let hunk = Hunk { old_at: 0, new_at: 0, lines };
    let removed_before = FileChange::of_hunks("f", FileChangeKind::Changed, vec![hunk]);
    let added_behind = FileChange::rewritten("f", "b\n", "b\nc\nb\nb\n");
    assert_eq!(net([removed_before, added_behind]), []);
}

#[test]
fn files_are_followed_where_they_or_their_directories_move() {
    let found = net([
        FileChange::created("d/new", "1\n"),
        FileChange::rewritten("d/old", "1\n", "2\n"),
        FileChange::moved("d/", "e/"),
        FileChange::rewritten("e/new", "1\n", "3\n"),
        FileChange::rewritten("e/old", "2\n", "2\n4\n"),
        FileChange::moved("e/old", "old"),
    ]);
    let expected = [
        ("d/>e/".to_owned(), FileChangeKind::Moved, 0, 0),
        ("e/new".to_owned(), FileChangeKind::Created, 1, 0),
        ("d/old>old".to_owned(), FileChangeKind::Moved, 2, 1),
    ];
    assert_eq!(summary(&found), expected);
}

#[test]
fn files_in_a_removed_directory_are_removed() {
    let found = net([
        FileChange::created("d/new", "1\n"),
        FileChange::rewritten("d/old", "1\n", "2\n"),
        FileChange::removed("d/"),
        FileChange::created("d/old", "1\n"),
    ]);
    let expected = [
        ("d/old".to_owned(), FileChangeKind::Removed, 0, 0),
        ("d/".to_owned(), FileChangeKind::Removed, 0, 0),
        ("d/old".to_owned(), FileChangeKind::Created, 1, 0),
    ];
    assert_eq!(summary(&found), expected);
}

#[test]
fn a_change_by_something_else_begins_a_difference_of_its_own() {
    let found = net([
        FileChange::rewritten("f", "a\nb\n", "a\nc\n"),
        FileChange::rewritten("f", "a\nz\n", "a\ny\n"),
        FileChange::created("n", "1\n"),
        FileChange::created("n", "2\n"),
    ]);
    let others: Vec<_> = found.iter().map(|change| change.after_others).collect();
    assert_eq!(others, [false, false, true, true]);
}

#[test]
fn what_follows_a_cut_diff_is_a_difference_of_its_own() {
    let long = "line\n".repeat(20_000);
    let found = net([
        FileChange::created("f", &long),
        FileChange::rewritten("f", &long, &format!("{long}more\n")),
    ]);
    assert_eq!(found.len(), 2);
    assert!(found[0].omitted_lines > 0);
}

proptest! {
    #[test]
    fn many_changes_make_one_difference_between_the_first_and_the_last_text(
        texts in proptest::collection::vec("([abc]\n){0,14}[ab]?", 2..6),
    ) {
        let found = net(edits(&texts));
        let (first, last) = (&texts[0], &texts[texts.len() - 1]);
        prop_assert_eq!(found.len(), usize::from(first != last), "{:?}", found);
        let hunks = found.first().map(|change| change.hunks.clone()).unwrap_or_default();
        prop_assert_eq!(&applied(first, &hunks), last);
        let mut ends = hunks.iter().map(|hunk| (hunk.old_at, hunk.old_at + hunk.old_len()));
        prop_assert!(ends.clone().zip(ends.by_ref().skip(1)).all(|(one, next)| one.1 <= next.0));
    }

    #[test]
    fn changes_that_do_not_fit_each_other_are_kept_all_the_same(
        pairs in proptest::collection::vec(("([ab]\n){0,8}", "([ab]\n){0,8}"), 1..6),
    ) {
        let changes: Vec<_> =
            pairs.iter().map(|(old, new)| FileChange::rewritten("f", old, new)).collect();
        let growth = |added: usize, removed: usize| added.cast_signed() - removed.cast_signed();
        let found = net(changes.clone());
        let shown = |change: &NetChange| {
            growth(change.count(LineTag::Added), change.count(LineTag::Removed))
        };
        let recorded: isize =
            changes.iter().map(|change| growth(change.added, change.removed)).sum();
        prop_assert_eq!(found.iter().map(shown).sum::<isize>(), recorded, "{:?}", found);
    }
}
