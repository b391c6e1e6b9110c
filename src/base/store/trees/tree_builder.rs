//! Puts the dialogs of a tree together: identities, indexes and what on disk differs. Writes nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::asking::inquiry::answers::PartAnswers;
use crate::domain::dialogs::tree::{Bucket, TreeChange};
use crate::domain::text::{Localized, Text, localized};
use crate::domain::{
    AssignmentFrame, Dialog, DialogId, DialogMeta, DialogTree, ForeignLayout, Latest,
    Layout as DialogLayout, Pending, Problem, Question, QueuedPrompt, RecentPart, RootId, SelfId,
};

use super::earlier_layout;
use super::identity::{Identities, TreeParts};
use super::parts::{DialogParts, FileHealth};
use super::reconcile::{self, DialogFacts, TreeFacts};
use super::scan::{FlawKind, ScanDepth, headline};
use super::waiting_files::{self, WaitingPrompts};
use crate::store::codec::v1_19::latest::stopped_latest;
use crate::store::codec::v1_29::settle::settle;
use crate::store::codec::v1_29::taking_up;
use crate::store::disk::Disk;
use crate::store::disk::error::StoreError;
use crate::store::disk::file_stamps::FolderStamps;
use crate::store::disk::layout::{Layout, course_file};
use crate::store::disk::problem_collector::ProblemCollector;
use crate::store::disk::small_files;

/// A tree as it should be, and what on disk differs from that.
#[derive(Debug)]
pub(in crate::store) struct TreeRead {
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
    /// Why it may only be read, if it may.
    pub foreign: Option<ForeignLayout>,
    /// Who asked each dialog of a tree that may only be read.
    pub askers: BTreeMap<SelfId, SelfId>,
    /// The stamps of all its folders and files, taken before they were read; `None` where something is wrong or at
    /// work, or a whole reading did not ask.
    pub stamps: Option<Vec<FolderStamps>>,
}

/// The derived parts of each dialog as its files have them.
pub(in crate::store) type RecentFiles = BTreeMap<SelfId, RecentPart>;

impl TreeRead {
    /// Makes it a tree in the layout of Dominds 1.29. Read whole, its derived parts follow from its facts; what the files
    /// say otherwise is to be written anew.
    pub fn settle_recent(&mut self, files: &RecentFiles, depth: ScanDepth) {
        self.tree.layout = DialogLayout::V1_29;
        let root = self.tree.root.clone();
        for (id, dialog) in &mut self.tree.dialogs {
            let dialog = std::sync::Arc::make_mut(dialog);
            taking_up::tell_pause(dialog);
            taking_up::tell_rest(dialog);
            if depth != ScanDepth::Full {
                continue;
            }
            let now = dialog.latest.last_modified.clone();
            settle(dialog, &root, &now);
            let (Some(file), Some(settled)) = (files.get(id), &dialog.recent) else { continue };
            let is_written = |change: &TreeChange| matches!(change, TreeChange::Latest { dialog, .. } if dialog == id);
            if file.state != settled.state && !self.repairs.iter().any(is_written) {
                let latest = Box::new(dialog.latest.clone());
                self.repairs.push(TreeChange::Latest { dialog: id.clone(), latest });
            }
            let is_listed = |change: &TreeChange| matches!(change, TreeChange::Pending { dialog, .. } if dialog == id);
            if file.batches != settled.batches && !self.repairs.iter().any(is_listed) {
                let pending = dialog.pending.clone();
                self.repairs.push(TreeChange::Pending { dialog: id.clone(), pending });
            }
        }
    }

    /// Makes it a tree that may only be read: it is shown, nothing of it is to be fixed, and only what was said and what is
    /// to be remembered is left.
    pub fn into_read_only(mut self, layout: ForeignLayout, problem: Option<Problem>) -> Self {
        let mut askers = BTreeMap::new();
        for (id, dialog) in &self.tree.dialogs {
            if let Some(assignment) = dialog.assignment() {
                askers.insert(id.clone(), assignment.asker_dialog_id.clone());
                self.first_message.insert(id.clone(), headline(&assignment.tellask_content));
            }
        }
        Self {
            tree: earlier_layout::as_history(&self.tree),
            repairs: Vec::new(),
            problems: problem.into_iter().collect(),
            identities: Vec::new(),
            broken: Vec::new(),
            irreplaceable: Vec::new(),
            sizes: Vec::new(),
            first_message: self.first_message,
            foreign: Some(layout),
            askers,
            stamps: None,
        }
    }
}

/// Which tree is read, and where.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct TreePlace<'a> {
    pub disk: &'a dyn Disk,
    pub layout: &'a Layout,
    pub bucket: Bucket,
    pub root: &'a RootId,
}

/// A tree in the making.
pub(in crate::store) struct TreeBuilder<'a> {
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
            foreign: None,
            askers: BTreeMap::new(),
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
                    FileHealth::Sound => localized!(
                        "its id is not that of its folder, {id}",
                        "它的 id 与所在文件夹 {id} 不符"
                    ),
                    FileHealth::Absent
                    | FileHealth::Damaged
                    | FileHealth::Adopted
                    | FileHealth::Misplaced => {
                        localized!(
                            "missing: {id} is known from the records of its tree",
                            "缺失：{id} 由其树的记录得知"
                        )
                    }
                };
                self.problems.add("identity", &part.meta.path(), text, REBUILT_AT_START);
            }
            if part.meta.health != FileHealth::Misplaced {
                self.identities.push((part.meta.path(), meta.clone()));
            }
            self.irreplaceable.push(part.meta.path());
        }
        for id in &identities.lost {
            if let Some(part) = parts.get(id) {
                let text = localized!(
                    "side dialog {id} is left out: nothing tells whose it is",
                    "支线对话 {id} 未采用：无从得知它属于谁"
                );
                let fix = Text::new(
                    "write its dialog.yaml anew, or move the folder away",
                    "请重写它的 dialog.yaml，或移走该文件夹",
                );
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
            dialog.recent = part.recent;
            dialog.answers = self.answers(&dialog)?;
            self.tree.dialogs.insert(id, std::sync::Arc::new(dialog));
        }
        Ok(())
    }

    fn queue(&mut self, id: &SelfId, part: &DialogParts) -> Result<Vec<QueuedPrompt>, StoreError> {
        let dialog = DialogId::side(self.place.root, id);
        let path = self.place.layout.queue(&dialog);
        let (read, damage) = waiting_files::read_of_dialog(self.place.disk, &path, &dialog)?;
        let WaitingPrompts { prompts: mut queue } = read;
        if let Some(reason) = damage {
            let lost = Text::new("; messages that waited are lost", "；等待中的消息已丢失");
            let fix = Text::new("say them again", "请重新发送");
            self.problems.add("queue", &path, small_files::damaged(&reason).and(lost), fix);
            self.irreplaceable.push(path);
        }
        let before = queue.len();
        queue.retain(|prompt| !part.scan.history.messages.contains(&prompt.msg_id));
        if queue.len() != before {
            self.repairs.push(TreeChange::Queue { dialog: id.clone(), queue: queue.clone() });
        }
        Ok(queue)
    }

    /// Answers to parts of a question that is open; others are of no use to anybody.
    fn answers(&mut self, dialog: &Dialog) -> Result<Option<PartAnswers>, StoreError> {
        let id = DialogId::side(self.place.root, &dialog.meta.id);
        let path = self.place.layout.answers(&id);
        let read = waiting_files::read_of_dialog(self.place.disk, &path, &id)?;
        let (read, damage): (PartAnswers, _) = read;
        if let Some(reason) = damage {
            let lost = Text::new("; answers to parts of a question are lost", "；部分答复已丢失");
            let fix = Text::new("answer these parts again", "请重新答复这些部分");
            self.problems.add("answers", &path, small_files::damaged(&reason).and(lost), fix);
            self.irreplaceable.push(path);
        }
        if read == PartAnswers::default() {
            return Ok(None);
        }
        let open = dialog.questions.iter().find(|open| open.id == read.question);
        let fitting = open.map(|open| read.clone().fitting(&dialog.inquiry(open)));
        let answers = fitting.filter(|answers| !answers.parts.is_empty());
        if answers.as_ref() != Some(&read) {
            let (dialog, answers) = (dialog.meta.id.clone(), answers.clone());
            self.repairs.push(TreeChange::Answers { dialog, answers });
        }
        Ok(answers)
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
            let fix = Text::new("check what the dialog waits for", "请检查该对话在等待什么");
            self.problems.add("contradiction", path, text.clone(), fix);
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

/// The fix of what is rebuilt by itself.
pub(super) const REBUILT_AT_START: Text = Text::new(
    "nothing to do: the next writing start rebuilds it",
    "无需处理：下次以写入方式启动时会重建",
);

fn describe(kind: &FlawKind) -> (&'static str, Localized, Text) {
    const NOTHING: Text = Text::new("nothing to do", "无需处理");
    match kind {
        FlawKind::Broken => (
            "line",
            Text::new("not a record: left out", "不是记录：未采用").into(),
            Text::new(
                "nothing to do: the next writing start sets it aside",
                "无需处理：下次以写入方式启动时会将其移到一旁",
            ),
        ),
        FlawKind::Torn { bytes } => (
            "torn",
            localized!(
                "the last line is incomplete ({bytes} bytes)",
                "最后一行不完整（{bytes} 字节）"
            ),
            Text::new(
                "nothing to do: the next record sets it aside",
                "无需处理：下一条记录会将其移到一旁",
            ),
        ),
        FlawKind::NotText => (
            "text",
            Text::new(
                "some bytes are not text: shown with marks",
                "有些字节不是文本：显示为替代符号",
            )
            .into(),
            NOTHING,
        ),
        FlawKind::TooLong { bytes } => (
            "long",
            localized!("a line of {bytes} bytes: shown cut", "有一行长 {bytes} 字节：截断显示"),
            NOTHING,
        ),
        FlawKind::Misplaced(what) => (
            "misplaced",
            small_files::it_is(*what)
                .and(Text::new(": ignored, and the dialog held", "：已忽略，对话已停下")),
            Text::new("put the course file back", "请把程文件放回原处"),
        ),
        FlawKind::Repeated(id) => (
            "repeated",
            localized!(
                "the call id {id} stood before: the dialog is held",
                "调用 id {id} 之前出现过：对话已停下"
            ),
            Text::new(
                "set one of the two lines aside, or continue the dialog as it is",
                "请把两行之一移到一旁，或照原样继续对话",
            ),
        ),
        FlawKind::Missing => (
            "missing",
            Text::new("missing, although a later course holds records", "缺失，但之后的程有记录")
                .into(),
            Text::new(
                "put the course file back if there is a copy",
                "若有副本，请把程文件放回原处",
            ),
        ),
    }
}
