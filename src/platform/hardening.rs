//! What other processes of the same person may see of this one.

/// Closes the memory and the first environment of this program, where keys lie, to other processes of
/// the same person, commands of members among them. An administrator sees them all the same.
#[cfg(target_os = "linux")]
pub fn disable_dumps() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    // A system that cannot do it has nothing better to offer.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// Other systems do not show one process the environment of another so readily.
#[cfg(not(target_os = "linux"))]
pub fn keep_to_ourselves() {}
