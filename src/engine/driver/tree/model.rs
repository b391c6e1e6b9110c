//! The user chooses the model of a dialog, for its generations from the next one on.

use crate::domain::text::Localized;
use crate::domain::{AgentId, ModelChoice, SelfId};
use crate::driver::shared::blocking::{blocking, interrupted};
use crate::protocol::Refusal;

use super::state::TreeState;

impl TreeState {
    /// Records the choice; `None`: the model of the member. A model that cannot be used now is refused.
    pub(super) async fn choose_model(
        &mut self,
        id: &SelfId,
        model: Option<ModelChoice>,
    ) -> Result<(), Localized> {
        let dialog = self.tree().get(id).ok_or(Refusal::NoSuchDialog)?;
        if dialog.latest.is_dead() {
            return Err(Refusal::DeadUsesNoModel.into());
        }
        let agent = dialog.meta.agent_id.clone();
        if let Some(choice) = model.clone() {
            self.check_model(agent, choice).await?;
        }
        let mut draft = self.draft();
        draft.set_durable();
        draft.edit_latest(id, |latest| latest.chosen_model = model);
        self.commit_wish(id, draft).await?;
        self.report_row(id).await;
        Ok(())
    }

    /// An error if the model is not in the configuration, or its provider cannot be asked.
    async fn check_model(&self, agent: AgentId, choice: ModelChoice) -> Result<(), Localized> {
        let engine = self.engine.clone();
        let checked = blocking(move |on| {
            let minds = engine.minds(on);
            let member = minds.member(&agent).ok_or(Refusal::NoSuchMember)?;
            let (provider, ..) = minds
                .model_for(member, Some(&choice), engine.env)
                .map_err(|problem| problem.message())?;
            engine.providers.provider(provider).map(drop).map_err(|error| error.message())
        });
        checked.await.unwrap_or_else(|error| Err(interrupted(&error)))
    }
}
