//! Every command this program has started and that may still be at work, and those an earlier run of it
//! has left behind.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::environment::Environment;
use super::group::ProcessGroup;
use super::launch::{CommandSandbox, DetachedParts, GroupReaper, exit};
use super::output_log::{self, OutputLogMode, OutputStream, Source, StreamTail};
use super::record::{self, ProcessRecord};
use super::register::ProcessRegistry;
use crate::domain::dialogs::background::{Background, BackgroundState, ProcessExit};
use crate::domain::safety::sandbox::Level;
use crate::domain::{Problem, Secrets};
use crate::sandbox::Sandbox;

/// Folders of processes that have ended are kept up to this number, the newest.
const MAX_ENDED: usize = 16;
/// The interval of checks of a process that is not a child of this one.
const LOOK: Duration = Duration::from_secs(2);

/// A process in the background.
#[derive(Debug, Clone)]
struct Daemon {
    record: ProcessRecord,
    /// The folder of its record and its output; `None` if that is gone.
    folder: Option<PathBuf>,
    state: BackgroundState,
    /// Started by this run of the program.
    ours: bool,
    /// Its processes.
    group: ProcessGroup,
}

/// All processes in the background. Clones share them.
#[derive(Debug, Clone)]
pub struct Shells(Arc<ShellsState>);

#[derive(Debug)]
struct ShellsState {
    environment: Environment,
    /// The processes that earlier runs have really started.
    register: ProcessRegistry,
    keeping: OutputLogMode,
    sandbox: Option<Sandbox>,
    /// Variables that members set with `env_set`; `None` is unset.
    set: Mutex<BTreeMap<String, Option<String>>>,
    daemons: Mutex<BTreeMap<u32, Daemon>>,
    watchers: Mutex<JoinSet<()>>,
    enders: GroupReaper,
    changed: watch::Sender<()>,
}

/// The processes that are ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessScope {
    /// Processes of this run of the program.
    Ours,
    All,
}

/// A process as it is now, with the end of its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessView {
    pub record: ProcessRecord,
    pub state: BackgroundState,
    pub out: Output,
    pub err: Output,
}

/// The end of one stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    pub text: String,
    /// Lines that came before it and are not shown.
    pub before: u64,
}

/// What commands are run with.
#[derive(Debug, Default)]
pub struct ShellSetup {
    pub environment: Environment,
    /// The processes that earlier runs have started.
    pub register: ProcessRegistry,
    /// Who keeps the output of processes.
    pub keeping: OutputLogMode,
    pub sandbox: Option<Sandbox>,
}

impl Default for Shells {
    fn default() -> Self {
        Self::new(Environment::default())
    }
}

impl Shells {
    /// Knows the processes of this run alone.
    #[must_use]
    pub fn new(environment: Environment) -> Self {
        Self::with(ShellSetup { environment, ..ShellSetup::default() })
    }

    /// Knows the processes of this run, and those of earlier ones that the register knows.
    #[must_use]
    pub fn known_in(environment: Environment, register: ProcessRegistry) -> Self {
        Self::with(ShellSetup { environment, register, ..ShellSetup::default() })
    }

    /// Knows the processes of this run, whose commands run in this sandbox.
    #[must_use]
    pub fn behind(environment: Environment, sandbox: Sandbox) -> Self {
        let sandbox = Some(sandbox);
        Self::with(ShellSetup { environment, sandbox, ..ShellSetup::default() })
    }

    /// Uses this setup.
    #[must_use]
    pub fn with(setup: ShellSetup) -> Self {
        let ShellSetup { environment, register, keeping, sandbox } = setup;
        Self(Arc::new(ShellsState {
            environment,
            register,
            keeping,
            sandbox,
            set: Mutex::default(),
            daemons: Mutex::default(),
            watchers: Mutex::default(),
            enders: GroupReaper::default(),
            changed: watch::Sender::new(()),
        }))
    }

    /// Adopts the processes that an earlier run has left. Must be called inside the runtime;
    /// touches the disk.
    pub fn find_again(&self, workspace: &Path) {
        let mut ended = Vec::new();
        self.0.register.tidy();
        for folder in record::all(workspace) {
            let Some(record) = record::read(&folder) else { continue };
            let pid = record.identity.pid;
            let there = record.exit.is_none() && self.is_ours(&record);
            let state = match record.exit {
                Some(exit) => BackgroundState::Ended(exit),
                None if there => BackgroundState::Running,
                None => BackgroundState::Lost,
            };
            if !there {
                ended.push((record.started_at.clone(), folder.clone()));
            }
            let known =
                self.daemons().get(&pid).is_some_and(|one| one.state == BackgroundState::Running);
            if !known || there {
                let group = ProcessGroup::new(record.identity.clone());
                let daemon = Daemon { record, folder: Some(folder), state, ours: false, group };
                self.daemons().insert(pid, daemon);
            }
            if there {
                self.watch_stranger(pid);
            }
        }
        ended.sort_unstable();
        for (_, folder) in ended.iter().rev().skip(MAX_ENDED) {
            // A folder that cannot be removed only takes some room.
            drop(fs::remove_dir_all(folder));
        }
        self.0.changed.send_replace(());
    }

    /// Returns a receiver that is notified when a process begins, ends or is forgotten.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Returns all known processes, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<Background> {
        let mut all: Vec<Background> = self
            .daemons()
            .values()
            .map(|Daemon { record, state, .. }| Background {
                pid: record.identity.pid,
                agent: record.agent.clone(),
                command: record.command.clone(),
                shell: record.shell.clone(),
                started_at: record.started_at.clone(),
                state: *state,
            })
            .collect();
        all.sort_unstable_by(|a, b| (&a.started_at, a.pid).cmp(&(&b.started_at, b.pid)));
        all
    }

    /// Returns one process as it is now. Touches the disk.
    #[must_use]
    pub fn look(&self, pid: u32) -> Option<ProcessView> {
        let Daemon { record, folder, state, .. } = self.daemons().get(&pid)?.clone();
        let output = |stream| {
            let kept = folder.as_deref().map(|folder| output_log::read(folder, stream));
            let StreamTail { text, before } = kept.unwrap_or_default();
            let lines = text.lines().count();
            let skipped = lines.saturating_sub(record.scrollback);
            let from: usize = text.split_inclusive('\n').take(skipped).map(str::len).sum();
            let text = text.get(from..).unwrap_or_default().to_owned();
            Output { text, before: before + skipped as u64 }
        };
        Some(ProcessView {
            state,
            out: output(OutputStream::Out),
            err: output(OutputStream::Err),
            record,
        })
    }

    /// Returns the process of a record as it is now. One that is not known, because its own record is
    /// gone, is adopted again if it runs.
    #[must_use]
    pub fn recall(&self, record: &ProcessRecord) -> ProcessView {
        let pid = record.identity.pid;
        if let Some(seen) = self.look(pid).filter(|seen| seen.record.identity == record.identity) {
            return seen;
        }
        let (out, err) = Default::default();
        let state = match record.exit {
            Some(exit) => BackgroundState::Ended(exit),
            None if self.is_ours(record) => {
                let record = record.clone();
                let state = BackgroundState::Running;
                let group = ProcessGroup::new(record.identity.clone());
                let daemon = Daemon { record, folder: None, state, ours: false, group };
                self.daemons().insert(pid, daemon);
                self.watch_stranger(pid);
                self.0.changed.send_replace(());
                state
            }
            None => BackgroundState::Lost,
        };
        ProcessView { record: record.clone(), state, out, err }
    }

    /// Ends a process; false if it is unknown. True also if it had ended before.
    pub async fn stop(&self, pid: u32, whole_group: bool) -> bool {
        let Some(daemon) = self.daemons().get(&pid).cloned() else { return false };
        if daemon.state != BackgroundState::Running {
            return true;
        }
        let group = daemon.group;
        if whole_group {
            group.end().await;
        } else {
            group.terminate_alone();
            group.gone_within(super::group::GRACE).await;
        }
        self.settled(pid).await;
        true
    }

    /// Begins to end a process without waiting; false if it does not run.
    #[must_use]
    pub fn begin_to_stop(&self, pid: u32) -> bool {
        let running = self.running(ProcessScope::All).contains(&pid);
        if running {
            let shells = self.clone();
            self.watchers().spawn(async move {
                shells.stop(pid, true).await;
            });
        }
        running
    }

    /// Returns the pids of running processes.
    #[must_use]
    pub fn running(&self, which: ProcessScope) -> Vec<u32> {
        let chosen = |daemon: &&Daemon| {
            daemon.state == BackgroundState::Running && (which == ProcessScope::All || daemon.ours)
        };
        self.daemons().values().filter(chosen).map(|one| one.record.identity.pid).collect()
    }

    /// Ends many at once, and waits for commands that were given up.
    pub async fn stop_all(&self, which: ProcessScope) {
        let ends = self.running(which).into_iter().map(|pid| self.stop(pid, true));
        futures_util::future::join_all(ends).await;
        self.0.enders.settle().await;
    }

    /// Waits for commands that were given up; those in the background go on, unless they are in a sandbox
    /// and end with this program.
    pub async fn settle(&self) {
        let sandboxed: Vec<u32> = {
            let daemons = self.daemons();
            let sandboxed = daemons.values().filter(|daemon| daemon.group.is_sandboxed());
            sandboxed.map(|daemon| daemon.record.identity.pid).collect()
        };
        let ends = sandboxed.into_iter().map(|pid| self.stop(pid, true));
        futures_util::future::join_all(ends).await;
        self.0.enders.settle().await;
    }

    /// Forgets a process that has ended.
    pub(super) fn forget(&self, pid: u32) {
        let ended = |one: &mut Daemon| one.state != BackgroundState::Running;
        let mut daemons = self.daemons();
        if daemons.get_mut(&pid).is_some_and(ended)
            && let Some(daemon) = daemons.remove(&pid)
        {
            drop(daemons);
            drop(daemon.folder.map(fs::remove_dir_all));
            self.0.changed.send_replace(());
        }
    }

    /// The environment of a child.
    #[must_use]
    pub fn environment(&self, keys: &Secrets) -> BTreeMap<String, String> {
        let set = self.0.set.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.environment.for_child(&set, keys)
    }

    /// Returns a variable for members: as it was set, else as the program found it.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        let set = self.0.set.lock().unwrap_or_else(PoisonError::into_inner);
        match set.get(name) {
            Some(value) => value.clone(),
            None => self.0.environment.settable(name).map(str::to_owned),
        }
    }

    /// Sets or unsets a variable for the commands of this run of the program.
    pub(super) fn set_variable(&self, name: &str, value: Option<String>) {
        let mut set = self.0.set.lock().unwrap_or_else(PoisonError::into_inner);
        set.insert(name.to_owned(), value);
    }

    /// True for a running process that this program started, whoever wrote the record.
    fn is_ours(&self, record: &ProcessRecord) -> bool {
        record.identity.is_there() && self.0.register.holds(&record.identity)
    }

    pub(super) fn register(&self) -> &ProcessRegistry {
        &self.0.register
    }

    /// The sandbox around commands, if there is to be one. Its level may be changed.
    #[must_use]
    pub fn sandbox(&self) -> Option<&Sandbox> {
        self.0.sandbox.as_ref()
    }

    /// Returns the level for commands that begin now; `None` without a sandbox.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        self.0.sandbox.as_ref().map(Sandbox::level)
    }

    /// Sets the level for commands that begin from now on.
    pub fn set_level(&self, level: Level) {
        if let Some(sandbox) = &self.0.sandbox {
            sandbox.set_level(level);
        }
    }

    /// Returns the sandbox for a command of a shell; `None` if there is none, or it is off.
    pub(super) fn command_sandbox(&self) -> Option<CommandSandbox> {
        let sandbox = self.0.sandbox.clone()?;
        let level = sandbox.level();
        (level != Level::Off).then_some(CommandSandbox { sandbox, level, stay: true, apart: false })
    }

    /// Returns the sandbox for commands that only read, whatever the level of others is.
    pub(crate) fn read_only_sandbox(&self) -> Option<CommandSandbox> {
        let sandbox = self.0.sandbox.clone()?;
        Some(CommandSandbox { sandbox, level: Level::ReadOnly, stay: false, apart: true })
    }

    /// Returns the problems of the sandbox, for a person. Touches the disk.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        self.0.sandbox.as_ref().map(Sandbox::problems).unwrap_or_default()
    }

    pub(crate) fn enders(&self) -> &GroupReaper {
        &self.0.enders
    }

    /// A command that goes on in the background from now on.
    pub(super) fn adopt(
        &self,
        record: ProcessRecord,
        folder: &Path,
        parts: DetachedParts,
        secrets: &Arc<Secrets>,
    ) -> io::Result<()> {
        let DetachedParts { mut child, stdout, stderr, out, err, group, standing } = parts;
        let sources = [Source { window: out, pipe: stdout }, Source { window: err, pipe: stderr }];
        let keeper = output_log::keep(folder, sources, secrets, &self.0.keeping)?;
        let pid = record.identity.pid;
        let daemon = Daemon {
            record,
            folder: Some(folder.to_owned()),
            state: BackgroundState::Running,
            ours: true,
            group: group.clone(),
        };
        self.daemons().insert(pid, daemon);
        self.0.changed.send_replace(());
        let shells = self.clone();
        self.watchers().spawn(async move {
            let ended = child.wait().await.map_or(ProcessExit::Unknown, exit);
            while group.is_there() {
                sleep(LOOK).await;
            }
            // Its output is complete then.
            keeper.ended().await;
            drop(standing);
            shells.ended(pid, ended);
        });
        Ok(())
    }

    /// Checks regularly whether a process of an earlier run has ended.
    fn watch_stranger(&self, pid: u32) {
        let Some(identity) = self.daemons().get(&pid).map(|one| one.record.identity.clone()) else {
            return;
        };
        let shells = self.clone();
        self.watchers().spawn(async move {
            while identity.is_there() {
                sleep(LOOK).await;
            }
            shells.ended(pid, ProcessExit::Unknown);
        });
    }

    fn ended(&self, pid: u32, exit: ProcessExit) {
        if let Some(daemon) = self.daemons().get_mut(&pid) {
            daemon.state = BackgroundState::Ended(exit);
            daemon.record.exit = Some(exit);
            self.0.register.remove(&daemon.record.identity);
            if let Some(folder) = &daemon.folder {
                // If this fails, the next run of the program reports the process as lost.
                drop(record::write(folder, &daemon.record));
            }
        }
        self.0.changed.send_replace(());
    }

    /// Waits, for a moment, until its end is noted.
    async fn settled(&self, pid: u32) {
        let mut changes = self.changes();
        let noted = async {
            while self.daemons().get(&pid).is_some_and(|one| one.state == BackgroundState::Running)
            {
                if changes.changed().await.is_err() {
                    break;
                }
            }
        };
        // Something of it survives its end by force; it stays in the list then.
        drop(tokio::time::timeout(LOOK * 2, noted).await);
    }

    fn daemons(&self) -> MutexGuard<'_, BTreeMap<u32, Daemon>> {
        self.0.daemons.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watchers(&self) -> MutexGuard<'_, JoinSet<()>> {
        let mut watchers = self.0.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        while watchers.try_join_next().is_some() {}
        watchers
    }
}
