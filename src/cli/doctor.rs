//! `doctor`: is everything in this workspace as it should be? Changes nothing.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::app::{self, Finding, Probe};
use crate::domain::Problem;
use crate::domain::tree::Bucket;
use crate::minds::{Minds, taskdoc};
use crate::platform::env;
use crate::store::Access;
use crate::tools::Registry;

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
    problems.extend(minds(workspace));
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

/// Asks every provider for a word, each for at most so many seconds.
pub async fn providers(workspace: &Path, seconds: f64, as_json: bool) -> Result<Status, Refusal> {
    let limit = Duration::try_from_secs_f64(seconds)
        .map_err(|error| Refusal::usage(format!("--timeout {seconds}: {error}")))?;
    let probes = app::probe(workspace, limit).await;
    if as_json {
        let rows: Vec<_> = probes.iter().map(row).collect();
        lines::json(&json!({ "providers": rows }));
    } else if probes.is_empty() {
        lines::say("there is no provider to ask: .minds/llm.yaml names none, and no member does");
    } else {
        for probe in &probes {
            lines::say(&line(probe));
        }
    }
    let all_answer = probes.iter().all(|probe| matches!(probe.finding, Finding::Answers(_)));
    Ok(if all_answer && !probes.is_empty() { Status::Done } else { Status::Invalid })
}

fn line(probe: &Probe) -> String {
    let model = probe.model.as_deref().unwrap_or("-");
    let asked = format!("{} {model}", probe.provider);
    match &probe.finding {
        Finding::Answers(time) => format!("ok    {asked}: answers ({} ms)", time.as_millis()),
        Finding::Fault { text, mend } => format!("fault {asked}: {text} ({mend})"),
    }
}

fn row(probe: &Probe) -> serde_json::Value {
    let (provider, model) = (&probe.provider, &probe.model);
    match &probe.finding {
        Finding::Answers(time) => json!({
            "provider": provider, "model": model, "ok": true, "milliseconds": time.as_millis(),
        }),
        Finding::Fault { text, mend } => json!({
            "provider": provider, "model": model, "ok": false, "text": text, "mend": mend,
        }),
    }
}

fn minds(workspace: &Path) -> Vec<Problem> {
    let minds = Minds::load(workspace, env::work_language());
    let mut problems = minds.problems().to_vec();
    problems.extend(minds.unknown_tools(&Registry::builtin().names()));
    problems
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
