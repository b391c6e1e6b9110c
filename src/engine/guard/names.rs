//! Rules about names alone: how a written path becomes a list of names below the workspace, and
//! which of the reserved names (`domain::reserved`) whose tools may pass. Pure.

use std::path::{Component, Path};

use super::fault::{DeniedArea, InvalidPath, PathFault};
use crate::domain::Reserved;
use crate::domain::safety::reserved::of_name;

/// Longest written path, in bytes.
const MAX_PATH_BYTES: usize = 4_096;

/// The set of rules that a path is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardZone {
    /// Tools for any file: none of the reserved names.
    General,
    /// The tools of the task document itself.
    Taskdoc,
    /// The tools of one folder of memories, which lies below `.minds`.
    Memory,
    /// This program for a person: it sets up a workspace, task documents included. No link is followed.
    Setup,
    /// This program, for undoable changes: as `Setup`, and the folder of the store, where removed files go.
    Undoable,
    /// This program, where it only reads the workspace: no name is closed, and nothing is written.
    Reading,
}

impl GuardZone {
    /// Returns the area of a reserved name, if it is closed to readers, too.
    pub(super) fn denied_area(self, what: Reserved) -> Option<DeniedArea> {
        if self == Self::Reading {
            return None;
        }
        match what {
            Reserved::Minds => (!matches!(self, Self::Memory | Self::Setup | Self::Undoable))
                .then_some(DeniedArea::Minds),
            Reserved::Dialogs => Some(DeniedArea::Dialogs),
            Reserved::Hive => (self != Self::Undoable).then_some(DeniedArea::Hive),
            Reserved::Taskdoc => (!matches!(self, Self::Taskdoc | Self::Setup | Self::Undoable))
                .then_some(DeniedArea::Taskdoc),
            // Can be read; writers check `is_of_git`.
            Reserved::Git => None,
        }
    }
}

/// The names of a written path below the root, with `.` and `..` taken out.
///
/// `roots` are the absolute spellings of the workspace; an absolute path must begin with one.
pub(super) fn split_written(written: &str, roots: &[&Path]) -> Result<Vec<String>, PathFault> {
    let invalid = |reason| Err(PathFault::invalid(written, reason));
    if written.len() > MAX_PATH_BYTES {
        return invalid(InvalidPath::TooLong);
    }
    if written.contains('\0') {
        return invalid(InvalidPath::HoldsNul);
    }
    if written.contains(['\n', '\r']) {
        return invalid(InvalidPath::HoldsLineBreak);
    }
    let path = Path::new(written.trim());
    let below = if path.is_absolute() {
        let inside = roots.iter().find_map(|root| path.strip_prefix(root).ok());
        inside.ok_or_else(|| PathFault::denied(written, DeniedArea::Outside))?
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
                return Err(PathFault::denied(written, DeniedArea::Outside));
            }
        }
    }
    Ok(names)
}

/// The reserved area a name leads into, seen from `depth` names below the root.
pub(super) fn reserved_area(zone: GuardZone, depth: usize, name: &str) -> Option<DeniedArea> {
    of_name(depth, name).find_map(|what| zone.denied_area(what))
}

/// The reserved area a whole path leads into.
pub(super) fn reserved_area_of_path(zone: GuardZone, names: &[String]) -> Option<DeniedArea> {
    names.iter().enumerate().find_map(|(depth, name)| reserved_area(zone, depth, name))
}

/// True for a path to, or into, what belongs to git.
pub(super) fn is_of_git(names: &[String]) -> bool {
    let all = names.iter().enumerate().flat_map(|(depth, name)| of_name(depth, name));
    all.into_iter().any(|what| what == Reserved::Git)
}

/// Whether true names lead into a task document.
pub(super) fn in_taskdoc(names: &[String]) -> bool {
    reserved_area_of_path(GuardZone::General, names) == Some(DeniedArea::Taskdoc)
}
