//! What is copied, what is put back, and what stays.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::{Arc, Mutex};

use super::*;
use crate::domain::Clock;
use crate::domain::Lang;
use crate::domain::teams::notices::{NewNotice, NewsLevel};
use crate::domain::{AgentId, DialogId, RootId};
use crate::hive::test_support::Known;
use crate::hive::{Listed, Permission};
use crate::hive::{StoreChoice, VaultKeys};

/// Shows the time that it is set to.
#[derive(Debug)]
struct Hands(Mutex<String>);

impl Clock for Hands {
    fn now(&self) -> Stamp {
        Stamp::new(self.0.lock().unwrap().as_str())
    }
}

struct Bench {
    dir: tempfile::TempDir,
    hands: Arc<Hands>,
    known: Arc<Known>,
}

impl Bench {
    fn new() -> Self {
        let hands = Arc::new(Hands(Mutex::new("2026-11-26 12:00:00".to_owned())));
        Self { dir: tempfile::tempdir().unwrap(), hands, known: Arc::default() }
    }

    fn setup(&self) -> Setup {
        Setup {
            workspace: self.dir.path().to_owned(),
            clock: self.hands.clone(),
            permission: self.known.clone(),
            random_name: || "beef".to_owned(),
            store: StoreChoice::Own,
            vault_keys: VaultKeys::default(),
            lang: Lang::En,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(crate::minds::STORE_FOLDER).join(name)
    }

    async fn store(&self) -> Store {
        self.setup().open_or_make().await.unwrap()
    }

    /// The titles of the open notices.
    async fn titles(&self) -> Vec<String> {
        let mut store = self.store().await;
        let items = store.news(Listed::Open, self.hands.as_ref()).await.unwrap();
        store.close().await;
        items.into_iter().map(|item| item.title).collect()
    }

    async fn tell(&self, title: &str) {
        let by = (AgentId::new("qa"), DialogId::main(RootId::new("aa/bb/c")), title.to_owned());
        let notice = NewNotice::of(by, NewsLevel::Info, (None, title)).unwrap();
        let mut store = self.store().await;
        store.add_notice(&notice, self.hands.moment()).await.unwrap();
        store.close().await;
    }
}

#[tokio::test]
async fn a_copy_is_made_once_a_day_and_those_of_seven_days_are_kept() {
    let bench = Bench::new();
    let mut store = bench.store().await;
    for day in 10..20 {
        *bench.hands.0.lock().unwrap() = format!("2026-11-{day} 12:00:00");
        if day > 10 {
            let partial = bench.path(&format!("backups/2026-11-{day}.db.partial"));
            fs::write(partial, "left of a kill").unwrap();
        }
        for _ in 0..2 {
            bench.setup().copy_of_day(&mut store).await.unwrap();
        }
        fs::write(bench.path("backups/mine.db"), "mine").unwrap();
    }
    let copies = Folder::of(bench.dir.path()).copies();
    assert_eq!(copies.len(), KEPT_DAYS);
    assert_eq!(copies.first().unwrap(), "2026-11-13.db");
    assert_eq!(Folder::of(bench.dir.path()).newest_copy().unwrap(), "2026-11-19.db");
    assert_eq!(fs::read_to_string(bench.path("backups/mine.db")).unwrap(), "mine");
    assert!(!bench.path("backups/2026-11-19.db.partial").exists());
    let mode = |name| fs::metadata(bench.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!([mode("backups"), mode("backups/2026-11-19.db")], [0o700, 0o600]);
}

#[tokio::test]
async fn what_was_copied_is_put_back_and_what_was_there_is_kept() {
    let bench = Bench::new();
    bench.tell("before").await;
    let copy = bench.dir.path().join("copy.db");
    let mut store = bench.store().await;
    store.copy_to(&copy).await.unwrap();
    let again = store.copy_to(&copy).await;
    assert!(matches!(again, Err(StoreFault::Io { .. })), "it is not overwritten: {again:?}");
    let partial = bench.dir.path().join("other.db.partial");
    fs::write(&partial, "mine").unwrap();
    let beside = store.copy_to(&bench.dir.path().join("other.db")).await;
    assert!(matches!(beside, Err(StoreFault::Io { .. })), "{beside:?}");
    assert_eq!(fs::read_to_string(&partial).unwrap(), "mine", "nor is what lies beside it");
    store.close().await;
    bench.tell("after").await;
    assert_eq!(bench.titles().await.len(), 2);
    let aside = bench.setup().restore(&copy).await.unwrap().unwrap();
    assert_eq!(bench.titles().await, ["before"]);
    let other = bench.setup().restore(&aside.join(DATABASE)).await.unwrap();
    assert_ne!(other, Some(aside), "at the same time");
    assert_eq!(bench.titles().await.len(), 2, "that can be put back, too");
}

#[tokio::test]
async fn what_is_no_store_is_not_put_in_its_place() {
    let bench = Bench::new();
    bench.tell("kept").await;
    let copy = bench.dir.path().join("copy.db");
    let mut newer = bench.store().await;
    newer.copy_to(&copy).await.unwrap();
    newer.close().await;
    let whole = fs::read(&copy).unwrap();
    let cut = whole.get(..whole.len() / 2).unwrap();
    for bad in [b"no database ".repeat(100), cut.to_vec()] {
        fs::write(&copy, bad).unwrap();
        let refused = bench.setup().restore(&copy).await;
        assert!(matches!(refused, Err(StoreFault::Damaged(_))), "{refused:?}");
        assert_eq!(bench.titles().await, ["kept"]);
        assert!(!bench.path(INCOMING).exists());
    }
    let gone = bench.setup().restore(&bench.dir.path().join("none.db")).await;
    assert!(matches!(gone, Err(StoreFault::Io { .. })), "{gone:?}");
    let folder = bench.setup().restore(bench.dir.path()).await;
    assert!(matches!(folder, Err(StoreFault::Io { .. })), "{folder:?}");
    assert_eq!(bench.titles().await, ["kept"]);
}

#[tokio::test]
async fn a_damaged_store_is_replaced_with_what_lies_beside_it() {
    let bench = Bench::new();
    bench.tell("before").await;
    let copy = bench.dir.path().join("copy.db");
    let mut store = bench.store().await;
    store.copy_to(&copy).await.unwrap();
    store.close().await;
    fs::write(bench.path(DATABASE), "garbage").unwrap();
    fs::write(bench.path("hive.db-wal"), "garbage, too").unwrap();
    let aside = bench.setup().restore(&copy).await.unwrap().unwrap();
    assert_eq!(bench.titles().await, ["before"]);
    assert_eq!(fs::read_to_string(aside.join(DATABASE)).unwrap(), "garbage");
    assert_eq!(fs::read_to_string(aside.join("hive.db-wal")).unwrap(), "garbage, too");
}

#[tokio::test]
async fn a_reset_store_is_empty_and_the_name_of_a_foreign_one_does_not_count_after_it() {
    let bench = Bench::new();
    assert_eq!(bench.setup().reset().await.unwrap(), None, "there was none");
    bench.tell("before").await;
    fs::write(bench.path("seat"), "feed\n").unwrap();
    let refused = bench.setup().open_or_make().await;
    assert!(matches!(refused, Err(StoreFault::NotAgreed)), "{refused:?}");
    let aside = bench.setup().reset().await.unwrap().unwrap();
    assert!(aside.join(DATABASE).exists());
    assert_eq!(bench.titles().await, Vec::<String>::new());
    assert!(!bench.known.may_open("feed"));
}

#[tokio::test]
async fn no_link_is_followed_by_what_is_copied() {
    let bench = Bench::new();
    let mut store = bench.store().await;
    symlink(bench.dir.path(), bench.path("backups")).unwrap();
    let refused = bench.setup().copy_of_day(&mut store).await;
    assert!(matches!(refused, Err(StoreFault::Link(_))), "{refused:?}");
    let target = bench.dir.path().join("target");
    symlink(bench.dir.path().join("elsewhere"), &target).unwrap();
    assert!(matches!(store.copy_to(&target).await, Err(StoreFault::Io { .. })));
    assert!(!bench.dir.path().join("elsewhere").exists());
}
