//! The words of a text, as the search compares them. Texts and queries are taken apart by the same rules, so the order of what
//! is found does not depend on a database, and any text is a legal query.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::domain::text::hex::hex;

/// Longest token.
const MAX_TOKEN_BYTES: usize = 64;
/// Most different tokens of a query.
const MAX_QUERY_TOKENS: usize = 64;
/// What belongs to the name of a language.
const MARKS: [&str; 2] = ["++", "#"];

/// Hangul, Hiragana, Katakana and Han, without their punctuation.
const EASTERN: [(char, char); 14] = [
    ('\u{1100}', '\u{11ff}'),
    ('\u{3005}', '\u{3007}'),
    ('\u{3041}', '\u{3096}'),
    ('\u{309d}', '\u{309f}'),
    ('\u{30a1}', '\u{30fa}'),
    ('\u{30fc}', '\u{30ff}'),
    ('\u{3131}', '\u{318e}'),
    ('\u{31f0}', '\u{31ff}'),
    ('\u{3400}', '\u{4dbf}'),
    ('\u{4e00}', '\u{9fff}'),
    ('\u{ac00}', '\u{d7af}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{ff66}', '\u{ff9d}'),
    ('\u{20000}', '\u{3ffff}'),
];

/// A token, and the byte of the text where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub text: String,
    pub at: usize,
}

/// All tokens of a text, about in their order. Compound words are there as a whole and in parts.
#[must_use]
pub fn tokens(text: &str) -> Vec<Token> {
    let mut reader =
        Reader { text, stemmer: Stemmer::create(Algorithm::English), found: Vec::new() };
    let (mut start, mut is_east) = (0, text.chars().next().is_some_and(is_eastern));
    for (at, c) in text.char_indices() {
        if is_eastern(c) != is_east {
            reader.run((start, at), is_east);
            (start, is_east) = (at, !is_east);
        }
    }
    reader.run((start, text.len()), is_east);
    reader.found
}

/// The different tokens of a query, up to a number.
#[must_use]
pub fn query_tokens(query: &str) -> Vec<String> {
    let mut known = BTreeSet::new();
    let all = tokens(query).into_iter().map(|token| token.text);
    all.filter(|text| known.insert(text.clone())).take(MAX_QUERY_TOKENS).collect()
}

/// A token as the index of a database has it: small letters and digits alone, which no parser takes for anything else. Two
/// tokens may have the same term; then one of them costs a candidate.
#[must_use]
pub fn index_term(token: &str) -> String {
    let is_plain = token.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase());
    if is_plain { token.to_owned() } else { format!("x{}", hex(token.as_bytes())) }
}

/// True for characters of scripts that are written without spaces, or whose words have endings that a stemmer would need.
fn is_eastern(c: char) -> bool {
    EASTERN.iter().any(|(first, last)| (*first..=*last).contains(&c))
}

struct Reader<'a> {
    text: &'a str,
    stemmer: Stemmer,
    found: Vec<Token>,
}

impl Reader<'_> {
    fn run(&mut self, (from, to): (usize, usize), is_east: bool) {
        let run = self.text.get(from..to).unwrap_or_default();
        if is_east { self.pairs(run, from) } else { self.words(run, from) }
    }

    /// Overlapping pairs of characters; a single one stands alone.
    fn pairs(&mut self, run: &str, at: usize) {
        let chars: Vec<(usize, char)> = run.char_indices().collect();
        if let [(_, one)] = chars.as_slice() {
            self.push(one.to_string(), at);
        }
        for pair in chars.windows(2) {
            if let [(offset, first), (_, second)] = pair {
                self.push([*first, *second].iter().collect(), at + offset);
            }
        }
    }

    fn words(&mut self, run: &str, at: usize) {
        // A mark that combines belongs to what is before it, which may be a blank.
        let own = |(offset, word)| {
            let word: &str = word;
            let own = word.trim_start_matches(|c: char| !c.is_alphanumeric());
            (offset + word.len() - own.len(), own)
        };
        let words = run.unicode_word_indices().map(own).filter(|(_, word)| !word.is_empty());
        let words: Vec<(usize, &str)> = words.collect();
        let mut rest = words.as_slice();
        while !rest.is_empty() {
            let (group, after) = rest.split_at(joined(run, rest));
            self.group(run, group, at);
            rest = after;
        }
    }

    /// Words that are joined, as `a/b`: the whole, and its parts.
    fn group(&mut self, run: &str, words: &[(usize, &str)], at: usize) {
        if let [(from, _), .., (last, word)] = words {
            let whole = run.get(*from..last + word.len()).unwrap_or_default();
            self.push(whole.to_lowercase(), at + from);
        }
        for &(offset, word) in words {
            self.word(word, at + offset, words.len() > 1);
            let after = run.get(offset + word.len()..).unwrap_or_default();
            let mark = MARKS.into_iter().find(|mark| is_marked(after, mark));
            if let Some(mark) = mark.filter(|_| word.bytes().all(|b| b.is_ascii_alphabetic())) {
                self.push(format!("{}{mark}", word.to_lowercase()), at + offset);
            }
        }
    }

    fn word(&mut self, word: &str, at: usize, is_part: bool) {
        let parts = parts(word);
        let is_simple = parts.len() == 1 && parts.iter().all(|(_, part)| part.len() == word.len());
        if is_simple && is_part && is_single(word) {
            return;
        }
        self.stemmed(word, at);
        if !is_simple {
            for (offset, part) in parts.into_iter().filter(|(_, part)| !is_single(part)) {
                self.stemmed(part, at + offset);
            }
        }
    }

    fn stemmed(&mut self, word: &str, at: usize) {
        let lower = word.to_lowercase();
        let has_stem = lower.bytes().all(|byte| byte.is_ascii_lowercase());
        let stem = if has_stem { self.stemmer.stem(&lower).into_owned() } else { lower };
        self.push(stem, at);
    }

    fn push(&mut self, mut text: String, at: usize) {
        let mut end = MAX_TOKEN_BYTES.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        if !text.is_empty() {
            self.found.push(Token { text, at });
        }
    }
}

fn is_single(word: &str) -> bool {
    word.chars().nth(1).is_none()
}

fn is_marked(after: &str, mark: &str) -> bool {
    after.strip_prefix(mark).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// How many of these words are joined with the first.
fn joined(run: &str, words: &[(usize, &str)]) -> usize {
    let is_joined = |pair: &&[(usize, &str)]| {
        let [(from, word), (next, _)] = pair else { return false };
        matches!(run.get(from + word.len()..*next), Some("-" | "/"))
    };
    1 + words.windows(2).take_while(is_joined).count()
}

/// The parts of `snake_case`, `camelCase`, `1.2.3`, `don't`, each with its place.
fn parts(word: &str) -> Vec<(usize, &str)> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let (mut found, mut start) = (Vec::new(), 0);
    for (n, &(at, c)) in chars.iter().enumerate() {
        let near = |n: Option<usize>| n.and_then(|n| chars.get(n)).map(|(_, c)| *c);
        let (before, next) = (near(n.checked_sub(1)), near(Some(n + 1)));
        let is_end = c.is_ascii_punctuation() || matches!(c, '’' | '‘' | '·');
        if is_end || is_hump(before, c, next) {
            found.extend(word.get(start..at).map(|part| (start, part)));
            start = if is_end { at + c.len_utf8() } else { at };
        }
    }
    found.extend(word.get(start..).map(|part| (start, part)));
    found.retain(|(_, part)| !part.is_empty());
    found
}

/// True if a part of `camelCase` or `HTTPServer` begins with this character.
fn is_hump(before: Option<char>, c: char, next: Option<char>) -> bool {
    let ends_acronym =
        before.is_some_and(char::is_uppercase) && next.is_some_and(char::is_lowercase);
    c.is_uppercase() && (before.is_some_and(char::is_lowercase) || ends_acronym)
}
