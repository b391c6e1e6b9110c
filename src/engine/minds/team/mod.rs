//! Reads `team.yaml`. Never fails: unusable entries are skipped and reported, and the two hidden members
//! always exist.

mod access;
mod anthropic_params;
mod build;
mod chat_params;
mod check;
mod edit;
mod expected;
mod param_groups;
mod param_values;
mod params;
mod shadow;
mod spec;
#[cfg(test)]
mod tests;
mod text_format;

use serde_json::{Map, Value};

use super::nearest::remove_or_rename;
use super::report::{ProblemReport, clip, file_is_not_a_map, not_yaml, value_type, with_line};
use crate::domain::text::{Text, localized};
use crate::domain::{AgentId, Member, Problem, Team};
use crate::yaml;
use spec::MemberSpec;

pub(crate) const PATH: &str = ".minds/team.yaml";

/// Members beyond this number are left out.
const MAX_MEMBERS: usize = 256;

pub(crate) use access::of_member as access_lists;
pub(crate) use edit::{member_entry, with_member, without_member};

const TOP_KEYS: [&str; 4] =
    ["member_defaults", "default_responder", "shell_specialists", "members"];

/// The team without a file: only the hidden members.
pub(crate) fn without_file() -> Team {
    let members =
        shadow::members(&Map::new(), &MemberSpec::default(), &mut ProblemReport::new(PATH, ""));
    Team { members, ..Team::default() }
}

/// Parses the file into the team and its problems.
pub(crate) fn read(text: &str) -> (Team, Vec<Problem>) {
    let mut report = ProblemReport::new(PATH, text);
    let top = match yaml::parse(text) {
        Ok(Value::Object(top)) => top,
        Ok(Value::Null) => return (without_file(), Vec::new()),
        Ok(other) => {
            let fix = Text::new(
                "write `members:` with one entry per member",
                "请写 `members:`，每个成员一项",
            );
            report.add("team/yaml", &[], file_is_not_a_map(&other), fix);
            return (without_file(), report.finish());
        }
        Err(error) => {
            let fix = Text::new(
                "fix the syntax; until then the team is empty",
                "请修正语法；在此之前团队为空",
            );
            let problem = Problem::new("team/yaml", PATH, not_yaml(&error), fix);
            return (without_file(), vec![with_line(problem, error.line)]);
        }
    };
    let team = of_map(&top, &mut report);
    (team, report.finish())
}

fn of_map(top: &Map<String, Value>, report: &mut ProblemReport) -> Team {
    for key in top.keys().filter(|key| !TOP_KEYS.contains(&key.as_str())) {
        let shown = clip(key);
        report.warn(
            &format!("team/unknown-key/{shown}"),
            &[key],
            localized!("unknown key `{shown}`", "未知的键 `{shown}`"),
            remove_or_rename(key, TOP_KEYS),
        );
    }
    let defaults = defaults(top, report);
    let entries = entries(top, report);
    let mut members = configured(&entries, &defaults, report);
    members.extend(shadow::members(&entries, &defaults, report));
    let mut team = Team { default_responder: None, shell_specialists: Vec::new(), members };
    team.default_responder = check::default_responder(top, &team, report);
    team.shell_specialists = check::shell_specialists(top, &team, report);
    check::remove_shell_tools(&mut team, report);
    team
}

fn defaults(top: &Map<String, Value>, report: &mut ProblemReport) -> MemberSpec {
    match top.get("member_defaults") {
        None => MemberSpec::default(),
        Some(Value::Object(map)) => MemberSpec::read_defaults(map, report),
        Some(other) => {
            let kind = value_type(other);
            report.add(
                "team/wrong-type/member_defaults",
                &["member_defaults"],
                localized!(
                    [kind] "`member_defaults` is {kind}, not a map",
                    "`member_defaults` 是{kind}，不是映射"
                ),
                Text::new(
                    "give it keys such as `provider:` and `model:`, or remove it",
                    "请为它写上 `provider:`、`model:` 等键，或删除它",
                ),
            );
            MemberSpec::default()
        }
    }
}

/// The `members` map; a member without keys has all defaults.
fn entries(top: &Map<String, Value>, report: &mut ProblemReport) -> Map<String, Value> {
    match top.get("members") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(map)) => map.clone(),
        Some(other) => {
            let kind = value_type(other);
            report.add(
                "team/wrong-type/members",
                &["members"],
                localized!(
                    [kind] "`members` is {kind}, not a map",
                    "`members` 是{kind}，不是映射"
                ),
                Text::new(
                    "write one key per member, such as `lead:`",
                    "请为每个成员写一个键，如 `lead:`",
                ),
            );
            Map::new()
        }
    }
}

fn configured(
    entries: &Map<String, Value>,
    defaults: &MemberSpec,
    report: &mut ProblemReport,
) -> Vec<Member> {
    if entries.len() > MAX_MEMBERS {
        report.add(
            "team/too-many-members",
            &["members"],
            localized!(
                ("{} members; only {MAX_MEMBERS} are used", entries.len()),
                ("有 {} 个成员；只使用 {MAX_MEMBERS} 个", entries.len())
            ),
            Text::new("remove members", "请减少成员"),
        );
    }
    let mut members = Vec::new();
    for (id, value) in entries.iter().take(MAX_MEMBERS) {
        if shadow::is_shadow(id) || !check::check_id(id, report) {
            continue;
        }
        if let Some(spec) = MemberSpec::read_member(id, value, report) {
            members.push(build::member(&AgentId::new(id), spec.over(defaults)));
        }
    }
    members
}
