//! Converts an entry to the steps of an answer, streamed or not.

use std::path::Path;

use serde_json::{Value, json};

use super::database::{MockDb, MockEntry, is_blank};
use super::matching::{self, MockInput};
use crate::llm::error::{ErrorClass, LlmError};
use crate::llm::playback::{PlaybackStep, argument_text, estimate, utf16_len};
use crate::llm::request::Request;
use crate::llm::{GenEvent, Segment, ToolCall, Usage, failure};

/// How much of the input is repeated as thinking, in UTF-16 units.
const STREAMED_ECHO_UNITS: usize = 50;
const FULL_ECHO_UNITS: usize = 100;

/// The steps of the answer to `request`.
pub(super) fn steps(database: &MockDb, path: &Path, request: &Request) -> Vec<PlaybackStep> {
    let input = matching::input(&request.messages);
    if let Some(entry) = matching::find(database, input, &request.messages) {
        return entry_steps(entry, input, request);
    }
    let mut steps = echo(input, request);
    let text = if let Some((tool, content)) = matching::demanded_reply(input, &request.messages) {
        let arguments = json!({ "replyContent": content }).to_string();
        steps.push(PlaybackStep::Event(call(1, None, tool, arguments)));
        String::new()
    } else {
        let text = not_found(path, input);
        steps.push(PlaybackStep::text(Segment::Saying, &text));
        text
    };
    steps.push(PlaybackStep::Event(GenEvent::Usage(estimate(request, utf16_len(&text)))));
    steps.push(end(request));
    steps
}

fn entry_steps(entry: &MockEntry, input: MockInput, request: &Request) -> Vec<PlaybackStep> {
    let mut steps = Vec::new();
    if !entry.delay.is_zero() {
        steps.push(PlaybackStep::Wait(entry.delay));
    }
    steps.extend(echo(input, request));
    match &entry.stream_error {
        Some(text) if request.streaming => {
            steps.push(PlaybackStep::Fail(failed(entry, text)));
            return steps;
        }
        Some(text) => {
            steps.push(PlaybackStep::text(Segment::Saying, &format!("❌ Mock Error: {text}")));
        }
        None => {
            steps.extend(saying(entry, request.streaming));
            let calls = (1_u32..).zip(&entry.func_calls).map(|(n, call_entry)| {
                PlaybackStep::Event(call(
                    n,
                    call_entry.id.as_deref(),
                    &call_entry.name,
                    argument_text(call_entry.arguments.as_ref()),
                ))
            });
            steps.extend(calls);
        }
    }
    if !entry.usage_unavailable {
        steps.push(PlaybackStep::Event(GenEvent::Usage(usage(entry, request))));
    }
    steps.push(end(request));
    steps
}

/// The thinking: model name and the beginning of the input.
fn echo(input: MockInput, request: &Request) -> Vec<PlaybackStep> {
    let utf16_len = if request.streaming { STREAMED_ECHO_UNITS } else { FULL_ECHO_UNITS };
    let start = first_units(input.text, utf16_len);
    let start = if start.is_empty() { "(empty)" } else { start };
    let name = format!("[{}] ", request.model);
    if request.streaming {
        vec![
            PlaybackStep::text(Segment::Thinking, &name),
            PlaybackStep::text(Segment::Thinking, start),
        ]
    } else {
        vec![PlaybackStep::text(Segment::Thinking, &format!("{name}{start}"))]
    }
}

fn saying(entry: &MockEntry, streaming: bool) -> Vec<PlaybackStep> {
    if entry.response.is_empty() {
        return Vec::new();
    }
    if !streaming {
        return vec![PlaybackStep::text(Segment::Saying, &entry.response)];
    }
    let mut steps = Vec::new();
    for piece in words_and_blanks(&entry.response) {
        steps.push(PlaybackStep::text(Segment::Saying, piece));
        if !entry.chunk_delay.is_zero() {
            steps.push(PlaybackStep::Wait(entry.chunk_delay));
        }
    }
    steps
}

fn failed(entry: &MockEntry, text: &str) -> LlmError {
    let class = if entry.emit_stream_error_before_throw {
        ErrorClass::Fatal
    } else {
        failure::class_by_keywords(text)
    };
    LlmError::quoted(class, text)
}

fn call(n: u32, id: Option<&str>, name: &str, arguments: String) -> GenEvent {
    let id = id.filter(|id| !id.is_empty());
    GenEvent::Call(ToolCall {
        id: id.map_or_else(|| format!("mock_func_{n}_{name}"), str::to_owned),
        name: name.to_owned(),
        arguments,
    })
}

fn usage(entry: &MockEntry, request: &Request) -> Usage {
    let Some(given) = entry.usage else {
        return estimate(request, utf16_len(&entry.response));
    };
    let sum = given.prompt.saturating_add(given.completion);
    Usage {
        prompt_tokens: given.prompt,
        completion_tokens: given.completion,
        total_tokens: given.total.unwrap_or(sum),
        cached_tokens: None,
    }
}

fn not_found(path: &Path, input: MockInput) -> String {
    let quoted = Value::String(input.text.to_owned());
    format!(
        "🤖 **Mock Response Not Found**\n\nNothing in `{}` answers this input. An entry for it \
         begins:\n\n```yaml\n- message: {quoted}\n  role: {}\n```\n",
        path.display(),
        input.role
    )
}

fn end(request: &Request) -> PlaybackStep {
    PlaybackStep::Event(GenEvent::End { model: Some(request.model.clone()) })
}

/// The beginning of `text` that fits into `units` UTF-16 units.
fn first_units(text: &str, utf16_len: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        used += c.len_utf16();
        (used > utf16_len).then_some(at)
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// Splits the text into words and whitespace.
fn words_and_blanks(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let blank = is_blank(first);
        let end = rest.find(|c| is_blank(c) != blank).unwrap_or(rest.len());
        let (piece, tail) = rest.split_at(end);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}
