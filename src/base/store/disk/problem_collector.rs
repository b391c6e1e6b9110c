//! Problems found while reading, bounded in number.

use std::path::Path;

use crate::domain::Problem;
use crate::domain::counted;
use crate::domain::text::{Localized, Text, localized};

use super::layout::Layout;

/// Findings kept of one tree; more are only counted.
const MAX_PROBLEMS: usize = 200;

#[derive(Debug)]
pub(in crate::store) struct ProblemCollector {
    layout: Layout,
    problems: Vec<Problem>,
    more: usize,
}

impl ProblemCollector {
    pub fn new(layout: &Layout) -> Self {
        Self { layout: layout.clone(), problems: Vec::new(), more: 0 }
    }

    /// For another part of the same reading.
    pub fn empty_copy(&self) -> Self {
        Self::new(&self.layout)
    }

    pub fn add(
        &mut self,
        kind: &str,
        path: &Path,
        text: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) {
        let problem = self.problem(kind, path, text, fix);
        self.push(problem);
    }

    pub fn problem(
        &self,
        kind: &str,
        path: &Path,
        text: impl Into<Localized>,
        fix: impl Into<Localized>,
    ) -> Problem {
        let shown = self.layout.display_path(path);
        Problem::new(format!("store/{kind}/{shown}"), shown, text, fix)
    }

    /// Drops what was found in files of this name.
    pub fn forget(&mut self, name: &str) {
        self.problems.retain(|problem| !problem.path.ends_with(name));
    }

    pub fn push(&mut self, problem: Problem) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.more += 1;
        }
    }

    /// Adds what was found elsewhere.
    pub fn append(&mut self, other: Self) {
        self.more += other.more;
        for problem in other.problems {
            self.push(problem);
        }
    }

    /// All of them, closed by a line about those that were only counted.
    pub fn finish(mut self, folder: &Path) -> Vec<Problem> {
        if self.more > 0 {
            let text = localized!(
                ("{}", counted(self.more, "more problem", "more problems")),
                ("另有 {} 个问题", self.more)
            );
            let fix = Text::new("fix those above first", "请先解决以上问题");
            let last = self.problem("more", folder, text, fix);
            self.problems.push(last);
        }
        self.problems
    }
}
