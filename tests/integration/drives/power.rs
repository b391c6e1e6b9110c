//! A disk that loses power in a chosen operation: unsynced data is lost, in the worst possible way.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use dominds_tui::store::{Disk, RealDisk};

/// The fate of names that were given or taken since their folder was synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// They are on the medium, before the content of the files.
    Stay,
    /// They are undone.
    Lost,
}

#[derive(Debug)]
pub struct PowerDisk {
    at: usize,
    names: Names,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    done: usize,
    is_off: bool,
    /// The number of bytes of each written file that are on the medium.
    safe: BTreeMap<PathBuf, u64>,
    /// The earlier content at each name that was given or taken, in this order; folders count as safe.
    before: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl PowerDisk {
    /// Power is lost before the n-th operation that changes something, the first being 0.
    pub fn new(at: usize, names: Names) -> Self {
        Self { at, names, state: Mutex::default() }
    }

    /// Operations that changed something, or would have.
    pub fn operations(&self) -> usize {
        self.state().done
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("not poisoned")
    }

    /// The state for one more operation, unless power is lost in it or was before.
    fn begin(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        let now = state.done;
        state.done += 1;
        if now == self.at {
            state.is_off = true;
            state.lose(self.names)?;
        }
        if state.is_off { Err(io::Error::other("there is no power")) } else { Ok(state) }
    }
}

impl State {
    /// Notes the object at a name before it changes.
    fn note(&mut self, path: &Path) {
        let is_folder = path.is_dir();
        if !is_folder {
            self.before.push((path.to_owned(), fs::read(path).ok()));
        }
    }

    fn lose(&mut self, names: Names) -> io::Result<()> {
        for (path, safe) in &self.safe {
            if let Ok(file) = File::options().write(true).open(path)
                && file.metadata()?.len() > *safe
            {
                file.set_len(*safe)?;
            }
        }
        if names == Names::Lost {
            for (path, content) in self.before.drain(..).rev() {
                match content {
                    Some(content) => fs::write(&path, content)?,
                    None if path.exists() => fs::remove_file(&path)?,
                    None => {}
                }
            }
        }
        Ok(())
    }
}

/// Returns the present path of an open file.
fn path_of(file: &File) -> io::Result<PathBuf> {
    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

impl Disk for PowerDisk {
    fn open_read(&self, path: &Path) -> io::Result<File> {
        RealDisk.open_read(path)
    }

    fn open_append(&self, path: &Path) -> io::Result<File> {
        let mut state = self.begin()?;
        let there = fs::metadata(path).map(|found| found.len()).ok();
        if there.is_none() {
            state.note(path);
        }
        let file = RealDisk.open_append(path)?;
        state.safe.entry(path.to_owned()).or_insert(there.unwrap_or_default());
        Ok(file)
    }

    fn create_new(&self, path: &Path) -> io::Result<File> {
        let mut state = self.begin()?;
        let file = RealDisk.create_new(path)?;
        state.before.push((path.to_owned(), None));
        state.safe.insert(path.to_owned(), 0);
        Ok(file)
    }

    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<usize> {
        let _state = self.begin()?;
        RealDisk.write(file, bytes)
    }

    fn truncate(&self, file: &File, length: u64) -> io::Result<()> {
        let mut state = self.begin()?;
        RealDisk.truncate(file, length)?;
        let path = path_of(file)?;
        let safe = state.safe.entry(path).or_insert(length);
        *safe = length.min(*safe);
        Ok(())
    }

    fn set_mode(&self, file: &File, mode: u32) -> io::Result<()> {
        let _state = self.begin()?;
        RealDisk.set_mode(file, mode)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        let mut state = self.begin()?;
        let (path, found) = (path_of(file)?, file.metadata()?);
        if found.is_dir() {
            state.before.retain(|(name, _)| name.parent() != Some(&path));
        } else {
            state.safe.insert(path, found.len());
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        state.note(to);
        state.note(from);
        RealDisk.rename(from, to)?;
        if let Some(safe) = state.safe.remove(from) {
            state.safe.insert(to.to_owned(), safe);
        }
        Ok(())
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        state.note(path);
        state.safe.remove(path);
        RealDisk.remove_file(path)
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        let _state = self.begin()?;
        RealDisk.create_dir(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let _state = self.begin()?;
        RealDisk.remove_dir(path)
    }

    fn remove_tree(&self, path: &Path) -> io::Result<()> {
        let _state = self.begin()?;
        RealDisk.remove_tree(path)
    }
}
