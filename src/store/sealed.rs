//! A file of named entries, one to a line, each under a seal. An entry that is damaged or cut off, and a
//! file that another build made, are as good as absent.

use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::disk::Disk;
use super::files;

/// Largest file read, in bytes.
const LIMIT: u64 = 256 * 1024 * 1024;
/// Longest entry written, in bytes.
const MAX: usize = 16 * 1024 * 1024;
/// Longest name of an entry, in bytes, and how much of a line is looked at for it.
const MAX_NAME: usize = 800;
const HEAD: usize = 1024;

/// Two hashes in one number.
pub(super) fn sum(of: &impl Hash) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        of.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

/// True for a text that can be the name of an entry.
pub(super) fn is_entry_name(name: &str) -> bool {
    !name.is_empty() && name.len() < MAX_NAME && !name.contains([' ', '\n'])
}

/// The entries of a file. They stay there until they are asked for.
#[derive(Debug)]
pub(super) struct Entries {
    file: Option<File>,
    /// By the hashes of the names.
    places: Vec<(u64, Place)>,
}

/// Where a line stands, without its end.
#[derive(Debug, Clone, Copy)]
struct Place {
    offset: u64,
    length: usize,
}

/// An entry that is whole.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sealed<'a> {
    line: &'a str,
    pub body: &'a str,
}

impl Entries {
    /// `header`: the first line, which says who wrote the file.
    pub fn open(disk: &dyn Disk, path: &Path, header: &str) -> Self {
        let file = open(disk, path);
        let places = file.as_ref().and_then(|file| places(file, header).ok()).unwrap_or_default();
        Self { file, places }
    }

    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// `buffer` is where the entry is read to; one for many entries spares memory.
    pub fn get<'b>(&self, name: &str, buffer: &'b mut Vec<u8>) -> Option<Sealed<'b>> {
        let wanted = name_hash(name.as_bytes());
        let at = self.places.binary_search_by_key(&wanted, |(hash, _)| *hash).ok()?;
        let place = self.places.get(at)?.1;
        buffer.resize(place.length, 0);
        self.file.as_ref()?.read_exact_at(buffer, place.offset).ok()?;
        let line = std::str::from_utf8(buffer).ok()?;
        let (seal, rest) = line.split_once(' ')?;
        let (named, body) = rest.split_once(' ')?;
        let whole = u128::from_str_radix(seal, 16).ok()? == sum(&rest);
        (whole && named == name).then_some(Sealed { line, body })
    }
}

fn name_hash(name: &[u8]) -> u64 {
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

/// Where the entries stand, if the header is the expected one; lines that are none are left out.
fn places(file: &File, header: &str) -> io::Result<Vec<(u64, Place)>> {
    let mut reader = BufReader::with_capacity(64 * 1024, file.take(LIMIT));
    let mut found = Vec::new();
    let (mut head, mut offset) = (Vec::new(), 0);
    let mut is_first = true;
    loop {
        head.clear();
        let room = HEAD as u64;
        let begun = reader.by_ref().take(room).read_until(b'\n', &mut head)?;
        let is_whole = head.pop_if(|byte| *byte == b'\n').is_some();
        let rest = if is_whole || begun < HEAD { 0 } else { reader.skip_until(b'\n')? };
        if begun == 0 || is_first && head != header.as_bytes() {
            break;
        }
        let taken = begun + rest;
        let name = head.split(|byte| *byte == b' ').nth(1);
        // A last line without an end is cut off, which its seal tells.
        if let (Some(name), false, true) = (name, is_first, taken <= MAX + HEAD) {
            found.push((name_hash(name), Place { offset, length: taken - 1 }));
        }
        is_first = false;
        offset += taken as u64;
    }
    found.sort_by_key(|(hash, _)| *hash);
    Ok(found)
}

/// A file of entries that is being written, by several threads if need be.
#[derive(Debug)]
pub(super) struct NewEntries(Mutex<Written>);

#[derive(Debug)]
struct Written {
    out: BufWriter<DiskFile>,
    count: usize,
    failed: Option<io::Error>,
}

impl NewEntries {
    pub fn begin(file: File, disk: Arc<dyn Disk>, header: &str) -> io::Result<Self> {
        let mut out = BufWriter::new(DiskFile { disk, file });
        writeln!(out, "{header}")?;
        Ok(Self(Mutex::new(Written { out, count: 0, failed: None })))
    }

    /// True unless the name or the body cannot be an entry's.
    pub fn add(&self, name: &str, body: &str) -> bool {
        let rest = format!("{name} {body}");
        let fits = is_entry_name(name) && rest.len() <= MAX && !rest.contains('\n');
        if fits {
            self.line(&format!("{:x} {rest}", sum(&rest.as_str())));
        }
        fits
    }

    /// Takes an entry over from another file.
    pub fn keep(&self, entry: Sealed<'_>) {
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
