//! The schema of the arguments of a tool as providers accept it. One that is no JSON schema would have them refuse
//! the whole request. Pure.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

/// Keywords whose value is a schema, a list of schemas, or an object of schemas.
const ONE: [&str; 6] = ["additionalProperties", "not", "if", "then", "else", "contains"];
const LIST: [&str; 3] = ["anyOf", "oneOf", "allOf"];
const NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];

/// Returns the cleaned schema; the error names the malformed part.
pub(super) fn parameters(schema: &JsonObject) -> Result<Value, String> {
    let mut schema = schema.clone();
    schema.shift_remove("$schema");
    tidy(&mut schema)?;
    if schema.get("type") != Some(&json!("object")) {
        schema.insert("type".to_owned(), json!("object"));
    }
    if !schema.contains_key("properties") {
        schema.insert("properties".to_owned(), json!({}));
    }
    Ok(Value::Object(schema))
}

/// Removes keywords without a value.
fn tidy(schema: &mut JsonObject) -> Result<(), String> {
    let is_keyword = |key: &str| {
        ONE.contains(&key)
            || LIST.contains(&key)
            || NAMED.contains(&key)
            || matches!(key, "type" | "items" | "required" | "enum" | "description" | "$ref")
    };
    schema.retain(|key, value| !(value.is_null() && is_keyword(key)));
    for (key, value) in schema.iter_mut() {
        let is_well_formed = match key.as_str() {
            "type" => value.is_string() || is_list(value, Value::is_string),
            "required" => is_list(value, Value::is_string),
            "enum" => value.is_array(),
            "description" | "$ref" => value.is_string(),
            "items" if value.is_array() => tidy_each(value.as_array_mut().into_iter().flatten())?,
            "items" => tidy_value(value)?,
            key if ONE.contains(&key) => tidy_value(value)?,
            key if LIST.contains(&key) => {
                value.is_array() && tidy_each(value.as_array_mut().into_iter().flatten())?
            }
            key if NAMED.contains(&key) => {
                let named = value.as_object_mut();
                named.is_some() && tidy_each(named.into_iter().flat_map(JsonObject::values_mut))?
            }
            _ => true,
        };
        if !is_well_formed {
            return Err(format!("`{key}` of its schema"));
        }
    }
    Ok(())
}

fn is_list(value: &Value, fits: fn(&Value) -> bool) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(fits))
}

/// Tidies each schema; false if one of them is not a schema.
fn tidy_each<'a>(schemas: impl Iterator<Item = &'a mut Value>) -> Result<bool, String> {
    for schema in schemas {
        if !tidy_value(schema)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn tidy_value(schema: &mut Value) -> Result<bool, String> {
    match schema {
        Value::Object(map) => tidy(map).map(|()| true),
        Value::Bool(_) => Ok(true),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(schema: Value) -> Result<Value, String> {
        let Value::Object(schema) = schema else { panic!("{schema}") };
        parameters(&schema)
    }

    #[test]
    fn a_schema_is_kept_but_for_what_has_no_value() {
        let q = json!({"type": "object", "properties": {"q": {"$ref": "#/$defs/Q", "default": null}},
            "required": ["q"], "additionalProperties": false,
            "$defs": {"Q": {"anyOf": [{"type": ["string", "null"]}, true], "enum": [null, 1]}}});
        assert_eq!(read(q.clone()), Ok(q));
        let empty = json!({"type": "object", "properties": {}});
        for (schema, expected) in [
            (json!({}), empty.clone()),
            (json!({"$schema": "x", "type": null, "properties": null, "required": null}), empty),
            (
                json!({"properties": {"a": {"type": null, "items": null, "const": null}}}),
                json!({"properties": {"a": {"const": null}}, "type": "object"}),
            ),
        ] {
            assert_eq!(read(schema), Ok(expected));
        }
    }

    #[test]
    fn what_is_no_schema_at_any_depth_is_named() {
        for (schema, key) in [
            (json!({"properties": {"type": "object"}}), "properties"),
            (json!({"properties": {"a": null}}), "properties"),
            (json!({"properties": []}), "properties"),
            (json!({"required": "a"}), "required"),
            (json!({"required": [1]}), "required"),
            (json!({"properties": {"a": {"type": 7}}}), "type"),
            (json!({"properties": {"a": {"items": "string"}}}), "items"),
            (json!({"anyOf": {"type": "string"}}), "anyOf"),
            (json!({"$defs": {"A": {"allOf": ["x"]}}}), "allOf"),
            (json!({"properties": {"a": {"description": ["x"]}}}), "description"),
            (json!({"additionalProperties": "no"}), "additionalProperties"),
            (json!({"properties": {"a": {"enum": "x"}}}), "enum"),
        ] {
            assert_eq!(read(schema.clone()), Err(format!("`{key}` of its schema")), "{schema}");
        }
    }
}
