//! Puts the dialogs of a tree together: identities, indexes and what on disk differs. Writes nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::tree::{Bucket, TreeChange};
use crate::domain::{
    AssignmentFrame, Dialog, DialogId, DialogMeta, DialogTree, Latest, Pending, Problem, Question,
    QueuedPrompt, RootId, SelfId,
};

use super::disk::Disk;
use super::earlier_layout;
use super::error::StoreError;
use super::file_stamps::FolderStamps;
use super::identity::{Identities, TreeParts};
use super::layout::{Layout, course_file};
use super::own_files;
use super::parts::{DialogParts, FileHealth, stopped_latest};
use super::problem_collector::ProblemCollector;
use super::reconcile::{self, DialogFacts, TreeFacts};
use super::scan::FlawKind;

/// A tree as it should be, and what on disk differs from that.
#[derive(Debug)]
pub(super) struct TreeRead {
    pub tree: DialogTree,
    /// State files that disagree with the courses.
    pub repairs: Vec<TreeChange>,
    pub problems: Vec<Problem>,
    /// Identities that had to be rebuilt, to be written anew.
    pub identities: Vec<(PathBuf, DialogMeta)>,
    /// Course files with lines that are no records.
    pub broken: Vec<PathBuf>,
    /// Files whose content nothing else holds: copied aside before they are replaced.
    pub irreplaceable: Vec<PathBuf>,
    /// Course files with their sizes in bytes.
    pub sizes: Vec<(PathBuf, u64)>,
    /// The first words of a person in each dialog.
    pub first_message: BTreeMap<SelfId, String>,
    /// True for a tree of an earlier layout.
    pub earlier: bool,
    /// Of all its folders and files, taken before they were read; `None` where something is wrong or at
    /// work, or a whole reading did not ask.
    pub stamps: Option<Vec<FolderStamps>>,
}

impl TreeRead {
    /// The same of a tree of the earlier layout: it is shown, and nothing of it is to be fixed.
    pub fn into_history(self) -> Self {
        Self {
            tree: earlier_layout::as_history(&self.tree),
            repairs: Vec::new(),
            problems: Vec::new(),
            identities: Vec::new(),
            broken: Vec::new(),
            irreplaceable: Vec::new(),
            sizes: Vec::new(),
            first_message: self.first_message,
            earlier: true,
            stamps: None,
        }
    }
}

/// Which tree is read, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreePlace<'a> {
    pub disk: &'a dyn Disk,
    pub layout: &'a Layout,
    pub bucket: Bucket,
    pub root: &'a RootId,
}

/// A tree in the making.
pub(super) struct TreeBuilder<'a> {
    pub(super) place: TreePlace<'a>,
    pub(super) problems: ProblemCollector,
    tree: DialogTree,
    pub(super) repairs: Vec<TreeChange>,
    identities: Vec<(PathBuf, DialogMeta)>,
    broken: Vec<PathBuf>,
    pub(super) irreplaceable: Vec<PathBuf>,
    sizes: Vec<(PathBuf, u64)>,
    first_message: BTreeMap<SelfId, String>,
}

impl<'a> TreeBuilder<'a> {
    pub fn new(place: TreePlace<'a>, problems: ProblemCollector) -> Self {
        Self {
            place,
            problems,
            tree: DialogTree::new(place.root.clone(), place.bucket),
            repairs: Vec::new(),
            identities: Vec::new(),
            broken: Vec::new(),
            irreplaceable: Vec::new(),
            sizes: Vec::new(),
            first_message: BTreeMap::new(),
        }
    }

    pub fn finish(self, folder: &Path) -> TreeRead {
        TreeRead {
            tree: self.tree,
            repairs: self.repairs,
            problems: self.problems.finish(folder),
            identities: self.identities,
            broken: self.broken,
            irreplaceable: self.irreplaceable,
            sizes: self.sizes,
            first_message: self.first_message,
            earlier: false,
            stamps: None,
        }
    }

    pub fn identities(&mut self, parts: &TreeParts, identities: &Identities) {
        for id in &identities.rebuilt {
            let Some((part, meta)) = parts.get(id).zip(identities.known.get(id)) else {
                continue;
            };
            if part.meta.health != FileHealth::Damaged {
                let text = match part.meta.health {
                    FileHealth::Sound => format!("its id is not that of its folder, {id}"),
                    FileHealth::Absent
                    | FileHealth::Damaged
                    | FileHealth::Adopted
                    | FileHealth::Misplaced => {
                        format!("missing: {id} is known from the records of its tree")
                    }
                };
                let fix = "nothing to do: the next writing start rebuilds it";
                self.problems.add("identity", &part.meta.path(), text, fix);
            }
            if part.meta.health != FileHealth::Misplaced {
                self.identities.push((part.meta.path(), meta.clone()));
            }
            self.irreplaceable.push(part.meta.path());
        }
        for id in &identities.lost {
            if let Some(part) = parts.get(id) {
                let text = format!("side dialog {id} is left out: nothing tells whose it is");
                let fix = "write its dialog.yaml anew, or move the folder away";
                self.problems.add("identity", &part.folder, text, fix);
            }
        }
        for (id, part) in parts {
            if part.meta.health == FileHealth::Adopted
                && let Some(meta) = identities.known.get(id)
            {
                self.identities.push((part.meta.path(), meta.clone()));
            }
        }
    }

    pub(super) fn mark_if_damaged(&mut self, health: FileHealth, path: &Path) {
        if health == FileHealth::Damaged {
            self.irreplaceable.push(path.to_owned());
        }
    }

    pub fn dialogs(
        &mut self,
        mut parts: TreeParts,
        identities: &Identities,
    ) -> Result<(), StoreError> {
        let mut stacks = self.stacks(&parts, identities);
        let mut latests = self.latests(&parts, identities);
        // In a large tree both copies would weigh.
        for part in parts.values_mut() {
            (part.stack.value, part.latest.value) = (None, None);
        }
        let indexes = self.indexes(&parts, identities, &stacks, &latests);
        for (id, part) in parts {
            let Some(meta) = identities.known.get(&id) else {
                continue;
            };
            self.flaws(&part);
            if let Some(words) = part.scan.first_message.clone() {
                self.first_message.insert(id.clone(), words);
            }
            let latest =
                latests.remove(&id).unwrap_or_else(|| stopped_latest(meta.created_at.clone()));
            let mut dialog = Dialog::new(meta.clone(), latest);
            dialog.stack = stacks.remove(&id).unwrap_or_default();
            if let Some((questions, pending)) = indexes.get(&id) {
                dialog.questions.clone_from(questions);
                dialog.pending.clone_from(pending);
            }
            dialog.reminders = self.reminders(&part);
            self.sizes.extend(
                part.scan
                    .courses
                    .iter()
                    .map(|(course, size)| (part.folder.join(course_file(*course)), *size)),
            );
            dialog.queue = self.queue(&id, &part)?;
            dialog.history = part.scan.history;
            self.tree.dialogs.insert(id, std::sync::Arc::new(dialog));
        }
        Ok(())
    }

    fn queue(&mut self, id: &SelfId, part: &DialogParts) -> Result<Vec<QueuedPrompt>, StoreError> {
        let dialog = DialogId::side(self.place.root, id);
        let path = self.place.layout.queue(&dialog);
        let read = own_files::read_queue(self.place.disk, &path, &dialog)?;
        let (mut queue, damage) = read;
        if let Some(reason) = damage {
            let text = format!("damaged: {reason}; messages that waited are lost");
            self.problems.add("queue", &path, text, "say them again");
            self.irreplaceable.push(path);
        }
        let before = queue.len();
        queue.retain(|prompt| !part.scan.history.messages.contains(&prompt.msg_id));
        if queue.len() != before {
            self.repairs.push(TreeChange::Queue { dialog: id.clone(), queue: queue.clone() });
        }
        Ok(queue)
    }

    fn indexes(
        &mut self,
        parts: &TreeParts,
        ids: &Identities,
        stacks: &BTreeMap<SelfId, Vec<AssignmentFrame>>,
        latests: &BTreeMap<SelfId, Latest>,
    ) -> BTreeMap<SelfId, (Vec<Question>, Vec<Pending>)> {
        let facts: TreeFacts = parts
            .iter()
            .filter_map(|(id, part)| {
                let dialog = DialogFacts {
                    meta: ids.known.get(id)?,
                    scan: &part.scan,
                    stack: stacks.get(id)?,
                    dead: latests.get(id)?.is_dead(),
                };
                Some((id, dialog))
            })
            .collect();
        let mut owed = reconcile::owed(&facts);
        let mut indexes = BTreeMap::new();
        for (id, dialog) in &facts {
            let Some(part) = parts.get(*id) else { continue };
            let owed = owed.remove(*id).unwrap_or_default();
            let index = if dialog.dead {
                // Its files stay as they are, and its questions are asked no more.
                (Vec::new(), part.pending.value.clone().unwrap_or_default())
            } else {
                (self.questions(part), self.pending(part, &facts, owed))
            };
            indexes.insert((*id).clone(), index);
        }
        if let Some(main) = parts.get(&self.place.root.main()) {
            self.registry(main, &facts);
        }
        indexes
    }

    fn questions(&mut self, part: &DialogParts) -> Vec<Question> {
        let file = part.questions.value.as_deref().unwrap_or_default();
        let dialog = DialogId::side(self.place.root, &part.id);
        let index = reconcile::questions(&dialog, &part.scan, file);
        let changed = index.entries != file;
        if self.report_index(&part.questions.path(), part.questions.health, &index, changed) {
            self.repairs.push(TreeChange::Questions {
                dialog: part.id.clone(),
                questions: index.entries.clone(),
            });
        }
        index.entries
    }

    fn pending(
        &mut self,
        part: &DialogParts,
        facts: &TreeFacts,
        owed: Vec<Pending>,
    ) -> Vec<Pending> {
        let file = part.pending.value.as_deref().unwrap_or_default();
        let index = reconcile::pending(&part.id, facts, file, owed);
        let changed = index.entries != file;
        if self.report_index(&part.pending.path(), part.pending.health, &index, changed) {
            self.repairs.push(TreeChange::Pending {
                dialog: part.id.clone(),
                pending: index.entries.clone(),
            });
        }
        index.entries
    }

    fn registry(&mut self, main: &DialogParts, facts: &TreeFacts) {
        let file = main.registry.value.as_deref();
        let index = reconcile::registry(facts, file);
        let changed = index.entries != file.unwrap_or_default();
        if self.report_index(&main.registry.path(), main.registry.health, &index, changed) {
            self.repairs.push(TreeChange::Registry { entries: index.entries.clone() });
        }
        self.tree.registry = index.entries;
    }

    /// Reports what an index contradicts; true if its file is to be written anew.
    fn report_index<T>(
        &mut self,
        path: &Path,
        health: FileHealth,
        index: &reconcile::ReconciledIndex<T>,
        changed: bool,
    ) -> bool {
        for text in &index.contradictions {
            self.problems.add(
                "contradiction",
                path,
                text.clone(),
                "check what the dialog waits for",
            );
        }
        self.mark_if_damaged(health, path);
        if index.dropped > 0 {
            self.irreplaceable.push(path.to_owned());
        }
        match health {
            FileHealth::Misplaced => false,
            FileHealth::Absent | FileHealth::Sound => changed,
            FileHealth::Damaged | FileHealth::Adopted => true,
        }
    }

    fn flaws(&mut self, part: &DialogParts) {
        for flaw in &part.scan.flaws {
            let path = part.folder.join(course_file(flaw.course));
            let (kind, text, fix) = describe(&flaw.kind);
            let mut problem = self.problems.problem(kind, &path, text, fix);
            if flaw.line > 0 {
                problem.id = format!("{}:{}", problem.id, flaw.line);
                problem = problem.at_line(flaw.line);
            }
            self.problems.push(problem);
            if flaw.kind == FlawKind::Broken && self.broken.last() != Some(&path) {
                self.broken.push(path);
            }
        }
    }
}

fn describe(kind: &FlawKind) -> (&'static str, String, &'static str) {
    match kind {
        FlawKind::Broken => (
            "line",
            "not a record: left out".to_owned(),
            "nothing to do: the next writing start sets it aside",
        ),
        FlawKind::Torn { bytes } => (
            "torn",
            format!("the last line is incomplete ({bytes} bytes)"),
            "nothing to do: the next record sets it aside",
        ),
        FlawKind::NotText => {
            ("text", "some bytes are not text: shown with marks".to_owned(), "nothing to do")
        }
        FlawKind::TooLong { bytes } => {
            ("long", format!("a line of {bytes} bytes: shown cut"), "nothing to do")
        }
        FlawKind::Misplaced(what) => (
            "misplaced",
            format!("it is {what}: ignored, and the dialog held"),
            "put the course file back",
        ),
        FlawKind::Repeated(id) => (
            "repeated",
            format!("the call id {id} stood before: the dialog is held"),
            "set one of the two lines aside, or continue the dialog as it is",
        ),
        FlawKind::Missing => (
            "missing",
            "missing, although a later course holds records".to_owned(),
            "put the course file back if there is a copy",
        ),
    }
}
