//! Background processes: their list for the screen, and requests to stop them.

use crate::domain::text::localized;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;

use super::trees::Supervisor;

impl Supervisor {
    pub(super) async fn send_processes(&self) {
        let secrets = self.engine.vault.secrets();
        let mut all = self.engine.shells.list();
        for one in &mut all {
            // A record of an earlier run may be older than a secret known now.
            one.command = secrets.redacted(std::mem::take(&mut one.command));
        }
        self.send_event(DriverEvent::Processes(all)).await;
    }

    /// Does not wait for its end; the list of processes reports that.
    pub(super) async fn stop_process(&mut self, ticket: Ticket, pid: u32) {
        let event = if self.engine.shells.begin_to_stop(pid) {
            DriverEvent::Done { ticket, dialog: None }
        } else {
            let text = localized!("process {pid} is not running", "进程 {pid} 未在运行");
            DriverEvent::Refused { ticket, text }
        };
        self.send_event(event).await;
    }
}
