//! A file of named entries, one to a line, each under a seal. An entry that is damaged or cut off, and a
//! file that another build made, are as good as absent.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::Disk;
use super::small_files;

/// Largest file read, in bytes.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;
/// Longest entry written, in bytes.
const MAX_ENTRY_BYTES: usize = 16 * 1024 * 1024;
/// Longest name of an entry, in bytes, and how much of a line is looked at for it.
const MAX_NAME_BYTES: usize = 800;
const MAX_HEAD_BYTES: usize = 1024;

/// Two hashes in one number.
pub(in crate::store) fn checksum(of: &impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        of.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// True for a text that can be the name of an entry.
pub(in crate::store) fn is_entry_name(name: &str) -> bool {
    !name.is_empty() && name.len() < MAX_NAME_BYTES && !name.contains([' ', '\n'])
}

/// The entries of a file. They stay there until they are asked for.
#[derive(Debug)]
pub(in crate::store) struct IndexReader {
    file: Option<File>,
    /// By the hashes of the names.
    line_ranges: Vec<(u64, LineRange)>,
}

/// Where a line stands, without its end.
#[derive(Debug, Clone, Copy)]
struct LineRange {
    offset: u64,
    length: usize,
}

/// An entry that is whole.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct IndexEntry<'a> {
    line: &'a str,
    pub body: &'a str,
}

impl IndexReader {
    /// `header`: the first line, which says who wrote the file.
    pub fn open(disk: &dyn Disk, path: &Path, header: &str) -> Self {
        let file = open(disk, path);
        let line_ranges =
            file.as_ref().and_then(|file| line_ranges(file, header).ok()).unwrap_or_default();
        Self { file, line_ranges }
    }

    pub fn count(&self) -> usize {
        self.line_ranges.len()
    }

    /// `buffer` is where the entry is read to; one for many entries spares memory.
    pub fn get<'b>(&self, name: &str, buffer: &'b mut Vec<u8>) -> Option<IndexEntry<'b>> {
        let wanted = name_hash(name.as_bytes());
        let at = self.line_ranges.binary_search_by_key(&wanted, |(hash, _)| *hash).ok()?;
        let range = self.line_ranges.get(at)?.1;
        buffer.resize(range.length, 0);
        self.file.as_ref()?.read_exact_at(buffer, range.offset).ok()?;
        let line = std::str::from_utf8(buffer).ok()?;
        let (stored, rest) = line.split_once(' ')?;
        let (named, body) = rest.split_once(' ')?;
        let intact = u128::from_str_radix(stored, 16).ok()? == checksum(&rest);
        (intact && named == name).then_some(IndexEntry { line, body })
    }
}

fn name_hash(name: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

/// `None` unless it is a regular file of bounded size.
fn open(disk: &dyn Disk, path: &Path) -> Option<File> {
    if small_files::kind_of(path).ok()? != Some(small_files::FileKind::File) {
        return None;
    }
    let file = disk.open_read(path).ok()?;
    file.metadata().ok().filter(|meta| meta.is_file() && meta.len() <= MAX_FILE_BYTES)?;
    Some(file)
}

/// Where the entries stand, if the header is the expected one; lines that are none are left out.
fn line_ranges(file: &File, header: &str) -> io::Result<Vec<(u64, LineRange)>> {
    let mut reader = BufReader::with_capacity(64 * 1024, file.take(MAX_FILE_BYTES));
    let mut found = Vec::new();
    let (mut head, mut offset) = (Vec::new(), 0);
    let mut is_first = true;
    loop {
        head.clear();
        let limit = MAX_HEAD_BYTES as u64;
        let head_bytes = reader.by_ref().take(limit).read_until(b'\n', &mut head)?;
        let is_complete = head.pop_if(|byte| *byte == b'\n').is_some();
        let rest = if is_complete || head_bytes < MAX_HEAD_BYTES {
            0
        } else {
            reader.skip_until(b'\n')?
        };
        if head_bytes == 0 || is_first && head != header.as_bytes() {
            break;
        }
        let line_bytes = head_bytes + rest;
        let name = head.split(|byte| *byte == b' ').nth(1);
        // A last line without an end is cut off, which its seal tells.
        if let (Some(name), false, true) =
            (name, is_first, line_bytes <= MAX_ENTRY_BYTES + MAX_HEAD_BYTES)
        {
            found.push((name_hash(name), LineRange { offset, length: line_bytes - 1 }));
        }
        is_first = false;
        offset += line_bytes as u64;
    }
    found.sort_by_key(|(hash, _)| *hash);
    Ok(found)
}

/// A file of entries that is being written, by several threads if need be.
#[derive(Debug)]
pub(in crate::store) struct IndexWriter(Mutex<IndexWriterState>);

#[derive(Debug)]
struct IndexWriterState {
    out: BufWriter<DiskFile>,
    count: usize,
    failed: Option<io::Error>,
}

impl IndexWriter {
    pub fn begin(file: File, disk: Arc<dyn Disk>, header: &str) -> io::Result<Self> {
        let mut out = BufWriter::new(DiskFile { disk, file });
        writeln!(out, "{header}")?;
        Ok(Self(Mutex::new(IndexWriterState { out, count: 0, failed: None })))
    }

    /// True unless the name or the body cannot be an entry's.
    pub fn add(&self, name: &str, body: &str) -> bool {
        let rest = format!("{name} {body}");
        let fits = is_entry_name(name) && rest.len() <= MAX_ENTRY_BYTES && !rest.contains('\n');
        if fits {
            self.line(&format!("{:x} {rest}", checksum(&rest.as_str())));
        }
        fits
    }

    /// Takes an entry over from another file.
    pub fn copy_entry(&self, entry: IndexEntry<'_>) {
        self.line(entry.line);
    }

    fn line(&self, line: &str) {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.count += 1;
        if written.failed.is_none() {
            written.failed = writeln!(written.out, "{line}").err();
        }
    }

    /// How many entries were written.
    pub fn finish(self) -> io::Result<usize> {
        let mut written = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        match written.failed {
            Some(error) => Err(error),
            None => written.out.flush().map(|()| written.count),
        }
    }
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
