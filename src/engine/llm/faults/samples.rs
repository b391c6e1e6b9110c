//! The building blocks of streams in each protocol, for the table of faults. They can be concatenated: a
//! beginning, then text, a call, an end.

use serde_json::json;

use super::super::Usage;
use super::super::canned::{calls, data, ends, says};
use super::{Anthropic, Compat, GenEvent, Google, Responses};

/// The building blocks of one protocol.
pub struct Sample<P> {
    pub name: &'static str,
    pub protocol: P,
    pub begin: String,
    /// The text `hello`.
    pub hello: String,
    /// The call `f` with the arguments `{"x":1}` and the id `a`.
    pub call: String,
    /// The beginning of a call; empty if the protocol sends calls whole.
    pub half_call: String,
    /// A delta with more arguments for the call of `half_call`.
    pub more: fn(&str) -> String,
    /// The end of a call that was begun with `half_call`.
    pub call_end: fn(&str) -> String,
    /// The end with counts.
    pub end: String,
    /// The end of an answer that has a call begun with `half_call`.
    pub end_without_counts: String,
    pub end_with_negative_counts: String,
    /// An overload error inside the stream.
    pub error: String,
    /// An event without content.
    pub ping: String,
    /// A complete response to a request without streaming.
    pub piece: String,
    /// The last part that a complete answer needs.
    pub last_mark: &'static str,
}

/// Text with wide characters.
const LONG: &str = "one 字 two 🦀 three ";
/// How often it is repeated.
const TIMES: usize = 16;

impl<P> Sample<P> {
    /// Text in many deltas, a call, the end.
    pub fn stream(&self) -> String {
        let text = self.hello.replace("hello", LONG).repeat(TIMES);
        format!("{}{text}{}{}", self.begin, self.call, self.end)
    }

    /// The offset from which on the stream counts as complete.
    pub fn finished(&self, stream: &str) -> usize {
        stream.rfind(self.last_mark).map_or(stream.len(), |at| at + self.last_mark.len() + 4)
    }

    /// A call whose arguments are sent letter by letter.
    pub fn letters(&self, arguments: &str) -> String {
        let letters: String =
            arguments.chars().map(|letter| (self.more)(&letter.to_string())).collect();
        let end = (self.call_end)(arguments);
        format!("{}{}{letters}{end}{}", self.begin, self.half_call, self.end)
    }
}

/// The events of [`Sample::stream`].
pub fn answer() -> Vec<GenEvent> {
    vec![says(&LONG.repeat(TIMES)), calls("a", "f", r#"{"x":1}"#), counts(), ends()]
}

pub fn counts() -> GenEvent {
    GenEvent::Usage(Usage {
        prompt_tokens: 7,
        completion_tokens: 3,
        total_tokens: 10,
        cached_tokens: None,
    })
}

fn chunk(delta: &serde_json::Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    data(&json!({"model": "m-1", "choices": [choice]}))
}

fn call_piece(id: Option<&str>, name: Option<&str>, arguments: &str) -> String {
    let function = json!({"name": name, "arguments": arguments});
    chunk(&json!({"tool_calls": [{"index": 0, "id": id, "function": function}]}), None)
}

pub fn chat() -> Sample<Compat> {
    let stop = chunk(&json!({}), Some("stop"));
    let usage = |prompt: i64| {
        data(&json!({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": 3}}))
    };
    let done = "data: [DONE]\n\n";
    Sample {
        name: "chat completions",
        protocol: Compat::default(),
        begin: chunk(&json!({"role": "assistant", "content": ""}), None),
        hello: chunk(&json!({"content": "hello"}), None),
        call: call_piece(Some("a"), Some("f"), r#"{"x":"#) + &call_piece(None, None, "1}"),
        half_call: call_piece(Some("a"), Some("f"), ""),
        more: |text| call_piece(None, None, text),
        call_end: |_| String::new(),
        end: format!("{stop}{}{done}", usage(7)),
        end_without_counts: format!("{stop}{done}"),
        end_with_negative_counts: format!("{stop}{}{done}", usage(-7)),
        error: data(&json!({"error": {"message": "overloaded", "type": "overloaded_error"}})),
        ping: chunk(&json!({"content": ""}), None),
        piece: json!({"model": "m-1",
            "choices": [{"index": 0, "message": {"content": "hello"}, "finish_reason": "stop"}]})
        .to_string(),
        last_mark: r#""finish_reason":"stop"}]}"#,
    }
}

fn event(kind: &str, mut fields: serde_json::Value) -> String {
    fields["type"] = json!(format!("response.{kind}"));
    format!("event: response.{kind}\n{}", data(&fields))
}

fn completed(usage: &serde_json::Value) -> String {
    event(
        "completed",
        json!({"response": {"status": "completed", "model": "m-1", "output": [],
        "usage": usage}}),
    )
}

fn function(arguments: &str) -> serde_json::Value {
    json!({"type": "function_call", "call_id": "a", "name": "f", "arguments": arguments})
}

pub fn responses() -> Sample<Responses> {
    let delta = |kind: &str, index: u32, text: &str| {
        event(&format!("{kind}.delta"), json!({"output_index": index, "delta": text}))
    };
    let added = event("output_item.added", json!({"output_index": 1, "item": function("")}));
    let done =
        event("output_item.done", json!({"output_index": 1, "item": function(r#"{"x":1}"#)}));
    let arguments = delta("function_call_arguments", 1, r#"{"x":1}"#);
    Sample {
        name: "responses",
        protocol: Responses,
        begin: event("created", json!({"response": {"status": "in_progress", "model": "m-1"}})),
        hello: delta("output_text", 0, "hello"),
        call: format!("{added}{arguments}{done}"),
        half_call: added,
        more: |text| {
            let fields = json!({"output_index": 1, "delta": text});
            event("function_call_arguments.delta", fields)
        },
        call_end: |whole| {
            event("output_item.done", json!({"output_index": 1, "item": function(whole)}))
        },
        end: completed(&json!({"input_tokens": 7, "output_tokens": 3})),
        end_without_counts: completed(&json!(null)),
        end_with_negative_counts: completed(&json!({"input_tokens": -7, "output_tokens": 3})),
        error: event(
            "failed",
            json!({"response": {"status": "failed",
            "error": {"code": "rate_limit_exceeded", "message": "overloaded"}}}),
        ),
        ping: event("in_progress", json!({"response": {"status": "in_progress"}})),
        piece: json!({"object": "response", "status": "completed", "model": "m-1", "output": [
            {"type": "message", "id": "x", "content": [{"type": "output_text", "text": "hello"}]}]})
        .to_string(),
        last_mark: r#""type":"response.completed"}"#,
    }
}

fn named(fields: &serde_json::Value) -> String {
    let kind = fields["type"].as_str().unwrap_or_default();
    format!("event: {kind}\n{}", data(fields))
}

fn block_delta(index: u32, delta: &serde_json::Value) -> String {
    named(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn message_end(usage: &serde_json::Value) -> String {
    let delta = json!({"stop_reason": "end_turn", "stop_sequence": null});
    named(&json!({"type": "message_delta", "delta": delta, "usage": usage}))
        + &named(&json!({"type": "message_stop"}))
}

pub fn messages() -> Sample<Anthropic> {
    let start = |index: u32, block: serde_json::Value| {
        named(&json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let stop = |index: u32| named(&json!({"type": "content_block_stop", "index": index}));
    let begun = json!({"type": "message_start", "message":
        {"type": "message", "role": "assistant", "model": "m-1", "content": []}});
    let half_call =
        stop(0) + &start(1, json!({"type": "tool_use", "id": "a", "name": "f", "input": {}}));
    let more =
        |text: &str| block_delta(1, &json!({"type": "input_json_delta", "partial_json": text}));
    Sample {
        name: "messages",
        protocol: Anthropic::of("http://127.0.0.1"),
        begin: named(&begun) + &start(0, json!({"type": "text", "text": ""})),
        hello: block_delta(0, &json!({"type": "text_delta", "text": "hello"})),
        call: [half_call.clone(), more(r#"{"x":"#), more("1}"), stop(1)].concat(),
        half_call,
        more,
        call_end: |_| named(&json!({"type": "content_block_stop", "index": 1})),
        end: message_end(&json!({"input_tokens": 7, "output_tokens": 3})),
        end_without_counts: message_end(&json!(null)),
        end_with_negative_counts: message_end(&json!({"input_tokens": -7, "output_tokens": 3})),
        error: named(&json!({"type": "error",
            "error": {"type": "overloaded_error", "message": "overloaded"}})),
        ping: named(&json!({"type": "ping"})),
        piece: json!({"type": "message", "model": "m-1", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "hello"}]})
        .to_string(),
        last_mark: r#""output_tokens":3}}"#,
    }
}

fn parts(parts: &serde_json::Value) -> String {
    let content = json!({"role": "model", "parts": parts});
    data(&json!({"candidates": [{"content": content}], "modelVersion": "m-1"}))
}

fn gemini_end(usage: &serde_json::Value) -> String {
    let candidate = json!({"content": {"role": "model"}, "finishReason": "STOP"});
    data(&json!({"candidates": [candidate], "usageMetadata": usage})) + "data: [DONE]\n\n"
}

fn gemini_call(arguments: &serde_json::Value) -> String {
    parts(&json!([{"functionCall": {"id": "a", "name": "f", "args": arguments}}]))
}

pub fn gemini() -> Sample<Google> {
    let begin = parts(&json!([{"text": ""}]));
    Sample {
        name: "gemini",
        protocol: Google::of("http://127.0.0.1"),
        begin: begin.clone(),
        hello: parts(&json!([{"text": "hello"}])),
        call: gemini_call(&json!({"x": 1})),
        half_call: String::new(),
        more: |text| gemini_call(&json!(text)),
        call_end: |_| String::new(),
        end: gemini_end(&json!({"promptTokenCount": 7, "candidatesTokenCount": 3})),
        end_without_counts: gemini_end(&json!(null)),
        end_with_negative_counts: gemini_end(
            &json!({"promptTokenCount": -7, "candidatesTokenCount": 3}),
        ),
        error: data(&json!({"error": {"code": 429, "message": "overloaded",
            "status": "RESOURCE_EXHAUSTED"}})),
        ping: begin,
        piece: json!({"modelVersion": "m-1", "candidates": [
            {"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}]})
        .to_string(),
        last_mark: r#""candidatesTokenCount":3}}"#,
    }
}
