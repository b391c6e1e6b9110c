//! Puts the dialogs of a tree together: identities, indexes and what on disk differs. Writes nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::tree::TreeChange;
use crate::domain::{
    Dialog, DialogId, DialogMeta, DialogTree, Frame, Latest, Pending, Question, QueuedPrompt,
    SelfId,
};

use super::error::StoreError;
use super::identity::{AllParts, Identities};
use super::layout::course_file;
use super::notes::Notes;
use super::own;
use super::parts::{Health, Parts, careful_latest};
use super::reconcile::{self, Member, Members};
use super::scan::FlawKind;
use super::tree::{TreeRead, TreeReader};

/// A tree in the making.
pub(super) struct Build<'a> {
    pub(super) reader: &'a TreeReader<'a>,
    pub(super) notes: Notes,
    tree: DialogTree,
    pub(super) mended: Vec<TreeChange>,
    identities: Vec<(PathBuf, DialogMeta)>,
    broken: Vec<PathBuf>,
    pub(super) irreplaceable: Vec<PathBuf>,
    sizes: Vec<(PathBuf, u64)>,
    first_words: BTreeMap<SelfId, String>,
}

impl<'a> Build<'a> {
    pub fn new(reader: &'a TreeReader<'a>, notes: Notes) -> Self {
        Self {
            reader,
            notes,
            tree: DialogTree::new(reader.root.clone(), reader.bucket),
            mended: Vec::new(),
            identities: Vec::new(),
            broken: Vec::new(),
            irreplaceable: Vec::new(),
            sizes: Vec::new(),
            first_words: BTreeMap::new(),
        }
    }

    pub fn finish(self, folder: &Path) -> TreeRead {
        TreeRead {
            tree: self.tree,
            mended: self.mended,
            problems: self.notes.finish(folder),
            identities: self.identities,
            broken: self.broken,
            irreplaceable: self.irreplaceable,
            sizes: self.sizes,
            first_words: self.first_words,
            earlier: false,
            looks: None,
        }
    }

    pub fn identities(&mut self, parts: &AllParts, identities: &Identities) {
        for id in &identities.rebuilt {
            let Some((part, meta)) = parts.get(id).zip(identities.known.get(id)) else {
                continue;
            };
            if part.meta.health != Health::Damaged {
                let text = match part.meta.health {
                    Health::Sound => format!("its id is not that of its folder, {id}"),
                    Health::Absent | Health::Damaged | Health::Adopted | Health::Misplaced => {
                        format!("missing: {id} is known from the records of its tree")
                    }
                };
                let mend = "nothing to do: the next writing start rebuilds it";
                self.notes.add("identity", &part.meta.path(), text, mend);
            }
            if part.meta.health != Health::Misplaced {
                self.identities.push((part.meta.path(), meta.clone()));
            }
            self.irreplaceable.push(part.meta.path());
        }
        for id in &identities.lost {
            if let Some(part) = parts.get(id) {
                let text = format!("side dialog {id} is left out: nothing tells whose it is");
                let mend = "write its dialog.yaml anew, or move the folder away";
                self.notes.add("identity", &part.folder, text, mend);
            }
        }
        for (id, part) in parts {
            if part.meta.health == Health::Adopted
                && let Some(meta) = identities.known.get(id)
            {
                self.identities.push((part.meta.path(), meta.clone()));
            }
        }
    }

    pub(super) fn keep_copy(&mut self, health: Health, path: &Path) {
        if health == Health::Damaged {
            self.irreplaceable.push(path.to_owned());
        }
    }

    pub fn dialogs(
        &mut self,
        mut parts: AllParts,
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
            if let Some(words) = part.scan.first_words.clone() {
                self.first_words.insert(id.clone(), words);
            }
            let latest =
                latests.remove(&id).unwrap_or_else(|| careful_latest(meta.created_at.clone()));
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

    fn queue(&mut self, id: &SelfId, part: &Parts) -> Result<Vec<QueuedPrompt>, StoreError> {
        let dialog = DialogId::side(self.reader.root, id);
        let path = self.reader.layout.queue(&dialog);
        let read = own::read_queue(self.reader.disk, &path, &dialog)?;
        let (mut queue, damage) = read;
        if let Some(why) = damage {
            let text = format!("damaged: {why}; messages that waited are lost");
            self.notes.add("queue", &path, text, "say them again");
            self.irreplaceable.push(path);
        }
        let before = queue.len();
        queue.retain(|prompt| !part.scan.history.messages.contains(&prompt.msg_id));
        if queue.len() != before {
            self.mended.push(TreeChange::Queue { dialog: id.clone(), queue: queue.clone() });
        }
        Ok(queue)
    }

    fn indexes(
        &mut self,
        parts: &AllParts,
        ids: &Identities,
        stacks: &BTreeMap<SelfId, Vec<Frame>>,
        latests: &BTreeMap<SelfId, Latest>,
    ) -> BTreeMap<SelfId, (Vec<Question>, Vec<Pending>)> {
        let members: Members = parts
            .iter()
            .filter_map(|(id, part)| {
                let member = Member {
                    meta: ids.known.get(id)?,
                    scan: &part.scan,
                    stack: stacks.get(id)?,
                    dead: latests.get(id)?.is_dead(),
                };
                Some((id, member))
            })
            .collect();
        let mut owed = reconcile::owed(&members);
        let mut indexes = BTreeMap::new();
        for (id, member) in &members {
            let Some(part) = parts.get(*id) else { continue };
            let owed = owed.remove(*id).unwrap_or_default();
            let index = if member.dead {
                // Its files stay as they are, and its questions are asked no more.
                (Vec::new(), part.pending.value.clone().unwrap_or_default())
            } else {
                (self.questions(part), self.pending(part, &members, owed))
            };
            indexes.insert((*id).clone(), index);
        }
        if let Some(main) = parts.get(&self.reader.root.main()) {
            self.registry(main, &members);
        }
        indexes
    }

    fn questions(&mut self, part: &Parts) -> Vec<Question> {
        let file = part.questions.value.as_deref().unwrap_or_default();
        let dialog = DialogId::side(self.reader.root, &part.id);
        let index = reconcile::questions(&dialog, &part.scan, file);
        let changed = index.entries != file;
        if self.take_index(&part.questions.path(), part.questions.health, &index, changed) {
            self.mended.push(TreeChange::Questions {
                dialog: part.id.clone(),
                questions: index.entries.clone(),
            });
        }
        index.entries
    }

    fn pending(&mut self, part: &Parts, members: &Members, owed: Vec<Pending>) -> Vec<Pending> {
        let file = part.pending.value.as_deref().unwrap_or_default();
        let index = reconcile::pending(&part.id, members, file, owed);
        let changed = index.entries != file;
        if self.take_index(&part.pending.path(), part.pending.health, &index, changed) {
            self.mended.push(TreeChange::Pending {
                dialog: part.id.clone(),
                pending: index.entries.clone(),
            });
        }
        index.entries
    }

    fn registry(&mut self, main: &Parts, members: &Members) {
        let file = main.registry.value.as_deref();
        let index = reconcile::registry(members, file);
        let changed = index.entries != file.unwrap_or_default();
        if self.take_index(&main.registry.path(), main.registry.health, &index, changed) {
            self.mended.push(TreeChange::Registry { entries: index.entries.clone() });
        }
        self.tree.registry = index.entries;
    }

    /// Reports what an index contradicts; true if its file is to be written anew.
    fn take_index<T>(
        &mut self,
        path: &Path,
        health: Health,
        index: &reconcile::Index<T>,
        changed: bool,
    ) -> bool {
        for text in &index.contradictions {
            self.notes.add("contradiction", path, text.clone(), "check what the dialog waits for");
        }
        self.keep_copy(health, path);
        if index.dropped > 0 {
            self.irreplaceable.push(path.to_owned());
        }
        match health {
            Health::Misplaced => false,
            Health::Absent | Health::Sound => changed,
            Health::Damaged | Health::Adopted => true,
        }
    }

    fn flaws(&mut self, part: &Parts) {
        for flaw in &part.scan.flaws {
            let path = part.folder.join(course_file(flaw.course));
            let (kind, text, mend) = describe(&flaw.kind);
            let mut problem = self.notes.problem(kind, &path, text, mend);
            if flaw.line > 0 {
                problem.id = format!("{}:{}", problem.id, flaw.line);
                problem = problem.at_line(flaw.line);
            }
            self.notes.push(problem);
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
