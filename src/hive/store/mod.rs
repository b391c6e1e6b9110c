//! The database: the only place that names `sqlx`. Each method is one transaction, on disk when it returns.

mod breaker;
mod decisions;
mod dialogs;
mod notices;
mod queries;
mod sagas;
mod seen;
mod stalls;
mod task_ends;
mod task_list;
mod task_rows;
mod tasks;
mod triggers;
mod windows;

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqlSafeStr as _};

use super::fault::StoreFault;
use crate::domain::TeamName;
use crate::domain::task::TaskStatus;

pub use decisions::HistoryFilter;
pub use notices::Listed;
pub(super) use sagas::{Saga, SagaKind};
pub(super) use triggers::InForce;

/// How long a statement waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How often the tables are looked at and made, and the time in between.
const MIGRATION_TRIES: u32 = 5;
const MIGRATION_PAUSE: Duration = Duration::from_millis(20);
/// How the tables are made, in this order. What has been in a version does not change.
const MIGRATIONS: [(&str, &str); 7] = [
    ("notices", include_str!("0001_notices.sql")),
    ("tasks", include_str!("0002_tasks.sql")),
    ("task_lists", include_str!("0003_task_lists.sql")),
    ("teams", include_str!("0004_teams.sql")),
    ("queries", include_str!("0005_queries.sql")),
    ("triggers", include_str!("0006_triggers.sql")),
    ("windows", include_str!("0007_windows.sql")),
];
/// Statements that stay prepared.
const PREPARED: usize = 16;
/// Of a store that one workspace has for itself.
const ORG: &str = "local";

/// The open store of a workspace.
#[derive(Debug)]
pub struct Store {
    db: SqliteConnection,
    seat: String,
    /// Teams that have used up what they may do in a day, when tasks were to be started last.
    used_up: Vec<TeamName>,
}

impl Store {
    /// Opens a database file that is there; an empty one is filled. Its name on this machine is `seat`.
    ///
    /// # Errors
    /// It is damaged, or of a newer version; the disk.
    pub async fn open(database: &Path, seat: &str, now: SystemTime) -> Result<Self, StoreFault> {
        let options = SqliteConnectOptions::new()
            .filename(database)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(BUSY_TIMEOUT)
            .foreign_keys(true)
            // What a file defines must not run anything.
            .pragma("trusted_schema", "OFF")
            .pragma("cell_size_check", "ON")
            .statement_cache_capacity(PREPARED)
            .disable_statement_logging();
        let until = Instant::now() + BUSY_TIMEOUT;
        let db = loop {
            match options.connect().await.map_err(StoreFault::from) {
                Ok(db) => break db,
                Err(StoreFault::Busy) if Instant::now() < until => pause().await,
                Err(fault) => return Err(fault),
            }
        };
        let mut store = Self { db, seat: seat.to_owned(), used_up: Vec::new() };
        store.migrate(until).await?;
        store.name(now).await?;
        Ok(store)
    }

    /// Makes the tables. Whoever is held up by others that do the same tries again until then.
    async fn migrate(&mut self, until: Instant) -> Result<(), StoreFault> {
        let migrations = MIGRATIONS.iter().zip(1..).map(|((name, text), number)| {
            let simple = MigrationType::Simple;
            Migration::new(number, (*name).into(), simple, text.into_sql_str(), false)
        });
        let migrator = Migrator::with_migrations(migrations.collect());
        let mut tries = MIGRATION_TRIES;
        loop {
            let fault = match migrator.run_direct(None, &mut self.db, false).await {
                Ok(()) => return Ok(()),
                Err(fault) => migration_fault(fault),
            };
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
        let named = sqlx::query(
            "INSERT INTO meta (org, store_id, ord, created_at) VALUES ($1, $2, 0, $3) ON CONFLICT (org) DO NOTHING",
        );
        named.bind(ORG).bind(&self.seat).bind(millis(now)).execute(&mut self.db).await?;
        Ok(())
    }

    /// Another value whenever another process has changed something.
    pub(super) async fn version(&mut self) -> Result<i64, StoreFault> {
        let row = sqlx::query("PRAGMA data_version").fetch_one(&mut self.db).await?;
        Ok(row.try_get(0)?)
    }

    /// Writes all that is in it into this file, which is empty.
    pub(super) async fn vacuum_into(&mut self, file: &Path) -> Result<(), StoreFault> {
        let Some(name) = file.to_str() else {
            return Err(StoreFault::Other(format!("{} is no UTF-8", file.display())));
        };
        sqlx::query("VACUUM INTO $1").bind(name).execute(&mut self.db).await?;
        Ok(())
    }

    /// Looks through all of it.
    ///
    /// # Errors
    /// It is damaged; the disk.
    pub async fn check(&mut self) -> Result<(), StoreFault> {
        let row = sqlx::query("PRAGMA quick_check(1)").fetch_one(&mut self.db).await?;
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
        let rows = sqlx::query(count).bind(ORG).fetch_all(&mut self.db).await?;
        let counts = rows.iter().map(|row| {
            let count: i64 = row.try_get(1)?;
            Ok((task_rows::status(row, 0)?, u64::try_from(count).unwrap_or_default()))
        });
        counts.collect()
    }

    /// Since when the task that waits longest for a slot does.
    ///
    /// # Errors
    /// The disk.
    pub async fn oldest_pending(&mut self) -> Result<Option<SystemTime>, StoreFault> {
        let oldest =
            sqlx::query("SELECT MIN(created_at) FROM tasks WHERE org = $1 AND status = 'pending'");
        let row = oldest.bind(ORG).fetch_one(&mut self.db).await?;
        Ok(row.try_get::<Option<i64>, _>(0)?.map(moment))
    }

    /// Ends it when everything is written.
    pub async fn close(self) {
        if let Err(error) = self.db.close().await {
            tracing::warn!(%error, "the store was not closed well");
        }
    }
}

async fn pause() {
    tokio::time::sleep(MIGRATION_PAUSE).await;
}

fn migration_fault(error: MigrateError) -> StoreFault {
    if let MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) = error {
        return error.into();
    }
    if matches!(error, MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..)) {
        return StoreFault::Newer;
    }
    StoreFault::Damaged(error.to_string())
}

fn millis(at: SystemTime) -> i64 {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn moment(millis: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}

#[cfg(test)]
mod task_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trigger_tests;
