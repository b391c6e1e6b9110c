//! `spawn_team`, `update_team`, `shutdown_team`: changes of the teams below, by leads alone. Whether a person has to approve or to
//! know follows from the autonomy of the caller.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Refused, TeamCall};
use super::gated::{Done, Question, digest_of, with};
use super::members;
use crate::domain::asking::autonomy::{DecisionKind, DecisionPolicy};
use crate::domain::teams::org_change::{
    ChangePreview, Changed, NewMember, NewSkill, NewTeam, OrgChange, Requester, shown_name,
};
use crate::domain::teams::task::{ActiveTask, TaskKind};
use crate::domain::text::{Text, in_lang};
use crate::domain::{Lang, TaskId, TeamName};
use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::{Tool, ToolCx};
use crate::tools::typed;

pub(super) const SPAWN: &str = "spawn_team";
const UPDATE: &str = "update_team";
const SHUTDOWN: &str = "shutdown_team";
/// Calls that ask a person before they act, if they have to.
pub(super) const NAMES: [&str; 3] = [SPAWN, UPDATE, SHUTDOWN];

/// What the caller does next, so that a person knows that the team is not there yet.
const RELAY: Text =
    Text::new("tell the user what message_for_user says", "请把 message_for_user 的内容转告用户");

/// A member that knows a value must not spread it.
const NO_CREDENTIALS: Text = Text::new(
    "credentials are set by a person: dominds-tui vault set",
    "凭据由人设置：dominds-tui vault set",
);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SpawnArgs {
    name: String,
    description: Option<String>,
    scope_accepts: Vec<String>,
    init_context: Option<String>,
    /// Refused: it is not offered.
    #[schemars(skip)]
    credentials: Option<Value>,
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
                if args.credentials.is_some() {
                    return Err(NO_CREDENTIALS.into());
                }
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

pub(super) async fn changed(
    cx: ToolCx,
    action: &'static str,
    of: impl FnOnce(&TeamCall) -> Result<OrgChange, Refused>,
) -> ToolOutcome {
    let call = match TeamCall::begin(cx).await {
        Ok(call) => call,
        Err(failed) => return *failed,
    };
    let done = match of(&call) {
        Ok(change) => call.change(action, change).await,
        Err(refused) => Err(refused),
    };
    call.ended(done)
}

impl TeamCall {
    pub(super) fn requester(&self) -> Requester {
        Requester {
            team: Some(self.own.name.clone()),
            origin: Some(self.cx.dialog.clone()),
            cause: self.view.cause(&self.cx.dialog.root),
            lang: self.cx.lang,
        }
    }

    /// True for the first task of a new team: what that makes was approved with the team.
    fn is_setting_up(&self) -> bool {
        let is_first = |active: &ActiveTask| {
            let task = &active.task;
            task.kind == TaskKind::Bootstrap
                && task.team == self.own.name
                && active.root == self.cx.dialog.root
        };
        self.view.active.iter().any(is_first)
    }

    async fn change(&self, action: &'static str, change: OrgChange) -> Result<Done, Refused> {
        let store = &self.cx.teams.store;
        let kind = DecisionKind::OrgChanges;
        let about = statement(&change, self.cx.lang);
        let is_part_of_team = members::NAMES.contains(&action) && self.is_setting_up();
        if self.policy(kind) == DecisionPolicy::RequiresApproval && !is_part_of_team {
            let preview = store.preview_change(change.clone()).await??;
            let question = Question {
                kind,
                action,
                digest: digest(&change, &preview),
                text: question(&change, self.cx.lang),
                diff: preview.diff,
            };
            if let Some(asked) = self.question(question)? {
                return Ok(asked);
            }
        }
        let answer = match store.change_teams(change).await?? {
            Changed::Spawned { team, task } => self.spawned(&team, &task),
            Changed::Updated(scope) => json!({ "success": true, "scope": scope }),
            Changed::Closing(teams) => {
                let removed = json!({ "success": true, "removed": teams });
                if store.teams_are_gone(&teams).await {
                    removed
                } else {
                    with(removed, "status", "shutting down".into())
                }
            }
            Changed::Defined(member) => json!({ "success": true, "member": member }),
            Changed::Saved(path) => json!({ "success": true, "path": path }),
        };
        Ok(self.made(kind, about, answer).await)
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
            "note": RELAY.in_lang(lang),
        })
    }
}

/// Returns the question about a change, for a person.
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
        OrgChange::DefineMember(NewMember { id, .. }) => {
            in_lang!(lang, "Make the member {id} of this team?", "为本团队添加成员 {id} 吗？")
        }
        OrgChange::SaveSkill(NewSkill { name, .. }) => {
            in_lang!(lang, "Write the skill {name}?", "写入技能 {name} 吗？")
        }
    }
}

/// Returns the statement about a change, for a person.
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
        OrgChange::DefineMember(NewMember { id, .. }) => {
            in_lang!(lang, "made the member {id}", "添加了成员 {id}")
        }
        OrgChange::SaveSkill(NewSkill { name, .. }) => {
            in_lang!(lang, "wrote the skill {name}", "写入了技能 {name}")
        }
    }
}

/// Identifies a change: the request, its effect on the files, and the files before it.
fn digest(change: &OrgChange, preview: &ChangePreview) -> String {
    let words = match change {
        OrgChange::Spawn(NewTeam { name, description, scope, context, .. }) => {
            json!([name, description, scope, context])
        }
        OrgChange::Update { team, add, remove, .. } => json!([team, add, remove]),
        OrgChange::Shutdown { team, cascade, .. } => json!([team, cascade]),
        // The new content contains everything else.
        OrgChange::DefineMember(NewMember { id, .. }) => json!(["member", id]),
        OrgChange::SaveSkill(NewSkill { name, .. }) => json!(["skill", name]),
    };
    let ChangePreview { diff, basis } = preview;
    digest_of(&format!("{words}\n{basis}\n{diff}"))
}
