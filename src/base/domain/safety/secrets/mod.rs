//! What must not be shown: keys of providers, and what entries of MCP servers name. It is taken out of
//! texts and streams before these are cut, stored, logged or shown, also where it is written in another
//! form (module `forms`).
//!
//! Nothing here reads the environment. Whoever turns a key into something else (reverses it, encrypts
//! it, spells it out) is not found out.

mod finder;
mod forms;
mod stream;
#[cfg(test)]
mod tests;
mod vault;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::references::{VaultEntries, VaultEntry, reference_to, with_values};
use finder::SecretMatcher;
use forms::SHORTEST;
pub use stream::{REDACTED, RedactedStream};
pub use vault::SharedSecrets;

/// Stands at the end of a text that was cut.
const CUT: &str = "…";

/// Parts of a name that tell of a secret.
const TELLING: [&str; 14] = [
    "KEY",
    "APIKEY",
    "KEYS",
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTHORIZATION",
    "COOKIE",
];

/// Ends of a name that tell the same, with anything before them.
const TELLING_ENDS: [&str; 4] = ["APIKEY", "TOKEN", "SECRET", "PASSWORD"];

/// True if the name, of a variable or a header, says that the value is not for everyone.
#[must_use]
pub fn looks_secret(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    upper.split(['_', '-', '.']).any(|part| TELLING.contains(&part))
        || TELLING_ENDS.iter().any(|end| upper.ends_with(end))
}

/// True if the value of a variable that is called these names is to be kept secret: most are, but not a
/// plain word or a path under names that tell of nothing. `production` must not vanish from every file.
#[must_use]
pub fn is_secret(names: [&str; 2], value: &str) -> bool {
    names.into_iter().any(looks_secret) || !(is_wordy(value) || is_path(value))
}

/// True for a value that is not looked for: ordinary words may be as short.
#[must_use]
pub fn is_too_short(value: &str) -> bool {
    value.trim().len() < SHORTEST
}

/// True for words as people choose them: they are not taken out of what a model writes.
#[must_use]
pub fn is_wordy(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_. ".contains(&byte))
}

fn is_path(value: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./ ".contains(&byte);
    let short = |part: &str| part.len() <= 32;
    value.starts_with('/')
        && value.bytes().filter(|byte| *byte == b'/').count() > 1
        && value.bytes().all(plain)
        && value.split('/').all(short)
}

/// The secrets that are known: names of variables that hold one, and values.
#[derive(Clone, Default)]
pub struct Secrets {
    names: BTreeSet<String>,
    values: BTreeSet<String>,
    /// `None` where there is no value.
    finder: Option<Arc<SecretMatcher>>,
    /// The entries of the team that they are seen by. A value that its models may read is not taken out, but becomes a
    /// reference.
    own: Arc<VaultEntries>,
}

/// Finds the values; those that models of the team may read have a reference as their name.
fn finder_of(values: &BTreeSet<String>, own: &VaultEntries) -> Option<SecretMatcher> {
    let readable = own.iter().filter(|(_, entry)| entry.rights.is_revealed);
    let references: BTreeMap<&str, Arc<str>> =
        readable.map(|(key, entry)| (entry.value.trim(), reference_to(key).into())).collect();
    let forms = values.iter().flat_map(|value| {
        let reference = references.get(value.as_str());
        forms::of(value).into_iter().map(move |form| {
            let name = reference.filter(|_| forms::is_itself(value, &form)).cloned();
            (form, name)
        })
    });
    SecretMatcher::new(forms)
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secrets").field("names", &self.names).finish_non_exhaustive()
    }
}

impl Secrets {
    /// Variables that hold secrets, and values wherever they come from.
    pub fn new(
        names: impl IntoIterator<Item = String>,
        values: impl IntoIterator<Item = String>,
    ) -> Self {
        Self::seen_by(names, values, Arc::default())
    }

    /// As they are seen by a team with these entries.
    fn seen_by(
        names: impl IntoIterator<Item = String>,
        values: impl IntoIterator<Item = String>,
        own: Arc<VaultEntries>,
    ) -> Self {
        let values = values.into_iter().map(|value| value.trim().to_owned());
        let values: BTreeSet<String> = values.filter(|value| value.len() >= SHORTEST).collect();
        let finder = finder_of(&values, &own).map(Arc::new);
        Self { names: names.into_iter().collect(), values, finder, own }
    }

    /// The variables with these names, with the values that `read` finds for them.
    pub fn named(names: Vec<String>, read: impl Fn(&str) -> Option<String>) -> Self {
        let values: Vec<String> = names.iter().filter_map(|name| read(name)).collect();
        Self::new(names, values)
    }

    /// The secrets that nobody writes by chance: for texts of a model, where a word must stay that word.
    #[must_use]
    pub fn unmistakable(self: &Arc<Self>) -> Arc<Self> {
        if !self.values.iter().any(|value| is_wordy(value)) {
            return self.clone();
        }
        let values = self.values.iter().filter(|value| !is_wordy(value));
        Arc::new(Self::seen_by(self.names.iter().cloned(), values.cloned(), self.own.clone()))
    }

    /// True if the variable of this name holds a secret.
    #[must_use]
    pub fn is_one(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// True if a secret is in there, in whatever form.
    #[must_use]
    pub fn is_in(&self, bytes: impl AsRef<[u8]>) -> bool {
        self.finder.as_ref().is_some_and(|finder| finder.finds(bytes.as_ref()))
    }

    /// The text without the secrets in it.
    #[must_use]
    pub fn redacted(self: &Arc<Self>, text: String) -> String {
        if !self.is_in(&text) {
            return text;
        }
        let mut out = Vec::with_capacity(text.len());
        let mut stream = self.stream();
        stream.push(text.as_bytes(), &mut out);
        stream.finish(&mut out);
        // What is taken out begins and ends between two characters.
        String::from_utf8(out).unwrap_or_else(|_| REDACTED.to_owned())
    }

    /// A text that was cut at each `…`: without the secrets, and without the beginning of one there.
    #[must_use]
    pub fn redacted_cut(self: &Arc<Self>, text: &str) -> String {
        let mut out = Vec::with_capacity(text.len());
        for piece in text.split_inclusive(CUT) {
            let mut stream = self.stream();
            let whole = piece.strip_suffix(CUT);
            stream.push(whole.unwrap_or(piece).as_bytes(), &mut out);
            if whole.is_some() {
                stream.settle(&mut out);
                out.extend_from_slice(CUT.as_bytes());
            } else {
                stream.finish(&mut out);
            }
        }
        String::from_utf8(out).unwrap_or_else(|_| REDACTED.to_owned())
    }

    /// The value without the secrets in its texts and keys.
    #[must_use]
    pub fn redacted_json(self: &Arc<Self>, value: Value) -> Value {
        if self.finder.is_none() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.redacted(text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.redacted_json(item)).collect())
            }
            Value::Object(map) => {
                let pairs = map.into_iter();
                Value::Object(
                    pairs
                        .map(|(key, value)| (self.redacted(key), self.redacted_json(value)))
                        .collect(),
                )
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    /// For bytes that come in pieces.
    #[must_use]
    pub fn stream(self: &Arc<Self>) -> RedactedStream {
        RedactedStream::new(self.finder.clone())
    }

    /// An entry of the team that they are seen by.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&VaultEntry> {
        self.own.get(key)
    }

    /// The key of the first reference in a text to an entry of the team.
    #[must_use]
    pub fn referred_to(&self, text: &str) -> Option<String> {
        let mut first = None;
        let _ = with_values(text, |key| {
            if first.is_none() && self.own.contains_key(key) {
                first = Some(key.to_owned());
            }
            None
        });
        first
    }

    /// The text with the values that models of the team may read in place of their references; `None` if there are none.
    #[must_use]
    pub fn revealed(&self, text: &str) -> Option<String> {
        self.readable(text, str::to_owned)
    }

    /// As [`Self::revealed`], for JSON whose texts hold the references.
    #[must_use]
    pub fn revealed_json(&self, json: &str) -> Option<String> {
        self.readable(json, |value| {
            let quoted = Value::from(value).to_string();
            quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
        })
    }

    fn readable(&self, text: &str, written: impl Fn(&str) -> String) -> Option<String> {
        if self.own.is_empty() {
            return None;
        }
        with_values(text, |key| {
            let entry = self.own.get(key).filter(|entry| entry.rights.is_revealed)?;
            Some(written(&entry.value))
        })
    }

    /// The values, for the one process that must know them to take them out.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str)
    }
}
