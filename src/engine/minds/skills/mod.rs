//! Skills: step-by-step instructions below `.minds/skills/`. Short ones are put into the system prompt; where they are
//! long together, it only describes them, and a tool reads them. Those of
//! the team are for all members; a member's own skill replaces one of the team with the same id. An
//! unusable skill is reported as a problem and skipped.

mod find;
mod front_matter;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Lang, Problem, Team};

pub(super) use find::{MAX_SKILL_BYTES, other_file};
pub(super) use front_matter::MAX_TOOLS;

/// Maximum size of all skills of one member, in bytes.
const MAX_TOTAL_BYTES: usize = 1024 * 1024;
/// Skills of one member that are larger together are only described.
const MAX_WHOLE_BYTES: usize = 16 * 1024;

/// One skill, in the work language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Skill {
    /// The name of its folder, or of its file without suffixes.
    pub id: String,
    pub name: String,
    pub description: String,
    /// Tools it is made for; for information, they grant nothing.
    pub tools: Vec<String>,
    pub body: String,
    /// Relative to the workspace.
    pub path: String,
}

impl Skill {
    fn bytes(&self) -> usize {
        self.description.len() + self.body.len()
    }
}

/// True if the system prompt holds these skills whole.
pub(super) fn are_whole(skills: &[Arc<Skill>]) -> bool {
    skills.iter().map(|skill| skill.bytes()).sum::<usize>() <= MAX_WHOLE_BYTES
}

type SkillsById = BTreeMap<String, Arc<Skill>>;

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
        let mut read = |folder: &str| -> SkillsById {
            let found = find::skills(workspace, folder, lang, problems);
            found.into_iter().map(|skill| (skill.id.clone(), Arc::new(skill))).collect()
        };
        let shared = read(".minds/skills/team_shared");
        let members = team.members.iter().map(|member| {
            let mut skills = shared.clone();
            skills.extend(read(&format!(".minds/skills/individual/{}", member.id)));
            (member.id.clone(), skills)
        });
        let members: Vec<(AgentId, SkillsById)> = members.collect();
        let fitting = members.into_iter().map(|(id, skills)| {
            let skills = within_budget(skills, &id, problems);
            (id, skills)
        });
        Self(fitting.collect())
    }

    /// Sorted by id.
    pub(super) fn of(&self, member: &AgentId) -> &[Arc<Skill>] {
        self.0.get(member).map_or(&[], Vec::as_slice)
    }
}

/// Looks at a skill as if it were read.
///
/// # Errors
/// Why it would not be used; `others` are those that its member has.
pub(super) fn checked(
    (id, path): (&str, &str),
    text: &str,
    others: &[Arc<Skill>],
) -> Result<(), Localized> {
    let mut problems = Vec::new();
    let skill = front_matter::read_skill(id, path, text, &mut problems);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem.text);
    }
    let others = others.iter().filter(|other| other.id != id);
    let bytes: usize = others.map(|other| other.bytes()).sum();
    if bytes + skill.as_ref().map_or(0, Skill::bytes) > MAX_TOTAL_BYTES {
        let kib = MAX_TOTAL_BYTES / 1024;
        return Err(localized!(
            "with it the skills of its member are larger than {kib} KiB together",
            "加上它，该成员的技能总共超过 {kib} KiB"
        ));
    }
    Ok(())
}

/// Drops the skills that exceed the budget, in order.
fn within_budget(
    skills: SkillsById,
    member: &AgentId,
    problems: &mut Vec<Problem>,
) -> Vec<Arc<Skill>> {
    let mut bytes = 0;
    let (kept, left_out): (Vec<_>, Vec<_>) = skills.into_values().partition(|skill| {
        let with = bytes + skill.bytes();
        let fits = with <= MAX_TOTAL_BYTES;
        if fits {
            bytes = with;
        }
        fits
    });
    if let Some(first) = left_out.first() {
        let ids: Vec<&str> = left_out.iter().take(20).map(|skill| skill.id.as_str()).collect();
        let (ids, kib) = (ids.join(", "), MAX_TOTAL_BYTES / 1024);
        problems.push(Problem::new(
            format!("skills/no-room/{member}"),
            &first.path,
            localized!(
                "the skills of `{member}` are larger than {kib} KiB together; left out: {ids}",
                "`{member}` 的技能总共超过 {kib} KiB；未采用：{ids}"
            ),
            Text::new(
                "shorten skills, or give them to the members that need them",
                "请缩短技能，或只分给需要它们的成员",
            ),
        ));
    }
    kept
}
