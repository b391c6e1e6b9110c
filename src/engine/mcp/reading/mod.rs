//! Output of a server as messages that the types of the protocol can read: a fault in one message affects
//! only that message, and a request whose answer cannot be read gets an error. Pure.

use rmcp::model::{
    ContentBlock, JsonObject, Prompt, Resource, ResourceContents, ResourceTemplate, Tool,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::result::sanitize;

/// The error code of an answer that cannot be read.
pub(super) const UNREADABLE_CODE: i32 = -32_098;
const INTERNAL_ERROR: i64 = -32_603;
/// The key under which an unreadable tool has the reason.
const REASON_KEY: &str = "unreadable";
const MAX_EXCERPT_CHARS: usize = 300;
/// All that is used of a resource, a template or their contents, and of a prompt without arguments.
const RESOURCE_TEXTS: [&str; 8] =
    ["uri", "uriTemplate", "name", "title", "description", "mimeType", "text", "blob"];

/// The messages of a line or event; the error says why it is not JSON.
pub(super) fn messages(bytes: &[u8]) -> Result<Vec<Value>, String> {
    let read = serde_json::from_slice::<Value>(bytes).or_else(|_| {
        let text = String::from_utf8_lossy(bytes);
        serde_json::from_str(&whole_characters(text.trim_start_matches('\u{feff}')))
    });
    match read {
        Ok(Value::Array(batch)) => Ok(batch.into_iter().map(repaired).collect()),
        Ok(message) => Ok(vec![repaired(message)]),
        Err(error) => {
            let start = sanitize(&String::from_utf8_lossy(bytes), MAX_EXCERPT_CHARS);
            Err(format!("it is no JSON ({error}): {start}"))
        }
    }
}

/// Returns the error for a request whose answer cannot be read; `null` is one that is not known.
pub(super) fn unreadable(id: &Value, reason: &str) -> Value {
    failure(id, UNREADABLE_CODE, reason)
}

/// Returns the error for a request whose answer is not passed on.
pub(super) fn failure(id: &Value, code: i32, reason: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": reason}})
}

/// True if a text that is no JSON is an answer of which a part is missing or wrong. A greeting does not speak of the
/// protocol, and is neither the beginning nor the end of an object.
pub(super) fn is_like_an_answer(text: &[u8]) -> bool {
    let has = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    let text = text.trim_ascii();
    let ends_early = || serde_json::from_slice::<Value>(text).is_err_and(|error| error.is_eof());
    let is_beginning = || text.starts_with(b"{\"") && ends_early();
    let opened = |depth: i64, byte: &u8| match byte {
        b'{' => depth + 1,
        b'}' => depth - 1,
        _ => depth,
    };
    let is_end = || text.ends_with(b"}") && has(b"\":") && text.iter().fold(0, opened) < 0;
    let words = [b"\"jsonrpc\"".as_slice(), b"\"result\"", b"\"error\""];
    words.into_iter().any(has) || is_beginning() || is_end()
}

/// The id at the end of an answer, where many servers write it, whatever is before it.
pub(super) fn id_at_end(text: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(text);
    let (_, id) = text.trim_end().strip_suffix('}')?.rsplit_once("\"id\"")?;
    let id: Value = serde_json::from_str(id.trim_start().strip_prefix(':')?).ok()?;
    request_id(&id).map(Value::from)
}

/// The id of a request of ours, which is a number, as a server may write it.
pub(super) fn request_id(id: &Value) -> Option<i64> {
    let whole = id.as_f64().filter(|number| number.fract() == 0.0);
    let written = whole.map(|number| format!("{number:.0}"));
    let written = written.as_deref().or(id.as_str());
    id.as_i64().or_else(|| written?.parse::<i64>().ok())
}

/// Why a tool of a list cannot be read.
pub(super) fn unreadable_reason(tool: &Tool) -> Option<&str> {
    tool.meta.as_ref()?.get(REASON_KEY)?.as_str()
}

/// Escapes of halves of a character become U+FFFD.
fn whole_characters(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        whole.push_str(before);
        let first = unit(after);
        let second = || after.get(5..)?.strip_prefix('\\').and_then(unit);
        let taken = match first {
            Some(0xD800..=0xDBFF) if matches!(second(), Some(0xDC00..=0xDFFF)) => 11,
            Some(0xD800..=0xDFFF) => {
                whole.push_str("\\ufffd");
                rest = after.get(5..).unwrap_or_default();
                continue;
            }
            Some(_) => 5,
            None => after.chars().next().map_or(0, char::len_utf8),
        };
        whole.push('\\');
        whole.push_str(after.get(..taken).unwrap_or_default());
        rest = after.get(taken..).unwrap_or_default();
    }
    whole.push_str(rest);
    whole
}

/// The value of `u` and four digits.
fn unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix('u')?.get(..4)?, 16).ok()
}

/// Returns a message repaired to the form of the protocol, if possible.
pub(super) fn repaired(mut message: Value) -> Value {
    let Some(map) = message.as_object_mut() else { return message };
    if map.contains_key("method") {
        return message;
    }
    for key in ["error", "result"] {
        if map.get(key).is_some_and(Value::is_null) {
            map.shift_remove(key);
        }
    }
    let is_of_protocol = map.insert("jsonrpc".to_owned(), json!("2.0")).is_some();
    match map.get("id").map(request_id) {
        Some(Some(id)) => _ = map.insert("id".to_owned(), json!(id)),
        // It names no request, as `"server-error"` does not.
        Some(None) if is_of_protocol => _ = map.insert("id".to_owned(), Value::Null),
        Some(None) | None => {}
    }
    if let Some(error) = map.get("error") {
        let error = error_object(error);
        map.insert("error".to_owned(), error);
        map.shift_remove("result");
    } else if let Some(result) = map.get_mut("result") {
        repair_result(result);
    } else if is_of_protocol || map.contains_key("id") {
        let id = map.get("id").cloned().unwrap_or_default();
        return unreadable(&id, "it has neither a result nor an error");
    }
    if map.get("id").is_none_or(Value::is_null) && map.contains_key("result") {
        return unreadable(&Value::Null, "it does not say what it answers");
    }
    message
}

fn error_object(error: &Value) -> Value {
    let code = error.get("code").and_then(Value::as_i64);
    let code = code.filter(|code| i32::try_from(*code).is_ok()).unwrap_or(INTERNAL_ERROR);
    let message = error.get("message").and_then(Value::as_str).or_else(|| error.as_str());
    let message = message.map_or_else(|| error.to_string(), str::to_owned);
    let mut object = json!({"code": code, "message": message});
    if let (Some(data), Some(map)) = (error.get("data"), object.as_object_mut()) {
        map.insert("data".to_owned(), data.clone());
    }
    object
}

/// The parts of a result as the types of the protocol read them.
pub(super) fn repair_result(result: &mut Value) {
    let Some(map) = result.as_object_mut() else { return };
    for (key, fits) in [
        ("_meta", Value::is_object as fn(&Value) -> bool),
        ("isError", Value::is_boolean),
        ("nextCursor", Value::is_string),
    ] {
        if map.get(key).is_some_and(|value| !fits(value)) {
            map.shift_remove(key);
        }
    }
    if let Some(tools) = map.get_mut("tools").and_then(Value::as_array_mut) {
        tools.iter_mut().for_each(repair_tool);
    }
    if let Some(content) = map.get_mut("content") {
        let blocks = match content.take() {
            Value::Array(blocks) => blocks,
            Value::Null => Vec::new(),
            block @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
                vec![block]
            }
        };
        *content = blocks.into_iter().map(repaired_block).collect();
        // What else a tool returns is no list of the server.
        return;
    }
    keep_readable::<Resource>(map, "resources");
    keep_readable::<ResourceTemplate>(map, "resourceTemplates");
    for content in map.get_mut("contents").and_then(Value::as_array_mut).into_iter().flatten() {
        if !is_made_readable::<ResourceContents>(content) {
            let uri = content.get("uri").and_then(Value::as_str).unwrap_or("resource");
            *content = json!({"uri": uri, "blob": "", "mimeType": "unreadable"});
        }
    }
    keep_readable::<Prompt>(map, "prompts");
    for message in map.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten() {
        let content = message.get("content").cloned().unwrap_or_default();
        *message = json!({"role": "user", "content": repaired_block(content)});
    }
}

/// Keeps the items of a list that can be read.
fn keep_readable<T: DeserializeOwned>(map: &mut JsonObject, key: &str) {
    let Some(items) = map.get_mut(key).and_then(Value::as_array_mut) else { return };
    items.retain_mut(is_made_readable::<T>);
}

/// Whether an item can be read, if need be by these texts alone.
fn is_made_readable<T: DeserializeOwned>(item: &mut Value) -> bool {
    let is_read = |item: &Value| T::deserialize(item).is_ok();
    if !is_read(item)
        && let Some(fields) = item.as_object_mut()
    {
        fields.retain(|key, value| value.is_string() && RESOURCE_TEXTS.contains(&key.as_str()));
    }
    is_read(item)
}

/// Repairs a tool. One that cannot be read keeps its name and says why.
fn repair_tool(tool: &mut Value) {
    if let Some(map) = tool.as_object_mut() {
        map.retain(|_, value| !value.is_null());
        map.entry("inputSchema").or_insert_with(|| json!({}));
    }
    if let Err(error) = serde_json::from_value::<Tool>(tool.clone()) {
        let required = |key: &str| tool.get(key).cloned().unwrap_or_default();
        let name = required("name");
        let bare = json!({"name": name, "description": required("description"), "inputSchema": required("inputSchema")});
        // Fields that are only shown to people are dropped rather than the tool.
        *tool = match serde_json::from_value::<Tool>(bare.clone()) {
            Ok(_) => bare,
            Err(_) => json!({"name": name.as_str().unwrap_or_default(), "inputSchema": {},
                "_meta": {REASON_KEY: error.to_string()}}),
        };
    } else if let Some(meta) = tool.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.shift_remove(REASON_KEY);
    }
}

/// Repairs a block. One that cannot be read becomes a block that is not shown.
fn repaired_block(block: Value) -> Value {
    let is_read = |block: &Value| serde_json::from_value::<ContentBlock>(block.clone()).is_ok();
    if is_read(&block) {
        return block;
    }
    let mut bare: JsonObject = match block {
        Value::Object(map) => map,
        Value::String(text) => return json!({"type": "text", "text": text}),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_)) => {
            return json!({"type": "text", "text": other.to_string()});
        }
    };
    bare.retain(|key, value| {
        !value.is_null() && !matches!(key.as_str(), "annotations" | "_meta" | "icons")
    });
    let kind = bare.get("type").and_then(Value::as_str).unwrap_or("content").to_owned();
    let bare = Value::Object(bare);
    if is_read(&bare) { bare } else { json!({"type": "audio", "data": "", "mimeType": kind}) }
}

#[cfg(test)]
mod tests;
