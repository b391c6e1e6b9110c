//! What every tree of a driver shares.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use crate::domain::sandbox::Level;
use crate::domain::secrets::is_secret;
use crate::domain::trust::Unagreed;
use crate::domain::{AgentId, Clock, CrowdLimits, IdSource, Lang, Problems, Secrets, Vault};
use crate::llm::{LlmError, Provider};
use crate::minds::{Minds, ProviderConfig};
use crate::store::Store;
use crate::tools::{PASSED_ON, Registry, Shells};

use super::log::Log;
use super::sources::ToolSources;
use super::texts::Texts;
use super::throttle::Throttles;

/// Reads an environment variable.
pub type EnvReader = dyn Fn(&str) -> Option<String> + Sync;

/// Why there is no provider.
#[derive(Debug)]
pub enum NoProvider {
    /// It cannot be used as it is configured.
    Refused(LlmError),
    /// No person has agreed to what it does.
    Unagreed(Unagreed),
}

impl From<LlmError> for NoProvider {
    fn from(error: LlmError) -> Self {
        Self::Refused(error)
    }
}

/// Makes the provider for a configuration entry.
pub trait ProviderSource: Send + Sync + std::fmt::Debug {
    fn provider(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, NoProvider>;
}

/// Knows what a person agreed to in this workspace. Each of these may touch the disk.
pub trait Consent: Send + Sync + std::fmt::Debug {
    /// What waits for a person, as the files are now.
    fn waiting(&self, minds: &Minds) -> Vec<Unagreed>;

    /// Records that a person agreed to what was shown to them, by its digests; the error is a sentence.
    fn agree(&self, digests: &[String]) -> Result<(), String>;

    /// Keeps the level of the sandbox a person chose for this workspace; the error is a sentence.
    fn choose_level(&self, level: Level) -> Result<(), String>;

    /// The members whose shell nobody has agreed to.
    fn without_shell(&self, minds: &Minds) -> Vec<AgentId>;
}

/// Nothing waits: what runs was written by this program itself.
#[derive(Debug, Clone, Copy)]
pub struct NoConsentNeeded;

impl Consent for NoConsentNeeded {
    fn waiting(&self, _minds: &Minds) -> Vec<Unagreed> {
        Vec::new()
    }

    fn agree(&self, _digests: &[String]) -> Result<(), String> {
        Ok(())
    }

    fn choose_level(&self, _level: Level) -> Result<(), String> {
        Ok(())
    }

    fn without_shell(&self, _minds: &Minds) -> Vec<AgentId> {
        Vec::new()
    }
}

/// Whether dialogs are driven.
#[derive(Debug)]
pub struct Driving {
    wanted: bool,
    /// Something waits for consent: until a person agreed, the workspace is only looked at.
    held: AtomicBool,
}

impl Driving {
    /// `wanted`: false where facts are recorded and nothing is driven.
    #[must_use]
    pub fn new(wanted: bool) -> Self {
        Self { wanted, held: AtomicBool::new(false) }
    }

    #[must_use]
    pub fn is_on(&self) -> bool {
        self.wanted && !self.is_held()
    }

    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.load(Ordering::Acquire)
    }

    pub(super) fn hold(&self, held: bool) {
        self.held.store(held, Ordering::Release);
    }
}

/// Bounds the requests that run at once, for each provider by its key. Another bound in the file
/// holds from the next request on; those that run already are not counted against it.
#[derive(Debug, Default)]
pub struct Permits(Mutex<BTreeMap<String, (NonZeroUsize, Arc<Semaphore>)>>);

impl Permits {
    fn of(&self, provider: &str, most: NonZeroUsize) -> Arc<Semaphore> {
        let mut permits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || (most, Arc::new(Semaphore::new(most.get())));
        let entry = permits.entry(provider.to_owned()).or_insert_with(fresh);
        if entry.0 != most {
            *entry = fresh();
        }
        entry.1.clone()
    }
}

pub struct Engine {
    pub workspace: PathBuf,
    /// The workspace as people see it, `~` for their home.
    pub shown_folder: String,
    pub store: Arc<Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    pub lang: Lang,
    /// The language of whoever reads: what is said to them is said in it.
    pub user_lang: Lang,
    pub providers: Arc<dyn ProviderSource>,
    pub trust: Arc<dyn Consent>,
    /// Those that are always there.
    pub tools: Registry,
    /// Those that come and go.
    pub sources: ToolSources,
    /// Commands that are at work, and those in the background.
    pub shells: Shells,
    /// The person's own file says what commands may do here; it is not chosen on the screen.
    pub level_is_set: bool,
    /// The environment, for names of keys.
    pub env: &'static EnvReader,
    /// How many side dialogs may be at work in a tree.
    pub crowd: CrowdLimits,
    /// Off: facts are recorded, nothing is driven (`q4h answer --no-drive`, `stop`, `resume`).
    pub driving: Driving,
    /// Nothing is taken at the start.
    pub permits: Permits,
    /// Nothing is learned at the start.
    pub throttles: Throttles,
    /// Written by the pump; tools may read it.
    pub problems: Arc<Problems>,
    /// What was secret in this run of the program.
    pub vault: Vault,
    /// Counts nothing at the start.
    pub log: Arc<Log>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl Engine {
    pub fn texts(&self) -> Texts {
        Texts(self.lang)
    }

    /// The configuration as it is now, without the shells nobody has agreed to; edits take effect at the
    /// next generation.
    pub fn minds(&self) -> Minds {
        let minds = Minds::load(&self.workspace, self.lang);
        let without = self.trust.without_shell(&minds);
        minds.without_shells(&without)
    }

    /// All secrets that are known, those this configuration names among them. What any program is told
    /// is none, whoever names it.
    pub fn secrets(&self, minds: &Minds) -> Arc<Secrets> {
        let mut names = minds.key_variables();
        let servers = minds.mcp_variables().iter();
        names.extend(servers.filter_map(|(name, variable)| {
            let told = PASSED_ON.contains(&variable.as_str());
            let plain = (self.env)(variable).is_some_and(|v| !is_secret([name, variable], &v));
            (!told && !plain).then(|| variable.clone())
        }));
        let mut values: Vec<String> = names.iter().filter_map(|name| (self.env)(name)).collect();
        values.extend(minds.mcp_secrets().values().map(str::to_owned));
        self.vault.learn(names, values)
    }

    /// Those of a provider that takes at most so many requests at once.
    pub fn permits(&self, provider: &str, most: NonZeroUsize) -> Arc<Semaphore> {
        self.permits.of(provider, most)
    }
}
