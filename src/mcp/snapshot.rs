//! An immutable snapshot of all servers, as a generation sees them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::{DialogId, Problem};
use crate::tools::Tool;

#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// Each with its server.
    pub tools: Vec<(String, Arc<dyn Tool>)>,
    /// Servers with one instance per dialog.
    pub stateful: BTreeSet<String>,
    pub problems: Vec<Problem>,
    /// Dialogs that lease an instance, and its server.
    pub leases: Vec<(DialogId, String)>,
}

impl Snapshot {
    /// The servers that a dialog leases, sorted.
    pub fn leased_by(&self, dialog: &DialogId) -> Vec<&str> {
        let leases = self.leases.iter().filter(|(dialog_id, _)| dialog_id == dialog);
        leases.map(|(_, server)| server.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}
