//! The options a question offers, read from its words: a help for the answer, never a limit.
//!
//! Careful rather than clever: a list that may not be a choice is not taken for one. One pass over a text of bounded
//! length, whatever it holds.

use std::ops::Range;

/// A longer text is no choice between a few options.
const MAX: usize = 32 * 1024;
/// Maximum length of the text after a list of options, as "I would take b, because …".
const MAX_REST: usize = 400;
/// Options that are numbered here, so that one digit picks each.
const MAX_NUMBERED: usize = 9;
/// One option between slashes is a word or two.
const MAX_INLINE: usize = 24;

/// One way to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerChoice {
    /// A letter or a digit, in small.
    pub key: char,
    pub text: String,
    /// The lines it takes in the question. Empty for one of `(yes/no)`: it is shown before that line.
    pub lines: Range<usize>,
}

/// The options of a question, in its order; none unless there are two or more.
#[must_use]
pub fn choices(content: &str) -> Vec<AnswerChoice> {
    if content.len() > MAX {
        return Vec::new();
    }
    let lines: Vec<&str> = content.lines().collect();
    let (listed, inline) = (listed(&lines), inline(&lines));
    let names_the_list = |inline: &[AnswerChoice]| {
        let keys = |choice: &AnswerChoice| choice.text.chars().eq([choice.key]);
        inline.iter().all(keys) && inline.iter().all(|one| listed.iter().any(|l| l.key == one.key))
    };
    let list_ends = listed.last().map_or(0, |last| last.lines.end);
    let inline_is_last = inline.first().is_some_and(|first| first.lines.start > list_ends);
    if listed.is_empty() || (inline_is_last && !names_the_list(&inline)) { inline } else { listed }
}

/// The marks of Markdown around words, the longer ones first.
const MARKS: [&str; 5] = ["**", "__", "*", "_", "`"];

/// How the items of a list begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListStyle {
    /// `a) drop it`, `a  drop it`, `a - drop it`
    Letter(ItemForm),
    /// `1. drop it`
    Digit(ItemForm),
    /// `- drop it`
    Bullet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ItemForm {
    Closed,
    Spaced,
    Dashed,
}

#[derive(Debug)]
struct ListItem {
    /// `None` for a bullet.
    key: Option<char>,
    text: String,
    /// The marks before the key that end in the text.
    open: Vec<&'static str>,
    lines: Range<usize>,
}

impl ListItem {
    /// The text without marks around all of it, and without the closing halves of marks that begin before the key.
    fn words(&self) -> String {
        if self.key.is_none() {
            return inside_marks(&self.text).to_owned();
        }
        self.open.iter().fold(self.text.clone(), |text, mark| text.replacen(mark, "", 1))
    }
}

/// Items of one style that follow each other.
#[derive(Debug)]
struct ListGroup {
    style: ListStyle,
    indent: usize,
    items: Vec<ListItem>,
}

/// The last list of the text, if it is a choice.
fn listed(lines: &[&str]) -> Vec<AnswerChoice> {
    let Some(group) = last_group(lines) else {
        return Vec::new();
    };
    let begin = group.items.first().map_or(0, |item| item.lines.start);
    let end = group.items.last().map_or(0, |item| item.lines.end);
    let before = lines.get(..begin).unwrap_or_default();
    let surroundings = ListContext {
        headline: first_with_words(before.iter()),
        lead: first_with_words(before.iter().rev()),
        rest: lines.get(end..).unwrap_or_default(),
    };
    if !group.is_choice(&surroundings) {
        return Vec::new();
    }
    let words: Vec<String> = group.items.iter().map(ListItem::words).collect();
    let keys = keys_for(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let keyed = group.items.iter().zip(words).zip(keys).map(|((item, text), own)| AnswerChoice {
        key: item.key.unwrap_or(own),
        text,
        lines: item.lines.clone(),
    });
    keyed.collect()
}

fn first_with_words<'a, 't: 'a>(mut lines: impl Iterator<Item = &'a &'t str>) -> &'t str {
    lines.find(|line| !line.trim().is_empty()).map_or("", |line| line.trim())
}

fn last_group(lines: &[&str]) -> Option<ListGroup> {
    let mut last: Option<ListGroup> = None;
    let mut open = false;
    let mut gap = false;
    for (at, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        if line.trim().is_empty() {
            gap = true;
            continue;
        }
        let inside = last.as_ref().is_some_and(|group| open && indent > group.indent + 1);
        match item(line) {
            None if inside && !gap => continue_item(last.as_mut(), line, at),
            Some(_) if inside => continue_item(last.as_mut(), line, at),
            None => open = false,
            Some((style, key, text, marks)) => {
                let item = ListItem { key, text: text.to_owned(), open: marks, lines: at..at + 1 };
                match last.as_mut().filter(|group| open && group.style == style) {
                    Some(group) => group.items.push(item),
                    None => last = Some(ListGroup { style, indent, items: vec![item] }),
                }
                open = true;
            }
        }
        gap = false;
    }
    last
}

fn continue_item(group: Option<&mut ListGroup>, line: &str, at: usize) {
    if let Some(item) = group.and_then(|group| group.items.last_mut()) {
        item.text.push(' ');
        item.text.push_str(line.trim());
        item.lines.end = at + 1;
    }
}

/// The text around a list.
struct ListContext<'a> {
    headline: &'a str,
    /// The line before it.
    lead: &'a str,
    rest: &'a [&'a str],
}

impl ListContext<'_> {
    /// The words around ask for one of the items.
    fn ask_to_choose(&self) -> bool {
        let rest_asks = self.rest.iter().any(|line| asks(line));
        let names_choice = names_choice(self.lead) || self.rest.iter().any(|l| names_choice(l));
        let introduces = self.lead.ends_with([':', '：']);
        names_choice || (!rest_asks && (asks(self.lead) || (!introduces && asks(self.headline))))
    }

    /// At most a remark follows.
    fn rest_is_short(&self) -> bool {
        let mut lines = self.rest.iter().map(|line| line.trim());
        let paragraph = lines.by_ref().skip_while(|line| line.is_empty());
        let length: usize = paragraph.take_while(|line| !line.is_empty()).map(str::len).sum();
        length <= MAX_REST && lines.all(str::is_empty)
    }
}

impl ListGroup {
    fn is_choice(&self, around: &ListContext<'_>) -> bool {
        if self.items.len() < 2 || !around.rest_is_short() {
            return false;
        }
        let keys: Vec<char> = self.items.iter().filter_map(|item| item.key).collect();
        match self.style {
            ListStyle::Letter(_) => {
                let in_order = ('a'..='z').zip(&keys).all(|(letter, key)| letter == *key);
                are_distinct(&keys) && (in_order || around.ask_to_choose())
            }
            ListStyle::Digit(_) => {
                let from = |first: char| (first..='9').zip(&keys).all(|(digit, key)| digit == *key);
                let few = keys.len() <= MAX_NUMBERED;
                few && (from('1') || from('0')) && around.ask_to_choose()
            }
            ListStyle::Bullet => {
                let known = self.items.iter().all(|item| is_answer(&item.words()));
                self.items.len() <= MAX_NUMBERED && (known || around.ask_to_choose())
            }
        }
    }
}

fn are_distinct<T: Ord + Copy>(all: &[T]) -> bool {
    let mut sorted = all.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len() == all.len()
}

fn asks(line: &str) -> bool {
    line.contains(['?', '？'])
}

fn names_choice(line: &str) -> bool {
    const WORDS: [&str; 9] =
        ["option", "choose", "pick", "which", "either", "select", "prefer", "选", "哪"];
    let small = line.to_lowercase();
    WORDS.iter().any(|word| small.contains(word))
}

/// Words that answer by themselves.
fn is_answer(text: &str) -> bool {
    const WORDS: [&str; 22] = [
        "yes",
        "no",
        "y",
        "n",
        "ok",
        "cancel",
        "true",
        "false",
        "on",
        "off",
        "continue",
        "stop",
        "skip",
        "retry",
        "maybe",
        "是",
        "否",
        "好",
        "不",
        "可以",
        "不可以",
        "同意",
    ];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The start of a list's item: its style, its key, its text, and the marks before the key that end in the text.
type ItemStart<'a, K> = (ListStyle, K, &'a str, Vec<&'static str>);

fn item(line: &str) -> Option<ItemStart<'_, Option<char>>> {
    let line = line.trim();
    let bullets = ["- ", "* ", "+ ", "• ", "– "];
    let bulleted = bullets.iter().find_map(|mark| line.strip_prefix(mark)).map(str::trim);
    if let Some((style, key, text, open)) = keyed(bulleted.unwrap_or(line)) {
        return Some((style, Some(key), text, open));
    }
    let text = bulleted?;
    let has_words = !text.trim_matches(['*', '_', '`']).is_empty();
    has_words.then_some((ListStyle::Bullet, None, text, Vec::new()))
}

/// `a  drop it`, `b) keep it`, `(c) both`, `**3.** none`, `4、不`
fn keyed(text: &str) -> Option<ItemStart<'_, char>> {
    const CLOSERS: [char; 9] = [')', '.', ':', '*', '`', '）', '．', '：', '、'];
    const DASHES: [&str; 3] = [" - ", " – ", " — "];
    let opened = text.trim_start_matches(['(', '（', '*', '`']);
    let before = text.strip_suffix(opened).unwrap_or_default();
    let key = opened.chars().next().filter(char::is_ascii_alphanumeric)?;
    let rest = opened.get(1..)?;
    let body = rest.trim_start_matches(CLOSERS);
    let closers = rest.strip_suffix(body).unwrap_or_default();
    let dashed =
        |text: &'_ str| DASHES.iter().find(|dash| text.starts_with(**dash)).map(|d| d.len());
    let (form, text) = if closers.is_empty() {
        if rest.starts_with("  ") || rest.starts_with('\t') {
            (ItemForm::Spaced, rest)
        } else {
            (ItemForm::Dashed, rest.get(dashed(rest)?..)?)
        }
    } else {
        let last = closers.chars().next_back();
        let apart = body.starts_with(char::is_whitespace) || last.is_some_and(|c| !c.is_ascii());
        let body = apart.then_some(body)?;
        (ItemForm::Closed, body.get(dashed(body).unwrap_or(0)..)?)
    };
    let text = text.trim();
    let open = unclosed(before, closers);
    let has_words = !text.trim_matches(['*', '`']).is_empty();
    let style = if key.is_ascii_digit() { ListStyle::Digit(form) } else { ListStyle::Letter(form) };
    has_words.then_some((style, key.to_ascii_lowercase(), text, open))
}

/// The marks before a key that do not end right after it, the inner ones first.
fn unclosed(before: &str, closers: &str) -> Vec<&'static str> {
    let (mut rest, mut closers) = (before, closers.to_owned());
    let mut open = Vec::new();
    while let Some(first) = rest.chars().next() {
        let mark = MARKS.into_iter().find(|mark| rest.starts_with(mark));
        rest = rest.get(mark.map_or(first.len_utf8(), str::len)..).unwrap_or_default();
        if let Some(mark) = mark {
            if closers.contains(mark) {
                closers = closers.replacen(mark, "", 1);
            } else {
                open.insert(0, mark);
            }
        }
    }
    open
}

/// The text without the marks that are around all of it.
fn inside_marks(text: &str) -> &str {
    for mark in MARKS {
        let inside = text.strip_prefix(mark).and_then(|text| text.strip_suffix(mark));
        let alone = |inside: &&str| {
            !inside.is_empty() && !inside.contains(mark) && inside.trim() == *inside
        };
        if let Some(inside) = inside.filter(alone) {
            return if mark == "`" { inside } else { inside_marks(inside) };
        }
    }
    text
}

/// `(yes/no)` at the end of the first or the last line, or `- yes / - no`.
fn inline<'a>(lines: &[&'a str]) -> Vec<AnswerChoice> {
    let with_words = |line: &&str| !line.trim().is_empty();
    let ends = [lines.iter().rposition(with_words), lines.iter().position(with_words)];
    let parts_of = |line: &'a str| parts(line).or_else(|| dashed(line));
    let found = ends.into_iter().flatten().find_map(|at| Some((at, parts_of(lines.get(at)?)?)));
    let Some((at, parts)) = found else {
        return Vec::new();
    };
    let choice = |(text, key): (&&str, char)| AnswerChoice {
        key,
        text: whole_word(text, &parts).to_owned(),
        lines: at + 1..at + 1,
    };
    parts.iter().zip(keys_for(&parts)).map(choice).collect()
}

/// Short for yes and no is not what should be recorded.
fn whole_word<'a>(text: &'a str, all: &[&str]) -> &'a str {
    let pair = all.len() == 2;
    match text {
        "y" | "Y" if pair => "yes",
        "n" | "N" if pair => "no",
        other => other,
    }
}

/// `- yes / - no`
fn dashed(line: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = line.trim().strip_prefix("- ")?.split(" / - ").map(str::trim).collect();
    let fits = (2..=MAX_NUMBERED).contains(&parts.len()) && are_distinct(&parts);
    (fits && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

fn parts(line: &str) -> Option<Vec<&str>> {
    let line = line.trim_end_matches([' ', '?', '？', '.', '。', ':', '：', '*']);
    let (open, body) = [('(', ')'), ('[', ']'), ('（', '）')]
        .into_iter()
        .find_map(|(open, close)| Some((open, line.strip_suffix(close)?)))?;
    let (before, inner) = body.rsplit_once(open)?;
    let parts: Vec<&str> = inner.split(['/', '|', '／']).map(str::trim).collect();
    let is_word = |part: &&str| {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '\'');
        !part.is_empty() && part.len() <= MAX_INLINE && part.chars().all(plain)
    };
    let few = (2..=6).contains(&parts.len()) && parts.iter().all(is_word);
    let differ = are_distinct(&parts);
    let known = parts.iter().all(|part| is_answer(part));
    let letters = parts.iter().all(|part| part.chars().count() == 1);
    let apart = inner.contains(" / ") || inner.contains(" | ");
    (few && differ && (known || letters || apart || asks(before))).then_some(parts)
}

/// A key for each: its first letter where that is short and plain, else its number.
fn keys_for(texts: &[&str]) -> Vec<char> {
    let first = |text: &&str| {
        let short = text.len() <= MAX_INLINE && !text.contains(char::is_whitespace);
        let letter = text.chars().next().filter(|c| short && c.is_ascii_alphanumeric());
        letter.map(|c| c.to_ascii_lowercase())
    };
    let letters: Option<Vec<char>> = texts.iter().map(first).collect();
    letters
        .filter(|letters| are_distinct(letters))
        .unwrap_or_else(|| ('1'..='9').chain('a'..='z').take(texts.len()).collect())
}

#[cfg(test)]
mod tests;
