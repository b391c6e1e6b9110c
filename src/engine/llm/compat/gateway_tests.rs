//! Answers in the formats of different servers and gateways; all give the same events.

use serde_json::{Value, json};

use super::Compat;
use super::fold::ChatFold;
use crate::domain::{Quirk, Quirks};
use crate::llm::canned::{self, calls, data, says, thinks};
use crate::llm::protocol::Protocol;
use crate::llm::{Endpoint, GenEvent, LlmError, Message, Request, ToolSchema, Usage};

const PLAIN: Quirks = Quirks::NONE;

fn folded(quirks: Quirks, stream: &str) -> Result<Vec<GenEvent>, LlmError> {
    canned::folded(ChatFold::new(10_000, quirks), [stream.as_bytes()])
}

fn choice(fields: &Value) -> String {
    data(&json!({"model": "m-1", "choices": [fields]}))
}

fn delta(fields: &Value) -> String {
    choice(&json!({"index": 0, "delta": fields}))
}

fn stop() -> String {
    choice(&json!({"index": 0, "delta": {}, "finish_reason": "stop"}))
}

fn usage(prompt: u64, completion: u64, total: u64) -> GenEvent {
    let (prompt_tokens, completion_tokens, total_tokens) = (prompt, completion, total);
    GenEvent::Usage(Usage { prompt_tokens, completion_tokens, total_tokens, cached_tokens: None })
}

fn ends() -> GenEvent {
    GenEvent::End { model: Some("m-1".to_owned()) }
}

#[test]
fn thoughts_are_found_under_every_name() {
    let hello = || delta(&json!({"content": "hello"}));
    for (what, thought) in [
        ("reasoning_content", json!({"reasoning_content": "hm"})),
        ("reasoning", json!({"reasoning": "hm"})),
        ("thinking", json!({"thinking": "hm"})),
        (
            "a list of details",
            json!({"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}),
        ),
        (
            "a list of summaries",
            json!({"reasoning_details": [{"type": "reasoning.summary", "summary": "hm"},
                {"type": "reasoning.encrypted", "data": "x"}]}),
        ),
        (
            "details and the same as text",
            json!({"reasoning": "hm", "reasoning_details": [{"text": "hm"}]}),
        ),
        (
            "parts of the content",
            json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
        ),
        ("details of no known form", json!({"reasoning_details": "x", "reasoning": "hm"})),
    ] {
        let stream = [delta(&thought), hello(), stop()].concat();
        assert_eq!(folded(PLAIN, &stream), Ok(vec![thinks("hm"), says("hello"), ends()]), "{what}");
    }
    let both = json!({"content": [{"type": "thinking", "thinking": "hm"}, {"text": "hello"}]});
    let stream = [delta(&both), stop()].concat();
    assert_eq!(folded(PLAIN, &stream), Ok(vec![thinks("hm"), says("hello"), ends()]));
}

#[test]
fn token_counts_are_found_in_every_field_and_format() {
    let hello = delta(&json!({"content": "hello"}));
    let counts = json!({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10});
    for (what, end, expected) in [
        ("in a chunk of its own", data(&json!({"choices": [], "usage": counts})), Some((7, 3, 10))),
        ("in the last choice", choice(&json!({"delta": {}, "usage": counts})), Some((7, 3, 10))),
        ("beside it", data(&json!({"choices": [], "x_groq": {"usage": counts}})), Some((7, 3, 10))),
        ("null", data(&json!({"choices": null, "usage": null})), None),
        (
            "as texts and fractions",
            data(&json!({"usage": {"prompt_tokens": "7", "completion_tokens": 3.0}})),
            Some((7, 3, 10)),
        ),
        (
            "the prompt from the sum",
            data(&json!({"usage": {"completion_tokens": 3, "total_tokens": 10}})),
            Some((7, 3, 10)),
        ),
        ("the prompt alone", data(&json!({"usage": {"prompt_tokens": 7}})), Some((7, 0, 7))),
        ("negative", data(&json!({"usage": {"prompt_tokens": -1, "completion_tokens": -1}})), None),
        ("of another form", data(&json!({"usage": "7"})), None),
        ("without the prompt", data(&json!({"usage": {"completion_tokens": 3}})), None),
        ("endless", data(&json!({"usage": {"prompt_tokens": 1e300}})), None),
    ] {
        let stream = [hello.clone(), end, stop()].concat();
        let counted = expected.map(|(prompt, completion, total)| usage(prompt, completion, total));
        let expected: Vec<_> = [says("hello")].into_iter().chain(counted).chain([ends()]).collect();
        assert_eq!(folded(PLAIN, &stream), Ok(expected), "{what}");
    }
    let often: String = (1..4)
        .map(|n| {
            data(&json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": n}}))
        })
        .collect();
    let stream = [hello, often, stop()].concat();
    assert_eq!(folded(PLAIN, &stream), Ok(vec![says("hello"), usage(7, 3, 10), ends()]));
}

#[test]
fn every_kind_of_end_is_recognized() {
    let hello = delta(&json!({"content": "hello"}));
    let done = "data: [DONE]\n\n".to_owned();
    for (what, end) in [
        ("a reason and the mark", [stop(), done.clone()].concat()),
        ("the mark alone", done.clone()),
        ("a reason alone", stop()),
        ("an unknown reason", choice(&json!({"delta": {}, "finish_reason": "eos_token"}))),
        ("a reason without a delta", choice(&json!({"finish_reason": "stop"}))),
        ("two reasons", [stop(), stop()].concat()),
        ("more after the mark", [done.clone(), delta(&json!({"content": "no"})), done].concat()),
        ("a choice without an index", choice(&json!({"index": null, "finish_reason": "stop"}))),
        (
            "a choice with a string as index",
            choice(&json!({"index": "0", "finish_reason": "stop"})),
        ),
    ] {
        let stream = [hello.clone(), end].concat();
        assert_eq!(folded(PLAIN, &stream), Ok(vec![says("hello"), ends()]), "{what}");
    }
}

#[test]
fn thinking_within_the_text_is_separated_only_where_configured() {
    let stream = ["<thi", "nk>hm</", "think>\n\n", "yes"]
        .map(|text| delta(&json!({"content": text})))
        .concat()
        + &stop();
    let known = Quirks::NONE.with(Quirk::InlineThink);
    assert_eq!(folded(known, &stream), Ok(vec![thinks("hm"), says("\n\nyes"), ends()]));
    let text = "<think>hm</think>\n\nyes";
    assert_eq!(folded(PLAIN, &stream), Ok(vec![says(text), ends()]));
    let open = delta(&json!({"content": "<think>hm</th"})) + &stop();
    assert_eq!(folded(known, &open), Ok(vec![thinks("hm</th"), ends()]));
    let beside = delta(&json!({"reasoning": "hm", "content": "<b>yes"})) + &stop();
    assert_eq!(folded(known, &beside), Ok(vec![thinks("hm"), says("<b>yes"), ends()]));
}

#[test]
fn cumulative_arguments_are_handled_only_where_configured() {
    let piece = |name: &str, arguments: &str| {
        delta(&json!({"tool_calls": [{"index": 0, "id": "a",
            "function": {"name": name, "arguments": arguments}}]}))
    };
    let stream =
        [piece("f", "{\"a"), piece("", "{\"a\":"), piece("", "{\"a\":1}"), stop()].concat();
    let known = Quirks::NONE.with(Quirk::CumulativeArguments);
    assert_eq!(folded(known, &stream), Ok(vec![calls("a", "f", "{\"a\":1}"), ends()]));
    let broken = "{\"a{\"a\":{\"a\":1}";
    assert_eq!(folded(PLAIN, &stream), Ok(vec![calls("a", "f", broken), ends()]));
    let long = "x".repeat(900);
    let growing: String = (1..900).map(|n| piece("f", long.get(..n).unwrap_or(""))).collect();
    assert!(folded(known, &(growing + &stop())).is_ok(), "what is repeated counts once");
}

#[test]
fn a_call_in_another_form_than_that_of_the_protocol_is_read_once() {
    let old = |name: &str, arguments: &str| {
        delta(&json!({"function_call": {"name": name, "arguments": arguments}}))
    };
    let flat = json!({"index": 0, "id": "a", "name": "f", "arguments": "{\"x\":1}"});
    let usual = json!({"id": "a", "function": {"name": "f", "arguments": "{\"x\":1}"}});
    let object = json!({"function_call": {"name": "f", "arguments": {"x": 1}}});
    let hello = || delta(&json!({"content": "hello"}));
    for (what, body, expected) in [
        (
            "before `tool_calls`",
            [old("f", ""), old("", "{\"x\""), old("", ":1}")].concat(),
            vec![calls("call_1", "f", "{\"x\":1}")],
        ),
        ("its arguments as an object", delta(&object), vec![calls("call_1", "f", "{\"x\":1}")]),
        (
            "in a message",
            choice(&json!({"message": object})),
            vec![calls("call_1", "f", "{\"x\":1}")],
        ),
        (
            "without `function`",
            delta(&json!({"tool_calls": [flat]})),
            vec![calls("a", "f", "{\"x\":1}")],
        ),
        (
            "in both forms",
            old("f", "{\"x\":1}") + &delta(&json!({"tool_calls": [usual]})),
            vec![calls("a", "f", "{\"x\":1}")],
        ),
        ("an empty one with text", hello() + &old("", ""), vec![says("hello")]),
        (
            "none with text",
            hello()
                + &delta(&json!({"function_call": null}))
                + &delta(&json!({"function_call": ""})),
            vec![says("hello")],
        ),
    ] {
        let expected: Vec<_> = expected.into_iter().chain([ends()]).collect();
        assert_eq!(folded(PLAIN, &(body + &stop())), Ok(expected), "{what}");
    }
}

#[test]
fn a_name_in_pieces_is_joined_where_only_the_whole_names_a_tool_of_the_request() {
    let piece = |name: &str, arguments: &str| {
        delta(&json!({"tool_calls": [{"index": 0, "id": "a",
            "function": {"name": name, "arguments": arguments}}]}))
    };
    let stream = [piece("read_", ""), piece("file", "{}"), stop()].concat();
    for (tool, expected) in [("read_file", "read_file"), ("write_file", "read_")] {
        let tools = [ToolSchema {
            name: tool.to_owned(),
            description: String::new(),
            parameters: Value::Null,
        }];
        let request = Request { tools: tools.to_vec(), ..canned::request() };
        let fold = Compat::default().fold(&request, 10_000);
        let events = canned::folded(fold, [stream.as_bytes()]);
        assert_eq!(events, Ok(vec![calls("a", expected, "{}"), ends()]), "{tool}");
    }
}

fn folded_text(pieces: &[&str]) -> Result<Vec<GenEvent>, LlmError> {
    let pieces: Vec<String> = pieces.iter().map(|piece| format!("data: {piece}\n\n")).collect();
    folded(PLAIN, &(pieces.concat() + &stop()))
}

#[test]
fn halves_of_a_character_are_joined_over_deltas_and_replaced_alone() {
    let content =
        |text: &str| format!(r#"{{"model":"m-1","choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
    let thought = |text: &str| {
        format!(r#"{{"model":"m-1","choices":[{{"delta":{{"reasoning":"{text}"}}}}]}}"#)
    };
    for (pieces, expected) in [
        (vec![content("a \\ud83d"), content("\\ude00 b")], vec![says("a 😀 b")]),
        (vec![content("\\ud83d"), content("\\ude00")], vec![says("😀")]),
        (vec![content("a \\ud83d"), content("b")], vec![says("a \u{fffd}b")]),
        (vec![content("a \\ud83d")], vec![says("a \u{fffd}")]),
        (vec![content("\\ude00b")], vec![says("\u{fffd}b")]),
        (
            vec![thought("t \\ud83d"), content("\\ude00 b")],
            vec![thinks("t \u{fffd}"), says("\u{fffd} b")],
        ),
        (
            vec![thought("t \\ud83d"), thought("\\ude00"), content("b")],
            vec![thinks("t 😀"), says("b")],
        ),
    ] {
        let texts: Vec<&str> = pieces.iter().map(String::as_str).collect();
        let expected: Vec<_> = expected.into_iter().chain([ends()]).collect();
        assert_eq!(folded_text(&texts), Ok(expected), "{pieces:?}");
    }
}

#[test]
fn json_of_servers_that_keep_no_rules_is_read() {
    for (what, piece) in [
        (
            "a key given twice",
            r#"{"model":"m-1","choices":[{"delta":{"content":"no","content":"hi"}}]}"#,
        ),
        ("no number", r#"{"model":"m-1","choices":[{"delta":{"content":"hi"},"logprobs":NaN}]}"#),
        (
            "an index as text",
            r#"{"model":"m-1","choices":[{"index":"0","delta":{"content":"hi"}}]}"#,
        ),
        ("counts as text", r#"{"model":"m-1","usage":"","choices":[{"delta":{"content":"hi"}}]}"#),
        (
            "an extension as text",
            r#"{"model":"m-1","x_groq":"","choices":[{"delta":{"content":"hi"}}]}"#,
        ),
        (
            "a result without an error",
            r#"{"model":"m-1","base_resp":{"status_code":0},"choices":[{"delta":{"content":"hi"}}]}"#,
        ),
    ] {
        assert_eq!(folded_text(&[piece]), Ok(vec![says("hi"), ends()]), "{what}");
    }
    let whole =
        r#"{"model":"m-1","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#;
    let piece = r#"{"model":"m-1","choices":[{"delta":{"content":"hi"}}]}"#;
    assert_eq!(folded_text(&[piece, whole]), Ok(vec![says("hi"), ends()]), "the whole again");
}

#[test]
fn an_error_in_any_place_of_a_stream_is_told_in_the_words_of_the_provider() {
    for piece in [
        r#"{"error":{"message":"bad luck"}}"#,
        r#"{"error":"bad luck"}"#,
        r#"{"code":500,"message":"bad luck"}"#,
        r#"{"object":"error","message":"bad luck"}"#,
        r#"{"detail":"bad luck"}"#,
        r#"{"choices":null,"base_resp":{"status_code":1000,"status_msg":"bad luck"}}"#,
        r#"{"choices":[],"error":{"message":"bad luck"}}"#,
        r#"{"choices":[{"index":0,"error":{"message":"bad luck"},"delta":{}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"x"}}],"error":{"message":"bad luck"}}"#,
    ] {
        let error = folded_text(&[piece]).unwrap_err();
        assert_eq!(error.to_string(), "bad luck", "{piece}");
    }
}

#[test]
fn what_a_provider_wants_back_with_a_call_is_sent_with_it() {
    let extra = json!({"google": {"thought_signature": "c2ln"}});
    let call = |id: &str, extra: &Value| {
        delta(&json!({"tool_calls": [{"id": id, "function": {"name": "f", "arguments": "{}"},
            "extra_content": extra}]}))
    };
    let stream = [call("a", &Value::Null), call("b", &extra), stop()].concat();
    let events = folded(PLAIN, &stream).unwrap();
    let [GenEvent::Thought(payload), GenEvent::Call(_), GenEvent::Call(_), _] = events.as_slice()
    else {
        panic!("{events:?}");
    };
    let made = |id: &str| Message::Call {
        id: id.to_owned(),
        name: "f".to_owned(),
        arguments: "{}".to_owned(),
    };
    let thought = Message::Thinking { text: String::new(), payload: Some(payload.clone()) };
    let messages = vec![thought, made("a"), made("b"), Message::Prompt("hi".to_owned()), made("c")];
    let request = Request { messages, ..canned::request() };
    let body = Compat::default().body(&request, &Endpoint::new("http://localhost")).unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let sent: Vec<&Value> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|message| message["tool_calls"].as_array().into_iter().flatten())
        .map(|call| &call["extra_content"])
        .collect();
    assert_eq!(sent, [&Value::Null, &extra, &Value::Null]);
}
