//! What the disk of the store can do.

use std::path::Path;

/// The journal mode of a database file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journal {
    /// A log beside the file (WAL), which all programs that use it share through shared memory.
    WriteAhead,
    /// The previous content is kept beside the file meanwhile. Needs no shared memory.
    Rollback,
}

impl Journal {
    /// The mode that is safe on the disk of this file: machines do not share memory (sqlite.org/wal.html).
    #[must_use]
    pub fn for_disk_of(file: &Path) -> Self {
        if is_network_disk(file) { Self::Rollback } else { Self::WriteAhead }
    }
}

/// The kinds of disks over a network, as `statfs` names them: linux/magic.h.
#[cfg(target_os = "linux")]
const NETWORK_DISKS: [i128; 10] = [
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF53_4D42, // CIFS
    0xFE53_4D42, // SMB2
    0x0102_1997, // 9P
    0x5346_414F, // AFS
    0x6B41_4653, // AFS of the kernel
    0x7375_7245, // Coda
    0x00C3_6400, // Ceph
    0x6573_5546, // FUSE, such as sshfs
];

#[cfg(target_os = "linux")]
fn is_network_disk(file: &Path) -> bool {
    const MAGIC_BITS: i128 = 0xFFFF_FFFF;
    let found = rustix::fs::statfs(file);
    found.is_ok_and(|disk| NETWORK_DISKS.contains(&(i128::from(disk.f_type) & MAGIC_BITS)))
}

#[cfg(not(target_os = "linux"))]
fn is_network_disk(_file: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_of_this_machine_has_a_log_and_one_that_cannot_be_asked_too() {
        for path in ["/proc", "/proc/none"] {
            assert_eq!(Journal::for_disk_of(Path::new(path)), Journal::WriteAhead);
        }
    }
}
