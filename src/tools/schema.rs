//! A validator for the part of JSON schema that tools use: `type`, `properties`, `required`,
//! `additionalProperties: false`, `enum`, `minimum`, `items`. Pure; the first fault wins.

use serde_json::{Map, Value};

use crate::domain::Lang;

/// Names shown to a model are cut to this many characters.
const MAX_SHOWN_NAME_CHARS: usize = 80;

/// Why a value does not fit its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SchemaMismatch {
    /// Dotted path of the field.
    pub field: String,
    pub kind: SchemaMismatchKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SchemaMismatchKind {
    Missing,
    Unexpected { known: Vec<String> },
    WrongType { expected: String, found: &'static str },
    NotOneOf { allowed: Vec<String> },
    Below { minimum: i64 },
}

impl SchemaMismatch {
    fn at(field: &str, kind: SchemaMismatchKind) -> Self {
        Self { field: shown(field), kind }
    }

    /// The fault as a sentence for a model.
    pub(super) fn text(&self, lang: Lang) -> String {
        let field = &self.field;
        match (&self.kind, lang) {
            (SchemaMismatchKind::Missing, Lang::En) => {
                format!("`{field}` is required but missing.")
            }
            (SchemaMismatchKind::Missing, Lang::Zh) => format!("缺少必填参数 `{field}`。"),
            (SchemaMismatchKind::Unexpected { known }, Lang::En) => {
                format!("`{field}` is not a parameter; known: {}.", list(known))
            }
            (SchemaMismatchKind::Unexpected { known }, Lang::Zh) => {
                format!("没有名为 `{field}` 的参数;可用:{}。", list(known))
            }
            (SchemaMismatchKind::WrongType { expected, found }, Lang::En) => {
                format!("`{field}` must be {expected}, not {found}.")
            }
            (SchemaMismatchKind::WrongType { expected, found }, Lang::Zh) => {
                format!("`{field}` 的类型应为 {expected},收到的是 {found}。")
            }
            (SchemaMismatchKind::NotOneOf { allowed }, Lang::En) => {
                format!("`{field}` must be one of: {}.", list(allowed))
            }
            (SchemaMismatchKind::NotOneOf { allowed }, Lang::Zh) => {
                format!("`{field}` 只能是:{}。", list(allowed))
            }
            (SchemaMismatchKind::Below { minimum }, Lang::En) => {
                format!("`{field}` must be at least {minimum}.")
            }
            (SchemaMismatchKind::Below { minimum }, Lang::Zh) => {
                format!("`{field}` 不能小于 {minimum}。")
            }
        }
    }
}

/// Checks an object against an object schema. A `null` in a field that is not required counts as
/// absent and is removed, because some providers make models spell out every field.
pub(super) fn check_object(
    schema: &Value,
    object: &mut Map<String, Value>,
) -> Result<(), SchemaMismatch> {
    let required = names(schema, "required");
    object.retain(|key, value| !value.is_null() || required.iter().any(|name| name == key));
    object_fits(schema, object, "")
}

fn object_fits(
    schema: &Value,
    object: &Map<String, Value>,
    at: &str,
) -> Result<(), SchemaMismatch> {
    for name in names(schema, "required") {
        if !object.contains_key(&name) {
            return Err(SchemaMismatch::at(&join(at, &name), SchemaMismatchKind::Missing));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (key, value) in object {
        match properties.and_then(|known| known.get(key)) {
            Some(schema) => value_fits(schema, value, &join(at, key))?,
            None if closed => {
                let known = properties.map(|map| map.keys().cloned().collect()).unwrap_or_default();
                return Err(SchemaMismatch::at(
                    &join(at, key),
                    SchemaMismatchKind::Unexpected { known },
                ));
            }
            None => {}
        }
    }
    Ok(())
}

fn value_fits(schema: &Value, value: &Value, at: &str) -> Result<(), SchemaMismatch> {
    let expected = schema.get("type").and_then(Value::as_str);
    if let Some(expected) = expected
        && !has_type(value, expected)
    {
        let kind =
            SchemaMismatchKind::WrongType { expected: expected.into(), found: type_of(value) };
        return Err(SchemaMismatch::at(at, kind));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed = allowed.iter().map(plain).collect();
        return Err(SchemaMismatch::at(at, SchemaMismatchKind::NotOneOf { allowed }));
    }
    if let (Some(minimum), Some(number)) =
        (schema.get("minimum").and_then(Value::as_i64), as_integer(value))
        && number < minimum
    {
        return Err(SchemaMismatch::at(at, SchemaMismatchKind::Below { minimum }));
    }
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (index, value) in values.iter().enumerate() {
            value_fits(items, value, &format!("{at}[{index}]"))?;
        }
    }
    value.as_object().map_or(Ok(()), |object| object_fits(schema, object, at))
}

/// The whole number a JSON number stands for; `3.0` is one.
pub(super) fn as_integer(value: &Value) -> Option<i64> {
    if let Some(number) = value.as_i64() {
        return Some(number);
    }
    let text = value.as_number()?.to_string();
    let (whole, fraction) = text.split_once('.')?;
    fraction.bytes().all(|digit| digit == b'0').then(|| whole.parse().ok()).flatten()
}

fn has_type(value: &Value, expected: &str) -> bool {
    match expected {
        "integer" => as_integer(value).is_some(),
        "number" => value.is_number(),
        other => type_of(value) == other,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn names(schema: &Value, key: &str) -> Vec<String> {
    let list = schema.get(key).and_then(Value::as_array);
    list.into_iter().flatten().map(plain).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "-".to_owned() } else { names.join(", ") }
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

fn shown(name: &str) -> String {
    name.chars().take(MAX_SHOWN_NAME_CHARS).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "count": {"type": "integer", "minimum": 1},
                "mode": {"type": "string", "enum": ["plain", "markdown"]},
                "flag": {"type": "boolean"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "inner": {
                    "type": "object",
                    "properties": {"n": {"type": "number"}},
                    "required": ["n"],
                    "additionalProperties": false
                }
            },
            "required": ["path"],
            "additionalProperties": false
        })
    }

    fn check(value: &Value) -> Result<(), SchemaMismatch> {
        check_object(&schema(), &mut value.as_object().unwrap().clone())
    }

    #[test]
    fn fitting_objects_pass() {
        for value in [
            json!({"path": "a"}),
            json!({"path": "", "count": 1, "mode": "plain", "flag": false}),
            json!({"path": "a", "count": 3.0}),
            json!({"path": "a", "count": null, "mode": null}),
            json!({"path": "a", "tags": []}),
            json!({"path": "a", "tags": ["x", "y"], "inner": {"n": 1.5}}),
        ] {
            assert_eq!(check(&value), Ok(()), "{value}");
        }
    }

    #[test]
    fn every_fault_names_its_field() {
        for (value, field, sentence) in [
            (json!({}), "path", "required but missing"),
            (json!({"path": null}), "path", "must be string, not null"),
            (json!({"path": 1}), "path", "must be string, not number"),
            (json!({"path": ["a"]}), "path", "not array"),
            (json!({"path": "a", "count": "1"}), "count", "must be integer, not string"),
            (json!({"path": "a", "count": 1.5}), "count", "must be integer, not number"),
            (json!({"path": "a", "count": 0}), "count", "at least 1"),
            (json!({"path": "a", "count": -7}), "count", "at least 1"),
            (json!({"path": "a", "mode": "html"}), "mode", "one of: plain, markdown"),
            (json!({"path": "a", "mode": true}), "mode", "must be string, not boolean"),
            (json!({"path": "a", "flag": "yes"}), "flag", "must be boolean, not string"),
            (json!({"path": "a", "tags": "x"}), "tags", "must be array"),
            (json!({"path": "a", "tags": ["x", 2]}), "tags[1]", "must be string"),
            (json!({"path": "a", "inner": {}}), "inner.n", "required but missing"),
            (json!({"path": "a", "inner": {"n": 1, "m": 2}}), "inner.m", "known: n"),
            (json!({"path": "a", "other": 1}), "other", "is not a parameter; known: path"),
            (json!({"path": "a", "__proto__": {}}), "__proto__", "is not a parameter"),
        ] {
            let fault = check(&value).unwrap_err();
            assert_eq!(fault.field, field, "{value}");
            let text = fault.text(Lang::En);
            assert!(text.contains(&format!("`{field}`")) && text.contains(sentence), "{text}");
            assert!(fault.text(Lang::Zh).contains(field), "{value}");
        }
    }

    #[test]
    fn a_hostile_field_name_is_shortened_and_made_visible() {
        let name = format!("\u{1b}[31m\n{}", "x".repeat(1_000));
        let fault = check(&json!({"path": "a", name: 1})).unwrap_err();
        assert!(fault.field.len() < 120 && !fault.field.contains(['\n', '\u{1b}']));
    }
}
