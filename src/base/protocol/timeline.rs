//! What the dialogs of a main dialog did over time, for the timeline.

use serde::{Deserialize, Serialize};

use crate::domain::reading::timeline::Timeline;
use crate::domain::{AgentId, DialogId, Slug};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TimelineView {
    /// The main dialog first, each side dialog below the one that asked it.
    pub rows: Vec<TimelineRow>,
    /// Dialogs that are left out because there are too many.
    pub left_out: usize,
}

/// What one dialog did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineRow {
    pub dialog: DialogId,
    pub agent: AgentId,
    pub slug: Option<Slug>,
    /// Dialogs between it and the main dialog, which has 0.
    pub depth: usize,
    pub timeline: Timeline,
}
