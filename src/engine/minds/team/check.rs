//! Rules of the team: the default responder, shell specialists, valid ids.

use serde_json::{Map, Value};

use crate::domain::models::team::HUMAN;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Member, ShellRight, Team};
use crate::minds::nearest::did_you_mean;
use crate::minds::report::{ProblemReport, clip, value_type};

const MAX_ID_BYTES: usize = 64;
const SHELL_TOOLS: [&str; 3] = ["shell_cmd", "stop_daemon", "get_daemon_output"];
const SHELL_TOOLSET: &str = "os";

/// An id is used as a folder name, in `id!slug` and in `@id`.
pub(super) fn check_id(id: &str, report: &mut ProblemReport) -> bool {
    let (found, fix) = if id == HUMAN {
        let fix = Text::new("choose another id", "请换一个 id");
        (Text::new("`human` is reserved for the user", "`human` 保留给用户").into(), fix)
    } else if is_plain_id(id) {
        return true;
    } else {
        let shown = clip(id);
        let fix = Text::new(
            "use letters, digits, `-`, `_` and dots inside, at most 64 bytes",
            "请用字母、数字、`-`、`_`，点不能在开头，最多 64 字节",
        );
        (localized!("`{shown}` cannot be a member's id", "`{shown}` 不能作成员的 id"), fix)
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
        let kind = value_type(value);
        let found = localized!(
            [kind] "`default_responder` is {kind}; ignored",
            "`default_responder` 是{kind}；已忽略"
        );
        let fix = Text::new("name one member", "请写一个成员");
        report.add("team/wrong-type/default_responder", &keys, found, fix);
        return None;
    };
    let id = AgentId::new(name.trim());
    if team.member(&id).is_none() {
        let shown = clip(name);
        let found = localized!(
            "`default_responder` names `{shown}`, who is not in the team",
            "`default_responder` 写的 `{shown}` 不在团队中"
        );
        let fix = name_a_member(name, team);
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
            let kind = value_type(value);
            let found = localized!(
                [kind] "`shell_specialists` has {kind}; ignored",
                "`shell_specialists` 里有{kind}；已忽略"
            );
            let fix = Text::new(
                "write a member's id, or a list of ids",
                "请写一个成员的 id，或 id 的列表",
            );
            report.add("team/wrong-type/shell_specialists", &keys, found, fix);
            continue;
        };
        let id = AgentId::new(name.trim());
        if team.member(&id).is_some() {
            specialists.push(id);
            continue;
        }
        let shown = clip(name);
        report.add(
            &format!("team/unknown-shell-specialist/{shown}"),
            &keys,
            localized!("`{shown}` is not in the team", "`{shown}` 不在团队中"),
            name_a_member(name, team),
        );
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
            localized!(
                "`{id}` has shell tools but is not a shell specialist; they are removed",
                "`{id}` 有 shell 工具，但不在 `shell_specialists` 中；这些工具已去除"
            ),
            localized!(
                "add `{id}` to `shell_specialists`, or remove the tools",
                "请把 `{id}` 加入 `shell_specialists`，或删除这些工具"
            ),
        );
    }
}

fn requests_shell(member: &Member) -> bool {
    member.toolsets.iter().any(|name| name == SHELL_TOOLSET)
        || member.tools.iter().any(|name| SHELL_TOOLS.contains(&name.as_str()))
}

/// The fix for a name that is no member's.
fn name_a_member(name: &str, team: &Team) -> Localized {
    Localized::from(Text::new("name a member", "请写成员的 id")).and(did_you_mean(name, ids(team)))
}

fn ids(team: &Team) -> impl Iterator<Item = &str> {
    team.members.iter().map(|member| member.id.as_str())
}
