//! The time of day, in the local zone.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::domain::{Clock, Stamp};

#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Stamp {
        self.stamp(self.moment())
    }

    fn moment(&self) -> SystemTime {
        #[expect(clippy::disallowed_methods, reason = "this is the clock")]
        SystemTime::now()
    }

    fn stamp(&self, at: SystemTime) -> Stamp {
        Stamp::in_zone(within_calendar(at), TimeZone::system())
    }

    fn zone(&self, name: Option<&str>) -> Option<TimeZone> {
        name.map_or_else(|| Some(TimeZone::system()), |name| TimeZone::get(name).ok())
    }
}

/// Clamps a time to the range that has dates: a clock can be set to any time.
pub(super) fn within_calendar(at: SystemTime) -> SystemTime {
    let nearest = if at < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(at).unwrap_or(nearest).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_moment_has_a_date() {
        let century = Duration::from_hours(100 * 365 * 24);
        let stamp = |at: Option<SystemTime>| SystemClock.stamp(at.unwrap()).to_string();
        let year = |at| stamp(at).split('-').next().unwrap_or_default().to_owned();
        let epoch = SystemTime::UNIX_EPOCH;
        for centuries in [81, 1_000, 1_000_000] {
            let late = stamp(epoch.checked_add(century * centuries));
            assert!(late.starts_with("9999-12-3"), "{late}");
        }
        assert_eq!(year(epoch.checked_add(century * 80)), "9964");
        assert!(!stamp(epoch.checked_sub(century * 1_000)).is_empty());
    }
}
