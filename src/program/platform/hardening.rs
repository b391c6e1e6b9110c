//! Protects this process from other processes of the same user.

/// Prevents other processes of the same user, such as members' commands, from reading the memory and the
/// initial environment of this process, which contain API keys. Root can still read them.
#[cfg(target_os = "linux")]
pub fn disable_dumps() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    // There is no fallback.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// Other systems do not expose the environment of a process as easily.
#[cfg(not(target_os = "linux"))]
pub fn keep_to_ourselves() {}
