//! How an exchange fails: each error in both languages, with what the system or the provider wrote quoted.

use std::time::Duration;

use crate::domain::text::{Localized, Text, localized};
use crate::llm::address::destination;
use crate::llm::error::{ErrorClass, LlmError, plain};
use crate::llm::failure;
use crate::llm::http::root_cause;

pub(super) const TOO_MANY_PAUSES: Text = Text::new(
    "stopped: the provider paused its answer too often",
    "已停止：提供方暂停回应的次数过多",
);
pub(super) const NOT_AN_ADDRESS: Text = Text::new(
    "the provider's baseUrl is not an http or https address",
    "提供方的 baseUrl 不是 http 或 https 地址",
);
pub(super) const TOO_LARGE: Text = Text::new("the answer is too large", "回应过大");
pub(super) const NO_CONTENT: Text =
    Text::new("the answer was cut off: the answer has no content", "回应被截断：没有内容");
pub(super) const NESTED_TOO_DEEP: Text =
    Text::new("the provider sent JSON that is nested too deep", "提供方发来的 JSON 嵌套过深");

pub(super) fn rejected(text: impl Into<Localized>) -> LlmError {
    LlmError::new(ErrorClass::Rejected, text)
}

pub(super) fn malformed(text: impl Into<Localized>) -> LlmError {
    LlmError::new(ErrorClass::Malformed, text)
}

pub(super) fn cut_off(reason: &str) -> LlmError {
    let text = localized!("the answer was cut off: {reason}", "回应被截断：{reason}");
    LlmError::new(ErrorClass::Cut, text)
}

pub(super) fn idle_error(limit: Duration) -> LlmError {
    let seconds = limit.as_secs_f64();
    let text = localized!(
        "the provider sent nothing for {seconds} s",
        "提供方在 {seconds} 秒内没有发送任何内容"
    );
    LlmError::new(ErrorClass::Transport, text)
}

pub(super) fn no_content_error(limit: Duration) -> LlmError {
    let seconds = limit.as_secs_f64();
    let text = localized!(
        "the provider sent keep-alives for {seconds} s, but no content",
        "提供方在 {seconds} 秒内只发送了保活信号，没有内容"
    );
    LlmError::new(ErrorClass::Transport, text)
}

/// Not retried: it would take as long again.
pub(super) fn too_slow_error(limit: Duration) -> LlmError {
    let minutes = limit.as_secs_f64() / 60.0;
    let text = localized!(
        "stopped: the answer took longer than {minutes} minutes",
        "已停止：回应超过 {minutes} 分钟"
    );
    LlmError::new(ErrorClass::Fatal, text)
}

/// The body is neither a stream nor JSON; the message shows its beginning.
pub(super) fn not_an_answer(body: &[u8]) -> LlmError {
    let start = body.get(..2048).unwrap_or(body);
    let words = failure::without_tags(&String::from_utf8_lossy(start));
    let start = plain(&words, 200);
    malformed(localized!(
        "the provider sent something that is not a stream: {start}",
        "提供方发来的不是流式回应：{start}"
    ))
}

/// `base`: the address of the provider, as it is configured.
pub(in crate::llm) fn network_error(error: &reqwest::Error, base: &str) -> LlmError {
    let cause = root_cause(error);
    if error.is_builder() {
        return rejected(localized!("cannot make the request: {cause}", "无法发出请求：{cause}"));
    }
    if error.is_connect() {
        let address = destination(base).map(|to| to.address).unwrap_or_default();
        return LlmError::unreachable(&address, &cause);
    }
    let text = localized!("the connection failed: {cause}", "连接失败：{cause}");
    LlmError::new(ErrorClass::Transport, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::assert_translated;

    #[test]
    fn every_failure_of_an_exchange_has_both_languages() {
        let second = Duration::from_secs(1);
        for error in [
            LlmError::new(ErrorClass::Fatal, TOO_MANY_PAUSES),
            rejected(NOT_AN_ADDRESS),
            malformed(TOO_LARGE),
            malformed(NESTED_TOO_DEEP),
            LlmError::new(ErrorClass::Cut, NO_CONTENT),
            cut_off("reset by peer"),
            idle_error(second),
            no_content_error(second),
            too_slow_error(second),
            not_an_answer(b"<p>hello"),
        ] {
            assert_translated(error.message());
        }
    }
}
