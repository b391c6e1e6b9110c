//! What a command never writes in a workspace, because it decides what runs later: the areas of this
//! program, Taskdocs, and of each repository its configuration and hooks. git also reads configuration
//! from where `commondir` says and from `config.worktree`, so these are held too.
//!
//! What is not there cannot be held. So it is made to stand there, empty or saying nothing, while commands
//! run (`stand.rs`).

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::domain::reserved::{AT_TOP, GIT, TASKDOC_ENDING};

/// In a repository: what is read as configuration or run.
const GIT_FILES: [&str; 3] = ["config", "config.worktree", "commondir"];
const GIT_FOLDERS: [&str; 1] = ["hooks"];
/// What makes a folder a repository of its own.
const BARE: [&str; 3] = ["HEAD", "objects", "refs"];
/// Folders that are not looked into: they are large, and made by tools.
const SKIPPED: [&str; 4] = [GIT, "node_modules", "target", ".venv"];
/// Entries that are looked at below a workspace.
const MAX_ENTRIES: usize = 20_000;
const MAX_DEPTH: usize = 8;
/// Repositories below the top that are held.
const MAX_REPOSITORIES: usize = 100;

/// What stands in for something that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placeholder {
    Folder,
    File,
    /// A `commondir` that names its own folder.
    Here,
}

impl Placeholder {
    /// What it says.
    pub fn text(self) -> &'static str {
        match self {
            Self::Folder | Self::File => "",
            Self::Here => ".\n",
        }
    }
}

/// What lies below the top of a workspace; looked for once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Below {
    pub taskdocs: Vec<PathBuf>,
    /// `.git` of other repositories.
    pub gits: Vec<PathBuf>,
}

/// Taskdocs and repositories that are known, by path, with the device and number of each. One that was
/// renamed away and made anew is another.
#[derive(Debug, Default)]
pub(super) struct Known(BTreeMap<PathBuf, (u64, u64)>);

impl Known {
    /// Those that were not known.
    pub fn add(&mut self, paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
        let mut new = Vec::new();
        for path in paths {
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            let id = (meta.dev(), meta.ino());
            if self.0.insert(path.clone(), id) != Some(id) {
                new.push(path);
            }
        }
        new
    }
}

/// What is held of a workspace, in an order in which it can be mounted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reserved {
    /// Areas and Taskdocs: not to be read on level `read-only`.
    pub areas: Vec<PathBuf>,
    /// `.git` folders: written by git, never replaced.
    pub pinned: Vec<PathBuf>,
    /// Read by git, never written.
    pub fixed: Vec<PathBuf>,
    /// What has to stand there first.
    pub missing: Vec<(PathBuf, Placeholder)>,
}

impl Below {
    pub fn find(workspace: &Path) -> Self {
        let mut below = Self::default();
        let mut looked_at = 0;
        below.walk(workspace, 0, &mut looked_at);
        below
    }

    fn walk(&mut self, folder: &Path, depth: usize, looked_at: &mut usize) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            *looked_at += 1;
            if *looked_at > MAX_ENTRIES {
                return;
            }
            let (name, path) = (entry.file_name(), entry.path());
            if depth > 0 && name == GIT {
                self.gits.push(path);
            } else if depth > 0 && is_taskdoc(&path) {
                self.taskdocs.push(path);
            } else if depth < MAX_DEPTH
                && entry.file_type().is_ok_and(|kind| kind.is_dir())
                && !SKIPPED.iter().any(|skipped| name == *skipped)
                && !AT_TOP.iter().any(|(area, _)| name == *area)
                && !is_taskdoc(&path)
            {
                self.walk(&path, depth + 1, looked_at);
            }
        }
    }
}

impl Reserved {
    /// The error is a sentence for a person.
    pub fn find(workspace: &Path, below: &Below, writes: bool) -> Result<Self, String> {
        let mut reserved = Self::default();
        for (name, _) in AT_TOP {
            reserved.area(workspace.join(name), writes)?;
        }
        for path in top_taskdocs(workspace) {
            reserved.area(path, writes)?;
        }
        for path in below.taskdocs.iter().filter(|path| fs::symlink_metadata(path).is_ok()) {
            reserved.area(path.clone(), writes)?;
        }
        if !writes {
            return Ok(reserved);
        }
        reserved.git(&workspace.join(GIT), true)?;
        if below.gits.len() > MAX_REPOSITORIES {
            return Err(format!("more than {MAX_REPOSITORIES} repositories lie in the workspace"));
        }
        for path in &below.gits {
            reserved.git(path, false)?;
        }
        Ok(reserved)
    }

    fn area(&mut self, path: PathBuf, writes: bool) -> Result<(), String> {
        match kind(&path)? {
            Some(_) => self.areas.push(path),
            None if writes => {
                self.missing.push((path.clone(), Placeholder::Folder));
                self.areas.push(path);
            }
            None => {}
        }
        Ok(())
    }

    fn git(&mut self, path: &Path, at_top: bool) -> Result<(), String> {
        match kind(path)? {
            // Of a worktree or a submodule: what it leads to is elsewhere.
            Some(Kind::Other) => self.fixed.push(path.to_owned()),
            // Nothing in it yet: it stands there for us, or for whoever will fill it.
            Some(Kind::Folder) if is_empty(path) => self.fixed.push(path.to_owned()),
            Some(Kind::Folder) => self.repository(path)?,
            None if at_top => {
                self.missing.push((path.to_owned(), Placeholder::Folder));
                self.fixed.push(path.to_owned());
            }
            None => {}
        }
        Ok(())
    }

    fn repository(&mut self, git: &Path) -> Result<(), String> {
        self.pinned.push(git.to_owned());
        self.settings(git)?;
        for folder in ["worktrees", "modules"].map(|name| git.join(name)) {
            match kind(&folder)? {
                Some(Kind::Folder) if folder.ends_with("worktrees") => self.fixed.push(folder),
                Some(Kind::Folder) => {
                    for module in modules(&folder, 0) {
                        self.pin(&module, git);
                        self.settings(&module)?;
                    }
                }
                Some(Kind::Other) => self.fixed.push(folder),
                None => {}
            }
        }
        Ok(())
    }

    /// With every folder on the way to it: what holds a mount can be renamed, a mount cannot.
    fn pin(&mut self, module: &Path, git: &Path) {
        let mut way: Vec<&Path> = module.ancestors().take_while(|folder| *folder != git).collect();
        way.reverse();
        for folder in way {
            if !self.pinned.iter().any(|one| one == folder) {
                self.pinned.push(folder.to_owned());
            }
        }
    }

    fn settings(&mut self, git: &Path) -> Result<(), String> {
        let files = GIT_FILES.map(|name| (name, Placeholder::File));
        let folders = GIT_FOLDERS.map(|name| (name, Placeholder::Folder));
        for (name, blank) in files.into_iter().chain(folders) {
            let path = git.join(name);
            if kind(&path)?.is_none() {
                let blank = if name == "commondir" { Placeholder::Here } else { blank };
                self.missing.push((path.clone(), blank));
            }
            self.fixed.push(path);
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    Other,
}

/// What is there. A link cannot be held: what it says is changed by whoever writes beside it.
fn kind(path: &Path) -> Result<Option<Kind>, String> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.file_type().is_symlink() => Err(format!(
            "{} is a link, which cannot be kept from commands; put what it leads to in its place",
            path.display()
        )),
        Ok(meta) if meta.is_dir() => Ok(Some(Kind::Folder)),
        Ok(_) => Ok(Some(Kind::Other)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// The repositories of submodules below a folder.
fn modules(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if found.len() > MAX_REPOSITORIES || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if path.join("HEAD").exists() {
            found.extend(modules(&path.join("modules"), depth + 1));
            found.push(path);
        } else if depth < MAX_DEPTH {
            found.extend(modules(&path, depth + 1));
        }
    }
    found
}

/// True for a name that a Taskdoc has.
pub(super) fn is_taskdoc(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.to_lowercase().ends_with(TASKDOC_ENDING)
}

/// Repositories of a workspace, without the one at its top. A top that is a repository by itself counts.
pub(super) fn repositories(workspace: &Path, below: &Below) -> Vec<PathBuf> {
    let mut found = below.gits.clone();
    if BARE.iter().all(|name| workspace.join(name).exists()) {
        found.push(workspace.join("HEAD"));
    }
    found
}

/// Those at the top of a workspace.
pub(super) fn top_taskdocs(workspace: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(workspace).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| is_taskdoc(path));
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(files: &[&str]) -> tempfile::TempDir {
        let top = tempfile::tempdir().unwrap();
        for file in files {
            let path = top.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        top
    }

    fn names(top: &Path, paths: &[PathBuf]) -> Vec<String> {
        let short = |path: &PathBuf| path.strip_prefix(top).unwrap().display().to_string();
        paths.iter().map(short).collect()
    }

    #[test]
    fn what_is_there_is_held_and_what_is_missing_is_made_to_stand() {
        let top = place(&[
            ".minds/team.yaml",
            "a.tsk/goals.md",
            "deep/b.TSK/goals.md",
            ".git/HEAD",
            ".git/config",
            ".git/modules/m/HEAD",
            ".git/worktrees/w/HEAD",
            "deep/r/.git/HEAD",
        ]);
        let below = Below::find(top.path());
        let held = Reserved::find(top.path(), &below, true).unwrap();
        let areas = names(top.path(), &held.areas);
        assert_eq!(areas, [".minds", ".dialogs", ".hive", "a.tsk", "deep/b.TSK"]);
        let pinned = [".git", ".git/modules", ".git/modules/m", "deep/r/.git"];
        assert_eq!(names(top.path(), &held.pinned), pinned);
        let fixed = names(top.path(), &held.fixed);
        for path in [".git/config", ".git/hooks", ".git/worktrees", ".git/modules/m/config"] {
            assert!(fixed.iter().any(|one| one == path), "{path}: {fixed:?}");
        }
        let here = |(path, blank): &(PathBuf, Placeholder)| {
            path.ends_with(".git/commondir") && *blank == Placeholder::Here
        };
        assert_eq!(held.missing.iter().filter(|one| here(one)).count(), 2);
        assert!(
            !held.missing.iter().any(|(path, _)| path.ends_with(".git/config")
                && path.starts_with(top.path().join(".git")))
        );

        let looking = Reserved::find(top.path(), &below, false).unwrap();
        assert_eq!(names(top.path(), &looking.areas), [".minds", "a.tsk", "deep/b.TSK"]);
        assert_eq!((looking.missing, looking.fixed), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_reserved_name_that_is_a_link_is_refused() {
        for name in [".minds", ".git", "x.tsk", ".git/hooks"] {
            let top = place(&["elsewhere/file"]);
            if name == ".git/hooks" {
                fs::create_dir(top.path().join(".git")).unwrap();
            }
            std::os::unix::fs::symlink("elsewhere", top.path().join(name)).unwrap();
            let below = Below::find(top.path());
            let refused = Reserved::find(top.path(), &below, true).unwrap_err();
            assert!(refused.contains("is a link"), "{name}: {refused}");
        }
    }
}
