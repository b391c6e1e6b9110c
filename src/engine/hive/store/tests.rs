//! What the store keeps, counts, deletes, and refuses.

use std::time::{Duration, SystemTime};

use super::super::folder::Folder;
use super::db::plain;
use super::*;
use crate::domain::asking::autonomy::DecisionKind;
use crate::domain::asking::decisions::{DecisionResult, NewDecision, Resolution};
use crate::domain::teams::notices::{MAX_OPEN, NewNotice, NewsItem, NewsLevel};
use crate::domain::{AgentId, DialogId, RootId, Stamp};
use crate::samples::Shows;

const CLOCK: Shows = Shows("");

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_764_000_000 + seconds)
}

const DAY: u64 = 24 * 3_600;

async fn open(dir: &Path) -> Store {
    let folder = Folder::of(dir);
    let seat = folder.prepare("ab12").unwrap();
    folder.make_database().unwrap();
    Store::open(&folder.database(), &seat, at(0)).await.unwrap()
}

fn dialog(number: u32) -> DialogId {
    DialogId::main(RootId::new(format!("aa/bb/{number:08x}")))
}

fn notice(call: &str, text: &str) -> NewNotice {
    let from = (AgentId::new("ops"), dialog(1), call.to_owned());
    NewNotice::of(from, NewsLevel::Warning, (None, text)).unwrap()
}

async fn listed(store: &mut Store, listed: Listed) -> Vec<NewsItem> {
    store.news(listed, &CLOCK).await.unwrap()
}

fn counts(items: &[NewsItem]) -> Vec<(&str, u64)> {
    items.iter().map(|item| (item.title.as_str(), item.count)).collect()
}

#[tokio::test]
async fn q14_the_same_words_are_one_notice_that_counts_up_until_it_is_dismissed() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).await;
    let first = store.add_notice(&notice("c1", "The tests pass."), at(1)).await.unwrap();
    assert!(first.len() == 14 && first.starts_with("n-"), "{first}");
    let again = store.add_notice(&notice("c2", "The tests pass."), at(2)).await.unwrap();
    assert_eq!(again, first);
    store.add_notice(&notice("c3", "Deployed.\n\nTo the box."), at(3)).await.unwrap();
    let items = listed(&mut store, Listed::Open).await;
    assert_eq!(counts(&items), [("Deployed.", 1), ("The tests pass.", 2)]);
    let passed = &items[1];
    assert_eq!(passed.created_at.seconds(), Some(1_764_000_001));
    assert_eq!(passed.updated_at.seconds(), Some(1_764_000_002));
    assert_eq!(passed.dialog, Some(dialog(1)));
    assert_eq!(passed.level, NewsLevel::Warning);
    assert_eq!(items[0].body, "Deployed.\n\nTo the box.");
    store.dismiss(&[first.clone(), "n-unknown".to_owned()], at(4)).await.unwrap();
    assert_eq!(counts(&listed(&mut store, Listed::Open).await), [("Deployed.", 1)]);
    let all = listed(&mut store, Listed::All).await;
    let dismissed = all.iter().find(|item| item.id == first).unwrap();
    assert_eq!(dismissed.resolved_at.as_ref().and_then(Stamp::seconds), Some(1_764_000_004));
    let new = store.add_notice(&notice("c4", "The tests pass."), at(5)).await.unwrap();
    assert_ne!(new, first, "it is said anew");
}

#[tokio::test]
async fn a_call_that_is_made_again_makes_no_second_notice() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).await;
    let first = store.add_notice(&notice("c1", "Go."), at(1)).await.unwrap();
    assert_eq!(store.add_notice(&notice("c1", "Go."), at(2)).await.unwrap(), first);
    assert_eq!(counts(&listed(&mut store, Listed::Open).await), [("Go.", 1)]);
    store.dismiss(std::slice::from_ref(&first), at(3)).await.unwrap();
    assert_eq!(store.add_notice(&notice("c1", "Go."), at(4)).await.unwrap(), first);
    assert_eq!(listed(&mut store, Listed::Open).await, []);
}

#[tokio::test]
async fn q14_dismissed_and_old_notices_are_deleted_and_what_was_said_again_is_not_old() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).await;
    let gone = store.add_notice(&notice("c1", "gone"), at(1)).await.unwrap();
    store.add_notice(&notice("c2", "old"), at(1)).await.unwrap();
    store.add_notice(&notice("c3", "again"), at(1)).await.unwrap();
    store.add_notice(&notice("c4", "again"), at(DAY)).await.unwrap();
    store.dismiss(&[gone], at(2)).await.unwrap();
    store.delete_old(at(14 * DAY)).await.unwrap();
    assert_eq!(counts(&listed(&mut store, Listed::All).await), [("again", 2), ("old", 1)]);
    store.delete_old(at(14 * DAY + 2)).await.unwrap();
    assert_eq!(counts(&listed(&mut store, Listed::All).await), [("again", 2)]);
}

#[tokio::test]
async fn no_more_notices_are_open_than_a_screen_is_sent() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).await;
    for number in 0..MAX_OPEN {
        let one = notice(&format!("c{number}"), &format!("text {number}"));
        store.add_notice(&one, at(1)).await.unwrap();
    }
    let refused = store.add_notice(&notice("more", "more"), at(2)).await;
    assert!(matches!(refused, Err(StoreFault::TooMany)), "{refused:?}");
    let again = store.add_notice(&notice("again", "text 7"), at(2)).await;
    assert!(again.is_ok(), "it counts up one that is open: {again:?}");
}

fn decision(what: &str, reason: &str) -> NewDecision {
    NewDecision {
        dialog: dialog(2),
        agent: AgentId::new("lead"),
        by: "@human".to_owned(),
        category: Some(DecisionKind::ScopeChanges),
        result: DecisionResult::Closed(Resolution::Rejected),
        what: what.to_owned(),
        reason: reason.to_owned(),
    }
}

#[tokio::test]
async fn q14_the_history_is_found_by_who_decided_what_and_why() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).await;
    for number in 0..450_u64 {
        let one = decision(&format!("question {number}"), "because it is Ärger");
        store.record(&one, at(number)).await.unwrap();
    }
    let all = store.history(&HistoryFilter::default(), &CLOCK).await.unwrap();
    assert_eq!(all.len(), 450);
    let newest = &all[0];
    assert_eq!((newest.what.as_str(), newest.id), ("question 449", 450));
    assert_eq!(newest.at.seconds(), Some(1_764_000_449));
    assert_eq!((newest.result.as_str(), newest.by.as_str()), ("rejected", "@human"));
    for (search, found) in [
        ("question 449", 1),
        ("QUESTION 44", 11),
        ("ärger", 450),
        ("scopechanges", 450),
        ("@human", 450),
        ("nothing of this", 0),
    ] {
        let filter = HistoryFilter { search: Some(search.to_owned()) };
        assert_eq!(store.history(&filter, &CLOCK).await.unwrap().len(), found, "{search}");
    }
    let long = "很".repeat(10_000);
    store.record(&decision(&long, &long), at(0)).await.unwrap();
    let all = store.history(&HistoryFilter::default(), &CLOCK).await.unwrap();
    assert_eq!(all[0].what.chars().count(), 4_000);
}

#[tokio::test]
async fn what_was_kept_is_there_after_the_next_start_and_two_processes_see_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = open(dir.path()).await;
    let id = store.add_notice(&notice("c1", "kept"), at(1)).await.unwrap();
    let mut beside = open(dir.path()).await;
    let before = store.version().await.unwrap();
    store.record(&decision("kept", "by this process"), at(1)).await.unwrap();
    assert_eq!(store.version().await.unwrap(), before);
    beside.dismiss(std::slice::from_ref(&id), at(2)).await.unwrap();
    assert_ne!(store.version().await.unwrap(), before);
    assert_eq!(listed(&mut store, Listed::Open).await, []);
    store.close().await;
    beside.close().await;
    let mut again = open(dir.path()).await;
    assert_eq!(counts(&listed(&mut again, Listed::All).await), [("kept", 1)]);
}

#[tokio::test]
async fn a_new_store_is_made_by_two_processes_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::of(dir.path());
    let seat = folder.prepare("ab12").unwrap();
    folder.make_database().unwrap();
    let database = folder.database();
    let opened =
        futures_util::future::join_all((0..8).map(|_| Store::open(&database, &seat, at(0))));
    for store in opened.await {
        store.unwrap().close().await;
    }
}

#[tokio::test]
async fn r4_a_database_of_others_is_told_apart_and_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).await.close().await;
    let database = Folder::of(dir.path()).database();
    let reopen = async |database: &Path| Store::open(database, "ab12", at(0)).await.map(drop);
    // Of a newer version.
    let mut newer = open(dir.path()).await;
    plain(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (99, 'later', 1, x'00', 0)",
    )
    .execute(&mut newer.db)
    .await
    .unwrap();
    newer.close().await;
    assert!(matches!(reopen(&database).await, Err(StoreFault::Newer)));
    // No database at all.
    let text = "not a database, but long enough to be read as the head of one ".repeat(20);
    std::fs::write(&database, &text).unwrap();
    let refused = reopen(&database).await;
    assert!(matches!(refused, Err(StoreFault::Damaged(_))), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&database).unwrap(), text);
}

#[tokio::test]
async fn the_name_of_a_folder_is_no_part_of_an_address() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a?mode=memory", "b%20c", "d#e", "数据 f", "file:g"] {
        let workspace = dir.path().join(name);
        std::fs::create_dir(&workspace).unwrap();
        let mut store = open(&workspace).await;
        store.add_notice(&notice("c1", "here"), at(1)).await.unwrap();
        store.close().await;
        assert!(Folder::of(&workspace).database().metadata().unwrap().len() > 0, "{name}");
    }
}

#[tokio::test]
async fn a_step_with_a_lower_number_is_made_up_for() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::of(dir.path());
    folder.prepare("ab12").unwrap();
    folder.make_database().unwrap();
    let mut db = Db::of_file(&folder.database(), Journal::WriteAhead).await.unwrap();
    let step = |number: i64| {
        let text = format!("CREATE TABLE t{number} (org TEXT NOT NULL)");
        (number, "step", Cow::from(text))
    };
    db.migrate([step(1), step(12), step(1_000)].into_iter()).await.unwrap();
    db.migrate([step(1), step(10), step(12), step(1_000)].into_iter()).await.unwrap();
    for table in ["t1", "t10", "t12", "t1000"] {
        sql(format!("INSERT INTO {table} (org) VALUES ($1)")).execute(&mut db).await.unwrap();
    }
}
