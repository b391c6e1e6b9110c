//! A server at a web address, and why it could not be reached.

use std::collections::HashMap;

use reqwest::Client;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::service::ClientInitializeError;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpError,
};
use rmcp::transport::{DynamicTransportError, StreamableHttpClientTransport};

use super::environment::Resolved;
use super::lines::MAX_BYTES;
use crate::llm::Clients;

/// Headers the protocol sets itself.
const RESERVED: [&str; 4] = ["accept", "mcp-session-id", "mcp-protocol-version", "last-event-id"];

/// The error is a sentence for a person.
pub(super) fn transport(
    url: &str,
    headers: &Resolved,
    clients: &Clients,
) -> Result<StreamableHttpClientTransport<Client>, String> {
    let client = clients.for_address(url).map_err(|error| error.to_string())?;
    let headers = headers.pairs.iter().map(|(name, value)| header(name, value));
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .max_sse_event_size(MAX_BYTES)
        .custom_headers(headers.collect::<Result<HashMap<_, _>, _>>()?);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// Why a server could not be opened, as the cause at the bottom says it.
pub(super) fn why_closed(error: &ClientInitializeError) -> String {
    if let ClientInitializeError::TransportError { error, .. } = error {
        why_unsent(error)
    } else {
        error.to_string()
    }
}

/// Why something could not be sent.
pub(super) fn why_unsent(error: &DynamicTransportError) -> String {
    let cause: &dyn std::error::Error = error.error.as_ref();
    match cause.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(error)) => bottom(error),
        Some(_) | None => bottom(cause),
    }
}

fn bottom(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let known =
        name.parse::<HeaderName>().map_err(|_| format!("`{name}` is no name of a header"))?;
    if RESERVED.contains(&known.as_str()) {
        return Err(format!("the header `{name}` is set by the protocol; remove it"));
    }
    let mut value = HeaderValue::from_str(value.trim())
        .map_err(|_| format!("the value of the header `{name}` holds characters it cannot"))?;
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
            ("a b", "x", Err("no name")),
            ("Mcp-Session-Id", "x", Err("set by the protocol")),
            ("X-Key", "a\nsecret", Err("cannot")),
        ] {
            match (header(name, value), expected) {
                (Ok((_, sent)), Ok(expected)) => {
                    assert_eq!(sent.to_str().unwrap(), expected);
                    assert!(sent.is_sensitive());
                }
                (Err(text), Err(part)) => {
                    assert!(text.contains(part) && text.contains(name) && !text.contains("secret"));
                }
                (found, _) => panic!("{name}: {found:?}"),
            }
        }
    }
}
