//! How a workspace is opened.

use std::sync::Arc;

use super::{Disk, RealDisk};
use crate::domain::Clock;

/// May the workspace be changed?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    ReadWrite,
    ReadOnly,
}

/// How hard the store tries to survive a loss of power. All levels survive the death of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SyncLevel {
    /// Never waits for the medium: tests and memory disks.
    Off,
    /// Facts somebody relies on are synced; index files are not, they can be rebuilt.
    Normal,
    /// Index files too: weak disks, network file systems.
    Full,
}

#[derive(Debug, Clone)]
pub struct StoreOptions {
    pub sync: SyncLevel,
    pub disk: Arc<dyn Disk>,
    /// Stamps `updatedAt`, the lock and the quarantine log.
    pub clock: Arc<dyn Clock>,
}

impl StoreOptions {
    /// The real disk at the normal level.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { sync: SyncLevel::Normal, disk: Arc::new(RealDisk), clock }
    }
}
