//! The configuration in `.minds` is reported again when a file of it has changed.

use std::time::Duration;

use crate::driver::shared::blocking::blocking;
use crate::driver::shared::config_problems::minds_report;

use super::trees::Supervisor;

/// How often the files are checked while there is a screen.
pub const MINDS_POLL_INTERVAL: Duration = Duration::from_secs(2);

impl Supervisor {
    /// Reports the configuration again if one of its files has changed.
    pub(super) async fn check_minds(&mut self) {
        let (engine, known_stamp) = (self.engine.clone(), self.minds_stamp);
        let read = blocking(move |on| {
            let stamp_now = engine.configuration.stamp(on);
            let changed = Some(stamp_now) != known_stamp;
            (stamp_now, changed.then(|| minds_report(&engine, &engine.minds(on), on)))
        });
        let Ok((stamp_now, report)) = read.await else { return };
        self.minds_stamp = Some(stamp_now);
        if let Some(report) = report {
            self.report(report).await;
        }
    }
}
