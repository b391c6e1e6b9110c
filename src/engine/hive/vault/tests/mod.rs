//! The vaults on both databases: what a row may become, what a missing key does, and what is left of an interruption.

mod keys;
mod migration;

use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::known::{Opened, opened};
use super::*;
use crate::domain::safety::references::{VaultRights, VaultUse, check_entry};
use crate::domain::teams::org::{MAIN, Org, OrgTeam};
use crate::domain::{AgentId, Lang, SharedSecrets, Stamp};
use crate::hive::folder::Folder;
use crate::hive::store::Store;
use crate::hive::test_support::{Database, postgres_org, server};
use crate::hive::{AnyStore, Setup, StoreChoice};
use crate::minds::{HIVE_FILE, Minds};
use crate::samples::{Shows, assert_translated, org};

const SECRET: &str = "ghp-canary-0123456789";
const DEADLINE: Duration = Duration::from_secs(30);
const CLOCK: Shows = Shows("2026-11-30 12:00:00");

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
}

fn ops() -> TeamName {
    TeamName::new("ops")
}

fn for_shell() -> VaultRights {
    let hosts = vec!["api.github.com".to_owned()];
    VaultRights { uses: vec![VaultUse::Shell], hosts, is_revealed: false }
}

struct Bench {
    dir: tempfile::TempDir,
    store: Store,
    keys: VaultKeys,
}

impl Bench {
    async fn on(database: Database) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = match database {
            Database::File => {
                let folder = Folder::of(dir.path());
                let seat = folder.prepare("ab12").unwrap();
                folder.make_database().unwrap();
                Store::open(&folder.database(), &seat, at(0)).await.unwrap()
            }
            Database::Server => {
                let server = server(&postgres_org(), "box").unwrap();
                Store::of_server(&server, "ab12", at(0)).await.unwrap()
            }
        };
        let keys = VaultKeys { folder: Some(dir.path().join("data/keys")), given: None };
        Self { dir, store, keys }
    }

    fn owner(&mut self) -> VaultOwner<'_> {
        VaultOwner { store: &mut self.store, keys: &self.keys }
    }

    async fn set(&mut self, key: &str, value: &str, rights: Option<&VaultRights>) {
        self.owner().set((ops(), key.to_owned()), value, rights, at(1)).await.unwrap();
    }

    async fn opened(&mut self) -> Opened {
        opened(&mut self.store, self.keys.clone(), None).await.unwrap().unwrap()
    }

    /// The values of a team, and the ids of the problems.
    async fn values(&mut self, team: &str) -> (Vec<(String, String)>, Vec<String>) {
        let Opened { mut entries, problems, .. } = self.opened().await;
        let entries = entries.remove(team).unwrap_or_default();
        let values = entries.into_iter().map(|(key, entry)| (key, entry.value)).collect();
        (values, problems.into_iter().map(|problem| problem.id).collect())
    }

    /// What the store and a copy of it hold: files by their names, or all rows of a server.
    async fn written(&mut self, database: Database) -> Vec<(String, Vec<u8>)> {
        if database == Database::Server {
            let rows = self.store.dump().await;
            assert!(rows.contains("vault(org-") && rows.contains("TOKEN"), "{rows}");
            return vec![("rows".to_owned(), rows.into_bytes())];
        }
        let copy = self.dir.path().join("copy.db");
        self.store.vacuum_into(&copy).await.unwrap();
        let files = fs::read_dir(self.dir.path().join(".hive")).unwrap();
        let files = files.map(|entry| entry.unwrap().path()).chain([copy]);
        let files = files.filter(|path| path.is_file());
        files.map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.dir.path().join(path)).unwrap()
    }

    fn plan(&self) -> MigrationPlan {
        let minds = Minds::load(self.dir.path(), Lang::En);
        plans_of(self.dir.path(), minds.hive().org()).remove(0).1.unwrap()
    }

    async fn migrate(&mut self, plan: &MigrationPlan) -> Result<(), VaultFault> {
        let workspace = self.dir.path().to_owned();
        let stamp = Stamp::new("2026-11-30 12:00:00");
        self.owner().migrate(&workspace, plan, (at(2), &stamp)).await
    }
}

fn one(key: &str, value: &str) -> (Vec<(String, String)>, Vec<String>) {
    (vec![(key.to_owned(), value.to_owned())], Vec::new())
}

#[tokio::test]
async fn s15_1_a_member_changes_texts_and_no_secret() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.set("TOKEN", SECRET, Some(&for_shell())).await;
        let plain = |key: &str, value: &str| {
            [VaultRow::plain(ops(), key.to_owned(), value.to_owned(), "@ops")]
        };
        let by = VaultChange::ByMember;
        let first =
            bench.store.vault_put(&plain("journal", "1"), by, at(2)).await.unwrap().unwrap();
        let second =
            bench.store.vault_put(&plain("journal", "2"), by, at(2)).await.unwrap().unwrap();
        assert!(first < second, "each change has its own time");
        let row = bench.store.vault_row(&ops(), "journal").await.unwrap().unwrap();
        assert_eq!((row.value.as_str(), row.updated_by.as_str()), ("2", "@ops"));
        let refused =
            bench.store.vault_put(&plain("TOKEN", "x"), by, at(3)).await.unwrap().unwrap_err();
        assert_translated(&refused.text());
        assert_eq!(refused.text().to_string(), "cannot overwrite system-managed secret \"TOKEN\"");
        let refused = bench.store.vault_delete(&ops(), "TOKEN", by).await.unwrap().unwrap_err();
        assert_eq!(refused.text().to_string(), "cannot delete system-managed secret \"TOKEN\"");
        assert_eq!(bench.store.vault_delete(&ops(), "nope", by).await.unwrap(), Ok(false));
        assert_eq!(bench.store.vault_delete(&ops(), "journal", by).await.unwrap(), Ok(true));
        assert_eq!(bench.values("ops").await, one("TOKEN", SECRET));
        assert!(bench.store.vault_rows(Some(&TeamName::new("qa"))).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_team_has_at_most_a_thousand_entries_and_all_teams_500_secrets() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let rows = |count: usize, is_secret| -> Vec<VaultRow> {
            let row = |n: usize| VaultRow {
                is_secret,
                ..VaultRow::plain(ops(), format!("k{n}"), "x".to_owned(), "@ops")
            };
            (0..count).map(row).collect()
        };
        let by = VaultChange::ByMember;
        let too_many = bench.store.vault_put(&rows(501, true), by, at(1)).await.unwrap();
        assert_eq!(too_many, Err(VaultRefusal::TooManySecrets));
        assert!(bench.store.vault_rows(None).await.unwrap().is_empty(), "all or nothing");
        bench.store.vault_put(&rows(1_000, false), by, at(1)).await.unwrap().unwrap();
        let more = VaultRow::plain(ops(), "more".to_owned(), "x".to_owned(), "@ops");
        let refused = bench.store.vault_put(std::slice::from_ref(&more), by, at(2)).await.unwrap();
        let text = refused.unwrap_err().text().to_string();
        assert_eq!(text, "the vault of team 'ops' has 1000 entries");
        let known = VaultRow { key: "k1".to_owned(), ..more };
        bench.store.vault_put(&[known], by, at(2)).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn s15_2_the_bytes_of_the_store_hold_no_secret() {
    let known = SharedSecrets::default().learn([], [SECRET.to_owned()]);
    assert!(known.is_in(SECRET));
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.set("TOKEN", SECRET, Some(&for_shell())).await;
        bench.owner().rotate().await.unwrap();
        bench.set("TOKEN", SECRET, Some(&VaultRights::migrated())).await;
        for (name, bytes) in bench.written(database).await {
            assert!(!known.is_in(&bytes), "{database:?}: {name}");
        }
    }
}

#[tokio::test]
async fn s15_3_a_row_that_was_moved_or_changed_is_not_opened_and_stays() {
    let problem = |key: &str, team: &str| vec![format!("vault/changed/{team}/{key}")];
    for database in Database::all() {
        for (statement, expected) in [
            ("UPDATE vault SET team = 'qa' WHERE org = $1", problem("TOKEN", "qa")),
            ("UPDATE vault SET key = 'OTHER' WHERE org = $1", problem("OTHER", "ops")),
            ("UPDATE vault SET reveal = 1 WHERE org = $1", problem("TOKEN", "ops")),
            ("UPDATE vault SET hosts = '*' WHERE org = $1", problem("TOKEN", "ops")),
            ("UPDATE vault SET uses = 'web,shell' WHERE org = $1", problem("TOKEN", "ops")),
            (
                "UPDATE vault SET value = substr(value, 1, length(value) - 8) WHERE org = $1",
                problem("TOKEN", "ops"),
            ),
        ] {
            let mut bench = Bench::on(database).await;
            bench.set("TOKEN", SECRET, Some(&for_shell())).await;
            assert_eq!(bench.store.tamper(statement).await, 1, "{statement}");
            let before = bench.store.vault_rows(None).await.unwrap();
            let Opened { entries, problems, .. } = bench.opened().await;
            assert!(entries.is_empty(), "{statement}");
            let ids: Vec<String> = problems.iter().map(|problem| problem.id.clone()).collect();
            assert_eq!(ids, expected, "{statement}");
            assert_translated(&problems[0].text);
            assert_translated(&problems[0].fix);
            assert_eq!(
                bench.store.vault_rows(None).await.unwrap(),
                before,
                "nothing is overwritten"
            );
        }
    }
}

#[tokio::test]
async fn s15_3_an_older_value_of_the_same_entry_is_opened() {
    let mut bench = Bench::on(Database::File).await;
    bench.set("TOKEN", SECRET, Some(&for_shell())).await;
    let old = bench.store.vault_row(&ops(), "TOKEN").await.unwrap().unwrap();
    bench.set("TOKEN", "another-canary", Some(&for_shell())).await;
    let new = bench.store.vault_row(&ops(), "TOKEN").await.unwrap().unwrap();
    assert!(bench.store.vault_reseal(&[(new, old.value)]).await.unwrap());
    assert_eq!(bench.values("ops").await, one("TOKEN", SECRET));
}

#[tokio::test]
async fn a_secret_that_is_closed_keeps_its_value_and_loses_its_rights() {
    let mut bench = Bench::on(Database::File).await;
    bench.set("TOKEN", SECRET, Some(&VaultRights::migrated())).await;
    let of = || (ops(), "TOKEN".to_owned());
    bench.owner().close(of(), &for_shell(), at(2)).await.unwrap();
    let entry = bench.opened().await.entries["ops"]["TOKEN"].clone();
    assert_eq!((entry.value.as_str(), entry.rights), (SECRET, for_shell()));
    bench.set("plain", "x", None).await;
    let missing = bench.owner().close((ops(), "plain".to_owned()), &for_shell(), at(2)).await;
    assert_eq!(missing.unwrap_err().text().to_string(), "vault key \"plain\" not found");
}

#[tokio::test]
async fn secrets_that_models_may_read_are_named_and_the_key_is_a_secret_itself() {
    let mut bench = Bench::on(Database::File).await;
    bench.set("CLOSED", SECRET, Some(&for_shell())).await;
    assert!(bench.store.revealed().await.unwrap().is_none());
    bench.set("OPEN", "open-canary-77", Some(&VaultRights::migrated())).await;
    let problem = bench.store.revealed().await.unwrap().unwrap();
    assert_translated(&problem.text);
    assert_eq!(problem.text.to_string(), "models may read ops OPEN");
    let secrets = SharedSecrets::default();
    assert!(bench.owner().learn(&secrets).await.unwrap().is_empty());
    let key = bench.owner().exported_key().await.unwrap();
    for secret in [SECRET, "open-canary-77", key.as_str()] {
        assert_eq!(secrets.secrets().redacted(secret.to_owned()), "[redacted]");
    }
}

#[tokio::test]
async fn only_the_last_uses_of_a_team_are_kept() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.set("TOKEN", SECRET, Some(&for_shell())).await;
        let used = |n: usize| EntryUse {
            team: ops(),
            key: "TOKEN".to_owned(),
            place: VaultUse::Shell,
            target: format!("t{n}"),
            dialog: "aa/bb/01".to_owned(),
            by: "@ops".to_owned(),
        };
        let all: Vec<EntryUse> = (0..1_005).map(used).collect();
        bench.store.vault_used(&all, at(5)).await.unwrap();
        let kept = bench.store.vault_uses(Some(&ops()), Some("TOKEN"), &CLOCK).await.unwrap();
        assert_eq!((kept.len(), kept[0].used.target.as_str()), (1_000, "t1004"));
        let others = bench.store.vault_uses(None, Some("DB"), &CLOCK).await.unwrap();
        assert!(others.is_empty());
        let row = bench.store.vault_row(&ops(), "TOKEN").await.unwrap().unwrap();
        assert_eq!((row.used_at.is_some(), row.used_by.as_deref()), (true, Some("@ops")));
        assert_eq!(bench.values("ops").await, one("TOKEN", SECRET), "that is not sealed");
    }
}

#[test]
fn what_is_no_key_or_no_value_is_refused_in_both_languages() {
    let long = "x".repeat(65_537);
    for (key, value, expected) in [
        ("a b", "x", "key must be 1 to 200 characters of letters, digits and . _ : / -"),
        ("", "x", "key must be 1 to 200 characters of letters, digits and . _ : / -"),
        ("k", "", "value must have 1 to 65536 characters"),
        ("k", &long, "value must have 1 to 65536 characters"),
        ("k", "a\0b", "value must have 1 to 65536 characters"),
    ] {
        let refused = check_entry(key, value).unwrap_err();
        assert_translated(&refused);
        assert_eq!(refused.to_string(), expected);
    }
    assert!(check_entry("learning:ops/x", &long[1..]).is_ok());
}

/// A running store in a workspace.
struct Running {
    dir: tempfile::TempDir,
    hive: Hive,
    keys: VaultKeys,
    _tasks: JoinSet<()>,
}

impl Running {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let keys = VaultKeys { folder: Some(dir.path().join("keys")), given: None };
        let hive = Hive::new(Setup {
            workspace: dir.path().to_owned(),
            clock: Arc::new(CLOCK),
            permission: Arc::new(AnyStore),
            random_name: || "ab12".to_owned(),
            store: StoreChoice::Own,
            vault_keys: keys.clone(),
            lang: Lang::En,
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(hive.run());
        Self { dir, hive, keys, _tasks: tasks }
    }

    fn configure(&self, text: &str) {
        let file = self.dir.path().join(HIVE_FILE);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
}

#[tokio::test]
async fn secrets_are_known_while_vaults_are_on_and_stay_secret_afterwards() {
    let running = Running::new();
    let secrets = SharedSecrets::default();
    let vaults = KnownVaults::new(running.hive.clone(), secrets.clone());
    let settle = async || timeout(DEADLINE, vaults.settle()).await.unwrap();
    running.configure("version: 1\n");
    settle().await;
    assert!(!running.dir.path().join(".hive").exists(), "nothing is made where they are off");
    running.configure("version: 1\nvault: on\n");
    settle().await;
    let database = running.dir.path().join(".hive/hive.db");
    let mut beside = Store::open(&database, "ab12", at(0)).await.unwrap();
    let mut owner = VaultOwner { store: &mut beside, keys: &running.keys };
    let token = || (ops(), "TOKEN".to_owned());
    owner.set(token(), SECRET, Some(&for_shell()), at(1)).await.unwrap();
    settle().await;
    let first = secrets.entry("ops", "TOKEN").unwrap();
    assert_eq!(secrets.secrets().redacted(SECRET.to_owned()), "[redacted]");
    owner.set(token(), "another-canary", Some(&for_shell()), at(2)).await.unwrap();
    settle().await;
    let second = secrets.entry("ops", "TOKEN").unwrap();
    assert!(second.value == "another-canary" && second.version > first.version);
    assert!(vaults.problems(&org::small()).is_empty());
    running.configure("version: 1\n");
    settle().await;
    assert!(secrets.entry("ops", "TOKEN").is_none(), "no reference is resolved");
    assert_eq!(secrets.secrets().redacted(SECRET.to_owned()), "[redacted]");
    beside.close().await;
    timeout(DEADLINE, running.hive.close()).await.unwrap();
}

#[tokio::test]
async fn a_variable_of_commands_that_the_vault_has_no_secret_for_is_named_to_a_person() {
    let pairs = [("TOKEN", "TOKEN"), ("DB_PASS", "db/pass")];
    let shell_secrets = pairs.map(|(name, key)| (name.to_owned(), key.to_owned())).to_vec();
    let team = OrgTeam { shell_secrets, ..org::team("ops", MAIN, &["ops"]) };
    let known = ["lead", "ops"].map(AgentId::new);
    let (all, _) = Org::new(org::team(MAIN, "", &["lead"]), vec![team], &known, true);
    let mut bench = Bench::on(Database::File).await;
    let for_web = VaultRights { uses: vec![VaultUse::Web], ..for_shell() };
    for (key, rights, unset) in [
        ("OTHER", for_shell(), Some("TOKEN (TOKEN), DB_PASS (db/pass)")),
        ("TOKEN", for_shell(), Some("get DB_PASS (db/pass):")),
        ("db/pass", for_web, Some("get DB_PASS (db/pass):")),
        ("db/pass", for_shell(), None),
    ] {
        bench.set(key, SECRET, Some(&rights)).await;
        let secrets = SharedSecrets::default();
        secrets.set_entries(bench.opened().await.entries);
        let problems = unset_variables(&all, &secrets);
        assert_eq!(problems.len(), usize::from(unset.is_some()), "{key}: {problems:?}");
        if let Some((problem, names)) = problems.first().zip(unset) {
            assert_eq!(problem.id, "vault/unset/ops");
            assert!(problem.text.to_string().contains(names), "{problem:?}");
            assert_translated(&problem.text);
            assert_translated(&problem.fix);
        }
    }
}
