//! The key of a store: absent, another one, killed or failed while it is changed, and changed while secrets are set.

use super::*;
use crate::hive::fault::StoreFault;
use crate::hive::vault::faults::{self, KeyDiskFault};
use crate::hive::vault::key_file::Hold;

#[tokio::test]
async fn s15_7_without_its_key_nothing_is_read_overwritten_or_made_anew() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.set("TOKEN", SECRET, Some(&for_shell())).await;
        let here = bench.keys.clone();
        let elsewhere = bench.dir.path().join("other/keys");
        bench.keys = VaultKeys { folder: Some(elsewhere.clone()), given: None };
        assert_eq!(bench.values("ops").await, (Vec::new(), vec!["vault/no-key".to_owned()]));
        let set = bench.owner().set((ops(), "B".to_owned()), "x", Some(&for_shell()), at(2)).await;
        let text = set.unwrap_err().text();
        assert_translated(&text);
        assert_eq!(text.to_string(), "the key of these secrets is not here: vault key import");
        assert!(!elsewhere.exists(), "no new key");
        bench.set("plain", "goes on", None).await;
        // Another key than the one of these secrets.
        let other = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
        let refused = bench.owner().import_key(other).await.unwrap_err().text().to_string();
        assert_eq!(refused, "this key has sealed none of the secrets here");
        bench.keys.given = Some(other.to_owned());
        assert_eq!(bench.values("ops").await.1, ["vault/no-key"]);
        assert!(matches!(bench.owner().rotate().await, Err(VaultFault::Key(KeyFault::Absent))));
        bench.keys.given = None;
        let written = VaultOwner { store: &mut bench.store, keys: &here }.exported_key().await;
        let written = written.unwrap();
        bench.owner().import_key(&written).await.unwrap();
        assert_eq!(bench.values("ops").await, one("TOKEN", SECRET));
    }
}

#[tokio::test]
async fn s15_7_a_change_of_the_key_is_whole_wherever_it_is_interrupted() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        bench.set("A", SECRET, Some(&for_shell())).await;
        bench.set("B", "second-canary", Some(&for_shell())).await;
        let name = bench.store.vault_name().await.unwrap();
        let expected = bench.values("ops").await;
        assert_eq!(expected.0.len(), 2);
        // After the new key was made.
        bench.keys.make_next(&name).unwrap();
        assert_eq!(bench.values("ops").await, expected);
        bench.set("A", SECRET, Some(&for_shell())).await;
        // After the rows were stored.
        let next = bench.keys.make_next(&name).unwrap();
        let keys = bench.keys.of(&name).unwrap();
        let rows = bench.store.vault_secrets().await.unwrap();
        let text = |row: VaultRow| {
            let value = keys[0].opened(&name, &row).unwrap();
            let after = next.sealed(&name, &row, &value).unwrap();
            (row, after)
        };
        let all: Vec<(VaultRow, String)> = rows.into_iter().map(text).collect();
        assert!(bench.store.vault_reseal(&all).await.unwrap());
        assert!(!bench.store.vault_reseal(&all).await.unwrap(), "they have changed");
        assert_eq!(bench.values("ops").await, expected);
        bench.set("B", "second-canary", Some(&for_shell())).await;
        assert_eq!(bench.owner().rotate().await.unwrap(), 2);
        assert_eq!(bench.values("ops").await, expected);
        assert_eq!(bench.keys.of(&name).unwrap().len(), 1, "one key is left");
    }
}

/// The names of the files of keys.
fn key_files(bench: &Bench) -> Vec<String> {
    let entries = fs::read_dir(bench.dir.path().join("data/keys")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn s15_7_a_change_of_the_key_that_was_killed_or_failed_at_any_change_of_a_file_loses_nothing()
{
    for kind in [KeyDiskFault::StopAt, KeyDiskFault::FailAt] {
        for at in 0.. {
            let mut bench = Bench::on(Database::File).await;
            bench.set("A", SECRET, Some(&for_shell())).await;
            bench.set("B", "second-canary", Some(&for_shell())).await;
            let expected = bench.values("ops").await;
            faults::set(Some(kind(at)));
            let rotated = bench.owner().rotate().await.is_ok();
            let is_over = faults::tried() <= at;
            faults::set(None);
            let fault = kind(at);
            assert_eq!(rotated, is_over, "{fault:?}");
            assert_eq!(bench.values("ops").await, expected, "{fault:?}");
            bench.set("C", "third-canary", Some(&for_shell())).await;
            assert_eq!(bench.values("ops").await.0.len(), 3, "{fault:?}");
            assert_eq!(bench.owner().rotate().await.unwrap(), 3, "{fault:?}");
            assert_eq!(bench.values("ops").await.0.len(), 3, "{fault:?}");
            let name = bench.store.vault_name().await.unwrap();
            assert_eq!(key_files(&bench), [format!("{name}.key")], "{fault:?}");
            if is_over {
                assert!(at > 5, "every change was tried");
                break;
            }
        }
    }
}

#[tokio::test]
async fn s15_7_a_secret_that_is_set_while_the_key_is_changed_is_refused_and_not_lost() {
    let mut bench = Bench::on(Database::File).await;
    assert!(matches!(bench.owner().rotate().await, Err(VaultFault::Key(KeyFault::Absent))));
    bench.set("A", SECRET, Some(&for_shell())).await;
    let name = bench.store.vault_name().await.unwrap();
    let of = |key: &str| (ops(), key.to_owned());
    let changing = bench.keys.hold(Hold::Changing).unwrap();
    let refused = bench.owner().set(of("B"), "second-canary", Some(&for_shell()), at(2)).await;
    assert!(matches!(refused, Err(VaultFault::Key(KeyFault::Busy))));
    bench.set("plain", "goes on", None).await;
    drop(changing);
    // On another box, which read the key before.
    let (old, rights) = (bench.keys.of(&name).unwrap().remove(0), for_shell());
    let row = VaultRow::secret(ops(), "B".to_owned(), &rights, "@human");
    let value = old.sealed(&name, &row, "second-canary").unwrap();
    let late = [VaultRow { value, ..row }];
    assert_eq!(bench.owner().rotate().await.unwrap(), 1);
    let put = bench.store.vault_put(&late, VaultChange::ByPerson, at(3)).await.unwrap();
    assert_eq!(put, Err(VaultRefusal::OtherKey));
    assert_translated(&VaultRefusal::OtherKey.text());
    bench.set("B", "second-canary", Some(&rights)).await;
    assert_eq!(bench.values("ops").await.0.len(), 2);
}

#[tokio::test]
async fn s15_7_of_secrets_that_are_set_while_the_key_changes_again_and_again_none_is_lost() {
    const EACH: usize = 12;
    let mut bench = Bench::on(Database::File).await;
    bench.set("first", SECRET, Some(&for_shell())).await;
    let path = Folder::of(bench.dir.path()).database();
    let mut tasks = JoinSet::new();
    for setter in 0..2 {
        let (path, keys) = (path.clone(), bench.keys.clone());
        tasks.spawn(async move {
            let mut store = Store::open(&path, "ab12", at(0)).await.unwrap();
            for n in 0..EACH {
                let mut owner = VaultOwner { store: &mut store, keys: &keys };
                let of = || (ops(), format!("k{setter}-{n}"));
                while let Err(fault) = owner.set(of(), SECRET, Some(&for_shell()), at(2)).await {
                    assert!(is_passing(&fault), "{fault:?}");
                    tokio::task::yield_now().await;
                }
            }
            store.close().await;
        });
    }
    let work = async {
        for _ in 0..30 {
            if let Err(fault) = bench.owner().rotate().await {
                assert!(is_passing(&fault), "{fault:?}");
            }
            tokio::task::yield_now().await;
        }
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
        }
    };
    timeout(DEADLINE, work).await.unwrap();
    assert_eq!(bench.values("ops").await.0.len(), 2 * EACH + 1);
    assert_eq!(bench.owner().rotate().await.unwrap(), 2 * EACH + 1);
}

/// True for what a person tries again.
fn is_passing(fault: &VaultFault) -> bool {
    match fault {
        VaultFault::Key(fault) => matches!(fault, KeyFault::Busy),
        VaultFault::Store(fault) => matches!(fault, StoreFault::Busy),
        VaultFault::Refused(_) => true,
        VaultFault::Wrong(_) => false,
    }
}
