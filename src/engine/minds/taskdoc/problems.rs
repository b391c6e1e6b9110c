//! Problems of the layout of packages.

use std::path::Path;

use super::package::read;
use super::{TaskdocError, violation_text};
use crate::domain::Problem;
use crate::domain::text::Text;

/// Problems of these packages. A missing one is not a problem: it may be created later.
#[must_use]
pub fn problems<'a>(workspace: &Path, paths: impl IntoIterator<Item = &'a str>) -> Vec<Problem> {
    let mut problems = Vec::new();
    for path in paths {
        match read(workspace, path) {
            Ok(taskdoc) => problems.extend(taskdoc.violations.iter().map(|violation| {
                let text = violation_text(violation);
                let id = format!("taskdoc/layout/{path}/{text}");
                let fix = Text::new(
                    "move it out of the Taskdoc, or under a category as `NAME.md`",
                    "请把它移出任务文档，或作为 `NAME.md` 放到某个类别下",
                );
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
