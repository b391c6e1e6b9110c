//! What every tree of a driver shares.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use crate::domain::{Clock, CrowdLimits, IdSource, KeyUse, Lang, Problems};
use crate::llm::{LlmError, Provider};
use crate::minds::{Minds, ProviderConfig};
use crate::store::Store;
use crate::tools::{Registry, Shells};

use super::log::Log;
use super::rate::Rates;
use super::sources::Sources;
use super::texts::Texts;

/// Reads an environment variable.
pub type EnvReader = dyn Fn(&str) -> Option<String> + Sync;

/// Why there is no provider.
#[derive(Debug)]
pub enum NoProvider {
    /// It cannot be used as it is configured.
    Refused(LlmError),
    /// Its key would go where no person has agreed to send it.
    Held(KeyUse),
}

impl From<LlmError> for NoProvider {
    fn from(error: LlmError) -> Self {
        Self::Refused(error)
    }
}

/// Makes the provider for a configuration entry.
pub trait ProviderSource: Send + Sync + std::fmt::Debug {
    fn provider(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, NoProvider>;

    /// Records that a person agreed; the error is a sentence. May touch the disk.
    fn trust(&self, key: &KeyUse) -> Result<(), String>;
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
    pub reader: Lang,
    pub providers: Arc<dyn ProviderSource>,
    /// Those that are always there.
    pub tools: Registry,
    /// Those that come and go.
    pub sources: Sources,
    /// Commands that are at work, and those in the background.
    pub shells: Shells,
    /// The environment, for names of keys.
    pub env: &'static EnvReader,
    /// How many side dialogs may be at work in a tree.
    pub crowd: CrowdLimits,
    /// False: facts are recorded, nothing is driven (`q4h answer --no-drive`, `stop`, `resume`).
    pub driving: bool,
    /// Nothing is taken at the start.
    pub permits: Permits,
    /// Nothing is learned at the start.
    pub rates: Rates,
    /// Written by the pump; tools may read it.
    pub problems: Arc<Problems>,
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

    /// The configuration as it is now; edits take effect at the next generation.
    pub fn minds(&self) -> Minds {
        Minds::load(&self.workspace, self.lang)
    }

    /// Those of a provider that takes at most so many requests at once.
    pub fn permits(&self, provider: &str, most: NonZeroUsize) -> Arc<Semaphore> {
        self.permits.of(provider, most)
    }
}
