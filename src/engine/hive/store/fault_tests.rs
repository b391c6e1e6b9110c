//! What a disk or a server that fails does to the tasks: nothing is lost, and it is over when the fault is.

use super::db::{plain, sql};
use super::task_tests::{At, Bench, at, id, new};
use super::*;
use crate::domain::teams::task::{NewTask, TaskFilter};
use crate::hive::test_support::Database;

async fn queued(store: &mut Store) -> Vec<String> {
    let filter = TaskFilter { limit: 10, ..TaskFilter::default() };
    let tasks = store.tasks(&filter, &At(0)).await.unwrap();
    tasks.iter().map(|task| task.id.as_str().trim_start_matches("task-").to_owned()).collect()
}

#[tokio::test]
async fn r4_a_full_disk_takes_nothing_new_keeps_what_is_there_and_goes_on_with_room() {
    let mut bench = Bench::on(Database::File).await;
    bench.queue("kept", &new("qa")).await;
    // It becomes no larger than it is, until it is opened anew.
    let fill = || plain("PRAGMA max_page_count = 1");
    fill().execute(&mut bench.store.db).await.unwrap();
    let tried = bench.store.try_writing().await;
    assert!(matches!(tried, Err(StoreFault::Full)), "{tried:?}");
    bench.store.end_unfinished().await.unwrap();
    fill().execute(&mut bench.store.db).await.unwrap();
    let long = NewTask { text: "x".repeat(90_000), ..new("qa") };
    let refused = bench.store.enqueue(&long, &id("refused"), at(1)).await;
    assert!(matches!(refused, Err(StoreFault::Full)), "{refused:?}");
    assert_eq!(queued(&mut bench.store).await, ["kept"]);
    for _ in 0..2 {
        bench.store.try_writing().await.unwrap();
    }
    let left = sql("SELECT COUNT(*) FROM seen WHERE org = $1").fetch_one(&mut bench.store.db).await;
    assert_eq!(left.unwrap().try_get::<i64>(0).unwrap(), 0);
    bench.queue("next", &long).await;
    assert_eq!(queued(&mut bench.store).await, ["next", "kept"]);
}

#[tokio::test]
async fn r4_a_store_that_became_a_link_while_the_disk_was_full_is_not_opened() {
    let mut bench = Bench::on(Database::File).await;
    bench.queue("kept", &new("qa")).await;
    plain("PRAGMA max_page_count = 1").execute(&mut bench.store.db).await.unwrap();
    let tried = bench.store.try_writing().await;
    assert!(matches!(tried, Err(StoreFault::Full)), "{tried:?}");
    let database = bench.database();
    let elsewhere = database.with_file_name("elsewhere");
    std::fs::rename(&database, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &database).unwrap();
    for _ in 0..2 {
        let refused = bench.store.end_unfinished().await;
        assert!(matches!(refused, Err(StoreFault::Link(_))), "{refused:?}");
    }
    std::fs::rename(&elsewhere, &database).unwrap();
    bench.store.end_unfinished().await.unwrap();
    assert_eq!(queued(&mut bench.store).await, ["kept"]);
}

#[tokio::test]
async fn r4_a_store_that_is_held_or_slow_refuses_in_time_and_takes_what_comes_later() {
    for database in Database::all() {
        let mut bench = Bench::on(database).await;
        let mut beside = bench.beside(database).await;
        // For longer than anybody waits.
        let held = beside.db.begin().await.unwrap();
        let refused = bench.store.enqueue(&new("qa"), &id("refused"), at(1)).await;
        assert!(matches!(refused, Err(StoreFault::Busy)), "{refused:?}");
        bench.store.end_unfinished().await.unwrap();
        held.commit().await.unwrap();
        bench.queue("next", &new("qa")).await;
        assert_eq!(queued(&mut bench.store).await, ["next"]);
    }
}

#[tokio::test]
async fn r4_a_damaged_page_is_told_and_not_taken_for_an_empty_queue() {
    let mut bench = Bench::on(Database::File).await;
    for n in 0..50 {
        let long = NewTask { text: "x".repeat(2_000), ..new("qa") };
        bench.queue(&n.to_string(), &long).await;
    }
    let database = bench.database();
    bench.store.close().await;
    let mut bytes = std::fs::read(&database).unwrap();
    // All pages but the first, which holds the schema.
    bytes[4_096..].fill(0xA5);
    std::fs::write(&database, &bytes).unwrap();
    let opened = Store::open(&database, "ab12", at(2)).await;
    let read = match opened {
        Ok(mut store) => store.tasks_view(&At(2)).await.map(drop),
        Err(fault) => Err(fault),
    };
    assert!(matches!(read, Err(StoreFault::Damaged(_))), "{read:?}");
    assert_eq!(std::fs::read(&database).unwrap()[4_096..], bytes[4_096..], "it is as it was");
}

#[tokio::test]
async fn r4_where_no_log_is_possible_the_store_works_without_one_and_says_so() {
    let mut bench = Bench::on(Database::File).await;
    let usual = Journal::for_disk_of(&bench.database());
    let has_problem = usual == Journal::Rollback;
    assert_eq!(bench.store.problem().is_some(), has_problem);
    bench.queue("before", &new("qa")).await;
    let database = bench.database();
    bench.store.close().await;
    let open = || Store::open_with((&database, Journal::Rollback), "ab12", at(1));
    let (mut store, mut beside) = (open().await.unwrap(), open().await.unwrap());
    assert_eq!(store.problem().map(|problem| problem.id), Some("hive/no-wal".to_owned()));
    let before = beside.version().await.unwrap();
    store.enqueue(&new("qa"), &id("after"), at(1)).await.unwrap();
    assert_ne!(beside.version().await.unwrap(), before, "another program sees it");
    assert_eq!(queued(&mut beside).await, ["after", "before"]);
    let log = database.with_file_name("hive.db-wal");
    assert!(!log.exists(), "{}", log.display());
    let mut again = {
        store.close().await;
        beside.close().await;
        Store::open(&database, "ab12", at(2)).await.unwrap()
    };
    assert_eq!(again.problem().is_some(), has_problem);
    assert_eq!(queued(&mut again).await.len(), 2);
}
