//! Lifecycle operations on dialogs and trees: declare dead, move, delete, fork.

use serde::{Deserialize, Serialize};

use super::image::AttachedImage;
use crate::domain::{AgentId, Bucket, Course, DialogId, ForeignLayout, Genseq, RootId, Stamp};

/// An operation on a dialog or a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// Ends a side dialog for good; its askers get a notice with the user's note.
    DeclareDead { dialog: DialogId, note: Option<String> },
    /// Moves a main dialog with all its side dialogs to another bucket. Refused while any of it runs.
    Move { root: RootId, to: Bucket },
    /// Deletes a main dialog with all its side dialogs. Refused while any of it runs.
    Delete { root: RootId },
    /// Makes a tree active again that was set aside as damaged; `name` is that of its folder, with what was appended
    /// to it. Refused where the place is taken.
    Restore { name: String },
    /// Creates a main dialog with everything from before this generation. The source is not changed; refused
    /// while any of it runs.
    Fork { root: RootId, course: Course, genseq: Genseq, then: ForkMode },
}

/// What a new fork does if it waits for nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForkMode {
    Continue,
    /// It is stopped until the user continues it.
    Stay,
}

/// What a fork waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterFork {
    /// The generation began with a message of the user, which becomes a draft.
    DraftUserText { text: String, images: Vec<AttachedImage> },
    /// It waits for open questions or pending side dialogs, like the source then.
    RestorePending,
    /// It waits for nobody: it continues as the source did.
    AutoContinue,
}

/// A main dialog that is done or archived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShelfRow {
    pub root: RootId,
    pub bucket: Bucket,
    pub agent: AgentId,
    pub taskdoc: String,
    pub title: String,
    /// A tree that may only be read.
    pub history: bool,
    /// Why it may only be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<ForeignLayout>,
    pub last_modified: Stamp,
}

impl ShelfRow {
    /// Why it may only be read, if it may; an older program says only that it is so.
    #[must_use]
    pub fn foreign(&self) -> Option<ForeignLayout> {
        self.layout.or(self.history.then_some(ForeignLayout::Older))
    }
}
