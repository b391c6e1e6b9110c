//! `sed`, `awk` and `jq`: programs with a script as an argument. The sandbox limits what a script can do;
//! these checks tell the model early what will not work, and apply a member's lists.

use super::place::{PathCheck, PathUse};
use super::refusal::LineRefusal;

type Arguments = Result<Vec<String>, LineRefusal>;

/// `sed [-nErsuz] [-e script]… [script] [file]…`, with the option by which it neither writes nor runs.
pub(super) fn sed(words: &[String], place: &PathCheck<'_>) -> Arguments {
    let mut rest = words.iter();
    let (mut given, mut operands) = (false, Vec::new());
    while let Some(word) = rest.next() {
        let letters = word.strip_prefix('-').unwrap_or_default();
        let script = letters.strip_suffix('e').unwrap_or(letters);
        if word == "--expression" || letters.ends_with('e') && is_plain(script) {
            rest.next().ok_or_else(|| no_value("sed", word))?;
            given = true;
        } else if !word.starts_with('-') || word == "-" {
            operands.push(word.as_str());
        } else if !matches!(word.as_str(), "--quiet" | "--silent") && !is_plain(letters) {
            return Err(option_of("sed", word));
        }
    }
    // If an option gives the script, all operands are files.
    let files = operands.into_iter().skip(usize::from(!given));
    files.filter(|file| *file != "-").try_for_each(|file| place.judge(file, PathUse::File))?;
    Ok(std::iter::once("--sandbox".to_owned()).chain(words.iter().cloned()).collect())
}

fn is_plain(letters: &str) -> bool {
    letters.chars().all(|letter| "nErsuz".contains(letter))
}

/// Names by which an awk program runs another program or reads a file that the line does not name.
const AWK_CLOSED: [&str; 3] = ["system", "getline", "ENVIRON"];

/// `awk [-F separator] [-v name=value]… program [file]…`
pub(super) fn awk(words: &[String], place: &PathCheck<'_>) -> Arguments {
    if !place.access.read_scope().is_open() {
        return Err(LineRefusal::Lists("awk".to_owned()));
    }
    let mut rest = words.iter();
    let mut program = None;
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-F" | "-v" => drop(rest.next().ok_or_else(|| no_value("awk", word))?),
            option if option.starts_with("-F") => {}
            option if option.starts_with('-') => return Err(option_of("awk", option)),
            text => {
                program = Some(text);
                break;
            }
        }
    }
    let program = program.ok_or(LineRefusal::Incomplete)?;
    let mut names = program.split(|c: char| !c.is_alphanumeric() && c != '_');
    if let Some(name) = names.find(|name| AWK_CLOSED.contains(name)) {
        return Err(LineRefusal::Script { program: "awk".to_owned(), part: name.to_owned() });
    }
    for file in rest.filter(|file| *file != "-") {
        // A word like `a=b` is read as an assignment, unless there is a file of that name.
        if file.starts_with('-') {
            return Err(option_of("awk", file));
        }
        place.judge(file, PathUse::File)?;
    }
    Ok(words.to_vec())
}

/// `jq [options] filter [file]…`
pub(super) fn jq(words: &[String], place: &PathCheck<'_>) -> Arguments {
    const LETTERS: &str = "acCeMnrRsSj";
    const LONG: [&str; 11] = [
        "--compact-output",
        "--raw-output",
        "--slurp",
        "--null-input",
        "--exit-status",
        "--sort-keys",
        "--tab",
        "--raw-input",
        "--join-output",
        "--ascii-output",
        "--monochrome-output",
    ];
    let mut rest = words.iter();
    let mut filter = None;
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--arg" | "--argjson" => {
                for _ in 0..2 {
                    rest.next().ok_or_else(|| no_value("jq", word))?;
                }
            }
            "--indent" => drop(rest.next().ok_or_else(|| no_value("jq", word))?),
            option if LONG.contains(&option) => {}
            option if option.starts_with('-') && option.len() > 1 => {
                let letters = option.get(1..).unwrap_or_default();
                if !letters.chars().all(|c| LETTERS.contains(c)) {
                    return Err(option_of("jq", option));
                }
            }
            text if filter.is_none() => {
                jq_filter(text)?;
                filter = Some(text);
            }
            file => place.judge(file, PathUse::File)?,
        }
    }
    filter.ok_or(LineRefusal::Incomplete)?;
    Ok(words.to_vec())
}

/// Refuses modules, which are files that the line does not name, and the environment.
fn jq_filter(filter: &str) -> Result<(), LineRefusal> {
    let mut words = filter.split(|c: char| !c.is_alphanumeric() && c != '_');
    match words.find(|word| matches!(*word, "import" | "include" | "modulemeta" | "env" | "ENV")) {
        Some(word) => Err(LineRefusal::Script { program: "jq".to_owned(), part: word.to_owned() }),
        None => Ok(()),
    }
}

fn option_of(program: &str, option: &str) -> LineRefusal {
    LineRefusal::Option { program: program.to_owned(), option: option.to_owned() }
}

fn no_value(program: &str, option: &str) -> LineRefusal {
    LineRefusal::NoValue { program: program.to_owned(), option: option.to_owned() }
}
