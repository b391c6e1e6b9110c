//! The process of a server: a group of its own, so that its end takes everything it started with it.

use std::collections::VecDeque;
use std::io::Error;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::environment::{ResolvedVariables, passed_on};
use super::instance::InstanceContext;
use crate::domain::text::{Localized, Text, localized};
use crate::minds::mcp_config::StdioServer;
use crate::sandbox::{self, CommandSpec, Placeholders};
use crate::tools::{Identity, ProcessGroup};

/// Timeout for a server to exit after its input was closed, and again after `SIGTERM`.
const EXIT_TIMEOUT: Duration = Duration::from_millis(500);
/// A longer line of its error output is split.
const MAX_LINE_BYTES: usize = 2_000;
/// Lines of error output that are kept for the report of a failure.
const MAX_KEPT_LINES: usize = 8;
/// The folders in which programs are looked up without a `PATH`.
const DEFAULT_PATH: &str = "/bin:/usr/bin";
/// `ENOENT`
const NO_SUCH_FILE: i32 = 2;

/// A running server. Dropping it kills the group.
#[derive(Debug)]
pub(super) struct ServerProcess {
    child: Child,
    group: Option<ProcessGroup>,
    /// Needed by its sandbox until it has ended.
    _placeholders: Option<Placeholders>,
}

#[derive(Debug)]
pub(super) struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// The error is a message for the user.
pub(super) async fn start(
    program: &StdioServer,
    context: &InstanceContext,
    variables: &ResolvedVariables,
) -> Result<(ServerProcess, Pipes), Localized> {
    let cwd = context.workspace.join(&program.cwd);
    if !cwd.is_dir() {
        let folder = &program.cwd;
        return Err(localized!(
            "its folder `{folder}` does not exist",
            "它的文件夹 `{folder}` 不存在"
        ));
    }
    // A path is relative to the working folder of the program.
    let is_path = program.command.contains('/');
    let command = if is_path { cwd.join(&program.command) } else { program.command.clone().into() };
    let passed = passed_on(context.env).map(|(name, value)| (name.to_owned(), value));
    let environment: Vec<(String, String)> =
        passed.chain(variables.pairs.iter().cloned()).collect();
    let Some((sandbox, level)) = context.sandbox.clone() else {
        if !can_be_found(&command, &cwd, &environment) {
            let missing = Error::from_raw_os_error(NO_SUCH_FILE);
            return Err(not_started(program, &foreign(&missing)));
        }
        let supervised = sandbox::supervised(&context.program, command.as_os_str(), &program.args);
        let supervised = supervised.as_deref().and_then(<[_]>::split_first);
        let (mut child, layers) = if let Some((own, line)) = supervised {
            let mut child = Command::new(own);
            child.args(line);
            (child, 1)
        } else {
            let mut child = Command::new(command);
            child.args(&program.args);
            (child, 0)
        };
        child.current_dir(cwd).env_clear().envs(environment);
        return spawn(child, layers, None).map_err(|error| not_started(program, &foreign(&error)));
    };
    let arguments = program.args.clone();
    let runtime = tokio::runtime::Handle::current();
    let inner = sandbox.clone();
    let job = move || {
        let _inside = runtime.enter();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let program = command.to_string_lossy();
        let (program, arguments) = (program.as_ref(), arguments.as_slice());
        let spec = CommandSpec { program, arguments, folder: &cwd, stay: false, apart: false };
        let sandboxed = inner.wrap(level, spec).map_err(|refusal| refusal.for_user())?;
        let mut child = Command::new(&sandboxed.program);
        child.args(&sandboxed.arguments).current_dir("/").env_clear();
        child.envs(environment).envs(sandboxed.environment);
        spawn(child, sandboxed.layers, Some(sandboxed.placeholders))
            .map_err(|error| foreign(&error))
    };
    let started = sandbox.run_on_launcher(job).await;
    let ended = || Err(Text::new("the sandbox has ended", "沙箱已结束").into());
    started.unwrap_or_else(ended).map_err(|reason| not_started(program, &reason))
}

/// A program is named by a path, or looked for in the folders of its `PATH`.
fn can_be_found(command: &Path, cwd: &Path, environment: &[(String, String)]) -> bool {
    if command.components().count() > 1 {
        return command.exists();
    }
    let path = environment.iter().rfind(|(name, _)| name == "PATH").map(|(_, value)| value);
    let mut folders = std::env::split_paths(path.map_or(DEFAULT_PATH, String::as_str));
    folders.any(|folder| cwd.join(folder).join(command).exists())
}

fn foreign(error: &Error) -> Localized {
    Localized::same(error.to_string())
}

fn not_started(program: &StdioServer, reason: &Localized) -> Localized {
    let command = &program.command;
    localized!(
        [reason] "`{command}` could not be started: {reason}",
        "`{command}` 无法启动：{reason}"
    )
}

fn spawn(
    mut command: Command,
    layers: usize,
    placeholders: Option<Placeholders>,
) -> std::io::Result<(ServerProcess, Pipes)> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let group = child.id().map(|id| ProcessGroup::behind(Identity::of(id), layers));
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let process = ServerProcess { child, group, _placeholders: placeholders };
    match pipes {
        (Some(stdin), Some(stdout), Some(stderr)) => Ok((process, Pipes { stdin, stdout, stderr })),
        _ => Err(Error::other("its pipes could not be opened")),
    }
}

impl ServerProcess {
    /// Waits for a server whose input was closed; terminates, then kills one that does not exit.
    pub async fn end(mut self) {
        if timeout(EXIT_TIMEOUT, self.child.wait()).await.is_err() {
            self.group.iter().for_each(ProcessGroup::terminate);
            let _ = timeout(EXIT_TIMEOUT, self.child.wait()).await;
        }
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // Even if the server itself has ended, its children may be alive.
        self.group.iter().for_each(ProcessGroup::kill);
    }
}

/// The last lines of the error output of a server.
#[derive(Debug, Clone, Default)]
pub(super) struct StderrTail(Arc<Mutex<VecDeque<String>>>);

impl StderrTail {
    fn add(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= MAX_KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// The lines joined into one, if there are any.
    pub fn text(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<&str> =
            lines.iter().map(|line| line.trim()).filter(|l| !l.is_empty()).collect();
        (!all.is_empty()).then(|| all.join(" / "))
    }
}

/// Reads the error output to its end, so that a server never blocks on it.
pub(super) async fn read_stderr(
    server: &str,
    mut stderr: ChildStderr,
    variables: &ResolvedVariables,
    last: &StderrTail,
) {
    let mut stream = variables.secrets.stream();
    let (mut block, mut text) = (vec![0; MAX_LINE_BYTES], Vec::new());
    loop {
        let read = stderr.read(&mut block).await.unwrap_or_default();
        let is_over = read == 0;
        if is_over {
            stream.finish(&mut text);
        } else {
            stream.push(block.get(..read).unwrap_or_default(), &mut text);
        }
        while let Some(length) = line_of(&text, is_over) {
            let line: Vec<u8> = text.drain(..length).collect();
            let line = String::from_utf8_lossy(&line).trim_end().to_owned();
            tracing::debug!(server, text = line, "mcp server");
            last.add(line);
        }
        if is_over {
            return;
        }
    }
}

/// The length of the first line, if it is complete or must be split.
fn line_of(text: &[u8], is_over: bool) -> Option<usize> {
    let end = text.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
    let partial =
        (text.len() >= MAX_LINE_BYTES || is_over && !text.is_empty()).then_some(text.len());
    Some(end.or(partial)?.min(MAX_LINE_BYTES))
}
