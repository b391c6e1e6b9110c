//! The files of the workspace, listed for a person who mentions one. A thread of its own reads them, one
//! listing at a time, and commands go on meanwhile.

use tokio::task::JoinError;

use crate::protocol::event::DriverEvent;
use crate::tools::list_files;

use super::trees::Supervisor;

impl Supervisor {
    pub(super) fn begin_to_list_files(&mut self) {
        if self.listings.is_empty() {
            let engine = self.engine.clone();
            self.listings.spawn_blocking(move || list_files(&engine.workspace));
        }
    }

    /// A listing that was cut off is asked for again with the next mention.
    pub(super) async fn files_listed(&self, listed: Result<Vec<String>, JoinError>) {
        if let Ok(paths) = listed {
            self.send_event(DriverEvent::Files(paths)).await;
        }
    }
}
