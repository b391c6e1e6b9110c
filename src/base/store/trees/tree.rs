//! Reads a whole tree: the parts of all its dialogs, set right against each other. Writes nothing.

use std::collections::BTreeMap;
use std::path::Path;

use crate::domain::dialogs::tree::Bucket;
use crate::domain::text::{Text, localized};
use crate::domain::{self, Dialog, ForeignLayout, Problem, RootId, SelfId};

use super::earlier_layout::SUBDIALOGS;
use super::folder_cache::FolderCache;
use super::folder_walk;
use super::identity::{Identities, TreeParts};
use super::listed_parts::{HasSides, ListedDialogParts};
use super::parts::{DialogParts, FileHealth};
use super::scan::{ScanDepth, headline};
use super::tree_builder::{RecentFiles, TreeBuilder, TreePlace, TreeRead};
use super::tree_layout::{self, TreeLayout, WorkspaceLayout};
use crate::store::disk::Disk;
use crate::store::disk::error::StoreError;
use crate::store::disk::file_stamps::FolderStamps;
use crate::store::disk::in_parallel::in_parallel;
use crate::store::disk::layout::{DIALOG, Layout, PENDING, SIDE_DIALOGS};
use crate::store::disk::problem_collector::ProblemCollector;
use crate::store::disk::small_files;

/// Fewer side dialogs than this are not worth a thread.
const MIN_PER_THREAD: usize = 128;

pub(in crate::store) struct TreeReader<'a> {
    pub disk: &'a dyn Disk,
    pub layout: &'a Layout,
    pub workspace: &'a WorkspaceLayout,
    pub bucket: Bucket,
    pub root: &'a RootId,
    pub depth: ScanDepth,
    /// What is known already; only for [`ScanDepth::Facts`].
    pub cache: Option<&'a FolderCache>,
}

impl TreeReader<'_> {
    /// I/O errors end the reading; damage does only where nothing tells who the main dialog is.
    pub fn read(&self) -> Result<TreeRead, StoreError> {
        let folder = self.layout.root(self.bucket, self.root);
        if !small_files::is_folder_below(&self.layout.dialogs(), &folder)? {
            return Err(StoreError::NotFound(self.root.clone()));
        }
        self.read_found()
    }

    /// As [`Self::read`], for a tree that a walk has found, which follows no link.
    pub fn read_found(&self) -> Result<TreeRead, StoreError> {
        let folder = self.layout.root(self.bucket, self.root);
        let mut problems = ProblemCollector::new(self.layout);
        let FoundDialogs { mut parts, stamps } = self.parts(&folder, &mut problems)?;
        let main = self.root.main();
        let layout = self.layout_of(&main, &parts)?;
        let foreign = layout.err();
        let mut files = RecentFiles::new();
        if layout == Ok(domain::Layout::V1_29) {
            // A list of 1.19.2 that was left there is not looked at.
            problems.forget(PENDING);
            for (id, part) in &mut parts {
                files.insert(id.clone(), part.read_recent(self.disk, self.depth, &mut problems)?);
            }
        }
        let identities = Identities::of(self.root, &parts);
        if !identities.known.contains_key(&main) {
            if let Some(layout) = foreign {
                return Err(StoreError::ForeignLayout(self.root.clone(), layout));
            }
            return Err(self.unrepairable(&folder, &parts, &problems));
        }
        let place = TreePlace {
            disk: self.disk,
            layout: self.layout,
            bucket: self.bucket,
            root: self.root,
        };
        let mut build = TreeBuilder::new(place, problems);
        build.identities(&parts, &identities);
        build.dialogs(parts, &identities)?;
        let mut read = TreeRead { stamps, ..build.finish(&folder) };
        if layout == Ok(domain::Layout::V1_29) {
            read.settle_recent(&files, self.depth);
        }
        Ok(match foreign {
            Some(layout) => read.into_read_only(layout, self.foreign_problem(&folder, layout)),
            None => read,
        })
    }

    /// Why the tree may only be read, if it may, by its files in `folder`, wherever that is.
    pub fn foreign_in(&self, folder: &Path) -> Result<Option<ForeignLayout>, StoreError> {
        let found = self.parts(folder, &mut ProblemCollector::new(self.layout))?;
        Ok(self.layout_of(&self.root.main(), &found.parts)?.err())
    }

    /// The layout of the tree, or why it may only be read.
    fn layout_of(
        &self,
        main: &SelfId,
        parts: &TreeParts,
    ) -> Result<Result<domain::Layout, ForeignLayout>, StoreError> {
        Ok(match tree_layout::of_tree(self.disk, main, parts)? {
            TreeLayout::In(layout) => Ok(layout),
            TreeLayout::Foreign(layout) => Err(layout),
            TreeLayout::Untold => Ok(self.workspace.layout(self.disk, self.layout)),
        })
    }

    /// Old history is no problem.
    fn foreign_problem(&self, folder: &Path, layout: ForeignLayout) -> Option<Problem> {
        let (root, reason) = (self.root, layout.reason());
        let text = localized!([reason] "{root} {reason}", "{root} {reason}");
        let problems = ProblemCollector::new(self.layout);
        let problem = problems.problem("layout", folder, text, layout.fix()).warning();
        (layout != ForeignLayout::Older).then_some(problem)
    }

    fn parts(
        &self,
        folder: &Path,
        problems: &mut ProblemCollector,
    ) -> Result<FoundDialogs, StoreError> {
        let mut found = FoundDialogs { parts: BTreeMap::new(), stamps: Some(Vec::new()) };
        let main = self.dialog(folder, &self.root.main(), problems)?;
        let earlier = main.parts.earlier.then_some(SUBDIALOGS);
        let sides = main.sides;
        found.parts.insert(main.parts.id.clone(), Box::new(main.parts));
        found.add(main.stamps.map(|stamps| vec![stamps]));
        if sides == HasSides::No {
            return Ok(found);
        }
        for name in earlier.into_iter().chain([SIDE_DIALOGS]) {
            let sides = folder.join(name);
            let walked = folder_walk::dialogs_and_folders_below(self.disk, &sides, problems)?;
            found.add(Some(walked.folders));
            let ids = walked.ids;
            for read in in_parallel(&ids, MIN_PER_THREAD, |ids| self.side_parts(&sides, ids)) {
                let (read, more) = read?;
                found.parts.extend(read.parts);
                found.add(read.stamps);
                problems.append(more);
            }
        }
        Ok(found)
    }

    fn dialog(
        &self,
        folder: &Path,
        id: &SelfId,
        problems: &mut ProblemCollector,
    ) -> Result<ListedDialogParts, StoreError> {
        if let Some(cache) = self.cache.filter(|_| self.depth == ScanDepth::Facts) {
            return ListedDialogParts::read(self.disk, folder, id, cache, problems);
        }
        let parts = DialogParts::read(self.disk, folder, id, self.depth, problems)?;
        Ok(ListedDialogParts { parts, sides: HasSides::Maybe, stamps: None })
    }

    fn side_parts(
        &self,
        sides: &Path,
        ids: &[String],
    ) -> Result<(FoundDialogs, ProblemCollector), StoreError> {
        let mut problems = ProblemCollector::new(self.layout);
        let mut found = FoundDialogs { parts: BTreeMap::new(), stamps: Some(Vec::new()) };
        for id in ids {
            let (folder, id) = (sides.join(id), SelfId::new(id));
            let ListedDialogParts { parts, stamps, .. } =
                self.dialog(&folder, &id, &mut problems)?;
            found.add(stamps.map(|stamps| vec![stamps]));
            if !parts.is_leftover() {
                found.parts.insert(id, Box::new(parts));
            }
        }
        Ok((found, problems))
    }

    fn unrepairable(
        &self,
        folder: &Path,
        parts: &TreeParts,
        problems: &ProblemCollector,
    ) -> StoreError {
        let main = parts.get(&self.root.main());
        if parts.len() == 1 && main.is_some_and(|main| main.is_leftover()) {
            return StoreError::NotFound(self.root.clone());
        }
        let state = match main.map(|main| main.meta.health) {
            Some(FileHealth::Damaged) => Text::new("damaged", "已损坏"),
            Some(FileHealth::Misplaced) => Text::new("not a file", "不是文件"),
            Some(FileHealth::Absent | FileHealth::Sound | FileHealth::Adopted) | None => {
                Text::new("missing", "缺失")
            }
        };
        let root = &self.root;
        let text = localized!(
            [state] "{root}: dialog.yaml is {state}, and no record tells whose dialog it is",
            "{root}：dialog.yaml {state}，也没有记录说明对话属于谁"
        );
        let fix = Text::new(
            "write dialog.yaml anew (id, agentId, taskDocPath, createdAt)",
            "请重写 dialog.yaml（id、agentId、taskDocPath、createdAt）",
        );
        let problem = problems.problem("identity", &folder.join(DIALOG), text, fix);
        StoreError::Damaged(Box::new(problem))
    }
}

/// The dialogs of a tree, or of a part of it.
struct FoundDialogs {
    parts: TreeParts,
    /// See [`TreeRead::stamps`].
    stamps: Option<Vec<FolderStamps>>,
}

impl FoundDialogs {
    fn add(&mut self, stamps: Option<Vec<FolderStamps>>) {
        match (&mut self.stamps, stamps) {
            (Some(all), Some(more)) => all.extend(more),
            (all, _) => *all = None,
        }
    }
}

/// What a dialog is about: its assignment, or the first words of a person.
pub(in crate::store) fn about(dialog: &Dialog, first_message: Option<&String>) -> String {
    dialog.assignment().map_or_else(
        || first_message.cloned().unwrap_or_default(),
        |assignment| headline(&assignment.tellask_content),
    )
}
