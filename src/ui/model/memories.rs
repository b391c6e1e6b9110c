//! What the teams remember, as far as the driver was asked for it.

use crate::domain::teams::memory::Memory;
use crate::protocol::MemoriesRequest;

#[derive(Debug, Default)]
pub struct Memories {
    /// What the list shows; `None` before it was opened.
    pub asked: Option<MemoriesRequest>,
    /// With the beginnings of their texts.
    pub rows: Vec<Memory>,
    /// How many there are in all.
    pub total: u64,
    pub chain: MemoryChain,
}

/// All memories that had one key, the newest first.
#[derive(Debug, Default)]
pub struct MemoryChain {
    pub memories: Vec<Memory>,
    /// How many older ones were not sent.
    pub left_out: u64,
}
