//! The open problems of a workspace, and those that were fixed. Each check reports all its findings at
//! once; a problem that it no longer reports is fixed.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::problem::Problem;

/// How many fixed problems are remembered.
const MAX_FIXED: usize = 200;

/// The problems of a workspace, by the check that reports them.
#[derive(Debug, Default)]
pub struct ProblemBook {
    open: BTreeMap<String, Vec<Problem>>,
    /// The newest last.
    fixed: VecDeque<Problem>,
}

impl ProblemBook {
    /// Replaces the open problems of one check; true if that changed anything.
    pub fn take(&mut self, check: &str, found: Vec<Problem>) -> bool {
        let before = self.open.remove(check).unwrap_or_default();
        let changed = before != found;
        let is_open = |problem: &Problem| found.iter().any(|one| one.id == problem.id);
        self.fixed.retain(|problem| !is_open(problem));
        let fixed = before.into_iter().filter(|problem| !is_open(problem));
        self.fixed.extend(fixed);
        let excess = self.fixed.len().saturating_sub(MAX_FIXED);
        self.fixed.drain(..excess);
        if !found.is_empty() {
            self.open.insert(check.to_owned(), found);
        }
        changed
    }

    /// In the order of the names of the checks.
    #[must_use]
    pub fn open(&self) -> Vec<Problem> {
        self.open.values().flatten().cloned().collect()
    }

    /// The newest first.
    #[must_use]
    pub fn fixed(&self) -> Vec<Problem> {
        self.fixed.iter().rev().cloned().collect()
    }

    /// Forgets the fixed problems that match; returns how many.
    pub fn forget(&mut self, matches: impl Fn(&Problem) -> bool) -> usize {
        let before = self.fixed.len();
        self.fixed.retain(|problem| !matches(problem));
        before - self.fixed.len()
    }
}

/// The book, shared. The lock is held for a moment, never across an await.
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
    use crate::domain::text::Text;

    fn problems(ids: &[&str]) -> Vec<Problem> {
        let (text, fix) = (Text::new("wrong", "有误"), Text::new("fix it", "请修正"));
        ids.iter().map(|id| Problem::new(*id, "here", text, fix)).collect()
    }

    fn ids(problems: &[Problem]) -> Vec<&str> {
        problems.iter().map(|problem| problem.id.as_str()).collect()
    }

    #[test]
    fn a_problem_no_longer_reported_is_fixed_until_it_is_found_again() {
        let mut book = ProblemBook::default();
        for (finder, reported, changed, open, fixed) in [
            ("b", vec!["b1", "b2"], true, vec!["b1", "b2"], vec![]),
            ("a", vec!["a1"], true, vec!["a1", "b1", "b2"], vec![]),
            ("a", vec!["a1"], false, vec!["a1", "b1", "b2"], vec![]),
            ("b", vec!["b2"], true, vec!["a1", "b2"], vec!["b1"]),
            ("a", vec![], true, vec!["b2"], vec!["a1", "b1"]),
            ("b", vec!["b1"], true, vec!["b1"], vec!["b2", "a1"]),
            ("c", vec![], false, vec!["b1"], vec!["b2", "a1"]),
        ] {
            assert_eq!(book.take(finder, problems(&reported)), changed, "{finder} {reported:?}");
            assert_eq!(ids(&book.open()), open, "{finder} {reported:?}");
            assert_eq!(ids(&book.fixed()), fixed, "{finder} {reported:?}");
        }
        assert_eq!(book.forget(|problem| problem.id == "b2"), 1);
        assert_eq!(ids(&book.fixed()), ["a1"]);
    }

    #[test]
    fn fixed_problems_are_bounded() {
        let mut book = ProblemBook::default();
        for n in 0..MAX_FIXED + 5 {
            book.take("a", problems(&[&format!("p{n}")]));
        }
        assert_eq!(book.fixed().len(), MAX_FIXED);
    }
}
