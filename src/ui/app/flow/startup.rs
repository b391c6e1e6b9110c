//! The events that have to arrive before the first dialog is opened, and the choice of that dialog.

use crate::app::drawing::app_words;
use crate::domain::Lang;
use crate::domain::dialogs::latest::DisplayState;
use crate::follow_up::{FollowUp, FollowUps, ToReading, ToWriting};
use crate::model::{Drafts, Model, Tone};
use crate::protocol::TreeRow;
use crate::question_choice::Pick;

#[derive(Debug, Default)]
pub(in crate::app) struct Startup {
    rows: bool,
    inbox: bool,
    news: bool,
    opened: bool,
    /// There was no dialog to open at first: whatever comes is new.
    began_empty: bool,
}

impl Startup {
    pub fn mark_rows_received(&mut self) {
        self.rows = true;
    }

    pub fn mark_inbox_received(&mut self) {
        self.inbox = true;
    }

    /// Marks the news as received. True if a list was received before: only later items are new.
    pub fn mark_news_received(&mut self) -> bool {
        std::mem::replace(&mut self.news, true)
    }

    /// True once rows and inbox have arrived: before that the screen must not report them as empty.
    pub fn is_listed(&self) -> bool {
        self.rows && self.inbox
    }

    /// Opens the oldest question with its draft, else the newest dialog, once. Without a dialog, the first
    /// that arrives is opened.
    pub fn open_first(&mut self, model: &Model, drafts: &Drafts, lang: Lang) -> FollowUps {
        if !self.is_listed() || self.opened {
            return Vec::new();
        }
        let mut first: FollowUps = if let Some(row) = model.inbox.oldest() {
            let has_draft = drafts.has_answer(&row.question.id);
            let restored = FollowUp::Notify(Tone::Plain, app_words::DRAFT_RESTORED);
            let answer = FollowUp::Writing(ToWriting::Answer(Pick::Oldest));
            std::iter::once(answer).chain(has_draft.then_some(restored)).collect()
        } else {
            let mains = model.tree.all().filter(|row| row.dialog.is_main());
            let newest = mains.max_by(|a, b| a.last_modified.cmp(&b.last_modified));
            newest
                .map(|row| FollowUp::Reading(ToReading::Open(row.dialog.clone())))
                .into_iter()
                .collect::<Vec<_>>()
        };
        self.opened = !first.is_empty();
        self.began_empty |= !self.opened;
        if !self.began_empty
            && let Some(line) = meanwhile(model, lang)
        {
            first.push(FollowUp::NotifyText(Tone::Plain, line));
        }
        first
    }
}

/// Returns what happened since the user last looked; `None` if nothing did.
fn meanwhile(model: &Model, lang: Lang) -> Option<String> {
    let new: Vec<&TreeRow> = model.tree.all().filter(|row| model.tree.is_unread(row)).collect();
    let stopped = new.iter().filter(|row| matches!(row.state, DisplayState::Stopped { .. }));
    let (new, stopped, open) = (new.len(), stopped.count(), model.inbox.rows().len());
    (new > 0).then(|| app_words::meanwhile(new, stopped, open, lang))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tests::fixture::{main_dialog, questions, rows};
    use crate::draft_writer::DraftTexts;
    use crate::model::DraftKey;

    #[test]
    fn the_first_dialog_is_opened_once_rows_and_inbox_have_arrived_and_only_once() {
        let (mut startup, mut model) = (Startup::default(), Model::default());
        let drafts = Drafts::new(DraftTexts::new());
        model.tree.set(rows());
        startup.mark_inbox_received();
        assert_eq!(startup.open_first(&model, &drafts, Lang::En), []);
        startup.mark_rows_received();
        assert!(startup.is_listed());
        assert_eq!(
            startup.open_first(&model, &drafts, Lang::En),
            [FollowUp::Reading(ToReading::Open(main_dialog()))]
        );
        assert_eq!(startup.open_first(&model, &drafts, Lang::En), []);
    }

    #[test]
    fn what_happened_since_the_user_looked_last_is_one_line_at_the_start_and_only_there() {
        let drafts = Drafts::new(DraftTexts::new());
        let started = |stored: &str, begins_empty: bool| {
            let (mut startup, mut model) = (Startup::default(), Model::default());
            model.tree.restore_looks(stored);
            startup.mark_inbox_received();
            startup.mark_rows_received();
            if begins_empty {
                model.tree.set(Vec::new());
                assert_eq!(startup.open_first(&model, &drafts, Lang::En), []);
            }
            model.tree.set(rows());
            let opened = startup.open_first(&model, &drafts, Lang::En);
            opened.into_iter().find_map(|follow_up| {
                if let FollowUp::NotifyText(_, text) = follow_up { Some(text) } else { None }
            })
        };
        let line = started("all\n", false).expect("news");
        assert!(line.starts_with("since you looked last: dialogs with news "), "{line}");
        assert_eq!(started("", false), None, "nobody has looked before");
        assert_eq!(started("", true), None, "what is made now is no news");
    }

    #[test]
    fn a_question_comes_first_and_its_draft_is_reported() {
        let (mut startup, mut model) = (Startup::default(), Model::default());
        model.tree.set(rows());
        model.inbox.set(questions());
        startup.mark_rows_received();
        startup.mark_inbox_received();
        let key = DraftKey::Answer("q1".to_owned());
        let drafts = Drafts::new([(key.name(), "keep".to_owned())].into_iter().collect());
        let restored = FollowUp::Notify(Tone::Plain, app_words::DRAFT_RESTORED);
        let expected = [FollowUp::Writing(ToWriting::Answer(Pick::Oldest)), restored];
        assert_eq!(startup.open_first(&model, &drafts, Lang::En), expected);
    }
}
