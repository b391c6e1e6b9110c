//! What has to arrive before the first dialog is opened, and which that is.

use super::follow_up::{FollowUp, FollowUps};
use super::pick::Pick;
use crate::ui::app::words;
use crate::ui::model::{DraftKey, Drafts, Model, Tone};

#[derive(Debug, Default)]
pub(super) struct Startup {
    rows: bool,
    inbox: bool,
    opened: bool,
}

impl Startup {
    pub fn rows_arrived(&mut self) {
        self.rows = true;
    }

    pub fn inbox_arrived(&mut self) {
        self.inbox = true;
    }

    /// True once rows and inbox have arrived: before that the screen must not report them as empty.
    pub fn is_listed(&self) -> bool {
        self.rows && self.inbox
    }

    /// Opens the oldest question with its draft, else the newest dialog, once. Without a dialog, the first
    /// that arrives is opened.
    pub fn open_first(&mut self, model: &Model, drafts: &Drafts) -> FollowUps {
        if !self.is_listed() || self.opened {
            return Vec::new();
        }
        let first = if let Some(row) = model.inbox.oldest() {
            let has_draft = drafts.has(&DraftKey::Answer(row.question.id.clone()));
            let restored = FollowUp::Notify(Tone::Plain, words::DRAFT_RESTORED);
            let answer = FollowUp::Answer(Pick::Oldest);
            std::iter::once(answer).chain(has_draft.then_some(restored)).collect()
        } else {
            let mains = model.tree.all().filter(|row| row.dialog.is_main());
            let newest = mains.max_by(|a, b| a.last_modified.cmp(&b.last_modified));
            newest.map(|row| FollowUp::Open(row.dialog.clone())).into_iter().collect::<Vec<_>>()
        };
        self.opened = !first.is_empty();
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::app::tests::fixture::{main_dialog, questions, rows};
    use crate::ui::draft_writer::DraftTexts;

    #[test]
    fn the_first_dialog_is_opened_once_rows_and_inbox_have_arrived_and_only_once() {
        let (mut startup, mut model) = (Startup::default(), Model::default());
        let drafts = Drafts::new(DraftTexts::new());
        model.tree.set(rows());
        startup.inbox_arrived();
        assert_eq!(startup.open_first(&model, &drafts), []);
        startup.rows_arrived();
        assert!(startup.is_listed());
        assert_eq!(startup.open_first(&model, &drafts), [FollowUp::Open(main_dialog())]);
        assert_eq!(startup.open_first(&model, &drafts), []);
    }

    #[test]
    fn a_question_comes_first_and_its_draft_is_reported() {
        let (mut startup, mut model) = (Startup::default(), Model::default());
        model.tree.set(rows());
        model.inbox.set(questions());
        startup.rows_arrived();
        startup.inbox_arrived();
        let key = DraftKey::Answer("q1".to_owned());
        let drafts = Drafts::new([(key.name(), "keep".to_owned())].into_iter().collect());
        let restored = FollowUp::Notify(Tone::Plain, words::DRAFT_RESTORED);
        let expected = [FollowUp::Answer(Pick::Oldest), restored];
        assert_eq!(startup.open_first(&model, &drafts), expected);
    }
}
