//! Arguments of a call: raw text from a model becomes a checked object, or a sentence that says
//! what is wrong with it. A tool only ever sees arguments that fit its schema.

mod mismatch;
mod parameters;
mod reader;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use self::mismatch::{ArgMismatch, MismatchKind};
pub(crate) use self::parameters::parameters;
use self::reader::Reader;
use super::schema::{SchemaMismatch, as_integer, check_object};
use super::tool::ToolSpec;
use crate::domain::json::{MAX_NESTING, TooDeep};
use crate::domain::{Lang, json};

/// The longest argument text that is looked at, in bytes.
const MAX_RAW_BYTES: usize = 4 * 1024 * 1024;

/// Arguments that fit the tool's schema.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Args(Map<String, Value>);

/// Why raw text cannot be arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ArgFault {
    TooLong { bytes: usize },
    NotJson { reason: String },
    TooDeep(TooDeep),
    NotObject,
    Mismatch(SchemaMismatch),
}

impl Args {
    /// The arguments of a call.
    pub(super) fn for_tool(raw: &str, tool: &ToolSpec) -> Result<Self, ArgFault> {
        if tool.is_checked() { Self::parse(raw, &tool.parameters) } else { Self::read(raw) }
    }

    /// Reads and checks. Blank text stands for no arguments.
    pub(super) fn parse(raw: &str, schema: &Value) -> Result<Self, ArgFault> {
        let Self(mut object) = Self::read(raw)?;
        check_object(schema, &mut object).map_err(ArgFault::Mismatch)?;
        Ok(Self(object))
    }

    pub(super) fn read(raw: &str) -> Result<Self, ArgFault> {
        if raw.len() > MAX_RAW_BYTES {
            return Err(ArgFault::TooLong { bytes: raw.len() });
        }
        if let Some(at) = json::too_deep(raw) {
            return Err(ArgFault::TooDeep(at));
        }
        let raw = if raw.trim().is_empty() { "{}" } else { raw };
        let value = serde_json::from_str(raw)
            .map_err(|error| ArgFault::NotJson { reason: error.to_string() })?;
        let Value::Object(object) = value else {
            return Err(ArgFault::NotObject);
        };
        Ok(Self(object))
    }

    /// As the type a tool has for them.
    pub(crate) fn typed<A: DeserializeOwned>(self) -> Result<A, ArgMismatch> {
        A::deserialize(Reader(Value::Object(self.0)))
    }

    /// All of them, for a tool that passes them on.
    #[must_use]
    pub fn into_object(self) -> Map<String, Value> {
        self.0
    }

    /// The text of a field, if given.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.0.get(field).and_then(Value::as_str)
    }

    /// The text of a required field. The schema has made sure that it is there.
    #[must_use]
    pub fn required_text(&self, field: &str) -> &str {
        self.text(field).unwrap_or_default()
    }

    /// The same arguments with another text in one field.
    #[must_use]
    pub fn with_text(mut self, field: &str, text: String) -> Self {
        self.0.insert(field.to_owned(), Value::String(text));
        self
    }

    /// The texts of a list, none if it is not given.
    pub fn texts(&self, field: &str) -> Vec<&str> {
        let items = self.0.get(field).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// The whole number of a field, if given.
    pub fn integer(&self, field: &str) -> Option<i64> {
        self.0.get(field).and_then(as_integer)
    }

    /// Whether a field was given, whatever it holds.
    pub fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// The truth of a field, if given.
    pub fn flag(&self, field: &str) -> Option<bool> {
        self.0.get(field).and_then(Value::as_bool)
    }
}

/// What is said of a call that does not fit.
pub(super) fn not_run(name: &str, reason: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("{name} was not run. {reason}"),
        Lang::Zh => format!("未执行 {name}。{reason}"),
    }
}

impl ArgFault {
    /// The fault as a sentence for a model.
    pub(super) fn text(&self, lang: Lang) -> String {
        match (self, lang) {
            (Self::TooLong { bytes }, Lang::En) => {
                format!("The arguments are too long: {bytes} bytes, limit {MAX_RAW_BYTES}.")
            }
            (Self::TooLong { bytes }, Lang::Zh) => {
                format!("参数过长:{bytes} 字节,上限 {MAX_RAW_BYTES}。")
            }
            (Self::NotJson { reason }, Lang::En) => {
                format!("The arguments are not valid JSON: {reason}. Nothing was run.")
            }
            (Self::NotJson { reason }, Lang::Zh) => {
                format!("参数不是有效的 JSON:{reason}。未执行任何操作。")
            }
            (Self::TooDeep(at), Lang::En) => format!(
                "The arguments nest more than {MAX_NESTING} deep (line {}, column {}). Make them flatter. \
                 Nothing was run.",
                at.line, at.column
            ),
            (Self::TooDeep(at), Lang::Zh) => format!(
                "参数嵌套超过 {MAX_NESTING} 层（第 {} 行第 {} 列）。请减少层数。未执行任何操作。",
                at.line, at.column
            ),
            (Self::NotObject, Lang::En) => {
                "The arguments must be one JSON object. Nothing was run.".to_owned()
            }
            (Self::NotObject, Lang::Zh) => "参数必须是一个 JSON 对象。未执行任何操作。".to_owned(),
            (Self::Mismatch(mismatch), _) => mismatch.text(lang),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {"n": {"type": "integer"}, "t": {"type": "string"}},
            "additionalProperties": false
        })
    }

    #[test]
    fn blank_text_stands_for_no_arguments() {
        for raw in ["", "  ", "\n", "{}"] {
            assert_eq!(Args::parse(raw, &schema()), Ok(Args::default()), "{raw:?}");
        }
    }

    #[test]
    fn text_that_is_no_object_is_refused_with_its_reason() {
        for (raw, sentence) in [
            ("{", "not valid JSON"),
            ("{\"n\":1}}", "not valid JSON"),
            ("n=1", "not valid JSON"),
            ("{\"n\":1,}", "not valid JSON"),
            ("[]", "one JSON object"),
            ("null", "one JSON object"),
            ("\"{}\"", "one JSON object"),
            ("3", "one JSON object"),
        ] {
            let fault = Args::parse(raw, &schema()).unwrap_err();
            assert!(fault.text(Lang::En).contains(sentence), "{raw}: {fault:?}");
            assert_ne!(fault.text(Lang::Zh), fault.text(Lang::En));
        }
    }

    #[test]
    fn deep_nesting_and_huge_texts_are_refused_not_followed() {
        let deep = format!("{{\"t\":{}", "[".repeat(100_000));
        let fault = Args::parse(&deep, &schema()).unwrap_err();
        assert_eq!(fault, ArgFault::TooDeep(TooDeep { line: 1, column: 69 }));
        assert!(fault.text(Lang::En).contains("more than 64 deep (line 1, column 69)"));
        let long = " ".repeat(MAX_RAW_BYTES + 1);
        assert!(matches!(Args::parse(&long, &schema()), Err(ArgFault::TooLong { .. })));
    }

    proptest! {
        #[test]
        fn no_text_makes_parsing_panic(raw in ".{0,200}") {
            let _ = Args::parse(&raw, &schema());
        }
    }
}
