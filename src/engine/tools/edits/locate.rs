//! Where a prepared change belongs in a file that may have changed since. Pure. Refuses rather
//! than guesses: a change is only made where its lines, and enough around them, are what they were.

use std::hash::{BuildHasher, RandomState};

use super::change::LineChange;
use super::lines::places;

/// Hashes lines, to recognise a text without keeping it. Keyed at random, so that no one can construct two texts with
/// the same hash.
#[derive(Debug, Clone, Default)]
pub(super) struct LineHasher(RandomState);

/// A text that was seen, and its parts around a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextFingerprint {
    whole: u64,
    head: u64,
    tail: u64,
    tail_lines: usize,
}

impl LineHasher {
    fn mark(&self, lines: &[&str]) -> u64 {
        self.0.hash_one(lines)
    }

    /// Fingerprints the text and its parts before and after the change.
    pub(super) fn seen(&self, all: &[&str], change: &LineChange) -> TextFingerprint {
        let head = all.get(..change.at).unwrap_or_default();
        let tail = all.get(change.at + change.old.len()..).unwrap_or_default();
        let (whole, head, tail_lines) = (self.mark(all), self.mark(head), tail.len());
        TextFingerprint { whole, head, tail: self.mark(tail), tail_lines }
    }
}

/// Where a change belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Located {
    pub at: usize,
    /// True if the file has not changed.
    pub exact: bool,
}

/// Why a change belongs nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LocateError {
    /// The lines to be replaced no longer occur.
    ContentChanged,
    /// The lines around the change no longer occur in the file.
    ContextLost,
    /// Several places fit.
    Ambiguous,
}

/// Finds the place, in this order: the file is unchanged; the lines with the context on both sides
/// occur once; all text before them, or all text after them, is unchanged; the lines with the
/// context on one side occur once. An insertion needs both sides.
pub(super) fn locate(
    change: &LineChange,
    seen: &TextFingerprint,
    all: &[&str],
    marks: &LineHasher,
) -> Result<Located, LocateError> {
    if marks.mark(all) == seen.whole && stands_at(change, all, change.at) {
        return Ok(Located { at: change.at, exact: true });
    }
    let fuzzy = |at| Ok(Located { at, exact: false });
    let steady = steady_places(change, seen, all, marks);
    let around = with_context(change, all, ContextSides::Both);
    match (around.as_slice(), steady.iter().find(|at| around.contains(at))) {
        ([at], _) | (_, Some(at)) => return fuzzy(*at),
        ([_, _, ..], None) => return Err(LocateError::Ambiguous),
        ([], None) => {}
    }
    if change.old.is_empty() {
        return Err(LocateError::ContextLost);
    }
    if let Some(&at) = steady.iter().find(|&&at| stands_at(change, all, at)) {
        return fuzzy(at);
    }
    for sides in [ContextSides::Before, ContextSides::After] {
        match with_context(change, all, sides).as_slice() {
            [] => {}
            [at] => return fuzzy(*at),
            [_, _, ..] => return Err(LocateError::Ambiguous),
        }
    }
    let gone = places(&change.old, all, 1).is_empty();
    Err(if gone { LocateError::ContentChanged } else { LocateError::ContextLost })
}

/// Returns the places with all the text before them, or all the text after them, unchanged.
fn steady_places(
    change: &LineChange,
    seen: &TextFingerprint,
    all: &[&str],
    marks: &LineHasher,
) -> Vec<usize> {
    let head = all.get(..change.at).filter(|head| marks.mark(head) == seen.head);
    let tail_at = all.len().checked_sub(seen.tail_lines);
    let tail =
        tail_at.filter(|&at| all.get(at..).is_some_and(|tail| marks.mark(tail) == seen.tail));
    let by_tail = tail.and_then(|at| at.checked_sub(change.old.len()));
    head.map(|_| change.at).into_iter().chain(by_tail).collect()
}

/// The sides on which the context has to occur, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContextSides {
    Both,
    Before,
    After,
}

/// Returns every index at which the old lines occur with the context of these sides.
fn with_context(change: &LineChange, all: &[&str], sides: ContextSides) -> Vec<usize> {
    let before = change.before.iter().filter(|_| sides != ContextSides::After);
    let after = change.after.iter().filter(|_| sides != ContextSides::Before);
    let ahead = before.clone().count();
    let wanted: Vec<&str> = before.chain(&change.old).chain(after).map(String::as_str).collect();
    places(&wanted, all, usize::MAX).into_iter().map(|at| at + ahead).collect()
}

fn stands_at(change: &LineChange, all: &[&str], at: usize) -> bool {
    let there = at.checked_add(change.old.len()).and_then(|end| all.get(at..end));
    there.is_some_and(|there| there.iter().eq(change.old.iter()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lines::lines;
    use super::*;

    fn found(
        before: &str,
        range: std::ops::Range<usize>,
        new: &str,
        now: &str,
    ) -> Result<(usize, bool), LocateError> {
        let marks = LineHasher::default();
        let all = lines(before);
        let change = LineChange::new(&all, range, new);
        let seen = marks.seen(&all, &change);
        locate(&change, &seen, &lines(now), &marks).map(|found| (found.at, found.exact))
    }

    #[test]
    fn a_change_follows_its_lines_or_is_refused() {
        let ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
        for (range, new, now, expected) in [
            (4..5, "x", ten, Ok((4, true))),
            // Moved by what was put before it.
            (4..5, "x", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", Ok((5, false))),
            // The text before it is as it was, its neighbours behind are not.
            (4..5, "x", "1\n2\n3\n4\n5\nx\n", Ok((4, false))),
            // The text behind it is as it was.
            (4..5, "x", "y\nz\n5\n6\n7\n8\n9\n10\n", Ok((2, false))),
            // Changed far away on both sides.
            (4..5, "x", "a\n2\n3\n4\n5\n6\n7\n8\n9\nb\n", Ok((4, false))),
            // One side alone, twice.
            (4..5, "x", "a\n2\n3\n4\n5\nb\n2\n3\n4\n5\nc\n", Err(LocateError::Ambiguous)),
            (4..5, "x", "a\n2\n3\n4\n55\n6\n7\n8\nb\n", Err(LocateError::ContentChanged)),
            (4..5, "x", "a\n5\nb\n", Err(LocateError::ContextLost)),
            (4..5, "x", "", Err(LocateError::ContentChanged)),
            // Nothing is replaced: both sides are needed.
            (4..4, "x", "a\n2\n3\n4\n5\n6\n7\nb\n", Ok((4, false))),
            (4..4, "x", "1\n2\n3\n4\nb\n6\n7\n", Err(LocateError::ContextLost)),
            (10..10, "x", "0\n8\n9\n10\n11\n", Ok((4, false))),
        ] {
            assert_eq!(found(ten, range.clone(), new, now), expected, "{range:?} {now:?}");
        }
    }

    #[test]
    fn equal_contexts_are_distinguished_by_unchanged_lines() {
        let text = "a\nb\nc\nx\nd\ne\nf\n";
        let twice = format!("{text}{text}");
        let later = format!("{twice}more\n");
        assert_eq!(found(&twice, 3..4, "y", &later), Ok((3, false)));
        assert_eq!(found(&twice, 10..11, "y", &format!("new\n{twice}")), Ok((11, false)));
        let both = format!("new\n{twice}more\n");
        assert_eq!(found(&twice, 3..4, "y", &both), Err(LocateError::Ambiguous));
    }

    proptest! {
        #[test]
        fn where_nothing_changed_it_is_the_plain_edit(
            text in "[abc\n]{0,60}", new in "[xy\n]{0,8}", from in 0..12_usize, length in 0..6_usize,
        ) {
            let all = lines(&text);
            let from = from.min(all.len());
            let to = (from + length).min(all.len());
            let marks = LineHasher::default();
            let change = LineChange::new(&all, from..to, &new);
            let seen = marks.seen(&all, &change);
            let place = locate(&change, &seen, &all, &marks);
            prop_assert_eq!(place, Ok(Located { at: change.at, exact: true }));
        }

        #[test]
        fn a_relocated_change_replaces_its_own_lines_and_keeps_all_others(
            text in "[abc\n]{0,60}", now in "[abc\n]{0,60}", keep in 0..60_usize,
            from in 0..12_usize, length in 0..4_usize,
        ) {
            let all = lines(&text);
            let from = from.min(all.len());
            let change = LineChange::new(&all, from..(from + length).min(all.len()), "new\n");
            let marks = LineHasher::default();
            let seen = marks.seen(&all, &change);
            // The end of the old text often stays, so that places are found.
            let kept: String = all.iter().skip(keep % (all.len() + 1)).copied().collect();
            let now = format!("{now}\n{kept}");
            let now = lines(&now);
            if let Ok(place) = locate(&change, &seen, &now, &marks) {
                let end = place.at + change.old.len();
                prop_assert_eq!(&now[place.at..end], change.old.as_slice());
                let expected =
                    [now[..place.at].concat(), change.new.concat(), now[end..].concat()].concat();
                prop_assert_eq!(change.moved(&now, place.at).made(&now), expected);
            }
        }
    }
}
