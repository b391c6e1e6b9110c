//! The skills of a member that its system prompt only describes: it reads them with a tool.

use std::sync::Arc;

use crate::domain::AgentId;
use crate::minds::Minds;
use crate::tools::{READ_SKILL, SkillTexts, ToolSubset, read_skill_tool};

/// The skills of a member in one snapshot of the configuration.
#[derive(Debug)]
struct SkillsOf {
    minds: Arc<Minds>,
    member: AgentId,
}

impl SkillTexts for SkillsOf {
    fn ids(&self) -> Vec<String> {
        self.minds.skill_ids(&self.member)
    }

    fn text(&self, id: &str) -> Option<String> {
        self.minds.skill_text(&self.member, id)
    }
}

/// The tools with the one that reads skills, if the member needs it or was granted it.
pub(super) fn with_skills(tools: ToolSubset, minds: &Arc<Minds>, member: &AgentId) -> ToolSubset {
    if !minds.describes_skills(member) && !tools.contains(READ_SKILL) {
        return tools;
    }
    let skills = SkillsOf { minds: Arc::clone(minds), member: member.clone() };
    tools.with_tool(read_skill_tool(Some(Arc::new(skills))))
}
