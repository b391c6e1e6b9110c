//! What folders of dialogs said when they were last read, so that a list need not read them all again.
//! One file, `.tui/list.index`, and never the truth: an entry counts only if every file of its folder
//! still has the name, size, times and inode it had when it was read, and if not one byte of the entry
//! has changed since it was written. Whatever is in doubt is read anew.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;

use crate::store::disk::Disk;
use crate::store::disk::file_stamps::FolderDigest;
use crate::store::disk::index_file::{IndexReader, IndexWriter, is_entry_name};

/// Says who wrote it: another build may read folders in another way.
const HEADER: &str = concat!("dominds-tui list ", env!("CARGO_PKG_VERSION"), " 5");

/// What is known of folders read earlier, and the new index that is made of it.
#[derive(Debug)]
pub(in crate::store) struct FolderCache {
    disk: Arc<dyn Disk>,
    top: PathBuf,
    path: PathBuf,
    /// Opened when the first folder is asked for: often none is.
    known: OnceLock<IndexReader>,
    new_index: Option<NewFolderIndex>,
    misses: AtomicUsize,
}

#[derive(Debug)]
struct NewFolderIndex {
    entries: IndexWriter,
    /// When the reading began, by the clock of the file system.
    began: i128,
}

impl FolderCache {
    /// The index at `path` over the dialogs below `top`; one that is not ours counts as empty.
    pub fn new(disk: Arc<dyn Disk>, top: PathBuf, path: PathBuf) -> Self {
        let misses = AtomicUsize::new(0);
        Self { disk, top, path, known: OnceLock::new(), new_index: None, misses }
    }

    /// Also writes what is known and what is read now to a new index.
    pub fn recording_to(mut self, began: i128, file: File) -> io::Result<Self> {
        let entries = IndexWriter::begin(file, self.disk.clone(), HEADER)?;
        self.new_index = Some(NewFolderIndex { entries, began });
        Ok(self)
    }

    /// How many folders were read that no entry described.
    pub fn misses(&self) -> usize {
        self.misses.load(Ordering::Relaxed)
    }

    /// The cached value of a folder, if the folder is unchanged.
    pub fn get<T: DeserializeOwned>(&self, folder: &Path, digest: FolderDigest) -> Option<T> {
        let found = self.find(folder, digest);
        if found.is_none() {
            self.misses.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    fn find<T: DeserializeOwned>(&self, folder: &Path, digest: FolderDigest) -> Option<T> {
        let known = self.known.get_or_init(|| IndexReader::open(&*self.disk, &self.path, HEADER));
        let mut buffer = Vec::new();
        let entry = known.get(self.name(folder)?, &mut buffer)?;
        let (stored_digest, body) = entry.body.split_once(' ')?;
        let same = u128::from_str_radix(stored_digest, 16).ok()? == digest.hash;
        let value = serde_json::from_str(body).ok().filter(|_| same)?;
        if let Some(new_index) = &self.new_index {
            new_index.entries.copy_entry(entry);
        }
        Some(value)
    }

    /// Adds the value of a folder; `digest` was taken before it was read.
    pub fn put(&self, folder: &Path, digest: FolderDigest, summary: &impl serde::Serialize) {
        let Some(new_index) =
            self.new_index.as_ref().filter(|new_index| digest.is_settled(new_index.began))
        else {
            return;
        };
        if let (Some(name), Ok(body)) = (self.name(folder), serde_json::to_string(summary)) {
            new_index.entries.add(name, &format!("{:x} {body}", digest.hash));
        }
    }

    /// Ends the new index; how many entries it holds.
    pub fn finish(self) -> io::Result<usize> {
        self.new_index.map_or(Ok(0), |new_index| new_index.entries.finish())
    }

    fn name<'a>(&self, folder: &'a Path) -> Option<&'a str> {
        let name = folder.strip_prefix(&self.top).ok()?.to_str()?;
        is_entry_name(name).then_some(name)
    }
}
