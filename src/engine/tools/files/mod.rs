//! Tools for files of the workspace. All go through the guard; all answer with a header that says
//! what was done, and a body.

mod args;
mod create;
mod lines;
mod list;
mod make;
mod overwrite;
mod range;
mod read;
mod relocate;
mod remove;
mod text;
mod whole_text;

use std::sync::Arc;

use super::tool::Tool;

/// Tools that only look.
pub(super) const READING: [&str; 2] = ["list_dir", "read_file"];

/// Tools that change files and directories as a whole.
pub(super) const WRITING: [&str; 7] = [
    "rm_dir",
    "rm_file",
    "mk_dir",
    "move_file",
    "move_dir",
    "create_new_file",
    "overwrite_entire_file",
];

/// All file tools.
pub(super) fn tools() -> Vec<Arc<dyn Tool>> {
    let mut tools = vec![list::tool(), read::tool()];
    tools.extend(remove::tools());
    tools.push(make::tool());
    tools.extend(relocate::tools());
    tools.extend([create::tool(), overwrite::tool()]);
    tools
}

pub(crate) use args::FileArgs;
pub(crate) use create::CreateFileArgs;
pub(crate) use list::ListDirArgs;
pub(crate) use overwrite::OverwriteFileArgs;
pub(super) use range::parse_range;
pub(crate) use read::ReadFileArgs;
pub(super) use text::{fence, short, with_final_newline};
pub(super) use whole_text::{LIMIT_LINES, NoText, read_text, split_bom};

#[cfg(test)]
mod tests;
