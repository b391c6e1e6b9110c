//! Small readings of foreign text: arguments in one line, the reply inside its envelope.

use serde_json::{Map, Value};

use crate::domain::text::json;

/// Longest summary of a call's arguments, in characters.
const SUMMARY_CHARS: usize = 200;

/// How the bracketed lines of an envelope end, in English and in Chinese.
const HEADING_ENDS: [&str; 2] = ["response]", "回复]"];
const STATUS_ENDS: [&str; 2] = ["status]", "状态]"];
/// How a reply's marker begins that stands unquoted in its envelope.
const UNQUOTED: &str = "【FBR";

/// The first line that says something.
pub fn first_line(text: &str) -> &str {
    crate::domain::asking::question::headline(text)
}

/// How many words a reader counts: runs of letters, and each wide character by itself.
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().map(words_in_run).sum()
}

/// An ideograph is a word of its own.
fn words_in_run(run: &str) -> usize {
    let ideographs = run.chars().filter(|c| is_ideograph(*c)).count();
    let others = run.split(is_ideograph).filter(|part| part.chars().any(char::is_alphanumeric));
    (ideographs + others.count()).max(1)
}

fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF)
}

/// A named string argument of a call.
pub(in crate::domain) fn argument(arguments: &Map<String, Value>, name: &str) -> Option<String> {
    arguments.get(name).and_then(Value::as_str).map(str::to_owned)
}

pub(in crate::domain) fn arguments(raw: &str) -> Map<String, Value> {
    json::read(raw).unwrap_or_default()
}

/// Arguments as a person would jot them down: the first value bare, the others `name=value`.
pub(super) fn summary(raw: &str) -> String {
    let arguments = arguments(raw);
    if arguments.is_empty() {
        return if matches!(raw.trim(), "" | "{}") { String::new() } else { short(raw) };
    }
    let parts = arguments.iter().enumerate().map(|(at, (name, value))| {
        let value = value.as_str().map_or_else(|| value.to_string(), gist);
        if at == 0 { value } else { format!("{name}={value}") }
    });
    short(&parts.collect::<Vec<_>>().join(" "))
}

/// A value in one line: the files of a patch, of any other text the first line.
fn gist(text: &str) -> String {
    let patch = text.trim_start().strip_prefix("*** Begin Patch").unwrap_or_default();
    let files: Vec<&str> = patch.lines().filter_map(patched_file).collect();
    if files.is_empty() { first_line(text).to_owned() } else { files.join(", ") }
}

fn patched_file(line: &str) -> Option<&str> {
    let heads = ["*** Add File: ", "*** Delete File: ", "*** Update File: "];
    heads.iter().find_map(|head| line.strip_prefix(head)).map(str::trim)
}

fn short(text: &str) -> String {
    match text.char_indices().nth(SUMMARY_CHARS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The words of a reply without the envelope in which models receive it, in either language: the
/// quoted part if there is one, else everything between the opening lines and the status part.
pub(super) fn reply_words(content: &str) -> String {
    if let Some(answer) = below_mark(content, HUMAN_MARKS) {
        return answer.trim().to_owned();
    }
    if let Some(reply) = below_mark(content, REPLY_MARKS) {
        return marked_reply(reply);
    }
    if !content.starts_with('【') {
        return content.trim().to_owned();
    }
    let quoted = || content.lines().skip_while(|line| !is_quoted(line));
    if content.starts_with(UNQUOTED) || quoted().next().is_none() {
        inner(content)
    } else {
        unquoted(quoted().take_while(|line| is_quoted(line)))
    }
}

/// How results begin in the layout of Dominds 1.29, where they name the call.
const HUMAN_MARKS: [&str; 2] =
    ["[Dominds human answer result | callId: ", "【Dominds 人类回答结果｜callId: "];
const REPLY_MARKS: [&str; 2] =
    ["[Dominds Tellask result | callId: ", "【Dominds 诉请结果｜callId: "];

/// What stands below a first line that begins so.
fn below_mark<'a>(content: &'a str, marks: [&str; 2]) -> Option<&'a str> {
    let is_marked = marks.iter().any(|mark| content.starts_with(mark));
    is_marked.then(|| content.split_once('\n').map_or("", |(_, below)| below))
}

/// The last quotation is the request, and the one before it the reply. Without a reply the text above the request says
/// why.
fn marked_reply(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let parts = lines.chunk_by(|one, next| is_quoted(one) == is_quoted(next));
    let quoted = |part: &&[&str]| part.first().is_some_and(|line| is_quoted(line));
    let quotations: Vec<&[&str]> = parts.filter(quoted).collect();
    if let [.., reply, _] = quotations.as_slice() {
        return unquoted(reply.iter().copied());
    }
    let above = lines.iter().take_while(|line| !is_quoted(line));
    above.copied().collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn is_quoted(line: &str) -> bool {
    line.starts_with('>')
}

fn unquoted<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let bare = lines.map(|line| line.strip_prefix("> ").unwrap_or(line.trim_start_matches('>')));
    bare.collect::<Vec<_>>().join("\n")
}

fn inner(content: &str) -> String {
    let opens = |line: &&str| {
        line.trim().is_empty() || line.starts_with('【') || is_bracketed_note(line, HEADING_ENDS)
    };
    let mut lines: Vec<&str> = content.lines().skip_while(opens).collect();
    if let Some(end) = lines.iter().rposition(|line| is_bracketed_note(line, STATUS_ENDS)) {
        lines.truncate(end);
    }
    lines.join("\n").trim().to_owned()
}

fn is_bracketed_note(line: &str, ends: [&str; 2]) -> bool {
    line.starts_with('[') && ends.iter().any(|end| line.trim_end().ends_with(end))
}

/// `text`, cut at a character so that at most `limit` bytes are kept.
pub(super) fn bounded(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = (0..=limit).rev().find(|at| text.is_char_boundary(*at));
    let kept = end.and_then(|end| text.get(..end)).unwrap_or_default();
    format!("{kept}\n… {} {CUT_END}", text.len() - kept.len())
}

const CUT_END: &str = "bytes more are in the record";

/// True if the end of a text was cut off.
pub fn is_cut(text: &str) -> bool {
    text.ends_with(CUT_END)
}
