//! Overlays and sheets on top of the open dialog.

pub(super) mod sheets;
pub(super) mod stack;
