//! A person has read what a dialog told them with `answerHuman`.

use crate::domain::text::{Localized, Text};
use crate::domain::{HumanAnswer, SelfId};
use crate::driver::reporting::tree_rows;
use crate::protocol::Refusal;

use super::state::TreeState;

impl TreeState {
    /// Drops an answer from those that wait for a person. No model learns of it.
    pub(super) async fn acknowledge_answer(
        &mut self,
        id: &SelfId,
        item: &str,
    ) -> Result<(), Localized> {
        let dialog = self.tree().get(id).ok_or(Refusal::NoSuchDialog)?;
        let told: &[HumanAnswer] =
            dialog.recent.as_ref().map_or(&[][..], |recent| recent.human_answers.as_slice());
        let items = tree_rows::answers_of(self.tree(), dialog);
        let is_meant = |at: usize| items.get(at).is_some_and(|known| known.id == item);
        let left = told.iter().enumerate().filter(|(at, _)| !is_meant(*at));
        let left: Vec<HumanAnswer> = left.map(|(_, answer)| answer.clone()).collect();
        if left.len() == told.len() {
            return Err(ACKNOWLEDGED.into());
        }
        let mut draft = self.draft();
        draft.set_durable();
        draft.set_human_answers(id, left);
        self.commit_request(draft).await
    }
}

const ACKNOWLEDGED: Text =
    Text::new("there is no such answer: it was acknowledged already", "没有这个回答：它已被确认");
