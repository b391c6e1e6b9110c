//! Dialogs on the screen: going to one, reading it, and what is done with it.

pub(super) mod batch;
pub(super) mod browsing;
pub(super) mod continuing;
pub(super) mod copying;
pub(super) mod lifecycle;
pub(super) mod preview;
pub(super) mod queue_strip;
pub(super) mod reading;
pub(super) mod seen_marks;
