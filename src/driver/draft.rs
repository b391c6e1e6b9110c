//! The next step of a tree, drafted on a copy. When the step is on disk, the copy becomes the truth;
//! if it cannot be written, the copy is thrown away and nothing happened.

use std::sync::Arc;

use crate::domain::record::{Entry, Record};
use crate::domain::reminder::SharedEdit;
use crate::domain::tree::{Batch, Change, DialogTree};
use crate::domain::{
    AgentId, Course, Dialog, Frame, Genseq, IdSource, Latest, Pending, Question, QueuedPrompt,
    RegistryEntry, Reminder, SelfId, Stamp,
};

#[derive(Debug)]
pub struct Draft {
    pub tree: DialogTree,
    pub now: Stamp,
    pub ids: Arc<dyn IdSource>,
    /// Written before everything else: what the records of this step refer to.
    before: Vec<Change>,
    changes: Vec<Change>,
    durable: bool,
}

impl Draft {
    pub fn new(tree: &DialogTree, now: Stamp, ids: Arc<dyn IdSource>) -> Self {
        Self {
            tree: tree.clone(),
            now,
            ids,
            before: Vec::new(),
            changes: Vec::new(),
            durable: false,
        }
    }

    /// Somebody relies on this step: it is synced before it is acknowledged.
    pub fn must_last(&mut self) {
        self.durable = true;
    }

    #[must_use]
    pub fn dialog(&self, dialog: &SelfId) -> Option<&Dialog> {
        self.tree.get(dialog)
    }

    pub fn append(&mut self, dialog: &SelfId, course: Course, genseq: Genseq, record: Record) {
        self.push_entry(dialog, course, Some(genseq), record);
    }

    /// Appends a record that belongs to no generation.
    pub fn append_aside(&mut self, dialog: &SelfId, course: Course, record: Record) {
        self.push_entry(dialog, course, None, record);
    }

    fn push_entry(
        &mut self,
        dialog: &SelfId,
        course: Course,
        genseq: Option<Genseq>,
        record: Record,
    ) {
        let mut root = self.tree.anchor();
        if self.tree.is_main(dialog) && matches!(record, Record::GenStart) {
            root.genseq = genseq.unwrap_or(root.genseq);
        }
        // In a main dialog Dominds gives a guide no place; in a side dialog it cannot fork without one.
        let guide = matches!(record, Record::RuntimeGuide { .. });
        let root = (!guide || !self.tree.is_main(dialog)).then_some(root);
        let entry =
            Arc::new(Entry { ts: self.now.clone(), genseq, root, source_tag: None, record });
        self.tree.apply(Change::Append {
            dialog: dialog.clone(),
            course,
            entries: vec![entry.clone()],
        });
        if let Some(Change::Append { dialog: last, course: same, entries }) =
            self.changes.last_mut()
            && last == dialog
            && *same == course
        {
            entries.push(entry);
            return;
        }
        self.changes.push(Change::Append { dialog: dialog.clone(), course, entries: vec![entry] });
    }

    pub fn create(&mut self, meta: crate::domain::DialogMeta, latest: Latest, stack: Vec<Frame>) {
        let change = Change::Create { meta: Box::new(meta), latest: Box::new(latest), stack };
        self.tree.apply(change.clone());
        self.before.push(change);
    }

    /// Replaces the asker stack before the records of this step are written.
    pub fn assign(&mut self, dialog: &SelfId, stack: Vec<Frame>) {
        let change = Change::Stack { dialog: dialog.clone(), stack };
        self.tree.apply(change.clone());
        // What this step put on it before is part of this stack, and would undo it.
        self.changes.retain(
            |earlier| !matches!(earlier, Change::Stack { dialog: same, .. } if same == dialog),
        );
        self.before.push(change);
    }

    /// Keeps a file of a dialog before the records of this step are written.
    pub fn artifact(&mut self, dialog: &SelfId, path: String, bytes: Arc<[u8]>) {
        self.before.push(Change::Artifact { dialog: dialog.clone(), path, bytes });
    }

    /// Edits `latest.yaml`; nothing is written where nothing changed.
    pub fn latest(&mut self, dialog: &SelfId, edit: impl FnOnce(&mut Latest)) {
        let Some(current) = self.tree.get(dialog).map(|d| d.latest.clone()) else { return };
        let mut latest = current.clone();
        edit(&mut latest);
        if latest == current {
            return;
        }
        latest.last_modified = self.now.clone();
        self.changes.retain(
            |change| !matches!(change, Change::Latest { dialog: earlier, .. } if earlier == dialog),
        );
        self.push(Change::Latest { dialog: dialog.clone(), latest: Box::new(latest) });
    }

    pub fn stack(&mut self, dialog: &SelfId, stack: Vec<Frame>) {
        self.push(Change::Stack { dialog: dialog.clone(), stack });
    }

    pub fn questions(&mut self, dialog: &SelfId, questions: Vec<Question>) {
        self.push(Change::Questions { dialog: dialog.clone(), questions });
    }

    pub fn pending(&mut self, dialog: &SelfId, pending: Vec<Pending>) {
        self.push(Change::Pending { dialog: dialog.clone(), pending });
    }

    pub fn reminders(&mut self, dialog: &SelfId, reminders: Vec<Reminder>) {
        self.push(Change::Reminders { dialog: dialog.clone(), reminders });
    }

    /// Changes a reminder that all dialogs of a member share.
    pub fn shared(&mut self, agent: AgentId, edit: SharedEdit) {
        self.push(Change::Shared { agent, edit });
    }

    pub fn queue(&mut self, dialog: &SelfId, queue: Vec<QueuedPrompt>) {
        self.push(Change::Queue { dialog: dialog.clone(), queue });
    }

    pub fn registry(&mut self, entries: Vec<RegistryEntry>) {
        self.push(Change::Registry { entries });
    }

    fn push(&mut self, change: Change) {
        self.tree.apply(change.clone());
        self.changes.push(change);
    }

    /// A change that is in the tree already and only has to be written.
    pub fn include(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// What this step writes so far.
    pub fn steps(&self) -> impl Iterator<Item = &Change> {
        self.before.iter().chain(&self.changes)
    }

    /// The dialogs this step changes.
    #[must_use]
    pub fn touched(&self) -> Vec<SelfId> {
        let mut touched: Vec<SelfId> =
            self.steps().filter_map(|change| dialog_of(change).cloned()).collect();
        touched.sort();
        touched.dedup();
        touched
    }

    /// True for a dialog this step makes; its state is the one it is made with.
    #[must_use]
    pub fn creates(&self, dialog: &SelfId) -> bool {
        let made =
            |change: &Change| matches!(change, Change::Create { meta, .. } if meta.id == *dialog);
        self.before.iter().any(made)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.changes.is_empty()
    }

    /// The tree after this step, and what has to be written for it.
    #[must_use]
    pub fn finish(self) -> (DialogTree, Batch) {
        let mut changes = self.before;
        changes.extend(self.changes);
        let batch = Batch { root: self.tree.root.clone(), changes, durable: self.durable };
        (self.tree, batch)
    }
}

fn dialog_of(change: &Change) -> Option<&SelfId> {
    match change {
        Change::Create { meta, .. } => Some(&meta.id),
        Change::Append { dialog, .. }
        | Change::Artifact { dialog, .. }
        | Change::Latest { dialog, .. }
        | Change::Reminders { dialog, .. }
        | Change::Questions { dialog, .. }
        | Change::Pending { dialog, .. }
        | Change::Stack { dialog, .. }
        | Change::Queue { dialog, .. } => Some(dialog),
        Change::Registry { .. } | Change::Shared { .. } => None,
    }
}
