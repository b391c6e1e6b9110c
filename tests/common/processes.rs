//! Processes of this machine, found by their arguments. The words by which a test finds its own processes
//! are unique to it.

use std::fs;

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
