//! The sandbox for every command that a member runs. What a command may do is a [`Level`], chosen by the
//! user; how that is enforced is a [`Means`] (`bwrap` or Landlock), probed before it is relied on.
//!
//! A sandbox shows the paths of an allowlist (`visible.rs`) and nothing else, and write-protects files that
//! decide about later runs (`reserved.rs`). The first process in it is this program (`helper.rs`), so that
//! all processes of a command end with it.

mod beneath;
mod bwrap;
mod config;
mod git_config;
mod git_settings;
mod git_targets;
#[cfg(target_os = "linux")]
mod helper;
#[cfg(target_os = "linux")]
mod hold;
mod landlock;
mod launcher;
mod means;
pub mod nameless;
mod nested;
mod network;
mod placeholders;
mod refusal;
mod removal;
mod reserved;
#[cfg(target_os = "linux")]
mod seccomp;
mod session;
mod tool_folders;
mod visible;
mod wrap;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::domain::Problem;
use crate::domain::safety::sandbox::Level;
use crate::domain::text::Text;

pub use config::SandboxConfig;
#[cfg(target_os = "linux")]
pub use helper::run as run_helper;
pub use means::Means;
pub use nested::Unprotected;
pub use placeholders::Placeholders;
pub use refusal::{SandboxRefusal, SandboxRefusalKind};
pub use tool_folders::tool_variables;
pub use wrap::{CommandSpec, NewPaths, SandboxedCommand};

/// The sandbox for the commands of a workspace. Clones share its state.
#[derive(Debug, Clone)]
pub struct Sandbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: SandboxConfig,
    level: Mutex<Level>,
    /// The only means to use, if the user sets one.
    only: Option<Means>,
    /// Results of the probes, by level.
    usable: [OnceLock<Result<wrap::UsableMeans, SandboxRefusal>>; 3],
    prepared: OnceLock<Result<wrap::PreparedSandbox, SandboxRefusal>>,
    /// The loopback that commands share, where it is available.
    network: OnceLock<Option<network::SharedLoopback>>,
    placeholder_store: placeholders::PlaceholderStore,
    launcher: launcher::Launcher,
}

impl Sandbox {
    #[must_use]
    pub fn new(config: SandboxConfig, level: Level) -> Self {
        Self::with_means(config, level, None)
    }

    /// Restricted to one means.
    #[must_use]
    pub fn with_means(config: SandboxConfig, level: Level, only: Option<Means>) -> Self {
        let placeholder_store =
            placeholders::PlaceholderStore::new(&config.state, &config.workspace);
        Self(Arc::new(Inner {
            config,
            level: Mutex::new(level),
            only,
            usable: Default::default(),
            prepared: OnceLock::new(),
            network: OnceLock::new(),
            placeholder_store,
            launcher: launcher::Launcher::default(),
        }))
    }

    #[must_use]
    pub fn level(&self) -> Level {
        *self.lock()
    }

    /// Sets the level of commands that start from now on.
    pub fn set_level(&self, level: Level) {
        *self.lock() = level;
    }

    /// Runs a job on the launcher thread, which lives as long as the sandbox (commands die with the thread
    /// that started them). `None`: there is no such thread.
    pub async fn run_on_launcher<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.0.launcher.run(job).await
    }

    /// The means used here for commands of this level. The first call starts a process as a probe and
    /// waits for it; the result is cached.
    pub fn means(&self, level: Level) -> Result<Means, SandboxRefusal> {
        self.usable(level).map(|usable| usable.means)
    }

    /// Problems for the user: why commands were refused, and git settings that appeared while commands ran.
    /// Starts no probe; reads the disk if commands have run.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let levels = [self.level(), Level::ReadOnly].into_iter().filter(|one| *one != Level::Off);
        let mut refused = levels.filter_map(|level| self.slot(level)?.get()?.as_ref().err());
        let refused = refused.next().map(SandboxRefusal::problem);
        let prepared = self.0.prepared.get().and_then(|prepared| prepared.as_ref().ok());
        refused
            .into_iter()
            .chain(prepared.into_iter().flat_map(|prepared| self.workspace_problems(prepared)))
            .collect()
    }

    /// Settings of tools that commands do not see, because they may hold a key. Reads the disk.
    #[must_use]
    pub fn withheld(&self) -> Vec<Problem> {
        let withheld = self.prepared().map(|prepared| prepared.visible.withheld.as_slice());
        let all = withheld.unwrap_or_default().iter().map(|path| {
            let file = path.display().to_string();
            let text = Text::new(
                "may hold a key, so commands in a sandbox do not see it",
                "可能含有密钥，因此沙箱中的命令看不到它",
            );
            let fix = Text::new(
                "nothing to do, unless a tool needs it: keep the key in a file of its own, as `cargo login` does",
                "无需处理，除非工具需要它：请把密钥放在单独的文件中，如 `cargo login` 所做",
            );
            Problem::new(format!("sandbox/withheld/{file}"), file, text, fix).warning()
        });
        all.collect()
    }

    fn usable(&self, level: Level) -> Result<wrap::UsableMeans, SandboxRefusal> {
        let Some(slot) = self.slot(level) else {
            return Err(SandboxRefusal::failed(Text::new("unknown level", "未知的级别")));
        };
        slot.get_or_init(|| self.probe(level)).clone()
    }

    fn slot(&self, level: Level) -> Option<&OnceLock<Result<wrap::UsableMeans, SandboxRefusal>>> {
        self.0.usable.get(match level {
            Level::ReadOnly => 0,
            Level::Workspace => 1,
            Level::WorkspaceNet | Level::Off => 2,
        })
    }

    fn may_use(&self, means: Means) -> bool {
        self.0.only.is_none_or(|only| only == means)
    }

    fn config(&self) -> &SandboxConfig {
        &self.0.config
    }

    fn placeholder_store(&self) -> &placeholders::PlaceholderStore {
        &self.0.placeholder_store
    }

    fn prepared(&self) -> Result<&wrap::PreparedSandbox, SandboxRefusal> {
        let prepared = self.0.prepared.get_or_init(|| wrap::PreparedSandbox::new(&self.0.config));
        prepared.as_ref().map_err(Clone::clone)
    }

    fn network(&self) -> Option<&network::SharedLoopback> {
        let start = || network::SharedLoopback::start(&bwrap::find()?);
        self.0.network.get_or_init(start).as_ref()
    }

    fn lock(&self) -> MutexGuard<'_, Level> {
        self.0.level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a command without a sandbox whose end kills everything it started, however that detached. Its
/// leader is a process of this program, as [`SandboxedCommand::layers`] counts. `None`: not on this system.
#[must_use]
pub fn supervised(program: &Path, command: &OsStr, arguments: &[String]) -> Option<Vec<OsString>> {
    let head = [program.as_os_str(), config::HELPER_NAME.as_ref(), config::UNCONFINED.as_ref()];
    let line = head.into_iter().chain(["--".as_ref(), command]);
    let all = line.chain(arguments.iter().map(OsStr::new)).map(OsStr::to_owned).collect();
    cfg!(target_os = "linux").then_some(all)
}

/// Only Linux has a first process of a sandbox.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn run_helper(_: impl Iterator<Item = std::ffi::OsString>) -> Option<std::process::ExitCode> {
    None
}
