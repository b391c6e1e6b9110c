//! Background processes: their reminders, their list for the screen, and requests to stop them.

use crate::domain::background::SHELL_OWNER;
use crate::domain::reminder::SharedEdit;
use crate::domain::{Reminder, SelfId};
use crate::driver::shared::blocking::blocking;
use crate::driver::tree::task::TreeTask;
use crate::protocol::command::Ticket;
use crate::protocol::event::DriverEvent;
use crate::tools::follow;

use super::task::Supervisor;

impl TreeTask {
    /// Before a generation: updates the reminders about processes whose state has changed.
    pub(in crate::driver) async fn update_process_reminders(&mut self, id: &SelfId) {
        let Some(dialog) = self.tree.get(id).filter(|dialog| !dialog.is_fresh_boots()) else {
            return;
        };
        let agent = dialog.meta.agent_id.clone();
        let mut shared = self.shared_reminders(id).await;
        shared.retain(|reminder| reminder.owner_name.as_deref() == Some(SHELL_OWNER));
        if shared.is_empty() {
            return;
        }
        let engine = self.engine.clone();
        let updated = blocking(move |on| {
            let keys = engine.secrets(&engine.minds(on));
            let context = (engine.lang, &engine.clock.now());
            let changed = shared.into_iter().filter_map(|reminder| {
                let note = follow(&engine.shells, &reminder, &keys, context)?;
                Some(Reminder { content: note.content, meta: Some(note.meta), ..reminder })
            });
            changed.collect::<Vec<_>>()
        });
        let Ok(changed) = updated.await else { return };
        let mut draft = self.draft();
        for reminder in changed {
            draft.edit_shared(agent.clone(), SharedEdit::Renew(Box::new(reminder)));
        }
        if !draft.is_empty() {
            self.commit_or_stop(id, draft).await;
        }
    }
}

impl Supervisor {
    pub(in crate::driver) async fn send_processes(&self) {
        let secrets = self.engine.vault.secrets();
        let mut all = self.engine.shells.list();
        for one in &mut all {
            // A record of an earlier run may be older than a secret known now.
            one.command = secrets.redacted(std::mem::take(&mut one.command));
        }
        self.send_event(DriverEvent::Processes(all)).await;
    }

    /// Does not wait for its end; the list of processes reports that.
    pub(in crate::driver) async fn stop_process(&mut self, ticket: Ticket, pid: u32) {
        let event = if self.engine.shells.begin_to_stop(pid) {
            DriverEvent::Done { ticket, dialog: None }
        } else {
            DriverEvent::Refused { ticket, text: format!("process {pid} is not running") }
        };
        self.send_event(event).await;
    }
}
