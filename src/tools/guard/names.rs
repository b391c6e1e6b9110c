//! Rules about names alone: how a written path becomes a list of names below the workspace, and
//! which of the reserved names (`domain::reserved`) whose tools may pass. Pure.

use std::path::{Component, Path};

use super::fault::{Area, Fault, Unusable};
use crate::domain::Reserved;
use crate::domain::reserved::of_name;

/// Longest written path, in bytes.
const PATH_LIMIT_BYTES: usize = 4_096;

/// Whose rules a path is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Tools for any file: none of the reserved names.
    General,
    /// The tools of the task document itself.
    Taskdoc,
    /// The tools of one folder of memories, which lies below `.minds`.
    Memory,
    /// This program at a person's word: it sets up a workspace, task documents included. No link is
    /// followed then, wherever it leads.
    Setup,
}

impl Zone {
    /// The area a reserved name stands for here, if the name is closed to readers, too.
    pub(super) fn closes(self, what: Reserved) -> Option<Area> {
        match what {
            Reserved::Minds => (!matches!(self, Self::Memory | Self::Setup)).then_some(Area::Minds),
            Reserved::Dialogs => Some(Area::Dialogs),
            Reserved::Hive => Some(Area::Hive),
            Reserved::Taskdoc => {
                (!matches!(self, Self::Taskdoc | Self::Setup)).then_some(Area::Taskdoc)
            }
            // Can be read; whoever writes asks `is_of_git`.
            Reserved::Git => None,
        }
    }
}

/// The names of a written path below the root, with `.` and `..` taken out.
///
/// `roots` are the absolute spellings of the workspace; an absolute path must begin with one.
pub(super) fn lexical(written: &str, roots: &[&Path]) -> Result<Vec<String>, Fault> {
    let invalid = |reason| Err(Fault::invalid(written, reason));
    if written.len() > PATH_LIMIT_BYTES {
        return invalid(Unusable::TooLong);
    }
    if written.contains('\0') {
        return invalid(Unusable::HoldsNul);
    }
    if written.contains(['\n', '\r']) {
        return invalid(Unusable::HoldsLineBreak);
    }
    let path = Path::new(written.trim());
    let below = if path.is_absolute() {
        let inside = roots.iter().find_map(|root| path.strip_prefix(root).ok());
        inside.ok_or_else(|| Fault::denied(written, Area::Outside))?
    } else {
        path
    };
    let mut names = Vec::new();
    for component in below.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            Component::ParentDir if names.pop().is_some() => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Fault::denied(written, Area::Outside));
            }
        }
    }
    Ok(names)
}

/// The reserved area a name leads into, seen from `depth` names below the root.
pub(super) fn reserved(zone: Zone, depth: usize, name: &str) -> Option<Area> {
    of_name(depth, name).find_map(|what| zone.closes(what))
}

/// The reserved area a whole path leads into.
pub(super) fn reserved_path(zone: Zone, names: &[String]) -> Option<Area> {
    names.iter().enumerate().find_map(|(depth, name)| reserved(zone, depth, name))
}

/// True for a path to, or into, what belongs to git.
pub(super) fn is_of_git(names: &[String]) -> bool {
    let all = names.iter().enumerate().flat_map(|(depth, name)| of_name(depth, name));
    all.into_iter().any(|what| what == Reserved::Git)
}

/// Whether true names lead into a task document.
pub(super) fn in_taskdoc(names: &[String]) -> bool {
    reserved_path(Zone::General, names) == Some(Area::Taskdoc)
}
