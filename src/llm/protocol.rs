//! What a protocol is made of: the body that is posted, and the folding of its answer. The exchange
//! of bytes is the same for all.

use std::collections::VecDeque;

use super::error::LlmError;
use super::sse::Event;
use super::{Endpoint, GenEvent, Message, Request};

/// What is posted, and how the answer is folded into events.
pub trait Protocol: std::fmt::Debug + Send + Sync + 'static {
    /// The header that carries the key, and what stands there before the key.
    const KEY: (&'static str, &'static str) = ("authorization", "Bearer ");
    /// Go with every request.
    const HEADERS: &'static [(&'static str, &'static str)] = &[];
    type Fold: Fold;

    /// Follows the base of the address.
    fn path(&self, base: &str) -> &'static str;

    /// The body of a request, as JSON.
    fn body(&self, request: &Request, endpoint: &Endpoint) -> Result<Vec<u8>, serde_json::Error>;

    /// An empty answer that may hold so many bytes of text and arguments.
    fn fold(&self, text_bytes: usize) -> Self::Fold;
}

/// An answer, as far as it has come. What must stay true: nothing but what was written gets out
/// before [`Fold::end`] has found the answer complete.
pub trait Fold: std::fmt::Debug + Send + Sync {
    /// One event of the stream.
    fn event(&mut self, event: &Event) -> Result<(), LlmError>;

    /// Whether the data of an event can be read at all.
    fn is_readable(data: &str) -> bool;

    /// An answer that is not a stream.
    fn whole(&mut self, json: &str) -> Result<(), LlmError>;

    /// The answer is over: checks that it is complete and hands out what was kept back.
    fn end(&mut self) -> Result<(), LlmError>;

    /// The events that became ready.
    fn take(&mut self) -> VecDeque<GenEvent>;

    /// How much has come of what an answer is made of, in bytes: words, thoughts, calls.
    fn held(&self) -> usize;

    /// Whether anything of an answer has come.
    fn has_begun(&self) -> bool;

    /// Whether the model has said that it is done; counts may still follow.
    fn is_finished(&self) -> bool;

    /// Whether nothing more can follow.
    fn is_over(&self) -> bool;

    /// What was said, where the provider paused in the middle: it is asked to go on from there, and the
    /// answer is one. `None` after any other end.
    fn paused(&mut self) -> Option<Vec<Message>> {
        None
    }
}
