//! The life of dialogs beyond their talk: ended, put away, brought back, branched off.

use serde::{Deserialize, Serialize};

use crate::domain::{AgentId, Bucket, Course, DialogId, Genseq, RootId, Stamp};

/// What is to become of a dialog or of a whole tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lifecycle {
    /// A side dialog never goes on; whoever waits for it is told, with the person's note.
    DeclareDead { dialog: DialogId, note: Option<String> },
    /// A main dialog with all its side dialogs goes to another place. Refused while any of it runs.
    Move { root: RootId, to: Bucket },
    /// A main dialog with all its side dialogs is deleted for ever. Refused while any of it runs.
    Delete { root: RootId },
    /// A new main dialog that has everything from before this generation. The source stays as it is;
    /// refused while any of it runs.
    Fork { root: RootId, course: Course, genseq: Genseq, then: ForkMode },
}

/// What a fork does once it is made, if it waits for nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ForkMode {
    Continue,
    /// It rests until a person lets it go on.
    Stay,
}

/// What a fork waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AfterFork {
    /// The generation began with words of a person: they are to be said anew, or others.
    DraftUserText(String),
    /// Questions were open or side dialogs awaited, and they are again.
    RestorePending,
    /// It waits for nobody: it goes on where the source went on.
    AutoContinue,
}

/// A main dialog that is done or archived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShelfRow {
    pub root: RootId,
    pub bucket: Bucket,
    pub agent: AgentId,
    pub taskdoc: String,
    pub about: String,
    /// Of a tree of an earlier layout, which is only read.
    pub history: bool,
    pub last_modified: Stamp,
}
