//! Rules about names alone: how a written path becomes a list of names below the workspace, and
//! which names no general tool may pass. Pure. A reserved name is reserved whether or not it
//! exists, in any letter case, and in the spellings that some disks treat as the same name.

use std::path::{Component, Path};

use super::fault::{Area, Fault, Unusable};

/// Longest written path, in bytes.
const PATH_LIMIT_BYTES: usize = 4_096;

/// Whose rules a path is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Tools for any file: neither `.minds` nor `.dialogs` at the root, nor any task document.
    General,
    /// The tools of the task document itself.
    Taskdoc,
    /// The tools of one folder of memories, which lies below `.minds`.
    Memory,
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
    name.split('\\').enumerate().find_map(|(index, part)| {
        let folded = fold(part);
        let at_root = depth == 0 && index == 0;
        match folded.as_str() {
            ".minds" if at_root => (zone != Zone::Memory).then_some(Area::Minds),
            ".dialogs" if at_root => Some(Area::Dialogs),
            name => {
                let taskdoc = name.strip_suffix(".tsk").is_some();
                (taskdoc && zone != Zone::Taskdoc).then_some(Area::Taskdoc)
            }
        }
    })
}

/// The reserved area a whole path leads into.
pub(super) fn reserved_path(zone: Zone, names: &[String]) -> Option<Area> {
    names.iter().enumerate().find_map(|(depth, name)| reserved(zone, depth, name))
}

/// True for a path to, or into, what belongs to git, at any depth: a repository in a folder below is
/// one too.
pub(super) fn is_of_git(names: &[String]) -> bool {
    names.iter().flat_map(|name| name.split('\\')).any(|part| fold(part) == ".git")
}

/// Whether true names lead into a task document.
pub(super) fn in_taskdoc(names: &[String]) -> bool {
    reserved_path(Zone::General, names) == Some(Area::Taskdoc)
}

/// A spelling shared by all names that some disk could take for the same one: one letter case,
/// no invisible characters, no trailing dots and spaces, no stream suffix, plain ASCII forms.
pub(super) fn fold(name: &str) -> String {
    let visible: String = name
        .chars()
        .filter(|&char| !is_invisible(char))
        .map(ascii_form)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    let unstreamed = visible.find(':').and_then(|at| visible.get(..at)).unwrap_or(&visible);
    let trimmed = unstreamed.trim_end_matches(['.', ' ']).trim_start_matches(' ');
    trimmed.to_owned()
}

fn is_invisible(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}')
        || matches!(char, '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}')
        || matches!(char, '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}')
        || matches!(char, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(char, '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}')
}

fn ascii_form(char: char) -> char {
    match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xff01 + 0x21).unwrap_or(char),
        '\u{2024}' | '\u{fe52}' | '\u{3002}' | '\u{ff61}' => '.',
        other if other.is_whitespace() => ' ',
        other => other,
    }
}
