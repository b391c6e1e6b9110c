//! Events and answers as a server sends them, and what becomes of them.

use serde_json::{Value, json};

use crate::domain::text::Text;
use crate::llm::canned::{calls, data, ends, says, thinks};
use crate::llm::{GenEvent, Usage};

/// One event, with its name in the data and in the `event` field.
pub fn event(kind: &str, fields: Value) -> String {
    let mut whole = json!({"type": format!("response.{kind}")});
    let Value::Object(fields) = fields else { panic!("no fields") };
    whole.as_object_mut().unwrap().extend(fields);
    format!("event: response.{kind}\n{}", data(&whole))
}

fn item(kind: &str, index: u32, item: Value) -> String {
    let mut fields = json!({"output_index": index});
    fields["item"] = item;
    event(&format!("output_item.{kind}"), fields)
}

pub fn added(index: u32, begun: Value) -> String {
    item("added", index, begun)
}

pub fn done(index: u32, whole: Value) -> String {
    item("done", index, whole)
}

pub fn delta(kind: &str, index: u32, text: &str) -> String {
    event(&format!("{kind}.delta"), json!({"output_index": index, "delta": text}))
}

pub fn text(index: u32, text: &str) -> String {
    delta("output_text", index, text)
}

pub fn completed(output: Value) -> String {
    event("completed", json!({"response": answer("completed", output)}))
}

pub fn answer(status: &str, output: Value) -> Value {
    let mut whole = json!({"object": "response", "status": status, "model": "m-1",
        "error": null, "incomplete_details": null,
        "usage": {"input_tokens": 7, "output_tokens": 3}});
    whole["output"] = output;
    whole
}

pub fn reasoning() -> Value {
    json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "e", "summary": [
        {"type": "summary_text", "text": "one 字"}, {"type": "summary_text", "text": "two"}]})
}

pub fn message(text: &str) -> Value {
    json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

pub fn call(call_id: &str, name: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": format!("fc_{call_id}"), "call_id": call_id,
        "name": name, "arguments": arguments, "status": "completed"})
}

pub fn reasoning_without_anything() -> Value {
    json!({"type": "reasoning", "id": "rs_1", "summary": []})
}

pub fn incomplete(reason: &str) -> String {
    let mut response = answer("incomplete", json!([]));
    response["incomplete_details"] = json!({"reason": reason});
    event("incomplete", json!({"response": response}))
}

pub fn payload() -> GenEvent {
    GenEvent::Thought(json!({"summary": [
        {"type": "summary_text", "text": "one 字"}, {"type": "summary_text", "text": "two"}],
        "encrypted_content": "e"}))
}

pub fn usage() -> GenEvent {
    GenEvent::Usage(Usage {
        prompt_tokens: 7,
        completion_tokens: 3,
        total_tokens: 10,
        cached_tokens: None,
    })
}

pub fn notice(text: Text) -> GenEvent {
    GenEvent::Notice(text)
}

/// A thought in two parts, a message, two calls with interleaved deltas, unknown events.
pub fn pieces_of_full_stream() -> Vec<String> {
    let summary = |part: u32, text: &str| {
        event(
            "reasoning_summary_text.delta",
            json!({"output_index": 0, "summary_index": part, "delta": text}),
        )
    };
    let part = |part: u32| {
        event("reasoning_summary_part.added", json!({"output_index": 0, "summary_index": part}))
    };
    vec![
        ": keep-alive\n\n".to_owned(),
        event("created", json!({"response": {"status": "in_progress", "model": "m-1"}})),
        event("in_progress", json!({"response": {"status": "in_progress", "model": "m-1"}})),
        added(0, json!({"type": "reasoning", "id": "rs_1", "summary": []})),
        part(0),
        summary(0, "one "),
        summary(0, "字"),
        event("reasoning_summary_text.done", json!({"output_index": 0, "text": "one 字"})),
        part(1),
        summary(1, "two"),
        done(0, reasoning()),
        data(&json!({"type": "keepalive", "sequence_number": 3})),
        event("web_search_call.searching", json!({"output_index": 9, "delta": {"odd": []}})),
        added(1, json!({"type": "message", "id": "msg_1", "content": []})),
        text(1, "\n"),
        text(1, "yes 🦀"),
        event("output_text.done", json!({"output_index": 1, "text": "\nyes 🦀"})),
        done(1, message("\nyes 🦀")),
        added(2, json!({"type": "function_call", "call_id": "a", "name": "f", "arguments": ""})),
        added(3, json!({"type": "function_call", "call_id": "b", "name": "g", "arguments": ""})),
        delta("function_call_arguments", 2, "{\"x\":\"aa"),
        delta("function_call_arguments", 3, "{}"),
        delta("function_call_arguments", 2, "aa\"}"),
        event(
            "function_call_arguments.done",
            json!({"output_index": 2, "arguments": "{\"x\":\"aaaa\"}"}),
        ),
        done(2, call("a", "f", "{\"x\":\"aaaa\"}")),
        done(3, call("b", "g", "{}")),
        completed(full_output()),
    ]
}

pub fn full_stream() -> String {
    pieces_of_full_stream().concat()
}

pub fn full_output() -> Value {
    json!([
        reasoning(),
        message("\nyes 🦀"),
        call("a", "f", "{\"x\":\"aaaa\"}"),
        call("b", "g", "{}")
    ])
}

pub fn full_answer() -> Vec<GenEvent> {
    vec![
        thinks("one 字\n\ntwo"),
        payload(),
        says("\nyes 🦀"),
        calls("a", "f", "{\"x\":\"aaaa\"}"),
        calls("b", "g", "{}"),
        usage(),
        ends(),
    ]
}
