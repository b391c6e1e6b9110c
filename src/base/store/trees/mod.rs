//! From files to trees: walks folders, reads the files of a dialog, and sets the dialogs of a tree right
//! against each other. Writes nothing.

pub mod course_lines;
pub mod earlier_layout;
pub mod folder_cache;
mod folder_summary;
pub mod folder_walk;
mod identity;
mod listed_parts;
pub mod parts;
mod reconcile;
pub mod scan;
mod states;
pub mod tree;
pub mod tree_builder;
pub mod tree_layout;
pub mod waiting_files;
