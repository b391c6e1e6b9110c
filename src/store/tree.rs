//! Reads a whole tree: the parts of all its dialogs, set right against each other. Writes nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::domain::tree::{Bucket, TreeChange};
use crate::domain::{Dialog, DialogMeta, DialogTree, Problem, RootId, SelfId};

use super::build::Build;
use super::disk::Disk;
use super::earlier::{self, SUBDIALOGS};
use super::error::StoreError;
use super::file_stamps::FolderLooks;
use super::files;
use super::identity::{AllParts, Identities};
use super::layout::{DIALOG, Layout, SIDE_DIALOGS};
use super::memo::Memo;
use super::notes::Notes;
use super::parallel::side_by_side;
use super::parts::{HasSides, Health, Parts, Remembered};
use super::scan::{Depth, headline};
use super::walk;

/// Fewer side dialogs than this are not worth a thread.
const SHARE_OF_A_CORE: usize = 128;

/// A tree as it should be, and what on disk differs from that.
#[derive(Debug)]
pub(super) struct TreeRead {
    pub tree: DialogTree,
    /// State files that disagree with the courses.
    pub mended: Vec<TreeChange>,
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
    pub first_words: BTreeMap<SelfId, String>,
    /// True for a tree of an earlier layout.
    pub earlier: bool,
    /// Of all its folders and files, taken before they were read; `None` where something is wrong or at
    /// work, or a whole reading did not ask.
    pub looks: Option<Vec<FolderLooks>>,
}

pub(super) struct TreeReader<'a> {
    pub disk: &'a dyn Disk,
    pub layout: &'a Layout,
    pub bucket: Bucket,
    pub root: &'a RootId,
    pub depth: Depth,
    /// What is known already; only for [`Depth::Facts`].
    pub memo: Option<&'a Memo>,
}

impl TreeReader<'_> {
    /// I/O errors end the reading; damage does only where nothing tells who the main dialog is.
    pub fn read(&self) -> Result<TreeRead, StoreError> {
        let folder = self.layout.root(self.bucket, self.root);
        if !files::is_folder_below(&self.layout.dialogs(), &folder)? {
            return Err(StoreError::NotFound(self.root.clone()));
        }
        self.read_found()
    }

    /// The same for a tree that a walk has found, which follows no link.
    pub fn read_found(&self) -> Result<TreeRead, StoreError> {
        let folder = self.layout.root(self.bucket, self.root);
        let mut notes = Notes::new(self.layout);
        let Found { parts, looks } = self.parts(&folder, &mut notes)?;
        let identities = Identities::of(self.root, &parts);
        let main = self.root.main();
        let earlier = parts.get(&main).is_some_and(|main| main.earlier);
        if !identities.known.contains_key(&main) {
            if earlier {
                return Err(StoreError::Earlier(self.root.clone()));
            }
            return Err(self.beyond_mending(&folder, &parts, &notes));
        }
        let mut build = Build::new(self, notes);
        build.identities(&parts, &identities);
        build.dialogs(parts, &identities)?;
        let read = TreeRead { looks, ..build.finish(&folder) };
        Ok(if earlier { earlier::as_history(read) } else { read })
    }

    fn parts(&self, folder: &Path, notes: &mut Notes) -> Result<Found, StoreError> {
        let mut found = Found { parts: BTreeMap::new(), looks: Some(Vec::new()) };
        let main = self.dialog(folder, &self.root.main(), notes)?;
        let earlier = main.parts.earlier.then_some(SUBDIALOGS);
        let sides = main.sides;
        found.parts.insert(main.parts.id.clone(), Box::new(main.parts));
        found.add(main.looks.map(|looks| vec![looks]));
        if sides == HasSides::No {
            return Ok(found);
        }
        for name in earlier.into_iter().chain([SIDE_DIALOGS]) {
            let sides = folder.join(name);
            let walked = walk::dialogs_and_folders_below(self.disk, &sides, notes)?;
            found.add(Some(walked.folders));
            let ids = walked.ids;
            for read in side_by_side(&ids, SHARE_OF_A_CORE, |ids| self.side_parts(&sides, ids)) {
                let (read, notes_of_it) = read?;
                found.parts.extend(read.parts);
                found.add(read.looks);
                notes.take(notes_of_it);
            }
        }
        Ok(found)
    }

    fn dialog(
        &self,
        folder: &Path,
        id: &SelfId,
        notes: &mut Notes,
    ) -> Result<Remembered, StoreError> {
        if let Some(memo) = self.memo.filter(|_| self.depth == Depth::Facts) {
            return Parts::remember(self.disk, folder, id, memo, notes);
        }
        let parts = Parts::read(self.disk, folder, id, self.depth, notes)?;
        Ok(Remembered { parts, sides: HasSides::Maybe, looks: None })
    }

    fn side_parts(&self, sides: &Path, ids: &[String]) -> Result<(Found, Notes), StoreError> {
        let mut notes = Notes::new(self.layout);
        let mut found = Found { parts: BTreeMap::new(), looks: Some(Vec::new()) };
        for id in ids {
            let (folder, id) = (sides.join(id), SelfId::new(id));
            let Remembered { parts, looks, .. } = self.dialog(&folder, &id, &mut notes)?;
            found.add(looks.map(|looks| vec![looks]));
            if !parts.is_debris() {
                found.parts.insert(id, Box::new(parts));
            }
        }
        Ok((found, notes))
    }

    fn beyond_mending(&self, folder: &Path, parts: &AllParts, notes: &Notes) -> StoreError {
        let main = parts.get(&self.root.main());
        if parts.len() == 1 && main.is_some_and(|main| main.is_debris()) {
            return StoreError::NotFound(self.root.clone());
        }
        let state = match main.map(|main| main.meta.health) {
            Some(Health::Damaged) => "damaged",
            Some(Health::Misplaced) => "not a file",
            Some(Health::Absent | Health::Sound | Health::Adopted) | None => "missing",
        };
        let text = format!(
            "{}: dialog.yaml is {state}, and no record tells whose dialog it is",
            self.root
        );
        let mend = "write dialog.yaml anew (id, agentId, taskDocPath, createdAt)";
        let problem = notes.problem("identity", &folder.join(DIALOG), text, mend);
        StoreError::Damaged(Box::new(problem))
    }
}

/// The dialogs of a tree, or of a part of it.
struct Found {
    parts: AllParts,
    /// See [`TreeRead::looks`].
    looks: Option<Vec<FolderLooks>>,
}

impl Found {
    fn add(&mut self, looks: Option<Vec<FolderLooks>>) {
        match (&mut self.looks, looks) {
            (Some(all), Some(more)) => all.extend(more),
            (all, _) => *all = None,
        }
    }
}

/// What a dialog is about: its assignment, or the first words of a person.
pub(super) fn about(dialog: &Dialog, first_words: Option<&String>) -> String {
    dialog.assignment().map_or_else(
        || first_words.cloned().unwrap_or_default(),
        |assignment| headline(&assignment.tellask_content),
    )
}
