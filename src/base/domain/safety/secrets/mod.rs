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

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

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

/// True for words as people choose them.
fn is_wordy(value: &str) -> bool {
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
        let values = values.into_iter().map(|value| value.trim().to_owned());
        let values: BTreeSet<String> = values.filter(|value| value.len() >= SHORTEST).collect();
        let finder = SecretMatcher::new(values.iter().flat_map(|value| forms::of(value)));
        Self { names: names.into_iter().collect(), values, finder: finder.map(Arc::new) }
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
        Arc::new(Self::new(self.names.iter().cloned(), values.cloned()))
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

    /// The values, for the one process that must know them to take them out.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(String::as_str)
    }
}
