//! Decides whether and when a failed request is retried. Pure; the delays are those of the provider.

use std::time::Duration;

use crate::llm::{ErrorClass, LlmError};
use crate::minds::RetryConfig;

/// Attempts with the same conservative delay, before it grows (Dominds 1.19.2).
const ATTEMPTS_PER_STEP: u32 = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryDecision {
    /// Retry after this delay.
    Wait(Duration),
    /// Retry when the throttle of the model allows it.
    Throttled,
    GiveUp,
}

/// Decides after attempt number `failed` (the first is 0). Empty answers are counted over the whole drive,
/// see [`EmptyAnswers`].
pub fn decide_retry(error: &LlmError, failed: u32, config: &RetryConfig) -> RetryDecision {
    match error.class() {
        ErrorClass::Rejected
        | ErrorClass::Fatal
        | ErrorClass::Violation
        | ErrorClass::ContextOverflow
        | ErrorClass::Cancelled
        | ErrorClass::Empty => RetryDecision::GiveUp,
        ErrorClass::RateLimited => RetryDecision::Throttled,
        ErrorClass::Transport | ErrorClass::Cut if failed < config.aggressive_max_retries => {
            let delay =
                backoff(config.initial_delay, config.backoff_multiplier, failed, config.max_delay);
            RetryDecision::Wait(delay)
        }
        ErrorClass::Transport | ErrorClass::Cut | ErrorClass::Server | ErrorClass::Malformed => {
            let steps = failed / ATTEMPTS_PER_STEP;
            let delay = backoff(
                config.conservative_delay,
                config.backoff_multiplier,
                steps,
                config.max_delay,
            );
            RetryDecision::Wait(error.retry_after().map_or(delay, |asked| config.obeyed(asked)))
        }
    }
}

/// Delay before a retry after an empty answer.
const EMPTY_DELAY: Duration = Duration::from_secs(3);

/// The empty answers of one drive, over all its generations.
#[derive(Debug, Default)]
pub struct EmptyAnswers {
    in_a_row: u32,
    given_up: bool,
    pushed: bool,
}

impl EmptyAnswers {
    /// Call after a complete answer.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Counts an empty answer; at most `retries` in a row are retried.
    pub fn decide_retry(&mut self, retries: u32) -> RetryDecision {
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.given_up = self.in_a_row > retries;
        if self.given_up { RetryDecision::GiveUp } else { RetryDecision::Wait(EMPTY_DELAY) }
    }

    /// Whether a push may follow the last retry: once between two complete answers.
    pub fn may_push(&mut self) -> bool {
        self.given_up && !std::mem::replace(&mut self.pushed, true)
    }
}

fn backoff(base: Duration, multiplier: f64, steps: u32, max: Duration) -> Duration {
    let factor = multiplier.max(1.0).powi(i32::try_from(steps.min(64)).unwrap_or(64));
    let delay = base.as_secs_f64() * factor;
    Duration::try_from_secs_f64(delay).unwrap_or(max).min(max)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn failure(class: ErrorClass) -> LlmError {
        LlmError::quoted(class, "it failed")
    }

    fn waits(class: ErrorClass, failed: u32) -> Option<f64> {
        match decide_retry(&failure(class), failed, &RetryConfig::default()) {
            RetryDecision::Wait(delay) => Some(delay.as_secs_f64()),
            RetryDecision::Throttled | RetryDecision::GiveUp => None,
        }
    }

    #[test]
    fn the_delay_depends_on_the_error_class_and_the_number_of_attempts() {
        for (class, failed, expected) in [
            (ErrorClass::Rejected, 0, None),
            (ErrorClass::Fatal, 0, None),
            (ErrorClass::ContextOverflow, 0, None),
            (ErrorClass::Cancelled, 0, None),
            (ErrorClass::Violation, 0, None),
            (ErrorClass::Transport, 0, Some(1.0)),
            (ErrorClass::Transport, 1, Some(1.5)),
            (ErrorClass::Cut, 2, Some(2.25)),
            (ErrorClass::Transport, 3, Some(30.0)),
            (ErrorClass::Server, 0, Some(30.0)),
            (ErrorClass::Server, 9, Some(30.0)),
            (ErrorClass::Malformed, 10, Some(45.0)),
        ] {
            assert_eq!(waits(class, failed), expected, "{class:?} after {failed}");
        }
        let throttled = failure(ErrorClass::RateLimited);
        assert_eq!(decide_retry(&throttled, 0, &RetryConfig::default()), RetryDecision::Throttled);
    }

    #[test]
    fn no_delay_of_ours_exceeds_the_maximum() {
        let longest = RetryConfig::default().max_delay.as_secs_f64();
        for class in [ErrorClass::Server, ErrorClass::Transport] {
            assert_eq!(waits(class, u32::MAX), Some(longest), "{class:?}");
        }
    }

    #[test]
    fn a_retry_comes_when_the_provider_asked_for_it_even_beyond_the_maximum() {
        let config = RetryConfig::default();
        for (asked, expected) in [
            (Duration::ZERO, SECOND),
            (Duration::from_millis(1), Duration::from_millis(100)),
            (Duration::from_millis(300), Duration::from_millis(300)),
            (Duration::from_millis(1_800), Duration::from_millis(1_800)),
            (SECOND * 7200, SECOND * 7200),
        ] {
            let error = failure(ErrorClass::Server).with_retry_after(Some(asked));
            assert_eq!(decide_retry(&error, 0, &config), RetryDecision::Wait(expected));
        }
    }

    #[test]
    fn h10_an_empty_answer_is_retried_twice_soon_and_pushed_once_between_complete_answers() {
        let mut empty = EmptyAnswers::default();
        let retries = RetryConfig::default().empty_retries;
        let round = |empty: &mut EmptyAnswers| [(); 3].map(|()| empty.decide_retry(retries));
        let soon = || RetryDecision::Wait(3 * SECOND);
        assert_eq!(round(&mut empty), [soon(), soon(), RetryDecision::GiveUp]);
        assert!(empty.may_push());
        assert_eq!(empty.decide_retry(retries), RetryDecision::GiveUp, "the push did not help");
        assert!(!empty.may_push());
        empty.reset();
        assert!(!empty.may_push(), "nothing was given up");
        assert_eq!(round(&mut empty)[2], RetryDecision::GiveUp);
        assert!(empty.may_push());
    }
}
