//! What keeps a team from its work, why, and which teams a person has to look at first. The screen, with a driver, and the
//! command line, with and without one, ask this alone.

use std::time::Duration;

use super::org_change::TeamStatus;
use super::stall::StallRule;
use super::task::row::TaskRow;
use super::task::{BlockReason, TaskStatus, named};
use crate::domain::ids::{TaskId, TeamName};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::time::Stamp;

const SECONDS_PER_HOUR: u64 = 3_600;
const NO_MODEL: Text =
    Text::new("the model does not answer, it is asked again", "模型没有回应，正在重试");
const USED_UP: Text = Text::new(
    "the limits of the day are used up; it goes on at midnight",
    "当天的限额已用完；午夜后继续",
);
const NO_BOX: Text = Text::new("tasks wait, and no box works for it", "有任务等待，但没有机器处理");

named! {
    /// What keeps a team from its work: what is worst first.
    TroubleKind {
        /// Nothing is done for it before the credentials in its file are moved.
        Quarantined = "quarantined",
        SetUpFailed = "setUpFailed",
        /// The tasks that ended last have failed.
        Failing = "failing",
        /// A request to a model failed, and is made again.
        NoModel = "noModel",
        /// A task waits for an answer.
        Asks = "asks",
        /// A restart interrupted a task in a call whose outcome nobody knows.
        Interrupted = "interrupted",
        /// A person stopped a task.
        Stopped = "stopped",
        /// The limits of the day are reached, and tasks wait.
        UsedUp = "usedUp",
        /// Tasks wait, and no box works for it.
        NoBox = "noBox",
        /// A task runs or waits for too long.
        Stalls = "stalls",
    }
}

/// What keeps a team from its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub kind: TroubleKind,
    /// Tasks that it concerns, as far as they are listed.
    pub count: u64,
    /// The task to look at.
    pub task: Option<TaskId>,
    /// What a task is about, how it failed, or why nothing is done, in one line; empty if that is not known.
    pub about: Localized,
    /// How long that task stalls.
    pub hours: u64,
}

/// What is known of a team besides its tasks.
#[derive(Debug, Clone, Copy)]
pub struct TeamFacts<'a> {
    pub team: &'a TeamName,
    pub status: TeamStatus,
    /// Why nothing is done for it.
    pub held_back: Option<&'a Localized>,
    pub pending: u64,
    pub used_up: bool,
    /// In a store that several boxes share, no box works for it.
    pub has_no_box: bool,
    pub stall: StallRule,
}

impl TeamFacts<'_> {
    /// The worst of what keeps it from its work. `tasks` are those of all teams in the order of lists; `retried` says
    /// what a server answered, where a task runs and its request is made again.
    #[must_use]
    pub fn trouble(
        self,
        tasks: &[TaskRow],
        retried: impl Fn(&TaskRow) -> Option<String>,
        now: &Stamp,
    ) -> Option<Trouble> {
        let team = self.team;
        let own = || tasks.iter().filter(move |task| task.team == *team);
        let not_set_up =
            || (self.status == TeamStatus::BootstrapFailed).then(|| set_up_failed(own()));
        let held_back = |why: &Localized| Trouble {
            about: why.clone(),
            ..Trouble::of_team(TroubleKind::Quarantined, 1)
        };
        self.held_back
            .map(held_back)
            .or_else(not_set_up)
            .or_else(|| failing(own()))
            .or_else(|| no_model(own(), retried))
            .or_else(|| blocked(own()))
            .or_else(|| self.waits_in_vain())
            .or_else(|| self.stalls(own(), now))
    }

    fn waits_in_vain(self) -> Option<Trouble> {
        let kind = match (self.used_up, self.has_no_box) {
            (true, _) => TroubleKind::UsedUp,
            (false, true) => TroubleKind::NoBox,
            (false, false) => return None,
        };
        let count = self.pending;
        (count > 0).then(|| Trouble::of_team(kind, count))
    }

    /// The task that stalls longest.
    fn stalls<'a>(self, own: impl Iterator<Item = &'a TaskRow>, now: &Stamp) -> Option<Trouble> {
        let now = now.seconds()?;
        let age = |task: &TaskRow| u64::try_from(now - task.since.seconds()?).ok();
        let aged = own.filter_map(|task| Some((age(task)?, task)));
        let stalled: Vec<(u64, &TaskRow)> = aged
            .filter(|(age, task)| {
                self.stall.level(task.status, Duration::from_secs(*age)).is_some()
            })
            .collect();
        let (age, task) = stalled.iter().max_by_key(|(age, _)| *age)?;
        let trouble = Trouble::of(TroubleKind::Stalls, stalled.len(), task);
        Some(Trouble { hours: age / SECONDS_PER_HOUR, ..trouble })
    }
}

fn set_up_failed<'a>(own: impl Iterator<Item = &'a TaskRow>) -> Trouble {
    let kind = TroubleKind::SetUpFailed;
    let unknown = || Trouble::of_team(kind, 1);
    failing(own).map_or_else(unknown, |failing| Trouble { kind, ..failing })
}

/// The failures since a task was done: those that ended last are first. What was cancelled says nothing.
fn failing<'a>(own: impl Iterator<Item = &'a TaskRow>) -> Option<Trouble> {
    let ended = own.filter(|task| matches!(task.status, TaskStatus::Done | TaskStatus::Failed));
    let failed: Vec<&TaskRow> =
        ended.take_while(|task| task.status == TaskStatus::Failed).collect();
    let newest = failed.first()?;
    let trouble = Trouble::of(TroubleKind::Failing, failed.len(), newest);
    let about = Localized::same(newest.error.clone().unwrap_or_default());
    Some(Trouble { about, ..trouble })
}

fn no_model<'a>(
    own: impl Iterator<Item = &'a TaskRow>,
    retried: impl Fn(&TaskRow) -> Option<String>,
) -> Option<Trouble> {
    let running = own.filter(|task| task.status == TaskStatus::Running);
    let waiting: Vec<(String, &TaskRow)> =
        running.filter_map(|task| Some((retried(task)?, task))).collect();
    let (about, task) = waiting.first()?;
    let trouble = Trouble::of(TroubleKind::NoModel, waiting.len(), task);
    Some(Trouble { about: Localized::same(about), ..trouble })
}

fn blocked<'a>(own: impl Iterator<Item = &'a TaskRow>) -> Option<Trouble> {
    let blocked: Vec<(TroubleKind, &TaskRow)> = own
        .filter(|task| task.status == TaskStatus::Blocked)
        .map(|task| match task.block_reason {
            Some(BlockReason::OpenQuestion) | None => (TroubleKind::Asks, task),
            Some(BlockReason::Restart) => (TroubleKind::Interrupted, task),
            Some(BlockReason::Stopped) => (TroubleKind::Stopped, task),
        })
        .collect();
    let (kind, task) = blocked.iter().min_by_key(|(kind, _)| *kind)?;
    let alike = blocked.iter().filter(|(other, _)| other == kind).count();
    Some(Trouble::of(*kind, alike, task))
}

impl Trouble {
    fn of(kind: TroubleKind, count: usize, task: &TaskRow) -> Self {
        Self {
            task: Some(task.id.clone()),
            about: Localized::same(&task.about),
            ..Self::of_team(kind, u64::try_from(count).unwrap_or(u64::MAX))
        }
    }

    fn of_team(kind: TroubleKind, count: u64) -> Self {
        Self { kind, count, task: None, about: Localized::same(""), hours: 0 }
    }

    /// Why the team does not get on, in words.
    #[must_use]
    pub fn reason(&self) -> Localized {
        let (count, hours) = (self.count, self.hours);
        let said: Localized = match self.kind {
            TroubleKind::Quarantined => Text::new("quarantined", "已隔离").into(),
            TroubleKind::SetUpFailed => Text::new("set-up failed", "建立失败").into(),
            TroubleKind::Failing if count == 1 => {
                Text::new("the last task failed", "上一个任务失败").into()
            }
            TroubleKind::Failing => localized!("{count} failed in a row", "连续 {count} 个失败"),
            TroubleKind::NoModel => NO_MODEL.into(),
            TroubleKind::Asks => Text::new("asks", "有问题待答").into(),
            TroubleKind::Interrupted => Text::new("interrupted by a restart", "被重启中断").into(),
            TroubleKind::Stopped => Text::new("stopped by a person", "被人停止").into(),
            TroubleKind::UsedUp => USED_UP.into(),
            TroubleKind::NoBox => NO_BOX.into(),
            TroubleKind::Stalls => localized!("no progress for {hours} h", "{hours} 小时没有进展"),
        };
        if self.about.is_empty() {
            return said;
        }
        let about = &self.about;
        localized!([said, about] "{said}: {about}", "{said}：{about}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;
    use crate::domain::teams::task::{Priority, TaskKind};
    use crate::samples::assert_translated;

    const NOW: &str = "2026-11-21 12:00:00";

    fn row(number: u64, status: TaskStatus, since: &str) -> TaskRow {
        TaskRow {
            id: TaskId::new(format!("task-{number}")),
            team: TeamName::new("qa"),
            kind: TaskKind::Delegate,
            priority: Priority::Normal,
            status,
            block_reason: (status == TaskStatus::Blocked).then_some(BlockReason::OpenQuestion),
            about: format!("work {number}"),
            number,
            attempt: 1,
            dialog: None,
            since: Stamp::new(since),
            error: (status == TaskStatus::Failed).then(|| format!("HTTP {number}")),
        }
    }

    fn facts(team: &TeamName) -> TeamFacts<'_> {
        let (status, stall) = (TeamStatus::Active, StallRule::default());
        let (pending, held_back) = (0, None);
        TeamFacts { team, status, held_back, pending, used_up: false, has_no_box: false, stall }
    }

    fn said(facts: TeamFacts<'_>, tasks: &[TaskRow]) -> Option<(TroubleKind, String)> {
        let trouble = facts.trouble(tasks, |_| None, &Stamp::new(NOW))?;
        assert_translated(&trouble.reason());
        Some((trouble.kind, trouble.reason().to_string()))
    }

    #[test]
    fn failures_since_the_last_success_are_counted_and_the_newest_says_why() {
        use TaskStatus::{Cancelled, Done, Failed};
        let qa = TeamName::new("qa");
        for (ended, expected) in [
            (&[Failed, Cancelled, Failed, Done, Failed][..], Some("2 failed in a row: HTTP 1")),
            (&[Failed], Some("the last task failed: HTTP 1")),
            (&[Done, Failed], None),
            (&[Cancelled], None),
            (&[], None),
        ] {
            let rows: Vec<TaskRow> = (1..).zip(ended).map(|(n, end)| row(n, *end, NOW)).collect();
            let reason = said(facts(&qa), &rows).map(|(_, reason)| reason);
            assert_eq!(reason.as_deref(), expected, "{ended:?}");
        }
    }

    #[test]
    fn the_worst_of_several_troubles_is_said_and_each_has_its_words() {
        let qa = TeamName::new("qa");
        let (active, stopped) = (facts(&qa), Some(BlockReason::Stopped));
        let asks = row(1, TaskStatus::Blocked, NOW);
        let halted = TaskRow { block_reason: stopped, ..row(2, TaskStatus::Blocked, NOW) };
        let cut = TaskRow { block_reason: Some(BlockReason::Restart), ..halted.clone() };
        let hangs = row(3, TaskStatus::Running, "2026-11-20 11:00:00");
        let fails = row(4, TaskStatus::Failed, NOW);
        let failed = TeamFacts { status: TeamStatus::BootstrapFailed, ..active };
        let why: Localized = Text::new("credentials are not migrated", "凭据尚未迁移").into();
        let held = TeamFacts { held_back: Some(&why), ..failed };
        let used_up = TeamFacts { pending: 2, used_up: true, ..active };
        let no_box = TeamFacts { pending: 2, has_no_box: true, ..active };
        for (facts, tasks, expected) in [
            (failed, vec![fails.clone()], "set-up failed: HTTP 4"),
            (failed, vec![], "set-up failed"),
            (held, vec![asks.clone()], "quarantined: credentials are not migrated"),
            (active, vec![asks.clone(), fails], "the last task failed: HTTP 4"),
            (active, vec![halted.clone(), asks], "asks: work 1"),
            (used_up, vec![halted], "stopped by a person: work 2"),
            (active, vec![cut], "interrupted by a restart: work 2"),
            (used_up, vec![hangs.clone()], USED_UP.in_lang(Lang::En)),
            (no_box, vec![], NO_BOX.in_lang(Lang::En)),
            (active, vec![hangs], "no progress for 25 h: work 3"),
        ] {
            let reason = said(facts, &tasks).map(|(_, reason)| reason);
            assert_eq!(reason.as_deref(), Some(expected));
        }
        let runs = row(5, TaskStatus::Running, NOW);
        assert_eq!(said(active, std::slice::from_ref(&runs)), None, "it works");
        let trouble = active.trouble(&[runs], |_| Some("HTTP 503".to_owned()), &Stamp::new(NOW));
        let reason = trouble.map(|trouble| trouble.reason().to_string());
        let expected = "the model does not answer, it is asked again: HTTP 503";
        assert_eq!(reason.as_deref(), Some(expected));
    }

    #[test]
    fn where_nothing_waits_a_limit_is_no_trouble_and_tasks_of_others_count_not() {
        let qa = TeamName::new("qa");
        assert_eq!(said(TeamFacts { used_up: true, has_no_box: true, ..facts(&qa) }, &[]), None);
        let other = TaskRow { team: TeamName::new("ops"), ..row(1, TaskStatus::Failed, NOW) };
        assert_eq!(said(facts(&qa), &[other]), None);
    }
}
