//! Times that have become due since the last look. Times that were missed while nothing ran, while the machine slept,
//! or when the clock was set, are only counted, and not made up for.

use std::time::{Duration, SystemTime};

use super::handler::Handler;

/// Maximum drift of the wall clock from the steady one between two looks; otherwise somebody has set the clock, or the
/// machine has slept.
const MOST_DRIFT: Duration = Duration::from_secs(2);
/// A time that is late by more than this was missed.
const MOST_LATE: Duration = Duration::from_mins(1);
/// Maximum number of missed times that are counted.
const MOST_COUNTED: usize = 10_000;

/// A look at both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub wall: SystemTime,
    /// Since any moment of the steady clock.
    pub steady: Duration,
}

impl Look {
    /// True if the clock was set between an earlier look and this one.
    #[must_use]
    pub fn was_set_since(&self, earlier: &Self) -> bool {
        let steady = self.steady.saturating_sub(earlier.steady);
        let expected = earlier.wall.checked_add(steady).unwrap_or(self.wall);
        let drift = self.wall.duration_since(expected).unwrap_or_else(|error| error.duration());
        drift > MOST_DRIFT
    }
}

/// From when on the times of a trigger count at a look: it has been active since `active`. One that was made active while the
/// clock was ahead of now was active at the last look as well.
#[must_use]
pub fn counted_from(active: SystemTime, last: SystemTime, now: SystemTime) -> SystemTime {
    if active > now { last } else { last.max(active) }
}

/// What a schedule has made due between two looks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Due {
    /// The newest time, if it is not over for long.
    pub now: Option<SystemTime>,
    /// Times that passed without a firing.
    pub missed: usize,
}

/// The times of a schedule after `since` and up to `now`.
#[must_use]
pub fn due(handler: &Handler, since: SystemTime, now: SystemTime) -> Due {
    let mut due = Due::default();
    for next in handler.times_after(since).take_while(|next| *next <= now) {
        // Behind a very long pause the rest does not matter.
        if due.missed >= MOST_COUNTED {
            break;
        }
        due.missed += usize::from(due.now.replace(next).is_some());
    }
    let is_late = |at: &SystemTime| now.duration_since(*at).is_ok_and(|late| late > MOST_LATE);
    if due.now.take_if(|at| is_late(at)).is_some() {
        due.missed += 1;
    }
    due
}

/// The number of times missed between two moments.
#[must_use]
pub fn missed(handler: &Handler, since: SystemTime, now: SystemTime) -> usize {
    let due = due(handler, since, now);
    due.missed + usize::from(due.now.is_some())
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::domain::time::moment_of;
    use crate::samples::triggers::scheduled;

    fn handler(cron: &str) -> Handler {
        Handler::of(&scheduled(cron).config, |_| Some(TimeZone::UTC)).unwrap()
    }

    fn at(text: &str) -> SystemTime {
        moment_of(&format!("2026-11-21T{text}Z")).unwrap()
    }

    #[test]
    fn a_time_is_due_once_and_only_for_a_moment() {
        let hourly = handler("0 * * * *");
        let just = Due { now: Some(at("10:00:00")), missed: 0 };
        assert_eq!(due(&hourly, at("09:59:58"), at("10:00:01")), just);
        assert_eq!(due(&hourly, at("10:00:00"), at("10:00:05")), Due::default());
        let late = Due { now: None, missed: 1 };
        assert_eq!(due(&hourly, at("09:59:58"), at("10:05:00")), late);
        let three = Due { now: Some(at("12:00:00")), missed: 2 };
        assert_eq!(due(&hourly, at("09:30:00"), at("12:00:30")), three);
        assert_eq!(missed(&hourly, at("09:30:00"), at("12:00:30")), 3);
    }

    #[test]
    fn s4_5_three_days_of_sleep_are_counted_and_not_made_up_for() {
        let minutely = handler("* * * * *");
        let from = moment_of("2026-11-21T10:00:00Z").unwrap();
        let to = moment_of("2026-11-24T10:00:30Z").unwrap();
        assert_eq!(missed(&minutely, from, to), 3 * 24 * 60);
        let years = moment_of("2036-11-24T10:00:00Z").unwrap();
        assert_eq!(missed(&minutely, from, years), MOST_COUNTED + 1);
    }

    #[test]
    fn s4_5_a_clock_that_is_set_or_a_machine_that_sleeps_is_seen() {
        let look =
            |wall: &str, steady: u64| Look { wall: at(wall), steady: Duration::from_secs(steady) };
        let before = look("10:00:00", 100);
        for (now, was_set) in [
            (look("10:00:05", 105), false),
            (look("10:00:06", 105), false),
            (look("10:00:09", 105), true),
            (look("09:00:05", 105), true),
            (look("11:00:05", 105), true),
            (look("10:00:00", 105), true),
        ] {
            assert_eq!(now.was_set_since(&before), was_set, "{now:?}");
        }
    }

    #[test]
    fn a_trigger_made_active_while_the_clock_was_ahead_goes_on() {
        let at = |second| SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        let in_year_9999 = at(253_370_764_800);
        for (active, expected) in [(at(5), at(10)), (at(15), at(15)), (in_year_9999, at(10))] {
            assert_eq!(counted_from(active, at(10), at(20)), expected);
        }
    }
}
