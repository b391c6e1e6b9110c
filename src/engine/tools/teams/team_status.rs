//! `list_teams`, `get_status`, `list_completed_tasks`: what other teams do.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Refused, TeamCall, failed, finished};
use crate::domain::reading::title::short_headline;
use crate::domain::teams::org::{MAX_DEPTH, OrgTeam};
use crate::domain::teams::task::{Task, TaskFilter, TaskStatus};
use crate::domain::text::{Text, localized};
use crate::domain::time::moment_of;
use crate::domain::{TaskId, TeamName};
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

/// Most characters of what a task is about.
const MAX_HEADLINE: usize = 120;
/// Tasks of each kind that a status names.
const MAX_NAMED: u32 = 20;
const SNIPPET_CHARS: usize = 200;
const COMPLETED_KEPT: Duration = Duration::from_hours(7 * 24);
const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListTeamsArgs {
    recursive: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StatusArgs {
    team: Option<String>,
    task_id: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CompletedArgs {
    team: Option<String>,
    since: Option<String>,
    limit: Option<u32>,
}

pub(super) fn list_teams() -> Arc<dyn Tool> {
    typed::asynchronous(
        typed::reads("list_teams"),
        |lang| Text::of_document(include_str!("list_teams.md")).in_lang(lang),
        async |cx: ToolCx, args: ListTeamsArgs| match TeamCall::begin(cx).await {
            Ok(call) => {
                let depth = if args.recursive.unwrap_or_default() { MAX_DEPTH } else { 1 };
                let teams = call.below(&call.own.name, depth);
                ToolOutcome::done(json!({ "success": true, "teams": teams }).to_string())
            }
            Err(failed) => *failed,
        },
    )
}

pub(super) fn get_status() -> Arc<dyn Tool> {
    typed::asynchronous(
        typed::reads("get_status"),
        |lang| Text::of_document(include_str!("get_status.md")).in_lang(lang),
        async |cx: ToolCx, args: StatusArgs| match TeamCall::begin(cx).await {
            Ok(call) => finished(call.status(args).await, &call.cx),
            Err(failed) => *failed,
        },
    )
}

pub(super) fn list_completed_tasks() -> Arc<dyn Tool> {
    typed::asynchronous(
        typed::reads("list_completed_tasks"),
        |lang| Text::of_document(include_str!("list_completed_tasks.md")).in_lang(lang),
        async |cx: ToolCx, args: CompletedArgs| match TeamCall::begin(cx).await {
            Ok(call) => match call.completed(args).await {
                Ok(tasks) => {
                    ToolOutcome::done(json!({ "success": true, "tasks": tasks }).to_string())
                }
                Err(reason) => failed(&reason, &call.cx),
            },
            Err(failed) => *failed,
        },
    )
}

impl TeamCall {
    fn below(&self, name: &TeamName, depth: usize) -> Vec<Value> {
        let Some(below) = depth.checked_sub(1) else { return Vec::new() };
        let row = |team: &OrgTeam| {
            let mut row = json!({
                "name": team.name,
                "description": team.description,
                "keywords": team.scope,
                "status": self.view.status_of(&team.name),
                "pending": self.view.pending_of(&team.name),
            });
            let children = self.below(&team.name, below);
            if let (false, Some(row)) = (children.is_empty(), row.as_object_mut()) {
                row.insert("children".to_owned(), children.into());
            }
            row
        };
        self.cx.teams.org.children(name).map(row).collect()
    }

    async fn status(&self, args: StatusArgs) -> Result<Value, Refused> {
        if let Some(id) = &args.task_id {
            return Ok(json!({ "success": true, "task": self.task_of(id).await? }));
        }
        let teams: Vec<&OrgTeam> = match &args.team {
            Some(name) => vec![self.child(name)?],
            None => {
                [&self.own].into_iter().chain(self.cx.teams.org.children(&self.own.name)).collect()
            }
        };
        let mut rows = Vec::new();
        for team in teams {
            rows.push(self.team_status(team).await?);
        }
        Ok(json!({ "success": true, "teams": rows }))
    }

    async fn team_status(&self, team: &OrgTeam) -> Result<Value, Refused> {
        let running = self.view.running_of(&team.name);
        let waiting = TaskFilter {
            team: Some(team.name.clone()),
            statuses: vec![TaskStatus::Pending],
            limit: MAX_NAMED,
            ..TaskFilter::default()
        };
        let waiting = self.cx.teams.store.tasks(waiting).await?;
        let named = |task: &Task| {
            json!({
                "task_id": task.id,
                "status": task.status,
                "priority": task.priority,
                "task": short_headline(&task.text, MAX_HEADLINE),
            })
        };
        Ok(json!({
            "name": team.name,
            "status": self.view.status_of(&team.name),
            "active_daily_ops": running,
            "org_op_pending": self.view.changes_for(&team.name),
            "saturation": running >= team.limits.max_running,
            "queue_depth": self.view.pending_of(&team.name),
            "current_tasks": self.view.active_of(&team.name).map(named).collect::<Value>(),
            "pending_tasks": waiting.iter().map(named).collect::<Value>(),
        }))
    }

    /// A task that concerns the caller's team.
    async fn task_of(&self, id: &str) -> Result<Value, Refused> {
        let found = self.cx.teams.store.task(TaskId::new(id)).await?;
        let concerns = |task: &Task| {
            task.team == self.own.name
                || task.from.as_ref() == Some(&self.own.name)
                || self.cx.teams.org.is_child(&task.team, &self.own.name)
        };
        let shown: String = id.chars().take(80).collect();
        let unknown = || localized!("Task '{shown}' not found", "没有找到任务 '{shown}'");
        let task = found.filter(concerns).ok_or_else(unknown)?;
        Ok(json!({
            "task_id": task.id,
            "team": task.team,
            "type": task.kind,
            "status": task.status,
            "block_reason": task.block_reason,
            "priority": task.priority,
            "cause": task.cause,
            "attempt": task.attempt,
            "box": task.box_name,
            "created_at": task.created_at,
            "duration_ms": task.duration_ms,
            "result": task.result,
            "error": task.error,
        }))
    }

    async fn completed(&self, args: CompletedArgs) -> Result<Vec<Value>, Refused> {
        let team = match &args.team {
            Some(name) => self.child(name)?.name.clone(),
            None => self.own.name.clone(),
        };
        let oldest = self.cx.clock.moment().checked_sub(COMPLETED_KEPT);
        let since = args.since.as_deref().map(moment).transpose()?;
        let limit = args.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(localized!(
                "limit must be 1 to {MAX_LIMIT}, not {limit}",
                "limit 应为 1 到 {MAX_LIMIT}，而不是 {limit}"
            )
            .into());
        }
        let filter = TaskFilter {
            team: Some(team),
            statuses: vec![TaskStatus::Done, TaskStatus::Failed, TaskStatus::Cancelled],
            since: since.max(oldest),
            limit,
            ..TaskFilter::default()
        };
        let tasks = self.cx.teams.store.tasks(filter).await?;
        let row = |task: &Task| {
            let said = task.result.as_ref().or(task.error.as_ref()).map_or("", String::as_str);
            json!({
                "id": task.id,
                "status": task.status,
                "durationMs": task.duration_ms,
                "resultSnippet": said.chars().take(SNIPPET_CHARS).collect::<String>(),
                "createdAt": task.created_at,
            })
        };
        Ok(tasks.iter().map(row).collect())
    }
}

fn moment(text: &str) -> Result<SystemTime, Refused> {
    moment_of(text).ok_or_else(|| {
        let shown: String = text.chars().take(80).collect();
        localized!(
            "since must be a time such as 2026-01-31T09:00:00Z, not {shown}",
            "since 应为 2026-01-31T09:00:00Z 这样的时间，而不是 {shown}"
        )
        .into()
    })
}
