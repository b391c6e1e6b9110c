//! The call of a member within its team, and its outcome: one JSON object.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::domain::TeamName;
use crate::domain::teams::org::OrgTeam;
use crate::domain::teams::org_change::{OrgRefusal, TeamStatus};
use crate::domain::text::{Localized, Text, localized};
use crate::hive::TasksView;
use crate::tools::outcome::ToolOutcome;
use crate::tools::team_calls::TeamCallSlot;
use crate::tools::tool::ToolCx;

/// The longest wait of a call for others of its team to end.
const PATIENCE: Duration = Duration::from_secs(10);
/// Milliseconds after which a call may be retried that was refused because too many others ran.
const RETRY_AFTER_MS: u64 = 5_000;

/// The call of a member within its team.
pub(super) struct TeamCall {
    pub cx: ToolCx,
    pub view: TasksView,
    pub own: OrgTeam,
    /// The slot of this call among those that its team may make at the same time.
    pub slot: Option<TeamCallSlot>,
}

/// Why a call did nothing.
#[derive(Debug)]
pub(super) struct Refused {
    pub why: Localized,
    /// Milliseconds until it may be retried.
    pub retry_after_ms: Option<u64>,
}

impl From<Localized> for Refused {
    fn from(why: Localized) -> Self {
        Self { why, retry_after_ms: None }
    }
}

impl From<OrgRefusal> for Refused {
    fn from(refusal: OrgRefusal) -> Self {
        Self { why: refusal.text(), retry_after_ms: refusal.retry_after_ms() }
    }
}

impl From<Text> for Refused {
    fn from(why: Text) -> Self {
        Localized::from(why).into()
    }
}

impl TeamCall {
    /// Begins a call, once there is room for it.
    pub async fn begin(cx: ToolCx) -> Result<Self, Box<ToolOutcome>> {
        let own = cx.teams.org.team_of(&cx.caller).cloned();
        let Some(own) = own else {
            let none = Text::new("you are in no team", "你不属于任何团队");
            return Err(Box::new(failed(&none.into(), &cx)));
        };
        let room = cx.teams.calls.wait(&own.name, own.limits.max_running);
        let slot = timeout(PATIENCE, room).await.ok();
        if slot.is_none() {
            let team = &own.name;
            let why = localized!(
                "too many operations of team '{team}' are running",
                "团队 '{team}' 正在进行的操作过多"
            );
            let retry_after_ms = Some(RETRY_AFTER_MS);
            return Err(Box::new(failed(&Refused { why, retry_after_ms }, &cx)));
        }
        let view = cx.teams.store.tasks_view().borrow().clone();
        Ok(Self { cx, view, own, slot })
    }

    /// A direct child of the caller's team.
    pub fn child(&self, name: &str) -> Result<&OrgTeam, Refused> {
        let (org, own) = (&self.cx.teams.org, &self.own.name);
        let wanted = TeamName::new(name);
        let shown: String = name.chars().take(TeamName::MAX).collect();
        let Some(team) = org.team(&wanted) else {
            return Err(localized!("Team '{shown}' not found", "没有找到团队 '{shown}'").into());
        };
        if team.parent.as_ref() != Some(own) {
            let (team, of) = (team.name.clone(), own.clone());
            return Err(OrgRefusal::NotAChild { team, of }.into());
        }
        if self.view.status_of(&team.name) == TeamStatus::ShuttingDown {
            return Err(OrgRefusal::ShuttingDown(team.name.clone()).into());
        }
        Ok(team)
    }
}

pub(super) fn failed(reason: &Refused, cx: &ToolCx) -> ToolOutcome {
    let mut answer = json!({ "success": false, "error": reason.why.in_lang(cx.lang) });
    if let (Some(retry_after_ms), Some(answer)) = (reason.retry_after_ms, answer.as_object_mut()) {
        answer.insert("retry_after_ms".to_owned(), retry_after_ms.into());
    }
    ToolOutcome::failed(answer.to_string())
}

/// The outcome of a call: `success` comes first.
pub(super) fn finished(done: Result<Value, Refused>, cx: &ToolCx) -> ToolOutcome {
    match done {
        Ok(value) => ToolOutcome::done(value.to_string()),
        Err(reason) => failed(&reason, cx),
    }
}
