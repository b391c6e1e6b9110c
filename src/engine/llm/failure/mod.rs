//! Classifies provider errors: from HTTP status, headers and body, or from an error object inside a
//! stream, to an [`LlmError`].
//!
//! Bodies can be anything: the known JSON shapes, HTML pages, plain text, garbage.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::error::{ErrorClass, LlmError, plain};
use super::readable::repaired;
use crate::domain::text::Text;
use crate::domain::text::json;
use crate::domain::time::moment_of;

/// Upper bound for the wait that a provider asks for.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(24);

const WITHOUT_TEXT: Text =
    Text::new("the provider reported an error without a text", "提供方报告了错误，但没有说明");

/// Classifies a response with an error status.
pub(super) fn from_response(status: StatusCode, headers: &HeaderMap, body: &str) -> LlmError {
    let parsed = ErrorBody::read(body);
    let asked = wait_of_headers(headers);
    let class = parsed.class(Some(status.as_u16()), asked);
    let mut text = format!("HTTP {}", status.as_u16());
    if !parsed.message.is_empty() {
        text = format!("{text}: {}", parsed.message);
    } else if let Some(reason) = status.canonical_reason() {
        text = format!("{text} ({reason})");
    }
    if let Some(id) = request_id(headers) {
        text = format!("{} [request {id}]", plain(&text, 400));
    }
    LlmError::quoted(class, &text)
        .with_status(status.as_u16())
        .with_retry_after(asked.or(parsed.wait))
}

/// Classifies an error object inside a successful response.
pub(super) fn from_object(json: &str) -> LlmError {
    let parsed = ErrorBody::read(json);
    let class = parsed.class(parsed.status, None);
    let error = if parsed.message.is_empty() {
        LlmError::new(class, WITHOUT_TEXT)
    } else {
        LlmError::quoted(class, &parsed.message)
    };
    let error = error.with_retry_after(parsed.wait);
    match parsed.status {
        Some(status) => error.with_status(status),
        None => error,
    }
}

/// Fails where an event of a stream is an error instead of a part of the answer.
pub(super) fn check(json: &str) -> Result<(), LlmError> {
    match serde_json::from_str::<Value>(&repaired(json)) {
        Ok(value) if is_error(&value) => Err(from_object(json)),
        Ok(_) | Err(_) => Ok(()),
    }
}

fn is_error(value: &Value) -> bool {
    let is_given = |key: &str| match value.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.trim().is_empty(),
        Some(_) => true,
    };
    is_given("error")
        || failed_result(value).is_some()
        || value.get("object").and_then(Value::as_str) == Some("error")
        || is_given("detail")
        || value.get("message").is_some_and(Value::is_string)
            && ["code", "status", "type"].into_iter().any(is_given)
}

/// The result of a request that failed, where one provider puts it.
fn failed_result(value: &Value) -> Option<&Value> {
    let result = value.get("base_resp")?;
    result.get("status_code").and_then(Value::as_i64).filter(|code| *code != 0).map(|_| result)
}

/// Maps the error numbers of that provider to the usual error types.
fn label_of_result(value: &Value) -> &'static str {
    match value.get("status_code").and_then(Value::as_i64) {
        Some(1002 | 1039 | 2045) => "rate_limit",
        Some(1004 | 2049) => "authentication_error",
        Some(1008 | 2056) => "insufficient_quota",
        Some(2013) => "invalid_request_error",
        Some(_) | None => "",
    }
}

/// The class by keywords in a message; [`ErrorClass::Server`] if there are none.
pub(super) fn class_by_keywords(text: &str) -> ErrorClass {
    const RATE: [&str; 6] = [
        "rate limit",
        "rate_limit",
        "ratelimit",
        "too many requests",
        "concurrency limit",
        "overloaded",
    ];
    const NETWORK: [&str; 11] = [
        "timeout",
        "timed out",
        "connection reset",
        "econnreset",
        "connection refused",
        "econnrefused",
        "enotfound",
        "unreachable",
        "fetch failed",
        "socket hang up",
        "terminated",
    ];
    let text = text.to_lowercase();
    let has = |keywords: &[&str]| keywords.iter().any(|word| text.contains(word));
    if has(&RATE) {
        ErrorClass::RateLimited
    } else if has(&NETWORK) {
        ErrorClass::Transport
    } else {
        ErrorClass::Server
    }
}

/// Whether a message reports a context overflow.
fn reports_overflow(text: &str) -> bool {
    const KEYWORDS: [&str; 18] = [
        "context length",
        "context_length",
        "context window",
        "context_window",
        "context size",
        "context_size",
        "context limit",
        "maximum context",
        "maximum prompt length",
        "maximum model length",
        "maximum number of tokens",
        "prompt is too long",
        "prompt exceeds",
        "prompt token count",
        "input token count",
        "input is too long",
        "too many tokens",
        "reduce the length of the messages",
    ];
    let text = text.to_lowercase();
    KEYWORDS.iter().any(|word| text.contains(word))
}

/// A parsed error body.
#[derive(Debug, Default)]
struct ErrorBody {
    message: String,
    /// `type`, `code` and `status`, if they are strings.
    labels: String,
    /// A `code` or `status` that is an HTTP status.
    status: Option<u16>,
    wait: Option<Duration>,
}

impl ErrorBody {
    fn read(body: &str) -> Self {
        match json::read::<Value>(&repaired(body.trim_start_matches('\u{feff}'))) {
            Ok(Value::Array(items)) => items.first().map_or_else(Self::default, Self::of_value),
            Ok(value) => Self::of_value(&value),
            Err(_) => Self { message: plain(&without_tags(body), 300), ..Self::default() },
        }
    }

    fn of_value(value: &Value) -> Self {
        let inner = match value.get("error") {
            Some(inner) if !inner.is_null() => inner,
            _ => failed_result(value).unwrap_or(value),
        };
        let text_of = |key: &str| inner.get(key).and_then(Value::as_str).unwrap_or_default();
        let status = ["code", "status", "status_code"]
            .iter()
            .find_map(|key| inner.get(key).or_else(|| value.get(key)).and_then(status_of));
        let message = message_of(inner).or_else(|| message_of(value)).unwrap_or_default();
        let labels = [text_of("type"), text_of("code"), text_of("status"), label_of_result(inner)];
        Self {
            labels: labels.join(" "),
            status,
            wait: wait_of_body(inner)
                .or_else(|| wait_of_body(value))
                .or_else(|| wait_in_text(&message)),
            message,
        }
    }

    /// The class of an error with this status, whose headers ask for this wait.
    fn class(&self, status: Option<u16>, asked: Option<Duration>) -> ErrorClass {
        let overflow = reports_overflow(&self.labels) || reports_overflow(&self.message);
        match status {
            Some(400 | 413 | 422 | 500) | None if overflow => ErrorClass::ContextOverflow,
            _ if self.is_used_up() => ErrorClass::Rejected,
            None if self.labels.contains("timeout") => ErrorClass::Transport,
            Some(status @ (400 | 403)) if self.is_momentary(status, asked) => {
                ErrorClass::RateLimited
            }
            Some(300..=399 | 400 | 401..=405 | 413 | 422) => ErrorClass::Rejected,
            Some(429 | 529) => ErrorClass::RateLimited,
            Some(_) if self.class_by_keywords() == ErrorClass::RateLimited => {
                ErrorClass::RateLimited
            }
            Some(_) => ErrorClass::Server,
            None if self.is_refusal() => ErrorClass::Rejected,
            None => self.class_by_keywords(),
        }
    }

    fn class_by_keywords(&self) -> ErrorClass {
        class_by_keywords(&format!("{} {}", self.labels, self.message))
    }

    /// Whether a refusal holds only for the moment, because there are too many requests: a header or a label says so.
    /// The words of status 400 may quote the request and do not count.
    fn is_momentary(&self, status: u16, asked: Option<Duration>) -> bool {
        let class =
            if status == 400 { class_by_keywords(&self.labels) } else { self.class_by_keywords() };
        let is_told = class == ErrorClass::RateLimited || asked.is_some_and(|wait| !wait.is_zero());
        is_told && !self.is_refusal()
    }

    /// Only a payment helps, not a wait.
    fn is_used_up(&self) -> bool {
        const TYPES: [&str; 7] = [
            "insufficient_quota",
            "insufficient_user_quota",
            "exceeded_current_quota_error",
            "insufficient_balance",
            "billing_error",
            "billing_hard_limit_reached",
            "billing_not_active",
        ];
        TYPES.iter().any(|name| self.labels.contains(name))
    }

    fn is_refusal(&self) -> bool {
        const TYPES: [&str; 8] = [
            "invalid_request_error",
            "authentication_error",
            "permission_error",
            "not_found_error",
            "invalid_api_key",
            "model_not_found",
            "invalid_prompt",
            "request_too_large",
        ];
        TYPES.iter().any(|name| self.labels.contains(name))
    }
}

fn status_of(value: &Value) -> Option<u16> {
    let number = match value {
        Value::Number(number) => number.as_u64()?,
        Value::String(text) => text.parse().ok()?,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    u16::try_from(number).ok().filter(|code| (400..600).contains(code))
}

/// The message in one of the usual fields; the first one of a list.
fn message_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => ["message", "msg", "status_msg", "detail", "error", "title"]
            .iter()
            .find_map(|key| fields.get(*key).and_then(message_of))?,
        Value::Array(items) => items.first().and_then(message_of)?,
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

fn wait_of_body(value: &Value) -> Option<Duration> {
    let number = |key: &str| match value.get(key)? {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_f64(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let delay = |value: &Value| value.get("retryDelay")?.as_str().and_then(duration);
    let details = value.get("details").and_then(Value::as_array).into_iter().flatten();
    if let Some(wait) = details.into_iter().find_map(delay).or_else(|| delay(value)) {
        return Some(wait);
    }
    if let Some(millis) = number("retry_after_ms") {
        return seconds(millis / 1000.0);
    }
    let wait = |key: &str| {
        let given = value.get(key)?;
        given.as_str().map_or_else(|| seconds(given.as_f64()?), wait_of)
    };
    wait("retry_after").or_else(|| wait("retry_after_seconds"))
}

/// A wait in seconds, or in the units it is written with.
fn wait_of(text: &str) -> Option<Duration> {
    match text.trim().parse() {
        Ok(number) => seconds(number),
        Err(_) => duration(&text.to_lowercase()),
    }
}

/// The wait that a message asks for.
fn wait_in_text(text: &str) -> Option<Duration> {
    const BEFORE: [&str; 4] = ["try again in ", "retry in ", "try again after ", "retry after "];
    let text = text.to_lowercase();
    BEFORE.iter().find_map(|words| duration(text.split_once(words)?.1))
}

/// The duration that a text begins with: `1.8s`, `6m0s`, `350ms`, `20 seconds`.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut found = None;
    loop {
        let trimmed = rest.trim_start();
        let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
        let (number, after) = trimmed.split_at(end);
        let after = after.trim_start();
        let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        let unit = match unit {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => break,
        };
        let Ok(number) = number.parse::<f64>() else { break };
        found = Some(found.unwrap_or(0.0) + number * unit);
        rest = next;
    }
    seconds(found?)
}

fn wait_of_headers(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let number = |name: &str| text(name).and_then(|value| value.trim().parse::<f64>().ok());
    if let Some(millis) = number("retry-after-ms") {
        return seconds(millis / 1000.0);
    }
    if let Some(wait) = text(RETRY_AFTER.as_str()).and_then(wait_of) {
        return Some(wait);
    }
    let date = |name: &str| text(name).and_then(date_of);
    if let Some(until) = date(RETRY_AFTER.as_str()) {
        // Relative to the server's own clock, if it is known, so that clock skew does no harm.
        #[expect(clippy::disallowed_methods, reason = "compared with a date of the server only")]
        let now = date(DATE.as_str()).unwrap_or_else(SystemTime::now);
        return Some(until.duration_since(now).unwrap_or_default().min(MAX_RETRY_AFTER));
    }
    text("x-ratelimit-reset-after").and_then(wait_of)
}

/// A date as HTTP writes it, also with a number for its zone, or as RFC 3339 does.
fn date_of(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let zone = ["+0000", "-0000", "UTC"].into_iter().find_map(|zone| text.strip_suffix(zone));
    let in_gmt = zone.map(|before| format!("{before}GMT"));
    let date = httpdate::parse_http_date(in_gmt.as_deref().unwrap_or(text));
    date.ok().or_else(|| moment_of(text))
}

fn seconds(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number).ok().map(|wait| wait.min(MAX_RETRY_AFTER))
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    ["x-request-id", "request-id"]
        .iter()
        .find_map(|name| headers.get(*name))
        .and_then(|value| value.to_str().ok())
        .map(|id| plain(id, 64))
        .filter(|id| !id.is_empty())
}

/// The text of an HTML page; any other text unchanged.
pub(super) fn without_tags(text: &str) -> String {
    if !text.trim_start().starts_with('<') {
        return text.to_owned();
    }
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        words.push_str(before);
        words.push(' ');
        let hidden = ["style", "script"].into_iter().find(|name| {
            tag.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        });
        let skipped = match hidden {
            Some(name) => tag.split_once(&format!("</{name}")).map_or("", |(_, after)| after),
            None => tag,
        };
        rest = skipped.split_once('>').map_or("", |(_, after)| after);
    }
    words.push_str(rest);
    words
}

#[cfg(test)]
mod tests;
