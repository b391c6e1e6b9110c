//! The text of a transcript for `show` and `show --markdown`, from the same blocks as the screen.

use std::borrow::Cow;

use crate::domain::dialogs::record::Entry;
use crate::domain::reading::transcript::{Block, BlockBody, Tellask, TellaskStatus, Transcript};
use crate::domain::{Course, PushCount};
use crate::ui::text::call_text::{call_language, call_text};

use crate::cli::output;

/// The output format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptFormat {
    Plain,
    Json,
    Markdown,
}

pub fn print(agent: &str, course: Course, entries: &[Entry], form: TranscriptFormat) {
    let heading = format!("@{agent} · course {course}");
    output::print(&if form == TranscriptFormat::Markdown {
        format!("# {heading}")
    } else {
        heading
    });
    for block in Transcript::of_course(course, entries).blocks() {
        let (title, text) = title_and_text(agent, block);
        let at = block.at.hour_minute();
        match form {
            TranscriptFormat::Markdown => {
                let text = as_markdown(&block.body, &text);
                output::print(&format!("\n## {title} · {at}\n\n{text}"));
            }
            TranscriptFormat::Plain | TranscriptFormat::Json => {
                output::print(&format!("\n{title} · {at}\n{}", indented(&text)));
            }
        }
    }
}

/// Returns the text of a block as part of a document: the effect of a call is a code block.
pub fn as_markdown<'a>(body: &BlockBody, text: &'a str) -> Cow<'a, str> {
    let BlockBody::Tool(call) = body else { return text.into() };
    if text.trim().is_empty() {
        return text.into();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{}\n{}\n{fence}", call_language(call), text.trim_end_matches('\n')).into()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Title and text of a block.
pub fn title_and_text(agent: &str, block: &Block) -> (String, String) {
    let speaker = format!("@{agent}");
    match &block.body {
        BlockBody::You { text, .. } => ("you".to_owned(), text.clone()),
        BlockBody::Assignment { from, text, .. } => {
            (format!("assignment from {from}"), text.clone())
        }
        BlockBody::Guide { text } | BlockBody::Notice { text } => ("note".to_owned(), text.clone()),
        BlockBody::Push { text, count } => {
            ("pushed on by the runtime".to_owned(), format!("{}\n\n{text}", push_reason(*count)))
        }
        BlockBody::Thinking { text, .. } => (format!("{speaker} thinks"), text.clone()),
        BlockBody::Saying { text, interrupted } => {
            let mark = if *interrupted { " [interrupted]" } else { "" };
            (speaker, format!("{text}{mark}"))
        }
        BlockBody::Tool(call) => {
            let text = call_text(call);
            let text = if call.result.is_none() { format!("{text}no result") } else { text };
            (format!("{speaker} calls {} {}", call.name, call.arguments), text)
        }
        BlockBody::Tellask(tellask) => tellask_text(&speaker, tellask),
        BlockBody::Question(asked) => {
            let answer = asked.answer.as_ref().map_or("(no answer yet)", |(text, _)| text.as_str());
            (format!("{speaker} asks you"), format!("{}\n\nyou: {answer}", asked.content))
        }
        BlockBody::Reply(reply) => {
            let refused =
                reply.refused.as_ref().map(|reason| format!("\n\n{reason}")).unwrap_or_default();
            (format!("{speaker} replies"), format!("{}{refused}", reply.content))
        }
        BlockBody::CourseBreak { course } => (format!("course {course}"), String::new()),
        BlockBody::CutOff => {
            ("cut off".to_owned(), "The previous generation was not finished.".to_owned())
        }
        BlockBody::Unknown { kind } => (format!("unknown record {kind:?}"), String::new()),
    }
}

/// Returns the reason of a diligence push, and the number of pushes left.
pub fn push_reason(count: Option<PushCount>) -> String {
    let count = count.map(|count| {
        format!(" (push {} of {}, {} left)", count.number, count.most, count.remaining())
    });
    let reason = "it stopped without asking or waiting for anybody, so it was told to go on";
    format!("{reason}{}", count.unwrap_or_default())
}

fn tellask_text(speaker: &str, tellask: &Tellask) -> (String, String) {
    let target = tellask.target.as_ref().map_or("a teammate", |agent| agent.as_str());
    let session = tellask.slug.as_ref().map(|slug| format!(" !{slug}")).unwrap_or_default();
    let outcome = match &tellask.status {
        TellaskStatus::Working => "(no reply yet)".to_owned(),
        TellaskStatus::Replied { text, .. } => format!("reply: {text}"),
        TellaskStatus::Failed { text, .. } => format!("failed: {text}"),
    };
    (format!("{speaker} asks @{target}{session}"), format!("{}\n\n{outcome}", tellask.content))
}
