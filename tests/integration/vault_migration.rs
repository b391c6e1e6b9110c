//! `vault migrate` as a person runs it: what a look says, and what is changed in an installation of OpenHive. And
//! what is left of the secrets of a team that is shut down.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::common::files::{contents, files_below, put};
use crate::serving::Driver;
use crate::vault::{ON, SECRET, said, set, with_vault};

/// Is in every value of these tests.
const CANARY: &str = "canary";
const TEAM: &str = "members: { lead: { name: L }, docs: { name: D }, ops: { name: O } }\n\
                    default_responder: lead\n";
const OPS: &str = "lead: ops\ncredentials:\n  DB_URL: canary-a-0123456789\n  \
                   GITHUB_TOKEN: canary-b-0123456789\n  NPM_TOKEN: canary-c-0123456789\n";
/// The teams of the installation.
const TEAMS: [&str; 4] = ["docs", "lab", "ops", "qa"];
const FOLDERS: [&str; 4] = ["skills", "subagents", "team-rules", "org-rules"];
const CALL: &str = "Call get_credential('TOKEN').\n";

/// What a look at the credentials says of a team, and that it shows no value.
fn looked_at(driver: &Driver, team: &str) -> Value {
    let look = ["vault", "migrate", "--dry-run"];
    let text = driver.run(&look);
    let ended = driver.run(&[&look[..], &["--json"]].concat());
    for ended in [&text, &ended] {
        assert_eq!(ended.status.code(), Some(0), "{ended:?}");
        assert!(!said(ended).contains(CANARY), "{}", said(ended));
    }
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
    assert_eq!(told.get("dryRun"), Some(&json!(true)), "{told}");
    let mut teams = told.get("teams").and_then(Value::as_array).into_iter().flatten();
    let found = teams.find(|one| one.get("team") == Some(&json!(team)));
    found.cloned().unwrap_or_default()
}

/// What is said of the team `ops`, with these fates of its credentials.
fn ops_with(fates: [&str; 3]) -> Value {
    let keys = ["DB_URL", "GITHUB_TOKEN", "NPM_TOKEN"].into_iter().zip(fates);
    let entries: Value = keys.map(|(key, fate)| json!({ "key": key, "fate": fate })).collect();
    json!({ "team": "ops", "entries": entries, "files": 1, "places": 2, "error": null })
}

#[test]
fn m1_a_look_names_teams_keys_and_files_and_changes_nothing() {
    let driver = with_vault();
    let workspace = driver.home().workspace();
    put(&workspace, ".minds/team.yaml", TEAM);
    put(&workspace, ".minds/hive/teams/ops.yaml", OPS);
    let docs = "lead: docs\ncredentials:\n  TOKEN: [canary-d-0123456789]\n";
    put(&workspace, ".minds/hive/teams/docs.yaml", docs);
    let persona = "Call get_credential(\"DB_URL\"), then get_credential('NPM_TOKEN').\n";
    put(&workspace, ".minds/team/ops/persona.md", persona);
    let before = contents(&workspace);
    assert_eq!(looked_at(&driver, "ops"), ops_with(["new"; 3]));
    let why = "credentials.TOKEN is a list, not a text";
    let expected = json!({ "team": "docs", "entries": [], "files": 0, "places": 0, "error": why });
    assert_eq!(looked_at(&driver, "docs"), expected);
    assert!(contents(&workspace) == before, "a file was changed");

    // With values in the vault: one is another, one is the same.
    let of_ops = |key: &'static str| [key, "--team", "ops", "--secret"];
    set(&driver, &of_ops("GITHUB_TOKEN"), "canary-older-0123");
    let rights = ["--use", "web,shell,mcp,plugin", "--hosts", "*", "--reveal", "model"];
    set(&driver, &[&of_ops("NPM_TOKEN")[..], &rights].concat(), "canary-c-0123456789");
    let listed = || driver.json(&["vault", "list", "--json"]);
    let but_the_store = || {
        let mut files = contents(&workspace);
        files.retain(|(path, _)| !path.starts_with(".hive"));
        files
    };
    let before = (but_the_store(), listed());
    assert_eq!(looked_at(&driver, "ops"), ops_with(["new", "replaces", "same"]));
    assert!((but_the_store(), listed()) == before, "something was changed");
    assert!(!workspace.join(".hive/backups/migration").exists());
}

/// The text of a file of a team after the migration.
fn migrated(text: &str) -> String {
    let of_section = |line: &&str| line.starts_with("credentials:") || line.starts_with("  TOKEN:");
    let lines = text.lines().filter(|line| !of_section(line));
    let kept: String = lines.flat_map(|line| [line, "\n"]).collect();
    kept.replace("get_credential", "vault_get")
}

/// Makes an installation of OpenHive; returns the paths of what is to be changed there.
fn installation(top: &Path) -> BTreeSet<PathBuf> {
    let mut changed = BTreeSet::new();
    for team in TEAMS {
        let value = format!("canary-{team}-0123456789");
        let config = format!("# {team}\nname: {team}\ncredentials:\n  TOKEN: {value}\nmodel: m\n");
        let mut files = vec![(format!(".run/teams/{team}/config.yaml"), config)];
        for folder in FOLDERS {
            let text = format!("It is {value}.\n{CALL}");
            files.push((format!(".run/teams/{team}/{folder}/a.md"), text));
        }
        for (path, text) in files {
            put(top, &path, &text);
            changed.insert(PathBuf::from(path));
        }
    }
    for path in [
        "notes.md",
        ".run/state/a.md",
        ".run/teams/README.md",
        ".run/teams/ops/config.md",
        ".run/teams/ops/other/a.md",
        ".run/teams/ops/skills/a.sh",
        ".run/teams/ops/skills/deep/a.md",
        ".run/teams/plain/skills/a.md",
    ] {
        put(top, path, CALL);
    }
    put(top, ".run/teams/plain/config.yaml", "name: plain\n");
    changed
}

#[test]
fn m6_the_teams_of_an_installation_are_migrated_and_nothing_outside_them_is_touched() {
    let driver = with_vault();
    let workspace = driver.home().workspace();
    put(&workspace, ".minds/team/lead/persona.md", CALL);
    let other = tempfile::tempdir().expect("a folder");
    let changed = installation(other.path());
    let teams = other.path().join(".run/teams").display().to_string();
    let from = ["vault", "migrate", "--from", teams.as_str()];
    let (before, minds) = (contents(other.path()), contents(&workspace.join(".minds")));
    let look = driver.ok(&[&from[..], &["--dry-run"]].concat(), 0);
    assert!(look.contains("without --dry-run: 4 teams, 4 entries, 16 files"), "{look}");
    assert!(!look.contains(CANARY), "{look}");
    assert!(contents(other.path()) == before, "a look changes nothing");
    let done = driver.run(&from);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(said(&done).contains("migrated: 4 teams, 4 entries, 16 files"), "{}", said(&done));
    assert!(!said(&done).contains(CANARY), "{}", said(&done));

    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let expected: Vec<(PathBuf, String)> = before
        .iter()
        .map(|(path, bytes)| {
            let was = text(bytes);
            (path.clone(), if changed.contains(path) { migrated(&was) } else { was })
        })
        .collect();
    let after: Vec<(PathBuf, String)> =
        contents(other.path()).iter().map(|(path, bytes)| (path.clone(), text(bytes))).collect();
    assert_eq!(after, expected);
    assert!(contents(&workspace.join(".minds")) == minds, "the workspace is another one");

    let listed = driver.json(&["vault", "list", "--json"]);
    let entries = listed.get("entries").and_then(Value::as_array).cloned().unwrap_or_default();
    let field = |name: &str| -> Vec<Value> {
        entries.iter().map(|one| one.get(name).cloned().unwrap_or_default()).collect()
    };
    assert_eq!(field("team"), TEAMS.map(|team| json!(team)), "{listed}");
    assert_eq!(field("key"), [json!("TOKEN"), json!("TOKEN"), json!("TOKEN"), json!("TOKEN")]);
    assert!(field("isSecret").iter().all(|one| *one == json!(true)), "{listed}");
    assert!(field("updatedBy").iter().all(|one| *one == json!("migration")), "{listed}");
    let store = files_below(&workspace.join(".hive"));
    for file in &store {
        let bytes = fs::read(file).unwrap_or_default();
        assert!(!text(&bytes).contains(CANARY), "{}", file.display());
    }
    let copies: Vec<String> = store
        .iter()
        .filter(|file| file.starts_with(workspace.join(".hive/backups/migration")))
        .map(|file| fs::read_to_string(file).unwrap_or_default())
        .collect();
    assert_eq!(copies, vec![format!("It is [redacted].\n{CALL}"); 16]);

    let again = driver.ok(&from, 0);
    assert!(again.contains("there are no credentials to migrate"), "{again}");
    let nowhere = other.path().join("nowhere").display().to_string();
    let refused = driver.run(&["vault", "migrate", "--from", nowhere.as_str()]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

#[test]
fn s12_9_a_team_that_is_shut_down_leaves_its_memories_and_nothing_of_its_vault() {
    let driver = with_vault();
    let workspace = driver.home().workspace();
    put(&workspace, ".minds/hive/hive.yaml", &format!("{ON}memory: on\n"));
    let spawn = ["team", "spawn", "lab", "--scope", "things"];
    driver.ok(&spawn, 0);
    let save = |key: &str| {
        let text = format!("It is {SECRET}.");
        driver.ok(&["memory", "save", key, &text, "--team", "lab"], 0)
    };
    // Nobody knows yet that it is a secret.
    save(SECRET);
    save("told");
    set(&driver, &["GITHUB_TOKEN", "--team", "lab", "--secret", "--use", "shell"], SECRET);
    set(&driver, &["cursor", "--team", "lab"], "7");
    save("note");
    let exported = workspace.join("exported");
    let folder = exported.display().to_string();
    driver.ok(&["memory", "export", &folder, "--team", "lab"], 0);
    let files = files_below(&exported);
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).expect("a file");
        assert!(!text.contains(SECRET) && text.contains("[redacted]"), "{text}");
        assert!(!file.to_string_lossy().contains(SECRET), "{}", file.display());
    }
    driver.ok(&["memory", "promote", "told", "--to", "lead", "--team", "lab"], 0);
    let knowhow = fs::read_to_string(workspace.join(".minds/team/lead/knowhow.md"));
    assert_eq!(knowhow.expect("a file"), "It is [redacted].\n");
    driver.ok(&["team", "shutdown", "lab", "--yes"], 0);
    let entries = || driver.json(&["vault", "list", "--json"]).get("entries").cloned();
    assert_eq!(entries(), Some(json!([])));
    let memories = driver.json(&["memory", "list", "--team", "*", "--json"]);
    assert_eq!(memories.get("total"), Some(&json!(0)), "{memories}");
    let mut kept = files_below(&workspace.join(".hive/backups/teams"));
    for file in &kept {
        let text = fs::read_to_string(file).expect("a file");
        assert!(
            !text.contains(SECRET) && !file.to_string_lossy().contains(SECRET),
            "{}: {text}",
            file.display()
        );
    }
    kept.retain(|file| file.parent().is_some_and(|folder| folder.ends_with("memory")));
    assert_eq!(kept.len(), 3, "{kept:?}");
    for file in kept {
        let text = fs::read_to_string(file).expect("a file");
        assert!(text.ends_with("\n\nIt is [redacted].\n"), "{text}");
    }
    // Another team of that name finds nothing.
    driver.ok(&spawn, 0);
    assert_eq!(entries(), Some(json!([])));
    let show = driver.run(&["vault", "show", "GITHUB_TOKEN", "--team", "lab"]);
    assert_eq!(show.status.code(), Some(1), "{show:?}");
}
