//! `shell_cmd`: runs a command of a shell in the workspace. One that takes long goes on in the
//! background, and a reminder follows it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::identity::Identity;
use super::launch::{CommandSandbox, Launch, RunningCommand, Waited};
use super::record::{self, ProcessRecord};
use super::register::RegistryGuard;
use super::{process_reminder, secrets, texts};
use crate::domain::Lang;
use crate::domain::dialogs::background::ProcessExit;
use crate::domain::text::{Text, in_lang};
use crate::sandbox::NewPaths;
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const SCROLLBACK_LINES: usize = 500;
const MAX_SCROLLBACK_LINES: usize = 10_000;
const TIMEOUT_SECONDS: u64 = 5;
const MAX_TIMEOUT_SECONDS: u64 = 3600;
/// The default shells; the first that exists is used.
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/bin/sh"];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ShellArgs {
    command: String,
    shell: Option<String>,
    scrollback_lines: Option<u64>,
    timeout_seconds: Option<u64>,
}

/// The tool.
pub(super) fn tool() -> Arc<dyn Tool> {
    typed::asynchronous(
        "shell_cmd",
        |lang| Text::of_document(include_str!("shell_cmd.md")).in_lang(lang),
        run,
    )
}

async fn run(cx: ToolCx, args: ShellArgs) -> ToolOutcome {
    match ShellRequest::read(args, cx.lang) {
        Ok(request) => {
            if let Some(text) = secrets::refused(&cx, &request.command) {
                return ToolOutcome::failed(text);
            }
            with_made(request.run(&cx).await, &cx).await
        }
        Err(text) => ToolOutcome::failed(text),
    }
}

/// Adds the Taskdocs and repositories that a command made, which no sandbox can prevent.
async fn with_made(outcome: ToolOutcome, cx: &ToolCx) -> ToolOutcome {
    if cx.watch.is_stopped() {
        // They are told after the next command.
        return outcome;
    }
    let Some(CommandSandbox { sandbox, .. }) = cx.shells.command_sandbox() else { return outcome };
    let made = tokio::task::spawn_blocking(move || sandbox.new_paths()).await.unwrap_or_default();
    if made == NewPaths::default() {
        return outcome;
    }
    tracing::warn!(?made, "a command made Taskdocs or repositories");
    let text = format!("{}\n{}", outcome.text, texts::made(&made, cx.lang));
    ToolOutcome { text, ..outcome }
}

/// What is to be run, and how.
#[derive(Debug, PartialEq, Eq)]
struct ShellRequest {
    command: String,
    shell: String,
    scrollback: usize,
    timeout_seconds: u64,
}

/// The folder of a command's record; it goes with the command unless that stays in the background.
struct RecordDir(Option<PathBuf>, RegistryGuard);

impl Drop for RecordDir {
    fn drop(&mut self) {
        if let Some(folder) = self.0.take() {
            drop(fs::remove_dir_all(folder));
        }
    }
}

impl ShellRequest {
    fn read(args: ShellArgs, lang: Lang) -> Result<Self, &'static str> {
        let ShellArgs { command, shell, scrollback_lines, timeout_seconds } = args;
        if command.trim().is_empty() {
            return Err(Text::new("`command` is blank.", "`command` 为空。").in_lang(lang));
        }
        let named = shell.as_deref().map(str::trim).filter(|shell| !shell.is_empty());
        let usual = || SHELLS.into_iter().find(|path| Path::new(path).exists());
        let shell = named.or_else(usual).unwrap_or("sh");
        if command.contains('\0') || shell.contains('\0') {
            return Err(Text::new(
                "`command` and `shell` cannot hold a NUL character.",
                "`command` 与 `shell` 不能包含 NUL 字符。",
            )
            .in_lang(lang));
        }
        let number = |given: Option<u64>, usual: u64, most: u64| {
            given.filter(|n| *n > 0).unwrap_or(usual).min(most)
        };
        let lines = number(scrollback_lines, SCROLLBACK_LINES as u64, MAX_SCROLLBACK_LINES as u64);
        Ok(Self {
            shell: shell.to_owned(),
            command,
            scrollback: usize::try_from(lines).unwrap_or(SCROLLBACK_LINES),
            timeout_seconds: number(timeout_seconds, TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS),
        })
    }

    async fn run(self, cx: &ToolCx) -> ToolOutcome {
        let (mut noted, record, mut working) = match self.begin(cx).await {
            Ok(begun) => begun,
            Err(error) => return ToolOutcome::failed(self.not_started(&error, cx.lang)),
        };
        let limit = Duration::from_secs(self.timeout_seconds);
        let ended = match working.finish(limit, &cx.watch).await {
            Waited::Over(Ok(exit)) if !working.group.is_there() => {
                let how = texts::exit(exit, cx.lang);
                return self.over(&working, &how, exit == ProcessExit::Code(0), cx.lang);
            }
            Waited::Over(Ok(exit)) => Some(exit),
            Waited::Over(Err(error)) => {
                return ToolOutcome::failed(self.not_started(&error, cx.lang));
            }
            Waited::Late => None,
            Waited::Stopped => {
                let how = texts::STOPPED_WITH_OUTPUT.in_lang(cx.lang);
                return self.over(&working, how, false, cx.lang);
            }
        };
        let so_far = texts::streams(&working.out, &working.err, self.scrollback, cx.lang);
        let Some(folder) = noted.0.take() else { return ToolOutcome::failed(so_far) };
        let (pid, group) = (record.identity.pid, working.group.clone());
        let adopted =
            working.let_go().and_then(|parts| cx.shells.adopt(record, &folder, parts, &cx.keys));
        if let Err(error) = adopted {
            // The process could not be registered, so it must not go on.
            group.end().await;
            noted.0 = Some(folder);
            return ToolOutcome::failed(self.not_kept(&error, &so_far, cx.lang));
        }
        noted.1.stays();
        let text = texts::in_background(pid, ended, self.timeout_seconds, cx.lang);
        let begun = cx.shells.look(pid).map(|seen| process_reminder::begin(&seen, cx));
        let changes = begun.into_iter().collect();
        ToolOutcome { changes, ..ToolOutcome::done(format!("{text}\n{so_far}")) }
    }

    /// Begins the command once its record is on disk.
    async fn begin(&self, cx: &ToolCx) -> io::Result<(RecordDir, ProcessRecord, RunningCommand)> {
        let mut environment = cx.shells.environment(&cx.keys);
        let used = secrets::add(cx, &mut environment);
        if !used.is_empty()
            && let Err(reason) = cx.teams.store.note_used_secrets(used).await
        {
            // What is missing is when they were used. The fault of the store is a problem, as for every request to it.
            tracing::warn!(%reason, "uses of secrets are not noted");
        }
        let launch = Launch {
            program: &self.shell,
            arguments: &["-c", &self.command],
            folder: &cx.workspace,
            environment: &environment,
            command_sandbox: cx.shells.command_sandbox(),
        };
        let held = launch.hold(cx.shells.enders()).await?;
        let record = self.record(cx, held.identity());
        let folder = record::begin(&cx.workspace, &record)?;
        let noted = RecordDir(Some(folder), cx.shells.register().enter(&record.identity));
        let mut working = held.begin().await?;
        working.watch(&cx.keys, &cx.watch);
        Ok((noted, record, working))
    }

    fn record(&self, cx: &ToolCx, identity: &Identity) -> ProcessRecord {
        ProcessRecord {
            identity: identity.clone(),
            agent: cx.caller.clone(),
            command: cx.keys.redacted(self.command.clone()),
            shell: self.shell.clone(),
            started_at: cx.clock.now(),
            exit: None,
            scrollback: self.scrollback,
        }
    }

    /// A command that is over or is ended now, with nothing left of it.
    fn over(&self, working: &RunningCommand, how: &str, ok: bool, lang: Lang) -> ToolOutcome {
        let streams = texts::streams(&working.out, &working.err, self.scrollback, lang);
        let text = format!("{how}\n{streams}");
        if ok { ToolOutcome::done(text) } else { ToolOutcome::failed(text) }
    }

    fn not_kept(&self, error: &std::io::Error, so_far: &str, lang: Lang) -> String {
        let seconds = self.timeout_seconds;
        in_lang!(
            lang,
            "Not over after {seconds} s, and its output cannot be kept below \
                 .dialogs/.tui/processes: {error}. It was ended. Give it more `timeoutSeconds`, or \
                 fix that folder.\n{so_far}",
            "{seconds} 秒后仍未结束,而其输出无法保存到 .dialogs/.tui/processes:{error}。命令已被终止。\
                 请加大 `timeoutSeconds`,或修复该目录。\n{so_far}"
        )
    }

    fn not_started(&self, error: &std::io::Error, lang: Lang) -> String {
        if let Some(refused) = texts::refused(error, lang) {
            return refused;
        }
        let shell: String = self.shell.chars().take(200).collect();
        in_lang!(
            lang,
            "The command could not be run with {shell}: {error}.",
            "无法用 {shell} 执行命令:{error}。"
        )
    }
}
