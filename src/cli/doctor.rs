//! `doctor`: is everything in this workspace as it should be? Changes nothing.

use std::path::Path;

use serde_json::json;

use crate::app;
use crate::domain::Problem;
use crate::domain::tree::Bucket;
use crate::minds::taskdoc;
use crate::store::Access;

use super::exit::{Refusal, Status};
use super::lines;

pub fn doctor(workspace: &Path, as_json: bool) -> Result<Status, Refusal> {
    let store = app::open(workspace, Access::ReadOnly)?;
    let survey = store.survey(&Bucket::ALL);
    let mut problems = store.examine();
    problems.extend(taskdoc::problems(workspace, survey.taskdocs()));
    for problem in survey.problems {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    problems.extend(app::looking(workspace)?.findings());
    let dialogs: usize = survey.trees.iter().map(|tree| tree.dialogs.len()).sum();
    report(&problems, dialogs, as_json);
    Ok(if problems.is_empty() { Status::Done } else { Status::Invalid })
}

/// Moves a tree that was set aside back to the running ones.
pub fn restore(workspace: &Path, root: &str) -> Result<Status, Refusal> {
    let root = app::open(workspace, Access::ReadWrite)?.restore(root)?;
    lines::say(&format!("{root} is back"));
    Ok(Status::Done)
}

fn report(problems: &[Problem], dialogs: usize, as_json: bool) {
    if as_json {
        lines::json(&json!({ "problems": problems, "dialogs": dialogs }));
        return;
    }
    for problem in problems {
        lines::say(&problem.to_string());
    }
    let verdict = match problems.len() {
        0 => "no problem".to_owned(),
        1 => "1 problem".to_owned(),
        n => format!("{n} problems"),
    };
    lines::say(&format!("{dialogs} dialogs, {verdict}"));
}
