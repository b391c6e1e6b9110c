//! Rules of the team: the default responder, shell specialists, valid ids.

use serde_json::{Map, Value};

use crate::domain::team::HUMAN;
use crate::domain::{AgentId, Member, ShellRight, Team};
use crate::minds::nearest::did_you_mean;
use crate::minds::report::{ProblemReport, clip, value_type};

const MAX_ID_BYTES: usize = 64;
const SHELL_TOOLS: [&str; 3] = ["shell_cmd", "stop_daemon", "get_daemon_output"];
const SHELL_TOOLSET: &str = "os";

/// An id is used as a folder name, in `id!slug` and in `@id`.
pub(super) fn check_id(id: &str, report: &mut ProblemReport) -> bool {
    let (found, fix) = if id == HUMAN {
        let fix = "choose another id".to_owned();
        ("`human` is reserved for the user".to_owned(), fix)
    } else if is_plain_id(id) {
        return true;
    } else {
        (
            format!("`{}` cannot be a member's id", clip(id)),
            "use letters, digits, `-`, `_` and dots inside, at most 64 bytes".to_owned(),
        )
    };
    let keys = ["members", id];
    report.add(&format!("team/bad-id/{}", clip(id)), &keys, found, fix);
    false
}

fn is_plain_id(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= MAX_ID_BYTES
        && !id.starts_with('.')
        && id.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c))
}

pub(super) fn default_responder(
    top: &Map<String, Value>,
    team: &Team,
    report: &mut ProblemReport,
) -> Option<AgentId> {
    let value = top.get("default_responder")?;
    let keys = ["default_responder"];
    let Some(name) = value.as_str() else {
        let found = format!("`default_responder` is {}; ignored", value_type(value));
        let fix = "name one member".to_owned();
        report.add("team/wrong-type/default_responder", &keys, found, fix);
        return None;
    };
    let id = AgentId::new(name.trim());
    if team.member(&id).is_none() {
        let found = format!("`default_responder` names `{}`, who is not in the team", clip(name));
        let fix = format!("name a member{}", did_you_mean(name, ids(team)));
        report.add("team/unknown-default-responder", &keys, found, fix);
        return None;
    }
    Some(id)
}

/// The configured shell specialists. A hidden member is one only if it is listed.
pub(super) fn shell_specialists(
    top: &Map<String, Value>,
    team: &Team,
    report: &mut ProblemReport,
) -> Vec<AgentId> {
    let keys = ["shell_specialists"];
    let names: Vec<&Value> = match top.get("shell_specialists") {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(items)) => items.iter().collect(),
        Some(one) => vec![one],
    };
    let mut specialists = Vec::new();
    for value in names.into_iter().take(super::MAX_MEMBERS) {
        let Some(name) = value.as_str() else {
            let found = format!("`shell_specialists` has {}; ignored", value_type(value));
            let fix = "write a member's id, or a list of ids".to_owned();
            report.add("team/wrong-type/shell_specialists", &keys, found, fix);
            continue;
        };
        let id = AgentId::new(name.trim());
        match team.member(&id) {
            Some(_) => specialists.push(id),
            None => report.add(
                &format!("team/unknown-shell-specialist/{}", clip(name)),
                &keys,
                format!("`{}` is not in the team", clip(name)),
                format!("name a member{}", did_you_mean(name, ids(team))),
            ),
        }
    }
    specialists
}

/// Removes the shell tools of all other members.
pub(super) fn remove_shell_tools(team: &mut Team, report: &mut ProblemReport) {
    for member in &mut team.members {
        if team.shell_specialists.contains(&member.id) {
            member.shell = ShellRight::Granted;
            continue;
        }
        if !requests_shell(member) {
            continue;
        }
        member.tools.retain(|name| !SHELL_TOOLS.contains(&name.as_str()));
        let id = member.id.as_str();
        report.add(
            &format!("team/shell-not-allowed/{id}"),
            &["members", id, "toolsets"],
            format!("`{id}` has shell tools but is not a shell specialist; they are removed"),
            format!("add `{id}` to `shell_specialists`, or remove the tools"),
        );
    }
}

fn requests_shell(member: &Member) -> bool {
    member.toolsets.iter().any(|name| name == SHELL_TOOLSET)
        || member.tools.iter().any(|name| SHELL_TOOLS.contains(&name.as_str()))
}

fn ids(team: &Team) -> impl Iterator<Item = &str> {
    team.members.iter().map(|member| member.id.as_str())
}
