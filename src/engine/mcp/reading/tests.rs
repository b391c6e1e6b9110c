//! How odd messages of servers are read and repaired.

use serde_json::{Value, json};

use super::*;

fn one(text: &[u8]) -> Value {
    let mut read = messages(text).unwrap();
    assert_eq!(read.len(), 1);
    read.remove(0)
}

fn result(result: &Value) -> Value {
    repaired(json!({"jsonrpc": "2.0", "id": 1, "result": result}))["result"].clone()
}

#[test]
fn what_is_no_character_becomes_the_character_for_that() {
    for (written, read) in [
        (&br#""a \ud99c b""#[..], "a \u{fffd} b"),
        (br#""\udc00\ud83d""#, "\u{fffd}\u{fffd}"),
        (br#""\ud83d\ud83d\ude00""#, "\u{fffd}\u{1f600}"),
        (br#""\ud99c\n\\ud99c""#, "\u{fffd}\n\\ud99c"),
        (br#""\ud99c\\""#, "\u{fffd}\\"),
        (b"\"caf\xe9\"", "caf\u{fffd}"),
        (b"\"\xed\xa6\x9c x\"", "\u{fffd}\u{fffd}\u{fffd} x"),
    ] {
        let text = [br#"{"id":1,"result":{"a":"#, written, b"}}"].concat();
        assert_eq!(one(&text)["result"]["a"], read);
        assert_eq!(one(&[b"\xef\xbb\xbf", text.as_slice()].concat())["result"]["a"], read);
    }
}

#[test]
fn the_parts_of_a_batch_are_messages_of_their_own() {
    let read = messages(br#"[{"id":1,"result":{}},{"method":"x"},{"id":2,"error":null}]"#).unwrap();
    assert_eq!(read.len(), 3);
    assert_eq!((&read[0]["id"], &read[1]["method"]), (&json!(1), &json!("x")));
    assert_eq!(read[2]["error"]["code"], UNREADABLE_CODE);
}

#[test]
fn an_answer_has_the_form_of_the_protocol() {
    let answer = |mut message: Value| {
        message["id"] = json!(1);
        repaired(message)
    };
    let ok = json!({"jsonrpc": "2.0", "id": 1, "result": {"a": 1}});
    for odd in [
        json!({"result": {"a": 1}}),
        json!({"jsonrpc": "1.0", "result": {"a": 1}, "error": null}),
        json!({"jsonrpc": 2.0, "result": {"a": 1}}),
    ] {
        assert_eq!(answer(odd), ok);
    }
    assert_eq!(repaired(json!({"id": 1.0, "result": {"a": 1}})), ok);
    for (error, code, message) in [
        (json!({"code": -32602, "message": "m"}), -32602, "m"),
        (json!({"code": "E1", "message": "m"}), -32603, "m"),
        (json!({"code": 1e12, "message": "m"}), -32603, "m"),
        (json!({"message": "m"}), -32603, "m"),
        (json!("m"), -32603, "m"),
        (json!({"code": 5}), 5, r#"{"code":5}"#),
        (json!(false), -32603, "false"),
    ] {
        let read = answer(json!({"error": error, "result": {}}));
        assert_eq!(
            (&read["error"]["code"], &read["error"]["message"]),
            (&json!(code), &json!(message))
        );
        assert!(read.get("result").is_none());
    }
}

#[test]
fn an_id_that_is_no_number_names_no_request() {
    for (written, read) in [
        (json!(7), json!(7)),
        (json!(7.0), json!(7)),
        (json!("7"), json!(7)),
        (json!("server-error"), json!(null)),
        (json!(7.5), json!(null)),
        (json!(u64::MAX), json!(null)),
        (json!([7]), json!(null)),
        (json!(null), json!(null)),
    ] {
        let error = json!({"code": 1, "message": "m"});
        let failed = repaired(json!({"jsonrpc": "2.0", "id": written, "error": error}));
        assert_eq!((&failed["id"], &failed["error"]), (&read, &error));
        let done = repaired(json!({"jsonrpc": "2.0", "id": written, "result": {}}));
        assert_eq!((&done["id"], done.get("error").is_some()), (&read, read.is_null()));
    }
    let log = repaired(json!({"level": "info", "request": "x"}));
    assert!(log.get("error").is_none(), "{log}");
}

#[test]
fn a_block_that_cannot_be_read_costs_only_itself() {
    let text = json!({"type": "text", "text": "ok"});
    for (block, expected) in [
        (json!({"type": "hologram", "data": "x"}), "hologram"),
        (json!({"type": "text", "text": null}), "text"),
        (json!({"text": 7}), "content"),
        (json!({"type": "image"}), "image"),
        (json!({"type": "resource", "resource": null}), "resource"),
    ] {
        let read = result(&json!({"content": [block, text], "isError": "no"}));
        assert_eq!(read["content"][0]["mimeType"], expected);
        assert_eq!((&read["content"][1], read.get("isError")), (&text, None));
    }
    for (content, expected) in [
        (json!(null), json!([])),
        (json!("ok"), json!([text])),
        (text.clone(), json!([text])),
        (json!(["ok"]), json!([text])),
        (json!([{"type": "text", "text": "ok", "annotations": 7, "_meta": null}]), json!([text])),
    ] {
        assert_eq!(result(&json!({"content": content}))["content"], expected);
    }
}

#[test]
fn a_tool_that_cannot_be_read_costs_only_itself_and_says_why() {
    let fine = json!({"name": "fine", "inputSchema": {"type": "object"}});
    for (tool, name, is_readable) in [
        (json!({"name": "a", "inputSchema": null}), "a", true),
        (json!({"name": "a"}), "a", true),
        (json!({"name": "a", "description": null, "icons": null, "outputSchema": null}), "a", true),
        (json!({"name": "a", "annotations": 7, "outputSchema": "x"}), "a", true),
        (json!({"name": "a", "description": "d", "inputSchema": {}, "title": 7}), "a", true),
        (json!({"name": "a", "inputSchema": "x"}), "a", false),
        (json!({"name": "a", "inputSchema": [], "_meta": {"unreadable": 1}}), "a", false),
        (json!({"name": 7, "inputSchema": {}}), "", false),
        (json!("x"), "", false),
        (json!(null), "", false),
    ] {
        let read = result(&json!({"tools": [tool, fine], "nextCursor": 7}));
        assert!(read.get("nextCursor").is_none());
        assert_eq!(read["tools"][1], fine);
        let read: Tool = serde_json::from_value(read["tools"][0].clone()).unwrap();
        assert_eq!(read.name, name, "{tool}");
        assert_eq!(unreadable_reason(&read).is_none(), is_readable, "{tool}");
    }
}

#[test]
fn a_prompt_or_a_message_that_cannot_be_read_costs_only_itself() {
    let odd = json!([
        {"name": "a", "description": 3},
        {"name": 4},
        "b",
        {"name": "c", "arguments": "x"}
    ]);
    let prompts = result(&json!({ "prompts": odd }))["prompts"].clone();
    assert_eq!(prompts, json!([{"name": "a"}, {"name": "c"}]));
    let odd = json!([
        {"role": "system", "content": {"type": "text", "text": "a"}},
        {"content": "b"},
        {"role": "user", "content": {"type": "hologram"}}
    ]);
    let messages = result(&json!({ "messages": odd }))["messages"].clone();
    let shown = |at: usize, key: &str| messages[at]["content"][key].clone();
    assert_eq!([shown(0, "text"), shown(1, "text"), shown(2, "mimeType")], ["a", "b", "hologram"]);
}

#[test]
fn what_a_tool_returns_besides_its_content_is_no_list_of_the_server() {
    let own = json!({"content": [], "prompts": [3], "resources": [{}], "messages": ["a"]});
    assert_eq!(result(&own), own);
}

#[test]
fn a_resource_that_cannot_be_read_costs_only_itself() {
    let uris = |key: &str, items: Value| {
        let list = result(&json!({ key: items }))[key].clone();
        let all = list.as_array().unwrap().iter();
        let uri = |item: &Value| item.get("uri").or(item.get("uriTemplate")).cloned();
        all.map(uri).collect::<Option<Vec<Value>>>().unwrap()
    };
    let odd = json!([
        {"uri": "a", "name": "n", "description": null, "size": "large", "mimeType": 3},
        {"uri": "b"},
        {"uri": 3, "name": "n"},
        "c",
        null,
        {"uri": "d", "name": "n", "annotations": {"priority": "high"}}
    ]);
    assert_eq!(uris("resources", odd), ["a", "d"]);
    let templates = json!([{"uriTemplate": "a{b}", "name": "n", "icons": 3}, {"uriTemplate": "c"}]);
    assert_eq!(uris("resourceTemplates", templates), ["a{b}"]);
    let contents = json!([
        {"uri": "a", "text": "t", "mimeType": 3},
        {"uri": "b", "text": 3},
        {"uri": "c", "blob": "AA=="},
        null
    ]);
    assert_eq!(uris("contents", contents), ["a", "b", "c", "resource"]);
}
