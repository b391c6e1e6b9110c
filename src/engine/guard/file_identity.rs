//! Which object of the file system something is, whatever its name.

/// Which object on which disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    device: i128,
    inode: u64,
}

impl Identity {
    pub(super) fn new(device: i128, inode: u64) -> Self {
        Self { device, inode }
    }
}
