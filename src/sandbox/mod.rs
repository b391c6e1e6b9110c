//! A wall around every command that a member runs. What a command may do is a [`Level`], chosen by a
//! person; what holds it is a [`Means`], tried before it is relied on.
//!
//! The wall shows what is on a list (`places.rs`) and nothing else, and holds what decides about later
//! runs (`reserved.rs`). In it, this program is the first process (`helper.rs`), so that what a command
//! starts ends with it.

mod bwrap;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod helper;
mod landlock;
mod means;
mod network;
mod placeholders;
mod places;
mod refusal;
mod reserved;
mod session;
mod settings;
mod starter;
mod wrap;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::domain::Problem;
use crate::domain::sandbox::Level;

#[cfg(target_os = "linux")]
pub use helper::run as help;
pub use means::Means;
pub use placeholders::Placeholders;
pub use refusal::{SandboxRefusal, SandboxRefusalKind};
pub use wrap::{CommandSpec, NewPaths, Wrapped};

/// The hidden command that is the first process of a sandbox.
const HELPER_NAME: &str = "sandbox-helper";
/// Tells it that processes the command leaves may go on.
const STAY: &str = "--stay";
/// Tells it to enter the network of a process first, and to become what it is to start.
const JOIN: &str = "--join";

/// Where a sandbox is built.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// The workspace, without links in its path.
    pub workspace: PathBuf,
    /// The home folder, without links in its path.
    pub home: Option<PathBuf>,
    /// The folder of this program's own state.
    pub state: PathBuf,
    /// This program, for the first process of a sandbox.
    pub program: PathBuf,
    /// What variables of the environment name as places of tools.
    pub tools: Vec<PathBuf>,
}

/// The wall around the commands of a workspace. Clones share it.
#[derive(Debug, Clone)]
pub struct Sandbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ground: SandboxConfig,
    level: Mutex<Level>,
    /// Only this one, if a person says so.
    only: Option<Means>,
    /// What was found to work, by level.
    found: [OnceLock<Result<wrap::Found, SandboxRefusal>>; 3],
    built: OnceLock<Result<wrap::Built, SandboxRefusal>>,
    /// Loopback that commands share, where it can be had.
    network: OnceLock<Option<network::Network>>,
    stands: placeholders::PlaceholderStore,
    starter: starter::Starter,
}

impl Sandbox {
    #[must_use]
    pub fn new(ground: SandboxConfig, level: Level) -> Self {
        Self::by(ground, level, None)
    }

    /// By one means only.
    #[must_use]
    pub fn by(ground: SandboxConfig, level: Level, only: Option<Means>) -> Self {
        let stands = placeholders::PlaceholderStore::new(&ground.state, &ground.workspace);
        Self(Arc::new(Inner {
            ground,
            level: Mutex::new(level),
            only,
            found: Default::default(),
            built: OnceLock::new(),
            network: OnceLock::new(),
            stands,
            starter: starter::Starter::default(),
        }))
    }

    /// What commands may do now.
    #[must_use]
    pub fn level(&self) -> Level {
        *self.lock()
    }

    /// For commands that begin from now on.
    pub fn set_level(&self, level: Level) {
        *self.lock() = level;
    }

    /// Does work on the thread whose end is the end of all commands it started. `None`: it could not be.
    pub async fn on_its_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        self.0.starter.run(work).await
    }

    /// What holds commands of this level here. Tried at the first call, which starts a process and waits
    /// for it; remembered then.
    pub fn means(&self, level: Level) -> Result<Means, SandboxRefusal> {
        self.found(level).map(|found| found.means)
    }

    /// What a person has to know: why commands were not run here, and settings of git that came while
    /// some ran. Nothing is tried for it; looks at the disk if commands have run.
    #[must_use]
    pub fn problems(&self) -> Vec<Problem> {
        let levels = [self.level(), Level::ReadOnly].into_iter().filter(|one| *one != Level::Off);
        let mut refused = levels.filter_map(|level| self.slot(level)?.get()?.as_ref().err());
        let refused = refused.next().map(SandboxRefusal::problem);
        let built = self.0.built.get().and_then(|built| built.as_ref().ok());
        refused
            .into_iter()
            .chain(built.into_iter().flat_map(|built| self.settings(built)))
            .collect()
    }

    fn found(&self, level: Level) -> Result<wrap::Found, SandboxRefusal> {
        let Some(slot) = self.slot(level) else {
            return Err(SandboxRefusal::broken("there is no such level"));
        };
        slot.get_or_init(|| self.try_all(level)).clone()
    }

    fn slot(&self, level: Level) -> Option<&OnceLock<Result<wrap::Found, SandboxRefusal>>> {
        self.0.found.get(match level {
            Level::ReadOnly => 0,
            Level::Workspace => 1,
            Level::WorkspaceNet | Level::Off => 2,
        })
    }

    fn may_use(&self, means: Means) -> bool {
        self.0.only.is_none_or(|only| only == means)
    }

    fn ground(&self) -> &SandboxConfig {
        &self.0.ground
    }

    fn stands(&self) -> &placeholders::PlaceholderStore {
        &self.0.stands
    }

    fn built(&self) -> Result<&wrap::Built, SandboxRefusal> {
        let built = self.0.built.get_or_init(|| wrap::Built::new(&self.0.ground));
        built.as_ref().map_err(Clone::clone)
    }

    fn network(&self) -> Option<&network::Network> {
        let begin = || network::Network::begin(&bwrap::find()?);
        self.0.network.get_or_init(begin).as_ref()
    }

    fn lock(&self) -> MutexGuard<'_, Level> {
        self.0.level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// No system but Linux has a first process of a sandbox.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn help(_: impl Iterator<Item = std::ffi::OsString>) -> Option<std::process::ExitCode> {
    None
}
