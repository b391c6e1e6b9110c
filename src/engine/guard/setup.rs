//! Files that this program itself writes into a workspace for a person: a first team, the demo, a new Taskdoc, a
//! setting that the person chose. They are written through the guard of all tools, so that no link and no reserved
//! name leads elsewhere; an existing file is only touched if it is to be changed.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fault::{PathFault, PathFaultKind};
use super::{AccessOp, Guard, GuardZone, PathTarget};
use crate::domain::dialogs::taskdoc::SECTIONS;
use crate::domain::text::Localized;
use crate::guard::file_identity::Identity;

/// The outcome for one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    Written,
    /// It existed and was left as it is.
    Kept,
}

/// Writes files below `folder`, which is made if need be: path and text of each. No link below the
/// folder is followed.
///
/// # Errors
/// The first file that could not be written; those before it stay.
pub fn set_up(folder: &Path, files: &[(&str, &str)]) -> io::Result<Vec<(PathBuf, Put)>> {
    fs::create_dir_all(folder)?;
    let failed = |path: &str, fault: &PathFault| io::Error::other(message(path, fault).to_string());
    let guard = Guard::new(folder, GuardZone::Setup, Arc::default());
    let guard = guard.map_err(|fault| failed(&folder.display().to_string(), &fault))?;
    let mut done = Vec::new();
    for (path, text) in files {
        let put = guard.put_new(path, text).map_err(|fault| failed(path, &fault))?;
        done.push((PathBuf::from(path), put));
    }
    Ok(done)
}

/// Makes the Taskdoc at `path` with empty sections; those that exist are left as they are.
///
/// # Errors
/// The message for a person.
pub fn create_taskdoc(workspace: &Path, path: &str) -> Result<(), Localized> {
    let failed = |fault: PathFault| message(path, &fault);
    let guard = Guard::new(workspace, GuardZone::Taskdoc, Arc::default()).map_err(failed)?;
    for section in SECTIONS {
        guard.put_new(&format!("{path}/{section}.md"), "").map_err(failed)?;
    }
    Ok(())
}

/// Edits the text of a file below `workspace` for a person; a missing file counts as empty. It is replaced whole, and
/// only if it did not change meanwhile. No link is followed.
///
/// # Errors
/// What `change` refuses, or why the file cannot be read or written; the message for a person.
pub fn edit_file(
    workspace: &Path,
    path: &str,
    most_bytes: usize,
    change: impl FnOnce(&str) -> Result<String, Localized>,
) -> Result<(), Localized> {
    let failed = |fault: PathFault| message(path, &fault);
    let guard = Guard::new(workspace, GuardZone::Setup, Arc::default()).map_err(failed)?;
    let (text, slot) = match guard.open_for_edit(path) {
        Ok(mut opened) => {
            let text = text_of(&mut opened.file, most_bytes);
            let text = text.map_err(|error| Localized::same(format!("{path}: {error}")))?;
            (text, opened.into_slot(path))
        }
        Err(fault) if fault.kind == PathFaultKind::NotFound => {
            (String::new(), guard.new_slot(path).map_err(failed)?)
        }
        Err(fault) => return Err(failed(fault)),
    };
    let changed = change(&text)?;
    slot.write(changed.as_bytes()).map_err(failed)
}

pub(super) fn text_of(file: &mut fs::File, most_bytes: usize) -> io::Result<String> {
    let mut text = String::new();
    let most = u64::try_from(most_bytes).unwrap_or(u64::MAX);
    file.take(most.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() > most_bytes { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(text) }
}

/// Returns the real path and the identity of a folder of the workspace that only this program writes to. `made`:
/// creates it if it is missing.
///
/// # Errors
/// It is a link, no folder, or cannot be opened.
pub fn own_folder(
    workspace: &Path,
    name: &str,
    made: bool,
) -> Result<(PathBuf, Identity), PathFault> {
    let guard = Guard::new(workspace, GuardZone::Setup, Arc::default())?;
    if made {
        match guard.new_path(name, PathTarget::Directory) {
            Ok(vacant) => match vacant.create_parents()?.make_dir() {
                Err(fault) if fault.kind != PathFaultKind::Exists => return Err(fault),
                Ok(()) | Err(_) => {}
            },
            Err(fault) if fault.kind != PathFaultKind::Exists => return Err(fault),
            Err(_) => {}
        }
    }
    let opened = guard.directory(name, AccessOp::Read)?;
    let identity = opened.dir.identity().map_err(|error| PathFault::io(name, &error))?;
    Ok((guard.root_place().join(name), identity))
}

impl Guard {
    /// Puts a file where there is nothing, not even a link.
    pub(super) fn put_new(&self, path: &str, text: &str) -> Result<Put, PathFault> {
        let vacant = match self.new_path(path, PathTarget::File) {
            Err(fault) if fault.kind == PathFaultKind::Exists => return Ok(Put::Kept),
            vacant => vacant?,
        };
        match vacant.create_parents()?.fill(text.as_bytes()) {
            Err(fault) if fault.kind == PathFaultKind::Exists => Ok(Put::Kept),
            done => done.map(|()| Put::Written),
        }
    }

    /// The true path of the workspace.
    fn root_place(&self) -> &Path {
        &self.roots[1]
    }
}

pub(super) fn message(path: &str, fault: &PathFault) -> Localized {
    Localized::of(|lang| format!("{path}: {}", fault.text(lang)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    const FILES: [(&str, &str); 3] =
        [(".minds/team.yaml", "t"), (".minds/team/a/persona.md", "p"), ("first.tsk/goals.md", "g")];

    #[test]
    fn a_file_is_changed_whole_or_not_at_all_and_never_through_a_link() {
        const FILE: &str = ".minds/hive/hive.yaml";
        let top = tempfile::tempdir().unwrap();
        let edit = |to: &str| edit_file(top.path(), FILE, 8, |text| Ok(format!("{text}{to}")));
        edit("one").unwrap();
        edit("two").unwrap();
        let read = || fs::read_to_string(top.path().join(FILE)).unwrap();
        assert_eq!(read(), "onetwo");
        let refused = Localized::same("no".to_owned());
        assert_eq!(edit_file(top.path(), FILE, 8, |_| Err(refused.clone())), Err(refused));
        fs::write(top.path().join(FILE), "too long").unwrap();
        assert!(edit_file(top.path(), FILE, 7, |text| Ok(text.to_owned())).is_err());
        let other = top.path().join("other");
        let meanwhile = edit_file(top.path(), FILE, 8, |_| {
            fs::write(&other, "theirs").unwrap();
            fs::rename(&other, top.path().join(FILE)).unwrap();
            Ok("mine".to_owned())
        });
        assert!(meanwhile.is_err());
        assert_eq!(read(), "theirs");
        fs::remove_file(top.path().join(FILE)).unwrap();
        fs::write(&other, "").unwrap();
        symlink(&other, top.path().join(FILE)).unwrap();
        assert!(edit("x").is_err());
        assert_eq!(fs::read_to_string(&other).unwrap(), "");
    }

    #[test]
    fn a_folder_is_set_up_once_and_nothing_that_exists_is_touched() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("new/ws");
        let puts = |done: Vec<(PathBuf, Put)>| done.into_iter().map(|(_, p)| p).collect::<Vec<_>>();
        assert_eq!(puts(set_up(&folder, &FILES).unwrap()), [Put::Written; 3]);
        fs::write(folder.join(FILES[0].0), "mine").unwrap();
        fs::remove_file(folder.join(FILES[1].0)).unwrap();
        symlink("nowhere", folder.join(FILES[1].0)).unwrap();
        assert_eq!(puts(set_up(&folder, &FILES).unwrap()), [Put::Kept; 3]);
        assert_eq!(fs::read_to_string(folder.join(FILES[0].0)).unwrap(), "mine");
        assert!(!folder.join(".minds/team/a/nowhere").exists());
    }

    #[test]
    fn nothing_is_set_up_behind_a_link_or_in_an_area_of_the_program() {
        for linked in [".minds", ".minds/team", ".minds/team/a", "first.tsk"] {
            for target in ["elsewhere", "../outside"] {
                let top = tempfile::tempdir().unwrap();
                let folder = top.path().join("ws");
                fs::create_dir_all(folder.join("elsewhere")).unwrap();
                fs::create_dir_all(top.path().join("outside")).unwrap();
                let link = folder.join(linked);
                fs::create_dir_all(link.parent().unwrap()).unwrap();
                let up = "../".repeat(linked.matches('/').count());
                symlink(format!("{up}{target}"), &link).unwrap();
                let error = set_up(&folder, &FILES).unwrap_err().to_string();
                assert!(error.contains("link"), "{linked}: {error}");
                for empty in [folder.join("elsewhere"), top.path().join("outside")] {
                    assert_eq!(fs::read_dir(empty).unwrap().count(), 0, "{linked} → {target}");
                }
            }
        }
        let top = tempfile::tempdir().unwrap();
        for path in [".dialogs/x", ".hive/x", ".git/hooks/x", "sub/.GIT/x", "../x", "/x"] {
            assert!(set_up(top.path(), &[(path, "x")]).is_err(), "{path}");
        }
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
    }
}
