//! The user declares a side dialog dead.

use crate::domain::SelfId;
use crate::domain::dialogs::latest::StopReason;
use crate::domain::text::Localized;
use crate::driver::lifecycle::declare_dead;
use crate::tools::LeaseScope;

use super::state::TreeState;

impl TreeState {
    /// Stops a running drive, closes the calls that waited for the dialog, and stops the side dialogs that
    /// work for it.
    pub(super) async fn declare_dead(
        &mut self,
        id: &SelfId,
        note: Option<&str>,
    ) -> Result<(), Localized> {
        declare_dead::check(self.tree(), id)?;
        let mut draft = self.draft();
        declare_dead::declare(&mut draft, id);
        self.commit_wish(id, draft).await?;
        self.stop(id, StopReason::EmergencyStop);
        self.engine.sources.release(&LeaseScope::Dialog(self.tree().id(id))).await;
        let mut draft = self.draft();
        let stopped = declare_dead::apply_death(&mut draft, id, note, self.engine.texts());
        self.wake_askers(&mut draft);
        self.commit_request(draft).await?;
        for worker in stopped {
            self.stop(&worker, StopReason::asker_is_dead());
        }
        Ok(())
    }
}
