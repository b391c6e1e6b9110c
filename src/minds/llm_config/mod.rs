//! Reads `llm.yaml` over the built-in providers. A provider of the file replaces a built-in one of
//! the same key as a whole. Keys for paid services are never in the file, only the *name* of the
//! environment variable that holds one.

mod builtin;
mod catalogue;
mod check;
mod connection;
mod provider;
mod read;
mod retry;
#[cfg(test)]
mod tests;

pub use connection::Connection;
pub use provider::{ApiType, Env, ModelInfo, ProviderConfig};
pub use retry::RetryConfig;

pub(crate) use builtin::providers as builtin_providers;
pub(crate) use read::read;

pub(crate) const PATH: &str = ".minds/llm.yaml";
