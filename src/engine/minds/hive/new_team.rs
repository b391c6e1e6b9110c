//! What a new team consists of: the files that are written for it, its lead as a member, and its first task. Also the
//! scope of an existing team.

use serde_json::{Map, Value, json};

pub use super::member_list::{has_team_member, with_team_member};
pub use super::teams::file_of as team_file;
use super::{HiveConfig, teams};
use crate::domain::teams::org::TeamLimits;
use crate::domain::teams::org_change::{
    MAX_DESCRIPTION_CHARS, NewTeam, OrgRefusal, keywords, one_line, shown_name,
};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Member, TeamName};
use crate::minds::Minds;
use crate::yaml;

/// The toolsets that a new lead may be given: none that runs commands, changes the configuration, or talks to a server.
pub const SPAWNABLE: [&str; 5] = ["ws_read", "ws_mod", "personal_memory", "team_memory", "control"];
/// The toolsets that it may be given unless the configuration allows others.
pub const SPAWN_TOOLSETS: [&str; 3] = ["ws_read", "personal_memory", "team_memory"];

const PERSONA: &str = include_str!("new_persona.md");
const BOOTSTRAP: &str = include_str!("bootstrap.md");

/// A team that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamPlan {
    pub name: TeamName,
    /// Path below the workspace and text of each, in the order in which they are written.
    pub files: Vec<(String, String)>,
    pub lead: AgentId,
    /// The entry of the lead in `team.yaml`.
    pub entry: Value,
    /// The text of its first task.
    pub bootstrap: String,
    pub limits: TeamLimits,
}

/// Plans a team.
///
/// # Errors
/// The reason why it is refused.
pub fn plan(minds: &Minds, team: &NewTeam) -> Result<TeamPlan, OrgRefusal> {
    let hive: &HiveConfig = minds.hive();
    if !hive.has_file() {
        return Err(OrgRefusal::NeedsFile);
    }
    let name = team.checked_name(hive.org(), hive.limits.max_teams)?;
    let lead = AgentId::new(name.as_str());
    if minds.member(&lead).is_some() {
        return Err(OrgRefusal::MemberExists(lead));
    }
    let above =
        hive.org().team(&team.parent).and_then(|parent| minds.member(parent.lead.as_ref()?));
    let scope = keywords(&team.scope);
    let description = one_line(&team.description, MAX_DESCRIPTION_CHARS);
    let lang = team.by.lang;
    let about = if description.is_empty() { scope.join(", ") } else { description.clone() };
    let filled = |document: &'static str| {
        let text = Text::of_document(document).in_lang(lang).replace("{team}", name.as_str());
        // Text from outside is filled in last, so that nothing in it is taken for a placeholder.
        text.replace("{scope}", &scope.join(", ")).replace("{about}", &about)
    };
    let context = team.context.trim();
    let goals = if context.is_empty() { about.clone() } else { context.to_owned() };
    let mut file = json!({
        "parent": team.parent,
        "lead": lead,
        "members": [lead],
        "scope": scope,
        "spawned": { "members": [lead], "by": team.by.team.as_ref().map_or("human", TeamName::as_str) },
    });
    // Without a description there is no key for it.
    if let (false, Some(file)) = (description.is_empty(), file.as_object_mut()) {
        file.insert("description".to_owned(), description.into());
    }
    let can_have = |set: &&String| above.is_none_or(|above| has_toolset(above, set));
    let toolsets: Vec<String> = hive.spawn_toolsets.iter().filter(can_have).cloned().collect();
    let file = yaml::write(&file).map_err(|error| OrgRefusal::Failed(error.message()))?;
    Ok(TeamPlan {
        files: vec![
            (teams::file_of(&name), file),
            (persona_of(&lead), format!("{}\n", filled(PERSONA))),
            (format!("{name}.tsk/goals.md"), format!("{goals}\n")),
        ],
        entry: entry((&shown_name(name.as_str()), std::slice::from_ref(&about)), &toolsets, above),
        lead,
        bootstrap: filled(BOOTSTRAP),
        limits: hive.limits.team,
        name,
    })
}

/// Where the persona of a member is.
#[must_use]
pub fn persona_of(member: &AgentId) -> String {
    format!(".minds/team/{member}/persona.md")
}

/// A new member: it can do no more than the lead above it.
pub(super) fn entry(
    (name, gofor): (&str, &[String]),
    toolsets: &[String],
    above: Option<&Member>,
) -> Value {
    let mut entry = Map::from_iter([
        ("name".to_owned(), Value::from(name)),
        ("gofor".to_owned(), json!(gofor)),
        ("toolsets".to_owned(), json!(toolsets)),
        // It does not get the default tools of members.
        ("tools".to_owned(), json!([])),
    ]);
    let lists = above.map(|above| &above.access);
    let lists = lists.into_iter().flat_map(crate::minds::team::access_lists);
    entry.extend(
        lists.filter(|(_, list)| !list.is_empty()).map(|(key, list)| (key.to_owned(), json!(list))),
    );
    Value::Object(entry)
}

pub(super) fn has_toolset(member: &Member, set: &str) -> bool {
    let names = |name: &str| member.toolsets.iter().any(|one| one == name);
    !names(&format!("!{set}")) && (names("*") || names(set))
}

/// The text of a team's file with another scope; everything else stays.
///
/// # Errors
/// It is written in a way that is not changed here.
pub fn with_scope(text: &str, name: &TeamName, scope: &[String]) -> Result<String, Localized> {
    const SCOPE: &str = "scope";
    let path = teams::file_of(name);
    let by_hand = || {
        let scope = json!(scope);
        localized!(
            "{path} cannot be edited safely; set `scope` to {scope} yourself",
            "无法安全地编辑 {path}；请自行把 `scope` 设为 {scope}"
        )
    };
    let Ok(Value::Object(mut after)) = yaml::parse(text) else { return Err(by_hand()) };
    after.insert(SCOPE.to_owned(), json!(scope));
    let line = format!("{SCOPE}: {}\n", json!(scope));
    let changed = if let Some(range) = yaml::block_entry(text, &[SCOPE]) {
        let mut changed = text.to_owned();
        changed.replace_range(range, &line);
        changed
    } else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{text}{gap}{line}")
    };
    let says_it = yaml::parse(&changed).is_ok_and(|now| now == Value::Object(after));
    if says_it { Ok(changed) } else { Err(by_hand()) }
}

/// The members that were made with a team, by what its file says.
#[must_use]
pub fn spawned_members(text: &str) -> Vec<AgentId> {
    let Ok(file) = yaml::parse(text) else { return Vec::new() };
    let members = file.pointer("/spawned/members").and_then(Value::as_array);
    members.into_iter().flatten().filter_map(Value::as_str).map(AgentId::new).collect()
}
