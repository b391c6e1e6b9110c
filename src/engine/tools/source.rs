//! Tools that come and go while the program runs, such as those of servers it talks to.

use std::fmt::Debug;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::domain::text::Localized;
use crate::domain::{DialogId, Problem, PromptCall, Reminder, RootId, ServerPrompt};

use super::registry::Registry;

/// A source of further tools. Each generation sees the tools that exist when it begins; a running
/// call keeps the tool it was made with.
pub trait ToolSource: Send + Sync + Debug {
    /// Works until [`ToolSource::close`]; called once.
    fn run(&self) -> BoxFuture<'static, ()>;

    /// Applies changes since the last time. Waits briefly for what is starting.
    fn settle(&self) -> BoxFuture<'static, ()>;

    /// Adds the tools there are now.
    fn add_to(&self, registry: &mut Registry);

    /// Returns the problems that keep tools from being offered.
    fn problems(&self) -> Vec<Problem>;

    /// Returns the prompts that a person can put into a draft.
    fn prompts(&self) -> Vec<ServerPrompt>;

    /// Has the text of one of them made for a draft in a dialog; `None` if it is none of them.
    fn prompt(&self, dialog: &DialogId, call: &PromptCall) -> Option<PromptText>;

    /// Returns updates for the reminders it keeps in a dialog that begins a generation.
    fn update_reminders(&self, dialog: &DialogId, reminders: &[Reminder]) -> Vec<ReminderUpdate>;

    /// Releases the leases of a dialog, or of all of a tree.
    fn release(&self, whose: LeaseScope) -> BoxFuture<'static, ()>;

    /// Releases everything; [`ToolSource::run`] ends then.
    fn close(&self) -> BoxFuture<'static, ()>;
}

/// The text of a prompt, or why there is none.
pub type PromptText = BoxFuture<'static, Result<String, Localized>>;

/// The dialogs for which something is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeaseScope {
    Dialog(DialogId),
    Tree(RootId),
}

/// A change of a reminder by the one who keeps it.
#[derive(Debug, Clone, PartialEq)]
pub enum ReminderUpdate {
    Add {
        /// The owner that maintains it.
        owner: &'static str,
        content: String,
        meta: Value,
    },
    Drop {
        id: String,
    },
}
