//! Detects git settings that changed while commands ran. A read-only mount of `.git/config` is lost when
//! a process outside the sandbox replaces the file, as `git config` does; a running command can then
//! write the new file. A command can also create a repository. Neither can be prevented, so it is
//! detected.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::beneath::{ObjectKind, Root};
use super::reserved::{BISECT, GIT_STATES};
use crate::domain::safety::reserved::GIT;

/// The folder of hooks, and the suffix of samples, which git does not run.
const HOOKS_FOLDER: &str = "hooks";
const SAMPLE_SUFFIX: &str = ".sample";
/// The lists of steps in the state of a rebase or a sequence of picks, and the steps that run a program.
const STEP_LISTS: [&str; 2] = ["git-rebase-todo", "todo"];
const RUNNING_STEPS: [&str; 2] = ["exec", "x"];
/// Files with findings that are stored.
const MAX_FILES: usize = 200;
/// Findings of one file, and the length of each.
const MAX_NAMES: usize = 20;
const MAX_CHARS: usize = 120;
/// Files that are compared.
const CONFIG_FILES: [&str; 2] = ["config", "config.worktree"];
/// Bytes of a file that are read.
const MAX_BYTES: u64 = 1024 * 1024;
/// Settings that run nothing and that git itself writes: section and names.
const HARMLESS_SETTINGS: [(&str, &[&str]); 6] = [
    (
        "core",
        &[
            "repositoryformatversion",
            "filemode",
            "bare",
            "logallrefupdates",
            "ignorecase",
            "precomposeunicode",
            "symlinks",
            "autocrlf",
            "eol",
        ],
    ),
    ("user", &["name", "email"]),
    ("remote", &["url", "fetch", "pushurl", "tagopt", "prune"]),
    ("branch", &["remote", "merge", "rebase", "pushremote"]),
    ("submodule", &["url", "active"]),
    ("lfs", &["repositoryformatversion"]),
];

/// The last content of each file, and the findings.
#[derive(Debug, Default)]
pub(super) struct GitSettings {
    contents: BTreeMap<PathBuf, String>,
    /// Findings: file and settings.
    findings: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl GitSettings {
    /// Compares the files with their last content. `idle`: no command has run since the last check, so that
    /// all changes are the user's.
    pub fn check<'a>(&mut self, root: &Root, files: impl Iterator<Item = &'a Path>, idle: bool) {
        let is_one = |path: &&Path| CONFIG_FILES.iter().any(|name| path.ends_with(name));
        for path in files.filter(is_one) {
            let now = read_text(root, path);
            let before = self.contents.get(path).map_or("", String::as_str);
            let added = if idle { Vec::new() } else { suspicious(before, &now) };
            if !added.is_empty() {
                self.findings.entry(path.to_owned()).or_default().extend(added);
            }
            self.contents.insert(path.to_owned(), now);
        }
        // Drop findings that were removed.
        self.findings.retain(|path, names| {
            let current = all_suspicious(root, path);
            names.retain(|name| current.contains(name));
            !names.is_empty()
        });
    }

    /// Checks a repository that a command created, given by its `.git` or `HEAD`, or a rebase that it began.
    pub fn add_created(&mut self, root: &Root, path: &Path) {
        let is_repository =
            steps_that_run(root, path).is_none() && gitdir_target(root, path).is_none();
        let file = if is_repository {
            let is_folder = kind(root, path) == Some(ObjectKind::Folder);
            let inside = if is_folder { Some(path) } else { path.parent() };
            inside.map(|folder| folder.join("config")).unwrap_or_default()
        } else {
            // Later changes there are not detected.
            path.to_owned()
        };
        let added = all_suspicious(root, &file);
        if !added.is_empty() && self.findings.len() < MAX_FILES {
            self.findings.entry(file).or_default().extend(added);
        }
    }

    /// Files with the settings that were added while commands ran.
    pub fn findings(&self) -> Vec<(PathBuf, Vec<String>)> {
        let each = self.findings.iter();
        each.map(|(path, names)| (path.clone(), names.iter().cloned().collect())).collect()
    }
}

fn kind(root: &Root, path: &Path) -> Option<ObjectKind> {
    root.look(path).ok().flatten().map(|object| object.kind)
}

/// The folder that a `.git` file names.
fn gitdir_target(root: &Root, git: &Path) -> Option<String> {
    let is_one = git.file_name().is_some_and(|name| name == GIT)
        && kind(root, git) == Some(ObjectKind::File);
    let contents = is_one.then(|| read_text(root, git))?;
    let target = contents.lines().next().unwrap_or_default().trim_start_matches("gitdir:").trim();
    Some(target.chars().take(MAX_CHARS).collect())
}

/// The steps of a rebase that run a program, or the name of the state of a bisect; `None`: it is neither.
fn steps_that_run(root: &Root, state: &Path) -> Option<Vec<String>> {
    let name = state.file_name()?.to_string_lossy();
    if name.starts_with(BISECT) {
        return Some(vec![name.into_owned()]);
    }
    if !GIT_STATES.iter().any(|one| name == *one) {
        return None;
    }
    let mut steps = Vec::new();
    for list in STEP_LISTS {
        let text = read_text(root, &state.join(list));
        let runs = |line: &&str| {
            line.split_whitespace().next().is_some_and(|step| RUNNING_STEPS.contains(&step))
        };
        let line =
            |line: &str| format!("{list}: {}", line.chars().take(MAX_CHARS).collect::<String>());
        steps.extend(text.lines().map(str::trim).filter(runs).map(line).take(MAX_NAMES));
    }
    Some(steps)
}

/// Settings of a file, and hooks next to it, that may run a program.
fn all_suspicious(root: &Root, config: &Path) -> Vec<String> {
    if let Some(target) = gitdir_target(root, config) {
        return vec![format!("gitdir: {target}")];
    }
    if let Some(steps) = steps_that_run(root, config) {
        return steps;
    }
    let mut all = suspicious("", &read_text(root, config));
    if kind(root, config) == Some(ObjectKind::Link) {
        all.push("a link".to_owned());
    }
    let hooks = config.parent().map(|folder| folder.join(HOOKS_FOLDER)).unwrap_or_default();
    for entry in root.entries(&hooks).unwrap_or_default() {
        let name = entry.name().to_string_lossy().into_owned();
        if !name.ends_with(SAMPLE_SUFFIX) {
            all.push(format!("{HOOKS_FOLDER}/{name}"));
        }
    }
    all.sort_unstable();
    all.truncate(MAX_NAMES);
    all
}

/// Reads a file that a command may have created. One that git cannot read either is empty.
fn read_text(root: &Root, path: &Path) -> String {
    let bytes =
        root.read(path, MAX_BYTES).ok().flatten().map(|(bytes, _)| bytes).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Settings that are not in `before` and may run a program or include a file that does.
fn suspicious(before: &str, now: &str) -> Vec<String> {
    let known: BTreeSet<(String, &str)> = lines(before).collect();
    let added = lines(now).filter(|line| !known.contains(line));
    added
        .filter(|(section, line)| !is_harmless_setting(section, line))
        .map(|(section, line)| format!("{section}.{}", name(line)))
        .collect()
}

/// Every setting, with the name of its section.
fn lines(read_text: &str) -> impl Iterator<Item = (String, &str)> {
    let mut section = String::new();
    read_text.lines().map(str::trim).filter_map(move |line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return None;
        }
        let Some(rest) = line.strip_prefix('[') else { return Some((section.clone(), line)) };
        // A setting may follow on the line of the section header.
        let (head, after) = rest.split_once(']').unwrap_or((rest, ""));
        head.split(['"', '.'])
            .next()
            .unwrap_or_default()
            .trim()
            .to_lowercase()
            .clone_into(&mut section);
        let after = after.trim();
        (!after.is_empty()).then(|| (section.clone(), after))
    })
}

fn name(line: &str) -> String {
    let name = line.split('=').next().unwrap_or_default().trim();
    name.chars().take(MAX_CHARS).collect::<String>().to_lowercase()
}

fn is_harmless_setting(section: &str, line: &str) -> bool {
    // A continued line may hide anything.
    !line.ends_with('\\') && is_harmless(section, &name(line))
}

/// True for a setting that runs nothing and that git itself writes, by its section and name in lower case.
pub(super) fn is_harmless(section: &str, name: &str) -> bool {
    HARMLESS_SETTINGS.iter().any(|(one, names)| *one == section && names.contains(&name))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PLAIN: &str = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://a/b\n";

    #[test]
    fn only_settings_that_may_run_something_and_are_new_are_unusual() {
        for (more, findings) in [
            ("[branch \"a\"]\n\tremote = origin\n\tmerge = refs/heads/a\n", ""),
            ("[core]\n\tfsmonitor = evil\n", "core.fsmonitor"),
            ("[CORE] fsmonitor=evil\n", "core.fsmonitor"),
            ("[include]\n\tpath = ../evil\n", "include.path"),
            ("[filter \"x\"]\n\tclean = evil\n", "filter.clean"),
            ("[remote \"o\"]\n\tuploadpack = evil\n", "remote.uploadpack"),
            ("[user]\n\tname = a\\\n", "user.name"),
            ("fsmonitor = evil\n", "remote.fsmonitor"),
            ("# [core]\n; fsmonitor = evil\n", ""),
        ] {
            let now = format!("{PLAIN}{more}");
            assert_eq!(suspicious(PLAIN, &now).join(" "), findings, "{more}");
            assert_eq!(suspicious(&now, &now), [""; 0], "{more}");
        }
    }

    fn root() -> (tempfile::TempDir, Root) {
        let top = tempfile::tempdir().unwrap();
        let root = Root::open(&fs::canonicalize(top.path()).unwrap()).unwrap();
        (top, root)
    }

    #[test]
    fn a_new_repository_is_reported_if_its_settings_or_hooks_run_programs() {
        let (_top, root) = root();
        let git = root.path().join(".git");
        let config = git.join("config");
        fs::create_dir_all(git.join("hooks")).unwrap();
        fs::write(git.join("hooks/a.sample"), "").unwrap();
        fs::write(&config, PLAIN).unwrap();
        let mut settings = GitSettings::default();
        settings.add_created(&root, &git);
        assert_eq!(settings.findings(), []);
        fs::write(git.join("hooks/post-checkout"), "").unwrap();
        fs::write(&config, format!("{PLAIN}[alias]\n\tst = !evil\n")).unwrap();
        settings.add_created(&root, &git);
        let (file, names) = settings.findings().pop().unwrap();
        assert_eq!(
            (file, names.join(" ")),
            (config.clone(), "alias.st hooks/post-checkout".into())
        );
        fs::remove_file(git.join("hooks/post-checkout")).unwrap();
        settings.check(&root, std::iter::empty(), true);
        assert_eq!(settings.findings().pop().unwrap().1, ["alias.st"]);

        // A FIFO does not block and a symlink is not followed.
        fs::remove_file(&config).unwrap();
        let created = std::process::Command::new("mkfifo").arg(&config).status();
        assert!(created.unwrap().success());
        settings.add_created(&root, &git);
        assert_eq!(read_text(&root, &config), "");
        fs::remove_file(&config).unwrap();
        std::os::unix::fs::symlink("elsewhere", &config).unwrap();
        settings.add_created(&root, &git);
        settings.check(&root, std::iter::empty(), true);
        assert_eq!(settings.findings().pop().unwrap().1, ["a link"]);

        let file = root.path().join("sub/.git");
        fs::create_dir(root.path().join("sub")).unwrap();
        fs::write(&file, "gitdir: ../evil\n").unwrap();
        settings.add_created(&root, &file);
        assert!(settings.findings().contains(&(file.clone(), vec!["gitdir: ../evil".to_owned()])));
        fs::remove_file(&file).unwrap();
        settings.check(&root, std::iter::empty(), true);
        assert_eq!(settings.findings().len(), 1);
    }

    #[test]
    fn a_rebase_that_a_command_began_is_reported_if_one_of_its_steps_runs_a_program() {
        let (_top, root) = root();
        let state = root.path().join(".git/rebase-merge");
        fs::create_dir_all(&state).unwrap();
        let list = state.join("git-rebase-todo");
        fs::write(&list, "pick 1234 a\n# exec no\n").unwrap();
        let mut settings = GitSettings::default();
        settings.add_created(&root, &state);
        assert_eq!(settings.findings(), []);
        fs::write(&list, "pick 1234 a\nexec evil --now\n  x other\n").unwrap();
        settings.add_created(&root, &state);
        let steps = ["git-rebase-todo: exec evil --now", "git-rebase-todo: x other"];
        assert_eq!(settings.findings(), [(state, steps.map(str::to_owned).to_vec())]);
        let bisect = root.path().join(".git/BISECT_TERMS");
        fs::write(&bisect, "").unwrap();
        settings.add_created(&root, &bisect);
        fs::remove_file(&list).unwrap();
        settings.check(&root, std::iter::empty(), true);
        assert_eq!(settings.findings(), [(bisect, vec!["BISECT_TERMS".to_owned()])]);
    }

    #[test]
    fn a_setting_that_appeared_while_commands_ran_is_reported_until_it_is_removed() {
        let (_top, root) = root();
        let file = root.path().join("config");
        let evil = format!("{PLAIN}[core]\n\tfsmonitor = evil\n");
        let mut settings = GitSettings::default();
        let mut check = |read_text: &str, idle: bool| {
            fs::write(&file, read_text).unwrap();
            settings.check(&root, [file.as_path()].into_iter(), idle);
            settings.findings().len()
        };
        assert_eq!(check(PLAIN, true), 0);
        assert_eq!(check(&evil, true), 0, "nothing ran: it is the user's");
        assert_eq!(check(&evil, false), 0);
        assert_eq!(check(PLAIN, false), 0);
        assert_eq!(check(&evil, false), 1);
        assert_eq!(check(&evil, true), 1, "it is still there");
        assert_eq!(check(PLAIN, true), 0);
    }
}
