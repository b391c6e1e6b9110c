//! The process of a server: a group of its own, so that its end takes everything it started with it.

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use super::environment::{Resolved, passed_on};
use super::instance::InstanceContext;
use crate::minds::mcp_config::Program;
use crate::sandbox::{CommandSpec, Placeholders};
use crate::tools::{Group, Identity};

/// How long a server may take to go after its input ended, and again after it was told to.
const LEAVING: Duration = Duration::from_millis(500);
/// A line of its error output is kept and logged up to here.
const LINE_BYTES: usize = 2_000;
/// Lines kept for a person who wants to know why it failed.
const LAST_LINES: usize = 8;

/// A running server. Dropping it kills the group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Option<Group>,
    /// What its sandbox needs.
    _standing: Option<Placeholders>,
}

/// What a server speaks through.
#[derive(Debug)]
pub(super) struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// The error is a sentence for a person.
pub(super) async fn start(
    program: &Program,
    around: &InstanceContext,
    own: &Resolved,
) -> Result<(Process, Pipes), String> {
    let cwd = around.workspace.join(&program.cwd);
    if !cwd.is_dir() {
        return Err(format!("its folder `{}` does not exist", program.cwd));
    }
    // A path is meant from the folder the program runs in.
    let is_path = program.command.contains('/');
    let command = if is_path { cwd.join(&program.command) } else { program.command.clone().into() };
    let passed = passed_on(around.env).map(|(name, value)| (name.to_owned(), value));
    let environment: Vec<(String, String)> = passed.chain(own.pairs.iter().cloned()).collect();
    let Some((sandbox, level)) = around.wall.clone() else {
        let mut child = Command::new(command);
        child.args(&program.args).current_dir(cwd).env_clear().envs(environment);
        return begin(child, 0, None)
            .map_err(|error| format!("`{}` could not be started: {error}", program.command));
    };
    let arguments = program.args.clone();
    let runtime = tokio::runtime::Handle::current();
    let wall = sandbox.clone();
    let work = move || {
        let _inside = runtime.enter();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let program = command.to_string_lossy();
        let (program, arguments) = (program.as_ref(), arguments.as_slice());
        let order = CommandSpec { program, arguments, folder: &cwd, stay: false };
        let wrapped = wall.wrap(level, order).map_err(|refusal| refusal.for_user())?;
        let mut child = Command::new(&wrapped.program);
        child.args(&wrapped.arguments).current_dir("/").env_clear();
        child.envs(environment).envs(wrapped.environment);
        begin(child, wrapped.layers, Some(wrapped.placeholders)).map_err(|error| error.to_string())
    };
    let started = sandbox.run_on_launcher(work).await;
    let started = started.unwrap_or_else(|| Err("the sandbox is gone".to_owned()));
    started.map_err(|error| format!("`{}` could not be started: {error}", program.command))
}

fn begin(
    mut command: Command,
    layers: usize,
    standing: Option<Placeholders>,
) -> std::io::Result<(Process, Pipes)> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let group = child.id().map(|id| Group::behind(Identity::of(id), layers));
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let process = Process { child, group, _standing: standing };
    match pipes {
        (Some(stdin), Some(stdout), Some(stderr)) => Ok((process, Pipes { stdin, stdout, stderr })),
        _ => Err(std::io::Error::other("its pipes could not be opened")),
    }
}

impl Process {
    /// Waits for a server whose input has ended; one that stays is told to go, then killed.
    pub async fn end(mut self) {
        if timeout(LEAVING, self.child.wait()).await.is_err() {
            self.group.iter().for_each(Group::terminate);
            let _ = timeout(LEAVING, self.child.wait()).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Also when the server itself has ended: what it started may be alive.
        self.group.iter().for_each(Group::kill);
    }
}

/// The last lines a server wrote to its error output.
#[derive(Debug, Clone, Default)]
pub(super) struct LastWords(Arc<Mutex<VecDeque<String>>>);

impl LastWords {
    fn add(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= LAST_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// One line, if there is anything.
    pub fn text(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: Vec<&str> =
            lines.iter().map(|line| line.trim()).filter(|l| !l.is_empty()).collect();
        (!all.is_empty()).then(|| all.join(" / "))
    }
}

/// Reads the error output to its end, so that a server never waits for us.
pub(super) async fn listen(
    server: &str,
    mut stderr: ChildStderr,
    own: &Resolved,
    last: &LastWords,
) {
    let mut stream = own.secrets.stream();
    let (mut block, mut text) = (vec![0; LINE_BYTES], Vec::new());
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

/// The length of the first line, if it is whole or long enough.
fn line_of(text: &[u8], is_over: bool) -> Option<usize> {
    let end = text.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
    let rest = (text.len() >= LINE_BYTES || is_over && !text.is_empty()).then_some(text.len());
    Some(end.or(rest)?.min(LINE_BYTES))
}
