//! From an entry to the steps of an answer, for the streamed and the whole form.

use std::path::Path;

use serde_json::{Value, json};

use super::database::{Entry, MockDb, is_blank};
use super::matching::{self, Input};
use crate::llm::error::{ErrorClass, LlmError};
use crate::llm::paced::{Step, argument_text, estimate, units};
use crate::llm::request::Request;
use crate::llm::{GenEvent, Segment, ToolCall, Usage, failure};

/// How much of the input the thinking repeats, in UTF-16 units.
const STREAMED_ECHO: usize = 50;
const WHOLE_ECHO: usize = 100;

/// The whole answer to `request`.
pub(super) fn steps(database: &MockDb, path: &Path, request: &Request) -> Vec<Step> {
    let input = matching::input(&request.messages);
    if let Some(entry) = matching::find(database, input, &request.messages) {
        return of_entry(entry, input, request);
    }
    let mut steps = echo(input, request);
    let said = if let Some((tool, content)) = matching::demanded_reply(input, &request.messages) {
        let arguments = json!({ "replyContent": content }).to_string();
        steps.push(Step::Event(call(1, None, tool, arguments)));
        String::new()
    } else {
        let text = not_found(path, input);
        steps.push(Step::text(Segment::Saying, &text));
        text
    };
    steps.push(Step::Event(GenEvent::Usage(estimate(request, units(&said)))));
    steps.push(end(request));
    steps
}

fn of_entry(entry: &Entry, input: Input, request: &Request) -> Vec<Step> {
    let mut steps = Vec::new();
    if !entry.delay.is_zero() {
        steps.push(Step::Wait(entry.delay));
    }
    steps.extend(echo(input, request));
    match &entry.stream_error {
        Some(text) if request.streaming => {
            steps.push(Step::Fail(failed(entry, text)));
            return steps;
        }
        Some(text) => {
            steps.push(Step::text(Segment::Saying, &format!("❌ Mock Error: {text}")));
        }
        None => {
            steps.extend(saying(entry, request.streaming));
            let calls = (1_u32..).zip(&entry.func_calls).map(|(n, asked)| {
                Step::Event(call(
                    n,
                    asked.id.as_deref(),
                    &asked.name,
                    argument_text(asked.arguments.as_ref()),
                ))
            });
            steps.extend(calls);
        }
    }
    if !entry.usage_unavailable {
        steps.push(Step::Event(GenEvent::Usage(usage(entry, request))));
    }
    steps.push(end(request));
    steps
}

/// The thinking: model name and the beginning of the input.
fn echo(input: Input, request: &Request) -> Vec<Step> {
    let units = if request.streaming { STREAMED_ECHO } else { WHOLE_ECHO };
    let start = first_units(input.text, units);
    let start = if start.is_empty() { "(empty)" } else { start };
    let name = format!("[{}] ", request.model);
    if request.streaming {
        vec![Step::text(Segment::Thinking, &name), Step::text(Segment::Thinking, start)]
    } else {
        vec![Step::text(Segment::Thinking, &format!("{name}{start}"))]
    }
}

fn saying(entry: &Entry, streaming: bool) -> Vec<Step> {
    if entry.response.is_empty() {
        return Vec::new();
    }
    if !streaming {
        return vec![Step::text(Segment::Saying, &entry.response)];
    }
    let mut steps = Vec::new();
    for piece in words_and_blanks(&entry.response) {
        steps.push(Step::text(Segment::Saying, piece));
        if !entry.chunk_delay.is_zero() {
            steps.push(Step::Wait(entry.chunk_delay));
        }
    }
    steps
}

fn failed(entry: &Entry, text: &str) -> LlmError {
    let class = if entry.emit_stream_error_before_throw {
        ErrorClass::Fatal
    } else {
        failure::class_of_words(text)
    };
    LlmError::new(class, text)
}

fn call(n: u32, id: Option<&str>, name: &str, arguments: String) -> GenEvent {
    let id = id.filter(|id| !id.is_empty());
    GenEvent::Call(ToolCall {
        id: id.map_or_else(|| format!("mock_func_{n}_{name}"), str::to_owned),
        name: name.to_owned(),
        arguments,
    })
}

fn usage(entry: &Entry, request: &Request) -> Usage {
    let Some(given) = entry.usage else {
        return estimate(request, units(&entry.response));
    };
    let sum = given.prompt.saturating_add(given.completion);
    Usage {
        prompt_tokens: given.prompt,
        completion_tokens: given.completion,
        total_tokens: given.total.unwrap_or(sum),
    }
}

fn not_found(path: &Path, input: Input) -> String {
    let quoted = Value::String(input.text.to_owned());
    format!(
        "🤖 **Mock Response Not Found**\n\nNothing in `{}` answers this input. An entry for it \
         begins:\n\n```yaml\n- message: {quoted}\n  role: {}\n```\n",
        path.display(),
        input.role
    )
}

fn end(request: &Request) -> Step {
    Step::Event(GenEvent::End { model: Some(request.model.clone()) })
}

/// The beginning of `text` that fits into `units` UTF-16 units.
fn first_units(text: &str, units: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find_map(|(at, c)| {
        used += c.len_utf16();
        (used > units).then_some(at)
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// The text cut at every change between blank and not blank.
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
