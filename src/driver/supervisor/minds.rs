//! The configuration in `.minds` is reported again when a file of it has changed.

use std::time::Duration;

use crate::driver::shared::config_problems::minds_report;
use crate::minds::stamp;

use super::trees::Supervisor;

/// How often the files are checked while there is a screen.
pub const MINDS_POLL_INTERVAL: Duration = Duration::from_secs(2);

impl Supervisor {
    /// Reports the configuration again if one of its files has changed.
    pub(super) async fn check_minds(&mut self) {
        let (engine, known_stamp) = (self.engine.clone(), self.minds_stamp);
        let read = move || {
            let stamp_now = stamp(&engine.workspace);
            (
                stamp_now,
                (Some(stamp_now) != known_stamp).then(|| minds_report(&engine, &engine.minds())),
            )
        };
        let Ok((stamp_now, report)) = tokio::task::spawn_blocking(read).await else { return };
        self.minds_stamp = Some(stamp_now);
        if let Some(report) = report {
            self.report(report).await;
        }
    }
}
