//! Drafts of the life of dialogs and trees: repaired after a load, declared dead, forked.
//!
//! Uses `generation`, `calls`, `steps`, `shared` and `texts`.

pub mod declare_dead;
pub mod fork;
pub mod recovery;
