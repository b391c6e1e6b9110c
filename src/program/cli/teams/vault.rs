//! `vault`: the entries of the vaults, and the key of their secrets. No command prints a secret.

use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::team_named;
use super::vault_migration::migrate;
use crate::app;
use crate::cli::args::vault_args::{
    EntryName, KeyCommand, Listed, MigrateArgs, RightsArgs, VaultCommand,
};
use crate::cli::exit::{CommandError, Status};
use crate::cli::output;
use crate::cli::running::team_store::{known_secrets, open_or_make, refused};
use crate::domain::safety::references::{EntryUse, VaultRights, check_entry, is_host_pattern};
use crate::domain::safety::secrets::{is_too_short, is_wordy};
use crate::domain::teams::org::Org;
use crate::domain::teams::org_change::one_line;
use crate::domain::teams::vault::ShownUse;
use crate::domain::{Clock as _, Lang, TeamName};
use crate::hive::{Store, VaultChange, VaultFault, VaultKeys, VaultOwner, VaultRow};
use crate::minds::Minds;
use crate::platform::hidden_input::read_hidden;
use crate::platform::{SystemClock, logs};

/// Most characters of a value in a line.
const SHOWN_CHARS: usize = 60;

pub async fn vault(workspace: &Path, wanted: VaultCommand) -> Result<Status, CommandError> {
    let org = org_with_vaults(workspace)?;
    if let VaultCommand::Migrate(wanted) = wanted {
        return migrate(workspace, &org, wanted).await;
    }
    let mut work = Work::open(workspace, org).await?;
    let done = work.run(workspace, wanted).await;
    work.store.close().await;
    done.map(|()| Status::Done)
}

/// Migrates the credentials of all teams before a driver starts. A team that cannot be migrated is held back.
pub async fn migrate_credentials(workspace: &Path) -> Result<(), CommandError> {
    let org = org_with_vaults(workspace)?;
    migrate(workspace, &org, MigrateArgs::default()).await.map(drop)
}

fn org_with_vaults(workspace: &Path) -> Result<Arc<Org>, CommandError> {
    let minds = Minds::load(workspace, Lang::En);
    if minds.hive().has_vault() {
        return Ok(minds.hive().org().clone());
    }
    Err(CommandError::refused(
        "there are no vaults here: write `vault: on` in .minds/hive/hive.yaml",
    ))
}

/// The error of something that was not done.
pub(super) fn failed(fault: &VaultFault) -> CommandError {
    match fault {
        VaultFault::Store(fault) => refused(fault),
        VaultFault::Wrong(text) => CommandError::usage(text.to_string()),
        VaultFault::Key(_) | VaultFault::Refused(_) => {
            CommandError::refused(fault.text().to_string())
        }
    }
}

/// The open store, with the teams and the key.
struct Work {
    org: Arc<Org>,
    store: Store,
    keys: VaultKeys,
}

impl Work {
    async fn open(workspace: &Path, org: Arc<Org>) -> Result<Self, CommandError> {
        let (store, keys) = (open_or_make(workspace).await?, app::vault_keys(workspace));
        Ok(Self { org, store, keys })
    }

    async fn run(&mut self, workspace: &Path, wanted: VaultCommand) -> Result<(), CommandError> {
        match wanted {
            VaultCommand::List(listed) => self.list(&listed).await,
            VaultCommand::Show { of, json } => self.show(&of, json).await,
            VaultCommand::Set { of, secret, rights, reveal } => {
                let rights = rights_of(rights, reveal.is_some())?;
                if !secret && rights != VaultRights::default() {
                    return Err(CommandError::usage("`--use` and `--hosts` are for a `--secret`"));
                }
                self.set(workspace, of, secret.then_some(rights)).await
            }
            VaultCommand::Close { of, rights } => self.close(of, rights).await,
            VaultCommand::Delete { of, yes } => self.delete(&of, yes).await,
            VaultCommand::Uses { key, listed } => self.uses(key.as_deref(), &listed).await,
            VaultCommand::Key { command } => self.key(command).await,
            // It opens the store by itself.
            VaultCommand::Migrate(_) => Ok(()),
        }
    }

    fn owner(&mut self) -> VaultOwner<'_> {
        VaultOwner { store: &mut self.store, keys: &self.keys }
    }

    fn team(&self, name: &str) -> Result<TeamName, CommandError> {
        team_named(&self.org, name).map(|team| team.name.clone())
    }

    async fn list(&mut self, of: &Listed) -> Result<(), CommandError> {
        let team = of.team.as_deref().map(|name| self.team(name)).transpose()?;
        let rows = self.store.vault_rows(team.as_ref()).await.map_err(|fault| refused(&fault))?;
        let rows = rows.iter().map(|row| (json!(row.shown(&SystemClock)), line(row))).collect();
        print_all(of.json, "entries", rows, "there is no entry");
        Ok(())
    }

    async fn show(&mut self, of: &EntryName, as_json: bool) -> Result<(), CommandError> {
        let team = self.team(&of.team)?;
        let row = self.store.vault_row(&team, &of.key).await.map_err(|fault| refused(&fault))?;
        let row = row.ok_or_else(|| failed(&VaultFault::missing(&of.key)))?;
        if as_json {
            output::json(&row.shown(&SystemClock));
            return Ok(());
        }
        output::print(&line(&row));
        output::print(&format!("set {} by {}", SystemClock.stamp(row.updated_at), row.updated_by));
        if let (Some(used), Some(by)) = (row.used_at, &row.used_by) {
            output::print(&format!("used {} by {by}", SystemClock.stamp(used)));
        }
        if !row.is_secret {
            output::print(&row.value);
        }
        Ok(())
    }

    async fn set(
        &mut self,
        workspace: &Path,
        of: EntryName,
        rights: Option<VaultRights>,
    ) -> Result<(), CommandError> {
        let team = self.team(&of.team)?;
        let value = hidden("value: ")?;
        if rights.is_none() {
            let minds = Minds::load(workspace, Lang::En);
            let known = known_secrets(workspace, &minds, &mut self.store, &team).await?;
            if known.is_in(&of.key) || known.is_in(&value) {
                return Err(failed(&VaultFault::in_clear()));
            }
        }
        let said = format!("{} of team {team} is set", of.key);
        self.put((team, of.key), &value, rights.as_ref()).await?;
        output::print(&said);
        Ok(())
    }

    /// Sets a text, or a secret with these rights.
    async fn put(
        &mut self,
        of: (TeamName, String),
        value: &str,
        rights: Option<&VaultRights>,
    ) -> Result<(), CommandError> {
        logs::vault().learn([], rights.map(|_| value.to_owned()));
        let done = self.owner().set(of, value, rights, SystemClock.moment()).await;
        done.map_err(|fault| failed(&fault))?;
        if rights.is_some() && is_too_short(value) {
            output::note("it is shorter than 8 bytes: it is not taken out of texts");
        } else if rights.is_some() && is_wordy(value) {
            output::note("it is made of plain words: it is not taken out of what models write");
        }
        Ok(())
    }

    async fn close(&mut self, of: EntryName, rights: RightsArgs) -> Result<(), CommandError> {
        let team = self.team(&of.team)?;
        let rights = rights_of(rights, false)?;
        let said = format!("{} of team {team} is closed", of.key);
        let done = self.owner().close((team, of.key), &rights, SystemClock.moment()).await;
        done.map_err(|fault| failed(&fault))?;
        output::print(&said);
        Ok(())
    }

    async fn delete(&mut self, of: &EntryName, yes: bool) -> Result<(), CommandError> {
        let (team, key) = (self.team(&of.team)?, &of.key);
        if !yes {
            return Err(CommandError::usage(format!(
                "this deletes {key} of team {team} for good; confirm with --yes"
            )));
        }
        let deleted = self.store.vault_delete(&team, key, VaultChange::ByPerson).await;
        if deleted.map_err(|fault| refused(&fault))? != Ok(true) {
            return Err(failed(&VaultFault::missing(key)));
        }
        output::print(&format!("{key} of team {team} is deleted"));
        Ok(())
    }

    async fn uses(&mut self, key: Option<&str>, of: &Listed) -> Result<(), CommandError> {
        let team = of.team.as_deref().map(|name| self.team(name)).transpose()?;
        let uses = self.store.vault_uses(team.as_ref(), key, &SystemClock).await;
        let uses = uses.map_err(|fault| refused(&fault))?;
        let row = |one: &ShownUse| {
            let EntryUse { team, key, place, target, dialog, by } = &one.used;
            let text =
                format!("{}  {team}  {key}  {} {target}  {by} {dialog}", one.at, place.name());
            (json!(one), text)
        };
        print_all(of.json, "uses", uses.iter().map(row).collect(), "no secret was used");
        Ok(())
    }

    async fn key(&mut self, wanted: KeyCommand) -> Result<(), CommandError> {
        let done = match wanted {
            KeyCommand::Export { yes } => {
                let question =
                    "whoever has this key and the store has all secrets; print it? [y/N]";
                if !yes && !output::confirm(question)? {
                    return Err(CommandError::refused("the key was not printed"));
                }
                self.owner().exported_key().await.map(|key| key.to_string())
            }
            KeyCommand::Import => {
                let text = hidden("key: ")?;
                self.owner().import_key(&text).await.map(|()| "the key is kept".to_owned())
            }
            KeyCommand::Rotate => {
                self.owner().rotate().await.map(|count| format!("{count} secrets have a new key"))
            }
        };
        output::print(&done.map_err(|fault| failed(&fault))?);
        Ok(())
    }
}

/// Secrets for a team that is made, as a person typed them.
#[derive(Default)]
pub(super) struct Credentials {
    values: Vec<(String, String)>,
    rights: VaultRights,
}

impl Credentials {
    /// Reads the values of these keys from the terminal, or that of a single one from standard input.
    pub(super) fn read(
        workspace: &Path,
        keys: Vec<String>,
        rights: RightsArgs,
    ) -> Result<Self, CommandError> {
        let (rights, mut values) = (rights_of(rights, false)?, Vec::new());
        if keys.is_empty() && rights != VaultRights::default() {
            return Err(CommandError::usage("`--use` and `--hosts` are for a `--credential`"));
        }
        if !keys.is_empty() {
            org_with_vaults(workspace)?;
        }
        if keys.len() > 1 && !std::io::stdin().is_terminal() {
            return Err(CommandError::usage("standard input has the value of one credential"));
        }
        for key in keys {
            let value = hidden(&format!("{key}: "))?;
            check_entry(&key, &value).map_err(|why| CommandError::usage(why.to_string()))?;
            values.push((key, value));
        }
        Ok(Self { values, rights })
    }

    /// Sets them once the team is made.
    pub(super) async fn set(self, workspace: &Path, team: &str) -> Result<(), CommandError> {
        if self.values.is_empty() {
            return Ok(());
        }
        let mut work = Work::open(workspace, org_with_vaults(workspace)?).await?;
        let mut done = Ok(());
        for (key, value) in self.values {
            let not_set = |CommandError { status, text }| {
                let text = format!("team {team} is made, but a credential is not set: {text}");
                CommandError { status, text }
            };
            let of = (TeamName::new(team), key);
            done = work.put(of, &value, Some(&self.rights)).await.map_err(not_set);
            if done.is_err() {
                break;
            }
        }
        work.store.close().await;
        done
    }
}

/// Prints a list for a program, or for a person.
fn print_all(as_json: bool, name: &str, rows: Vec<(Value, String)>, none: &str) {
    if as_json {
        let values: Value = rows.into_iter().map(|(value, _)| value).collect();
        return output::json(&json!({ name: values }));
    }
    for (_, line) in &rows {
        output::print(line);
    }
    if rows.is_empty() {
        output::print(none);
    }
}

/// An entry in one line.
fn line(row: &VaultRow) -> String {
    let (team, key, rights) = (&row.team, &row.key, row.rights());
    if !row.is_secret {
        return format!("{team}  {key}  {}", one_line(&row.value, SHOWN_CHARS));
    }
    let revealed = if rights.is_revealed { "  read by models" } else { "" };
    let (uses, hosts) = (names(&rights).join(" "), rights.hosts.join(" "));
    format!("{team}  {key}  (secret)  {uses}  {hosts}{revealed}")
}

fn names(rights: &VaultRights) -> Vec<&'static str> {
    rights.uses.iter().map(|one| one.name()).collect()
}

fn rights_of(args: RightsArgs, is_revealed: bool) -> Result<VaultRights, CommandError> {
    let RightsArgs { uses, hosts } = args;
    let hosts: Vec<String> = hosts.into_iter().map(|host| host.trim().to_lowercase()).collect();
    match hosts.iter().find(|host| !is_host_pattern(host)) {
        Some(wrong) => Err(CommandError::usage(format!(
            "`{wrong}` is no host: write a name, `*.suffix` or `*`"
        ))),
        None => Ok(VaultRights { uses, hosts, is_revealed }),
    }
}

/// What must not be seen, from the terminal or standard input.
fn hidden(prompt: &str) -> Result<String, CommandError> {
    read_hidden(|| output::note(prompt))
        .map_err(|error| CommandError::usage(format!("reading standard input: {error}")))
}
