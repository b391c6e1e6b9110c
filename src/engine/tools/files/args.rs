//! What the arguments of tools for one path have in common.

use crate::tools::outcome::ToolOutcome;
use crate::tools::tool::ToolCx;
use crate::tools::typed::ToolArgs;

/// Arguments of a tool that works on one path; other modules reuse the tool for one folder.
pub(crate) trait FileArgs: ToolArgs {
    /// Whether the tool changes something.
    const WRITES: bool;

    /// The path, if one was given.
    fn path(&self) -> Option<&str>;

    fn set_path(&mut self, path: String);

    /// Returns the new text of the whole file, if it was given.
    fn new_text(&self) -> Option<&str>;

    /// Does the work, where blocking is allowed.
    fn run(&self, cx: &ToolCx) -> ToolOutcome;
}
