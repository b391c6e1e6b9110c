//! The connection to the database, and statements on it: the only place that names `sqlx`. The columns of all tables are texts
//! and numbers, so a statement is its text and such values, whatever the database.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sha2::{Digest as _, Sha256};
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::postgres::{
    PgConnectOptions, PgConnection, PgDatabaseError, PgListener, PgPoolOptions, PgRow, PgSslMode,
    Postgres,
};
use sqlx::sqlite::{
    Sqlite, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteRow, SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _, SqlSafeStr as _};
use tokio::time::timeout;

use crate::domain::text::hex;
use crate::domain::text::{Localized, Text};
use crate::hive::disk::Journal;
use crate::hive::fault::StoreFault;
use crate::hive::folder::{self, DATABASE};

/// Timeout of a statement that waits for another process.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Number of cached prepared statements: more than a task needs from the queue to its end.
const PREPARED: usize = 128;

/// Result codes of SQLite: sqlite.org/rescode.html.
const SQLITE_BUSY: i32 = 5;
const SQLITE_CORRUPT: i32 = 11;
const SQLITE_FULL: i32 = 13;
const SQLITE_CANTOPEN: i32 = 14;
const SQLITE_NOTADB: i32 = 26;
/// The low byte is the code, the rest says more.
const CODE_MASK: i32 = 0xff;

/// Makes a fault of the message of a server.
type ServerFault = fn(String) -> StoreFault;

/// PostgreSQL error codes by prefix, and their faults: postgresql.org/docs/current/errcodes-appendix.html.
const SERVER_CODES: [(&str, ServerFault); 6] = [
    ("08", StoreFault::Lost),
    ("57P", StoreFault::Lost),
    ("25P03", StoreFault::Lost),
    ("57014", |_| StoreFault::Busy),
    ("55P03", |_| StoreFault::Busy),
    ("53100", |_| StoreFault::Full),
];

/// Timeouts of a server: for a connection, and for a statement.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// Session settings: timeouts, so that a dead or waiting client cannot block others for long.
const SESSION: &str = "SET idle_in_transaction_session_timeout = '15s'; SET lock_timeout = '5s'; SET statement_timeout = '9s'; \
     SET client_min_messages = 'warning'";
/// Changes by others within this time are reported as one.
const GATHERED: Duration = Duration::from_millis(20);
/// Bytes of a hash in the name of a channel.
const CHANNEL_BYTES: usize = 8;
/// The oldest version of PostgreSQL: its number in `server_version_num`.
const OLDEST_SERVER: i64 = 140_000;

/// The organisation in a store that one workspace has for itself.
const LOCAL: &str = "local";

/// A connection.
#[derive(Debug)]
pub(super) struct Db {
    /// The organisation whose rows statements are about.
    org: Arc<str>,
    to: Connection,
    /// Where it is, if it is a file.
    file: Option<(PathBuf, Journal)>,
    /// The name of this program, for others that listen to its changes.
    name: String,
    /// A transaction was begun, and perhaps not committed.
    is_unfinished: bool,
    /// Number of transactions committed here; each has changed the version of a server.
    committed: i64,
    /// Only in tests: callers give the time, also on a server.
    by_caller: bool,
}

#[derive(Debug)]
enum Connection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Db {
    /// Opens an existing database file.
    pub async fn of_file(database: &Path, journal: Journal) -> Result<Self, StoreFault> {
        let to = Connection::Sqlite(connected(database, journal).await?);
        let file = Some((database.to_owned(), journal));
        Ok(Self { file, ..Self::new(LOCAL, to, "") })
    }

    /// Another connection to the same file, which only reads; `None` for a server.
    pub async fn reader(&self) -> Result<Option<Self>, StoreFault> {
        let Some((file, journal)) = &self.file else { return Ok(None) };
        let folder = file.parent().unwrap_or(file).to_owned();
        folder::off_thread(move || folder::check_files(&folder)).await?;
        let mut db = Self::of_file(file, *journal).await?;
        plain("PRAGMA query_only = ON").execute(&mut db).await?;
        // In KiB: the indexes of 100,000 chunks stay in it beside the chunks that a search reads.
        plain("PRAGMA cache_size = -16384").execute(&mut db).await?;
        Ok(Some(db))
    }

    fn new(org: &str, to: Connection, name: &str) -> Self {
        Self {
            org: org.into(),
            to,
            file: None,
            name: name.to_owned(),
            is_unfinished: false,
            committed: 0,
            by_caller: false,
        }
    }

    /// The journal mode in use, which may differ from the wanted one.
    pub async fn journal(&mut self) -> Result<Journal, StoreFault> {
        let row = plain("PRAGMA journal_mode").fetch_one(self).await?;
        let mode: String = row.try_get(0)?;
        Ok(if mode == "wal" { Journal::WriteAhead } else { Journal::Rollback })
    }

    /// Connects to the server of this URL, to use the rows of `org`.
    pub async fn of_server(org: &str, url: &str, name: &str) -> Result<Self, StoreFault> {
        let options = server_options(url).map_err(StoreFault::Settings)?;
        let mut db = in_time(CONNECT_TIMEOUT, options.connect()).await?;
        in_time(ANSWER_TIMEOUT, sqlx::raw_sql(SESSION).execute(&mut db)).await?;
        let mut db = Self::new(org, Connection::Postgres(db), name);
        let version = plain("SELECT CAST(current_setting('server_version_num') AS BIGINT)");
        let version: i64 = version.fetch_one(&mut db).await?.try_get(0)?;
        if version < OLDEST_SERVER {
            return Err(StoreFault::Settings(
                Text::new(
                    "the server is older than PostgreSQL 14: use a newer one",
                    "服务器早于 PostgreSQL 14：请使用更新的版本",
                )
                .into(),
            ));
        }
        Ok(db)
    }

    #[cfg(test)]
    pub fn goes_by_caller(&mut self) {
        self.by_caller = true;
    }

    /// True for a server, which other boxes may use as well.
    pub fn is_shared(&self) -> bool {
        match self.to {
            Connection::Sqlite(_) => false,
            Connection::Postgres(_) => true,
        }
    }

    /// Makes the tables that are missing: number, name and text of each step.
    pub async fn migrate(
        &mut self,
        steps: impl Iterator<Item = (i64, &'static str, Cow<'static, str>)>,
    ) -> Result<(), StoreFault> {
        let migrations = steps.map(|(number, name, text)| {
            let text = AssertSqlSafe(text.into_owned()).into_sql_str();
            Migration::new(number, name.into(), MigrationType::Simple, text, false)
        });
        let migrator = Migrator::with_migrations(migrations.collect());
        let done = match &mut self.to {
            Connection::Sqlite(db) => {
                // Its migrator has no lock: which steps are missing is asked and answered in one transaction.
                let mut whole = db.begin_with("BEGIN IMMEDIATE").await?;
                let done = migrator.run_direct(None, &mut *whole, false).await;
                if done.is_ok() {
                    whole.commit().await?;
                }
                done
            }
            Connection::Postgres(db) => migrator.run_direct(None, db, false).await,
        };
        done.map_err(migration_fault)
    }

    /// Begins a transaction that writes; without a commit it is rolled back. Those of an organisation are serialized,
    /// as are all on one file: nothing that one has read changes before it has written.
    pub async fn begin(&mut self) -> Result<Step<'_>, StoreFault> {
        #[cfg(test)]
        strike()?;
        self.end_unfinished().await?;
        let (org, by_caller) = (self.org.clone(), self.by_caller);
        let (is_unfinished, committed) = (&mut self.is_unfinished, &mut self.committed);
        *is_unfinished = true;
        match &mut self.to {
            Connection::Sqlite(db) => {
                let transaction = Transaction::Sqlite(db.begin_with("BEGIN IMMEDIATE").await?);
                Ok(Step { org, transaction, is_unfinished, committed, at: None, by_caller: false })
            }
            Connection::Postgres(db) => {
                let begun = in_time(ANSWER_TIMEOUT, db.begin()).await?;
                let transaction = Transaction::Postgres(begun);
                let mut step =
                    Step { org, transaction, is_unfinished, committed, at: None, by_caller };
                let turn = sql("UPDATE meta SET version = version + 1 WHERE org = $1 \
                     RETURNING hive_now($1), CAST(pg_notify($2, $3) AS TEXT)");
                let turn = turn.bind(channel(&step.org)).bind(&self.name);
                let turn = turn.fetch_optional(&mut step).await?;
                let Some(row) = turn else {
                    let why = "the row of the organisation is missing".to_owned();
                    return Err(StoreFault::Server(why));
                };
                step.at = Some(row.try_get(0)?);
                Ok(step)
            }
        }
    }

    /// Begins a transaction that only reads, so that all of it is of one moment.
    pub async fn begin_reading(&mut self) -> Result<Step<'_>, StoreFault> {
        #[cfg(test)]
        strike()?;
        self.end_unfinished().await?;
        let (is_unfinished, committed) = (&mut self.is_unfinished, &mut self.committed);
        *is_unfinished = true;
        let transaction = match &mut self.to {
            Connection::Sqlite(db) => Transaction::Sqlite(db.begin().await?),
            Connection::Postgres(db) => {
                let begin = db.begin_with("BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ");
                Transaction::Postgres(in_time(ANSWER_TIMEOUT, begin).await?)
            }
        };
        let org = self.org.clone();
        Ok(Step { org, transaction, is_unfinished, committed, at: None, by_caller: false })
    }

    /// A value that changes whenever another program has changed something.
    pub async fn version(&mut self) -> Result<i64, StoreFault> {
        let (version, own) = match self.to {
            Connection::Sqlite(_) => (plain("PRAGMA data_version"), 0),
            Connection::Postgres(_) => {
                (sql("SELECT version FROM meta WHERE org = $1"), self.committed)
            }
        };
        let version: i64 = version.fetch_one(self).await?.try_get(0)?;
        Ok(version - own)
    }

    /// Rolls back a transaction that was not committed. Otherwise a server would do so only with the next statement,
    /// and others would wait until then. SQLite rolls back by itself where the disk was full or failed, which a
    /// connection does not notice: sqlite.org/lang_transaction.html.
    pub async fn end_unfinished(&mut self) -> Result<(), StoreFault> {
        if !self.is_unfinished {
            return Ok(());
        }
        match &mut self.to {
            Connection::Sqlite(db) => {
                db.ping().await?;
                if let (true, Some((file, journal))) = (db.is_in_transaction(), &self.file) {
                    let folder = file.parent().unwrap_or(file).to_owned();
                    folder::off_thread(move || folder::check_files(&folder)).await?;
                    *db = connected(file, *journal).await?;
                }
            }
            Connection::Postgres(db) => in_time(ANSWER_TIMEOUT, db.ping()).await?,
        }
        self.is_unfinished = false;
        Ok(())
    }

    /// Closes it after everything is written.
    pub async fn close(self) -> Result<(), StoreFault> {
        match self.to {
            Connection::Sqlite(db) => db.close().await?,
            Connection::Postgres(db) => in_time(ANSWER_TIMEOUT, db.close()).await?,
        }
        Ok(())
    }
}

/// Hears of changes by others. They are hints: polling makes up for a lost one.
pub(in crate::hive) struct Listener {
    from: PgListener,
    /// The name of this program, whose own changes are ignored.
    name: String,
    /// A change was heard and not reported yet.
    is_news: bool,
}

impl Listener {
    pub async fn of_server(org: &str, url: &str, name: &str) -> Result<Self, StoreFault> {
        let options = server_options(url).map_err(StoreFault::Settings)?;
        let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(CONNECT_TIMEOUT);
        let pool = in_time(CONNECT_TIMEOUT, pool.connect_with(options)).await?;
        let mut from = in_time(CONNECT_TIMEOUT, PgListener::connect_with(&pool)).await?;
        in_time(ANSWER_TIMEOUT, from.listen(&channel(org))).await?;
        Ok(Self { from, name: name.to_owned(), is_news: false })
    }

    /// Waits for the next change by another program, and for those that follow at once. May be cancelled.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn heard(&mut self) -> Result<(), StoreFault> {
        while !self.is_news {
            self.is_news = self.from.recv().await?.payload() != self.name;
        }
        tokio::time::sleep(GATHERED).await;
        while self.from.next_buffered().is_some() {}
        self.is_news = false;
        Ok(())
    }
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listener").finish_non_exhaustive()
    }
}

/// The notification channel of an organisation.
fn channel(org: &str) -> String {
    let digest = Sha256::digest(org);
    format!("hive_{}", hex::hex(digest.get(..CHANNEL_BYTES).unwrap_or_default()))
}

/// Opens an existing database file.
async fn connected(database: &Path, journal: Journal) -> Result<SqliteConnection, StoreFault> {
    let mode = match journal {
        Journal::WriteAhead => SqliteJournalMode::Wal,
        Journal::Rollback => SqliteJournalMode::Delete,
    };
    let options = SqliteConnectOptions::new()
        .filename(database)
        .journal_mode(mode)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        // The schema of a file must not run anything.
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON")
        .statement_cache_capacity(PREPARED)
        .disable_statement_logging();
    Ok(options.connect().await?)
}

/// A test ends the program before a statement, or lets it fail.
#[cfg(test)]
fn strike() -> Result<(), StoreFault> {
    let failed = |error| StoreFault::Io { path: PathBuf::from(DATABASE), error };
    crate::hive::vault::faults::strike().map_err(failed)
}

/// Waits for a server at most this long; after that the connection counts as lost.
async fn in_time<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, StoreFault> {
    match timeout(limit, work).await {
        Ok(done) => Ok(done?),
        Err(_) => Err(StoreFault::Lost(format!("no answer in {} seconds", limit.as_secs()))),
    }
}

/// Checks the URL of a server. Over a network the server has to show a certificate, unless the URL says otherwise.
///
/// # Errors
/// What is wrong with the URL; the message contains no part of it.
pub(in crate::hive) fn check_url(url: &str) -> Result<(), Localized> {
    server_options(url).map(|_| ())
}

fn server_options(url: &str) -> Result<PgConnectOptions, Localized> {
    let scheme = ["postgres://", "postgresql://"].into_iter().any(|start| url.starts_with(start));
    let parsed = url.parse::<PgConnectOptions>().ok().filter(|_| scheme);
    let Some(options) = parsed else {
        let text = Text::new(
            "the address of the store is no URL of PostgreSQL: write postgres://USER@HOST/DATABASE",
            "存储的地址不是 PostgreSQL 的 URL：请写 postgres://用户@主机/数据库",
        );
        return Err(text.into());
    };
    let host = options.get_host();
    let is_local = options.get_socket().is_some() || host.starts_with('/') || is_loopback(host);
    let says_how = url.contains("sslmode=") || url.contains("ssl-mode=");
    let options =
        if is_local || says_how { options } else { options.ssl_mode(PgSslMode::VerifyFull) };
    Ok(options
        .application_name("dominds-tui")
        .statement_cache_capacity(PREPARED)
        .disable_statement_logging())
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A transaction.
#[derive(Debug)]
pub(super) struct Step<'c> {
    org: Arc<str>,
    transaction: Transaction<'c>,
    /// The flag of the connection.
    is_unfinished: &'c mut bool,
    committed: &'c mut i64,
    /// When it began to write, by the clock of the server.
    at: Option<i64>,
    by_caller: bool,
}

#[derive(Debug)]
enum Transaction<'c> {
    Sqlite(sqlx::Transaction<'c, Sqlite>),
    Postgres(sqlx::Transaction<'c, Postgres>),
}

impl Step<'_> {
    /// The time of the server, which is the same for all its clients; without one, that of this machine.
    pub fn now(&self, here: SystemTime) -> SystemTime {
        self.at.filter(|_| !self.by_caller).map_or(here, moment)
    }

    /// True on a server.
    pub fn is_shared(&self) -> bool {
        matches!(self.transaction, Transaction::Postgres(_))
    }

    /// The time of the server, in milliseconds since 1970; 0 without one.
    pub fn server_millis(&self) -> i64 {
        self.at.unwrap_or_default()
    }

    pub async fn commit(self) -> Result<(), StoreFault> {
        #[cfg(test)]
        strike()?;
        match self.transaction {
            Transaction::Sqlite(transaction) => transaction.commit().await?,
            Transaction::Postgres(transaction) => {
                in_time(ANSWER_TIMEOUT, transaction.commit()).await?;
            }
        }
        *self.is_unfinished = false;
        // Transactions that only read, and those on a file, change no version.
        *self.committed += i64::from(self.at.is_some());
        Ok(())
    }
}

/// An executor of statements.
pub(super) trait Executor {
    fn parts(&mut self) -> (&str, Link<'_>);
}

pub(super) enum Link<'a> {
    Sqlite(&'a mut SqliteConnection),
    Postgres(&'a mut PgConnection),
}

impl Executor for Db {
    fn parts(&mut self) -> (&str, Link<'_>) {
        let link = match &mut self.to {
            Connection::Sqlite(db) => Link::Sqlite(db),
            Connection::Postgres(db) => Link::Postgres(db),
        };
        (&self.org, link)
    }
}

impl Executor for Step<'_> {
    fn parts(&mut self) -> (&str, Link<'_>) {
        let link = match &mut self.transaction {
            Transaction::Sqlite(transaction) => Link::Sqlite(transaction),
            Transaction::Postgres(transaction) => Link::Postgres(transaction),
        };
        (&self.org, link)
    }
}

/// A value of a statement.
#[derive(Debug)]
pub(super) enum Value {
    Text(Option<String>),
    Number(Option<i64>),
}

macro_rules! values {
    ($($from:ty => |$value:ident| $into:expr;)+) => {
        $(impl From<$from> for Value {
            fn from($value: $from) -> Self { $into }
        })+
    };
}

values! {
    &str => |text| Self::Text(Some(text.to_owned()));
    String => |text| Self::Text(Some(text));
    &String => |text| Self::Text(Some(text.clone()));
    Option<&str> => |text| Self::Text(text.map(str::to_owned));
    Option<String> => |text| Self::Text(text);
    Option<&String> => |text| Self::Text(text.cloned());
    &Option<String> => |text| Self::Text(text.clone());
    i64 => |number| Self::Number(Some(number));
    u32 => |number| Self::Number(Some(number.into()));
    &u32 => |number| Self::Number(Some((*number).into()));
    Option<i64> => |number| Self::Number(number);
}

/// A statement with its values.
#[derive(Debug)]
pub(super) struct Statement {
    text: Cow<'static, str>,
    of_org: bool,
    values: Vec<Value>,
}

/// A statement with `$1` for the organisation, and `$2` and so on for its values. Text from outside is always a value.
pub(super) fn sql(text: impl Into<Cow<'static, str>>) -> Statement {
    Statement { text: text.into(), of_org: true, values: Vec::new() }
}

/// A statement about the database as a whole: `$1` is its first value.
pub(super) fn plain(text: &'static str) -> Statement {
    Statement { text: text.into(), of_org: false, values: Vec::new() }
}

/// A statement for the database that it is carried out on.
macro_rules! prepared {
    ($statement:expr, $org:expr) => {{
        let Statement { text, of_org, values } = $statement;
        let query = sqlx::query(AssertSqlSafe(text.into_owned()));
        let query = if of_org { query.bind($org.to_owned()) } else { query };
        values.into_iter().fold(query, |query, value| match value {
            Value::Text(text) => query.bind(text),
            Value::Number(number) => query.bind(number),
        })
    }};
}

impl Statement {
    /// The next value.
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Asks a file how it would be carried out.
    #[cfg(test)]
    pub fn explained(mut self) -> Self {
        self.text = format!("EXPLAIN QUERY PLAN {}", self.text).into();
        self
    }

    /// Carries it out; returns how many rows it has changed.
    pub async fn execute(self, on: &mut impl Executor) -> Result<u64, StoreFault> {
        #[cfg(test)]
        strike()?;
        let (org, link) = on.parts();
        Ok(match link {
            Link::Sqlite(db) => prepared!(self, org).execute(db).await?.rows_affected(),
            Link::Postgres(db) => {
                let query = prepared!(self, org);
                in_time(ANSWER_TIMEOUT, query.execute(db)).await?.rows_affected()
            }
        })
    }

    pub async fn fetch_all(self, on: &mut impl Executor) -> Result<Vec<Row>, StoreFault> {
        #[cfg(test)]
        strike()?;
        let (org, link) = on.parts();
        Ok(match link {
            Link::Sqlite(db) => {
                let rows = prepared!(self, org).fetch_all(db).await?;
                rows.into_iter().map(Row::Sqlite).collect()
            }
            Link::Postgres(db) => {
                let query = prepared!(self, org);
                let rows = in_time(ANSWER_TIMEOUT, query.fetch_all(db)).await?;
                rows.into_iter().map(Row::Postgres).collect()
            }
        })
    }

    pub async fn fetch_optional(self, on: &mut impl Executor) -> Result<Option<Row>, StoreFault> {
        #[cfg(test)]
        strike()?;
        let (org, link) = on.parts();
        Ok(match link {
            Link::Sqlite(db) => prepared!(self, org).fetch_optional(db).await?.map(Row::Sqlite),
            Link::Postgres(db) => {
                let query = prepared!(self, org);
                in_time(ANSWER_TIMEOUT, query.fetch_optional(db)).await?.map(Row::Postgres)
            }
        })
    }

    pub async fn fetch_one(self, on: &mut impl Executor) -> Result<Row, StoreFault> {
        let found = self.fetch_optional(on).await?;
        found.ok_or_else(|| StoreFault::Damaged("a row is missing".to_owned()))
    }
}

/// A row that was found.
pub(super) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    /// The value of a column, counted from 0.
    pub fn try_get<T: Column>(&self, at: usize) -> Result<T, StoreFault> {
        T::of(self, at)
    }
}

/// A type that a column can be read as.
pub(super) trait Column: Sized {
    fn of(row: &Row, at: usize) -> Result<Self, StoreFault>;
}

macro_rules! columns {
    ($($column:ty),+) => {
        $(impl Column for $column {
            fn of(row: &Row, at: usize) -> Result<Self, StoreFault> {
                Ok(match row {
                    Row::Sqlite(row) => row.try_get(at)?,
                    Row::Postgres(row) => row.try_get(at)?,
                })
            }
        })+
    };
}

columns!(String, Option<String>, i64, Option<i64>);

impl From<sqlx::Error> for StoreFault {
    fn from(error: sqlx::Error) -> Self {
        let Some(known) = error.as_database_error() else {
            let is_link = matches!(
                error,
                sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_)
            );
            let why = error.to_string();
            return if is_link { Self::Lost(why) } else { Self::Other(why) };
        };
        let code = known.code().unwrap_or_default();
        if known.try_downcast_ref::<PgDatabaseError>().is_some() {
            let found = SERVER_CODES.into_iter().find(|(start, _)| code.starts_with(start));
            let why = known.message().to_owned();
            return found.map_or(Self::Server as ServerFault, |(_, fault)| fault)(why);
        }
        match code.parse::<i32>().ok().map(|code| code & CODE_MASK) {
            Some(SQLITE_BUSY) => Self::Busy,
            Some(SQLITE_FULL) => Self::Full,
            Some(SQLITE_CORRUPT | SQLITE_NOTADB) => Self::Damaged(error.to_string()),
            Some(SQLITE_CANTOPEN) => {
                Self::Io { path: PathBuf::from(DATABASE), error: io::Error::other(error) }
            }
            Some(_) | None => Self::Other(error.to_string()),
        }
    }
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

/// The stored form of a time: milliseconds since 1970, UTC.
pub(super) fn millis(at: SystemTime) -> i64 {
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

pub(super) fn moment(millis: i64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or_default())
}
