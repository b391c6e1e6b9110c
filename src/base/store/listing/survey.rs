//! The list of all trees, cheaply: of the courses only the records are parsed that questions, calls and
//! generations are decided from. Writes nothing.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::sync::Arc;

use crate::domain::dialogs::fresh_boots::reasoning;
use crate::domain::dialogs::latest::DisplayState;
use crate::domain::dialogs::shown_state::{Activity, derive};
use crate::domain::dialogs::tree::Bucket;
use crate::domain::reading::waits::cycle_problems;
use crate::domain::text::{Text, localized};
use crate::domain::{AgentId, Dialog, DialogId, Problem, Question, RootId, SelfId};

use super::earlier_askers::fill_askers;
use super::tree_index::{KnownTrees, NewTrees};
use super::{DialogListing, TreeListing};
use crate::store::disk::error::{ExpectedKind, StoreError};
use crate::store::disk::file_stamps::{self, FolderStamps};
use crate::store::disk::in_parallel::in_parallel;
use crate::store::disk::index_file::is_entry_name;
use crate::store::disk::lock::Lock;
use crate::store::disk::options::Access;
use crate::store::disk::problem_collector::ProblemCollector;
use crate::store::disk::small_files;
use crate::store::own::titles::Titles;
use crate::store::reading::Reader;
use crate::store::trees::folder_cache::FolderCache;
use crate::store::trees::folder_walk;
use crate::store::trees::scan::ScanDepth;
use crate::store::trees::tree::{TreeReader, about};
use crate::store::trees::tree_builder::TreeRead;

/// Fewer trees than this are not worth a thread.
const MIN_PER_THREAD: usize = 32;
/// With fewer folders than this, reading them is fast enough without an index.
const INDEX_THRESHOLD: usize = 200;
/// Dialogs lie in up to 256 folders of their bucket: where so many are, more than the threshold may lie in them.
const MANY_FOLDERS: usize = 128;

/// Everything there is, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Survey {
    pub trees: Vec<TreeListing>,
    pub problems: Vec<Problem>,
    /// The titles that a person gave; in a list of whole buckets.
    pub titles: Titles,
    /// Trees nothing can be made of; the first process that may write sets them aside.
    pub damaged: Vec<(Bucket, RootId)>,
    /// Folders of dialogs that had to be read, see [`Reader::write_list_index`].
    pub read: usize,
    /// Dialogs, and folders that were walked through, that the next list could know from the index of trees.
    pub(in crate::store) unknown: usize,
}

impl Survey {
    /// True if so much had to be read that the next list is worth preparing.
    #[must_use]
    pub fn is_worth_indexing(&self) -> bool {
        self.read >= INDEX_THRESHOLD || self.unknown >= INDEX_THRESHOLD
    }

    /// The Taskdocs its dialogs work on, each once.
    #[must_use]
    pub fn taskdocs(&self) -> BTreeSet<&str> {
        let today = self.trees.iter().filter(|tree| tree.foreign.is_none());
        let dialogs = today.flat_map(|tree| &tree.dialogs);
        dialogs.map(|dialog| dialog.meta.task_doc_path.as_str()).collect()
    }
}

impl Reader {
    /// Lists the trees of `buckets`. What cannot be listed is named by a problem.
    #[must_use]
    pub fn survey(&self, buckets: &[Bucket]) -> Survey {
        self.survey_knowing(KnownTrees::read(self.disk(), &self.layout), buckets)
    }

    fn survey_knowing(&self, known: KnownTrees, buckets: &[Bucket]) -> Survey {
        let (cache, trees) = (self.folder_cache(), TreeIndex::Known(known));
        let survey = self.survey_by(&ListIndexes { cache: &cache, trees: &trees }, buckets);
        // Without them a dialog has its first words.
        Survey { titles: self.read_titles().unwrap_or_default(), ..survey }
    }

    /// As [`Self::survey`]. Where many dialogs are and no index tells of them, it is written on the way: they are read
    /// once, not for the list and then for the index.
    #[must_use]
    pub fn survey_and_index(&self, buckets: &[Bucket]) -> Survey {
        self.survey_and_index_after(buckets, |made| made)
    }

    /// `began`: as for [`Self::write_list_index_after`].
    pub(in crate::store) fn survey_and_index_after(
        &self,
        buckets: &[Bucket],
        began: fn(i128) -> i128,
    ) -> Survey {
        let known = KnownTrees::read(self.disk(), &self.layout);
        if known.is_empty() && self.is_large() {
            // Without an index the next list takes longer.
            if let Ok(Some(indexed)) = self.indexed(buckets, began) {
                let titles = self.read_titles().unwrap_or_default();
                return Survey { titles, unknown: 0, ..indexed.survey };
            }
        }
        self.survey_knowing(known, buckets)
    }

    fn is_large(&self) -> bool {
        let folders = |bucket: &Bucket| fs::read_dir(self.layout.bucket(*bucket));
        let found = Bucket::ALL.iter().filter_map(|bucket| folders(bucket).ok());
        found.flatten().take(MANY_FOLDERS).count() == MANY_FOLDERS
    }

    fn folder_cache(&self) -> FolderCache {
        let disk = Arc::clone(&self.disk);
        FolderCache::new(disk, self.layout.dialogs(), self.layout.list_index())
    }

    fn survey_by(&self, indexes: &ListIndexes<'_>, buckets: &[Bucket]) -> Survey {
        let mut survey = Survey::default();
        for bucket in buckets {
            self.survey_bucket(*bucket, indexes, &mut survey);
        }
        survey.read = indexes.cache.misses();
        survey
    }

    /// Writes down what the folders of all dialogs say and what their trees are listed as, so that the
    /// next list need not read them. Does nothing for a reader while another process writes to the
    /// workspace. Returns how many folders.
    pub fn write_list_index(&self) -> Result<usize, StoreError> {
        self.write_list_index_after(|made| made)
    }

    /// `began`: when the reading begins, for the time at which the index is made.
    pub(in crate::store) fn write_list_index_after(
        &self,
        began: fn(i128) -> i128,
    ) -> Result<usize, StoreError> {
        Ok(self.indexed(&[], began)?.map_or(0, |indexed| indexed.kept))
    }

    /// Writes the index of all buckets, and lists `buckets` by what is read for it. `None` where it may not be written.
    fn indexed(
        &self,
        buckets: &[Bucket],
        began: fn(i128) -> i128,
    ) -> Result<Option<Indexed>, StoreError> {
        let top = self.layout.dialogs();
        let free = || !Lock::is_held(&self.layout.lock());
        let may_write = self.access() == Access::ReadWrite || free();
        if !may_write || small_files::kind_of(&top)? != Some(small_files::FileKind::Folder) {
            return Ok(None);
        }
        small_files::make_folders(self.disk(), &top, &self.layout.own_folder())?;
        let (disk, mut indexed) = (&self.disk, Indexed::default());
        small_files::replace_by(self.disk(), &self.layout.list_index(), |list| {
            // What changed since this file was made may change again unseen.
            let began = began(file_stamps::made_at(list)?);
            let cache = self.folder_cache().recording_to(began, list.try_clone()?)?;
            let written = small_files::replace_by(self.disk(), &self.layout.tree_index(), |file| {
                let new = NewTrees::begin(disk.clone(), file.try_clone()?, &self.layout, began)?;
                let trees = TreeIndex::New(new);
                let known = ListIndexes { cache: &cache, trees: &trees };
                for bucket in Bucket::ALL {
                    let survey = self.survey_by(&known, &[bucket]);
                    if buckets.contains(&bucket) {
                        indexed.survey.append(survey);
                    }
                }
                let TreeIndex::New(new) = trees else { return Ok(()) };
                new.finish().map(drop)
            });
            written.map_err(io::Error::other)?;
            indexed.kept = cache.finish()?;
            Ok(())
        })?;
        Ok(Some(indexed))
    }

    /// Lists one tree.
    #[must_use]
    pub fn list(&self, bucket: Bucket, root: &RootId) -> Survey {
        self.survey_trees(bucket, std::slice::from_ref(root), None).survey
    }

    /// True if `run` has a main dialog of this member besides this one.
    #[must_use]
    pub fn has_other_main(&self, agent: &AgentId, than: &RootId) -> bool {
        let (roots, _unreadable) = self.roots(Bucket::Run);
        let mut others = roots.into_iter().filter(|root| root != than).map(DialogId::main);
        others.any(|main| self.agent(Bucket::Run, &main).as_ref() == Some(agent))
    }

    fn survey_bucket(&self, bucket: Bucket, indexes: &ListIndexes<'_>, survey: &mut Survey) {
        if let TreeIndex::Known(known) = indexes.trees
            && let Some(roots) = known.roots(bucket)
        {
            let shares = self.survey_shared(bucket, &roots, indexes);
            // A folder that is no dialog any more may hold dialogs.
            if !shares.iter().any(|share| share.missing) {
                for share in shares {
                    survey.append(share.survey);
                }
                return;
            }
        }
        let walked = self.walk(bucket);
        if walked.problems.is_empty() && walked.ids.len() >= INDEX_THRESHOLD {
            survey.unknown += walked.folders.len();
        }
        if let TreeIndex::New(new) = indexes.trees
            && walked.problems.is_empty()
        {
            new.roots(bucket, &walked.folders, &walked.ids);
        }
        survey.problems.extend(walked.problems);
        for share in self.survey_shared(bucket, &walked.ids, indexes) {
            survey.append(share.survey);
        }
    }

    fn survey_shared(
        &self,
        bucket: Bucket,
        ids: &[RootId],
        indexes: &ListIndexes<'_>,
    ) -> Vec<SurveyShare> {
        let read = |roots: &[RootId]| self.survey_trees(bucket, roots, Some(indexes));
        in_parallel(ids, MIN_PER_THREAD, read)
    }

    /// With indexes: of trees that a walk has found.
    fn survey_trees(
        &self,
        bucket: Bucket,
        roots: &[RootId],
        by: Option<&ListIndexes<'_>>,
    ) -> SurveyShare {
        let mut share = SurveyShare::default();
        let survey = &mut share.survey;
        let driven = self.access() == Access::ReadOnly && Lock::is_held(&self.layout.lock());
        let mut buffer = Vec::new();
        for root in roots {
            if let Some(TreeIndex::Known(known)) = by.map(|by| by.trees)
                && let Some(tree) = known.tree(bucket, root, driven, &mut buffer)
            {
                survey.trees.push(tree);
                continue;
            }
            match self.read_listed(bucket, root, by.map(|by| by.cache)) {
                Ok(mut read) => {
                    let settled = is_settled(&read);
                    survey.problems.append(&mut read.problems);
                    // A process that may write loads such a tree, and the tree tells of its rings.
                    if self.access() == Access::ReadOnly {
                        survey.problems.extend(cycles_in(&read));
                    }
                    let stamps = read.stamps.take().filter(|_| settled);
                    survey.unknown += stamps.as_ref().map_or(0, |_| read.tree.dialogs.len());
                    let listing = match (by.map(|by| by.trees), stamps) {
                        (Some(TreeIndex::New(new)), Some(stamps)) => {
                            let states = states_while_driven(&read);
                            let listing = listing(read, driven);
                            new.tree(&listing, &states, &stamps);
                            listing
                        }
                        _ => listing(read, driven),
                    };
                    survey.trees.push(listing);
                }
                Err(error) => {
                    share.missing |= matches!(error, StoreError::NotFound(_));
                    if matches!(error, StoreError::Damaged(_)) {
                        survey.damaged.push((bucket, root.clone()));
                    }
                    survey.problems.extend(self.listing_problem(bucket, root, error));
                }
            }
        }
        share
    }

    fn read_listed(
        &self,
        bucket: Bucket,
        root: &RootId,
        cache: Option<&FolderCache>,
    ) -> Result<TreeRead, StoreError> {
        if cache.is_none() {
            return self.read_tree(bucket, root, ScanDepth::Facts);
        }
        let (disk, layout, workspace) = (self.disk(), &self.layout, &self.workspace);
        let depth = ScanDepth::Facts;
        TreeReader { disk, layout, workspace, bucket, root, depth, cache }.read_found()
    }

    /// The ids found in a bucket, and what could not be looked into.
    pub(super) fn roots(&self, bucket: Bucket) -> (Vec<RootId>, Vec<Problem>) {
        let walked = self.walk(bucket);
        (walked.ids, walked.problems)
    }

    fn walk(&self, bucket: Bucket) -> WalkedBucket {
        let mut problems = ProblemCollector::new(&self.layout);
        let top = self.layout.bucket(bucket);
        let walk = |()| folder_walk::dialogs_and_folders_below(self.disk(), &top, &mut problems);
        let found = self.check_top().and_then(walk).unwrap_or_else(|error| {
            let text = localized!("unreadable now: {error}", "现在无法读取：{error}");
            let fix = Text::new("check the folder and its permissions", "请检查该文件夹及其权限");
            problems.add("unreadable", &top, text, fix);
            folder_walk::WalkResult::default()
        });
        let ids = found.ids.iter().map(RootId::new).collect();
        WalkedBucket { ids, folders: found.folders, problems: problems.finish(&top) }
    }

    /// An error if `.dialogs` is something else than a folder: it would look as if there were no dialogs.
    fn check_top(&self) -> Result<(), StoreError> {
        let top = self.layout.dialogs();
        match small_files::kind_of(&top)? {
            None | Some(small_files::FileKind::Folder) => Ok(()),
            Some(_) => Err(StoreError::Misplaced { path: top, expected: ExpectedKind::Folder }),
        }
    }

    /// Why a tree is not in the list; `None` for a folder that never was a dialog.
    pub(super) fn listing_problem(
        &self,
        bucket: Bucket,
        root: &RootId,
        error: StoreError,
    ) -> Option<Problem> {
        match error {
            StoreError::NotFound(_) => None,
            StoreError::Damaged(problem) => Some(*problem),
            StoreError::Held { .. }
            | StoreError::UntrustedLock { .. }
            | StoreError::ReadOnly
            | StoreError::Io { .. }
            | StoreError::ExternalWriter(_)
            | StoreError::Misplaced { .. }
            | StoreError::Exists(_)
            | StoreError::BadName { .. }
            | StoreError::Interrupted(_)
            | StoreError::ForeignLayout(..)
            | StoreError::ForeignAside { .. }
            | StoreError::Encode { .. }
            | StoreError::DraftsTooLarge { .. } => {
                let path = self.layout.root(bucket, root);
                let text =
                    localized!("{root} is unreadable now: {error}", "现在无法读取 {root}：{error}");
                let fix = Text::new("check the file, then try again", "请检查该文件，然后重试");
                let problems = ProblemCollector::new(&self.layout);
                Some(problems.problem("unreadable", &path, text, fix))
            }
        }
    }
}

/// What was read for an index.
#[derive(Default)]
struct Indexed {
    survey: Survey,
    /// How many folders the index tells of.
    kept: usize,
}

/// What is known before anything is read.
struct ListIndexes<'a> {
    cache: &'a FolderCache,
    trees: &'a TreeIndex,
}

/// The index of trees: the one that is used, or the one that is made, for which all trees are read.
enum TreeIndex {
    Known(KnownTrees),
    New(NewTrees),
}

/// The dialogs of a bucket, and the folders above them.
struct WalkedBucket {
    ids: Vec<RootId>,
    folders: Vec<FolderStamps>,
    problems: Vec<Problem>,
}

/// The list of some trees.
#[derive(Default)]
struct SurveyShare {
    survey: Survey,
    /// True if a tree was not there.
    missing: bool,
}

impl Survey {
    fn append(&mut self, more: Self) {
        let Self { trees, problems, damaged, read: _, unknown, titles: _ } = more;
        self.trees.extend(trees);
        self.problems.extend(problems);
        self.damaged.extend(damaged);
        self.unknown += unknown;
    }
}

/// True if another list of the same files says the same of this tree.
fn is_settled(read: &TreeRead) -> bool {
    let waits = |dialog: &Dialog| !dialog.queue.is_empty() || dialog.answers.is_some();
    let waiting = || read.tree.dialogs.values().any(|dialog| waits(dialog));
    let differs = !read.repairs.is_empty() || !read.identities.is_empty();
    let damaged =
        !read.problems.is_empty() || !read.broken.is_empty() || !cycles_in(read).is_empty();
    let has_name = is_entry_name(read.tree.root.as_str());
    has_name && read.foreign.is_none() && !differs && !damaged && !waiting()
}

/// What the dialogs show while another process drives the workspace, in the order of the list; `None`
/// where that is the same.
fn states_while_driven(read: &TreeRead) -> Vec<Option<DisplayState>> {
    let state = |dialog: &Dialog| {
        let driven = derive(dialog, Activity::Elsewhere);
        (driven != derive(dialog, Activity::Left)).then_some(driven)
    };
    let main = read.tree.root.main();
    let mut dialogs: Vec<_> = read.tree.dialogs.iter().collect();
    dialogs.sort_by(|(a, _), (b, _)| order(&main, a, b));
    dialogs.into_iter().map(|(_, dialog)| state(dialog)).collect()
}

/// The main dialog first, then the side dialogs by id.
fn order(main: &SelfId, a: &SelfId, b: &SelfId) -> Ordering {
    (a != main, a).cmp(&(b != main, b))
}

/// `driven`: another process drives the workspace.
fn listing(read: TreeRead, driven: bool) -> TreeListing {
    // Who drives this workspace does not drive what may only be read.
    let driven = driven && read.foreign.is_none();
    let activity = if driven { Activity::Elsewhere } else { Activity::Left };
    let main = read.tree.root.main();
    let has_work = !read.repairs.is_empty()
        || !read.broken.is_empty()
        || !cycles_in(&read).is_empty()
        || read.tree.dialogs.values().any(|dialog| has_work_left(dialog));
    // What may only be read is left as it is.
    let unclean = has_work && read.foreign.is_none();
    let mut dialogs: Vec<DialogListing> = Vec::with_capacity(read.tree.dialogs.len());
    for (id, dialog) in read.tree.dialogs {
        let about = about(&dialog, read.first_message.get(&id));
        let asker = dialog.assignment().map(|assignment| assignment.asker_dialog_id.clone());
        let (reasoning, state) = (reasoning(&dialog), derive(&dialog, activity));
        let with_parts = |open: &Question| Some((open.call_id.clone(), dialog.parts_of(open)?));
        let parts = dialog.questions.iter().filter_map(with_parts).collect();
        let dialog = Arc::unwrap_or_clone(dialog);
        dialogs.push(DialogListing {
            parts,
            answers: dialog.answers,
            asker: asker.filter(|_| id != main),
            about,
            reasoning,
            state,
            pending: dialog.pending,
            human_answers: dialog.recent.map(|recent| recent.human_answers).unwrap_or_default(),
            genseq: dialog.history.last_genseq,
            pressure: dialog.history.pressure,
            meta: dialog.meta,
            latest: Box::new(dialog.latest),
            questions: dialog.questions,
            id,
        });
    }
    dialogs.sort_by(|a, b| order(&main, &a.id, &b.id));
    let (root, bucket, registry) = (read.tree.root, read.tree.bucket, read.tree.registry);
    let (layout, foreign) = (read.tree.layout, read.foreign);
    let mut listing = TreeListing { root, bucket, dialogs, registry, unclean, layout, foreign };
    if read.foreign.is_some() {
        fill_askers(&mut listing, &read.askers);
    }
    listing
}

/// Dialogs that wait for each other, where they might go on here.
pub(super) fn cycles_in(read: &TreeRead) -> Vec<Problem> {
    match read.tree.bucket {
        Bucket::Run if read.foreign.is_none() => cycle_problems(&read.tree),
        Bucket::Run | Bucket::Done | Bucket::Archive => Vec::new(),
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
