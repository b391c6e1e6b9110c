//! The trust entries of a workspace: shells, servers, providers, decisions left to members, tools of teams that they make.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::program_checksums;
use super::record::is_inside;
use crate::domain::asking::autonomy::{AutonomyLevel, AutonomyScope, DecisionKind};
use crate::domain::hex;
use crate::domain::safety::server_tools::ToolFacts;
use crate::domain::safety::trust::{TrustEntry, TrustKind};
use crate::domain::teams::org::MAIN;
use crate::domain::text::{Localized, localized};
use crate::domain::{AgentId, DialogId, Member, TeamName};
use crate::hive::{Folder, StoreState};
use crate::llm::{Destination, LOGIN_FILE, LOGIN_SERVER, destination};
use crate::minds::mcp_config::{McpFile, Transport};
use crate::minds::new_team::SPAWN_TOOLSETS;
use crate::minds::{ApiType, Env, Minds, ProviderConfig, STORE_FOLDER};
use crate::tools::{Registry, SHELL_TOOLS};

/// Returns all entries, in the order of the files.
pub(super) fn all_entries(
    workspace: &Path,
    minds: &Minds,
    servers: &McpFile,
    env: Env<'_>,
) -> Vec<TrustEntry> {
    let mut entries = shell_entries(minds);
    let declared = servers.servers.iter().filter_map(|declared| {
        let transport = &declared.server.as_ref()?.transport;
        Some(server_entry(workspace, &declared.id, transport, env))
    });
    entries.extend(declared);
    for config in providers(minds, env) {
        // An unusable provider is reported when it is used.
        entries.extend(provider_entry(workspace, config, env).ok().flatten());
    }
    entries.extend(autonomy_entries(minds).map(|(_, entry)| entry));
    entries.extend(spawn_entry(minds));
    entries.extend(vault_entries(minds).map(|(_, entry)| entry));
    if let StoreState::There { seat } = Folder::of(workspace).state()
        && minds.hive().is_configured
        && !seat.is_empty()
    {
        entries.push(store_entry(&seat));
    }
    entries
}

/// Returns one entry per member that may run commands.
pub(super) fn shell_entries(minds: &Minds) -> Vec<TrustEntry> {
    let registry = Registry::builtin();
    let granted = |member: &&Member| {
        let (tools, _) = registry.for_member(&member.toolsets, &member.tools, true);
        member.shell.is_named() && SHELL_TOOLS.iter().any(|name| tools.contains(name))
    };
    let entry = |member: &Member| {
        TrustEntry::new(
            TrustKind::Shell,
            member.id.as_str(),
            SHELL_ACTION,
            shell_digest(&member.id),
        )
    };
    minds.team().members.iter().filter(granted).map(entry).collect()
}

const SHELL_ACTION: &str = "may run any command, also in the background";

pub(super) fn shell_digest(member: &AgentId) -> String {
    digest(&["shell", member.as_str(), SHELL_ACTION])
}

/// Returns the entry of a server; its digest covers everything that determines its actions.
pub(super) fn server_entry(
    workspace: &Path,
    id: &str,
    transport: &Transport,
    env: Env<'_>,
) -> TrustEntry {
    let mut act = transport.masked();
    let mut parts = vec!["server".to_owned(), id.to_owned(), transport.to_string()];
    if let Transport::Stdio(program) = transport {
        let sums = program_checksums::checksums(workspace, program, env);
        for (file, sum) in sums.named {
            act.push_str(&format!(" ({file}: sha256 {})", sum.get(..16).unwrap_or(&sum)));
            parts.extend([file, sum]);
        }
        if let Some((first, _)) = sums.followed.first() {
            let count = sums.followed.len();
            let all: Vec<&str> =
                sums.followed.iter().flat_map(|(file, sum)| [file.as_str(), sum]).collect();
            let sum = digest(&all);
            let short = sum.get(..16).unwrap_or(&sum);
            act.push_str(&format!(
                " ({count} program files that these name, {first} among them: sha256 {short})"
            ));
            parts.push(sum);
        }
        if sums.has_more {
            act.push_str(" (and more files, which may change)");
        }
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    TrustEntry::new(TrustKind::Server, id, &act, digest(&parts))
}

/// A tool of a server as an entry. It is of this server alone, as that was agreed to.
pub(super) fn tool_entry(server: &str, server_digest: &str, tool: &ToolFacts) -> TrustEntry {
    let name = format!("{server}/{}", tool.name);
    TrustEntry::new(TrustKind::Tool, &name, &tool.act, tool_digest(server_digest, tool))
}

pub(super) fn tool_digest(server_digest: &str, tool: &ToolFacts) -> String {
    digest(&["tool", server_digest, &tool.name, &tool.digest])
}

/// Where a `ChatGPT` login may go, unless it stays on this machine.
const LOGIN_ADDRESS: &str = "https://chatgpt.com";

/// Returns the entry of a provider; `None` if it sends nothing to another machine, and no login.
///
/// # Errors
/// Its address is invalid, its folder of answers is outside the workspace, or its login may not be used so; the message
/// for the user.
pub(super) fn provider_entry(
    workspace: &Path,
    config: &ProviderConfig,
    env: Env<'_>,
) -> Result<Option<TrustEntry>, Localized> {
    let key = &config.key;
    if config.api_type == ApiType::Mock {
        let folder = workspace.join(&config.base_url);
        if folder.exists() && !is_inside(&folder, workspace) {
            return Err(localized!(
                "provider {key}: its folder of answers is outside the workspace",
                "提供方 {key}：其回应文件夹在工作区之外"
            ));
        }
        return Ok(None);
    }
    let Some(destination) = destination(&config.base_url) else {
        return Err(localized!(
            "provider {key}: baseUrl is not a web address",
            "提供方 {key}：baseUrl 不是网址"
        ));
    };
    let is_login = config.api_type == ApiType::Codex;
    if destination.this_machine && !is_login {
        return Ok(None);
    }
    let mut act = match config.key_variable() {
        _ if is_login => login_act(workspace, config, &destination, env)?,
        Some(variable) => {
            format!("sends dialogs and the key in {variable} to {}", destination.address)
        }
        None => format!("sends dialogs to {}", destination.address),
    };
    if let Some(file) = &config.connection.ca_file {
        act.push_str(&format!(", and trusts the certificates in {}", file.display()));
    }
    let digest = digest(&["provider", key, &act]);
    Ok(Some(TrustEntry::new(TrustKind::Provider, key, &act, digest)))
}

/// What a provider does with a `ChatGPT` login. Anybody's file can name the provider, so the login goes nowhere but to its
/// own server and to this machine.
fn login_act(
    workspace: &Path,
    config: &ProviderConfig,
    to: &Destination,
    env: Env<'_>,
) -> Result<String, Localized> {
    let (key, address) = (&config.key, &to.address);
    if address != LOGIN_ADDRESS && !to.this_machine {
        return Err(localized!(
            "provider {key}: a ChatGPT login is sent to {LOGIN_ADDRESS} alone, not to {address}",
            "提供方 {key}：ChatGPT 登录只会发送到 {LOGIN_ADDRESS}，不会发送到 {address}"
        ));
    }
    let folder = config.login_folder(env)?;
    if is_inside(&folder, workspace) {
        let folder = folder.display();
        return Err(localized!(
            "provider {key}: the folder of its login, {folder}, is in the workspace, where members can read it",
            "提供方 {key}：其登录所在的文件夹 {folder} 位于工作区内，成员可以读取"
        ));
    }
    let file = folder.join(LOGIN_FILE);
    Ok(format!(
        "sends dialogs and the ChatGPT login in {} to {address}, renews the login at {LOGIN_SERVER}, and writes it back",
        file.display()
    ))
}

/// Returns one entry for each rule that leaves decisions to members.
pub(super) fn autonomy_entries(
    minds: &Minds,
) -> impl Iterator<Item = (&AutonomyScope, TrustEntry)> {
    minds.hive().autonomy.rules().filter_map(|(scope, rule)| {
        let kinds = rule.needs_consent();
        let kinds: Vec<&str> = kinds.into_iter().map(DecisionKind::name).collect();
        if kinds.is_empty() {
            return None;
        }
        let (name, kinds) = (scope.to_string(), kinds.join(", "));
        let act = format!("decides alone: {kinds}{}", for_whom(scope, minds));
        let digest = digest(&["autonomy", &name, &act]);
        Some((scope, TrustEntry::new(TrustKind::Autonomy, &name, &act, digest)))
    })
}

/// What a person lets the member of one dialog decide alone; `None`: as the files say. It takes the place of what was
/// agreed to for this dialog before.
pub(super) fn dialog_entry(dialog: &DialogId, level: Option<AutonomyLevel>) -> TrustEntry {
    let name = format!("dialog {dialog}");
    let level = level.map_or("as configured", AutonomyLevel::name);
    let act = format!("decides alone in this dialog: {level}");
    let digest = digest(&["autonomy", &name, &act]);
    TrustEntry::new(TrustKind::Autonomy, &name, &act, digest)
}

/// The members of a team and of those below it: a file that puts somebody else into it has to be agreed to again. In the
/// root is everybody.
fn for_whom(scope: &AutonomyScope, minds: &Minds) -> String {
    let AutonomyScope::Team(name) = scope else { return String::new() };
    let (org, members) = (minds.hive().org(), minds.team().members.iter());
    let held = members.filter(|member| org.line_of(&member.id).contains(&name.as_str()));
    let ids: Vec<String> = held.map(|member| format!("@{}", member.id)).collect();
    if name == MAIN || ids.is_empty() { String::new() } else { format!("; for {}", ids.join(", ")) }
}

/// The entry of what teams that members make can do beyond reading and remembering.
fn spawn_entry(minds: &Minds) -> Option<TrustEntry> {
    let mut more: Vec<&str> = minds.hive().spawn_toolsets.iter().map(String::as_str).collect();
    more.retain(|name| !SPAWN_TOOLSETS.contains(name));
    if more.is_empty() {
        return None;
    }
    more.sort_unstable();
    let act = format!("gives the leads of teams that members make: {}", more.join(", "));
    Some(TrustEntry::new(TrustKind::Spawn, "toolsets", &act, digest(&["spawn", &act])))
}

/// Returns one entry for each team whose commands get secrets.
pub(super) fn vault_entries(minds: &Minds) -> impl Iterator<Item = (&TeamName, TrustEntry)> {
    // Where vaults are off no team has any.
    let teams = minds.hive().org().teams().filter(|team| !team.shell_secrets.is_empty());
    teams.map(|team| {
        let members: Vec<String> = team.members.iter().map(|id| format!("@{id}")).collect();
        let variable = |(name, key): &(String, String)| {
            if name == key { name.clone() } else { format!("{name} ({key})") }
        };
        let variables: Vec<String> = team.shell_secrets.iter().map(variable).collect();
        let (members, variables) = (members.join(", "), variables.join(", "));
        let act = format!("commands of {members} get {variables} in their environment");
        let name = team.name.as_str();
        let digest = digest(&["vault", name, &act]);
        (&team.name, TrustEntry::new(TrustKind::Vault, name, &act, digest))
    })
}

/// The entry of a store, by its random name: another one has to be agreed to again.
pub(super) fn store_entry(seat: &str) -> TrustEntry {
    let act = "opens a database that was not made here: notices, and the history of decisions";
    TrustEntry::new(TrustKind::Store, STORE_FOLDER, act, digest(&["store", seat]))
}

/// The providers of the file, and the built-in ones that members talk to.
fn providers<'a>(minds: &'a Minds, env: Env<'_>) -> impl Iterator<Item = &'a ProviderConfig> {
    let used: Vec<&str> = minds
        .team()
        .members
        .iter()
        .filter_map(|member| Some(minds.model_of(member, env).ok()?.0.key.as_str()))
        .collect();
    let listed =
        move |config: &&ProviderConfig| !config.builtin || used.contains(&config.key.as_str());
    minds.providers().iter().filter(listed)
}

/// Each part is hashed with its length, so that different parts never give the same input.
fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hex(&hash.finalize())
}
