//! What a generation sees of the servers: complete, and never changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::{DialogId, Problem};
use crate::tools::Tool;

#[derive(Debug, Default)]
pub(super) struct Snapshot {
    /// With the server each belongs to.
    pub tools: Vec<(String, Arc<dyn Tool>)>,
    /// Servers with an instance for each dialog.
    pub stateful: BTreeSet<String>,
    pub problems: Vec<Problem>,
    /// Who holds an instance of which server.
    pub held: Vec<(DialogId, String)>,
}

impl Snapshot {
    /// The servers a dialog holds, each once, in their order.
    pub fn held_by(&self, dialog: &DialogId) -> Vec<&str> {
        let held = self.held.iter().filter(|(holder, _)| holder == dialog);
        held.map(|(_, server)| server.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}
