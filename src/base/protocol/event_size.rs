//! About how many bytes an event takes while it waits: its texts, and something for all else. It need not be
//! exact, only cheap, and grow with the event.

use std::io;

use serde::Serialize;
use serde_json::Value;

use super::event::{DriverEvent, InboxRow, TranscriptPage, TreeRow};
use crate::domain::{Entry, Problem, Record};

/// An event, a record or a row without its texts.
const FIXED: usize = 256;

/// The size of an event, in bytes. A mark that takes the place of others has none.
pub fn event_size(event: &DriverEvent) -> usize {
    if matches!(event, DriverEvent::Lagged) {
        return 0;
    }
    FIXED + texts(event)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what is rare needs no arm")]
fn texts(event: &DriverEvent) -> usize {
    match event {
        DriverEvent::Rows(rows) => rows.iter().map(row).sum(),
        DriverEvent::Row(one) => row(one),
        DriverEvent::Inbox(rows) => rows.iter().map(inbox_row).sum(),
        DriverEvent::Fact(record) => entry(record.entry()),
        DriverEvent::Page { page, .. } => self::page(page),
        DriverEvent::Live { text, .. } => text.len(),
        DriverEvent::Printed { lines, .. } => lines.iter().map(String::len).sum(),
        DriverEvent::Asked { question, headline, .. } => question.len() + headline.len(),
        DriverEvent::Problems(problems) => problems.iter().map(problem).sum(),
        DriverEvent::Files(files) => {
            files.iter().map(|file| file.len() + size_of::<String>()).sum()
        }
        DriverEvent::Drafts { texts, .. } => {
            texts.iter().map(|(name, text)| FIXED + name.len() + text.len()).sum()
        }
        DriverEvent::Answered { headline, .. } => headline.len(),
        DriverEvent::News(items) => {
            items.iter().map(|item| 2 * FIXED + item.title.len() + item.body.len()).sum()
        }
        DriverEvent::Tasks(rows) => rows.iter().map(|row| FIXED + row.about.len()).sum(),
        DriverEvent::TaskUpdated(row) => row.about.len(),
        DriverEvent::Removed(_)
        | DriverEvent::ToolEnded { .. }
        | DriverEvent::LiveEnd { .. }
        | DriverEvent::Done { .. }
        | DriverEvent::ImageKept { .. }
        | DriverEvent::Quiet(_)
        | DriverEvent::Lagged
        | DriverEvent::Stopped => 0,
        // The others are rare, or small.
        _ => json(event),
    }
}

fn row(row: &TreeRow) -> usize {
    let queued = row.queued.iter().map(|message| FIXED + message.text.len());
    FIXED + row.title.len() + row.taskdoc.len() + queued.sum::<usize>()
}

fn inbox_row(row: &InboxRow) -> usize {
    let text = row.question.tellask_content.len();
    // The text says the parts once more, and answers are rarely as long.
    let parts = if row.inquiry.is_some() { 2 * text } else { 0 };
    2 * FIXED + text + parts + row.said.len() + row.taskdoc.len()
}

fn page(page: &TranscriptPage) -> usize {
    page.entries.iter().map(entry).sum()
}

fn problem(problem: &Problem) -> usize {
    FIXED + json(&problem.text) + json(&problem.fix) + problem.path.len()
}

fn entry(entry: &Entry) -> usize {
    FIXED + record(&entry.record)
}

/// Long texts are measured as they are, all else by its JSON.
fn record(record: &Record) -> usize {
    if let Record::HumanText(text) = record {
        text.content.len() + optional(text.content_items.as_ref())
    } else if let Record::RuntimeGuide { content }
    | Record::Words { content, .. }
    | Record::UiOnly { content } = record
    {
        content.len()
    } else if let Record::Thought { content, reasoning, provider_data } = record {
        content.len() + optional(reasoning.as_ref()) + optional(provider_data.as_ref())
    } else if let Record::FuncCall(call) | Record::TellaskCall { call, .. } = record {
        call.raw_arguments_text.len()
    } else if let Record::FuncResult(result) = record {
        let items = optional(result.content_items.as_ref());
        result.content.len() + items + optional(result.file_changes.as_ref())
    } else if let Record::TellaskResult(result) = record {
        let items = optional(result.content_items.as_ref());
        result.content.len() + result.call.tellask_content.len() + items
    } else if let Record::Carryover(reply) = record {
        reply.tellask_content.len() + reply.response.len() + reply.content.len()
    } else if let Record::Unknown { line, .. } = record {
        line.len()
    } else {
        json(record)
    }
}

fn optional(value: Option<&Value>) -> usize {
    value.map_or(0, self::value)
}

fn value(value: &Value) -> usize {
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(self::value).sum(),
        Value::Object(items) => items.iter().map(|(key, item)| key.len() + self::value(item)).sum(),
    };
    size_of::<Value>() + inside
}

/// The length of the JSON of a value.
fn json<T: Serialize>(value: &T) -> usize {
    let mut counted = Counted(0);
    // What fails is not sent either.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}

struct Counted(usize);

impl io::Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
