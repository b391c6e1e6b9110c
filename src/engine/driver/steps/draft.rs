//! The next step of a tree, drafted on a copy. When the step is on disk, the copy becomes the state; if it
//! cannot be written, the copy is discarded and the state is unchanged.

use std::sync::Arc;

use crate::domain::asking::inquiry::answers::PartAnswers;
use crate::domain::dialogs::record::{Entry, PRIMING, Record};
use crate::domain::dialogs::reminder::SharedEdit;
use crate::domain::dialogs::tree::{Batch, DialogTree, TreeChange};
use crate::domain::{
    AgentId, AssignmentFrame, Course, Dialog, Genseq, HumanAnswer, IdSource, Latest, Pending,
    Question, QueuedPrompt, RegistryEntry, Reminder, SelfId, Stamp,
};

#[derive(Debug)]
pub struct Draft {
    pub tree: DialogTree,
    pub now: Stamp,
    pub ids: Arc<dyn IdSource>,
    /// Written first: what the records of this step refer to.
    before: Vec<TreeChange>,
    changes: Vec<TreeChange>,
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

    /// The step is synced before it is acknowledged.
    pub fn set_durable(&mut self) {
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
    pub fn append_detached(&mut self, dialog: &SelfId, course: Course, record: Record) {
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
        // Dominds writes no root position on a guide in a main dialog; in a side dialog its forks need one.
        let guide = matches!(record, Record::RuntimeGuide { .. });
        let root = (!guide || !self.tree.is_main(dialog)).then_some(root);
        let ts = self.now.clone();
        self.push_line(dialog, course, Entry { ts, genseq, root, source_tag: None, record });
    }

    /// Appends a record of a startup script: it is in no step of the main dialog.
    pub fn append_primed(&mut self, dialog: &SelfId, course: Course, entry: Entry) {
        let (ts, source_tag) = (self.now.clone(), Some(PRIMING.to_owned()));
        self.push_line(dialog, course, Entry { ts, root: None, source_tag, ..entry });
    }

    fn push_line(&mut self, dialog: &SelfId, course: Course, entry: Entry) {
        let entry = Arc::new(entry);
        self.tree.apply(TreeChange::Append {
            dialog: dialog.clone(),
            course,
            entries: vec![entry.clone()],
        });
        if let Some(TreeChange::Append { dialog: last, course: same, entries }) =
            self.changes.last_mut()
            && last == dialog
            && *same == course
        {
            entries.push(entry);
            return;
        }
        self.changes.push(TreeChange::Append {
            dialog: dialog.clone(),
            course,
            entries: vec![entry],
        });
    }

    pub fn create(
        &mut self,
        meta: crate::domain::DialogMeta,
        latest: Latest,
        stack: Vec<AssignmentFrame>,
    ) {
        let change = TreeChange::Create { meta: Box::new(meta), latest: Box::new(latest), stack };
        self.tree.apply(change.clone());
        self.before.push(change);
    }

    /// Replaces the asker stack before the records of this step are written.
    pub fn set_stack_first(&mut self, dialog: &SelfId, stack: Vec<AssignmentFrame>) {
        let change = TreeChange::Stack { dialog: dialog.clone(), stack };
        self.tree.apply(change.clone());
        // Earlier stacks of this step are contained in this one and would undo it.
        self.changes.retain(
            |earlier| !matches!(earlier, TreeChange::Stack { dialog: same, .. } if same == dialog),
        );
        self.before.push(change);
    }

    /// Stores what a dialog told a person before the records of this step are written: no result says so for nothing.
    pub fn set_human_answers_first(&mut self, dialog: &SelfId, answers: Vec<HumanAnswer>) {
        let change = TreeChange::HumanAnswers { dialog: dialog.clone(), answers };
        self.tree.apply(change.clone());
        // An earlier list of this step is contained in this one.
        self.before.retain(
            |earlier| !matches!(earlier, TreeChange::HumanAnswers { dialog: same, .. } if same == dialog),
        );
        self.before.push(change);
    }

    /// Stores a file of a dialog before the records of this step are written.
    pub fn store_artifact(&mut self, dialog: &SelfId, path: String, bytes: Arc<[u8]>) {
        self.before.push(TreeChange::Artifact { dialog: dialog.clone(), path, bytes });
    }

    /// Edits `latest.yaml`; nothing is written if nothing changed.
    pub fn edit_latest(&mut self, dialog: &SelfId, edit: impl FnOnce(&mut Latest)) {
        let Some(current) = self.tree.get(dialog).map(|d| d.latest.clone()) else { return };
        let mut latest = current.clone();
        edit(&mut latest);
        if latest == current {
            return;
        }
        latest.last_modified = self.now.clone();
        self.changes.retain(
            |change| !matches!(change, TreeChange::Latest { dialog: earlier, .. } if earlier == dialog),
        );
        self.push(TreeChange::Latest { dialog: dialog.clone(), latest: Box::new(latest) });
    }

    pub fn set_stack(&mut self, dialog: &SelfId, stack: Vec<AssignmentFrame>) {
        self.push(TreeChange::Stack { dialog: dialog.clone(), stack });
    }

    /// Answers to parts of a question that is not open any more are dropped with it.
    pub fn set_questions(&mut self, dialog: &SelfId, questions: Vec<Question>) {
        let kept = self.dialog(dialog).and_then(|dialog| dialog.answers.as_ref());
        let gone = kept.is_some_and(|kept| questions.iter().all(|open| open.id != kept.question));
        self.push(TreeChange::Questions { dialog: dialog.clone(), questions });
        if gone {
            self.set_answers(dialog, None);
        }
    }

    pub fn set_answers(&mut self, dialog: &SelfId, answers: Option<PartAnswers>) {
        self.push(TreeChange::Answers { dialog: dialog.clone(), answers });
    }

    /// What a dialog told a person, and nobody has acknowledged.
    pub fn set_human_answers(&mut self, dialog: &SelfId, answers: Vec<HumanAnswer>) {
        self.push(TreeChange::HumanAnswers { dialog: dialog.clone(), answers });
    }

    pub fn set_pending(&mut self, dialog: &SelfId, pending: Vec<Pending>) {
        self.push(TreeChange::Pending { dialog: dialog.clone(), pending });
    }

    pub fn set_reminders(&mut self, dialog: &SelfId, reminders: Vec<Reminder>) {
        self.push(TreeChange::Reminders { dialog: dialog.clone(), reminders });
    }

    /// Changes a reminder that all dialogs of a member share.
    pub fn edit_shared(&mut self, agent: AgentId, edit: SharedEdit) {
        self.push(TreeChange::Shared { agent, edit });
    }

    pub fn set_queue(&mut self, dialog: &SelfId, queue: Vec<QueuedPrompt>) {
        self.push(TreeChange::Queue { dialog: dialog.clone(), queue });
    }

    pub fn set_registry(&mut self, entries: Vec<RegistryEntry>) {
        self.push(TreeChange::Registry { entries });
    }

    fn push(&mut self, change: TreeChange) {
        self.tree.apply(change.clone());
        self.changes.push(change);
    }

    /// Adds a change that the tree already contains and that only has to be written.
    pub fn add_applied(&mut self, change: TreeChange) {
        self.changes.push(change);
    }

    /// The changes drafted so far.
    pub fn drafted_changes(&self) -> impl Iterator<Item = &TreeChange> {
        self.before.iter().chain(&self.changes)
    }

    /// The dialogs this step changes.
    #[must_use]
    pub fn changed_dialogs(&self) -> Vec<SelfId> {
        let mut touched: Vec<SelfId> =
            self.drafted_changes().filter_map(|change| dialog_of(change).cloned()).collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// True for a dialog this step creates; it keeps the state it is created with.
    #[must_use]
    pub fn creates(&self, dialog: &SelfId) -> bool {
        let made = |change: &TreeChange| matches!(change, TreeChange::Create { meta, .. } if meta.id == *dialog);
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

fn dialog_of(change: &TreeChange) -> Option<&SelfId> {
    match change {
        TreeChange::Create { meta, .. } => Some(&meta.id),
        TreeChange::Append { dialog, .. }
        | TreeChange::Artifact { dialog, .. }
        | TreeChange::Latest { dialog, .. }
        | TreeChange::Reminders { dialog, .. }
        | TreeChange::Questions { dialog, .. }
        | TreeChange::Pending { dialog, .. }
        | TreeChange::Stack { dialog, .. }
        | TreeChange::Queue { dialog, .. }
        | TreeChange::Answers { dialog, .. }
        | TreeChange::HumanAnswers { dialog, .. } => Some(dialog),
        TreeChange::Registry { .. } | TreeChange::Shared { .. } => None,
    }
}

/// Drafts of tests, which have no disk.
#[cfg(test)]
pub(in crate::driver) mod samples {
    use super::*;
    use crate::domain::{Bucket, Layout, MsgId};

    #[derive(Debug)]
    struct SameIds;

    impl IdSource for SameIds {
        fn dialog(&self) -> SelfId {
            SelfId::new("d")
        }

        fn message(&self) -> MsgId {
            MsgId::new("fresh")
        }

        fn short(&self, _: usize) -> String {
            "short".to_owned()
        }
    }

    /// A step of a tree.
    pub(in crate::driver) fn draft_of(tree: &DialogTree) -> Draft {
        Draft::new(tree, Stamp::new("2026-01-02 00:00:00"), Arc::new(SameIds))
    }

    /// A step of a tree in this layout whose main dialog has these records; and that dialog.
    pub(in crate::driver) fn draft_in(layout: Layout, records: &[&str]) -> (Draft, SelfId) {
        let mut dialog = crate::samples::dialog_of(records);
        dialog.recent = (layout == Layout::V1_29).then(Box::default);
        let id = dialog.meta.id.clone();
        let mut tree = DialogTree { layout, ..DialogTree::new("aa/bb/01".into(), Bucket::Run) };
        tree.dialogs.insert(id.clone(), Arc::new(dialog));
        (draft_of(&tree), id)
    }
}
