//! The scan for tasks that wait or run for too long, for active triggers that cannot run, and for changes of teams that do not
//! come to their end.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::domain::reading::title::short_headline;
use crate::domain::teams::notices::{NewNotice, NewsKind};
use crate::domain::teams::org::Org;
use crate::domain::teams::org_change::OpenChange;
use crate::domain::teams::stall::{Stall, StallLevel};
use crate::domain::teams::task::{
    HandoffRule, NewTask, Overlap, Priority, Task, TaskKind, TaskStatus,
};
use crate::domain::teams::trigger::row::{TriggerRow, rows};
use crate::domain::teams::trigger::{TriggerId, TriggerState};
use crate::domain::text::in_lang;
use crate::domain::{AgentId, Clock, Lang, Stamp, TaskId, TeamName};
use crate::driver::texts::Texts;
use crate::hive::{StallNews, TasksView};
use crate::minds::HiveConfig;

/// Most characters of what a task is about, in an item.
const MAX_HEADLINE: usize = 80;
/// Tasks that an item names.
const MAX_NAMED: usize = 10;
/// A task is given to the team above once a day.
const ONCE_A_DAY: HandoffRule =
    HandoffRule { dedup_seconds: 24 * 60 * 60, rate: u32::MAX, per_seconds: 1 };

/// The results of a scan.
#[derive(Debug, Default)]
pub struct Scan {
    pub tasks: Vec<Stall>,
    /// Active triggers that never fire as they are.
    triggers: Vec<TriggerRow>,
    /// Changes of teams, with how long they are not over.
    changes: Vec<(OpenChange, Duration)>,
}

/// Something that stalled.
#[derive(Debug)]
pub enum Stalled {
    /// A task, in this state.
    Task(TaskId, TaskStatus),
    /// An active trigger that cannot run.
    Trigger(TriggerId),
    /// A change of this team.
    Change(TeamName),
}

impl Stalled {
    /// True unless the view shows that it no longer stalls.
    pub fn is_still(&self, view: &TasksView) -> bool {
        match self {
            // The list is truncated: a task that is not in it may still stall.
            Self::Task(id, status) => {
                view.listed.iter().find(|row| row.id == *id).is_none_or(|row| row.status == *status)
            }
            Self::Trigger(id) => {
                let mut active =
                    view.triggers.iter().filter(|one| one.state == TriggerState::Active);
                active.any(|one| one.id == *id)
            }
            Self::Change(team) => view.changes.iter().any(|change| change.team == *team),
        }
    }
}

impl Scan {
    /// Looks at the tasks that have been open for long, and at all triggers and changes.
    pub fn of(
        old: Vec<(Task, Duration)>,
        view: &TasksView,
        (hive, clock): (&HiveConfig, &dyn Clock),
    ) -> Self {
        let rule = hive.stall;
        let mut triggers = rows(hive.triggers(), &view.triggers, clock);
        triggers.retain(|row| row.state == TriggerState::Active && !row.is_running());
        let now = clock.moment();
        let aged = view
            .changes
            .iter()
            .map(|change| (change.clone(), now.duration_since(change.since).unwrap_or_default()));
        Self {
            tasks: old.into_iter().filter_map(|one| rule.of(one)).collect(),
            triggers,
            changes: aged.filter(|(_, age)| *age > rule.pending_warn).collect(),
        }
    }

    /// Logs each of them.
    pub fn log(&self) {
        if self.tasks.is_empty() && self.triggers.is_empty() && self.changes.is_empty() {
            tracing::debug!("Stall detection scan clean");
        }
        for Stall { task, level, age } in &self.tasks {
            let (id, team, status) = (&task.id, &task.team, task.status.name());
            let hours = hours(*age);
            match level {
                StallLevel::Warning => tracing::warn!(%id, %team, status, hours, "a task stalls"),
                StallLevel::Error => tracing::error!(%id, %team, status, hours, "a task stalls"),
            }
        }
        for row in &self.triggers {
            tracing::warn!(trigger = %row.id(), "an active trigger cannot run");
        }
        for (OpenChange { team, .. }, age) in &self.changes {
            tracing::warn!(%team, hours = hours(*age), "a change of a team is not over");
        }
    }

    /// Returns what to remember of this scan.
    pub fn found(&self) -> Vec<Stalled> {
        let task = |one: &Stall| Stalled::Task(one.task.id.clone(), one.task.status);
        let change = |(one, _): &(OpenChange, Duration)| Stalled::Change(one.team.clone());
        let tasks = self.tasks.iter().map(task);
        let triggers = self.triggers.iter().map(|row| Stalled::Trigger(row.id()));
        tasks.chain(triggers).chain(self.changes.iter().map(change)).collect()
    }

    /// Returns one item per stalling team. Without a team above, a task that stalls for too long is a failure.
    pub fn news(&self, view: &TasksView, (org, lang): (&Org, Lang)) -> Vec<StallNews> {
        let mut teams: BTreeMap<&TeamName, OfTeam<'_>> = BTreeMap::new();
        for stall in &self.tasks {
            teams.entry(&stall.task.team).or_default().tasks.push(stall);
        }
        for trigger in &self.triggers {
            teams.entry(&trigger.team).or_default().triggers.push(trigger);
        }
        for (change, age) in &self.changes {
            teams.entry(&change.team).or_default().change = Some(*age);
        }
        teams.into_iter().map(|(name, found)| found.news(name, view, (org, lang))).collect()
    }
}

/// The stalled items of one team.
#[derive(Debug, Default)]
struct OfTeam<'a> {
    tasks: Vec<&'a Stall>,
    triggers: Vec<&'a TriggerRow>,
    change: Option<Duration>,
}

impl OfTeam<'_> {
    fn news(&self, name: &TeamName, view: &TasksView, (org, lang): (&Org, Lang)) -> StallNews {
        let team = org.team(name);
        let is_top = team.is_none_or(|team| team.parent.is_none());
        let is_error = self.tasks.iter().any(|stall| stall.level == StallLevel::Error);
        let lead = team.and_then(|team| team.lead.clone());
        let from = (lead.unwrap_or_else(|| AgentId::new(name.as_str())), name.clone());
        // A dismissed notice comes again when another task is the oldest.
        let oldest = self.tasks.first().map(|stall| stall.task.id.as_str());
        let oldest = oldest.or(self.triggers.first().map(|row| row.name.as_str()));
        let key = format!("stall {}", oldest.unwrap_or("change"));
        let mut notice = NewNotice::of_team(from, &key, self.title(name, lang));
        let tasks = self.tasks.iter().take(MAX_NAMED).map(|stall| line(stall, lang));
        let triggers = self.triggers.iter().take(MAX_NAMED).map(|row| trigger_line(row, lang));
        let change = self.change.map(|age| change_line(age, view.sharing.is_some(), lang));
        // A team can lack a box only in a shared store.
        let is_hosted = view.sharing.is_none() || view.boxes_of(name).next().is_some();
        let nobody = (!is_hosted && !self.tasks.is_empty()).then(|| nobody_line(lang));
        notice.body = tasks.chain(triggers).chain(change).chain(nobody).collect();
        let count = self.tasks.len() + self.triggers.len() + usize::from(self.change.is_some());
        StallNews {
            team: name.clone(),
            kind: if is_top && is_error { NewsKind::Failure } else { NewsKind::Notice },
            notice,
            count: u32::try_from(count).unwrap_or(u32::MAX),
        }
    }

    fn title(&self, name: &TeamName, lang: Lang) -> String {
        match (self.tasks.len(), self.triggers.len()) {
            (0, 0) => in_lang!(
                lang,
                "[{name}] a change of this team does not come to its end",
                "[{name}] 该团队的一项变更未能结束"
            ),
            (0, triggers) => in_lang!(
                lang,
                "[{name}] {triggers} of its active triggers cannot run",
                "[{name}] 有 {triggers} 个已启用的触发器无法运行"
            ),
            (count, _) => in_lang!(
                lang,
                "[{name}] {count} of its tasks wait or run for too long",
                "[{name}] 有 {count} 个任务等待或运行过久"
            ),
        }
    }
}

fn hours(age: Duration) -> u64 {
    age.as_secs() / 3_600
}

/// A task in one line, with what can be done about it.
fn line(stall: &Stall, lang: Lang) -> String {
    let Stall { task, age, .. } = stall;
    let (id, status, hours) = (task.id.short(), task.status.name(), hours(*age));
    let about = short_headline(&task.text, MAX_HEADLINE);
    in_lang!(
        lang,
        "- {id} {status} for {hours} h: {about} (`task show {id}`, `task cancel {id}`)\n",
        "- {id} {status} 已 {hours} 小时：{about}（`task show {id}`、`task cancel {id}`）\n"
    )
}

/// The line about a team that no box works for.
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

/// A team change that is not over, with where to find what blocks it.
fn change_line(age: Duration, is_shared: bool, lang: Lang) -> String {
    let hours = hours(age);
    let mut line = in_lang!(
        lang,
        "- it is being made, changed or shut down for {hours} h: what is in the way is among the problems (`!`, `doctor`)\n",
        "- 该团队的创建、变更或关闭已持续 {hours} 小时：阻碍列在问题中（`!`、`doctor`）\n"
    );
    if is_shared {
        line += &in_lang!(
            lang,
            "- a team is shut down when each box has archived its dialogs: start the program on those that are lost (`health` lists the boxes)\n",
            "- 各机器归档其对话后团队才会关闭：请在失联的机器上启动程序（`health` 列出各机器）\n"
        );
    }
    line
}

/// The task for the team above about one that stalls for too long; `None` if there is no team above.
pub fn escalation(stall: &Stall, org: &Org, (day, texts): (&Stamp, Texts)) -> Option<NewTask> {
    let task = &stall.task;
    if stall.level < StallLevel::Error {
        return None;
    }
    let parent = org.team(org.team(&task.team)?.parent.as_ref()?)?;
    let day: String = day.as_str().chars().take(10).collect();
    Some(NewTask {
        priority: Priority::High,
        correlation: Some(format!("stall:{}:{day}", task.id)),
        cause: Some(task.as_cause()),
        from: Some(task.team.clone()),
        once: Some(ONCE_A_DAY),
        overlap: Overlap::Allow,
        ..parent.new_task(TaskKind::Escalation, texts.stalls(task, stall.age))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::SystemTime;

    use super::*;
    use crate::hive::Sharing;

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
            let scan = Scan { tasks: vec![stall.clone()], ..Scan::default() };
            let told = scan.news(&view, (&Org::default(), Lang::En));
            told[0].notice.body.clone()
        };
        let other = vec![(TeamName::new("ops"), "two".to_owned())];
        assert!(body(Some(other)).contains("no box works for this team"), "{}", body(None));
        let hosted = vec![(TeamName::new("qa"), "two".to_owned())];
        for said in [body(Some(hosted)), body(None)] {
            assert!(!said.contains("no box"), "{said}");
        }
    }
    #[derive(Debug)]
    struct At(SystemTime);

    impl Clock for At {
        fn now(&self) -> Stamp {
            Stamp::default()
        }

        fn moment(&self) -> SystemTime {
            self.0
        }
    }

    #[test]
    fn s18_1_a_change_of_a_team_that_does_not_come_to_its_end_is_told_of_until_it_does() {
        let (team, since) = (TeamName::new("qa"), SystemTime::UNIX_EPOCH);
        let change = OpenChange { team: team.clone(), by: None, since };
        let view = TasksView { changes: vec![change].into(), ..TasksView::default() };
        let hive = HiveConfig::default();
        let scan = |minutes| {
            Scan::of(Vec::new(), &view, (&hive, &At(since + Duration::from_mins(minutes))))
        };
        assert!(scan(59).found().is_empty(), "it may take a while");
        let found = scan(150);
        let told = found.news(&view, (&Org::default(), Lang::En));
        assert_eq!((told.len(), &told[0].team, told[0].count), (1, &team, 1));
        let notice = &told[0].notice;
        assert!(notice.title.starts_with("[qa] a change of this team"), "{}", notice.title);
        assert!(notice.body.contains("for 2 h") && !notice.body.contains("box"), "{}", notice.body);
        let shared = TasksView { sharing: Some(Arc::new(Sharing::default())), ..view.clone() };
        let told = found.news(&shared, (&Org::default(), Lang::En));
        assert!(told[0].notice.body.contains("each box"), "{}", told[0].notice.body);
        assert!(found.found()[0].is_still(&view));
        assert!(!found.found()[0].is_still(&TasksView::default()), "it is looked again then");
    }
}
