//! What is wrong with the layout of packages.

use std::path::Path;

use super::{TaskdocError, read, sentence};
use crate::domain::{Lang, Problem};

/// What needs fixing in these packages. One that is not there is no problem: it may be made later.
#[must_use]
pub fn problems<'a>(workspace: &Path, paths: impl IntoIterator<Item = &'a str>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for path in paths {
        match read(workspace, path) {
            Ok(taskdoc) => problems.extend(taskdoc.violations.iter().map(|violation| {
                let text = sentence(violation, Lang::En);
                let id = format!("taskdoc/layout/{path}/{text}");
                let fix = "move it out of the Taskdoc, or under a category as `NAME.md`";
                Problem::new(id, path, text, fix)
            })),
            Err(TaskdocError::Missing { .. }) => {}
            Err(error) => problems.push(error.problem()),
        }
    }
    problems.sort_by(|a, b| a.id.cmp(&b.id));
    problems.dedup();
    problems
}
