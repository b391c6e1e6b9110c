//! Finds dialog folders: bounded in depth and number, never through a link. What is strange is
//! reported, not followed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::domain::ids::is_dialog_path;

use super::disk::Disk;
use super::error::StoreError;
use super::file_stamps::{FileStamp, FolderLooks};
use super::files::{self, Kind};
use super::layout::{DIALOG, LATEST, SIDE_DIALOGS, STACK, parse_course_file};
use super::notes::Notes;
use super::parallel::side_by_side;

/// Folders an id may have; real ids have 3.
const DEEPEST: usize = 8;
/// Fewer folders than this are not worth a thread.
const SHARE_OF_A_CORE: usize = 32;
/// Entries looked at below one start folder, by each core.
const MAX_ENTRIES: usize = 1_000_000;

/// The dialogs found below a folder: their ids, which are their paths below it.
pub(super) fn dialogs_below(
    disk: &dyn Disk,
    top: &Path,
    notes: &mut Notes,
) -> Result<Vec<String>, StoreError> {
    dialogs_and_folders_below(disk, top, notes).map(|found| found.ids)
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Of the dialogs.
    pub ids: Vec<String>,
    /// The folders above them, looked at before they were looked into.
    pub folders: Vec<FolderLooks>,
}

/// The same, with the folders it went through.
pub(super) fn dialogs_and_folders_below(
    disk: &dyn Disk,
    top: &Path,
    notes: &mut Notes,
) -> Result<Found, StoreError> {
    match files::kind_of(top)? {
        None => return Ok(Found::default()),
        Some(Kind::Folder) => {}
        Some(kind) => {
            let what = kind.misplaced_file().unwrap_or("a file, not a folder");
            let text = format!("it is {what}: ignored");
            notes.add("misplaced", top, text, "move it away");
            return Ok(Found::default());
        }
    }
    let mut walk = Walk { disk, notes, left: MAX_ENTRIES, found: Found::default() };
    let own = look(top)?;
    let entries = walk.entries(top)?.unwrap_or_default();
    let shares = side_by_side(&entries, SHARE_OF_A_CORE, |entries| {
        let mut notes = walk.notes.another();
        let mut walk = Walk { disk, notes: &mut notes, left: walk.left, found: Found::default() };
        let walked = entries.iter().try_for_each(|entry| walk.child(top, "", entry, 1));
        (walked.map(|()| walk.found), notes)
    });
    let mut found = Found { ids: Vec::new(), folders: vec![own] };
    for (part, seen) in shares {
        notes.take(seen);
        let part = part?;
        found.ids.extend(part.ids);
        found.folders.extend(part.folders);
    }
    found.ids.sort();
    Ok(found)
}

fn look(folder: &Path) -> Result<FolderLooks, StoreError> {
    let meta = fs::symlink_metadata(folder).map_err(StoreError::io("reading", folder))?;
    Ok(FolderLooks::new(folder.to_owned(), FileStamp::of(&meta)))
}

struct Walk<'a> {
    disk: &'a dyn Disk,
    notes: &'a mut Notes,
    left: usize,
    found: Found,
}

impl Walk<'_> {
    fn folder(&mut self, path: &Path, id: &str, depth: usize) -> Result<(), StoreError> {
        if depth > DEEPEST {
            let text = "folders are nested too deeply: ignored";
            self.notes.add("nested", path, text, "move them away");
            return Ok(());
        }
        let own = look(path)?;
        let Some(entries) = self.entries(path)? else {
            return Ok(());
        };
        if entries.iter().any(|(name, _)| marks_a_dialog(name)) {
            self.found.ids.push(id.to_owned());
            return Ok(());
        }
        self.found.folders.push(own);
        entries.iter().try_for_each(|entry| self.child(path, id, entry, depth + 1))
    }

    /// Goes on with an entry of the folder with this id.
    fn child(
        &mut self,
        folder: &Path,
        id: &str,
        (name, kind): &(String, Kind),
        depth: usize,
    ) -> Result<(), StoreError> {
        let path = folder.join(name);
        match kind {
            Kind::Folder if id.is_empty() => self.folder(&path, name, depth),
            Kind::Folder => self.folder(&path, &format!("{id}/{name}"), depth),
            Kind::Link => {
                let text = "it is a symbolic link, which is not followed: ignored";
                self.notes.add("misplaced", &path, text, "move it away");
                Ok(())
            }
            Kind::File | Kind::Other => Ok(()),
        }
    }

    /// What lies in a folder, in order. `None` if it cannot be looked into now.
    fn entries(&mut self, path: &Path) -> Result<Option<Vec<(String, Kind)>>, StoreError> {
        // Through the disk first, so that an unreadable folder shows as such.
        if let Err(error) = self.disk.open_read(path) {
            let text = format!("unreadable now: {error}");
            self.notes.add("unreadable", path, text, "check its permissions");
            return Ok(None);
        }
        let failed = |error| StoreError::io("reading", path)(error);
        let mut found = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Some(left) = self.left.checked_sub(1) else {
                let text = format!("more than {MAX_ENTRIES} entries: the rest is ignored");
                self.notes.add("crowded", path, text, "move old dialogs away");
                break;
            };
            self.left = left;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| is_dialog_path(name)) else {
                self.strange_name(path, &name.to_string_lossy());
                continue;
            };
            let kind = Kind::of(entry.file_type().map_err(failed)?);
            found.push((name.to_owned(), kind));
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Some(found))
    }

    fn strange_name(&mut self, folder: &Path, name: &str) {
        if name == SIDE_DIALOGS {
            return;
        }
        let shown: String = name.escape_debug().take(80).collect();
        let text = format!("the name \"{shown}\" cannot be a dialog's: ignored");
        self.notes.add("name", folder, text, "rename it or move it away");
    }
}

/// A folder with one of these files is a dialog's, whole or not.
fn marks_a_dialog(name: &str) -> bool {
    name == DIALOG || name == LATEST || name == STACK || parse_course_file(name).is_some()
}

/// Copies of `dialog.yaml` in strange places, which make Dominds set the whole tree aside.
pub(super) fn stray_identities(folder: &Path, skip: &[&str]) -> Result<Vec<PathBuf>, StoreError> {
    let failed = |error| StoreError::io("reading", folder)(error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if skip.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        let identity = entry.path().join(DIALOG);
        if files::kind_of(&entry.path())? == Some(Kind::Folder)
            && files::kind_of(&identity)?.is_some()
        {
            found.push(identity);
        }
    }
    found.sort();
    Ok(found)
}

/// True if a folder holds a dialog, whole or not.
pub(super) fn is_dialog(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.file_name().to_str().is_some_and(marks_a_dialog))
    })
}
