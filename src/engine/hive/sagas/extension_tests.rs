//! Members and skills that leads make for their teams, with an interruption after each step.

use std::fs;

use super::tests::{Bench, TEAM_NAME, by, define, save, shutdown, spawn};
use super::*;
use crate::domain::teams::org_change::{NewMember, NewSkill};
use crate::hive::test_support::Database;

const QA_FILE: &str = ".minds/hive/teams/qa.yaml";
const COPIES: &str = ".hive/backups/skills/qa/triage-";
const SKILL: &str = ".minds/skills/individual/qa/triage.md";

async fn with_qa(database: Database) -> Bench {
    let mut bench = Bench::on(database).await;
    bench.change(&spawn(TEAM_NAME, "main")).await.unwrap();
    bench
}

/// The changes of a test, with how many steps each has.
fn changes() -> [(OrgChange, SagaKind, usize); 2] {
    [
        (define("tester", TEAM_NAME, None), SagaKind::Member, 3),
        (save(TEAM_NAME, None, "triage"), SagaKind::Skill, 1),
    ]
}

fn writing_of(bench: &Bench, change: &OrgChange) -> Writing {
    match planned(bench.path(), change, &bench.setup().clock.now()) {
        Ok(Planned::Define { writing, .. } | Planned::Save { writing, .. }) => writing,
        Ok(Planned::Spawn { .. } | Planned::Update { .. } | Planned::Shutdown { .. }) | Err(_) => {
            unreachable!()
        }
    }
}

/// Begins a change and does this many of its steps.
async fn interrupted(bench: &mut Bench, (change, kind): (&OrgChange, SagaKind), steps: usize) {
    let mut writing = writing_of(bench, change);
    let team = TeamName::new(TEAM_NAME);
    let saga = bench.setup().saga(kind, &team, (change.by(), &writing)).await.unwrap();
    let now = bench.setup().clock.moment();
    bench.store.begin_change(&saga, now).await.unwrap().unwrap();
    writing.write_some(bench.path(), steps).unwrap();
}

#[tokio::test]
async fn r1_a_lead_makes_a_member_that_can_do_no_more_than_it_may_give() {
    let mut bench = with_qa(Database::File).await;
    let made = bench.change(&define("tester", TEAM_NAME, Some(&["ws_read"]))).await.unwrap();
    assert_eq!(made, Changed::Defined(AgentId::new("tester")));
    let minds = bench.minds();
    let member = minds.member(&AgentId::new("tester")).unwrap();
    assert_eq!((&member.toolsets[..], &member.tools[..]), (&["ws_read".to_owned()][..], &[][..]));
    assert_eq!(member.access.no_read_dirs, ["secret"], "the rules of the lead above hold");
    let team = minds.hive().org().team(&TeamName::new(TEAM_NAME)).unwrap();
    assert_eq!(team.members, ["qa", "tester"].map(AgentId::new));
    let problems = minds.problems().iter().filter(|one| !one.id.starts_with("llm/"));
    assert_eq!(problems.count(), 0, "{:?}", minds.problems());
    insta::assert_snapshot!(bench.files().get(QA_FILE).unwrap());
    assert_eq!(
        bench.files().get(".minds/team/tester/persona.md").map(String::as_str),
        Some("You run the slow tests.\n")
    );
    assert!(bench.view().await.changes.is_empty());
    // It goes with its team.
    bench.change(&shutdown(TEAM_NAME, "main", false)).await.unwrap();
    for delivery in bench.view().await.deliveries.iter() {
        bench.store.delivered(&delivery.of).await.unwrap();
    }
    assert_eq!(bench.settle().await, [""; 0]);
    assert!(bench.minds().member(&AgentId::new("tester")).is_none());
}

#[tokio::test]
async fn r1_a_lead_writes_a_skill_that_is_read_and_writes_it_anew() {
    let mut bench = with_qa(Database::File).await;
    let saved = bench.change(&save(TEAM_NAME, None, "triage")).await.unwrap();
    assert_eq!(saved, Changed::Saved(SKILL.to_owned()));
    insta::assert_snapshot!(bench.files().get(SKILL).unwrap());
    let other = OrgChange::SaveSkill(NewSkill {
        member: None,
        name: "triage".to_owned(),
        description: "often".to_owned(),
        body: "2. Ask.".to_owned(),
        allowed_tools: Vec::new(),
        by: by(TEAM_NAME),
    });
    let before = bench.files().get(SKILL).cloned().unwrap();
    bench.change(&other).await.unwrap();
    let files = bench.files();
    let copies: Vec<_> = files.iter().filter(|(path, _)| path.starts_with(COPIES)).collect();
    assert!(matches!(copies[..], [(_, kept)] if *kept == before), "{copies:?}");
    // An unchanged text needs no copy, and neither does one that has a copy already.
    for change in [&other, &save(TEAM_NAME, None, "triage"), &other] {
        bench.change(change).await.unwrap();
    }
    let copies = bench.files().keys().filter(|path| path.starts_with(COPIES)).count();
    assert_eq!(copies, 2);
    let text = bench.files().get(SKILL).cloned().unwrap();
    assert_eq!(text, "---\nname: triage\ndescription: often\n---\n\n2. Ask.\n");
    let problems =
        bench.minds().problems().iter().filter(|one| one.id.starts_with("skills/")).count();
    assert_eq!(problems, 0);
}

#[tokio::test]
async fn what_goes_with_a_team_is_in_the_diff_of_its_end() {
    let mut bench = with_qa(Database::File).await;
    bench.change(&save(TEAM_NAME, None, "triage")).await.unwrap();
    let own = ".minds/skills/individual/qa/own/SKILL.md";
    bench.write(own, "---\nname: own\ndescription: mine\n---\nText.\n");
    let preview = bench.setup().preview(&shutdown(TEAM_NAME, "main", false)).await.unwrap();
    let diff = preview.unwrap().diff;
    for path in [SKILL, own, QA_FILE] {
        assert!(diff.contains(&format!("--- {path}\n+++ /dev/null\n")), "{path}: {diff}");
    }
}

#[tokio::test]
async fn r1_what_is_refused_changes_nothing() {
    for database in Database::all() {
        let mut bench = with_qa(database).await;
        bench.write(
            ".minds/skills/individual/qa/other/SKILL.md",
            "---\nname: a\ndescription: b\n---\nc\n",
        );
        let before = (bench.files(), bench.view().await);
        let long = "x".repeat(40_000);
        let with = |new: &OrgChange, edit: fn(&mut NewMember, &str)| {
            let OrgChange::DefineMember(mut new) = new.clone() else { unreachable!() };
            edit(&mut new, &long);
            OrgChange::DefineMember(new)
        };
        let tester = define("tester", TEAM_NAME, None);
        for (change, why) in [
            (define("lead", TEAM_NAME, None), "member 'lead' exists already; choose another name"),
            (define("../x", TEAM_NAME, None), "Invalid member id '../x'"),
            (define("human", TEAM_NAME, None), "Invalid member id 'human'"),
            (
                define("tester", "main", None),
                "members and skills of team 'main' are written by a person",
            ),
            (define("tester", "gone", None), "Team 'gone' not found"),
            (
                define("tester", TEAM_NAME, Some(&["ws_read", "os"])),
                "toolset 'os' is not allowed for a member of team 'qa'; allowed: ws_read, personal_memory",
            ),
            (define("tester", TEAM_NAME, Some(&["*"])), "toolset '*' is not allowed"),
            (with(&tester, |new, _| new.gofor.clear()), "gofor needs at least one line"),
            (with(&tester, |new, _| new.persona.clear()), "`persona` must have 1 to 32768 bytes"),
            (with(&tester, |new, long| new.persona = long.to_owned()), "`persona` must have"),
            (save("main", None, "triage"), "members and skills of team 'main'"),
            (save(TEAM_NAME, Some("lead"), "triage"), "member 'lead' is not in team 'qa'"),
            (save(TEAM_NAME, None, "../x"), "Invalid skill name '../x'"),
            (save(TEAM_NAME, None, "other"), "skill '.minds/skills/individual/qa/other' is there"),
        ] {
            let refused = bench.change(&change).await.unwrap_err();
            assert!(refused.starts_with(why), "{refused}");
            assert_eq!((bench.files(), bench.view().await), before, "{why}");
        }
        let OrgChange::SaveSkill(skill) = save(TEAM_NAME, None, "triage") else { unreachable!() };
        for (skill, why) in [
            (NewSkill { description: " ".to_owned(), ..skill.clone() }, "`description`"),
            (
                NewSkill { description: "x".repeat(2_001), ..skill.clone() },
                "`description` must have",
            ),
            (
                NewSkill { body: "\n".to_owned(), ..skill.clone() },
                "`body` must have 1 to 65536 bytes",
            ),
        ] {
            let refused = bench.change(&OrgChange::SaveSkill(skill)).await.unwrap_err();
            assert!(refused.contains(why), "{refused}");
            assert_eq!((bench.files(), bench.view().await), before, "{why}");
        }
    }
}

#[tokio::test]
async fn skills_that_are_too_large_together_are_not_written() {
    for database in Database::all() {
        let mut bench = with_qa(database).await;
        let large = |name: &str| {
            let OrgChange::SaveSkill(skill) = save(TEAM_NAME, None, name) else { unreachable!() };
            OrgChange::SaveSkill(NewSkill { body: "x".repeat(60_000), ..skill })
        };
        for name in (0..17).chain([0]) {
            bench.change(&large(&format!("s{name}"))).await.unwrap();
        }
        let refused = bench.change(&large("s17")).await.unwrap_err();
        assert_eq!(refused, "with it the skills of its member are larger than 1024 KiB together");
    }
}

#[tokio::test]
async fn r1_a_member_or_a_skill_that_was_interrupted_after_any_step_leaves_no_trace() {
    for database in Database::all() {
        for (change, kind, steps) in changes() {
            for done in 0..=steps {
                let mut bench = with_qa(database).await;
                let before = bench.files();
                assert_eq!(writing_of(&bench, &change).steps(), steps);
                interrupted(&mut bench, (&change, kind), done).await;
                let other = bench.change(&spawn("lab", TEAM_NAME)).await.unwrap_err();
                assert_eq!(other, "another organisation change of team 'qa' is running");
                // The next start, and the one after it.
                for _ in 0..2 {
                    assert_eq!(bench.settle().await, [""; 0], "{kind:?} after {done} steps");
                    assert_eq!(bench.files(), before, "{kind:?} after {done} steps");
                    assert!(bench.view().await.changes.is_empty());
                }
                bench.change(&change).await.unwrap();
            }
        }
    }
}

#[tokio::test]
async fn r1_a_skill_that_was_there_is_as_it_was_after_an_interruption() {
    for database in Database::all() {
        let mut bench = with_qa(database).await;
        let mine = "---\nname: triage\ndescription: mine\n---\n\n# by hand\n";
        bench.write(SKILL, mine);
        let change = save(TEAM_NAME, None, "triage");
        let before = bench.files();
        for steps in 0..=2 {
            interrupted(&mut bench, (&change, SagaKind::Skill), steps).await;
            let is_written = bench.files().get(SKILL).map(String::as_str) != Some(mine);
            assert_eq!(is_written, steps == 2, "after the copy");
            assert_eq!(bench.settle().await, [""; 0]);
            assert_eq!(bench.files(), before);
        }
    }
}

#[tokio::test]
async fn r1_what_a_person_changed_meanwhile_is_kept_and_reported_until_it_is_settled() {
    for database in Database::all() {
        for (change, kind, path) in [
            (define("tester", TEAM_NAME, None), SagaKind::Member, QA_FILE),
            (define("tester", TEAM_NAME, None), SagaKind::Member, ".minds/team/tester/persona.md"),
            (save(TEAM_NAME, None, "triage"), SagaKind::Skill, SKILL),
        ] {
            let mut bench = with_qa(database).await;
            let before = bench.files();
            interrupted(&mut bench, (&change, kind), 9).await;
            let changed = format!("{}# more\n", bench.files().get(path).unwrap());
            bench.write(path, &changed);
            let [problem] = bench.settle().await.try_into().unwrap();
            assert!(problem.contains(&format!("{path} was changed meanwhile")), "{problem}");
            assert_eq!(bench.files().get(path), Some(&changed));
            match before.get(path) {
                Some(text) => bench.write(path, text),
                None => fs::remove_file(bench.path().join(path)).unwrap(),
            }
            assert_eq!(bench.settle().await, [""; 0], "{path}");
            assert!(bench.view().await.changes.is_empty());
        }
    }
}

#[tokio::test]
async fn r1_a_step_that_fails_undoes_those_before_it() {
    for database in Database::all() {
        for (path, text, change) in [
            (".minds/team/tester", "no folder", define("tester", TEAM_NAME, None)),
            (".minds/skills/individual", "no folder", save(TEAM_NAME, None, "triage")),
        ] {
            let mut bench = with_qa(database).await;
            bench.write(path, text);
            let before = bench.files();
            let refused = bench.change(&change).await.unwrap_err();
            assert!(refused.contains(path), "{refused}");
            assert_eq!(bench.files(), before, "{path}");
            assert!(bench.view().await.changes.is_empty());
        }
    }
}

#[tokio::test]
async fn a_change_that_others_wrote_into_a_shared_store_is_left_alone() {
    for database in Database::all().filter(|database| *database == Database::Server) {
        let mut bench = with_qa(database).await;
        let (team, before) = (TeamName::new(TEAM_NAME), bench.files());
        let org = bench.minds().hive().org().clone();
        let closing =
            Closing::of(bench.path(), org.team(&team).into_iter(), &bench.setup().clock.now());
        let plan = serde_json::to_value(&closing).unwrap();
        let id = "ab12ab12ab12".to_owned();
        let saga = Saga { id, kind: SagaKind::Shutdown, team, by: None, plan };
        bench
            .store
            .begin_shutdown(&saga, &[], bench.setup().clock.moment())
            .await
            .unwrap()
            .unwrap();
        let refused = bench.setup().settle_changes(&mut bench.store).await;
        assert!(matches!(refused, Err(StoreFault::Server(_))), "{refused:?}");
        assert_eq!(bench.files(), before);
        for id in ["../seat", "", "seat"] {
            let named = Saga { id: id.to_owned(), ..saga.clone() };
            assert!(!bench.setup().began(&named).await.unwrap(), "{id}");
        }
        // What was begun here is known until it is over.
        bench.store.forget_change(&saga).await.unwrap();
        let (setup, asker) = (bench.setup(), by("main"));
        let own = setup.saga(SagaKind::Shutdown, &saga.team, (&asker, &closing)).await.unwrap();
        assert!(bench.setup().began(&own).await.unwrap());
        let other = Saga { plan: serde_json::Value::Null, ..own.clone() };
        assert!(!bench.setup().began(&other).await.unwrap());
        bench.setup().settle_changes(&mut bench.store).await.unwrap();
        assert!(!bench.setup().began(&own).await.unwrap(), "nothing is open");
    }
}
