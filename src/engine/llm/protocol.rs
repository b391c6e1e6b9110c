//! The interface of a protocol: it builds the request body and folds the answer into events. The HTTP
//! exchange is the same for all.

use std::borrow::Cow;
use std::collections::VecDeque;

use reqwest::header::HeaderValue;

use super::error::LlmError;
use super::sse::SseEvent;
use super::{Endpoint, GenEvent, Message, Request};

/// A wire protocol of language models.
pub trait Protocol: std::fmt::Debug + Send + Sync + 'static {
    /// The header for the key, and the prefix of its value.
    const KEY: (&'static str, &'static str) = ("authorization", "Bearer ");
    /// Headers of every request.
    const HEADERS: &'static [(&'static str, &'static str)] = &[];
    type Fold: StreamFold;

    /// Headers of every request with values of their own.
    fn headers(&self) -> Vec<(&'static str, HeaderValue)> {
        Vec::new()
    }

    /// The path of a request below the base URL; it may have a query.
    fn path(&self, base: &str, request: &Request) -> Cow<'static, str>;

    /// The path of the list of models below the base URL; it may have a query.
    fn models_path(&self, _base: &str) -> &'static str {
        "models"
    }

    /// The body of a request, as JSON.
    fn body(&self, request: &Request, endpoint: &Endpoint) -> Result<Vec<u8>, serde_json::Error>;

    /// An empty answer to a request, with a limit in bytes of text and arguments.
    fn fold(&self, request: &Request, text_bytes: usize) -> Self::Fold;
}

/// A partial answer. Invariant: only text and thoughts are emitted before [`Fold::end`] has found the
/// answer complete.
pub trait StreamFold: std::fmt::Debug + Send + Sync {
    /// One event of the stream.
    fn event(&mut self, event: &SseEvent) -> Result<(), LlmError>;

    /// Whether the data of an event can be parsed.
    fn is_readable(data: &str) -> bool;

    /// An answer that is not a stream.
    fn full_body(&mut self, json: &str) -> Result<(), LlmError>;

    /// Checks that the answer is complete and emits the remaining events.
    fn end(&mut self) -> Result<(), LlmError>;

    /// Takes the events that are ready.
    fn take(&mut self) -> VecDeque<GenEvent>;

    /// Bytes of content received so far: text, thoughts, calls.
    fn received_bytes(&self) -> usize;

    /// Whether any part of an answer was received.
    fn has_begun(&self) -> bool;

    /// Whether the model reported that it is done; counts may follow.
    fn is_finished(&self) -> bool;

    /// Whether nothing more can follow.
    fn is_over(&self) -> bool;

    /// If the provider paused the answer: the messages so far, with which the request is resumed. `None`
    /// after any other end.
    fn take_pause(&mut self) -> Option<Vec<Message>> {
        None
    }
}
