//! Copies of the store: one a day, those that a person makes, and replaced stores. A replaced store is kept; only daily
//! copies are deleted, the oldest first.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::fault::StoreFault;
use super::folder::{BESIDE, DATABASE, Folder, check_file, io_fault, off_thread};
use super::server::StoreChoice;
use super::setup::Setup;
use super::store::Store;
use crate::domain::Stamp;
use crate::domain::text::Text;

/// Number of daily copies that are kept.
const KEPT_DAYS: usize = 7;
const BACKUPS: &str = "backups";
/// File name of a copy to be restored, until it was checked.
const INCOMING: &str = "hive.db.new";
/// File extension of a copy while it is written.
const PARTIAL: &str = "partial";

/// `2026-11-26` of a time.
fn day_of(now: &Stamp) -> String {
    now.as_str().chars().take(10).collect()
}

/// A name for a file of this moment.
fn name_of(now: &Stamp) -> String {
    now.as_str().replace(' ', "T").replace(':', "")
}

impl Folder {
    /// The folder of copies, made if it is not there.
    fn backups(&self) -> Result<PathBuf, StoreFault> {
        let folder = self.path().join(BACKUPS);
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io_fault(&folder, error)),
        }
        let about = fs::symlink_metadata(&folder).map_err(|error| io_fault(&folder, error))?;
        if about.is_dir() { Ok(folder) } else { Err(StoreFault::Link(folder)) }
    }

    /// Where the copy of this day is to be; `None` if there is one.
    fn missing_copy(&self, now: &Stamp) -> Result<Option<PathBuf>, StoreFault> {
        let copy = self.backups()?.join(format!("{}.db", day_of(now)));
        check_file(&copy)?;
        // A partial copy that a kill left.
        remove_if_there(&copy.with_added_extension(PARTIAL))?;
        Ok((!copy.exists()).then_some(copy))
    }

    /// The newest copy of a day, by its name.
    #[must_use]
    pub fn newest_copy(&self) -> Option<String> {
        self.copies().pop()
    }

    /// The names of the copies of days, the oldest first.
    fn copies(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path().join(BACKUPS)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut copies: Vec<String> = names.filter(|name| is_copy_of_day(name)).collect();
        copies.sort_unstable();
        copies
    }

    fn delete_old_copies(&self) -> Result<(), StoreFault> {
        let copies = self.copies();
        for name in copies.iter().take(copies.len().saturating_sub(KEPT_DAYS)) {
            let copy = self.path().join(BACKUPS).join(name);
            fs::remove_file(&copy).map_err(|error| io_fault(&copy, error))?;
        }
        Ok(())
    }

    /// Copies the store, if there is one, into a folder among the copies; what lies beside the database is moved, so that no
    /// other database has it. Returns the folder.
    fn set_aside(&self, now: &Stamp) -> Result<Option<PathBuf>, StoreFault> {
        let is_there = |name: &&str| self.path().join(name).exists();
        let beside: Vec<&str> = BESIDE.into_iter().filter(is_there).collect();
        if beside.is_empty() && !is_there(&DATABASE) {
            return Ok(None);
        }
        let aside = new_folder(&self.backups()?, &format!("replaced-{}", name_of(now)))?;
        if is_there(&DATABASE) {
            copy_file(&self.database(), &aside.join(DATABASE))?;
        }
        for name in beside {
            let path = self.path().join(name);
            fs::rename(&path, aside.join(name)).map_err(|error| io_fault(&path, error))?;
        }
        sync_folder(&aside)?;
        Ok(Some(aside))
    }

    /// Copies this file into the folder; nobody has opened the copy yet.
    fn take_in(&self, copy: &Path) -> Result<PathBuf, StoreFault> {
        let incoming = self.path().join(INCOMING);
        remove_if_there(&incoming)?;
        copy_file(copy, &incoming)?;
        Ok(incoming)
    }
}

/// Makes a new folder of this name, or of this name with a number.
fn new_folder(within: &Path, name: &str) -> Result<PathBuf, StoreFault> {
    let mut folder = within.join(name);
    let mut number = 1;
    loop {
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                number += 1;
                folder = within.join(format!("{name}-{number}"));
            }
            Err(error) => return Err(io_fault(&folder, error)),
        }
    }
}

/// Copies a file to a new one that only this user may read.
fn copy_file(copied: &Path, to: &Path) -> Result<(), StoreFault> {
    let mut from = File::open(copied).map_err(|error| io_fault(copied, error))?;
    let about = from.metadata().map_err(|error| io_fault(copied, error))?;
    if !about.is_file() {
        return Err(io_fault(copied, io::Error::other("not a file")));
    }
    let mut file = new_file(to)?;
    let written = io::copy(&mut from, &mut file).and_then(|_| file.sync_all());
    written.map_err(|error| io_fault(to, error))
}

fn is_copy_of_day(name: &str) -> bool {
    name.strip_suffix(".db").is_some_and(|day| {
        let fits = |(at, byte): (usize, u8)| {
            if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() }
        };
        day.len() == 10 && day.bytes().enumerate().all(fits)
    })
}

/// An empty file that only this user may read.
fn new_file(path: &Path) -> Result<File, StoreFault> {
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    opened.map_err(|error| io_fault(path, error))
}

fn remove_if_there(path: &Path) -> Result<(), StoreFault> {
    match fs::remove_file(path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(io_fault(path, error)),
    }
}

fn sync_folder(path: &Path) -> Result<(), StoreFault> {
    let synced = File::open(path).and_then(|folder| folder.sync_all());
    synced.map_err(|error| io_fault(path, error))
}

/// The refusal: a store on a server is copied on the server.
fn on_a_server() -> StoreFault {
    StoreFault::Settings(
        Text::new(
            "it is on a server: copy and restore the database with the tools of PostgreSQL (pg_dump, pg_restore)",
            "它在服务器上：请用 PostgreSQL 的工具（pg_dump、pg_restore）备份与恢复数据库",
        )
        .into(),
    )
}

impl Store {
    /// Writes a copy to a new file that only this user may read. Others may go on writing.
    ///
    /// # Errors
    /// The file is there, or cannot be written; the store.
    pub async fn copy_to(&mut self, file: &Path) -> Result<(), StoreFault> {
        if self.is_shared() {
            return Err(on_a_server());
        }
        let (target, partial) = (file.to_owned(), file.with_added_extension(PARTIAL));
        let begun = partial.clone();
        off_thread(move || {
            if target.symlink_metadata().is_ok() {
                let error = io::Error::from(io::ErrorKind::AlreadyExists);
                return Err(io_fault(&target, error));
            }
            new_file(&begun).map(|_| ())
        })
        .await?;
        let copied = self.vacuum_into(&partial).await;
        let target = file.to_owned();
        off_thread(move || {
            if let Err(fault) = copied {
                remove_if_there(&partial)?;
                return Err(fault);
            }
            let synced = File::open(&partial).and_then(|copy| copy.sync_all());
            let placed = synced.and_then(|()| fs::rename(&partial, &target));
            placed.map_err(|error| io_fault(&target, error))?;
            target.parent().map_or(Ok(()), sync_folder)
        })
        .await
    }
}

impl Setup {
    /// Makes the copy of this day, unless there is one, and deletes old ones.
    ///
    /// # Errors
    /// The disk, or the store.
    pub(super) async fn copy_of_day(&self, store: &mut Store) -> Result<(), StoreFault> {
        let (folder, now) = (Folder::of(&self.workspace), self.clock.now());
        let looked = folder.clone();
        let missing = off_thread(move || looked.missing_copy(&now)).await?;
        if let Some(copy) = missing {
            store.copy_to(&copy).await?;
            off_thread(move || folder.delete_old_copies()).await?;
        }
        Ok(())
    }

    /// Makes this copy the store; returns where the previous one is now. No other process may use it meanwhile.
    ///
    /// # Errors
    /// The file is no copy, damaged, or of a newer version: then nothing has changed. The disk.
    pub async fn restore(&self, copy: &Path) -> Result<Option<PathBuf>, StoreFault> {
        if self.store != StoreChoice::Own {
            return Err(on_a_server());
        }
        let (setup, copy) = (self.clone(), copy.to_owned());
        let incoming = off_thread(move || {
            let folder = Folder::of(&setup.workspace);
            folder.make()?;
            folder.take_in(&copy)
        })
        .await?;
        let checked = self.check(&incoming).await;
        self.settle().await;
        let setup = self.clone();
        off_thread(move || {
            if let Err(fault) = checked {
                remove_if_there(&incoming)?;
                return Err(fault);
            }
            let folder = Folder::of(&setup.workspace);
            let aside = folder.set_aside(&setup.clock.now())?;
            setup.name_anew(&folder)?;
            let database = folder.database();
            fs::rename(&incoming, &database).map_err(|error| io_fault(&database, error))?;
            sync_folder(folder.path())?;
            Ok(aside)
        })
        .await
    }

    /// Puts the store aside, so that an empty one is made when one is needed. Returns where it is now; `None` if there
    /// was none. No other process may use the store meanwhile.
    ///
    /// # Errors
    /// The disk.
    pub async fn reset(&self) -> Result<Option<PathBuf>, StoreFault> {
        if self.store != StoreChoice::Own {
            return Err(on_a_server());
        }
        self.settle().await;
        let setup = self.clone();
        off_thread(move || {
            let folder = Folder::of(&setup.workspace);
            if !folder.path().exists() {
                return Ok(None);
            }
            folder.make()?;
            let aside = folder.set_aside(&setup.clock.now())?;
            remove_if_there(&folder.database())?;
            sync_folder(folder.path())?;
            setup.name_anew(&folder)?;
            Ok(aside)
        })
        .await
    }

    /// Writes what lies beside the database into it, if it can be opened.
    async fn settle(&self) {
        if let Ok(Some(store)) = self.open().await {
            store.close().await;
        }
    }

    /// Checks that a copy opens and is not damaged, and forgets its unfinished changes: the files say what there is.
    async fn check(&self, copy: &Path) -> Result<(), StoreFault> {
        let mut store = Store::open(copy, "", self.clock.moment()).await?;
        let checked = match store.check().await {
            Ok(()) => store.forget_changes().await,
            Err(fault) => Err(fault),
        };
        store.close().await;
        checked
    }

    /// Names a store that a person put here. The name of one that came with the workspace is dropped.
    fn name_anew(&self, folder: &Folder) -> Result<(), StoreFault> {
        let seat = folder.seat().unwrap_or_default();
        if seat.is_empty() || !self.permission.may_open(&seat) {
            folder.forget_seat()?;
        }
        let seat = folder.write_seat(&(self.random_name)())?;
        self.permission.made_here(&seat).map_err(|text| StoreFault::Other(text.to_string()))
    }
}

#[cfg(test)]
mod tests;
