//! What a writing store does about damage. Every byte stays somewhere below `.dialogs`.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::localized;
use crate::domain::{DialogMeta, Lang, Problem, RootId};
use crate::yaml;

use super::Store;
use crate::store::disk::Disk;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::flat_name;
use crate::store::disk::small_files;
use crate::store::reading::set_aside::fix_and_restore;
use crate::store::trees::course_lines::{LineContent, LineReader, RawLine};

/// Bytes of the source's path kept in the name of a salvage copy.
const MAX_NAME_BYTES: usize = 150;
/// Names tried for a quarantined tree.
const MAX_NAME_TRIES: u32 = 1000;

/// One line of the quarantine log.
#[derive(Serialize)]
struct QuarantineLine<'a> {
    time: &'a str,
    from: &'a str,
    to: &'a str,
    reason: &'a str,
}

impl Store {
    /// Copies a file, from byte `from` on, into the salvage folder.
    pub(super) fn salvage_copy(&self, source: &Path, from: u64) -> Result<PathBuf, StoreError> {
        let folder = self.layout.salvage();
        small_files::make_folders(self.disk(), &self.layout.dialogs(), &folder)?;
        let shown = self.layout.display_path(source);
        let flat = flat_name(shown.strip_prefix(".dialogs/").unwrap_or(&shown));
        let start = flat.len().saturating_sub(MAX_NAME_BYTES);
        let name = (start..=flat.len()).find_map(|at| flat.get(at..)).unwrap_or_default();
        let copy = small_files::salvage(self.disk(), source, from, &folder, name)?;
        // Nothing is lost by this: it is how something is kept.
        tracing::warn!(source = %shown, copy = %self.layout.display_path(&copy), "kept a copy");
        Ok(copy)
    }

    /// Copies a file aside if nothing else holds its content and it is about to be replaced.
    pub(super) fn salvage_before_change(&self, path: &Path) -> Result<(), StoreError> {
        let irreplaceable = self.writer_state().irreplaceable.contains(path);
        if irreplaceable {
            if small_files::kind_of(path)? == Some(small_files::FileKind::File) {
                self.salvage_copy(path, 0)?;
            }
            self.writer_state().irreplaceable.remove(path);
        }
        Ok(())
    }

    /// Writes an identity that was rebuilt.
    pub(super) fn repair_identity(&self, path: &Path, meta: &DialogMeta) -> Result<(), StoreError> {
        self.salvage_before_change(path)?;
        let text = yaml::write(meta).map_err(|error| StoreError::Encode {
            path: path.to_owned(),
            text: error.to_string(),
        })?;
        small_files::replace(self.disk(), path, text.as_bytes(), true)
    }

    /// Takes the lines that are no records out of a course file, after a copy of the whole file.
    pub(super) fn repair_course(&self, path: &Path) -> Result<(), StoreError> {
        self.salvage_copy(path, 0)?;
        let disk = self.disk();
        let source = disk.open_read(path).map_err(StoreError::io(FileAction::Reading, path))?;
        let mut bytes = disk.open_read(path).map_err(StoreError::io(FileAction::Reading, path))?;
        small_files::replace_by(disk, path, |target| {
            let mut lines = LineReader::new(source);
            while let Some(line) = lines.next()? {
                copy_records(disk, &mut bytes, target, &line)?;
            }
            disk.sync(target)
        })?;
        self.writer_state().courses.remove(path);
        Ok(())
    }

    /// Moves a tree nothing can be made of out of the way, and says so.
    pub(super) fn quarantine(
        &self,
        bucket: Bucket,
        root: &RootId,
        mut problem: Problem,
    ) -> Result<Problem, StoreError> {
        let from = self.layout.root(bucket, root);
        let to = self.free_path(root)?;
        let disk = self.disk();
        let parent = to.parent().unwrap_or(&to);
        small_files::make_folders(disk, &self.layout.dialogs(), parent)?;
        disk.rename(&from, &to).map_err(StoreError::io(FileAction::Moving, &from))?;
        self.buckets().remove(root);
        let (from, to) = (self.layout.display_path(&from), self.layout.display_path(&to));
        self.log_quarantine(&from, &to, problem.text.in_lang(Lang::En))?;
        problem.text = problem.text.and(localized!(
            "; quarantined: moved to {to}, nothing is deleted",
            "；已隔离：移到 {to}，没有删除任何内容"
        ));
        problem.fix = fix_and_restore(root);
        Ok(problem)
    }

    fn free_path(&self, root: &RootId) -> Result<PathBuf, StoreError> {
        let plain = self.layout.malformed().join(root.as_str());
        if small_files::kind_of(&plain)?.is_none() {
            return Ok(plain);
        }
        for number in 2..MAX_NAME_TRIES {
            let path = self.layout.malformed().join(format!("{root}__{number}"));
            if small_files::kind_of(&path)?.is_none() {
                return Ok(path);
            }
        }
        Err(StoreError::Exists(plain))
    }

    fn log_quarantine(&self, from: &str, to: &str, reason: &str) -> Result<(), StoreError> {
        let path = self.layout.quarantine_log();
        let now = self.options.clock.now();
        let line = QuarantineLine { time: now.as_str(), from, to, reason };
        let mut text = serde_json::to_string(&line).unwrap_or_default();
        text.push('\n');
        small_files::make_folders(self.disk(), &self.layout.dialogs(), &self.layout.own_folder())?;
        let appended = self.disk().open_append(&path).and_then(|mut file| {
            small_files::write_all(self.disk(), &mut file, text.as_bytes(), true)
        });
        appended.map_err(StoreError::io(FileAction::Writing, &path))
    }
}

/// Copies what of a line is a record. An unfinished last line stays as it is.
fn copy_records(
    disk: &dyn Disk,
    source: &mut File,
    target: &mut File,
    line: &RawLine,
) -> io::Result<()> {
    match line.read() {
        LineContent::Glued(glued) if line.terminated => glued.iter().try_for_each(|record| {
            small_files::write_all(disk, target, format!("{}\n", record.text).as_bytes(), false)
        }),
        LineContent::Broken if line.terminated => Ok(()),
        LineContent::Blank
        | LineContent::Entry(_)
        | LineContent::Glued(_)
        | LineContent::Broken => {
            let length = line.length + u64::from(line.terminated);
            copy_range(disk, source, target, line.offset, length)
        }
    }
}

fn copy_range(
    disk: &dyn Disk,
    source: &mut File,
    target: &mut File,
    from: u64,
    length: u64,
) -> io::Result<()> {
    source.seek(SeekFrom::Start(from))?;
    let mut left = source.take(length);
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let taken = left.read(&mut chunk)?;
        let Some(bytes) = chunk.get(..taken).filter(|bytes| !bytes.is_empty()) else {
            return Ok(());
        };
        small_files::write_all(disk, target, bytes, false)?;
    }
}

/// Removes a folder and those below it as far as they are empty.
pub(super) fn remove_empty(disk: &dyn Disk, folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_empty(disk, &entry.path());
        }
    }
    // Fails, as it should, where something is left.
    let _ = disk.remove_dir(folder);
}
