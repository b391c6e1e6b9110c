//! The guards of tools: what a call may reach by its [`ToolCx`].

use std::sync::Arc;

use super::tool::ToolCx;
use crate::guard::{Access, Guard, GuardZone, PathFault};

impl Guard {
    /// A guard for tools that work on any file.
    ///
    /// # Errors
    /// The workspace itself cannot be opened.
    pub fn general(cx: &ToolCx) -> Result<Self, PathFault> {
        let guard = for_tool(cx, GuardZone::General, Arc::clone(&cx.access))?;
        Ok(match &cx.taskdoc {
            Some(taskdoc) => guard.closed_to(taskdoc),
            None => guard,
        })
    }

    /// A guard for the tools of the task document; the member's lists do not apply to it.
    ///
    /// # Errors
    /// The workspace itself cannot be opened.
    pub fn taskdoc(cx: &ToolCx) -> Result<Self, PathFault> {
        for_tool(cx, GuardZone::Taskdoc, Arc::default())
    }

    /// A guard for one folder of memories, a path of tidy names below the workspace. The member's
    /// lists do not apply to it.
    ///
    /// # Errors
    /// The workspace itself cannot be opened.
    pub fn memory(cx: &ToolCx, folder: &str) -> Result<Self, PathFault> {
        Ok(for_tool(cx, GuardZone::Memory, Arc::default())?.within(folder))
    }
}

fn for_tool(cx: &ToolCx, zone: GuardZone, access: Arc<Access>) -> Result<Guard, PathFault> {
    Guard::for_tool((&cx.workspace, cx.root), zone, access)
}
