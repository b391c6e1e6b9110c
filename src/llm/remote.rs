//! A provider that is reached over HTTP: where it is, and the protocol it speaks.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;

use super::exchange::Exchange;
use super::protocol::Protocol;
use super::{AnswerLimits, Clients, GenStream, Provider, Request, Secret};

/// Where a provider is, and how much may come from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The part of the address before the path of the protocol.
    pub base_url: String,
    /// Names the variable that holds the key; `None` sends no key.
    pub api_key_variable: Option<String>,
    /// The content of that variable. Missing while a variable is named: every request fails.
    pub api_key: Option<Secret>,
    /// Most characters of one tool result that are sent.
    pub tool_result_chars: usize,
    pub limits: AnswerLimits,
    /// Certificates that are trusted besides those of the system.
    pub ca_file: Option<PathBuf>,
}

impl Endpoint {
    /// An address without a key and with the usual limits.
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

/// A provider that speaks `P`.
#[derive(Debug)]
pub struct Remote<P> {
    protocol: Arc<P>,
    endpoint: Arc<Endpoint>,
    clients: Clients,
}

impl<P: Protocol> Remote<P> {
    /// Cheap; nothing is opened before the first request. `clients` carries the connections, so
    /// share it.
    #[must_use]
    pub fn new(protocol: P, endpoint: Endpoint, clients: Clients) -> Self {
        Self { protocol: Arc::new(protocol), endpoint: Arc::new(endpoint), clients }
    }
}

impl<P: Protocol> Provider for Remote<P> {
    fn stream(&self, request: Request) -> GenStream {
        let (protocol, endpoint) = (Arc::clone(&self.protocol), Arc::clone(&self.endpoint));
        let exchange = Exchange::new(protocol, endpoint, self.clients.clone(), request);
        stream::unfold(exchange, |mut exchange| async {
            let item = exchange.next().await?;
            Some((item, exchange))
        })
        .boxed()
    }
}
