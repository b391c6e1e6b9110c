//! The JSON schema of an arguments type, as short as if written by hand: only what a model needs to
//! make a call. The purpose of each argument is said in the tool's text.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Keys that say nothing a model needs.
const NOISE: [&str; 5] = ["$schema", "title", "description", "format", "default"];

/// The JSON schema of a struct: an object with its fields.
pub(crate) fn parameters<A: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<A>().to_value();
    let Value::Object(mut schema) = plain(schema) else { return json!({}) };
    let mut part = |key: &str| schema.remove(key).map(|value| (key.to_owned(), value));
    let properties = part("properties").unwrap_or_else(|| ("properties".to_owned(), json!({})));
    let parts = [part("type"), Some(properties), part("required"), part("additionalProperties")];
    parts.into_iter().flatten().collect::<Map<String, Value>>().into()
}

/// Simplifies a schema. `null` is left out: `required` says which fields may be omitted.
fn plain(schema: Value) -> Value {
    let Value::Object(schema) = schema else { return schema };
    let kept = schema.into_iter().filter(|(key, _)| !NOISE.contains(&key.as_str()));
    let schema = kept.map(|(key, value)| {
        let value = match (key.as_str(), value) {
            ("type", Value::Array(types)) => one_or_many(without(types, &json!("null"))),
            ("enum", Value::Array(names)) => without(names, &Value::Null).into(),
            ("anyOf", Value::Array(choices)) => without(choices, &json!({"type": "null"})).into(),
            ("items", items) => plain(items),
            ("properties", Value::Object(fields)) => {
                fields.into_iter().map(|(name, field)| (name, plain(field))).collect()
            }
            (_, value) => value,
        };
        (key, value)
    });
    let schema: Map<String, Value> = schema.collect();
    match schema.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([only]) => plain(only.clone()),
        _ => Value::Object(schema),
    }
}

fn without(values: Vec<Value>, unwanted: &Value) -> Vec<Value> {
    values.into_iter().filter(|value| value != unwanted).collect()
}

fn one_or_many(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.swap_remove(0) } else { Value::Array(values) }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    #[expect(dead_code, reason = "its schema is what counts")]
    struct Sample {
        /// Not shown.
        some_path: String,
        count: Option<NonZeroUsize>,
        most: Option<usize>,
        mode: Option<Mode>,
        modes: Option<Vec<Mode>>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Plain,
        Markdown,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}

    #[test]
    fn a_schema_is_inline_and_without_noise() {
        let mode = json!({"type": "string", "enum": ["plain", "markdown"]});
        let expected = json!({
            "type": "object",
            "properties": {
                "somePath": {"type": "string"},
                "count": {"type": "integer", "minimum": 1},
                "most": {"type": "integer", "minimum": 0},
                "mode": mode,
                "modes": {"type": "array", "items": mode}
            },
            "required": ["somePath"],
            "additionalProperties": false
        });
        assert_eq!(parameters::<Sample>().to_string(), expected.to_string());
        let nothing = json!({"type": "object", "properties": {}, "additionalProperties": false});
        assert_eq!(parameters::<Nothing>().to_string(), nothing.to_string());
    }
}
