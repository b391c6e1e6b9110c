//! Delays after rate limiting. The state is kept per model of a provider while the program runs,
//! and shared by all dialogs that use the model.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::minds::RetryConfig;

/// Time without requests after which one refusal is forgotten (Dominds 1.19.2).
const RECOVERY_INTERVAL: Duration = Duration::from_mins(5);
/// Factor of the remembered delay per recovery step (Dominds 1.19.2).
const RECOVERY_FACTOR: f64 = 0.75;

/// The state of one model. Pure: the time is an argument.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct ThrottleState {
    /// Refusals not yet compensated by answers or idle time.
    penalty: u32,
    /// The last delay.
    remembered: Duration,
    /// Start of the current time without requests.
    quiet_since: Option<Instant>,
}

/// The throttle of one model, shared by the drives that use it.
#[derive(Debug, Clone, Default)]
pub struct Throttle(Arc<Mutex<ThrottleState>>);

/// The throttles of all models, by provider and model.
#[derive(Debug, Default)]
pub struct Throttles(Mutex<BTreeMap<(String, String), Throttle>>);

impl Throttles {
    pub fn of(&self, provider: &str, model: &str) -> Throttle {
        let mut throttles = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        throttles.entry((provider.to_owned(), model.to_owned())).or_default().clone()
    }
}

impl Throttle {
    /// Records a refusal; returns the delay: what the provider asked for, if it did.
    pub fn refused(&self, config: &RetryConfig, asked: Option<Duration>) -> Duration {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.refused(Instant::now(), config, asked)
    }

    /// Records an answer.
    pub fn succeeded(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).succeeded(Instant::now());
    }
}

impl ThrottleState {
    fn refused(&mut self, now: Instant, config: &RetryConfig, asked: Option<Duration>) -> Duration {
        self.recover_until(now);
        let doublings = self.penalty.min(31);
        self.penalty = self.penalty.saturating_add(1);
        let grown = config.conservative_delay.saturating_mul(1 << doublings);
        let ours = grown.max(self.remembered).min(config.max_delay);
        let delay = asked.map_or(ours, |asked| config.obeyed(asked));
        self.remembered = delay.min(config.max_delay);
        self.quiet_since = Some(now + delay);
        delay
    }

    fn succeeded(&mut self, now: Instant) {
        self.recover_until(now);
        self.recover_once();
        self.quiet_since = Some(now);
    }

    fn recover_until(&mut self, now: Instant) {
        while let Some(since) = self.quiet_since
            && now >= since + RECOVERY_INTERVAL
            && *self != (Self { quiet_since: self.quiet_since, ..Self::default() })
        {
            self.recover_once();
            self.quiet_since = Some(since + RECOVERY_INTERVAL);
        }
    }

    fn recover_once(&mut self) {
        self.penalty = self.penalty.saturating_sub(1);
        let reduced = self.remembered.mul_f64(RECOVERY_FACTOR);
        self.remembered = if reduced < Duration::from_millis(1) { Duration::ZERO } else { reduced };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum ThrottleStep {
        Refused(u64),
        RefusedAsking(u64, u64),
        Served,
        Quiet(u64),
    }

    #[test]
    fn the_delay_grows_with_refusals_and_shrinks_with_answers_and_idle_time() {
        use ThrottleStep::{Quiet, Refused, RefusedAsking, Served};
        let config = RetryConfig {
            conservative_delay: Duration::from_secs(4),
            max_delay: Duration::from_mins(1),
            ..RetryConfig::default()
        };
        for (case, story) in [
            ("doubles", vec![Refused(4), Refused(8), Refused(16)]),
            (
                "up to the longest",
                vec![Refused(4), Refused(8), Refused(16), Refused(32), Refused(60)],
            ),
            ("is as long as asked", vec![RefusedAsking(10, 10), RefusedAsking(90, 90)]),
            ("is as long as asked", vec![Refused(4), Refused(8), RefusedAsking(2, 2)]),
            ("but not at once", vec![Refused(4), RefusedAsking(0, 1)]),
            ("the asked wait is remembered", vec![RefusedAsking(20, 20), Served, Refused(15)]),
            ("but not beyond the longest", vec![RefusedAsking(900, 900), Refused(60)]),
            ("an answer makes one refusal good", vec![Refused(4), Refused(8), Served, Refused(8)]),
            ("so does quiet", vec![Refused(4), Refused(8), Quiet(310), Refused(8)]),
            (
                "long quiet forgets all",
                vec![Refused(4), Refused(8), Refused(16), Quiet(9000), Refused(4)],
            ),
        ] {
            let mut state = ThrottleState::default();
            let mut now = Instant::now();
            for step in story {
                let (asked, expected) = match step {
                    Refused(expected) => (None, expected),
                    RefusedAsking(asked, expected) => (Some(Duration::from_secs(asked)), expected),
                    Served => {
                        state.succeeded(now);
                        continue;
                    }
                    Quiet(seconds) => {
                        now += Duration::from_secs(seconds);
                        continue;
                    }
                };
                let delay = state.refused(now, &config, asked);
                assert_eq!(delay, Duration::from_secs(expected), "{case}");
                now += delay;
            }
        }
    }

    #[test]
    fn models_do_not_slow_each_other_down() {
        let (throttles, config) = (Throttles::default(), RetryConfig::default());
        let first = throttles.of("p", "a").refused(&config, None);
        assert_eq!(throttles.of("p", "b").refused(&config, None), first);
        assert_eq!(throttles.of("p", "a").refused(&config, None), first * 2);
    }
}
