//! The repository of a folder, and what of it git may read. A repository that leads elsewhere is not read
//! at all; of its settings, those not on an allow list are overridden with an empty value.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::super::place::PathCheck;
use super::super::refusal::{GitFault, LineRefusal};
use super::super::run::{resolve, search_path};
use super::settings::environment;
use crate::sandbox::CommandSpec;

/// A repository that may be read.
#[derive(Debug)]
pub(super) struct Repository {
    /// The folder that holds `.git`.
    pub top: PathBuf,
    pub git_dir: PathBuf,
    /// The folder that holds it, below the workspace.
    pub below: PathBuf,
    /// Settings that are passed to git as empty.
    pub emptied: BTreeSet<String>,
}

/// Entries of `.git` that are looked at.
const MAX_ENTRIES: usize = 500_000;
/// Settings that are made empty.
const MAX_SETTINGS: usize = 500;
/// Folders of `.git` that the commands here never read.
const UNREAD: [&str; 4] = ["hooks", "modules", "lfs", "annex"];

/// Sections whose settings run nothing while git looks, except settings whose names suggest it.
const SECTIONS: &str = "advice alias author branch color column commit committer extensions feature fetch \
    format gc gitk gui i18n index init lfs log maintenance merge pack pretty pull push rebase receive \
    remote rerere stash status submodule tag transfer url user versionsort";
/// Ends of names that tell of a program or of a file elsewhere.
const TELLING: &str = "askpass clean cmd command driver editor external file helper hook pack pager path \
    process program proxy smudge summary template textconv tool vcs";
const CORE: &str = "abbrev autocrlf bare bigfilethreshold checkstat commentchar commitgraph compression \
    eol filemode fscache hidedotfiles ignorecase logallrefupdates longpaths loosecompression multipackindex \
    packedgitlimit packedgitwindowsize precomposeunicode preferheadref preloadindex protecthfs protectntfs \
    quotepath repositoryformatversion safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex \
    symlinks trustctime untrackedcache warnambiguousrefs whitespace";
const DIFF: &str = "algorithm autorefreshindex binary cachetextconv colormoved colormovedws context \
    dirstat ignoresubmodules indentheuristic interhunkcontext mnemonicprefix noprefix renamelimit renames \
    statgraphwidth statnamewidth suppressblankempty trustexitcode wordregex wserrorhighlight xfuncname";
const BLAME: &str =
    "blankboundary coloring date markignoredlines markunblamablelines showemail showroot";

impl Repository {
    /// The nearest one, from this folder up to the workspace.
    pub fn find(place: &PathCheck<'_>, folder: &Path) -> Result<Self, LineRefusal> {
        let refused = LineRefusal::Git;
        let workspace =
            fs::canonicalize(place.workspace).map_err(|_| refused(GitFault::Unreadable))?;
        let found = folder
            .ancestors()
            .find(|at| fs::symlink_metadata(workspace.join(at).join(".git")).is_ok());
        let below = found.ok_or_else(|| refused(GitFault::None))?;
        let top = workspace.join(below);
        let git_dir = top.join(".git");
        is_whole(&git_dir).map_err(refused)?;
        let emptied = emptied(&git_dir, place).map_err(refused)?;
        Ok(Self { top, git_dir, below: below.to_owned(), emptied })
    }
}

/// Checks that everything git reads of the repository lies in it.
fn is_whole(git_dir: &Path) -> Result<(), GitFault> {
    let is_folder = fs::symlink_metadata(git_dir).is_ok_and(|meta| meta.is_dir());
    if !is_folder || git_dir.join("commondir").symlink_metadata().is_ok() {
        return Err(GitFault::Elsewhere(".git".to_owned()));
    }
    let alternates = Path::new("objects/info/alternates");
    if fs::symlink_metadata(git_dir.join(alternates)).is_ok_and(|meta| meta.len() > 0) {
        return Err(GitFault::Elsewhere(format!(".git/{}", alternates.display())));
    }
    let mut folders = vec![git_dir.to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|_| GitFault::Unreadable)? {
            let entry = entry.map_err(|_| GitFault::Unreadable)?;
            let name = entry.file_name();
            if folder == git_dir && UNREAD.iter().any(|unread| name == *unread) {
                continue;
            }
            seen += 1;
            let kind = entry.file_type().map_err(|_| GitFault::Unreadable)?;
            if kind.is_symlink() {
                let path = entry.path();
                let shown = path.strip_prefix(git_dir).unwrap_or(&path).display().to_string();
                return Err(GitFault::Elsewhere(format!(".git/{shown}")));
            }
            if kind.is_dir() {
                folders.push(entry.path());
            }
        }
        if seen > MAX_ENTRIES {
            return Err(GitFault::TooLarge);
        }
    }
    Ok(())
}

/// Reads the settings of this repository and nothing else: git gets the path of their file, outside of any
/// repository, and follows no file they include.
fn emptied(git_dir: &Path, place: &PathCheck<'_>) -> Result<BTreeSet<String>, GitFault> {
    let mut emptied = BTreeSet::new();
    for file in ["config", "config.worktree"].map(|name| git_dir.join(name)) {
        if fs::symlink_metadata(&file).is_err() {
            continue;
        }
        let names = settings(&file, place)?;
        for name in names.split('\0').filter(|name| !name.is_empty()) {
            if leads_elsewhere(name) || name.contains(['=', '\n']) {
                return Err(GitFault::Setting(name.to_owned()));
            }
            if !is_harmless(name) {
                emptied.insert(format!("{name}="));
            }
        }
    }
    if emptied.len() > MAX_SETTINGS { Err(GitFault::TooLarge) } else { Ok(emptied) }
}

/// The names of the settings of a file, each with a NUL behind it.
fn settings(file: &Path, place: &PathCheck<'_>) -> Result<String, GitFault> {
    // Without git, or without its sandbox, the line is not run, and the refusal says so later.
    let Some(git) = resolve("git") else { return Ok(String::new()) };
    let git = git.display().to_string();
    let file = file.to_str().ok_or(GitFault::Unreadable)?;
    let arguments =
        ["-C", "/", "config", "--no-includes", "--null", "--name-only", "--list", "--file", file];
    let mut placeholders = None;
    let mut command = match &place.command_sandbox {
        None => {
            let mut command = Command::new(git);
            command.args(arguments);
            command
        }
        Some(command_sandbox) => {
            let folder = place.workspace;
            let spec = CommandSpec { program: &git, arguments: &arguments, folder, stay: false };
            if command_sandbox.sandbox.means(command_sandbox.level).is_err() {
                return Ok(String::new());
            }
            let wrapped = command_sandbox.sandbox.wrap(command_sandbox.level, spec);
            let wrapped = wrapped.map_err(|_| GitFault::Unreadable)?;
            let mut command = Command::new(&wrapped.program);
            command.args(&wrapped.arguments);
            placeholders = Some(wrapped.placeholders);
            command
        }
    };
    let output = command
        .current_dir("/")
        .env_clear()
        .env("PATH", search_path())
        .envs(environment(place.workspace))
        .stdin(Stdio::null())
        .output();
    drop(placeholders);
    let output =
        output.ok().filter(|output| output.status.success()).ok_or(GitFault::Unreadable)?;
    String::from_utf8(output.stdout).map_err(|_| GitFault::Unreadable)
}

/// Settings that nothing said later takes back.
fn leads_elsewhere(name: &str) -> bool {
    let section = name.split('.').next().unwrap_or(name);
    matches!(section, "include" | "includeif") || name == "core.worktree"
}

/// The name as git tells it: section and last part in lower case.
fn is_harmless(name: &str) -> bool {
    let (section, rest) = name.split_once('.').unwrap_or((name, ""));
    let last = rest.rsplit_once('.').map_or(rest, |(_, last)| last);
    let lists = |list: &str, name: &str| list.split_whitespace().any(|known| known == name);
    match section {
        "core" => lists(CORE, rest),
        "diff" => lists(DIFF, last),
        "blame" => lists(BLAME, rest),
        _ => lists(SECTIONS, section) && !TELLING.split_whitespace().any(|end| last.ends_with(end)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_settings_only_those_that_run_nothing_are_left() {
        for (name, harmless) in [
            ("core.repositoryformatversion", true),
            ("core.filemode", true),
            ("user.name", true),
            ("remote.origin.url", true),
            ("branch.feature.x.merge", true),
            ("status.showuntrackedfiles", true),
            ("diff.algorithm", true),
            ("diff.rust.xfuncname", true),
            ("core.fsmonitor", false),
            ("core.unknown", false),
            ("diff.external", false),
            ("diff.rust.command", false),
            ("diff.rust.textconv", false),
            ("filter.lfs.clean", false),
            ("filter.lfs.process", false),
            ("gpg.program", false),
            ("gpg.ssh.defaultkeycommand", false),
            ("remote.origin.uploadpack", false),
            ("remote.origin.vcs", false),
            ("pager.log", false),
            ("hook.x.command", false),
            ("trailer.x.cmd", false),
            ("blame.ignorerevsfile", false),
            ("unknown.to.us", false),
        ] {
            assert_eq!(is_harmless(name), harmless, "{name}");
        }
    }
}
