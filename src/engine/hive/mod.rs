//! What a workspace keeps outside of its dialogs, in `.hive/`: news for people, the history, tasks, triggers and vaults.
//!
//! It is there only where `.minds/hive/hive.yaml` is, and a store that came with a workspace is opened only after a person
//! has agreed to it. One task, the keeper of a [`Hive`], owns the database; others wait for its answers, and it waits for nobody.
//! Losing `.hive/` loses these, never a dialog, a configuration or an open question.

mod copies;
mod disk;
mod fault;
mod folder;
mod handle;
mod hashes;
mod keeper;
mod lease;
mod memories;
mod reader;
mod sagas;
mod server;
mod setup;
mod store;
mod task_refusal;
mod tasks;
#[cfg(test)]
pub(crate) mod test_support;
mod trigger_wishes;
mod vault;
mod views;

pub use fault::{STORE_PROBLEM, StoreFault};
pub use folder::{Folder, StoreState};
pub use handle::{Hive, Request};
pub use server::{EngineRow, HostedTeams, Server, StoreChoice, TAKEOVER, checked_url, is_name};
pub use setup::{AnyStore, Permission, Setup};
pub use store::{HistoryFilter, Listed, Store, VaultChange, VaultRefusal, VaultRow};
pub use task_refusal::task_refused;
pub use vault::{
    EntryFate, KeyFault, KeyState, KnownVaults, MigrationPlan, PlannedTeam, VaultFault, VaultKeys,
    VaultOwner, plans_from, plans_of, unset_variables,
};
pub use views::{Ending, News, NewsView, Sharing, StallNews, Stored, TasksView, TeamSlots};
