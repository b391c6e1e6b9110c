//! Reads `llm.yaml` on top of the built-in providers. A provider of the file replaces the built-in one
//! of the same key completely. API keys are never in the file, only the *name* of the environment
//! variable.

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
