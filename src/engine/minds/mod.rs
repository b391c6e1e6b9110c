//! The configuration in `.minds/`: the team, models and texts, and the system prompt built from them.
//!
//! [`Minds`] is an immutable snapshot that is replaced when the files change. Reading never fails;
//! see [`Minds::problems`]. A workspace without `.minds` is not a problem, see [`Minds::missing`].

mod built_in_personas;
mod cache;
mod diligence;
mod first_model;
mod hive;
pub mod llm_config;
pub mod mcp_config;
mod member_lines;
mod memory;
mod model_choice;
mod nearest;
mod priming;
mod priming_script;
pub mod prompt;
mod report;
mod skills;
mod stamp;
pub mod starter;
pub mod taskdoc;
mod team;
#[cfg(test)]
mod tests;
mod texts;
mod toolsets;
mod untrusted_files;

use std::path::Path;
use std::time::SystemTime;

pub use cache::{MindsCache, MindsFolder, MindsSource};
pub use first_model::FirstModel;
pub(crate) use hive::new_team::team_file;
pub use hive::{
    Capture, HiveConfig, PATH as HIVE_FILE, credentials, has_memory, is_configured as has_hive,
    uses_vault, with_level, without_credentials,
};
pub use hive::{new_member, new_team, triggers};
pub use llm_config::{ApiType, Connection, Env, ModelInfo, ProviderConfig, RetryConfig};
pub(crate) use llm_config::{PATH as LLM_FILE, builtin_providers};
pub use priming::priming_problems;
pub use priming_script::PrimingScript;
pub use prompt::DialogRole;
pub use stamp::MindsStamp;
pub use texts::MemberTexts;
pub use untrusted_files::CONFIG_LIMIT_BYTES;

use crate::domain::asking::autonomy::{AutonomyScope, MemberAutonomy};
use crate::domain::safety::trust::TrustKind;
use crate::domain::text::Text;
use crate::domain::{AgentId, Lang, Member, Problem, Secrets, ShellRight, Stamp, Team, TeamName};
use crate::yaml::Lines;
pub(crate) use team::{PATH as TEAM_FILE, member_entry, with_member, without_member};

use mcp_config::McpFile;
use memory::Memories;
use report::unusable;
use skills::Skills;
use texts::TeamTexts;
use untrusted_files::FileContent;

/// An immutable snapshot of `.minds/`.
#[derive(Debug, Clone)]
pub struct Minds {
    lang: Lang,
    team: Team,
    providers: Vec<ProviderConfig>,
    texts: TeamTexts,
    memories: Memories,
    skills: Skills,
    diligence: Option<String>,
    hive: HiveConfig,
    /// The servers of `mcp.yaml`; each is also the name of a toolset.
    mcp: McpFile,
    /// `(name, variable)` of values they read from the environment.
    mcp_variables: Vec<(String, String)>,
    /// Secrets written into `mcp.yaml` as literals.
    mcp_secrets: Secrets,
    /// The lines of the files that exist.
    team_lines: Option<Lines>,
    llm_lines: Option<Lines>,
    problems: Vec<Problem>,
}

impl Minds {
    /// Reads everything below `.minds/` of `workspace` that exists.
    #[must_use]
    pub fn load(workspace: &Path, lang: Lang) -> Self {
        let mut problems = Vec::new();
        let team_text = config_text(workspace, team::PATH, &mut problems);
        let llm_text = config_text(workspace, llm_config::PATH, &mut problems);
        let (team, team_problems) = match &team_text {
            Some(text) => team::read(text),
            None => (team::without_file(), Vec::new()),
        };
        let (providers, llm_problems) = match &llm_text {
            Some(text) => llm_config::read(text),
            None => (builtin_providers(), Vec::new()),
        };
        problems.extend(team_problems);
        problems.extend(llm_problems);
        let (hive, hive_problems) = HiveConfig::load(workspace, &team);
        problems.extend(hive_problems);
        let mcp = McpFile::load(workspace);
        let owned = |(name, variable): (&str, &str)| (name.to_owned(), variable.to_owned());
        let mcp_variables = mcp.variables().map(owned).collect();
        let mcp_secrets = Secrets::new([], mcp.literal_secrets().map(str::to_owned));
        problems.extend(mcp.problems.iter().cloned());
        let texts = TeamTexts::load(workspace, lang, &team, &mut problems);
        let memories = Memories::load(workspace, &team, &mut problems);
        let skills = Skills::load(workspace, lang, &team, &mut problems);
        let mut minds = Self {
            lang,
            diligence: diligence::load(workspace, lang),
            hive,
            mcp,
            mcp_variables,
            mcp_secrets,
            team,
            providers,
            texts,
            memories,
            skills,
            team_lines: team_text.as_deref().map(Lines::of),
            llm_lines: llm_text.as_deref().map(Lines::of),
            problems,
        };
        let findings = minds.model_problems();
        minds.problems.extend(findings);
        minds.problems.extend(priming_problems(workspace));
        minds
    }

    /// All problems, in the order of the files.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    #[must_use]
    pub fn lang(&self) -> Lang {
        self.lang
    }

    /// All members, including hidden ones.
    #[must_use]
    pub fn team(&self) -> &Team {
        &self.team
    }

    #[must_use]
    pub fn member(&self, id: &AgentId) -> Option<&Member> {
        self.team.member(id)
    }

    /// The same without the shells of these members: the user has not agreed to them.
    #[must_use]
    pub fn without_shells(mut self, of: &[AgentId]) -> Self {
        self.team.shell_specialists.retain(|id| !of.contains(id));
        for member in self.team.members.iter_mut().filter(|member| of.contains(&member.id)) {
            member.shell = ShellRight::Unagreed;
        }
        self
    }

    /// The same without what these rules leave to members: the user has not agreed to them.
    #[must_use]
    pub fn without_autonomy(mut self, of: Vec<AutonomyScope>) -> Self {
        self.hive.hold_back(of);
        self
    }

    /// The same without the secrets that commands of these teams get: the user has not agreed to them.
    #[must_use]
    pub fn without_shell_secrets(mut self, of: &[TeamName]) -> Self {
        if !of.is_empty() {
            self.hive.without_shell_secrets(of);
        }
        self
    }

    /// The member that answers if none is named; a hidden one if there is no other.
    #[must_use]
    pub fn default_responder(&self) -> Option<&AgentId> {
        self.team.default_responder()
    }

    /// The built-in providers and those of the file.
    #[must_use]
    pub fn providers(&self) -> &[ProviderConfig] {
        &self.providers
    }

    /// The environment variables with API keys of providers.
    #[must_use]
    pub fn key_variables(&self) -> Vec<String> {
        let variables = self.providers().iter().filter_map(ProviderConfig::key_variable);
        variables.map(str::to_owned).collect()
    }

    /// The servers of `mcp.yaml`.
    #[must_use]
    pub fn mcp(&self) -> &McpFile {
        &self.mcp
    }

    /// `(name, variable)` of values that MCP servers read from the environment.
    #[must_use]
    pub fn mcp_variables(&self) -> &[(String, String)] {
        &self.mcp_variables
    }

    /// Literal values of MCP servers that look like secrets.
    #[must_use]
    pub fn mcp_secrets(&self) -> &Secrets {
        &self.mcp_secrets
    }

    #[must_use]
    pub fn provider(&self, key: &str) -> Option<&ProviderConfig> {
        self.providers.iter().find(|provider| provider.key == key)
    }

    /// The persona and other texts of a member.
    #[must_use]
    pub fn texts_of(&self, id: &AgentId) -> MemberTexts<'_> {
        self.texts.of(id)
    }

    /// The text of the diligence push; `None` if an empty file switches it off.
    #[must_use]
    pub fn diligence(&self) -> Option<&str> {
        self.diligence.as_deref()
    }

    /// The skills of a member.
    fn skills_of(&self, member: &AgentId) -> &[std::sync::Arc<skills::Skill>] {
        self.skills.of(member)
    }

    /// True if the system prompt of a member only describes its skills, so that it has to read them.
    #[must_use]
    pub fn describes_skills(&self, member: &AgentId) -> bool {
        !skills::are_whole(self.skills_of(member))
    }

    /// The ids of the skills of a member.
    #[must_use]
    pub fn skill_ids(&self, member: &AgentId) -> Vec<String> {
        self.skills_of(member).iter().map(|skill| skill.id.clone()).collect()
    }

    /// A whole skill of a member, as it reads it.
    #[must_use]
    pub fn skill_text(&self, member: &AgentId, id: &str) -> Option<String> {
        let skill = self.skills_of(member).iter().find(|skill| skill.id == id)?;
        Some(prompt::skill_text(skill, self.lang))
    }

    /// How members ask a person.
    #[must_use]
    pub fn hive(&self) -> &HiveConfig {
        &self.hive
    }

    /// The problem if no dialog can run because there is no member. Whether a member's model can be used
    /// is checked by [`Minds::model_of`].
    #[must_use]
    pub fn missing(&self) -> Option<Problem> {
        if self.team.visible().next().is_some() {
            return None;
        }
        let text = if self.team_lines.is_none() {
            Text::new(
                "there is no team: the file does not exist, or cannot be used",
                "没有团队：文件不存在，或无法使用",
            )
        } else {
            Text::new(
                "there is no team: the file names no member that can be used",
                "没有团队：文件里没有可用的成员",
            )
        };
        let fix = Text::new(
            "run `dominds-tui init` for a starter team, or add a member under `members:`",
            "请运行 `dominds-tui init` 生成初始团队，或在 `members:` 下添加成员",
        );
        Some(Problem::new("team/missing", team::PATH, text, fix))
    }

    /// The memories of the team and the member, one message each. `tool_names` as for
    /// [`Minds::system_prompt`]; `stamp` formats modification times.
    #[must_use]
    pub fn memories(
        &self,
        member: &AgentId,
        tool_names: &[String],
        stamp: &dyn Fn(SystemTime) -> Stamp,
    ) -> Vec<String> {
        let setting = memory::RenderOptions { lang: self.lang, tool_names, stamp };
        memory::messages(self.memories.of(member), &setting)
    }

    /// The system prompt for a member in a dialog of this role. `tool_names` are the tools it has
    /// there, `memory` is what its team remembers, `autonomy` what it decides alone. The same input gives the same
    /// bytes, so that providers can cache it.
    #[must_use]
    pub fn system_prompt(
        &self,
        member: &Member,
        role: DialogRole,
        tool_names: &[String],
        memory: Option<&str>,
        autonomy: &MemberAutonomy,
    ) -> String {
        prompt::build(&prompt::PromptInput {
            lang: self.lang,
            member,
            team: &self.team,
            texts: self.texts.of(&member.id),
            environment: self.texts.environment(),
            autonomy,
            org: self.hive.org(),
            has_hive_file: self.hive.has_file(),
            skills: self.skills.of(&member.id),
            role,
            tool_names,
            memory,
        })
    }
}

/// The folder of the store, below the workspace: what `.minds/hive` configures is kept there.
pub const STORE_FOLDER: &str = ".hive";

/// The file that configures this kind of trust entry.
#[must_use]
pub fn trust_file(kind: TrustKind) -> &'static str {
    match kind {
        TrustKind::Shell => team::PATH,
        TrustKind::Server | TrustKind::Tool => mcp_config::PATH,
        TrustKind::Provider => llm_config::PATH,
        TrustKind::Autonomy | TrustKind::Spawn => hive::PATH,
        TrustKind::Vault => hive::TEAMS_FOLDER,
        TrustKind::Store => STORE_FOLDER,
    }
}

fn config_text(workspace: &Path, path: &str, problems: &mut Vec<Problem>) -> Option<String> {
    match untrusted_files::read(workspace, path, untrusted_files::CONFIG_LIMIT_BYTES) {
        FileContent::Text(text) => Some(text),
        FileContent::Missing => None,
        FileContent::Unusable(reason) => {
            problems.push(unusable(path, &reason));
            None
        }
    }
}
