//! A server reached over HTTP, and the errors of its transport.

use std::collections::HashMap;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpError,
};
use rmcp::transport::{DynamicTransportError, StreamableHttpClientTransport};

use super::answers::Answers;
use super::environment::ResolvedVariables;
use super::http_answers::AnsweringClient;
use super::message_filter::MAX_BYTES;
use crate::domain::text::{Localized, localized};
use crate::llm::Clients;

/// Headers that the protocol sets itself.
const RESERVED: [&str; 4] = ["accept", "mcp-session-id", "mcp-protocol-version", "last-event-id"];

/// The error is a message for the user.
pub(super) fn transport(
    url: &str,
    headers: &ResolvedVariables,
    clients: &Clients,
) -> Result<Answers<StreamableHttpClientTransport<AnsweringClient>>, Localized> {
    let client = clients.for_address(url).map_err(|error| Localized::same(error.to_string()))?;
    let headers = headers.pairs.iter().map(|(name, value)| header(name, value));
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .max_sse_event_size(MAX_BYTES)
        .custom_headers(headers.collect::<Result<HashMap<_, _>, _>>()?);
    let client = AnsweringClient(client);
    Ok(Answers::of(StreamableHttpClientTransport::with_client(client, config)))
}

/// The root cause of a failed handshake.
pub(super) fn open_error(error: &ClientInitializeError) -> String {
    if let ClientInitializeError::TransportError { error, .. } = error {
        send_error(error)
    } else {
        error.to_string()
    }
}

/// The root cause of a failed transmission.
pub(super) fn send_error(error: &DynamicTransportError) -> String {
    match http_error(error) {
        Some(StreamableHttpError::Client(error)) => root_cause(error),
        Some(_) | None => root_cause(error.error.as_ref()),
    }
}

/// True if there was an answer to a transmission, and it cannot be read.
pub(super) fn is_unreadable(error: &DynamicTransportError) -> bool {
    matches!(
        http_error(error),
        Some(
            StreamableHttpError::UnexpectedServerResponse(_)
                | StreamableHttpError::UnexpectedContentType(_)
                | StreamableHttpError::ResponseBodyTooLarge { .. }
                | StreamableHttpError::Deserialize(_)
        )
    )
}

fn http_error(error: &DynamicTransportError) -> Option<&StreamableHttpError<reqwest::Error>> {
    error.error.downcast_ref()
}

fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Localized> {
    let no_name = |_| localized!("`{name}` is no header name", "`{name}` 不是标头名");
    let known = name.parse::<HeaderName>().map_err(no_name)?;
    if RESERVED.contains(&known.as_str()) {
        return Err(localized!(
            "the header `{name}` is set by the protocol; remove it",
            "标头 `{name}` 由协议设置；请删除"
        ));
    }
    let mut value = HeaderValue::from_str(value.trim()).map_err(|_| {
        localized!(
            "the value of the header `{name}` contains invalid characters",
            "标头 `{name}` 的值含有无效字符"
        )
    })?;
    value.set_sensitive(true);
    Ok((known, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_cannot_be_sent_is_named_and_its_value_never_shown() {
        for (name, value, expected) in [
            ("Authorization", " Bearer x ", Ok("Bearer x")),
            ("a b", "x", Err("no header name")),
            ("Mcp-Session-Id", "x", Err("set by the protocol")),
            ("X-Key", "a\nsecret", Err("invalid characters")),
        ] {
            match (header(name, value), expected) {
                (Ok((_, sent)), Ok(expected)) => {
                    assert_eq!(sent.to_str().unwrap(), expected);
                    assert!(sent.is_sensitive());
                }
                (Err(text), Err(part)) => {
                    let text = text.to_string();
                    assert!(text.contains(part) && text.contains(name) && !text.contains("secret"));
                }
                (found, _) => panic!("{name}: {found:?}"),
            }
        }
    }
}
