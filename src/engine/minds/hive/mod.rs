//! `.minds/hive/hive.yaml`: how the members of a workspace ask a person, and what they decide alone. A faulty key is
//! ignored by itself, but a faulty key of `autonomy` leaves no decision to any member.

mod autonomy;
mod edit;
mod limits;
mod member_list;
pub mod new_member;
pub mod new_team;
mod old_credentials;
mod teams;
pub mod triggers;
mod values;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use super::report::{ProblemReport, clip, file_is_not_a_map, not_yaml, unusable, with_line};
use super::untrusted_files::{self, FileContent};
use crate::domain::asking::autonomy::{Autonomy, AutonomyScope, ChosenAutonomy, MemberAutonomy};
use crate::domain::teams::org::{Org, OrgTeam};
use crate::domain::teams::stall::StallRule;
use crate::domain::teams::task::HandoffRule;
use crate::domain::teams::task::query::DEFAULT_TIME;
use crate::domain::teams::trigger::FiringRule;
use crate::domain::teams::trigger::row::Definitions;
use crate::domain::text::{Text, localized};
use crate::domain::{AgentId, Problem, Team, TeamName};
use crate::yaml;
use limits::{Limits, WorkspaceLimits};
use new_team::{SPAWN_TOOLSETS, SPAWNABLE};
use values::{one_of, unknown_keys};

pub const PATH: &str = ".minds/hive/hive.yaml";

const KEYS: [&str; 13] = [
    "version",
    "autonomy",
    "questions",
    "teams",
    "limits",
    "tasks",
    "query",
    "handoff",
    "stall",
    "spawn",
    "triggers",
    "memory",
    "vault",
];
const QUESTION_KEYS: [&str; 4] = ["capture", "max_confirmations_per_cycle", "sources", AUTO_ANSWER];
/// Reserved: no model answers what a person is asked.
const AUTO_ANSWER: &str = "auto_answer";
/// Most confirmations for one piece of work that can be configured.
const MOST_CONFIRMATIONS: usize = 100;

pub use edit::with_level;
pub use old_credentials::{credentials, without_credentials};
pub(super) use teams::FOLDER as TEAMS_FOLDER;

/// True if `hive.yaml` is there, or the folder of the teams: without them a workspace is a plain one, and has no store.
#[must_use]
pub fn is_configured(workspace: &Path) -> bool {
    workspace.join(PATH).symlink_metadata().is_ok() || teams::is_there(workspace)
}

/// True if `hive.yaml` says that teams have memories.
#[must_use]
pub fn has_memory(workspace: &Path) -> bool {
    read_now(workspace).memory
}

/// True if the teams of this workspace have vaults, as its files are now. Touches the disk.
#[must_use]
pub fn uses_vault(workspace: &Path) -> bool {
    read_now(workspace).has_vault
}

fn read_now(workspace: &Path) -> HiveConfig {
    match untrusted_files::read(workspace, PATH, untrusted_files::CONFIG_LIMIT_BYTES) {
        FileContent::Text(text) => read(&text).0,
        FileContent::Missing | FileContent::Unusable(_) => HiveConfig::default(),
    }
}

/// Whose last words may ask, see [`crate::domain::asking::open_questions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Capture {
    /// Those of every main and side dialog.
    #[default]
    All,
    /// Those of dialogs that work on a task of a team.
    Tasks,
    Off,
}

impl Capture {
    const ALL: [(&str, Self); 3] = [("all", Self::All), ("tasks", Self::Tasks), ("off", Self::Off)];
}

/// The sources that questions of a member can have.
const SOURCES: [&str; 4] = ["eval", "prd", "plan", "execute"];

/// The configuration, or what holds without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiveConfig {
    /// The file is there, whatever is in it.
    pub is_configured: bool,
    pub capture: Capture,
    /// Confirmations that a member may ask for as long as it has the same work.
    pub most_confirmations: usize,
    sources: BTreeMap<AgentId, &'static str>,
    /// What members decide alone, as it is written.
    pub autonomy: Autonomy,
    /// The rules of it that nobody has agreed to.
    unagreed: Vec<AutonomyScope>,
    /// Bounds for teams and tasks.
    pub limits: WorkspaceLimits,
    /// How often work may be handed over to the team above.
    pub handoff: HandoffRule,
    /// The time limit of a query that names none.
    pub query_time: Duration,
    /// When a task stalls.
    pub stall: StallRule,
    /// How often triggers fire.
    pub firing: FiringRule,
    /// What the lead of a new team may have, if the one above it has it.
    pub spawn_toolsets: Vec<String>,
    /// The dialogs of finished tasks stay where they are.
    pub keeps_open: bool,
    /// Teams have memories in the store.
    pub memory: bool,
    /// False: there are no team tools, and nothing is worked on.
    teams_on: bool,
    /// `hive.yaml` itself is there.
    has_file: bool,
    /// The teams have vaults.
    has_vault: bool,
    org: Arc<Org>,
    triggers: Arc<Definitions>,
}

impl Default for HiveConfig {
    fn default() -> Self {
        Self {
            is_configured: false,
            capture: Capture::All,
            most_confirmations: 1,
            sources: BTreeMap::new(),
            autonomy: Autonomy::default(),
            unagreed: Vec::new(),
            limits: WorkspaceLimits::default(),
            handoff: HandoffRule::default(),
            query_time: DEFAULT_TIME,
            stall: StallRule::default(),
            firing: FiringRule::default(),
            spawn_toolsets: SPAWN_TOOLSETS.map(str::to_owned).to_vec(),
            keeps_open: false,
            memory: false,
            teams_on: true,
            has_file: false,
            has_vault: false,
            org: Arc::default(),
            triggers: Arc::default(),
        }
    }
}

impl HiveConfig {
    /// What holds if the file is there and cannot be used.
    fn unusable() -> Self {
        Self { autonomy: autonomy::unusable(), teams_on: false, ..Self::default() }
    }

    pub(super) fn load(workspace: &Path, team: &Team) -> (Self, Vec<Problem>) {
        if !is_configured(workspace) {
            return (Self::default(), Vec::new());
        }
        let found = untrusted_files::read(workspace, PATH, untrusted_files::CONFIG_LIMIT_BYTES);
        let has_file = !matches!(found, FileContent::Missing);
        let (mut config, mut problems) = match found {
            FileContent::Text(text) => read(&text),
            FileContent::Missing => (Self::default(), Vec::new()),
            FileContent::Unusable(reason) => (Self::unusable(), vec![unusable(PATH, &reason)]),
        };
        config.is_configured = true;
        config.has_file = has_file;
        let (org, faults) = teams::load(workspace, team, (&config.limits, config.teams_on));
        config.org = Arc::new(if config.has_vault { org } else { org.without_vaults() });
        problems.extend(faults);
        let (triggers, faults) = triggers::load(workspace, &config.org);
        config.triggers = Arc::new(triggers);
        problems.extend(faults);
        problems.extend(config.unknown_members(team));
        problems.extend(config.unknown_teams());
        (config, problems)
    }

    /// The problems of members that it names and that are not in the team.
    fn unknown_members(&self, known: &Team) -> Vec<Problem> {
        let sources = self.sources.keys().map(|id| (vec!["questions", "sources"], id));
        let rules = self.autonomy.rules().filter_map(|(scope, _)| match scope {
            AutonomyScope::Member(id) => Some((vec!["autonomy", "members"], id)),
            AutonomyScope::Workspace | AutonomyScope::Team(_) => None,
        });
        let unknown = sources.chain(rules).filter(|(_, id)| known.member(id).is_none());
        let problem = |(keys, id): (Vec<&str>, &AgentId)| {
            let path = keys.join(".");
            let id = clip(id.as_str());
            let text = localized!(
                "`{path}` names @{id}, who is not in .minds/team.yaml",
                "`{path}` 提到 @{id}，但它不在 .minds/team.yaml 中"
            );
            let fix = Text::new("correct the id, or remove the entry", "请改正 id，或删除该项");
            Problem::new(format!("hive/member/{path}.{id}"), PATH, text, fix).warning()
        };
        unknown.map(problem).collect()
    }

    /// Teams that it names and that do not exist.
    fn unknown_teams(&self) -> impl Iterator<Item = Problem> {
        self.autonomy.rules().filter_map(|(scope, _)| {
            let AutonomyScope::Team(name) = scope else { return None };
            if self.org.team(&TeamName::new(name)).is_some() {
                return None;
            }
            let name = clip(name);
            let known: Vec<&str> = self.org.teams().map(|team| team.name.as_str()).collect();
            let known = known.join(", ");
            let text = localized!(
                "`autonomy.teams` names {name}, which is no team; the teams are {known}",
                "`autonomy.teams` 提到 {name}，但它不是团队；团队有 {known}"
            );
            let fix = Text::new("correct the name, or remove the entry", "请改正名称，或删除该项");
            let problem = Problem::new(format!("hive/team/{name}"), PATH, text, fix);
            Some(problem.warning())
        })
    }

    /// From now on these rules leave nothing to members.
    pub(super) fn hold_back(&mut self, unagreed: Vec<AutonomyScope>) {
        self.unagreed = unagreed;
    }

    /// From now on commands of these teams get no secrets.
    pub(super) fn without_shell_secrets(&mut self, of: &[TeamName]) {
        Arc::make_mut(&mut self.org).without_shell_secrets(of);
    }

    /// What a member decides alone now.
    #[must_use]
    pub fn autonomy_of(&self, member: &AgentId) -> MemberAutonomy {
        self.agreed_autonomy().of(member, &self.org.line_of(member))
    }

    /// The same in a dialog for which a person may have chosen a level.
    #[must_use]
    pub fn autonomy_in(&self, member: &AgentId, chosen: Option<ChosenAutonomy>) -> MemberAutonomy {
        let Some(chosen) = chosen else { return self.autonomy_of(member) };
        self.agreed_autonomy().of_dialog(member, &self.org.line_of(member), chosen)
    }

    /// The team whose memories a member has; `None` where there are none.
    #[must_use]
    pub fn memory_team(&self, member: &AgentId) -> Option<&OrgTeam> {
        self.org.team_of(member).filter(|_| self.memory)
    }

    /// True if `hive.yaml` is there: without it no team is made.
    #[must_use]
    pub fn has_file(&self) -> bool {
        self.has_file
    }

    /// True if the teams have vaults.
    #[must_use]
    pub fn has_vault(&self) -> bool {
        self.has_vault
    }

    /// The team whose vault a member uses; `None` without vaults.
    #[must_use]
    pub fn vault_team(&self, member: &AgentId) -> Option<&TeamName> {
        self.org.team_of(member).filter(|_| self.has_vault).map(|team| &team.name)
    }

    /// What triggers do, as their files say.
    #[must_use]
    pub fn triggers(&self) -> &Arc<Definitions> {
        &self.triggers
    }

    /// The teams of the workspace.
    #[must_use]
    pub fn org(&self) -> &Arc<Org> {
        &self.org
    }

    /// The rules that hold now: as written, or stricter where nobody has agreed.
    #[must_use]
    pub fn agreed_autonomy(&self) -> Autonomy {
        self.autonomy.clone().without_consent(&self.unagreed)
    }

    /// The source of the questions in the words of this member, if configured.
    #[must_use]
    pub fn source_of(&self, member: &AgentId) -> Option<&'static str> {
        self.sources.get(member).copied()
    }
}

fn read(text: &str) -> (HiveConfig, Vec<Problem>) {
    const EXAMPLE: Text = Text::new("write `version: 1`", "请写 `version: 1`");
    let mut report = ProblemReport::new(PATH, text);
    let mut config = HiveConfig::default();
    let top = match yaml::parse(text) {
        Ok(Value::Object(top)) => top,
        Ok(Value::Null) => return (config, Vec::new()),
        Ok(other) => {
            report.add("hive/yaml", &[], file_is_not_a_map(&other), EXAMPLE);
            return (HiveConfig::unusable(), report.finish());
        }
        Err(error) => {
            let fix = Text::new(
                "fix the syntax; until then every decision requires approval",
                "请修正语法；在此之前所有决定都需要批准",
            );
            let problem = Problem::new("hive/yaml", PATH, not_yaml(&error), fix);
            return (HiveConfig::unusable(), vec![with_line(problem, error.line)]);
        }
    };
    unknown_keys(&top, &[], &KEYS, &mut report);
    if top.get("version").is_some_and(|version| version.as_u64() != Some(1)) {
        let text = Text::new("this program knows version 1", "本程序只认识版本 1");
        report.add("hive/version", &["version"], text, EXAMPLE);
    }
    if let Some(value) = top.get("autonomy") {
        config.autonomy = autonomy::read(value, &mut report);
    }
    match top.get("questions") {
        Some(Value::Object(questions)) => read_questions(questions, &mut config, &mut report),
        Some(other) => one_of(&["questions"], "{ capture: all }", other, &mut report),
        None => {}
    }
    match top.get("teams") {
        None => {}
        Some(value) if is_off(value) => config.teams_on = false,
        Some(value) if is_on(value) => {}
        Some(other) => one_of(&["teams"], "on, off", other, &mut report),
    }
    for (key, switch) in [("memory", &mut config.memory), ("vault", &mut config.has_vault)] {
        match top.get(key) {
            Some(value) if is_on(value) => *switch = true,
            Some(value) if !is_off(value) => one_of(&[key], "on, off", value, &mut report),
            Some(_) | None => {}
        }
    }
    read_spawn(&top, &mut config, &mut report);
    let Limits { workspace, handoff, query_time, keeps_open, stall, firing } =
        limits::read(&top, &mut report);
    (config.limits, config.handoff, config.keeps_open) = (workspace, handoff, keeps_open);
    config.query_time = query_time;
    (config.stall, config.firing) = (stall, firing);
    (config, report.finish())
}

/// Reads the toolsets of new leads; with a faulty list the default stays.
fn read_spawn(top: &Map<String, Value>, config: &mut HiveConfig, report: &mut ProblemReport<'_>) {
    const TOOLSETS: &str = "toolsets";
    let Some(value) = top.get("spawn") else { return };
    let known = || SPAWNABLE.join(", ");
    let Value::Object(block) = value else {
        return one_of(&["spawn"], "{ toolsets: [ws_read] }", value, report);
    };
    unknown_keys(block, &["spawn"], &[TOOLSETS], report);
    let Some(value) = block.get(TOOLSETS) else { return };
    let may_be = |one: &Value| {
        let name = one.as_str().filter(|name| SPAWNABLE.contains(name));
        name.map(str::to_owned)
    };
    let names = value.as_array().and_then(|all| all.iter().map(may_be).collect());
    match names {
        Some(names) => config.spawn_toolsets = names,
        None => one_of(&["spawn", TOOLSETS], &known(), value, report),
    }
}

/// YAML 1.1 reads these words as truth values, YAML 1.2 as words.
fn is_on(value: &Value) -> bool {
    value.as_bool() == Some(true) || value.as_str() == Some("on")
}

fn is_off(value: &Value) -> bool {
    value.as_bool() == Some(false) || value.as_str() == Some("off")
}

fn read_questions(
    questions: &Map<String, Value>,
    config: &mut HiveConfig,
    report: &mut ProblemReport<'_>,
) {
    unknown_keys(questions, &["questions"], &QUESTION_KEYS, report);
    if let Some(value) = questions.get("capture") {
        let known = Capture::ALL.into_iter().find(|(name, _)| value.as_str() == Some(name));
        match known {
            Some((_, capture)) => config.capture = capture,
            None => one_of(&["questions", "capture"], "all, tasks, off", value, report),
        }
    }
    if let Some(value) = questions.get("max_confirmations_per_cycle") {
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        if let Some(number) = number.filter(|number| (1..=MOST_CONFIRMATIONS).contains(number)) {
            config.most_confirmations = number;
        } else {
            let known = format!("1…{MOST_CONFIRMATIONS}");
            one_of(&["questions", "max_confirmations_per_cycle"], &known, value, report);
        }
    }
    if let Some(value) = questions.get(AUTO_ANSWER).filter(|value| !is_off(value)) {
        one_of(&["questions", AUTO_ANSWER], "off", value, report);
    }
    let Some(sources) = questions.get("sources") else { return };
    let Value::Object(sources) = sources else {
        return one_of(&["questions", "sources"], "MEMBER: execute", sources, report);
    };
    for (member, value) in sources {
        let known = SOURCES.into_iter().find(|name| value.as_str() == Some(name));
        match known {
            Some(source) => _ = config.sources.insert(AgentId::new(member.as_str()), source),
            None => {
                one_of(&["questions", "sources", member], &SOURCES.join(", "), value, report);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<(String, Option<usize>)> {
        let (_, problems) = read(text);
        problems.into_iter().map(|problem| (problem.id, problem.line)).collect()
    }

    #[test]
    fn vaults_are_off_unless_the_file_turns_them_on() {
        for (text, is_on) in [
            ("", false),
            ("vault: on", true),
            ("vault: true", true),
            ("vault: off", false),
            ("vault: maybe", false),
            ("vault: {}", false),
            ("vault: [", false),
        ] {
            assert_eq!(read(text).0.has_vault, is_on, "{text}");
        }
        assert_eq!(problems("vault: maybe"), [("hive/value/vault".to_owned(), Some(1))]);
    }

    #[test]
    fn teams_are_on_unless_the_file_says_otherwise_or_cannot_be_read() {
        for (text, is_on) in [
            ("", true),
            ("teams: on", true),
            ("teams: true", true),
            ("teams: maybe", true),
            ("teams: off", false),
            ("teams: false", false),
            ("teams: {", false),
            ("- teams", false),
        ] {
            assert_eq!(read(text).0.teams_on, is_on, "{text}");
        }
    }

    #[test]
    fn s12_10_there_are_no_memories_unless_the_file_says_so() {
        for (text, is_on, count) in [
            ("", false, 0),
            ("memory: on", true, 0),
            ("memory: true", true, 0),
            ("memory: off", false, 0),
            ("memory: yes please", false, 1),
            ("memory: { language: en }", false, 1),
        ] {
            let (config, problems) = read(text);
            assert_eq!((config.memory, problems.len()), (is_on, count), "{text}");
        }
    }

    #[test]
    fn without_the_file_every_dialog_is_looked_at_and_no_member_has_a_source() {
        for text in ["", "version: 1\n", "questions: {}\n"] {
            let (config, problems) = read(text);
            assert_eq!((config, problems), (HiveConfig::default(), Vec::new()), "{text}");
        }
        assert_eq!(HiveConfig::default().capture, Capture::All);
    }

    #[test]
    fn what_is_written_counts() {
        let text = "version: 1\nquestions:\n  capture: off\n  sources: { coder: execute }\n";
        let (config, problems) = read(text);
        assert_eq!((config.capture, problems), (Capture::Off, Vec::new()));
        assert_eq!(config.most_confirmations, 1);
        assert_eq!(config.source_of(&AgentId::new("coder")), Some("execute"));
        assert_eq!(config.source_of(&AgentId::new("lead")), None);
        let (config, problems) = read("tasks: { max_steps: 7, max_attempts: 5, keep_open: true }");
        let WorkspaceLimits { max_attempts, team, .. } = config.limits;
        assert_eq!((max_attempts, team.max_steps, config.keeps_open), (5, 7, true));
        assert_eq!(problems, []);
        let (config, problems) =
            read("questions: { max_confirmations_per_cycle: 3, auto_answer: off }");
        assert_eq!((config.most_confirmations, problems), (3, Vec::new()));
    }

    #[test]
    fn members_and_teams_that_do_not_exist_are_named() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join(".minds/hive")).unwrap();
        let text = "autonomy: { members: { lead: {}, bob: { level: full } }, teams: { main: { level: full }, qa: { level: full } } }\n\
                    questions: { sources: { eve: plan } }\n";
        std::fs::write(dir.path().join(PATH), text).unwrap();
        let team = crate::minds::team::read("members: { lead: { name: Lead } }").0;
        let (_, problems) = HiveConfig::load(dir.path(), &team);
        let ids: Vec<&str> = problems.iter().map(|problem| problem.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "hive/member/questions.sources.eve",
                "hive/member/autonomy.members.bob",
                "hive/team/qa",
            ]
        );
        std::fs::remove_file(dir.path().join(PATH)).unwrap();
        std::fs::create_dir(dir.path().join(PATH)).unwrap();
        let (config, problems) = HiveConfig::load(dir.path(), &team);
        assert_eq!(problems.len(), 1);
        assert_eq!(
            config.autonomy,
            autonomy::unusable(),
            "what cannot be read leaves nothing to anybody"
        );
    }

    #[test]
    fn a_faulty_key_is_a_problem_with_its_line_and_ignored_alone() {
        let text = "version: 2\nquestion: {}\nquestions:\n  capture: some\n  sources:\n    a: plan\n    b: x\n";
        let id = |id: &str, line| (id.to_owned(), Some(line));
        assert_eq!(
            problems(text),
            [
                id("hive/unknown-key/question", 2),
                id("hive/version", 1),
                id("hive/value/questions.capture", 4),
                id("hive/value/questions.sources.b", 7),
            ]
        );
        let (config, _) = read(text);
        assert_eq!(config.source_of(&AgentId::new("a")), Some("plan"));
        for broken in [
            "[1]",
            "a: [",
            "questions: 3",
            "questions: { sources: 3 }",
            "questions: { max_confirmations_per_cycle: 0 }",
            "questions: { max_confirmations_per_cycle: one }",
            "tasks: { max_attempts: 0 }",
            "questions: { auto_answer: on }",
        ] {
            assert_eq!(problems(broken).len(), 1, "{broken}");
        }
    }
}
