//! Short texts for ages and durations.

use crate::domain::Stamp;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Whole seconds from `then` to `now`; `None` where a stamp is not a time.
pub fn seconds_since(then: &Stamp, now: &Stamp) -> Option<u64> {
    Some(u64::try_from(now.seconds()? - then.seconds()?).unwrap_or(0))
}

/// `12s`, `2m`, `1h`, `3d`; empty where a stamp is not a time.
pub fn short(then: &Stamp, now: &Stamp) -> String {
    let Some(seconds) = seconds_since(then, now) else {
        return String::new();
    };
    match seconds {
        ..MINUTE => format!("{seconds}s"),
        MINUTE..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => format!("{}h", seconds / HOUR),
        DAY.. => format!("{}d", seconds / DAY),
    }
}

/// `12 s`, `2 min`, `1 h`: for sentences.
pub fn long(seconds: u64) -> String {
    match seconds {
        ..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR.. => format!("{} h", seconds / HOUR),
    }
}

/// `12 s`, `3 min 12 s`, `2 h 5 min`, `3 d 4 h`: for sentences that need it exactly.
pub fn exact(seconds: u64) -> String {
    let (large, small) = match seconds {
        ..MINUTE => return long(seconds),
        MINUTE..HOUR => ((seconds / MINUTE, "min"), (seconds % MINUTE, "s")),
        HOUR..DAY => ((seconds / HOUR, "h"), (seconds % HOUR / MINUTE, "min")),
        DAY.. => ((seconds / DAY, "d"), (seconds % DAY / HOUR, "h")),
    };
    match small {
        (0, _) => format!("{} {}", large.0, large.1),
        (rest, unit) => format!("{} {} {rest} {unit}", large.0, large.1),
    }
}

/// `0:42`, `1:02:03`.
pub fn clock(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / HOUR, seconds % HOUR / MINUTE, seconds % MINUTE);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{rest:02}")
    } else {
        format!("{minutes}:{rest:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_one_unit() {
        let now = Stamp::new("2026-11-21 12:00:00");
        for (then, expected) in [
            ("2026-11-21 11:59:48", "12s"),
            ("2026-11-21 11:58:00", "2m"),
            ("2026-11-21 10:59:59", "1h"),
            ("2026-11-18 10:00:00", "3d"),
            ("2026-11-21 13:00:00", "0s"),
            ("soon", ""),
        ] {
            assert_eq!(short(&Stamp::new(then), &now), expected, "{then}");
        }
        for (seconds, expected) in [
            (12, "12 s"),
            (180, "3 min"),
            (192, "3 min 12 s"),
            (7_500, "2 h 5 min"),
            (273_600, "3 d 4 h"),
        ] {
            assert_eq!(exact(seconds), expected);
        }
        assert_eq!((clock(42), clock(3723)), ("0:42".to_owned(), "1:02:03".to_owned()));
    }
}
