//! Skills: how something is done, step by step, written by people below `.minds/skills/` and put into
//! the system prompt. The team's are for everybody; a member's own, for that member, replaces one of
//! the team with the same id. What cannot be used is a problem, and the rest goes on.

mod find;
mod read;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::domain::{AgentId, Lang, Problem, Team};

/// Most bytes of all skills of one member.
const TOTAL_LIMIT_BYTES: usize = 128 * 1024;

/// One skill, in the work language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Skill {
    /// The name of its folder, or of its file without endings.
    pub id: String,
    pub name: String,
    pub description: String,
    /// Tools it is made for; for the reader, they grant nothing.
    pub tools: Vec<String>,
    pub body: String,
    /// The file, below the workspace.
    pub path: String,
}

/// By their ids.
type ById = BTreeMap<String, Arc<Skill>>;

/// The skills of a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct Skills(HashMap<AgentId, Vec<Arc<Skill>>>);

impl Skills {
    pub(super) fn load(
        workspace: &Path,
        lang: Lang,
        team: &Team,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut read = |folder: &str| -> ById {
            let found = find::skills(workspace, folder, lang, problems);
            found.into_iter().map(|skill| (skill.id.clone(), Arc::new(skill))).collect()
        };
        let shared = read(".minds/skills/team_shared");
        let members = team.members.iter().map(|member| {
            let mut skills = shared.clone();
            skills.extend(read(&format!(".minds/skills/individual/{}", member.id)));
            (member.id.clone(), skills)
        });
        let members: Vec<(AgentId, ById)> = members.collect();
        let fitting = members.into_iter().map(|(id, skills)| {
            let skills = fitting(skills, &id, problems);
            (id, skills)
        });
        Self(fitting.collect())
    }

    /// In the order of their ids.
    pub(super) fn of(&self, member: &AgentId) -> &[Arc<Skill>] {
        self.0.get(member).map_or(&[], Vec::as_slice)
    }
}

/// Those that fit in, taken in their order.
fn fitting(skills: ById, member: &AgentId, problems: &mut Vec<Problem>) -> Vec<Arc<Skill>> {
    let mut bytes = 0;
    let (kept, left_out): (Vec<_>, Vec<_>) = skills.into_values().partition(|skill| {
        let with = bytes + skill.description.len() + skill.body.len();
        let fits = with <= TOTAL_LIMIT_BYTES;
        if fits {
            bytes = with;
        }
        fits
    });
    if let Some(first) = left_out.first() {
        let ids: Vec<&str> = left_out.iter().take(20).map(|skill| skill.id.as_str()).collect();
        problems.push(Problem::new(
            format!("skills/no-room/{member}"),
            &first.path,
            format!(
                "the skills of `{member}` are larger than {} KiB together; left out: {}",
                TOTAL_LIMIT_BYTES / 1024,
                ids.join(", ")
            ),
            "shorten skills, or give them to the members that need them",
        ));
    }
    kept
}
