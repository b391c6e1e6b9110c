//! Tools for members of teams: tasks for the teams below and above, and what becomes of them. They are offered where there
//! is more than one team, and belong to no toolset. A result is one JSON object.

mod give;
mod look;

pub(crate) use give::refused;

use std::sync::Arc;

use serde_json::{Value, json};

use super::outcome::ToolOutcome;
use super::task_store::TasksView;
use super::tool::{Tool, ToolCx};
use crate::domain::org::{Org, OrgTeam};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, TeamName};

/// The team tools of a member.
pub(crate) fn tools(org: &Org, member: &AgentId) -> Vec<Arc<dyn Tool>> {
    let Some(team) = org.team_of(member) else { return Vec::new() };
    if !org.is_on() || org.teams().nth(1).is_none() {
        return Vec::new();
    }
    let is_allowed = |tool: &Arc<dyn Tool>| {
        let name = tool.spec().name.as_ref();
        team.allowed_tools.as_ref().is_none_or(|allowed| allowed.iter().any(|one| one == name))
    };
    let all = [
        give::delegate_task(),
        look::list_teams(),
        look::get_status(),
        look::list_completed_tasks(),
        give::escalate(),
        give::enqueue_parent_task(),
    ];
    all.into_iter().filter(is_allowed).collect()
}

/// The call of a member within its team.
struct TeamCall {
    cx: ToolCx,
    view: TasksView,
    own: OrgTeam,
}

/// Why a call did nothing.
#[derive(Debug)]
struct Refused {
    why: Localized,
    /// When it may be made again.
    retry_after_ms: Option<u64>,
}

impl From<Localized> for Refused {
    fn from(why: Localized) -> Self {
        Self { why, retry_after_ms: None }
    }
}

impl From<Text> for Refused {
    fn from(why: Text) -> Self {
        Localized::from(why).into()
    }
}

impl TeamCall {
    fn new(cx: ToolCx) -> Result<Self, Box<ToolOutcome>> {
        let own = cx.teams.org.team_of(&cx.caller).cloned();
        let view = cx.teams.store.tasks_view().borrow().clone();
        let Some(own) = own else {
            let none = Text::new("you are in no team", "你不属于任何团队");
            return Err(Box::new(failed(&none.into(), &cx)));
        };
        Ok(Self { cx, view, own })
    }

    /// A direct child of the caller's team.
    fn child(&self, name: &str) -> Result<&OrgTeam, Refused> {
        let (org, own) = (&self.cx.teams.org, &self.own.name);
        let wanted = TeamName::new(name);
        let shown: String = name.chars().take(TeamName::MAX).collect();
        let Some(team) = org.team(&wanted) else {
            return Err(localized!("Team '{shown}' not found", "没有找到团队 '{shown}'").into());
        };
        if team.parent.as_ref() != Some(own) {
            return Err(localized!(
                "Team '{shown}' is not a child of '{own}'",
                "团队 '{shown}' 不是 '{own}' 的下级"
            )
            .into());
        }
        Ok(team)
    }
}

fn failed(reason: &Refused, cx: &ToolCx) -> ToolOutcome {
    let mut answer = json!({ "success": false, "error": reason.why.in_lang(cx.lang) });
    if let (Some(retry_after_ms), Some(answer)) = (reason.retry_after_ms, answer.as_object_mut()) {
        answer.insert("retry_after_ms".to_owned(), retry_after_ms.into());
    }
    ToolOutcome::failed(answer.to_string())
}

/// The outcome of a call: `success` comes first.
fn finished(done: Result<Value, Refused>, cx: &ToolCx) -> ToolOutcome {
    match done {
        Ok(value) => ToolOutcome::done(value.to_string()),
        Err(reason) => failed(&reason, cx),
    }
}

#[cfg(test)]
mod tests;
