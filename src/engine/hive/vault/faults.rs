//! Ends the program, or fails once, at the n-th change that this thread makes to the files of keys, and to those that are
//! migrated, or at a statement to a store; all are counted together.

use std::cell::Cell;
use std::io;

/// What happens at a change; the first one is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyDiskFault {
    /// From this one on nothing happens any more, as if the process had died before it.
    StopAt(usize),
    /// Only this one fails.
    FailAt(usize),
}

thread_local! {
    static FAULT: Cell<Option<KeyDiskFault>> = const { Cell::new(None) };
    static TRIED: Cell<usize> = const { Cell::new(0) };
}

/// The changes from now on meet this fault.
pub fn set(fault: Option<KeyDiskFault>) {
    FAULT.set(fault);
    TRIED.set(0);
}

/// How many changes were tried since then.
pub fn tried() -> usize {
    TRIED.get()
}

/// An error if the change that is tried now fails.
pub fn strike() -> io::Result<()> {
    let now = TRIED.replace(tried() + 1);
    let fails = match FAULT.get() {
        Some(KeyDiskFault::StopAt(at)) => now >= at,
        Some(KeyDiskFault::FailAt(at)) => now == at,
        None => false,
    };
    if fails { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
}
