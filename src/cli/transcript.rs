//! A transcript on paper: `show` and `show --markdown`.

use crate::domain::Course;
use crate::domain::record::{Entry, Origin, Record};

use super::lines;
use super::reading::Form;

pub fn print(agent: &str, course: Course, entries: &[Entry], form: Form) {
    let heading = format!("@{agent} · course {course}");
    lines::say(&if form == Form::Markdown { format!("# {heading}") } else { heading });
    for entry in entries {
        let Some((title, text)) = block(agent, &entry.record) else { continue };
        let at = entry.ts.hour_minute();
        match form {
            Form::Markdown => lines::say(&format!("\n## {title} · {at}\n\n{text}")),
            Form::Plain | Form::Json => {
                lines::say(&format!("\n{title} · {at}\n{}", indented(&text)));
            }
        }
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// What a person reads of a record; `None` for bookkeeping.
fn block(agent: &str, record: &Record) -> Option<(String, String)> {
    let speaker = format!("@{agent}");
    Some(match record {
        Record::HumanText(text) => match text.origin {
            Origin::User => ("you".to_owned(), text.content.clone()),
            Origin::Runtime | Origin::DiligencePush => ("runtime".to_owned(), text.content.clone()),
        },
        Record::Thought { content, .. } => (format!("{speaker} thinks"), content.clone()),
        Record::Words { content, interrupted } => {
            let mark = if *interrupted { " [interrupted]" } else { "" };
            (speaker, format!("{content}{mark}"))
        }
        Record::FuncCall(call) | Record::TellaskCall { call, .. } => {
            (format!("{speaker} calls {}", call.name), call.raw_arguments_text.clone())
        }
        Record::FuncResult(result) => (format!("{} returned", result.name), result.content.clone()),
        Record::TellaskResult(result) => {
            (format!("@{} replied", result.responder.responder_id), result.content.clone())
        }
        Record::Carryover(reply) => {
            (format!("@{} replied, carried over", reply.responder_id), reply.content.clone())
        }
        Record::RuntimeGuide { content } | Record::UiOnly { content } => {
            ("note".to_owned(), content.clone())
        }
        Record::Unknown { kind, line } => (format!("unknown record {kind:?}"), line.clone()),
        Record::GenStart
        | Record::GenFinish { .. }
        | Record::ReplyResolution { .. }
        | Record::Anchor { .. }
        | Record::SideDialogCreated(_)
        | Record::Reminders { .. }
        | Record::Questions { .. }
        | Record::PendingSideDialogs { .. }
        | Record::Registry { .. } => return None,
    })
}
