//! What folders of dialogs said when they were last read, so that a long list need not read them all
//! again. One file, `.tui/list.index`, and never the truth: an entry counts only if every file of its
//! folder still has the name, size, times and inode it had when it was read, and if not one byte of
//! the entry has changed since it was written. Whatever is in doubt is read anew.

use std::fs::{File, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::de::DeserializeOwned;

use super::disk::Disk;
use super::files;

/// Says who wrote it: another build may read folders in another way.
const HEADER: &str = concat!("dominds-tui list ", env!("CARGO_PKG_VERSION"), " 1");
/// Largest index read, in bytes.
const LIMIT: u64 = 256 * 1024 * 1024;
/// Longest entry written, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;
/// Longest path of a folder that has an entry, in bytes, and how much of a line is looked at for it.
const LONGEST_NAME: usize = 800;
const HEAD: usize = 1024;
/// A file that changed so shortly before it was looked at may change again without another time on it:
/// clocks of file systems tick slowly, of some once in two seconds.
const SETTLED_NANOS: i128 = 2_000_000_000;

/// What the files of a folder look like from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FolderStamp {
    sum: u128,
    /// When the newest of them changed.
    newest: i128,
}

/// Takes in names and looks, in order.
#[derive(Debug, Default)]
pub(super) struct Stamper {
    /// Name, size, times and inode; nothing for a folder.
    looks: Vec<(String, [i128; 4])>,
    newest: i128,
}

impl Stamper {
    pub fn file(&mut self, name: &str, meta: &Metadata) {
        let modified = nanos(meta.mtime(), meta.mtime_nsec());
        let changed = nanos(meta.ctime(), meta.ctime_nsec());
        self.newest = self.newest.max(modified).max(changed);
        let look = [i128::from(meta.size()), modified, changed, i128::from(meta.ino())];
        self.looks.push((name.to_owned(), look));
    }

    /// What lies in a folder of a folder is no business of its dialog.
    pub fn folder(&mut self, name: &str) {
        self.looks.push((name.to_owned(), [-1; 4]));
    }

    pub fn finish(mut self) -> FolderStamp {
        self.looks.sort();
        FolderStamp { sum: sum(&self.looks), newest: self.newest }
    }
}

fn nanos(seconds: i64, nanos: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanos)
}

fn sum(of: &impl std::hash::Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        of.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// What is known of folders read earlier, and the new index that is made of it. Entries stay in their file
/// until they are asked for.
#[derive(Debug)]
pub(super) struct Memo {
    top: PathBuf,
    file: Option<File>,
    /// By the sums of the names.
    places: Vec<(u64, Place)>,
    /// The new index; `None` where none is made.
    kept: Option<Mutex<Kept>>,
    missed: AtomicUsize,
}

/// Where a line stands, without its end.
#[derive(Debug, Clone, Copy)]
struct Place {
    offset: u64,
    length: usize,
}

#[derive(Debug)]
struct Kept {
    /// When the reading began, by the clock of the file system.
    began: i128,
    out: BufWriter<DiskFile>,
    count: usize,
    failed: Option<io::Error>,
}

impl Memo {
    /// Reads the index at `path` over the dialogs below `top`; one that is not ours is as good as none.
    pub fn read(disk: &dyn Disk, top: &Path, path: &Path) -> Self {
        let file = open(disk, path);
        let places = file.as_ref().and_then(|file| places(file).ok()).unwrap_or_default();
        let missed = AtomicUsize::new(0);
        Self { top: top.to_owned(), file, places, kept: None, missed }
    }

    /// The same, to write what is known and what is read now to a new index.
    pub fn keeping(mut self, began: i128, file: File, disk: Arc<dyn Disk>) -> io::Result<Self> {
        let mut out = BufWriter::new(DiskFile { disk, file });
        writeln!(out, "{HEADER}")?;
        self.kept = Some(Mutex::new(Kept { began, out, count: 0, failed: None }));
        Ok(self)
    }

    /// How many folders were read that no entry told of.
    pub fn missed(&self) -> usize {
        self.missed.load(Ordering::Relaxed)
    }

    /// What a folder was known to say, if it is as it was.
    pub fn known<T: DeserializeOwned>(&self, folder: &Path, stamp: FolderStamp) -> Option<T> {
        let line = self.name(folder).and_then(|name| self.line(name));
        let body = line.as_deref().and_then(|line| body_of(line, self.name(folder)?, stamp));
        let value = body.and_then(|body| serde_json::from_str(body).ok());
        match (&value, &line) {
            (Some(_), Some(line)) => self.keep(line),
            (Some(_), None) => {}
            (None, _) => _ = self.missed.fetch_add(1, Ordering::Relaxed),
        }
        value
    }

    fn line(&self, name: &str) -> Option<String> {
        let wanted = name_sum(name.as_bytes());
        let at = self.places.binary_search_by_key(&wanted, |(sum, _)| *sum).ok()?;
        let place = self.places.get(at)?.1;
        let mut bytes = vec![0; place.length];
        self.file.as_ref()?.read_exact_at(&mut bytes, place.offset).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Notes what a folder says that looked like this before it was read.
    pub fn note(&self, folder: &Path, stamp: FolderStamp, says: &impl serde::Serialize) {
        let Some(kept) = &self.kept else { return };
        let began = kept.lock().unwrap_or_else(PoisonError::into_inner).began;
        if stamp.newest.saturating_add(SETTLED_NANOS) > began {
            return;
        }
        let (Some(name), Ok(body)) = (self.name(folder), serde_json::to_string(says)) else {
            return;
        };
        let rest = format!("{name} {:x} {body}", stamp.sum);
        if rest.len() <= LONGEST && !rest.contains('\n') {
            self.keep(&format!("{:x} {rest}", sum(&rest.as_str())));
        }
    }

    fn keep(&self, line: &str) {
        let Some(kept) = &self.kept else { return };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.count += 1;
        if kept.failed.is_none() {
            kept.failed = writeln!(kept.out, "{line}").err();
        }
    }

    /// Ends the new index; how many entries it holds.
    pub fn finish(self) -> io::Result<usize> {
        let Some(kept) = self.kept else { return Ok(0) };
        let mut kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        match kept.failed {
            Some(error) => Err(error),
            None => kept.out.flush().map(|()| kept.count),
        }
    }

    fn name<'a>(&self, folder: &'a Path) -> Option<&'a str> {
        let name = folder.strip_prefix(&self.top).ok()?.to_str()?;
        let plain = !name.is_empty() && name.len() < LONGEST_NAME && !name.contains([' ', '\n']);
        plain.then_some(name)
    }
}

/// What an entry holds, if it is whole, of this folder, and of its stamp.
fn body_of<'a>(line: &'a str, name: &str, stamp: FolderStamp) -> Option<&'a str> {
    let (seal, rest) = line.split_once(' ')?;
    let whole = u128::from_str_radix(seal, 16).ok()? == sum(&rest);
    let (named, stamped) = rest.split_once(' ')?;
    let (known, body) = stamped.split_once(' ')?;
    let same = u128::from_str_radix(known, 16).ok()? == stamp.sum;
    (whole && same && named == name).then_some(body)
}

/// When a file was made, by the clock of its file system.
pub(super) fn made_at(file: &File) -> io::Result<i128> {
    file.metadata().map(|meta| nanos(meta.ctime(), meta.ctime_nsec()))
}

fn name_sum(name: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// `None` unless it is a regular file of bounded size.
fn open(disk: &dyn Disk, path: &Path) -> Option<File> {
    if files::kind_of(path).ok()? != Some(files::Kind::File) {
        return None;
    }
    let file = disk.open_read(path).ok()?;
    file.metadata().ok().filter(|meta| meta.is_file() && meta.len() <= LIMIT)?;
    Some(file)
}

/// Where the entries stand, if this build made the file; lines that are none are left out.
fn places(file: &File) -> io::Result<Vec<(u64, Place)>> {
    let mut reader = BufReader::with_capacity(64 * 1024, file.take(LIMIT));
    let mut found = Vec::new();
    let (mut head, mut offset, mut length) = (Vec::new(), 0, 0);
    let mut is_first = true;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or_default();
        let room = HEAD.saturating_sub(head.len()).min(part.len());
        head.extend_from_slice(part.get(..room).unwrap_or_default());
        length += part.len();
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_none() {
            continue;
        }
        if is_first && head != HEADER.as_bytes() {
            break;
        }
        let name = head.split(|byte| *byte == b' ').nth(1);
        if let (Some(name), false, true) = (name, is_first, length <= LONGEST + HEAD) {
            found.push((name_sum(name), Place { offset, length }));
        }
        is_first = false;
        offset += length as u64 + 1;
        length = 0;
        head.clear();
    }
    found.sort_by_key(|(sum, _)| *sum);
    Ok(found)
}

/// A file that is written through the disk.
#[derive(Debug)]
struct DiskFile {
    disk: Arc<dyn Disk>,
    file: File,
}

impl io::Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.write(&mut self.file, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
