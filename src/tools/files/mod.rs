//! Tools for files of the workspace. All go through the guard; all answer with a header that says
//! what was done, and a body.

mod create;
mod lines;
mod list;
mod overwrite;
mod read;
mod text;

use std::sync::Arc;

use super::tool::Tool;

pub(super) use text::with_final_newline;
pub(super) use text::{fence, short};

/// Tools that only look.
pub(super) const READING: [&str; 2] = ["list_dir", "read_file"];

/// Tools that change files.
pub(super) const WRITING: [&str; 2] = ["create_new_file", "overwrite_entire_file"];

/// All file tools.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    vec![list::tool(), read::tool(), create::tool(), overwrite::tool()]
}

#[cfg(test)]
mod tests;
