//! Creates a main dialog.

use serde_json::{Map, Value, json};

use crate::domain::dialogs::tree::{Bucket, DialogTree};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{AgentId, DialogId, DialogMeta, Latest, Layout, QueuedPrompt, RootId, SelfId};
use crate::driver::shared::blocking::{BlockingThread, blocking, interrupted};
use crate::driver::shared::engine::Engine;
use crate::driver::steps::draft::Draft;
use crate::driver::tree::priming::MAX_SCRIPTS;
use crate::guard::create_taskdoc;
use crate::minds::{Minds, PrimingScript, taskdoc};
use crate::protocol::Refusal;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;

use super::trees::Supervisor;

impl Supervisor {
    pub(super) async fn create(
        &mut self,
        ticket: Ticket,
        (agent, taskdoc, priming): (AgentId, String, Vec<String>),
        text: String,
    ) {
        // Refused later, a dialog without words would be left.
        if text.trim().is_empty() {
            let text = Refusal::NothingToSend.into();
            return self.send_event(DriverEvent::Refused { ticket, text }).await;
        }
        match self.new_tree(agent, taskdoc, priming).await {
            Ok(tree) => {
                let dialog = DialogId::main(tree.root.clone());
                self.spawn_tree(tree, Vec::new(), None);
                self.say(ticket, &dialog, (text, Vec::new(), false)).await;
            }
            Err(text) => self.send_event(DriverEvent::Refused { ticket, text }).await,
        }
    }

    async fn new_tree(
        &self,
        agent: AgentId,
        taskdoc: String,
        priming: Vec<String>,
    ) -> Result<DialogTree, Localized> {
        let engine = self.engine.clone();
        let made = blocking(move |on| {
            let id = unused_root(&engine, on);
            make_tree(&engine, &NewMain { id, agent, taskdoc, priming, first: None }, on)
        });
        made.await.unwrap_or_else(|error| Err(interrupted(&error)))
    }
}

/// A main dialog to be.
pub(super) struct NewMain {
    pub(super) id: SelfId,
    pub(super) agent: AgentId,
    pub(super) taskdoc: String,
    /// The startup scripts that it begins with.
    pub(super) priming: Vec<String>,
    /// The prompt of the runtime that it starts with. Such a dialog is not kept going.
    pub(super) first: Option<QueuedPrompt>,
}

/// Writes a tree with one main dialog.
pub(super) fn make_tree(
    engine: &Engine,
    new: &NewMain,
    on: &BlockingThread,
) -> Result<DialogTree, Localized> {
    let NewMain { id, agent, taskdoc: path, priming, first } = new;
    let minds = engine.minds(on);
    let member = minds.member(agent).ok_or_else(|| {
        let known: Vec<&str> = minds.team().visible().map(|m| m.id.as_str()).collect();
        let known = known.join(", ");
        localized!(
            "there is no member @{agent}; known: {known}",
            "没有成员 @{agent}；已有：{known}"
        )
    })?;
    minds.model_of(member, engine.env).map_err(|problem| problem.message())?;
    let layout = engine.store.layout_of_new_trees();
    check_priming(engine, &minds, new, layout)?;
    taskdoc::validate_path(path)?;
    create_taskdoc(&engine.workspace, path)?;
    let now = engine.clock.now();
    let push = i64::from(member.diligence_push_max);
    let mut latest = Latest::new(now.clone());
    let is_marked = push <= 0 && layout.marks_dialogs_without_pushes();
    latest.disable_diligence_push = Some(is_marked || first.is_some());
    latest.diligence_push_remaining_budget = Some(push.max(0));
    let meta = DialogMeta {
        id: id.clone(),
        agent_id: agent.clone(),
        task_doc_path: path.clone(),
        created_at: now.clone(),
        session_slug: None,
        extra: named(priming),
    };
    let empty = DialogTree { layout, ..DialogTree::new(RootId::new(id.as_str()), Bucket::Run) };
    let mut draft = Draft::new(&empty, now, engine.ids.clone());
    draft.set_durable();
    draft.create(meta, latest, Vec::new());
    if let Some(first) = first {
        draft.set_queue(id, vec![first.clone()]);
    }
    let (tree, batch) = draft.finish();
    let written = engine.store.commit(batch).map_err(|error| error.message())?;
    written.sync().map_err(|error| error.message())?;
    Ok(tree)
}

/// Where `dialog.yaml` names them. They are run when the dialog begins.
fn named(priming: &[String]) -> Map<String, Value> {
    let scripts = (!priming.is_empty()).then(|| json!({ "scriptRefs": priming, "showInUi": true }));
    scripts.map(|scripts| ("priming".to_owned(), scripts)).into_iter().collect()
}

/// A script that cannot be used is refused before there is a dialog.
fn check_priming(
    engine: &Engine,
    minds: &Minds,
    new: &NewMain,
    layout: Layout,
) -> Result<(), Localized> {
    if new.priming.is_empty() {
        return Ok(());
    }
    if !layout.has_recent_rules() {
        return Err(Text::new(
            "startup scripts are run in dialogs in the layout of Dominds 1.29 alone",
            "启动脚本只在采用 Dominds 1.29 布局的对话中运行",
        )
        .into());
    }
    if new.priming.len() > MAX_SCRIPTS {
        return Err(localized!(
            "a dialog begins with at most {MAX_SCRIPTS} startup scripts",
            "一个对话最多以 {MAX_SCRIPTS} 个启动脚本开始"
        ));
    }
    let secrets = engine.secrets_for(minds, &new.agent);
    for name in &new.priming {
        PrimingScript::read(&engine.workspace, name, &new.agent, &secrets).map_err(
            |why| localized!([why] "the startup script {name}: {why}", "启动脚本 {name}：{why}"),
        )?;
    }
    Ok(())
}

/// An id for a main dialog that is not in use.
pub fn unused_root(engine: &Engine, _on: &BlockingThread) -> SelfId {
    loop {
        let id = engine.ids.dialog();
        if engine.store.find(&RootId::new(id.as_str())).is_none() {
            return id;
        }
    }
}
