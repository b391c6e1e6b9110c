//! The paths of a workspace that a command must never write, because they decide what runs later: the areas
//! of this program, Taskdocs, the configuration and hooks of each repository, files that their settings name,
//! and a rebase or bisect of the person that git continues. git also reads `config.worktree` and the folder
//! that `commondir` names, so these are protected too.
//!
//! A path that does not exist cannot be protected, so placeholders are created there while commands run
//! (`placeholders.rs`). A path is judged together with the object that is there, and only that object is used.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::beneath::{ObjectId, ObjectKind, Root};
use super::git_targets::{self, FoundTargets, Repository, Targets, linked_folder};
use super::nested::{Found, NestedPaths, OF_BARE_REPOSITORY, is_bare_repository, is_taskdoc};
use crate::domain::safety::reserved::{AT_TOP, GIT};
use crate::domain::text::{Localized, localized};

/// Files and folders of a repository that git reads as configuration or runs.
const GIT_FILES: [&str; 3] = ["config", "config.worktree", "commondir"];
const GIT_FOLDERS: [&str; 1] = ["hooks"];
/// Unfinished operations that git continues: a rebase, a sequence of picks, a bisect.
pub(super) const GIT_STATES: [&str; 3] = ["rebase-merge", "rebase-apply", "sequencer"];
pub(super) const BISECT: &str = "BISECT_";
const MAX_DEPTH: usize = 8;
/// Nested repositories that are protected, and files that settings of git name.
const MAX_REPOSITORIES: usize = 1_000;
const MAX_TARGETS: usize = 200;
/// Longest `.git` file that is read.
const MAX_LINK_BYTES: u64 = 4 * 1024;

/// The kind of placeholder at a missing reserved path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placeholder {
    Folder,
    File,
    /// A `commondir` file that names its own folder.
    CommonDir,
}

impl Placeholder {
    pub fn text(self) -> &'static str {
        match self {
            Self::Folder | Self::File => "",
            Self::CommonDir => ".\n",
        }
    }
}

/// A path to protect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReservedObject {
    pub path: PathBuf,
    /// The identity of the object that was judged there; `None` until a placeholder is made.
    pub id: Option<ObjectId>,
}

/// A reserved path where nothing is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing {
    pub path: PathBuf,
    /// The folder that it is missing in.
    pub folder: ObjectId,
    pub placeholder: Placeholder,
}

/// Why a workspace cannot be judged.
#[derive(Debug)]
pub(super) enum JudgeFault {
    /// Something else is at this path than a moment before.
    Changed(PathBuf),
    /// A message for the user.
    Refused(Localized),
}

/// Taskdocs and repositories seen so far: one that was replaced or came from elsewhere is new.
#[derive(Debug, Default)]
pub(super) struct KnownPaths(BTreeMap<PathBuf, ObjectId>);

impl KnownPaths {
    /// Adds paths and returns those that are new.
    pub fn add(&mut self, found: impl IntoIterator<Item = Found>) -> Vec<PathBuf> {
        let mut new = Vec::new();
        for Found { path, id } in found {
            if self.0.insert(path.clone(), id) != Some(id) {
                new.push(path);
            }
        }
        new
    }
}

/// The protected paths of a workspace, in mount order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ReservedPaths {
    /// Areas and Taskdocs; unreadable on level `read-only`.
    pub areas: Vec<ReservedObject>,
    /// Folders that are writable, but cannot be replaced.
    pub pinned: Vec<ReservedObject>,
    /// Read-only paths of repositories.
    pub fixed: Vec<ReservedObject>,
    /// Placeholders to create first.
    pub missing: Vec<Missing>,
    /// The folders that protected paths lie in.
    pub folders: BTreeSet<ObjectId>,
    /// The files that settings of git name.
    pub targets: Targets,
    /// States of git that are protected, or would be if no command had made them.
    pub states: Vec<ReservedObject>,
}

/// The input for finding reserved paths.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'a> {
    pub root: &'a Root,
    pub home: Option<&'a Path>,
    pub nested: &'a NestedPaths,
    /// States of git that commands made and may go on with.
    pub own_states: &'a BTreeSet<ObjectId>,
}

impl ReservedPaths {
    pub fn find(ground: Ground<'_>, writes: bool) -> Result<Self, JudgeFault> {
        let Ground { root, home, nested, .. } = ground;
        if let Some((folder, error)) = &nested.closed {
            let folder = folder.strip_prefix(root.path()).unwrap_or(folder).display();
            return Err(JudgeFault::Refused(localized!(
                "{folder} has a repository or Taskdoc in it and cannot be looked into ({error}); let this user read \
                 it: chmod u+rx",
                "{folder} 内有仓库或任务文档，但无法查看（{error}）；请让当前用户可以读取它：chmod u+rx"
            )));
        }
        if let Some(lost) = nested.lost.first() {
            return Err(JudgeFault::Changed(lost.path.clone()));
        }
        let reserved = Self { folders: nested.folders.clone(), ..Self::default() };
        let mut finder = Finder { ground, reserved, repositories: Vec::new() };
        for (name, _) in AT_TOP {
            finder.add_area(root.path().join(name), writes)?;
        }
        for found in taskdocs(root, nested)? {
            finder.add_found(&found)?;
        }
        if !writes {
            return Ok(finder.reserved);
        }
        finder.pin_above_home()?;
        finder.add_top_git()?;
        if nested.repositories.len() > MAX_REPOSITORIES {
            return Err(JudgeFault::Refused(localized!(
                "more than {MAX_REPOSITORIES} repositories lie in the workspace",
                "工作区内的仓库超过 {MAX_REPOSITORIES} 个"
            )));
        }
        for found in &nested.repositories {
            finder.add_git(found)?;
        }
        let targets = git_targets::find(root, home, &finder.repositories);
        finder.add_targets(targets.ok_or_else(too_many_targets)?)?;
        Ok(finder.reserved)
    }

    /// Notes the objects that were created at the missing paths.
    pub fn made(&mut self, made: &BTreeMap<PathBuf, ObjectId>) {
        let all = self.areas.iter_mut().chain(&mut self.pinned).chain(&mut self.fixed);
        for held in all.filter(|held| held.id.is_none()) {
            held.id = made.get(&held.path).copied();
        }
    }
}

struct Finder<'a> {
    ground: Ground<'a>,
    reserved: ReservedPaths,
    repositories: Vec<Repository>,
}

impl Finder<'_> {
    fn root(&self) -> &Root {
        self.ground.root
    }

    /// A home folder in the workspace is closed at its own path, so the folders above it have to stay.
    fn pin_above_home(&mut self) -> Result<(), JudgeFault> {
        let top = self.root().path().to_owned();
        let Some(home) = self.ground.home else { return Ok(()) };
        let Some(folder) = home.parent().filter(|folder| folder.starts_with(&top)) else {
            return Ok(());
        };
        if look(self.root(), home)?.is_some() {
            self.pin_down_to(folder, &top)?;
        }
        Ok(())
    }

    fn add_area(&mut self, path: PathBuf, writes: bool) -> Result<(), JudgeFault> {
        match look(self.root(), &path)? {
            Some((_, id)) => self.reserved.areas.push(ReservedObject { path, id: Some(id) }),
            None if writes => {
                let folder = self.root().id().map_err(|error| failed(&path, &error))?;
                self.reserved.areas.push(ReservedObject { path: path.clone(), id: None });
                let placeholder = Placeholder::Folder;
                self.reserved.missing.push(Missing { path, folder, placeholder });
            }
            None => {}
        }
        Ok(())
    }

    /// A Taskdoc.
    fn add_found(&mut self, found: &Found) -> Result<(), JudgeFault> {
        self.look_again(found)?;
        self.reserved.areas.push(ReservedObject { path: found.path.clone(), id: Some(found.id) });
        Ok(())
    }

    /// Checks that a path found a moment ago is unchanged: if it was moved, it has to be found again.
    fn look_again(&self, found: &Found) -> Result<PathKind, JudgeFault> {
        match look(self.root(), &found.path)? {
            Some((kind, id)) if id == found.id => Ok(kind),
            Some(_) | None => Err(JudgeFault::Changed(found.path.clone())),
        }
    }

    fn add_top_git(&mut self) -> Result<(), JudgeFault> {
        let path = self.root().path().join(GIT);
        if let Some((_, id)) = look(self.root(), &path)? {
            return self.add_git(&Found { path, id });
        }
        let folder = self.root().id().map_err(|error| failed(&path, &error))?;
        self.reserved.fixed.push(ReservedObject { path: path.clone(), id: None });
        let placeholder = Placeholder::Folder;
        self.reserved.missing.push(Missing { path, folder, placeholder });
        Ok(())
    }

    fn add_git(&mut self, found: &Found) -> Result<(), JudgeFault> {
        let Found { path, id } = found;
        let beside = path.parent().unwrap_or(path);
        match self.look_again(found)? {
            // The `.git` file of a worktree or submodule.
            PathKind::Other => {
                self.reserved.fixed.push(ReservedObject { path: path.clone(), id: Some(*id) });
                self.add_linked(found, beside)
            }
            PathKind::Folder => {
                let inside = self.enter(path, *id)?;
                if is_empty(&inside) {
                    // A placeholder, or a repository that is not initialized yet.
                    self.reserved.fixed.push(ReservedObject { path: path.clone(), id: Some(*id) });
                    return Ok(());
                }
                self.pin(path, *id);
                let is_bare = path.file_name().is_none_or(|name| name != GIT);
                if !is_bare {
                    return self.add_repository(&inside, beside);
                }
                // Without them the next search would not recognise the repository.
                for name in OF_BARE_REPOSITORY {
                    let path = path.join(name);
                    if let Some((_, id)) = look(&inside, &path)? {
                        self.pin(&path, id);
                    }
                }
                self.add_repository(&inside, path)
            }
        }
    }

    /// Adds the repository that a `.git` file names, if it lies in the workspace.
    fn add_linked(&mut self, file: &Found, worktree: &Path) -> Result<(), JudgeFault> {
        // A file that cannot be read leads nowhere, for git neither.
        let Ok(read) = self.root().read(&file.path, MAX_LINK_BYTES) else { return Ok(()) };
        let read = read.filter(|(_, id)| *id == file.id);
        let (text, _) = read.ok_or_else(|| JudgeFault::Changed(file.path.clone()))?;
        let Some(git) = linked_folder(worktree, &String::from_utf8_lossy(&text)) else {
            return Ok(());
        };
        let is_inside = git.starts_with(self.root().path()) && git != self.root().path();
        let is_known = self.reserved.pinned.iter().any(|held| held.path == git);
        if !is_inside || is_known || git.components().any(|part| part.as_os_str() == GIT) {
            return Ok(());
        }
        if let Some((PathKind::Folder, id)) = look(self.root(), &git)? {
            let top = self.root().path().to_owned();
            self.pin_down_to(&git, &top)?;
            let inside = self.enter(&git, id)?;
            self.add_repository(&inside, worktree)?;
        }
        Ok(())
    }

    fn add_repository(&mut self, inside: &Root, worktree: &Path) -> Result<(), JudgeFault> {
        let git = inside.path().to_owned();
        self.add_settings(inside, worktree)?;
        let worktrees = git.join("worktrees");
        if let Some((_, id)) = look(inside, &worktrees)? {
            self.reserved.fixed.push(ReservedObject { path: worktrees, id: Some(id) });
        }
        let modules = git.join("modules");
        match look(inside, &modules)? {
            Some((PathKind::Folder, _)) => {
                for module in submodules(inside, &modules, 0)? {
                    self.pin_down_to(&module.path, &git)?;
                    let inside = self.enter(&module.path, module.id)?;
                    let name = module.path.strip_prefix(&modules).unwrap_or(&module.path);
                    self.add_settings(&inside, &worktree.join(name))?;
                }
            }
            Some((PathKind::Other, id)) => {
                self.reserved.fixed.push(ReservedObject { path: modules, id: Some(id) });
            }
            None => {}
        }
        Ok(())
    }

    fn add_settings(&mut self, inside: &Root, worktree: &Path) -> Result<(), JudgeFault> {
        let git = inside.path();
        let folder = inside.id().map_err(|error| failed(git, &error))?;
        let files = GIT_FILES.map(|name| (name, Placeholder::File));
        let folders = GIT_FOLDERS.map(|name| (name, Placeholder::Folder));
        for (name, placeholder) in files.into_iter().chain(folders) {
            let path = git.join(name);
            let id = look(inside, &path)?.map(|(_, id)| id);
            if id.is_none() {
                let placeholder =
                    if name == "commondir" { Placeholder::CommonDir } else { placeholder };
                self.reserved.missing.push(Missing { path: path.clone(), folder, placeholder });
            }
            self.reserved.fixed.push(ReservedObject { path, id });
        }
        for held in states(inside)? {
            if !held.id.is_some_and(|id| self.ground.own_states.contains(&id)) {
                self.reserved.fixed.push(held.clone());
            }
            self.reserved.states.push(held);
        }
        let repository = Repository { git: git.to_owned(), worktree: worktree.to_owned() };
        self.repositories.push(repository);
        Ok(())
    }

    /// Files and folders that settings of git name.
    fn add_targets(&mut self, found: FoundTargets) -> Result<(), JudgeFault> {
        if found.targets.len() > MAX_TARGETS {
            return Err(too_many_targets());
        }
        let top = self.root().path().to_owned();
        for (path, target) in found.targets {
            let is_covered = self.reserved.areas.iter().chain(&self.reserved.fixed);
            if is_covered.into_iter().any(|held| path.starts_with(&held.path)) {
                continue;
            }
            let Some(folder) = path.parent() else { continue };
            self.reserved.targets.insert(path.clone(), target.clone());
            if let Some((_, id)) = look(self.root(), &path)? {
                self.pin_down_to(folder, &top)?;
                self.reserved.fixed.push(ReservedObject { path, id: Some(id) });
            } else if let Some((PathKind::Folder, id)) = look_or_top(self.root(), folder)? {
                self.pin_down_to(folder, &top)?;
                self.reserved.fixed.push(ReservedObject { path: path.clone(), id: None });
                let placeholder =
                    if target.is_folder { Placeholder::Folder } else { Placeholder::File };
                self.reserved.missing.push(Missing { path, folder: id, placeholder });
            } else if let Some(link) = self.root().link_on_the_way(folder) {
                return Err(is_link(&link));
            } else {
                // Nothing to protect: a path that appears there is found afterwards.
            }
        }
        for (path, id) in found.read {
            if self.now_at(&path)? != id {
                return Err(JudgeFault::Changed(path));
            }
        }
        Ok(())
    }

    /// Returns the identity of the object that was judged at a path, or is there.
    fn now_at(&self, path: &Path) -> Result<Option<ObjectId>, JudgeFault> {
        match self.reserved.fixed.iter().find(|held| held.path == path) {
            Some(held) => Ok(held.id),
            None => Ok(look(self.root(), path)?.map(|(_, id)| id)),
        }
    }

    fn pin(&mut self, path: &Path, id: ObjectId) {
        self.reserved.folders.insert(id);
        if !self.reserved.pinned.iter().any(|held| held.path == path) {
            self.reserved.pinned.push(ReservedObject { path: path.to_owned(), id: Some(id) });
        }
    }

    /// Pins a folder and every folder above it, below `top`: a folder that contains a mount point can be renamed, a
    /// mount point cannot.
    fn pin_down_to(&mut self, folder: &Path, top: &Path) -> Result<(), JudgeFault> {
        let mut ancestors: Vec<&Path> =
            folder.ancestors().take_while(|folder| *folder != top).collect();
        ancestors.reverse();
        for folder in ancestors {
            match look(self.root(), folder)? {
                Some((PathKind::Folder, id)) => self.pin(folder, id),
                Some((PathKind::Other, _)) | None => {
                    return Err(JudgeFault::Changed(folder.to_owned()));
                }
            }
        }
        Ok(())
    }

    fn enter(&self, path: &Path, id: ObjectId) -> Result<Root, JudgeFault> {
        let entered = self.root().enter(path, id).map_err(|error| failed(path, &error))?;
        entered.ok_or_else(|| JudgeFault::Changed(path.to_owned()))
    }
}

fn too_many_targets() -> JudgeFault {
    JudgeFault::Refused(localized!(
        "the repositories in it have too many settings, or these name more than {MAX_TARGETS} of its files",
        "其中仓库的设置过多，或这些设置指向其中超过 {MAX_TARGETS} 个文件"
    ))
}

/// Returns the unfinished operations of git in the folder of a repository.
fn states(inside: &Root) -> Result<Vec<ReservedObject>, JudgeFault> {
    let mut found = Vec::new();
    let entries = inside.entries(inside.path()).map_err(|error| failed(inside.path(), &error))?;
    for entry in entries {
        let name = entry.name().to_string_lossy();
        if GIT_STATES.iter().any(|state| name == *state) || name.starts_with(BISECT) {
            match look(inside, &entry.path)? {
                Some((_, id)) => found.push(ReservedObject { path: entry.path, id: Some(id) }),
                None => return Err(JudgeFault::Changed(entry.path)),
            }
        }
    }
    Ok(found)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathKind {
    Folder,
    Other,
}

fn failed(path: &Path, error: &io::Error) -> JudgeFault {
    JudgeFault::Refused(Localized::same(format!("{}: {error}", path.display())))
}

fn is_link(path: &Path) -> JudgeFault {
    let path = path.display();
    JudgeFault::Refused(localized!(
        "{path} is a link, which cannot be protected from commands; replace it with its target",
        "{path} 是链接，无法保护它不被命令改动；请换成它指向的内容"
    ))
}

/// Returns the object at a path. A link is an error: a writer of its folder can replace it.
fn look(root: &Root, path: &Path) -> Result<Option<(PathKind, ObjectId)>, JudgeFault> {
    let Some(object) = root.look(path).map_err(|error| failed(path, &error))? else {
        return Ok(None);
    };
    match object.kind {
        ObjectKind::Link => Err(is_link(path)),
        ObjectKind::Folder => Ok(Some((PathKind::Folder, object.id))),
        ObjectKind::File | ObjectKind::Other => Ok(Some((PathKind::Other, object.id))),
    }
}

/// Returns the object at a path, which may be the top.
fn look_or_top(root: &Root, path: &Path) -> Result<Option<(PathKind, ObjectId)>, JudgeFault> {
    if path != root.path() {
        return look(root, path);
    }
    let id = root.id().map_err(|error| failed(path, &error))?;
    Ok(Some((PathKind::Folder, id)))
}

fn is_empty(folder: &Root) -> bool {
    folder.entries(folder.path()).is_ok_and(|entries| entries.is_empty())
}

/// The repositories of submodules below `.git/modules`, by the file of settings that no command can remove.
fn submodules(root: &Root, folder: &Path, depth: usize) -> Result<Vec<Found>, JudgeFault> {
    let mut found = Vec::new();
    for entry in root.entries(folder).map_err(|error| failed(folder, &error))? {
        if entry.kind != ObjectKind::Folder {
            continue;
        }
        if found.len() > MAX_REPOSITORIES || depth > MAX_DEPTH {
            let folder = folder.display();
            return Err(JudgeFault::Refused(localized!(
                "{folder} holds more than {MAX_REPOSITORIES} submodules, or more than {MAX_DEPTH} folders in each other",
                "{folder} 中的子模块超过 {MAX_REPOSITORIES} 个，或文件夹嵌套超过 {MAX_DEPTH} 层"
            )));
        }
        let path = entry.path;
        let changed = || JudgeFault::Changed(path.clone());
        let opened = root.folder(&path).map_err(|error| failed(&path, &error))?;
        let (inside, object) = opened.ok_or_else(changed)?;
        let is_file = |name: &str| {
            let found = inside.look(&path.join(name)).ok().flatten();
            found.is_some_and(|object| object.kind != ObjectKind::Folder)
        };
        if is_file("HEAD") || is_file("config") {
            let modules = path.join("modules");
            if look(&inside, &modules)?.is_some() {
                found.extend(submodules(&inside, &modules, depth + 1)?);
            }
            found.push(Found { path, id: object.id });
        } else {
            found.extend(submodules(&inside, &path, depth + 1)?);
        }
    }
    Ok(found)
}

/// Nested repositories, and the workspace itself if it is a bare repository.
pub(super) fn repositories(root: &Root, nested: &NestedPaths) -> Vec<Found> {
    let mut found = nested.repositories.clone();
    let entries = root.entries(root.path()).unwrap_or_default();
    let head = root.look(&root.path().join("HEAD")).ok().flatten();
    if is_bare_repository(&entries)
        && let Some(head) = head
    {
        found.push(Found { path: root.path().join("HEAD"), id: head.id });
    }
    found
}

/// Returns the Taskdocs at the top now, and those found below.
pub(super) fn taskdocs(root: &Root, nested: &NestedPaths) -> Result<Vec<Found>, JudgeFault> {
    let top = root.path();
    let mut paths: Vec<PathBuf> = root
        .entries(top)
        .map_err(|error| failed(top, &error))?
        .into_iter()
        .map(|entry| entry.path)
        .filter(|path| is_taskdoc(path))
        .collect();
    paths.sort_unstable();
    let mut found = Vec::new();
    for path in paths {
        let object = root.look(&path).map_err(|error| failed(&path, &error))?;
        let Some(object) = object else { return Err(JudgeFault::Changed(path)) };
        found.push(Found { path, id: object.id });
    }
    let is_below = |one: &&Found| one.path.parent() != Some(top);
    found.extend(nested.taskdocs.iter().filter(is_below).cloned());
    Ok(found)
}

#[cfg(test)]
mod tests;
