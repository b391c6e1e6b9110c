//! Queued messages of a dialog: shown until a generation takes them; until then they can be edited or
//! taken back.
//!
//! A message to be edited is put into the composer and saved as a draft before the driver is asked to
//! remove it, so no crash loses it. If a generation was faster, the composer is restored.

use std::sync::Arc;
use std::time::Instant;

use super::{App, Focus};
use crate::protocol::event::QueuedMessage;
use crate::ui::action::{Action, Scope};
use crate::ui::lang::Word;
use crate::ui::lists::queued;
use crate::ui::model::DraftKey;
use crate::ui::panes::composer::{PART, SCOPE, Target, hint};
use crate::ui::panes::queued::{QueuedRow, SendState};

impl App {
    /// The queued messages of the open dialog as the driver reported them, without those being taken back.
    pub(super) fn queued(&self) -> Arc<[QueuedMessage]> {
        let open = self.reading.dialog().and_then(|dialog| self.model.tree.get(dialog));
        let Some(row) = open else { return Arc::default() };
        let leaving =
            |words: &QueuedMessage| self.requests.taking_back().any(|b| b.message == words.message);
        if self.requests.taking_back().next().is_none() {
            return row.queued.clone();
        }
        row.queued.iter().filter(|words| !leaving(words)).cloned().collect()
    }

    /// The queued messages of the open dialog, including those not yet on disk.
    fn all_queued(&self) -> Vec<QueuedRow> {
        let Some(dialog) = self.reading.dialog() else { return Vec::new() };
        let known = self.queued();
        let mut unmatched: Vec<&str> = known.iter().map(|words| &*words.text).collect();
        let reported = known.iter().map(|words| (words.text.clone(), SendState::Queued));
        let mut all: Vec<QueuedRow> =
            reported.map(|(text, state)| QueuedRow { text, state }).collect();
        let here = DraftKey::Message(dialog.clone());
        for text in self.requests.texts_for(&here) {
            match unmatched.iter().position(|known| *known == text) {
                Some(at) => drop(unmatched.remove(at)),
                None => {
                    all.push(QueuedRow { text: text.into(), state: SendState::Sending });
                }
            }
        }
        all
    }

    /// The messages of the strip; none while a question is answered.
    pub(super) fn queue_strip(&self) -> Vec<QueuedRow> {
        if self.writing.question().is_some() || !self.queue_is_shown() {
            return Vec::new();
        }
        self.all_queued()
    }

    /// The key hints of the strip.
    pub(super) fn queue_keys(&self) -> String {
        let list = hint(&self.ui, Scope::ANYWHERE, Action::Show(queued::SCOPE), Word::QueuedList);
        if self.focus.now() == Focus::Composer && self.writing.is_empty() {
            return format!("{}{PART}{list}", hint(&self.ui, SCOPE, Action::HistoryUp, Word::Edit));
        }
        list
    }

    fn queue_is_shown(&self) -> bool {
        self.reading.is_generating() || self.queue.is_shown(self.moment)
    }

    /// When the strip appears without an event.
    pub(super) fn queue_appears_at(&self) -> Option<Instant> {
        self.queue.shown_at().filter(|at| *at > self.drawn_at && !self.reading.is_generating())
    }

    /// Tracks since when the queue is not empty; called after every event and key.
    pub(super) fn track_queue(&mut self) {
        self.queue.track(self.all_queued().is_empty(), self.moment);
    }

    /// Takes the newest queued message back into the empty composer; false if there is none.
    pub(super) fn edit_newest_queued(&mut self) -> bool {
        let Target::Dialog(dialog) = self.writing.target().clone() else { return false };
        if self.reading.dialog() != Some(&dialog) || !self.writing.is_empty() {
            return false;
        }
        let newest = self.queued().last().cloned();
        let follow_ups =
            newest.map(|queued| self.writing.edit_queued(dialog, &queued, self.moment));
        let is_edited = follow_ups.is_some();
        self.follow(follow_ups.unwrap_or_default());
        is_edited
    }

    /// True while the composer holds a message whose removal from the queue is not confirmed.
    pub(super) fn awaits_take_back(&self) -> bool {
        let Target::Dialog(dialog) = self.writing.target() else { return false };
        self.requests.taking_back().any(|back| back.dialog == *dialog && back.edit.is_some())
    }
}
