//! The scan for tasks that wait or run for too long, and for active triggers that cannot run.

use std::collections::BTreeMap;

use crate::domain::news::{NewNotice, NewsKind};
use crate::domain::org::Org;
use crate::domain::stall::{Stall, StallLevel};
use crate::domain::task::{Cause, HandoffRule, NewTask, Overlap, Priority, TaskKind, TaskStatus};
use crate::domain::text::in_lang;
use crate::domain::title::short_headline;
use crate::domain::trigger::row::{TriggerRow, rows};
use crate::domain::trigger::{TriggerId, TriggerState};
use crate::domain::{AgentId, Clock, Lang, Stamp, TaskId, TeamName};
use crate::driver::texts::Texts;
use crate::minds::HiveConfig;
use crate::tools::{StallNews, TasksView};

/// Most characters of what a task is about, in an item.
const MAX_HEADLINE: usize = 80;
/// Tasks that an item names.
const MAX_NAMED: usize = 10;
/// A task is given to the team above once a day.
const ONCE_A_DAY: HandoffRule =
    HandoffRule { dedup_seconds: 24 * 60 * 60, rate: u32::MAX, per_seconds: 1 };

/// Active triggers that never fire as they are.
pub fn broken_triggers(view: &TasksView, hive: &HiveConfig, clock: &dyn Clock) -> Vec<TriggerRow> {
    let mut rows = rows(hive.triggers(), &view.triggers, clock);
    rows.retain(|row| row.state == TriggerState::Active && !row.is_running());
    rows
}

/// What stalled.
#[derive(Debug)]
pub enum Stalled {
    /// A task, in this state.
    Task(TaskId, TaskStatus),
    /// An active trigger that cannot run.
    Trigger(TriggerId),
}

impl Stalled {
    /// True as long as nothing says that it stalls no more.
    pub fn is_still(&self, view: &TasksView) -> bool {
        match self {
            // What is not listed is behind many others.
            Self::Task(id, status) => {
                view.listed.iter().find(|row| row.id == *id).is_none_or(|row| row.status == *status)
            }
            Self::Trigger(id) => {
                let mut active =
                    view.triggers.iter().filter(|one| one.state == TriggerState::Active);
                active.any(|one| one.id == *id)
            }
        }
    }
}

/// What is remembered of a scan.
pub fn found(stalls: &[Stall], broken: &[TriggerRow]) -> Vec<Stalled> {
    let tasks = stalls.iter().map(|one| Stalled::Task(one.task.id.clone(), one.task.status));
    tasks.chain(broken.iter().map(|row| Stalled::Trigger(row.id()))).collect()
}

/// One item for each team that has tasks which stall, or active triggers that cannot run. Where nobody is above, a task that
/// stalls for too long is a failure.
pub fn news(
    stalls: &[Stall],
    broken: &[TriggerRow],
    view: &TasksView,
    (org, lang): (&Org, Lang),
) -> Vec<StallNews> {
    let mut teams: BTreeMap<&TeamName, (Vec<&Stall>, Vec<&TriggerRow>)> = BTreeMap::new();
    for stall in stalls {
        teams.entry(&stall.task.team).or_default().0.push(stall);
    }
    for trigger in broken {
        teams.entry(&trigger.team).or_default().1.push(trigger);
    }
    let item = |(name, (stalls, broken)): (&TeamName, (Vec<&Stall>, Vec<&TriggerRow>))| {
        let team = org.team(name);
        let is_top = team.is_none_or(|team| team.parent.is_none());
        let is_error = stalls.iter().any(|stall| stall.level == StallLevel::Error);
        let lead = team.and_then(|team| team.lead.clone());
        let oldest = stalls.first().map(|stall| stall.task.id.as_str());
        let oldest = oldest.or(broken.first().map(|row| row.name.as_str())).unwrap_or_default();
        let (count, triggers) = (stalls.len(), broken.len());
        let title = if stalls.is_empty() {
            in_lang!(
                lang,
                "[{name}] {triggers} of its active triggers cannot run",
                "[{name}] 有 {triggers} 个已启用的触发器无法运行"
            )
        } else {
            in_lang!(
                lang,
                "[{name}] {count} of its tasks wait or run for too long",
                "[{name}] 有 {count} 个任务等待或运行过久"
            )
        };
        let from = (lead.unwrap_or_else(|| AgentId::new(name.as_str())), name.clone());
        // Whoever has dismissed it is told again when another task is the oldest.
        let mut notice = NewNotice::of_team(from, &format!("stall {oldest}"), title);
        let tasks = stalls.iter().take(MAX_NAMED).map(|stall| line(stall, lang));
        let triggers = broken.iter().take(MAX_NAMED).map(|row| trigger_line(row, lang));
        // Of a store that is shared.
        let is_hosted = view.sharing.is_none() || view.boxes_of(name).next().is_some();
        let nobody = (!is_hosted).then(|| nobody_line(lang));
        notice.body = tasks.chain(triggers).chain(nobody).collect();
        StallNews {
            team: name.clone(),
            kind: if is_top && is_error { NewsKind::Failure } else { NewsKind::Notice },
            notice,
            count: u32::try_from(count + broken.len()).unwrap_or(u32::MAX),
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

/// What is said of a team for which no box works.
fn nobody_line(lang: Lang) -> String {
    in_lang!(
        lang,
        "- no box works for this team now: start the program where its files are (`health` lists the boxes)\n",
        "- 目前没有机器为该团队工作：请在有其文件的机器上启动程序（`health` 列出各机器）\n"
    )
}

/// A trigger in one line, with what can be done about it.
fn trigger_line(row: &TriggerRow, lang: Lang) -> String {
    let (id, name) = (row.id(), &row.name);
    let why = row.fault.as_ref().map_or_else(
        || in_lang!(lang, "its file cannot be used", "它的文件无法使用"),
        |fault| fault.in_lang(lang).to_owned(),
    );
    let team = &row.team;
    in_lang!(
        lang,
        "- trigger {id} is active and cannot run: {why} (`trigger show {team} {name}`)\n",
        "- 触发器 {id} 已启用但无法运行：{why}（`trigger show {team} {name}`）\n"
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::domain::task::Task;
    use crate::tools::Sharing;

    #[test]
    fn p2_of_tasks_that_wait_it_is_said_that_no_box_works_for_their_team() {
        let task: Task = serde_json::from_value(serde_json::json!({
            "id": "task-0001", "team": "qa", "kind": "delegate", "priority": "normal", "status": "pending",
            "blockReason": null, "text": "run the tests", "member": null, "maxSteps": 100, "correlation": null,
            "rootCorrelation": "task-0001", "depth": 0, "from": null, "origin": null, "wake": false,
            "createdAt": "2026-11-27 10:00:00", "startedAt": null, "endedAt": null, "durationMs": null, "attempt": 0,
            "dialog": null, "result": null, "error": null, "tokens": 0,
        }))
        .unwrap();
        let stall = Stall { task, level: StallLevel::Warning, age: Duration::from_hours(2) };
        let body = |boxes: Option<Vec<(TeamName, String)>>| {
            let sharing = boxes.map(|boxes| Arc::new(Sharing { boxes, ..Sharing::default() }));
            let view = TasksView { sharing, ..TasksView::default() };
            let told = news(std::slice::from_ref(&stall), &[], &view, (&Org::default(), Lang::En));
            told[0].notice.body.clone()
        };
        let other = vec![(TeamName::new("ops"), "two".to_owned())];
        assert!(body(Some(other)).contains("no box works for this team"), "{}", body(None));
        let hosted = vec![(TeamName::new("qa"), "two".to_owned())];
        for said in [body(Some(hosted)), body(None)] {
            assert!(!said.contains("no box"), "{said}");
        }
    }
}
