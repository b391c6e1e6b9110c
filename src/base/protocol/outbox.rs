//! The queue between a driver that must not wait and a screen that may be slow.
//!
//! Live text is merged into the newest queued text of its dialog if only events of other dialogs are in
//! between. So the order within each dialog is kept, and deltas alone never lengthen the queue beyond one
//! entry per dialog. Past a limit, of events or of bytes, the queue is dropped for one [`DriverEvent::Lagged`].

use std::collections::VecDeque;

use super::event::{DriverEvent, EventScope, Segment};
use super::event_size::event_size;
use crate::domain::DialogId;

/// About how many bytes may wait for a reader that may miss events.
const MOST_BYTES: usize = 32 * 1024 * 1024;

#[derive(Debug)]
pub struct Outbox {
    waiting: VecDeque<Waiting>,
    /// Bytes of all waiting events.
    weight: usize,
    limit: usize,
    most_bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    event: DriverEvent,
    weight: usize,
}

impl Outbox {
    /// `limit`: events that may wait before they are dropped for [`DriverEvent::Lagged`]; `usize::MAX` for a reader
    /// that must miss none, whatever that takes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        let most_bytes = if limit == usize::MAX { usize::MAX } else { MOST_BYTES };
        Self { waiting: VecDeque::new(), weight: 0, limit, most_bytes }
    }

    /// Sets another limit for the bytes that may wait, as [`Self::weight`] counts them.
    #[must_use]
    pub fn with_most_bytes(self, most_bytes: usize) -> Self {
        Self { most_bytes, ..self }
    }

    pub fn push(&mut self, event: DriverEvent) {
        if let DriverEvent::Live { dialog, segment, text } = &event
            && self.merge(dialog, *segment, text)
        {
            self.weight += text.len();
        } else {
            if event.is_replaceable() {
                self.retain(|old| !event.replaces(old));
            }
            let weight = event_size(&event);
            self.weight += weight;
            self.waiting.push_back(Waiting { event, weight });
        }
        if self.waiting.len() > self.limit || self.is_too_heavy() {
            self.drop_for_lag(self.most_bytes / 2);
        }
    }

    /// Replaces the waiting events by one [`DriverEvent::Lagged`], but for `most_bytes` of events that cannot be
    /// requested again: the reader is too slow for the room that all readers share.
    pub fn shed(&mut self, most_bytes: usize) {
        self.drop_for_lag(most_bytes);
        if self.weight > most_bytes {
            // One large event was left after the mark: it is dropped, too.
            self.waiting.truncate(1);
            self.weight = 0;
        }
    }

    pub fn pop(&mut self) -> Option<DriverEvent> {
        let Waiting { event, weight } = self.waiting.pop_front()?;
        self.weight -= weight;
        Some(event)
    }

    /// Events were dropped, and the reader has not been told yet.
    #[must_use]
    pub fn has_lagged(&self) -> bool {
        self.waiting.front().is_some_and(|first| matches!(first.event, DriverEvent::Lagged))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// About how many bytes wait: at most the limit and the largest event.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.weight
    }

    fn merge(&mut self, dialog: &DialogId, segment: Segment, more: &str) -> bool {
        let mut newest_first = self.waiting.iter_mut().rev();
        let of_dialog = EventScope::Transcript(dialog);
        let newest = newest_first.find(|waiting| waiting.event.scope() == of_dialog);
        match newest {
            Some(Waiting { event: DriverEvent::Live { segment: same, text, .. }, weight })
                if *same == segment =>
            {
                text.push_str(more);
                *weight += more.len();
                true
            }
            _ => false,
        }
    }

    /// The largest event does not count, unless it grew here: were it dropped, it would be requested again, and
    /// dropped again.
    fn is_too_heavy(&self) -> bool {
        if self.weight <= self.most_bytes {
            return false;
        }
        let whole =
            self.waiting.iter().filter(|one| !matches!(one.event, DriverEvent::Live { .. }));
        let largest = whole.map(|one| one.weight).max().unwrap_or(0);
        self.weight - largest > self.most_bytes
    }

    /// Drops everything that can be requested again; then the oldest of the rest, down to half of a limit of events
    /// that is still exceeded, and to `most_bytes`.
    fn drop_for_lag(&mut self, most_bytes: usize) {
        self.retain(DriverEvent::is_said_once);
        while self.waiting.len() > self.limit / 2
            || (self.waiting.len() > 1 && self.weight > most_bytes)
        {
            self.pop();
        }
        let event = DriverEvent::Lagged;
        let weight = event_size(&event);
        self.waiting.push_front(Waiting { event, weight });
    }

    fn retain(&mut self, keeps: impl Fn(&DriverEvent) -> bool) {
        self.waiting.retain(|one| keeps(&one.event));
        self.weight = self.waiting.iter().map(|one| one.weight).sum();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{Course, RootId};
    use crate::protocol::StoredRecord;

    fn dialog(n: u8) -> DialogId {
        DialogId::main(RootId::new(format!("aa/bb/{n}")))
    }

    fn event(dialog_number: u8, kind: u8, n: usize) -> DriverEvent {
        let dialog = dialog(dialog_number);
        match kind {
            0..=5 => DriverEvent::Live { dialog, segment: Segment::Saying, text: format!("{n} ") },
            6 => DriverEvent::Live { dialog, segment: Segment::Thinking, text: format!("{n} ") },
            _ => DriverEvent::LiveEnd { dialog },
        }
    }

    fn transcript(events: impl IntoIterator<Item = DriverEvent>, of: u8) -> String {
        let mut text_so_far = String::new();
        let mut last = None;
        let dialog = dialog(of);
        let is_of = |event: &DriverEvent| event.scope() == EventScope::Transcript(&dialog);
        for event in events.into_iter().filter(is_of) {
            if let DriverEvent::Live { segment, text, .. } = event {
                if last != Some(segment) {
                    text_so_far.push_str(&format!("[{segment:?}]"));
                }
                last = Some(segment);
                text_so_far.push_str(&text);
            } else {
                last = None;
                text_so_far.push_str("[end]");
            }
        }
        text_so_far
    }

    proptest! {
        #[test]
        fn merging_keeps_the_order_within_each_dialog(
            moves in proptest::collection::vec((0u8..3, 0u8..8, any::<bool>()), 0..200)
        ) {
            let mut outbox = Outbox::new(usize::MAX);
            let (mut sent, mut received) = (Vec::new(), Vec::new());
            for (n, (d, kind, read)) in moves.into_iter().enumerate() {
                sent.push(event(d, kind, n));
                outbox.push(event(d, kind, n));
                if read {
                    received.extend(outbox.pop());
                }
            }
            while let Some(event) = outbox.pop() {
                received.push(event);
            }
            for d in 0..3 {
                prop_assert_eq!(transcript(sent.clone(), d), transcript(received.clone(), d));
            }
        }
    }

    proptest! {
        #[test]
        fn a_stalled_reader_never_lets_more_than_the_limit_and_the_largest_event_wait(
            moves in proptest::collection::vec((0u8..3, 0u8..10, 0usize..3000, 0u8..8), 0..300)
        ) {
            let most = 10_000;
            let mut outbox = Outbox::new(1_000).with_most_bytes(most);
            let (mut largest, mut once, mut received) = (0, Vec::new(), Vec::new());
            for (n, (d, kind, length, read)) in moves.into_iter().enumerate() {
                let pushed = match kind {
                    0..=5 => {
                        let text = "x".repeat(length);
                        DriverEvent::Live { dialog: dialog(d), segment: Segment::Saying, text }
                    }
                    6 => DriverEvent::Files(vec!["f".repeat(length * 10)]),
                    7 => DriverEvent::LiveEnd { dialog: dialog(d) },
                    8 => {
                        let record = serde_json::json!({
                            "type": "agent_words_record", "content": "w".repeat(length),
                        });
                        let (course, record) = (Course::FIRST, record.to_string());
                        DriverEvent::Fact(StoredRecord::made_up(&dialog(d), course, n, &record))
                    }
                    _ => DriverEvent::Done { ticket: n as u64, dialog: None },
                };
                largest = largest.max(event_size(&pushed));
                // So few that they are never too many.
                if let DriverEvent::Done { .. } = pushed {
                    if once.len() < 15 {
                        once.push(pushed.clone());
                    } else {
                        continue;
                    }
                }
                outbox.push(pushed);
                prop_assert!(outbox.weight() <= most + largest);
                let sum: usize = outbox.waiting.iter().map(|one| event_size(&one.event)).sum();
                prop_assert_eq!(outbox.weight(), sum);
                if read == 0 {
                    received.extend(outbox.pop());
                }
            }
            received.extend(std::iter::from_fn(|| outbox.pop()));
            let kept = received.into_iter().filter(DriverEvent::is_said_once);
            prop_assert_eq!(kept.collect::<Vec<_>>(), once);
        }
    }

    #[test]
    fn text_that_nobody_reads_is_dropped_for_lagged() {
        let mut outbox = Outbox::new(8).with_most_bytes(1_000);
        for n in 0..1_000 {
            outbox.push(event(1, 0, n));
            assert!(outbox.weight() <= 1_000);
        }
        assert_eq!(outbox.pop(), Some(DriverEvent::Lagged));
    }

    #[test]
    fn an_event_beyond_the_limit_is_sent_when_it_is_requested_again() {
        let mut outbox = Outbox::new(8).with_most_bytes(1_000);
        let files = DriverEvent::Files(vec!["f".repeat(5_000)]);
        outbox.push(DriverEvent::LiveEnd { dialog: dialog(1) });
        outbox.push(files.clone());
        outbox.push(DriverEvent::LiveEnd { dialog: dialog(2) });
        let all: Vec<_> = std::iter::from_fn(|| outbox.pop()).collect();
        assert_eq!((all.len(), &all[1]), (3, &files));
    }

    #[test]
    fn a_reader_that_must_miss_nothing_has_no_limit() {
        let mut outbox = Outbox::new(usize::MAX);
        assert_eq!(outbox.most_bytes, usize::MAX);
        for n in 0..10_000 {
            outbox.push(DriverEvent::LiveEnd { dialog: dialog(u8::from(n % 2 == 0)) });
        }
        assert_eq!(outbox.len(), 10_000);
    }

    #[test]
    fn deltas_alone_never_lengthen_the_queue() {
        let mut outbox = Outbox::new(8);
        for n in 0..10_000 {
            outbox.push(event(u8::from(n % 2 == 0), 0, n));
        }
        assert_eq!(outbox.len(), 2);
    }

    #[test]
    fn a_lagging_reader_gets_lagged_and_keeps_its_acknowledgements() {
        let mut outbox = Outbox::new(4);
        outbox.push(DriverEvent::Done { ticket: 7, dialog: None });
        for _ in 0..5 {
            outbox.push(DriverEvent::LiveEnd { dialog: dialog(1) });
        }
        assert_eq!(outbox.pop(), Some(DriverEvent::Lagged));
        assert_eq!(outbox.pop(), Some(DriverEvent::Done { ticket: 7, dialog: None }));
    }
}
