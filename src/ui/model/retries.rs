//! Failed requests that are retried, with a countdown that costs few frames: it changes every few
//! seconds, and only every minute while the wait is long.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::domain::DialogId;
use crate::domain::text::Localized;
use crate::protocol::RetryView;

const MINUTE: u64 = 60;
/// Seconds between changes of the countdown within the last minute.
const STEP_SECONDS: u64 = 5;

/// The state of one failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Retry {
    Waiting { error: Localized, until: Instant },
    Running,
}

/// All dialogs with a request that is retried.
#[derive(Debug, Default)]
pub struct Retries(BTreeMap<DialogId, Retry>);

impl Retries {
    pub fn update(&mut self, dialog: DialogId, retry: RetryView, now: Instant) {
        match retry {
            RetryView::Waiting { error, seconds, .. } => {
                let until = now + Duration::from_secs(seconds);
                self.0.insert(dialog, Retry::Waiting { error, until });
            }
            RetryView::Running => {
                self.0.insert(dialog, Retry::Running);
            }
            RetryView::Resolved | RetryView::Stopped => self.forget(&dialog),
        }
    }

    pub fn forget(&mut self, dialog: &DialogId) {
        self.0.remove(dialog);
    }

    /// Events were lost; the driver reports the current state again.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn get(&self, dialog: &DialogId) -> Option<&Retry> {
        self.0.get(dialog)
    }

    /// Returns when the countdown of this dialog differs from the one drawn at `drawn`.
    pub fn changes_at(&self, dialog: &DialogId, drawn: Instant) -> Option<Instant> {
        let Retry::Waiting { until, .. } = self.0.get(dialog)? else { return None };
        let left = until.checked_duration_since(drawn)?;
        let step = if shown_seconds(left) > MINUTE { MINUTE } else { STEP_SECONDS };
        let below = Duration::from_secs(shown_seconds(left).checked_sub(step)?);
        until.checked_sub(below)
    }
}

/// The seconds shown for the remaining time.
pub fn shown_seconds(left: Duration) -> u64 {
    let seconds = left.as_secs() + u64::from(left.subsec_nanos() > 0);
    let step = if seconds > MINUTE { MINUTE } else { STEP_SECONDS };
    seconds.div_ceil(step) * step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::RootId;

    #[test]
    fn a_countdown_changes_by_minutes_and_in_the_end_by_a_few_seconds() {
        let (dialog, now) = (DialogId::main(RootId::new("a")), Instant::now());
        let mut retries = Retries::default();
        let waiting = RetryView::Waiting {
            error: Localized::same("down"),
            seconds: 130,
            server: String::new(),
        };
        retries.update(dialog.clone(), waiting, now);
        let Some(Retry::Waiting { until, .. }) = retries.get(&dialog).cloned() else {
            panic!("it waits")
        };
        let mut shown = vec![shown_seconds(until - now)];
        let mut at = now;
        while let Some(next) = retries.changes_at(&dialog, at) {
            assert!(next > at);
            at = next;
            shown.push(shown_seconds(until - at));
        }
        assert_eq!(shown, [180, 120, 60, 55, 50, 45, 40, 35, 30, 25, 20, 15, 10, 5, 0]);
    }

    #[test]
    fn the_end_of_the_wait_ends_the_countdown() {
        let (dialog, now) = (DialogId::main(RootId::new("a")), Instant::now());
        for end in [RetryView::Resolved, RetryView::Stopped] {
            let mut retries = Retries::default();
            retries.update(dialog.clone(), RetryView::Running, now);
            assert_eq!(retries.get(&dialog), Some(&Retry::Running));
            retries.update(dialog.clone(), end, now);
            assert_eq!(retries.get(&dialog), None);
        }
    }
}
