//! `git`: looking at history and differences. A repository may name programs that git runs while it
//! looks; each way to do so is switched off.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use super::place::Place;
use super::refusal::Refusal;
use super::run::{resolve, search_path};
use crate::domain::Reserved;
use crate::domain::reserved::of_path;
use crate::sandbox::Order;

type Checked = Result<Vec<String>, Refusal>;

const GIT_COMMANDS: [&str; 5] = ["show", "status", "diff", "log", "blame"];
/// Options without a value, or with one behind `=`.
const GIT_OPTIONS: &str = "--abbrev --abbrev-commit --all --after --ahead-behind --author --before --branch \
    --branches --cached --cc --color --color-words --date --decorate --diff-algorithm --diff-filter \
    --exit-code --find-renames --first-parent --follow --format --full-index --graph --grep \
    --histogram --ignore-all-space --ignore-blank-lines --ignore-space-change --long --max-count \
    --merge-base --merges --minimal --name-only --name-status --no-abbrev --no-color --no-merges \
    --no-patch --no-renames --no-walk --numstat --oneline --patch --patience --pickaxe-regex --porcelain \
    --pretty --raw --remotes --reverse --short --shortstat --show-stash --since --skip --staged --stat \
    --summary --tags --topo-order --unified --until --untracked-files --word-diff -E -F -M -a -b -i \
    -p -s -sb -u -w -z";
/// Options whose value is the next word or stands right behind them.
const GIT_VALUED: [&str; 5] = ["-n", "-L", "-S", "-G", "-U"];
/// What a repository may ask git to run, switched off.
const GIT_SETTINGS: [&str; 8] = [
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
];

/// Of the person's own configuration nothing is read.
pub(super) const GIT_ENVIRONMENT: [(&str, &str); 5] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
];

/// `git [-C folder] show|status|diff|log|blame …`
pub(super) fn git(words: &[String], place: &Place<'_>) -> Checked {
    let mut rest = words;
    let mut folder_option = Vec::new();
    let mut at = place.folder.clone();
    if let [option, folder, after @ ..] = rest
        && option == "-C"
    {
        at = place.inner(folder)?;
        folder_option.extend([option.clone(), folder.clone()]);
        rest = after;
    }
    let Some((command, rest)) = rest.split_first() else { return Err(Refusal::Incomplete) };
    if !GIT_COMMANDS.contains(&command.as_str()) {
        return Err(option_of("git", command));
    }
    git_words(rest)?;
    let mut arguments = vec!["--no-pager".to_owned(), "--no-optional-locks".to_owned()];
    let settings = GIT_SETTINGS.map(str::to_owned).into_iter().chain(filters_off(place, &at)?);
    arguments.extend(settings.flat_map(|setting| ["-c".to_owned(), setting]));
    arguments.extend(folder_option);
    arguments.push(command.clone());
    if command != "status" {
        arguments.extend(["--no-ext-diff".to_owned(), "--no-textconv".to_owned()]);
    }
    if matches!(command.as_str(), "status" | "diff") {
        arguments.push("--ignore-submodules=all".to_owned());
    }
    arguments.extend(rest.iter().cloned());
    Ok(arguments)
}

/// Filters are programs that git runs to compare a file with what is recorded. There is no switch for all
/// of them, so each that the repository names is made empty.
fn filters_off(place: &Place<'_>, folder: &Path) -> Result<BTreeSet<String>, Refusal> {
    let Some(git) = resolve("git") else { return Ok(BTreeSet::new()) };
    let git = git.display().to_string();
    let arguments = ["config", "--includes", "--null", "--name-only", "--get-regexp", r"^filter\."];
    let folder = place.workspace.join(folder);
    let mut standing = None;
    let mut command = match &place.wall {
        None => {
            let mut command = Command::new(git);
            command.args(arguments).current_dir(folder);
            command
        }
        Some(wall) => {
            let order =
                Order { program: &git, arguments: &arguments, folder: &folder, stay: false };
            // Where there is no wall to be had, the line is not run either.
            let Ok(wrapped) = wall.sandbox.wrap(wall.level, order) else {
                return Ok(BTreeSet::new());
            };
            let mut command = Command::new(&wrapped.program);
            command.args(&wrapped.arguments).current_dir("/");
            standing = Some(wrapped.standing);
            command
        }
    };
    let told = command
        .env_clear()
        .env("PATH", search_path())
        .envs(GIT_ENVIRONMENT)
        .stdin(Stdio::null())
        .output();
    drop(standing);
    let names = told.map(|told| told.stdout).unwrap_or_default();
    let names = String::from_utf8_lossy(&names).into_owned();
    let mut settings = BTreeSet::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        let filter = name.rsplit_once('.').map_or(name, |(filter, _)| filter);
        if filter.contains(['=', '\n', '\u{fffd}']) {
            return Err(Refusal::Option { program: "git".to_owned(), option: filter.to_owned() });
        }
        let off = ["clean=", "smudge=", "process=", "required=false"];
        settings.extend(off.map(|setting| format!("{filter}.{setting}")));
    }
    Ok(settings)
}

fn git_words(words: &[String]) -> Result<(), Refusal> {
    let mut words = words.iter();
    let mut only_paths = false;
    while let Some(word) = words.next() {
        if only_paths || !word.starts_with('-') {
            git_operand(word)?;
            continue;
        }
        let bare = word.split_once('=').map_or(word.as_str(), |(bare, _)| bare);
        let counts = word.get(1..).is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
        if word == "--" {
            only_paths = true;
        } else if GIT_VALUED.contains(&word.as_str()) {
            words.next().ok_or_else(|| no_value("git", word))?;
        } else if !GIT_OPTIONS.split(' ').any(|known| known == bare)
            && !GIT_VALUED.iter().any(|known| word.starts_with(known))
            && !counts
        {
            return Err(option_of("git", word));
        }
    }
    Ok(())
}

/// A revision or a path. Outside of its tree git compares any two files, so no path leaves the
/// workspace; the reserved areas are closed in all that git has kept, too.
fn git_operand(word: &str) -> Result<(), Refusal> {
    let refused = || Refusal::Path {
        path: word.to_owned(),
        why: "git: `..` of a path, absolute paths, .minds, .dialogs, .hive, *.tsk / 路径不可用"
            .to_owned(),
    };
    if word.starts_with(":(") {
        return Err(refused());
    }
    let path = word.rsplit_once(':').map_or(word, |(_, path)| path);
    let leaves = Path::new(path).is_absolute() || path.split('/').any(|part| part == "..");
    let closed = of_path(path).any(Reserved::is_closed_to_readers);
    if leaves || closed { Err(refused()) } else { Ok(()) }
}

fn option_of(program: &str, option: &str) -> Refusal {
    Refusal::Option { program: program.to_owned(), option: option.to_owned() }
}

fn no_value(program: &str, option: &str) -> Refusal {
    Refusal::NoValue { program: program.to_owned(), option: option.to_owned() }
}
