//! The strip of queued messages of the open dialog: when it is shown, and its messages.

use std::time::{Duration, Instant};

use crate::app::flow::facts::Facts;
use crate::app::flow::requests::Requests;
use crate::model::{DraftKey, attached};
use crate::panes::queued::{QueuedRow, SendState};
use crate::protocol::event::QueuedMessage;

/// A message that is taken within this time is never shown in the strip.
const STRIP_DELAY: Duration = Duration::from_millis(250);

/// Since when the strip of queued messages has something to show.
#[derive(Debug, Default)]
pub(in crate::app) struct QueueStrip {
    since: Option<Instant>,
}

impl QueueStrip {
    /// Called after every event and key.
    pub fn track(&mut self, is_empty: bool, now: Instant) {
        if is_empty {
            self.since = None;
        } else {
            self.since.get_or_insert(now);
        }
    }

    /// Returns the time at which the strip appears by itself, if that is after the last frame.
    pub fn appears_at(&self, drawn: Instant, is_generating: bool) -> Option<Instant> {
        self.shown_at().filter(|at| *at > drawn && !is_generating)
    }

    /// When the strip is shown while no generation is running.
    fn shown_at(&self) -> Option<Instant> {
        self.since.map(|since| since + STRIP_DELAY)
    }

    pub fn is_shown(&self, now: Instant) -> bool {
        self.shown_at().is_some_and(|at| now >= at)
    }
}

/// The queued messages of the open dialog, including those not yet on disk.
pub(in crate::app) fn of_open(facts: Facts<'_>, requests: &Requests) -> Vec<QueuedRow> {
    let Some(dialog) = facts.open_dialog() else { return Vec::new() };
    let key = DraftKey::Message(dialog.clone());
    let sending: Vec<String> = requests.texts_for(&key).map(attached::content).collect();
    messages(&requests.still_queued(facts.open_row()), sending.iter().map(String::as_str))
}

/// Returns the queued messages, then those of `sending` that are not on disk yet.
fn messages<'a>(
    queued: &[QueuedMessage],
    sending: impl Iterator<Item = &'a str>,
) -> Vec<QueuedRow> {
    let mut unmatched: Vec<&str> = queued.iter().map(|message| &*message.text).collect();
    let known = queued.iter().map(|message| (message.text.clone(), SendState::Queued));
    let mut all: Vec<QueuedRow> = known.map(|(text, state)| QueuedRow { text, state }).collect();
    for text in sending {
        match unmatched.iter().position(|known| *known == text) {
            Some(at) => drop(unmatched.remove(at)),
            None => all.push(QueuedRow { text: text.into(), state: SendState::Sending }),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strip_appears_a_moment_after_the_first_message_was_queued() {
        let (mut strip, now) = (QueueStrip::default(), Instant::now());
        strip.track(false, now);
        strip.track(false, now + STRIP_DELAY);
        assert!(!strip.is_shown(now) && strip.is_shown(now + STRIP_DELAY));
        assert_eq!(strip.appears_at(now, false), Some(now + STRIP_DELAY));
        assert_eq!(strip.appears_at(now, true), None);
        strip.track(true, now + STRIP_DELAY);
        assert!(!strip.is_shown(now + STRIP_DELAY));
    }

    #[test]
    fn a_message_that_is_queued_already_is_not_shown_as_being_sent_too() {
        let queued =
            [QueuedMessage { message: "m".into(), text: "one".into(), images: Vec::new() }];
        let all = messages(&queued, ["one", "one", "two"].into_iter());
        let shown: Vec<_> = all.iter().map(|row| (&*row.text, row.state)).collect();
        let sending = SendState::Sending;
        assert_eq!(shown, [("one", SendState::Queued), ("one", sending), ("two", sending)]);
    }
}
