//! Writes a converted tree aside, and reads it back.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::Text;
use crate::domain::{CallId, Dialog, DialogTree, Problem};

use super::plan::{Plan, unfinished};
use super::source::Stop;
use crate::store::codec::conversion::{self, Mapping};
use crate::store::disk::FILE_MODE;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::parse_course_file;
use crate::store::disk::options::SyncLevel;
use crate::store::disk::small_files::{self, COPY_CHUNK};
use crate::store::trees::course_lines::LineReader;
use crate::store::writing::Store;

impl Store {
    /// Writes the tree into this store, which lies aside. All of it is on the medium when this returns.
    pub(super) fn write_converted(&self, plan: &Plan<'_>, bucket: Bucket) -> Result<(), Stop> {
        let target = self.layout.root(bucket, &plan.tree.root);
        let mut folders = small_files::make_folders(self.disk(), &self.layout.dialogs(), &target)?;
        for (below, entry) in &plan.source.entries {
            let path = target.join(below);
            if below.as_os_str().is_empty() {
                continue;
            }
            if entry.is_folder {
                let made = self.disk().create_dir(&path);
                made.map_err(StoreError::io(FileAction::Making, &path))?;
                folders.push(path);
                continue;
            }
            let (folder, name) = place_of(below);
            let dialog = plan.dialogs.get(folder);
            let is_changed = dialog.is_some_and(|(_, files)| files.contains_key(name));
            if is_changed || dialog.is_some() && unfinished(name).is_some() {
                continue;
            }
            let of_course = dialog.filter(|_| parse_course_file(name).is_some());
            let mapping = of_course.and_then(|(id, _)| plan.mapping(id));
            self.new_file(&path, entry.mode, |file| match &mapping {
                Some(at) => self.convert_course(plan, below, at, file),
                None => self.copy_file(plan, below, file),
            })?;
        }
        for (folder, (_, files)) in &plan.dialogs {
            for (name, text) in files {
                let Some(text) = text else { continue };
                let below = folder.join(name);
                let mode = plan.source.entries.get(&below).map_or(FILE_MODE, |entry| entry.mode);
                self.new_file(&target.join(&below), mode, |file| {
                    self.append(file, &target, text.as_bytes())
                })?;
            }
        }
        Ok(self.sync_folders(&folders)?)
    }

    fn new_file(
        &self,
        path: &Path,
        mode: u32,
        write: impl FnOnce(&mut File) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let failed = |error| StoreError::io(FileAction::Writing, path)(error);
        let mut file = self.disk().create_new(path).map_err(failed)?;
        if mode != FILE_MODE {
            self.disk().set_mode(&file, mode).map_err(failed)?;
        }
        write(&mut file)?;
        if self.options.sync == SyncLevel::Off {
            return Ok(());
        }
        Ok(self.disk().sync(&file).map_err(failed)?)
    }

    fn append(&self, file: &mut File, path: &Path, bytes: &[u8]) -> Result<(), Stop> {
        let written = small_files::write_all(self.disk(), file, bytes, false);
        Ok(written.map_err(StoreError::io(FileAction::Writing, path))?)
    }

    fn copy_file(&self, plan: &Plan<'_>, below: &Path, target: &mut File) -> Result<(), Stop> {
        let mut source = plan.source.open(below)?;
        let mut chunk = vec![0; COPY_CHUNK];
        loop {
            let taken = source.read(&mut chunk);
            let taken = taken.map_err(StoreError::io(FileAction::Copying, below))?;
            match chunk.get(..taken).filter(|bytes| !bytes.is_empty()) {
                Some(bytes) => self.append(target, below, bytes)?,
                None => return Ok(()),
            }
        }
    }

    /// Lines that say the same in both layouts stay as they stand, byte for byte.
    fn convert_course(
        &self,
        plan: &Plan<'_>,
        below: &Path,
        at: &Mapping<'_>,
        target: &mut File,
    ) -> Result<(), Stop> {
        let failed = |error| StoreError::io(FileAction::Reading, below)(error);
        let mut lines = LineReader::new(plan.source.open(below)?);
        let mut bytes = Vec::new();
        while let Some(line) = lines.next().map_err(failed)? {
            let text = std::str::from_utf8(&line.bytes).ok();
            let converted = text.and_then(|text| conversion::line(text, plan.to, at));
            match converted {
                Some(text) => bytes.extend_from_slice(text.as_bytes()),
                None => bytes.extend_from_slice(&line.bytes),
            }
            if line.terminated {
                bytes.push(b'\n');
            }
            if bytes.len() >= COPY_CHUNK {
                self.append(target, below, &bytes)?;
                bytes.clear();
            }
        }
        self.append(target, below, &bytes)
    }

    fn sync_folders(&self, folders: &[PathBuf]) -> Result<(), StoreError> {
        if self.options.sync == SyncLevel::Off {
            return Ok(());
        }
        // Inner ones first.
        folders.iter().rev().try_for_each(|folder| small_files::sync_path(self.disk(), folder))
    }

    /// Fails unless the tree in this store, which lies aside, means what it meant before.
    pub(super) fn must_mean(&self, plan: &Plan<'_>, bucket: Bucket) -> Result<(), Stop> {
        const OTHER: Text = Text::new(
            "what it would become does not mean the same: this is an error of this program",
            "转换后的含义会不同：这是本程序的错误",
        );
        let (loaded, foreign) = self.load_to_show(bucket, &plan.tree.root)?;
        let is_sound = |problem: &Problem| !problem.id.starts_with("store/damaged/");
        let (after, is_sound) = (loaded.tree, loaded.problems.iter().all(is_sound));
        let is_there = foreign.is_none() && is_sound && after.layout == plan.to;
        if is_there && mean_the_same(&plan.tree, &after) {
            return Ok(());
        }
        Err(OTHER.into())
    }
}

/// The folder of a file, and its name.
fn place_of(below: &Path) -> (&Path, &str) {
    let name = below.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    (below.parent().unwrap_or(Path::new("")), name)
}

fn mean_the_same(before: &DialogTree, after: &DialogTree) -> bool {
    before.dialogs.len() == after.dialogs.len()
        && before.registry == after.registry
        && before
            .dialogs
            .iter()
            .all(|(id, one)| after.get(id).is_some_and(|other| is_same(one, other)))
}

fn is_same(one: &Dialog, other: &Dialog) -> bool {
    one.meta == other.meta
        && one.latest.is_dead() == other.latest.is_dead()
        && one.history.last_genseq == other.history.last_genseq
        && one.history.course == other.history.course
        && one.questions == other.questions
        && calls_of(one) == calls_of(other)
        && owed_by(one).eq(owed_by(other))
}

/// The calls that a dialog waits for.
fn calls_of(dialog: &Dialog) -> BTreeSet<(&str, &str)> {
    let calls = dialog.pending.iter();
    calls.map(|call| (call.call_id.as_str(), call.side_dialog_id.as_str())).collect()
}

/// Whom a dialog works for, and what it owes.
fn owed_by(dialog: &Dialog) -> impl Iterator<Item = (&str, Option<&str>)> {
    let frames = dialog.stack.iter();
    frames.map(|frame| (frame.asker_dialog_id.as_str(), frame.owed_call().map(CallId::as_str)))
}
