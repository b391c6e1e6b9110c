//! How the store of a workspace is found, made and opened.

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::text::Localized;
use crate::domain::{Clock, Lang, Problem, TaskId, TeamName};
use crate::minds::has_hive;

use super::fault::{StoreFault, team_differs};
use super::folder::{Folder, StoreState, off_thread};
use super::hashes::hashes;
use super::server::{Server, StoreChoice};
use super::store::Store;
use super::vault::VaultKeys;

/// Hex digits of the id of a task.
const TASK_ID_DIGITS: usize = 16;

/// Whether the store of a workspace may be opened. May block on the disk.
pub trait Permission: Send + Sync + std::fmt::Debug {
    /// True while something of the workspace waits for a person's consent: then the teams are not changed.
    fn awaits_consent(&self) -> bool;

    /// True if the store with this name was made here, or a person agreed to it.
    fn may_open(&self, seat: &str) -> bool;

    /// Records that the store with this name is made here.
    ///
    /// # Errors
    /// The message for the user; the store is not made then.
    fn made_here(&self, seat: &str) -> Result<(), Localized>;
}

/// Any store may be opened.
#[derive(Debug)]
pub struct AnyStore;

impl Permission for AnyStore {
    fn awaits_consent(&self) -> bool {
        false
    }

    fn may_open(&self, _seat: &str) -> bool {
        true
    }

    fn made_here(&self, _seat: &str) -> Result<(), Localized> {
        Ok(())
    }
}

/// What a [`Hive`](super::Hive) works with.
#[derive(Debug, Clone)]
pub struct Setup {
    pub workspace: PathBuf,
    pub clock: Arc<dyn Clock>,
    pub permission: Arc<dyn Permission>,
    /// Draws a unique random name.
    pub random_name: fn() -> String,
    pub store: StoreChoice,
    /// What opens the secrets of its vaults.
    pub vault_keys: VaultKeys,
    /// The user's language.
    pub lang: Lang,
}

impl Setup {
    /// True if the workspace has the files without which there is no store.
    #[must_use]
    pub fn is_configured(&self) -> bool {
        has_hive(&self.workspace)
    }

    /// Draws the id of a task.
    #[must_use]
    pub fn new_task_id(&self) -> TaskId {
        let random = (self.random_name)();
        TaskId::new(format!("task-{}", random.get(..TASK_ID_DIGITS).unwrap_or(&random)))
    }

    /// Opens the store if there is one.
    ///
    /// # Errors
    /// Nobody agreed to it, or it cannot be opened.
    pub async fn open(&self) -> Result<Option<Store>, StoreFault> {
        let folder = Folder::of(&self.workspace);
        let (state, configured) = {
            let (setup, folder) = (self.clone(), folder.clone());
            off_thread(move || Ok((folder.state(), setup.is_configured()))).await?
        };
        let is_missing = self.store == StoreChoice::Own && state == StoreState::Missing;
        if is_missing || !configured {
            return Ok(None);
        }
        self.open_or_make().await.map(Some)
    }

    /// Opens the store; it is made if there is none.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub async fn open_or_make(&self) -> Result<Store, StoreFault> {
        let (setup, folder) = (self.clone(), Folder::of(&self.workspace));
        match &self.store {
            StoreChoice::Own => {
                let prepare = move || setup.prepare(&folder);
                let (database, seat) = off_thread(prepare).await?;
                Store::open(&database, &seat, self.clock.moment()).await
            }
            StoreChoice::Server(server) => {
                let seat = off_thread(move || setup.prepare_seat(&folder)).await?;
                Store::of_server(server, &seat, self.clock.moment()).await
            }
            StoreChoice::Unusable(why) => Err(StoreFault::Settings(why.clone())),
        }
    }

    /// The name of this workspace in a shared store. A name that came with the workspace is refused: its holder would
    /// get what is meant for another workspace.
    fn prepare_seat(&self, folder: &Folder) -> Result<String, StoreFault> {
        folder.make()?;
        // A driver and a command may begin at the same time.
        let locked = folder.lock()?;
        let seat = if let Some(seat) = folder.seat() {
            seat
        } else {
            let drawn = (self.random_name)();
            let known = self.permission.made_here(&drawn);
            known.map_err(|text| StoreFault::Other(text.to_string()))?;
            folder.write_seat(&drawn)?
        };
        drop(locked);
        if self.permission.may_open(&seat) { Ok(seat) } else { Err(StoreFault::ForeignSeat) }
    }

    /// The problems of the teams that are not worked for here because another box has another file for them.
    ///
    /// # Errors
    /// The server.
    pub async fn differing(
        &self,
        store: &mut Store,
        teams: Vec<TeamName>,
    ) -> Result<Vec<Problem>, StoreFault> {
        let Some(server) = self.server() else { return Ok(Vec::new()) };
        let (rule, workspace) = (server.teams.clone(), self.workspace.clone());
        let hash = move || Ok(hashes(&workspace, teams.iter().filter(|team| rule.has(team))));
        let differing = store.differing(&off_thread(hash).await?).await?;
        Ok(differing.iter().map(team_differs).collect())
    }

    /// The server of the store, if it is on one.
    #[must_use]
    pub fn server(&self) -> Option<&Server> {
        match &self.store {
            StoreChoice::Server(server) => Some(server),
            StoreChoice::Own | StoreChoice::Unusable(_) => None,
        }
    }

    fn prepare(&self, folder: &Folder) -> Result<(PathBuf, String), StoreFault> {
        match folder.state() {
            StoreState::There { seat } => {
                if seat.is_empty() {
                    return Err(StoreFault::Nameless);
                }
                if !self.permission.may_open(&seat) {
                    return Err(StoreFault::NotAgreed);
                }
                folder.prepare(&seat)?;
                Ok((folder.database(), seat))
            }
            StoreState::Missing => {
                let seat = folder.prepare(&(self.random_name)())?;
                self.permission
                    .made_here(&seat)
                    .map_err(|text| StoreFault::Other(text.to_string()))?;
                folder.make_database()?;
                Ok((folder.database(), seat))
            }
        }
    }
}
