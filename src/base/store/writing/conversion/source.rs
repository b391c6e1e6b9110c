//! The files of a tree as they were when they were judged. A file or folder is opened once and used as what was opened; one
//! that is not what was judged ends the conversion.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::Dir;

use crate::domain::Course;
use crate::domain::text::{Localized, Text, localized};

use crate::store::disk::Disk;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::file_stamps::FileStamp;
use crate::store::disk::layout::{Layout, parse_course_file};
use crate::store::disk::small_files::FileKind;

/// Largest file of a tree that is copied.
const MAX_FILE_BYTES: u64 = 1024 * 1024 * 1024;
/// Most files and folders of a tree, and how deep they lie.
const MAX_ENTRIES: usize = 200_000;
const MAX_DEPTH: usize = 24;
/// The bits of a mode that are kept.
const PERMISSIONS: u32 = 0o777;

/// Why a tree is not converted.
#[derive(Debug)]
pub(super) enum Stop {
    /// It is in that layout already.
    Same,
    Refused(Localized),
    Failed(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl From<Localized> for Stop {
    fn from(why: Localized) -> Self {
        Self::Refused(why)
    }
}

impl From<Text> for Stop {
    fn from(why: Text) -> Self {
        Self::Refused(why.into())
    }
}

/// A file or folder as it was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    stamp: FileStamp,
    pub mode: u32,
    pub is_folder: bool,
}

#[derive(Debug)]
pub(super) struct Source<'a> {
    disk: &'a dyn Disk,
    layout: &'a Layout,
    folder: PathBuf,
    /// By their paths below the folder, those around others first; the folder itself has an empty one.
    pub entries: BTreeMap<PathBuf, Entry>,
}

impl<'a> Source<'a> {
    /// Judges all that is in a folder, which is none behind a link: files and folders of this user alone.
    pub fn judge(disk: &'a dyn Disk, layout: &'a Layout, folder: PathBuf) -> Result<Self, Stop> {
        let entries = entries(disk, layout, &folder)?;
        Ok(Self { disk, layout, folder, entries })
    }

    /// Fails if anything changed since it was judged: another program is at work there.
    pub fn must_be_unchanged(&self) -> Result<(), Stop> {
        if entries(self.disk, self.layout, &self.folder)? == self.entries {
            return Ok(());
        }
        Err(StoreError::ExternalWriter(self.folder.clone()).into())
    }

    /// Opens a file that was judged.
    pub fn open(&self, below: &Path) -> Result<File, Stop> {
        let path = path_of(&self.folder, below);
        match self.entries.get(below) {
            Some(judged) if !judged.is_folder => open(self.disk, &path, judged.stamp),
            Some(_) | None => Err(StoreError::ExternalWriter(path).into()),
        }
    }

    /// The text of a small file; `None` where there is none.
    pub fn text(&self, below: &Path, most: usize) -> Result<Option<String>, Stop> {
        if !self.entries.contains_key(below) {
            return Ok(None);
        }
        let file = self.open(below)?;
        let path = path_of(&self.folder, below);
        read_text(file, self.layout, &path, most).map(Some)
    }

    /// What lies in a folder, by name.
    pub fn children(&self, folder: &Path) -> impl Iterator<Item = (&str, &PathBuf)> {
        let inside = self.entries.keys().filter(move |path| path.parent() == Some(folder));
        inside.filter_map(|path| Some((path.file_name()?.to_str()?, path)))
    }

    /// The courses in the folder of a dialog, in order.
    pub fn courses(&self, folder: &Path) -> BTreeMap<Course, &PathBuf> {
        let named = self.children(folder);
        named.filter_map(|(name, path)| Some((parse_course_file(name)?, path))).collect()
    }

    /// A path as people see it.
    pub fn shown(&self, below: &Path) -> String {
        self.layout.display_path(&path_of(&self.folder, below))
    }
}

/// The text of a file that is open: of this user, and bounded.
pub(super) fn read_text(
    file: File,
    layout: &Layout,
    path: &Path,
    most: usize,
) -> Result<String, Stop> {
    let shown = layout.display_path(path);
    let meta = file.metadata().map_err(StoreError::io(FileAction::LookingAt, path))?;
    judge(&shown, &meta)?;
    let (mut bytes, limit) = (Vec::new(), u64::try_from(most).unwrap_or(u64::MAX));
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(StoreError::io(FileAction::Reading, path))?;
    if bytes.len() > most {
        return Err(too_large(&shown, limit).into());
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| localized!("{shown} is no UTF-8 text", "{shown} 不是 UTF-8 文本"))?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
}

/// Opens what was judged; fails if something else is in its place by now.
fn open(disk: &dyn Disk, path: &Path, judged: FileStamp) -> Result<File, Stop> {
    let file = disk.open_read(path).map_err(unless_gone(FileAction::Reading, path))?;
    let meta = file.metadata().map_err(StoreError::io(FileAction::LookingAt, path))?;
    if FileStamp::of(&meta) != judged {
        return Err(StoreError::ExternalWriter(path.to_owned()).into());
    }
    Ok(file)
}

fn entries(
    disk: &dyn Disk,
    layout: &Layout,
    folder: &Path,
) -> Result<BTreeMap<PathBuf, Entry>, Stop> {
    let mut entries = BTreeMap::new();
    let mut todo: Vec<(PathBuf, Option<FileStamp>)> = vec![(PathBuf::new(), None)];
    while let Some((below, listed)) = todo.pop() {
        let path = path_of(folder, &below);
        let meta =
            fs::symlink_metadata(&path).map_err(unless_gone(FileAction::LookingAt, &path))?;
        let stamp = FileStamp::of(&meta);
        if listed.is_some_and(|listed| listed != stamp) {
            return Err(StoreError::ExternalWriter(path).into());
        }
        judge(&layout.display_path(&path), &meta)?;
        if entries.len() + todo.len() >= MAX_ENTRIES || below.components().count() > MAX_DEPTH {
            let shown = layout.display_path(folder);
            return Err(localized!(
                "{shown} has too many files, or they lie too deep",
                "{shown} 中的文件太多，或嵌套过深"
            )
            .into());
        }
        if meta.is_dir() {
            let opened = open(disk, &path, stamp)?;
            let listed =
                listed_in(&opened, MAX_ENTRIES).map_err(unless_gone(FileAction::Reading, &path))?;
            todo.extend(listed.into_iter().map(|(name, stamp)| (below.join(name), Some(stamp))));
        }
        let mode = meta.permissions().mode() & PERMISSIONS;
        entries.insert(below, Entry { stamp, mode, is_folder: meta.is_dir() });
    }
    Ok(entries)
}

/// Wraps an I/O error. What was found before and is gone is the work of another program.
fn unless_gone(action: FileAction, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    move |error| {
        if error.kind() == io::ErrorKind::NotFound {
            return StoreError::ExternalWriter(path.to_owned());
        }
        StoreError::io(action, path)(error)
    }
}

/// What lies in an open folder, whose path may lead elsewhere by now: at most so many names.
fn listed_in(folder: &File, most: usize) -> io::Result<Vec<(OsString, FileStamp)>> {
    let mut listed = Vec::new();
    for entry in Dir::read_from(folder)? {
        if listed.len() == most {
            break;
        }
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            listed.push((name.to_owned(), FileStamp::at(folder, name)?));
        }
    }
    Ok(listed)
}

/// Refuses what is no file or folder of this user.
fn judge(shown: &str, meta: &fs::Metadata) -> Result<(), Localized> {
    match FileKind::of(meta.file_type()) {
        FileKind::File if meta.len() > MAX_FILE_BYTES => {
            return Err(too_large(shown, MAX_FILE_BYTES));
        }
        FileKind::File | FileKind::Folder => {}
        kind @ (FileKind::Link | FileKind::Other) => {
            let what = kind.misplaced_file().unwrap_or(Text::new("no file", "不是文件"));
            return Err(localized!([what] "{shown} is {what}", "{shown} 是{what}"));
        }
    }
    let owner = meta.uid();
    if owner == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(localized!("{shown} belongs to user {owner}", "{shown} 属于用户 {owner}"))
}

fn too_large(shown: &str, limit: u64) -> Localized {
    localized!("{shown} is larger than {limit} bytes", "{shown} 超过 {limit} 字节")
}

/// A path without a slash at its end, which would follow a link.
fn path_of(folder: &Path, below: &Path) -> PathBuf {
    if below.as_os_str().is_empty() { folder.to_owned() } else { folder.join(below) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_names_of_a_folder_are_read_than_a_tree_may_have() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        for (most, listed) in [(2, 2), (3, 3), (4, 3)] {
            let opened = File::open(folder.path()).unwrap();
            assert_eq!(listed_in(&opened, most).unwrap().len(), listed);
        }
    }
}
