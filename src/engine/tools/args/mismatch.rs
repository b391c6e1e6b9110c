//! Why arguments do not fit their type, in words for a model. Made by serde while it reads a type, so
//! the type alone decides; the first fault wins.

use std::fmt::{self, Display};

use serde::de::{self, Expected, Unexpected};

use crate::domain::Lang;
use crate::domain::text::in_lang;

/// Names shown to a model are cut to this many characters.
const MAX_SHOWN_NAME_CHARS: usize = 80;

/// An argument that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArgMismatch {
    /// Dotted path of the field.
    pub field: String,
    pub kind: MismatchKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MismatchKind {
    Missing,
    Unexpected {
        known: Vec<String>,
    },
    WrongType {
        expected: &'static str,
        found: &'static str,
    },
    NotOneOf {
        allowed: Vec<String>,
    },
    Below {
        minimum: u64,
    },
    /// Refused by the type for a reason of its own.
    Unfit {
        expected: String,
    },
}

impl ArgMismatch {
    pub(crate) fn at(field: &str, kind: MismatchKind) -> Self {
        Self { field: shown(field), kind }
    }

    /// The same fault, found in the value of `key`.
    pub(super) fn in_field(self, key: &str) -> Self {
        let key = shown(key);
        let inner = self.field;
        let separator = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
        Self { field: format!("{key}{separator}{inner}"), ..self }
    }

    /// The same fault, found in an item of a list.
    pub(super) fn in_item(self, index: usize) -> Self {
        self.in_field(&format!("[{index}]"))
    }

    /// The fault as a sentence for a model.
    pub(crate) fn text(&self, lang: Lang) -> String {
        let field = &self.field;
        match &self.kind {
            MismatchKind::Missing => {
                in_lang!(lang, "`{field}` is required but missing.", "缺少必填参数 `{field}`。")
            }
            MismatchKind::Unexpected { known } => in_lang!(
                lang,
                ("`{field}` is not a parameter; known: {}.", list(known)),
                ("没有名为 `{field}` 的参数;可用:{}。", list(known))
            ),
            MismatchKind::WrongType { expected, found } => in_lang!(
                lang,
                "`{field}` must be {expected}, not {found}.",
                "`{field}` 的类型应为 {expected},收到的是 {found}。"
            ),
            MismatchKind::NotOneOf { allowed } => in_lang!(
                lang,
                ("`{field}` must be one of: {}.", list(allowed)),
                ("`{field}` 只能是:{}。", list(allowed))
            ),
            MismatchKind::Below { minimum } => in_lang!(
                lang,
                "`{field}` must be at least {minimum}.",
                "`{field}` 不能小于 {minimum}。"
            ),
            MismatchKind::Unfit { expected } => in_lang!(
                lang,
                "`{field}` does not fit: {expected}.",
                "`{field}` 不符合要求:{expected}。"
            ),
        }
    }
}

impl Display for ArgMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Lang::En))
    }
}

impl std::error::Error for ArgMismatch {}

/// Errors of deserialization. The field they concern is added while they are passed up.
impl de::Error for ArgMismatch {
    fn custom<T: Display>(reason: T) -> Self {
        Self::at("", MismatchKind::Unfit { expected: reason.to_string() })
    }

    /// Numbers are the only values with bounds, and the bounds are lower ones.
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let too_small = matches!(found, Unexpected::Signed(..=0) | Unexpected::Unsigned(0));
        if !too_small {
            return Self::custom(format_args!("expected {expected}"));
        }
        let positive = expected.to_string().contains("nonzero");
        Self::at("", MismatchKind::Below { minimum: u64::from(positive) })
    }

    fn unknown_variant(_: &str, allowed: &'static [&'static str]) -> Self {
        Self::at("", MismatchKind::NotOneOf { allowed: owned(allowed) })
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self::at(field, MismatchKind::Unexpected { known: owned(known) })
    }

    fn missing_field(field: &'static str) -> Self {
        Self::at(field, MismatchKind::Missing)
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "-".to_owned() } else { names.join(", ") }
}

fn shown(name: &str) -> String {
    name.chars().take(MAX_SHOWN_NAME_CHARS).flat_map(char::escape_debug).collect()
}
