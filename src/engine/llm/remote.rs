//! A provider that is reached over HTTP with a given protocol.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream;

use super::exchange::{Exchange, list_models};
use super::model_thread::ModelThread;
use super::protocol::Protocol;
use super::{Clients, Endpoint, GenStream, ModelList, Provider, Request};

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
        let clients = self.clients.clone();
        let thread = clients.model_thread();
        let ticks = thread.as_ref().map(ModelThread::ticks);
        let exchange = Exchange::new(protocol, endpoint, clients, ticks, request);
        let stream = stream::unfold(exchange, |mut exchange| async {
            let item = exchange.next().await?;
            Some((item, exchange))
        })
        .boxed();
        match thread {
            Some(thread) => thread.run(stream),
            None => stream,
        }
    }
    fn models(&self) -> ModelList {
        let (protocol, endpoint) = (Arc::clone(&self.protocol), Arc::clone(&self.endpoint));
        let clients = self.clients.clone();
        Box::pin(async move { list_models(&*protocol, &endpoint, &clients).await })
    }
}
