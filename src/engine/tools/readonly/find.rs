//! `find` and the programs that only tell their version.

use super::place::{PathCheck, PathUse};
use super::refusal::LineRefusal;

type Arguments = Result<Vec<String>, LineRefusal>;

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
pub(super) fn find(words: &[String], place: &PathCheck<'_>) -> Arguments {
    let mut rest = words.iter();
    let mut among_folders = true;
    while let Some(word) = rest.next() {
        let begins_tests = word.starts_with('-') || word == "!" || word == "(" || word == ")";
        if among_folders && !begins_tests {
            place.judge(word, PathUse::Any)?;
            continue;
        }
        among_folders = false;
        if FIND_VALUED.contains(&word.as_str()) {
            rest.next().ok_or_else(|| no_value("find", word))?;
        } else if word == "-newer" {
            let file = rest.next().ok_or_else(|| no_value("find", word))?;
            place.judge(file, PathUse::Any)?;
        } else if !FIND_ALONE.contains(&word.as_str()) {
            return Err(option_of("find", word));
        }
    }
    Ok(words.to_vec())
}

/// `node` and `python3`: only their version.
pub(super) fn version(program: &str, words: &[String]) -> Arguments {
    let known: &[&str] =
        if program == "node" { &["--version", "-v"] } else { &["--version", "-V"] };
    match words {
        [word] if known.contains(&word.as_str()) => Ok(words.to_vec()),
        [] => Err(LineRefusal::Incomplete),
        [word, ..] => Err(option_of(program, word)),
    }
}

fn option_of(program: &str, option: &str) -> LineRefusal {
    LineRefusal::Option { program: program.to_owned(), option: option.to_owned() }
}

fn no_value(program: &str, option: &str) -> LineRefusal {
    LineRefusal::NoValue { program: program.to_owned(), option: option.to_owned() }
}
