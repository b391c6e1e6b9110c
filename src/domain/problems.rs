//! All problems known now, and those that were mended. Whoever looks for problems tells all it found
//! at once; what it no longer tells is mended.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::problem::Problem;

/// Mended problems that are remembered.
const MAX_MENDED: usize = 200;

/// The problems of a workspace, by who looks for them.
#[derive(Debug, Default)]
pub struct ProblemBook {
    open: BTreeMap<String, Vec<Problem>>,
    /// The newest last.
    mended: VecDeque<Problem>,
}

impl ProblemBook {
    /// Takes in all that one finder tells; true if anything is different now.
    pub fn take(&mut self, finder: &str, found: Vec<Problem>) -> bool {
        let before = self.open.remove(finder).unwrap_or_default();
        let changed = before != found;
        let is_open = |problem: &Problem| found.iter().any(|one| one.id == problem.id);
        self.mended.retain(|problem| !is_open(problem));
        let mended = before.into_iter().filter(|problem| !is_open(problem));
        self.mended.extend(mended);
        let excess = self.mended.len().saturating_sub(MAX_MENDED);
        self.mended.drain(..excess);
        if !found.is_empty() {
            self.open.insert(finder.to_owned(), found);
        }
        changed
    }

    /// In the order of their finders.
    #[must_use]
    pub fn open(&self) -> Vec<Problem> {
        self.open.values().flatten().cloned().collect()
    }

    /// The newest first.
    #[must_use]
    pub fn mended(&self) -> Vec<Problem> {
        self.mended.iter().rev().cloned().collect()
    }

    /// Forgets mended problems that are meant; says how many.
    pub fn forget(&mut self, is_meant: impl Fn(&Problem) -> bool) -> usize {
        let before = self.mended.len();
        self.mended.retain(|problem| !is_meant(problem));
        before - self.mended.len()
    }
}

/// The book, for those who write into it and those who read it. Held for a moment, never over a wait.
#[derive(Debug, Default)]
pub struct Problems(Mutex<ProblemBook>);

impl Problems {
    pub fn book(&self) -> MutexGuard<'_, ProblemBook> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(ids: &[&str]) -> Vec<Problem> {
        ids.iter().map(|id| Problem::new(*id, "here", "wrong", "mend it")).collect()
    }

    fn ids(problems: &[Problem]) -> Vec<&str> {
        problems.iter().map(|problem| problem.id.as_str()).collect()
    }

    #[test]
    fn a_problem_no_longer_reported_is_fixed_until_it_is_found_again() {
        let mut book = ProblemBook::default();
        for (finder, told, changed, open, mended) in [
            ("b", vec!["b1", "b2"], true, vec!["b1", "b2"], vec![]),
            ("a", vec!["a1"], true, vec!["a1", "b1", "b2"], vec![]),
            ("a", vec!["a1"], false, vec!["a1", "b1", "b2"], vec![]),
            ("b", vec!["b2"], true, vec!["a1", "b2"], vec!["b1"]),
            ("a", vec![], true, vec!["b2"], vec!["a1", "b1"]),
            ("b", vec!["b1"], true, vec!["b1"], vec!["b2", "a1"]),
            ("c", vec![], false, vec!["b1"], vec!["b2", "a1"]),
        ] {
            assert_eq!(book.take(finder, problems(&told)), changed, "{finder} {told:?}");
            assert_eq!(ids(&book.open()), open, "{finder} {told:?}");
            assert_eq!(ids(&book.mended()), mended, "{finder} {told:?}");
        }
        assert_eq!(book.forget(|problem| problem.id == "b2"), 1);
        assert_eq!(ids(&book.mended()), ["a1"]);
    }

    #[test]
    fn fixed_problems_are_bounded() {
        let mut book = ProblemBook::default();
        for n in 0..MAX_MENDED + 5 {
            book.take("a", problems(&[&format!("p{n}")]));
        }
        assert_eq!(book.mended().len(), MAX_MENDED);
    }
}
