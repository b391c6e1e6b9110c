//! The composition root: builds an engine from its parts and starts it.

mod sandbox;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use crate::consent::{Trust, is_inside};
use crate::domain::safety::references::VAULT_KEY;
use crate::domain::safety::sandbox::Level;
use crate::domain::safety::trust::Unagreed;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::time::Clock as _;
use crate::domain::{Lang, Layout, Problem, Problems, SideDialogLimits};
use crate::driver::{
    Audience, ChangedTrees, Configuration, Consent, Driver, Driving, Engine, LogEnd,
    NoConsentNeeded, Permits, PickUp, ProviderError, ProviderSource, Throttles, ToolSources,
};
use crate::hive::{
    self, AnyStore, Hive, KnownVaults, Permission as StorePermission, StoreChoice, VaultKeys,
};
use crate::llm::{
    self, Anthropic, Clients, Codex, CodexLogin, Compat, Endpoint, ErrorClass, Google, LlmError,
    Mock, Provider, Remote, Responses, Scripted, Secret, Sequence,
};
use crate::manage;
use crate::mcp::{self, Servers};
use crate::minds::{ApiType, Connection, ProviderConfig};
use crate::platform::{RandomIds, SystemClock, dirs, env, logs, random_name};
use crate::remote::{About, Place, Server, SessionFile, UserFolders};
use crate::sandbox::Sandbox;
use crate::store::{Access, Store, StoreError, StoreOptions};
use crate::tools::{
    Environment, NameTaken, OutputLogMode, ProcessRegistry, Registry, ShellSetup, Shells,
};
use crate::yaml;

pub use sandbox::sandbox_config;

/// A login of the codex program that its file does not have.
const OTHER_LOGIN: &str = "CODEX_ACCESS_TOKEN";

/// They run all tasks, which mostly wait: more would mostly cause wake-ups. One alone would stop all streams
/// while a task writes a step.
const WORKERS: usize = 2;

/// The runtime of the program. Tools, syncs and reading the configuration have threads of their own; the
/// screen has the main thread.
///
/// # Errors
/// The system has no more threads.
pub fn runtime() -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build()
}

/// The source of model answers.
#[derive(Debug)]
pub enum Models {
    /// The providers of `.minds/llm.yaml`, and the user's consent.
    Configured(Arc<Trust>),
    /// A script, for the demo.
    Scripted(Scripted),
}

/// Limits from the user's `config.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UserLimits {
    pub side_dialog_limits: SideDialogLimits,
    pub answer: AnswerLimit,
}

/// Timeout of a complete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerLimit(pub Duration);

impl Default for AnswerLimit {
    fn default() -> Self {
        Self(llm::AnswerLimits::default().answer)
    }
}

/// Options of [`start`].
#[derive(Debug)]
pub struct StartOptions<'a> {
    pub workspace: &'a Path,
    pub models: Models,
    pub audience: Audience,
    pub pick_up: PickUp,
    /// False: commands are recorded, no dialog is driven.
    pub driving: bool,
    /// The user's language.
    pub user_lang: Lang,
    pub limits: UserLimits,
    /// Problems of the user's own files, outside the workspace.
    pub config_problems: Vec<Problem>,
    /// The sandbox level of members' commands.
    pub level: Level,
    /// The user's `config.yaml` sets the level for this workspace.
    pub level_is_set: bool,
    /// The sandbox level of MCP servers that are programs; `None` without a sandbox.
    pub servers_level: Option<Level>,
    /// The store of the teams' tasks.
    pub tasks: StoreChoice,
    /// The layout of new trees; `None`: that of the workspace.
    pub layout: Option<Layout>,
}

/// Opens the workspace for writing and starts its driver. Must be called inside the runtime.
pub fn start(start: StartOptions<'_>) -> Result<(Driver, Arc<Store>, Shells), StoreError> {
    let store = open(start.workspace, Access::ReadWrite)?.with_new_trees_in(start.layout);
    let store = Arc::new(store);
    let (providers, trust): (Arc<dyn ProviderSource>, _) = match start.models {
        Models::Configured(trust) => {
            let configured =
                ConfiguredSource::new(start.workspace, trust.clone(), start.limits.answer);
            (Arc::new(configured), Some(trust))
        }
        Models::Scripted(script) => (Arc::new(ScriptedSource(Arc::new(script))), None),
    };
    let engine = engine(start.workspace, store.clone(), providers);
    let sandbox = Sandbox::new(sandbox_config(start.workspace), start.level);
    let server_sandbox = start.servers_level.map(|level| (sandbox.clone(), level));
    let shells = Shells::with(ShellSetup {
        environment: Environment::of(env::all()),
        register: process_register(start.workspace),
        keeping: OutputLogMode::Beside(env::current_program()),
        sandbox: Some(sandbox),
    });
    shells.find_again(start.workspace);
    let (consent, permission): (Arc<dyn Consent>, Arc<dyn StorePermission>) = match &trust {
        Some(trust) => (trust.clone(), trust.clone()),
        None => (Arc::new(NoConsentNeeded), Arc::new(AnyStore)),
    };
    let hive = Hive::new(hive::Setup {
        lang: start.user_lang,
        ..hive_setup(start.workspace, permission, start.tasks)
    });
    let sources = trust.map(|trust| {
        let vaults = KnownVaults::new(hive.clone(), logs::vault().clone());
        let servers = mcp_servers(start.workspace, trust, &engine.tools, server_sandbox);
        ToolSources::new(vec![Arc::new(servers)]).with_vaults(vaults)
    });
    engine.problems.book().take("config", start.config_problems);
    let engine = Engine {
        trust: consent,
        team_calls: Arc::default(),
        looks: Arc::default(),
        hive,
        driving: Driving::new(start.driving),
        side_dialog_limits: start.limits.side_dialog_limits,
        level_is_set: start.level_is_set,
        shells: shells.clone(),
        user_lang: start.user_lang,
        sources: sources.unwrap_or_default(),
        ..engine
    };
    Ok((Driver::start(engine, start.audience, start.pick_up), store, shells))
}

/// Returns the setup of the store of a workspace.
pub fn hive_setup(
    workspace: &Path,
    permission: Arc<dyn StorePermission>,
    store: StoreChoice,
) -> hive::Setup {
    hive::Setup {
        workspace: workspace.to_owned(),
        clock: Arc::new(SystemClock),
        permission,
        random_name,
        store,
        vault_keys: vault_keys(workspace),
        lang: env::work_language(),
    }
}

/// Where the keys of vaults are, outside of this workspace. The one in the environment is a secret as well.
pub fn vault_keys(workspace: &Path) -> VaultKeys {
    let folder = dirs::data().filter(|folder| !is_inside(folder, workspace));
    let given = env::variable(VAULT_KEY);
    if let Some(given) = &given {
        logs::vault().learn([VAULT_KEY.to_owned()], [given.clone()]);
    }
    VaultKeys { folder: folder.map(|folder| folder.join("keys")), given }
}

/// The folders of this user that sockets of drivers may be in.
#[must_use]
pub fn socket_folders() -> UserFolders {
    UserFolders { runtime: dirs::runtime(), state: dirs::state() }
}

/// Returns the place where the driver of a workspace listens.
#[must_use]
pub fn socket_place(workspace: &Path) -> Place {
    Place::of(workspace, socket_folders())
}

/// Lets other processes of this user reach the driver. Without a socket the driver goes on, and the log says why.
pub fn listen(
    workspace: &Path,
    driver: &Driver,
    store: Arc<Store>,
    level: Option<Level>,
) -> Option<Server> {
    let about = About { workspace: env::display_path(workspace), since: SystemClock.now(), level };
    let sessions = Arc::new(StoredSessions(store));
    Server::start(socket_place(workspace), driver.clients(), about, sessions)
        .inspect_err(|error| tracing::warn!(%error, "no other process can reach this driver"))
        .ok()
}

/// The sessions of clients, in the workspace.
#[derive(Debug)]
pub struct StoredSessions(pub Arc<Store>);

impl SessionFile for StoredSessions {
    fn read(&self) -> io::Result<String> {
        self.0.read_sessions().map_err(io::Error::other)
    }

    fn append(&self, lines: &str, synced: bool) -> io::Result<()> {
        self.0.own_files().append_sessions(lines, synced).map_err(io::Error::other)
    }

    fn replace(&self, lines: &str) -> io::Result<()> {
        self.0.own_files().replace_sessions(lines).map_err(io::Error::other)
    }
}

/// The background processes of earlier runs, recorded in the state folder.
fn process_register(workspace: &Path) -> ProcessRegistry {
    let state = dirs::state().filter(|state| !is_inside(state, workspace));
    ProcessRegistry::new(state.map(|state| state.join("processes")), workspace)
}

/// An engine for reading: it takes no lock and uses no model. `layout`: that of new trees, as in [`StartOptions`].
pub fn read_only_engine(workspace: &Path, layout: Option<Layout>) -> Result<Engine, StoreError> {
    let store = Arc::new(open(workspace, Access::ReadOnly)?.with_new_trees_in(layout));
    let trust = Arc::new(Trust::recorded(workspace));
    Ok(Engine { trust, ..engine(workspace, store, Arc::new(NoSource)) })
}

/// The MCP servers of a workspace, not yet started.
pub fn mcp_servers(
    workspace: &Path,
    trust: Arc<Trust>,
    own: &Registry,
    sandbox: Option<(Sandbox, Level)>,
) -> Servers {
    Servers::new(mcp::Setup {
        workspace: Arc::from(workspace),
        program: Arc::from(env::current_program()),
        lang: env::work_language(),
        env: &env::variable,
        clients: Clients::default(),
        vault: logs::vault().clone(),
        permission: trust,
        taken: own.names().into_iter().map(str::to_owned).collect(),
        sandbox,
    })
}

/// The end of the log of today, for the screen.
fn read_log(bytes: u64) -> io::Result<LogEnd> {
    let logs::LogTail { file, text, left_out } = logs::tail(bytes)?;
    Ok(LogEnd { file: env::display_path(&file), text, left_out })
}

fn engine(workspace: &Path, store: Arc<Store>, providers: Arc<dyn ProviderSource>) -> Engine {
    let problems: Arc<Problems> = Arc::default();
    Engine {
        workspace: workspace.to_owned(),
        display_path: env::display_path(workspace),
        store,
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        lang: env::work_language(),
        user_lang: env::work_language(),
        configuration: Configuration::of(workspace.to_owned(), env::work_language()),
        providers,
        trust: Arc::new(NoConsentNeeded),
        tools: registry(problems.clone()),
        sources: ToolSources::default(),
        team_calls: Arc::default(),
        looks: Arc::default(),
        hive: Hive::nowhere(),
        shells: Shells::default(),
        level_is_set: false,
        env: &env::variable,
        read_log,
        side_dialog_limits: SideDialogLimits::default(),
        driving: Driving::new(false),
        permits: Permits::default(),
        throttles: Throttles::default(),
        vault: logs::vault().clone(),
        problems,
        changed_trees: ChangedTrees::default(),
        log: Arc::default(),
    }
}

/// Returns all built-in tools.
#[must_use]
pub fn registry(problems: Arc<Problems>) -> Registry {
    let mut tools = Registry::builtin();
    let known = problems.clone();
    if let Err(error) =
        manage::add_to(&mut tools, &env::variable, problems, unagreed, &mcp::BUILT_IN_NAMES)
    {
        // The others work without it.
        tracing::error!(%error, "a tool is missing");
        known.book().take("built-in tools", vec![missing_tool(&error)]);
    }
    tools
}

fn missing_tool(NameTaken(name): &NameTaken) -> Problem {
    let text = localized!(
        "the tool `{name}` is missing, and so may be others of team_mgmt: the name is taken",
        "缺少工具 `{name}`，team_mgmt 的其他工具可能也缺少：名称已被占用"
    );
    let fix = Text::new("report it: this is a fault of the program", "请报告：这是程序的缺陷");
    Problem::new(format!("tools/missing/{name}"), ".minds", text, fix)
}

fn unagreed(workspace: &Path) -> Vec<Unagreed> {
    Trust::recorded(workspace).waiting()
}

/// Opens the store of a workspace.
pub fn open(workspace: &Path, access: Access) -> Result<Store, StoreError> {
    Store::open(workspace, access, StoreOptions::new(Arc::new(SystemClock)))
}

/// The providers of `.minds/llm.yaml`.
#[derive(Debug)]
pub struct ConfiguredSource {
    workspace: PathBuf,
    trust: Arc<Trust>,
    clients: Clients,
    answer: AnswerLimit,
    mocks: Mutex<BTreeMap<PathBuf, Mock>>,
    logins: Mutex<BTreeMap<PathBuf, Arc<CodexLogin>>>,
}

impl ConfiguredSource {
    #[must_use]
    pub fn new(workspace: &Path, trust: Arc<Trust>, answer: AnswerLimit) -> Self {
        Self {
            workspace: workspace.to_owned(),
            trust,
            clients: Clients::on_own_thread(),
            answer,
            mocks: Mutex::new(BTreeMap::new()),
            logins: Mutex::new(BTreeMap::new()),
        }
    }

    /// The only way a key from the environment reaches a provider.
    fn endpoint(&self, config: &ProviderConfig) -> Result<Endpoint, ProviderError> {
        let key = config
            .api_key(&env::variable)
            .map_err(|problem| LlmError::new(ErrorClass::Rejected, problem.message()))?;
        // The log must never contain it.
        let variable = config.key_variable().map(str::to_owned);
        logs::vault().learn(variable.clone(), key.clone());
        let connection = &config.connection;
        if let Some(path) = connection.ca_file.as_deref()
            && (path.starts_with(&self.workspace) || is_inside(path, &self.workspace))
        {
            let path = path.display();
            let text = localized!(
                "caFile {path} is in the workspace, whose files are not trusted: put the file elsewhere",
                "caFile {path} 位于工作区内，其中的文件不受信任：请放到别处"
            );
            return Err(LlmError::new(ErrorClass::Rejected, text).into());
        }
        Ok(Endpoint {
            limits: answer_limits(connection, self.answer),
            ca_file: connection.ca_file.clone(),
            api_key_variable: variable,
            api_key: key.as_deref().and_then(Secret::new),
            tool_result_chars: config.tool_result_max_chars,
            ..Endpoint::new(&config.base_url)
        })
    }

    /// A provider with a `ChatGPT` login. The login of a folder is shared, so that it is renewed once for all.
    fn codex(&self, config: &ProviderConfig) -> Result<Codex, ProviderError> {
        let rejected =
            |text: Localized| ProviderError::from(LlmError::new(ErrorClass::Rejected, text));
        if env::variable(OTHER_LOGIN).is_some() {
            return Err(rejected(localized!(
                "{OTHER_LOGIN} is set, which cannot be renewed and is not used: unset it, and log in with `codex login`",
                "已设置 {OTHER_LOGIN}，它无法续期，因此不使用：请取消该变量，并执行 `codex login` 登录"
            )));
        }
        let folder = config.login_folder(&env::variable).map_err(rejected)?;
        let new = |folder: &Path| {
            let (clock, vault) = (Arc::new(SystemClock), logs::vault().clone());
            Arc::new(CodexLogin::new(folder, self.clients.clone(), clock, vault))
        };
        let login = {
            let mut logins = self.logins.lock().unwrap_or_else(PoisonError::into_inner);
            logins.entry(folder).or_insert_with_key(|folder| new(folder)).clone()
        };
        login.check()?;
        Ok(Codex::new(login, self.endpoint(config)?, self.clients.clone()))
    }

    /// Returns the mock of a folder, one per folder: it caches the files it has read.
    fn mock(&self, config: &ProviderConfig) -> Mock {
        let folder = self.workspace.join(&config.base_url);
        let parse = |text: &str| yaml::parse(text).map_err(|error| error.to_string());
        let mut mocks = self.mocks.lock().unwrap_or_else(PoisonError::into_inner);
        mocks.entry(folder.clone()).or_insert_with(|| Mock::new(&folder, parse)).clone()
    }
}

impl ProviderSource for ConfiguredSource {
    fn provider(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, ProviderError> {
        match self.trust.provider(config) {
            Ok(None) => {}
            Ok(Some(unagreed)) => return Err(ProviderError::Unagreed(unagreed)),
            Err(text) => return Err(LlmError::new(ErrorClass::Rejected, text).into()),
        }
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
            ApiType::Anthropic | ApiType::AnthropicCompatible => {
                let endpoint = self.endpoint(config)?;
                Ok(Arc::new(Remote::new(
                    Anthropic::of(&config.base_url),
                    endpoint,
                    self.clients.clone(),
                )))
            }
            ApiType::Google => {
                let endpoint = self.endpoint(config)?;
                let google = Google::of(&config.base_url);
                Ok(Arc::new(Remote::new(google, endpoint, self.clients.clone())))
            }
            ApiType::Mock => Ok(Arc::new(self.mock(config))),
            ApiType::Codex => Ok(Arc::new(self.codex(config)?)),
            ApiType::Unknown(_) => {
                let (key, api_type) = (&config.key, config.api_type.name());
                let text = localized!(
                    "provider {key}: apiType {api_type} is not supported; use anthropic, codex, google, \
                     openai, openai-compatible or mock",
                    "提供方 {key}：不支持 apiType {api_type}；请使用 anthropic、codex、google、\
                     openai、openai-compatible 或 mock"
                );
                Err(LlmError::new(ErrorClass::Rejected, text).into())
            }
        }
    }
}

/// The default limits, overridden by the file.
fn answer_limits(connection: &Connection, answer: AnswerLimit) -> llm::AnswerLimits {
    let defaults = llm::AnswerLimits::default();
    llm::AnswerLimits {
        connect: connection.connect_timeout.unwrap_or(defaults.connect),
        first_byte: connection.first_byte_timeout.unwrap_or(defaults.first_byte),
        idle: connection.idle_timeout.unwrap_or(defaults.idle),
        answer: answer.0,
        ..defaults
    }
}

/// One script for all models.
#[derive(Debug)]
struct ScriptedSource(Arc<Scripted>);

impl ProviderSource for ScriptedSource {
    fn provider(&self, _config: &ProviderConfig) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(self.0.clone())
    }
}

/// Placeholder where no model is used.
#[derive(Debug)]
struct NoSource;

impl ProviderSource for NoSource {
    fn provider(&self, _config: &ProviderConfig) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(Arc::new(Sequence::new()))
    }
}
