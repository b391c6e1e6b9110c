//! An item of the inbox as JSON: a question, an approval, a notice or a failure. Every field is present;
//! absent values are `null`.

use serde_json::{Value, json};

use crate::domain::reading::title::headline;
use crate::domain::teams::notices::NewsItem;
use crate::domain::{Clock as _, DialogId, Stamp};
use crate::platform::SystemClock;
use crate::protocol::InboxRow;
use crate::ui::model::age;

use super::question_json::{category_of, diff_of, inquiry_of, parts_json};

/// The value of `ageSeconds`, wherever it stands: whole seconds since then; `None` where the stamp is not a time.
pub fn age_seconds(then: &Stamp) -> Option<u64> {
    age::seconds_since(then, &SystemClock.now())
}

/// An open question or approval. `alike`: other questions that ask the same.
pub fn of_question(row: &InboxRow, alike: &[String]) -> Value {
    let (question, parts) = (&row.question, row.inquiry.as_ref());
    let source = row.source();
    json!({
        "id": question.id,
        "kind": if row.is_approval() { "approval" } else { "question" },
        "source": source.kind,
        "sourceId": source.id,
        "status": "open",
        "team": row.work.as_ref().map(|work| &work.team),
        "taskId": row.work.as_ref().and_then(|work| work.task.as_ref()),
        "dialog": dialog_text(&row.dialog),
        "agentId": row.agent,
        "title": headline(&question.tellask_content),
        "body": question.tellask_content,
        "parts": parts_json(&inquiry_of(question, parts), &row.answers),
        "category": category_of(parts),
        "diff": diff_of(parts),
        "taskDocPath": row.taskdoc,
        "blocks": row.blocks,
        "alike": alike,
        "level": Value::Null,
        "count": 1,
        "createdAt": question.asked_at,
        "ageSeconds": age_seconds(&question.asked_at),
        "resolvedAt": Value::Null,
        "resolvedBy": Value::Null,
    })
}

/// A notice or a failure.
pub fn of_news(item: &NewsItem) -> Value {
    let (source, source_id) = source_of_news(item);
    let is_open = item.resolved_at.is_none();
    json!({
        "id": item.id,
        "kind": item.kind.name(),
        "source": source,
        "sourceId": source_id,
        "status": if is_open { "open" } else { "dismissed" },
        "team": item.work.as_ref().map(|work| &work.team),
        "taskId": item.work.as_ref().and_then(|work| work.task.as_ref()),
        "dialog": item.dialog.as_ref().map(dialog_text),
        "agentId": item.agent,
        "title": item.title,
        "body": item.body,
        "parts": [],
        "category": Value::Null,
        "diff": Value::Null,
        "taskDocPath": Value::Null,
        "blocks": [],
        "alike": [],
        "level": item.level.name(),
        "count": item.count,
        "createdAt": item.created_at,
        "ageSeconds": age_seconds(&item.updated_at),
        "resolvedAt": item.resolved_at,
        "resolvedBy": if is_open { Value::Null } else { "@human".into() },
    })
}

/// Returns it in one line, whatever the driver of another machine sends.
pub fn news_line(item: &NewsItem) -> String {
    let agent = item.agent.as_ref().map_or_else(String::new, |agent| format!("@{agent}: "));
    let count = if item.count > 1 { format!(" (x{})", item.count) } else { String::new() };
    let title = headline(&item.title);
    format!("{}: {agent}{title}{count}  [{}]", item.kind.name(), item.id)
}

/// Returns the subject of a notice or a failure.
pub fn source_of_news(item: &NewsItem) -> (&'static str, Option<String>) {
    if let Some(task) = item.work.as_ref().and_then(|work| work.task.as_ref()) {
        return ("task", Some(task.to_string()));
    }
    ("dialog", item.dialog.as_ref().map(ToString::to_string))
}

fn dialog_text(dialog: &DialogId) -> String {
    format!("{}#{}", dialog.root, dialog.this)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::teams::notices::{NewsKind, NewsLevel};

    fn item() -> NewsItem {
        NewsItem {
            id: "n-1".to_owned(),
            kind: NewsKind::Notice,
            level: NewsLevel::Info,
            agent: None,
            dialog: None,
            title: "Go\n2  the answer is recorded".to_owned(),
            body: String::new(),
            count: 2,
            created_at: Stamp::default(),
            updated_at: Stamp::default(),
            work: None,
            resolved_at: None,
        }
    }

    #[test]
    fn a_title_of_another_machine_makes_no_second_line() {
        assert_eq!(news_line(&item()), "notice: Go (x2)  [n-1]");
    }

    #[test]
    fn an_item_is_as_old_as_what_was_said_last() {
        let long_ago = Stamp::new("2020-11-21 12:00:00");
        for (said, age) in [("2999-11-21 12:00:00", Some(0)), ("soon", None)] {
            let (created_at, updated_at) = (long_ago.clone(), Stamp::new(said));
            let item = of_news(&NewsItem { created_at, updated_at, ..item() });
            assert_eq!(item.get("ageSeconds"), Some(&json!(age)), "{said}");
        }
    }
}
