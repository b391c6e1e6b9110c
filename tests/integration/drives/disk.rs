//! A disk that fails in a chosen operation: for ever, as if the program had died, or just once.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use dominds_tui::store::{Disk, RealDisk};

/// Where the program dies, or the disk fails.
#[derive(Debug, Clone, Copy)]
pub enum Death {
    Never,
    /// In the n-th operation that changes something, the first being 0. A write takes half of its
    /// bytes first.
    At(usize),
    /// Not at all: only this operation fails, the first being 0.
    Stumble(usize),
    /// Before the first write of lines that contain this text.
    Before(&'static str),
}

#[derive(Debug)]
pub struct Mortal {
    death: Death,
    done: AtomicUsize,
    /// The operation in which it dies, if that was decided later.
    end: AtomicUsize,
    dead: AtomicBool,
}

impl Mortal {
    pub fn new(death: Death) -> Self {
        let (done, end) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        Self { death, done, end, dead: AtomicBool::new(false) }
    }

    /// Operations that changed something, or would have.
    pub fn operations(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }

    /// True if this operation fails.
    fn fails(&self) -> bool {
        let now = self.done.fetch_add(1, Ordering::SeqCst);
        if matches!(self.death, Death::At(at) if at == now) {
            self.dead.store(true, Ordering::SeqCst);
        }
        if now >= self.end.load(Ordering::SeqCst) {
            self.dead.store(true, Ordering::SeqCst);
        }
        let stumbles = matches!(self.death, Death::Stumble(at) if at == now);
        stumbles || self.dead.load(Ordering::SeqCst)
    }

    fn act<T>(&self, action: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.fails() { Err(gone()) } else { action() }
    }
}

fn gone() -> io::Error {
    io::Error::other("the disk fails")
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

impl Disk for Mortal {
    fn open_read(&self, path: &Path) -> io::Result<File> {
        RealDisk.open_read(path)
    }

    fn open_append(&self, path: &Path) -> io::Result<File> {
        self.act(|| RealDisk.open_append(path))
    }

    fn create_new(&self, path: &Path) -> io::Result<File> {
        self.act(|| RealDisk.create_new(path))
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        if matches!(self.death, Death::Before(text) if contains(bytes, text)) {
            self.dead.store(true, Ordering::SeqCst);
        }
        let was_dead = self.dead.load(Ordering::SeqCst);
        if self.fails() {
            if !was_dead {
                RealDisk.write(file, &bytes[..bytes.len() / 2])?;
            }
            return Err(gone());
        }
        RealDisk.write(file, bytes)
    }

    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        self.act(|| RealDisk.truncate(file, length))
    }

    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        self.act(|| RealDisk.set_mode(file, mode))
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.act(|| RealDisk.sync(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.act(|| RealDisk.rename(from, to))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.act(|| RealDisk.remove_file(path))
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.act(|| RealDisk.create_dir(path))
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.act(|| RealDisk.remove_dir(path))
    }

    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        self.act(|| RealDisk.remove_tree(path))
    }
}
