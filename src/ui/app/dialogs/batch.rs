//! Several dialogs that are put away together: the outcome is reported once, with the names of those that
//! stay.

use crate::app::drawing::app_words;
use crate::cx::UiSettings;
use crate::domain::Bucket;
use crate::domain::text::Localized;
use crate::follow_up::{FollowUp, FollowUps};
use crate::model::Tone;

#[derive(Debug)]
pub(in crate::app) struct Batch {
    to: Bucket,
    /// Requests without a result.
    pending_count: usize,
    done: usize,
    /// Why they stay, with the names of those.
    refused: Vec<(Localized, Vec<String>)>,
}

impl Default for Batch {
    fn default() -> Self {
        Self::new(Bucket::Done, 0)
    }
}

impl Batch {
    pub fn new(to: Bucket, dialogs: usize) -> Self {
        Self { to, pending_count: dialogs, done: 0, refused: Vec::new() }
    }

    /// Counts one that was put away.
    pub fn done(&mut self, ui: &UiSettings) -> FollowUps {
        self.done += 1;
        self.step(ui)
    }

    /// The one with this name stays.
    pub fn refused(&mut self, name: String, why: &Localized, ui: &UiSettings) -> FollowUps {
        match self.refused.iter_mut().find(|(known, _)| known == why) {
            Some((_, names)) => names.push(name),
            None => self.refused.push((why.clone(), vec![name])),
        }
        self.step(ui)
    }

    /// Counts one; after the last, returns the message.
    fn step(&mut self, ui: &UiSettings) -> FollowUps {
        self.pending_count = self.pending_count.saturating_sub(1);
        if self.pending_count > 0 {
            return Vec::new();
        }
        let word = if self.to == Bucket::Archive {
            app_words::ARCHIVED_SEVERAL
        } else {
            app_words::DONE_SEVERAL
        };
        let done = ui.sentence(word, &self.done.to_string());
        let (tone, text) = if self.refused.is_empty() {
            (Tone::Good, done)
        } else {
            let dot = format!(" {} ", ui.glyphs.middle_dot);
            let stay = |(why, names): &(Localized, Vec<String>)| {
                let names = ui.sentence(app_words::STAY, &names.join(", "));
                format!("{names}: {}", why.in_lang(ui.lang))
            };
            let all: Vec<String> =
                std::iter::once(done).chain(self.refused.iter().map(stay)).collect();
            (Tone::Bad, all.join(&dot))
        };
        vec![FollowUp::NotifyText(tone, text)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::flow::facts::testing::Workspace;
    use crate::domain::text::Text;

    #[test]
    fn each_reason_is_told_once_with_the_names_of_those_that_stay() {
        let workspace = Workspace::new();
        let ui = workspace.facts().ui;
        let (runs, gone) = (Text::new("it runs", "在运行"), Text::new("it is gone", "已不存在"));
        let mut batch = Batch::new(Bucket::Archive, 5);
        assert_eq!(batch.refused("@a".to_owned(), &runs.into(), ui), []);
        assert_eq!(batch.refused("@b".to_owned(), &gone.into(), ui), []);
        assert_eq!(batch.done(ui), []);
        assert_eq!(batch.refused("@c".to_owned(), &runs.into(), ui), []);
        let text = "archived: 2 · not @a, @c: it runs · not @b: it is gone".to_owned();
        assert_eq!(batch.done(ui), [FollowUp::NotifyText(Tone::Bad, text)]);
    }
}
