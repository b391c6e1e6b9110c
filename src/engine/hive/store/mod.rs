//! What is in the database. Each method is one transaction, on disk when it returns.

mod breaker;
mod claim;
mod db;
mod decisions;
mod dialogs;
mod engines;
mod firings;
mod memory;
mod notices;
mod queries;
mod sagas;
mod seen;
mod stalls;
mod takeover;
mod task_ends;
mod task_list;
mod task_rows;
mod tasks;
mod vault;
mod view;
mod windows;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use db::{BUSY_TIMEOUT, Db, Step, millis, moment, plain, sql};

use super::disk::Journal;
use super::fault::StoreFault;
use super::folder::DATABASE;
use super::server::{Registration, Server};
use crate::domain::teams::task::{MAX_ATTEMPTS, TaskStatus};
use crate::domain::text::Text;
use crate::domain::{Problem, TeamName};
use crate::minds::STORE_FOLDER;

pub(super) use db::{Listener, check_url};
pub use decisions::HistoryFilter;
pub(super) use firings::InForce;
pub use notices::Listed;
pub(super) use sagas::{Saga, SagaKind};
pub(super) use vault::VaultMark;
pub use vault::{VaultChange, VaultRefusal, VaultRow};
pub(super) use view::Changes;

/// Number of tries to make the tables, and the pause between them.
const MIGRATION_TRIES: u32 = 5;
const MIGRATION_PAUSE: Duration = Duration::from_millis(20);
/// Bytes that are written to test whether there is room for any change.
const NEEDED_ROOM: usize = 64 * 1_024;
/// The migrations, in this order. A released one never changes.
const MIGRATIONS: [(&str, &str); 14] = [
    ("notices", include_str!("0001_notices.sql")),
    ("tasks", include_str!("0002_tasks.sql")),
    ("task_lists", include_str!("0003_task_lists.sql")),
    ("teams", include_str!("0004_teams.sql")),
    ("queries", include_str!("0005_queries.sql")),
    ("triggers", include_str!("0006_triggers.sql")),
    ("windows", include_str!("0007_windows.sql")),
    ("engines", include_str!("0008_engines.sql")),
    ("causes", include_str!("0009_causes.sql")),
    ("memories", include_str!("0010_memories.sql")),
    ("memory_index", MEMORY_INDEX.0),
    ("vault", include_str!("0012_vault.sql")),
    ("memories_listed", include_str!("0013_memories_listed.sql")),
    ("memories_found", include_str!("0014_memories_found.sql")),
];
/// The index of the memories, in a file and on a server.
const MEMORY_INDEX: (&str, &str) =
    (include_str!("0011_memory_index.sql"), include_str!("0011_memory_index_server.sql"));
/// The migration that only a server needs, and its number, which is higher than all others.
const SERVER_MIGRATION: (i64, &str, &str) = (1_000, "server", include_str!("server.sql"));
/// A column of the tables of triggers whose name is a reserved word in PostgreSQL.
const RESERVED: (&str, &str) = ("    overlaps BIGINT", "    \"overlaps\" BIGINT");

fn migrations(is_shared: bool) -> impl Iterator<Item = (i64, &'static str, Cow<'static, str>)> {
    let all = (1..).zip(MIGRATIONS).map(move |(number, (name, text))| {
        let (column, quoted) = RESERVED;
        let (in_file, on_server) = MEMORY_INDEX;
        let text = if is_shared && text == in_file { on_server } else { text };
        let text = if is_shared { text.replace(column, quoted).into() } else { Cow::from(text) };
        (number, name, text)
    });
    let (number, name, text) = SERVER_MIGRATION;
    all.chain(is_shared.then_some((number, name, Cow::from(text))))
}

/// The open store of a workspace.
#[derive(Debug)]
pub struct Store {
    db: Db,
    seat: String,
    /// Teams that had used up their daily limits when tasks were last to be started.
    used_up: Vec<TeamName>,
    /// Where it is, if it is shared.
    server: Option<Server>,
    /// The registration of a running program in a shared store; a command has none.
    engine: Option<Registration>,
    /// The wanted teams, each with the hash of its files, and the teams that it works for.
    wanted: Vec<(TeamName, String)>,
    hosted: BTreeSet<TeamName>,
    /// Maximum number of attempts of a task whose engines are lost.
    max_attempts: u32,
    /// The list of hosted teams on the server may differ: its last change is not known to have succeeded.
    hosts_are_unknown: bool,
    /// The journal mode of a file.
    journal: Journal,
    /// The index of the memories was found to be incomplete.
    misses_memories: bool,
}

impl Store {
    /// Opens an existing database file; an empty one gets its tables. Its name on this machine is `seat`.
    ///
    /// # Errors
    /// It is damaged, or of a newer version; the disk.
    pub async fn open(database: &Path, seat: &str, now: SystemTime) -> Result<Self, StoreFault> {
        Self::open_with((database, Journal::for_disk_of(database)), seat, now).await
    }

    async fn open_with(
        (database, journal): (&Path, Journal),
        seat: &str,
        now: SystemTime,
    ) -> Result<Self, StoreFault> {
        let until = Instant::now() + BUSY_TIMEOUT;
        let mut db = loop {
            match Db::of_file(database, journal).await {
                Ok(db) => break db,
                Err(StoreFault::Busy) if Instant::now() < until => pause().await,
                Err(fault) => return Err(fault),
            }
        };
        let journal = db.journal().await?;
        let mut store = Self::filled((db, None), seat, (until, now)).await?;
        store.journal = journal;
        Ok(store)
    }

    /// Uses the rows of an organisation in a database of a server, which other boxes may use as well.
    ///
    /// # Errors
    /// It cannot be reached, is of a newer version, or refuses something.
    pub async fn of_server(
        server: &Server,
        seat: &str,
        now: SystemTime,
    ) -> Result<Self, StoreFault> {
        let db = Db::of_server(&server.org, &server.url, seat).await?;
        let until = Instant::now() + BUSY_TIMEOUT;
        Self::filled((db, Some(server.clone())), seat, (until, now)).await
    }

    async fn filled(
        (db, server): (Db, Option<Server>),
        seat: &str,
        (until, now): (Instant, SystemTime),
    ) -> Result<Self, StoreFault> {
        let mut store = Self::new(db, server, seat);
        store.migrate(until).await?;
        store.name(now).await?;
        Ok(store)
    }

    fn new(db: Db, server: Option<Server>, seat: &str) -> Self {
        Self {
            db,
            seat: seat.to_owned(),
            used_up: Vec::new(),
            server,
            engine: None,
            wanted: Vec::new(),
            hosted: BTreeSet::new(),
            max_attempts: MAX_ATTEMPTS,
            hosts_are_unknown: false,
            journal: Journal::WriteAhead,
            misses_memories: false,
        }
    }

    /// The same store by a connection that only reads; `None` on a server, and where readers hold up who writes.
    ///
    /// # Errors
    /// The disk.
    pub(super) async fn reader(&self) -> Result<Option<Self>, StoreFault> {
        if self.journal == Journal::Rollback {
            return Ok(None);
        }
        let db = self.db.reader().await?;
        Ok(db.map(|db| Self::new(db, None, &self.seat)))
    }

    /// A problem with the way it works here, if there is one.
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        let index = self.misses_memories.then(index_problem);
        index.or_else(|| (self.journal == Journal::Rollback).then(no_log))
    }

    /// Writes as much as a change may need, and takes it out again.
    ///
    /// # Errors
    /// Nothing can be written now.
    pub async fn try_writing(&mut self) -> Result<(), StoreFault> {
        // A few bytes find room on a full disk, where an earlier change was. A server is not asked for room.
        let bytes = if self.is_shared() { 0 } else { NEEDED_ROOM };
        let mut step = self.db.begin().await?;
        take_out_trial(&mut step).await?;
        let write = sql("INSERT INTO seen (org, scope, id, at) VALUES ($1, 'trial', $2, 0)");
        write.bind("x".repeat(bytes)).execute(&mut step).await?;
        step.commit().await?;
        let mut step = self.db.begin().await?;
        take_out_trial(&mut step).await?;
        step.commit().await
    }

    /// Connects to the server anew, if there is one. What the program holds there is unchanged.
    ///
    /// # Errors
    /// The server.
    pub async fn reconnect(&mut self) -> Result<(), StoreFault> {
        if let Some(server) = &self.server {
            self.db = Db::of_server(&server.org, &server.url, &self.seat).await?;
        }
        Ok(())
    }

    /// Rolls back a transaction that was not committed, so that nobody waits for it.
    ///
    /// # Errors
    /// The server.
    pub async fn end_unfinished(&mut self) -> Result<(), StoreFault> {
        self.db.end_unfinished().await
    }

    /// Listens for changes by others; `None` in a store that is not shared.
    ///
    /// # Errors
    /// The server.
    pub(super) async fn listener(&self) -> Result<Option<Listener>, StoreFault> {
        let Some(server) = &self.server else { return Ok(None) };
        Listener::of_server(&server.org, &server.url, &self.seat).await.map(Some)
    }

    /// True if other boxes may use it as well.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.db.is_shared()
    }

    /// The seat whose work is done here; `None`: all work, since no other program uses the store.
    fn own_seat(&self) -> Option<&str> {
        self.db.is_shared().then_some(self.seat.as_str())
    }

    /// Makes the tables. While another process does the same, tries again until `until`.
    async fn migrate(&mut self, until: Instant) -> Result<(), StoreFault> {
        let mut tries = MIGRATION_TRIES;
        loop {
            let steps = migrations(self.db.is_shared());
            let Err(fault) = self.db.migrate(steps).await else { return Ok(()) };
            // Another process may be making the same tables.
            let is_held_up = matches!(fault, StoreFault::Busy) && Instant::now() < until;
            tries -= u32::from(!is_held_up);
            if tries == 0 {
                return Err(fault);
            }
            pause().await;
        }
    }

    async fn name(&mut self, now: SystemTime) -> Result<(), StoreFault> {
        let named = sql(
            "INSERT INTO meta (org, store_id, ord, created_at) VALUES ($1, $2, 0, $3) ON CONFLICT (org) DO NOTHING",
        );
        named.bind(&self.seat).bind(millis(now)).execute(&mut self.db).await?;
        Ok(())
    }

    /// A value that changes whenever another process has changed something.
    pub(super) async fn version(&mut self) -> Result<i64, StoreFault> {
        self.db.version().await
    }

    /// Copies all its content into this file, which is empty.
    pub(super) async fn vacuum_into(&mut self, file: &Path) -> Result<(), StoreFault> {
        let Some(name) = file.to_str() else {
            return Err(StoreFault::Other(format!("{} is no UTF-8", file.display())));
        };
        plain("VACUUM INTO $1").bind(name).execute(&mut self.db).await?;
        Ok(())
    }

    /// Checks the whole database file for damage.
    ///
    /// # Errors
    /// It is damaged; the disk.
    pub async fn check(&mut self) -> Result<(), StoreFault> {
        if self.db.is_shared() {
            // A server looks after its own files.
            return Ok(());
        }
        let row = plain("PRAGMA quick_check(1)").fetch_one(&mut self.db).await?;
        let found: String = row.try_get(0)?;
        if found == "ok" { Ok(()) } else { Err(StoreFault::Damaged(found)) }
    }

    /// How many tasks are in each state, without queries.
    ///
    /// # Errors
    /// The disk, or a row that no version of this program wrote.
    pub async fn task_counts(&mut self) -> Result<Vec<(TaskStatus, u64)>, StoreFault> {
        let count =
            "SELECT status, COUNT(*) FROM tasks WHERE org = $1 AND kind <> 'query' GROUP BY status";
        let rows = sql(count).fetch_all(&mut self.db).await?;
        let counts = rows.iter().map(|row| {
            let count: i64 = row.try_get(1)?;
            Ok((task_rows::status(row, 0)?, u64::try_from(count).unwrap_or_default()))
        });
        counts.collect()
    }

    /// When the task that waits longest for a slot was queued.
    ///
    /// # Errors
    /// The disk.
    pub async fn oldest_pending(&mut self) -> Result<Option<SystemTime>, StoreFault> {
        let oldest = sql("SELECT MIN(created_at) FROM tasks WHERE org = $1 AND status = 'pending'");
        let row = oldest.fetch_one(&mut self.db).await?;
        Ok(row.try_get::<Option<i64>>(0)?.map(moment))
    }

    /// Holds the store, so that no other program can write.
    #[cfg(test)]
    pub(super) async fn lock_for_write(&mut self) -> impl Sized + '_ {
        self.db.begin().await.unwrap()
    }

    /// Closes it after everything is written.
    pub async fn close(self) {
        if let Err(error) = self.db.close().await {
            // Nothing is lost: each change was a transaction that had ended.
            tracing::warn!(%error, "the store was not closed well");
        }
    }
}

async fn take_out_trial(step: &mut Step<'_>) -> Result<(), StoreFault> {
    let take_out = sql("DELETE FROM seen WHERE org = $1 AND scope = 'trial'");
    take_out.execute(step).await?;
    Ok(())
}

/// The problem of a database file without a write-ahead log.
fn no_log() -> Problem {
    let path = format!("{STORE_FOLDER}/{DATABASE}");
    let text = Text::new(
        "the store is on a disk that cannot share a log of changes (WAL), as one over a network: it is slower, and two machines must not use it at a time",
        "存储所在的磁盘（例如网络磁盘）不能共享变更日志（WAL）：会更慢，且不可由两台机器同时使用",
    );
    let fix = Text::new(
        "keep the workspace on a disk of this machine, or share a store by a server: `hive` in config.yaml",
        "请把工作区放在本机磁盘上，或通过服务器共享存储：config.yaml 中的 `hive`",
    );
    Problem::new("hive/no-wal", path, text, fix).warning()
}

/// The problem of an index that is not that of the memories.
fn index_problem() -> Problem {
    let text = Text::new(
        "the index of the memories of teams is incomplete: searches do not find all",
        "团队记忆的索引不完整：搜索可能有遗漏",
    );
    let fix = Text::new(
        "`dominds-tui memory reindex` makes it anew",
        "`dominds-tui memory reindex` 会重建索引",
    );
    Problem::new("memory/index", STORE_FOLDER, text, fix).warning()
}

async fn pause() {
    tokio::time::sleep(MIGRATION_PAUSE).await;
}

#[cfg(test)]
mod claim_tests;
#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod query_tests;
#[cfg(test)]
mod shared_order_tests;
#[cfg(test)]
mod shared_tests;
#[cfg(test)]
mod task_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trigger_tests;
