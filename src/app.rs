//! The composition root: builds an engine out of its parts and starts it.

mod consent;
mod probe;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::KeyUse;
use crate::driver::{Audience, Driver, Engine, NoProvider, Permits, PickUp, ProviderSource, Rates};
use crate::llm::{
    Anthropic, Clients, Compat, Endpoint, ErrorClass, Limits, LlmError, Mock, Provider, Remote,
    Responses, Scripted, Secret,
};
use crate::minds::{ApiType, Connection, ProviderConfig};
use crate::platform::{RandomIds, SystemClock, env};
use crate::store::{Access, Store, StoreError, StoreOptions};
use crate::tools::Registry;
use crate::yaml;

pub use consent::{Consent, Consents};
pub use probe::{Finding, Probe, probe};

/// Which models answer.
#[derive(Debug)]
pub enum Models {
    /// Those of `.minds/llm.yaml`, and whose word counts when they are sent a key.
    Configured(Consent),
    /// A script; for the demo.
    Scripted(Scripted),
}

/// What is started.
#[derive(Debug)]
pub struct Start<'a> {
    pub workspace: &'a Path,
    pub models: Models,
    pub audience: Audience,
    pub pick_up: PickUp,
    /// False: facts are recorded, nothing is driven.
    pub driving: bool,
}

/// Opens the workspace for writing and starts its driver. Must be called inside the runtime.
pub fn start(start: Start<'_>) -> Result<(Driver, Arc<Store>), StoreError> {
    let store = Arc::new(open(start.workspace, Access::ReadWrite)?);
    let providers: Arc<dyn ProviderSource> = match start.models {
        Models::Configured(consent) => Arc::new(Configured::new(start.workspace, consent)),
        Models::Scripted(script) => Arc::new(ByScript(Arc::new(script))),
    };
    let engine = Engine {
        workspace: start.workspace.to_owned(),
        shown_folder: env::shown(start.workspace),
        store: store.clone(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        lang: env::work_language(),
        providers,
        tools: Registry::builtin(),
        env: &env::variable,
        driving: start.driving,
        permits: Permits::default(),
        rates: Rates::default(),
    };
    Ok((Driver::start(engine, start.audience, start.pick_up), store))
}

/// Opens the store of a workspace.
pub fn open(workspace: &Path, access: Access) -> Result<Store, StoreError> {
    Store::open(workspace, access, StoreOptions::new(Arc::new(SystemClock)))
}

/// Providers as `.minds/llm.yaml` names them.
#[derive(Debug)]
struct Configured {
    workspace: PathBuf,
    consents: Consents,
    clients: Clients,
    mocks: Mutex<BTreeMap<PathBuf, Mock>>,
}

impl Configured {
    fn new(workspace: &Path, consent: Consent) -> Self {
        Self {
            workspace: workspace.to_owned(),
            consents: Consents::new(workspace, consent),
            clients: Clients::default(),
            mocks: Mutex::new(BTreeMap::new()),
        }
    }

    /// The only way a key from the environment reaches a provider.
    fn endpoint(&self, config: &ProviderConfig) -> Result<Endpoint, NoProvider> {
        if let Some(key) = self.consents.held(config) {
            return Err(NoProvider::Held(key));
        }
        let key = config
            .api_key(&env::variable)
            .map_err(|problem| LlmError::new(ErrorClass::Rejected, &problem.to_string()))?;
        let connection = &config.connection;
        if let Some(path) = connection.ca_file.as_deref()
            && consent::lies_in(path, &self.workspace)
        {
            let text = format!(
                "caFile {} lies in the workspace, and what a workspace brings along is nobody to \
                 trust: put the file elsewhere",
                path.display()
            );
            return Err(LlmError::new(ErrorClass::Rejected, &text).into());
        }
        Ok(Endpoint {
            limits: limits(connection),
            ca_file: connection.ca_file.clone(),
            api_key_variable: config.api_key_env_var.clone(),
            api_key: key.as_deref().and_then(Secret::new),
            tool_result_chars: config.tool_result_max_chars,
            ..Endpoint::new(&config.base_url)
        })
    }

    /// One per folder: it remembers the files it has read.
    fn mock(&self, config: &ProviderConfig) -> Mock {
        let folder = self.workspace.join(&config.base_url);
        let parse = |text: &str| yaml::parse(text).map_err(|error| error.to_string());
        let mut mocks = self.mocks.lock().unwrap_or_else(PoisonError::into_inner);
        mocks.entry(folder.clone()).or_insert_with(|| Mock::new(&folder, parse)).clone()
    }
}

impl ProviderSource for Configured {
    fn provider(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, NoProvider> {
        match &config.api_type {
            ApiType::OpenAiCompatible => {
                let endpoint = self.endpoint(config)?;
                let compat = Compat { dialect: config.connection.dialect };
                Ok(Arc::new(Remote::new(compat, endpoint, self.clients.clone())))
            }
            ApiType::OpenAi => {
                let endpoint = self.endpoint(config)?;
                Ok(Arc::new(Remote::new(Responses, endpoint, self.clients.clone())))
            }
            ApiType::Anthropic => {
                let endpoint = self.endpoint(config)?;
                Ok(Arc::new(Remote::new(
                    Anthropic::of(&config.base_url),
                    endpoint,
                    self.clients.clone(),
                )))
            }
            ApiType::Mock => Ok(Arc::new(self.mock(config))),
            ApiType::Codex | ApiType::Unknown(_) => {
                let text = format!(
                    "provider {}: apiType {} is not built; use anthropic, openai, openai-compatible or mock",
                    config.key,
                    config.api_type.name()
                );
                Err(LlmError::new(ErrorClass::Rejected, &text).into())
            }
        }
    }

    fn trust(&self, key: &KeyUse) -> Result<(), String> {
        self.consents.agree(key)
    }
}

/// The usual limits, where the file sets no others.
fn limits(connection: &Connection) -> Limits {
    let usual = Limits::default();
    Limits {
        connect: connection.connect_timeout.unwrap_or(usual.connect),
        first_byte: connection.first_byte_timeout.unwrap_or(usual.first_byte),
        idle: connection.idle_timeout.unwrap_or(usual.idle),
        ..usual
    }
}

/// One script for all.
#[derive(Debug)]
struct ByScript(Arc<Scripted>);

impl ProviderSource for ByScript {
    fn provider(&self, _config: &ProviderConfig) -> Result<Arc<dyn Provider>, NoProvider> {
        Ok(self.0.clone())
    }

    /// Nothing is ever held.
    fn trust(&self, _key: &KeyUse) -> Result<(), String> {
        Ok(())
    }
}
