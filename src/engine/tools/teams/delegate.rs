//! `delegate_task`, `escalate`, `enqueue_parent_task`: tasks for other teams.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Refused, TeamCall, finished};
use crate::domain::teams::notices::{NewNotice, NewsLevel};
use crate::domain::teams::org::OrgTeam;
use crate::domain::teams::task::{
    A_TASK, Enqueued, NewTask, Overlap, Priority, TaskKind, TaskRefusal, checked_text,
};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, TaskId, TeamName};
use crate::hive::task_refused;
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DelegateArgs {
    team: String,
    task: String,
    priority: Option<Priority>,
    member: Option<String>,
    overlap_policy: Option<Overlap>,
    wake: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EscalateArgs {
    message: String,
    reason: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HandoffArgs {
    task: String,
    priority: Option<Priority>,
    context: Option<String>,
    message_for_user: Option<String>,
    correlation_id: Option<String>,
}

pub(super) fn delegate_task() -> Arc<dyn Tool> {
    typed::asynchronous(
        "delegate_task",
        |lang| Text::of_document(include_str!("delegate_task.md")).in_lang(lang),
        async |cx: ToolCx, args: DelegateArgs| {
            within_team(cx, async |call| call.delegate(args).await).await
        },
    )
}

pub(super) fn escalate() -> Arc<dyn Tool> {
    typed::asynchronous(
        "escalate",
        |lang| Text::of_document(include_str!("escalate.md")).in_lang(lang),
        async |cx: ToolCx, args: EscalateArgs| {
            within_team(cx, async |call| call.escalate(args).await).await
        },
    )
}

pub(super) fn enqueue_parent_task() -> Arc<dyn Tool> {
    typed::asynchronous(
        "enqueue_parent_task",
        |lang| Text::of_document(include_str!("enqueue_parent_task.md")).in_lang(lang),
        async |cx: ToolCx, args: HandoffArgs| {
            within_team(cx, async |call| call.hand_over(args).await).await
        },
    )
}

async fn within_team(
    cx: ToolCx,
    work: impl AsyncFnOnce(&TeamCall) -> Result<Value, Refused>,
) -> ToolOutcome {
    match TeamCall::begin(cx).await {
        Ok(call) => finished(work(&call).await, &call.cx),
        Err(failed) => *failed,
    }
}

impl TeamCall {
    async fn delegate(&self, args: DelegateArgs) -> Result<Value, Refused> {
        let team = self.child(&args.team)?;
        let member = args.member.map(|id| AgentId::new(id.trim_start_matches('@')));
        if let Some(id) = member.as_ref().filter(|id| !team.members.contains(id)) {
            let (id, name) = (id.as_str().chars().take(80).collect::<String>(), &team.name);
            return Err(localized!(
                "member '{id}' is not in team '{name}'",
                "成员 '{id}' 不在团队 '{name}' 中"
            )
            .into());
        }
        let task = NewTask {
            priority: args.priority.unwrap_or(Priority::Normal),
            member,
            wake: args.wake.unwrap_or_default(),
            overlap: args.overlap_policy.unwrap_or(team.default_overlap),
            ..self.task(team, TaskKind::Delegate, &args.task)?
        };
        answer_of(self.cx.teams.store.enqueue(task).await?, &team.name)
    }

    async fn escalate(&self, args: EscalateArgs) -> Result<Value, Refused> {
        let reason = args.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        let Some(parent) = self.parent() else {
            return Err(Text::new(
                "root team cannot escalate: ask the person with askHuman or tell them with notify_human",
                "根团队无法上报：请用 askHuman 询问人，或用 notify_human 告知",
            )
            .into());
        };
        let message = args.message.trim();
        let text = match reason {
            Some(reason) => format!("[Escalation: {reason}] {message}"),
            None if message.is_empty() => String::new(),
            None => format!("[Escalation] {message}"),
        };
        let from = self.view.of_root(&self.cx.dialog.root);
        let known = from.and_then(|active| active.task.correlation.clone());
        let correlation = known.unwrap_or_else(|| format!("esc:{}", self.cx.new_id));
        let task = NewTask {
            priority: Priority::High,
            correlation: Some(correlation.clone()),
            ..self.task(parent, TaskKind::Escalation, &text)?
        };
        let id = self.queue(task).await?;
        Ok(json!({ "success": true, "correlation_id": correlation, "task_id": id }))
    }

    async fn hand_over(&self, args: HandoffArgs) -> Result<Value, Refused> {
        let Some(parent) = self.parent() else {
            return Err(code("no_parent").into());
        };
        let (from, what) = (&self.own.name, args.task.trim());
        let context = args.context.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let text = match (what.is_empty(), context) {
            (true, _) => String::new(),
            (false, None) => format!("[Work handoff from {from}] {what}"),
            (false, Some(context)) => {
                format!("[Work handoff from {from}] {what}\n\nContext: {context}")
            }
        };
        let named = args.correlation_id.map(|id| id.trim().chars().take(200).collect::<String>());
        let named = named.filter(|id| !id.is_empty());
        let correlation = named.unwrap_or_else(|| format!("handoff:{}", self.cx.new_id));
        let task = NewTask {
            priority: args.priority.unwrap_or(Priority::Normal),
            correlation: Some(correlation.clone()),
            once: Some(self.cx.teams.handoff),
            ..self.task(parent, TaskKind::Delegate, &text)?
        };
        let id = self.queue(task).await?;
        let mut answer = json!({ "success": true, "task_id": id, "correlation_id": correlation });
        if let Some(message) = args.message_for_user
            && let Err(reason) = self.tell(&message).await
            && let Some(answer) = answer.as_object_mut()
        {
            // The work is handed over all the same.
            answer.insert("warning".to_owned(), reason.in_lang(self.cx.lang).into());
        }
        Ok(answer)
    }

    async fn tell(&self, message: &str) -> Result<(), Localized> {
        let cx = &self.cx;
        let from = (cx.caller.clone(), cx.dialog.clone(), cx.call.clone());
        let text = format!("[{}] {}", self.own.name, cx.keys.redacted(message.trim().to_owned()));
        match NewNotice::of(from, NewsLevel::Info, (None, &text)) {
            Some(notice) => cx.news.add(notice).await.map(|_| ()),
            None => Ok(()),
        }
    }

    fn parent(&self) -> Option<&OrgTeam> {
        self.cx.teams.org.team(self.own.parent.as_ref()?)
    }

    /// A task of the caller, of normal priority for the lead.
    fn task(&self, team: &OrgTeam, kind: TaskKind, text: &str) -> Result<NewTask, Refused> {
        let text = self.checked_text(text, A_TASK)?;
        Ok(NewTask {
            cause: self.view.cause(&self.cx.dialog.root),
            from: Some(self.own.name.clone()),
            origin: Some(self.cx.dialog.clone()),
            overlap: Overlap::Allow,
            ..team.new_task(kind, text)
        })
    }

    /// A text for another team, without keys. `what` it is.
    pub(super) fn checked_text(&self, text: &str, what: Text) -> Result<String, Refused> {
        Ok(checked_text(&self.cx.keys.redacted(text.to_owned()), what)?)
    }

    /// Queues a task that no open task keeps from being queued.
    async fn queue(&self, task: NewTask) -> Result<TaskId, Refused> {
        let team = task.team.clone();
        match self.cx.teams.store.enqueue(task).await? {
            Enqueued::Queued(id) => Ok(id),
            Enqueued::Skipped | Enqueued::NeedsConfirmation { .. } => {
                Err(Text::new("the team is busy", "该团队正忙").into())
            }
            Enqueued::Refused(refusal) => Err(refused(&team, refusal)),
        }
    }
}

/// Returns the answer for the member who delegates a task to this team, or the refusal.
pub(super) fn answer_of(enqueued: Enqueued, team: &TeamName) -> Result<Value, Refused> {
    match enqueued {
        Enqueued::Queued(id) => Ok(json!({ "success": true, "enqueued": true, "task_id": id })),
        Enqueued::Skipped => Ok(json!({ "success": true, "enqueued": false })),
        Enqueued::NeedsConfirmation { in_flight, would_cancel_running } => {
            let mut answer = json!({
                "success": true,
                "enqueued": false,
                "requires_confirmation": true,
                "in_flight": in_flight,
            });
            if let (true, Some(answer)) = (would_cancel_running, answer.as_object_mut()) {
                let reason = "replace_targets_running_session";
                answer.insert("reason".to_owned(), reason.into());
            }
            Ok(answer)
        }
        Enqueued::Refused(refusal) => Err(refused(team, refusal)),
    }
}

fn refused(team: &TeamName, refusal: TaskRefusal) -> Refused {
    let retry_after_ms = match refusal {
        TaskRefusal::TooOften { retry_after_ms } => Some(retry_after_ms),
        TaskRefusal::QueueFull { .. }
        | TaskRefusal::ChainTooLong
        | TaskRefusal::TooManyEscalations
        | TaskRefusal::Duplicate
        | TaskRefusal::ShuttingDown
        | TaskRefusal::Saturated
        | TaskRefusal::UsedUp => None,
    };
    Refused { why: task_refused(team.as_str(), refusal), retry_after_ms }
}

/// Returns an error code, which is the same in every language; the tool descriptions explain it.
fn code(name: &str) -> Localized {
    Localized::same(name)
}
