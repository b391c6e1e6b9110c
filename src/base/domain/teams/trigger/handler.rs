//! What makes a trigger fire: tells its next time, or whether it is meant by a message.

use std::time::SystemTime;

use croner::Cron;
use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use jiff::tz::TimeZone;

use super::window::{Tick, Window};
use super::{Message, TriggerConfig};
use crate::domain::text::{Localized, localized};

/// Most bytes of a compiled pattern.
const PATTERN_BYTES: usize = 1 << 20;

/// Why a definition cannot run.
pub type HandlerFault = Localized;

#[derive(Debug, Clone)]
pub enum Handler {
    Schedule(Box<Schedule>),
    Words(Words),
    Window(Box<Window>),
}

impl Handler {
    /// `zone` finds a time zone by its name; without one, that of the machine.
    ///
    /// # Errors
    /// What of the definition cannot be used, and why.
    pub fn of(
        config: &TriggerConfig,
        zone: impl FnOnce(Option<&str>) -> Option<TimeZone>,
    ) -> Result<Self, HandlerFault> {
        let zone = |name: &Option<String>| {
            let name = name.as_deref();
            zone(name).ok_or_else(|| {
                let name = clip(name.unwrap_or_default());
                localized!(
                    "this machine knows no time zone `{name}`; write one as Europe/Berlin",
                    "本机不认识时区 `{name}`；请写成 Europe/Berlin 这样的形式"
                )
            })
        };
        match config {
            TriggerConfig::Schedule { cron, timezone } => {
                let schedule = Schedule::new(cron, zone(timezone)?)?;
                Ok(Self::Schedule(Box::new(schedule)))
            }
            TriggerConfig::Window(config) => {
                let window = Window::new(config, zone(&config.timezone)?)?;
                Ok(Self::Window(Box::new(window)))
            }
            TriggerConfig::Keyword { pattern } => {
                let found = match expression(pattern) {
                    Some((pattern, flags)) => compiled(pattern, flags)?,
                    None => Found::Text(pattern.to_lowercase()),
                };
                Ok(Self::Words(Words { found, channel: None }))
            }
            TriggerConfig::Message { pattern, channel } => {
                let found = compiled(pattern, "")?;
                Ok(Self::Words(Words { found, channel: channel.clone() }))
            }
        }
    }

    /// The times after a moment: without an end, or none at all.
    #[must_use]
    pub fn times_after(&self, at: SystemTime) -> Box<dyn Iterator<Item = SystemTime> + '_> {
        match self {
            Self::Schedule(schedule) => {
                let next = |at: &SystemTime| schedule.next_after(*at);
                Box::new(std::iter::successors(schedule.next_after(at), next))
            }
            Self::Words(_) => Box::new(std::iter::empty()),
            Self::Window(window) => Box::new(window.ticks_after(at)),
        }
    }

    /// The next time after a moment; `None` if it is not by the clock, or never.
    #[must_use]
    pub fn next_after(&self, at: SystemTime) -> Option<SystemTime> {
        self.times_after(at).next()
    }

    /// The tick of a window at one of its times.
    #[must_use]
    pub fn tick_at(&self, at: SystemTime) -> Option<Tick> {
        self.window()?.tick_at(at)
    }

    #[must_use]
    pub fn window(&self) -> Option<&Window> {
        match self {
            Self::Schedule(_) | Self::Words(_) => None,
            Self::Window(window) => Some(window),
        }
    }

    /// True if this message makes it fire.
    #[must_use]
    pub fn is_meant(&self, message: &Message) -> bool {
        match self {
            Self::Schedule(_) | Self::Window(_) => false,
            Self::Words(words) => words.are_in(message),
        }
    }
}

/// Times of a calendar.
#[derive(Debug, Clone)]
pub struct Schedule {
    cron: Cron,
    zone: TimeZone,
}

impl Schedule {
    /// # Errors
    /// The text is no schedule.
    pub fn new(cron: &str, zone: TimeZone) -> Result<Self, HandlerFault> {
        let cron = cron.parse::<Cron>().map_err(|error| {
            let (cron, error) = (clip(cron), error.to_string());
            localized!(
                "`{cron}` is no schedule ({error}); write five fields, as `0 9 * * 1-5`",
                "`{cron}` 不是有效的时间表（{error}）；请写五个字段，如 `0 9 * * 1-5`"
            )
        })?;
        Ok(Self { cron, zone })
    }

    /// A time that a change of the clocks skips is the first one after it; one that they show twice counts once.
    #[must_use]
    pub fn next_after(&self, at: SystemTime) -> Option<SystemTime> {
        let at = jiff::Timestamp::try_from(at).ok()?.to_zoned(self.zone.clone());
        let next = self.cron.find_next_occurrence(&at, false).ok()?;
        Some(next.timestamp().into())
    }
}

/// Words that a message has to have.
#[derive(Debug, Clone)]
pub struct Words {
    found: Found,
    channel: Option<String>,
}

#[derive(Debug, Clone)]
enum Found {
    /// In lower case.
    Text(String),
    Expression(Box<RegexMatcher>),
}

impl Words {
    fn are_in(&self, message: &Message) -> bool {
        if self.channel.as_ref().is_some_and(|channel| *channel != message.channel) {
            return false;
        }
        match &self.found {
            Found::Text(text) => message.text.to_lowercase().contains(text),
            Found::Expression(expression) => {
                expression.is_match(message.text.as_bytes()).unwrap_or(false)
            }
        }
    }
}

/// The parts of `/…/flags`.
fn expression(pattern: &str) -> Option<(&str, &str)> {
    let (pattern, flags) = pattern.strip_prefix('/')?.rsplit_once('/')?;
    let is_flag = |flag: char| matches!(flag, 'i' | 'm' | 's' | 'u' | 'g');
    (!pattern.is_empty() && flags.chars().all(is_flag)).then_some((pattern, flags))
}

fn compiled(pattern: &str, flags: &str) -> Result<Found, HandlerFault> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES);
    let built = builder.build(pattern).map_err(|error| {
        let (pattern, error) = (clip(pattern), error.to_string());
        localized!(
            "`{pattern}` is no regular expression that can be used: {error}",
            "`{pattern}` 不是可用的正则表达式：{error}"
        )
    })?;
    Ok(Found::Expression(Box::new(built)))
}

fn clip(text: &str) -> String {
    const MOST: usize = 80;
    text.chars().take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::moment_of;
    use crate::samples::assert_translated;
    use crate::samples::triggers::{keyword, of};

    fn schedule(cron: &str, zone: &str) -> Schedule {
        Schedule::new(cron, TimeZone::get(zone).unwrap()).unwrap()
    }

    fn times(schedule: &Schedule, from: &str, count: usize) -> Vec<String> {
        let from = moment_of(from).unwrap();
        let all = std::iter::successors(schedule.next_after(from), |at| schedule.next_after(*at));
        let shown = all.take(count).map(|at| jiff::Timestamp::try_from(at).unwrap().to_string());
        shown.collect()
    }

    fn is_meant(config: &TriggerConfig, channel: &str, text: &str) -> bool {
        let message = Message {
            number: 1,
            id: "m".to_owned(),
            channel: channel.to_owned(),
            text: text.to_owned(),
            at: SystemTime::UNIX_EPOCH,
        };
        Handler::of(config, |_| None).unwrap().is_meant(&message)
    }

    #[test]
    fn s4_5_a_time_that_the_clocks_leave_out_is_the_first_one_after_it() {
        // On 2026-03-29 the clocks of Berlin went from 02:00 to 03:00.
        let daily = schedule("30 2 * * *", "Europe/Berlin");
        assert_eq!(
            times(&daily, "2026-03-28T00:00:00Z", 3),
            ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]
        );
    }

    #[test]
    fn s4_5_a_time_that_the_clocks_show_twice_counts_once() {
        // On 2026-10-25 they showed 02:00 to 03:00 twice.
        let daily = schedule("30 2 * * *", "Europe/Berlin");
        assert_eq!(
            times(&daily, "2026-10-24T12:00:00Z", 2),
            ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
        );
    }

    #[test]
    fn seconds_may_come_first_and_a_time_that_never_comes_is_none() {
        let fast = schedule("*/30 * * * * *", "UTC");
        assert_eq!(
            times(&fast, "2026-01-01T00:00:00Z", 2),
            ["2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"]
        );
        assert_eq!(times(&schedule("0 0 30 2 *", "UTC"), "2026-01-01T00:00:00Z", 1), [""; 0]);
    }

    #[test]
    fn words_count_in_any_case_and_an_expression_as_its_flags_say() {
        let deploy = keyword("Deploy FAILED").config;
        assert!(is_meant(&deploy, "cli", "the deploy failed again"));
        assert!(!is_meant(&deploy, "cli", "deploy has failed"));
        let flags = keyword("/^bug \\d+$/im").config;
        assert!(is_meant(&flags, "cli", "hello\nBUG 12\n"));
        assert!(!is_meant(&keyword("/^bug/").config, "cli", "BUG 12"));
        // What is no expression with its flags is words.
        assert!(is_meant(&keyword("/usr/bin").config, "cli", "in /usr/BIN it is"));
    }

    #[test]
    fn a_message_of_another_channel_is_not_meant() {
        let config = |channel: Option<&str>| TriggerConfig::Message {
            pattern: "^bug".to_owned(),
            channel: channel.map(str::to_owned),
        };
        assert!(is_meant(&config(None), "cli", "bug 3"));
        assert!(is_meant(&config(Some("ops")), "ops", "bug 3"));
        assert!(!is_meant(&config(Some("ops")), "cli", "bug 3"));
        assert!(!is_meant(&config(None), "cli", "a bug"));
    }

    #[test]
    fn what_cannot_run_says_why_in_both_languages() {
        let zone = |name: Option<&str>| name.is_none().then_some(TimeZone::UTC);
        let cron = |cron: &str, timezone: Option<&str>| TriggerConfig::Schedule {
            cron: cron.to_owned(),
            timezone: timezone.map(str::to_owned),
        };
        let large = format!("(a{{1000}}{{1000}}){}", "x");
        for (config, expected) in [
            (cron("nonsense", None), "nonsense"),
            (cron("", None), "no schedule"),
            (cron("61 * * * *", None), "61 * * * *"),
            (cron("* * * * *", Some("Mars/Base")), "Mars/Base"),
            (of(TriggerConfig::Message { pattern: "(".to_owned(), channel: None }).config, "`(`"),
            (keyword(&format!("/{large}/")).config, "regular expression"),
        ] {
            let fault = Handler::of(&config, zone).unwrap_err();
            assert_translated(&fault);
            assert!(fault.to_string().contains(expected), "{fault}");
        }
    }
}
