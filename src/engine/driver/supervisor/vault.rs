//! The vaults of the teams, for clients that look. Without `vault: on` nothing is read. No secret is opened for this, and
//! one that stands in a text is taken out.

use std::sync::Arc;

use crate::domain::safety::references::VaultUse;
use crate::domain::teams::org_change::one_line;
use crate::domain::teams::vault::{ShownEntry, WholeEntry};
use crate::domain::text::{Localized, Text};
use crate::domain::{AgentId, Secrets};
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::driver::shared::engine::Engine;
use crate::hive::VaultFault;
use crate::minds::Minds;
use crate::protocol::command::Ticket;
use crate::protocol::{DriverEvent, VaultRequest};

use super::trees::Supervisor;

/// Most characters of a text in a list.
const LISTED_CHARS: usize = 200;

const OFF: Text = Text::new(
    "teams have no vaults here: write `vault: on` into .minds/hive/hive.yaml",
    "这里的团队没有保管库：请在 .minds/hive/hive.yaml 中写入 `vault: on`",
);

impl Supervisor {
    pub(super) fn vault_request(&mut self, ticket: Ticket, request: VaultRequest) {
        let engine = self.engine.clone();
        self.reply_later(ticket, async move { answer(&engine, ticket, request).await });
    }
}

async fn answer(
    engine: &Arc<Engine>,
    ticket: Ticket,
    request: VaultRequest,
) -> Result<DriverEvent, Localized> {
    let reader = engine.clone();
    // Also what nobody has agreed to yet: the screen says so.
    let minds = blocking(move |on| reader.configuration.current(on)).await;
    let minds = minds.map_err(|error| interrupted(&error))?;
    if !minds.hive().has_vault() {
        return Err(OFF.into());
    }
    engine.sources.know_secrets().await;
    let secrets = engine.secrets(&minds);
    match request {
        VaultRequest::List { listed } => {
            let (entries, total) = engine.hive.vault_listed(listed).await?;
            let entries = entries.into_iter().map(|entry| row(entry, &secrets)).collect();
            Ok(DriverEvent::Vault { ticket, entries, total })
        }
        VaultRequest::Show { team, key } => {
            let found = engine.hive.vault_entry(team, key.clone()).await?;
            let (mut entry, uses) = found.ok_or_else(|| VaultFault::missing(&key).text())?;
            entry.value = entry.value.map(|text| secrets.redacted(text));
            let (variables, members) = commands_with(&entry, &minds);
            let whole = Box::new(WholeEntry { entry, variables, members, uses });
            Ok(DriverEvent::VaultEntry { ticket, whole })
        }
    }
}

/// An entry as lists show it. The store may have cut its text within a secret.
fn row(entry: ShownEntry, secrets: &Arc<Secrets>) -> ShownEntry {
    let line = |text: String| one_line(&secrets.redacted_cut(&text), LISTED_CHARS);
    ShownEntry { value: entry.value.map(line), ..entry }
}

/// The variables in which commands get a secret, and whose commands these are.
fn commands_with(entry: &ShownEntry, minds: &Minds) -> (Vec<String>, Vec<AgentId>) {
    let is_for_them = entry.is_secret && entry.uses.contains(&VaultUse::Shell);
    let team = minds.hive().org().team(&entry.team).filter(|_| is_for_them);
    let Some(team) = team else { return (Vec::new(), Vec::new()) };
    let named = team.shell_secrets.iter().filter(|(_, key)| *key == entry.key);
    (named.map(|(variable, _)| variable.clone()).collect(), team.members.clone())
}
