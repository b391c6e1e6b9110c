//! The vaults of teams: keyed texts, and secrets that are sealed on disk and used without a model reading them.
//!
//! What stays true: the key of a store is never in a workspace; a secret is opened only in memory, and is known to the
//! redactor before anybody gets it; no key, or a wrong one, never leads to a new key or to lost rows.

#[cfg(test)]
pub(super) mod faults;
mod key_file;
mod known;
mod migration;
mod owner;
mod seal;
#[cfg(test)]
mod tests;

use std::time::SystemTime;

use crate::domain::TeamName;
use crate::domain::safety::references::EntryUse;
use crate::domain::teams::vault::{ListedEntries, ShownEntry, ShownUse};

use super::handle::Hive;
use super::store::{Changes, VaultChange, VaultRefusal, VaultRow};
use super::views::Stored;

pub use key_file::{KeyFault, VaultKeys};
pub use known::{KnownVaults, unset_variables};
pub use migration::{EntryFate, MigrationPlan, PlannedTeam, plans_from, plans_of};
pub use owner::{KeyState, VaultFault, VaultOwner};

/// Uses that are shown with an entry.
const SHOWN_USES: usize = 100;

impl Hive {
    /// An entry, as it is stored.
    pub fn vault_row(&self, team: TeamName, key: String) -> Stored<Option<VaultRow>> {
        self.on_tasks_changing(Changes::Nothing, move |store, _| {
            Box::pin(async move { store.vault_row(&team, &key).await })
        })
    }

    /// The entries of a team, by their keys.
    pub fn vault_rows(&self, team: TeamName) -> Stored<Vec<VaultRow>> {
        self.on_tasks_changing(Changes::Nothing, move |store, _| {
            Box::pin(async move { store.vault_rows(Some(&team)).await })
        })
    }

    /// Entries of all teams with the beginnings of their texts, and how many there are.
    pub fn vault_listed(&self, listed: ListedEntries) -> Stored<(Vec<ShownEntry>, u64)> {
        self.on_tasks_changing(Changes::Nothing, move |store, clock| {
            Box::pin(async move {
                let (rows, total) = store.vault_listed(listed).await?;
                Ok((rows.iter().map(|row| row.shown(clock)).collect(), total))
            })
        })
    }

    /// An entry as people see it, and its newest uses.
    pub fn vault_entry(
        &self,
        team: TeamName,
        key: String,
    ) -> Stored<Option<(ShownEntry, Vec<ShownUse>)>> {
        self.on_tasks_changing(Changes::Nothing, move |store, clock| {
            Box::pin(async move {
                let Some(row) = store.vault_row(&team, &key).await? else { return Ok(None) };
                let mut uses = store.vault_uses(Some(&team), Some(&key), clock).await?;
                uses.truncate(SHOWN_USES);
                Ok(Some((row.shown(clock), uses)))
            })
        })
    }

    /// Stores a text for a member, unless there is a secret. Returns when it was stored.
    pub fn set_in_vault(&self, new: VaultRow) -> Stored<Result<SystemTime, VaultRefusal>> {
        self.on_tasks_changing(Changes::Nothing, move |store, clock| {
            Box::pin(
                async move { store.vault_put(&[new], VaultChange::ByMember, clock.moment()).await },
            )
        })
    }

    /// Deletes a text for a member, unless it is a secret; false if there was none.
    pub fn delete_from_vault(
        &self,
        team: TeamName,
        key: String,
    ) -> Stored<Result<bool, VaultRefusal>> {
        self.on_tasks_changing(Changes::Nothing, move |store, _| {
            Box::pin(async move { store.vault_delete(&team, &key, VaultChange::ByMember).await })
        })
    }

    /// Notes that secrets were used.
    pub fn note_used_secrets(&self, all: Vec<EntryUse>) -> Stored<()> {
        self.on_tasks_changing(Changes::Nothing, move |store, clock| {
            Box::pin(async move { store.vault_used(&all, clock.moment()).await })
        })
    }
}
