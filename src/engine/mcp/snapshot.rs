//! An immutable snapshot of all servers, as a generation sees them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::listing::Listing;
use crate::domain::{DialogId, Problem};
use crate::minds::mcp_config::McpServer;
use crate::tools::Tool;

#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// Each with its server.
    pub tools: Vec<(String, Arc<dyn Tool>)>,
    /// Tools that wait for the user, each with its server, by the name models would know.
    pub held: Vec<(String, String)>,
    /// The held tools of servers that have such tools.
    pub lists: Vec<ActiveList>,
    /// The lists of servers whose resources members may read.
    pub resources: Arc<[ActiveList]>,
    /// The lists of servers whose prompts a person is offered.
    pub prompts: Vec<ActiveList>,
    /// Servers with one instance per dialog.
    pub stateful: BTreeSet<String>,
    pub problems: Vec<Problem>,
    /// Dialogs that lease an instance, and its server.
    pub leases: Vec<(DialogId, String)>,
}

/// What a server listed, with the configuration in use.
#[derive(Debug, Clone)]
pub(super) struct ActiveList {
    pub server: String,
    pub config: Arc<McpServer>,
    pub listing: Arc<Listing>,
}

impl Snapshot {
    /// The servers that a dialog leases, sorted.
    pub fn leased_by(&self, dialog: &DialogId) -> Vec<&str> {
        let leases = self.leases.iter().filter(|(dialog_id, _)| dialog_id == dialog);
        leases.map(|(_, server)| server.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}
