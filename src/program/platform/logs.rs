//! The log: one file per day in the state folder, never in the workspace or on the terminal, without
//! prompts and keys.
//!
//! Libraries may log requests, headers and environments at `debug` and `trace`, so they are limited to
//! warnings, whatever the configured level.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustix::fs::OFlags;
use tracing::{Level, Metadata};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{FilterFn, LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::{SystemClock, dirs, env, own_uid};
use crate::domain::safety::ownership::distrust;
use crate::domain::{Clock as _, SharedSecrets};

const MAX_FILES: usize = 5;
/// Lines that wait to be written; what does not fit is dropped. The queue takes 32 bytes a line from the start.
const MAX_WAITING: usize = 4_096;
/// Prefix and suffix; the date is between them.
const FILE_NAME: (&str, &str) = ("dominds-tui.", ".log");
/// The only packages that may log below `warn`.
const OWN_PACKAGES: [&str; 4] =
    ["dominds_tui", "dominds_tui_base", "dominds_tui_engine", "dominds_tui_ui"];

/// Private to this user.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// The secrets of this process; they are redacted in all lines.
static VAULT: LazyLock<SharedSecrets> = LazyLock::new(SharedSecrets::default);

/// The secrets that are redacted.
#[must_use]
pub fn vault() -> &'static SharedSecrets {
    &VAULT
}

/// Starts logging; without a writable folder the program runs without a log. Keep the guard until the
/// end: dropping it flushes the log.
#[must_use]
pub fn start() -> Option<WorkerGuard> {
    let folder = dirs::logs()?;
    let file = DailyFile::new(folder, today).ok()?;
    let queue = NonBlockingBuilder::default().buffered_lines_limit(MAX_WAITING);
    let (writer, guard) = queue.finish(file);
    let writer = move || RedactingWriter(writer.clone());
    let targets = env::variable("DOMINDS_TUI_LOG").and_then(|text| text.parse::<Targets>().ok());
    let ours = || OWN_PACKAGES.map(|package| (package, LevelFilter::INFO));
    let targets = targets.unwrap_or_else(|| Targets::new().with_targets(ours()));
    let filter = FilterFn::new(move |about: &Metadata<'_>| {
        is_logged(&targets, about.target(), *about.level())
    });
    let layer = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false);
    tracing_subscriber::registry().with(filter).with(layer).try_init().ok()?;
    Some(guard)
}

/// True if a line is logged: our own by the configured level, others only from warnings on.
fn is_logged(targets: &Targets, target: &str, level: Level) -> bool {
    let package = target.split("::").next().unwrap_or_default();
    let is_ours = OWN_PACKAGES.contains(&package);
    (is_ours || level <= Level::WARN) && targets.would_enable(target, &level)
}

/// The end of the log of today.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogTail {
    pub file: PathBuf,
    /// Whole lines.
    pub text: String,
    pub left_out: bool,
}

/// Returns at most `bytes` bytes of the end of today's log; nothing if there is none.
///
/// # Errors
/// There is no folder for logs, or the file cannot be read.
pub fn tail(bytes: u64) -> io::Result<LogTail> {
    let folder = dirs::logs().ok_or(io::ErrorKind::NotFound)?;
    tail_of(folder.join(file_name(&today())), bytes)
}

fn tail_of(path: PathBuf, bytes: u64) -> io::Result<LogTail> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut file = match OpenOptions::new().read(true).custom_flags(flags).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(LogTail { file: path, text: String::new(), left_out: false });
        }
        opened => opened?,
    };
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let start = about.len().saturating_sub(bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut read = Vec::new();
    file.take(bytes).read_to_end(&mut read)?;
    let text = String::from_utf8_lossy(&read);
    let whole = match text.split_once('\n').filter(|_| start > 0) {
        Some((_, lines)) => lines.to_owned(),
        None => text.into_owned(),
    };
    Ok(LogTail { file: path, text: whole, left_out: start > 0 })
}

fn file_name(day: &str) -> String {
    format!("{}{day}{}", FILE_NAME.0, FILE_NAME.1)
}

fn today() -> String {
    SystemClock.now().to_string().chars().take(10).collect()
}

/// Redacts secrets; each write is a complete line.
struct RedactingWriter<W>(W);

impl<W: Write> Write for RedactingWriter<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let secrets = VAULT.secrets();
        if secrets.is_in(line) {
            let text = secrets.redacted(String::from_utf8_lossy(line).into_owned());
            self.0.write_all(text.as_bytes())?;
        } else {
            self.0.write_all(line)?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A file per day; the oldest are removed.
#[derive(Debug)]
struct DailyFile {
    folder: PathBuf,
    today: fn() -> String,
    day: String,
    file: Arc<File>,
}

impl DailyFile {
    fn new(folder: PathBuf, today: fn() -> String) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&folder)?;
        // An earlier version created them readable for all users.
        for folder in [Some(folder.as_path()), folder.parent()].into_iter().flatten() {
            let opened = File::open(folder)?;
            // A folder that others could write is left for a person to check.
            if distrust(&opened.metadata()?, own_uid()).is_none() {
                restrict(&opened, FOLDER_MODE)?;
            }
        }
        let day = today();
        let file = Arc::new(open(&folder, &day)?);
        Ok(Self { folder, today, day, file })
    }
}

impl Write for DailyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let day = (self.today)();
        if day != self.day {
            self.file = Arc::new(open(&self.folder, &day)?);
            self.day = day;
        }
        (&*self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.file).flush()
    }
}

/// Opens the file of a day, and removes the oldest.
fn open(folder: &Path, day: &str) -> io::Result<File> {
    let nofollow = OFlags::NOFOLLOW.bits().cast_signed();
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(FILE_MODE)
        .custom_flags(nofollow)
        .open(folder.join(file_name(day)))?;
    restrict(&file, FILE_MODE)?;
    let is_ours = |name: &String| name.starts_with(FILE_NAME.0) && name.ends_with(FILE_NAME.1);
    let entries = fs::read_dir(folder)?.flatten();
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(is_ours).collect();
    names.sort_unstable();
    for old in names.iter().rev().skip(MAX_FILES) {
        // A file that remains only takes a little space.
        let _ = fs::remove_file(folder.join(old));
    }
    Ok(file)
}

/// Removes permissions of other users.
fn restrict(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    if permissions.mode() & 0o777 & !mode == 0 {
        return Ok(());
    }
    permissions.set_mode(mode);
    file.set_permissions(permissions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn files_and_folders_are_private_also_existing_ones() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("state/ours/logs");
        let old = folder.join("dominds-tui.2026-01-02.log");
        fs::create_dir_all(&folder).unwrap();
        fs::write(&old, "before\n").unwrap();
        for (path, wide) in [(folder.as_path(), 0o755), (&old, 0o644)] {
            fs::set_permissions(path, fs::Permissions::from_mode(wide)).unwrap();
        }
        let mut log = DailyFile::new(folder.clone(), || "2026-01-02".to_owned()).unwrap();
        log.write_all(b"after\n").unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "before\nafter\n");
        assert_eq!((mode(&folder), mode(&old)), (0o700, 0o600));
        assert_eq!(mode(folder.parent().unwrap()), 0o700);
        // Others could have put something there: a person has to check it.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        DailyFile::new(folder.clone(), || "2026-01-02".to_owned()).unwrap();
        assert_eq!(mode(&folder), 0o777);
        let fresh = top.path().join("other/logs");
        DailyFile::new(fresh.clone(), || "2026-01-02".to_owned()).unwrap();
        let file = fresh.join("dominds-tui.2026-01-02.log");
        assert_eq!((mode(&fresh), mode(&file)), (0o700, 0o600));
    }

    #[test]
    fn a_new_day_has_a_new_file_and_only_the_newest_are_kept() {
        use std::sync::atomic::{AtomicU32, Ordering};
        static DAY: AtomicU32 = AtomicU32::new(10);
        let top = tempfile::tempdir().unwrap();
        let day = || format!("2026-01-{}", DAY.fetch_add(1, Ordering::Relaxed));
        let mut log = DailyFile::new(top.path().join("logs"), day).unwrap();
        for _ in 0..8 {
            log.write_all(b"line\n").unwrap();
        }
        let entries = fs::read_dir(top.path().join("logs")).unwrap().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort_unstable();
        let expected = [14, 15, 16, 17, 18].map(|day| format!("dominds-tui.2026-01-{day}.log"));
        assert_eq!(names, expected);
    }

    #[test]
    fn the_tail_of_a_log_has_whole_lines_and_follows_no_link() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("log");
        assert_eq!(tail_of(path.clone(), 10).unwrap().text, "");
        fs::write(&path, "first line\nsecond\nthird\n").unwrap();
        for (bytes, expected, left_out) in
            [(100, "first line\nsecond\nthird\n", false), (12, "third\n", true), (3, "", true)]
        {
            let tail = tail_of(path.clone(), bytes).unwrap();
            assert_eq!((tail.text.as_str(), tail.left_out), (expected, left_out), "{bytes}");
        }
        let link = top.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(tail_of(link, 10).is_err() && tail_of(top.path().to_owned(), 10).is_err());
    }

    #[test]
    fn only_our_own_target_can_log_below_warn() {
        let all: Targets = "trace".parse().unwrap();
        let rmcp: Targets = "rmcp=trace,dominds_tui=debug".parse().unwrap();
        for (targets, target, level, logged) in [
            (&all, "dominds_tui_engine::mcp", Level::TRACE, true),
            (&all, "dominds_tui", Level::TRACE, true),
            (&all, "dominds_tui_else", Level::INFO, false),
            (&all, "rmcp::service", Level::TRACE, false),
            (&all, "rmcp::service", Level::INFO, false),
            (&all, "rmcp::service", Level::WARN, true),
            (&all, "hyper::proto", Level::DEBUG, false),
            (&rmcp, "rmcp::service", Level::DEBUG, false),
            (&rmcp, "dominds_tui_engine::mcp", Level::DEBUG, true),
            (&rmcp, "dominds_tui_engine::mcp", Level::TRACE, false),
        ] {
            assert_eq!(is_logged(targets, target, level), logged, "{target} {level}");
        }
    }

    #[test]
    fn a_secret_is_redacted_and_the_complete_line_is_written() {
        VAULT.learn([], ["canary-of-the-log".to_owned()]);
        let mut lines = Vec::new();
        let line = b"a Y2FuYXJ5LW9mLXRoZS1sb2c= b canary-of-the-log c\n";
        assert_eq!(RedactingWriter(&mut lines).write(line).unwrap(), line.len());
        assert_eq!(lines, b"a [redacted] b [redacted] c\n");
    }
}
