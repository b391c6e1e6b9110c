//! The secrets that became known while the program runs: none is forgotten. An entry that is removed from a file was
//! perhaps used before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Secrets;
use crate::domain::safety::references::{EntryUse, VaultEntries, VaultEntry};

/// Uses that wait to be stored; more are not noted.
const MAX_USES: usize = 1_000;

/// Clones share what they know.
#[derive(Debug, Clone, Default)]
pub struct SharedSecrets(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    all: Arc<Secrets>,
    /// The entries of the vault of each team, as they are now.
    entries: BTreeMap<String, Arc<VaultEntries>>,
    /// What is known, as teams see it.
    seen: BTreeMap<String, Arc<Secrets>>,
    /// Uses of entries that are not stored yet.
    uses: Vec<EntryUse>,
}

impl SharedSecrets {
    /// Adds to what is known; all that is known then.
    pub fn learn(
        &self,
        names: impl IntoIterator<Item = String>,
        values: impl IntoIterator<Item = String>,
    ) -> Arc<Secrets> {
        self.known().learn(names, values)
    }

    /// The entries of all vaults are these from now on; their values are known.
    pub fn set_entries(&self, entries: BTreeMap<String, VaultEntries>) {
        let mut known = self.known();
        let values = entries.values().flat_map(BTreeMap::values).map(|entry| entry.value.clone());
        known.learn([], values);
        known.entries = entries.into_iter().map(|(team, own)| (team, Arc::new(own))).collect();
        known.seen.clear();
    }

    /// All that is known now.
    #[must_use]
    pub fn secrets(&self) -> Arc<Secrets> {
        self.known().all.clone()
    }

    /// All that is known now, as a team sees it.
    #[must_use]
    pub fn seen_by(&self, team: &str) -> Arc<Secrets> {
        let mut known = self.known();
        let Some(own) = known.entries.get(team).cloned() else { return known.all.clone() };
        if let Some(seen) = known.seen.get(team) {
            return seen.clone();
        }
        let all = known.all.as_ref().clone();
        let seen = if own.values().any(|entry| entry.rights.is_revealed) {
            Secrets::seen_by(all.names, all.values, own)
        } else {
            Secrets { own, ..all }
        };
        let seen = Arc::new(seen);
        known.seen.insert(team.to_owned(), seen.clone());
        seen
    }

    /// The entry of a team.
    #[must_use]
    pub fn entry(&self, team: &str, key: &str) -> Option<VaultEntry> {
        self.known().entries.get(team)?.get(key).cloned()
    }

    /// Notes a use of an entry, to be stored.
    pub fn note_use(&self, one: EntryUse) {
        let mut known = self.known();
        if known.uses.len() < MAX_USES {
            known.uses.push(one);
        }
    }

    /// Takes the uses that are not stored yet.
    #[must_use]
    pub fn take_uses(&self) -> Vec<EntryUse> {
        std::mem::take(&mut self.known().uses)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn learn(
        &mut self,
        names: impl IntoIterator<Item = String>,
        values: impl IntoIterator<Item = String>,
    ) -> Arc<Secrets> {
        let mut all_names = self.all.names.clone();
        all_names.extend(names);
        let values = values.into_iter().map(|value| value.trim().to_owned());
        let mut all_values: BTreeSet<String> = self.all.values.clone();
        all_values.extend(values.filter(|value| value.len() >= super::forms::SHORTEST));
        if all_values.len() > self.all.values.len() {
            self.all = Arc::new(Secrets::new(all_names, all_values));
            self.seen.clear();
        } else if all_names.len() > self.all.names.len() {
            self.all = Arc::new(Secrets { names: all_names, ..self.all.as_ref().clone() });
            self.seen.clear();
        }
        self.all.clone()
    }
}
