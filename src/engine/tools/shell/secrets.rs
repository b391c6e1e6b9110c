//! Secrets of the team's vault as variables of a command. They are in no command line and in no file.

use std::collections::BTreeMap;

use super::environment::{is_passed, is_settable};
use crate::domain::safety::references::{EntryUse, VaultUse};
use crate::domain::text::in_lang;
use crate::tools::tool::ToolCx;

/// Adds what the file of the caller's team names, if the vault allows it. Returns what was used.
pub(super) fn add(cx: &ToolCx, environment: &mut BTreeMap<String, String>) -> Vec<EntryUse> {
    let Some(team) = cx.teams.org.team_of(&cx.caller) else { return Vec::new() };
    let mut used = Vec::new();
    for (variable, key) in &team.shell_secrets {
        let entry = cx.keys.entry(key).filter(|one| one.rights.uses.contains(&VaultUse::Shell));
        let Some(entry) = entry else { continue };
        if is_passed(variable) || is_settable(variable) || environment.contains_key(variable) {
            continue;
        }
        environment.insert(variable.clone(), entry.value.clone());
        used.push(EntryUse {
            team: team.name.clone(),
            key: key.clone(),
            place: VaultUse::Shell,
            target: "shell_cmd".to_owned(),
            dialog: cx.dialog.to_string(),
            by: format!("@{}", cx.caller),
        });
    }
    used
}

/// The refusal of a command line that has a reference in it.
pub(super) fn refused(cx: &ToolCx, command: &str) -> Option<String> {
    let key = cx.keys.referred_to(command)?;
    Some(in_lang!(
        cx.lang,
        "use the variable ${key}; it is set if the team's file names it under vault.shell",
        "请使用变量 ${key}；团队文件在 vault.shell 中列出它时会设置该变量"
    ))
}
