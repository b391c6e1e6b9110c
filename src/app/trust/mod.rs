//! What a person agreed to in a workspace, and what waits for them to agree.
//!
//! Three places ask here before anything on the list takes effect: whoever makes a provider, whoever
//! starts a server, and the engine, which keeps shells from members. Nothing here widens itself: the
//! list is read from the files as they are at that moment, and consent is kept outside the workspace.

mod list;
mod programs;
mod record;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::domain::sandbox::Level;
use crate::domain::trust::{Agreed, ChosenLevel, TrustEntry, TrustKind, Unagreed, unagreed};
use crate::domain::{AgentId, Lang};
use crate::driver::Consent;
use crate::mcp::Permission;
use crate::minds::mcp_config::{McpFile, Transport};
use crate::minds::{Minds, ProviderConfig};
use crate::platform::{dirs, env};

pub(super) use record::is_inside;

/// Consent for one workspace.
#[derive(Debug)]
pub struct Trust {
    workspace: PathBuf,
    /// As it stands in the file: the folder without links.
    canonical_workspace: String,
    /// `None` where there is no folder outside of the workspace.
    file: Option<PathBuf>,
    /// Digests of what holds for this run, whatever is in the file.
    agreed_for_this_run: BTreeSet<String>,
}

impl Trust {
    /// What this person agreed to earlier on this machine.
    pub fn recorded(workspace: &Path) -> Self {
        Self::in_folder(dirs::state(), workspace)
    }

    /// The same, and all that is on the list now: whoever starts this run agreed to it. What comes to
    /// the list later is not covered.
    pub fn for_this_run(workspace: &Path) -> Self {
        let mut trust = Self::recorded(workspace);
        trust.agreed_for_this_run = trust.list().into_iter().map(|entry| entry.digest).collect();
        trust
    }

    fn in_folder(folder: Option<PathBuf>, workspace: &Path) -> Self {
        let real = workspace.canonicalize().unwrap_or_else(|_| workspace.to_owned());
        let outside = folder.filter(|folder| !is_inside(folder, workspace));
        Self {
            workspace: workspace.to_owned(),
            canonical_workspace: real.to_string_lossy().into_owned(),
            file: outside.map(|folder| folder.join(record::FILE)),
            agreed_for_this_run: BTreeSet::new(),
        }
    }

    /// All that the workspace can make happen, as its files are now.
    pub fn list(&self) -> Vec<TrustEntry> {
        let minds = Minds::load(&self.workspace, Lang::En);
        self.list_of(&minds)
    }

    fn list_of(&self, minds: &Minds) -> Vec<TrustEntry> {
        let servers = McpFile::load(&self.workspace);
        list::all_entries(&self.workspace, minds, &servers, &env::variable)
    }

    /// What waits for a person, in the order of the list.
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

    /// What cannot be read is no consent.
    fn agreed(&self) -> Vec<Agreed> {
        self.file.as_deref().and_then(|file| record::read(file).ok()).unwrap_or_default()
    }

    /// Records that a person agreed to entries of the list that were shown to them. What is on the list
    /// no more, or has changed since, is not recorded.
    ///
    /// # Errors
    /// A sentence for a person; nothing is recorded then.
    pub fn agree(&self, digests: &[String]) -> Result<(), String> {
        let shown = |entry: &TrustEntry| digests.contains(&entry.digest);
        let entries: Vec<TrustEntry> = self.list().into_iter().filter(shown).collect();
        if let Some(long) = entries.iter().find(|entry| !entry.can_be_shown()) {
            let (kind, name) = (long.kind.name(), &long.name);
            return Err(format!("what {kind} {name} does is too long to be agreed to: shorten it"));
        }
        if entries.is_empty() {
            return Ok(());
        }
        let file = self.file()?;
        record::add(file, &self.canonical_workspace, &entries)
            .map_err(|error| format!("{}: {error}", file.display()))
    }

    /// The level of the sandbox that was chosen here on the screen. What cannot be read is no choice.
    pub fn level(&self) -> Option<Level> {
        record::read_level(self.file.as_deref()?, &self.canonical_workspace).ok()?
    }

    /// Keeps the level a person chose.
    ///
    /// # Errors
    /// A sentence for a person; nothing is kept then.
    pub fn choose(&self, sandbox: Level) -> Result<(), String> {
        let file = self.file()?;
        let chosen = ChosenLevel { workspace: self.canonical_workspace.clone(), sandbox };
        record::write_level(file, &chosen).map_err(|error| format!("{}: {error}", file.display()))
    }

    fn file(&self) -> Result<&Path, String> {
        let nowhere =
            || "there is no folder outside of the workspace to keep consent in".to_owned();
        self.file.as_deref().ok_or_else(nowhere)
    }

    /// What has to be agreed to before this provider can be used.
    ///
    /// # Errors
    /// It can be used by nobody, agreed to or not; a sentence.
    pub fn provider(&self, config: &ProviderConfig) -> Result<Option<Unagreed>, String> {
        let Some(entry) = list::provider_entry(&self.workspace, config)? else { return Ok(None) };
        Ok(self.if_unagreed(entry, &self.agreed()))
    }
}

impl Permission for Trust {
    fn may(&self, server: &str, transport: &Transport) -> bool {
        let entry = list::server_entry(&self.workspace, server, transport, &env::variable);
        self.if_unagreed(entry, &self.agreed()).is_none()
    }
}

impl Consent for Trust {
    fn waiting(&self, minds: &Minds) -> Vec<Unagreed> {
        self.unagreed(self.list_of(minds))
    }

    fn agree(&self, digests: &[String]) -> Result<(), String> {
        Self::agree(self, digests)
    }

    fn choose_level(&self, level: Level) -> Result<(), String> {
        Self::choose(self, level)
    }

    fn without_shell(&self, minds: &Minds) -> Vec<AgentId> {
        let waiting = self.unagreed(list::shell_entries(minds));
        let shells = waiting.into_iter().filter(|one| one.entry.kind == TrustKind::Shell);
        let names: BTreeSet<String> = shells.map(|one| one.entry.digest).collect();
        let waits = |id: &&AgentId| names.contains(&list::shell_digest(id));
        minds.team().members.iter().map(|member| &member.id).filter(waits).cloned().collect()
    }
}

#[cfg(test)]
mod tests;
