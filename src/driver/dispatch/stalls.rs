//! The scan for tasks that wait or run for too long.

use std::collections::BTreeMap;

use crate::domain::news::{NewNotice, NewsKind};
use crate::domain::org::Org;
use crate::domain::stall::{Stall, StallLevel};
use crate::domain::task::{Cause, HandoffRule, NewTask, Overlap, Priority, TaskKind};
use crate::domain::text::in_lang;
use crate::domain::title::short_headline;
use crate::domain::{AgentId, Lang, Stamp, TeamName};
use crate::driver::texts::Texts;
use crate::tools::StallNews;

/// Most characters of what a task is about, in an item.
const MAX_HEADLINE: usize = 80;
/// Tasks that an item names.
const MAX_NAMED: usize = 10;
/// A task is given to the team above once a day.
const ONCE_A_DAY: HandoffRule =
    HandoffRule { dedup_seconds: 24 * 60 * 60, rate: u32::MAX, per_seconds: 1 };

/// One item for each team that has tasks which stall. Where nobody is above, what stalls for too long is a failure.
pub fn news(stalls: &[Stall], org: &Org, lang: Lang) -> Vec<StallNews> {
    let mut teams: BTreeMap<&TeamName, Vec<&Stall>> = BTreeMap::new();
    for stall in stalls {
        teams.entry(&stall.task.team).or_default().push(stall);
    }
    let item = |(name, stalls): (&TeamName, Vec<&Stall>)| {
        let team = org.team(name);
        let is_top = team.is_none_or(|team| team.parent.is_none());
        let is_error = stalls.iter().any(|stall| stall.level == StallLevel::Error);
        let lead = team.and_then(|team| team.lead.clone());
        let oldest = stalls.first().map_or("", |stall| stall.task.id.as_str());
        let count = stalls.len();
        let title = in_lang!(
            lang,
            "[{name}] {count} of its tasks wait or run for too long",
            "[{name}] 有 {count} 个任务等待或运行过久"
        );
        let from = (lead.unwrap_or_else(|| AgentId::new(name.as_str())), name.clone());
        // Whoever has dismissed it is told again when another task is the oldest.
        let mut notice = NewNotice::of_team(from, &format!("stall {oldest}"), title);
        notice.body = stalls.iter().take(MAX_NAMED).map(|stall| line(stall, lang)).collect();
        StallNews {
            team: name.clone(),
            kind: if is_top && is_error { NewsKind::Failure } else { NewsKind::Notice },
            notice,
            count: u32::try_from(count).unwrap_or(u32::MAX),
        }
    };
    teams.into_iter().map(item).collect()
}

/// A task in one line, with what can be done about it.
fn line(stall: &Stall, lang: Lang) -> String {
    let Stall { task, age, .. } = stall;
    let (id, status, hours) = (task.id.short(), task.status.name(), age.as_secs() / 3_600);
    let about = short_headline(&task.text, MAX_HEADLINE);
    in_lang!(
        lang,
        "- {id} {status} for {hours} h: {about} (`task show {id}`, `task cancel {id}`)\n",
        "- {id} {status} 已 {hours} 小时：{about}（`task show {id}`、`task cancel {id}`）\n"
    )
}

/// The task for the team above about one that stalls for too long; `None` where nobody is above.
pub fn escalation(stall: &Stall, org: &Org, (day, texts): (&Stamp, Texts)) -> Option<NewTask> {
    let task = &stall.task;
    if stall.level < StallLevel::Error {
        return None;
    }
    let parent = org.team(org.team(&task.team)?.parent.as_ref()?)?;
    let day: String = day.as_str().chars().take(10).collect();
    let cause = Cause { root_correlation: task.root_correlation.clone(), depth: task.depth };
    Some(NewTask {
        priority: Priority::High,
        correlation: Some(format!("stall:{}:{day}", task.id)),
        cause: Some(cause),
        from: Some(task.team.clone()),
        once: Some(ONCE_A_DAY),
        overlap: Overlap::Allow,
        ..parent.new_task(TaskKind::Escalation, texts.stalls(task, stall.age))
    })
}
