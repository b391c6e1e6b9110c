//! Changes of the organisation: a new team, another scope, a team that is shut down. What is refused, and why.

use std::time::SystemTime;

use super::org::{MAX_DEPTH, Org, RESERVED};
use super::task::{Cause, MAX_TEXT_BYTES, named};
use crate::domain::ids::{AgentId, DialogId, TaskId, TeamName};
use crate::domain::lang::Lang;
use crate::domain::text::{Localized, Text, localized};

/// Most characters of a description.
pub const MAX_DESCRIPTION_CHARS: usize = 400;
/// Most characters of a keyword.
pub const MAX_KEYWORD_CHARS: usize = 80;
/// Most keywords of a team.
pub const MAX_KEYWORDS: usize = 100;
/// Milliseconds after which a change that another one blocks may be tried again.
pub const RETRY_AFTER_MS: u64 = 5_000;

named! {
    /// How a team is, apart from its work.
    #[derive(Default)]
    TeamStatus {
        #[default]
        Active = "active",
        /// Its first task is not over.
        Initializing = "(initializing)",
        BootstrapFailed = "Bootstrap failed",
        ShuttingDown = "shutting down",
    }
}

/// What the store knows of a team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamState {
    pub name: TeamName,
    pub status: TeamStatus,
}

/// A change that has begun and is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenChange {
    /// The team that it is about.
    pub team: TeamName,
    /// The team whose lead wants it; `None` for a person.
    pub by: Option<TeamName>,
    /// When it began.
    pub since: SystemTime,
}

/// Who wants a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requester {
    /// The team whose lead wants it; `None` for a person.
    pub team: Option<TeamName>,
    /// The dialog that asks, which gets the result.
    pub origin: Option<DialogId>,
    /// The task that is worked on there.
    pub cause: Option<Cause>,
    /// The language of what is written for the new team.
    pub lang: Lang,
}

impl Requester {
    #[must_use]
    pub fn person(lang: Lang) -> Self {
        Self { team: None, origin: None, cause: None, lang }
    }
}

/// A team that is wanted, as somebody describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTeam {
    pub name: String,
    pub parent: TeamName,
    pub description: String,
    pub scope: Vec<String>,
    /// What its lead should know first.
    pub context: String,
    pub by: Requester,
}

impl NewTeam {
    /// Checks its name for a team below that parent.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn checked_name(&self, org: &Org, max_teams: u32) -> Result<TeamName, OrgRefusal> {
        let name = TeamName::new(&self.name);
        if !TeamName::is_well_formed(&self.name) || RESERVED.contains(&self.name.as_str()) {
            return Err(OrgRefusal::BadName(self.name.chars().take(TeamName::MAX).collect()));
        }
        let bytes = self.context.len();
        if bytes > MAX_TEXT_BYTES {
            return Err(OrgRefusal::ContextTooLong { bytes });
        }
        if keywords(&self.scope).is_empty() {
            return Err(OrgRefusal::NoScope);
        }
        if org.team(&name).is_some() || org.is_unusable(&name) {
            return Err(OrgRefusal::Exists(name));
        }
        let Some(parent) = org.team(&self.parent) else {
            return Err(OrgRefusal::NotFound(self.parent.clone()));
        };
        if org.depth(parent) >= MAX_DEPTH {
            return Err(OrgRefusal::TooDeep);
        }
        let most = usize::try_from(max_teams).unwrap_or(usize::MAX);
        if org.count_without_root() >= most {
            return Err(OrgRefusal::TooMany { most: max_teams });
        }
        Ok(name)
    }
}

/// A member that the lead of a team wants for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMember {
    pub id: String,
    /// The name for people.
    pub name: Option<String>,
    /// What it is for.
    pub gofor: Vec<String>,
    pub persona: String,
    /// `None`: those that its lead has and may give.
    pub toolsets: Option<Vec<String>>,
    pub by: Requester,
}

/// A skill that the lead of a team writes for one of its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSkill {
    /// The lead, if nobody is named.
    pub member: Option<AgentId>,
    pub name: String,
    pub description: String,
    pub body: String,
    /// Tools that it is made for; they grant nothing.
    pub allowed_tools: Vec<String>,
    pub by: Requester,
}

/// A change that somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrgChange {
    Spawn(NewTeam),
    /// Keywords that a team gets and loses.
    Update {
        team: TeamName,
        add: Vec<String>,
        remove: Vec<String>,
        by: Requester,
    },
    Shutdown {
        team: TeamName,
        /// With those below it.
        cascade: bool,
        by: Requester,
    },
    DefineMember(NewMember),
    SaveSkill(NewSkill),
}

impl OrgChange {
    /// Who wants it.
    #[must_use]
    pub fn by(&self) -> &Requester {
        match self {
            Self::Spawn(NewTeam { by, .. })
            | Self::DefineMember(NewMember { by, .. })
            | Self::SaveSkill(NewSkill { by, .. })
            | Self::Update { by, .. }
            | Self::Shutdown { by, .. } => by,
        }
    }
}

/// What has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changed {
    /// The team works, beginning with this task.
    Spawned { team: TeamName, task: TaskId },
    /// What the team is for now.
    Updated(Vec<String>),
    /// These teams are shut down, each after those below it; they are gone once nothing of them is stored.
    Closing(Vec<TeamName>),
    /// The team has this member.
    Defined(AgentId),
    /// The skill is in this file.
    Saved(String),
}

/// What a change would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangePreview {
    /// The change of the files, as a unified diff.
    pub diff: String,
    /// The hash of the files as they are now: an agreement to the change holds for these only.
    pub basis: String,
}

/// Keywords as they are kept: lower case, in one line, none twice.
#[must_use]
pub fn keywords(written: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for word in written {
        let word = one_line(word, MAX_KEYWORD_CHARS).to_lowercase();
        if !word.is_empty() && !kept.contains(&word) && kept.len() < MAX_KEYWORDS {
            kept.push(word);
        }
    }
    kept
}

/// The words of a text in one line, without characters that control a terminal or a file.
#[must_use]
pub fn one_line(text: &str, most_chars: usize) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").chars().take(most_chars).collect()
}

/// The name of a team for people: short names in capitals.
#[must_use]
pub fn shown_name(name: &str) -> String {
    const SHORT: usize = 3;
    if name.len() <= SHORT {
        return name.to_uppercase();
    }
    let mut chars = name.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

/// Why the organisation is not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrgRefusal {
    BadName(String),
    NoScope,
    /// Nothing would be left of the scope.
    EmptyScope,
    Exists(TeamName),
    MemberExists(AgentId),
    BadMember(String),
    NotAMember {
        member: AgentId,
        team: TeamName,
    },
    /// Members and skills of the root are a person's.
    OfRoot,
    /// A value that is not allowed.
    Value(Localized),
    NotFound(TeamName),
    NotAChild {
        team: TeamName,
        of: TeamName,
    },
    TooDeep,
    TooMany {
        most: u32,
    },
    HasChildren {
        team: TeamName,
        children: Vec<TeamName>,
    },
    CascadeFailed {
        child: TeamName,
        why: Box<Self>,
    },
    ShuttingDown(TeamName),
    /// Another change of this team, or by it, is not over; `None`: by a person.
    Running(Option<TeamName>),
    /// What its lead should know first is too long.
    ContextTooLong {
        bytes: usize,
    },
    /// The root stays.
    IsRoot,
    /// The workspace has no teams.
    AreOff,
    NeedsFile,
    /// Something of the workspace waits for a person's consent.
    AwaitsConsent,
    /// What would be written needs a person's consent.
    NeedsConsent,
    /// A file is in the way, or cannot be changed; nothing is left of the change.
    Failed(Localized),
}

impl OrgRefusal {
    /// When the change may be tried again, in milliseconds; `None` if that would be no use.
    #[must_use]
    pub fn retry_after_ms(&self) -> Option<u64> {
        matches!(self, Self::Running(_)).then_some(RETRY_AFTER_MS)
    }

    /// For a model or a person.
    #[must_use]
    pub fn text(&self) -> Localized {
        match self {
            Self::BadName(name) => localized!(
                "Invalid team name '{name}': use lower case letters, digits and single hyphens",
                "团队名称 '{name}' 无效：请使用小写字母、数字和单个连字符"
            ),
            Self::NoScope => Text::new(
                "scope_accepts needs at least one keyword",
                "scope_accepts 至少需要一个关键词",
            )
            .into(),
            Self::EmptyScope => Text::new(
                "a team needs at least one scope keyword",
                "团队至少需要一个 scope 关键词",
            )
            .into(),
            Self::Exists(team) => {
                localized!("Team '{team}' already exists", "团队 '{team}' 已存在")
            }
            Self::MemberExists(id) => localized!(
                "member '{id}' exists already; choose another name",
                "成员 '{id}' 已存在；请换一个名称"
            ),
            Self::BadMember(id) => localized!(
                "Invalid member id '{id}': use lower case letters, digits and single hyphens",
                "成员 id '{id}' 无效：请使用小写字母、数字和单个连字符"
            ),
            Self::NotAMember { member, team } => localized!(
                "member '{member}' is not in team '{team}'",
                "成员 '{member}' 不在团队 '{team}' 中"
            ),
            Self::OfRoot => Text::new(
                "members and skills of team 'main' are written by a person",
                "团队 'main' 的成员和技能由人编写",
            )
            .into(),
            Self::NotFound(team) => {
                localized!("Team '{team}' not found", "没有找到团队 '{team}'")
            }
            Self::NotAChild { team, of } => localized!(
                "Team '{team}' is not a child of '{of}'",
                "团队 '{team}' 不是 '{of}' 的下级"
            ),
            Self::TooDeep => localized!(
                "teams stand at most {MAX_DEPTH} deep",
                "团队最多 {MAX_DEPTH} 层"
            ),
            Self::TooMany { most } => localized!(
                "at most {most} teams are allowed: limits.max_teams",
                "最多允许 {most} 个团队：limits.max_teams"
            ),
            Self::HasChildren { team, children } => {
                let children: Vec<&str> = children.iter().map(TeamName::as_str).collect();
                let children = children.join(", ");
                localized!(
                    "Team '{team}' has children: {children}; use cascade",
                    "团队 '{team}' 有下级：{children}；请使用 cascade"
                )
            }
            Self::CascadeFailed { child, why } => {
                let why = why.text();
                localized!(
                    [why] "cascade failed on child '{child}': {why}",
                    "在下级 '{child}' 处级联失败：{why}"
                )
            }
            Self::ShuttingDown(team) => {
                localized!("Team '{team}' is shutting down", "团队 '{team}' 正在关闭")
            }
            Self::Running(Some(team)) => localized!(
                "another organisation change of team '{team}' is running",
                "团队 '{team}' 的另一项组织变更正在进行"
            ),
            Self::Running(None) => Text::new(
                "another organisation change is running",
                "另一项组织变更正在进行",
            )
            .into(),
            Self::IsRoot => Text::new(
                "team 'main' is always there",
                "团队 'main' 始终存在",
            )
            .into(),
            Self::ContextTooLong { bytes } => localized!(
                "init_context has {bytes} bytes, at most {MAX_TEXT_BYTES} are allowed: write it into a file and name that",
                "init_context 有 {bytes} 字节，最多允许 {MAX_TEXT_BYTES} 字节：请写入文件并说明文件名"
            ),
            Self::AreOff => Text::new(
                "teams are off here: `teams` in .minds/hive/hive.yaml",
                "这里已关闭团队：见 .minds/hive/hive.yaml 中的 `teams`",
            )
            .into(),
            Self::NeedsFile => Text::new(
                "teams are made only in a workspace with .minds/hive/hive.yaml (an empty one will do)",
                "只有存在 .minds/hive/hive.yaml（空文件即可）的工作区才能建立团队",
            )
            .into(),
            Self::AwaitsConsent => Text::new(
                "something of this workspace waits for a person's consent; nothing is changed before",
                "此工作区有内容等待人的同意；在此之前不作更改",
            )
            .into(),
            Self::NeedsConsent => Text::new(
                "with this team something would need a person's consent, such as a rule that names whom it is for: a person has to write its files and agree to it",
                "有了这个团队，某些内容将需要人的同意，例如指明适用对象的规则：需要由人编写其文件并表示同意",
            )
            .into(),
            Self::Value(why) | Self::Failed(why) => why.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;
    use crate::samples::org::small;

    fn wanted(name: &str) -> NewTeam {
        NewTeam {
            name: name.to_owned(),
            parent: TeamName::main(),
            description: String::new(),
            scope: vec!["docs".to_owned()],
            context: String::new(),
            by: Requester::person(Lang::En),
        }
    }

    #[test]
    fn s1_2_what_cannot_be_a_new_team_is_refused_with_the_reason() {
        let org = small();
        let refused = |team: &NewTeam| team.checked_name(&org, 64).unwrap_err().text().to_string();
        for name in ["QA", "../x", "a_b", "main", "human", "fuxi", "", "a--b", "é"] {
            let expected = format!(
                "Invalid team name '{name}': use lower case letters, digits and single hyphens"
            );
            assert_eq!(refused(&wanted(name)), expected);
        }
        assert_eq!(refused(&wanted("qa")), "Team 'qa' already exists");
        for scope in [&[][..], &["", " \n"]] {
            let scope = scope.iter().map(ToString::to_string).collect();
            let without = NewTeam { scope, ..wanted("docs") };
            assert_eq!(refused(&without), "scope_accepts needs at least one keyword");
        }
        let orphan = NewTeam { parent: TeamName::new("x"), ..wanted("docs") };
        assert_eq!(refused(&orphan), "Team 'x' not found");
        let context = "x".repeat(MAX_TEXT_BYTES + 1);
        let long = NewTeam { context, ..wanted("docs") };
        assert!(refused(&long).starts_with("init_context has 100001 bytes"));
        let many = wanted("docs").checked_name(&org, 2);
        assert_eq!(many, Err(OrgRefusal::TooMany { most: 2 }));
        assert_eq!(wanted("docs").checked_name(&org, 3), Ok(TeamName::new("docs")));
    }

    #[test]
    fn keywords_are_in_lower_case_and_none_is_there_twice() {
        let written = ["Docs", " docs ", "a\u{1b}[2J\nb", "", "ÄB"].map(str::to_owned);
        assert_eq!(keywords(&written), ["docs", "a [2j b", "äb"]);
        let many: Vec<String> = (0..200).map(|n| n.to_string()).collect();
        assert_eq!(keywords(&many).len(), MAX_KEYWORDS);
    }

    #[test]
    fn every_refusal_is_told_in_both_languages_and_only_a_running_change_is_worth_another_try() {
        let team = TeamName::new("qa");
        let all = [
            OrgRefusal::BadName("x".to_owned()),
            OrgRefusal::NoScope,
            OrgRefusal::EmptyScope,
            OrgRefusal::Exists(team.clone()),
            OrgRefusal::MemberExists(AgentId::new("qa")),
            OrgRefusal::BadMember("x".to_owned()),
            OrgRefusal::NotAMember { member: AgentId::new("x"), team: team.clone() },
            OrgRefusal::OfRoot,
            OrgRefusal::NotFound(team.clone()),
            OrgRefusal::NotAChild { team: team.clone(), of: TeamName::main() },
            OrgRefusal::TooDeep,
            OrgRefusal::TooMany { most: 1 },
            OrgRefusal::HasChildren { team: team.clone(), children: vec![team.clone()] },
            OrgRefusal::CascadeFailed { child: team.clone(), why: Box::new(OrgRefusal::TooDeep) },
            OrgRefusal::ShuttingDown(team.clone()),
            OrgRefusal::IsRoot,
            OrgRefusal::AreOff,
            OrgRefusal::ContextTooLong { bytes: 9 },
            OrgRefusal::NeedsFile,
            OrgRefusal::AwaitsConsent,
            OrgRefusal::NeedsConsent,
        ];
        for refusal in all {
            assert_translated(&refusal.text());
            assert_eq!(refusal.retry_after_ms(), None);
        }
        for by in [Some(team), None] {
            let refusal = OrgRefusal::Running(by);
            assert_translated(&refusal.text());
            assert_eq!(refusal.retry_after_ms(), Some(5_000));
        }
    }
}
