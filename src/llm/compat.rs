//! The Chat Completions protocol, spoken by most servers, local ones above all.
//!
//! One request, one answer, streamed or whole. The first byte of the body decides how it is read,
//! not the content type, since servers answer stream requests with JSON and mislabel both. An
//! answer that ends before its end is an error, and no call of it gets out.

mod body;
mod calls;
mod exchange;
mod fold;
mod projection;
mod wire;
mod writing;

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;

use super::{Clients, GenStream, Limits, Provider, Request, Secret};
use exchange::Exchange;

/// What is done with earlier thinking when the context is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingReplay {
    /// It is left out: saves context and is never imitated.
    #[default]
    None,
    /// It goes into `reasoning_content` of the assistant message it led to.
    ReasoningContent,
    /// It is sent as assistant text.
    Text,
}

/// How to reach one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompatConfig {
    /// The part of the address before `/chat/completions`.
    pub base_url: String,
    /// Names the variable that holds the key; `None` sends no `Authorization` header.
    pub api_key_variable: Option<String>,
    /// The content of that variable. Missing while a variable is named: every request fails.
    pub api_key: Option<Secret>,
    pub thinking_replay: ThinkingReplay,
    /// Most characters of one tool result that are sent.
    pub tool_result_chars: usize,
    pub limits: Limits,
}

impl CompatConfig {
    /// A provider without a key and with the usual limits.
    #[must_use]
    pub fn new(base_url: &str) -> Self {
        Self {
            base_url: base_url.to_owned(),
            api_key_variable: None,
            api_key: None,
            thinking_replay: ThinkingReplay::default(),
            tool_result_chars: 4 * 1024 * 1024,
            limits: Limits::default(),
        }
    }
}

/// A provider of this protocol.
#[derive(Debug, Clone)]
pub struct Compat {
    config: Arc<CompatConfig>,
    clients: Clients,
}

impl Compat {
    /// Cheap; nothing is opened before the first request. `clients` carries the connections, so
    /// share it.
    #[must_use]
    pub fn new(config: CompatConfig, clients: Clients) -> Self {
        Self { config: Arc::new(config), clients }
    }
}

impl Provider for Compat {
    fn stream(&self, request: Request) -> GenStream {
        let exchange = Exchange::new(Arc::clone(&self.config), self.clients.clone(), request);
        stream::unfold(exchange, |mut exchange| async {
            let item = exchange.next().await?;
            Some((item, exchange))
        })
        .boxed()
    }
}

#[cfg(test)]
mod tests;
