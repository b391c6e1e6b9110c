//! What is written for a new member of a team, and for a skill.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::HiveConfig;
use super::new_team::{entry, has_toolset, persona_of};
use super::triggers::names;
use crate::domain::teams::org::{OrgTeam, RESERVED};
use crate::domain::teams::org_change::{NewMember, NewSkill, OrgRefusal, one_line, shown_name};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, TeamName};
use crate::minds::Minds;
use crate::minds::skills::{self, MAX_SKILL_BYTES, MAX_TOOLS};
use crate::yaml;

/// Most members of a team that its lead makes.
const MAX_MEMBERS: usize = 50;
const MAX_NAME_CHARS: usize = 80;
/// Most things that a member is for, and characters of each.
const MAX_GOFOR: usize = 20;
const MAX_GOFOR_CHARS: usize = 400;
const MAX_PERSONA_BYTES: usize = 32 * 1024;
/// Most characters of the name of a tool.
const MAX_TOOL_CHARS: usize = 100;

/// A member that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberPlan {
    pub team: TeamName,
    pub id: AgentId,
    /// Path below the workspace and text.
    pub persona: (String, String),
    /// Its entry in `team.yaml`.
    pub entry: Value,
}

/// A skill that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillPlan {
    pub team: TeamName,
    pub member: AgentId,
    pub path: String,
    pub text: String,
}

/// The team whose lead makes or writes something; not the root, which people look after themselves.
fn team_of<'a>(hive: &'a HiveConfig, name: Option<&TeamName>) -> Result<&'a OrgTeam, OrgRefusal> {
    let name = name.filter(|name| !name.is_main()).ok_or(OrgRefusal::OfRoot)?;
    hive.org().team(name).ok_or_else(|| OrgRefusal::NotFound(name.clone()))
}

fn refused(text: Localized) -> OrgRefusal {
    OrgRefusal::Value(text)
}

/// Plans a member.
///
/// # Errors
/// The reason why it is refused.
pub fn plan_member(minds: &Minds, new: &NewMember) -> Result<MemberPlan, OrgRefusal> {
    let hive = minds.hive();
    let team = team_of(hive, new.by.team.as_ref())?;
    if !TeamName::is_well_formed(&new.id) || RESERVED.contains(&new.id.as_str()) {
        return Err(OrgRefusal::BadMember(new.id.chars().take(TeamName::MAX).collect()));
    }
    let id = AgentId::new(&new.id);
    if minds.member(&id).is_some() {
        return Err(OrgRefusal::MemberExists(id));
    }
    if team.members.len() >= MAX_MEMBERS {
        return Err(refused(localized!(
            "a team has at most {MAX_MEMBERS} members",
            "团队最多有 {MAX_MEMBERS} 个成员"
        )));
    }
    let gofor = new.gofor.iter().map(|one| one_line(one, MAX_GOFOR_CHARS));
    let gofor: Vec<String> = gofor.filter(|one| !one.is_empty()).take(MAX_GOFOR).collect();
    if gofor.is_empty() {
        let text = Text::new(
            "gofor needs at least one line: what the member is for",
            "gofor 至少需要一行：该成员负责什么",
        );
        return Err(refused(text.into()));
    }
    let persona = checked_text("persona", &new.persona, MAX_PERSONA_BYTES)?;
    let lead = team.lead.as_ref().and_then(|lead| minds.member(lead));
    let can_have = |set: &&String| lead.is_none_or(|lead| has_toolset(lead, set));
    let allowed: Vec<&String> = hive.spawn_toolsets.iter().filter(can_have).collect();
    let toolsets: Vec<String> = match &new.toolsets {
        None => allowed.into_iter().cloned().collect(),
        Some(wanted) => {
            if let Some(set) = wanted.iter().find(|set| !allowed.contains(set)) {
                let (set, team) = (one_line(set, MAX_NAME_CHARS), &team.name);
                let allowed: Vec<&str> = allowed.iter().map(|set| set.as_str()).collect();
                let allowed = allowed.join(", ");
                return Err(refused(localized!(
                    "toolset '{set}' is not allowed for a member of team '{team}'; allowed: {allowed}",
                    "团队 '{team}' 的成员不能使用工具集 '{set}'；允许：{allowed}"
                )));
            }
            wanted.clone()
        }
    };
    let name = one_line(new.name.as_deref().unwrap_or_default(), MAX_NAME_CHARS);
    let name = if name.is_empty() { shown_name(id.as_str()) } else { name };
    Ok(MemberPlan {
        team: team.name.clone(),
        persona: (persona_of(&id), persona),
        entry: entry((&name, &gofor), &toolsets, lead),
        id,
    })
}

/// A text that is not empty and not too long, with one line break at its end.
fn checked_text(key: &str, text: &str, most_bytes: usize) -> Result<String, OrgRefusal> {
    let (text, bytes) = (text.trim(), text.len());
    if text.is_empty() || bytes > most_bytes {
        return Err(refused(localized!(
            "`{key}` must have 1 to {most_bytes} bytes, not {bytes}",
            "`{key}` 必须有 1 到 {most_bytes} 字节，而不是 {bytes}"
        )));
    }
    Ok(format!("{text}\n"))
}

/// Plans a skill.
///
/// # Errors
/// The reason why it is refused.
pub fn plan_skill(
    minds: &Minds,
    workspace: &Path,
    new: &NewSkill,
) -> Result<SkillPlan, OrgRefusal> {
    let team = team_of(minds.hive(), new.by.team.as_ref())?;
    let member = new.member.clone().or_else(|| team.lead.clone());
    let member = member.ok_or(OrgRefusal::OfRoot)?;
    if !team.members.contains(&member) {
        return Err(OrgRefusal::NotAMember { member, team: team.name.clone() });
    }
    if !TeamName::is_well_formed(&new.name) {
        let name: String = new.name.chars().take(TeamName::MAX).collect();
        return Err(refused(localized!(
            "Invalid skill name '{name}': use lower case letters, digits and single hyphens",
            "技能名称 '{name}' 无效：请使用小写字母、数字和单个连字符"
        )));
    }
    let body = checked_text("body", &new.body, MAX_SKILL_BYTES)?;
    let mut head = Map::from_iter([
        ("name".to_owned(), Value::from(new.name.clone())),
        // A description that is too long is refused below, as its reader would refuse it.
        ("description".to_owned(), one_line(&new.description, usize::MAX).into()),
    ]);
    let tools = new.allowed_tools.iter().map(|tool| one_line(tool, MAX_TOOL_CHARS));
    let tools: Vec<String> = tools.filter(|tool| !tool.is_empty()).take(MAX_TOOLS).collect();
    if !tools.is_empty() {
        head.insert("allowed-tools".to_owned(), json!(tools));
    }
    let head = yaml::write(&head).map_err(|error| OrgRefusal::Failed(error.message()))?;
    let (path, text) = (skill_file(&member, &new.name), format!("---\n{head}---\n\n{body}"));
    if let Some(other) = skills::other_file(workspace, &path) {
        return Err(refused(localized!(
            "skill '{other}' is there in another form: a person has to change it",
            "技能 '{other}' 以其他形式存在：需要由人修改"
        )));
    }
    let known = minds.skills_of(&member);
    skills::checked((&new.name, &path), &text, known).map_err(refused)?;
    Ok(SkillPlan { team: team.name.clone(), member, path, text })
}

/// Where a skill of a member is that its lead writes.
#[must_use]
pub fn skill_file(member: &AgentId, name: &str) -> String {
    format!("{}/{name}.md", skill_folder(member))
}

/// The files that skills of a member may be in: each by itself, or in a folder of its own.
#[must_use]
pub fn skill_files_of(workspace: &Path, member: &AgentId) -> Vec<String> {
    let folder = skill_folder(member);
    let named = |ending: &str| names(&workspace.join(&folder), ending).into_iter();
    let files = named(".md").map(|name| format!("{folder}/{name}.md"));
    files.chain(named("").map(|name| format!("{folder}/{name}/SKILL.md"))).collect()
}

/// Where the skills of a member are.
#[must_use]
pub fn skill_folder(member: &AgentId) -> String {
    format!(".minds/skills/individual/{member}")
}
