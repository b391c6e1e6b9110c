//! A disk on which nothing changes any more from a moment that is chosen while it is used, as if the
//! program had died there; the write in that moment takes half of its bytes.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};

use dominds_tui::store::{Disk, RealDisk};

#[derive(Debug)]
pub struct FailingDisk {
    /// Operations that are still carried out.
    left: AtomicI64,
}

impl FailingDisk {
    pub fn new() -> Self {
        Self { left: AtomicI64::new(i64::MAX) }
    }

    /// Lets it fail from the operation on that follows so many more.
    pub fn fail_after(&self, operations: u32) {
        self.left.store(i64::from(operations), Ordering::SeqCst);
    }

    /// What is left before this operation.
    fn spend(&self) -> i64 {
        self.left.fetch_sub(1, Ordering::SeqCst)
    }

    fn act<T>(&self, action: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.spend() > 0 { action() } else { Err(failed()) }
    }
}

fn failed() -> io::Error {
    io::Error::other("the disk fails")
}

impl Disk for FailingDisk {
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
        match self.spend() {
            1.. => RealDisk.write(file, bytes),
            0 => RealDisk.write(file, &bytes[..bytes.len() / 2]).and_then(|_| Err(failed())),
            _ => Err(failed()),
        }
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
