//! The layout of Dominds 1.24 to 1.29: its words for what the domain has, and the files and keys that it alone has.

pub mod answers;
pub mod callees;
pub mod facts;
pub mod latest;
pub mod records;
pub mod scopes;
pub mod settle;
pub mod states;
pub mod step;
pub mod taking_up;
pub mod task_folder;

/// The calls that a dialog waits for.
pub(in crate::store) const CALLEES: &str = "active-callees.json";
/// What a dialog told a person.
pub(in crate::store) const ANSWERS: &str = "a2h.yaml";
/// Which dialogs a start of Dominds looks at. It is derived, and made anew where it is missing, so it is removed here.
pub(in crate::store) const WAKE_QUEUE: &str = "wake-queue.jsonl";
/// Files of a tree that only this layout has.
pub(in crate::store) const FILES: [&str; 3] = [CALLEES, ANSWERS, WAKE_QUEUE];
