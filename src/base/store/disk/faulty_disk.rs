//! A disk that stops, or fails once, at the n-th operation that changes something, or cannot read a file. It tells
//! what was synced before what was moved.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Disk, RealDisk};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum DiskFault {
    /// From this operation on nothing happens any more, as if the process had died in it.
    StopAt(usize),
    /// Only this operation fails.
    FailAt(usize),
    /// Files of this name cannot be opened for reading: too many are open.
    Unreadable(&'static str),
    Never,
}

#[derive(Debug)]
pub(in crate::store) struct FaultyDisk {
    fault: DiskFault,
    done: AtomicUsize,
    /// The name of what was opened for reading last.
    opened: Mutex<String>,
    /// True if it swaps folders in one step.
    exchanges: bool,
    log: Mutex<Vec<String>>,
}

impl FaultyDisk {
    pub fn new(fault: DiskFault) -> Self {
        let (done, opened) = (AtomicUsize::new(0), Mutex::default());
        Self { fault, done, opened, exchanges: true, log: Mutex::default() }
    }

    /// One of a file system that cannot swap folders in one step.
    pub fn without_exchange(self) -> Self {
        Self { exchanges: false, ..self }
    }

    /// Changing operations so far.
    pub fn operations(&self) -> usize {
        self.done.load(Ordering::SeqCst)
    }

    /// In order: the name of each file or folder that was opened and synced, and `moved` for each folder that was renamed.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// True if this operation fails. The first is 0.
    fn fails(&self) -> bool {
        let now = self.done.fetch_add(1, Ordering::SeqCst);
        match self.fault {
            DiskFault::StopAt(at) => now >= at,
            DiskFault::FailAt(at) => now == at,
            DiskFault::Unreadable(_) | DiskFault::Never => false,
        }
    }

    fn run<T>(&self, action: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        if self.fails() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        action()
    }
}

impl Disk for FaultyDisk {
    fn open_read(&self, path: &Path) -> io::Result<File> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let DiskFault::Unreadable(unreadable) = self.fault
            && name == unreadable
        {
            return Err(io::Error::from_raw_os_error(libc::EMFILE));
        }
        *self.opened.lock().unwrap() = name;
        RealDisk.open_read(path)
    }

    fn open_append(&self, path: &Path) -> io::Result<File> {
        self.run(|| RealDisk.open_append(path))
    }

    fn create_new(&self, path: &Path) -> io::Result<File> {
        self.run(|| RealDisk.create_new(path))
    }

    /// A failing write takes half of the bytes first.
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        let before = self.operations();
        if self.fails() {
            let first = matches!(self.fault, DiskFault::FailAt(_))
                || self.fault == DiskFault::StopAt(before);
            if first {
                RealDisk.write(file, &bytes[..bytes.len() / 2])?;
            }
            return Err(io::ErrorKind::StorageFull.into());
        }
        RealDisk.write(file, bytes)
    }

    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        self.run(|| RealDisk.truncate(file, length))
    }

    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        self.run(|| RealDisk.set_mode(file, mode))
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        self.run(|| {
            self.log.lock().unwrap().push(self.opened.lock().unwrap().clone());
            RealDisk.sync(file)
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.run(|| {
            if from.is_dir() {
                self.log.lock().unwrap().push("moved".to_owned());
            }
            RealDisk.rename(from, to)
        })
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        if !self.exchanges {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        self.run(|| RealDisk.exchange(one, other))
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.run(|| RealDisk.remove_file(path))
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.run(|| RealDisk.create_dir(path))
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.run(|| RealDisk.remove_dir(path))
    }

    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        self.run(|| RealDisk.remove_tree(path))
    }
}
