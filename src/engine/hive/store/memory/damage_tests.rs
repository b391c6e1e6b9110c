//! What a kill at any moment, a damaged index and rows of strangers do to the memories.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::tests::{LEAK, POOL, because, keys, new, save, saved, search, team};
use super::*;
use crate::domain::Lang;
use crate::domain::teams::memory::{Author, MemoryQuery, NewMemory, Saved};
use crate::hive::store::db::plain;
use crate::hive::store::task_tests::{At, Bench, at};
use crate::hive::test_support::Database;
use crate::hive::vault::faults::{self, KeyDiskFault};

/// Polls a change at most this often, and drops it then, as a kill would; true if it came to its end.
async fn ends<T>(change: impl Future<Output = T>, polls: usize) -> bool {
    let mut change = pin!(change);
    let mut left = polls;
    poll_fn(move |cx| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        change.as_mut().poll(cx).map(|_| true)
    })
    .await
}

/// More than any change here needs.
const MANY: usize = 5_000;

/// The moments at which a change is cut off. Each costs a server a connection.
fn moments(database: Database) -> impl Iterator<Item = usize> {
    (0..MANY).step_by(if database == Database::Server { 4 } else { 1 })
}

fn of_person(key: &str, content: &str) -> NewMemory {
    NewMemory { by: Author::Human, ..new(key, content) }
}

#[tokio::test]
async fn s12_6_after_a_kill_at_any_moment_of_a_save_it_is_made_or_not_and_a_repeat_makes_it() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        for polls in moments(database) {
            let key = format!("k{polls}");
            let old = saved(&mut bench.store, of_person(&key, "an old text"), 1).await;
            let next = || because(of_person(&key, "a new text"), "it was wrong");
            let mut killed = bench.beside(database).await;
            let has_ended = ends(killed.save_memory(&next(), at(2)), polls).await;
            drop(killed);
            let store = &mut bench.store;
            let other = save(store, of_person(&key, "no reason"), 3).await;
            assert_eq!(other, Err(MemoryRefusal::Exists(key.clone())), "{polls}");
            match save(store, next(), 3).await {
                Ok(Saved::New { supersedes, .. }) => assert_eq!(supersedes, Some(old), "{polls}"),
                again => assert!(matches!(again, Ok(Saved::Unchanged { .. })), "{again:?}"),
            }
            let chain = store.memory_chain(&team("ops"), &key, &At(9)).await.unwrap();
            let states: Vec<bool> = chain.iter().map(|one| one.is_active).collect();
            assert_eq!(states, [true, false], "{polls}");
            assert_eq!(keys(store, &key).await, [key.clone(), key.clone()]);
            assert!(!store.memory_index_differs().await.unwrap(), "{polls}");
            if has_ended {
                break;
            }
            assert!(polls + 4 < MANY, "it never ends");
        }
    }
}

#[tokio::test]
async fn s12_6_after_a_kill_at_any_moment_of_a_deletion_all_of_a_key_is_there_or_nothing() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let of = team("ops");
        for polls in moments(database) {
            let key = format!("k{polls}");
            saved(&mut bench.store, of_person(&key, POOL), 1).await;
            saved(&mut bench.store, because(of_person(&key, LEAK), "wrong"), 1).await;
            let mut killed = bench.beside(database).await;
            let has_ended = ends(killed.delete_memory(&of, &key, at(2)), polls).await;
            drop(killed);
            let store = &mut bench.store;
            assert!(!store.memory_index_differs().await.unwrap(), "{polls}");
            store.delete_memory(&of, &key, at(3)).await.unwrap();
            assert!(keys(store, &key).await.is_empty(), "{polls}");
            let chain = store.memory_chain(&of, &key, &At(9)).await.unwrap();
            assert!(chain.len() == 2 && chain.iter().all(|one| one.deleted_at.is_some()));
            assert!(!store.memory_index_differs().await.unwrap(), "{polls}");
            assert_eq!(store.restore_memory(&of, &key).await.unwrap(), Ok(true));
            assert_eq!(keys(store, &key).await.len(), 2);
            if has_ended {
                break;
            }
            assert!(polls + 4 < MANY, "it never ends");
        }
    }
}

#[tokio::test]
async fn s12_6_an_index_whose_making_was_killed_is_told_searched_and_made_again() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        for n in 0..5 {
            saved(&mut bench.store, of_person(&format!("k{n}"), &format!("pool w{n}")), 1).await;
        }
        let before = keys(&mut bench.store, "pool").await;
        let (mut whole, mut damaged) = (0, 0);
        for polls in moments(database) {
            let mut killed = bench.beside(database).await;
            let has_ended = ends(killed.reindex_memories(), polls).await;
            drop(killed);
            let store = &mut bench.store;
            if store.memory_index_differs().await.unwrap() {
                damaged += 1;
                search(store, "pool").await;
                assert_eq!(store.reindex_memories().await.unwrap(), 5);
            } else {
                whole += 1;
            }
            assert_eq!(keys(store, "pool").await, before, "{polls}");
            assert!(!store.memory_index_differs().await.unwrap(), "{polls}");
            if has_ended {
                break;
            }
            assert!(polls + 4 < MANY, "it never ends");
        }
        assert!(whole > 0, "{damaged}");
    }
}

/// How a statement is struck: the program dies before it, or it alone fails.
const KINDS: [fn(usize) -> KeyDiskFault; 2] = [KeyDiskFault::StopAt, KeyDiskFault::FailAt];

/// Makes a change with a fault at a statement; whether it was made, and whether it ended before that statement.
async fn struck<T>(
    change: impl Future<Output = Result<T, StoreFault>>,
    fault: KeyDiskFault,
    at: usize,
) -> (bool, bool) {
    faults::set(Some(fault));
    let is_made = change.await.is_ok();
    let is_over = faults::tried() <= at;
    faults::set(None);
    assert_eq!(is_made, is_over, "{fault:?}");
    (is_made, is_over)
}

#[tokio::test]
async fn s12_6_a_save_that_failed_or_was_killed_at_any_statement_leaves_what_was_there() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        for kind in KINDS {
            for point in 0.. {
                let fault = kind(point);
                let key = format!("{fault:?}");
                let old = saved(store, of_person(&key, "an old text"), 1).await;
                let next = because(of_person(&key, "a new text"), "it was wrong");
                let (is_made, is_over) =
                    struck(store.save_memory(&next, at(2)), fault, point).await;
                let chain = store.memory_chain(&team("ops"), &key, &At(9)).await.unwrap();
                let states: Vec<bool> = chain.iter().map(|one| one.is_active).collect();
                let expected: &[bool] = if is_made { &[true, false] } else { &[true] };
                assert_eq!(states, expected, "{database:?}: {fault:?}");
                assert!(!store.memory_index_differs().await.unwrap(), "{database:?}: {fault:?}");
                if is_over {
                    assert!(point > 9, "every statement was tried");
                    break;
                }
                match save(store, next, 3).await {
                    Ok(Saved::New { supersedes, .. }) => assert_eq!(supersedes, Some(old)),
                    again => panic!("{database:?}: {fault:?}: {again:?}"),
                }
            }
        }
    }
}

#[tokio::test]
async fn s12_6_a_deletion_that_failed_or_was_killed_at_any_statement_leaves_all_of_a_key() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let (store, of) = (&mut bench.store, team("ops"));
        for kind in KINDS {
            for point in 0.. {
                let fault = kind(point);
                let key = format!("{fault:?}");
                saved(store, of_person(&key, POOL), 1).await;
                saved(store, because(of_person(&key, LEAK), "wrong"), 1).await;
                let (is_made, is_over) =
                    struck(store.delete_memory(&of, &key, at(2)), fault, point).await;
                let chain = store.memory_chain(&of, &key, &At(9)).await.unwrap();
                let states: Vec<bool> = chain.iter().map(|one| one.deleted_at.is_some()).collect();
                assert_eq!(states, [is_made; 2], "{database:?}: {fault:?}");
                assert!(!store.memory_index_differs().await.unwrap(), "{database:?}: {fault:?}");
                if is_over {
                    assert!(point > 9, "every statement was tried");
                    break;
                }
                assert!(store.delete_memory(&of, &key, at(3)).await.unwrap());
            }
        }
    }
}

#[tokio::test]
async fn s12_6_an_index_whose_making_failed_or_was_killed_at_any_statement_is_told_or_whole() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        for n in 0..2 {
            saved(store, of_person(&format!("k{n}"), &format!("pool w{n}")), 1).await;
        }
        let before = keys(store, "pool").await;
        assert_eq!(before.len(), 2);
        for kind in KINDS {
            let mut told = 0;
            for point in 0.. {
                let fault = kind(point);
                let (is_made, is_over) = struck(store.reindex_memories(), fault, point).await;
                store.check_memories().await.unwrap();
                let problem = store.problem().map(|problem| problem.id);
                if problem.as_deref() == Some("memory/index") {
                    assert!(!is_made, "{database:?}: {fault:?}");
                    told += 1;
                    assert_eq!(store.reindex_memories().await.unwrap(), 2);
                    store.check_memories().await.unwrap();
                    assert!(store.problem().is_none_or(|problem| problem.id != "memory/index"));
                }
                assert_eq!(keys(store, "pool").await, before, "{database:?}: {fault:?}");
                if is_over {
                    assert!(told > 3 && point > told, "{told} of {point}");
                    break;
                }
            }
        }
    }
}

#[tokio::test]
async fn s12_6_an_index_that_cannot_be_read_is_told_and_the_newest_are_searched_without_it() {
    for damage in [
        "UPDATE memory_fts_data SET block = x'00'",
        "UPDATE memory_fts_data SET block = x'00' WHERE id > 10",
        "DELETE FROM memory_fts_data WHERE id > 10",
    ] {
        let mut bench = Bench::on(Database::File).await;
        let store = &mut bench.store;
        for n in 0..20 {
            saved(store, of_person(&format!("k{n}"), &format!("pool w{n}")), 1).await;
        }
        let before = keys(store, "pool w7").await;
        assert_eq!((before.len(), before[0].as_str()), (20, "k7"));
        plain(damage).execute(&mut store.db).await.unwrap();
        assert_eq!(keys(store, "pool w7").await, before, "{damage}");
        for _ in 0..2 {
            let problem = store.problem().map(|problem| problem.id);
            assert_eq!(problem.as_deref(), Some("memory/index"), "{damage}");
            store.check_memories().await.unwrap();
        }
        assert_eq!(store.reindex_memories().await.unwrap(), 20);
        store.check_memories().await.unwrap();
        assert!(store.problem().is_none_or(|problem| problem.id != "memory/index"), "{damage}");
        assert_eq!(keys(store, "pool w7").await, before, "{damage}");
    }
}

#[tokio::test]
async fn rows_of_strangers_break_nothing_and_lead_to_no_other_team() {
    for database in Database::all() {
        for damage in [
            "UPDATE memory_df SET n = -7 WHERE org = $1",
            "UPDATE memory_df SET n = 9000000000000000000 WHERE org = $1",
            "UPDATE memory_stats SET chunks = -1, tokens = -1 WHERE org = $1",
            "UPDATE memory_stats SET chunks = 9000000000000000000 WHERE org = $1 AND team = 'ops'",
            "UPDATE memory_chunks SET len = 9000000000000000000, terms = '* ** redi*-1 pool*1e9' WHERE org = $1",
            "UPDATE memory_chunks SET from_char = -1, to_char = 9000000000000000000 WHERE org = $1",
            "UPDATE memory_chunks SET memory = (SELECT id FROM memories WHERE org = $1 AND team = 'qa') WHERE org = $1",
            "UPDATE memory_chunks SET team = 'qa' WHERE org = $1",
            "UPDATE memories SET updated_at = -9000000000000000000, created_at = 9000000000000000000 WHERE org = $1",
            "UPDATE memories SET supersedes_id = id, supersede_reason = NULL WHERE org = $1",
            "UPDATE memories SET updated_by = '', dialog = '../..', course = -1 WHERE org = $1",
            // What looks like a candidate of its own, and one that cannot be read.
            "UPDATE memory_chunks SET terms = 'leak*1\u{1e}' || (SELECT id FROM memories WHERE org = $1 AND team = 'qa') \
             || '\u{1f}1\u{1f}0\u{1f}0\u{1f}99\u{1f}9\u{1f}lesson\u{1f}a\u{1f}leak*9' WHERE org = $1 AND team = 'ops'",
            "UPDATE memory_chunks SET terms = terms || '\u{1e}x\u{1f}' WHERE org = $1",
        ] {
            let mut bench = Bench::on(database).await;
            let store = &mut bench.store;
            saved(store, of_person("redis", POOL), 1).await;
            saved(store, NewMemory { team: team("qa"), ..of_person("theirs", LEAK) }, 1).await;
            sql(damage).execute(&mut store.db).await.unwrap();
            let text = "redis pool leak".to_owned();
            let query = MemoryQuery { team: team("ops"), text, kind: None, most: 50 };
            let found = store.search_memories(&query, &At(2)).await.unwrap();
            let is_ours = |memory: &Memory| memory.team == team("ops") && memory.content == POOL;
            assert!(found.iter().all(|one| is_ours(&one.memory)), "{damage}: {found:?}");
            let section = store.noted(&team("ops")).await.unwrap().section(Lang::En).unwrap();
            assert!(section.contains(POOL) && !section.contains(LEAK), "{damage}: {section}");
            let chain = store.memory_chain(&team("ops"), "redis", &At(2)).await.unwrap();
            assert!(chain.iter().all(is_ours), "{damage}: {chain:?}");
            store.check_memories().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_text_that_looks_like_the_term_of_another_team_is_no_damage_and_is_not_found_there() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let store = &mut bench.store;
        let term = super::index::team_term(&team("ops"));
        let theirs = of_person("theirs", &format!("{term} pool"));
        saved(store, NewMemory { team: team("qa"), ..theirs }, 1).await;
        saved(store, of_person("redis", POOL), 1).await;
        assert!(!store.memory_index_differs().await.unwrap());
        assert_eq!(keys(store, "pool").await, ["redis"]);
        assert!(keys(store, &term).await.is_empty());
    }
}
