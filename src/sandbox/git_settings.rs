//! Detects git settings that changed while commands ran. A read-only mount of `.git/config` is lost when
//! a process outside the sandbox replaces the file, as `git config` does; a running command can then
//! write the new file. A command can also create a repository. Neither can be prevented, so it is
//! detected.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::domain::reserved::GIT;

/// The folder of hooks, and the suffix of samples, which git does not run.
const HOOKS_FOLDER: &str = "hooks";
const SAMPLE_SUFFIX: &str = ".sample";
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
    pub fn check<'a>(&mut self, files: impl Iterator<Item = &'a PathBuf>, idle: bool) {
        let is_one = |path: &&PathBuf| CONFIG_FILES.iter().any(|name| path.ends_with(name));
        for path in files.filter(is_one) {
            let now = read_text(path);
            let before = self.contents.get(path).map_or("", String::as_str);
            let added = if idle { Vec::new() } else { suspicious(before, &now) };
            if !added.is_empty() {
                self.findings.entry(path.clone()).or_default().extend(added);
            }
            self.contents.insert(path.clone(), now);
        }
        // Drop findings that were removed.
        self.findings.retain(|path, names| {
            let current = all_suspicious(path);
            names.retain(|name| current.contains(name));
            !names.is_empty()
        });
    }

    /// Checks a repository that a command created, given by its `.git` or `HEAD`.
    pub fn add_created(&mut self, path: &Path) {
        let inside = if path.is_dir() { Some(path) } else { path.parent() };
        let config = inside.map(|folder| folder.join("config")).unwrap_or_default();
        let (file, added) = match gitdir_target(path) {
            // Later changes there are not detected.
            Some(target) => (path.to_owned(), vec![format!("gitdir: {target}")]),
            None => (config.clone(), all_suspicious(&config)),
        };
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

/// The folder that a `.git` file names.
fn gitdir_target(git: &Path) -> Option<String> {
    let is_one = git.is_file() && git.file_name().is_some_and(|name| name == GIT);
    let contents = is_one.then(|| read_text(git))?;
    let target = contents.lines().next().unwrap_or_default().trim_start_matches("gitdir:").trim();
    Some(target.chars().take(MAX_CHARS).collect())
}

/// Settings of a file, and hooks next to it, that may run a program.
fn all_suspicious(config: &Path) -> Vec<String> {
    if let Some(target) = gitdir_target(config) {
        return vec![format!("gitdir: {target}")];
    }
    let mut all = suspicious("", &read_text(config));
    if config.is_symlink() {
        all.push("a link".to_owned());
    }
    let hooks = config.parent().map(|folder| folder.join(HOOKS_FOLDER)).unwrap_or_default();
    for entry in fs::read_dir(hooks).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(SAMPLE_SUFFIX) {
            all.push(format!("{HOOKS_FOLDER}/{name}"));
        }
    }
    all.sort_unstable();
    all.truncate(MAX_NAMES);
    all
}

/// Reads a file that a command may have created: follows no symlinks and never blocks.
fn read_text(path: &Path) -> String {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let mut bytes = Vec::new();
    if let Ok(file) = options.open(path)
        && file.metadata().is_ok_and(|meta| meta.is_file())
    {
        // git cannot read it either.
        let _ = file.take(MAX_BYTES).read_to_end(&mut bytes);
    }
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
    let name = name(line);
    // A continued line may hide anything.
    !line.ends_with('\\')
        && HARMLESS_SETTINGS
            .iter()
            .any(|(one, names)| *one == section && names.contains(&name.as_str()))
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

    #[test]
    fn a_new_repository_is_reported_if_its_settings_or_hooks_run_programs() {
        let top = tempfile::tempdir().unwrap();
        let git = top.path().join(".git");
        let config = git.join("config");
        fs::create_dir_all(git.join("hooks")).unwrap();
        fs::write(git.join("hooks/a.sample"), "").unwrap();
        fs::write(&config, PLAIN).unwrap();
        let mut settings = GitSettings::default();
        settings.add_created(&git);
        assert_eq!(settings.findings(), []);
        fs::write(git.join("hooks/post-checkout"), "").unwrap();
        fs::write(&config, format!("{PLAIN}[alias]\n\tst = !evil\n")).unwrap();
        settings.add_created(&git);
        let (file, names) = settings.findings().pop().unwrap();
        assert_eq!(
            (file, names.join(" ")),
            (config.clone(), "alias.st hooks/post-checkout".into())
        );
        fs::remove_file(git.join("hooks/post-checkout")).unwrap();
        settings.check(std::iter::empty(), true);
        assert_eq!(settings.findings().pop().unwrap().1, ["alias.st"]);

        // A FIFO does not block and a symlink is not followed.
        fs::remove_file(&config).unwrap();
        let created = std::process::Command::new("mkfifo").arg(&config).status();
        assert!(created.unwrap().success());
        settings.add_created(&git);
        assert_eq!(read_text(&config), "");
        fs::remove_file(&config).unwrap();
        std::os::unix::fs::symlink("elsewhere", &config).unwrap();
        settings.add_created(&git);
        settings.check(std::iter::empty(), true);
        assert_eq!(settings.findings().pop().unwrap().1, ["a link"]);

        let file = top.path().join("sub/.git");
        fs::create_dir(top.path().join("sub")).unwrap();
        fs::write(&file, "gitdir: ../evil\n").unwrap();
        settings.add_created(&file);
        assert!(settings.findings().contains(&(file.clone(), vec!["gitdir: ../evil".to_owned()])));
        fs::remove_file(&file).unwrap();
        settings.check(std::iter::empty(), true);
        assert_eq!(settings.findings().len(), 1);
    }

    #[test]
    fn a_setting_that_appeared_while_commands_ran_is_reported_until_it_is_removed() {
        let top = tempfile::tempdir().unwrap();
        let files = [top.path().join("config")];
        let evil = format!("{PLAIN}[core]\n\tfsmonitor = evil\n");
        let mut settings = GitSettings::default();
        let mut check = |read_text: &str, idle: bool| {
            fs::write(&files[0], read_text).unwrap();
            settings.check(files.iter(), idle);
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
