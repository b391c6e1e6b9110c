//! The user chooses how much the member of a dialog decides alone, for its generations from the next one on.

use crate::domain::SelfId;
use crate::domain::asking::autonomy::AutonomyLevel;
use crate::domain::text::{Localized, localized};
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::protocol::Refusal;

use super::state::TreeState;

impl TreeState {
    /// Records the choice; `None`: as the configuration of the workspace says. What the user agrees to by it is recorded
    /// first: a choice that is only in the files of the dialog gives it nothing.
    pub(super) async fn choose_autonomy(
        &mut self,
        id: &SelfId,
        level: Option<AutonomyLevel>,
    ) -> Result<(), Localized> {
        let dialog = self.tree().get(id).ok_or(Refusal::NoSuchDialog)?;
        if dialog.latest.is_dead() {
            return Err(Refusal::DeadDecidesNothing.into());
        }
        let (engine, of) = (self.engine.clone(), self.tree().id(id));
        let agreed = blocking(move |_| engine.trust.choose_autonomy_of(&of, level)).await;
        let agreed = agreed.unwrap_or_else(|error| Err(interrupted(&error)));
        // What is stricter holds also if an earlier consent cannot be taken back; the user is told that it stays.
        let is_stricter = !level.is_some_and(AutonomyLevel::leaves_decisions);
        let stays = match agreed {
            Ok(()) => None,
            Err(why) if is_stricter => Some(why),
            Err(why) => return Err(why),
        };
        let mut draft = self.draft();
        draft.set_durable();
        draft.edit_latest(id, |latest| latest.chosen_autonomy = level);
        self.commit_wish(id, draft).await?;
        self.report_row(id).await;
        let Some(why) = stays else { return Ok(()) };
        Err(localized!([why] "the choice holds, but {why}", "选择已生效，但{why}"))
    }
}
