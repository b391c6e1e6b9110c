//! `spawn_team`, `update_team`, `shutdown_team`: changes of the teams below, by leads alone. Whether a person has to approve or to
//! know follows from the autonomy of the caller.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::call::{Refused, TeamCall, finished};
use crate::domain::autonomy::{DecisionKind, DecisionPolicy};
use crate::domain::history::gates::gate;
use crate::domain::inquiry::Inquiry;
use crate::domain::inquiry::approval::WrittenDecision;
use crate::domain::news::{NewNotice, NewsLevel};
use crate::domain::org_change::{
    ChangePreview, Changed, NewTeam, OrgChange, Requester, shown_name,
};
use crate::domain::text::{Localized, Text, in_lang};
use crate::domain::{Lang, TaskId, TeamName, hex};
use crate::tools::outcome::{DecisionOutcome, MadeDecision, StateChange, ToolOutcome};
use crate::tools::task_store::teams_are_gone;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

pub(super) const SPAWN: &str = "spawn_team";
const UPDATE: &str = "update_team";
const SHUTDOWN: &str = "shutdown_team";
/// Calls that ask a person before they act, if they have to.
pub(super) const NAMES: [&str; 3] = [SPAWN, UPDATE, SHUTDOWN];

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SpawnArgs {
    name: String,
    description: Option<String>,
    scope_accepts: Vec<String>,
    init_context: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateArgs {
    team: String,
    scope_add: Option<Vec<String>>,
    scope_remove: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShutdownArgs {
    name: String,
    cascade: Option<bool>,
}

pub(super) fn spawn_team() -> Arc<dyn Tool> {
    typed::asynchronous(
        SPAWN,
        |lang| Text::of_document(include_str!("spawn_team.md")).in_lang(lang),
        async |cx: ToolCx, args: SpawnArgs| {
            let of = |call: &TeamCall| {
                let clean = |text: Option<String>| call.cx.keys.redacted(text.unwrap_or_default());
                let scope = args.scope_accepts.into_iter();
                let context = clean(args.init_context);
                Ok(OrgChange::Spawn(NewTeam {
                    name: args.name,
                    parent: call.own.name.clone(),
                    description: clean(args.description),
                    scope: scope.map(|word| call.cx.keys.redacted(word)).collect(),
                    context,
                    by: call.requester(),
                }))
            };
            changed(cx, SPAWN, of).await
        },
    )
}

pub(super) fn update_team() -> Arc<dyn Tool> {
    typed::asynchronous(
        UPDATE,
        |lang| Text::of_document(include_str!("update_team.md")).in_lang(lang),
        async |cx: ToolCx, args: UpdateArgs| {
            let of = |call: &TeamCall| {
                let words = |words: Option<Vec<String>>| -> Vec<String> {
                    let words = words.into_iter().flatten();
                    words.map(|word| call.cx.keys.redacted(word)).collect()
                };
                Ok(OrgChange::Update {
                    team: TeamName::new(args.team),
                    add: words(args.scope_add),
                    remove: words(args.scope_remove),
                    by: call.requester(),
                })
            };
            changed(cx, UPDATE, of).await
        },
    )
}

pub(super) fn shutdown_team() -> Arc<dyn Tool> {
    typed::asynchronous(
        SHUTDOWN,
        |lang| Text::of_document(include_str!("shutdown_team.md")).in_lang(lang),
        async |cx: ToolCx, args: ShutdownArgs| {
            let of = |call: &TeamCall| {
                let (team, cascade) = (TeamName::new(args.name), args.cascade.unwrap_or_default());
                Ok(OrgChange::Shutdown { team, cascade, by: call.requester() })
            };
            changed(cx, SHUTDOWN, of).await
        },
    )
}

async fn changed(
    cx: ToolCx,
    action: &str,
    of: impl FnOnce(&TeamCall) -> Result<OrgChange, Refused>,
) -> ToolOutcome {
    let call = match TeamCall::new(cx) {
        Ok(call) => call,
        Err(failed) => return *failed,
    };
    let done = match of(&call) {
        Ok(change) => call.change(action, change).await,
        Err(refused) => Err(refused),
    };
    match done {
        Ok(Done::Made { answer, change }) => {
            let outcome = finished(Ok(answer), &call.cx);
            ToolOutcome { changes: change.into_iter().collect(), ..outcome }
        }
        // Its text names the question, which whoever asks it knows.
        Ok(Done::Asked(change)) => ToolOutcome::changed("", *change),
        Err(refused) => finished(Err(refused), &call.cx),
    }
}

enum Done {
    Made { answer: Value, change: Option<StateChange> },
    Asked(Box<StateChange>),
}

impl TeamCall {
    fn requester(&self) -> Requester {
        Requester {
            team: Some(self.own.name.clone()),
            origin: Some(self.cx.dialog.clone()),
            cause: self.view.cause(&self.cx.dialog.root),
            lang: self.cx.lang,
        }
    }

    async fn change(&self, action: &str, change: OrgChange) -> Result<Done, Refused> {
        let store = &self.cx.teams.store;
        let kind = DecisionKind::OrgChanges;
        let policy = self.cx.autonomy.policy(kind).unwrap_or(DecisionPolicy::NotifyAndProceed);
        let about = statement(&change, self.cx.lang);
        if policy == DecisionPolicy::RequiresApproval {
            let preview = store.preview_change(change.clone()).await??;
            let gate = gate(action, &digest(&change, &preview));
            if !self.cx.approved.contains(&gate) {
                let written = WrittenDecision {
                    description: question(&change, self.cx.lang),
                    // One that is too long to be shown is not asked about.
                    diff: Some(preview.diff),
                    gate: Some(gate),
                    ..WrittenDecision::default()
                };
                let now = self.cx.clock.now();
                let asked = Inquiry::of_decision(kind, written, &now, self.cx.lang);
                let asked = asked.map_err(|fault| Localized::of(|lang| fault.text(lang)))?;
                let outcome = DecisionOutcome::Asked(Box::new(asked));
                return Ok(Done::Asked(Box::new(StateChange::Decision { kind, outcome })));
            }
        }
        let mut answer = match store.change_teams(change).await?? {
            Changed::Spawned { team, task } => self.spawned(&team, &task),
            Changed::Updated(scope) => json!({ "success": true, "scope": scope }),
            Changed::Closing(teams) => {
                let removed = json!({ "success": true, "removed": teams });
                if teams_are_gone(store.as_ref(), &teams).await {
                    removed
                } else {
                    with(removed, "status", "shutting down".into())
                }
            }
        };
        let made = MadeDecision { description: about.clone(), option: None };
        let outcome = match policy {
            // The person who approved it knows.
            DecisionPolicy::RequiresApproval => None,
            DecisionPolicy::Automated => Some(DecisionOutcome::Made(made)),
            DecisionPolicy::NotifyAndProceed => {
                if let Err(reason) = self.tell_of(&about).await {
                    answer = with(answer, "warning", reason.in_lang(self.cx.lang).into());
                }
                Some(DecisionOutcome::Notified(made))
            }
        };
        let change = outcome.map(|outcome| StateChange::Decision { kind, outcome });
        Ok(Done::Made { answer, change })
    }

    fn spawned(&self, team: &TeamName, task: &TaskId) -> Value {
        let lang = self.cx.lang;
        let name = shown_name(team.as_str());
        let message = in_lang!(
            lang,
            "{name} team is being set up — I'll let you know when it's ready.",
            "{name} 团队正在建立——准备就绪后我会告诉你。"
        );
        json!({
            "success": true,
            "status": "queued",
            "team": team,
            "bootstrap_task_id": task,
            "message_for_user": message,
        })
    }

    async fn tell_of(&self, about: &str) -> Result<(), Localized> {
        let cx = &self.cx;
        let from = (cx.caller.clone(), cx.dialog.clone(), cx.call.clone());
        let text = format!("[{}] {about}", self.own.name);
        match NewNotice::of(from, NewsLevel::Info, (None, &text)) {
            Some(notice) => cx.news.add(notice).await.map(drop),
            None => Ok(()),
        }
    }
}

fn with(mut answer: Value, key: &str, value: Value) -> Value {
    if let Some(fields) = answer.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
    answer
}

/// What a person is asked about a change.
fn question(change: &OrgChange, lang: Lang) -> String {
    match change {
        OrgChange::Spawn(NewTeam { name, parent, .. }) => {
            in_lang!(
                lang,
                "Make the team {name} below {parent}?",
                "在 {parent} 之下建立团队 {name} 吗？"
            )
        }
        OrgChange::Update { team, .. } => {
            in_lang!(lang, "Change what the team {team} is for?", "更改团队 {team} 的职责吗？")
        }
        OrgChange::Shutdown { team, cascade: false, .. } => {
            in_lang!(lang, "Shut down the team {team}?", "关闭团队 {team} 吗？")
        }
        OrgChange::Shutdown { team, cascade: true, .. } => in_lang!(
            lang,
            "Shut down the team {team} with all below it?",
            "关闭团队 {team} 及其所有下级吗？"
        ),
    }
}

/// What a person is told of a change.
fn statement(change: &OrgChange, lang: Lang) -> String {
    match change {
        OrgChange::Spawn(NewTeam { name, parent, .. }) => {
            in_lang!(
                lang,
                "made the team {name} below {parent}",
                "在 {parent} 之下建立了团队 {name}"
            )
        }
        OrgChange::Update { team, .. } => {
            in_lang!(lang, "changed what the team {team} is for", "更改了团队 {team} 的职责")
        }
        OrgChange::Shutdown { team, cascade: false, .. } => {
            in_lang!(lang, "shut down the team {team}", "关闭了团队 {team}")
        }
        OrgChange::Shutdown { team, cascade: true, .. } => in_lang!(
            lang,
            "shut down the team {team} with all below it",
            "关闭了团队 {team} 及其所有下级"
        ),
    }
}

/// Names a change: what was asked for, what that does to the files, and what they are before.
fn digest(change: &OrgChange, preview: &ChangePreview) -> String {
    let words = match change {
        OrgChange::Spawn(NewTeam { name, description, scope, context, .. }) => {
            json!([name, description, scope, context])
        }
        OrgChange::Update { team, add, remove, .. } => json!([team, add, remove]),
        OrgChange::Shutdown { team, cascade, .. } => json!([team, cascade]),
    };
    let ChangePreview { diff, basis } = preview;
    hex(&Sha256::digest(format!("{words}\n{basis}\n{diff}")))
}
