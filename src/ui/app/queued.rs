//! Queued messages of a dialog: shown until a generation takes them; until then they can be edited or
//! taken back.
//!
//! A message to be edited is put into the composer and saved as a draft before the driver is asked to
//! remove it, so no crash loses it. If a generation was faster, the composer is restored.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{App, Focus, InFlight};
use crate::domain::{DialogId, MsgId};
use crate::protocol::Command;
use crate::protocol::event::QueuedMessage;
use crate::ui::action::{Action, Scope};
use crate::ui::lang::Word;
use crate::ui::model::{DraftKey, Tone};
use crate::ui::panes::composer::{PART, SCOPE, Target, hint};
use crate::ui::panes::queued::{self, QueuedList, SendState};

/// A message that is taken within this time is never shown in the strip.
const STRIP_DELAY: Duration = Duration::from_millis(250);

/// A message whose removal from the queue was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PendingTakeBack {
    dialog: DialogId,
    message: MsgId,
    edit: Option<TakeBackEdit>,
}

/// The composer's text with the message, and before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TakeBackEdit {
    with: String,
    before: String,
}

impl App {
    /// The queued messages of the open dialog as the driver reported them, without those being taken back.
    pub(super) fn queued(&self) -> Arc<[QueuedMessage]> {
        let open = self.model.open.as_ref().and_then(|open| self.model.tree.get(&open.dialog));
        let Some(row) = open else { return Arc::default() };
        let leaving =
            |words: &QueuedMessage| self.taking_back().any(|b| b.message == words.message);
        if self.taking_back().next().is_none() {
            return row.queued.clone();
        }
        row.queued.iter().filter(|words| !leaving(words)).cloned().collect()
    }

    fn taking_back(&self) -> impl Iterator<Item = &PendingTakeBack> {
        self.in_flight.values().filter_map(InFlight::taking_back)
    }

    /// The queued messages of the open dialog, including those not yet on disk.
    fn all_queued(&self) -> Vec<queued::QueuedRow> {
        let Some(open) = &self.model.open else { return Vec::new() };
        let known = self.queued();
        let mut unmatched: Vec<&str> = known.iter().map(|words| &*words.text).collect();
        let reported = known.iter().map(|words| (words.text.clone(), SendState::Queued));
        let mut all: Vec<queued::QueuedRow> =
            reported.map(|(text, state)| queued::QueuedRow { text, state }).collect();
        let here = DraftKey::Message(open.dialog.clone());
        for text in self.in_flight.values().filter_map(|waiting| waiting.words_for(&here)) {
            match unmatched.iter().position(|known| *known == text) {
                Some(at) => drop(unmatched.remove(at)),
                None => {
                    all.push(queued::QueuedRow { text: text.into(), state: SendState::Sending });
                }
            }
        }
        all
    }

    /// The messages of the strip; none while a question is answered.
    pub(super) fn queue_strip(&self) -> Vec<queued::QueuedRow> {
        if matches!(self.composer.target, Target::Question { .. }) || !self.queue_is_shown() {
            return Vec::new();
        }
        self.all_queued()
    }

    /// The key hints of the strip.
    pub(super) fn queue_keys(&self) -> String {
        let list = hint(&self.ui, Scope::ANYWHERE, Action::OpenQueued, Word::QueuedList);
        if self.focus == Focus::Composer && self.composer.field.is_empty() {
            return format!("{}{PART}{list}", hint(&self.ui, SCOPE, Action::HistoryUp, Word::Edit));
        }
        list
    }

    fn queue_is_shown(&self) -> bool {
        self.is_generating() || self.queue_shows_at().is_some_and(|at| self.moment >= at)
    }

    /// A generation of the open dialog is running: messages sent now are queued until its end.
    fn is_generating(&self) -> bool {
        let open = self.model.open.as_ref();
        open.is_some_and(|open| open.began.is_some() || open.is_streaming())
    }

    fn queue_shows_at(&self) -> Option<Instant> {
        self.queued_since.map(|since| since + STRIP_DELAY)
    }

    /// When the strip appears without an event.
    pub(super) fn queue_appears_at(&self) -> Option<Instant> {
        self.queue_shows_at().filter(|at| *at > self.drawn_at && !self.is_generating())
    }

    /// Tracks since when the queue is not empty; called after every event and key.
    pub(super) fn track_queue(&mut self) {
        if self.all_queued().is_empty() {
            self.queued_since = None;
        } else {
            self.queued_since.get_or_insert(self.moment);
        }
    }

    pub(super) fn open_queued(&mut self) {
        match self.model.open.as_ref().map(|open| open.dialog.clone()) {
            Some(dialog) if !self.queued().is_empty() => {
                self.overlays.push(Box::new(QueuedList::new(dialog)));
            }
            Some(_) | None => self.notify(Tone::Plain, Word::NothingQueued),
        }
    }

    /// Takes the newest queued message back into the empty composer; false if there is none.
    pub(super) fn edit_newest_queued(&mut self) -> bool {
        let Target::Dialog(dialog) = self.composer.target.clone() else { return false };
        let here = self.model.open.as_ref().is_some_and(|open| open.dialog == dialog);
        if !here || !self.composer.field.is_empty() {
            return false;
        }
        match self.queued().last().cloned() {
            Some(words) => {
                self.edit_queued(dialog, &words);
                true
            }
            None => false,
        }
    }

    pub(super) fn edit_queued(&mut self, dialog: DialogId, words: &QueuedMessage) {
        if self.composer.target != Target::Dialog(dialog.clone()) {
            self.write_to(Target::Dialog(dialog.clone()));
        }
        let before = self.composer.field.text();
        let with = match before.trim() {
            "" => words.text.to_string(),
            _ => format!("{}\n\n{before}", words.text),
        };
        self.composer.field.set(&with);
        if self.focus != Focus::Composer {
            self.focus_composer();
        }
        self.keep_draft();
        self.drafts.save();
        let message = words.message.clone();
        self.request_take_back(PendingTakeBack {
            dialog,
            message,
            edit: Some(TakeBackEdit { with, before }),
        });
    }

    pub(super) fn take_back(&mut self, dialog: DialogId, message: MsgId) {
        self.request_take_back(PendingTakeBack { dialog, message, edit: None });
    }

    fn request_take_back(&mut self, back: PendingTakeBack) {
        let (dialog, message) = (back.dialog.clone(), back.message.clone());
        let ticket = self.ticket(InFlight::TakeBack(back));
        self.commands.push(Command::TakeBack { ticket, dialog, message });
    }

    /// True while the composer holds a message whose removal from the queue is not confirmed.
    pub(super) fn awaits_take_back(&self) -> bool {
        let Target::Dialog(dialog) = &self.composer.target else { return false };
        self.taking_back().any(|back| back.dialog == *dialog && back.edit.is_some())
    }

    pub(super) fn taken_back(&mut self, back: &PendingTakeBack) {
        let word = if back.edit.is_some() { Word::TakenBackToEdit } else { Word::TakenBack };
        self.notify(Tone::Good, word);
    }

    /// A generation was faster: an unedited message is removed from the composer again.
    pub(super) fn not_taken_back(&mut self, back: PendingTakeBack) {
        let Some(edit) = back.edit else { return };
        let key = DraftKey::Message(back.dialog);
        if self.composer.target.key().as_ref() == Some(&key) {
            if self.composer.field.text() == edit.with {
                self.composer.field.set(&edit.before);
                self.keep_draft();
            }
        } else if self.drafts.get(&key) == edit.with {
            self.drafts.set(&key, &edit.before, self.moment);
        }
    }
}

impl InFlight {
    fn taking_back(&self) -> Option<&PendingTakeBack> {
        if let Self::TakeBack(back) = self { Some(back) } else { None }
    }

    fn words_for(&self, wanted: &DraftKey) -> Option<&str> {
        match self {
            Self::Send { key, text } if key == wanted => Some(text),
            Self::Send { .. }
            | Self::TakeBack(_)
            | Self::Open
            | Self::Create { .. }
            | Self::Lifecycle(..)
            | Self::Sheet
            | Self::KeepGoing(_)
            | Self::Other => None,
        }
    }
}
