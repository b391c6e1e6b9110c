//! The composition root: builds an engine out of its parts and starts it.

mod consent;
mod probe;
mod sandbox;
mod servers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::sandbox::Level;
use crate::domain::{KeyUse, Lang, Problem, Problems};
use crate::driver::{
    Audience, Driver, Engine, NoProvider, Permits, PickUp, ProviderSource, Rates, Sources,
};
use crate::llm::{
    Anthropic, Clients, Compat, Endpoint, ErrorClass, Limits, LlmError, Mock, Provider, Remote,
    Responses, Scripted, Secret, Sequence,
};
use crate::manage;
use crate::mcp;
use crate::minds::{ApiType, Connection, ProviderConfig};
use crate::platform::{RandomIds, SystemClock, env};
use crate::sandbox::Sandbox;
use crate::store::{Access, Store, StoreError, StoreOptions};
use crate::tools::{Environment, Registry, Shells};
use crate::yaml;

pub use consent::{Consent, Consents};
pub use probe::{Finding, Probe, probe};
pub use sandbox::ground;
pub use servers::{ServerConsents, servers};

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
    /// The language of whoever reads.
    pub reader: Lang,
    /// What is wrong outside the workspace: in the person's own files.
    pub personal: Vec<Problem>,
    /// What commands of members may do.
    pub level: Level,
    /// What servers that are programs may do, if they are to be held too.
    pub servers_level: Option<Level>,
}

/// Opens the workspace for writing and starts its driver. Must be called inside the runtime.
pub fn start(start: Start<'_>) -> Result<(Driver, Arc<Store>, Shells), StoreError> {
    let store = Arc::new(open(start.workspace, Access::ReadWrite)?);
    let (providers, consent): (Arc<dyn ProviderSource>, _) = match start.models {
        Models::Configured(consent) => {
            (Arc::new(Configured::new(start.workspace, consent)), Some(consent))
        }
        Models::Scripted(script) => (Arc::new(ByScript(Arc::new(script))), None),
    };
    let engine = engine(start.workspace, store.clone(), providers);
    let sandbox = Sandbox::new(ground(start.workspace), start.level);
    let wall = start.servers_level.map(|level| (sandbox.clone(), level));
    let sources =
        consent.map(|consent| servers::sources(start.workspace, consent, &engine.tools, wall));
    let shells = Shells::behind(Environment::of(env::all()), sandbox);
    shells.find_again(start.workspace);
    engine.problems.book().take("config", start.personal);
    let engine = Engine {
        driving: start.driving,
        shells: shells.clone(),
        reader: start.reader,
        sources: sources.unwrap_or_default(),
        ..engine
    };
    Ok((Driver::start(engine, start.audience, start.pick_up), store, shells))
}

/// An engine to look with: it holds no lock and asks no model.
pub fn looking(workspace: &Path) -> Result<Engine, StoreError> {
    let store = Arc::new(open(workspace, Access::ReadOnly)?);
    Ok(engine(workspace, store, Arc::new(Nobody)))
}

fn engine(workspace: &Path, store: Arc<Store>, providers: Arc<dyn ProviderSource>) -> Engine {
    let problems: Arc<Problems> = Arc::default();
    Engine {
        workspace: workspace.to_owned(),
        shown_folder: env::shown(workspace),
        store,
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        lang: env::work_language(),
        reader: env::work_language(),
        providers,
        tools: registry(problems.clone()),
        sources: Sources::default(),
        shells: Shells::default(),
        env: &env::variable,
        driving: false,
        permits: Permits::default(),
        rates: Rates::default(),
        problems,
        log: Arc::default(),
    }
}

/// All tools of this program.
#[must_use]
pub fn registry(problems: Arc<Problems>) -> Registry {
    let mut tools = Registry::builtin();
    if let Err(error) = manage::add_to(&mut tools, &env::variable, problems, &mcp::ALWAYS) {
        tracing::error!(%error, "a tool is missing");
    }
    tools
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

/// Stands in where nobody is asked.
#[derive(Debug)]
struct Nobody;

impl ProviderSource for Nobody {
    fn provider(&self, _config: &ProviderConfig) -> Result<Arc<dyn Provider>, NoProvider> {
        Ok(Arc::new(Sequence::new()))
    }

    /// Nothing is ever held.
    fn trust(&self, _key: &KeyUse) -> Result<(), String> {
        Ok(())
    }
}
