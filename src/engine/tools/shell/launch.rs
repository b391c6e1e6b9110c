//! Starts a command and reads its output until it ends or its caller stops waiting. An abandoned
//! command is ended, with everything it started.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::call_watch::CallWatch;
use super::group::ProcessGroup;
use super::identity::Identity;
use super::paused_start::{GO, HOLD, SH, mark};
use super::window::StreamWindow;
use crate::domain::Secrets;
use crate::domain::dialogs::background::ProcessExit;
use crate::domain::safety::sandbox::Level;
use crate::sandbox::{CommandSpec, Placeholders, Sandbox};

const BLOCK_BYTES: usize = 64 * 1024;
/// Starts a program in a session of its own, so that it cannot reach the terminal.
const SETSID: [&str; 2] = ["/usr/bin/setsid", "/bin/setsid"];

/// What is started.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub program: &'a str,
    pub arguments: &'a [&'a str],
    pub folder: &'a Path,
    pub environment: &'a BTreeMap<String, String>,
    pub command_sandbox: Option<CommandSandbox>,
}

/// The sandbox of a command.
#[derive(Debug, Clone)]
pub(crate) struct CommandSandbox {
    pub sandbox: Sandbox,
    pub level: Level,
    /// True if processes that the command leaves running may go on.
    pub stay: bool,
    /// True if other commands share nothing with it.
    pub apart: bool,
}

/// A command at work. Dropped, it is ended.
#[derive(Debug)]
pub(crate) struct RunningCommand {
    pub identity: Identity,
    pub group: ProcessGroup,
    child: Child,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    pub out: StreamWindow,
    pub err: StreamWindow,
    guard: EndOnDrop,
}

/// How waiting for a command ended.
#[derive(Debug)]
pub(crate) enum Waited {
    /// It has ended, and its output is closed.
    Over(io::Result<ProcessExit>),
    /// It goes on after the time it was given.
    Late,
    /// Its call is stopped.
    Stopped,
}

/// A command that waits to be let begin. Dropped, it never does.
#[derive(Debug)]
pub(crate) struct PausedCommand {
    pub(super) working: RunningCommand,
    pub(super) word: ChildStdin,
}

/// What a command that goes on in the background consists of.
#[derive(Debug)]
pub(crate) struct DetachedParts {
    pub child: Child,
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
    pub out: StreamWindow,
    pub err: StreamWindow,
    pub group: ProcessGroup,
    /// The placeholders that its sandbox needs.
    pub standing: Option<Placeholders>,
}

/// Groups that are being ended, until no process of them exists.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupReaper(Arc<Mutex<JoinSet<()>>>);

/// Ends a group when it is dropped, unless it was let go.
#[derive(Debug)]
struct EndOnDrop {
    group: Option<ProcessGroup>,
    standing: Option<Placeholders>,
    enders: GroupReaper,
}

impl GroupReaper {
    fn end(&self, group: ProcessGroup, standing: Option<Placeholders>) {
        group.terminate();
        if tokio::runtime::Handle::try_current().is_err() {
            return group.kill();
        }
        let last_resort = KillOnDrop(group.clone());
        let mut enders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while enders.try_join_next().is_some() {}
        enders.spawn(async move {
            group.end().await;
            drop(last_resort);
            drop(standing);
        });
    }

    /// Waits until all are gone.
    pub async fn settle(&self) {
        let mut enders =
            std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        while enders.join_next().await.is_some() {}
    }
}

#[derive(Debug)]
struct KillOnDrop(ProcessGroup);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        if self.0.is_there() {
            self.0.kill();
        }
    }
}

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        if let Some(group) = self.group.take() {
            self.enders.end(group, self.standing.take());
        }
    }
}

impl Launch<'_> {
    /// Starts it with this input; `enders` ends it if it is dropped later.
    pub async fn start(&self, stdin: Stdio, enders: &GroupReaper) -> io::Result<RunningCommand> {
        self.spawn(self.program, self.arguments, stdin, enders).await
    }

    /// Creates its process, which has an identity but does nothing until it is let go. Its input
    /// is closed.
    pub async fn hold(&self, enders: &GroupReaper) -> io::Result<PausedCommand> {
        let mut words = vec!["-c", HOLD, "sh", self.program];
        words.extend(self.arguments);
        let mut working = self.spawn(SH, &words, Stdio::piped(), enders).await?;
        let word = working.child.stdin.take();
        let word = word.ok_or_else(|| io::Error::other("there is no way to let it begin"))?;
        Ok(PausedCommand { working, word })
    }

    /// Starts the command. In a sandbox it dies with the thread that started it, so a thread that lives as long as
    /// the program starts it.
    async fn spawn(
        &self,
        program: &str,
        arguments: &[&str],
        stdin: Stdio,
        enders: &GroupReaper,
    ) -> io::Result<RunningCommand> {
        let Some(command_sandbox) = self.command_sandbox.clone() else {
            let mut command = leader(program);
            command.args(arguments).current_dir(self.folder).env_clear().envs(self.environment);
            return begin(command, stdin, (0, None), enders.clone());
        };
        let (program, folder) = (program.to_owned(), self.folder.to_owned());
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        let (environment, enders) = (self.environment.clone(), enders.clone());
        let runtime = tokio::runtime::Handle::current();
        let sandbox = command_sandbox.sandbox.clone();
        let work = move || {
            let _inside = runtime.enter();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let (arguments, folder) = (arguments.as_slice(), folder.as_path());
            let CommandSandbox { stay, apart, .. } = command_sandbox;
            let order = CommandSpec { program: &program, arguments, folder, stay, apart };
            let wrapped = command_sandbox
                .sandbox
                .wrap(command_sandbox.level, order)
                .map_err(io::Error::other)?;
            let mut command = leader(&wrapped.program);
            command.args(&wrapped.arguments).current_dir("/").env_clear();
            command.envs(environment).envs(wrapped.environment);
            begin(command, stdin, (wrapped.layers, Some(wrapped.placeholders)), enders)
        };
        let started = sandbox.run_on_launcher(work).await;
        started.unwrap_or_else(|| Err(io::Error::other("the sandbox is gone")))
    }
}

fn begin(
    mut command: Command,
    stdin: Stdio,
    (layers, standing): (usize, Option<Placeholders>),
    enders: GroupReaper,
) -> io::Result<RunningCommand> {
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let pid = child.id().ok_or_else(|| io::Error::other("it ended while it was started"))?;
    let identity = Identity::of(pid);
    let group = ProcessGroup::behind(identity.clone(), layers);
    Ok(RunningCommand {
        guard: EndOnDrop { group: Some(group.clone()), standing, enders },
        group,
        identity,
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
        child,
        out: StreamWindow::default(),
        err: StreamWindow::default(),
    })
}

/// A program that leads a group of its own, and where possible a session.
fn leader(program: impl AsRef<OsStr>) -> Command {
    if let Some(setsid) = SETSID.into_iter().find(|path| Path::new(path).exists()) {
        let mut command = Command::new(setsid);
        command.arg(program);
        return command;
    }
    let mut command = Command::new(program);
    command.process_group(0);
    command
}

impl PausedCommand {
    pub fn identity(&self) -> &Identity {
        &self.working.identity
    }

    pub async fn begin(mut self) -> io::Result<RunningCommand> {
        if !self.working.group.is_sandboxed() {
            mark(self.working.identity.pid);
        }
        self.word.write_all(GO).await?;
        Ok(self.working)
    }
}

impl RunningCommand {
    /// Redacts these secrets in what it prints, and shows its last lines to whoever looks on.
    pub fn watch(&mut self, secrets: &Arc<Secrets>, watch: &CallWatch) {
        self.out = StreamWindow::of(secrets).shown_in(watch.tail());
        self.err = StreamWindow::of(secrets).shown_in(watch.tail());
        watch.tail().begin();
    }

    /// Waits until the command has ended and its output is closed, at most for `limit`, or until its call is stopped.
    pub async fn finish(&mut self, limit: Duration, watch: &CallWatch) -> Waited {
        let (child, stdout, stderr) = (&mut self.child, &mut self.stdout, &mut self.stderr);
        let (out, err) = (&mut self.out, &mut self.err);
        let whole = async { tokio::join!(child.wait(), read(stdout, out), read(stderr, err)).0 };
        let ended = tokio::select! {
            biased;
            () = watch.stopped() => return Waited::Stopped,
            ended = timeout(limit, whole) => ended,
        };
        let Ok(ended) = ended else { return Waited::Late };
        // Processes it left in its group, it left on purpose.
        self.guard.group = None;
        Waited::Over(ended.map(exit))
    }

    /// Detaches it, so that it goes on without a reader here.
    pub fn let_go(mut self) -> io::Result<DetachedParts> {
        let stdout = self.stdout.take().map(ChildStdout::into_owned_fd).transpose()?;
        let stderr = self.stderr.take().map(ChildStderr::into_owned_fd).transpose()?;
        self.guard.group = None;
        let standing = self.guard.standing.take();
        let (child, group) = (self.child, self.group);
        let (out, err) = (self.out.unwatched(), self.err.unwatched());
        Ok(DetachedParts { child, stdout, stderr, out, err, group, standing })
    }
}

pub(super) fn exit(status: ExitStatus) -> ProcessExit {
    let signal = status.signal().map(ProcessExit::Signal);
    status.code().map(ProcessExit::Code).or(signal).unwrap_or(ProcessExit::Unknown)
}

/// Reads a stream to its end. Given up between two reads, it loses nothing.
async fn read(stream: &mut Option<impl AsyncRead + Unpin>, window: &mut StreamWindow) {
    let Some(pipe) = stream else { return };
    let mut block = vec![0; BLOCK_BYTES];
    // A read error counts as the end of the stream.
    while let Ok(read @ 1..) = pipe.read(&mut block).await {
        window.push(block.get(..read).unwrap_or_default());
    }
    window.close();
    *stream = None;
}
