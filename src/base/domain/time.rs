//! Time and ids as values handed in, so that two runs of one script write the same bytes.

use std::fmt;
use std::time::{Duration, SystemTime};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::ids::{MsgId, SelfId};

/// Local time as Dominds writes it: `YYYY-MM-DD HH:MM:SS`. Order never relies on it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct Stamp(String);

impl Stamp {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A moment as the clocks of a zone show it; empty where no calendar reaches.
    #[must_use]
    pub fn in_zone(at: SystemTime, zone: TimeZone) -> Self {
        let at = jiff::Timestamp::try_from(at).map(|at| at.to_zoned(zone));
        Self(at.map(|at| at.strftime("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default())
    }

    /// A moment as the clocks of UTC show it; empty where no calendar reaches.
    #[must_use]
    pub fn utc(at: SystemTime) -> Self {
        Self::in_zone(at, TimeZone::UTC)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `HH:MM`, or the whole text where it has another form.
    #[must_use]
    pub fn hour_minute(&self) -> &str {
        self.0.get(11..16).unwrap_or(&self.0)
    }

    /// The stamp with this number of [`Self::seconds`]; empty where no calendar reaches.
    #[must_use]
    pub fn of_seconds(seconds: i64) -> Self {
        let at = jiff::Timestamp::from_second(seconds).map(|at| at.to_zoned(TimeZone::UTC));
        Self(at.map(|at| at.strftime("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default())
    }

    /// Seconds since the epoch *as if* the stamp were UTC; differences between stamps of one zone are
    /// right. `None` where the text has another form (ISO with `T` is accepted).
    #[must_use]
    pub fn seconds(&self) -> Option<i64> {
        let civil: jiff::civil::DateTime = self.0.get(..19)?.replace('T', " ").parse().ok()?;
        Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
    }
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// True for a date with a time as ISO 8601 has it, with or without a zone.
#[must_use]
pub fn is_iso_8601(text: &str) -> bool {
    text.parse::<jiff::Timestamp>().is_ok() || text.parse::<jiff::civil::DateTime>().is_ok()
}

/// The moment that a text with a zone names, as `2026-01-31T09:00:00Z`.
#[must_use]
pub fn moment_of(text: &str) -> Option<SystemTime> {
    text.parse::<jiff::Timestamp>().ok().map(SystemTime::from)
}

/// Tells the time of day.
pub trait Clock: Send + Sync + fmt::Debug {
    fn now(&self) -> Stamp;

    /// Now, as the system counts it. A clock without a zone of its own shows UTC.
    fn moment(&self) -> SystemTime {
        let seconds = self.now().seconds().and_then(|seconds| u64::try_from(seconds).ok());
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.unwrap_or_default())
    }

    /// When the day began, by this clock.
    fn day_began(&self) -> SystemTime {
        const DAY: i64 = 24 * 60 * 60;
        let of_day = self.now().seconds().map_or(0, |seconds| seconds.rem_euclid(DAY));
        let of_day = Duration::from_secs(u64::try_from(of_day).unwrap_or_default());
        self.moment().checked_sub(of_day).unwrap_or(SystemTime::UNIX_EPOCH)
    }

    /// A moment, such as when a file was changed, as this clock writes it. A clock without a zone of
    /// its own writes UTC.
    fn stamp(&self, at: SystemTime) -> Stamp {
        Stamp::in_zone(at, TimeZone::UTC)
    }

    /// The time zone with this name, `None` if there is none; without a name, its own. A clock without zones has UTC alone.
    fn zone(&self, name: Option<&str>) -> Option<TimeZone> {
        name.is_none_or(|name| name == "UTC").then_some(TimeZone::UTC)
    }
}

/// Draws new ids.
pub trait IdSource: Send + Sync + fmt::Debug {
    /// `aa/bb/cccccccc`, unused so far as this source knows.
    fn dialog(&self) -> SelfId;
    fn message(&self) -> MsgId;
    /// `length` characters of `[0-9a-z]`.
    fn short(&self, length: usize) -> String;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_stamp_forms_count_the_same_seconds() {
        let ours = Stamp::new("2026-11-21 20:20:16").seconds();
        assert_eq!(ours, Stamp::new("2026-11-21T20:20:16.000Z").seconds());
        assert_eq!(Stamp::new("2026-11-21 20:20:17").seconds(), ours.map(|s| s + 1));
        assert_eq!(Stamp::new("yesterday").seconds(), None);
        let again = ours.map(Stamp::of_seconds);
        assert_eq!(again, Some(Stamp::new("2026-11-21 20:20:16")));
        assert_eq!(Stamp::of_seconds(i64::MAX), Stamp::default());
    }

    #[test]
    fn a_moment_is_written_as_the_clocks_of_a_zone_show_it() {
        let at = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(86_399);
        for (hours, expected) in [(0, "1970-01-01 23:59:59"), (8, "1970-01-02 07:59:59")] {
            let zone = TimeZone::fixed(jiff::tz::offset(hours));
            assert_eq!(Stamp::in_zone(at, zone), Stamp::new(expected));
        }
    }
}
