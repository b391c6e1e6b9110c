//! The items that tell a person about a task that has ended, or needs one.

use std::time::SystemTime;

use crate::domain::reading::title::short_headline;
use crate::domain::teams::notices::{NewNotice, NewsKind, NewsLevel};
use crate::domain::teams::org::{Org, OrgTeam};
use crate::domain::teams::task::row::TaskRow;
use crate::domain::teams::task::{
    ActiveTask, TaskEnd, TaskKind, TaskStatus, TaskTrigger, TeamWork,
};
use crate::domain::teams::trigger::TriggerId;
use crate::domain::text::in_lang;
use crate::domain::{AgentId, DialogId, Lang, Stamp, TeamName};
use crate::hive::News;

/// Most characters of what a task is about, in an item.
const MAX_HEADLINE: usize = 80;
/// Tasks that an item names.
const MAX_NAMED: usize = 10;

/// The text of an item, with the task that it is about and the trigger of that below.
fn named(active: &ActiveTask, said: &str, lang: Lang) -> String {
    let task = &active.task;
    let (id, about) = (task.id.short(), short_headline(&task.text, MAX_HEADLINE));
    let name = task.trigger.as_ref().map(|trigger| &trigger.name);
    let trigger = name.map_or_else(String::new, |name| {
        in_lang!(lang, ", of trigger {name}", "，来自触发器 {name}")
    });
    in_lang!(
        lang,
        "{said}\n\n(task {id}{trigger}: {about})",
        "{said}\n\n（任务 {id}{trigger}：{about}）"
    )
}

/// The item about an end, if there is one: a failure always, a result where a person or the root team asked for it.
pub fn of_end(
    active: &ActiveTask,
    worker: &AgentId,
    end: &TaskEnd,
    (org, lang): (&Org, Lang),
) -> News {
    let team = &active.task.team;
    // Only the asker is told.
    if active.task.kind == TaskKind::Query {
        return None;
    }
    let parent = org.team(team).and_then(|team| team.parent.as_ref());
    let for_a_person = active.task.from.is_none() || parent.is_none_or(TeamName::is_main);
    let is_first = active.task.kind == TaskKind::Bootstrap;
    match end {
        TaskEnd::Done { .. } if is_first && for_a_person => {
            let text = in_lang!(
                lang,
                "[{team}] Team bootstrapped and ready.",
                "[{team}] 团队已准备就绪。"
            );
            Some((NewsKind::Notice, notice(active, worker, "end", (NewsLevel::Info, &text))?))
        }
        TaskEnd::Done { result } if for_a_person => {
            let text = named(active, &format!("[{team}] {result}"), lang);
            Some((NewsKind::Notice, notice(active, worker, "end", (NewsLevel::Info, &text))?))
        }
        TaskEnd::Failed { error } => {
            let text = if is_first {
                in_lang!(
                    lang,
                    "[{team}] Team bootstrap failed: {error}",
                    "[{team}] 团队初始化失败：{error}"
                )
            } else {
                in_lang!(lang, "[{team}] task failed: {error}", "[{team}] 任务失败：{error}")
            };
            let id = active.task.id.short();
            let again = in_lang!(
                lang,
                "`task retry {id}` queues it again",
                "`task retry {id}` 可让它重新排队"
            );
            let text = format!("{}\n\n{again}", named(active, &text, lang));
            Some((NewsKind::Failure, notice(active, worker, "end", (NewsLevel::Warning, &text))?))
        }
        TaskEnd::Done { .. } | TaskEnd::Cancelled { .. } => None,
    }
}

/// The item about a task that was interrupted in a way that only a person can judge.
pub fn of_restart(active: &ActiveTask, worker: &AgentId, lang: Lang) -> News {
    let team = &active.task.team;
    let said = in_lang!(
        lang,
        "[{team}] a task was interrupted too often, or in a call of unknown outcome: look at its dialog, then continue that or \
         cancel the task",
        "[{team}] 任务被中断次数过多，或中断在结果未知的调用中：请查看其对话，然后继续它或取消任务"
    );
    let (id, root) = (active.task.id.short(), &active.root);
    let how = in_lang!(
        lang,
        "`resume {root}` continues it, `task cancel {id}` cancels it",
        "`resume {root}` 可继续，`task cancel {id}` 可取消"
    );
    let text = format!("{}\n\n{how}", named(active, &said, lang));
    let key = format!("restart {}", active.cuts);
    Some((NewsKind::Failure, notice(active, worker, &key, (NewsLevel::Warning, &text))?))
}

/// The item about the result of a message, naming where the message came from.
pub fn of_message(
    active: &ActiveTask,
    worker: &AgentId,
    (end, trigger): (&TaskEnd, &TaskTrigger),
    lang: Lang,
) -> News {
    let (TaskEnd::Done { result }, true) = (end, trigger.tells) else { return None };
    let (team, name) = (&active.task.team, &trigger.name);
    let from = if let (Some(channel), Some(message)) = (&trigger.channel, &trigger.message) {
        in_lang!(
            lang,
            "channel {channel}, message {message}, trigger {name}",
            "渠道 {channel}，消息 {message}，触发器 {name}"
        )
    } else {
        let task = &active.task.id;
        tracing::error!(%task, "Task notification has no sourceChannelId -- cannot route");
        in_lang!(lang, "no channel, trigger {name}", "无渠道，触发器 {name}")
    };
    let text = named(active, &format!("[{team}] {result}\n\n({from})"), lang);
    Some((NewsKind::Notice, notice(active, worker, "end", (NewsLevel::Info, &text))?))
}

/// The failure that a trigger is disabled because too many of its tasks failed.
pub fn of_disabled(
    active: &ActiveTask,
    worker: &AgentId,
    trigger: &TaskTrigger,
    lang: Lang,
) -> NewNotice {
    let (team, name) = (&active.task.team, &trigger.name);
    let text = in_lang!(
        lang,
        "[{team}] the trigger {name} is disabled: its last tasks have failed; `trigger enable {team} {name}` enables it again",
        "[{team}] 触发器 {name} 已停用：它最近的任务都失败了；`trigger enable {team} {name}` 可重新启用"
    );
    let key = format!("trigger {name} {}", active.task.id);
    NewNotice::of_team((worker.clone(), team.clone()), &key, text)
}

/// The notice that an opening of a window has used up its ticks or tokens. Once per opening.
pub fn of_used_up_window(
    (id, team): (&TriggerId, &OrgTeam),
    opening: SystemTime,
    lang: Lang,
) -> NewNotice {
    let TriggerId { team: name, name: trigger } = id;
    let text = in_lang!(
        lang,
        "[{name}] the trigger {trigger} ticks no more until its window opens anew: max_ticks_per_window or max_tokens_per_window is \
         reached",
        "[{name}] 触发器 {trigger} 在窗口下次开放前不再检查：已达到 max_ticks_per_window 或 max_tokens_per_window"
    );
    let lead = team.lead.clone().unwrap_or_else(|| AgentId::new(name.as_str()));
    let opening = opening.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let key = format!("window {trigger} {opening}");
    NewNotice::of_team((lead, name.clone()), &key, text)
}

fn notice(
    active: &ActiveTask,
    worker: &AgentId,
    key: &str,
    (level, text): (NewsLevel, &str),
) -> Option<NewNotice> {
    let dialog = DialogId::main(active.root.clone());
    let call = format!("{} {} {key}", active.task.id, active.task.attempt);
    let work = TeamWork { team: active.task.team.clone(), task: Some(active.task.id.clone()) };
    let notice = NewNotice::of((worker.clone(), dialog, call), level, (None, text))?;
    Some(notice.about(work))
}

/// The failure that a team has reached a daily limit while these tasks wait. Once a day.
pub fn of_used_up((team, waiting): (&OrgTeam, &[TaskRow]), day: &Stamp, lang: Lang) -> NewNotice {
    let name = &team.name;
    let text = in_lang!(
        lang,
        "[{name}] the limit of a day is used up (max_tasks_per_day or max_tokens_per_day): tasks wait until midnight",
        "[{name}] 一天的限额已用完（max_tasks_per_day 或 max_tokens_per_day）：任务等待到午夜"
    );
    let lead = team.lead.clone().unwrap_or_else(|| AgentId::new(name.as_str()));
    let day: String = day.as_str().chars().take(10).collect();
    let mut notice = NewNotice::of_team((lead, name.clone()), &format!("limit {day}"), text);
    let waits = |row: &&TaskRow| row.team == *name && row.status == TaskStatus::Pending;
    let waits = waiting.iter().filter(waits).take(MAX_NAMED);
    for row in waits {
        notice.body.push_str(&format!("- {}: {}\n", row.id.short(), row.about));
    }
    notice
}
