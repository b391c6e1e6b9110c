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
async fn m4_the_value_of_the_file_wins_and_equal_rows_stay() {
    let mut bench = Bench::on(Database::File).await;
    legacy(&bench);
    bench.set("TOKEN", "older-canary", Some(&for_shell())).await;
    bench.set("DB", "db-canary-77", Some(&VaultRights::migrated())).await;
    let plan = bench.plan();
    let fates = bench.owner().fates(&plan).await.unwrap();
    assert_eq!(fates, [EntryFate::Replaces, EntryFate::Same]);
    let kept = bench.store.vault_row(&ops(), "DB").await.unwrap();
    for _ in 0..3 {
        bench.owner().store_entries(&plan, at(3)).await.unwrap();
    }
    assert_eq!(bench.store.vault_row(&ops(), "DB").await.unwrap(), kept);
    let row = bench.store.vault_row(&ops(), "TOKEN").await.unwrap().unwrap();
    assert_eq!((row.created_at, row.updated_at), (at(1), at(3)), "it was replaced once");
    assert_eq!(bench.opened().await.entries["ops"]["TOKEN"].value, SECRET);
}

#[tokio::test]
async fn m5_a_migration_that_was_killed_or_failed_at_any_file_is_finished_by_the_next_one() {
    let mut ends = Vec::new();
    for kind in [KeyDiskFault::StopAt, KeyDiskFault::FailAt] {
        for at in 0.. {
            let mut bench = Bench::on(Database::File).await;
            legacy(&bench);
            let (plan, fault) = (bench.plan(), kind(at));
            faults::set(Some(fault));
            let is_done = bench.migrate(&plan).await.is_ok();
            let is_over = faults::tried() <= at;
            faults::set(None);
            assert_eq!(is_done, is_over, "{fault:?}");
            let has_section = bench.text(".minds/hive/teams/ops.yaml").contains("credentials");
            let stored = bench.store.vault_rows(Some(&ops())).await.unwrap().len();
            assert!(has_section != is_done && (has_section || stored == 2), "{fault:?}");
            let minds = Minds::load(bench.dir.path(), Lang::En);
            let is_held = minds.hive().org().team(&ops()).unwrap().held_back.is_some();
            assert_eq!(is_held, has_section, "{fault:?}: held back until all is done");
            if has_section {
                let plan = bench.plan();
                bench.migrate(&plan).await.unwrap();
            }
            let (values, problems) = bench.values("ops").await;
            let texts = FILES.map(|file| bench.text(file));
            ends.push((values, problems, texts, bench.text(".minds/hive/teams/ops.yaml")));
            if is_over {
                assert!(at > 12, "every change was tried");
                break;
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

#[tokio::test]
async fn m6_an_installation_of_openhive_is_migrated_and_nothing_outside_its_folders_touched() {
    let mut bench = Bench::on(Database::File).await;
    for folder in ["skills", "subagents", "team-rules", "org-rules"] {
        bench.write(&format!("teams/ops/{folder}/a.md"), "get_credential('TOKEN')\n");
    }
    bench.write("teams/ops/other/a.md", "get_credential('TOKEN')\n");
    bench.write(
        "teams/ops/config.yaml",
        "name: ops\ncredentials:\n  TOKEN: ghp-canary-0123456789\n",
    );
    bench.write("teams/docs/config.yaml", "credentials:\n  TOKEN: [a]\n");
    bench.write("teams/plain/config.yaml", "name: plain\n");
    let mut plans = plans_from(&bench.dir.path().join("teams"));
    let names: Vec<&str> = plans.iter().map(|(team, _)| team.as_str()).collect();
    assert_eq!(names, ["docs", "ops"]);
    let (_, ops_plan) = plans.pop().unwrap();
    let why = plans.pop().unwrap().1.unwrap_err();
    assert_eq!(why.to_string(), "credentials.TOKEN is a list, not a text");
    bench.migrate(&ops_plan.unwrap()).await.unwrap();
    assert_eq!(bench.text("teams/ops/config.yaml"), "name: ops\n");
    for folder in ["skills", "subagents", "team-rules", "org-rules"] {
        assert_eq!(bench.text(&format!("teams/ops/{folder}/a.md")), "vault_get('TOKEN')\n");
    }
    assert_eq!(bench.text("teams/ops/other/a.md"), "get_credential('TOKEN')\n");
    assert_eq!(bench.values("ops").await, one("TOKEN", SECRET));
}
