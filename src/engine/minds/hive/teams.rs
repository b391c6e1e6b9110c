//! `.minds/hive/teams/NAME.yaml`: the structure of one team. A file with a mistake leaves its team out, with a problem;
//! `main.yaml` may bound the root.

use std::path::Path;

use serde_json::{Map, Value};

use super::limits::{NumberReader, WorkspaceLimits};
use super::old_credentials::{CREDENTIALS, credentials};
use super::values::{IS_ABSENT, NO_TEAM, none_of, unknown_keys};
use crate::domain::safety::references::is_key;
use crate::domain::teams::org::{MAIN, MAX_DEPTH, Org, OrgFault, OrgTeam, RESERVED, TeamLimits};
use crate::domain::teams::task::Overlap;
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, Problem, Team, TeamName};
use crate::minds::report::{ProblemReport, clip, file_is_not_a_map, not_yaml, unusable, with_line};
use crate::minds::untrusted_files::{self, FileContent};
use crate::yaml;

/// Where the files are.
pub(in crate::minds) const FOLDER: &str = ".minds/hive/teams";

const KEYS: [&str; 11] = [
    "parent",
    "lead",
    "members",
    "description",
    "scope",
    "allowed_tools",
    "limits",
    "default_overlap",
    "spawned",
    "vault",
    CREDENTIALS,
];
const LIMIT_KEYS: [&str; 5] = [
    "max_concurrent_daily_ops",
    "max_steps",
    "max_queue",
    "max_tasks_per_day",
    "max_tokens_per_day",
];
/// Most variables that commands of a team get.
const MAX_VARIABLES: usize = 100;
/// Further files are not read.
const MAX_FILES: usize = 1_000;
const MAX_SCOPE: usize = 100;

/// True if the folder is there, whatever is in it.
pub(super) fn is_there(workspace: &Path) -> bool {
    workspace.join(FOLDER).is_dir()
}

/// Reads all teams. The settings of the workspace are the defaults of each team.
pub(super) fn load(
    workspace: &Path,
    team: &Team,
    (limits, teams_on): (&WorkspaceLimits, bool),
) -> (Org, Vec<Problem>) {
    let mut problems = Vec::new();
    let root = TeamName::main();
    let mut main = OrgTeam { lead: team.default_responder().cloned(), ..empty(root, limits.team) };
    let mut teams = Vec::new();
    for name in names(workspace, &mut problems) {
        let path = format!("{FOLDER}/{name}.yaml");
        let text =
            match untrusted_files::read(workspace, &path, untrusted_files::CONFIG_LIMIT_BYTES) {
                FileContent::Text(text) => text,
                FileContent::Missing => continue,
                FileContent::Unusable(reason) => {
                    problems.push(unusable(&path, &reason));
                    continue;
                }
            };
        let (read, faults) = read(&name, &path, &text, limits.team);
        problems.extend(faults);
        match read {
            Some(read) if name == MAIN => {
                (main.limits, main.scope) = (read.limits, read.scope);
                main.shell_secrets = read.shell_secrets;
                main.held_back = read.held_back;
            }
            Some(read) => teams.push(read),
            None => {}
        }
    }
    let most = usize::try_from(limits.max_teams).unwrap_or(usize::MAX);
    for beyond in teams.drain(most.min(teams.len())..) {
        let name = &beyond.name;
        let text = localized!(
            "team {name} is left out: at most {most} teams are allowed",
            "团队 {name} 被略过：最多允许 {most} 个团队"
        );
        let fix = Text::new(
            "remove a team, or raise `limits.max_teams`",
            "请移除一个团队，或调高 `limits.max_teams`",
        );
        problems.push(Problem::new(format!("hive/teams/{name}"), file_of(name), text, fix));
    }
    let known: Vec<AgentId> = team.members.iter().map(|member| member.id.clone()).collect();
    let (org, faults) = Org::new(main, teams, &known, teams_on);
    problems.extend(faults.into_iter().map(|(name, fault)| problem(&name, &fault)));
    (org, problems)
}

/// Where the file of a team is.
pub fn file_of(name: &TeamName) -> String {
    format!("{FOLDER}/{name}.yaml")
}

/// The names of the files, sorted; what cannot be the name of a team is a problem.
fn names(workspace: &Path, problems: &mut Vec<Problem>) -> Vec<String> {
    let found = std::fs::read_dir(workspace.join(FOLDER)).into_iter().flatten().flatten();
    let files = found.filter_map(|entry| entry.file_name().into_string().ok());
    let yaml = files.filter_map(|file| file.strip_suffix(".yaml").map(str::to_owned));
    let mut names: Vec<String> = yaml.take(MAX_FILES).collect();
    names.sort_unstable();
    names.retain(|name| {
        let is_one = name == MAIN
            || (TeamName::is_well_formed(name) && !RESERVED.contains(&name.as_str()));
        if !is_one {
            let shown = clip(name);
            let text = localized!(
                "no team can be called {shown}",
                "团队不能叫 {shown}"
            );
            let fix = Text::new(
                "rename the file: lower case letters, digits and single hyphens, and not main, human, fuxi or pangu",
                "请重命名文件：小写字母、数字和单个连字符，且不能是 main、human、fuxi 或 pangu",
            );
            let at = format!("{FOLDER}/{shown}.yaml");
            problems.push(Problem::new(format!("hive/team-name/{shown}"), at, text, fix));
        }
        is_one
    });
    names
}

fn empty(name: TeamName, limits: TeamLimits) -> OrgTeam {
    OrgTeam {
        name,
        parent: None,
        lead: None,
        members: Vec::new(),
        description: String::new(),
        scope: Vec::new(),
        allowed_tools: None,
        limits,
        default_overlap: Overlap::Allow,
        shell_secrets: Vec::new(),
        held_back: None,
    }
}

/// The team of a file; `None` if it cannot be used.
fn read(name: &str, path: &str, text: &str, limits: TeamLimits) -> (Option<OrgTeam>, Vec<Problem>) {
    let mut report = ProblemReport::new(path, text);
    let top = match yaml::parse(text) {
        Ok(Value::Object(top)) => top,
        Ok(Value::Null) if name == MAIN => Map::new(),
        Ok(other) => {
            let fix =
                Text::new("write `parent: main` and `lead: …`", "请写 `parent: main` 和 `lead: …`");
            report.add("hive/team-yaml", &[], file_is_not_a_map(&other), fix);
            return (None, report.finish());
        }
        Err(error) => {
            let fix = Text::new(
                "fix the syntax; until then there is no such team",
                "请修正语法；在此之前没有该团队",
            );
            let problem = Problem::new(format!("hive/yaml/{name}"), path, not_yaml(&error), fix);
            return (None, vec![with_line(problem, error.line)]);
        }
    };
    unknown_keys(&top, &[], &KEYS, &mut report);
    let mut team = empty(TeamName::new(name), limits);
    // The root is always there.
    let fix = if name == MAIN { IS_ABSENT } else { NO_TEAM };
    if let Some(block) = top.get("limits") {
        if let Value::Object(block) = block {
            unknown_keys(block, &["limits"], &LIMIT_KEYS, &mut report);
            let mut read = NumberReader { block, at: "limits", fix, report: &mut report };
            read.read_running("max_concurrent_daily_ops", &mut team.limits.max_running);
            read.read_steps(&mut team.limits);
            read.read_team(&mut team.limits);
        } else {
            none_of(&["limits"], ("{ max_steps: 100 }", fix), block, &mut report);
        }
    }
    let mut words = Words { top: &top, fix, report: &mut report };
    team.scope = words.list("scope").unwrap_or_default();
    team.scope.truncate(MAX_SCOPE);
    team.allowed_tools =
        words.list("allowed_tools").filter(|all| !all.iter().any(|one| one == "*"));
    team.description = words.one("description").unwrap_or_default();
    if name != MAIN {
        team.parent = Some(TeamName::new(words.one("parent").unwrap_or_else(|| MAIN.to_owned())));
        team.lead = words.required("lead").map(AgentId::new);
        let members = words.list("members").unwrap_or_default();
        team.members = members.into_iter().map(AgentId::new).collect();
        if team.members.is_empty() {
            team.members.extend(team.lead.clone());
        }
        if let Some(value) = top.get("default_overlap") {
            if let Some(overlap) = value.as_str().and_then(Overlap::named) {
                team.default_overlap = overlap;
            } else {
                let known = "allow, skip, confirm, replace";
                none_of(&["default_overlap"], (known, fix), value, &mut report);
            }
        }
    }
    read_vault((&top, text), fix, &mut team, &mut report);
    let is_usable = name == MAIN || !report.has_errors();
    (is_usable.then_some(team), report.finish())
}

/// Reads which secrets its commands get, and why it is held back.
fn read_vault(
    (top, text): (&Map<String, Value>, &str),
    fix: Text,
    team: &mut OrgTeam,
    report: &mut ProblemReport<'_>,
) {
    if let Some(value) = top.get("vault") {
        match shell_secrets(value) {
            Some(secrets) => team.shell_secrets = secrets,
            None => none_of(&["vault"], ("{ shell: [NAME, { NAME: key }] }", fix), value, report),
        }
    }
    if top.contains_key(CREDENTIALS) {
        let waits =
            Text::new("credentials are not migrated: vault migrate", "凭据尚未迁移：vault migrate");
        let why = credentials(text).err().unwrap_or_else(|| waits.into());
        let fix = Text::new(
            "write `vault: on` in hive.yaml, then: dominds-tui vault migrate",
            "请在 hive.yaml 中写 `vault: on`，然后执行：dominds-tui vault migrate",
        );
        report.warn(&format!("hive/credentials/{}", team.name), &[CREDENTIALS], why.clone(), fix);
        team.held_back = Some(why);
    }
}

/// The variables of `vault.shell` with their keys: each a name that is also the key, or a name with its key.
fn shell_secrets(value: &Value) -> Option<Vec<(String, String)>> {
    let block = value.as_object().filter(|block| block.keys().all(|key| key == "shell"))?;
    let Some(list) = block.get("shell") else { return Some(Vec::new()) };
    let one = |item: &Value| {
        let (name, key) = match item {
            Value::String(name) => (name.as_str(), name.as_str()),
            Value::Object(pair) if pair.len() == 1 => {
                let (name, key) = pair.iter().next()?;
                (name.as_str(), key.as_str()?)
            }
            Value::Object(_)
            | Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_) => {
                return None;
            }
        };
        (is_variable(name) && is_key(key)).then(|| (name.to_owned(), key.to_owned()))
    };
    let list = list.as_array().filter(|list| list.len() <= MAX_VARIABLES)?;
    list.iter().map(one).collect()
}

/// `[A-Z_][A-Z0-9_]*`
fn is_variable(name: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() <= 100
        && name.bytes().all(is_one)
        && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

/// Texts and lists of texts.
struct Words<'a, 'r, 't> {
    top: &'a Map<String, Value>,
    /// The fix for a value of another type.
    fix: Text,
    report: &'r mut ProblemReport<'t>,
}

impl Words<'_, '_, '_> {
    fn one(&mut self, key: &str) -> Option<String> {
        let value = self.top.get(key)?;
        let text = value.as_str().map(str::trim).filter(|text| !text.is_empty());
        if text.is_none() {
            self.refuse(key, Text::new("a text", "文本"), value);
        }
        text.map(str::to_owned)
    }

    fn required(&mut self, key: &str) -> Option<String> {
        if !self.top.contains_key(key) {
            let text = localized!("`{key}` is missing", "缺少 `{key}`");
            let fix =
                Text::new("name a member of .minds/team.yaml", "请写 .minds/team.yaml 中的成员");
            self.report.add(&format!("hive/team-key/{key}"), &[], text, fix);
        }
        self.one(key)
    }

    fn list(&mut self, key: &str) -> Option<Vec<String>> {
        let value = self.top.get(key)?;
        let words = value.as_array().and_then(|all| {
            all.iter().map(|one| one.as_str().map(|one| one.trim().to_owned())).collect()
        });
        if words.is_none() {
            self.refuse(key, Text::new("a list of texts", "文本列表"), value);
        }
        words
    }

    fn refuse(&mut self, key: &str, what: Text, found: &Value) {
        let (what, found) = (Localized::from(what), clip(&found.to_string()));
        let text = localized!([what]
            "`{key}` must be {what}, not {found}",
            "`{key}` 必须是{what}，而不是 {found}"
        );
        self.report.add(&format!("hive/team-value/{key}"), &[key], text, self.fix);
    }
}

fn problem(name: &TeamName, fault: &OrgFault) -> Problem {
    let text = match fault {
        OrgFault::UnknownParent(parent) => {
            let parent = clip(parent.as_str());
            localized!(
                "team {name} is left out: its parent {parent} is no team",
                "团队 {name} 被略过：上级 {parent} 不是团队"
            )
        }
        OrgFault::Circle => localized!(
            "team {name} is left out: it stands above itself",
            "团队 {name} 被略过：它是自己的上级"
        ),
        OrgFault::TooDeep => localized!(
            "team {name} is left out: teams stand at most {MAX_DEPTH} deep",
            "团队 {name} 被略过：团队最多 {MAX_DEPTH} 层"
        ),
        OrgFault::ParentUnusable(parent) => localized!(
            "team {name} is left out: its parent {parent} cannot be used",
            "团队 {name} 被略过：上级 {parent} 无法使用"
        ),
        OrgFault::UnknownMember(id) => {
            let id = clip(id.as_str());
            localized!(
                "team {name} is left out: @{id} is not in .minds/team.yaml",
                "团队 {name} 被略过：@{id} 不在 .minds/team.yaml 中"
            )
        }
        OrgFault::LeadIsNoMember(id) => {
            let id = clip(id.as_str());
            localized!(
                "team {name} is left out: its lead @{id} is not one of its members",
                "团队 {name} 被略过：负责人 @{id} 不在其成员中"
            )
        }
        OrgFault::MayNotBeIn(id) => localized!(
            "team {name} is left out: @{id} can be in no team",
            "团队 {name} 被略过：@{id} 不能属于任何团队"
        ),
        OrgFault::InTwoTeams(id, other) => localized!(
            "team {name} is left out: @{id} is also in team {other}",
            "团队 {name} 被略过：@{id} 还属于团队 {other}"
        ),
    };
    let fix = match fault {
        OrgFault::UnknownParent(_) | OrgFault::Circle | OrgFault::TooDeep => {
            Text::new("correct `parent`", "请改正 `parent`")
        }
        OrgFault::ParentUnusable(_) => {
            Text::new("correct the team that `parent` names", "请改正 `parent` 所指的团队")
        }
        OrgFault::UnknownMember(_)
        | OrgFault::LeadIsNoMember(_)
        | OrgFault::MayNotBeIn(_)
        | OrgFault::InTwoTeams(..) => Text::new("correct `members`", "请改正 `members`"),
    };
    Problem::new(format!("hive/team/{name}"), file_of(name), text, fix)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::domain::Lang;
    use crate::samples::assert_translated;

    fn loaded(files: &[(&str, &str)]) -> (Org, Vec<Problem>) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join(FOLDER)).unwrap();
        for (name, text) in files {
            fs::write(dir.path().join(FOLDER).join(name), text).unwrap();
        }
        let members = "default_responder: lead\nmembers: { lead: { name: L }, qa: { name: Q }, tester: { name: T } }";
        let team = crate::minds::team::read(members).0;
        load(dir.path(), &team, (&WorkspaceLimits::default(), true))
    }

    fn ids(problems: &[Problem]) -> Vec<&str> {
        problems.iter().map(|problem| problem.id.as_str()).collect()
    }

    #[test]
    fn a_team_is_read_as_its_file_says() {
        let text = "parent: main\nlead: qa\nmembers: [qa, tester]\ndescription: tests\n\
                    scope: [testing]\nallowed_tools: [delegate_task]\ndefault_overlap: skip\n\
                    limits: { max_concurrent_daily_ops: 2, max_steps: 9, max_queue: 3, max_tasks_per_day: 0 }\n";
        let (org, problems) = loaded(&[("qa.yaml", text), ("notes.txt", "x")]);
        assert_eq!(ids(&problems), [""; 0]);
        let team = org.team(&TeamName::new("qa")).unwrap();
        assert_eq!(team.parent, Some(TeamName::main()));
        assert_eq!((team.lead.clone(), team.members.len()), (Some(AgentId::new("qa")), 2));
        let TeamLimits { max_running, max_steps, max_queue, max_tasks_per_day, .. } = team.limits;
        assert_eq!((max_running, max_steps, max_queue, max_tasks_per_day), (2, 9, 3, 0));
        assert_eq!(team.allowed_tools.as_deref(), Some(&["delegate_task".to_owned()][..]));
        assert_eq!(team.default_overlap, Overlap::Skip);
        assert_eq!(org.team(&TeamName::main()).unwrap().members, [AgentId::new("lead")]);
    }

    #[test]
    fn a_team_without_a_list_of_members_has_its_lead_alone_and_stands_below_main() {
        let (org, problems) =
            loaded(&[("qa.yaml", "lead: qa\n"), ("main.yaml", "limits: { max_queue: 2 }")]);
        assert_eq!(ids(&problems), [""; 0]);
        let team = org.team(&TeamName::new("qa")).unwrap();
        assert_eq!(team.members, [AgentId::new("qa")]);
        assert!(org.is_child(&team.name, &TeamName::main()));
        assert_eq!(org.team(&TeamName::main()).unwrap().limits.max_queue, 2);
    }

    #[test]
    fn a_mistake_is_named_and_the_team_left_out() {
        for (file, text, id) in [
            ("qa.yaml", "lead: nobody\n", "hive/team/qa"),
            ("qa.yaml", "members: [qa]\n", "hive/team-key/lead"),
            ("qa.yaml", "lead: [qa]\n", "hive/team-value/lead"),
            ("qa.yaml", "lead: qa\nscope: testing\n", "hive/team-value/scope"),
            ("qa.yaml", "lead: {", "hive/yaml/qa"),
            ("qa.yaml", "- x\n", "hive/team-yaml"),
            ("qa.yaml", "lead: qa\nparent: none\n", "hive/team/qa"),
            ("QA.yaml", "lead: qa\n", "hive/team-name/QA"),
            ("human.yaml", "lead: qa\n", "hive/team-name/human"),
            (
                "qa.yaml",
                "lead: qa\nlimits: { max_tokens_per_day: 1k }\n",
                "hive/value/limits.max_tokens_per_day",
            ),
            ("qa.yaml", "lead: qa\nlimits: none\n", "hive/value/limits"),
            ("qa.yaml", "lead: qa\ndefault_overlap: no\n", "hive/value/default_overlap"),
        ] {
            let (org, problems) = loaded(&[(file, text)]);
            assert_eq!(ids(&problems), [id], "{text}");
            assert!(problems.iter().all(|problem| problem.path.starts_with(FOLDER)));
            assert_eq!(org.teams().count(), 1, "{text}");
            for problem in &problems {
                assert_translated(&problem.text);
                assert_translated(&problem.fix);
            }
        }
    }

    #[test]
    fn variables_from_the_vault_are_named_with_their_keys() {
        let text = "lead: qa\nvault: { shell: [GITHUB_TOKEN, { DB_PASS: db/pass }] }\n";
        let (org, problems) = loaded(&[("qa.yaml", text)]);
        assert_eq!(ids(&problems), [""; 0]);
        let expected = [("GITHUB_TOKEN", "GITHUB_TOKEN"), ("DB_PASS", "db/pass")];
        let expected = expected.map(|(name, key)| (name.to_owned(), key.to_owned()));
        assert_eq!(org.team(&TeamName::new("qa")).unwrap().shell_secrets, expected);
        for shell in ["[a]", "[1A]", "[{ A: b, C: d }]", "[{ A: 1 }]", "[A B]", "A", "['']"] {
            let text = format!("lead: qa\nvault: {{ shell: {shell} }}\n");
            let (org, problems) = loaded(&[("qa.yaml", &text)]);
            assert_eq!(ids(&problems), ["hive/value/vault"], "{shell}");
            assert!(org.team(&TeamName::new("qa")).is_none());
        }
    }

    #[test]
    fn credentials_in_a_file_are_reported_until_they_are_migrated() {
        for (value, expected) in [
            ("canary", "credentials are not migrated: vault migrate"),
            ("[canary]", "credentials.A is a list, not a text"),
        ] {
            let text = format!("lead: qa\ncredentials:\n  A: {value}\n");
            let (org, problems) = loaded(&[("qa.yaml", &text)]);
            assert_eq!(ids(&problems), ["hive/credentials/qa"]);
            assert!(!format!("{problems:?}").contains("canary"));
            let why = org.team(&TeamName::new("qa")).unwrap().held_back.clone().unwrap();
            assert_eq!(why.to_string(), expected);
            assert_translated(&why);
        }
    }

    #[test]
    fn a_faulty_limit_of_the_root_is_ignored_alone() {
        let text = "limits: { max_steps: 501, max_queue: 7, max_stops: 1 }\nscope: all\n";
        let (org, problems) = loaded(&[("main.yaml", text)]);
        assert_eq!(
            ids(&problems),
            [
                "hive/unknown-key/limits.max_stops",
                "hive/value/limits.max_steps",
                "hive/team-value/scope"
            ]
        );
        let fixes: Vec<String> =
            problems.iter().map(|problem| problem.fix.in_lang(Lang::En).to_owned()).collect();
        assert!(fixes.iter().all(|fix| !fix.contains("no such team")), "{fixes:?}");
        let limits = org.team(&TeamName::main()).unwrap().limits;
        assert_eq!((limits.max_steps, limits.max_queue), (100, 7));
    }
}
