//! Finds the Taskdocs of a workspace and the repositories below its top. All folders are searched, up to a
//! bound, those that tools generate last; the rest is counted, so that protection does not end silently. A
//! folder whose names have not changed since the last search is not listed again.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::beneath::{Entry, Object, ObjectId, ObjectKind, Root};
use crate::domain::Problem;
use crate::domain::safety::reserved::{AT_TOP, GIT, TASKDOC_ENDING};
use crate::domain::text::{Text, localized};

/// Folders of a bare repository. Commands cannot take them away, nor `config`; `HEAD` is replaced whenever it changes.
pub(super) const OF_BARE_REPOSITORY: [&str; 2] = ["objects", "refs"];
/// Folders that tools generate: large, and searched last.
const GENERATED: [&str; 4] = ["node_modules", "target", ".venv", "vendor"];
/// Folders that one search looks at, and names that it lists.
const MAX_FOLDERS: usize = 40_000;
const MAX_NAMES: usize = 1_000_000;
/// A folder that changed less than this before it was listed is listed again, in seconds: times of files are coarse.
const SETTLED_AFTER: i64 = 2;
/// Most searches for a known path that is not found, and the pause between them: a command may be exchanging
/// folders at this moment. A path that none of them finds is gone, unless names changed in the last one.
const MAX_SEARCHES: usize = 30;
const PAUSE: Duration = Duration::from_micros(300);

/// An object at a path, with its identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub path: PathBuf,
    pub id: ObjectId,
}

/// Taskdocs of a workspace, and repositories below its top.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NestedPaths {
    pub taskdocs: Vec<Found>,
    /// `.git` paths of nested repositories, and bare ones.
    pub repositories: Vec<Found>,
    /// The folders that these lie in, up to the top.
    pub folders: BTreeSet<ObjectId>,
    pub unprotected: Unprotected,
    /// Known paths that were not found again and may be anywhere: names changed during the search.
    pub lost: Vec<Found>,
    /// A folder that holds one of them, and why it cannot be read.
    pub closed: Option<(PathBuf, io::ErrorKind)>,
    /// A name that was read in a folder stood for nothing a moment later.
    has_changed: bool,
}

/// The unprotected places: folders that were not searched, since there are too many or they cannot be opened,
/// and links in the place of a repository or a Taskdoc.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unprotected {
    pub count: usize,
    /// One of them.
    pub example: Option<PathBuf>,
}

/// The known state of the folders of a workspace.
#[derive(Debug)]
pub(super) struct Search {
    folders: BTreeMap<PathBuf, Listed>,
    found: NestedPaths,
    max_folders: usize,
    max_names: usize,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            folders: BTreeMap::new(),
            found: NestedPaths::default(),
            max_folders: MAX_FOLDERS,
            max_names: MAX_NAMES,
        }
    }
}

/// The content of one folder.
#[derive(Debug, Clone)]
struct Listed {
    object: Object,
    /// True if its names had not changed for so long that the time of its last change identifies its state.
    is_settled: bool,
    names: usize,
    folders: Vec<OsString>,
    taskdocs: Vec<OsString>,
    has_repository: bool,
    is_bare: bool,
}

impl Search {
    /// Searches again and returns the present paths. Reads the disk.
    pub fn refresh(&mut self, root: &Root) -> &NestedPaths {
        let before = &self.found;
        let all = [&before.repositories, &before.taskdocs, &before.lost];
        let known: Vec<Found> = all.into_iter().flatten().cloned().collect();
        self.found = settle(&known, || self.search(root));
        &self.found
    }

    pub fn found(&self) -> &NestedPaths {
        &self.found
    }

    /// Returns the number of folders that were searched.
    pub fn folders(&self) -> usize {
        self.folders.len()
    }

    fn search(&mut self, root: &Root) -> NestedPaths {
        let mut found = NestedPaths::default();
        let (mut ordinary, mut generated) = (VecDeque::new(), VecDeque::new());
        ordinary.push_back((root.path().to_owned(), 0_usize));
        let (mut folders, mut names) = (0, 0);
        let mut before = std::mem::take(&mut self.folders);
        while let Some((folder, depth)) = ordinary.pop_front().or_else(|| generated.pop_front()) {
            folders += 1;
            if folders > self.max_folders || names > self.max_names {
                found.unprotected.add(folder);
                continue;
            }
            let listed = match Listed::read(root, &folder, before.remove(&folder)) {
                Ok(Some(listed)) => listed,
                Ok(None) => {
                    found.has_changed = true;
                    continue;
                }
                Err(known) => {
                    found.unprotected.add(folder.clone());
                    let Some(known) = known else { continue };
                    *known
                }
            };
            names += listed.names;
            if depth > 0 && listed.is_bare {
                found.repositories.push(Found { path: folder.clone(), id: listed.object.id });
            }
            for name in &listed.folders {
                let is_reserved = depth == 0 && AT_TOP.iter().any(|(area, _)| name == *area);
                let is_generated = GENERATED.iter().any(|one| name == *one);
                let queue = if is_generated { &mut generated } else { &mut ordinary };
                if !is_reserved {
                    queue.push_back((folder.join(name), depth + 1));
                }
            }
            found.add_of(root, (&folder, depth == 0), &listed);
            self.folders.insert(folder, listed);
        }
        found.repositories.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        found.taskdocs.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        for one in found.repositories.iter().chain(&found.taskdocs) {
            let above = one.path.ancestors().skip(1).map_while(|folder| self.folders.get(folder));
            found.folders.extend(above.map(|listed| listed.object.id));
        }
        found
    }
}

/// Searches until every known path is found, or counts as gone or lost.
fn settle(known: &[Found], mut search: impl FnMut() -> NestedPaths) -> NestedPaths {
    let mut seen = BTreeSet::new();
    let mut searches = 0;
    loop {
        let mut found = search();
        searches += 1;
        let now: BTreeSet<ObjectId> =
            found.repositories.iter().chain(&found.taskdocs).map(|one| one.id).collect();
        found.lost = known.iter().filter(|one| !now.contains(&one.id)).cloned().collect();
        seen.extend(now);
        if searches == MAX_SEARCHES {
            // A path that no search has seen is gone, unless the last one could not tell.
            let may_tell = !found.has_changed && found.closed.is_none();
            found.lost.retain(|one| seen.contains(&one.id) || !may_tell);
        }
        if found.lost.is_empty() || searches == MAX_SEARCHES {
            return found;
        }
        std::thread::sleep(PAUSE);
    }
}

impl NestedPaths {
    /// Adds the paths in a folder, if it is still the one that was listed: a repository and the folder around
    /// it belong together. The repository at the top is not a nested one.
    fn add_of(&mut self, root: &Root, (folder, is_top): (&Path, bool), listed: &Listed) {
        let repository = (listed.has_repository && !is_top).then(|| folder.join(GIT));
        if listed.taskdocs.is_empty() && repository.is_none() {
            return;
        }
        let inside = match root.enter(folder, listed.object.id) {
            Ok(Some(inside)) => inside,
            Ok(None) => return self.has_changed = true,
            Err(error) => return self.close(folder, &error),
        };
        for name in &listed.taskdocs {
            let found = self.add(&inside, folder.join(name));
            self.taskdocs.extend(found);
        }
        if let Some(repository) = repository {
            let found = self.add(&inside, repository);
            self.repositories.extend(found);
        }
    }

    /// Adds the object at a path. A link is counted as unprotected: a writer of its folder can replace it.
    fn add(&mut self, inside: &Root, path: PathBuf) -> Option<Found> {
        let object = match inside.look(&path) {
            Ok(Some(object)) => object,
            Ok(None) => {
                self.has_changed = true;
                return None;
            }
            Err(error) => {
                self.close(inside.path(), &error);
                return None;
            }
        };
        if object.kind == ObjectKind::Link {
            self.unprotected.add(path);
            return None;
        }
        Some(Found { id: object.id, path })
    }

    fn close(&mut self, folder: &Path, error: &io::Error) {
        _ = self.closed.get_or_insert((folder.to_owned(), error.kind()));
    }
}

impl Unprotected {
    /// Returns the problem for the user.
    pub(super) fn problem(&self, workspace: &Path) -> Option<Problem> {
        let example = self.example.as_ref()?;
        let (count, shown) = (self.count, example.strip_prefix(workspace).unwrap_or(example));
        let shown = shown.display().to_string();
        let text = localized!(
            "{count} places in the workspace are not protected from commands, one of them {shown}: settings of \
             repositories and Taskdocs there can be written",
            "工作区内有 {count} 处未受保护，其中之一是 {shown}：命令可以改写那里的仓库设置和任务文档"
        );
        let fix = Text::new(
            "replace links by what they lead to, let this user read every folder, or open a smaller folder as the \
             workspace",
            "请把链接换成它指向的内容，让当前用户可以读取每个文件夹，或以较小的文件夹作为工作区",
        );
        Some(Problem::new("sandbox/unprotected", shown, text, fix))
    }

    fn add(&mut self, path: PathBuf) {
        self.count += 1;
        _ = self.example.get_or_insert(path);
    }
}

impl Listed {
    /// Lists a folder; `None` if there is none. The error is the known state of a folder that cannot be listed.
    fn read(
        root: &Root,
        folder: &Path,
        known: Option<Self>,
    ) -> Result<Option<Self>, Option<Box<Self>>> {
        let (inside, object) = match root.folder(folder) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(None),
            Err(_) => return Err(known.map(Box::new)),
        };
        if let Some(known) = &known
            && known.is_settled
            && known.object == object
        {
            return Ok(Some(known.clone()));
        }
        let Ok(entries) = inside.entries(folder) else { return Err(known.map(Box::new)) };
        let mut listed = Self {
            object,
            is_settled: object.changed.0 + SETTLED_AFTER < now(),
            names: entries.len(),
            folders: Vec::new(),
            taskdocs: Vec::new(),
            has_repository: false,
            is_bare: is_bare_repository(&entries),
        };
        for entry in entries {
            if entry.name() == GIT {
                listed.has_repository = true;
            } else if is_taskdoc(&entry.path) {
                listed.taskdocs.push(entry.name().to_owned());
            } else if entry.kind == ObjectKind::Folder {
                listed.folders.push(entry.name().to_owned());
            }
        }
        Ok(Some(listed))
    }
}

/// Seconds since 1970, as times of files are.
#[expect(
    clippy::disallowed_methods,
    reason = "compared with times that the system wrote, and shown nowhere"
)]
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or_default()
}

/// True for the names in a bare repository, or in a folder that only lacks the settings or the `HEAD` of one.
pub(super) fn is_bare_repository(entries: &[Entry]) -> bool {
    let has = |name: &str| entries.iter().any(|one| one.name() == name);
    OF_BARE_REPOSITORY.into_iter().all(has) && (has("HEAD") || has("config"))
}

pub(super) fn is_taskdoc(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.to_lowercase().ends_with(TASKDOC_ENDING)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    use super::*;

    fn root() -> (tempfile::TempDir, Root) {
        let top = tempfile::tempdir().unwrap();
        let root = Root::open(&fs::canonicalize(top.path()).unwrap()).unwrap();
        (top, root)
    }

    fn names(root: &Root, found: &[Found]) -> Vec<String> {
        let short = |one: &Found| one.path.strip_prefix(root.path()).unwrap().display().to_string();
        let mut names: Vec<String> = found.iter().map(short).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn repositories_and_taskdocs_are_found_at_any_depth_and_in_generated_folders() {
        let (top, root) = root();
        let deep = "d/".repeat(60);
        for name in ["HEAD", "objects", "refs"] {
            fs::create_dir_all(top.path().join("store.git").join(name)).unwrap();
        }
        for repository in ["a", "node_modules/dep", "target/x", ".venv/src/y", deep.as_str()] {
            fs::create_dir_all(top.path().join(repository).join(".git")).unwrap();
            fs::create_dir_all(top.path().join(repository).join("x.TSK")).unwrap();
        }
        for skipped in [".git/sub/.git", ".minds/sub/.git", "top.tsk/sub/.git", "a/.git/b/.git"] {
            fs::create_dir_all(top.path().join(skipped)).unwrap();
        }
        symlink("a", top.path().join("link")).unwrap();
        fs::create_dir(top.path().join("odd")).unwrap();
        symlink("../a/.git", top.path().join("odd/.git")).unwrap();
        let mut search = Search::default();
        let found = search.refresh(&root);
        let expected =
            [".venv/src/y", "a", deep.trim_end_matches('/'), "node_modules/dep", "target/x"];
        let mut repositories = expected.map(|one| format!("{one}/.git")).to_vec();
        repositories.push("store.git".to_owned());
        repositories.sort_unstable();
        assert_eq!(names(&root, &found.repositories), repositories);
        let mut taskdocs = expected.map(|one| format!("{one}/x.TSK")).to_vec();
        taskdocs.push("top.tsk".to_owned());
        assert_eq!(names(&root, &found.taskdocs), taskdocs);
        let odd = Some(root.path().join("odd/.git"));
        assert_eq!(found.unprotected, Unprotected { count: 1, example: odd }, "a link is not held");
    }

    #[test]
    fn what_lies_behind_many_files_is_found_and_what_is_not_searched_is_counted() {
        let (top, root) = root();
        fs::create_dir_all(top.path().join("a/files")).unwrap();
        for n in 0..21_000 {
            fs::File::create(top.path().join(format!("a/files/{n}"))).unwrap();
        }
        for folder in ["a/sub/.git", "node_modules/x/.git", "z/deep/.git"] {
            fs::create_dir_all(top.path().join(folder)).unwrap();
        }
        let mut search = Search::default();
        assert_eq!(search.refresh(&root).repositories.len(), 3);
        // The top, `a`, `z`, and their content; generated folders come last.
        let mut search = Search { max_folders: 6, ..Search::default() };
        let found = search.refresh(&root);
        assert_eq!(names(&root, &found.repositories), ["a/sub/.git", "z/deep/.git"]);
        let rest = Some(root.path().join("node_modules"));
        assert_eq!(found.unprotected, Unprotected { count: 1, example: rest });
        let mut search = Search { max_names: 10_000, ..Search::default() };
        assert!(search.refresh(&root).unprotected.count > 0);
    }

    #[test]
    fn what_appears_moves_or_goes_is_seen_by_the_next_search() {
        let (top, root) = root();
        let at = |name: &str| top.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        let mut search = Search::default();
        assert_eq!(search.refresh(&root).repositories, []);
        fs::create_dir(at("a/b/.git")).unwrap();
        assert_eq!(names(&root, &search.refresh(&root).repositories), ["a/b/.git"]);
        let id = search.found().repositories[0].id;
        fs::rename(at("a"), at("c")).unwrap();
        assert_eq!(names(&root, &search.refresh(&root).repositories), ["c/b/.git"]);
        assert_eq!(search.found().repositories[0].id, id);
        fs::remove_dir_all(at("c/b/.git")).unwrap();
        assert_eq!(search.refresh(&root).repositories, []);
    }

    type Look<'a> = &'a dyn Fn() -> NestedPaths;

    #[test]
    fn what_is_known_is_gone_only_if_no_search_saw_it_and_the_last_could_tell() {
        let id: ObjectId = "1:7".parse().unwrap();
        let one = Found { path: PathBuf::from("/w/a/.git"), id };
        let with = || NestedPaths { repositories: vec![one.clone()], ..NestedPaths::default() };
        let without = NestedPaths::default;
        let changed = || NestedPaths { has_changed: true, ..NestedPaths::default() };
        let error = io::ErrorKind::PermissionDenied;
        let closed = || NestedPaths { closed: Some((PathBuf::from("/w/a"), error)), ..without() };
        let other = Found { path: PathBuf::from("/w/b/.git"), id: "1:8".parse().unwrap() };
        let both = [one.clone(), other.clone()];
        // The results of the first search and of the others, and the paths lost at the end.
        let rows: [(&str, Look, Look, &[Found]); 5] = [
            ("gone", &without, &without, &[]),
            ("seen once", &with, &without, &both[..1]),
            ("names changed", &without, &changed, &both),
            ("cannot be looked into", &without, &closed, &both),
            ("one is gone", &with, &with, &[]),
        ];
        for (name, first, others, lost) in rows {
            let mut searches = 0;
            let found = settle(&both, || {
                searches += 1;
                if searches == 1 { first() } else { others() }
            });
            assert_eq!((found.lost.as_slice(), searches), (lost, MAX_SEARCHES), "{name}");
        }
        let found = settle(&both[..1], with);
        assert_eq!(found, with(), "what is there is found at once");
    }

    #[test]
    fn what_is_known_is_never_taken_for_gone_while_its_folder_is_exchanged_again_and_again() {
        let (top, root) = root();
        fs::create_dir_all(top.path().join("a/.git")).unwrap();
        symlink("elsewhere", top.path().join("b")).unwrap();
        let mut search = Search::default();
        let id = search.refresh(&root).repositories[0].id;
        let over = AtomicBool::new(false);
        let (one, other) = (top.path().join("a"), top.path().join("b"));
        let all = thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let flags = RenameFlags::EXCHANGE;
                    if renameat_with(CWD, &one, CWD, &other, flags).is_err() {
                        return eprintln!("SKIPPED: this disk exchanges no names");
                    }
                    thread::yield_now();
                }
            });
            let all: Vec<NestedPaths> = (0..500).map(|_| search.refresh(&root).clone()).collect();
            over.store(true, Ordering::Relaxed);
            all
        });
        let has = |found: &[Found]| found.iter().any(|one| one.id == id);
        // On a busy machine all searches may miss it.
        let missed = all.iter().find(|found| !has(&found.repositories) && !has(&found.lost));
        assert_eq!(missed, None);
        assert!(all.iter().any(|found| has(&found.repositories)));
    }

    #[test]
    fn a_folder_that_cannot_be_listed_is_counted_and_what_was_known_of_it_stays() {
        let (top, root) = root();
        let folder = top.path().join("closed");
        fs::create_dir_all(folder.join("in/.git")).unwrap();
        let mut search = Search::default();
        assert_eq!(search.refresh(&root).repositories.len(), 1);
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o0)).unwrap();
        let is_denied = fs::read_dir(&folder).is_err();
        let found = search.refresh(&root).clone();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        if !is_denied {
            return eprintln!("SKIPPED: root lists every folder");
        }
        assert!(found.unprotected.count > 0);
        assert_eq!(found.unprotected.example.unwrap(), root.path().join("closed"));
        let found = search.refresh(&root);
        assert_eq!((found.unprotected.count, &found.closed), (0, &None));
    }
}
