//! The tokens that the dialogs of a main dialog used, and how full their contexts were.

use serde::{Deserialize, Serialize};

use crate::domain::reading::usage::{GenerationUsage, UsageSum};
use crate::domain::{AgentId, DialogId, Slug};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageView {
    /// The main dialog first, each side dialog below the one that asked it.
    pub dialogs: Vec<DialogUsage>,
    /// Dialogs that are left out because there are too many.
    pub left_out: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DialogUsage {
    pub dialog: DialogId,
    pub agent: AgentId,
    pub slug: Option<Slug>,
    /// Dialogs between it and the main dialog, which has 0.
    pub depth: usize,
    /// The sum of all generations.
    pub sum: UsageSum,
    /// The newest generations, in order.
    pub generations: Vec<GenerationUsage>,
}
