//! The memories of teams, as tools and driver ask for them: each request is one transaction of the [keeper](super::keeper).

use super::fault::StoreFault;
use super::folder::off_thread;
use super::handle::Hive;
use super::setup::Setup;
use super::store::{Changes, Store};
use super::vault::VaultOwner;
use super::views::Stored;
use crate::domain::teams::memory::prompt::Noted;
use crate::domain::teams::memory::{
    Found, ListedMemories, Memory, MemoryFilter, MemoryQuery, MemoryRefusal, NewMemory, Saved,
};
use crate::domain::{SharedSecrets, TeamName};
use crate::minds::has_memory;

impl Hive {
    /// Saves a memory that was checked, unless something speaks against it.
    pub fn save_memory(&self, new: NewMemory) -> Stored<Result<Saved, MemoryRefusal>> {
        self.on_tasks(move |store, clock| {
            Box::pin(async move { store.save_memory(&new, clock.moment()).await })
        })
    }

    /// The memories that fit a query that was checked, the best first.
    pub fn search_memories(&self, wanted: MemoryQuery) -> Stored<Vec<Found>> {
        let hive = self.clone();
        Box::pin(async move {
            let of_file = hive.setup.as_ref().filter(|setup| setup.server().is_none());
            if let Some(setup) = of_file {
                let open = hive.on_tasks_changing(Changes::Nothing, |store, _| {
                    Box::pin(async move { store.reader().await })
                });
                let open = async move { open.await.ok().flatten() };
                let found = hive.reader.search(open, &wanted, setup.clock.as_ref()).await;
                if let Some(found) = found {
                    return Ok(found);
                }
            }
            let by_keeper = hive.on_tasks_changing(Changes::Nothing, move |store, clock| {
                Box::pin(async move { store.search_memories(&wanted, clock).await })
            });
            by_keeper.await
        })
    }

    /// Memories by type, then the newest first, and how many there are in all.
    pub fn memories(&self, filter: MemoryFilter) -> Stored<(Vec<Memory>, u64)> {
        self.on_tasks_changing(Changes::Nothing, move |store, clock| {
            Box::pin(async move { store.memories(&filter, clock).await })
        })
    }

    /// All memories that had this key, the newest first.
    pub fn memory_chain(&self, team: TeamName, key: String) -> Stored<Vec<Memory>> {
        self.on_tasks_changing(Changes::Nothing, move |store, clock| {
            Box::pin(async move { store.memory_chain(&team, &key, clock).await })
        })
    }

    /// Deletes a memory; false if there is none.
    pub fn delete_memory(&self, team: TeamName, key: String) -> Stored<bool> {
        self.on_tasks_changing(Changes::Nothing, move |store, clock| {
            Box::pin(async move { store.delete_memory(&team, &key, clock.moment()).await })
        })
    }

    /// Brings back what was deleted last under this key; false if there is nothing.
    pub fn restore_memory(
        &self,
        team: TeamName,
        key: String,
    ) -> Stored<Result<bool, MemoryRefusal>> {
        self.on_tasks_changing(Changes::Nothing, move |store, _| {
            Box::pin(async move { store.restore_memory(&team, &key).await })
        })
    }

    /// The teams that have memories.
    pub fn memory_teams(&self) -> Stored<Vec<TeamName>> {
        self.on_tasks_changing(Changes::Nothing, move |store, _| {
            Box::pin(async move { store.memory_teams().await })
        })
    }

    /// What a member of the team reads when a course begins.
    pub fn noted(&self, team: TeamName) -> Stored<Noted> {
        self.on_tasks_changing(Changes::Nothing, move |store, _| {
            Box::pin(async move { store.noted(&team).await })
        })
    }
}

impl Setup {
    /// Removes memories that were deleted long ago, and looks at their index. False where there are none.
    pub(super) async fn look_after_memories(&self, store: &mut Store) -> bool {
        let workspace = self.workspace.clone();
        let is_on = off_thread(move || Ok(has_memory(&workspace))).await;
        if !is_on.unwrap_or(false) {
            return false;
        }
        let looked = match store.remove_old_memories(self.clock.moment()).await {
            Ok(_) => store.check_memories().await,
            Err(fault) => Err(fault),
        };
        if let Err(fault) = looked {
            // Nothing is lost: both are done again the next day. An index that is known to be incomplete stays a problem.
            tracing::warn!(%fault, "the memories could not be looked after");
        }
        true
    }

    /// The active memories of these teams as files below the workspace: the folder of each team, with the path and the
    /// text. A secret that was set after a memory had been saved is taken out here; one that cannot be opened is not known.
    pub(super) async fn memory_files(
        &self,
        store: &mut Store,
        teams: &[(TeamName, String)],
    ) -> Result<Vec<(String, String)>, StoreFault> {
        let secrets = SharedSecrets::default();
        VaultOwner { store, keys: &self.vault_keys }.learn(&secrets).await?;
        let secrets = secrets.secrets();
        let mut files = Vec::new();
        for (team, folder) in teams {
            let team = Some(team.clone());
            let listed = ListedMemories::Active;
            let filter = MemoryFilter { team, kind: None, listed, most: u32::MAX };
            let (memories, _) = store.memories(&filter, self.clock.as_ref()).await?;
            let memories = memories.into_iter().map(|one| one.redacted(&secrets));
            files.extend(
                memories.map(|one| (format!("{folder}/{}", one.file_name()), one.markdown())),
            );
        }
        Ok(files)
    }
}
