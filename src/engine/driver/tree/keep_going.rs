//! The user switches keep-going on or off.

use crate::domain::dialogs::keep_going::{KeepGoingSwitch, RestAction, rest_action};
use crate::domain::dialogs::shown_state::Activity;
use crate::domain::text::Localized;
use crate::domain::{KeepGoing, QueuedPrompt, SelfId};
use crate::driver::generation::keep_going::push;
use crate::driver::shared::blocking::blocking;
use crate::driver::shared::keep_going::KeepGoingPolicy;
use crate::driver::steps::draft::Draft;
use crate::driver::texts::Texts;
use crate::protocol::Refusal;

use super::state::TreeState;

impl TreeState {
    /// Applies a switch of the user. An idle dialog that is switched on is pushed at once.
    pub(super) async fn switch_keep_going(
        &mut self,
        id: &SelfId,
        switch: KeepGoingSwitch,
    ) -> Result<(), Localized> {
        if !self.tree().is_main(id) {
            return Err(Refusal::OnlyMainsAreKeptGoing.into());
        }
        let policy = self.load_policy().await;
        if policy.keep_going.text.is_none() && switch != KeepGoingSwitch::Off {
            return Err(Refusal::NoDiligenceText.into());
        }
        let resting = self.activity(id) == Activity::Resting;
        let mut draft = self.draft();
        draft.set_durable();
        apply_switch(&mut draft, id, switch, &policy.keep_going);
        if switch == KeepGoingSwitch::On && resting {
            push_idle(&mut draft, id, &policy, self.engine.texts());
        }
        self.keep_going = policy.keep_going;
        self.commit_wish(id, draft).await?;
        self.report_row(id).await;
        Ok(())
    }

    /// The current configuration of the main dialog's member.
    pub(super) async fn load_policy(&self) -> KeepGoingPolicy {
        let engine = self.engine.clone();
        let Ok(minds) = blocking(move |on| engine.minds(on)).await else {
            return KeepGoingPolicy::default();
        };
        let main = self.tree().main();
        let choice = main.and_then(|main| main.latest.chosen_model.as_ref());
        let member = main.and_then(|main| minds.member(&main.meta.agent_id));
        let max = member.map_or(0, |member| member.diligence_push_max);
        let cadence = member
            .and_then(|member| minds.model_for(member, choice, self.engine.env).ok())
            .map_or(u32::MAX, |(_, model, _)| model.caution_cadence);
        KeepGoingPolicy::new(&minds, max, cadence)
    }
}

fn apply_switch(draft: &mut Draft, id: &SelfId, switch: KeepGoingSwitch, config: &KeepGoing) {
    let full = config.full();
    draft.edit_latest(id, |latest| {
        let left = latest.diligence_push_remaining_budget.unwrap_or(full);
        let left =
            if config.most == 0 && latest.diligence_push_given.is_none() { full } else { left };
        match switch {
            KeepGoingSwitch::On => {
                latest.disable_diligence_push = Some(false);
                latest.diligence_push_remaining_budget = Some(if left > 0 { left } else { full });
            }
            KeepGoingSwitch::Off => latest.disable_diligence_push = Some(true),
            KeepGoingSwitch::Refill => latest.diligence_push_remaining_budget = Some(full),
        }
        if switch != KeepGoingSwitch::Off {
            latest.diligence_push_given = (config.most == 0).then_some(true);
        }
    });
    let Some(dialog) = draft.dialog(id).filter(|_| switch == KeepGoingSwitch::Off) else { return };
    if dialog.queue.iter().any(QueuedPrompt::is_push) {
        let queue = dialog.queue.iter().filter(|prompt| !prompt.is_push()).cloned().collect();
        draft.set_queue(id, queue);
    }
}

fn push_idle(draft: &mut Draft, id: &SelfId, policy: &KeepGoingPolicy, texts: Texts) {
    let Some(dialog) = draft.dialog(id).cloned() else { return };
    let pushes = policy.keep_going.pushes(&dialog.latest);
    match rest_action(&dialog, policy.cadence, pushes) {
        Some(RestAction::Push) => push(draft, &dialog, policy, texts),
        Some(RestAction::Context(_)) => {
            draft.edit_latest(id, |latest| latest.needs_drive = Some(true));
        }
        Some(RestAction::AskHuman) | None => {}
    }
}
