//! Where a provider is reached, with which key and within which limits.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::Secrets;
use crate::domain::safety::secrets::RedactedStream;

/// The address, key and limits of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The URL without the path of the protocol.
    pub base_url: String,
    /// The environment variable of the key; `None` sends no key.
    pub api_key_variable: Option<String>,
    /// The value of that variable. If a variable is named and its value is missing, every request fails.
    pub api_key: Option<Secret>,
    /// Characters of one tool result that are sent.
    pub tool_result_chars: usize,
    pub limits: AnswerLimits,
    /// Certificates to trust in addition to those of the system.
    pub ca_file: Option<PathBuf>,
}

impl Endpoint {
    /// An endpoint without a key and with default limits.
    #[must_use]
    pub fn new(base_url: &str) -> Self {
        Self {
            base_url: base_url.to_owned(),
            api_key_variable: None,
            api_key: None,
            tool_result_chars: 4 * 1024 * 1024,
            limits: AnswerLimits::default(),
            ca_file: None,
        }
    }
}

/// How long and how large an answer may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerLimits {
    /// To connect.
    pub connect: Duration,
    /// Until the first byte of the answer's body; local servers may load a model meanwhile.
    pub first_byte: Duration,
    /// Without any bytes, be it content, a comment or a keep-alive event.
    pub idle: Duration,
    /// Without content, even if keep-alives arrive.
    pub content: Duration,
    /// From the first request to the end of the answer, pauses of the provider included.
    pub answer: Duration,
    /// Bytes of thinking, saying and call arguments together.
    pub text_bytes: usize,
}

impl Default for AnswerLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first_byte: Duration::from_mins(10),
            idle: Duration::from_mins(2),
            content: Duration::from_mins(30),
            answer: Duration::from_hours(1),
            text_bytes: 4 * 1024 * 1024,
        }
    }
}

/// An API key; never printed.
#[derive(Clone)]
pub struct Secret {
    text: String,
    secrets: Arc<Secrets>,
}

impl Secret {
    /// Trims `text`; `None` if nothing is left.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim().to_owned();
        let secrets = Arc::new(Secrets::new([], [text.clone()]));
        (!text.is_empty()).then_some(Self { text, secrets })
    }

    /// The key itself, to be sent.
    pub(super) fn expose(&self) -> &str {
        &self.text
    }

    /// Redacts the key in `text`, in any encoding, also if truncated at the end.
    pub(super) fn redact(&self, text: &str) -> String {
        self.secrets.redacted_cut(text)
    }

    /// Redacts the key in a stream of bytes.
    pub(super) fn stream(&self) -> RedactedStream {
        self.secrets.stream()
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Secret {}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed_and_is_not_blank() {
        let secret = Secret::new(" sk-canary\n").unwrap();
        assert_eq!(format!("{secret:?} {:?}", Some(&secret)), "*** Some(***)");
        assert_eq!(secret.redact("key sk-canary is bad"), "key [redacted] is bad");
        assert_eq!(Secret::new(" \n"), None);
    }
}
