//! Arguments of a call: raw text from a model becomes the type that a tool has for them, or a sentence
//! that says what is wrong with it. A tool only ever sees arguments that fit.
//!
//! ```text
//! raw text ──▶ Args ──▶ reader ──▶ the type      faults: mismatch
//! the type ──▶ parameters                        what the model is told
//! ```

mod mismatch;
mod parameters;
mod reader;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use self::mismatch::{ArgMismatch, MismatchKind};
pub(crate) use self::parameters::parameters;
use self::reader::Reader;
use crate::domain::Lang;
use crate::domain::text::in_lang;
use crate::domain::text::json::{self, MAX_NESTING, TooDeep};

/// The longest argument text that is looked at, in bytes.
const MAX_RAW_BYTES: usize = 4 * 1024 * 1024;

/// Arguments as they were sent: an object, whatever is in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Args(Map<String, Value>);

/// Why raw text cannot be arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ArgFault {
    TooLong { bytes: usize },
    NotJson { reason: String },
    TooDeep(TooDeep),
    NotObject,
}

impl Args {
    /// Parses the arguments of a call. Blank text stands for no arguments.
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

    /// Deserializes the arguments into the tool's own type.
    pub(crate) fn typed<A: DeserializeOwned>(self) -> Result<A, ArgMismatch> {
        A::deserialize(Reader(Value::Object(self.0)))
    }

    /// Returns all arguments, for a tool that passes them on.
    #[must_use]
    pub fn into_object(self) -> Map<String, Value> {
        self.0
    }
}

impl From<Map<String, Value>> for Args {
    fn from(object: Map<String, Value>) -> Self {
        Self(object)
    }
}

/// Returns the message about a call that was not run, with the reason.
pub(super) fn not_run(name: &str, reason: &str, lang: Lang) -> String {
    in_lang!(lang, "{name} was not run. {reason}", "未执行 {name}。{reason}")
}

impl ArgFault {
    /// The fault as a sentence for a model.
    pub(super) fn text(&self, lang: Lang) -> String {
        match self {
            Self::TooLong { bytes } => in_lang!(
                lang,
                "The arguments are too long: {bytes} bytes, limit {MAX_RAW_BYTES}.",
                "参数过长:{bytes} 字节,上限 {MAX_RAW_BYTES}。"
            ),
            Self::NotJson { reason } => in_lang!(
                lang,
                "The arguments are not valid JSON: {reason}. Nothing was run.",
                "参数不是有效的 JSON:{reason}。未执行任何操作。"
            ),
            Self::TooDeep(at) => in_lang!(
                lang,
                (
                    "The arguments nest more than {MAX_NESTING} deep (line {}, column {}). Make them flatter. \
                 Nothing was run.",
                    at.line,
                    at.column
                ),
                (
                    "参数嵌套超过 {MAX_NESTING} 层（第 {} 行第 {} 列）。请减少层数。未执行任何操作。",
                    at.line,
                    at.column
                )
            ),
            Self::NotObject => in_lang!(
                lang,
                "The arguments must be one JSON object. Nothing was run.",
                "参数必须是一个 JSON 对象。未执行任何操作。"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blank_text_stands_for_no_arguments() {
        for raw in ["", "  ", "\n", "{}"] {
            assert_eq!(Args::read(raw), Ok(Args::default()), "{raw:?}");
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
            let fault = Args::read(raw).unwrap_err();
            assert!(fault.text(Lang::En).contains(sentence), "{raw}: {fault:?}");
            assert_ne!(fault.text(Lang::Zh), fault.text(Lang::En));
        }
    }

    #[test]
    fn deep_nesting_and_huge_texts_are_refused_not_followed() {
        let deep = format!("{{\"t\":{}", "[".repeat(100_000));
        let fault = Args::read(&deep).unwrap_err();
        assert_eq!(fault, ArgFault::TooDeep(TooDeep { line: 1, column: 69 }));
        assert!(fault.text(Lang::En).contains("more than 64 deep (line 1, column 69)"));
        let long = " ".repeat(MAX_RAW_BYTES + 1);
        assert!(matches!(Args::read(&long), Err(ArgFault::TooLong { .. })));
    }

    proptest! {
        #[test]
        fn no_text_makes_parsing_panic(raw in ".{0,200}") {
            let _ = Args::read(&raw);
        }
    }
}
