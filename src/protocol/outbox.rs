//! The queue between a driver that must not wait and a screen that may be slow.
//!
//! Live text is merged into the newest queued text of its dialog if only events of other dialogs are in
//! between. So the order within each dialog is kept, and deltas alone never lengthen the queue beyond one
//! entry per dialog. Past the limit the queue is dropped for one [`DriverEvent::Lagged`].

use std::collections::VecDeque;

use super::event::DriverEvent;
use crate::domain::DialogId;

#[derive(Debug)]
pub struct Outbox {
    waiting: VecDeque<DriverEvent>,
    limit: usize,
}

impl Outbox {
    /// `limit`: events that may wait before they are dropped for [`DriverEvent::Lagged`].
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { waiting: VecDeque::new(), limit }
    }

    pub fn push(&mut self, event: DriverEvent) {
        if let DriverEvent::Live { dialog, segment, text } = &event
            && self.merge(dialog, *segment, text)
        {
            return;
        }
        if is_replaceable(&event) {
            self.waiting.retain(|old| !is_replaced_by(old, &event));
        }
        self.waiting.push_back(event);
        if self.waiting.len() > self.limit {
            self.drop_for_lag();
        }
    }

    pub fn pop(&mut self) -> Option<DriverEvent> {
        self.waiting.pop_front()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    fn merge(&mut self, dialog: &DialogId, segment: super::event::Segment, more: &str) -> bool {
        let newest =
            self.waiting.iter_mut().rev().find(|event| transcript_of(event) == Some(dialog));
        match newest {
            Some(DriverEvent::Live { segment: same, text, .. }) if *same == segment => {
                text.push_str(more);
                true
            }
            _ => false,
        }
    }

    /// Drops everything that can be requested again.
    fn drop_for_lag(&mut self) {
        self.waiting.retain(|event| {
            matches!(
                event,
                DriverEvent::Done { .. }
                    | DriverEvent::Refused { .. }
                    | DriverEvent::Forked { .. }
                    | DriverEvent::Shelf { .. }
                    | DriverEvent::Found { .. }
                    | DriverEvent::Mind { .. }
                    | DriverEvent::Log { .. }
                    | DriverEvent::ImageKept { .. }
                    | DriverEvent::Asked { .. }
                    | DriverEvent::Stopped
            )
        });
        let excess = self.waiting.len().saturating_sub(self.limit / 2);
        self.waiting.drain(..excess);
        self.waiting.push_front(DriverEvent::Lagged);
    }
}

/// True for events of which only the newest counts.
fn is_replaceable(event: &DriverEvent) -> bool {
    matches!(
        event,
        DriverEvent::Row(_)
            | DriverEvent::Inbox(_)
            | DriverEvent::Problems(_)
            | DriverEvent::Processes(_)
            | DriverEvent::Files(_)
    )
}

/// True if the new event makes the `old` one obsolete.
fn is_replaced_by(old: &DriverEvent, new: &DriverEvent) -> bool {
    match (old, new) {
        (DriverEvent::Row(old), DriverEvent::Row(new)) => old.dialog == new.dialog,
        (DriverEvent::Inbox(_), DriverEvent::Inbox(_))
        | (DriverEvent::Problems(_), DriverEvent::Problems(_))
        | (DriverEvent::Processes(_), DriverEvent::Processes(_))
        | (DriverEvent::Files(_), DriverEvent::Files(_)) => true,
        (_, _) => false,
    }
}

/// The dialog whose transcript an event continues.
fn transcript_of(event: &DriverEvent) -> Option<&DialogId> {
    match event {
        DriverEvent::Fact(fact) => Some(fact.dialog()),
        DriverEvent::Live { dialog, .. }
        | DriverEvent::LiveEnd { dialog }
        | DriverEvent::ToolEnded { dialog, .. }
        | DriverEvent::Retry { dialog, .. } => Some(dialog),
        DriverEvent::Page { page, .. } => Some(&page.dialog),
        DriverEvent::Workspace(_)
        | DriverEvent::Rows(_)
        | DriverEvent::Row(_)
        | DriverEvent::Removed(_)
        | DriverEvent::Inbox(_)
        | DriverEvent::Asked { .. }
        | DriverEvent::Answered { .. }
        | DriverEvent::Sheet { .. }
        | DriverEvent::Problems(_)
        | DriverEvent::Done { .. }
        | DriverEvent::Refused { .. }
        | DriverEvent::Forked { .. }
        | DriverEvent::Shelf { .. }
        | DriverEvent::Found { .. }
        | DriverEvent::Mind { .. }
        | DriverEvent::Log { .. }
        | DriverEvent::ImageKept { .. }
        | DriverEvent::Processes(_)
        | DriverEvent::Files(_)
        | DriverEvent::Consent(_)
        | DriverEvent::Notice(_)
        | DriverEvent::Halted(_)
        | DriverEvent::Quiet(_)
        | DriverEvent::Lagged
        | DriverEvent::Stopped => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::RootId;
    use crate::protocol::event::Segment;

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
        for event in events.into_iter().filter(|event| transcript_of(event) == Some(&dialog(of))) {
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
