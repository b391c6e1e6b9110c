//! The list of all trees, cheaply: of the courses only the records are parsed that questions, calls and
//! generations are decided from. Writes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::domain::fresh_boots::{Reasoning, reasoning};
use crate::domain::latest::DisplayState;
use crate::domain::left::as_left;
use crate::domain::state::{Activity, derive};
use crate::domain::tree::Bucket;
use crate::domain::waits::ring_problems;
use crate::domain::{
    Dialog, DialogMeta, Fullness, Genseq, Latest, Pending, Problem, Question, RegistryEntry,
    RootId, SelfId,
};

use super::earlier;
use super::error::StoreError;
use super::lock::Lock;
use super::memo::{self, Memo};
use super::notes::Notes;
use super::parallel::side_by_side;
use super::scan::Depth;
use super::tree::{TreeRead, TreeReader, about};
use super::{Access, Store, files, walk};

/// Fewer trees than this are not worth a thread.
const SHARE_OF_A_CORE: usize = 32;
/// So many folders are read in no time, and need no index.
const MUCH: usize = 200;

/// Everything there is, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Survey {
    pub trees: Vec<TreeListing>,
    pub problems: Vec<Problem>,
    /// Trees nothing can be made of; the first process that may write sets them aside.
    pub damaged: Vec<(Bucket, RootId)>,
    /// Folders of dialogs that had to be read, see [`Store::keep_list`].
    pub read: usize,
}

impl Survey {
    /// True if so much had to be read that the next list is worth preparing.
    #[must_use]
    pub fn is_worth_keeping(&self) -> bool {
        self.read >= MUCH
    }

    /// The Taskdocs its dialogs work on, each once.
    #[must_use]
    pub fn taskdocs(&self) -> BTreeSet<&str> {
        let today = self.trees.iter().filter(|tree| !tree.earlier);
        let dialogs = today.flat_map(|tree| &tree.dialogs);
        dialogs.map(|dialog| dialog.meta.task_doc_path.as_str()).collect()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct TreeListing {
    pub root: RootId,
    pub bucket: Bucket,
    /// The main dialog first, then the side dialogs by id.
    pub dialogs: Vec<DialogListing>,
    /// Its sessions.
    pub registry: Vec<RegistryEntry>,
    /// True if something may be left to do: a generation was cut off, a prompt waits, a file
    /// disagrees with the courses.
    pub unclean: bool,
    /// True for a tree of an earlier layout: history, which is only read.
    pub earlier: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DialogListing {
    pub id: SelfId,
    pub meta: DialogMeta,
    pub latest: Latest,
    /// Who assigned it; `None` for a main dialog.
    pub asker: Option<SelfId>,
    pub questions: Vec<Question>,
    /// The side dialogs it waits for.
    pub pending: Vec<Pending>,
    /// First line of its assignment, or of the first words of a person.
    pub about: String,
    /// How far its fresh-boots reasoning is, if that is what it does.
    pub reasoning: Option<Reasoning>,
    pub genseq: Genseq,
    pub fullness: Fullness,
    /// What it does, see [`Self::state`].
    pub state: DisplayState,
}

impl DialogListing {
    /// What to show: what a loaded dialog would show, or what the process that drives it says.
    pub fn state(&self) -> DisplayState {
        self.state.clone()
    }
}

/// `driven`: another process drives the workspace; then what is written as running runs, and what rests
/// shows what that process shows. Otherwise it shows what the next one would.
fn shown(dialog: &Dialog, driven: bool) -> DisplayState {
    if !driven {
        return as_left(dialog);
    }
    let running = dialog.latest.display_state.as_ref().filter(|state| state.is_running());
    match running.filter(|_| !dialog.latest.is_dead()) {
        Some(running) => running.clone(),
        None => derive(dialog, Activity::Resting),
    }
}

impl Store {
    /// Lists the trees of `buckets`. What cannot be listed is named by a problem.
    #[must_use]
    pub fn survey(&self, buckets: &[Bucket]) -> Survey {
        let top = self.layout.dialogs();
        self.survey_by(&Memo::read(self.disk(), &top, &self.layout.list_index()), buckets)
    }

    fn survey_by(&self, memo: &Memo, buckets: &[Bucket]) -> Survey {
        let mut survey = Survey::default();
        for bucket in buckets {
            self.survey_bucket(*bucket, memo, &mut survey);
        }
        survey.read = memo.missed();
        survey
    }

    /// Writes down what the folders of all dialogs say, so that the next list need not read them. Does
    /// nothing for a reader while another process writes to the workspace. Returns how many folders.
    pub fn keep_list(&self) -> Result<usize, StoreError> {
        self.keep_list_after(|made| made)
    }

    /// `began`: when the reading begins, for the time at which the index is made.
    pub(super) fn keep_list_after(&self, began: fn(i128) -> i128) -> Result<usize, StoreError> {
        let top = self.layout.dialogs();
        let free = || !Lock::is_held(&self.layout.lock());
        let may_write = self.access() == Access::ReadWrite || free();
        if !may_write || files::kind_of(&top)? != Some(files::Kind::Folder) {
            return Ok(0);
        }
        let path = self.layout.list_index();
        files::make_folders(self.disk(), &top, &self.layout.own())?;
        let mut kept = 0;
        files::replace_by(self.disk(), &path, |file| {
            // What changed since this file was made may change again unseen.
            let (began, disk) = (began(memo::made_at(file)?), self.options.disk.clone());
            let known = Memo::read(self.disk(), &top, &path);
            let memo = known.keeping(began, file.try_clone()?, disk)?;
            self.survey_by(&memo, &Bucket::ALL);
            kept = memo.finish()?;
            Ok(())
        })?;
        Ok(kept)
    }

    /// Lists one tree.
    #[must_use]
    pub fn list(&self, bucket: Bucket, root: &RootId) -> Survey {
        self.survey_trees(bucket, std::slice::from_ref(root), None)
    }

    fn survey_bucket(&self, bucket: Bucket, memo: &Memo, survey: &mut Survey) {
        let (roots, problems) = self.roots(bucket);
        survey.problems.extend(problems);
        let read = |roots: &[RootId]| self.survey_trees(bucket, roots, Some(memo));
        for part in side_by_side(&roots, SHARE_OF_A_CORE, read) {
            survey.trees.extend(part.trees);
            survey.problems.extend(part.problems);
            survey.damaged.extend(part.damaged);
        }
    }

    /// With a memo: of trees that a walk has found.
    fn survey_trees(&self, bucket: Bucket, roots: &[RootId], memo: Option<&Memo>) -> Survey {
        let mut survey = Survey::default();
        let driven = self.access() == Access::ReadOnly && Lock::is_held(&self.layout.lock());
        for root in roots {
            match self.read_listed(bucket, root, memo) {
                Ok(mut read) => {
                    survey.problems.append(&mut read.problems);
                    // Who may write loads such a tree, and the tree tells of its rings.
                    if self.access() == Access::ReadOnly {
                        survey.problems.extend(rings_in(&read));
                    }
                    survey.trees.push(listing(read, driven));
                }
                Err(error) => {
                    if matches!(error, StoreError::Damaged(_)) {
                        survey.damaged.push((bucket, root.clone()));
                    }
                    survey.problems.extend(self.unlisted(bucket, root, error));
                }
            }
        }
        survey
    }

    fn read_listed(
        &self,
        bucket: Bucket,
        root: &RootId,
        memo: Option<&Memo>,
    ) -> Result<TreeRead, StoreError> {
        if memo.is_none() {
            return self.read_tree(bucket, root, Depth::Facts);
        }
        let (disk, layout, depth) = (self.disk(), &self.layout, Depth::Facts);
        TreeReader { disk, layout, bucket, root, depth, memo }.read_found()
    }

    /// Lists the trees of a bucket, and sets aside those nothing can be made of.
    #[must_use]
    pub fn survey_and_set_aside(&self, bucket: Bucket) -> Survey {
        let mut survey = self.survey(&[bucket]);
        for (bucket, root) in std::mem::take(&mut survey.damaged) {
            if let Err(StoreError::Damaged(problem)) = self.load(bucket, &root) {
                survey.problems.retain(|known| known.id != problem.id);
                survey.problems.push(*problem);
            }
        }
        survey
    }

    /// The ids found in a bucket, and what could not be looked into.
    pub(super) fn roots(&self, bucket: Bucket) -> (Vec<RootId>, Vec<Problem>) {
        let mut notes = Notes::new(&self.layout);
        let top = self.layout.bucket(bucket);
        let found =
            self.check_top().and_then(|()| walk::dialogs_below(self.disk(), &top, &mut notes));
        let roots = found.unwrap_or_else(|error| {
            let text = format!("unreadable now: {error}");
            notes.add("unreadable", &top, text, "check the folder and its permissions");
            Vec::new()
        });
        (roots.iter().map(RootId::new).collect(), notes.finish(&top))
    }

    /// A `.dialogs` that is something else than a folder holds no dialogs, and that is no silence.
    fn check_top(&self) -> Result<(), StoreError> {
        let top = self.layout.dialogs();
        match files::kind_of(&top)? {
            None | Some(files::Kind::Folder) => Ok(()),
            Some(_) => Err(StoreError::Misplaced { path: top, expected: "a folder" }),
        }
    }

    /// Why a tree is not in the list; `None` for a folder that never was a dialog.
    pub(super) fn unlisted(
        &self,
        bucket: Bucket,
        root: &RootId,
        error: StoreError,
    ) -> Option<Problem> {
        match error {
            StoreError::NotFound(_) => None,
            StoreError::Damaged(problem) => Some(*problem),
            StoreError::Held { .. }
            | StoreError::ReadOnly
            | StoreError::Io { .. }
            | StoreError::ForeignWriter(_)
            | StoreError::Misplaced { .. }
            | StoreError::Exists(_)
            | StoreError::BadName { .. }
            | StoreError::Interrupted(_)
            | StoreError::Earlier(_)
            | StoreError::Encode { .. } => {
                let path = self.layout.root(bucket, root);
                let text = format!("{root} is unreadable now: {error}");
                let notes = Notes::new(&self.layout);
                Some(notes.problem("unreadable", &path, text, "check the file, then try again"))
            }
        }
    }
}

fn listing(read: TreeRead, driven: bool) -> TreeListing {
    let main = read.tree.root.main();
    let unclean = !read.mended.is_empty()
        || !read.broken.is_empty()
        || !rings_in(&read).is_empty()
        || read.tree.dialogs.values().any(|dialog| has_work_left(dialog));
    let mut dialogs: Vec<DialogListing> = Vec::with_capacity(read.tree.dialogs.len());
    for (id, dialog) in read.tree.dialogs {
        let about = about(&dialog, read.first_words.get(&id));
        let asker = dialog.assignment().map(|assignment| assignment.asker_dialog_id.clone());
        let (reasoning, state) = (reasoning(&dialog), shown(&dialog, driven));
        let dialog = Arc::unwrap_or_clone(dialog);
        dialogs.push(DialogListing {
            asker: asker.filter(|_| id != main),
            about,
            reasoning,
            state,
            pending: dialog.pending,
            genseq: dialog.history.last_genseq,
            fullness: dialog.history.fullness,
            meta: dialog.meta,
            latest: dialog.latest,
            questions: dialog.questions,
            id,
        });
    }
    dialogs.sort_by(|a, b| (a.id != main, &a.id).cmp(&(b.id != main, &b.id)));
    let (root, bucket, registry) = (read.tree.root, read.tree.bucket, read.tree.registry);
    let mut listing =
        TreeListing { root, bucket, dialogs, registry, unclean, earlier: read.earlier };
    if read.earlier {
        earlier::tell(&mut listing);
    }
    listing
}

/// Dialogs that wait for each other, where they might go on.
pub(super) fn rings_in(read: &TreeRead) -> Vec<Problem> {
    match read.tree.bucket {
        Bucket::Run => ring_problems(&read.tree),
        Bucket::Done | Bucket::Archive => Vec::new(),
    }
}

fn has_work_left(dialog: &Dialog) -> bool {
    let latest = &dialog.latest;
    let running = latest.generating == Some(true)
        || latest.needs_drive == Some(true)
        || latest.pending_course_start_prompt.is_some()
        || latest.fbr_state.is_some()
        || latest.display_state.as_ref().is_some_and(crate::domain::DisplayState::is_running);
    let undone = dialog.history.last.open
        || !dialog.history.unread.is_empty()
        || !dialog.queue.is_empty()
        || dialog.unstarted_assignment().is_some();
    !latest.is_dead() && (running || undone)
}
