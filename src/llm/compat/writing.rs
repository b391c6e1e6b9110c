//! The text of an answer on its way out.
//!
//! What must stay true: text that arrives together is one delta, and no segment begins with a
//! delta that is blank altogether; a segment that is nothing but blank never gets out.

use std::collections::VecDeque;

use crate::llm::{GenEvent, Segment};

/// The segment being written and the deltas nobody has taken yet.
#[derive(Debug, Default)]
pub(super) struct Writing {
    out: VecDeque<GenEvent>,
    segment: Option<Segment>,
    /// Blank text at the start of the segment, held back until something follows it.
    opening: String,
    /// The segment has text that is not blank.
    opened: bool,
    /// Any segment had.
    wrote: bool,
}

impl Writing {
    /// Adds a delta.
    pub(super) fn add(&mut self, segment: Segment, text: String) {
        if text.is_empty() {
            return;
        }
        if self.segment != Some(segment) {
            self.segment = Some(segment);
            self.opening.clear();
            self.opened = false;
        }
        if !self.opened && text.trim().is_empty() {
            self.opening.push_str(&text);
            return;
        }
        self.opened = true;
        self.wrote = true;
        let opening = std::mem::take(&mut self.opening);
        if !opening.is_empty() {
            self.push(segment, opening);
        }
        self.push(segment, text);
    }

    /// Whether there was any text that is not blank.
    pub(super) fn has_text(&self) -> bool {
        self.wrote
    }

    /// The deltas that became ready.
    pub(super) fn take(&mut self) -> VecDeque<GenEvent> {
        std::mem::take(&mut self.out)
    }

    fn push(&mut self, segment: Segment, more: String) {
        match self.out.back_mut() {
            Some(GenEvent::Delta { segment: last, text }) if *last == segment => {
                text.push_str(&more);
            }
            _ => self.out.push_back(GenEvent::Delta { segment, text: more }),
        }
    }
}
