//! Files of the workspace that settings of git name: files that it includes, folders of hooks, and programs
//! that it runs. A writer of these files decides what the person's git does, so commands cannot write them.
//!
//! A command line is split into words, and each word that names a file of the workspace counts. It is not checked
//! which settings run something: every setting that is not known to be harmless counts as one that does.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::beneath::{ObjectId, ObjectKind, Root};
use super::git_config::{Setting, parse};
use super::git_settings::is_harmless;
use crate::domain::safety::reserved::GIT;

/// Bytes of a file that are read.
const MAX_BYTES: u64 = 1024 * 1024;
/// Files that include each other.
const MAX_DEPTH: usize = 10;
/// Files that are read, each for every repository that uses it.
const MAX_FILES: usize = 10_000;
/// Names of drivers that are kept, and the length of one that a repository chooses.
const MAX_DRIVERS: usize = 500;
const MAX_DRIVER_BYTES: usize = 1_000;
/// Settings whose value is a path: of a file or a folder, which may not be there yet.
const PATHS: [&str; 4] =
    ["core.hookspath", "core.attributesfile", "init.templatedir", "core.worktree"];
/// Settings of a person, below the home folder.
const OF_PERSON: [&str; 2] = [".gitconfig", ".config/git/config"];
const OF_MACHINE: &str = "/etc/gitconfig";

/// Paths in the workspace by the settings that lead there.
pub(super) type Targets = BTreeMap<PathBuf, Target>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// The name of the setting.
    pub setting: String,
    /// True if it may be a folder; then an empty folder is its placeholder.
    pub is_folder: bool,
}

/// A repository by its settings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Repository {
    /// The folder that holds `config`.
    pub git: PathBuf,
    /// The folder of its checked-out files; relative paths in settings start here.
    pub worktree: PathBuf,
}

/// The targets that settings of git name, and the files that were read for them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FoundTargets {
    pub targets: Targets,
    /// Names of settings of which git runs the value on content it shows or compares, or that belong to these.
    pub drivers: BTreeSet<String>,
    /// Files of the workspace with settings, and the identity of each; `None` if it did not exist.
    pub read: BTreeSet<(PathBuf, Option<ObjectId>)>,
}

/// Finds the targets of all repositories, which use the person's settings, too. `None`: there are too many settings.
pub(super) fn find(
    root: &Root,
    home: Option<&Path>,
    repositories: &[Repository],
) -> Option<FoundTargets> {
    let found = FoundTargets::default();
    let mut reader = Reader { root, home, found, read: BTreeSet::new() };
    let outer = outer_repository(root.path());
    for repository in repositories.iter().chain(&outer) {
        let of_person = home.into_iter().flat_map(|home| OF_PERSON.map(|name| home.join(name)));
        let own = ["config", "config.worktree"].map(|name| repository.git.join(name));
        for file in of_person.chain([OF_MACHINE.into()]).chain(own) {
            reader.read(&file, &repository.worktree, 0);
        }
    }
    (reader.read.len() <= MAX_FILES).then_some(reader.found)
}

/// The drivers of the repositories with these `.git` folders and files.
pub(super) fn drivers(
    root: &Root,
    home: Option<&Path>,
    all: impl Iterator<Item = PathBuf>,
) -> BTreeSet<String> {
    let repository = |git: PathBuf| {
        let worktree = git.parent().unwrap_or(&git).to_owned();
        let text = root.read(&git, MAX_BYTES).ok().flatten().map(|(bytes, _)| bytes);
        let text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
        Repository { git: linked_folder(&worktree, &text).unwrap_or(git), worktree }
    };
    let all: Vec<Repository> = all.map(repository).collect();
    find(root, home, &all).map(|found| found.drivers).unwrap_or_default()
}

/// The repository that the workspace is a folder or a worktree of.
fn outer_repository(workspace: &Path) -> Option<Repository> {
    let worktree = workspace.ancestors().find(|folder| folder.join(GIT).exists())?;
    let git = worktree.join(GIT);
    let git = if git.is_file() { main_folder(&git)? } else { git };
    (!git.starts_with(workspace)).then(|| Repository { git, worktree: worktree.to_owned() })
}

/// The folder with the settings, for the `.git` file of a worktree.
fn main_folder(file: &Path) -> Option<PathBuf> {
    let folder = linked_folder(file.parent()?, &fs::read_to_string(file).ok()?)?;
    let common = fs::read_to_string(folder.join("commondir")).ok();
    Some(common.map_or(folder.clone(), |common| plain(&folder.join(common.trim_end()))))
}

/// The folder that the text of a `.git` file names.
pub(super) fn linked_folder(beside: &Path, text: &str) -> Option<PathBuf> {
    let named = text.lines().next()?.strip_prefix("gitdir:")?.trim();
    Some(plain(&beside.join(named)))
}

/// A path in a setting, which may be a target.
struct Candidate<'a> {
    path: &'a Path,
    /// True if the setting may name a folder.
    is_folder: bool,
    /// True if a path where nothing is counts, too.
    even_if_absent: bool,
}

struct Reader<'a> {
    root: &'a Root,
    home: Option<&'a Path>,
    found: FoundTargets,
    /// Files read, by the worktree they were read for.
    read: BTreeSet<(PathBuf, PathBuf)>,
}

impl Reader<'_> {
    fn read(&mut self, file: &Path, worktree: &Path, depth: usize) {
        let is_new = self.read.insert((file.to_owned(), worktree.to_owned()));
        if depth > MAX_DEPTH || !is_new || self.read.len() > MAX_FILES {
            return;
        }
        let text = self.text(file);
        let beside = file.parent().unwrap_or(file);
        for setting in parse(&text) {
            let name = format!("{}.{}", setting.section, setting.name);
            if self.found.drivers.len() < MAX_DRIVERS && is_driver(&setting) {
                self.found.drivers.insert(setting.full_name());
            }
            if matches!(name.as_str(), "include.path" | "includeif.path") {
                let Some(included) = self.resolve(beside, &setting.value) else { continue };
                let candidate =
                    Candidate { path: &included, is_folder: false, even_if_absent: true };
                self.add(&candidate, &setting);
                self.read(&included, worktree, depth + 1);
            } else if PATHS.contains(&name.as_str()) {
                let is_folder = name != "core.attributesfile";
                if name != "core.worktree"
                    && let Some(path) = self.resolve(worktree, &setting.value)
                {
                    let candidate = Candidate { path: &path, is_folder, even_if_absent: true };
                    self.add(&candidate, &setting);
                }
            } else if !is_harmless(&setting.section, &setting.name) {
                for (nth, word) in words(&setting.value).iter().enumerate() {
                    if let Some(path) = self.resolve(worktree, word) {
                        let even_if_absent = nth == 0 && word.contains('/');
                        let candidate = Candidate { path: &path, is_folder: false, even_if_absent };
                        self.add(&candidate, &setting);
                    }
                }
            }
        }
    }

    fn add(&mut self, candidate: &Candidate<'_>, setting: &Setting) {
        let Candidate { path, is_folder, even_if_absent } = *candidate;
        if !path.starts_with(self.root.path()) || path == self.root.path() {
            return;
        }
        let found = self.root.look(path).ok().flatten().map(|object| object.kind);
        let counts = match found {
            Some(ObjectKind::Folder) => is_folder,
            Some(ObjectKind::File | ObjectKind::Link | ObjectKind::Other) => true,
            None => even_if_absent || self.root.link_on_the_way(path).is_some(),
        };
        if counts {
            let target = Target { setting: setting.full_name(), is_folder };
            self.found.targets.entry(path.to_owned()).or_insert(target);
        }
    }

    fn text(&mut self, file: &Path) -> String {
        let bytes = if file.starts_with(self.root.path()) {
            // A file that cannot be read has no settings, for git neither.
            let Ok(read) = self.root.read(file, MAX_BYTES) else { return String::new() };
            self.found.read.insert((file.to_owned(), read.as_ref().map(|(_, id)| *id)));
            read.map(|(bytes, _)| bytes).unwrap_or_default()
        } else {
            let is_small =
                fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
            if is_small { fs::read(file).unwrap_or_default() } else { Vec::new() }
        };
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A path as git reads it, from a folder.
    fn resolve(&self, from: &Path, path: &str) -> Option<PathBuf> {
        if path.is_empty() || path.contains('\0') {
            return None;
        }
        let at_home = path.strip_prefix("~/").or_else(|| path.strip_prefix("$HOME/"));
        Some(match at_home {
            Some(rest) => plain(&self.home?.join(rest)),
            None => plain(&from.join(path)),
        })
    }
}

/// True for a setting of [`FoundTargets::drivers`].
fn is_driver(Setting { section, subsection, name, .. }: &Setting) -> bool {
    let is_one = match section.as_str() {
        "diff" => matches!(name.as_str(), "external" | "command" | "textconv"),
        "filter" => matches!(name.as_str(), "clean" | "smudge" | "process" | "required"),
        _ => false,
    };
    is_one && subsection.len() <= MAX_DRIVER_BYTES && !subsection.contains(['\n', '\0'])
}

/// Returns the words of a command line, of the command lines in it, and the values after `=`.
fn words(value: &str) -> Vec<String> {
    let line = value.trim_start_matches(['!', ' ']);
    let split = |text: &str| -> Vec<String> {
        let plain = || text.split_whitespace().map(str::to_owned).collect();
        shlex::split(text).unwrap_or_else(plain)
    };
    let mut words = Vec::new();
    for word in split(line) {
        let inner = if word.contains(char::is_whitespace) { split(&word) } else { Vec::new() };
        for one in std::iter::once(word).chain(inner) {
            let trimmed = one.trim_matches([';', '&', '|', '(', ')', '{', '}', '<', '>', '`']);
            let assigned = trimmed.split_once('=').map(|(_, behind)| behind.to_owned());
            words.push(trimmed.to_owned());
            words.extend(assigned);
        }
    }
    words
}

/// Returns the path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                plain.push(component);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The targets of a repository at the top with this configuration, and settings of the person.
    fn targets(own: &str, of_person: &str) -> Vec<String> {
        let top = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(top.path()).unwrap();
        let (workspace, home) = (top.join("ws"), top.join("home"));
        for folder in ["ws/.git", "ws/tools/hooks", "ws/build", "home"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        for file in ["ws/tools/run.sh", "ws/file.py", "ws/tools/more.inc"] {
            fs::write(top.join(file), "").unwrap();
        }
        fs::write(workspace.join("tools/inc"), "[include]\npath = more.inc\n").unwrap();
        fs::write(workspace.join(".git/config"), own).unwrap();
        fs::write(home.join(".gitconfig"), of_person).unwrap();
        fs::write(home.join("in-home.inc"), "[core]\nfsmonitor = tools/run.sh\n").unwrap();
        let root = Root::open(&workspace).unwrap();
        let one = Repository { git: workspace.join(".git"), worktree: workspace.clone() };
        let found = find(&root, Some(&home), &[one]).unwrap().targets;
        let short = |(path, target): (&PathBuf, &Target)| {
            format!("{} {}", target.setting, path.strip_prefix(&workspace).unwrap().display())
        };
        found.iter().map(short).collect()
    }

    #[test]
    fn drivers_of_a_repository_of_an_included_file_and_behind_a_git_file_are_found() {
        let top = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(top.path()).unwrap();
        for folder in [".git", "sub", "modules/sub"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        let own = "[diff]\nexternal = x\n[Filter \"A.b\"]\nClean = x\n[include]\npath = ../inc\n";
        fs::write(top.join(".git/config"), own).unwrap();
        fs::write(top.join("inc"), "[diff \"c\"]\nTextConv = x\nbinary = true\n").unwrap();
        fs::write(top.join("sub/.git"), "gitdir: ../modules/sub\n").unwrap();
        let linked = "[filter \"d\"]\nprocess = x\n[user]\nname = x\n";
        fs::write(top.join("modules/sub/config"), linked).unwrap();
        let all = [".git", "sub/.git"].map(|git| top.join(git)).into_iter();
        let found = drivers(&Root::open(&top).unwrap(), None, all);
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        // The settings of the machine are read, too.
        for name in ["diff.c.textconv", "diff.external", "filter.A.b.clean", "filter.d.process"] {
            assert!(found.contains(&name), "{name}: {found:?}");
        }
        assert!(!found.iter().any(|name| name.ends_with("binary") || name.starts_with("user")));
    }

    #[test]
    fn what_settings_name_in_the_workspace_is_found() {
        for (own, of_person, expected) in [
            ("[core]\nbare = false\n", "[user]\nname = file.py\n", vec![]),
            ("[include]\npath = ../new.inc\n", "", vec!["include.path new.inc"]),
            (
                "[includeIf \"gitdir:x\"]\npath = ../tools/inc\n",
                "",
                vec!["includeif.gitdir:x.path tools/inc", "include.path tools/more.inc"],
            ),
            ("[core]\nhooksPath = .husky/_\n", "", vec!["core.hookspath .husky/_"]),
            ("", "[core]\nhooksPath = tools/hooks\n", vec!["core.hookspath tools/hooks"]),
            ("", "[include]\npath = in-home.inc\n", vec!["core.fsmonitor tools/run.sh"]),
            ("[core]\nfsmonitor = python3 file.py --x\n", "", vec!["core.fsmonitor file.py"]),
            ("[core]\nfsmonitor = ./new.sh\n", "", vec!["core.fsmonitor new.sh"]),
            ("[alias]\nb = !make build\n", "", vec![]),
            (
                "[alias]\nb = \"!sh -c 'X=./tools/run.sh; exec $X'\"\n",
                "",
                vec!["alias.b tools/run.sh"],
            ),
            ("[filter \"f\"]\nclean = git-lfs clean -- %f\n", "", vec![]),
            ("[diff \"d\"]\ncommand = ../elsewhere/x\n", "", vec![]),
            ("[gpg]\nprogram = tools/run.sh\n", "", vec!["gpg.program tools/run.sh"]),
            (
                "[sequence]\neditor = \"sh tools/run.sh\"\n",
                "",
                vec!["sequence.editor tools/run.sh"],
            ),
            ("[core]\nsshCommand = ssh -F tools/inc\n", "", vec!["core.sshcommand tools/inc"]),
            ("[core]\nattributesFile = attrs\n", "", vec!["core.attributesfile attrs"]),
            ("[merge \"m\"]\ndriver = tools/run.sh %O\n", "", vec!["merge.m.driver tools/run.sh"]),
            ("[include]\npath = ~/in-home.inc\n", "", vec!["core.fsmonitor tools/run.sh"]),
            ("[remote \"o\"]\nurl = ./file.py\n", "", vec![]),
        ] {
            assert_eq!(targets(own, of_person), expected, "{own} {of_person}");
        }
    }

    #[test]
    fn files_that_include_each_other_end() {
        let own = "[include]\npath = config\npath = ../tools/inc\n[core]\nfsmonitor = file.py\n";
        assert_eq!(targets(own, "").len(), 4);
    }

    #[test]
    fn more_settings_than_are_read_are_not_taken_for_none() {
        let top = tempfile::tempdir().unwrap();
        let root = Root::open(&fs::canonicalize(top.path()).unwrap()).unwrap();
        let at = |n: usize| root.path().join(n.to_string());
        let one = |n| Repository { git: at(n).join(".git"), worktree: at(n) };
        let repositories: Vec<Repository> = (0..MAX_FILES).map(one).collect();
        assert_eq!(find(&root, None, &repositories[..10]).unwrap().targets, Targets::new());
        assert_eq!(find(&root, None, &repositories), None);
    }

    #[test]
    fn the_settings_of_the_repository_around_the_workspace_count() {
        let top = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(top.path()).unwrap();
        fs::create_dir_all(top.join("repo/.git")).unwrap();
        fs::create_dir_all(top.join("repo/app")).unwrap();
        fs::write(top.join("repo/.git/config"), "[core]\nhooksPath = app/hooks\n").unwrap();
        let root = Root::open(&top.join("repo/app")).unwrap();
        let found: Vec<_> = find(&root, None, &[]).unwrap().targets.into_keys().collect();
        assert_eq!(found, [top.join("repo/app/hooks")]);
    }
}
