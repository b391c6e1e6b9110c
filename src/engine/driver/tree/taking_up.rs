//! After a restart: what it cut off goes on by itself, but for what a person has to look at first.

use crate::domain::SelfId;
use crate::domain::dialogs::remaining_work::{WaitCause, taken_up};
use crate::driver::reporting::reports::DriverReport;

use super::state::TreeState;
use super::user_requests::ContinueOutcome;

impl TreeState {
    /// Continues the dialogs that a restart cut off; reports those that wait for a person. A tree of a task is looked
    /// after with its task.
    pub(super) async fn take_up(&mut self) -> ContinueOutcome {
        let mut outcome = ContinueOutcome::default();
        if self.task().is_some() {
            return outcome;
        }
        let dialogs = self.tree().dialogs.values();
        let cut: Vec<(SelfId, Result<(), WaitCause>)> = dialogs
            .filter_map(|dialog| {
                let goes_on = taken_up(dialog, &|result| self.is_unknown(result))?;
                Some((dialog.meta.id.clone(), goes_on))
            })
            .collect();
        for (id, goes_on) in cut {
            let dialog = self.tree().id(&id);
            match goes_on {
                Ok(()) => match self.continue_dialog(&id).await {
                    Ok(()) => outcome.dialogs += 1,
                    Err(text) => tracing::info!(%dialog, %text, "it does not go on by itself"),
                },
                Err(cause) => {
                    let report = DriverReport::LeftByRestart { dialog, cause };
                    let _ = self.reports.send(report).await;
                }
            }
        }
        outcome
    }
}
