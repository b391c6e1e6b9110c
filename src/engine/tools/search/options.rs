//! The options of `ripgrep_search`: a list of what is allowed, each with its meaning. Anything else
//! is refused, so that no option can start a program, read another place or change the form of
//! the result. Pure.

use super::query::{CaseMode, MAX_CONTEXT, MatchScope, Query, TypeRule};
use crate::domain::Lang;
use crate::domain::text::in_lang;

/// Most options of one call.
const MAX_OPTIONS: usize = 100;
/// Options shown back are cut to this many characters.
const SHOWN_CHARS: usize = 80;

/// The allowed options, for messages.
const ALLOWED: &str = "-g GLOB, -t TYPE, -T TYPE, -i, -s, -S, -w, -x, -U, -F, -A N, -B N, -C N, \
                       -m N, -n, --hidden, -L";

/// What an option does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchOption {
    Glob,
    Type,
    TypeNot,
    After,
    Before,
    Context,
    MaxCount,
    Case(CaseMode),
    Whole(MatchScope),
    MultiLine,
    Fixed,
    Hidden,
    Follow,
    /// Lines are numbered in any case.
    LineNumber,
}

/// Short name, long name, meaning.
const OPTIONS: [(Option<char>, &str, SearchOption); 17] = [
    (Some('g'), "glob", SearchOption::Glob),
    (Some('t'), "type", SearchOption::Type),
    (Some('T'), "type-not", SearchOption::TypeNot),
    (Some('A'), "after-context", SearchOption::After),
    (Some('B'), "before-context", SearchOption::Before),
    (Some('C'), "context", SearchOption::Context),
    (Some('m'), "max-count", SearchOption::MaxCount),
    (Some('i'), "ignore-case", SearchOption::Case(CaseMode::Insensitive)),
    (Some('s'), "case-sensitive", SearchOption::Case(CaseMode::Sensitive)),
    (Some('S'), "smart-case", SearchOption::Case(CaseMode::Smart)),
    (Some('w'), "word-regexp", SearchOption::Whole(MatchScope::Word)),
    (Some('x'), "line-regexp", SearchOption::Whole(MatchScope::Line)),
    (Some('U'), "multiline", SearchOption::MultiLine),
    (Some('F'), "fixed-strings", SearchOption::Fixed),
    (Some('n'), "line-number", SearchOption::LineNumber),
    (Some('L'), "follow", SearchOption::Follow),
    (None, "hidden", SearchOption::Hidden),
];

/// Why an option is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OptionFault {
    NotAllowed(String),
    NotAnOption(String),
    NoValue(String),
    NotANumber { option: String, value: String },
    UnexpectedValue(String),
    TooMany,
}

impl SearchOption {
    fn takes_value(self) -> bool {
        match self {
            Self::Glob
            | Self::Type
            | Self::TypeNot
            | Self::After
            | Self::Before
            | Self::Context
            | Self::MaxCount => true,
            Self::Case(_)
            | Self::Whole(_)
            | Self::MultiLine
            | Self::Fixed
            | Self::Hidden
            | Self::Follow
            | Self::LineNumber => false,
        }
    }
}

/// Adds the options to a query; the later of two that contradict each other wins.
pub(super) fn apply(query: &mut Query, options: &[&str]) -> Result<(), OptionFault> {
    if options.len() > MAX_OPTIONS {
        return Err(OptionFault::TooMany);
    }
    let mut rest = options.iter().copied();
    while let Some(option) = rest.next() {
        if let Some(long) = option.strip_prefix("--") {
            apply_long(query, option, long, &mut rest)?;
        } else if let Some(short) = option.strip_prefix('-').filter(|short| !short.is_empty()) {
            apply_short(query, option, short, &mut rest)?;
        } else {
            return Err(OptionFault::NotAnOption(option.to_owned()));
        }
    }
    Ok(())
}

fn apply_long<'a>(
    query: &mut Query,
    written: &str,
    long: &str,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<(), OptionFault> {
    let (name, own) = match long.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (long, None),
    };
    let opt = OPTIONS.iter().find(|(_, known, _)| *known == name).map(|(_, _, opt)| *opt);
    let opt = opt.ok_or_else(|| OptionFault::NotAllowed(written.to_owned()))?;
    if !opt.takes_value() {
        return match own {
            None => set(query, opt, written, ""),
            Some(_) => Err(OptionFault::UnexpectedValue(written.to_owned())),
        };
    }
    let value = own.or_else(|| rest.next());
    let value = value.ok_or_else(|| OptionFault::NoValue(written.to_owned()))?;
    set(query, opt, written, value)
}

/// Applies one letter, or several in one word; the last may take the rest of the word as its value.
fn apply_short<'a>(
    query: &mut Query,
    written: &str,
    short: &str,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<(), OptionFault> {
    let mut letters = short.chars();
    while let Some(letter) = letters.next() {
        let opt = OPTIONS.iter().find(|(known, _, _)| *known == Some(letter));
        let opt = opt.map(|(_, _, opt)| *opt);
        let opt = opt.ok_or_else(|| OptionFault::NotAllowed(written.to_owned()))?;
        if !opt.takes_value() {
            set(query, opt, written, "")?;
            continue;
        }
        let own = letters.as_str();
        let own = own.strip_prefix('=').unwrap_or(own);
        let value = if own.is_empty() { rest.next() } else { Some(own) };
        let value = value.ok_or_else(|| OptionFault::NoValue(written.to_owned()))?;
        return set(query, opt, written, value);
    }
    Ok(())
}

fn set(
    query: &mut Query,
    opt: SearchOption,
    written: &str,
    value: &str,
) -> Result<(), OptionFault> {
    match opt {
        SearchOption::Glob => query.globs.push(value.to_owned()),
        SearchOption::Type => query.types.push(TypeRule::Only(value.to_owned())),
        SearchOption::TypeNot => query.types.push(TypeRule::Not(value.to_owned())),
        SearchOption::After => query.after = lines(written, value)?,
        SearchOption::Before => query.before = lines(written, value)?,
        SearchOption::Context => {
            query.before = lines(written, value)?;
            query.after = query.before;
        }
        SearchOption::MaxCount => query.most_per_file = Some(number(written, value)?),
        SearchOption::Case(case) => query.case = case,
        SearchOption::Whole(whole) => query.whole = whole,
        SearchOption::MultiLine => query.multi_line = true,
        SearchOption::Fixed => query.fixed = true,
        SearchOption::Hidden => query.hidden = true,
        SearchOption::Follow => query.follow = true,
        SearchOption::LineNumber => {}
    }
    Ok(())
}

fn lines(written: &str, value: &str) -> Result<usize, OptionFault> {
    let lines = usize::try_from(number(written, value)?).unwrap_or(MAX_CONTEXT);
    Ok(lines.min(MAX_CONTEXT))
}

fn number(option: &str, value: &str) -> Result<u64, OptionFault> {
    let fault = || OptionFault::NotANumber { option: option.to_owned(), value: value.to_owned() };
    value.trim().parse().map_err(|_| fault())
}

impl OptionFault {
    /// What is wrong and what to do instead.
    pub(super) fn text(&self, lang: Lang) -> String {
        match self {
            Self::NotAllowed(option) => in_lang!(
                lang,
                ("`{}` is not allowed here. Allowed: {ALLOWED}.", short(option)),
                ("此处不允许 `{}`。允许的选项:{ALLOWED}。", short(option))
            ),
            Self::NotAnOption(word) => in_lang!(
                lang,
                (
                    "`{}` is not an option. Put what to search for into `pattern` and where into \
                 `path`; allowed here: {ALLOWED}.",
                    short(word)
                ),
                (
                    "`{}` 不是选项。要搜索的内容写在 `pattern`,位置写在 `path`;此处允许:{ALLOWED}。",
                    short(word)
                )
            ),
            Self::NoValue(option) => in_lang!(
                lang,
                ("`{}` needs a value after it.", short(option)),
                ("`{}` 之后缺少值。", short(option))
            ),
            Self::NotANumber { option, value } => in_lang!(
                lang,
                ("`{}` needs a whole number, not `{}`.", short(option), short(value)),
                ("`{}` 需要一个整数,而不是 `{}`。", short(option), short(value))
            ),
            Self::UnexpectedValue(option) => in_lang!(
                lang,
                ("`{}`: this option takes no value.", short(option)),
                ("`{}`:该选项不带值。", short(option))
            ),
            Self::TooMany => {
                in_lang!(lang, "More than {MAX_OPTIONS} options.", "选项超过 {MAX_OPTIONS} 个。")
            }
        }
    }
}

fn short(text: &str) -> String {
    crate::tools::files::short(text, SHOWN_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(options: &[&str]) -> Result<Query, OptionFault> {
        let mut query = Query::default();
        apply(&mut query, options).map(|()| query)
    }

    #[test]
    fn allowed_options_mean_what_they_mean_on_a_command_line() {
        let base = Query::default;
        let globs = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect();
        for (options, expected) in [
            (vec![], base()),
            (vec!["-g", "*.rs", "--glob=!x"], Query { globs: globs(&["*.rs", "!x"]), ..base() }),
            (vec!["-g*.rs"], Query { globs: globs(&["*.rs"]), ..base() }),
            (vec!["-g", "-i"], Query { globs: globs(&["-i"]), ..base() }),
            (
                vec!["-t", "rust", "-Tjs"],
                Query {
                    types: vec![TypeRule::Only("rust".into()), TypeRule::Not("js".into())],
                    ..base()
                },
            ),
            (vec!["-i"], Query { case: CaseMode::Insensitive, ..base() }),
            (vec!["-i", "--case-sensitive"], Query { case: CaseMode::Sensitive, ..base() }),
            (vec!["-S"], Query { case: CaseMode::Smart, ..base() }),
            (vec!["-w"], Query { whole: MatchScope::Word, ..base() }),
            (vec!["-x"], Query { whole: MatchScope::Line, ..base() }),
            (vec!["-U", "-F"], Query { multi_line: true, fixed: true, ..base() }),
            (vec!["-nFi"], Query { case: CaseMode::Insensitive, fixed: true, ..base() }),
            (vec!["-A2", "-B", "3"], Query { before: 3, after: 2, ..base() }),
            (vec!["-iC=4"], Query { case: CaseMode::Insensitive, before: 4, after: 4, ..base() }),
            (vec!["--context", "9999999999"], Query { before: 50, after: 50, ..base() }),
            (vec!["-m", "7"], Query { most_per_file: Some(7), ..base() }),
            (vec!["--hidden", "-L"], Query { hidden: true, follow: true, ..base() }),
        ] {
            assert_eq!(parsed(&options), Ok(expected), "{options:?}");
        }
    }

    #[test]
    fn everything_else_is_refused_and_the_refusal_names_it() {
        for (options, named) in [
            (vec!["--pre", "sh"], "--pre"),
            (vec!["--pre=sh"], "--pre=sh"),
            (vec!["--pre-glob", "*"], "--pre-glob"),
            (vec!["--json"], "--json"),
            (vec!["-c"], "-c"),
            (vec!["--count"], "--count"),
            (vec!["--count-matches"], "--count-matches"),
            (vec!["--files"], "--files"),
            (vec!["-l"], "-l"),
            (vec!["-f", "/etc/passwd"], "-f"),
            (vec!["--ignore-file=/etc/passwd"], "--ignore-file"),
            (vec!["-z"], "-z"),
            (vec!["-iz"], "-iz"),
            (vec!["-uuu"], "-uuu"),
            (vec!["-e", "x"], "-e"),
            (vec!["--"], "--"),
            (vec!["-"], "`-`"),
            (vec!["src"], "src"),
            (vec!["-i", "../up"], "../up"),
            (vec!["-g"], "-g"),
            (vec!["-A", "two"], "two"),
            (vec!["-m", "-1"], "-1"),
            (vec!["--hidden=yes"], "--hidden=yes"),
            (vec!["--Glob", "x"], "--Glob"),
        ] {
            let fault = parsed(&options).unwrap_err();
            for lang in [Lang::En, Lang::Zh] {
                assert!(fault.text(lang).contains(named), "{options:?}: {}", fault.text(lang));
            }
        }
        assert_eq!(parsed(&["-i"; 101]), Err(OptionFault::TooMany));
    }
}
