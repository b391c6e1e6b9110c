//! Small files: bounded reading, replacing by rename, and salvage copies.
//!
//! A reader never meets a half-written file: new content is written beside the target under a name
//! Dominds ignores too, then renamed over it.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::text::{Localized, Text, localized};

use super::error::{ExpectedKind, FileAction, StoreError};
use super::{Disk, FILE_MODE};

/// Tells temporary files of one process apart.
static SERIAL: AtomicU64 = AtomicU64::new(0);
/// Names tried before giving up; only left-overs of an earlier process with our pid are in the way.
const MAX_NAME_TRIES: usize = 1000;
/// The bits of a mode that are kept: who may read, write and run.
const PERMISSIONS: u32 = 0o777;
/// Bytes copied at a time into a salvage copy.
pub(in crate::store) const COPY_CHUNK: usize = 64 * 1024;

/// A small file as it was found. I/O errors are not damage: they are errors of the read.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store) enum FileContent {
    Absent,
    Text(String),
    /// Why it cannot be used.
    Damaged(Localized),
    /// Something other than a file lies there; it is neither opened nor replaced.
    Misplaced(Text),
}

/// Reads a file of at most `limit` bytes as text, without a byte order mark.
pub(in crate::store) fn read_small(
    disk: &dyn Disk,
    path: &Path,
    limit: usize,
) -> Result<FileContent, StoreError> {
    let Some(kind) = kind_of(path)? else {
        return Ok(FileContent::Absent);
    };
    if let Some(what) = kind.misplaced_file() {
        return Ok(FileContent::Misplaced(what));
    }
    let file = match disk.open_read(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileContent::Absent),
        Err(error) => return Err(StoreError::io(FileAction::Reading, path)(error)),
    };
    // Most are shorter: one read, and one that finds the end.
    let mut bytes = Vec::with_capacity(4096);
    file.take(limit as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(StoreError::io(FileAction::Reading, path))?;
    if bytes.len() > limit {
        let why = localized!("larger than {limit} bytes", "超过 {limit} 字节");
        return Ok(FileContent::Damaged(why));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => {
            FileContent::Text(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))
        }
        Err(_) => FileContent::Damaged(NOT_UTF8.into()),
    })
}

const NOT_UTF8: Text = Text::new("not UTF-8 text", "不是 UTF-8 文本");

/// What a file is where a folder belongs.
pub(in crate::store) const NO_FOLDER: Text = Text::new("a file, not a folder", "文件而不是文件夹");

/// What is said about something that lies where a file belongs.
pub(in crate::store) fn it_is(what: Text) -> Localized {
    localized!([what] "it is {what}", "它是{what}")
}

/// As [`it_is`], for something that is left alone.
pub(in crate::store) fn it_is_ignored(what: Text) -> Localized {
    it_is(what).and(Text::new(": ignored", "：已忽略"))
}

/// What is said about a file that cannot be used.
pub(in crate::store) fn damaged(why: &Localized) -> Localized {
    localized!([why] "damaged: {why}", "已损坏：{why}")
}

/// What lies at a path, without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum FileKind {
    File,
    Folder,
    Link,
    Other,
}

impl FileKind {
    pub fn of(kind: fs::FileType) -> Self {
        if kind.is_file() {
            Self::File
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Other
        }
    }

    /// What is said where a file was expected; `None` for a file.
    pub fn misplaced_file(self) -> Option<Text> {
        match self {
            Self::File => None,
            Self::Folder => Some(Text::new("a folder, not a file", "文件夹而不是文件")),
            Self::Link => {
                Some(Text::new("a symbolic link, which is not followed", "符号链接，不会跟随"))
            }
            Self::Other => Some(Text::new("not a regular file", "特殊文件，而不是普通文件")),
        }
    }
}

/// `None` if nothing is there.
pub(in crate::store) fn kind_of(path: &Path) -> Result<Option<FileKind>, StoreError> {
    Ok(metadata(path)?.map(|meta| FileKind::of(meta.file_type())))
}

fn metadata(path: &Path) -> Result<Option<fs::Metadata>, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(StoreError::io(FileAction::LookingAt, path)(error)),
    }
}

/// True if `path` is a folder and every part of it below `top` is one too, none of them a link.
pub(in crate::store) fn is_folder_below(top: &Path, path: &Path) -> Result<bool, StoreError> {
    let Ok(relative) = path.strip_prefix(top) else {
        return Ok(false);
    };
    let mut at = top.to_owned();
    if kind_of(&at)? != Some(FileKind::Folder) {
        return Ok(false);
    }
    for part in relative.components() {
        at.push(part);
        if kind_of(&at)? != Some(FileKind::Folder) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Makes `path` and its missing parents below `top`; answers which folders changed, innermost last.
pub(in crate::store) fn make_folders(
    disk: &dyn Disk,
    top: &Path,
    path: &Path,
) -> Result<Vec<PathBuf>, StoreError> {
    let mut touched = Vec::new();
    let relative = path.strip_prefix(top).unwrap_or(Path::new(""));
    let mut at = top.to_owned();
    make_folder(disk, &at, &mut touched)?;
    for part in relative.components() {
        at.push(part);
        make_folder(disk, &at, &mut touched)?;
    }
    Ok(touched)
}

fn make_folder(disk: &dyn Disk, path: &Path, touched: &mut Vec<PathBuf>) -> Result<(), StoreError> {
    match kind_of(path)? {
        Some(FileKind::Folder) => Ok(()),
        Some(FileKind::File | FileKind::Link | FileKind::Other) => {
            Err(StoreError::Misplaced { path: path.to_owned(), expected: ExpectedKind::Folder })
        }
        None => {
            match disk.create_dir(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                done => done.map_err(StoreError::io(FileAction::Making, path))?,
            }
            touched.extend(path.parent().map(Path::to_owned));
            touched.push(path.to_owned());
            Ok(())
        }
    }
}

/// Puts `bytes` in place of whatever `path` holds. With `synced` the content is on the medium before
/// the name is; the folder is not synced here.
pub(in crate::store) fn replace(
    disk: &dyn Disk,
    path: &Path,
    bytes: &[u8],
    synced: bool,
) -> Result<(), StoreError> {
    replace_by(disk, path, |file| write_all(disk, file, bytes, synced))
}

/// Like [`replace`], with content that need not fit in memory. Both keep the mode of the file that was
/// there.
pub(in crate::store) fn replace_by(
    disk: &dyn Disk,
    path: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), StoreError> {
    let before = metadata(path)?;
    let misplaced =
        before.as_ref().is_some_and(|meta| FileKind::of(meta.file_type()) != FileKind::File);
    if misplaced {
        return Err(StoreError::Misplaced {
            path: path.to_owned(),
            expected: ExpectedKind::RegularFile,
        });
    }
    let mode = before.map_or(FILE_MODE, |meta| meta.permissions().mode() & PERMISSIONS);
    let (temp, mut file) = create_beside(disk, path)?;
    let mode_set = if mode == FILE_MODE { Ok(()) } else { disk.set_mode(&file, mode) };
    let written = mode_set.and_then(|()| write(&mut file)).and_then(|()| disk.rename(&temp, path));
    if let Err(error) = written {
        // The half-written copy holds nothing that is not in memory.
        let _ = disk.remove_file(&temp);
        return Err(StoreError::io(FileAction::Writing, path)(error));
    }
    Ok(())
}

fn create_beside(disk: &dyn Disk, path: &Path) -> Result<(PathBuf, File), StoreError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pid = std::process::id();
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..MAX_NAME_TRIES {
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let temp = path.with_file_name(format!(".{name}.{pid}.{serial:08x}.tmp"));
        match disk.create_new(&temp) {
            Ok(file) => return Ok((temp, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(StoreError::io(FileAction::Writing, path)(error)),
        }
    }
    Err(StoreError::io(FileAction::Writing, path)(last))
}

pub(in crate::store) fn write_all(
    disk: &dyn Disk,
    file: &mut File,
    mut bytes: &[u8],
    synced: bool,
) -> io::Result<()> {
    while !bytes.is_empty() {
        let taken = disk.write(file, bytes)?;
        if taken == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(taken..).unwrap_or_default();
    }
    if synced { disk.sync(file) } else { Ok(()) }
}

/// Removes a file that may be gone already.
pub(in crate::store) fn remove(disk: &dyn Disk, path: &Path) -> Result<(), StoreError> {
    match disk.remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(StoreError::io(FileAction::Removing, path)),
    }
}

pub(in crate::store) fn sync_path(disk: &dyn Disk, path: &Path) -> Result<(), StoreError> {
    let synced = disk.open_read(path).and_then(|file| disk.sync(&file));
    synced.map_err(StoreError::io(FileAction::Syncing, path))
}

/// Copies `source` from byte `from` on into a new file of `folder`, on the medium when this returns.
pub(in crate::store) fn salvage(
    disk: &dyn Disk,
    source: &Path,
    from: u64,
    folder: &Path,
    name: &str,
) -> Result<PathBuf, StoreError> {
    use std::io::{Seek as _, SeekFrom};
    let (path, mut copy) = create_numbered(disk, folder, name)?;
    let failed = |error| StoreError::io(FileAction::CopyingAside, source)(error);
    let mut file = disk.open_read(source).map_err(failed)?;
    file.seek(SeekFrom::Start(from)).map_err(failed)?;
    let mut chunk = vec![0; COPY_CHUNK];
    loop {
        let taken = file.read(&mut chunk).map_err(failed)?;
        let Some(bytes) = chunk.get(..taken).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        write_all(disk, &mut copy, bytes, false).map_err(failed)?;
    }
    disk.sync(&copy).map_err(failed)?;
    Ok(path)
}

fn create_numbered(
    disk: &dyn Disk,
    folder: &Path,
    name: &str,
) -> Result<(PathBuf, File), StoreError> {
    for number in 1..=MAX_NAME_TRIES {
        let path = folder.join(format!("{name}.{number}"));
        match disk.create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(StoreError::io(FileAction::CopyingAside, &path)(error)),
        }
    }
    Err(StoreError::Exists(folder.join(name)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::store::disk::RealDisk;

    #[test]
    fn only_regular_bounded_text_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("plain"), "\u{feff}a: 1").unwrap();
        fs::write(at("bytes"), b"\xff\xfe").unwrap();
        fs::write(at("long"), "x".repeat(11)).unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink(at("plain"), at("link")).unwrap();
        for (name, expected) in [
            ("absent", FileContent::Absent),
            ("plain/below", FileContent::Absent),
            ("plain", FileContent::Text("a: 1".to_owned())),
            ("bytes", FileContent::Damaged(NOT_UTF8.into())),
            ("long", FileContent::Damaged(Localized::new("larger than 10 bytes", "超过 10 字节"))),
            ("folder", FileContent::Misplaced(FileKind::Folder.misplaced_file().unwrap())),
            ("link", FileContent::Misplaced(FileKind::Link.misplaced_file().unwrap())),
        ] {
            assert_eq!(read_small(&RealDisk, &at(name), 10).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn a_link_is_never_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        fs::write(&target, "theirs").unwrap();
        symlink(&target, &link).unwrap();
        assert!(matches!(
            replace(&RealDisk, &link, b"ours", false),
            Err(StoreError::Misplaced { .. })
        ));
        assert_eq!(fs::read_to_string(&target).unwrap(), "theirs");
        replace(&RealDisk, &target, b"ours", true).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "ours");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    }
}
