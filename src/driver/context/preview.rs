//! Builds the request of a member as for a generation, without sending it.

use crate::domain::{
    AgentId, Bucket, Dialog, DialogId, DialogMeta, DialogTree, Latest, RootId, SelfId,
};
use crate::driver::shared::blocking::BlockingThread;
use crate::driver::shared::engine::Engine;
use crate::llm::Request;
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
    let mut tree = DialogTree::new(RootId::new(root), Bucket::Run);
    let dialog = Dialog::new(meta, Latest::new(now));
    tree.dialogs.insert(id.clone(), dialog.into());
    (tree, id)
}
