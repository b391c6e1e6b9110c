//! `doctor`: checks a workspace. Changes nothing.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use crate::app;

use crate::domain::counted;
use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::problem::ProblemForPrograms;
use crate::domain::safety::sandbox::Level;
use crate::domain::{Lang, Problem, Severity};
use crate::mcp;
use crate::minds::{Minds, STORE_FOLDER, taskdoc};
use crate::platform::{dirs, env};
use crate::protocol::Lifecycle;
use crate::sandbox::{Means, Sandbox, SandboxRefusal};
use crate::store::{Access, StoreError, config_permission_problem, permission_problems};

use super::probe::{Probe, ProbeResult, probe};
use super::servers::{ServerReport, ServerTools};
use crate::cli::commands::{lifecycle, news};
use crate::cli::exit::{CommandError, Status};
use crate::cli::{config, output, runtime};

#[derive(Debug, Clone, Copy)]
pub struct DoctorOptions {
    pub as_json: bool,
    /// Warnings are failures, too.
    pub strict: bool,
}

/// `servers`: the report on the MCP servers, if they were started.
pub fn doctor(
    workspace: &Path,
    DoctorOptions { as_json, strict }: DoctorOptions,
    servers: Option<ServerReport>,
) -> Result<Status, CommandError> {
    let store = app::open(workspace, Access::ReadOnly)?;
    let survey = store.survey(&Bucket::ALL);
    let mut problems = store.examine();
    problems.extend(taskdoc::problems(workspace, survey.taskdocs()));
    for problem in survey.problems {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    let found = servers.as_ref();
    let offered = found.map(|found| found.tools.as_slice()).unwrap_or_default();
    let offered = offered.iter().flat_map(|(_, tools)| tools).map(String::as_str);
    let known: Vec<&str> = mcp::BUILT_IN_NAMES.into_iter().chain(offered).collect();
    problems.extend(app::read_only_engine(workspace, None)?.config_problems(&known));
    problems.extend(permission_problems(&workspace.join(".dialogs"), ".dialogs"));
    // Checked before the store is opened, because that restricts its permissions.
    problems.extend(permission_problems(&workspace.join(STORE_FOLDER), STORE_FOLDER));
    let minds = Minds::load(workspace, Lang::En);
    let of_store = news::problems(workspace, minds.hive().org());
    problems.extend(runtime::runtime()?.block_on(of_store));
    if let Some(state) = dirs::state() {
        problems.extend(permission_problems(&state, &env::display_path(&state)));
    }
    if let Some(file) = config::path() {
        problems.extend(config_permission_problem(&file, &env::display_path(&file)));
    }
    let setup = config::read(workspace);
    let sandbox = SandboxStatus::check(workspace, setup.levels.of(workspace));
    problems.extend(setup.problems);
    problems.extend(sandbox.problems.clone());
    problems.extend(found.into_iter().flat_map(|found| found.problems.clone()));
    let tools = servers.map(|found| found.tools);
    let dialogs: usize = survey.trees.iter().map(|tree| tree.dialogs.len()).sum();
    report((&problems, &sandbox), dialogs, tools.as_deref(), as_json);
    let fails = |problem: &Problem| strict || problem.severity == Severity::Error;
    Ok(if problems.iter().any(fails) { Status::Invalid } else { Status::Done })
}

/// Restores a tree that was set aside as damaged.
pub async fn restore(workspace: &Path, name: &str) -> Result<Status, CommandError> {
    let root = match app::open(workspace, Access::ReadOnly)?.quarantined(name) {
        Ok(root) => root,
        Err(error @ (StoreError::NotFound(_) | StoreError::BadName { .. })) => {
            return Err(CommandError::usage(format!("no tree `{name}` was set aside: {error}")));
        }
        Err(error) => return Err(error.into()),
    };
    lifecycle::change(workspace, Lifecycle::Restore { name: name.to_owned() }).await?;
    output::print(&format!("{root} is restored"));
    Ok(Status::Done)
}

/// Probes every provider, each with the timeout `limit`.
pub async fn providers(
    workspace: &Path,
    limit: Duration,
    as_json: bool,
) -> Result<Status, CommandError> {
    let probes = probe(workspace, limit).await;
    if as_json {
        let rows: Vec<_> = probes.iter().map(probe_json).collect();
        output::json(&json!({ "providers": rows }));
    } else if probes.is_empty() {
        output::print(
            "there is no provider to probe: neither .minds/llm.yaml nor a member names one",
        );
    } else {
        for probe in &probes {
            output::print(&probe_line(probe));
        }
    }
    let all_answered = probes.iter().all(|probe| matches!(probe.result, ProbeResult::Answered(_)));
    Ok(if all_answered && !probes.is_empty() { Status::Done } else { Status::Invalid })
}

fn probe_line(probe: &Probe) -> String {
    let model = probe.model.as_deref().unwrap_or("-");
    let asked = format!("{} {model}", probe.provider);
    match &probe.result {
        ProbeResult::Answered(time) => format!("ok    {asked}: answers ({} ms)", time.as_millis()),
        ProbeResult::Failed { text, fix } => format!("fault {asked}: {text} ({fix})"),
    }
}

fn probe_json(probe: &Probe) -> Value {
    let (provider, model) = (&probe.provider, &probe.model);
    match &probe.result {
        ProbeResult::Answered(time) => json!({
            "provider": provider, "model": model, "ok": true, "milliseconds": time.as_millis(),
        }),
        ProbeResult::Failed { text, fix } => json!({
            "provider": provider, "model": model, "ok": false, "text": text, "fix": fix,
        }),
    }
}

/// The sandbox of members' commands.
struct SandboxStatus {
    level: Level,
    means: Result<Means, SandboxRefusal>,
    /// Settings of tools that commands do not see, and what of the workspace is not protected.
    problems: Vec<Problem>,
    /// Files that settings of git name, which commands cannot write, with the setting.
    settings: Vec<(PathBuf, String)>,
}

impl SandboxStatus {
    /// Checks it, as the first command would.
    fn check(workspace: &Path, level: Level) -> Self {
        let sandbox = Sandbox::new(app::sandbox_config(workspace), level);
        let means = sandbox.means(level);
        let mut problems = if level == Level::Off { Vec::new() } else { sandbox.withheld() };
        let protects = means.is_ok() && level.writes() && level != Level::Off;
        problems.extend(sandbox.unprotected().filter(|_| protects));
        let settings = if protects { sandbox.settings_of_git() } else { Vec::new() };
        Self { level, means, problems, settings }
    }

    fn text(&self) -> String {
        const BETTER: &str = "install bubblewrap for a stronger sandbox; this one has gaps";
        let level = self.level;
        match &self.means {
            Ok(means) if level == Level::Off => {
                format!("commands: sandbox off, as your config.yaml says; {means} would work here")
            }
            Err(_) if level == Level::Off => {
                "commands: sandbox off, as your config.yaml says".to_owned()
            }
            Ok(Means::Bwrap) => format!("commands: {level}, by bwrap"),
            Ok(means @ Means::Landlock) => {
                format!("commands: {level}, by {means}; {BETTER}: {}", means.gaps().join(" "))
            }
            Err(refusal) => format!("commands: {}", refusal.for_user()),
        }
    }
}

#[derive(Serialize)]
struct Report<'a> {
    problems: Vec<ProblemForPrograms<'a>>,
    dialogs: usize,
    sandbox: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    servers: Option<Value>,
}

fn report(
    (problems, sandbox): (&[Problem], &SandboxStatus),
    dialogs: usize,
    tools: Option<&[ServerTools]>,
    as_json: bool,
) {
    if as_json {
        let means = sandbox.means.as_ref().ok().map(|means| means.name());
        let setting = |(path, setting): &(PathBuf, String)| {
            let path = path.to_string_lossy();
            json!({ "path": path, "setting": setting })
        };
        let settings: Vec<_> = sandbox.settings.iter().map(setting).collect();
        let sandbox = json!({ "level": sandbox.level.name(), "means": means, "git": settings });
        let problems = problems.iter().map(Problem::for_programs).collect();
        let servers = tools.map(|tools| tools.iter().cloned().collect());
        output::json(&Report { problems, dialogs, sandbox, servers });
        return;
    }
    for (server, tools) in tools.into_iter().flatten() {
        output::print(&format!("{server}: {}", tools.join(", ")));
    }
    for problem in problems {
        output::print(&problem.to_string());
    }
    output::print(&sandbox.text());
    for (path, setting) in &sandbox.settings {
        let path = path.display();
        output::print(&format!("git: commands cannot write {path}, which {setting} names"));
    }
    let verdict = match problems.len() {
        0 => "no problem".to_owned(),
        n => counted(n, "problem", "problems"),
    };
    output::print(&format!("{}, {verdict}", counted(dialogs, "dialog", "dialogs")));
}
