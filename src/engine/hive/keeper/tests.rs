//! When the store is opened, and what others are told.

use std::future::poll_fn;
use std::path::Path;
use std::task::Poll;

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::*;
use crate::domain::asking::decisions::DecisionResult;
use crate::domain::teams::memory::{Author, MemoryQuery, MemoryType, NewMemory};
use crate::domain::teams::notices::NewsLevel;
use crate::domain::teams::task::AttemptId;
use crate::domain::{AgentId, Clock, DialogId, Lang, RootId, TaskId, TeamName};
use crate::hive::test_support::Known;
use crate::hive::{HistoryFilter, Hive, Permission as _, Stored, VaultKeys};
use crate::samples::Shows;

const CLOCK: Shows = Shows("2026-11-26 12:00:00");

const DEADLINE: Duration = Duration::from_secs(30);

struct Bench {
    dir: tempfile::TempDir,
    known: Arc<Known>,
    running: JoinSet<()>,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let bench = Self { dir, known: Arc::default(), running: JoinSet::new() };
        bench.configure();
        bench
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn configure(&self) {
        let file = self.path().join(crate::minds::HIVE_FILE);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, "version: 1\n").unwrap();
    }

    fn setup(&self) -> Setup {
        Setup {
            workspace: self.path().to_owned(),
            clock: Arc::new(CLOCK),
            permission: self.known.clone(),
            random_name: || "ab12".to_owned(),
            store: StoreChoice::Own,
            vault_keys: VaultKeys::default(),
            lang: Lang::En,
        }
    }

    fn start(&mut self) -> Hive {
        let hive = Hive::new(self.setup());
        self.running.spawn(hive.run());
        hive
    }
}

fn notice(call: &str, text: &str) -> NewNotice {
    let dialog = DialogId::main(RootId::new("aa/bb/01"));
    let from = (AgentId::new("ops"), dialog, call.to_owned());
    NewNotice::of(from, NewsLevel::Info, (None, text)).unwrap()
}

fn decision(what: &str) -> NewDecision {
    NewDecision {
        dialog: DialogId::main(RootId::new("aa/bb/01")),
        agent: AgentId::new("ops"),
        by: "@ops".to_owned(),
        category: None,
        result: DecisionResult::Automatic,
        what: what.to_owned(),
        reason: String::new(),
    }
}

/// Waits until what is open are these titles.
async fn until(view: &mut watch::Receiver<NewsView>, titles: &[&str]) {
    let fits = |view: &NewsView| {
        view.items.iter().map(|item| item.title.as_str()).eq(titles.iter().copied())
    };
    let waited = timeout(DEADLINE, view.wait_for(fits)).await;
    assert!(waited.is_ok(), "{titles:?} is not listed");
}

#[tokio::test]
async fn the_store_is_made_with_the_first_notice_and_what_is_open_is_told() {
    let mut bench = Bench::new();
    let hive = bench.start();
    let mut view = hive.view();
    timeout(DEADLINE, view.changed()).await.unwrap().unwrap();
    let nothing = NewsView { revision: 1, ..NewsView::default() };
    assert_eq!(*view.borrow(), nothing, "that nothing is open is told");
    assert!(!bench.path().join(".hive").exists());
    let id = hive.add(notice("c1", "one")).await.unwrap();
    until(&mut view, &["one"]).await;
    hive.dismiss(vec![id]).await.unwrap();
    until(&mut view, &[]).await;
    hive.close().await;
    assert!(hive.add(notice("c2", "two")).await.is_err(), "it has ended");
}

#[tokio::test]
async fn what_another_process_changes_is_seen() {
    let mut bench = Bench::new();
    let hive = bench.start();
    let mut view = hive.view();
    let id = hive.add(notice("c1", "one")).await.unwrap();
    until(&mut view, &["one"]).await;
    let mut beside = bench.setup().open().await.unwrap().unwrap();
    beside.dismiss(&[id], CLOCK.moment()).await.unwrap();
    until(&mut view, &[]).await;
    hive.close().await;
}

#[tokio::test]
async fn a_store_that_came_with_the_workspace_is_opened_once_a_person_agrees() {
    let mut bench = Bench::new();
    let hive = bench.start();
    hive.add(notice("c1", "theirs")).await.unwrap();
    hive.close().await;
    let database = bench.path().join(".hive/hive.db");
    let before = std::fs::read(&database).unwrap();
    // On another machine.
    bench.known = Arc::default();
    let hive = bench.start();
    let mut view = hive.view();
    let refused = hive.add(notice("c2", "ours")).await.unwrap_err();
    assert!(refused.to_string().contains("dominds-tui trust"), "{refused}");
    hive.record(decision("x"));
    assert_eq!(std::fs::read(&database).unwrap(), before);
    bench.known.made_here("ab12").unwrap();
    hive.look_again();
    until(&mut view, &["theirs"]).await;
    hive.close().await;
}

#[tokio::test]
async fn a_store_without_a_name_is_not_opened_and_the_problem_says_what_to_do() {
    let mut bench = Bench::new();
    std::fs::create_dir(bench.path().join(".hive")).unwrap();
    std::fs::write(bench.path().join(".hive/hive.db"), "").unwrap();
    let hive = bench.start();
    let mut view = hive.view();
    let told = timeout(DEADLINE, view.wait_for(|view| !view.problems.is_empty())).await;
    let problems = told.unwrap().unwrap().problems.clone();
    assert!(problems.iter().any(|problem| problem.id == "hive/store"), "{problems:?}");
    hive.close().await;
}

#[tokio::test]
async fn r4_a_store_that_is_held_for_too_long_is_a_problem_until_it_is_free() {
    let mut bench = Bench::new();
    let hive = bench.start();
    hive.add(notice("c1", "one")).await.unwrap();
    let mut beside = bench.setup().open().await.unwrap().unwrap();
    let held = beside.lock_for_write().await;
    let refused = hive.add(notice("c2", "two")).await.unwrap_err();
    assert!(refused.to_string().contains("another program holds the store"), "{refused}");
    let mut view = hive.view();
    until(&mut view, &["one"]).await;
    let is_told = |view: &NewsView| view.problems.iter().any(|problem| problem.id == "hive/store");
    timeout(DEADLINE, view.wait_for(is_told)).await.unwrap().unwrap();
    drop(held);
    timeout(DEADLINE, view.wait_for(|view| view.problems.is_empty())).await.unwrap().unwrap();
    hive.add(notice("c2", "two")).await.unwrap();
    until(&mut view, &["two", "one"]).await;
    hive.close().await;
}

/// Polls a request once; true if it has no answer yet.
async fn waits<T>(request: &mut Stored<T>) -> bool {
    poll_fn(|cx| Poll::Ready(request.as_mut().poll(cx).is_pending())).await
}

#[tokio::test]
async fn s12_7_a_search_does_not_wait_for_a_change_that_waits_for_the_store() {
    let mut bench = Bench::new();
    let hive = bench.start();
    let memory = |key: &str| NewMemory {
        team: TeamName::main(),
        key: key.to_owned(),
        content: "Close the connection.".to_owned(),
        kind: MemoryType::Lesson,
        reason: None,
        by: Author::Human,
        lang: Lang::En,
    };
    let found = async || {
        let text = "connections".to_owned();
        let query = MemoryQuery { team: TeamName::main(), text, kind: None, most: 5 };
        hive.search_memories(query).await.unwrap().len()
    };
    hive.save_memory(memory("first")).await.unwrap().unwrap();
    assert_eq!(found().await, 1);
    let mut beside = bench.setup().open().await.unwrap().unwrap();
    let held = beside.lock_for_write().await;
    let mut save = hive.save_memory(memory("second"));
    assert!(waits(&mut save).await);
    assert_eq!(found().await, 1);
    assert!(waits(&mut save).await, "the search came first");
    drop(held);
    save.await.unwrap().unwrap();
    assert_eq!(found().await, 2, "what was saved is found at once");
    hive.close().await;
}

#[tokio::test]
async fn without_the_configuration_nothing_is_opened_or_made() {
    let mut bench = Bench::new();
    std::fs::remove_dir_all(bench.path().join(".minds")).unwrap();
    let hive = bench.start();
    hive.record(decision("x"));
    hive.close().await;
    assert!(!bench.path().join(".hive").exists());
}

#[tokio::test]
async fn decisions_are_on_disk_when_it_has_ended() {
    let mut bench = Bench::new();
    let hive = bench.start();
    for number in 0..10 {
        hive.record(decision(&format!("decision {number}")));
    }
    hive.close().await;
    let mut store = bench.setup().open().await.unwrap().unwrap();
    let history = store.history(&HistoryFilter::default(), &CLOCK).await.unwrap();
    assert_eq!(history.len(), 10);
}

#[tokio::test]
async fn a_name_that_came_with_a_workspace_is_not_used_in_a_shared_store() {
    let bench = Bench::new();
    let Some(server) = crate::hive::test_support::server("seats", "box") else { return };
    let setup = Setup { store: StoreChoice::Server(Box::new(server)), ..bench.setup() };
    std::fs::create_dir(bench.path().join(".hive")).unwrap();
    std::fs::write(bench.path().join(".hive/seat"), "cd34\n").unwrap();
    let refused = setup.open_or_make().await;
    assert!(matches!(refused, Err(StoreFault::ForeignSeat)), "{refused:?}");
    std::fs::remove_file(bench.path().join(".hive/seat")).unwrap();
    setup.open_or_make().await.unwrap().close().await;
    setup.open_or_make().await.unwrap().close().await;
    assert_eq!(*bench.known.seats.lock().unwrap(), ["ab12"], "its own is drawn once");
}

#[tokio::test]
async fn of_two_programs_that_draw_a_name_at_the_same_time_both_use_the_same_one() {
    let Some(server) = crate::hive::test_support::server("names", "box") else { return };
    for _ in 0..30 {
        let bench = Bench::new();
        let setup = |random_name| Setup {
            store: StoreChoice::Server(Box::new(server.clone())),
            random_name,
            ..bench.setup()
        };
        let (one, two) = (setup(|| "aaaa".to_owned()), setup(|| "bbbb".to_owned()));
        let (first, second) = tokio::join!(one.open_or_make(), two.open_or_make());
        first.unwrap().close().await;
        second.unwrap().close().await;
        let mut files = std::fs::read_dir(bench.path().join(".hive")).unwrap().flatten();
        assert!(files.all(|file| file.file_name() == "seat" || file.file_name() == ".gitignore"));
    }
}

#[tokio::test]
async fn where_a_workspace_has_no_store_each_request_is_refused_by_name_at_once() {
    let hive = Hive::nowhere();
    let all = async {
        hive.run().await;
        let refused = hive.add(notice("c1", "one")).await.unwrap_err();
        assert!(refused.to_string().contains("no place for notices"), "{refused}");
        let of = AttemptId { task: TaskId::new("task-1"), attempt: 1 };
        for refused in [hive.begun(of.clone()).await, hive.delivered(of).await] {
            let refused = refused.unwrap_err();
            assert!(refused.to_string().contains("no place for tasks"), "{refused}");
        }
        hive.dismiss(vec!["n-1".to_owned()]).await.unwrap();
        assert!(hive.long_open(DEADLINE).await.unwrap().is_empty());
        hive.record(decision("x"));
        hive.close().await;
        assert_eq!((hive.view().borrow().revision, hive.tasks_view().borrow().revision), (1, 1));
    };
    assert!(timeout(DEADLINE, all).await.is_ok());
}
