//! Questions that a model puts into its last words instead of calling `askHuman`: an object with `open_questions` (or
//! `openQuestions`) at its top level. Only an object that stands for itself counts – the whole text, a fenced block, or
//! one that begins a line – never one that is quoted, nested, or in the middle of a sentence.

use serde_json::{Map, Value};

use super::inquiry::WrittenPart;
use crate::domain::text::json;

/// The longest object that is looked at, in bytes.
const MAX_BYTES: usize = 64 * 1024;
/// The keys; the first one that has a usable item counts.
const KEYS: [&str; 2] = ["open_questions", "openQuestions"];
/// Keys that say what the questions are about, in the order of preference.
const ABOUT: [&str; 8] = [
    "feedbackId",
    "feedback_id",
    "sectionKey",
    "section_key",
    "planId",
    "plan_id",
    "taskId",
    "task_id",
];
/// Most characters of such an id.
const MAX_ABOUT_CHARS: usize = 200;

/// What the words of a model ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenQuestions {
    None,
    Asked {
        parts: Vec<WrittenPart>,
        /// The id of what they are about, where the object names it.
        about: Option<String>,
    },
    /// The key is there, but nothing can be asked.
    Unusable(UnusableQuestions),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnusableQuestions {
    /// With the fault.
    NotJson(String),
    /// The value is no list, or no item of it has a text.
    NoItem,
}

/// Looks for questions in the words of a model.
#[must_use]
pub fn find(words: &str) -> OpenQuestions {
    // Most words have none; the key may be escaped.
    if !words.contains("uestions") && !words.contains("\\u") {
        return OpenQuestions::None;
    }
    let mut unusable = None;
    for candidate in candidates(words) {
        match read(candidate) {
            OpenQuestions::None => {}
            asked @ OpenQuestions::Asked { .. } => return asked,
            OpenQuestions::Unusable(fault) => _ = unusable.get_or_insert(fault),
        }
    }
    unusable.map_or(OpenQuestions::None, OpenQuestions::Unusable)
}

/// Texts that may be such an object, in the order in which they count.
fn candidates(words: &str) -> Vec<&str> {
    let whole = words.trim();
    let (fenced, objects) = pieces(words);
    let whole = whole.starts_with('{').then_some(whole);
    let all = whole.into_iter().chain(fenced).chain(objects);
    all.filter(|text| text.len() <= MAX_BYTES).collect()
}

/// The contents of the fenced blocks without a label or with that of JSON, and the objects that begin a line outside of
/// all fences. What stands in an object is part of it, also a fence in one of its texts.
fn pieces(words: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut fenced, mut objects) = (Vec::new(), Vec::new());
    // After an object that does not end, what seems to begin one may be a part of it.
    let mut is_broken = false;
    let mut from = 0;
    while let Some(rest) = words.get(from..).filter(|rest| !rest.is_empty()) {
        let line = first_line(rest);
        if let Some((marks, label)) = fence_of(line) {
            let (content, length) = fenced_block(rest.get(line.len()..).unwrap_or_default(), marks);
            let is_json = label.is_empty() || label.eq_ignore_ascii_case("json");
            fenced.extend(is_json.then(|| content.trim()));
            from += line.len() + length;
            continue;
        }
        let object = rest.trim_start_matches([' ', '\t']);
        if is_broken || !object.starts_with('{') {
            from += line.len();
            continue;
        }
        let length = balanced(object);
        is_broken = length.is_none();
        objects.extend(object.get(..length.unwrap_or(object.len())));
        from = match length {
            // What follows in the same line does not begin one.
            Some(length) => {
                let end = from + (rest.len() - object.len()) + length;
                end + first_line(words.get(end..).unwrap_or_default()).len()
            }
            None => from + line.len(),
        };
    }
    (fenced, objects)
}

fn first_line(text: &str) -> &str {
    text.split_inclusive('\n').next().unwrap_or_default()
}

/// The content of a block up to the fence that closes it, or to the end; and its length with that fence.
fn fenced_block<'a>(text: &'a str, marks: &str) -> (&'a str, usize) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let closes =
            |(closing, label): (&str, &str)| label.is_empty() && closing.starts_with(marks);
        if fence_of(line).is_some_and(closes) {
            return (text.get(..at).unwrap_or_default(), at + line.len());
        }
        at += line.len();
    }
    (text, text.len())
}

/// The marks of a fence, and what follows them.
fn fence_of(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let label = line.trim_start_matches(mark);
    let marks = line.get(..line.len() - label.len())?;
    (marks.len() >= 3 && !label.contains('`')).then(|| (marks, label.trim()))
}

/// The length of the object that the text begins with. Braces in strings do not count.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in json::outside_strings(text) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn read(candidate: &str) -> OpenQuestions {
    if !candidate.starts_with('{') {
        return OpenQuestions::None;
    }
    let object: Map<String, Value> = match json::read(&json::escaped(candidate)) {
        Ok(object) => object,
        Err(_) if !KEYS.iter().any(|key| names(candidate, key)) => return OpenQuestions::None,
        Err(error) => {
            return OpenQuestions::Unusable(UnusableQuestions::NotJson(error.to_string()));
        }
    };
    let lists: Vec<&Value> = KEYS.iter().filter_map(|key| object.get(*key)).collect();
    let parts = lists.iter().map(|list| usable(list)).find(|parts| !parts.is_empty());
    if let Some(parts) = parts {
        return OpenQuestions::Asked { parts, about: about(&object) };
    }
    let is_empty = |list: &&Value| list.as_array().is_some_and(Vec::is_empty);
    if lists.iter().all(is_empty) {
        return OpenQuestions::None;
    }
    OpenQuestions::Unusable(UnusableQuestions::NoItem)
}

/// True if the text has this as a key, wherever.
fn names(text: &str, key: &str) -> bool {
    let quoted = format!("\"{key}\"");
    let mut places = text.match_indices(&quoted);
    places.any(|(at, _)| {
        let rest = text.get(at + quoted.len()..).unwrap_or_default();
        rest.trim_start().starts_with(':')
    })
}

/// Those items of a list that have a text.
fn usable(list: &Value) -> Vec<WrittenPart> {
    let items = list.as_array().into_iter().flatten();
    let part = |item: &Value| {
        let text = item.get("text")?.as_str()?.trim();
        let only_text = || WrittenPart { text: text.to_owned(), ..WrittenPart::default() };
        (!text.is_empty())
            .then(|| serde_json::from_value(item.clone()).unwrap_or_else(|_| only_text()))
    };
    items.filter_map(part).collect()
}

fn about(object: &Map<String, Value>) -> Option<String> {
    let id = ABOUT.iter().find_map(|key| object.get(*key)?.as_str())?.trim();
    let fits = !id.is_empty() && id.chars().count() <= MAX_ABOUT_CHARS;
    fits.then(|| id.to_owned())
}

#[cfg(test)]
mod tests;
