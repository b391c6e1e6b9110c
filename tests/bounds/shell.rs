//! A command that writes a gigabyte: it costs neither memory nor disk, and the result says what was cut.

use dominds_tui::tools::MAX_RESULT_CHARS;
use serde_json::json;

use crate::{Ground, stays_small};

#[test]
fn c13_a_command_that_writes_a_gigabyte_costs_little_memory() {
    let ground = Ground::new();
    let call = json!({"command": "yes | head -c 1073741824", "timeoutSeconds": 3000});
    let outcome = stays_small("a gigabyte of output", ground.run("shell_cmd", &call));
    let text = outcome.text;
    assert!(text.starts_with("exit code 0\nstdout:\ny\ny\n"), "{}", text.len());
    assert!(text.contains("of 1073741824 bytes cut here; 536870912 lines in all"));
    assert!(text.chars().count() <= MAX_RESULT_CHARS);
}
