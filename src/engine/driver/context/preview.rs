//! Builds the request of a member as for a generation, without sending it.

use serde_json::{Value, json};

use crate::domain::{
    AgentId, Bucket, DialogId, DialogMeta, DialogTree, Latest, RootId, SelfId, TreeChange,
};
use crate::driver::shared::blocking::BlockingThread;
use crate::driver::shared::engine::Engine;
use crate::llm::{Message, Request};
use crate::minds::taskdoc;

use super::prepare;

/// Whose request is previewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreviewTarget {
    /// A new main dialog of the member.
    Main(AgentId),
    /// A new side dialog of the member.
    Side(AgentId),
    /// The next generation of this dialog.
    Dialog(DialogId),
}

#[derive(Debug)]
pub struct Preview {
    pub agent: AgentId,
    /// Key of the provider that would be asked.
    pub provider: String,
    pub request: Request,
}

/// The id of the dialog that exists only for the preview.
const PREVIEW_ID: &str = "preview";

impl Preview {
    /// # Errors
    /// A sentence that says why the member cannot be asked.
    pub fn of(engine: &Engine, reader: &PreviewTarget) -> Result<Self, String> {
        let on = &BlockingThread::of_command();
        let (tree, id) = match reader {
            PreviewTarget::Main(agent) => imagined_tree(engine, agent, PREVIEW_ID),
            PreviewTarget::Side(agent) => imagined_tree(engine, agent, "preview-root"),
            PreviewTarget::Dialog(dialog) => {
                let bucket = engine.store.find(&dialog.root).unwrap_or(Bucket::Run);
                let loaded = engine
                    .store
                    .load_read_only(bucket, &dialog.root)
                    .map_err(|error| error.to_string())?;
                (loaded.tree, dialog.this.clone())
            }
        };
        let dialog = tree.get(&id).ok_or("there is no such dialog")?;
        let prepared =
            prepare::prepare_member(engine, &tree, &id, on).map_err(|reason| reason.to_string())?;
        Ok(Self {
            agent: dialog.meta.agent_id.clone(),
            provider: prepared.provider_key.clone(),
            request: prepared.request(engine, dialog, on),
        })
    }

    /// `(name, value)` of the model settings that are sent.
    #[must_use]
    pub fn settings(&self) -> Vec<(&'static str, Value)> {
        let params = &self.request.params;
        let all = [
            ("max_tokens", json!(params.max_tokens)),
            ("temperature", json!(params.temperature)),
            ("top_p", json!(params.top_p)),
            ("parallel_tool_calls", json!(params.parallel_tool_calls)),
            ("reasoning_effort", json!(params.reasoning_effort)),
            ("reasoning_summary", json!(params.reasoning_summary)),
            ("verbosity", json!(params.verbosity)),
            ("service_tier", json!(params.service_tier)),
            ("text_format", json!(params.text_format)),
            ("safety_identifier", json!(params.safety_identifier)),
            ("json_response", json!(params.json_response.then_some(true))),
        ];
        all.into_iter().filter(|(_, value)| !value.is_null()).collect()
    }

    /// The messages as people read them; a call as JSON.
    #[must_use]
    pub fn context(&self) -> Vec<String> {
        let text = |message: &Message| match (message, message.text()) {
            (Message::Call { name, arguments, .. }, _) => {
                json!({ "call": name, "arguments": arguments }).to_string()
            }
            (_, text) => text.unwrap_or_default().trim_end().to_owned(),
        };
        self.request.messages.iter().map(text).collect()
    }
}

/// A tree with one new dialog.
fn imagined_tree(engine: &Engine, agent: &AgentId, root: &str) -> (DialogTree, SelfId) {
    let id = SelfId::new(PREVIEW_ID);
    let now = engine.clock.now();
    let listed = taskdoc::list(&engine.workspace).into_iter().next();
    let meta = DialogMeta {
        id: id.clone(),
        agent_id: agent.clone(),
        task_doc_path: listed.unwrap_or_else(|| "task.tsk".to_owned()),
        created_at: now.clone(),
        session_slug: None,
        extra: serde_json::Map::new(),
    };
    let layout = engine.store.layout_of_new_trees();
    let mut tree = DialogTree { layout, ..DialogTree::new(RootId::new(root), Bucket::Run) };
    let latest = Box::new(Latest::new(now));
    tree.apply(TreeChange::Create { meta: Box::new(meta), latest, stack: Vec::new() });
    (tree, id)
}
