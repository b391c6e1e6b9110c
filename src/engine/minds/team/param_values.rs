//! What the groups of `model_params` share: how a value is read, and what is reported about it.

use serde_json::{Map, Value};

use crate::domain::text::{Localized, Text};
use crate::minds::report::must_be;

/// A setting that is not used as it stands.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ParamFinding {
    /// The keys that lead to it, from the map on.
    pub path: Vec<String>,
    pub text: Text,
    pub fix: Localized,
}

impl ParamFinding {
    pub(super) fn new(path: &[&str], text: Text, fix: impl Into<Localized>) -> Self {
        let path = path.iter().map(|&key| key.to_owned()).collect();
        Self { path, text, fix: fix.into() }
    }

    pub(super) fn unknown(path: &[&str], fix: Localized) -> Self {
        Self::new(path, Text::new("unknown setting; ignored", "未知的设置；已忽略"), fix)
    }

    /// `what`: the expected value.
    pub(super) fn wrong(path: &[&str], what: impl Into<Localized>) -> Self {
        Self::new(path, Text::new("wrong value; ignored", "值有误；已忽略"), must_be(what))
    }
}

/// True if there is no `value`; then `slot` is unchanged.
pub(super) fn set_fails<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    let wrong = value.is_none();
    if !wrong {
        *slot = value;
    }
    wrong
}

/// How much effort a model makes, by the word of its provider.
pub(super) fn effort(value: &Value) -> Option<String> {
    short_text(value).filter(|word| word != "ultra")
}

/// The word that a server is to know its user by.
pub(super) fn safety_identifier(settings: &Map<String, Value>) -> Option<String> {
    let text = settings.get("safety_identifier")?.as_str()?;
    (!text.trim().is_empty()).then(|| text.to_owned())
}

pub(super) fn short_text(value: &Value) -> Option<String> {
    let text = value.as_str()?.trim();
    (!text.is_empty() && text.len() <= 40).then(|| text.to_owned())
}
