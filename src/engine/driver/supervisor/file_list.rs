//! The files of the workspace, listed for a person who mentions one. A thread of its own reads them, one
//! listing at a time, and commands go on meanwhile.

use tokio::task::JoinError;

use crate::driver::reporting::clients::ClientId;
use crate::protocol::event::{DriverEvent, MAX_LISTED_FILES};
use crate::tools::list_files;

use super::trees::Supervisor;

impl Supervisor {
    pub(super) fn begin_to_list_files(&mut self, client: ClientId) {
        self.files_wanted.insert(client);
        if self.listings.is_empty() {
            let engine = self.engine.clone();
            self.listings.spawn_blocking(move || list_files(&engine.workspace, MAX_LISTED_FILES));
        }
    }

    /// A listing that was cut off is asked for again with the next mention.
    pub(super) async fn files_listed(&mut self, listed: Result<Vec<String>, JoinError>) {
        let clients = std::mem::take(&mut self.files_wanted);
        let Ok(paths) = listed else { return };
        for client in clients {
            self.send_to(client, DriverEvent::Files(paths.clone())).await;
        }
    }
}
