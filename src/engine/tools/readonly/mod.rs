//! `readonly_shell`: looking around with any program, for members that have no shell. Nothing here judges a command: it
//! runs as it is in a sandbox of level `read-only` (`crate::sandbox`), whatever the level of the workspace is, and it is
//! refused where there is none.
//!
//! The sandbox knows no lists of a member, so a member whose lists restrict reading runs no command. Git gets an
//! environment by which no repository names a program for it (`git.rs`).

mod git;

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::timeout;

use super::outcome::ToolOutcome;
use super::shell::{
    CallWatch, Launch, RunningCommand, STOPPED_WITH_OUTPUT, Shells, Waited, exit_text,
    refused_text, streams_text,
};
use super::tool::{Tool, ToolCx};
use super::typed;
use crate::domain::dialogs::background::ProcessExit;
use crate::domain::reading::git_state::GitState;
use crate::domain::text::{Text, in_lang};
use crate::domain::{Lang, Secrets};
use crate::sandbox::{SandboxRefusal, SandboxRefusalKind};

pub(super) const NAME: &str = "readonly_shell";
pub(super) const TOOLSET: &str = "codex_inspect_and_patch_tools";

const SH: &str = "/bin/sh";
/// Where programs are looked up: only an administrator can write there.
const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/opt/homebrew/bin";
/// The only variables of the shell environment that a command gets.
const INHERITED_VARIABLES: [&str; 6] = ["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ"];
const TIMEOUT_MS: u64 = 10_000;
const MAX_TIMEOUT_MS: u64 = 600_000;
/// What git says of the workspace. Submodules are left out: git would look into them without our settings.
const STATUS: &str = "git status --porcelain=v1 --branch -z --untracked-files=normal --ignore-submodules=all \
                      | head -c 200000";
/// The most time for it.
const STATUS_LIMIT: Duration = Duration::from_secs(1);
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
    let mut working = match start(&cx, &command).await {
        Ok(working) => working,
        Err(refused) => return ToolOutcome::failed(refused),
    };
    let (how, ok) = match working.finish(Duration::from_millis(limit), &cx.watch).await {
        Waited::Over(Ok(exit)) => (exit_text(exit, cx.lang), exit == ProcessExit::Code(0)),
        Waited::Over(Err(error)) => return ToolOutcome::failed(not_started(&error, cx.lang)),
        Waited::Late => (over_time(limit, cx.lang), false),
        Waited::Stopped => (STOPPED_WITH_OUTPUT.in_lang(cx.lang).to_owned(), false),
    };
    let text = format!("{how}\n{}", streams_text(&working.out, &working.err, LINES, cx.lang));
    if ok { ToolOutcome::done(text) } else { ToolOutcome::failed(text) }
}

/// Starts a command, or says why not.
async fn start(cx: &ToolCx, command: &str) -> Result<RunningCommand, String> {
    if !cx.access.reads_all() {
        return Err(lists_do_not_hold(cx.lang).to_owned());
    }
    if cx.keys.referred_to(command).is_some() {
        return Err(no_secret(cx.lang).to_owned());
    }
    let Some(started) = look(&cx.shells, &cx.workspace, &cx.keys, command).await else {
        let reason = Text::new("there is none", "没有沙箱").into();
        return Err(SandboxRefusal(SandboxRefusalKind::Failed(reason)).for_model(cx.lang));
    };
    let mut working = started.map_err(|error| not_started(&error, cx.lang))?;
    working.watch(&cx.keys, &cx.watch);
    Ok(working)
}

/// Says what git knows of the workspace, for people. `None` where there is no repository at its top, or no sandbox to
/// ask git in, or no answer in time.
pub async fn git_state(shells: &Shells, workspace: &Path) -> Option<GitState> {
    timeout(STATUS_LIMIT, ask_git(shells, workspace)).await.ok().flatten()
}

async fn ask_git(shells: &Shells, workspace: &Path) -> Option<GitState> {
    let mut working = look(shells, workspace, &Secrets::default(), STATUS).await?.ok()?;
    match working.finish(STATUS_LIMIT, &CallWatch::default()).await {
        Waited::Over(Ok(ProcessExit::Code(0))) => {}
        Waited::Over(_) | Waited::Late | Waited::Stopped => return None,
    }
    let (output, _) = working.out.end();
    GitState::of_status(&String::from_utf8_lossy(&output))
}

/// Starts a command that only looks; `None` without a sandbox.
async fn look(
    shells: &Shells,
    workspace: &Path,
    keys: &Secrets,
    command: &str,
) -> Option<io::Result<RunningCommand>> {
    let command_sandbox = shells.read_only_sandbox()?;
    let sandbox = command_sandbox.sandbox.clone();
    let drivers = tokio::task::spawn_blocking(move || sandbox.drivers_of_git()).await;
    let mut environment = shells.environment(keys);
    environment
        .retain(|name, _| INHERITED_VARIABLES.contains(&name.as_str()) || name.starts_with("LC_"));
    environment.insert("PATH".to_owned(), SEARCH_PATH.to_owned());
    environment.extend(git::environment(workspace, &drivers.unwrap_or_default()));
    let launch = Launch {
        program: SH,
        arguments: &["-c", command],
        folder: workspace,
        environment: &environment,
        command_sandbox: Some(command_sandbox),
    };
    Some(launch.start(Stdio::null(), shells.enders()).await)
}

fn lists_do_not_hold(lang: Lang) -> &'static str {
    Text::new(
        "No command was run: it would not keep to your lists of what you may read. Use the tools that read, list and \
         search files.",
        "没有执行任何命令：命令不会遵守你的可读名单。请使用读取、列出和搜索文件的工具。",
    )
    .in_lang(lang)
}

fn no_secret(lang: Lang) -> &'static str {
    Text::new(
        "No command was run: a command that only reads gets no secret. Leave ${vault:…} out.",
        "没有执行任何命令：只读命令得不到机密。请去掉 ${vault:…}。",
    )
    .in_lang(lang)
}

fn over_time(limit: u64, lang: Lang) -> String {
    in_lang!(
        lang,
        "ended: not over after {limit} ms; this is what came until then",
        "已终止：{limit} 毫秒后仍未结束；以下是此前的输出"
    )
}

fn not_started(error: &std::io::Error, lang: Lang) -> String {
    if let Some(refused) = refused_text(error, lang) {
        return refused;
    }
    in_lang!(lang, "The command could not be started: {error}.", "命令无法启动：{error}。")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::domain::safety::references::{VaultEntry, VaultRights, VaultUse};
    use crate::domain::{AccessLists, Lang, SharedSecrets};
    use crate::tools::test_support::TestBench;

    #[tokio::test]
    async fn c12_without_a_sandbox_no_command_runs_and_the_member_is_told_what_to_do() {
        let mut bench = TestBench::new();
        bench.put("a.txt", "kept words\n");
        for (lang, text) in [(Lang::En, "No command was run"), (Lang::Zh, "没有执行任何命令")]
        {
            bench.cx.lang = lang;
            let outcome = bench.call("readonly_shell", &json!({ "command": "cat a.txt" })).await;
            assert!(!outcome.ok && outcome.text.contains(text), "{}", outcome.text);
            assert!(outcome.text.contains("doctor"), "{}", outcome.text);
            assert!(!outcome.text.contains("kept words"), "{}", outcome.text);
        }
    }

    #[tokio::test]
    async fn s15_5_a_command_with_a_reference_to_a_secret_is_not_run() {
        let rights = VaultRights { uses: vec![VaultUse::Shell], ..VaultRights::default() };
        let entry = VaultEntry { value: "ghp-canary-0123456789".to_owned(), rights, version: 1 };
        let secrets = SharedSecrets::default();
        secrets.set_entries([("qa".to_owned(), [("TOKEN".to_owned(), entry)].into())].into());
        let mut bench = TestBench::new();
        bench.cx.keys = secrets.seen_by("qa");
        for (lang, text) in [(Lang::En, "gets no secret"), (Lang::Zh, "得不到机密")] {
            bench.cx.lang = lang;
            let look = async |command: &str| {
                bench.call("readonly_shell", &json!({ "command": command })).await
            };
            let refused = look("curl -H ${vault:TOKEN} x").await;
            assert!(!refused.ok && refused.text.contains(text), "{}", refused.text);
            let other = look("echo ${HOME} ${vault:NONE}").await;
            assert!(!other.text.contains(text), "{}", other.text);
        }
    }

    #[tokio::test]
    async fn c12_without_a_sandbox_git_is_not_asked_what_is_not_committed() {
        let bench = TestBench::new();
        assert_eq!(super::git_state(&bench.cx.shells, &bench.cx.workspace).await, None);
    }

    #[tokio::test]
    async fn c12_a_member_whose_lists_restrict_reading_runs_no_command() {
        let one = |name: &str| vec![name.to_owned()];
        for lists in [
            AccessLists { no_read_dirs: one("sub"), ..AccessLists::default() },
            AccessLists { read_dirs: one("src"), ..AccessLists::default() },
            AccessLists { no_read_file_ext_names: one("pem"), ..AccessLists::default() },
            AccessLists { read_file_ext_names: one("rs"), ..AccessLists::default() },
        ] {
            let bench = TestBench::new().access(&lists);
            let outcome = bench.call("readonly_shell", &json!({ "command": "ls" })).await;
            assert!(!outcome.ok && outcome.text.contains("your lists"), "{}", outcome.text);
        }
        let writes = AccessLists { no_write_dirs: one("sub"), ..AccessLists::default() };
        let bench = TestBench::new().access(&writes);
        let outcome = bench.call("readonly_shell", &json!({ "command": "ls" })).await;
        assert!(!outcome.text.contains("your lists"), "{}", outcome.text);
    }
}
