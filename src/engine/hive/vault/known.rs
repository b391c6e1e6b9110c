//! The secrets of the vaults, as a running program knows them: opened once, and again after a change in the store.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;

use super::key_file::VaultKeys;
use super::owner::{VaultOwner, shown};
use super::seal::{self, NotOpened};
use crate::domain::safety::references::{VaultEntries, VaultEntry, VaultUse};
use crate::domain::teams::org::{Org, OrgTeam};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{Problem, SharedSecrets};
use crate::hive::fault::StoreFault;
use crate::hive::folder::off_thread;
use crate::hive::handle::Hive;
use crate::hive::store::{Changes, Store, VaultMark, VaultRow};
use crate::minds::{STORE_FOLDER, team_file, uses_vault};

/// Keeps the secrets known to the redactor, and their entries to those who use them. Clones share what they know.
#[derive(Debug, Clone)]
pub struct KnownVaults {
    hive: Hive,
    secrets: SharedSecrets,
    state: Arc<Mutex<KnownState>>,
}

#[derive(Debug, Clone, Default)]
struct KnownState {
    /// The mark of the store at the last look; `None` if something could not be opened, which is tried again.
    mark: Option<VaultMark>,
    problems: Vec<Problem>,
}

/// What was opened.
#[derive(Debug)]
pub(super) struct Opened {
    pub mark: VaultMark,
    pub entries: BTreeMap<String, VaultEntries>,
    pub problems: Vec<Problem>,
    /// The keys that opened it, as they are written: secrets, too.
    keys: Vec<String>,
}

impl Opened {
    /// Makes it known; what keeps some of it from being opened.
    fn tell(self, secrets: &SharedSecrets) -> Vec<Problem> {
        secrets.learn([], self.keys);
        secrets.set_entries(self.entries);
        self.problems
    }
}

impl KnownVaults {
    /// `secrets`: where values and entries are known then.
    #[must_use]
    pub fn new(hive: Hive, secrets: SharedSecrets) -> Self {
        Self { hive, secrets, state: Arc::default() }
    }

    /// Knows what there is now, where the workspace uses vaults. Costs the look at one file where it does not.
    pub async fn settle(&self) {
        let Some(setup) = &self.hive.setup else { return };
        let workspace = setup.workspace.clone();
        match tokio::task::spawn_blocking(move || uses_vault(&workspace)).await {
            Ok(true) => self.refresh(setup.vault_keys.clone()).await,
            Ok(false) => self.turn_off(),
            // What is known stays.
            Err(_) => {}
        }
    }

    /// Opens what has changed in the store. A store that cannot be read leaves all as it is known.
    async fn refresh(&self, keys: VaultKeys) {
        let uses = self.secrets.take_uses();
        if !uses.is_empty()
            && let Err(reason) = self.hive.note_used_secrets(uses).await
        {
            // What is missing is when they were used. The fault of the store is a problem, as for every request to it.
            tracing::warn!(%reason, "uses of secrets are not noted");
        }
        let known = self.state().mark;
        let opened = self.hive.on_tasks_changing(Changes::Nothing, move |store, _| {
            Box::pin(async move { opened(store, keys, known).await })
        });
        match opened.await {
            Ok(Some(found)) => {
                let mark = Some(found.mark).filter(|_| found.problems.is_empty());
                let problems = found.tell(&self.secrets);
                *self.state() = KnownState { mark, problems };
            }
            Ok(None) => {}
            // What is known stays in use, and the fault of the store is a problem.
            Err(reason) => tracing::warn!(%reason, "the vaults cannot be read"),
        }
    }

    /// The vaults are not in use any more: nobody resolves a reference, and the values stay secret.
    fn turn_off(&self) {
        let before = std::mem::take(&mut *self.state());
        if before.mark.is_some() || !before.problems.is_empty() {
            self.secrets.set_entries(BTreeMap::new());
        }
    }

    /// What keeps secrets from being opened; if nothing does, the variables that commands of these teams lack.
    #[must_use]
    pub fn problems(&self, org: &Org) -> Vec<Problem> {
        let known = self.state().clone();
        if known.mark.is_some() { unset_variables(org, &self.secrets) } else { known.problems }
    }

    fn state(&self) -> MutexGuard<'_, KnownState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VaultOwner<'_> {
    /// Makes all secrets known; what keeps some from being opened.
    ///
    /// # Errors
    /// The store.
    pub async fn learn(&mut self, secrets: &SharedSecrets) -> Result<Vec<Problem>, StoreFault> {
        let found = opened(self.store, self.keys.clone(), None).await?;
        Ok(found.map(|found| found.tell(secrets)).unwrap_or_default())
    }
}

impl Store {
    /// A warning that names the secrets that models may read.
    ///
    /// # Errors
    /// The disk.
    pub async fn revealed(&mut self) -> Result<Option<Problem>, StoreFault> {
        let rows = self.vault_secrets().await?;
        let revealed = rows.iter().filter(|row| row.is_revealed);
        let names = revealed.map(|row| shown(&format!("{} {}", row.team, row.key)));
        let names = names.collect::<Vec<_>>().join(", ");
        let text = localized!("models may read {names}", "模型可以读取 {names}");
        let fix = Text::new(
            "close each: dominds-tui vault close KEY --team TEAM, with `--use` and `--hosts` for what it is for",
            "请逐个关闭：dominds-tui vault close KEY --team TEAM，并用 `--use` 和 `--hosts` 指明用途",
        );
        let problem = Problem::new("vault/revealed", STORE_FOLDER, text, fix).warning();
        Ok((!names.is_empty()).then_some(problem))
    }
}

/// A warning for each team whose file names variables that its commands do not get. All secrets are known.
#[must_use]
pub fn unset_variables(org: &Org, secrets: &SharedSecrets) -> Vec<Problem> {
    // One that is held back has a problem of its own.
    let teams = org.teams().filter(|team| team.held_back.is_none());
    teams.filter_map(|team| unset_of(team, secrets)).collect()
}

fn unset_of(team: &OrgTeam, secrets: &SharedSecrets) -> Option<Problem> {
    let is_set = |key: &str| {
        let entry = secrets.entry(team.name.as_str(), key);
        entry.is_some_and(|one| one.rights.uses.contains(&VaultUse::Shell))
    };
    let unset = team.shell_secrets.iter().filter(|(_, key)| !is_set(key));
    let names: Vec<String> =
        unset.map(|(variable, key)| format!("{variable} ({})", shown(key))).collect();
    let (name, names) = (&team.name, names.join(", "));
    let text = localized!(
        "commands of team {name} do not get {names}: its vault has no such secret for `shell`",
        "团队 {name} 的命令得不到 {names}：其保管库中没有用于 `shell` 的这些机密"
    );
    let fix = Text::new(
        "set each: dominds-tui vault set KEY --team TEAM --secret --use shell; or take it out of `vault.shell`",
        "请逐个设置：dominds-tui vault set KEY --team TEAM --secret --use shell；或从 `vault.shell` 中删除",
    );
    let problem = Problem::new(format!("vault/unset/{name}"), team_file(name), text, fix);
    (!names.is_empty()).then(|| problem.warning())
}

/// All secrets; `None` if none has changed.
pub(super) async fn opened(
    store: &mut Store,
    keys: VaultKeys,
    known: Option<VaultMark>,
) -> Result<Option<Opened>, StoreFault> {
    let mark = store.vault_mark().await?;
    if known == Some(mark) {
        return Ok(None);
    }
    let mut found =
        Opened { mark, entries: BTreeMap::new(), problems: Vec::new(), keys: Vec::new() };
    let rows = store.vault_secrets().await?;
    if rows.is_empty() {
        return Ok(Some(found));
    }
    let name = store.vault_name().await?;
    off_thread(move || {
        open_all(&rows, &name, &keys, &mut found);
        Ok(Some(found))
    })
    .await
}

fn open_all(rows: &[VaultRow], name: &str, keys: &VaultKeys, found: &mut Opened) {
    let known = match keys.of(name) {
        Ok(known) => known,
        Err(fault) => return found.problems.push(no_key(&fault.text(), rows.len())),
    };
    found.keys = known.iter().map(|key| key.written().to_string()).collect();
    let mut of_others = 0;
    for row in rows {
        match seal::opened(&known, name, row) {
            Ok(value) => {
                let since = row.updated_at.duration_since(UNIX_EPOCH).unwrap_or_default();
                let version = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
                let entry = VaultEntry { value: value.to_string(), rights: row.rights(), version };
                let team = found.entries.entry(row.team.to_string()).or_default();
                team.insert(row.key.clone(), entry);
            }
            Err(NotOpened::Changed) => found.problems.push(changed(row)),
            Err(NotOpened::OtherKey) => of_others += 1,
        }
    }
    if of_others > 0 {
        let other = Text::new(
            "they were sealed with another key than the one that is here",
            "它们由另一个密钥加密，而不是这里的密钥",
        );
        found.problems.push(no_key(&other.into(), of_others));
    }
}

fn no_key(why: &Localized, count: usize) -> Problem {
    let text = localized!(
        [why] "{count} secrets of the vault cannot be read: {why}",
        "保管库中的 {count} 个机密无法读取：{why}"
    );
    let fix = Text::new(
        "bring the key from where they were set: `dominds-tui vault key export` there, `vault key import` here",
        "请从设置它们的机器取来密钥：在那里执行 `dominds-tui vault key export`，在这里执行 `vault key import`",
    );
    Problem::new("vault/no-key", STORE_FOLDER, text, fix)
}

fn changed(row: &VaultRow) -> Problem {
    let (team, key) = (shown(row.team.as_str()), shown(&row.key));
    let text = localized!(
        "the secret {key} of team {team} is not as it was set: its row was moved, changed or cut",
        "团队 {team} 的机密 {key} 与设置时不同：其记录被移动、更改或截断"
    );
    // The names are not a part of a command: somebody else may have written them.
    let fix = Text::new(
        "set it anew with `dominds-tui vault set --secret`, or delete it",
        "请用 `dominds-tui vault set --secret` 重新设置，或删除它",
    );
    Problem::new(format!("vault/changed/{team}/{key}"), STORE_FOLDER, text, fix)
}
