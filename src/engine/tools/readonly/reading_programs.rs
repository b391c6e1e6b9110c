//! The programs that only read, and the options of each that keep it so. Anything not in the table is
//! refused; so an unforeseen option cannot write or run anything.

use super::place::{PathCheck, PathUse};
use super::refusal::LineRefusal;
use crate::domain::safety::reserved::{AT_TOP, TASKDOC_ENDING};

/// The meaning of the words that are not options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operands {
    None,
    Text,
    /// `date`: only the form of the answer; a bare date would set the clock.
    Form,
    Files,
    /// At most one: a second one would be written.
    OneFile,
    Paths,
    /// The first one is the pattern, unless an option gives it.
    PatternThenPaths,
}

/// One program.
#[derive(Debug)]
struct Spec {
    name: &'static str,
    /// Letters of options without a value.
    flags: &'static str,
    /// Letters of options with one.
    valued: &'static str,
    /// Long options; `=` at the end: with a value; `?`: with one only behind `=`.
    long: &'static str,
    operands: Operands,
}

const fn spec(
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
    long: &'static str,
    operands: Operands,
) -> Spec {
    Spec { name, flags, valued, long, operands }
}

/// Their words are only printed.
const ONLY_PRINTED: [&str; 3] = ["echo", "printf", "true"];

#[rustfmt::skip]
const PROGRAMS: &[Spec] = &[
    spec("cat", "AbeEnstTuv", "", "number number-nonblank show-all show-ends show-tabs squeeze-blank", Operands::Files),
    spec("cut", "nsz", "bcdf", "delimiter= fields= characters= bytes= only-delimited complement output-delimiter=", Operands::Files),
    spec("date", "uR", "d", "date= utc iso-8601 rfc-3339= rfc-email", Operands::Form),
    spec("diff", "abBdeEiNpqstTuwy", "CFIUW", "brief color? context? ignore-all-space ignore-blank-lines ignore-case ignore-space-change normal side-by-side strip-trailing-cr unified? width=", Operands::Files),
    spec("file", "bikN", "", "brief mime mime-type mime-encoding", Operands::Paths),
    spec("head", "qvz", "cn", "bytes= lines= quiet verbose", Operands::Files),
    spec("id", "gGnruz", "", "group groups name real user", Operands::Text),
    spec("ls", "1aAbBcCdfFghiklmnNopqQrRsStuUvxX", "", "all almost-all classify color? directory full-time group-directories-first human-readable inode recursive reverse size sort= time= time-style=", Operands::Paths),
    spec("md5sum", "btz", "", "tag binary text", Operands::Files),
    spec("nl", "p", "bdfhilnsvw", "", Operands::Files),
    spec("pwd", "LP", "", "", Operands::None),
    spec("readlink", "efmnz", "", "", Operands::Paths),
    spec("realpath", "emqsz", "", "", Operands::Paths),
    spec("rg", "acFhHiIlnNopPqsSUvwx0", "ABCEMTegjmrt", "after-context= before-context= case-sensitive color= column context= count count-matches crlf encoding= files files-with-matches files-without-match fixed-strings glob= heading iglob= ignore-case invert-match json line-number line-regexp max-columns= max-count= max-depth= multiline multiline-dotall no-filename no-heading no-ignore no-ignore-vcs no-line-number null only-matching passthru pcre2 quiet regexp= replace= smart-case sort= sortr= stats trim type-list type-not= type= vimgrep with-filename word-regexp", Operands::PatternThenPaths),
    spec("sha256sum", "btz", "", "tag binary text", Operands::Files),
    spec("shasum", "bpt", "a", "algorithm= binary text", Operands::Files),
    spec("sort", "bcCdfghiMnRrsuVz", "kt", "check dictionary-order field-separator= general-numeric-sort human-numeric-sort ignore-case ignore-leading-blanks key= month-sort numeric-sort reverse stable unique version-sort zero-terminated", Operands::Files),
    spec("stat", "tL", "c", "format= printf= terse", Operands::Paths),
    spec("tail", "qvz", "cn", "bytes= lines= quiet verbose", Operands::Files),
    spec("tr", "cCdst", "", "complement delete squeeze-repeats truncate-set1", Operands::Text),
    spec("tree", "aCdDfFghiJnNpqQrstuUvX", "ILP", "dirsfirst du filelimit= gitignore noreport prune", Operands::Paths),
    spec("uname", "aimnoprsv", "", "all kernel-name nodename kernel-release machine operating-system", Operands::None),
    spec("uniq", "cdDiuz", "fsw", "count ignore-case repeated skip-chars= skip-fields= unique", Operands::OneFile),
    spec("uuid", "1m", "nv", "", Operands::None),
    spec("wc", "clmLw", "", "bytes chars lines max-line-length words", Operands::Files),
    spec("which", "a", "", "all", Operands::Text),
    spec("whoami", "", "", "", Operands::None),
];

/// The arguments `rg` always gets: to stay out of the reserved areas that it would walk into.
fn rg_always() -> Vec<String> {
    let names = AT_TOP.iter().map(|(name, _)| (*name).to_owned());
    let closed = names.chain([format!("*{TASKDOC_ENDING}")]);
    let globs = closed.map(|name| format!("--iglob=!**/{name}/**"));
    ["--no-config", "--no-follow"].map(str::to_owned).into_iter().chain(globs).collect()
}

/// Judges the words of a program of the table; the arguments it is to be run with.
pub(super) fn check(
    program: &str,
    words: &[String],
    place: &PathCheck<'_>,
) -> Result<Vec<String>, LineRefusal> {
    if ONLY_PRINTED.contains(&program) {
        return Ok(words.to_vec());
    }
    let found = PROGRAMS.iter().find(|spec| spec.name == program);
    let spec = found.ok_or_else(|| LineRefusal::Program(program.to_owned()))?;
    let read = read(spec, words)?;
    spec.judge(&read, place)?;
    if program == "rg" {
        // Below a folder, `rg` does not apply a member's access lists.
        if !place.access.read_scope().is_open() {
            let files = read.operands.iter().skip(usize::from(!read.no_pattern));
            if files.clone().next().is_none() {
                return Err(LineRefusal::Lists("rg".to_owned()));
            }
            files.into_iter().try_for_each(|file| place.judge(file, PathUse::File))?;
        }
        // The last glob that fits decides, and of the two kinds this one comes last.
        let always = rg_always();
        let (before, after) = words.split_at(read.options_end.min(words.len()));
        return Ok(before.iter().cloned().chain(always).chain(after.iter().cloned()).collect());
    }
    Ok(words.to_vec())
}

/// The words of a program, by kind.
#[derive(Debug, Default)]
struct Read<'a> {
    operands: Vec<&'a str>,
    /// True if an option gives the pattern, so that the first operand is a path.
    no_pattern: bool,
    /// The index of the word `--`, or the number of words.
    options_end: usize,
}

fn read<'a>(spec: &Spec, words: &'a [String]) -> Result<Read<'a>, LineRefusal> {
    let mut read = Read { options_end: words.len(), ..Read::default() };
    let mut words = words.iter().map(String::as_str).enumerate();
    while let Some((at, word)) = words.next() {
        if word == "--" {
            read.options_end = at;
            read.operands.extend(words.map(|(_, word)| word));
            break;
        }
        let option = if let Some(long) = word.strip_prefix("--") {
            spec.long_option(long)?
        } else if let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            spec.letters(letters)?
        } else {
            read.operands.push(word);
            continue;
        };
        read.no_pattern |= option.stands_for_pattern;
        if option.needs_value && words.next().is_none() {
            return Err(LineRefusal::NoValue {
                program: spec.name.to_owned(),
                option: word.to_owned(),
            });
        }
    }
    Ok(read)
}

/// One word of options.
#[derive(Debug, Clone, Copy, Default)]
struct OptionCluster {
    /// The next word is its value.
    needs_value: bool,
    /// True if no operand is a pattern any more.
    stands_for_pattern: bool,
}

impl Spec {
    fn long_option(&self, option: &str) -> Result<OptionCluster, LineRefusal> {
        let (name, value) = option.split_once('=').map_or((option, None), |(n, v)| (n, Some(v)));
        let stands_for_pattern = matches!(name, "regexp" | "files" | "type-list");
        for known in self.long.split(' ').filter(|known| !known.is_empty()) {
            match known.strip_suffix('=') {
                Some(known) if known == name => {
                    return Ok(OptionCluster { needs_value: value.is_none(), stands_for_pattern });
                }
                None if known == name && value.is_none() => {
                    return Ok(OptionCluster { needs_value: false, stands_for_pattern });
                }
                Some(_) | None => {}
            }
            if known.strip_suffix('?') == Some(name) {
                return Ok(OptionCluster { needs_value: false, stands_for_pattern });
            }
        }
        Err(self.refused(&format!("--{option}")))
    }

    fn letters(&self, letters: &str) -> Result<OptionCluster, LineRefusal> {
        let counts = matches!(self.name, "head" | "tail" | "diff" | "uniq");
        if counts && letters.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(OptionCluster::default());
        }
        for (at, letter) in letters.char_indices() {
            if self.valued.contains(letter) {
                let needs_value = at + letter.len_utf8() == letters.len();
                return Ok(OptionCluster { needs_value, stands_for_pattern: letter == 'e' });
            }
            if !self.flags.contains(letter) {
                return Err(self.refused(&format!("-{letters}")));
            }
        }
        Ok(OptionCluster::default())
    }

    fn judge(&self, read: &Read<'_>, place: &PathCheck<'_>) -> Result<(), LineRefusal> {
        let operands = &read.operands;
        let paths = |from: usize, kind| {
            let stdin = |path: &&&str| **path == "-";
            operands
                .iter()
                .skip(from)
                .filter(|path| !stdin(path))
                .try_for_each(|path| place.judge(path, kind))
        };
        let too_many = Err(LineRefusal::TooMany { program: self.name.to_owned() });
        match self.operands {
            Operands::None if operands.is_empty() => Ok(()),
            Operands::None => too_many,
            Operands::Text => Ok(()),
            Operands::Form => match operands.iter().find(|word| !word.starts_with('+')) {
                Some(word) => Err(self.refused(word)),
                None => Ok(()),
            },
            Operands::OneFile if operands.len() > 1 => too_many,
            Operands::OneFile | Operands::Files => paths(0, PathUse::File),
            Operands::Paths => paths(0, PathUse::Any),
            Operands::PatternThenPaths => paths(usize::from(!read.no_pattern), PathUse::Any),
        }
    }

    fn refused(&self, option: &str) -> LineRefusal {
        LineRefusal::Option { program: self.name.to_owned(), option: option.to_owned() }
    }
}
