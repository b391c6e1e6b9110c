//! Writing a batch: lines first, in the order given, then state files by rename.
//!
//! A batch that fails is taken back: its lines are cut off again, so the caller's memory, which did not
//! change, stays right. State files already replaced are rebuilt from the courses at the next loading.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::dialogs::tree::{Batch, Bucket, TreeChange};
use crate::domain::{AssignmentFrame, Course, DialogId, DialogMeta, Entry, Latest, RootId, SelfId};

use super::Store;
use super::writer_state::{CourseEnd, UnsyncedPaths, WriterState};
use crate::store::codec::v1_29::step::Step;
use crate::store::disk::Disk;
use crate::store::disk::error::{FileAction, StoreError};
use crate::store::disk::layout::{DIALOG, course_file};
use crate::store::disk::options::SyncLevel;
use crate::store::disk::small_files;

/// A record on disk, with its place. Its fields are private to this file, and only a [`Committed`] hands it out: so a
/// fact is always a record that is on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    dialog: DialogId,
    course: Course,
    line: usize,
    entry: Arc<Entry>,
}

impl Fact {
    #[must_use]
    pub fn dialog(&self) -> &DialogId {
        &self.dialog
    }

    #[must_use]
    pub fn course(&self) -> Course {
        self.course
    }

    /// The first line is 0.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    #[must_use]
    pub fn entry(&self) -> &Arc<Entry> {
        &self.entry
    }
}

#[cfg(test)]
impl Fact {
    /// For tests of what facts are shown as, which have no disk.
    pub fn made_up(dialog: &DialogId, course: Course, line: usize, record: &str) -> Self {
        let entry = Arc::new(Entry::parse(record).expect("a record"));
        Self { dialog: dialog.clone(), course, line, entry }
    }
}

/// A batch that is on disk. Nothing else proves it: only [`WrittenBatch::sync`] makes one.
#[derive(Debug)]
pub struct Committed {
    pub batch: Batch,
    /// The appended records, in order.
    pub facts: Vec<Fact>,
    /// Private, so that no other module can make one.
    _proof: Proof,
}

#[derive(Debug)]
struct Proof;

/// A batch that is written, perhaps not yet safe from a loss of power.
#[must_use = "only a synced batch may be acknowledged"]
#[derive(Debug)]
pub struct WrittenBatch {
    batch: Batch,
    facts: Vec<Fact>,
    unsynced: UnsyncedPaths,
    disk: Arc<dyn Disk>,
    writer_state: Arc<Mutex<WriterState>>,
}

impl WrittenBatch {
    /// True if [`Self::sync`] waits for the medium.
    #[must_use]
    pub fn needs_sync(&self) -> bool {
        !self.unsynced.is_empty()
    }

    /// Waits until what the batch wrote, and what its tree wrote before, is on the medium.
    ///
    /// After an error nothing is acknowledged although the lines may be there: the caller loads the
    /// tree anew before it writes again.
    pub fn sync(self) -> Result<Committed, StoreError> {
        if let Err(error) = self.unsynced.sync(&*self.disk) {
            let mut writer_state = self.writer_state.lock().unwrap_or_else(PoisonError::into_inner);
            writer_state.forget_sync(&self.batch.root, self.unsynced);
            return Err(error);
        }
        Ok(Committed { batch: self.batch, facts: self.facts, _proof: Proof })
    }
}

impl Store {
    /// Writes the changes in order. A new main dialog is made in `run`.
    pub fn commit(&self, batch: Batch) -> Result<WrittenBatch, StoreError> {
        self.must_write()?;
        self.write(batch)
    }

    /// True if [`Self::commit`] may wait for the medium, and not only [`WrittenBatch::sync`].
    #[must_use]
    pub fn waits_while_writing(&self, batch: &Batch) -> bool {
        let is_synced_at_once = |change: &TreeChange| {
            matches!(
                change,
                TreeChange::Queue { .. }
                    | TreeChange::Answers { .. }
                    | TreeChange::Reminders { .. }
            )
        };
        self.options.sync > SyncLevel::Off && batch.changes.iter().any(is_synced_at_once)
    }

    pub(super) fn write(&self, batch: Batch) -> Result<WrittenBatch, StoreError> {
        let bucket = self.bucket_of(&batch)?;
        let step = self.recent_step(bucket, &batch)?;
        let mut writer =
            BatchWriter::new(self, bucket.unwrap_or(Bucket::Run), &batch, step.as_ref());
        let changed = batch.changes.iter().try_for_each(|change| writer.change(change));
        if let Err(error) = changed.and_then(|()| writer.write_derived()) {
            writer.roll_back();
            return Err(error);
        }
        let BatchWriter { facts, unsynced, .. } = writer;
        let mut writer_state = self.writer_state();
        writer_state.trees.insert(batch.root.clone(), step.map(|step| Arc::new(step.after)));
        let mut unsynced = unsynced;
        if batch.durable && self.options.sync > SyncLevel::Off {
            let mut all = writer_state.unsynced.remove(&batch.root).unwrap_or_default();
            all.merge(unsynced);
            unsynced = all;
        } else {
            if self.options.sync > SyncLevel::Off {
                writer_state.unsynced.entry(batch.root.clone()).or_default().merge(unsynced);
            }
            unsynced = UnsyncedPaths::default();
        }
        drop(writer_state);
        Ok(WrittenBatch {
            batch,
            facts,
            unsynced,
            disk: Arc::clone(&self.options.disk),
            writer_state: Arc::clone(&self.writer_state),
        })
    }

    /// Where the tree lies; `None` if the batch makes it.
    fn bucket_of(&self, batch: &Batch) -> Result<Option<Bucket>, StoreError> {
        let root = &batch.root;
        if let Some(bucket) = self.find(root) {
            self.buckets().insert(root.clone(), bucket);
            return Ok(Some(bucket));
        }
        let makes_main = |change: &TreeChange| matches!(change, TreeChange::Create { meta, .. } if meta.id == root.main());
        if !batch.changes.first().is_some_and(makes_main) {
            return Err(StoreError::NotFound(root.clone()));
        }
        Ok(None)
    }
}

/// One append, to be taken back if a later change fails.
struct AppendUndo {
    path: PathBuf,
    file: File,
    before: CourseEnd,
}

/// Carries out one batch.
pub(super) struct BatchWriter<'a> {
    pub(super) store: &'a Store,
    bucket: Bucket,
    pub(super) root: &'a RootId,
    /// What the batch changes of the derived parts, in a tree in the layout of Dominds 1.29.
    pub(super) step: Option<&'a Step>,
    /// Files of derived parts that are written already.
    pub(super) derived: BTreeSet<(SelfId, &'static str)>,
    /// State files are synced before they are renamed.
    pub(super) sync_states: bool,
    /// Folders, and files of our own about dialogs, of a durable batch are synced at once.
    pub(super) durable: bool,
    facts: Vec<Fact>,
    pub(super) unsynced: UnsyncedPaths,
    undo: Vec<AppendUndo>,
    /// Files that were not there before this batch.
    pub(super) made: Vec<PathBuf>,
    /// State files as they were before this batch; `None` where there was none.
    pub(super) before: Vec<(PathBuf, Option<String>)>,
}

impl<'a> BatchWriter<'a> {
    fn new(store: &'a Store, bucket: Bucket, batch: &'a Batch, step: Option<&'a Step>) -> Self {
        let level = store.options.sync;
        let durable = batch.durable && level > SyncLevel::Off;
        let has_lines = batch.changes.iter().any(|c| matches!(c, TreeChange::Append { .. }));
        Self {
            store,
            bucket,
            root: &batch.root,
            step,
            derived: BTreeSet::new(),
            // Only the state file says that it stopped.
            sync_states: level == SyncLevel::Full || (durable && !has_lines),
            durable,
            facts: Vec::new(),
            unsynced: UnsyncedPaths::default(),
            undo: Vec::new(),
            made: Vec::new(),
            before: Vec::new(),
        }
    }

    fn change(&mut self, change: &TreeChange) -> Result<(), StoreError> {
        match change {
            TreeChange::Create { meta, latest, stack } => self.create(meta, latest, stack),
            TreeChange::Artifact { dialog, path, bytes } => self.artifact(dialog, path, bytes),
            TreeChange::Append { dialog, course, entries } => self.append(dialog, *course, entries),
            TreeChange::Latest { dialog, latest } => self.latest(dialog, latest),
            TreeChange::Reminders { dialog, reminders } => self.reminders(dialog, reminders),
            TreeChange::Questions { dialog, questions } => self.questions(dialog, questions),
            TreeChange::Pending { dialog, pending } => self.pending(dialog, pending),
            TreeChange::Stack { dialog, stack } => self.stack(dialog, stack),
            TreeChange::Queue { dialog, queue } => self.queue(dialog, queue),
            TreeChange::Answers { dialog, answers } => self.answers(dialog, answers.as_ref()),
            TreeChange::HumanAnswers { dialog, answers } => self.human_answers(dialog, answers),
            TreeChange::Registry { entries } => self.registry(entries),
            TreeChange::Shared { agent, edit } => self.shared_reminder(agent, edit),
        }
    }

    pub(super) fn id(&self, dialog: &SelfId) -> DialogId {
        DialogId::side(self.root, dialog)
    }

    pub(super) fn path(&self, dialog: &SelfId, name: &str) -> PathBuf {
        self.store.layout.dialog(self.bucket, &self.id(dialog)).join(name)
    }

    fn create(
        &mut self,
        meta: &DialogMeta,
        latest: &Latest,
        stack: &[AssignmentFrame],
    ) -> Result<(), StoreError> {
        let id = &meta.id;
        if !crate::domain::ids::is_dialog_path(id.as_str()) {
            return Err(StoreError::BadName { name: id.as_str().to_owned() });
        }
        let identity = self.path(id, DIALOG);
        if small_files::kind_of(&identity)?.is_some() {
            return Err(StoreError::Exists(identity));
        }
        let folder = self.store.layout.dialog(self.bucket, &self.id(id));
        let disk = self.store.disk();
        let touched = small_files::make_folders(disk, &self.store.layout.dialogs(), &folder)?;
        let sync_states = std::mem::replace(&mut self.sync_states, self.durable);
        if !stack.is_empty() {
            self.stack(id, stack)?;
        }
        self.latest(id, latest)?;
        // Last: the dialog exists from here on.
        self.write_yaml(id, DIALOG, meta)?;
        self.sync_states = sync_states;
        if self.durable {
            let folders: BTreeSet<PathBuf> = touched.into_iter().chain([folder]).collect();
            folders.iter().try_for_each(|path| small_files::sync_path(disk, path))
        } else {
            self.unsynced.folders.extend(touched);
            self.unsynced.folders.insert(folder);
            Ok(())
        }
    }

    fn append(
        &mut self,
        dialog: &SelfId,
        course: Course,
        entries: &[Arc<Entry>],
    ) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let path = self.path(dialog, &course_file(course));
        let mut text = String::new();
        for entry in entries {
            text.push_str(&self.line(dialog, entry));
            text.push('\n');
        }
        let first = self.append_text(&path, &text, entries.len())?;
        let id = self.id(dialog);
        for (offset, entry) in entries.iter().enumerate() {
            self.facts.push(Fact {
                dialog: id.clone(),
                course,
                line: first + offset,
                entry: Arc::clone(entry),
            });
        }
        Ok(())
    }

    /// Appends whole lines with one write; answers the number of the first.
    fn append_text(&mut self, path: &Path, text: &str, count: usize) -> Result<usize, StoreError> {
        let disk = self.store.disk();
        let is_new = small_files::kind_of(path)?.is_none();
        let failed = |error| StoreError::io(FileAction::Writing, path)(error);
        let mut file = disk.open_append(path).map_err(failed)?;
        if is_new {
            self.unsynced.folders.extend(path.parent().map(Path::to_owned));
        }
        let before = self.store.checked_end(path, &file, is_new)?;
        let first = before.lines.unwrap_or_default();
        let written = disk.write(&mut file, text.as_bytes());
        let whole = written.as_ref().is_ok_and(|bytes| *bytes == text.len());
        let after = CourseEnd { size: before.size + text.len() as u64, lines: Some(first + count) };
        self.store.writer_state().courses.insert(path.to_owned(), after);
        self.undo.push(AppendUndo { path: path.to_owned(), file, before });
        self.unsynced.add_file(path.to_owned());
        match written {
            Ok(_) if whole => Ok(first),
            Ok(_) => Err(failed(std::io::ErrorKind::WriteZero.into())),
            Err(error) => Err(failed(error)),
        }
    }

    /// Waits until all lines of this tree are on the medium.
    pub(super) fn sync_lines(&mut self) -> Result<(), StoreError> {
        if self.store.options.sync == SyncLevel::Off {
            return Ok(());
        }
        let mut all = self.store.writer_state().unsynced.remove(self.root).unwrap_or_default();
        all.merge(std::mem::take(&mut self.unsynced));
        let synced = all.sync(self.store.disk());
        if synced.is_err() {
            self.store.writer_state().forget_sync(self.root, all);
        }
        synced
    }

    /// Puts back the state files this batch replaced.
    fn restore_state_files(&mut self) {
        for (path, text) in std::mem::take(&mut self.before).into_iter().rev() {
            let disk = self.store.disk();
            let restored = match text {
                Some(text) => small_files::replace(disk, &path, text.as_bytes(), self.sync_states),
                None => small_files::remove(disk, &path),
            };
            if let Err(error) = restored {
                let path = self.store.layout.display_path(&path);
                // The failed step is reported; what the file says is compared with the courses at the next loading.
                tracing::error!(path, %error, "a failed write could not be taken back");
            }
        }
    }

    /// Cuts off what this batch appended, and puts back the state files it replaced.
    fn roll_back(&mut self) {
        self.restore_state_files();
        for undo in self.undo.drain(..).rev() {
            let cut = self.store.disk().truncate(&undo.file, undo.before.size);
            let mut writer_state = self.store.writer_state();
            match cut {
                Ok(()) => {
                    writer_state.courses.insert(undo.path, undo.before);
                }
                Err(error) => {
                    let path = self.store.layout.display_path(&undo.path);
                    // The failed step is reported; lines that stay are read at the next loading.
                    tracing::error!(path, %error, "a failed write could not be taken back");
                    writer_state.courses.remove(&undo.path);
                }
            }
        }
        self.remove_made_files();
    }
}
