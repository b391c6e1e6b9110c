//! Several dialogs that are put away together: what became of them is told once, with the names of those that
//! stay.

use super::follow_up::{FollowUp, FollowUps};
use crate::domain::Bucket;
use crate::ui::app::words;
use crate::ui::cx::UiSettings;
use crate::ui::model::Tone;

#[derive(Debug)]
pub(super) struct Batch {
    to: Bucket,
    /// Requests without a result.
    left: usize,
    done: usize,
    refused: Vec<String>,
}

impl Default for Batch {
    fn default() -> Self {
        Self::new(Bucket::Done, 0)
    }
}

impl Batch {
    pub fn new(to: Bucket, dialogs: usize) -> Self {
        Self { to, left: dialogs, done: 0, refused: Vec::new() }
    }

    /// One of them was put away.
    pub fn done(&mut self, ui: &UiSettings) -> FollowUps {
        self.done += 1;
        self.step(ui)
    }

    /// The one with this name stays.
    pub fn refused(&mut self, name: String, ui: &UiSettings) -> FollowUps {
        self.refused.push(name);
        self.step(ui)
    }

    /// After the last of them, the message.
    fn step(&mut self, ui: &UiSettings) -> FollowUps {
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return Vec::new();
        }
        let word =
            if self.to == Bucket::Archive { words::ARCHIVED_SEVERAL } else { words::DONE_SEVERAL };
        let done = ui.sentence(word, &self.done.to_string());
        let (tone, text) = if self.refused.is_empty() {
            (Tone::Good, done)
        } else {
            let stay = ui.sentence(words::STAY, &self.refused.join(", "));
            (Tone::Bad, format!("{done} {} {stay}", ui.glyphs.middle_dot))
        };
        vec![FollowUp::NotifyText(tone, text)]
    }
}
