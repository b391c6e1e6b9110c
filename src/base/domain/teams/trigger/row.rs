//! A trigger as lists show it: what its file says, with what the store knows.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::handler::Handler;
use super::window::{Window, WindowConfig};
use super::{StoredTrigger, Trigger, TriggerConfig, TriggerId, TriggerKind, TriggerState};
use crate::domain::ids::{TaskId, TeamName};
use crate::domain::lang::Lang;
use crate::domain::teams::task::TaskStatus;
use crate::domain::text::Localized;
use crate::domain::time::{Clock, Stamp};

/// The definitions of a workspace; `None` for a file that cannot be used.
pub type Definitions = BTreeMap<TriggerId, Option<Trigger>>;

/// One trigger of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TriggerRow {
    pub team: TeamName,
    pub name: String,
    pub state: TriggerState,
    /// What it does now: as its file says, or as it was when the file could be used. `None` if that was never so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Trigger>,
    /// Why it cannot run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Localized>,
    /// Why it is disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Tasks of it that failed, since one did not.
    pub failures: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<Stamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_fired_at: Option<Stamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_status: Option<TaskStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_task: Option<TaskId>,
    /// The state of a window that can run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowNow>,
}

/// What a window does now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowNow {
    pub open: bool,
    /// Since it opened.
    pub ticks: u32,
    /// Tokens that the tasks of these ticks have used.
    pub tokens: u64,
    /// It ticks no more until it opens anew.
    pub used_up: bool,
}

impl WindowNow {
    fn of(
        (window, config): (&Window, &WindowConfig),
        stored: Option<&StoredTrigger>,
        now: SystemTime,
    ) -> Self {
        let opening = window.opening_at(now);
        let used = stored.and_then(|stored| stored.opening);
        let used = used.filter(|used| Some(used.at) == opening);
        let (ticks, tokens) = used.map_or((0, 0), |used| (used.ticks, used.tokens));
        let used_up = used.is_some() && config.limits().are_reached(ticks, tokens);
        Self { open: opening.is_some(), ticks, tokens, used_up }
    }
}

impl TriggerRow {
    /// What the file of a trigger says, `None` if it cannot be used, and what the store knows of it.
    #[must_use]
    pub fn of(
        id: &TriggerId,
        file: Option<&Trigger>,
        stored: Option<&StoredTrigger>,
        clock: &dyn Clock,
    ) -> Self {
        let state = stored.map_or(TriggerState::Pending, |stored| stored.state);
        let definition = in_force(file, stored);
        let handler = definition.as_ref().map(|trigger| handler(trigger, clock));
        let fault = handler.as_ref().and_then(|handler| handler.as_ref().err().cloned());
        let is_active = state == TriggerState::Active;
        let (handler, now) = (handler.and_then(Result::ok), clock.moment());
        let window = handler.as_ref().and_then(Handler::window).zip(match definition.as_ref() {
            Some(Trigger { config: TriggerConfig::Window(config), .. }) => Some(config.as_ref()),
            Some(_) | None => None,
        });
        let window_now = window.map(|window| WindowNow::of(window, stored, now));
        let next = match window.filter(|_| window_now.is_some_and(|now| now.used_up)) {
            Some((window, _)) => window.next_first_tick(now),
            None => handler.as_ref().and_then(|handler| handler.next_after(now)),
        };
        let next = next.filter(|_| is_active);
        Self {
            team: id.team.clone(),
            name: id.name.clone(),
            state,
            definition,
            fault,
            reason: stored.and_then(|stored| stored.reason.clone()),
            failures: stored.map_or(0, |stored| stored.failures),
            next_at: next.map(|at| clock.stamp(at)),
            last_fired_at: stored.and_then(|stored| stored.last_fired).map(|at| clock.stamp(at)),
            last_status: stored.and_then(|stored| stored.last_status),
            last_task: stored.and_then(|stored| stored.last_task.clone()),
            window: window_now,
        }
    }

    /// For a program or a model.
    #[must_use]
    pub fn summary(&self, lang: Lang) -> Value {
        let definition = self.definition.as_ref();
        let config = definition.and_then(|one| serde_json::to_value(&one.config).ok());
        json!({
            "team": self.team,
            "name": self.name,
            "type": self.kind(),
            "config": config.as_ref().and_then(|config| config.get("config")),
            "task": definition.map(|one| &one.task),
            "subagent": definition.and_then(|one| one.member.as_ref()),
            "state": self.state,
            "running": self.is_running(),
            "fault": self.fault.as_ref().map(|fault| fault.in_lang(lang)),
            "reason": self.reason,
            "failures": self.failures,
            "threshold": definition.map(|one| one.failure_threshold),
            "nextAt": self.next_at,
            "lastFiredAt": self.last_fired_at,
            "lastStatus": self.last_status,
            "lastTask": self.last_task,
            "overlapPolicy": definition.map(|one| one.overlap),
            "windowOpen": self.window.map(|window| window.open),
            "ticks": self.window.map(|window| window.ticks),
            "tokens": self.window.map(|window| window.tokens),
        })
    }

    #[must_use]
    pub fn id(&self) -> TriggerId {
        TriggerId { team: self.team.clone(), name: self.name.clone() }
    }

    /// True if it fires when its time comes.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.state == TriggerState::Active && self.fault.is_none() && self.definition.is_some()
    }

    #[must_use]
    pub fn kind(&self) -> Option<TriggerKind> {
        self.definition.as_ref().map(|trigger| trigger.config.kind())
    }

    /// When it fires, in a few words: its schedule, or its pattern.
    #[must_use]
    pub fn when(&self) -> String {
        match self.definition.as_ref().map(|trigger| &trigger.config) {
            Some(TriggerConfig::Schedule { cron, .. }) => cron.clone(),
            Some(TriggerConfig::Keyword { pattern } | TriggerConfig::Message { pattern, .. }) => {
                pattern.clone()
            }
            Some(TriggerConfig::Window(window)) => window.when(),
            None => String::new(),
        }
    }
}

/// What an active trigger does: as its file says; if that cannot be used, as it could last.
#[must_use]
pub fn in_force(file: Option<&Trigger>, stored: Option<&StoredTrigger>) -> Option<Trigger> {
    let kept = || stored.and_then(StoredTrigger::trigger);
    file.cloned().or_else(kept)
}

/// # Errors
/// Why it cannot run.
pub fn handler(trigger: &Trigger, clock: &dyn Clock) -> Result<Handler, Localized> {
    Handler::of(&trigger.config, |name| clock.zone(name))
}

/// The rows of all triggers that have a file.
#[must_use]
pub fn rows(
    definitions: &Definitions,
    stored: &[StoredTrigger],
    clock: &dyn Clock,
) -> Vec<TriggerRow> {
    let row = |(id, file): (&TriggerId, &Option<Trigger>)| {
        let known = stored.iter().find(|stored| stored.id == *id);
        TriggerRow::of(id, file.as_ref(), known, clock)
    };
    definitions.iter().map(row).collect()
}
