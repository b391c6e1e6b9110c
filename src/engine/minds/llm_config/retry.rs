//! Retry limits and delays of failed requests.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::domain::{Quirk, Quirks};

/// Effective values: `initial_delay <= conservative_delay <= max_delay`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryConfig {
    /// Fast retries before the slow ones.
    pub aggressive_max_retries: u32,
    pub initial_delay: Duration,
    /// Between slow retries.
    pub conservative_delay: Duration,
    /// At least 1.
    pub backoff_multiplier: f64,
    pub max_delay: Duration,
    /// Retries after an empty answer.
    pub empty_retries: u32,
}

const DEFAULT_EMPTY_RETRIES: u32 = 2;
/// For a provider with the quirk of empty answers, as in Dominds 1.19.2.
const XCODE_BEST_EMPTY_RETRIES: u32 = 4;

/// Shortest wait between two requests, whatever the provider asks for.
const SHORTEST_WAIT: Duration = Duration::from_millis(100);

impl RetryConfig {
    /// How long to wait if the provider asks for this wait: exactly that. Zero would not help, and counts as none.
    #[must_use]
    pub fn obeyed(&self, asked: Duration) -> Duration {
        if asked.is_zero() { self.initial_delay } else { asked.max(SHORTEST_WAIT) }
    }
}

impl Default for RetryConfig {
    /// As in Dominds 1.19.2, except for empty answers.
    fn default() -> Self {
        Self {
            aggressive_max_retries: 3,
            initial_delay: Duration::from_secs(1),
            conservative_delay: Duration::from_secs(30),
            backoff_multiplier: 1.5,
            max_delay: Duration::from_mins(30),
            empty_retries: DEFAULT_EMPTY_RETRIES,
        }
    }
}

impl RetryConfig {
    /// Reads a provider's keys; a number out of range counts as not set.
    pub(super) fn read(map: &Map<String, Value>, quirks: Quirks) -> Self {
        let default = Self::default();
        let millis = |key: &str, default: Duration| {
            let number = map.get(key).and_then(Value::as_u64);
            number.map_or(default, Duration::from_millis)
        };
        let initial_delay = millis("llm_retry_initial_delay_ms", default.initial_delay);
        let conservative = millis("llm_retry_conservative_delay_ms", default.conservative_delay);
        let conservative_delay = conservative.max(initial_delay);
        let max_delay = millis("llm_retry_max_delay_ms", default.max_delay);
        let retries = map.get("llm_retry_aggressive_max_retries");
        let multiplier = map.get("llm_retry_backoff_multiplier").and_then(Value::as_f64);
        Self {
            aggressive_max_retries: retries
                .and_then(Value::as_u64)
                .and_then(|number| u32::try_from(number).ok())
                .unwrap_or(default.aggressive_max_retries),
            initial_delay,
            conservative_delay,
            backoff_multiplier: multiplier
                .filter(|number| number.is_finite() && *number >= 1.0)
                .unwrap_or(default.backoff_multiplier),
            max_delay: max_delay.max(conservative_delay),
            empty_retries: if quirks.has(Quirk::XcodeBest) {
                XCODE_BEST_EMPTY_RETRIES
            } else {
                DEFAULT_EMPTY_RETRIES
            },
        }
    }
}
