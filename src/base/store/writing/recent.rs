//! Trees in the layout of Dominds 1.29: their derived parts change in the commit of what they are derived from, and their
//! files are written in its words.

use std::sync::Arc;

use serde::Serialize;

use crate::domain::dialogs::tree::{Batch, Bucket};
use crate::domain::{
    AssignmentFrame, DialogTree, Entry, HumanAnswer, Latest, Layout, Pending, SelfId,
};

use super::Store;
use super::commit::BatchWriter;
use super::state_files::encode_error;
use crate::store::codec::v1_29::step::{Step, step};
use crate::store::codec::v1_29::{ANSWERS, CALLEES, WAKE_QUEUE, callees, latest, records};
use crate::store::disk::error::StoreError;
use crate::store::disk::layout::{LATEST, PENDING};
use crate::store::disk::small_files;
use crate::store::trees::scan::ScanDepth;

impl Store {
    /// Makes new trees in this layout; `None`: in that of the workspace.
    #[must_use]
    pub fn with_new_trees_in(mut self, layout: Option<Layout>) -> Self {
        self.made_in = layout;
        self
    }

    /// The layout of a tree that is made now.
    #[must_use]
    pub fn layout_of_new_trees(&self) -> Layout {
        self.made_in.unwrap_or_else(|| self.workspace.layout(self.disk(), &self.layout))
    }

    /// What a batch changes of the derived parts; `None` in a tree of another layout. `bucket`: see `bucket_of`.
    pub(super) fn recent_step(
        &self,
        bucket: Option<Bucket>,
        batch: &Batch,
    ) -> Result<Option<Step>, StoreError> {
        let known = self.writer_state().trees.get(&batch.root).cloned();
        let before = match (known, bucket) {
            (Some(known), Some(_)) => known,
            (None, Some(bucket)) => self.read_recent_tree(bucket, batch)?,
            (_, None) => self.new_recent_tree(batch),
        };
        let now = self.options.clock.now();
        Ok(before.map(|before| step(&before, &batch.changes, &now)))
    }

    fn new_recent_tree(&self, batch: &Batch) -> Option<Arc<DialogTree>> {
        let layout = self.layout_of_new_trees();
        let empty = DialogTree::new(batch.root.clone(), Bucket::Run);
        (layout == Layout::V1_29).then(|| Arc::new(DialogTree { layout, ..empty }))
    }

    /// A tree that this process has neither made nor loaded.
    fn read_recent_tree(
        &self,
        bucket: Bucket,
        batch: &Batch,
    ) -> Result<Option<Arc<DialogTree>>, StoreError> {
        let read = match self.read_tree(bucket, &batch.root, ScanDepth::Full) {
            Ok(read) => read,
            // Making it failed after its folder was there.
            Err(StoreError::NotFound(_)) => return Ok(self.new_recent_tree(batch)),
            Err(error) => return Err(error),
        };
        if let Some(layout) = read.foreign {
            return Err(StoreError::ForeignLayout(batch.root.clone(), layout));
        }
        Ok((read.tree.layout == Layout::V1_29).then(|| Arc::new(read.tree)))
    }
}

impl BatchWriter<'_> {
    /// The line of a record, without its newline.
    pub(super) fn line(&self, dialog: &SelfId, entry: &Entry) -> String {
        match self.step {
            Some(step) => records::line(entry, dialog, &step.after),
            None => entry.line(),
        }
    }

    /// The stack as the file has it.
    pub(super) fn frames(
        &self,
        dialog: &SelfId,
        stack: &[AssignmentFrame],
    ) -> Vec<AssignmentFrame> {
        self.step.map_or_else(|| stack.to_vec(), |step| step.frames(dialog, stack))
    }

    pub(super) fn latest(&mut self, dialog: &SelfId, latest: &Latest) -> Result<(), StoreError> {
        match self.step {
            Some(step) => self.derived_latest(step, dialog),
            None => self.write_yaml(dialog, LATEST, latest),
        }
    }

    /// As the whole step leaves it, whichever change comes first.
    fn derived_latest(&mut self, step: &Step, dialog: &SelfId) -> Result<(), StoreError> {
        let Some((of, facts)) = step.file_facts(dialog) else { return Ok(()) };
        if !self.derived.insert((dialog.clone(), LATEST)) {
            return Ok(());
        }
        let path = self.path(dialog, LATEST);
        let file = latest::file(&of.latest, facts).map_err(|error| encode_error(&path, &error))?;
        self.write_yaml(dialog, LATEST, &file)
    }

    pub(super) fn pending(
        &mut self,
        dialog: &SelfId,
        pending: &[Pending],
    ) -> Result<(), StoreError> {
        if let Some(step) = self.step {
            return self.derived_callees(step, dialog);
        }
        let path = self.path(dialog, PENDING);
        if pending.is_empty() {
            return self.remove(&path);
        }
        self.write_json(&path, &pending)
    }

    fn derived_callees(&mut self, step: &Step, dialog: &SelfId) -> Result<(), StoreError> {
        let recent = step.after.get(dialog).and_then(|dialog| dialog.recent.as_ref());
        let Some(recent) = recent else { return Ok(()) };
        if !self.derived.insert((dialog.clone(), CALLEES)) {
            return Ok(());
        }
        let path = self.path(dialog, CALLEES);
        let others = self.other_keys(&path, &["batches"])?;
        if recent.batches.is_empty() && others.is_empty() {
            return self.remove(&path);
        }
        let file =
            callees::file(&recent.batches, others).map_err(|error| encode_error(&path, &error))?;
        self.write_json(&path, &file)
    }

    /// Writes the derived parts that no change of the batch has written, and drops the queue that Dominds makes anew.
    pub(super) fn write_derived(&mut self) -> Result<(), StoreError> {
        let Some(step) = self.step else { return Ok(()) };
        for id in &step.callees {
            self.derived_callees(step, id)?;
        }
        for id in &step.stacks {
            if let Some(dialog) = step.after.get(id) {
                self.stack(id, &dialog.stack)?;
            }
        }
        for id in &step.latest {
            self.derived_latest(step, id)?;
        }
        let queue = self.path(&self.root.main(), WAKE_QUEUE);
        if small_files::kind_of(&queue)?.is_some() {
            self.remove(&queue)?;
        }
        Ok(())
    }

    /// What a dialog told a person. The last that is acknowledged takes the file with it.
    pub(super) fn human_answers(
        &mut self,
        dialog: &SelfId,
        answers: &[HumanAnswer],
    ) -> Result<(), StoreError> {
        self.stamped_list(dialog, ANSWERS, "answers", &answers)
    }

    /// A list in a YAML file with a stamp; an empty one means nothing.
    pub(super) fn stamped_list(
        &mut self,
        dialog: &SelfId,
        name: &'static str,
        key: &str,
        list: &impl Serialize,
    ) -> Result<(), StoreError> {
        let path = self.path(dialog, name);
        let list = serde_json::to_value(list).map_err(|error| encode_error(&path, &error))?;
        let is_empty = list.as_array().is_some_and(Vec::is_empty);
        if is_empty && self.other_keys(&path, &[key, "updatedAt"])?.is_empty() {
            return self.remove(&path);
        }
        if self.has_same_list(&path, key, &list)? {
            return Ok(());
        }
        let now = self.store.options.clock.now();
        let body = serde_json::json!({ key: list, "updatedAt": now });
        let body = self.with_other_keys(&path, body)?;
        self.write_yaml(dialog, name, &body)
    }
}
