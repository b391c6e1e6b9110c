//! Problems of the configuration in `.minds`, reported whenever it is read: at the start, before every
//! generation, and with a screen shortly after a file has changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::safety::trust::{TrustKind, Unagreed};
use crate::domain::teams::org::OrgTeam;
use crate::domain::teams::org_change::TeamStatus;
use crate::domain::teams::trigger::row::Definitions;
use crate::domain::text::{Text, localized};
use crate::domain::{Member, ModelChoice, Problem, Secrets};
use crate::driver::reporting::reports::DriverReport;
use crate::guard::Access;
use crate::minds::{self, Env, HiveConfig, Minds, ModelInfo, ProviderConfig};
use crate::protocol::event::{ConsentView, MAX_LISTED_MODELS, MemberView, ModelView};
use crate::protocol::{ImageSupport, TeamRow};

use super::blocking::BlockingThread;
use super::engine::Engine;

/// Problems of the configuration, given the existing names of tools and toolsets. The same list for the
/// screen, for scripts and for `doctor`.
fn minds_problems(engine: &Engine, minds: &Minds, known: &[&str]) -> Vec<Problem> {
    let mut problems = minds.problems().to_vec();
    problems.extend(minds.missing().map(Problem::warning));
    problems.extend(minds.missing_keys(engine.env));
    problems.extend(minds.unknown_tools(known));
    problems.extend(minds.access_problems(|lists| Access::new(lists).problems().to_vec()));
    problems
}

/// Everything that waits for consent, as problems.
fn consent_problems(waiting: &[Unagreed]) -> impl Iterator<Item = Problem> + use<'_> {
    let (tools, entries): (Vec<&Unagreed>, Vec<&Unagreed>) =
        waiting.iter().partition(|one| one.entry.kind == TrustKind::Tool);
    let entries = entries.into_iter().map(|Unagreed { entry, before }| {
        let (kind, name) = (entry.kind.name(), &entry.name);
        let (file, line) = (minds::trust_file(entry.kind), entry);
        let found = if before.is_some() {
            localized!("{line}: it changed since you agreed to it", "{line}：在你同意之后有改动")
        } else {
            localized!("{line}: nobody has agreed to that", "{line}：还没有人同意")
        };
        let fix = Text::new(
            "run `dominds-tui trust`: it shows all that waits, and you may agree",
            "请运行 `dominds-tui trust`：它会列出等待同意的内容，你可以在那里同意",
        );
        Problem::new(format!("trust/{kind}/{name}"), file, found, fix).warning()
    });
    entries.chain(tool_problems(&tools))
}

/// One problem for all tools of a server that wait.
fn tool_problems(tools: &[&Unagreed]) -> Vec<Problem> {
    let mut servers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (server, tool) in tools.iter().filter_map(|one| one.entry.name.split_once('/')) {
        servers.entry(server).or_default().push(tool);
    }
    let problem = |(server, tools): (&str, Vec<&str>)| {
        let (count, names) = (tools.len(), tools.join(", "));
        let (tool, wait) = if count == 1 {
            ("tool", "has changed or is new, and is missing")
        } else {
            ("tools", "have changed or are new, and are missing")
        };
        let found = localized!(
            "{count} {tool} of {server} {wait} until you agree: {names}",
            "{server} 有 {count} 个工具有变化或是新的，在你同意之前不提供：{names}"
        );
        let fix = Text::new(
            "`W` on the screen, or `dominds-tui trust`, shows what they were and are, and you may agree",
            "屏幕上的 `W` 或 `dominds-tui trust` 会列出它们原来和现在的样子，你可以在那里同意",
        );
        let file = minds::trust_file(TrustKind::Tool);
        Problem::new(format!("trust/tool/{server}"), file, found, fix).warning()
    };
    servers.into_iter().map(problem).collect()
}

/// The configuration as reported to the screen.
pub fn minds_report(engine: &Engine, minds: &Minds, _on: &BlockingThread) -> DriverReport {
    let tools = engine.sources.registry(&engine.tools);
    let waiting = engine.trust.waiting(minds);
    let mut problems = minds_problems(engine, minds, &tools.names());
    problems.extend(consent_problems(&waiting));
    let consent = ConsentView {
        waiting,
        read_only: engine.driving.awaits_consent(),
        level: engine.shells.level(),
        level_is_set: engine.level_is_set,
        autonomy: minds.hive().agreed_autonomy().summary(),
    };
    DriverReport::Minds {
        problems,
        consent,
        members: members(minds, engine.env),
        default_responder: minds.default_responder().cloned(),
        models: models(minds),
        has_memory: minds.hive().memory,
        has_vault: minds.hive().has_vault(),
        has_prompts: minds.mcp().has_prompts(),
        teams: teams(minds.hive()),
        triggers: triggers(minds.hive()),
    }
}

/// The teams, without their tasks; none where teams are off.
fn teams(hive: &HiveConfig) -> Vec<TeamRow> {
    let org = hive.org();
    let row = |team: &OrgTeam| TeamRow {
        name: team.name.clone(),
        parent: team.parent.clone(),
        lead: team.lead.clone(),
        description: team.description.clone(),
        max_running: team.limits.max_running,
        running: 0,
        blocked: 0,
        pending: 0,
        status: TeamStatus::Active,
        held_back: team.held_back.clone(),
        changing: false,
        used_up: false,
        boxes: None,
        stall: hive.stall,
    };
    org.teams().filter(|_| org.is_on()).map(row).collect()
}

/// The definitions of triggers; none where teams are off.
fn triggers(hive: &HiveConfig) -> Arc<Definitions> {
    if hive.org().is_on() { hive.triggers().clone() } else { Arc::default() }
}

/// The members the user can choose from.
pub fn members(minds: &Minds, env: Env) -> Vec<MemberView> {
    let view = |member: &crate::domain::Member| MemberView {
        id: member.id.clone(),
        name: member.name.clone(),
        icon: member.icon.clone().unwrap_or_default(),
        gofor: member.gofor.first().cloned().unwrap_or_default(),
        model: [&member.provider, &member.model]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" / "),
        toolsets: member.toolsets.clone(),
        tools: member.tools.clone(),
        images: image_support(minds, member, env),
    };
    minds.team().visible().map(view).collect()
}

/// The models that the user can choose for a dialog.
pub fn models(minds: &Minds) -> Vec<ModelView> {
    let view = |(provider, model): (&ProviderConfig, &ModelInfo)| ModelView {
        choice: ModelChoice { provider: provider.key.clone(), model: model.key.clone() },
        name: if model.name == model.key { String::new() } else { model.name.clone() },
        context: model.context_length.or(model.input_length),
        images: images_of(provider, model),
    };
    minds.listed_models().take(MAX_LISTED_MODELS).map(view).collect()
}

/// Whether the model of a member is sent images.
fn image_support(minds: &Minds, member: &Member, env: Env) -> ImageSupport {
    match minds.model_of(member, env) {
        Ok((provider, model, _)) => images_of(provider, model),
        Err(_) => ImageSupport::Unknown,
    }
}

fn images_of(provider: &ProviderConfig, model: &ModelInfo) -> ImageSupport {
    if !provider.sends_images_to(model) {
        return ImageSupport::NotRead;
    }
    let most = provider.api_type.image_limits().each_bytes;
    ImageSupport::Read { most_bytes: u64::try_from(most).unwrap_or(u64::MAX) }
}

impl Engine {
    /// All known secrets, for a command that runs no dialogs.
    #[must_use]
    pub fn command_secrets(&self) -> Arc<Secrets> {
        self.secrets(&self.minds(&BlockingThread::of_command()))
    }

    /// Problems of the configuration, for `doctor`. `more`: names of tools and toolsets besides the built-in
    /// ones.
    #[must_use]
    pub fn config_problems(&self, more: &[&str]) -> Vec<Problem> {
        let known = [&self.tools.names()[..], more].concat();
        let minds = self.minds(&BlockingThread::of_command());
        let mut problems = minds_problems(self, &minds, &known);
        problems.extend(consent_problems(&self.trust.waiting(&minds)));
        problems
    }
}
