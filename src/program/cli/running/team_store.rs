//! The store of a workspace for commands that use it beside a driver that may run, which sees it.

use std::path::Path;
use std::sync::Arc;

use crate::app::{hive_setup, vault_keys};
use crate::consent::Trust;
use crate::domain::{Problem, Secrets, TeamName};
use crate::driver::Engine;
use crate::hive::{KeyState, Setup, Store, StoreFault, VaultOwner};
use crate::minds::{Minds, uses_vault};
use crate::platform::{env, logs};

use crate::cli::config;
use crate::cli::exit::{CommandError, Status};

pub fn setup(workspace: &Path) -> Setup {
    let store = config::read(workspace).tasks.of(workspace);
    hive_setup(workspace, Arc::new(Trust::recorded(workspace)), store)
}

/// The store of a workspace; `None` if it has none.
pub async fn open(workspace: &Path) -> Result<Option<Store>, CommandError> {
    setup(workspace).open().await.map_err(|fault| refused(&fault))
}

/// Opens the store of a workspace, or makes it.
pub async fn open_or_make(workspace: &Path) -> Result<Store, CommandError> {
    setup(workspace).open_or_make().await.map_err(|fault| refused(&fault))
}

/// Makes the secrets of the vaults known, where there are some. Returns what keeps some from being opened.
pub async fn vault_problems(
    workspace: &Path,
    store: &mut Store,
) -> Result<Vec<Problem>, StoreFault> {
    if !uses_vault(workspace) {
        return Ok(Vec::new());
    }
    VaultOwner { store, keys: &vault_keys(workspace) }.learn(logs::vault()).await
}

/// All known secrets, as a team sees them: those that the configuration names, and those of the vaults that can be
/// opened here.
pub async fn known_secrets(
    workspace: &Path,
    minds: &Minds,
    store: &mut Store,
    team: &TeamName,
) -> Result<Arc<Secrets>, CommandError> {
    Engine::learn_secrets(logs::vault(), minds, &env::variable);
    vault_problems(workspace, store).await.map_err(|fault| refused(&fault))?;
    Ok(logs::vault().seen_by(team.as_str()))
}

/// What is here of the key of the vaults, and how many secrets they have; `None` where they are off.
pub async fn vault_key(
    workspace: &Path,
    store: &mut Store,
) -> Result<Option<(KeyState, usize)>, StoreFault> {
    if !uses_vault(workspace) {
        return Ok(None);
    }
    VaultOwner { store, keys: &vault_keys(workspace) }.key_state().await.map(Some)
}

pub fn refused(fault: &StoreFault) -> CommandError {
    let text = fault.text().to_string();
    match fault {
        StoreFault::Busy | StoreFault::Lost(_) | StoreFault::SeatInUse(_) => {
            CommandError { status: Status::InUse, text }
        }
        StoreFault::NotAgreed => CommandError::refused(text),
        StoreFault::Nameless
        | StoreFault::Link(_)
        | StoreFault::Distrusted { .. }
        | StoreFault::Io { .. }
        | StoreFault::Newer
        | StoreFault::Damaged(_)
        | StoreFault::Full
        | StoreFault::TooMany
        | StoreFault::Ended
        | StoreFault::ForeignSeat
        | StoreFault::Settings(_)
        | StoreFault::Server(_)
        | StoreFault::Other(_) => CommandError::invalid(text),
    }
}
