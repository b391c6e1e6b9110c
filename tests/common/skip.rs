//! Requirements without which a test is skipped.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Prints that something was not tested, and why. On a CI machine (`CI` is set) everything has to be
/// tested: there the test fails.
pub fn skip(why: &str) {
    let ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!ci, "on a CI machine everything is tested: {why}");
    // Not by `eprintln!`, which the harness hides for a test that passes.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// True if this machine has the program; otherwise prints that it was skipped.
pub fn has(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let there = command.status().is_ok();
    if !there {
        skip(&format!("there is no {program}"));
    }
    there
}
