//! Overlays and sheets on top of the open dialog.

pub(super) mod intents;
pub(super) mod new_overlay;
pub(super) mod sheets;
pub(super) mod stack;
