//! The hours of a day in which nothing rings.

use std::time::Duration;

use crate::domain::Stamp;
use crate::user_settings::ALWAYS;

const MINUTES_OF_DAY: u64 = 24 * 60;

/// Hours of each day, in local time; they may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    /// Minutes after midnight; equal for hours that never end.
    from: u64,
    until: u64,
}

impl QuietHours {
    /// `22:00-07:00`, or `always`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == ALWAYS {
            return Some(Self { from: 0, until: 0 });
        }
        let (from, until) = text.split_once('-')?;
        let (from, until) = (minute_of_day(from.trim())?, minute_of_day(until.trim())?);
        (from != until).then_some(Self { from, until })
    }

    /// Returns the rest of the quiet hours; `None` if it is not quiet now, or the time is unknown.
    #[must_use]
    pub fn time_until_end(self, now: &Stamp) -> Option<Duration> {
        if self.from == self.until {
            return Some(Duration::from_secs(MINUTES_OF_DAY * 60));
        }
        let minute = minute_of_day(now.hour_minute())?;
        let after = |minute: u64| (minute + MINUTES_OF_DAY - self.from) % MINUTES_OF_DAY;
        let left = after(self.until).checked_sub(after(minute)).filter(|left| *left > 0)?;
        let seconds = now.as_str().get(17..19).and_then(|text| text.parse().ok()).unwrap_or(0);
        Some(Duration::from_secs((left * 60).saturating_sub(seconds).max(1)))
    }
}

/// `HH:MM` or `H:MM`.
fn minute_of_day(text: &str) -> Option<u64> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |digits: &str| -> Option<u64> {
        let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number && digits.len() <= 2)
    };
    let (hours, minutes) = (number(hours)?, number(minutes).filter(|_| minutes.len() == 2)?);
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds_until_end(hours: &str, now: &str) -> Option<u64> {
        let stamp = Stamp::new(format!("2026-11-21 {now}"));
        QuietHours::parse(hours).unwrap().time_until_end(&stamp).map(|left| left.as_secs())
    }

    #[test]
    fn it_is_quiet_from_the_first_time_until_before_the_second_also_over_midnight() {
        for (hours, now, expected) in [
            ("always", "12:00:00", Some(24 * 60 * 60)),
            ("22:00-07:00", "21:59:59", None),
            ("22:00-07:00", "22:00:00", Some(9 * 3600)),
            ("22:00-07:00", "00:00:00", Some(7 * 3600)),
            ("22:00-07:00", "06:59:30", Some(30)),
            ("22:00-07:00", "07:00:00", None),
            ("9:00 - 17:30", "08:59:00", None),
            ("9:00 - 17:30", "17:29:59", Some(1)),
            ("9:00 - 17:30", "17:30:00", None),
            ("00:00-23:59", "23:59:10", None),
        ] {
            assert_eq!(seconds_until_end(hours, now), expected, "{hours} at {now}");
        }
        let odd = Stamp::new("some day");
        assert_eq!(QuietHours::parse("22:00-07:00").unwrap().time_until_end(&odd), None);
    }

    #[test]
    fn what_is_not_two_different_times_is_refused() {
        for text in [
            "",
            "22:00",
            "22-7",
            "22:00-",
            "24:00-07:00",
            "22:60-07:00",
            "22:0-07:00",
            "+2:00-07:00",
            "22:00-22:00",
            "22:00-07:00-08:00",
            "022:00-07:00",
            "22:00–07:00",
        ] {
            assert_eq!(QuietHours::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn when_the_quiet_time_that_is_left_is_over_it_is_not_quiet(
            from in 0_u64..1440, until in 0_u64..1440, now in 0_u64..86_400,
        ) {
            prop_assume!(from != until);
            let stamp = |at: u64| {
                let at = at % 86_400;
                let (hours, minutes) = (at / 3600, at / 60 % 60);
                Stamp::new(format!("2026-11-21 {hours:02}:{minutes:02}:{:02}", at % 60))
            };
            let quiet = QuietHours { from, until };
            if let Some(left) = quiet.time_until_end(&stamp(now)) {
                prop_assert!(left.as_secs() <= 86_400);
                prop_assert_eq!(quiet.time_until_end(&stamp(now + left.as_secs())), None);
                prop_assert!(quiet.time_until_end(&stamp(now + left.as_secs() - 1)).is_some());
            }
        }
    }
}
