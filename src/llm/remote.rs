//! A provider that is reached over HTTP with a given protocol.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;

use super::exchange::Exchange;
use super::protocol::Protocol;
use super::{AnswerLimits, Clients, GenStream, Provider, Request, Secret};

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

/// A provider that speaks `P`.
#[derive(Debug)]
pub struct Remote<P> {
    protocol: Arc<P>,
    endpoint: Arc<Endpoint>,
    clients: Clients,
}

impl<P: Protocol> Remote<P> {
    /// Opens nothing before the first request. `clients` holds the connections, so share it.
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
