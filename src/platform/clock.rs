//! The time of day, in the local zone.

use std::time::SystemTime;

use jiff::tz::TimeZone;

use crate::domain::{Clock, Stamp};

#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Stamp {
        #[expect(clippy::disallowed_methods, reason = "this is the clock")]
        let now = jiff::Zoned::now();
        Stamp::new(now.strftime("%Y-%m-%d %H:%M:%S").to_string())
    }

    fn moment(&self) -> SystemTime {
        #[expect(clippy::disallowed_methods, reason = "this is the clock")]
        SystemTime::now()
    }

    fn stamp(&self, at: SystemTime) -> Stamp {
        Stamp::in_zone(at, TimeZone::system())
    }

    fn zone(&self, name: Option<&str>) -> Option<TimeZone> {
        name.map_or_else(|| Some(TimeZone::system()), |name| TimeZone::get(name).ok())
    }
}
