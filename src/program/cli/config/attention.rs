//! Settings about being called: quiet hours, the reminder, and the program that is run.

use std::time::Duration;

use serde_json::Value;

use super::report::{ConfigReport, read_number};
use crate::domain::text::{Text, localized};
use crate::platform::user_program::UserProgram;
use crate::ui::{AttentionSettings, QuietHours};

/// The most words of a command, and bytes of a word.
const MAX_WORDS: (usize, usize) = (64, 4096);

/// Reads the settings. Invalid ones count as not set: then everything rings.
pub(super) fn read(value: &Value, report: &mut ConfigReport<'_>) -> AttentionSettings {
    let minutes = value.get("remind_minutes");
    let minutes = minutes.and_then(|minutes| read_number(&["remind_minutes"], minutes, report));
    AttentionSettings {
        quiet: read_quiet(value, report),
        remind_after: minutes.map(|minutes| Duration::from_secs(minutes * 60)),
    }
}

fn read_quiet(value: &Value, report: &mut ConfigReport<'_>) -> Option<QuietHours> {
    let given = value.get("quiet_hours").filter(|given| !given.is_null())?;
    let hours = given.as_str().and_then(QuietHours::parse);
    if hours.is_none() {
        let text = localized!("{given} are no hours", "{given} 不是时间段");
        let fix = Text::new(
            "write two different times of the day: \"22:00-07:00\", or always",
            "请写一天中两个不同的时间：\"22:00-07:00\"，或 always",
        );
        report.add(&["quiet_hours"], text, fix);
    }
    hours
}

/// The words of `notify_command`; none if it is not set or invalid.
pub(super) fn read_command(value: &Value, report: &mut ConfigReport<'_>) -> Vec<String> {
    let Some(given) = value.get("notify_command").filter(|given| !given.is_null()) else {
        return Vec::new();
    };
    words_of(given).unwrap_or_else(|| {
        let text = Text::new("this is no command", "这不是命令");
        let fix = Text::new(
            "write a list of words; the first one is a name or an absolute path: [notify-send, dominds]",
            "请写成词的列表，第一个是程序名或绝对路径：[notify-send, dominds]",
        );
        report.add(&["notify_command"], text, fix);
        Vec::new()
    })
}

fn words_of(given: &Value) -> Option<Vec<String>> {
    let (words, bytes) = MAX_WORDS;
    let all = given.as_array().filter(|all| all.len() <= words)?;
    let word = |word: &Value| word.as_str().map(str::to_owned);
    let all: Vec<String> = all.iter().map(word).collect::<Option<_>>()?;
    let fits = all.iter().all(|word| word.len() <= bytes && !word.contains('\0'));
    let is_program = all.first().is_some_and(|first| UserProgram::is_name(first));
    (fits && is_program).then_some(all)
}
