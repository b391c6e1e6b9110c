//! Stamps of files and folders: their metadata. Equal stamps mean unchanged content, provided that the file had rested
//! for a while at the first stamp.

use std::fs::{File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use rustix::fs::{AtFlags, statat};
use rustix::path::Arg;

use super::index_file::checksum;

/// A file that changed less than this before a look may change again without another time on it: clocks of file systems
/// tick slowly, of some once in two seconds.
const SETTLED_NANOS: i128 = 2_000_000_000;

/// Size in bytes, times in nanoseconds, and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::store) struct FileStamp {
    size: u64,
    modified: i128,
    changed: i128,
    inode: u64,
}

impl FileStamp {
    pub fn of(meta: &Metadata) -> Self {
        Self {
            size: meta.size(),
            modified: nanos(meta.mtime(), meta.mtime_nsec()),
            changed: nanos(meta.ctime(), meta.ctime_nsec()),
            inode: meta.ino(),
        }
    }

    /// The stamp of what lies at a path below an open folder. A link is not followed.
    pub fn at(folder: &File, path: impl Arg) -> io::Result<Self> {
        let stat = statat(folder, path, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Self {
            size: stat.st_size.cast_unsigned(),
            modified: nanos(stat.st_mtime, stat.st_mtime_nsec.cast_signed()),
            changed: nanos(stat.st_ctime, stat.st_ctime_nsec.cast_signed()),
            inode: stat.st_ino,
        })
    }

    fn newest(&self) -> i128 {
        self.modified.max(self.changed)
    }

    /// True if a later change cannot go unseen after a look at the time `now`.
    pub fn is_settled(&self, now: i128) -> bool {
        is_settled(self.newest(), now)
    }
}

fn is_settled(changed: i128, now: i128) -> bool {
    changed.saturating_add(SETTLED_NANOS) <= now
}

fn nanos(seconds: i64, nanos: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanos)
}

/// When a file was made, by the clock of its file system.
pub(in crate::store) fn made_at(file: &File) -> io::Result<i128> {
    file.metadata().map(|meta| nanos(meta.ctime(), meta.ctime_nsec()))
}

/// The stamps of the files of a folder, as one hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct FolderDigest {
    pub hash: u128,
    /// When the newest of them changed.
    newest: i128,
}

impl FolderDigest {
    /// See [`FileStamp::is_settled`].
    pub fn is_settled(&self, now: i128) -> bool {
        is_settled(self.newest, now)
    }
}

/// A folder and what lies in it.
#[derive(Debug)]
pub(in crate::store) struct FolderStamps {
    pub path: PathBuf,
    /// Taken before it was looked into.
    pub own: FileStamp,
    /// `None` for a folder: its content is no business of the dialog.
    entries: Vec<(String, Option<FileStamp>)>,
}

impl FolderStamps {
    pub fn new(path: PathBuf, own: FileStamp) -> Self {
        Self { path, own, entries: Vec::new() }
    }

    pub fn add(&mut self, name: &str, meta: &Metadata) {
        let stamp = (!meta.is_dir()).then(|| FileStamp::of(meta));
        self.entries.push((name.to_owned(), stamp));
    }

    pub fn files(&self) -> impl Iterator<Item = (&str, &FileStamp)> {
        self.entries.iter().filter_map(|(name, stamp)| Some((name.as_str(), stamp.as_ref()?)))
    }

    pub fn digest(&mut self) -> FolderDigest {
        self.entries.sort_unstable();
        let newest = self.files().map(|(_, stamp)| stamp.newest()).max().unwrap_or_default();
        FolderDigest { hash: checksum(&self.entries), newest }
    }
}

/// The stamps of many paths as one hash; their order counts.
#[derive(Debug, Default)]
pub(in crate::store) struct StampHasher([DefaultHasher; 2]);

impl StampHasher {
    pub fn add(&mut self, path: &str, stamp: &FileStamp) {
        let [one, other] = &mut self.0;
        (path, stamp).hash(one);
        // In another order, so that it is another number.
        (stamp, path).hash(other);
    }

    pub fn finish(&self) -> [u64; 2] {
        self.0.each_ref().map(DefaultHasher::finish)
    }
}
