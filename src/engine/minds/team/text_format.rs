//! `text_format` in a group of `model_params`, with its schema: the form of an answer.

use serde_json::{Map, Value, json};

use super::param_values::ParamFinding;
use crate::domain::text::Text;

const FORMAT: &str = "text_format";
const JSON_SCHEMA: &str = "json_schema";
const NAME: &str = "text_format_json_schema_name";
const SCHEMA: &str = "text_format_json_schema";
const STRICT: &str = "text_format_json_schema_strict";

/// The form in the words of the Responses API. Values of a wrong type are reported with their group.
pub(super) fn read(
    group: &str,
    settings: &Map<String, Value>,
    findings: &mut Vec<ParamFinding>,
) -> Option<Value> {
    let text =
        |key: &str| settings.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty());
    let kind = text(FORMAT).filter(|kind| ["text", "json_object", JSON_SCHEMA].contains(kind));
    if kind != Some(JSON_SCHEMA) {
        for key in [NAME, SCHEMA, STRICT].into_iter().filter(|key| settings.contains_key(*key)) {
            let found = Text::new(
                "has no effect without `text_format: json_schema`",
                "没有 `text_format: json_schema` 时无效",
            );
            let fix = Text::new("add that, or remove the setting", "请加上它，或删除此设置");
            findings.push(ParamFinding::new(&[group, key], found, fix));
        }
        return kind.map(|kind| json!({ "type": kind }));
    }
    let (Some(name), Some(schema)) = (text(NAME), settings.get(SCHEMA).and_then(object)) else {
        let found = Text::new("has no name or no schema; ignored", "缺少名称或 schema；已忽略");
        let fix = Text::new(
            "write `text_format_json_schema_name`, and `text_format_json_schema` as a map or its JSON as text",
            "请写 `text_format_json_schema_name`，并把 `text_format_json_schema` 写成映射或 JSON 文本",
        );
        findings.push(ParamFinding::new(&[group, FORMAT], found, fix));
        return None;
    };
    Some(match settings.get(STRICT).and_then(Value::as_bool) {
        Some(strict) => {
            json!({ "type": JSON_SCHEMA, "name": name, "schema": schema, "strict": strict })
        }
        None => json!({ "type": JSON_SCHEMA, "name": name, "schema": schema }),
    })
}

/// A map, or what the text of one holds.
fn object(value: &Value) -> Option<Value> {
    let value = match value.as_str() {
        Some(text) => serde_json::from_str(text).ok()?,
        None => value.clone(),
    };
    value.is_object().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_taken_whole_and_a_part_of_one_is_named() {
        let schema = json!({ "type": "object" });
        let named = json!({ "type": JSON_SCHEMA, "name": "n", "schema": schema });
        let strict = json!({ "type": JSON_SCHEMA, "name": "n", "schema": schema, "strict": false });
        let text = schema.to_string();
        for (settings, expected, found) in [
            (json!({}), None, None),
            (json!({ FORMAT: "text" }), Some(json!({ "type": "text" })), None),
            (json!({ FORMAT: "json_object" }), Some(json!({ "type": "json_object" })), None),
            (json!({ FORMAT: JSON_SCHEMA, NAME: "n", SCHEMA: schema }), Some(named), None),
            (
                json!({ FORMAT: JSON_SCHEMA, NAME: "n", SCHEMA: text, STRICT: false }),
                Some(strict),
                None,
            ),
            (json!({ FORMAT: JSON_SCHEMA, NAME: "n" }), None, Some(FORMAT)),
            (json!({ FORMAT: JSON_SCHEMA, NAME: "n", SCHEMA: "[" }), None, Some(FORMAT)),
            (json!({ STRICT: true }), None, Some(STRICT)),
        ] {
            let mut findings = Vec::new();
            let read = read("openai", settings.as_object().unwrap(), &mut findings);
            assert_eq!(read, expected, "{settings}");
            let named: Vec<&str> = findings.iter().map(|one| one.path[1].as_str()).collect();
            assert_eq!(named, found.into_iter().collect::<Vec<_>>(), "{settings}");
        }
    }
}
