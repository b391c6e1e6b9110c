//! The tools for triggers of the teams below. The lead of the team above manages them; the caller's autonomy
//! says whether a person has to approve what an active trigger does, or is told of it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Refused, TeamCall, finished};
use super::delegate::answer_of;
use super::gated::{Done, Question, digest_of, with};
use crate::domain::asking::autonomy::{DecisionKind, DecisionPolicy};
use crate::domain::teams::task::{Enqueued, Overlap};
use crate::domain::teams::trigger::change::{
    TriggerAnswer, TriggerBasis, TriggerPatch, TriggerRefusal, TriggerRequest, TriggerWish,
    checked, checked_for_enabling, config_of,
};
use crate::domain::teams::trigger::row::{handler, in_force, rows};
use crate::domain::teams::trigger::{
    StoredTrigger, Trigger, TriggerId, TriggerKind, TriggerOverlap, TriggerState,
};
use crate::domain::text::diff::hunks;
use crate::domain::text::{Text, in_lang};
use crate::domain::{AgentId, TeamName};
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

const UPDATE: &str = "update_trigger";
const ENABLE: &str = "enable_trigger";
/// Calls that ask a person before they act, if they have to.
pub(super) const NAMES: [&str; 2] = [UPDATE, ENABLE];

/// Arguments that end with the settings that every trigger may have.
macro_rules! with_settings {
    ($name:ident { $($own:tt)* }) => {
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct $name {
            $($own)*
            subagent: Option<String>,
            skill: Option<String>,
            max_steps: Option<u32>,
            failure_threshold: Option<u32>,
            overlap_policy: Option<TriggerOverlap>,
        }

        impl $name {
            /// The settings, taken out.
            fn settings(&mut self) -> TriggerPatch {
                TriggerPatch {
                    config: None,
                    task: None,
                    member: self.subagent.take().as_deref().map(member),
                    skill: self.skill.take(),
                    max_steps: self.max_steps,
                    failure_threshold: self.failure_threshold,
                    overlap: self.overlap_policy,
                }
            }
        }
    };
}

with_settings! {
    CreateArgs {
        team: String,
        name: String,
        #[serde(rename = "type")]
        kind: TriggerKind,
        config: Value,
        task: String,
    }
}

with_settings! {
    UpdateArgs {
        team: String,
        trigger_name: String,
        config: Option<Value>,
        task: Option<String>,
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SwitchArgs {
    team: String,
    trigger_name: String,
    reason: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TestArgs {
    team: String,
    trigger_name: String,
    max_steps: Option<u32>,
    overlap_policy: Option<Overlap>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListArgs {
    team: String,
}

pub(super) fn create_trigger() -> Arc<dyn Tool> {
    typed::asynchronous(
        "create_trigger",
        |lang| Text::of_document(include_str!("create_trigger.md")).in_lang(lang),
        async |cx: ToolCx, mut args: CreateArgs| {
            let settings = args.settings();
            let create = async |call: &TeamCall| {
                let config = config_of(args.kind, &call.redacted(&args.config))?;
                let trigger = Trigger::new(config, call.cx.keys.redacted(args.task));
                let wish = TriggerWish::Create(Box::new(settings.applied_to(trigger)));
                call.wish((&args.team, args.name), wish).await
            };
            done(cx, create).await
        },
    )
}

pub(super) fn update_trigger() -> Arc<dyn Tool> {
    typed::asynchronous(
        UPDATE,
        |lang| Text::of_document(include_str!("update_trigger.md")).in_lang(lang),
        async |cx: ToolCx, mut args: UpdateArgs| {
            let settings = args.settings();
            let update = async |call: &TeamCall| {
                let (id, old) = call.known(&args.team, &args.trigger_name)?;
                let kind = old.config.kind();
                let config = args.config.map(|config| config_of(kind, &call.redacted(&config)));
                let patch = TriggerPatch {
                    config: config.transpose()?,
                    task: args.task.map(|task| call.cx.keys.redacted(task)),
                    ..settings
                };
                if patch.is_empty() {
                    return Err(TriggerRefusal::Nothing.into());
                }
                let new = patch.clone().applied_to(old.clone());
                let wish = TriggerWish::Update(Box::new(patch));
                let state = call.state_of(&id);
                if state == TriggerState::Active {
                    call.check(&id, &new)?;
                    return call.gated((UPDATE, &id), (Some(&old), &new), wish).await;
                }
                // A trigger that is enabled meanwhile is not changed.
                let basis = Some(TriggerBasis { definition: old, state });
                let answer = call.change_trigger((&args.team, id.name), basis, wish).await?;
                Ok(Done::Made { answer, change: None })
            };
            done(cx, update).await
        },
    )
}

pub(super) fn enable_trigger() -> Arc<dyn Tool> {
    typed::asynchronous(
        ENABLE,
        |lang| Text::of_document(include_str!("enable_trigger.md")).in_lang(lang),
        async |cx: ToolCx, args: SwitchArgs| {
            let enable = async |call: &TeamCall| {
                let (id, trigger) = call.known(&args.team, &args.trigger_name)?;
                // A person is not asked about a change that would be refused.
                checked_for_enabling(&trigger, call.cx.clock.as_ref())?;
                call.gated((ENABLE, &id), (None, &trigger), TriggerWish::Enable).await
            };
            done(cx, enable).await
        },
    )
}

pub(super) fn disable_trigger() -> Arc<dyn Tool> {
    typed::asynchronous(
        "disable_trigger",
        |lang| Text::of_document(include_str!("disable_trigger.md")).in_lang(lang),
        async |cx: ToolCx, args: SwitchArgs| {
            let disable = async |call: &TeamCall| {
                let reason = args.reason.map(|reason| call.cx.keys.redacted(reason));
                let wish = TriggerWish::Disable { reason };
                call.wish((&args.team, args.trigger_name), wish).await
            };
            done(cx, disable).await
        },
    )
}

pub(super) fn test_trigger() -> Arc<dyn Tool> {
    typed::asynchronous(
        "test_trigger",
        |lang| Text::of_document(include_str!("test_trigger.md")).in_lang(lang),
        async |cx: ToolCx, args: TestArgs| {
            let test = async |call: &TeamCall| {
                let TestArgs { max_steps, overlap_policy: overlap, .. } = args;
                let cause = call.view.cause(&call.cx.dialog.root);
                let wish = TriggerWish::Test { max_steps, overlap, cause, lang: call.cx.lang };
                call.wish((&args.team, args.trigger_name), wish).await
            };
            done(cx, test).await
        },
    )
}

pub(super) fn list_triggers() -> Arc<dyn Tool> {
    typed::asynchronous(
        typed::reads("list_triggers"),
        |lang| Text::of_document(include_str!("list_triggers.md")).in_lang(lang),
        async |cx: ToolCx, args: ListArgs| {
            let call = match TeamCall::begin(cx).await {
                Ok(call) => call,
                Err(failed) => return *failed,
            };
            let listed = call.child(&args.team).map(|team| {
                let (all, clock) = (&call.view.triggers, call.cx.clock.as_ref());
                let rows = rows(&call.cx.teams.triggers, all, clock);
                let rows = rows.iter().filter(|row| row.team == team.name);
                let rows: Vec<Value> = rows.map(|row| row.summary(call.cx.lang)).collect();
                json!({ "success": true, "triggers": rows })
            });
            finished(listed, &call.cx)
        },
    )
}

async fn done(
    cx: ToolCx,
    work: impl AsyncFnOnce(&TeamCall) -> Result<Done, Refused>,
) -> ToolOutcome {
    let call = match TeamCall::begin(cx).await {
        Ok(call) => call,
        Err(failed) => return *failed,
    };
    let done = work(&call).await;
    call.ended(done)
}

fn member(id: &str) -> AgentId {
    AgentId::new(id.trim_start_matches('@'))
}

impl From<TriggerRefusal> for Refused {
    fn from(refusal: TriggerRefusal) -> Self {
        refusal.text().into()
    }
}

impl TeamCall {
    /// A value without secrets.
    fn redacted(&self, value: &Value) -> Value {
        let text = self.cx.keys.redacted(value.to_string());
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }

    /// A trigger of a team below, with its definition.
    fn known(&self, team: &str, name: &str) -> Result<(TriggerId, Trigger), Refused> {
        let team = self.child(team)?.name.clone();
        let id = TriggerId { team, name: name.to_owned() };
        let not_found = || TriggerRefusal::NotFound(name.chars().take(TeamName::MAX).collect());
        let file = self.cx.teams.triggers.get(&id).ok_or_else(not_found)?;
        let stored = self.stored(&id);
        let trigger = in_force(file.as_ref(), stored);
        Ok((id, trigger.ok_or_else(not_found)?))
    }

    fn stored(&self, id: &TriggerId) -> Option<&StoredTrigger> {
        self.view.triggers.iter().find(|stored| stored.id == *id)
    }

    fn state_of(&self, id: &TriggerId) -> TriggerState {
        self.stored(id).map_or(TriggerState::Pending, |stored| stored.state)
    }

    /// Refuses a change before a person is asked about it.
    fn check(&self, id: &TriggerId, new: &Trigger) -> Result<(), Refused> {
        checked(new.clone(), self.child(id.team.as_str())?)?;
        handler(new, self.cx.clock.as_ref()).map_err(TriggerRefusal::CannotRun)?;
        Ok(())
    }

    /// Does what changes what fires, if the caller may.
    async fn gated(
        &self,
        (action, id): (&'static str, &TriggerId),
        (old, new): (Option<&Trigger>, &Trigger),
        wish: TriggerWish,
    ) -> Result<Done, Refused> {
        let kind = DecisionKind::TriggerChanges;
        let diff = difference(id, old, new);
        if self.policy(kind) == DecisionPolicy::RequiresApproval {
            let text = if old.is_some() {
                in_lang!(
                    self.cx.lang,
                    "Change the active trigger {id}?",
                    "更改已启用的触发器 {id} 吗？"
                )
            } else {
                in_lang!(self.cx.lang, "Enable the trigger {id}?", "启用触发器 {id} 吗？")
            };
            let digest = digest_of(&format!("{id}\n{diff}"));
            let asked = self.question(Question { kind, action, digest, text, diff })?;
            if let Some(asked) = asked {
                return Ok(asked);
            }
        }
        let definition = old.unwrap_or(new).clone();
        let basis = Some(TriggerBasis { definition, state: self.state_of(id) });
        let of = (id.team.as_str(), id.name.clone());
        let answer = self.change_trigger(of, basis, wish).await?;
        let about = if old.is_some() {
            in_lang!(self.cx.lang, "changed the active trigger {id}", "更改了已启用的触发器 {id}")
        } else {
            in_lang!(self.cx.lang, "enabled the trigger {id}", "启用了触发器 {id}")
        };
        Ok(self.made(kind, about, answer).await)
    }

    /// Makes a change that a person need not know.
    async fn wish(&self, of: (&str, String), wish: TriggerWish) -> Result<Done, Refused> {
        let answer = self.change_trigger(of, None, wish).await?;
        Ok(Done::Made { answer, change: None })
    }

    async fn change_trigger(
        &self,
        (team, name): (&str, String),
        basis: Option<TriggerBasis>,
        wish: TriggerWish,
    ) -> Result<Value, Refused> {
        let team = self.child(team)?.name.clone();
        let is_switched = matches!(wish, TriggerWish::Enable | TriggerWish::Disable { .. });
        let by = Some(self.own.name.clone());
        let request = TriggerRequest { team: team.clone(), name, by, basis, wish };
        match self.cx.teams.store.change_trigger(request).await?? {
            TriggerAnswer::Is { state, fault } => {
                let answer = json!({ "success": true, "state": state });
                if !is_switched {
                    return Ok(answer);
                }
                let running = state == TriggerState::Active && fault.is_none();
                let answer = with(answer, "running", running.into());
                Ok(match fault {
                    Some(fault) => with(answer, "warning", fault.in_lang(self.cx.lang).into()),
                    None => answer,
                })
            }
            TriggerAnswer::Tested(Enqueued::Queued(id)) => {
                Ok(json!({ "success": true, "taskId": id }))
            }
            TriggerAnswer::Tested(other) => answer_of(other, &team),
        }
    }
}

/// Returns the unified diff of a definition; all of it for a trigger that did nothing before.
fn difference(id: &TriggerId, old: Option<&Trigger>, new: &Trigger) -> String {
    let text = |trigger: &Trigger| serde_json::to_string_pretty(trigger).unwrap_or_default() + "\n";
    let (old, new) = (old.map(text).unwrap_or_default(), text(new));
    let mut diff = format!("--- {id}\n+++ {id}\n");
    for hunk in hunks(&old, &new) {
        hunk.write(&mut diff);
    }
    diff
}
