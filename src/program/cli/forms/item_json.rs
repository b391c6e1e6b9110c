//! An item of the inbox as JSON: a question, an approval, a notice or a failure. Every field is present;
//! absent values are `null`.

use serde::Serialize;

use crate::cli::args::ItemKind;
use crate::domain::reading::title::headline;
use crate::domain::teams::notices::NewsItem;
use crate::domain::{AgentId, Clock as _, DialogId, Stamp, TaskId, TeamName};
use crate::platform::SystemClock;
use crate::protocol::InboxRow;
use crate::ui::model::age;

use super::question_json::Asks;

/// The value of `ageSeconds`, wherever it stands: whole seconds since then; `None` where the stamp is not a time.
pub fn age_seconds(then: &Stamp) -> Option<u64> {
    age::seconds_since(then, &SystemClock.now())
}

/// A question, an approval, a notice or a failure.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item<'a> {
    id: &'a str,
    kind: &'static str,
    source: String,
    source_id: Option<String>,
    status: &'static str,
    team: Option<&'a TeamName>,
    task_id: Option<&'a TaskId>,
    dialog: Option<String>,
    agent_id: Option<&'a AgentId>,
    title: String,
    body: &'a str,
    #[serde(flatten)]
    asks: Asks<'a>,
    task_doc_path: Option<&'a str>,
    blocks: &'a [AgentId],
    alike: Vec<String>,
    level: Option<&'static str>,
    count: u64,
    created_at: Option<&'a Stamp>,
    age_seconds: Option<u64>,
    resolved_at: Option<&'a Stamp>,
    resolved_by: Option<&'static str>,
}

impl<'a> Item<'a> {
    /// An open question or approval. `alike`: other questions that ask the same.
    pub fn of_question(row: &'a InboxRow, alike: Vec<String>) -> Self {
        let (question, source) = (&row.question, row.source());
        Self {
            id: &question.id,
            kind: if row.is_approval() { "approval" } else { "question" },
            source: source.kind,
            source_id: Some(source.id),
            status: "open",
            team: row.work.as_ref().map(|work| &work.team),
            task_id: row.work.as_ref().and_then(|work| work.task.as_ref()),
            dialog: Some(dialog_text(&row.dialog)),
            agent_id: Some(&row.agent),
            title: headline(&question.tellask_content),
            body: &question.tellask_content,
            asks: Asks::of(row),
            task_doc_path: Some(&row.taskdoc),
            blocks: &row.blocks,
            alike,
            count: 1,
            created_at: Some(&question.asked_at),
            age_seconds: age_seconds(&question.asked_at),
            ..Self::default()
        }
    }

    /// A notice or a failure.
    pub fn of_news(item: &'a NewsItem) -> Self {
        let (source, source_id) = source_of_news(item);
        let is_open = item.resolved_at.is_none();
        Self {
            id: &item.id,
            kind: item.kind.name(),
            source: source.to_owned(),
            source_id,
            status: if is_open { "open" } else { "dismissed" },
            team: item.work.as_ref().map(|work| &work.team),
            task_id: item.work.as_ref().and_then(|work| work.task.as_ref()),
            dialog: item.dialog.as_ref().map(dialog_text),
            agent_id: item.agent.as_ref(),
            title: item.title.clone(),
            body: &item.body,
            level: Some(item.level.name()),
            count: item.count,
            created_at: Some(&item.created_at),
            age_seconds: age_seconds(&item.updated_at),
            resolved_at: item.resolved_at.as_ref(),
            resolved_by: (!is_open).then_some("@human"),
            ..Self::default()
        }
    }

    /// True if it is of one of these kinds, or there are none, and of this team, if there is one.
    pub fn is_wanted(&self, kinds: &[ItemKind], team: Option<&str>) -> bool {
        let is_of_kind = kinds.is_empty() || kinds.iter().any(|kind| kind.name() == self.kind);
        is_of_kind && (team.is_none() || team == self.team.map(TeamName::as_str))
    }
}

/// What is told together with its place.
#[derive(Debug, Serialize)]
pub struct Placed<'a, T> {
    #[serde(flatten)]
    pub what: T,
    pub place: &'a str,
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
    fn an_item_has_all_its_fields_in_one_order_and_its_place_last() {
        let (item, place) = (item(), "~/w");
        let told = serde_json::to_value(Placed { what: Item::of_news(&item), place }).unwrap();
        let names: Vec<&str> = told.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = "id kind source sourceId status team taskId dialog agentId title body parts category diff \
                        taskDocPath blocks alike level count createdAt ageSeconds resolvedAt resolvedBy place";
        assert_eq!(names.join(" "), expected);
        assert!(told["team"].is_null() && told["parts"].is_array(), "{told}");
    }

    #[test]
    fn an_item_is_as_old_as_what_was_said_last() {
        let long_ago = Stamp::new("2020-11-21 12:00:00");
        for (said, age) in [("2999-11-21 12:00:00", Some(0)), ("soon", None)] {
            let (created_at, updated_at) = (long_ago.clone(), Stamp::new(said));
            let item = NewsItem { created_at, updated_at, ..item() };
            assert_eq!(Item::of_news(&item).age_seconds, age, "{said}");
        }
    }
}
