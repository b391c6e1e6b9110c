//! Credentials that are moved from the files of teams, on both databases, and what is left of an interruption.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::domain::teams::notices::NewsKind;
use crate::domain::text::Localized;
use crate::hive::store::Listed;
use crate::hive::vault::faults::{self, KeyDiskFault};

const TEAM: &str = "members:\n  lead: { name: L }\n  ops: { name: O }\ndefault_responder: lead\n";
const OPS: &str =
    "# ops\nlead: ops\ncredentials:\n  TOKEN: ghp-canary-0123456789\n  DB: db-canary-77\n# end\n";
const SKILL: &str = "use get_credential(\"TOKEN\"), it is ghp-canary-0123456789\n";
const FILES: [&str; 3] = [
    ".minds/team/ops/persona.md",
    ".minds/skills/individual/ops/pull/SKILL.md",
    "ops.tsk/goals.md",
];

fn legacy(bench: &Bench) {
    bench.write(HIVE_FILE, "version: 1\nvault: on\n");
    bench.write(".minds/team.yaml", TEAM);
    bench.write(".minds/hive/teams/ops.yaml", OPS);
    for file in FILES {
        bench.write(file, SKILL);
    }
    bench.write(".minds/team/lead/persona.md", SKILL);
}

/// All files but those of the store.
fn files(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() && !entry.ends_with(".hive") && !entry.ends_with("data") {
            files(&entry, found);
        } else if entry.is_file() {
            found.insert(entry.display().to_string(), fs::read_to_string(&entry).unwrap());
        }
    }
}

#[tokio::test]
async fn m1_m2_credentials_become_secrets_that_the_team_may_read() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        legacy(&bench);
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        files(bench.dir.path(), &mut before);
        let plan = bench.plan();
        let fates = bench.owner().fates(&plan).await.unwrap();
        assert_eq!(fates, [EntryFate::New, EntryFate::New]);
        files(bench.dir.path(), &mut after);
        assert_eq!(before, after, "a look changes nothing");
        assert_eq!(plan.files.iter().map(|(_, places)| places).sum::<usize>(), 3);
        bench.migrate(&plan).await.unwrap();
        assert_eq!(bench.text(".minds/hive/teams/ops.yaml"), "# ops\nlead: ops\n# end\n");
        for file in FILES {
            let expected = "use vault_get(\"TOKEN\"), it is ghp-canary-0123456789\n";
            assert_eq!(bench.text(file), expected, "only the word is another");
            let copy = format!(".hive/backups/migration/ops-20261130120000/{file}");
            assert_eq!(bench.text(&copy), "use get_credential(\"TOKEN\"), it is [redacted]\n");
        }
        assert_eq!(bench.text(".minds/team/lead/persona.md"), SKILL, "it is of another team");
        let row = bench.store.vault_row(&ops(), "TOKEN").await.unwrap().unwrap();
        assert_eq!((row.updated_by.as_str(), row.is_secret), ("migration", true));
        let Opened { entries, problems, .. } = bench.opened().await;
        assert!(problems.is_empty());
        assert_eq!(entries["ops"]["TOKEN"].value, SECRET);
        assert_eq!(entries["ops"]["TOKEN"].rights, VaultRights::migrated());
        let minds = Minds::load(bench.dir.path(), Lang::En);
        assert!(plans_of(bench.dir.path(), minds.hive().org()).is_empty(), "nothing is left");
    }
}

#[tokio::test]
async fn m3_a_team_that_cannot_be_migrated_is_a_failure_in_the_inbox_until_it_is() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let why = Localized::same("credentials.TOKEN is a list,\nnot a text");
        let when = (at(2), Lang::En);
        for _ in 0..2 {
            bench.owner().tell(&ops(), Some(&why), when).await.unwrap();
        }
        bench.owner().tell(&TeamName::new("qa"), None, when).await.unwrap();
        let news = bench.store.news(Listed::All, &CLOCK).await.unwrap();
        let [failure] = news.as_slice() else { panic!("{news:?}") };
        assert_eq!(failure.kind, NewsKind::Failure);
        assert!(failure.title.contains("TOKEN is a list, not a text"), "{failure:?}");
        assert!(failure.body.contains("vault migrate --team ops"), "{failure:?}");
        bench.owner().tell(&ops(), None, when).await.unwrap();
        assert!(bench.store.news(Listed::All, &CLOCK).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn m4_the_value_of_the_file_wins_and_three_runs_give_the_same_rows() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        legacy(&bench);
        bench.set("TOKEN", "older-canary", Some(&for_shell())).await;
        bench.set("DB", "db-canary-77", Some(&VaultRights::migrated())).await;
        let plan = bench.plan();
        let fates = bench.owner().fates(&plan).await.unwrap();
        assert_eq!(fates, [EntryFate::Replaces, EntryFate::Same]);
        let before = bench.store.vault_rows(None).await.unwrap();
        let mut runs = Vec::new();
        for _ in 0..3 {
            // As if the run before was killed at its last step.
            bench.write(".minds/hive/teams/ops.yaml", OPS);
            bench.migrate(&plan).await.unwrap();
            runs.push(bench.store.vault_rows(None).await.unwrap());
        }
        assert!(runs.windows(2).all(|pair| pair[0] == pair[1]), "{database:?}: {runs:?}");
        let after = &runs[0];
        assert_eq!((after.len(), &after[0]), (2, &before[0]), "an equal row stays");
        let (old, token) = (&before[1], &after[1]);
        assert_eq!((token.key.as_str(), token.updated_by.as_str()), ("TOKEN", "migration"));
        assert!(token.created_at == old.created_at && token.updated_at > old.updated_at);
        let Opened { entries, problems, .. } = bench.opened().await;
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(entries["ops"]["TOKEN"].value, SECRET);
        assert_eq!(entries["ops"]["TOKEN"].rights, VaultRights::migrated());
        assert_eq!(bench.text(".minds/hive/teams/ops.yaml"), "# ops\nlead: ops\n# end\n");
    }
}

#[tokio::test]
async fn m4_m5_a_store_that_fails_is_no_reason_to_replace_an_equal_row() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        legacy(&bench);
        let plan = bench.plan();
        bench.owner().store_entries(&plan, at(2)).await.unwrap();
        let rows = bench.store.vault_rows(None).await.unwrap();
        for point in 0.. {
            faults::set(Some(KeyDiskFault::FailAt(point)));
            let is_done = bench.owner().store_entries(&plan, at(3)).await.is_ok();
            let is_over = faults::tried() <= point;
            faults::set(None);
            assert_eq!(is_done, is_over, "{database:?}: {point}");
            assert_eq!(bench.store.vault_rows(None).await.unwrap(), rows, "{database:?}: {point}");
            if is_over {
                assert!(point > 1, "every row was read");
                break;
            }
        }
    }
}

/// The values, the problems, and the texts of the files and of that of the team.
type Ends = (Vec<(String, String)>, Vec<String>, [String; 3], String);

/// What is there after a migration with a fault and the one after it, and whether the first one ended before the fault.
async fn ends_after(database: Database, fault: KeyDiskFault, at: usize) -> (Ends, bool) {
    const SECTION: &str = ".minds/hive/teams/ops.yaml";
    let mut bench = Bench::on(database).await;
    legacy(&bench);
    let plan = bench.plan();
    faults::set(Some(fault));
    let is_done = bench.migrate(&plan).await.is_ok();
    let is_over = faults::tried() <= at;
    faults::set(None);
    assert_eq!(is_done, is_over, "{database:?}: {fault:?}");
    let has_section = bench.text(SECTION).contains("credentials");
    let stored = bench.store.vault_rows(Some(&ops())).await.unwrap().len();
    assert!(stored == 0 || stored == 2, "{database:?}: {fault:?}: all or nothing");
    assert!(has_section != is_done && (has_section || stored == 2), "{database:?}: {fault:?}");
    let minds = Minds::load(bench.dir.path(), Lang::En);
    let is_held = minds.hive().org().team(&ops()).unwrap().held_back.is_some();
    assert_eq!(is_held, has_section, "{database:?}: {fault:?}: held back until all is done");
    if has_section {
        let plan = bench.plan();
        bench.migrate(&plan).await.unwrap();
    }
    let (values, problems) = bench.values("ops").await;
    let texts = FILES.map(|file| bench.text(file));
    ((values, problems, texts, bench.text(SECTION)), is_over)
}

#[tokio::test]
async fn m5_a_migration_that_was_killed_or_failed_at_any_file_or_statement_is_finished_by_the_next_one()
 {
    let mut ends = Vec::new();
    for database in Database::all() {
        for kind in [KeyDiskFault::StopAt, KeyDiskFault::FailAt] {
            for at in 0.. {
                let (end, is_over) = ends_after(database, kind(at), at).await;
                ends.push(end);
                if is_over {
                    assert!(at > 25, "every change and every statement was tried");
                    break;
                }
            }
        }
    }
    assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{ends:?}");
}

#[tokio::test]
async fn a_file_that_was_changed_meanwhile_keeps_its_section() {
    let mut bench = Bench::on(Database::File).await;
    legacy(&bench);
    let plan = bench.plan();
    let newer = OPS.replace("db-canary-77", "db-canary-78");
    bench.write(".minds/hive/teams/ops.yaml", &newer);
    let refused = bench.migrate(&plan).await.unwrap_err().text();
    assert_translated(&refused);
    assert_eq!(bench.text(".minds/hive/teams/ops.yaml"), newer);
    let plan = bench.plan();
    bench.migrate(&plan).await.unwrap();
    assert_eq!(bench.opened().await.entries["ops"]["DB"].value, "db-canary-78");
}

/// The files of an installation of OpenHive, and files beside it that name the accessor.
fn installation(bench: &Bench) {
    const CALL: &str = "get_credential('TOKEN')\n";
    for folder in ["skills", "subagents", "team-rules", "org-rules"] {
        bench.write(&format!("teams/ops/{folder}/a.md"), CALL);
    }
    for path in ["teams/ops/other/a.md", "teams/ops/a.md", "teams/plain/skills/a.md"] {
        bench.write(path, CALL);
    }
    bench.write("ops/skills/a.md", CALL);
    bench.write(
        "teams/ops/config.yaml",
        "name: ops\ncredentials:\n  TOKEN: ghp-canary-0123456789\n",
    );
    bench.write("teams/qa/config.yaml", "name: qa\ncredentials:\n  TOKEN: qa-canary-77\n");
    bench.write("teams/docs/config.yaml", "credentials:\n  TOKEN: [a]\n");
    bench.write("teams/plain/config.yaml", "name: plain\n");
}

#[tokio::test]
async fn m6_an_installation_of_openhive_is_migrated_and_nothing_outside_its_folders_touched() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        installation(&bench);
        let teams = bench.dir.path().join("teams");
        let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
        files(bench.dir.path(), &mut before);
        let plans = plans_from(&teams);
        let names: Vec<&str> = plans.iter().map(|(team, _)| team.as_str()).collect();
        assert_eq!(names, ["docs", "ops", "qa"]);
        for (team, plan) in plans {
            match plan {
                Ok(plan) => bench.migrate(&plan).await.unwrap(),
                Err(why) => {
                    let expected = "credentials.TOKEN is a list, not a text";
                    assert_eq!((team.as_str(), why.to_string().as_str()), ("docs", expected));
                }
            }
        }
        files(bench.dir.path(), &mut after);
        assert!(before.keys().eq(after.keys()), "no file is new, and none is gone");
        let root = format!("{}/teams/", bench.dir.path().display());
        let changed = after.iter().filter(|(path, text)| before[*path] != **text);
        let changed: Vec<(&str, &str)> =
            changed.map(|(path, text)| (path.trim_start_matches(&root), text.as_str())).collect();
        let call = "vault_get('TOKEN')\n";
        assert_eq!(
            changed,
            [
                ("ops/config.yaml", "name: ops\n"),
                ("ops/org-rules/a.md", call),
                ("ops/skills/a.md", call),
                ("ops/subagents/a.md", call),
                ("ops/team-rules/a.md", call),
                ("qa/config.yaml", "name: qa\n"),
            ]
        );
        assert_eq!(bench.values("ops").await, one("TOKEN", SECRET));
        assert_eq!(bench.values("qa").await, one("TOKEN", "qa-canary-77"));
        assert_eq!(plans_from(&teams).len(), 1, "only the faulty one is left");
    }
}
