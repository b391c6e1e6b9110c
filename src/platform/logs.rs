//! The log: rolling files in the state directory, never in the workspace, never on the terminal,
//! never with prompts or keys in it.

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::{dirs, env};

/// Log files kept.
const FILES: usize = 5;

/// Starts logging; where no folder can be written the program goes on without. Keep the guard until
/// the end: dropping it writes what is left.
#[must_use]
pub fn start() -> Option<WorkerGuard> {
    let folder = dirs::logs()?;
    std::fs::create_dir_all(&folder).ok()?;
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("dominds-tui")
        .filename_suffix("log")
        .max_log_files(FILES)
        .build(folder)
        .ok()?;
    let (writer, guard) = tracing_appender::non_blocking(file);
    let wanted = env::variable("DOMINDS_TUI_LOG").and_then(|text| text.parse::<Targets>().ok());
    let filter =
        wanted.unwrap_or_else(|| Targets::new().with_target("dominds_tui", LevelFilter::INFO));
    let layer = tracing_subscriber::fmt::layer().with_writer(writer).with_ansi(false);
    tracing_subscriber::registry().with(filter).with(layer).try_init().ok()?;
    Some(guard)
}
