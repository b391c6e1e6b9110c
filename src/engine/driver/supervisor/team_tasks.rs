//! Tasks of teams, for clients: sends what is known of them, and does what a person wants of one.

use std::sync::Arc;

use crate::domain::teams::org_change::{Changed, NewTeam, OrgChange, Requester};
use crate::domain::teams::task::{
    A_TASK, Enqueued, NewTask, Priority, RetryRefusal, TaskKind, TaskStatus, checked_text,
};
use crate::domain::teams::trigger::TriggerId;
use crate::domain::teams::trigger::change::{TriggerAnswer, TriggerRequest, TriggerWish};
use crate::domain::text::{Localized, localized};
use crate::domain::{RootId, TaskId, TeamName};
use crate::driver::reporting::reports::DriverReport;
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::driver::shared::engine::Engine;
use crate::hive::task_refused;
use crate::protocol::command::Ticket;
use crate::protocol::{DriverEvent, TeamsRequest};
use crate::store::StoreError;

use super::trees::Supervisor;

impl Supervisor {
    pub(super) async fn send_tasks(&self) {
        let view = self.engine.hive.tasks_view().borrow().clone();
        if view.revision > 0 {
            self.report(DriverReport::Tasks(view)).await;
        }
    }

    /// Refuses to show a dialog that is not here, and says where it is if a task has it on another box. Waits for the store on
    /// a task of its own.
    pub(super) fn refuse_missing(&mut self, ticket: Ticket, root: RootId) {
        let (engine, reports) = (self.engine.clone(), self.reports.clone());
        self.readers.spawn(async move {
            let text = match elsewhere(&engine, &root).await {
                Some(text) => text,
                None => StoreError::NotFound(root).message(),
            };
            let _ = reports.send(DriverReport::Event(DriverEvent::Refused { ticket, text })).await;
        });
    }

    pub(super) fn task_request(&mut self, ticket: Ticket, request: TeamsRequest) {
        let engine = self.engine.clone();
        self.reply_later(ticket, async move { answer(&engine, ticket, request).await });
    }

    /// Waits for the disk on a task of its own, and replies then.
    pub(super) fn reply_later(
        &mut self,
        ticket: Ticket,
        answer: impl Future<Output = Result<DriverEvent, Localized>> + Send + 'static,
    ) {
        let reports = self.reports.clone();
        self.readers.spawn(async move {
            let event = answer.await.unwrap_or_else(|text| DriverEvent::Refused { ticket, text });
            let _ = reports.send(DriverReport::Event(event)).await;
        });
    }
}

/// Where the dialog of a task is, if the store is shared.
async fn elsewhere(engine: &Engine, root: &RootId) -> Option<Localized> {
    let view = engine.hive.tasks_view().borrow().clone();
    view.sharing?;
    let id = view.listed.iter().find(|row| row.dialog.as_ref() == Some(root))?.id.clone();
    let place = engine.hive.task(id.clone()).await.ok()??.box_name?;
    Some(localized!(
        "the dialog of {id} is not here: it was made on box {place}",
        "{id} 的对话不在这里：它在机器 {place} 上创建"
    ))
}

async fn answer(
    engine: &Arc<Engine>,
    ticket: Ticket,
    request: TeamsRequest,
) -> Result<DriverEvent, Localized> {
    let named = match &request {
        TeamsRequest::Show { id } | TeamsRequest::Cancel { id } | TeamsRequest::Retry { id } => {
            Some(id)
        }
        TeamsRequest::Delegate { .. }
        | TeamsRequest::Spawn { .. }
        | TeamsRequest::Update { .. }
        | TeamsRequest::ShutDown { .. }
        | TeamsRequest::SwitchTrigger { .. }
        | TeamsRequest::TryTrigger { .. } => None,
    };
    // Without any task there may be no store, and asking must not create one.
    if let Some(id) = named.filter(|_| engine.hive.tasks_view().borrow().listed.is_empty()) {
        return Err(unknown(id));
    }
    match request {
        TeamsRequest::Show { id } => {
            let found = engine.hive.task(id.clone()).await?;
            let task = Box::new(found.ok_or_else(|| unknown(&id))?);
            return Ok(DriverEvent::Task { ticket, task });
        }
        TeamsRequest::Delegate { team, text, priority } => {
            delegate(engine, &team, text, priority).await?;
        }
        TeamsRequest::Cancel { id } => {
            let was = engine.hive.cancel(id.clone()).await?;
            let was = was.ok_or_else(|| unknown(&id))?;
            if !was.is_open() {
                return Err(has_ended(&id, was));
            }
        }
        TeamsRequest::Retry { id } => {
            let queued = engine.hive.retry(id.clone()).await?;
            queued.ok_or_else(|| unknown(&id))?.map_err(|refusal| not_again(&id, refusal))?;
        }
        TeamsRequest::Spawn { name, parent, description, scope, context } => {
            let by = Requester::person(engine.lang);
            let new = NewTeam { name, parent, description, scope, context, by };
            change(engine, OrgChange::Spawn(new)).await?;
        }
        TeamsRequest::Update { team, add, remove } => {
            let by = Requester::person(engine.lang);
            change(engine, OrgChange::Update { team, add, remove, by }).await?;
        }
        TeamsRequest::ShutDown { team, cascade } => {
            let by = Requester::person(engine.lang);
            let changed = change(engine, OrgChange::Shutdown { team, cascade, by }).await?;
            if let Changed::Closing(teams) = changed {
                engine.hive.teams_are_gone(&teams).await;
            }
        }
        TeamsRequest::SwitchTrigger { id, on } => {
            let wish = if on { TriggerWish::Enable } else { TriggerWish::Disable { reason: None } };
            trigger(engine, id, wish).await?;
        }
        TeamsRequest::TryTrigger { id } => {
            let lang = engine.lang;
            let wish = TriggerWish::Test { max_steps: None, overlap: None, cause: None, lang };
            trigger(engine, id, wish).await?;
        }
    }
    Ok(DriverEvent::Done { ticket, dialog: None })
}

/// A person's wish about a trigger needs no approval.
async fn trigger(engine: &Engine, id: TriggerId, wish: TriggerWish) -> Result<(), Localized> {
    let TriggerId { team, name } = id;
    let request = TriggerRequest { team: team.clone(), name, by: None, basis: None, wish };
    match engine.hive.change_trigger(request).await?.map_err(|refusal| refusal.text())? {
        TriggerAnswer::Is { fault: Some(fault), .. } => Err(localized!(
            [fault] "it is enabled, and cannot run: {fault}",
            "已启用，但无法运行：{fault}"
        )),
        TriggerAnswer::Is { fault: None, .. } => Ok(()),
        TriggerAnswer::Tested(enqueued) => queued(&enqueued, &team),
    }
}

/// A person's change needs no approval.
async fn change(engine: &Engine, change: OrgChange) -> Result<Changed, Localized> {
    let changed = engine.hive.change_teams(change).await?;
    changed.map_err(|refusal| refusal.text())
}

async fn delegate(
    engine: &Arc<Engine>,
    team: &TeamName,
    text: String,
    priority: Priority,
) -> Result<(), Localized> {
    let reader = engine.clone();
    let minds = blocking(move |on| reader.minds(on)).await.map_err(|error| interrupted(&error))?;
    let org = minds.hive().org();
    let found = org.team(team).filter(|_| org.is_on());
    let Some(found) = found else {
        return Err(localized!("there is no team '{team}' now", "现在没有团队 '{team}'"));
    };
    let text = checked_text(&text, A_TASK)?;
    let task = NewTask { priority, ..found.new_task(TaskKind::Delegate, text) };
    queued(&engine.hive.enqueue(task).await?, team)
}

/// Ok if a task for this team was queued.
fn queued(enqueued: &Enqueued, team: &TeamName) -> Result<(), Localized> {
    match enqueued {
        Enqueued::Queued(_) => Ok(()),
        Enqueued::Skipped | Enqueued::NeedsConfirmation { .. } => Err(localized!(
            "not queued: team '{team}' has open tasks (default_overlap in its file)",
            "未排队：团队 '{team}' 有未完成的任务（见其文件中的 default_overlap）"
        )),
        Enqueued::Refused(refusal) => Err(task_refused(team.as_str(), *refusal)),
    }
}

fn unknown(id: &TaskId) -> Localized {
    localized!("there is no task {id} any more", "任务 {id} 已不存在")
}

fn has_ended(id: &TaskId, status: TaskStatus) -> Localized {
    let status = status.name();
    localized!("{id} has ended: it is {status}", "{id} 已结束：{status}")
}

fn not_again(id: &TaskId, refusal: RetryRefusal) -> Localized {
    match refusal {
        RetryRefusal::Open(status) => {
            let status = status.name();
            localized!("{id} is {status}", "{id} 的状态为 {status}")
        }
        RetryRefusal::ShuttingDown => {
            localized!("the team of {id} is being shut down", "{id} 的团队正在关闭")
        }
        RetryRefusal::Done => localized!(
            "{id} is done; delegate a new task to have it done again",
            "{id} 已完成；如需再做，请委派新任务"
        ),
    }
}
