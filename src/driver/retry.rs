//! What a failed request is followed by: a wait, or the end. Pure; the figures are the provider's.

use std::time::Duration;

use crate::llm::{ErrorClass, LlmError};
use crate::minds::RetryConfig;

/// After so many conservative waits the delay grows once more (Dominds 1.19.2).
const RAMP: u32 = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Try again after this time.
    Wait(Duration),
    GiveUp,
}

/// Decides about attempt number `failed` (the first is 0).
pub fn verdict(error: &LlmError, failed: u32, config: &RetryConfig) -> Verdict {
    match error.class() {
        ErrorClass::Rejected
        | ErrorClass::Fatal
        | ErrorClass::ContextOverflow
        | ErrorClass::Cancelled => Verdict::GiveUp,
        ErrorClass::RateLimited => {
            let base = grown(config.conservative_delay, 2.0, failed, config.max_delay);
            Verdict::Wait(error.retry_after().map_or(base, |asked| asked.max(base)))
        }
        ErrorClass::Transport | ErrorClass::Cut if failed < config.aggressive_max_retries => {
            let delay =
                grown(config.initial_delay, config.backoff_multiplier, failed, config.max_delay);
            Verdict::Wait(delay)
        }
        ErrorClass::Transport
        | ErrorClass::Cut
        | ErrorClass::Server
        | ErrorClass::Empty
        | ErrorClass::Malformed => {
            let steps = failed / RAMP;
            let delay = grown(
                config.conservative_delay,
                config.backoff_multiplier,
                steps,
                config.max_delay,
            );
            Verdict::Wait(error.retry_after().map_or(delay, |asked| asked.max(delay)))
        }
    }
}

fn grown(base: Duration, multiplier: f64, steps: u32, most: Duration) -> Duration {
    let factor = multiplier.max(1.0).powi(i32::try_from(steps.min(64)).unwrap_or(64));
    let grown = base.as_secs_f64() * factor;
    Duration::try_from_secs_f64(grown).unwrap_or(most).min(most)
}
