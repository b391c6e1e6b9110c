//! `git`: looking at history and differences. A repository may name programs that git runs while it
//! looks, and git has kept what lies in closed folders. So this is a sandbox of its own: what of a
//! repository is read is decided in `repository.rs`, what of its content in `paths.rs`.

mod options;
mod paths;
mod repository;

use std::path::Path;

use self::options::{Told, told};
use self::repository::Repository;
use super::place::PathCheck;
use super::refusal::Refusal;

/// Of the person's own configuration nothing is read, nothing is fetched, and nobody is asked.
const ENVIRONMENT: [(&str, &str); 13] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // No way to fetch has this name, so there is none, also where git knows no better.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    ("GIT_DISCOVERY_ACROSS_FILESYSTEM", "0"),
];
/// What a repository may ask git to run or to read elsewhere, switched off.
const SETTINGS: [&str; 23] = [
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=false",
    "core.askPass=false",
    "core.sshCommand=false",
    "core.gitProxy=false",
    "core.alternateRefsCommand=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "credential.helper=",
    "protocol.allow=never",
    "uploadpack.packObjectsHook=",
    "diff.submodule=short",
    "diff.orderFile=/dev/null",
    // It would write the index, and tell a hook.
    "diff.autoRefreshIndex=false",
    "status.submoduleSummary=false",
    "mailmap.file=/dev/null",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
];

/// The environment of git in this workspace: it looks for no repository above it.
pub(super) fn environment(workspace: &Path) -> impl Iterator<Item = (String, String)> {
    let real = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_owned());
    let ceiling = real.parent().unwrap_or(&real).display().to_string();
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    ENVIRONMENT.into_iter().map(own).chain([("GIT_CEILING_DIRECTORIES".to_owned(), ceiling)])
}

/// `git [-C folder] show|status|diff|log|blame …`
pub(super) fn git(words: &[String], place: &PathCheck<'_>) -> Result<Vec<String>, Refusal> {
    let mut rest = words;
    let mut inner = None;
    if let [option, folder, after @ ..] = rest
        && option == "-C"
    {
        inner = Some((folder.clone(), place.inner(folder)?));
        rest = after;
    }
    let Some((command, rest)) = rest.split_first() else { return Err(Refusal::Incomplete) };
    let told: Told<'_> = told(command, rest)?;
    let at = inner.as_ref().map_or(&place.folder, |(_, at)| at);
    let repository = Repository::find(place, at)?;
    let asked = paths::Asked { place, repository: &repository, folder: at };
    let (revisions, paths) = asked.asked(command, &told)?;

    let mut arguments = vec!["--no-pager".to_owned(), "--no-optional-locks".to_owned()];
    // What comes later wins.
    let settings = repository.emptied.iter().cloned().chain(SETTINGS.map(str::to_owned));
    arguments.extend(settings.flat_map(|setting| ["-c".to_owned(), setting]));
    arguments.extend(inner.into_iter().flat_map(|(folder, _)| ["-C".to_owned(), folder]));
    arguments.push(format!("--git-dir={}", repository.git_dir.display()));
    arguments.push(format!("--work-tree={}", repository.top.display()));
    arguments.push(command.clone());
    arguments.extend(always(command).iter().map(|&option| option.to_owned()));
    if matches!(command.as_str(), "log" | "show") && told.paths.is_empty() {
        // Paths that are left out leave out no commit.
        arguments.extend(["--full-history".to_owned(), "--sparse".to_owned()]);
    }
    arguments.extend(told.options.iter().map(|&option| option.to_owned()));
    arguments.extend(revisions);
    arguments.push("--".to_owned());
    arguments.extend(paths);
    Ok(arguments)
}

fn always(command: &str) -> &'static [&'static str] {
    match command {
        "status" => &["--ignore-submodules=all"],
        "blame" => &["--no-textconv", "--no-ignore-revs-file"],
        "diff" => {
            &["--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=all"]
        }
        _ => &["--no-ext-diff", "--no-textconv", "--submodule=short"],
    }
}

fn option_of(option: &str) -> Refusal {
    Refusal::Option { program: "git".to_owned(), option: option.to_owned() }
}
