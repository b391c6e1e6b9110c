//! `sed`, `awk` and `jq`: programs that are told what to do in a text of their own. Such a text may
//! write, run programs or read files nobody has named; only what cannot is let through.

use super::place::{Kind, Place};
use super::refusal::Refusal;

type Checked = Result<Vec<String>, Refusal>;

/// `sed [-nEr] [-e script]… [script] [file]…`
pub(super) fn sed(words: &[String], place: &Place<'_>) -> Checked {
    let mut given = false;
    let mut rest = words.iter();
    let mut files = Vec::new();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-n" | "-E" | "-r" | "-nE" | "-En" | "-nr" | "--quiet" | "--silent" => {}
            "-e" | "-ne" | "--expression" => {
                let script = rest.next().ok_or_else(|| no_value("sed", word))?;
                sed_script(script)?;
                given = true;
            }
            option if option.starts_with('-') && option != "-" => {
                return Err(option_of("sed", option));
            }
            script if !given && files.is_empty() => {
                sed_script(script)?;
                given = true;
            }
            file => files.push(file),
        }
    }
    files
        .into_iter()
        .filter(|file| *file != "-")
        .try_for_each(|file| place.judge(file, Kind::File))?;
    Ok(words.to_vec())
}

/// Addresses, and commands that only change what is printed.
fn sed_script(script: &str) -> Result<(), Refusal> {
    let refused = |part: &str| Refusal::Script { program: "sed".to_owned(), part: part.to_owned() };
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ';', '}']);
        let Some(first) = rest.chars().next() else { return Ok(()) };
        rest =
            match first {
                '0'..='9' | '$' | ',' | '!' | '~' | '+' | '{' => rest.get(1..).unwrap_or_default(),
                '/' => delimited(rest.get(1..).unwrap_or_default(), '/')
                    .ok_or_else(|| refused(rest))?,
                'p' | 'P' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'x' | 'n' | 'N' | 'q' | '='
                | 'l' => ended(rest.get(1..).unwrap_or_default()).ok_or_else(|| refused(rest))?,
                's' | 'y' => changed(first, rest.get(1..).unwrap_or_default())
                    .ok_or_else(|| refused(rest))?,
                _ => return Err(refused(rest)),
            };
    }
}

/// A command is over at a `;`, a brace or the end; `q` may have a number.
fn ended(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
    (rest.is_empty() || rest.starts_with([';', '}'])).then_some(rest)
}

/// Behind `s` or `y`: two parts and, for `s`, flags that neither write nor run.
fn changed(command: char, rest: &str) -> Option<&str> {
    let delimiter = rest.chars().next().filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
    let pattern = delimited(rest.get(1..)?, delimiter)?;
    let after = delimited(pattern, delimiter)?;
    let flags: &[char] = if command == 's' { &['g', 'p', 'i', 'I'] } else { &[] };
    ended(after.trim_start_matches(|c: char| flags.contains(&c) || c.is_ascii_digit()))
}

/// What follows the delimiter. A bracket expression that holds it reads differently in different
/// programs, so there is none.
fn delimited(text: &str, delimiter: char) -> Option<&str> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => _ = chars.next()?,
            '[' => {
                let inside = bracketed(text.get(at + 1..)?)?;
                if inside.contains([delimiter, '\\']) {
                    return None;
                }
                let end = at + 1 + inside.len();
                while chars.next_if(|(at, _)| *at <= end).is_some() {}
            }
            c if c == delimiter => return text.get(at + c.len_utf8()..),
            _ => {}
        }
    }
    None
}

/// What stands between a `[` and its `]`.
fn bracketed(text: &str) -> Option<&str> {
    let from = usize::from(text.starts_with('^'));
    let mut at = from + usize::from(text.get(from..)?.starts_with(']'));
    loop {
        let rest = text.get(at..)?;
        let class = [":]", ".]", "=]"].into_iter().find(|end| {
            rest.starts_with('[')
                && rest.get(1..).is_some_and(|rest| rest.starts_with(end.get(..1).unwrap_or("]")))
        });
        at += match (class, rest.chars().next()?) {
            (Some(end), _) => 2 + rest.get(2..)?.find(end)? + end.len(),
            (None, ']') => return text.get(..at),
            (None, c) => c.len_utf8(),
        };
    }
}

/// `awk [-F separator] [-v name=value]… program [file]…`
pub(super) fn awk(words: &[String], place: &Place<'_>) -> Checked {
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
    awk_program(program.ok_or(Refusal::Incomplete)?)?;
    for file in rest.filter(|file| *file != "-") {
        // A word like `a=b` is read as an assignment, unless there is a file of that name.
        if file.starts_with('-') {
            return Err(option_of("awk", file));
        }
        place.judge(file, Kind::File)?;
    }
    Ok(words.to_vec())
}

/// Names by which a program reaches other programs, files or the environment.
const AWK_CLOSED: [&str; 13] = [
    "system",
    "getline",
    "close",
    "fflush",
    "ARGV",
    "ARGC",
    "ARGIND",
    "ENVIRON",
    "PROCINFO",
    "SYMTAB",
    "FUNCTAB",
    "extension",
    "nextfile",
];

/// Reads the text as awk does: strings and patterns aside, there is no redirection, no pipe, none of the
/// closed names.
fn awk_program(program: &str) -> Result<(), Refusal> {
    let refused = |part: &str| Refusal::Script { program: "awk".to_owned(), part: part.to_owned() };
    let mut rest = program;
    let mut before = Before::Operator;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        (rest, before) = match c {
            '"' => (string(after).ok_or_else(|| refused(rest))?, Before::Value),
            '/' if before == Before::Operator => {
                (delimited(after, '/').ok_or_else(|| refused(rest))?, Before::Value)
            }
            '/' if before == Before::Unclear => return Err(refused("/")),
            '+' | '-' if after.starts_with(c) => {
                (after.get(1..).unwrap_or_default(), Before::Unclear)
            }
            '|' => (after.strip_prefix('|').ok_or_else(|| refused("|"))?, Before::Operator),
            '>' => (after.strip_prefix('=').ok_or_else(|| refused(">"))?, Before::Operator),
            '@' | '\\' | '#' | '`' => return Err(refused(&c.to_string())),
            c if c.is_alphanumeric() || c == '_' => {
                let end =
                    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                if AWK_CLOSED.contains(&name) {
                    return Err(refused(name));
                }
                let operator = matches!(name, "print" | "printf" | "return" | "in" | "else" | "do");
                (after, if operator { Before::Operator } else { Before::Value })
            }
            ')' | ']' | '$' => (after, Before::Value),
            ' ' | '\t' => (after, before),
            _ => (after, Before::Operator),
        };
    }
    Ok(())
}

/// What stands before decides whether a `/` begins a pattern or divides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Operator,
    Value,
    /// Behind `++` or `--` both are possible.
    Unclear,
}

/// What follows a string: a backslash takes the next character along.
fn string(text: &str) -> Option<&str> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => _ = chars.next()?,
            '"' => return text.get(at + 1..),
            _ => {}
        }
    }
    None
}

/// `jq [options] filter [file]…`
pub(super) fn jq(words: &[String], place: &Place<'_>) -> Checked {
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
            file => place.judge(file, Kind::File)?,
        }
    }
    filter.ok_or(Refusal::Incomplete)?;
    Ok(words.to_vec())
}

/// Modules are files nobody has named.
fn jq_filter(filter: &str) -> Result<(), Refusal> {
    let mut words = filter.split(|c: char| !c.is_alphanumeric() && c != '_');
    match words.find(|word| matches!(*word, "import" | "include" | "modulemeta" | "env" | "ENV")) {
        Some(word) => Err(Refusal::Script { program: "jq".to_owned(), part: word.to_owned() }),
        None => Ok(()),
    }
}

fn option_of(program: &str, option: &str) -> Refusal {
    Refusal::Option { program: program.to_owned(), option: option.to_owned() }
}

fn no_value(program: &str, option: &str) -> Refusal {
    Refusal::NoValue { program: program.to_owned(), option: option.to_owned() }
}
