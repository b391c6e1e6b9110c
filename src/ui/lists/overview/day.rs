//! What the overview says of this day: how long the oldest task waits, and how many have ended.

use crate::cx::{Cx, UiSettings};
use crate::domain::teams::task::TaskStatus;
use crate::domain::teams::task::row::{MAX_ENDED_ROWS, TaskRow};
use crate::domain::text::{Text, in_lang};
use crate::domain::{Stamp, TeamName};
use crate::lists::triggers;
use crate::model::{Model, age};

const OLDEST: Text = Text::new("oldest {}", "最早的 {}");

/// How long the oldest task waits, and what has ended today.
pub(super) fn summary(ui: &UiSettings, cx: &Cx<'_>) -> impl Iterator<Item = String> {
    let oldest = oldest_queued(cx.model);
    let oldest = oldest.map(|since| ui.sentence(OLDEST, &age::short(since, cx.now)));
    let [done, failed] = ended(None, cx);
    let said =
        in_lang!(ui.lang, "today {done} done, {failed} failed", "今天完成 {done}，失败 {failed}");
    let has_ended = done != "0" || failed != "0";
    oldest.into_iter().chain(has_ended.then_some(said))
}

/// When the task that waits longest was queued; not known where some are not listed.
fn oldest_queued(model: &Model) -> Option<&Stamp> {
    let waits = |task: &&TaskRow| task.status == TaskStatus::Pending;
    let oldest = model.teams.tasks().iter().filter(waits).map(|task| &task.since).min();
    oldest.filter(|_| model.teams.not_listed(None) == 0)
}

/// How many tasks of a team, or of all, were done today and how many failed; with `+` where some may not be listed.
pub(super) fn ended(team: Option<&TeamName>, cx: &Cx<'_>) -> [String; 2] {
    let today = triggers::day(cx.now);
    let is_meant = |task: &&TaskRow| !task.status.is_open() && triggers::day(&task.since) == today;
    let ended: Vec<&TaskRow> = cx.model.teams.tasks().iter().filter(is_meant).collect();
    let more = if ended.len() < MAX_ENDED_ROWS { "" } else { "+" };
    [TaskStatus::Done, TaskStatus::Failed].map(|status| {
        let own = ended.iter().filter(|task| team.is_none_or(|team| task.team == *team));
        format!("{}{more}", own.filter(|task| task.status == status).count())
    })
}
