//! Processes of this machine, found by their arguments. The words by which a test finds its own processes
//! are unique to it.

use std::fs;

use super::wait::eventually;

fn command_lines() -> impl Iterator<Item = Vec<u8>> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
}

/// Returns how many processes have the word as an argument.
pub fn with_argument(word: &str) -> usize {
    let has = |line: &Vec<u8>| line.split(|byte| *byte == 0).any(|part| part == word.as_bytes());
    command_lines().filter(has).count()
}

/// True if any process has the word in one of its arguments.
pub fn is_in_an_argument(word: &str) -> bool {
    command_lines().any(|line| line.windows(word.len()).any(|part| part == word.as_bytes()))
}

/// True once the process only waits: in some looks, one after the other, no thread of it runs, and none has waited
/// anew. A busy machine does not matter: a thread that waits for a processor counts as one that runs.
pub fn comes_to_rest(pid: u64) -> bool {
    const LOOKS: u32 = 5;
    let (mut known, mut same) = (None, 0);
    eventually(|| {
        let now = waits_at_rest(pid);
        same = if now.is_some() && now == known { same + 1 } else { 0 };
        known = now;
        same >= LOOKS
    })
}

/// Returns how often the threads of a process have waited so far, if none of them runs.
fn waits_at_rest(pid: u64) -> Option<u64> {
    let mut waits = 0;
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let status = fs::read_to_string(thread.ok()?.path().join("status")).ok()?;
        let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        if value("State:")?.trim_start().starts_with('R') {
            return None;
        }
        waits += value("voluntary_ctxt_switches:")?.trim().parse::<u64>().ok()?;
    }
    Some(waits)
}
