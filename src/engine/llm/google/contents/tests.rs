//! Tables of contexts and the contents they become.

use proptest::prelude::*;

use super::*;
use crate::llm::pairing::NO_RESULT;

fn prompt(text: &str) -> Message {
    Message::Prompt(text.to_owned())
}

fn saying(text: &str) -> Message {
    Message::Saying(text.to_owned())
}

fn signed(vendor: &str, signatures: &[&str]) -> Message {
    let signatures: Vec<String> = signatures.iter().map(|&one| one.to_owned()).collect();
    Message::Thinking { text: "hm".to_owned(), payload: Some(payload_of(&signatures, vendor)) }
}

fn call(id: &str) -> Message {
    let arguments = r#"{"x":1}"#.to_owned();
    Message::Call { id: id.to_owned(), name: "f".to_owned(), arguments }
}

fn result(id: &str, images: Vec<MessageImage>) -> Message {
    let (name, content) = ("f".to_owned(), "done".to_owned());
    Message::Result { id: id.to_owned(), name, content, images }
}

fn sent(messages: &[Message]) -> Value {
    serde_json::to_value(contents(messages, 100, "v", Some("unsigned"))).unwrap()
}

fn user(parts: Value) -> Value {
    content("user", parts)
}

fn model(parts: Value) -> Value {
    content("model", parts)
}

fn content(role: &str, parts: Value) -> Value {
    let mut content = json!({ "role": role });
    content["parts"] = parts;
    content
}

fn called(id: &str, signature: Option<&str>) -> Value {
    let mut part = json!({"functionCall": {"id": id, "name": "f", "args": {"x": 1}}});
    if let Some(signature) = signature {
        part["thoughtSignature"] = json!(signature);
    }
    part
}

fn output(id: &str, text: &str) -> Value {
    json!({"functionResponse": {"id": id, "name": "f", "response": {"output": text}}})
}

#[test]
fn a_context_becomes_contents() {
    let text = |text: &str| json!({ "text": text });
    let image = || MessageImage::Data { media_type: "image/png", bytes: [1_u8].as_slice().into() };
    let picture = json!({"inlineData": {"mimeType": "image/png", "data": "AQ=="}});
    for (what, messages, expected) in [
        ("nothing", vec![], json!([user(json!([text(GO_ON_TEXT)]))])),
        (
            "adjacent texts and images of one role, without blank ones",
            vec![
                Message::Environment("notice".to_owned()),
                prompt(" "),
                prompt("hi"),
                Message::Images(vec![image(), MessageImage::Note("gone".to_owned())]),
            ],
            json!([user(json!([text("notice"), text("hi"), text("gone"), picture]))]),
        ),
        (
            "words of the model at both ends",
            vec![saying("a"), prompt("b"), Message::Guide("c".to_owned())],
            json!([
                user(json!([text(OMITTED_TEXT)])),
                model(json!([text("a")])),
                user(json!([text("b")])),
                model(json!([text("c")])),
                user(json!([text(GO_ON_TEXT)])),
            ]),
        ),
        (
            "calls with their signatures, results, and what follows them",
            vec![
                prompt("hi"),
                saying("yes"),
                signed("v", &["s", ""]),
                call("a"),
                call("b"),
                result("b", vec![image()]),
                prompt("more"),
            ],
            json!([
                user(json!([text("hi")])),
                model(json!([text("yes"), called("a", Some("s")), called("b", None)])),
                user(json!([output("a", NO_RESULT), output("b", "done")])),
                user(json!([text(CALL_IMAGES_HEADING), picture, text("more")])),
            ]),
        ),
        (
            "calls of two generations",
            vec![
                prompt("hi"),
                signed("v", &["s"]),
                call("a"),
                result("a", vec![]),
                signed("v", &["t"]),
                call("b"),
                result("b", vec![]),
            ],
            json!([
                user(json!([text("hi")])),
                model(json!([called("a", Some("s"))])),
                user(json!([output("a", "done")])),
                model(json!([called("b", Some("t"))])),
                user(json!([output("b", "done")])),
            ]),
        ),
        (
            "signatures of another server, and those of an answer without its calls",
            vec![
                prompt("hi"),
                signed("w", &["s"]),
                call("a"),
                result("a", vec![]),
                signed("v", &["t"]),
                prompt("go"),
                call("b"),
                call("c"),
                result("b", vec![]),
            ],
            json!([
                user(json!([text("hi")])),
                model(json!([called("a", Some("unsigned"))])),
                user(json!([output("a", "done")])),
                user(json!([text("go")])),
                model(json!([called("b", Some("unsigned")), called("c", None)])),
                user(json!([output("b", "done"), output("c", NO_RESULT)])),
            ]),
        ),
    ] {
        assert_eq!(sent(&messages), expected, "{what}");
    }
}

#[test]
fn a_long_id_is_shortened_alike_in_a_call_and_its_result() {
    let long = "x".repeat(100);
    let sent = sent(&[prompt("hi"), call(&long), result(&long, vec![])]);
    let (of_call, of_result) = (
        sent[1]["parts"][0]["functionCall"]["id"].clone(),
        sent[2]["parts"][0]["functionResponse"]["id"].clone(),
    );
    assert_eq!(of_call, of_result);
    assert_eq!(of_call.as_str().map(str::len), Some(64));
}

fn message() -> impl Strategy<Value = Message> {
    let id = "[ab]";
    prop_oneof![
        "[x ]{0,2}".prop_map(Message::Prompt),
        "[x ]{0,2}".prop_map(Message::Saying),
        "[x ]{0,2}".prop_map(Message::Guide),
        id.prop_map(|id| call(&id)),
        id.prop_map(|id| result(&id, vec![])),
        Just(signed("v", &["s", "t"])),
    ]
}

proptest! {
    #[test]
    fn every_group_of_calls_has_its_results_directly_behind_it(
        messages in prop::collection::vec(message(), 0..12),
    ) {
        let sent = sent(&messages);
        let contents = sent.as_array().unwrap();
        let ids = |content: Option<&Value>, kind: &str| -> Vec<Value> {
            let parts = content.and_then(|content| content["parts"].as_array());
            let found = parts.into_iter().flatten().filter_map(|part| part.get(kind));
            found.map(|of| of["id"].clone()).collect()
        };
        prop_assert_eq!(&contents[0]["role"], "user");
        prop_assert_eq!(&contents[contents.len() - 1]["role"], "user");
        for (at, content) in contents.iter().enumerate() {
            prop_assert!(content["parts"].as_array().is_some_and(|parts| !parts.is_empty()));
            let next = contents.get(at + 1);
            let calls = ids(Some(content), "functionCall");
            let results = ids(next, "functionResponse");
            prop_assert_eq!(&calls, &results, "{}", sent);
            if !calls.is_empty() {
                prop_assert_eq!(&content["role"], "model");
            }
        }
    }
}
