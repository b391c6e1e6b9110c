//! Tools every member has: reminders, a clear mind, and the task document. They change dialog
//! state only through the changes they return; the task document is a file and is written here.

mod clear;
mod mind;
mod recent;
mod reminders;
mod section;
mod taskdoc;

use std::sync::Arc;

use super::tool::Tool;

/// All control tools.
pub(super) const NAMES: [&str; 9] = [
    "add_reminder",
    "update_reminder",
    "delete_reminder",
    CLEAR_MIND,
    DO_MIND,
    MIND_MORE,
    NEVER_MIND,
    CHANGE_MIND,
    "recall_taskdoc",
];

/// The control tools that only main dialogs have.
pub(super) const ONLY_MAIN: [&str; 4] = [DO_MIND, MIND_MORE, NEVER_MIND, CHANGE_MIND];

const CHANGE_MIND: &str = "change_mind";
const DO_MIND: &str = "do_mind";
const MIND_MORE: &str = "mind_more";
const NEVER_MIND: &str = "never_mind";

/// The tools, in the order of [`NAMES`].
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let mut tools = reminders::tools();
    tools.push(clear::tool());
    tools.extend(mind::tools());
    tools.extend(taskdoc::tools());
    tools
}

pub use clear::CLEAR_MIND;
pub(crate) use recent::tools as recent_tools;
pub(super) use taskdoc::only_in_main;
pub use taskdoc::replace_section;

#[cfg(test)]
mod tests;
