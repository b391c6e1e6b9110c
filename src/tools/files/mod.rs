//! Tools for files of the workspace. All go through the guard; all answer with a header that says
//! what was done, and a body.

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

use std::sync::Arc;

use super::outcome::ToolOutcome;
use super::tool::{Tool, ToolCx};
use super::typed::ToolArgs;

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

/// Arguments of a tool that works on one path, for those who have the same tool for a folder alone.
pub(crate) trait FileArgs: ToolArgs {
    /// Whether the tool changes something.
    const WRITES: bool;

    /// The path, if one was given.
    fn path(&self) -> Option<&str>;

    fn set_path(&mut self, path: String);

    /// What the whole file is going to be, if that was given.
    fn new_text(&self) -> Option<&str>;

    /// Does the work, where blocking is allowed.
    fn run(&self, cx: &ToolCx) -> ToolOutcome;
}

pub(crate) use create::CreateFileArgs;
pub(crate) use list::ListDirArgs;
pub(crate) use overwrite::OverwriteFileArgs;
pub(super) use range::parse_range;
pub(crate) use read::ReadFileArgs;
pub(super) use text::{fence, short, with_final_newline};

#[cfg(test)]
mod tests;
