//! `find`, `git` and the programs that only tell their version.

use std::path::Path;

use super::place::{Kind, Place};
use super::refusal::Refusal;

type Checked = Result<Vec<String>, Refusal>;

/// Tests and actions of `find` that only look and print.
const FIND_ALONE: [&str; 16] = [
    "-print", "-print0", "-empty", "-not", "!", "-a", "-and", "-o", "-or", "(", ")", "-prune",
    "-depth", "-quit", "-mount", "-xdev",
];
const FIND_VALUED: [&str; 22] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-maxdepth",
    "-mindepth",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-perm",
    "-user",
    "-group",
    "-printf",
];

/// `find [folder]… [test]…`
pub(super) fn find(words: &[String], place: &Place<'_>) -> Checked {
    let mut rest = words.iter();
    let mut among_folders = true;
    while let Some(word) = rest.next() {
        let begins_tests = word.starts_with('-') || word == "!" || word == "(" || word == ")";
        if among_folders && !begins_tests {
            place.judge(word, Kind::Any)?;
            continue;
        }
        among_folders = false;
        if FIND_VALUED.contains(&word.as_str()) {
            rest.next().ok_or_else(|| no_value("find", word))?;
        } else if word == "-newer" {
            let file = rest.next().ok_or_else(|| no_value("find", word))?;
            place.judge(file, Kind::Any)?;
        } else if !FIND_ALONE.contains(&word.as_str()) {
            return Err(option_of("find", word));
        }
    }
    Ok(words.to_vec())
}

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
/// What a repository may ask git to run is switched off.
const GIT_ALWAYS: [&str; 12] = [
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.pager=cat",
    "-c",
    "log.showSignature=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
];

/// `git [-C folder] show|status|diff|log|blame …`
pub(super) fn git(words: &[String], place: &Place<'_>) -> Checked {
    let mut rest = words;
    let mut arguments: Vec<String> = GIT_ALWAYS.map(str::to_owned).to_vec();
    if let [option, folder, after @ ..] = rest
        && option == "-C"
    {
        place.inner(folder)?;
        arguments.extend([option.clone(), folder.clone()]);
        rest = after;
    }
    let Some((command, rest)) = rest.split_first() else { return Err(Refusal::Incomplete) };
    if !GIT_COMMANDS.contains(&command.as_str()) {
        return Err(option_of("git", command));
    }
    arguments.push(command.clone());
    if matches!(command.as_str(), "diff" | "show" | "log") {
        arguments.extend(["--no-ext-diff".to_owned(), "--no-textconv".to_owned()]);
    }
    git_words(rest)?;
    arguments.extend(rest.iter().cloned());
    Ok(arguments)
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
        why: "git: `..` of a path, absolute paths, .minds, .dialogs, *.tsk / 路径不可用".to_owned(),
    };
    if word.starts_with(":(") {
        return Err(refused());
    }
    let path = word.rsplit_once(':').map_or(word, |(_, path)| path);
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.split('/');
    let leaves = Path::new(path).is_absolute() || parts.clone().any(|part| part == "..");
    let first = parts.clone().find(|part| !matches!(*part, "" | "."));
    let closed = matches!(first, Some(".minds" | ".dialogs"));
    let task = parts.any(|part| Path::new(part).extension().is_some_and(|ext| ext == "tsk"));
    if leaves || closed || task { Err(refused()) } else { Ok(()) }
}

/// `node` and `python3`: only their version.
pub(super) fn version(program: &str, words: &[String]) -> Checked {
    let known: &[&str] =
        if program == "node" { &["--version", "-v"] } else { &["--version", "-V"] };
    match words {
        [word] if known.contains(&word.as_str()) => Ok(words.to_vec()),
        [] => Err(Refusal::Incomplete),
        [word, ..] => Err(option_of(program, word)),
    }
}

fn option_of(program: &str, option: &str) -> Refusal {
    Refusal::Option { program: program.to_owned(), option: option.to_owned() }
}

fn no_value(program: &str, option: &str) -> Refusal {
    Refusal::NoValue { program: program.to_owned(), option: option.to_owned() }
}
