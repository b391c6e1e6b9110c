//! Teams that are made and changed, with an interruption after each step.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;

use super::*;
use crate::domain::teams::org_change::{NewMember, NewSkill, NewTeam, TeamStatus};
use crate::domain::teams::task::TaskFilter;
use crate::domain::{AgentId, Clock, DialogId, Lang, RootId};
use crate::hive::test_support::{Database, Known, server, works};
use crate::hive::views::TasksView;
use crate::hive::{StoreChoice, VaultKeys};
use crate::samples::Shows;

pub(super) const TEAM_NAME: &str = "qa";
pub(super) const TEAM: &str = "# ours\ndefault_responder: lead\nmembers:\n  lead:\n    name: Lead\n    toolsets: [ws_read, personal_memory]\n    no_read_dirs: [secret]\n\n# the end\n";

pub(super) const CLOCK: Shows = Shows("2026-11-27 12:00:00");

pub(super) struct Bench {
    dir: tempfile::TempDir,
    known: Arc<Known>,
    pub store: Store,
    choice: StoreChoice,
}

impl Bench {
    pub async fn on(database: Database) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let known = Arc::new(Known::default());
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".minds/hive/hive.yaml", "version: 1\n");
        write(TEAM_FILE, TEAM);
        let mut bench_setup = setup(dir.path(), &known);
        if database == Database::Server {
            let server = server(dir.path().to_str().unwrap(), "box").unwrap();
            bench_setup.store = StoreChoice::Server(Box::new(server));
        }
        let mut store = bench_setup.open_or_make().await.unwrap();
        works(&mut store, "one", &["den", "docs", "lab", "lead", "main", "qa"]).await;
        Self { dir, known, store, choice: bench_setup.store }
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn setup(&self) -> Setup {
        Setup { store: self.choice.clone(), ..setup(self.path(), &self.known) }
    }

    pub async fn change(&mut self, change: &OrgChange) -> Result<Changed, String> {
        let setup = self.setup();
        let changed = setup.change(&mut self.store, change).await.unwrap();
        changed.map_err(|refusal| refusal.text().to_string())
    }

    pub async fn settle(&mut self) -> Vec<String> {
        let problems = self.setup().settle_changes(&mut self.store).await.unwrap();
        problems.into_iter().map(|problem| problem.message().to_string()).collect()
    }

    pub async fn view(&mut self) -> TasksView {
        self.store.tasks_view(&CLOCK).await.unwrap()
    }

    pub fn minds(&self) -> Minds {
        Minds::load(self.path(), Lang::En)
    }

    /// All files besides the store itself.
    pub fn files(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        collect(self.path(), self.path(), &mut found);
        found
    }
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if name == ".hive/changes" {
            continue;
        }
        if path.is_dir() {
            found.insert(format!("{name}/"), String::new());
            collect(root, &path, found);
        } else if !name.starts_with(".hive/hive.db") {
            found.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

fn setup(workspace: &Path, known: &Arc<Known>) -> Setup {
    Setup {
        workspace: workspace.to_owned(),
        clock: Arc::new(CLOCK),
        permission: known.clone(),
        random_name: next_name,
        store: StoreChoice::Own,
        vault_keys: VaultKeys::default(),
        lang: Lang::En,
    }
}

/// Another one each time.
fn next_name() -> String {
    use std::sync::atomic::AtomicU64;
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let next = NEXT.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{next:016x}{next:016x}")
}

pub(super) fn by(team: &str) -> Requester {
    Requester {
        team: Some(TeamName::new(team)),
        origin: Some(DialogId::main(RootId::new("aa/bb/09"))),
        cause: None,
        lang: Lang::En,
    }
}

pub(super) fn spawn(name: &str, parent: &str) -> OrgChange {
    OrgChange::Spawn(NewTeam {
        name: name.to_owned(),
        parent: TeamName::new(parent),
        description: "Tests everything.\nAlways.".to_owned(),
        scope: vec!["Testing".to_owned()],
        context: "Start with the parser.".to_owned(),
        by: by(parent),
    })
}

pub(super) fn define(id: &str, team: &str, toolsets: Option<&[&str]>) -> OrgChange {
    OrgChange::DefineMember(NewMember {
        id: id.to_owned(),
        name: None,
        gofor: vec!["slow tests\nat night".to_owned()],
        persona: "You run the slow tests.".to_owned(),
        toolsets: toolsets.map(|all| all.iter().map(ToString::to_string).collect()),
        by: by(team),
    })
}

pub(super) fn save(team: &str, member: Option<&str>, name: &str) -> OrgChange {
    OrgChange::SaveSkill(NewSkill {
        member: member.map(AgentId::new),
        name: name.to_owned(),
        description: "when a test fails:\n often".to_owned(),
        body: "1. Run it again.".to_owned(),
        allowed_tools: vec!["shell_cmd".to_owned()],
        by: by(team),
    })
}

pub(super) fn shutdown(name: &str, parent: &str, cascade: bool) -> OrgChange {
    OrgChange::Shutdown { team: TeamName::new(name), cascade, by: by(parent) }
}

#[tokio::test]
async fn s1_1_a_team_has_its_file_its_lead_its_taskdoc_and_a_first_task() {
    let mut bench = Bench::on(Database::File).await;
    let made = bench.change(&spawn("qa", "main")).await.unwrap();
    assert!(matches!(made, Changed::Spawned { .. }), "{made:?}");
    let files = bench.files();
    let [before, after] = [TEAM, files.get(TEAM_FILE).unwrap()]
        .map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let mut left = after.iter();
    assert!(before.iter().all(|line| left.any(|one| one == line)), "{after:?}");
    insta::assert_snapshot!(after.join("\n"));
    insta::assert_snapshot!(files.get(".minds/hive/teams/qa.yaml").unwrap());
    insta::assert_snapshot!(files.get(".minds/team/qa/persona.md").unwrap());
    assert_eq!(files.get("qa.tsk/goals.md").unwrap(), "Start with the parser.\n");

    let minds = bench.minds();
    let problems = minds.problems().iter().filter(|one| !one.id.starts_with("llm/"));
    assert_eq!(problems.count(), 0, "{:?}", minds.problems());
    let team = minds.hive().org().team(&TeamName::new("qa")).unwrap();
    assert_eq!(
        (team.lead.clone(), team.scope.clone()),
        (Some("qa".into()), vec!["testing".to_owned()])
    );
    let tasks = bench.store.tasks(&TaskFilter { limit: 9, ..TaskFilter::default() }, &CLOCK).await;
    let [task] = tasks.unwrap().try_into().unwrap();
    assert_eq!((task.kind, task.priority), (TaskKind::Bootstrap, Priority::Critical));
    assert_eq!((task.from, task.origin.is_some()), (Some(TeamName::main()), true));
    let view = bench.view().await;
    assert_eq!(view.status_of(&TeamName::new("qa")), TeamStatus::Initializing);
    assert!(view.changes.is_empty());
}

#[tokio::test]
async fn s1_2_what_is_refused_changes_nothing_anywhere() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.change(&spawn("qa", "main")).await.unwrap();
        let before = (bench.files(), bench.view().await);
        for (change, why) in [
            (spawn("qa", "main"), "Team 'qa' already exists"),
            (spawn("lead", "main"), "member 'lead' exists already; choose another name"),
            (spawn("../x", "main"), "Invalid team name '../x'"),
            (spawn("docs", "gone"), "Team 'gone' not found"),
            (shutdown("gone", "main", false), "Team 'gone' not found"),
            (shutdown("qa", "qa", false), "Team 'qa' is not a child of 'qa'"),
            (shutdown("main", "main", false), "team 'main' is always there"),
        ] {
            let refused = bench.change(&change).await.unwrap_err();
            assert!(refused.starts_with(why), "{refused}");
            assert_eq!((bench.files(), bench.view().await), before, "{why}");
        }
        bench.known.awaits.store(true, Ordering::Relaxed);
        for change in [spawn("docs", "main"), shutdown("qa", "main", false)] {
            let refused = bench.change(&change).await.unwrap_err();
            assert!(refused.contains("waits for a person's consent"), "{refused}");
        }
        assert_eq!(bench.files(), before.0);
    }
}

#[tokio::test]
async fn s1_4_a_new_lead_can_do_no_more_than_the_lead_above_it() {
    for database in Database::all() {
        for (toolsets, expected) in [
            ("[ws_read]", &["ws_read"][..]),
            ("['*', '!team_memory']", &["ws_read", "personal_memory"]),
            ("[os, ws_mod, team_mgmt, team_memory]", &["team_memory"]),
            ("[]", &[]),
        ] {
            let mut bench = Bench::on(database).await;
            let text = format!(
                "member_defaults: {{ tools: [shell_cmd], toolsets: [os] }}\ndefault_responder: lead\nshell_specialists: [qa]\n\
             members:\n  lead:\n    toolsets: {toolsets}\n    read_dirs: [src]\n    no_write_dirs: [docs]\n"
            );
            bench.write(TEAM_FILE, &text);
            bench.change(&spawn("qa", "main")).await.unwrap();
            let minds = bench.minds();
            let lead = minds.member(&AgentId::new("qa")).unwrap();
            assert_eq!(lead.toolsets, expected, "{toolsets}");
            assert_eq!(lead.tools, [""; 0]);
            assert_eq!(
                (&lead.access.read_dirs[..], &lead.access.no_write_dirs[..]),
                (&["src".to_owned()][..], &["docs".to_owned()][..])
            );
            assert_eq!(lead.provider, None);
        }
    }
}

#[tokio::test]
async fn s1_4_a_new_lead_gets_what_is_allowed_and_its_own_lead_has() {
    for database in Database::all() {
        for (allowed, expected) in
            [("[ws_mod, control]", &["ws_mod"][..]), ("[]", &[]), ("[ws_mod, os]", &["ws_read"])]
        {
            let mut bench = Bench::on(database).await;
            bench.write(".minds/hive/hive.yaml", &format!("spawn: {{ toolsets: {allowed} }}\n"));
            bench.write(TEAM_FILE, "members:\n  lead:\n    toolsets: [ws_mod, ws_read]\n");
            bench.change(&spawn("qa", "main")).await.unwrap();
            let minds = bench.minds();
            let lead = minds.member(&AgentId::new("qa")).unwrap();
            assert_eq!(lead.toolsets, expected, "{allowed}");
        }
    }
}

#[tokio::test]
async fn r1_a_team_that_was_interrupted_after_any_step_leaves_no_trace() {
    for database in Database::all() {
        let steps = {
            let bench = Bench::on(database).await;
            let Ok(Planned::Spawn { writing, .. }) =
                planned(bench.path(), &spawn("qa", "main"), &CLOCK.now())
            else {
                unreachable!();
            };
            writing.steps()
        };
        assert_eq!(steps, 4);
        for done in 0..=steps {
            let mut bench = Bench::on(database).await;
            let before = bench.files();
            let change = spawn("qa", "main");
            let Ok(Planned::Spawn { mut writing, .. }) =
                planned(bench.path(), &change, &CLOCK.now())
            else {
                unreachable!();
            };
            let team = TeamName::new("qa");
            let saga =
                bench.setup().saga(SagaKind::Spawn, &team, (change.by(), &writing)).await.unwrap();
            bench.store.begin_spawn(&saga, CLOCK.moment()).await.unwrap().unwrap();
            writing.write_some(bench.path(), done).unwrap();
            assert_eq!(bench.view().await.changes.len(), 1);
            // The next start.
            assert_eq!(bench.settle().await, [""; 0], "after {done} steps");
            assert_eq!(bench.files(), before, "after {done} steps");
            let view = bench.view().await;
            assert!(view.changes.is_empty() && view.teams.is_empty() && view.pending.is_empty());
            assert_eq!(bench.settle().await, [""; 0]);
            assert_eq!(bench.files(), before);
            bench.change(&spawn("qa", "main")).await.unwrap();
        }
    }
}

#[tokio::test]
async fn r1_a_step_that_fails_undoes_those_before_it() {
    for database in Database::all() {
        let flow = "default_responder: lead\nmembers: { lead: { toolsets: [ws_read] } }\n";
        for (path, text, why) in [
            (".minds/team/qa", "no folder", ".minds/team/qa/persona.md"),
            ("qa.tsk", "no folder", "qa.tsk/goals.md"),
            (TEAM_FILE, flow, "cannot be edited safely; add the member yourself"),
        ] {
            let mut bench = Bench::on(database).await;
            bench.write(path, text);
            let before = bench.files();
            let refused = bench.change(&spawn("qa", "main")).await.unwrap_err();
            assert!(refused.contains(why), "{refused}");
            assert_eq!(bench.files(), before, "{path}");
            let view = bench.view().await;
            assert!(view.changes.is_empty() && view.teams.is_empty() && view.pending.is_empty());
        }
    }
}

#[tokio::test]
async fn r1_what_a_person_changed_meanwhile_is_kept_until_the_person_is_done() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let change = spawn("qa", "main");
        let Ok(Planned::Spawn { mut writing, .. }) = planned(bench.path(), &change, &CLOCK.now())
        else {
            unreachable!();
        };
        let team = TeamName::new("qa");
        let saga =
            bench.setup().saga(SagaKind::Spawn, &team, (change.by(), &writing)).await.unwrap();
        bench.store.begin_spawn(&saga, CLOCK.moment()).await.unwrap().unwrap();
        writing.write(bench.path()).unwrap();
        bench.write(".minds/team/qa/persona.md", "mine");
        let [problem] = bench.settle().await.try_into().unwrap();
        assert!(problem.contains("persona.md was changed meanwhile"), "{problem}");
        let kept = fs::read_to_string(bench.path().join(".minds/team/qa/persona.md")).unwrap();
        assert_eq!(kept, "mine");
        let refused = bench.change(&spawn("docs", "main")).await.unwrap_err();
        assert_eq!(refused, "another organisation change of team 'main' is running");
        fs::remove_file(bench.path().join(".minds/team/qa/persona.md")).unwrap();
        assert_eq!(bench.settle().await, [""; 0]);
        assert!(bench.view().await.changes.is_empty());
        assert!(!bench.path().join(".minds/hive/teams/qa.yaml").exists());
    }
}

#[tokio::test]
async fn a_file_that_is_there_before_stays_whatever_becomes_of_the_team() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.write(".minds/team/qa/persona.md", "mine");
        bench.change(&spawn("qa", "main")).await.unwrap();
        let persona = bench.path().join(".minds/team/qa/persona.md");
        assert_eq!(fs::read_to_string(persona).unwrap(), "mine");
    }
}

#[tokio::test]
async fn the_name_of_a_team_that_was_removed_by_hand_is_free() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.change(&spawn("qa", "main")).await.unwrap();
        fs::remove_file(bench.path().join(".minds/hive/teams/qa.yaml")).unwrap();
        bench.write(TEAM_FILE, TEAM);
        bench.change(&spawn("qa", "main")).await.unwrap();
        assert!(bench.minds().hive().org().team(&TeamName::new("qa")).is_some());
        let refused = bench.change(&spawn("qa", "main")).await.unwrap_err();
        assert_eq!(refused, "Team 'qa' already exists");
    }
}

#[tokio::test]
async fn the_scope_of_a_team_changes_and_the_rest_of_its_file_stays() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.write(TEAM_FILE, "default_responder: lead\nmembers:\n  lead: {}\n  qa: {}\n");
        bench.write(
            ".minds/hive/teams/qa.yaml",
            "# ours\nlead: qa\nscope: [Testing, old]\n# the end\n",
        );
        let update = |add: &[&str], remove: &[&str]| OrgChange::Update {
            team: TeamName::new("qa"),
            add: add.iter().map(ToString::to_string).collect(),
            remove: remove.iter().map(ToString::to_string).collect(),
            by: by("main"),
        };
        let changed = bench.change(&update(&["Docs"], &["OLD"])).await.unwrap();
        assert_eq!(changed, Changed::Updated(vec!["testing".to_owned(), "docs".to_owned()]));
        let text = fs::read_to_string(bench.path().join(".minds/hive/teams/qa.yaml")).unwrap();
        assert_eq!(text, "# ours\nlead: qa\nscope: [\"testing\",\"docs\"]\n# the end\n");
        let refused = bench.change(&update(&[], &["testing", "docs"])).await.unwrap_err();
        assert_eq!(refused, "a team needs at least one scope keyword");
    }
}

#[tokio::test]
async fn a_preview_says_what_would_be_written_and_changes_with_the_files() {
    let bench = Bench::on(Database::File).await;
    let setup = bench.setup();
    let before = bench.files();
    let preview = setup.preview(&spawn("qa", "main")).await.unwrap().unwrap();
    insta::assert_snapshot!(preview.diff);
    assert_eq!(bench.files(), before);
    assert_eq!(setup.preview(&spawn("qa", "main")).await.unwrap(), Ok(preview.clone()));
    bench.write(TEAM_FILE, &format!("{TEAM}# more\n"));
    let now = setup.preview(&spawn("qa", "main")).await.unwrap().unwrap();
    assert_ne!(now.basis, preview.basis);
}

#[tokio::test]
async fn a_change_that_was_not_over_when_a_copy_was_made_is_not_made_by_putting_it_back() {
    let mut bench = Bench::on(Database::File).await;
    bench.change(&spawn("qa", "main")).await.unwrap();
    bench.change(&shutdown("qa", "main", false)).await.unwrap();
    let copy = bench.path().join("copy.db");
    bench.store.copy_to(&copy).await.unwrap();
    for delivery in bench.view().await.deliveries.iter() {
        bench.store.delivered(&delivery.of).await.unwrap();
    }
    assert_eq!(bench.settle().await, [""; 0]);
    bench.change(&spawn("qa", "main")).await.unwrap();
    let setup = bench.setup();
    bench.store.close().await;
    setup.restore(&copy).await.unwrap();
    let mut store = setup.open_or_make().await.unwrap();
    assert!(setup.settle_changes(&mut store).await.unwrap().is_empty());
    let minds = Minds::load(bench.dir.path(), Lang::En);
    assert!(minds.hive().org().team(&TeamName::new("qa")).is_some());
    assert_eq!(store.team_states().await.unwrap(), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn a_change_that_names_other_files_is_left_alone() {
    for database in Database::all() {
        let spawned = |path: &str| json!({ "files": [[path, "mine"]], "member": "qa", "entry": { "name": "Lead" } });
        let closing = |member: &str, folder: &str| json!({ "teams": [{ "name": "qa", "members": [member], "folder": folder }] });
        let changing = |member: &str, path: &str| {
            let changes = json!([{ "path": path, "before": "", "after": "mine" }]);
            json!({ "files": [], "member": member, "entry": null, "changes": changes })
        };
        let away = ".hive/backups/teams/qa-1";
        for (kind, plan, is_known) in [
            (SagaKind::Spawn, spawned("notes.md"), false),
            (SagaKind::Spawn, spawned(".minds/team/qa/persona.md"), true),
            (SagaKind::Member, changing("tester", ".minds/hive/teams/qa.yaml"), true),
            (SagaKind::Member, changing("tester", ".minds/hive/teams/lab.yaml"), false),
            (SagaKind::Member, changing("../x", ".minds/hive/teams/qa.yaml"), false),
            (SagaKind::Member, changing("tester", "notes.md"), false),
            (SagaKind::Skill, changing("qa", ".minds/skills/individual/qa/a.md"), true),
            (SagaKind::Skill, changing("q.a", ".minds/skills/individual/q.a/a.md"), true),
            (SagaKind::Skill, changing("qa", ".minds/skills/individual/lead/a.md"), false),
            (SagaKind::Skill, changing("qa", ".minds/skills/individual/qa/../../a.md"), false),
            (SagaKind::Skill, changing("..", ".minds/skills/individual/../a.md"), false),
            (SagaKind::Skill, spawned(".minds/skills/individual/qa/a.md"), false),
            (SagaKind::Shutdown, closing("qa", away), true),
            (SagaKind::Shutdown, closing("../../x", away), false),
            (SagaKind::Shutdown, closing("qa", "src"), false),
            (SagaKind::Shutdown, closing("qa", ".hive/backups/teams/../../x"), false),
        ] {
            let mut bench = Bench::on(database).await;
            bench.write("notes.md", "mine");
            let before = bench.files();
            let (team, asker) = (TeamName::new("qa"), by("main"));
            let saga = bench.setup().saga(kind, &team, (&asker, &plan)).await.unwrap();
            let begun = match kind {
                SagaKind::Spawn => bench.store.begin_spawn(&saga, CLOCK.moment()).await,
                SagaKind::Shutdown => {
                    bench.store.begin_shutdown(&saga, &[team], CLOCK.moment()).await
                }
                SagaKind::Member | SagaKind::Skill => {
                    bench.store.begin_change(&saga, CLOCK.moment()).await
                }
            };
            begun.unwrap().unwrap();
            let settled = bench.setup().settle_changes(&mut bench.store).await;
            assert_eq!(settled.is_ok(), is_known, "{settled:?} {saga:?}");
            assert_eq!(bench.files(), before, "{saga:?}");
        }
    }
}
