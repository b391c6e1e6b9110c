//! The list entries of whole trees. One file, `.tui/trees.index`, and never the truth: an entry names every folder and
//! file it was made from, and counts only if the stamp of each of them is unchanged. Only of trees in which nothing is
//! wrong or at work.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::dialogs::tree::Bucket;
use crate::domain::ids::is_dialog_path;
use crate::domain::{DisplayState, Layout as DialogLayout, RegistryEntry, RootId};

use super::{DialogListing, TreeListing};
use crate::store::disk::Disk;
use crate::store::disk::file_stamps::{FileStamp, FolderStamps, StampHasher};
use crate::store::disk::in_parallel::in_parallel;
use crate::store::disk::index_file::{IndexReader, IndexWriter};
use crate::store::disk::layout::{Layout, flat_name};
use crate::store::disk::small_files::{self, FileKind};

/// Says who wrote it: another build may list trees in another way.
const HEADER: &str = concat!("dominds-tui trees ", env!("CARGO_PKG_VERSION"), " 5");
/// Maximum number of folders, and of rows, in one entry: more are shared out among the cores.
const MAX_PART_ITEMS: usize = 256;

/// A part of what was listed, and what it was made from.
#[derive(Serialize, Deserialize)]
struct IndexPart<'a, T> {
    /// The time of the reading; parts of several readings do not mix.
    began: i64,
    /// How many parts there are.
    parts: usize,
    /// Hash of the stamps of all folders and files of this part.
    stamps: [u64; 2],
    /// Folders below the tree, or the bucket, with the files that were looked at in them.
    #[serde(borrow)]
    folders: Vec<(EscapedName<'a>, Vec<EscapedName<'a>>)>,
    items: Vec<T>,
    /// What is stored once for a tree.
    head: Option<IndexHead>,
}

/// A name that is copied only where JSON has to escape it.
#[derive(Serialize, Deserialize)]
struct EscapedName<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Serialize, Deserialize)]
struct IndexHead {
    registry: Vec<RegistryEntry>,
    unclean: bool,
    layout: DialogLayout,
}

/// A dialog, and what it shows while another process drives the workspace, if that is something else.
type ListedRow<'a> = (Cow<'a, DialogListing>, Option<DisplayState>);

/// The trees that were listed earlier.
#[derive(Debug)]
pub(in crate::store) struct KnownTrees {
    entries: IndexReader,
    /// The folders of the buckets; those that are there.
    tops: Vec<(Bucket, File)>,
    layout: Layout,
    /// Names of the folders in which prompts wait, or answers to parts of questions.
    waiting: BTreeSet<OsString>,
}

impl KnownTrees {
    /// Opens the index; one that is not ours counts as empty.
    pub fn read(disk: &dyn Disk, layout: &Layout) -> Self {
        let mut known = Self {
            entries: IndexReader::open(disk, &layout.tree_index(), HEADER),
            tops: Vec::new(),
            layout: layout.clone(),
            waiting: BTreeSet::new(),
        };
        let is_folder = small_files::kind_of(&layout.dialogs())
            .is_ok_and(|kind| kind == Some(FileKind::Folder));
        // Where waiting prompts cannot be seen, nothing is known.
        let waiting = || {
            let queues = names_in(&layout.all_queues())?;
            Ok::<_, io::Error>(&queues | &names_in(&layout.all_answers())?)
        };
        if let (true, Ok(waiting)) = (is_folder, waiting()) {
            known.waiting = waiting;
            let top = |bucket: Bucket| Some((bucket, disk.open_read(&layout.bucket(bucket)).ok()?));
            known.tops = Bucket::ALL.into_iter().filter_map(top).collect();
        }
        known
    }

    /// True if it tells of no tree.
    pub fn is_empty(&self) -> bool {
        self.entries.count() == 0
    }

    /// The ids in a bucket, if no folder above them has changed.
    pub fn roots(&self, bucket: Bucket) -> Option<Vec<RootId>> {
        let (name, mut buffer) = (bucket.folder(), Vec::new());
        let (roots, _) = self.read_parts(bucket, name, "", &mut buffer, |root: RootId| root)?;
        roots.iter().all(|root| is_dialog_path(root.as_str())).then_some(roots)
    }

    /// A tree, if nothing of it has changed.
    ///
    /// `driven`: another process drives the workspace. `buffer`: see [`IndexReader::get`].
    pub fn tree(
        &self,
        bucket: Bucket,
        root: &RootId,
        driven: bool,
        buffer: &mut Vec<u8>,
    ) -> Option<TreeListing> {
        let may_wait = self.waiting.contains(&OsString::from(flat_name(root.as_str())));
        let folders = [self.layout.queues(root), self.layout.answers_below(root)];
        if may_wait && !folders.iter().all(|f| names_in(f).is_ok_and(|names| names.is_empty())) {
            return None;
        }
        let name = format!("{}/{root}", bucket.folder());
        let shown = |(row, while_driven): ListedRow<'static>| {
            let mut dialog = row.into_owned();
            if let Some(state) = while_driven.filter(|_| driven) {
                dialog.state = state;
            }
            dialog
        };
        let (dialogs, head) = self.read_parts(bucket, &name, root.as_str(), buffer, shown)?;
        let IndexHead { registry, unclean, layout } = head?;
        let (root, foreign) = (root.clone(), None);
        Some(TreeListing { root, bucket, dialogs, registry, unclean, layout, foreign })
    }

    /// What all parts of an entry hold, if all of them are as they were.
    fn read_parts<T: DeserializeOwned, R: Send>(
        &self,
        bucket: Bucket,
        name: &str,
        below: &str,
        buffer: &mut Vec<u8>,
        each: impl Fn(T) -> R + Sync,
    ) -> Option<(Vec<R>, Option<IndexHead>)> {
        let (_, top) = self.tops.iter().find(|(known, _)| *known == bucket)?;
        let read = |number: usize, into: &mut Vec<R>, buffer: &mut Vec<u8>| {
            let entry = self.entries.get(&part_name(name, number), buffer)?;
            let part: IndexPart<'_, T> = serde_json::from_str(entry.body).ok()?;
            // Who forges an entry cannot know the times and the inode of that folder.
            (number > 0 || part.folders.first()?.0.0.is_empty()).then_some(())?;
            part.matches_disk(top, below)?;
            // A small tree in a long list shall take no more room than it needs.
            into.reserve_exact(part.items.len());
            into.extend(part.items.into_iter().map(&each));
            Some((part.began, part.parts, part.head))
        };
        let mut all = Vec::new();
        let (began, parts, head) = read(0, &mut all, buffer)?;
        (parts <= self.entries.count()).then_some(())?;
        let rest: Vec<usize> = (1..parts).collect();
        let shares = in_parallel(&rest, 1, |numbers| -> Option<Vec<R>> {
            let mut share = Vec::with_capacity(numbers.len() * MAX_PART_ITEMS);
            let mut buffer = Vec::new();
            for number in numbers {
                let (its_began, its_parts, _) = read(*number, &mut share, &mut buffer)?;
                ((its_began, its_parts) == (began, parts)).then_some(())?;
            }
            Some(share)
        });
        for share in shares {
            all.reserve_exact(share.as_ref().map_or(0, Vec::len));
            all.extend(share?);
        }
        Some((all, head))
    }
}

impl<T> IndexPart<'_, T> {
    /// `None` unless everything it names looks as it did.
    fn matches_disk(&self, top: &File, below: &str) -> Option<()> {
        let mut hasher = StampHasher::default();
        let mut path = String::new();
        for (EscapedName(folder), files) in &self.folders {
            path.clear();
            path.push_str(below);
            push_segment(&mut path, folder);
            // The bucket itself.
            let own = if path.is_empty() { "." } else { &path };
            hasher.add(folder, &FileStamp::at(top, own).ok()?);
            let length = path.len();
            for EscapedName(file) in files {
                path.truncate(length);
                push_segment(&mut path, file);
                hasher.add(file, &FileStamp::at(top, &path).ok()?);
            }
        }
        (hasher.finish() == self.stamps).then_some(())
    }
}

fn push_segment(path: &mut String, name: &str) {
    if !path.is_empty() && !name.is_empty() {
        path.push('/');
    }
    path.push_str(name);
}

fn part_name(name: &str, number: usize) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}:{number}") }
}

/// The names in a folder; none if it does not exist.
fn names_in(folder: &Path) -> io::Result<BTreeSet<OsString>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.file_name())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error),
    }
}

/// The index that is being made.
#[derive(Debug)]
pub(in crate::store) struct NewTrees {
    entries: IndexWriter,
    layout: Layout,
    /// When the reading began, by the clock of the file system.
    began: i128,
}

impl NewTrees {
    pub fn begin(
        disk: Arc<dyn Disk>,
        file: File,
        layout: &Layout,
        began: i128,
    ) -> io::Result<Self> {
        let entries = IndexWriter::begin(file, disk, HEADER)?;
        Ok(Self { entries, layout: layout.clone(), began })
    }

    /// What a walk found: `stamps` are of the folders above the dialogs.
    pub fn roots(&self, bucket: Bucket, stamps: &[FolderStamps], roots: &[RootId]) {
        let top = self.layout.bucket(bucket);
        self.add(bucket.folder(), &top, stamps, roots, None);
    }

    /// A tree that was read when `stamps` had been taken of its folders and files.
    pub fn tree(
        &self,
        listing: &TreeListing,
        states: &[Option<DisplayState>],
        stamps: &[FolderStamps],
    ) {
        let name = format!("{}/{}", listing.bucket.folder(), listing.root);
        let top = self.layout.root(listing.bucket, &listing.root);
        let states = states.iter().cloned();
        let rows: Vec<ListedRow<'_>> =
            listing.dialogs.iter().map(Cow::Borrowed).zip(states).collect();
        let (registry, unclean) = (listing.registry.clone(), listing.unclean);
        let head = IndexHead { registry, unclean, layout: listing.layout };
        self.add(&name, &top, stamps, &rows, Some(head));
    }

    fn add<T: Serialize + Clone>(
        &self,
        name: &str,
        top: &Path,
        stamps: &[FolderStamps],
        items: &[T],
        mut head: Option<IndexHead>,
    ) {
        let settled = stamps.iter().all(|folder| {
            folder.own.is_settled(self.began)
                && folder.files().all(|(_, stamp)| stamp.is_settled(self.began))
        });
        let Some(began) = i64::try_from(self.began).ok().filter(|_| settled) else { return };
        let parts = stamps.len().max(items.len()).div_ceil(MAX_PART_ITEMS);
        for number in 0..parts {
            let chunk = number * MAX_PART_ITEMS..(number + 1) * MAX_PART_ITEMS;
            let stamps = chunk_of(stamps, &chunk);
            let items = chunk_of(items, &chunk).to_vec();
            let mut hasher = StampHasher::default();
            let mut folders = Vec::with_capacity(stamps.len());
            for folder in stamps {
                let path = folder.path.strip_prefix(top).ok().and_then(Path::to_str);
                let Some(path) = path else { return };
                hasher.add(path, &folder.own);
                folder.files().for_each(|(file, stamp)| hasher.add(file, stamp));
                let files = folder.files().map(|(file, _)| EscapedName(file.into())).collect();
                folders.push((EscapedName(path.into()), files));
            }
            let head = head.take();
            let part = IndexPart { began, parts, stamps: hasher.finish(), folders, items, head };
            let written = serde_json::to_string(&part)
                .is_ok_and(|body| self.entries.add(&part_name(name, number), &body));
            if !written {
                return;
            }
        }
    }

    /// Ends the new index.
    pub fn finish(self) -> io::Result<usize> {
        self.entries.finish()
    }
}

fn chunk_of<'a, T>(all: &'a [T], chunk: &std::ops::Range<usize>) -> &'a [T] {
    all.get(chunk.start.min(all.len())..chunk.end.min(all.len())).unwrap_or_default()
}
