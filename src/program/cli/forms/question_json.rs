//! The parts of a question, as JSON and as lines.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::domain::asking::inquiry::answers::PartAnswer;
use crate::domain::asking::inquiry::{AnswerOption, Inquiry, Part};
use crate::domain::{AgentId, Question, RootId, SelfId, Stamp};
use crate::protocol::InboxRow;

use super::item_json::age_seconds;

type Answers = BTreeMap<String, PartAnswer>;

/// Returns the inquiry of a question; one in plain words is one part.
pub fn inquiry_of(question: &Question, parts: Option<&Inquiry>) -> Inquiry {
    let in_words = || Inquiry::of_words(&question.tellask_content, &question.asked_at);
    parts.cloned().unwrap_or_else(in_words)
}

/// Which question it is, who asks it, and since when.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuestionHead<'a> {
    id: &'a str,
    root_id: &'a RootId,
    self_id: &'a SelfId,
    agent_id: &'a AgentId,
    asked_at: &'a Stamp,
    age_seconds: Option<u64>,
}

impl<'a> QuestionHead<'a> {
    pub fn of(row: &'a InboxRow) -> Self {
        let (dialog, question) = (&row.dialog, &row.question);
        Self {
            id: &question.id,
            root_id: &dialog.root,
            self_id: &dialog.this,
            agent_id: &row.agent,
            asked_at: &question.asked_at,
            age_seconds: age_seconds(&question.asked_at),
        }
    }
}

/// What is to be answered; for an approval with its category, and the change that it is about.
#[derive(Debug, Default, Serialize)]
pub struct Asks<'a> {
    parts: Vec<Value>,
    category: Option<&'static str>,
    diff: Option<&'a str>,
}

impl<'a> Asks<'a> {
    pub fn of(row: &'a InboxRow) -> Self {
        let inquiry = inquiry_of(&row.question, row.inquiry.as_ref());
        let approval = inquiry.approval.as_ref();
        let category = approval.map(|approval| approval.category.name());
        Self { parts: parts_json(&inquiry, &row.answers), category, diff: row.diff() }
    }
}

/// Returns the ids of other open questions that ask the same.
pub fn alike(row: &InboxRow, open: &[InboxRow]) -> Vec<String> {
    let others = open.iter().filter(|other| other.question.id != row.question.id);
    let same = others.filter(|other| other.asks_the_same(row));
    same.map(|other| other.question.id.clone()).collect()
}

/// Returns the parts as JSON. Every field is present; absent values are `null`.
fn parts_json(inquiry: &Inquiry, answers: &Answers) -> Vec<Value> {
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
