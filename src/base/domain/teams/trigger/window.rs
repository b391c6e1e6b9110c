//! Windows: spans of time that come again and again, in which a trigger fires every so often.

use std::time::{Duration, SystemTime};

use croner::Cron;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _, Zoned};
use serde::{Deserialize, Serialize};

use super::handler::HandlerFault;
use crate::domain::text::{Text, localized};

/// Time between two ticks, unless a definition says otherwise.
pub const DEFAULT_INTERVAL_MS: u64 = 30_000;
/// The shortest and the longest interval, in milliseconds.
pub const INTERVAL_MS: (u64, u64) = (1_000, 24 * 60 * 60 * 1_000);
/// No window is ever open for this long, also when the clocks go back.
const LONGER_THAN_ANY: Duration = Duration::from_hours(26);
/// Openings in a row that are looked at for a tick, or for a time at which the window is open at all.
const MOST_OPENINGS: usize = 500;
/// Openings whose lengths are compared.
const SOME_OPENINGS: usize = 50;

/// When a window is open, and how often it ticks, as a definition says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowConfig {
    /// A schedule that is read as a span of time, as `30 9-16 * * 1-5`: from 09:30 to 16:00.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch_window: Option<String>,
    /// As `09:30`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<String>,
    /// As `16:00`; on the next day if that is not after `open`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close: Option<String>,
    /// The days of the week on which it opens, as `mon-fri`; every day if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<String>,
    /// As `Europe/Berlin`; that of the machine if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    #[serde(default = "default_interval")]
    pub tick_interval_ms: u64,
    /// Ticks of one opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ticks_per_window: Option<u32>,
    /// Tokens that the tasks of one opening use; the one that passes the limit ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens_per_window: Option<u64>,
}

fn default_interval() -> u64 {
    DEFAULT_INTERVAL_MS
}

impl WindowConfig {
    #[must_use]
    pub fn limits(&self) -> OpeningLimits {
        OpeningLimits { ticks: self.max_ticks_per_window, tokens: self.max_tokens_per_window }
    }

    /// When it is open, in a few words.
    #[must_use]
    pub fn when(&self) -> String {
        match (&self.watch_window, &self.open, &self.close) {
            (Some(cron), ..) => cron.clone(),
            (None, Some(open), Some(close)) => {
                let days = self.days.as_deref().unwrap_or_default();
                format!("{open}-{close} {days}").trim_end().to_owned()
            }
            (None, ..) => String::new(),
        }
    }
}

/// The limits of one opening.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpeningLimits {
    pub ticks: Option<u32>,
    pub tokens: Option<u64>,
}

impl OpeningLimits {
    /// True if these ticks or tokens use up a limit.
    #[must_use]
    pub fn are_reached(&self, ticks: u32, tokens: u64) -> bool {
        self.ticks.is_some_and(|most| ticks >= most)
            || self.tokens.is_some_and(|most| tokens >= most)
    }
}

/// One tick: the opening it belongs to, and its number within that, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    pub opening: SystemTime,
    pub number: u64,
}

/// A window, ready to be asked.
#[derive(Debug, Clone)]
pub struct Window {
    form: Form,
    zone: TimeZone,
    interval: Duration,
}

#[derive(Debug, Clone)]
enum Form {
    /// It opens at the times of a schedule, and closes at this time of that day, or of the next one.
    Fixed { opening: Cron, close: Time, next_day: bool },
    /// It is open in the hours that begin at the times of a schedule.
    Hours(Cron),
}

/// One time at which a window is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Opening {
    from: Timestamp,
    until: Timestamp,
}

impl Window {
    /// # Errors
    /// It cannot be said when it is open, or it never ticks.
    pub fn new(config: &WindowConfig, zone: TimeZone) -> Result<Self, HandlerFault> {
        let form = match (&config.watch_window, &config.open, &config.close) {
            (Some(cron), None, None) if config.days.is_none() => span_of(cron)?,
            (None, Some(open), Some(close)) => between(open, close, config.days.as_deref())?,
            _ => {
                return Err(Text::new(
                    "give either `watch_window`, as `30 9-16 * * 1-5`, or `open` and `close`, as `09:30`, with `days`",
                    "请给出 `watch_window`（如 `30 9-16 * * 1-5`），或给出 `open` 和 `close`（如 `09:30`）以及 `days`",
                )
                .into());
            }
        };
        let window = Self { form, zone, interval: Duration::from_millis(config.tick_interval_ms) };
        if let Some(length) = window.longest().filter(|length| *length <= window.interval) {
            let (every, minutes) = (config.tick_interval_ms, length.as_secs() / 60);
            return Err(localized!(
                "no tick fits: `tick_interval_ms` is {every}, and the window is open for {minutes} minutes",
                "容不下一次检查：`tick_interval_ms` 为 {every}，而窗口只开放 {minutes} 分钟"
            ));
        }
        Ok(window)
    }

    /// The longest of some openings from January on; `None` if it never opens.
    fn longest(&self) -> Option<Duration> {
        let start = jiff::civil::date(2026, 1, 1).to_zoned(self.zone.clone()).ok()?;
        let some = self.openings(start.timestamp().into()).take(SOME_OPENINGS);
        some.filter_map(|one| one.until.duration_since(one.from).try_into().ok()).max()
    }

    /// Openings from `at` on, including one that is under way.
    fn openings(&self, at: SystemTime) -> impl Iterator<Item = Opening> {
        let at = Timestamp::try_from(at).ok();
        let start = at.and_then(|at| at.checked_sub(LONGER_THAN_ANY).ok());
        let mut last = start.map(|start| start.to_zoned(self.zone.clone()));
        let all = std::iter::from_fn(move || {
            let (opening, newest) = self.opening_after(last.as_ref()?)?;
            last = Some(newest);
            Some(opening)
        });
        let all = all.take(MOST_OPENINGS).filter(|opening| opening.from < opening.until);
        all.skip_while(move |opening| at.is_none_or(|at| opening.until <= at))
    }

    /// The next time at which it is open, and from where on to look for the one after it.
    fn opening_after(&self, at: &Zoned) -> Option<(Opening, Zoned)> {
        match &self.form {
            Form::Fixed { opening, close, next_day } => {
                let from = opening.find_next_occurrence(at, false).ok()?;
                let day = if *next_day { from.date().tomorrow().ok()? } else { from.date() };
                let until = day.to_datetime(*close).to_zoned(self.zone.clone()).ok()?;
                let opening = Opening { from: from.timestamp(), until: until.timestamp() };
                Some((opening, from))
            }
            Form::Hours(hours) => {
                let mut last = hours.find_next_occurrence(at, false).ok()?;
                let from = last.timestamp();
                let mut until = self.end_of_hour(&last)?;
                while let Ok(next) = hours.find_next_occurrence(&last, false)
                    && next.timestamp() <= until
                {
                    until = self.end_of_hour(&next)?;
                    last = next;
                }
                Some((Opening { from, until }, last))
            }
        }
    }

    /// When the next hour of the clock begins.
    fn end_of_hour(&self, hour: &Zoned) -> Option<Timestamp> {
        let next = hour.datetime().checked_add(1.hour()).ok()?;
        Some(next.to_zoned(self.zone.clone()).ok()?.timestamp())
    }

    /// The times of its ticks after a moment.
    pub fn ticks_after(&self, at: SystemTime) -> impl Iterator<Item = SystemTime> {
        self.openings(at).flat_map(move |opening| {
            let (from, until) = (SystemTime::from(opening.from), SystemTime::from(opening.until));
            let next = at.duration_since(from).map_or(1, |since| self.ticks_in(since) + 1);
            (next..).map_while(move |number| {
                let after = self.interval.checked_mul(u32::try_from(number).ok()?)?;
                from.checked_add(after).filter(|tick| *tick < until)
            })
        })
    }

    /// The first tick of the opening after the one at this moment.
    #[must_use]
    pub fn next_first_tick(&self, at: SystemTime) -> Option<SystemTime> {
        let is_now = |opening: &Opening| SystemTime::from(opening.from) <= at;
        let next = self.openings(at).find(|opening| !is_now(opening))?;
        self.ticks_after(next.from.into()).next()
    }

    fn ticks_in(&self, time: Duration) -> u64 {
        let interval = self.interval.as_millis().max(1);
        u64::try_from(time.as_millis() / interval).unwrap_or(u64::MAX)
    }

    /// The tick at this moment, which is one of [`Self::ticks_after`].
    #[must_use]
    pub fn tick_at(&self, at: SystemTime) -> Option<Tick> {
        let opening = self.opening_at(at)?;
        let number = at.duration_since(opening).map_or(0, |since| self.ticks_in(since));
        Some(Tick { opening, number })
    }

    /// Since when it is open at this moment.
    #[must_use]
    pub fn opening_at(&self, at: SystemTime) -> Option<SystemTime> {
        let opening = self.openings(at).next()?;
        Some(SystemTime::from(opening.from)).filter(|from| *from <= at)
    }
}

/// The span of time that a schedule of five fields is read as.
fn span_of(cron: &str) -> Result<Form, HandlerFault> {
    let refused = || {
        let cron: String = cron.chars().take(80).collect();
        localized!(
            "`watch_window` `{cron}` is no span of time; give open, close and days",
            "`watch_window` `{cron}` 不表示一段时间；请给出 open、close 和 days"
        )
    };
    let fields: Vec<&str> = cron.split_whitespace().collect();
    let [minute, hours, day, month, weekday] = fields[..] else { return Err(refused()) };
    let days = format!("{day} {month} {weekday}");
    let parsed = |hours: &str, days: &str| format!("0 {hours} {days}").parse::<Cron>().ok();
    if minute == "*" {
        let all_days = parsed(hours, "* * *").ok_or_else(refused)?;
        // One that is open all day opens anew each day.
        if is_whole_day(&all_days) {
            let opening = parsed("0", &days).ok_or_else(refused)?;
            return Ok(Form::Fixed { opening, close: Time::midnight(), next_day: true });
        }
        return Ok(Form::Hours(parsed(hours, &days).ok_or_else(refused)?));
    }
    let number = |text: &str| text.parse::<i8>().ok();
    let (from, until) = hours.split_once('-').ok_or_else(refused)?;
    let (from, until) = number(from).zip(number(until)).ok_or_else(refused)?;
    let minute = number(minute).filter(|minute| (0..60).contains(minute)).ok_or_else(refused)?;
    if from >= until {
        return Err(refused());
    }
    let close = Time::new(until, 0, 0, 0).map_err(|_| refused())?;
    let opening = format!("{minute} {from} {days}").parse::<Cron>().map_err(|_| refused())?;
    Ok(Form::Fixed { opening, close, next_day: false })
}

/// True if the hours of a schedule are all there are.
fn is_whole_day(hours: &Cron) -> bool {
    let day = jiff::civil::date(2026, 1, 1);
    let matches = |hour| {
        let at = day.at(hour, 0, 0, 0).to_zoned(TimeZone::UTC).ok();
        at.is_some_and(|at| hours.is_time_matching(&at).unwrap_or(false))
    };
    (0..24).all(matches)
}

/// From one time of the day to another.
fn between(open: &str, close: &str, days: Option<&str>) -> Result<Form, HandlerFault> {
    let time = |key: &'static str, text: &str| {
        // The end of a day is the beginning of the next one.
        let read =
            if text == "24:00" { Ok(Time::midnight()) } else { Time::strptime("%H:%M", text) };
        read.map_err(|_| {
            let text: String = text.chars().take(80).collect();
            localized!(
                "`{key}` must be a time of the day as `09:30`, not `{text}`",
                "`{key}` 必须是一天中的时刻，如 `09:30`，而不是 `{text}`"
            )
        })
    };
    let (from, until) = (time("open", open)?, time("close", close)?);
    if from == until && close != "24:00" {
        return Err(Text::new(
            "`open` and `close` are the same; a whole day is from `00:00` to `24:00`",
            "`open` 与 `close` 相同；全天请写 `00:00` 到 `24:00`",
        )
        .into());
    }
    let days = days.unwrap_or("*");
    let opening = format!("{} {} * * {days}", from.minute(), from.hour());
    let opening = opening.parse::<Cron>().ok().filter(|_| days.split_whitespace().count() == 1);
    let opening = opening.ok_or_else(|| {
        let days: String = days.chars().take(80).collect();
        localized!(
            "`days` must be days of the week as `mon-fri` or `sat,sun`, not `{days}`",
            "`days` 必须是星期，如 `mon-fri` 或 `sat,sun`，而不是 `{days}`"
        )
    })?;
    Ok(Form::Fixed { opening, close: until, next_day: until <= from })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::time::moment_of;
    use crate::samples::assert_translated;
    use crate::samples::triggers::watching;

    fn every(minutes: u64, config: WindowConfig) -> WindowConfig {
        WindowConfig { tick_interval_ms: minutes * 60_000, ..config }
    }

    fn open(open: &str, close: &str, days: Option<&str>) -> WindowConfig {
        WindowConfig {
            watch_window: None,
            open: Some(open.to_owned()),
            close: Some(close.to_owned()),
            days: days.map(str::to_owned),
            ..watching("")
        }
    }

    fn window(config: &WindowConfig, zone: &str) -> Window {
        Window::new(config, TimeZone::get(zone).unwrap()).unwrap()
    }

    fn shown(at: SystemTime) -> String {
        Timestamp::try_from(at).unwrap().to_string()
    }

    fn ticks(window: &Window, from: &str, count: usize) -> Vec<String> {
        window.ticks_after(moment_of(from).unwrap()).take(count).map(shown).collect()
    }

    /// When a window opens and closes, so many times.
    fn openings(config: &WindowConfig, zone: &str, from: &str, count: usize) -> Vec<String> {
        let window = window(config, zone);
        let all = window.openings(moment_of(from).unwrap()).take(count);
        all.map(|opening| format!("{} {}", opening.from, opening.until)).collect()
    }

    #[test]
    fn s19_4_the_hours_of_a_schedule_are_a_span_and_the_first_tick_is_after_its_opening() {
        // 2026-11-27 is a Friday.
        let window = window(&watching("30 9-16 * * 1-5"), "UTC");
        assert_eq!(
            ticks(&window, "2026-11-27T00:00:00Z", 2),
            ["2026-11-27T09:30:30Z", "2026-11-27T09:31:00Z"]
        );
        assert_eq!(ticks(&window, "2026-11-27T15:59:29Z", 1), ["2026-11-27T15:59:30Z"]);
        // None when it closes, and none on Saturday and Sunday.
        assert_eq!(ticks(&window, "2026-11-27T15:59:30Z", 1), ["2026-11-30T09:30:30Z"]);
        let tick = window.tick_at(moment_of("2026-11-27T09:31:00Z").unwrap()).unwrap();
        assert_eq!((shown(tick.opening).as_str(), tick.number), ("2026-11-27T09:30:00Z", 2));
    }

    #[test]
    fn it_is_open_from_its_opening_until_it_closes() {
        let window = window(&watching("30 9-16 * * 1-5"), "UTC");
        let opening = |at: &str| window.opening_at(moment_of(at).unwrap()).map(shown);
        assert_eq!(opening("2026-11-27T09:29:59Z"), None);
        assert_eq!(opening("2026-11-27T09:30:00Z").as_deref(), Some("2026-11-27T09:30:00Z"));
        assert_eq!(opening("2026-11-27T15:59:59Z").as_deref(), Some("2026-11-27T09:30:00Z"));
        assert_eq!(opening("2026-11-27T16:00:00Z"), None);
        assert_eq!(opening("2026-11-28T10:00:00Z"), None);
        for at in ["2026-11-27T10:00:00Z", "2026-11-27T16:00:00Z"] {
            let next = window.next_first_tick(moment_of(at).unwrap()).map(shown);
            assert_eq!(next.as_deref(), Some("2026-11-30T09:30:30Z"));
        }
    }

    #[test]
    fn every_minute_of_some_hours_is_one_span_also_over_midnight() {
        let from = "2026-11-27T00:00:00Z";
        for (cron, expected) in [
            ("* 9-16 * * *", "2026-11-27T09:00:00Z 2026-11-27T17:00:00Z"),
            ("* 9,10,12 * * *", "2026-11-27T09:00:00Z 2026-11-27T11:00:00Z"),
            ("* 0-3,22,23 * * *", "2026-11-26T22:00:00Z 2026-11-27T04:00:00Z"),
        ] {
            assert_eq!(openings(&watching(cron), "UTC", from, 1), [expected], "{cron}");
        }
        // One that is open all day opens anew each day.
        for cron in ["* * * * *", "* 0-23 * * *", "* */1 * * *"] {
            let days = openings(&watching(cron), "UTC", from, 2);
            let expected = [
                "2026-11-27T00:00:00Z 2026-11-28T00:00:00Z",
                "2026-11-28T00:00:00Z 2026-11-29T00:00:00Z",
            ];
            assert_eq!(days, expected, "{cron}");
        }
    }

    #[test]
    fn from_one_time_to_another_may_go_over_midnight() {
        let from = "2026-11-27T12:00:00Z";
        for (config, expected) in [
            (open("09:30", "16:00", None), "2026-11-27T09:30:00Z 2026-11-27T16:00:00Z"),
            (open("22:00", "06:00", Some("fri")), "2026-11-27T22:00:00Z 2026-11-28T06:00:00Z"),
            (open("00:00", "24:00", Some("sat,sun")), "2026-11-28T00:00:00Z 2026-11-29T00:00:00Z"),
            (open("13:00", "24:00", None), "2026-11-27T13:00:00Z 2026-11-28T00:00:00Z"),
        ] {
            assert_eq!(openings(&config, "UTC", from, 1), [expected], "{config:?}");
        }
    }

    #[test]
    fn s19_4_both_changes_of_the_clocks_leave_a_window_one_span() {
        // On 2026-03-29 the clocks of Berlin went from 02:00 to 03:00, on 2026-10-25 they showed 02:00 to 03:00 twice.
        let (spring, autumn) = ("2026-03-29T00:00:00Z", "2026-10-25T00:00:00Z");
        for (cron, from, expected) in [
            ("* 1-4 * * *", spring, "2026-03-29T00:00:00Z 2026-03-29T03:00:00Z"),
            ("* 1-4 * * *", autumn, "2026-10-24T23:00:00Z 2026-10-25T04:00:00Z"),
            ("30 1-4 * * *", spring, "2026-03-29T00:30:00Z 2026-03-29T02:00:00Z"),
            ("30 1-4 * * *", autumn, "2026-10-24T23:30:00Z 2026-10-25T03:00:00Z"),
            ("30 2-4 * * *", spring, "2026-03-29T01:00:00Z 2026-03-29T02:00:00Z"),
            ("30 2-4 * * *", autumn, "2026-10-25T00:30:00Z 2026-10-25T03:00:00Z"),
        ] {
            let found = openings(&watching(cron), "Europe/Berlin", from, 1);
            assert_eq!(found, [expected], "{cron} {from}");
        }
    }

    #[test]
    fn s19_4_what_is_no_span_is_refused_and_says_what_to_write() {
        let none = WindowConfig { watch_window: None, ..watching("") };
        let both = WindowConfig { open: Some("09:00".to_owned()), ..watching("30 9-16 * * *") };
        let days = WindowConfig { days: Some("fri".to_owned()), ..watching("30 9-16 * * *") };
        for (config, expected) in [
            (watching("nonsense"), "give open, close and days"),
            (watching("30 9 * * *"), "give open, close and days"),
            (watching("30 9-16/2 * * *"), "give open, close and days"),
            (watching("30 16-9 * * *"), "give open, close and days"),
            (watching("30 9-24 * * *"), "give open, close and days"),
            (watching("60 9-16 * * *"), "give open, close and days"),
            (watching("-1 9-16 * * *"), "give open, close and days"),
            (watching("0,30 9-16 * * *"), "give open, close and days"),
            (watching("*/5 9-16 * * *"), "give open, close and days"),
            (watching("0 30 9-16 * * *"), "give open, close and days"),
            (watching("30 9-16 * * mars"), "give open, close and days"),
            (none, "`open` and `close`"),
            (both, "`open` and `close`"),
            (days, "`open` and `close`"),
            (open("9 o'clock", "16:00", None), "`open`"),
            (open("09:00", "25:00", None), "`close`"),
            (open("09:00", "09:00", None), "the same"),
            (open("09:00", "10:00", Some("* *")), "`days`"),
            (open("09:00", "10:00", Some("funday")), "`days`"),
            (every(60, open("09:00", "10:00", None)), "no tick fits"),
            (every(480, watching("* 9-16 * * *")), "no tick fits"),
        ] {
            let fault = Window::new(&config, TimeZone::UTC).unwrap_err();
            assert_translated(&fault);
            assert!(fault.to_string().contains(expected), "{config:?}: {fault}");
        }
        for fits in [every(59, open("09:00", "10:00", None)), every(479, watching("* 9-16 * * *"))]
        {
            assert!(Window::new(&fits, TimeZone::UTC).is_ok(), "{fits:?}");
        }
    }

    #[test]
    fn a_window_that_never_opens_never_ticks() {
        let never = window(&watching("30 9-16 30 2 *"), "UTC");
        assert_eq!(ticks(&never, "2026-01-01T00:00:00Z", 1), [""; 0]);
        assert_eq!(never.opening_at(moment_of("2026-01-01T10:00:00Z").unwrap()), None);
    }

    proptest! {
        #[test]
        fn every_tick_is_in_an_opening_and_a_whole_number_of_intervals_after_it(
            from in 0_u32..24, hours in 1_u32..24, minute in 0_u32..60, seconds in 1_u64..600, start in 0_i64..31_536_000,
            zone in prop::sample::select(vec!["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
        ) {
            let close = (from + hours) % 24;
            let config = WindowConfig {
                tick_interval_ms: seconds * 1_000,
                ..open(&format!("{from:02}:{minute:02}"), &format!("{close:02}:{minute:02}"), None)
            };
            let window = window(&config, zone);
            let start = SystemTime::from(Timestamp::from_second(1_767_225_600 + start).unwrap());
            let mut last = start;
            for at in window.ticks_after(start).take(20) {
                prop_assert!(at > last);
                let tick = window.tick_at(at).unwrap();
                let number = u32::try_from(tick.number).unwrap();
                prop_assert!(number > 0);
                prop_assert_eq!(tick.opening + Duration::from_secs(seconds) * number, at);
                prop_assert_eq!(window.opening_at(at), Some(tick.opening));
                // Nothing lies between two ticks.
                let next = window.ticks_after(last).next();
                prop_assert_eq!(next, Some(at));
                last = at;
            }
            prop_assert!(last > start);
        }
    }
}
