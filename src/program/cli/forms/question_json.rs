//! The parts of a question, as JSON and as lines.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::domain::Question;
use crate::domain::asking::inquiry::answers::PartAnswer;
use crate::domain::asking::inquiry::{AnswerOption, Inquiry, Part};
use crate::protocol::InboxRow;

type Answers = BTreeMap<String, PartAnswer>;

/// Returns the inquiry of a question; one in plain words is one part.
pub fn inquiry_of(question: &Question, parts: Option<&Inquiry>) -> Inquiry {
    let in_words = || Inquiry::of_words(&question.tellask_content, &question.asked_at);
    parts.cloned().unwrap_or_else(in_words)
}

/// Returns the category of an approval; `None` for a question.
pub fn category_of(parts: Option<&Inquiry>) -> Option<&'static str> {
    Some(parts?.approval.as_ref()?.category.name())
}

/// The change that an approval is about.
pub fn diff_of(parts: Option<&Inquiry>) -> Option<&str> {
    parts?.approval.as_ref()?.diff.as_deref()
}

/// Returns the ids of other open questions that ask the same.
pub fn alike(row: &InboxRow, open: &[InboxRow]) -> Vec<String> {
    let others = open.iter().filter(|other| other.question.id != row.question.id);
    let same = others.filter(|other| other.asks_the_same(row));
    same.map(|other| other.question.id.clone()).collect()
}

/// Returns the parts as JSON. Every field is present; absent values are `null`.
pub fn parts_json(inquiry: &Inquiry, answers: &Answers) -> Value {
    let option = |option: &AnswerOption| {
        let AnswerOption { key, label, pros, cons } = option;
        json!({ "key": key, "label": label, "pros": pros, "cons": cons })
    };
    let answer = |answer: &PartAnswer| {
        let PartAnswer { option, text, at } = answer;
        json!({ "option": option, "text": text, "at": at })
    };
    let part = |part: &Part| {
        json!({
            "id": part.id,
            "text": part.text,
            "createdAt": part.created_at,
            "options": part.options.iter().map(option).collect::<Value>(),
            "recommended": part.recommended,
            "answer": answers.get(&part.id).map(answer),
        })
    };
    inquiry.parts.iter().map(part).collect()
}

/// Returns one line for each of several parts: its id, and its answer if it has one.
pub fn part_lines(inquiry: &Inquiry, answers: &Answers) -> Vec<String> {
    if inquiry.parts.len() < 2 {
        return Vec::new();
    }
    let line = |part: &Part| match answers.get(&part.id) {
        Some(answer) => {
            format!("{}: answered {}: {}", part.id, answer.at, answer.words(part))
        }
        None => format!("{}: open", part.id),
    };
    inquiry.parts.iter().map(line).collect()
}
