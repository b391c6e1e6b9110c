//! The folders of memories: the only part of `.minds` that tools of a member write to. A guard for
//! one of them lets nothing out of that folder, by no path and no link.

use std::ffi::OsStr;

use super::fault::{PathFault, PathFaultKind};
use super::{AccessOp, Guard, OpenDir, PathKind};

/// Folders below each other that are looked into.
const MAX_DEEP: usize = 32;

impl Guard {
    /// Removes a regular file.
    ///
    /// # Errors
    /// Denied, absent, or not a regular file.
    pub fn remove_memory(&self, written: &str) -> Result<(), PathFault> {
        let opened = self.open_file(written, AccessOp::Write)?;
        let removed = opened.dir.remove(&opened.name).and_then(|()| opened.dir.sync());
        removed.map_err(|error| PathFault::io(written, &error))
    }

    /// Removes every file and link below the folder, and tells how many. Folders stay. An absent
    /// folder is an empty one.
    ///
    /// # Errors
    /// Denied, or something could not be removed; what came before it is gone.
    pub fn clear_memory(&self, folder: &str) -> Result<usize, PathFault> {
        match self.open_dir(folder) {
            Ok(dir) => self.clear_below(&dir, MAX_DEEP),
            Err(PathFault { kind: PathFaultKind::NotFound, .. }) => Ok(0),
            Err(fault) => Err(fault),
        }
    }

    fn clear_below(&self, dir: &OpenDir, deep: usize) -> Result<usize, PathFault> {
        let io = |name: &OsStr, error| PathFault::io(&dir.below(name), &error);
        let mut removed = 0;
        for entry in dir.dir.entries().map_err(|error| PathFault::io(&dir.shown, &error))? {
            let entry = entry.map_err(|error| PathFault::io(&dir.shown, &error))?;
            let name = entry.name;
            if entry.kind != Some(PathKind::Directory) {
                dir.dir.remove(&name).map_err(|error| io(&name, error))?;
                removed += 1;
            } else if let Some(deeper) = deep.checked_sub(1) {
                removed += self.clear_below(&self.enter(dir, &name)?, deeper)?;
            }
        }
        dir.dir.sync().map_err(|error| PathFault::io(&dir.shown, &error))?;
        Ok(removed)
    }
}
