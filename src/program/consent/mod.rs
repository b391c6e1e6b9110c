//! The user's consent to what a workspace can do, and the entries that wait for it.
//!
//! Four callers check consent before an entry takes effect: the source of providers, the start of MCP
//! servers, the store of notices, and the engine, which removes shells and decisions from members. Entries are always read from the current
//! files, and consent is stored outside the workspace.

mod list;
mod program_checksums;
mod record;
mod references;
mod runners;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::asking::autonomy::{AutonomyLevel, AutonomyScope, DecisionPolicy};
use crate::domain::safety::sandbox::Level;
use crate::domain::safety::server_tools::{KnownTools, ToolFacts};
use crate::domain::safety::trust::{
    Agreed, ChosenLevel, TrustEntry, TrustKind, Unagreed, unagreed,
};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, DialogId, Lang, TeamName};
use crate::driver::Consent;
use crate::guard::edit_file;
use crate::hive::Permission as StorePermission;
use crate::mcp::{NOT_AGREED, Permission};
use crate::minds::mcp_config::Transport;
use crate::minds::{CONFIG_LIMIT_BYTES, HIVE_FILE, Minds, ProviderConfig, with_level};
use crate::platform::{dirs, env};

pub(crate) use record::is_inside;

/// Consent for one workspace.
#[derive(Debug)]
pub struct Trust {
    workspace: PathBuf,
    /// The canonical path, as stored in the file.
    canonical_workspace: String,
    /// `None` if there is no state folder outside of the workspace.
    file: Option<PathBuf>,
    /// Digests of entries that are agreed to for this run only.
    agreed_for_this_run: BTreeSet<String>,
    /// Servers that are agreed to for this run only, with their tools.
    servers_of_this_run: Mutex<Vec<Agreed>>,
}

impl Trust {
    /// The recorded consent of this user on this machine.
    pub fn recorded(workspace: &Path) -> Self {
        Self::in_folder(dirs::state(), workspace)
    }

    /// The recorded consent, and consent to all current entries for this run. Entries that are added
    /// later are not covered.
    pub fn for_this_run(workspace: &Path) -> Self {
        let mut trust = Self::recorded(workspace);
        trust.agreed_for_this_run = trust.list().into_iter().map(|entry| entry.digest).collect();
        trust
    }

    /// The recorded consent, and consent to this provider for this run: the person has just entered it.
    pub fn for_entered(workspace: &Path, config: &ProviderConfig) -> Self {
        let mut trust = Self::recorded(workspace);
        let entry = list::provider_entry(workspace, config, &env::variable).ok().flatten();
        trust.agreed_for_this_run.extend(entry.map(|entry| entry.digest));
        trust
    }

    /// The consent that is recorded in this folder of the user.
    pub fn in_folder(folder: Option<PathBuf>, workspace: &Path) -> Self {
        let real = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        let outside = folder.filter(|folder| !is_inside(folder, workspace));
        Self {
            workspace: workspace.to_owned(),
            canonical_workspace: real.to_string_lossy().into_owned(),
            file: outside.map(|folder| folder.join(record::FILE)),
            agreed_for_this_run: BTreeSet::new(),
            servers_of_this_run: Mutex::default(),
        }
    }

    /// Returns all entries of the workspace's current files.
    pub fn list(&self) -> Vec<TrustEntry> {
        let minds = Minds::load(&self.workspace, Lang::En);
        self.list_of(&minds)
    }

    fn list_of(&self, minds: &Minds) -> Vec<TrustEntry> {
        let entries = list::all_entries(&self.workspace, minds, minds.mcp(), &env::variable);
        let agreed = self.agreed_servers();
        let with_tools = |entry: TrustEntry| {
            let is_it = |one: &&Agreed| {
                one.is_about(&self.canonical_workspace, &entry) && one.digest == entry.digest
            };
            let known = agreed.iter().rfind(is_it).and_then(|one| one.tools.as_ref());
            let waiting = known.map(|known| known.waiting.as_slice()).unwrap_or_default();
            let tool = |tool| list::tool_entry(&entry.name, &entry.digest, tool);
            let tools: Vec<TrustEntry> = waiting.iter().map(tool).collect();
            std::iter::once(entry).chain(tools)
        };
        entries.into_iter().flat_map(with_tools).collect()
    }

    /// Entries that wait for the user's consent, in order.
    pub fn waiting(&self) -> Vec<Unagreed> {
        self.unagreed(self.list())
    }

    fn unagreed(&self, entries: Vec<TrustEntry>) -> Vec<Unagreed> {
        let agreed = self.agreed();
        entries.into_iter().filter_map(|entry| self.if_unagreed(entry, &agreed)).collect()
    }

    fn if_unagreed(&self, entry: TrustEntry, agreed: &[Agreed]) -> Option<Unagreed> {
        let missing = unagreed(&self.canonical_workspace, entry, agreed)?;
        (!self.agreed_for_this_run.contains(&missing.entry.digest)).then_some(missing)
    }

    /// Returns everything that was agreed to, each tool as an entry of its own.
    fn agreed(&self) -> Vec<Agreed> {
        let with_tools = |one: Agreed| {
            let agreed = one.tools.as_ref().map(|known| known.agreed.as_slice());
            let entry = |tool| list::tool_entry(&one.name, &one.digest, tool);
            let entries = agreed.unwrap_or_default().iter().map(entry);
            let tools: Vec<Agreed> =
                entries.map(|entry| Agreed::to(&one.workspace, &entry)).collect();
            std::iter::once(one).chain(tools)
        };
        self.agreed_servers().into_iter().flat_map(with_tools).collect()
    }

    /// Returns everything that was agreed to, with the tools of servers. An unreadable file counts as no consent.
    fn agreed_servers(&self) -> Vec<Agreed> {
        let read = self.file.as_deref().and_then(|file| record::read(file).ok());
        let mut agreed = read.unwrap_or_default();
        agreed.extend(self.servers_of_this_run().iter().cloned());
        agreed
    }

    fn servers_of_this_run(&self) -> MutexGuard<'_, Vec<Agreed>> {
        self.servers_of_this_run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the user's consent to entries that were shown. Entries that were removed or have changed
    /// since are not recorded.
    ///
    /// # Errors
    /// The message for the user; nothing is recorded then.
    pub fn agree(&self, digests: &[String]) -> Result<(), Localized> {
        let shown = |entry: &TrustEntry| digests.contains(&entry.digest);
        let (tools, entries): (Vec<TrustEntry>, Vec<TrustEntry>) =
            self.list().into_iter().filter(shown).partition(|entry| entry.kind == TrustKind::Tool);
        if let Some(long) = entries.iter().find(|entry| !entry.can_be_shown()) {
            let (kind, name) = (long.kind.name(), &long.name);
            return Err(localized!(
                "what {kind} {name} does is too long to be agreed to: shorten it",
                "{kind} {name} 要做的事过长，无法表示同意：请缩短"
            ));
        }
        if !entries.is_empty() {
            let file = self.file()?;
            record::add(file, &self.canonical_workspace, &entries)
                .map_err(|error| unwritable(file, &error))?;
        }
        self.agree_to_tools(&tools)
    }

    /// Records consent to a provider that this person has entered, if the files name it as it was entered.
    ///
    /// # Errors
    /// The message for the user; nothing is recorded then.
    pub fn agree_to_entered(&self, config: &ProviderConfig) -> Result<(), Localized> {
        match list::provider_entry(&self.workspace, config, &env::variable)? {
            Some(entry) => self.agree(&[entry.digest]),
            None => Ok(()),
        }
    }

    /// Agrees to tools. One that cannot be shown keeps waiting: a server must not block consent to the rest.
    fn agree_to_tools(&self, tools: &[TrustEntry]) -> Result<(), Localized> {
        let digests: BTreeSet<&str> = tools
            .iter()
            .filter(|tool| tool.can_be_shown())
            .map(|tool| tool.digest.as_str())
            .collect();
        if digests.is_empty() {
            return Ok(());
        }
        let fits = |server: &Agreed, tool: &ToolFacts| {
            digests.contains(list::tool_digest(&server.digest, tool).as_str())
        };
        for server in self.servers_of_this_run().iter_mut() {
            let agreed = server.tools.as_ref().map(|known| known.with(|tool| fits(server, tool)));
            server.tools = agreed;
        }
        let Some(file) = self.file.as_deref().filter(|file| file.exists()) else { return Ok(()) };
        record::agree_to_tools(file, &self.canonical_workspace, fits)
            .map_err(|error| unwritable(file, &error))
    }

    /// Writes a level of autonomy into the workspace's configuration; this person agrees to it by that, but not to
    /// what somebody else wrote beside it.
    ///
    /// # Errors
    /// The message for the user.
    pub fn choose_autonomy(
        &self,
        scope: &AutonomyScope,
        level: AutonomyLevel,
    ) -> Result<(), Localized> {
        let held = self.unagreed_autonomy(&Minds::load(&self.workspace, Lang::En));
        edit_file(&self.workspace, HIVE_FILE, CONFIG_LIMIT_BYTES, |text| {
            with_level(text, scope, level)
        })?;
        let minds = Minds::load(&self.workspace, Lang::En);
        let rule = minds.hive().autonomy.rule(scope);
        let names_kinds = rule.is_some_and(|rule| {
            rule.policies.values().any(|one| *one == DecisionPolicy::Automated)
        });
        if names_kinds && held.contains(scope) {
            return Ok(());
        }
        let entry = list::autonomy_entries(&minds).find(|(of, _)| *of == scope);
        match entry {
            Some((_, entry)) => self.agree(&[entry.digest]),
            None => Ok(()),
        }
    }

    /// Records how much this person lets the member of a dialog decide alone; `None`: as the files say.
    ///
    /// # Errors
    /// The message for the user; then nothing more is left to the member, or what was agreed to before stays recorded.
    pub fn choose_autonomy_of(
        &self,
        dialog: &DialogId,
        level: Option<AutonomyLevel>,
    ) -> Result<(), Localized> {
        let entry = list::dialog_entry(dialog, level);
        if level.is_some_and(AutonomyLevel::leaves_decisions) {
            let file = self.file()?;
            return record::add(file, &self.canonical_workspace, &[entry])
                .map_err(|error| unwritable(file, &error));
        }
        // What is stricter needs no consent: only what was agreed to before is forgotten.
        let is_there = |file: &&Path| file.try_exists().unwrap_or(true);
        let Some(file) = self.file.as_deref().filter(is_there) else { return Ok(()) };
        record::add(file, &self.canonical_workspace, &[entry]).map_err(|error| {
            let why = unwritable(file, &error);
            localized!(
                [why] "what you agreed to before for this dialog cannot be taken back: {why}; remove the cause and choose again",
                "无法撤回你先前对此对话的同意：{why}；请排除原因后重新选择"
            )
        })
    }

    /// True if this person lets the member of a dialog decide so much alone.
    pub fn lets_decide(&self, dialog: &DialogId, level: AutonomyLevel) -> bool {
        let entry = list::dialog_entry(dialog, Some(level));
        !level.leaves_decisions() || self.if_unagreed(entry, &self.agreed()).is_none()
    }

    /// The sandbox level that was chosen on the screen. Where that cannot be known, it is the strictest.
    pub fn level(&self) -> Option<Level> {
        let chosen = record::read_level(self.file.as_deref()?, &self.canonical_workspace);
        chosen.unwrap_or(Some(Level::ReadOnly))
    }

    /// Stores the level the user chose.
    ///
    /// # Errors
    /// The message for the user; nothing is stored then.
    pub fn choose(&self, sandbox: Level) -> Result<(), Localized> {
        let file = self.file()?;
        let chosen = ChosenLevel { workspace: self.canonical_workspace.clone(), sandbox };
        record::write_level(file, &chosen).map_err(|error| unwritable(file, &error))
    }

    fn file(&self) -> Result<&Path, Localized> {
        self.file.as_deref().ok_or_else(|| NO_FOLDER.into())
    }

    /// The entry of this provider, if it still needs consent.
    ///
    /// # Errors
    /// It cannot be used, with or without consent; the message for the user.
    pub fn provider(&self, config: &ProviderConfig) -> Result<Option<Unagreed>, Localized> {
        let Some(entry) = list::provider_entry(&self.workspace, config, &env::variable)? else {
            return Ok(None);
        };
        Ok(self.if_unagreed(entry, &self.agreed()))
    }
}

const NO_FOLDER: Text = Text::new(
    "there is no folder outside of the workspace to store consent in",
    "工作区之外没有可保存同意记录的文件夹",
);

fn unwritable(file: &Path, error: &io::Error) -> Localized {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<record::NotObeyed>());
    if let Some(record::NotObeyed(text)) = cause {
        return text.clone();
    }
    let file = file.display();
    localized!("{file}: {error}", "无法写入 {file}：{error}")
}

impl Permission for Trust {
    fn may(&self, server: &str, transport: &Transport) -> bool {
        let entry = list::server_entry(&self.workspace, server, transport, &env::variable);
        self.if_unagreed(entry, &self.agreed()).is_none()
    }

    fn held_tools(
        &self,
        server: &str,
        transport: &Transport,
        listed: &[ToolFacts],
    ) -> Result<BTreeSet<String>, Localized> {
        let entry = list::server_entry(&self.workspace, server, transport, &env::variable);
        let known = self.known_tools(&entry, listed)?.ok_or(NOT_AGREED)?;
        let is_held = |tool: &&ToolFacts| {
            let digest = list::tool_digest(&entry.digest, tool);
            !known.agrees_to(tool) && !self.agreed_for_this_run.contains(&digest)
        };
        Ok(listed.iter().filter(is_held).map(|tool| tool.name.clone()).collect())
    }
}

impl Trust {
    /// The tools of a server that is agreed to, after it listed these; recorded.
    fn known_tools(
        &self,
        entry: &TrustEntry,
        listed: &[ToolFacts],
    ) -> Result<Option<KnownTools>, Localized> {
        let workspace = &self.canonical_workspace;
        if !entry.can_be_shown() {
            return Ok(None);
        }
        let for_this_run = self.agreed_for_this_run.contains(&entry.digest);
        if let Some(file) = self.file.as_deref() {
            match record::list_tools(file, workspace, entry, listed) {
                Ok(Some(known)) => return Ok(Some(known)),
                Err(error) if !for_this_run => return Err(unwritable(file, &error)),
                Ok(None) | Err(_) => {}
            }
        }
        if !for_this_run {
            return Ok(None);
        }
        let mut servers = self.servers_of_this_run();
        let known = servers.iter().position(|one| one.digest == entry.digest);
        let before = known.map(|at| servers.swap_remove(at)).and_then(|one| one.tools);
        let after = record::after_list(before.as_ref(), listed);
        servers.push(Agreed { tools: Some(after.clone()), ..Agreed::to(workspace, entry) });
        Ok(Some(after))
    }
}

impl StorePermission for Trust {
    fn awaits_consent(&self) -> bool {
        Self::waiting(self).iter().any(Unagreed::holds_dialogs)
    }

    fn may_open(&self, seat: &str) -> bool {
        self.if_unagreed(list::store_entry(seat), &self.agreed()).is_none()
    }

    fn made_here(&self, seat: &str) -> Result<(), Localized> {
        let file = self.file()?;
        record::add(file, &self.canonical_workspace, &[list::store_entry(seat)])
            .map_err(|error| unwritable(file, &error))
    }
}

impl Consent for Trust {
    fn waiting(&self, minds: &Minds) -> Vec<Unagreed> {
        self.unagreed(self.list_of(minds))
    }

    fn agree(&self, digests: &[String]) -> Result<(), Localized> {
        Self::agree(self, digests)
    }

    fn choose_level(&self, level: Level) -> Result<(), Localized> {
        Self::choose(self, level)
    }

    fn choose_autonomy(
        &self,
        scope: &AutonomyScope,
        level: AutonomyLevel,
    ) -> Result<(), Localized> {
        Self::choose_autonomy(self, scope, level)
    }

    fn choose_autonomy_of(
        &self,
        dialog: &DialogId,
        level: Option<AutonomyLevel>,
    ) -> Result<(), Localized> {
        Self::choose_autonomy_of(self, dialog, level)
    }

    fn lets_decide(&self, dialog: &DialogId, level: AutonomyLevel) -> bool {
        Self::lets_decide(self, dialog, level)
    }

    fn without_shell(&self, minds: &Minds) -> Vec<AgentId> {
        let waiting = self.unagreed(list::shell_entries(minds));
        let shells = waiting.into_iter().filter(|one| one.entry.kind == TrustKind::Shell);
        let names: BTreeSet<String> = shells.map(|one| one.entry.digest).collect();
        let waits = |id: &&AgentId| names.contains(&list::shell_digest(id));
        minds.team().members.iter().map(|member| &member.id).filter(waits).cloned().collect()
    }

    fn unagreed_autonomy(&self, minds: &Minds) -> Vec<AutonomyScope> {
        let mut entries = list::autonomy_entries(minds).peekable();
        if entries.peek().is_none() {
            return Vec::new();
        }
        let agreed = self.agreed();
        let waits = |entry| self.if_unagreed(entry, &agreed).is_some();
        entries.filter_map(|(scope, entry)| waits(entry).then(|| scope.clone())).collect()
    }

    fn unagreed_vaults(&self, minds: &Minds) -> Vec<TeamName> {
        let mut entries = list::vault_entries(minds).peekable();
        if entries.peek().is_none() {
            return Vec::new();
        }
        let agreed = self.agreed();
        let waits = |entry| self.if_unagreed(entry, &agreed).is_some();
        entries.filter_map(|(team, entry)| waits(entry).then(|| team.clone())).collect()
    }
}

#[cfg(test)]
mod tests;
