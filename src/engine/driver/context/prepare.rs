//! Prepares a generation: the member's mind, its model, its tools, the context.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::asking::autonomy::{ChosenAutonomy, MemberAutonomy};
use crate::domain::dialogs::history::gates;
use crate::domain::dialogs::reminder::ReminderScope;
use crate::domain::models::context_health::ContextLimits;
use crate::domain::models::team::Member;
use crate::domain::reading::overview::Overview;
use crate::domain::text::{Localized, localized};
use crate::domain::{
    ArtifactRef, Dialog, DialogTree, Layout, Reminder, SelfId, SideDialogLimits, TeamName,
};
use crate::driver::calls::asking_rules::AskingRules;
use crate::driver::calls::fresh_boots;
use crate::driver::calls::tellask::TeamNames;
use crate::driver::shared::blocking::BlockingThread;
use crate::driver::shared::engine::Engine;
use crate::driver::shared::keep_going::KeepGoingPolicy;
use crate::driver::steps::reminders;
use crate::llm::{ModelParams, Provider, Request, ToolSchema};
use crate::minds::{ApiType, DialogRole, Minds, RetryConfig, taskdoc};
use crate::protocol::Refusal;
use crate::tools::{
    CallWatch, ReminderView, TeamPlace, ToolCx, ToolSubset, asks_first, decision_tool,
    memory_tools, notify_tool, recent_tools, team_tools, vault_tools,
};

use super::call_schemas;
use super::messages::{self, ContextPreamble};
use super::params;
use super::rights::{self, Rights};
use super::shown_images::CourseImages;
use super::skills::with_skills;
use super::usage::{ContextPart, ContextUsage, estimate_tokens};

/// Everything needed for a request to a member's model.
#[derive(Debug)]
pub struct PreparedMember {
    pub provider: Arc<dyn Provider>,
    pub provider_key: String,
    api_type: ApiType,
    pub max_concurrent: NonZeroUsize,
    pub retry: RetryConfig,
    pub model: String,
    pub limits: Option<ContextLimits>,
    pub policy: KeepGoingPolicy,
    pub tools: Arc<ToolSubset>,
    pub tool_cx: ToolCx,
    /// The reminders all dialogs of the member share.
    shared: Vec<Reminder>,
    /// State of the side dialogs, for a main dialog.
    overview: Option<String>,
    minds: Arc<Minds>,
    member: Member,
    role: DialogRole,
    /// That of the tree.
    layout: Layout,
    output_limit: Option<u32>,
    /// The team whose memories the member has.
    pub memory_team: Option<TeamName>,
    /// What that team remembered when the course began.
    pub memory: Option<Arc<str>>,
    no_tool_choice: bool,
    supports_thinking: Option<bool>,
    default_thinking: Option<bool>,
}

/// Looks up member, provider, model and tools. The error says to the user why the member's model cannot be
/// asked.
pub fn prepare_member(
    engine: &Engine,
    tree: &DialogTree,
    dialog_id: &SelfId,
    on: &BlockingThread,
) -> Result<PreparedMember, Localized> {
    let dialog = tree.get(dialog_id).ok_or(Refusal::NoSuchDialog)?;
    let minds = engine.minds(on);
    let agent = &dialog.meta.agent_id;
    let member = minds.member(agent).cloned().ok_or_else(|| {
        localized!(
            "@{agent} is not in .minds/team.yaml; add the member or use another dialog",
            "@{agent} 不在 .minds/team.yaml 中：请添加该成员，或使用其他对话"
        )
    })?;
    let (config, model, key) = minds
        .model_for(&member, dialog.latest.chosen_model.as_ref(), engine.env)
        .map_err(|problem| problem.message())?;
    let provider = engine.providers.provider(config).map_err(|error| error.message())?;
    let is_main = tree.is_main(dialog_id);
    let role = role_of(dialog, is_main);
    // Fresh-boots reasoning has no tools for reminders, and gets none.
    let mut offered = engine.sources.registry(&engine.tools);
    for (server, manual) in minds.mcp().manuals() {
        offered.describe(server, manual);
    }
    let Rights { tools, access } = rights::rights_of(dialog, tree, &minds, &offered);
    let autonomy = minds.hive().autonomy_in(agent, chosen_autonomy(engine, tree, dialog, on));
    let tools = if minds.hive().is_configured { tools.with_tool(notify_tool()) } else { tools };
    let tools = if autonomy.is_configured() { tools.with_tool(decision_tool()) } else { tools };
    let of_team = team_tools(minds.hive().org(), agent, minds.hive().has_file());
    let asks_first = of_team.iter().any(|tool| asks_first(&tool.spec().name));
    let approved = asks_first.then(|| gates::approved(dialog.history.entries.iter()));
    let of_vault =
        if minds.hive().has_vault() { vault_tools(minds.hive().org(), agent) } else { Vec::new() };
    let tools = of_team.into_iter().chain(of_vault).fold(tools, ToolSubset::with_tool);
    let memory_team = minds.hive().memory_team(agent).filter(|_| role != DialogRole::FreshBoots);
    let of_memory = memory_team.map(memory_tools).unwrap_or_default();
    let tools = of_memory.into_iter().fold(tools, ToolSubset::with_tool);
    let memory_team = memory_team.map(|team| team.name.clone());
    let tools = with_skills(tools, &minds, agent);
    let recent = if tree.layout.has_recent_rules() { recent_tools(is_main) } else { Vec::new() };
    let tools = recent.into_iter().fold(tools, ToolSubset::with_tool);
    let (tools, shared) = match role {
        DialogRole::Main | DialogRole::Side => {
            // The tree has just reported what cannot be read.
            (tools, reminders::shared_in(&engine.store, tree.layout, &dialog.meta, on))
        }
        DialogRole::FreshBoots => (ToolSubset::default(), Vec::new()),
    };
    let prepared = PreparedMember {
        provider,
        provider_key: config.key.clone(),
        api_type: config.api_type.clone(),
        max_concurrent: config.connection.max_concurrent,
        retry: config.retry,
        model: key.to_owned(),
        limits: model.limits(),
        policy: KeepGoingPolicy::new(&minds, member.diligence_push_max, model.caution_cadence),
        no_tool_choice: model.supports_tool_choice == Some(false),
        supports_thinking: model.supports_thinking,
        default_thinking: model.default_thinking,
        output_limit: model.output_length.and_then(|tokens| u32::try_from(tokens).ok()),
        tools: Arc::new(tools),
        tool_cx: ToolCx {
            sees_images: config.sends_images_to(model),
            keys: engine.secrets_for(&minds, agent),
            access: Arc::new(access),
            autonomy,
            approved: approved.unwrap_or_default().into(),
            teams: TeamPlace {
                org: Arc::clone(minds.hive().org()),
                triggers: Arc::clone(minds.hive().triggers()),
                store: engine.hive.clone(),
                handoff: minds.hive().handoff,
                query_time: minds.hive().query_time,
                calls: engine.team_calls.clone(),
            },
            ..tool_cx(engine, tree, dialog, &shared, &member)
        },
        shared,
        overview: is_main.then(|| engine.texts().overview(&Overview::of(tree))).flatten(),
        role,
        layout: tree.layout,
        member,
        minds,
        memory_team,
        memory: None,
    };
    Ok(prepared)
}

/// The level that a person chose for the dialog. Nobody has agreed to it where its files came from elsewhere.
fn chosen_autonomy(
    engine: &Engine,
    tree: &DialogTree,
    dialog: &Dialog,
    _on: &BlockingThread,
) -> Option<ChosenAutonomy> {
    let level = dialog.latest.chosen_autonomy?;
    let is_agreed = engine.trust.lets_decide(&tree.id(&dialog.meta.id), level);
    Some(ChosenAutonomy { level, is_agreed })
}

fn role_of(dialog: &Dialog, is_main: bool) -> DialogRole {
    if dialog.is_fresh_boots() {
        DialogRole::FreshBoots
    } else if is_main {
        DialogRole::Main
    } else {
        DialogRole::Side
    }
}

impl PreparedMember {
    /// The configuration used for the preparation.
    pub fn minds(&self) -> &Minds {
        &self.minds
    }

    /// The members that can be asked, and the limits for that.
    pub fn team_names(&self, side_dialog_limits: SideDialogLimits) -> TeamNames {
        let (team, hive) = (self.minds.team(), self.minds.hive());
        TeamNames {
            all: team.members.iter().map(|member| member.id.to_string()).collect(),
            visible: team.visible().map(|member| member.id.to_string()).collect(),
            own_effort: self.member.fbr_effort,
            side_dialog_limits,
            asking: AskingRules {
                source: hive.source_of(&self.member.id),
                most_confirmations: hive.most_confirmations,
            },
        }
    }

    /// The request for the current state of the dialog.
    pub fn request(&self, engine: &Engine, dialog: &Dialog, on: &BlockingThread) -> Request {
        let tools = self.tool_schemas(engine, dialog);
        let names = names(&tools);
        let images = self.images(engine, dialog, on);
        Request {
            model: self.model.clone(),
            system: self.minds.system_prompt(
                &self.member,
                self.role,
                &names,
                self.memory.as_deref(),
                &self.tool_cx.autonomy,
            ),
            messages: messages::messages(
                dialog,
                ContextPreamble {
                    memories: self.memories(engine, &names),
                    taskdoc: Some(taskdoc_text(engine, dialog, on)),
                    layout: self.layout,
                    shared: &self.shared,
                    overview: self.overview.clone(),
                },
                &images,
                engine.texts(),
            ),
            tools,
            streaming: self.member.streaming,
            params: self.params(dialog),
            output_limit: self.output_limit,
        }
    }

    /// That request as it is sent: with the values that models of the team may read.
    pub fn sent_request(&self, engine: &Engine, dialog: &Dialog, on: &BlockingThread) -> Request {
        let request = self.request(engine, dialog, on);
        let messages = messages::with_readable_values(request.messages, &self.tool_cx.keys);
        Request { messages, ..request }
    }

    /// The context usage of that request.
    pub fn context_usage(
        &self,
        engine: &Engine,
        dialog: &Dialog,
        on: &BlockingThread,
    ) -> ContextUsage {
        let request = self.request(engine, dialog, on);
        let names = names(&request.tools);
        let (layout, texts) = (self.layout, engine.texts());
        let all = dialog.reminders.iter().chain(&self.shared);
        let shown = messages::shown_reminders(all, layout).0.into_iter();
        ContextUsage::of(
            &request,
            &[
                (ContextPart::Taskdoc, estimate_tokens(&taskdoc_text(engine, dialog, on))),
                (
                    ContextPart::Reminders,
                    shown.map(|one| estimate_tokens(&texts.reminder(one, layout))).sum(),
                ),
                (
                    ContextPart::Memories,
                    self.memories(engine, &names).iter().map(|m| estimate_tokens(m)).sum(),
                ),
            ],
        )
    }

    fn memories(&self, engine: &Engine, tool_names: &[String]) -> Vec<String> {
        self.minds.memories(&self.member.id, tool_names, &|at| engine.clock.stamp(at))
    }

    /// The images of the course that the model is shown.
    fn images(&self, engine: &Engine, dialog: &Dialog, _on: &BlockingThread) -> CourseImages {
        let limits = self.tool_cx.sees_images.then(|| self.api_type.image_limits());
        let read = |of: &ArtifactRef, max_bytes| engine.store.artifact(of, max_bytes);
        CourseImages::of(dialog.history.entries.iter(), limits, &read, engine.texts())
    }

    fn params(&self, dialog: &Dialog) -> ModelParams {
        let params = match self.role {
            DialogRole::Main | DialogRole::Side => &self.member.params,
            DialogRole::FreshBoots => &self.member.fbr_params,
        };
        let cache_key = format!("{}:c{}", dialog.meta.id, dialog.history.course);
        let params = params::params(params, &self.api_type, cache_key);
        let params = if self.api_type == ApiType::Google {
            params::with_thinking(params, self.supports_thinking, self.default_thinking)
        } else {
            params
        };
        ModelParams { no_tool_choice: self.no_tool_choice, ..params }
    }

    fn tool_schemas(&self, engine: &Engine, dialog: &Dialog) -> Vec<ToolSchema> {
        let mut schemas: Vec<ToolSchema> = self
            .tools
            .specs()
            .map(|spec| ToolSchema {
                name: spec.name.to_string(),
                description: spec.description.text(engine.lang).to_owned(),
                parameters: spec.parameters.clone(),
            })
            .collect();
        let texts = engine.texts();
        schemas.extend(match self.role {
            DialogRole::Main => call_schemas::special_calls(true, self.layout, texts),
            DialogRole::Side => call_schemas::special_calls(false, self.layout, texts),
            DialogRole::FreshBoots => fresh_boots::phase(dialog)
                .map(|phase| call_schemas::conclusions(phase, texts))
                .unwrap_or_default(),
        });
        schemas
    }
}

fn names(tools: &[ToolSchema]) -> Vec<String> {
    tools.iter().map(|tool| tool.name.clone()).collect()
}

/// The Taskdoc as the model reads it, or the error.
fn taskdoc_text(engine: &Engine, dialog: &Dialog, _on: &BlockingThread) -> String {
    match taskdoc::read(&engine.workspace, &dialog.meta.task_doc_path) {
        Ok(doc) => taskdoc::render(&doc, engine.lang),
        Err(error) => engine.texts().taskdoc_unreadable(&error.to_string()),
    }
}

fn tool_cx(
    engine: &Engine,
    tree: &DialogTree,
    dialog: &Dialog,
    shared: &[Reminder],
    member: &Member,
) -> ToolCx {
    let reminders = reminders::visible(dialog, shared).into_iter().map(|reminder| ReminderView {
        scope: ReminderScope::of(&reminder.scope),
        id: reminder.id,
        content: reminder.content,
        owner: reminder.owner_name,
        meta: reminder.meta,
    });
    ToolCx {
        caller: member.id.clone(),
        dialog: tree.id(&dialog.meta.id),
        sees_images: true,
        workspace: Arc::from(engine.workspace.as_path()),
        root: None,
        access: Arc::default(),
        toolsets: Arc::default(),
        taskdoc: Some(PathBuf::from(&dialog.meta.task_doc_path)),
        main_dialog: tree.is_main(&dialog.meta.id),
        reminders: reminders.collect(),
        shells: engine.shells.clone(),
        keys: Arc::default(),
        autonomy: MemberAutonomy::default(),
        approved: Arc::default(),
        news: engine.hive.clone(),
        teams: TeamPlace::default(),
        call: String::new(),
        watch: CallWatch::default(),
        clock: engine.clock.clone(),
        lang: engine.lang,
        new_id: engine.ids.short(8),
    }
}
