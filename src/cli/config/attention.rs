//! Settings about being called: quiet hours and the reminder.

use std::time::Duration;

use serde_json::Value;

use super::{ConfigReport, read_number};
use crate::domain::text::{Text, localized};
use crate::ui::{AttentionSettings, QuietHours};

/// What is invalid is as if it were not set: then everything rings.
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
            "write two different times of the day: \"22:00-07:00\"",
            "请写一天中两个不同的时间：\"22:00-07:00\"",
        );
        report.add(&["quiet_hours"], text, fix);
    }
    hours
}
