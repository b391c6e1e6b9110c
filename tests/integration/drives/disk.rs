//! A disk that fails in a chosen operation: for ever, as if the program had died, or just once.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use dominds_tui::domain::DialogId;
use dominds_tui::store::{Disk, RealDisk};

use crate::common::World;

/// The time at which the disk fails.
#[derive(Debug, Clone, Copy)]
pub enum DiskFailure {
    Never,
    /// From the n-th changing operation on, the first being 0, as if the program had died there. A
    /// write takes half of its bytes first.
    From(usize),
    /// Only in this operation, the first being 0.
    Once(usize),
    /// From the first write of lines that contain this text on.
    Before(&'static str),
}

#[derive(Debug)]
pub struct FailingDisk {
    failure: DiskFailure,
    done: AtomicUsize,
    failing: AtomicBool,
}

impl World {
    /// Begins a dialog on a disk that fails before the first write of lines with this text; then the
    /// program is killed, and the disk is well again.
    pub async fn killed_before(&mut self, text: &'static str) -> DialogId {
        self.setup.disk = Arc::new(FailingDisk::new(DiskFailure::Before(text)));
        let mut running = self.start().await;
        let dialog = running.begin("Go").await.expect("a dialog");
        running.idle().await;
        running.kill().await;
        self.setup.disk = Arc::new(RealDisk);
        dialog
    }
}

impl FailingDisk {
    pub fn new(failure: DiskFailure) -> Self {
        Self { failure, done: AtomicUsize::new(0), failing: AtomicBool::new(false) }
    }

    /// Operations that changed something, or would have.
    pub fn operations(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }

    /// True if this operation fails.
    fn fails(&self) -> bool {
        let now = self.done.fetch_add(1, Ordering::SeqCst);
        if matches!(self.failure, DiskFailure::From(at) if at == now) {
            self.failing.store(true, Ordering::SeqCst);
        }
        let once = matches!(self.failure, DiskFailure::Once(at) if at == now);
        once || self.failing.load(Ordering::SeqCst)
    }

    fn act<T>(&self, action: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.fails() { Err(failed()) } else { action() }
    }
}

fn failed() -> io::Error {
    io::Error::other("the disk fails")
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
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
        if matches!(self.failure, DiskFailure::Before(text) if contains(bytes, text)) {
            self.failing.store(true, Ordering::SeqCst);
        }
        let failed_before = self.failing.load(Ordering::SeqCst);
        if self.fails() {
            if !failed_before {
                RealDisk.write(file, &bytes[..bytes.len() / 2])?;
            }
            return Err(failed());
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
