//! What all trees of a driver share.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use crate::domain::asking::autonomy::{AutonomyLevel, AutonomyScope};
use crate::domain::safety::sandbox::Level;
use crate::domain::safety::secrets::is_secret;
use crate::domain::safety::trust::Unagreed;
use crate::domain::text::{Localized, localized};
use crate::domain::{
    AgentId, Clock, DialogId, IdSource, Lang, Problems, Secrets, SharedSecrets, SideDialogLimits,
    TeamName,
};
use crate::driver::reporting::log::Log;
use crate::driver::texts::Texts;
use crate::hive::Hive;
use crate::llm::{LlmError, Provider};
use crate::minds::{LLM_FILE, Minds, ProviderConfig};
use crate::store::Store;
use crate::tools::{PASSED_ON, Registry, Shells, TeamCalls};

use super::blocking::BlockingThread;
use super::changed_trees::ChangedTrees;
use super::configuration::Configuration;
use super::sources::ToolSources;
use super::throttle::Throttles;
use super::viewed_questions::ViewedQuestions;

/// Reads the end of the program's log, at most this many bytes.
pub type LogReader = fn(u64) -> std::io::Result<LogEnd>;

/// The end of a log file; secrets were redacted when it was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogEnd {
    /// The file, as shown to the user.
    pub file: String,
    /// Whole lines.
    pub text: String,
    /// Older lines are left out.
    pub left_out: bool,
}

/// Reads an environment variable.
pub type EnvReader = dyn Fn(&str) -> Option<String> + Sync;

/// Why there is no provider.
#[derive(Debug)]
pub enum ProviderError {
    /// It cannot be used as it is configured.
    Refused(LlmError),
    /// The user has not agreed to what it does.
    Unagreed(Unagreed),
}

impl ProviderError {
    /// The message for a person.
    #[must_use]
    pub fn message(&self) -> Localized {
        match self {
            Self::Refused(error) => error.message().clone(),
            Self::Unagreed(Unagreed { entry, .. }) => {
                let (name, act) = (&entry.name, &entry.act);
                localized!(
                    "{LLM_FILE}: provider {name} {act}, and nobody has agreed to that: `dominds-tui \
                     trust` shows all that waits, and you may agree",
                    "{LLM_FILE}：提供方 {name} 尚未获得同意（{act}）：`dominds-tui trust` 列出所有\
                     待同意项，你可在那里同意"
                )
            }
        }
    }
}

impl From<LlmError> for ProviderError {
    fn from(error: LlmError) -> Self {
        Self::Refused(error)
    }
}

/// Makes the provider for a configuration entry.
pub trait ProviderSource: Send + Sync + std::fmt::Debug {
    fn provider(&self, config: &ProviderConfig) -> Result<Arc<dyn Provider>, ProviderError>;
}

/// What the user agreed to in this workspace. Each method may block on the disk.
pub trait Consent: Send + Sync + std::fmt::Debug {
    /// What waits for consent, as the files are now.
    fn waiting(&self, minds: &Minds) -> Vec<Unagreed>;

    /// Records that the user agreed to what was shown, by its digests.
    fn agree(&self, digests: &[String]) -> Result<(), Localized>;

    /// Stores the sandbox level the user chose for this workspace.
    fn choose_level(&self, level: Level) -> Result<(), Localized>;

    /// Writes a level of autonomy that the user chose.
    fn choose_autonomy(&self, scope: &AutonomyScope, level: AutonomyLevel)
    -> Result<(), Localized>;

    /// Records how much the user lets the member of a dialog decide alone; `None`: as the configuration says.
    fn choose_autonomy_of(
        &self,
        dialog: &DialogId,
        level: Option<AutonomyLevel>,
    ) -> Result<(), Localized>;

    /// True if the user lets the member of a dialog decide so much alone.
    fn lets_decide(&self, dialog: &DialogId, level: AutonomyLevel) -> bool;

    /// The members whose shell the user has not agreed to.
    fn without_shell(&self, minds: &Minds) -> Vec<AgentId>;

    /// The rules that leave decisions to members and that the user has not agreed to.
    fn unagreed_autonomy(&self, minds: &Minds) -> Vec<AutonomyScope>;

    /// The teams whose commands get secrets that the user has not agreed to.
    fn unagreed_vaults(&self, minds: &Minds) -> Vec<TeamName>;
}

/// No consent is needed: what runs was written by this program itself.
#[derive(Debug, Clone, Copy)]
pub struct NoConsentNeeded;

impl Consent for NoConsentNeeded {
    fn waiting(&self, _minds: &Minds) -> Vec<Unagreed> {
        Vec::new()
    }

    fn agree(&self, _digests: &[String]) -> Result<(), Localized> {
        Ok(())
    }

    fn choose_level(&self, _level: Level) -> Result<(), Localized> {
        Ok(())
    }

    fn choose_autonomy(&self, _: &AutonomyScope, _: AutonomyLevel) -> Result<(), Localized> {
        Ok(())
    }

    fn choose_autonomy_of(&self, _: &DialogId, _: Option<AutonomyLevel>) -> Result<(), Localized> {
        Ok(())
    }

    fn lets_decide(&self, _: &DialogId, _: AutonomyLevel) -> bool {
        true
    }

    fn without_shell(&self, _minds: &Minds) -> Vec<AgentId> {
        Vec::new()
    }

    fn unagreed_autonomy(&self, _minds: &Minds) -> Vec<AutonomyScope> {
        Vec::new()
    }

    fn unagreed_vaults(&self, _minds: &Minds) -> Vec<TeamName> {
        Vec::new()
    }
}

/// Whether dialogs are driven.
#[derive(Debug)]
pub struct Driving {
    enabled: bool,
    /// Something waits for consent: until the user agrees, the workspace is read-only.
    awaiting_consent: AtomicBool,
    /// Running drives finish their step, and no other step begins.
    finishing: AtomicBool,
}

impl Driving {
    /// `enabled`: false if facts are recorded but nothing is driven.
    #[must_use]
    pub fn new(enabled: bool) -> Self {
        Self {
            enabled,
            awaiting_consent: AtomicBool::new(false),
            finishing: AtomicBool::new(false),
        }
    }

    #[must_use]
    pub fn is_on(&self) -> bool {
        self.enabled && !self.awaits_consent() && !self.is_finishing()
    }

    #[must_use]
    pub fn awaits_consent(&self) -> bool {
        self.awaiting_consent.load(Ordering::Acquire)
    }

    /// True once no step begins any more.
    #[must_use]
    pub fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::Acquire)
    }

    pub(in crate::driver) fn finish_steps(&self) {
        self.finishing.store(true, Ordering::Release);
    }

    pub(in crate::driver) fn set_awaits_consent(&self, awaiting_consent: bool) {
        self.awaiting_consent.store(awaiting_consent, Ordering::Release);
    }
}

/// Limits the concurrent requests of each provider, by its key. A changed limit in the file applies from the
/// next request on; running requests are not counted against it.
#[derive(Debug, Default)]
pub struct Permits(Mutex<BTreeMap<String, (NonZeroUsize, Arc<Semaphore>)>>);

impl Permits {
    fn of(&self, provider: &str, max: NonZeroUsize) -> Arc<Semaphore> {
        let mut permits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || (max, Arc::new(Semaphore::new(max.get())));
        let entry = permits.entry(provider.to_owned()).or_insert_with(fresh);
        if entry.0 != max {
            *entry = fresh();
        }
        entry.1.clone()
    }
}

pub struct Engine {
    pub workspace: PathBuf,
    /// The workspace path as shown to the user, `~` for the home directory.
    pub display_path: String,
    pub store: Arc<Store>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdSource>,
    pub lang: Lang,
    /// The language of texts for the user.
    pub user_lang: Lang,
    pub configuration: Configuration,
    pub providers: Arc<dyn ProviderSource>,
    pub trust: Arc<dyn Consent>,
    /// The built-in tools.
    pub tools: Registry,
    /// Tools that change while the program runs (MCP servers).
    pub sources: ToolSources,
    /// Notices for people, the history of decisions, and the tasks of teams.
    pub hive: Hive,
    /// The team tool calls that run now.
    pub team_calls: Arc<TeamCalls>,
    /// What persons look at.
    pub looks: Arc<ViewedQuestions>,
    /// Running commands, also those in the background.
    pub shells: Shells,
    /// The user's own configuration sets the sandbox level; it cannot be chosen on the screen.
    pub level_is_set: bool,
    /// Reads API keys from the environment.
    pub env: &'static EnvReader,
    pub read_log: LogReader,
    /// How many side dialogs may run in a tree.
    pub side_dialog_limits: SideDialogLimits,
    /// Off: facts are recorded, nothing is driven (`q4h answer --no-drive`, `stop`, `resume`).
    pub driving: Driving,
    pub permits: Permits,
    pub throttles: Throttles,
    /// Written by the pump; tools may read it.
    pub problems: Arc<Problems>,
    /// Trees of tasks in which something has happened.
    pub changed_trees: ChangedTrees,
    /// Secrets seen in this run of the program.
    pub vault: SharedSecrets,
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

    /// The current configuration, without what the user has not agreed to; edits take effect at the
    /// next generation.
    pub(in crate::driver) fn minds(&self, on: &BlockingThread) -> Arc<Minds> {
        let minds = self.configuration.current(on);
        let (shells, rules) =
            (self.trust.without_shell(&minds), self.trust.unagreed_autonomy(&minds));
        let vaults = self.trust.unagreed_vaults(&minds);
        if shells.is_empty() && rules.is_empty() && vaults.is_empty() {
            return minds;
        }
        let minds = Minds::clone(&minds).without_shells(&shells).without_autonomy(rules);
        Arc::new(minds.without_shell_secrets(&vaults))
    }

    /// Makes the secrets that this configuration names known; all that is known then. Variables that are passed to every
    /// child process are not secret, even if named.
    pub fn learn_secrets(vault: &SharedSecrets, minds: &Minds, env: &EnvReader) -> Arc<Secrets> {
        let mut names = minds.key_variables();
        let mcp_variables = minds.mcp_variables().iter();
        names.extend(mcp_variables.filter_map(|(name, variable)| {
            let passed_on = PASSED_ON.contains(&variable.as_str());
            let plain = env(variable).is_some_and(|v| !is_secret([name, variable], &v));
            (!passed_on && !plain).then(|| variable.clone())
        }));
        let mut values: Vec<String> = names.iter().filter_map(|name| env(name)).collect();
        values.extend(minds.mcp_secrets().values().map(str::to_owned));
        vault.learn(names, values)
    }

    /// All known secrets, including those this configuration names.
    pub fn secrets(&self, minds: &Minds) -> Arc<Secrets> {
        Self::learn_secrets(&self.vault, minds, self.env)
    }

    /// All known secrets, as the team of a member sees them.
    pub fn secrets_for(&self, minds: &Minds, member: &AgentId) -> Arc<Secrets> {
        let all = self.secrets(minds);
        minds.hive().vault_team(member).map_or(all, |team| self.vault.seen_by(team.as_str()))
    }

    /// The permits of a provider that takes at most `max` concurrent requests.
    pub fn permits(&self, provider: &str, max: NonZeroUsize) -> Arc<Semaphore> {
        self.permits.of(provider, max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::safety::trust::{TrustEntry, TrustKind};
    use crate::samples::assert_translated;

    #[test]
    fn why_there_is_no_provider_is_in_both_languages() {
        let act = "sends dialogs to example.org";
        let entry = TrustEntry::new(TrustKind::Provider, "p", act, "d".to_owned());
        for error in [
            ProviderError::Refused(LlmError::missing_key("SOME_KEY")),
            ProviderError::Unagreed(Unagreed { entry, before: None }),
        ] {
            assert_translated(&error.message());
        }
    }
}
