//! The error type of this module: a short message plus the data for the retry policy.
//!
//! Messages are in both languages; what a provider or a library wrote is quoted as it is. They are sanitized
//! and truncated on construction, so they can be shown and recorded unchanged.

use std::time::Duration;

use super::readable::whole;
use crate::domain::text::hidden_chars::is_hidden;
use crate::domain::text::{Localized, Text, localized};

/// Maximum length of an error message.
pub const MESSAGE_CHARS: usize = 500;

/// What a failure means for the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The provider (or the configuration) rejects this request: do not retry.
    Rejected,
    /// Cannot continue for another reason: do not retry.
    Fatal,
    /// The stream violated the event order of its protocol, so its content is ambiguous: do not retry.
    Violation,
    /// Too many requests: wait as requested, or with backoff.
    RateLimited,
    /// The network failed before an answer began: retry soon.
    Transport,
    /// The provider failed: retry slowly.
    Server,
    /// A proper answer with neither text nor call: retry slowly.
    Empty,
    /// The answer was truncated: retry soon.
    Cut,
    /// The answer has an invalid format: retry slowly.
    Malformed,
    /// The context is larger than the model takes: retry only with a smaller one.
    ContextOverflow,
    /// Cancelled by this program.
    Cancelled,
}

impl ErrorClass {
    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_retriable(self) -> bool {
        match self {
            Self::RateLimited
            | Self::Transport
            | Self::Server
            | Self::Empty
            | Self::Cut
            | Self::Malformed => true,
            Self::Rejected
            | Self::Fatal
            | Self::Violation
            | Self::ContextOverflow
            | Self::Cancelled => false,
        }
    }
}

/// Why a generation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LlmError {
    class: ErrorClass,
    message: Localized,
    status: Option<u16>,
    retry_after: Option<Duration>,
    unreachable: bool,
}

impl LlmError {
    /// An error of `class`; `message` is sanitized and truncated to `MESSAGE_CHARS`.
    #[must_use]
    pub fn new(class: ErrorClass, message: impl Into<Localized>) -> Self {
        let message = message.into().map(|text| plain(&text, MESSAGE_CHARS));
        Self { class, message, status: None, retry_after: None, unreachable: false }
    }

    /// An error in the words of a provider or a library, the same in both languages.
    #[must_use]
    pub fn quoted(class: ErrorClass, message: &str) -> Self {
        Self::new(class, Localized::same(message))
    }

    /// The environment variable that should hold the key is not set.
    #[must_use]
    pub fn missing_key(variable: &str) -> Self {
        let text = localized!(
            "set {variable} to the provider's API key and start again",
            "请将 {variable} 设为该提供方的 API 密钥，然后重新启动"
        );
        Self::new(ErrorClass::Rejected, text)
    }

    /// Nothing answers at this address; `cause` is in the words of the system.
    #[must_use]
    pub fn unreachable(address: &str, cause: &str) -> Self {
        let text =
            localized!("cannot connect to {address}: {cause}", "无法连接 {address}：{cause}");
        Self { unreachable: true, ..Self::new(ErrorClass::Transport, text) }
    }

    /// The model sent neither text nor a call.
    #[must_use]
    pub fn empty_answer() -> Self {
        Self::new(
            ErrorClass::Empty,
            Text::new("the model sent an empty answer", "模型返回了空回应"),
        )
    }

    /// The same error with the HTTP status it came with.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The same error with the wait the provider asked for.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    /// The same error with its text changed in both languages, for example redacted.
    #[must_use]
    pub(super) fn map_message(mut self, change: impl Fn(&str) -> String) -> Self {
        self.message = self.message.map(|text| plain(&change(&text), MESSAGE_CHARS));
        self
    }

    /// What the failure means for the next attempt.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        self.class
    }

    /// The wait that the provider asked for (at most a day).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// True if no connection could be made.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        self.unreachable
    }

    /// The HTTP status, if there was one.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The sanitized message for a person.
    #[must_use]
    pub fn message(&self) -> &Localized {
        &self.message
    }
}

/// One line of at most `limit` characters, without control characters, whitespace collapsed.
pub(super) fn plain(text: &str, limit: usize) -> String {
    let text = whole(text);
    let mut line = String::new();
    let mut length = 0;
    let mut blank = false;
    for c in text.trim_start().chars() {
        if c.is_whitespace() || is_hidden(c) {
            blank = !line.is_empty();
            continue;
        }
        let needed = if blank { 2 } else { 1 };
        if length + needed >= limit {
            line.push('…');
            break;
        }
        if std::mem::take(&mut blank) {
            line.push(' ');
        }
        line.push(c);
        length += needed;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Lang;
    use crate::samples::assert_translated;

    #[test]
    fn a_message_is_one_sanitized_line_of_limited_length() {
        for (raw, sent_images) in [
            ("  two\n\twords ", "two words"),
            ("\u{1b}[31mred\u{1b}[0m", "[31mred [0m"),
            ("a\u{202e}b", "a b"),
            ("", ""),
        ] {
            assert_eq!(LlmError::quoted(ErrorClass::Server, raw).to_string(), sent_images);
        }
        let long = LlmError::quoted(ErrorClass::Server, &"字 ".repeat(5_000));
        for text in [Lang::En, Lang::Zh].map(|lang| long.message().in_lang(lang)) {
            assert!(text.chars().count() <= MESSAGE_CHARS);
            assert!(text.ends_with('…'));
        }
    }

    #[test]
    fn a_missing_key_names_its_variable_and_is_not_retried() {
        let error = LlmError::missing_key("SOME_KEY");
        assert!(error.to_string().starts_with("set SOME_KEY "));
        assert_translated(error.message());
        assert!(!error.class().is_retriable());
    }
}
