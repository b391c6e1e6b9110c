//! `readonly_shell`: looking around with the usual programs, for members that have no shell. A line is
//! read by a small grammar, each program and each option is judged by a table, and what is left is
//! started directly. No shell ever sees the line, so there is no second reading of it.
//!
//! All that only guides the model; the protection is the sandbox around each program (`crate::sandbox`). Only
//! git is a sandbox of its own (`git/`), since it reads what a repository says.
//!
//! What this does not promise: programs that walk a folder tell the names in it, without the member's
//! lists.

mod find;
mod git;
mod parse;
mod place;
mod reading_programs;
mod refusal;
mod run;
mod scripts;

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use self::parse::{Pipeline, RunCondition};
use self::place::PathCheck;
use self::refusal::LineRefusal;
use self::run::CommandLine;
use super::guard::Guard;
use super::outcome::ToolOutcome;
use super::shell::{exit_text, refused_text, streams_text};
use super::tool::{Tool, ToolCx};
use super::typed;
use crate::domain::Lang;
use crate::domain::dialogs::background::ProcessExit;
use crate::domain::text::{Text, in_lang};

pub(super) const NAME: &str = "readonly_shell";
pub(super) const TOOLSET: &str = "codex_inspect_and_patch_tools";

const TIMEOUT_MS: u64 = 10_000;
const MAX_TIMEOUT_MS: u64 = 600_000;
/// Lines of each stream that are shown.
const LINES: usize = 2_000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadonlyShellArgs {
    command: String,
    timeout_ms: Option<u64>,
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    typed::asynchronous(
        typed::reads(NAME),
        |lang| Text::of_document(include_str!("readonly_shell.md")).in_lang(lang),
        run,
    )
}

async fn run(cx: ToolCx, args: ReadonlyShellArgs) -> ToolOutcome {
    let ReadonlyShellArgs { command, timeout_ms } = args;
    let limit = timeout_ms.filter(|ms| *ms > 0).unwrap_or(TIMEOUT_MS).min(MAX_TIMEOUT_MS);
    let judge = {
        let cx = cx.clone();
        move || judged(&cx, &command)
    };
    let (pipelines, folder) = match tokio::task::spawn_blocking(judge).await {
        Ok(Ok(judged)) => judged,
        Ok(Err(refused)) => return ToolOutcome::failed(refused),
        Err(_) => return ToolOutcome::failed(broken(cx.lang)),
    };
    let mut environment = cx.shells.environment(&cx.keys);
    environment
        .retain(|name, _| INHERITED_VARIABLES.contains(&name.as_str()) || name.starts_with("LC_"));
    environment.insert("PATH".to_owned(), run::search_path());
    environment.extend(git::environment(&cx.workspace));
    let folder = cx.workspace.join(folder);
    let line = CommandLine {
        pipelines,
        folder: &folder,
        environment: &environment,
        enders: cx.shells.enders(),
        keys: &cx.keys,
        command_sandbox: cx.shells.read_only_sandbox(),
    };
    let ran = match line.run(Duration::from_millis(limit)).await {
        Ok(ran) => ran,
        Err(error) => return ToolOutcome::failed(not_started(&error, cx.lang)),
    };
    let how = ran.exit.map_or_else(|| over_time(limit, cx.lang), |exit| exit_text(exit, cx.lang));
    let text = format!("{how}\n{}", streams_text(&ran.out, &ran.err, LINES, cx.lang));
    if ran.exit == Some(ProcessExit::Code(0)) {
        ToolOutcome::done(text)
    } else {
        ToolOutcome::failed(text)
    }
}

/// The only variables of the shell environment that these programs get.
const INHERITED_VARIABLES: [&str; 6] = ["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ"];

type CheckedLine = (Vec<Pipeline>, std::path::PathBuf);

/// The line as it may run, with its folder below the workspace.
fn judged(cx: &ToolCx, command: &str) -> Result<CheckedLine, String> {
    let guard = Guard::general(cx).map_err(|fault| fault.text(cx.lang))?;
    let folder = std::path::PathBuf::new();
    let place = PathCheck {
        guard: &guard,
        access: &cx.access,
        workspace: &cx.workspace,
        folder,
        lang: cx.lang,
        command_sandbox: cx.shells.read_only_sandbox(),
    };
    line(command, place).map_err(|refusal| refusal.text(cx.lang))
}

fn line(command: &str, mut place: PathCheck<'_>) -> Result<CheckedLine, LineRefusal> {
    let mut pipelines = parse::parse(command)?;
    if let [first, second, ..] = pipelines.as_slice()
        && let [words] = first.commands.as_slice()
        && let [cd, folder] = words.as_slice()
        && cd == "cd"
    {
        if second.after != RunCondition::Success {
            return Err(LineRefusal::Cd);
        }
        place.folder = place.inner(folder)?;
        pipelines.remove(0);
        if let Some(first) = pipelines.first_mut() {
            first.after = RunCondition::Nothing;
        }
    }
    for pipeline in &mut pipelines {
        for words in &mut pipeline.commands {
            *words = checked(words, &place)?;
        }
    }
    Ok((pipelines, place.folder))
}

/// One program with the arguments it is run with, as its file and words.
fn checked(words: &[String], place: &PathCheck<'_>) -> Result<Vec<String>, LineRefusal> {
    let Some((program, rest)) = words.split_first() else { return Err(LineRefusal::Incomplete) };
    let arguments = match program.as_str() {
        "cd" => return Err(LineRefusal::Cd),
        "sed" => scripts::sed(rest, place)?,
        "awk" => scripts::awk(rest, place)?,
        "jq" => scripts::jq(rest, place)?,
        "find" => find::find(rest, place)?,
        "git" => git::git(rest, place)?,
        "node" | "python3" => find::version(program, rest)?,
        other => reading_programs::check(other, rest, place)?,
    };
    let file =
        run::resolve(program).map_or_else(|| program.clone(), |path| path.display().to_string());
    Ok(std::iter::once(file).chain(arguments).collect())
}

fn over_time(limit: u64, lang: Lang) -> String {
    in_lang!(
        lang,
        "ended: not over after {limit} ms; this is what came until then",
        "已终止:{limit} 毫秒后仍未结束;以下是此前的输出"
    )
}

fn not_started(error: &std::io::Error, lang: Lang) -> String {
    if let Some(refused) = refused_text(error, lang) {
        return refused;
    }
    in_lang!(
        lang,
        "A program of the line could not be started: {error}.",
        "命令行中的程序无法启动:{error}。"
    )
}

fn broken(lang: Lang) -> &'static str {
    Text::new("The line could not be judged; nothing was run.", "无法检查该命令行;未执行任何操作。")
        .in_lang(lang)
}

#[cfg(test)]
mod tests;
