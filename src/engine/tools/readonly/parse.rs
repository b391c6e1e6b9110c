//! A line of `readonly_shell` as a list of pipelines. The grammar is small on purpose: words, quotes, `|`,
//! `&&`, `||`. Everything else a shell would act on is refused, also where it might be harmless; nothing
//! here is ever given to a shell.

use super::refusal::LineRefusal;

/// One program with its arguments, quotes taken off.
pub(super) type Words = Vec<String>;

/// Programs whose output goes from one into the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pipeline {
    pub after: RunCondition,
    pub commands: Vec<Words>,
}

/// When a pipeline runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunCondition {
    /// It is the first one.
    Nothing,
    /// If the one before has succeeded.
    Success,
    /// If the one before has failed.
    Failure,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Pipe,
    And,
    Or,
}

/// The longest line, in characters.
const MAX_CHARS: usize = 8_192;
/// The most programs of a line.
const MAX_COMMANDS: usize = 60;

pub(super) fn parse(line: &str) -> Result<Vec<Pipeline>, LineRefusal> {
    if line.chars().count() > MAX_CHARS {
        return Err(LineRefusal::TooLong);
    }
    let mut pipelines = Vec::new();
    let mut pipeline = Pipeline { after: RunCondition::Nothing, commands: Vec::new() };
    let mut words = Words::new();
    for token in tokens(line)? {
        match token {
            Token::Word(word) => words.push(word),
            Token::Pipe => pipeline.commands.push(whole(&mut words)?),
            Token::And | Token::Or => {
                pipeline.commands.push(whole(&mut words)?);
                let after =
                    if token == Token::And { RunCondition::Success } else { RunCondition::Failure };
                let next = Pipeline { after, commands: Vec::new() };
                pipelines.push(std::mem::replace(&mut pipeline, next));
            }
        }
    }
    pipeline.commands.push(whole(&mut words)?);
    pipelines.push(pipeline);
    let count: usize = pipelines.iter().map(|pipeline| pipeline.commands.len()).sum();
    if count > MAX_COMMANDS { Err(LineRefusal::TooLong) } else { Ok(pipelines) }
}

fn whole(words: &mut Words) -> Result<Words, LineRefusal> {
    if words.is_empty() { Err(LineRefusal::Incomplete) } else { Ok(std::mem::take(words)) }
}

fn tokens(line: &str) -> Result<Vec<Token>, LineRefusal> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.trim_matches([' ', '\t']).chars().peekable();
    while let Some(c) = chars.next() {
        let operator = match c {
            ' ' | '\t' => None,
            '|' if chars.next_if_eq(&'|').is_some() => Some(Token::Or),
            '|' => Some(Token::Pipe),
            '&' if chars.next_if_eq(&'&').is_some() => Some(Token::And),
            '\'' => {
                single_quoted(&mut chars, word.get_or_insert_default())?;
                continue;
            }
            '"' => {
                double_quoted(&mut chars, word.get_or_insert_default())?;
                continue;
            }
            '\\' => {
                let next = chars.next().filter(|c| !c.is_control());
                word.get_or_insert_default().push(next.ok_or(LineRefusal::Incomplete)?);
                continue;
            }
            c => {
                plain(c, word.is_none())?;
                word.get_or_insert_default().push(c);
                continue;
            }
        };
        tokens.extend(word.take().map(Token::Word));
        tokens.extend(operator);
    }
    tokens.extend(word.map(Token::Word));
    Ok(tokens)
}

/// A character outside of quotes. `begins`: it is the first one of its word.
fn plain(c: char, begins: bool) -> Result<(), LineRefusal> {
    match c {
        '\n' | '\r' => Err(LineRefusal::Newline),
        '>' | '<' => Err(LineRefusal::Redirection),
        '$' | '`' => Err(LineRefusal::Expansion(c)),
        ';' | '&' => Err(LineRefusal::Separator(c)),
        '*' | '?' | '[' | ']' | '{' | '}' | '(' | ')' | '!' => Err(LineRefusal::Pattern(c)),
        '~' | '#' if begins => Err(LineRefusal::Pattern(c)),
        c if c.is_control() => Err(LineRefusal::Control),
        _ => Ok(()),
    }
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn single_quoted(chars: &mut Chars<'_>, word: &mut String) -> Result<(), LineRefusal> {
    for c in chars.by_ref() {
        match c {
            '\'' => return Ok(()),
            '\n' | '\r' => return Err(LineRefusal::Newline),
            '\0' => return Err(LineRefusal::Control),
            c => word.push(c),
        }
    }
    Err(LineRefusal::Unterminated)
}

/// Reads a double-quoted part. A backslash is literal before anything but `"`, `\`, `$` and a backtick, as in a shell.
fn double_quoted(chars: &mut Chars<'_>, word: &mut String) -> Result<(), LineRefusal> {
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(()),
            '$' | '`' => return Err(LineRefusal::Expansion(c)),
            '\n' | '\r' => return Err(LineRefusal::Newline),
            '\0' => return Err(LineRefusal::Control),
            '\\' => match chars.next_if(|c| matches!(c, '"' | '\\' | '$' | '`')) {
                Some(escaped) => word.push(escaped),
                None => word.push('\\'),
            },
            c => word.push(c),
        }
    }
    Err(LineRefusal::Unterminated)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words in brackets, with their operators between.
    fn bracketed(line: &str) -> String {
        let pipelines = parse(line).unwrap();
        let one = |pipeline: &Pipeline| {
            let sign = match pipeline.after {
                RunCondition::Nothing => "",
                RunCondition::Success => "&& ",
                RunCondition::Failure => "|| ",
            };
            let commands: Vec<String> =
                pipeline.commands.iter().map(|words| format!("[{}]", words.join("·"))).collect();
            format!("{sign}{}", commands.join("|"))
        };
        pipelines.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_quotes_and_operators_are_read_as_a_shell_reads_them() {
        for (line, expected) in [
            ("cat a  b\tc", "[cat·a·b·c]"),
            ("  cat a ", "[cat·a]"),
            ("cat 'a b' \"c d\" e\\ f", "[cat·a b·c d·e f]"),
            ("cat a'b'\"c\"d ''", "[cat·abcd·]"),
            (r#"echo "a\"b\\c\d\$e" '\n'"#, r#"[echo·a"b\c\d$e·\n]"#),
            ("a|b | c", "[a]|[b]|[c]"),
            ("a&&b || c|d", "[a] && [b] || [c]|[d]"),
            ("rg 'a;b|c&d>e$f`g`' x#y a=b c~", "[rg·a;b|c&d>e$f`g`·x#y·a=b·c~]"),
            ("rg \"it's\" 文件", "[rg·it's·文件]"),
        ] {
            assert_eq!(bracketed(line), expected, "{line}");
        }
    }

    #[test]
    fn c12_whatever_else_a_shell_acts_on_is_refused() {
        for (line, refusal) in [
            ("cat a; cat b", LineRefusal::Separator(';')),
            ("cat a & cat b", LineRefusal::Separator('&')),
            ("cat a &", LineRefusal::Separator('&')),
            ("cat a\ncat b", LineRefusal::Newline),
            ("cat a\rcat b", LineRefusal::Newline),
            ("cat 'a\nb'", LineRefusal::Newline),
            ("cat a > b", LineRefusal::Redirection),
            ("cat a >> b", LineRefusal::Redirection),
            ("cat a 2>b", LineRefusal::Redirection),
            ("cat < a", LineRefusal::Redirection),
            ("cat <(ls)", LineRefusal::Redirection),
            ("cat a &> b", LineRefusal::Separator('&')),
            ("cat a |& cat", LineRefusal::Separator('&')),
            ("cat $(ls)", LineRefusal::Expansion('$')),
            ("cat $HOME", LineRefusal::Expansion('$')),
            ("cat \"$HOME\"", LineRefusal::Expansion('$')),
            ("cat `ls`", LineRefusal::Expansion('`')),
            ("cat \"`ls`\"", LineRefusal::Expansion('`')),
            ("cat $'a'", LineRefusal::Expansion('$')),
            ("cat *.rs", LineRefusal::Pattern('*')),
            ("cat a?", LineRefusal::Pattern('?')),
            ("cat [ab]", LineRefusal::Pattern('[')),
            ("cat {a,b}", LineRefusal::Pattern('{')),
            ("(cat a)", LineRefusal::Pattern('(')),
            ("! cat a", LineRefusal::Pattern('!')),
            ("cat ~/a", LineRefusal::Pattern('~')),
            ("cat a # b", LineRefusal::Pattern('#')),
            ("cat 'a", LineRefusal::Unterminated),
            ("cat \"a", LineRefusal::Unterminated),
            ("cat a\\", LineRefusal::Incomplete),
            ("", LineRefusal::Incomplete),
            ("| cat", LineRefusal::Incomplete),
            ("cat a |", LineRefusal::Incomplete),
            ("cat a && || b", LineRefusal::Incomplete),
            ("cat a ||| b", LineRefusal::Incomplete),
            ("cat a\0b", LineRefusal::Control),
            ("cat 'a\0b'", LineRefusal::Control),
            ("cat a\u{b}b", LineRefusal::Control),
        ] {
            assert_eq!(parse(line), Err(refusal), "{line:?}");
        }
        assert_eq!(parse(&"a".repeat(9_000)), Err(LineRefusal::TooLong));
        assert_eq!(parse("a|".repeat(61).trim_end_matches('|')), Err(LineRefusal::TooLong));
    }
}
