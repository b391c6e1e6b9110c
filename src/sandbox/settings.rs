//! Settings of git that were changed while commands ran. A read-only mount of `.git/config` is gone as soon
//! as somebody outside replaces the file, as `git config` does; a command that runs then can write what has
//! taken its place. A command can make a repository of its own, too. Neither can be kept from happening, so
//! it is looked for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use crate::domain::reserved::GIT;

/// Where git looks for programs, and the ending of those that git itself puts there and does not run.
const HOOKS: &str = "hooks";
const SAMPLE: &str = ".sample";
/// Files that are remembered.
const MAX_FOUND: usize = 200;
/// That are named of one repository, and of the name of each.
const MAX_NAMES: usize = 20;
const MAX_CHARS: usize = 120;
/// Of the files that git reads as settings.
const NAMES: [&str; 2] = ["config", "config.worktree"];
/// Of a file of settings; what is longer is not ordinary.
const MAX_BYTES: u64 = 1024 * 1024;
/// Settings that run nothing, as git itself writes them: the section, and the names in it.
const ORDINARY: [(&str, &[&str]); 6] = [
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

/// What each file said when nothing ran that could have changed it.
#[derive(Debug, Default)]
pub(super) struct Settings {
    said: BTreeMap<PathBuf, String>,
    /// What has been found: the file, and the settings in it.
    found: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl Settings {
    /// Looks at the files. `idle`: no command has run since the last look, so that all of it is the
    /// person's.
    pub fn look<'a>(&mut self, files: impl Iterator<Item = &'a PathBuf>, idle: bool) {
        let is_one = |path: &&PathBuf| NAMES.iter().any(|name| path.ends_with(name));
        for path in files.filter(is_one) {
            let now = text(path);
            let before = self.said.get(path).map_or("", String::as_str);
            let new = if idle { Vec::new() } else { unusual(before, &now) };
            if !new.is_empty() {
                self.found.entry(path.clone()).or_default().extend(new);
            }
            self.said.insert(path.clone(), now);
        }
        // What is not there any more needs no look.
        self.found.retain(|path, names| {
            let there = all_unusual(path);
            names.retain(|name| there.contains(name));
            !names.is_empty()
        });
    }

    /// A repository that a command has made, by its `.git` or its `HEAD`: nothing in it is the person's.
    pub fn made(&mut self, path: &Path) {
        let inside = if path.is_dir() { Some(path) } else { path.parent() };
        let config = inside.map(|folder| folder.join("config")).unwrap_or_default();
        let (file, new) = match leads_to(path) {
            // Whoever writes there later is not seen.
            Some(to) => (path.to_owned(), vec![format!("gitdir: {to}")]),
            None => (config.clone(), all_unusual(&config)),
        };
        if !new.is_empty() && self.found.len() < MAX_FOUND {
            self.found.entry(file).or_default().extend(new);
        }
    }

    /// The files, with the settings that came into them while commands ran.
    pub fn found(&self) -> Vec<(PathBuf, Vec<String>)> {
        let each = self.found.iter();
        each.map(|(path, names)| (path.clone(), names.iter().cloned().collect())).collect()
    }
}

/// The folder that a `.git` names which is a file.
fn leads_to(git: &Path) -> Option<String> {
    let is_one = git.is_file() && git.file_name().is_some_and(|name| name == GIT);
    let said = is_one.then(|| text(git))?;
    let to = said.lines().next().unwrap_or_default().trim_start_matches("gitdir:").trim();
    Some(to.chars().take(MAX_CHARS).collect())
}

/// Settings of a file, and programs beside it, that may run.
fn all_unusual(config: &Path) -> Vec<String> {
    if let Some(to) = leads_to(config) {
        return vec![format!("gitdir: {to}")];
    }
    let mut all = unusual("", &text(config));
    if config.is_symlink() {
        all.push("a link".to_owned());
    }
    let hooks = config.parent().map(|folder| folder.join(HOOKS)).unwrap_or_default();
    for entry in fs::read_dir(hooks).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(SAMPLE) {
            all.push(format!("{HOOKS}/{name}"));
        }
    }
    all.sort();
    all.truncate(MAX_NAMES);
    all
}

/// A command may have put anything there: links are not followed, and nothing is waited for.
fn text(path: &Path) -> String {
    let mut how = OpenOptions::new();
    how.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let mut bytes = Vec::new();
    if let Ok(file) = how.open(path)
        && file.metadata().is_ok_and(|meta| meta.is_file())
    {
        // One that cannot be read says nothing to git either.
        let _ = file.take(MAX_BYTES).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Settings that are not in `before` and may run something, or lead to a file that does.
fn unusual(before: &str, now: &str) -> Vec<String> {
    let known: BTreeSet<(String, &str)> = lines(before).collect();
    let new = lines(now).filter(|line| !known.contains(line));
    new.filter(|(section, line)| !is_ordinary(section, line))
        .map(|(section, line)| format!("{section}.{}", name(line)))
        .collect()
}

/// Every line that sets something, with the name of its section.
fn lines(text: &str) -> impl Iterator<Item = (String, &str)> {
    let mut section = String::new();
    text.lines().map(str::trim).filter_map(move |line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return None;
        }
        let Some(rest) = line.strip_prefix('[') else { return Some((section.clone(), line)) };
        // A setting may follow on the line of its section.
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

fn is_ordinary(section: &str, line: &str) -> bool {
    let name = name(line);
    // A line that goes on may hide anything.
    !line.ends_with('\\')
        && ORDINARY.iter().any(|(one, names)| *one == section && names.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PLAIN: &str = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://a/b\n";

    #[test]
    fn only_settings_that_may_run_something_and_are_new_are_unusual() {
        for (more, found) in [
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
            assert_eq!(unusual(PLAIN, &now).join(" "), found, "{more}");
            assert_eq!(unusual(&now, &now), [""; 0], "{more}");
        }
    }

    #[test]
    fn a_repository_that_was_made_is_found_if_it_names_programs_or_brings_them() {
        let top = tempfile::tempdir().unwrap();
        let git = top.path().join(".git");
        let config = git.join("config");
        fs::create_dir_all(git.join("hooks")).unwrap();
        fs::write(git.join("hooks/a.sample"), "").unwrap();
        fs::write(&config, PLAIN).unwrap();
        let mut settings = Settings::default();
        settings.made(&git);
        assert_eq!(settings.found(), []);
        fs::write(git.join("hooks/post-checkout"), "").unwrap();
        fs::write(&config, format!("{PLAIN}[alias]\n\tst = !evil\n")).unwrap();
        settings.made(&git);
        let (file, names) = settings.found().pop().unwrap();
        assert_eq!(
            (file, names.join(" ")),
            (config.clone(), "alias.st hooks/post-checkout".into())
        );
        fs::remove_file(git.join("hooks/post-checkout")).unwrap();
        settings.look(std::iter::empty(), true);
        assert_eq!(settings.found().pop().unwrap().1, ["alias.st"]);

        // Neither of these is waited for, or followed.
        fs::remove_file(&config).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&config).status();
        assert!(made.unwrap().success());
        settings.made(&git);
        assert_eq!(text(&config), "");
        fs::remove_file(&config).unwrap();
        std::os::unix::fs::symlink("elsewhere", &config).unwrap();
        settings.made(&git);
        settings.look(std::iter::empty(), true);
        assert_eq!(settings.found().pop().unwrap().1, ["a link"]);

        let file = top.path().join("sub/.git");
        fs::create_dir(top.path().join("sub")).unwrap();
        fs::write(&file, "gitdir: ../evil\n").unwrap();
        settings.made(&file);
        assert!(settings.found().contains(&(file.clone(), vec!["gitdir: ../evil".to_owned()])));
        fs::remove_file(&file).unwrap();
        settings.look(std::iter::empty(), true);
        assert_eq!(settings.found().len(), 1);
    }

    #[test]
    fn what_came_while_commands_ran_is_found_until_it_is_gone() {
        let top = tempfile::tempdir().unwrap();
        let files = [top.path().join("config")];
        let evil = format!("{PLAIN}[core]\n\tfsmonitor = evil\n");
        let mut settings = Settings::default();
        let mut look = |text: &str, idle: bool| {
            fs::write(&files[0], text).unwrap();
            settings.look(files.iter(), idle);
            settings.found().len()
        };
        assert_eq!(look(PLAIN, true), 0);
        assert_eq!(look(&evil, true), 0, "nothing ran: it is the person's");
        assert_eq!(look(&evil, false), 0);
        assert_eq!(look(PLAIN, false), 0);
        assert_eq!(look(&evil, false), 1);
        assert_eq!(look(&evil, true), 1, "it is still there");
        assert_eq!(look(PLAIN, true), 0);
    }
}
